//! Earlier lines of a calculator session, and how to name them.

/// Lines that are kept; older ones are forgotten.
const MAX_LINES: usize = 1000;

/// The lines entered so far. They are numbered from 1, and keep their numbers when older ones are forgotten.
///
/// ```
/// use tilia_presburger::calc::History;
///
/// let mut history = History::default();
/// history.push("card({ [i] : 0 <= i < 9 })");
/// history.push("A := { [3] }");
/// assert_eq!(history.expand("!card").unwrap().as_deref(), Some("card({ [i] : 0 <= i < 9 })"));
/// assert_eq!(history.expand("!!").unwrap().as_deref(), Some("A := { [3] }"));
/// assert_eq!(history.expand("!2").unwrap().as_deref(), Some("A := { [3] }"));
/// assert_eq!(history.expand("is_empty(A)").unwrap(), None);
/// assert!(history.expand("!nothing").is_err());
/// ```
#[derive(Debug, Clone, Default)]
pub struct History {
    lines: Vec<String>,
    forgotten: usize,
}

impl History {
    /// Adds a line, unless it is the last one again.
    pub fn push(&mut self, line: &str) {
        if self.lines.last().is_some_and(|l| l == line) {
            return;
        }
        self.lines.push(line.to_owned());
        if self.lines.len() > MAX_LINES {
            self.lines.remove(0);
            self.forgotten += 1;
        }
    }

    /// The lines with their numbers.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines.iter().enumerate().map(|(i, l)| (1 + self.forgotten + i, l.as_str()))
    }

    /// The earlier line that is meant by `!!` (the last one), `!7` (number 7), or `!text` (the last that begins so); `None` for any
    /// other line.
    ///
    /// # Errors
    /// When there is no such line: what to tell the user.
    pub fn expand(&self, line: &str) -> Result<Option<String>, String> {
        let Some(name) = line.trim().strip_prefix('!') else {
            return Ok(None);
        };
        let found = if name == "!" {
            self.lines.last().map(String::as_str)
        } else if let Ok(number) = name.parse::<usize>() {
            self.lines().find(|(n, _)| *n == number).map(|(_, l)| l)
        } else {
            self.lines.iter().rev().find(|l| l.starts_with(name)).map(String::as_str)
        };
        match found {
            Some(l) => Ok(Some(l.to_owned())),
            None => Err(format!("no earlier line `{name}`; `history` lists them")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_when_lines_are_forgotten() {
        let mut h = History::default();
        for i in 0..MAX_LINES + 5 {
            h.push(&format!("line {i}"));
        }
        assert_eq!(h.lines().count(), MAX_LINES);
        assert_eq!(h.expand("!6").unwrap().as_deref(), Some("line 5"));
        assert!(h.expand("!5").is_err());
        h.push("line 3");
        h.push("line 3");
        assert_eq!(h.lines().last(), Some((MAX_LINES + 6, "line 3")));
        assert!(History::default().expand("!!").is_err());
        // What isn't a name is left to the calculator, which reports it.
        assert_eq!(h.expand("{ [i] : i != 3 }"), Ok(None));
    }
}
