//! Where in a strategy file something stands.

use std::sync::Arc;
use tilia_diag::Loc;

/// A place in a strategy file: JSON pointer (empty in scripts and for whole files), line and column from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// File name as in messages.
    pub file: Arc<str>,
    /// JSON pointer (RFC 6901), `/scheduling_strategy/fusion/0`, spelled as in the file.
    pub pointer: String,
    /// Line from 1; 0 if unknown.
    pub line: u32,
    /// Column from 1; 0 if unknown.
    pub column: u32,
}

impl Place {
    /// The place as a source location.
    #[must_use]
    pub fn loc(&self) -> Loc {
        if self.line == 0 {
            Loc::unknown()
        } else {
            Loc::new(&self.file, self.line, self.column)
        }
    }
}
