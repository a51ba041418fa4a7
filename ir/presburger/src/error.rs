//! What can go wrong.

use crate::text::ParseError;

/// The result of an operation that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The counted budget ran out.
    #[error("out of budget")]
    OutOfBudget,
    /// The operands live in spaces that do not fit together.
    #[error("spaces do not match: {left} and {right}")]
    SpaceMismatch {
        /// The first space, as text.
        left: String,
        /// The second space, as text.
        right: String,
    },
    /// The text could not be read.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The set has no bound in the direction asked for.
    #[error("unbounded")]
    Unbounded,
    /// The operation is not available for this input.
    #[error("unsupported: {0}")]
    Unsupported(String),
}

impl Error {
    /// A mismatch of two things that can be shown.
    pub(crate) fn mismatch(left: &impl std::fmt::Display, right: &impl std::fmt::Display) -> Error {
        Error::SpaceMismatch {
            left: left.to_string(),
            right: right.to_string(),
        }
    }
}
