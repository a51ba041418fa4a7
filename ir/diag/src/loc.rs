//! Source locations.

use std::fmt;
use std::sync::Arc;

/// A place in a source file: file, line and column (both from 1), or unknown.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Loc(Option<Arc<Place>>);

#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Place {
    file: Arc<str>,
    line: u32,
    column: u32,
}

impl Loc {
    /// The location that says nothing.
    #[must_use]
    pub fn unknown() -> Self {
        Self(None)
    }

    /// A place in `file`; `line` and `column` count from 1.
    #[must_use]
    pub fn new(file: &Arc<str>, line: u32, column: u32) -> Self {
        Self(Some(Arc::new(Place {
            file: Arc::clone(file),
            line,
            column,
        })))
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.0.is_none()
    }

    /// The file's name, where known.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        self.0.as_ref().map(|p| &*p.file)
    }

    /// Line and column, from 1, where known.
    #[must_use]
    pub fn line_column(&self) -> Option<(u32, u32)> {
        self.0.as_ref().map(|p| (p.line, p.column))
    }
}

impl fmt::Display for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(p) => write!(f, "{}:{}:{}", p.file, p.line, p.column),
            None => f.write_str("unknown location"),
        }
    }
}
