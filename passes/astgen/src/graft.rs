//! Pieces of generated code with the conditions that must still be put around them.

use crate::lin::Con;
use tilia_ast::Node;

/// A condition: one constraint, or at least one of several conjunctions. In terms of loop dimensions and parameters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cond {
    One(Con),
    Any(Vec<Vec<Con>>),
}

impl Cond {
    pub(crate) fn has_divs(&self) -> bool {
        match self {
            Cond::One(c) => c.lin.has_divs(),
            Cond::Any(list) => list.iter().flatten().any(|c| c.lin.has_divs()),
        }
    }

    pub(crate) fn mentions(&self, dim: usize) -> bool {
        match self {
            Cond::One(c) => c.lin.mentions(dim),
            Cond::Any(list) => list.iter().flatten().any(|c| c.lin.mentions(dim)),
        }
    }
}

/// Code that is right where the guard holds and must not run elsewhere.
#[derive(Debug, Clone)]
pub(crate) struct Graft {
    pub(crate) node: Node,
    /// All of them.
    pub(crate) guard: Vec<Cond>,
}

/// The conditions that all grafts have in common and that may be tested outside the loop over `dim`.
pub(crate) fn common(grafts: &[Graft], dim: Option<usize>) -> Vec<Cond> {
    let Some((first, rest)) = grafts.split_first() else {
        return Vec::new();
    };
    let outside = |c: &&Cond| dim.is_none_or(|d| !c.mentions(d));
    let shared = |c: &&Cond| rest.iter().all(|g| g.guard.contains(c));
    first.guard.iter().filter(outside).filter(shared).cloned().collect()
}

/// The grafts without the conditions.
pub(crate) fn without(grafts: Vec<Graft>, conds: &[Cond]) -> Vec<Graft> {
    grafts
        .into_iter()
        .map(|mut g| {
            g.guard.retain(|c| !conds.contains(c));
            g
        })
        .collect()
}
