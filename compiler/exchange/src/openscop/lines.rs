//! The lines of a file, without comments where these mean nothing.

use super::Error;
use tilia_presburger::Int;

/// Walks the lines of a text.
#[derive(Debug, Clone)]
pub(super) struct Lines<'a> {
    lines: Vec<&'a str>,
    next: usize,
}

/// A line and its number.
pub(super) type Line<'a> = (u32, &'a str);

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            lines: text.lines().collect(),
            next: 0,
        }
    }

    fn number(index: usize) -> u32 {
        u32::try_from(index + 1).unwrap_or(u32::MAX)
    }

    /// The next line as it stands.
    pub(super) fn raw(&mut self) -> Option<Line<'a>> {
        let line = self.lines.get(self.next)?;
        self.next += 1;
        Some((Self::number(self.next - 1), line))
    }

    /// The next line that says something, without its comment, not taken.
    pub(super) fn peek(&mut self) -> Option<Line<'a>> {
        while let Some(line) = self.lines.get(self.next) {
            let content = line.split('#').next().unwrap_or("").trim();
            if !content.is_empty() {
                return Some((Self::number(self.next), content));
            }
            self.next += 1;
        }
        None
    }

    /// The next line that says something, without its comment.
    pub(super) fn take(&mut self) -> Option<Line<'a>> {
        let line = self.peek()?;
        self.next += 1;
        Some(line)
    }

    /// As [`Lines::take`]; the end of the file is an error.
    pub(super) fn expect(&mut self, what: &str) -> Result<Line<'a>, Error> {
        let last = Self::number(self.lines.len().saturating_sub(1));
        self.take()
            .ok_or_else(|| Error::new(last, format!("the file ends where {what} should stand")))
    }

    /// A line that is one number, from 0 to a bound that no file in use comes near.
    pub(super) fn count(&mut self, what: &str) -> Result<usize, Error> {
        let (line, text) = self.expect(what)?;
        parse_count(line, text, what)
    }
}

/// Largest number of dimensions, parts, statements or relations.
pub(super) const MAX_COUNT: usize = 100_000;

pub(super) fn parse_count(line: u32, text: &str, what: &str) -> Result<usize, Error> {
    match text.parse::<usize>() {
        Ok(n) if n <= MAX_COUNT => Ok(n),
        Ok(n) => Err(Error::new(line, format!("{what} can't be {n}: at most {MAX_COUNT} are read"))),
        Err(_) => Err(Error::new(line, format!("expected {what}, found '{}'", shorten(text)))),
    }
}

/// The numbers of a line.
pub(super) fn numbers(line: u32, text: &str) -> Result<Vec<Int>, Error> {
    text.split_whitespace()
        .map(|word| {
            let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
            let number = word.strip_prefix('+').unwrap_or(word);
            let fine = !digits.is_empty() && digits.len() <= 1000 && digits.bytes().all(|b| b.is_ascii_digit());
            fine.then(|| number.parse::<Int>().ok())
                .flatten()
                .ok_or_else(|| Error::new(line, format!("expected an integer, found '{}'", shorten(word))))
        })
        .collect()
}

/// The text, or its beginning.
pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        None => text.to_owned(),
        Some((n, _)) => format!("{}...", &text[..n]),
    }
}
