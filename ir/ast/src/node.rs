//! Nodes of the loop AST.

use crate::{Expr, VarId};
use tilia_presburger::{Id, Int};

/// What is known about a loop, or asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent marks")]
pub struct ForMarks {
    /// Iterations are independent (the band member is coincident) and may run in any order, also at once.
    pub parallel: bool,
    /// The iterations may run in any order, one at a time: nothing but the order in which reductions accumulate is between them (the band member reduces).
    pub reduces: bool,
    /// The member was marked for vectorisation.
    pub vector: bool,
    /// The loop belongs to the isolated part of a tiled band: full tiles only.
    pub full_tile: bool,
    /// Executes exactly once; prints as an assignment.
    pub degenerate: bool,
}

/// `for (var = lower; var <= upper; var += step) body`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct For {
    /// The iterator.
    pub var: VarId,
    /// First value.
    pub lower: Expr,
    /// Last value allowed (inclusive); doesn't mention `var`.
    pub upper: Expr,
    /// Positive distance of iterations.
    pub step: Int,
    /// The body.
    pub body: Box<Node>,
    /// Marks.
    pub marks: ForMarks,
    /// Position in the tree: the schedule dimension (number of outer band members) that this loop scans.
    pub depth: u32,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// One after the other; may be empty.
    Block(Vec<Node>),
    /// A loop.
    For(For),
    /// A condition.
    If {
        /// A condition.
        cond: Expr,
        /// Executed when it holds.
        then: Box<Node>,
        /// Executed when not.
        otherwise: Option<Box<Node>>,
    },
    /// One instance of a statement; `args` are the values of its domain dimensions, in order.
    User {
        /// The statement's name (tuple name of its domain).
        stmt: Id,
        /// Values of the domain's dimensions.
        args: Vec<Expr>,
    },
    /// A mark of the tree around what it marked.
    Mark {
        /// The mark's name.
        name: Id,
        /// The marked code.
        body: Box<Node>,
    },
}

/// A whole loop AST, with the names of its iterators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ast {
    /// The root.
    pub root: Node,
    /// Printed name of each iterator, by [`VarId`].
    pub vars: Vec<Id>,
}
