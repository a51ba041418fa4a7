//! Errors and warnings.

use crate::Loc;
use std::fmt;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The request can't be met; exit status 1.
    Error,
    /// Met, but probably not as meant.
    Warning,
}

/// A further sentence attached to a diagnostic, with its own place where it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Where, or unknown.
    pub loc: Loc,
    /// What.
    pub message: String,
}

/// One error or warning: where, what, and the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The place it is about.
    pub loc: Loc,
    /// What is wrong, one sentence without a final stop.
    pub message: String,
    /// Details, each with its own place.
    pub notes: Vec<Note>,
    /// What the user can do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `loc`.
    #[must_use]
    pub fn error(loc: Loc, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, loc, message)
    }

    /// A warning at `loc`.
    #[must_use]
    pub fn warning(loc: Loc, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, loc, message)
    }

    fn new(severity: Severity, loc: Loc, message: impl Into<String>) -> Self {
        Self {
            severity,
            loc,
            message: message.into(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// The same with one more note.
    #[must_use]
    pub fn note(mut self, loc: Loc, message: impl Into<String>) -> Self {
        self.notes.push(Note {
            loc,
            message: message.into(),
        });
        self
    }

    /// The same with advice.
    #[must_use]
    pub fn help(mut self, message: impl Into<String>) -> Self {
        self.help = Some(message.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.loc.is_unknown() {
            write!(f, "{}: ", self.loc)?;
        }
        f.write_str(match self.severity {
            Severity::Error => "error: ",
            Severity::Warning => "warning: ",
        })?;
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}
