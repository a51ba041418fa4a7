//! The OpenScop format: its contents as values, reading, writing, and what they mean.

mod convert;
mod export;
mod import;
mod lines;
mod loops;
mod names;
mod print;
mod read;

use std::fmt;
use tilia_presburger::Int;

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Error {
    /// Line from 1.
    pub line: u32,
    /// One sentence without a final stop.
    pub message: String,
}

impl Error {
    pub(crate) fn new(line: u32, message: impl Into<String>) -> Self {
        Self {
            line,
            message: message.into(),
        }
    }
}

/// What a relation describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RelationKind {
    /// Conditions on parameters.
    Context,
    /// Instances of a statement.
    Domain,
    /// Their dates.
    Scattering,
    /// Elements that are read.
    Read,
    /// Elements that are written.
    Write,
    /// Elements that may be written.
    MayWrite,
    /// Said nothing of.
    Undefined,
}

impl RelationKind {
    /// Kinds by keyword.
    pub(crate) const NAMES: [(&'static str, Self); 7] = [
        ("CONTEXT", Self::Context),
        ("DOMAIN", Self::Domain),
        ("SCATTERING", Self::Scattering),
        ("READ", Self::Read),
        ("WRITE", Self::Write),
        ("MAY_WRITE", Self::MayWrite),
        ("UNDEFINED", Self::Undefined),
    ];
}

impl fmt::Display for RelationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::NAMES.iter().find(|(_, k)| k == self).map_or("", |(n, _)| n))
    }
}

/// One convex part of a relation: rows `e/i | output | input | local | parameters | 1`, where `e/i` is 0 for `= 0` and 1 for `>= 0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    /// Output dimensions.
    pub outputs: usize,
    /// Input dimensions.
    pub inputs: usize,
    /// Local dimensions.
    pub locals: usize,
    /// Parameters.
    pub params: usize,
    /// The rows.
    pub rows: Vec<Vec<Int>>,
    /// Line of its first row.
    pub line: u32,
}

impl Matrix {
    /// Numbers in a row.
    #[must_use]
    pub fn columns(&self) -> usize {
        2 + self.outputs + self.inputs + self.locals + self.params
    }
}

/// A union of convex parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// What it describes.
    pub kind: RelationKind,
    /// Its parts.
    pub parts: Vec<Matrix>,
    /// Line of its keyword.
    pub line: u32,
}

/// An extension, by its tag, with its text as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extension {
    /// `arrays` of `<arrays>`.
    pub tag: String,
    /// What stands between the tags, by lines.
    pub text: String,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Instances.
    pub domain: Relation,
    /// Dates, where there are any.
    pub scattering: Option<Relation>,
    /// Reads and writes, in their order.
    pub accesses: Vec<Relation>,
    /// Extensions, the body first.
    pub extensions: Vec<Extension>,
    /// Line of its first relation.
    pub line: u32,
}

/// A scop in the OpenScop format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenScop {
    /// The language of bodies.
    pub language: String,
    /// Conditions on parameters.
    pub context: Relation,
    /// Names of parameters, where given.
    pub params: Option<Vec<String>>,
    /// The statements in their order.
    pub statements: Vec<Statement>,
    /// Extensions of the whole.
    pub extensions: Vec<Extension>,
}
