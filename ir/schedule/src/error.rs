//! What can go wrong with schedule trees.

use crate::Path;
use std::fmt;

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A node that can't stand where it stands.
    #[error("at {at}: {message}")]
    Shape {
        /// The position.
        at: Path,
        /// What is wrong.
        message: String,
    },
    /// An edit that isn't possible; the tree is unchanged.
    #[error("{operation} at {at}: {reason}")]
    Refused {
        /// The operation.
        operation: &'static str,
        /// The position.
        at: Path,
        /// Why not.
        reason: String,
    },
    /// The text form couldn't be read.
    #[error(transparent)]
    Text(#[from] TextError),
    /// An operation on sets failed.
    #[error(transparent)]
    Sets(#[from] tilia_presburger::Error),
}

impl Error {
    /// Line and column of a mistake in a text.
    #[must_use]
    pub fn line_column(&self) -> Option<(u32, u32)> {
        match self {
            Error::Text(t) => Some((u32::try_from(t.line).ok()?, u32::try_from(t.column).ok()?)),
            _ => None,
        }
    }

    pub(crate) fn shape(at: Path, message: impl Into<String>) -> Error {
        Error::Shape {
            at,
            message: message.into(),
        }
    }

    pub(crate) fn refused(operation: &'static str, at: &Path, reason: impl Into<String>) -> Error {
        Error::Refused {
            operation,
            at: at.clone(),
            reason: reason.into(),
        }
    }
}

/// A mistake in the text form of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for TextError {}
