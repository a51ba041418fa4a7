//! Generated programs before they are text.
//!
//! Index expressions are affine in *variables*: parameters first, then iterators, numbered in one row through the whole program.

use tilia_program::{AffineExpr, ScalarType};

/// An SSA value that isn't an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ValueId(pub(crate) usize);

/// A whole program.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    /// Loops and index arithmetic of the scf and arith dialects instead of affine.
    pub(crate) scf: bool,
    /// Values of each parameter in each input.
    pub(crate) params: Vec<Vec<i64>>,
    pub(crate) arrays: Vec<Array>,
    /// Number of variables: parameters and iterators.
    pub(crate) vars: usize,
    pub(crate) body: Vec<Item>,
}

/// Where an array comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Argument,
    /// `memref.alloc` at the start of the function.
    Private,
}

/// How accesses reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Through {
    Itself,
    /// A subview with these offsets and strides.
    SubView(Vec<(i64, i64)>),
    /// A cast to dynamic extents.
    Cast,
}

#[derive(Debug, Clone)]
pub(crate) struct Array {
    pub(crate) elem: ScalarType,
    pub(crate) place: Place,
    pub(crate) through: Through,
    /// Whether each extent is unknown at compile time.
    pub(crate) dynamic: Vec<bool>,
    /// Elements beyond the last used one, by dimension.
    pub(crate) slack: Vec<i64>,
}

impl Array {
    pub(crate) fn rank(&self) -> usize {
        self.dynamic.len()
    }
}

/// An access; a vector's starts at the subscripts and reaches along the last dimension.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    pub(crate) array: usize,
    pub(crate) subscripts: Vec<AffineExpr>,
    pub(crate) lanes: i64,
}

/// An operation list's member.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    Loop(Loop),
    Guard(Guard),
    /// `target = value`.
    Store {
        target: Access,
        value: Expr,
    },
    /// A value for later use.
    Let {
        value: ValueId,
        expr: Expr,
    },
    /// A vector statement: `target = a op b`.
    Vector {
        target: Access,
        op: &'static str,
        a: Access,
        b: Access,
    },
    /// A condition on data around statements.
    DataIf {
        a: Expr,
        b: Expr,
        then: Vec<Item>,
    },
    /// `target[index[..] mod modulus] = value`, or with the access's array read into the element 0 of another: the subscript comes from memory.
    Indirect {
        index: Access,
        modulus: i64,
        target: usize,
        value: Expr,
    },
    /// A call of a function that changes the first element of the array.
    Touch {
        array: usize,
    },
}

#[derive(Debug, Clone)]
pub(crate) struct Loop {
    pub(crate) var: usize,
    /// The greatest of these, inclusive.
    pub(crate) lower: Vec<AffineExpr>,
    /// The least of these, exclusive.
    pub(crate) upper: Vec<AffineExpr>,
    pub(crate) step: i64,
    pub(crate) parallel: bool,
    pub(crate) carried: Option<Carried>,
    pub(crate) body: Vec<Item>,
}

/// A value carried through a loop.
#[derive(Debug, Clone)]
pub(crate) struct Carried {
    /// The value inside the loop, and after it.
    pub(crate) inside: ValueId,
    pub(crate) after: ValueId,
    pub(crate) elem: ScalarType,
    pub(crate) init: Box<Expr>,
    /// What an iteration hands on.
    pub(crate) next: Box<Expr>,
}

#[derive(Debug, Clone)]
pub(crate) struct Guard {
    /// `(e, true)`: e = 0; `(e, false)`: e >= 0.
    pub(crate) constraints: Vec<(AffineExpr, bool)>,
    pub(crate) then: Vec<Item>,
    pub(crate) otherwise: Vec<Item>,
}

/// A number computed by a statement.
#[derive(Debug, Clone)]
pub(crate) struct Expr {
    pub(crate) elem: ScalarType,
    pub(crate) kind: ExprKind,
}

#[derive(Debug, Clone)]
pub(crate) enum ExprKind {
    /// As MLIR writes the constant.
    Constant(String),
    Load(Access),
    /// A variable, converted.
    Variable(usize),
    Value(ValueId),
    /// An operation of one or two operands of the expression's type.
    Op(&'static str, Vec<Expr>),
    /// A call of a function on two numbers.
    Call(Vec<Expr>),
}

impl Item {
    /// The lists of items inside.
    pub(crate) fn children(&self) -> Vec<&[Item]> {
        match self {
            Self::Loop(l) => vec![&l.body],
            Self::Guard(g) => vec![&g.then, &g.otherwise],
            Self::DataIf { then, .. } => vec![then],
            _ => Vec::new(),
        }
    }

    /// The same, to change.
    pub(crate) fn children_mut(&mut self) -> Vec<&mut Vec<Item>> {
        match self {
            Self::Loop(l) => vec![&mut l.body],
            Self::Guard(g) => vec![&mut g.then, &mut g.otherwise],
            Self::DataIf { then, .. } => vec![then],
            _ => Vec::new(),
        }
    }

    /// The expressions that it computes itself.
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        match self {
            Self::Loop(l) => l.carried.iter().flat_map(|c| [&*c.init, &*c.next]).collect(),
            Self::Store { value, .. } | Self::Indirect { value, .. } => vec![value],
            Self::Let { expr, .. } => vec![expr],
            Self::DataIf { a, b, .. } => vec![a, b],
            _ => Vec::new(),
        }
    }
}

impl Expr {
    /// The accesses that it reads, in order.
    pub(crate) fn loads<'a>(&'a self, out: &mut Vec<&'a Access>) {
        match &self.kind {
            ExprKind::Load(a) => out.push(a),
            ExprKind::Op(_, args) | ExprKind::Call(args) => args.iter().for_each(|e| e.loads(out)),
            _ => {}
        }
    }

    /// Whether it calls a function.
    pub(crate) fn calls(&self) -> bool {
        match &self.kind {
            ExprKind::Call(_) => true,
            ExprKind::Op(_, args) => args.iter().any(Self::calls),
            _ => false,
        }
    }
}
