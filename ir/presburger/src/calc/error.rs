//! Located errors of the calculator.

use std::fmt;

use crate::error::Error;
use crate::text::ParseError;

/// What went wrong where in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalcError(pub(super) ParseError);

impl CalcError {
    /// An error at byte offset `at` of `source`.
    pub(super) fn at(source: &str, at: usize, message: impl Into<String>) -> CalcError {
        CalcError(ParseError::at(source, at, message))
    }

    /// An error of the library, at `at` unless it has its own place.
    pub(super) fn from_error(source: &str, at: usize, error: Error) -> CalcError {
        match error {
            Error::Parse(e) => CalcError(e),
            Error::OutOfBudget => CalcError::at(source, at, "out of budget: this takes more work than is allowed"),
            other => CalcError::at(source, at, other.to_string()),
        }
    }

    /// The line, from 1.
    pub fn line(&self) -> u32 {
        self.0.line
    }

    /// The column within the line, from 1.
    pub fn column(&self) -> u32 {
        self.0.column
    }

    /// What is wrong, in words.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The message with the offending line of `source` and a caret.
    pub fn render(&self, source: &str) -> String {
        self.0.render(source)
    }
}

impl From<ParseError> for CalcError {
    fn from(e: ParseError) -> CalcError {
        CalcError(e)
    }
}

impl fmt::Display for CalcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for CalcError {}
