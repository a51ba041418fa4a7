//! The syntax tree of isl's notation: what was written, before names are resolved.
//!
//! One tree serves all object kinds. Whether `{ [i] -> [i + 1] }` is a relation or an affine function is
//! decided by who asks for it, in `lower`.

/// A byte offset into the source, for messages.
pub(crate) type Pos = usize;

/// A whole object: parameters and a body.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    /// Declared parameters, in order.
    pub(crate) params: Vec<Name>,
    /// What follows `[params] ->`.
    pub(crate) body: Body,
    /// Where the object starts.
    pub(crate) pos: Pos,
}

/// An identifier and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    /// The identifier, primes included.
    pub(crate) text: String,
    /// Its place.
    pub(crate) pos: Pos,
}

/// The body of an object.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// `{ piece; piece; ... }`
    Braces(Vec<Piece>),
    /// A multi union piecewise affine function: a tuple of braces, with an optional explicit domain.
    Multi {
        /// The tuple of braces.
        tuple: MultiTuple,
        /// The explicit domain of `(tuple : { domain })`.
        domain: Option<Vec<Piece>>,
    },
}

/// One `tuple -> tuple : formula` of a body; zero, one or two tuples.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    /// The tuples, at most two.
    pub(crate) tuples: Vec<Tuple>,
    /// The condition after the colon.
    pub(crate) formula: Option<Formula>,
    /// Where the piece starts.
    pub(crate) pos: Pos,
}

/// `name[...]`
#[derive(Debug, Clone)]
pub(crate) struct Tuple {
    /// The name before the bracket.
    pub(crate) name: Option<String>,
    /// What is inside.
    pub(crate) kind: TupleKind,
    /// Where it starts.
    pub(crate) pos: Pos,
}

/// The inside of a tuple.
#[derive(Debug, Clone)]
pub(crate) enum TupleKind {
    /// A list of entries.
    Flat(Vec<Entry>),
    /// A wrapped pair `[a -> b]`.
    Nested(Box<Tuple>, Box<Tuple>),
}

/// One entry of a tuple.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    /// `*`: a dimension without name.
    Anonymous,
    /// A fresh name declares a dimension; `name = expr` also fixes it.
    Declared(Name, Option<Expr>),
    /// An expression over names seen before.
    Expr(Expr),
    /// `low:high`, either may be missing.
    Range(Option<Expr>, Option<Expr>),
}

/// A tuple whose entries are union piecewise affine functions.
#[derive(Debug, Clone)]
pub(crate) struct MultiTuple {
    /// The name before the bracket.
    pub(crate) name: Option<String>,
    /// What is inside.
    pub(crate) kind: MultiKind,
}

/// The inside of a [`MultiTuple`].
#[derive(Debug, Clone)]
pub(crate) enum MultiKind {
    /// Bodies of the members.
    Flat(Vec<Vec<Piece>>),
    /// A wrapped pair.
    Nested(Box<MultiTuple>, Box<MultiTuple>),
}

/// An expression with its place.
#[derive(Debug, Clone)]
pub(crate) struct Expr {
    /// What it is.
    pub(crate) kind: ExprKind,
    /// Where it starts.
    pub(crate) pos: Pos,
}

/// Expressions. Chains are flat, so the depth of a tree is bounded by the depth of brackets.
#[derive(Debug, Clone)]
pub(crate) enum ExprKind {
    /// Digits, perhaps after a minus sign.
    Number(String),
    /// A variable.
    Var(String),
    /// A sum; `true` marks a subtracted term.
    Sum(Vec<(bool, Expr)>),
    /// A product of two.
    Product(Box<Expr>, Box<Expr>),
    /// `e / d`
    Quotient(Box<Expr>, Box<Expr>),
    /// `e mod d`
    Mod(Box<Expr>, Box<Expr>),
    /// `floor(e)` or `[e]`
    Floor(Box<Expr>),
    /// `ceil(e)`
    Ceil(Box<Expr>),
    /// `min(...)`
    Min(Vec<Expr>),
    /// `max(...)`
    Max(Vec<Expr>),
    /// `c ? a : b`
    Ternary(Box<Formula>, Box<Expr>, Box<Expr>),
    /// `a : c; b : d`
    Piecewise(Vec<(Expr, Option<Formula>)>),
}

/// A condition with its place.
#[derive(Debug, Clone)]
pub(crate) struct Formula {
    /// What it is.
    pub(crate) kind: FormulaKind,
    /// Where it starts.
    pub(crate) pos: Pos,
}

/// Conditions.
#[derive(Debug, Clone)]
pub(crate) enum FormulaKind {
    /// `true` or `false`
    Literal(bool),
    /// A conjunction.
    And(Vec<Formula>),
    /// A disjunction.
    Or(Vec<Formula>),
    /// A negation.
    Not(Box<Formula>),
    /// `a implies b`
    Implies(Box<Formula>, Box<Formula>),
    /// `exists x, y = e : body`
    Exists(Vec<(Name, Option<Expr>)>, Box<Formula>),
    /// A chain `a, b < c <= d`.
    Compare(Vec<Expr>, Vec<(CompareOp, Vec<Expr>)>),
}

/// Comparison operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompareOp {
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `<<`
    LexLt,
    /// `<<=`
    LexLe,
    /// `>>`
    LexGt,
    /// `>>=`
    LexGe,
}

impl CompareOp {
    /// Whether it compares lists as wholes, lexicographically.
    pub(crate) fn is_lexicographic(self) -> bool {
        matches!(self, Self::LexLt | Self::LexLe | Self::LexGt | Self::LexGe)
    }
}
