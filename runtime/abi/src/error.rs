//! Errors of running programs.

use std::fmt;
use tilia_diag::{Diagnostic, Loc};

/// A program stopped with an error: which operation, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeError {
    /// The operation that failed.
    pub loc: Loc,
    /// What was wrong, with the values at hand.
    pub message: String,
}

impl RuntimeError {
    /// An error of the operation at `loc`.
    #[must_use]
    pub fn new(loc: Loc, message: impl Into<String>) -> Self {
        Self {
            loc,
            message: message.into(),
        }
    }
}

impl From<RuntimeError> for Diagnostic {
    fn from(error: RuntimeError) -> Self {
        Self::error(error.loc, error.message)
    }
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.loc.is_unknown() {
            write!(f, "{}: ", self.loc)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for RuntimeError {}
