//! Which names are visible, and the flat space they live in.

use crate::error::{Error, Result};
use crate::func::Aff;
use crate::num::{Budget, Int};
use crate::space::{DimType, Id, Space, Tuple};
use crate::text::error::ParseError;
use crate::text::syntax::Pos;

/// The text being read, for messages, and the budget for set operations on the way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    /// The whole text.
    pub(crate) text: &'a str,
    /// Limits the work.
    pub(crate) budget: &'a Budget,
}

impl Source<'_> {
    /// An error at a place of the text.
    pub(crate) fn error(&self, at: Pos, message: impl Into<String>) -> Error {
        Error::Parse(ParseError::at(self.text, at, message))
    }

    /// Gives an error without a place one.
    pub(crate) fn locate(&self, at: Pos, error: Error) -> Error {
        match error {
            Error::Parse(_) | Error::OutOfBudget => error,
            other => self.error(at, other.to_string()),
        }
    }
}

/// The visible names and their columns.
#[derive(Debug, Clone)]
pub(crate) struct Scope<'a> {
    pub(crate) source: Source<'a>,
    /// The flat space.
    pub(crate) space: Space,
    /// The names of the dimensions of the flat space; none for `*` and for entries that are expressions.
    dims: Vec<Option<String>>,
}

impl<'a> Scope<'a> {
    /// Only parameters.
    pub(crate) fn new(source: Source<'a>, params: Vec<Id>) -> Scope<'a> {
        let space = Space::set(params, Tuple::anonymous(0));
        Scope {
            source,
            space,
            dims: Vec::new(),
        }
    }

    /// The scope with more dimensions.
    pub(crate) fn with_dims(&self, names: impl IntoIterator<Item = Option<String>>) -> Scope<'a> {
        let mut dims = self.dims.clone();
        dims.extend(names);
        let space = Space::set(self.space.params().to_vec(), Tuple::anonymous(dims.len()));
        Scope {
            source: self.source,
            space,
            dims,
        }
    }

    /// The number of dimensions of the flat space.
    pub(crate) fn n_dim(&self) -> usize {
        self.dims.len()
    }

    /// The variable of that name.
    pub(crate) fn variable(&self, name: &str, at: Pos) -> Result<Aff> {
        if let Some(pos) = self.space.params().iter().position(|p| p.as_str() == name) {
            return Ok(Aff::var(&self.space, DimType::Param, pos));
        }
        match self.dims.iter().position(|d| d.as_deref() == Some(name)) {
            Some(pos) => Ok(self.dim(pos)),
            None => Err(self.source.error(at, format!("unknown name `{name}`"))),
        }
    }

    /// The variable of a dimension.
    pub(crate) fn dim(&self, pos: usize) -> Aff {
        Aff::var(&self.space, DimType::Out, pos)
    }

    /// A number written in the text.
    pub(crate) fn number(&self, digits: &str, at: Pos) -> Result<Int> {
        digits
            .parse()
            .map_err(|_| self.source.error(at, format!("`{digits}` is no number")))
    }

    /// Runs an operation that can't fail for its operands, all of this scope's space; a failure is located.
    pub(crate) fn at<T>(&self, at: Pos, result: Result<T>) -> Result<T> {
        result.map_err(|e| self.source.locate(at, e))
    }
}
