//! Located syntax errors of the text notation.

use std::fmt;

/// A syntax or naming error at one place of an input text.
///
/// Lines and columns count from 1; a column is a character, not a byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Line of the offending token.
    pub line: u32,
    /// Column of the offending token within its line.
    pub column: u32,
    /// What is wrong, in words.
    pub message: String,
}

impl ParseError {
    /// An error at byte offset `at` of `source`.
    pub fn at(source: &str, at: usize, message: impl Into<String>) -> Self {
        let mut at = at.min(source.len());
        while !source.is_char_boundary(at) {
            at -= 1;
        }
        let before = &source[..at];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |p| p + 1);
        let column = before[start..].chars().count() + 1;
        ParseError {
            line: clamp(line),
            column: clamp(column),
            message: message.into(),
        }
    }

    /// The message with the offending line of `source` and a caret under the column.
    ///
    /// Long lines are cut around the caret so that the result fits a terminal.
    pub fn render(&self, source: &str) -> String {
        const AROUND: usize = 60;
        let line = source.lines().nth(self.line as usize - 1).unwrap_or("");
        let column = self.column as usize - 1;
        let start = column.saturating_sub(AROUND);
        let shown: String = line
            .chars()
            .skip(start)
            .take(2 * AROUND)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        format!("{self}\n  {shown}\n  {:>width$}", "^", width = column - start + 1)
    }
}

fn clamp(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_the_caret_under_the_character() {
        let text = "{ [i] :\n  ä < ? }";
        let e = ParseError::at(text, text.find('?').unwrap(), "unexpected `?`");
        assert_eq!((e.line, e.column), (2, 7));
        assert_eq!(e.render(text), "2:7: unexpected `?`\n    ä < ? }\n        ^");
    }

    #[test]
    fn survives_any_offset() {
        for at in 0..20 {
            let e = ParseError::at("ää\nb", at, "x");
            assert!(e.render("ää\nb").contains('^'));
        }
        assert!(
            ParseError {
                line: 9,
                column: 9,
                message: String::new()
            }
            .render("")
            .contains('^')
        );
    }
}
