//! Integer and boolean expressions of the loop AST.

use tilia_presburger::{Id, Int};

/// An iterator of the AST, unique within one [`crate::Ast`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// Comparisons of two integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the usual six")]
pub enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// An expression. Integers are exact; divisors are positive constants; quotients round down and remainders are non-negative.
///
/// `Cmp`, `And`, `Or`, `Not` and `Bool` are conditions, the rest integers; [`crate::Ast::verify`] checks that they aren't mixed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Int(Int),
    /// A loop iterator.
    Var(VarId),
    /// A parameter of the scop, by name.
    Param(Id),
    /// A sum of at least two terms.
    Add(Vec<Expr>),
    /// `factor * e`.
    Mul(Int, Box<Expr>),
    /// `floor(e / d)`.
    FloorDiv {
        /// Dividend.
        num: Box<Expr>,
        /// Positive divisor.
        den: Int,
        /// The dividend is known to be non-negative here, so that truncating division serves.
        non_negative: bool,
    },
    /// `e mod d`.
    Mod {
        /// Dividend.
        num: Box<Expr>,
        /// Positive divisor.
        den: Int,
        /// The dividend is known to be non-negative here.
        non_negative: bool,
    },
    /// The least of at least two.
    Min(Vec<Expr>),
    /// The greatest of at least two.
    Max(Vec<Expr>),
    /// `if cond then a else b`, on integers.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A constant condition.
    Bool(bool),
    /// A comparison.
    Cmp(CmpOp, Box<Expr>, Box<Expr>),
    /// All of.
    And(Vec<Expr>),
    /// At least one of.
    Or(Vec<Expr>),
    /// Negation.
    Not(Box<Expr>),
}
