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
    /// Does this condition visibly imply the other?
    pub(crate) fn implies(&self, other: &Cond) -> bool {
        match (self, other) {
            (Cond::One(a), Cond::One(b)) => a.plainly_implies(b),
            (a, b) => a == b,
        }
    }

    /// Conditions are tested in this order: first those without parameters, which fail more often, last those with divisions.
    pub(crate) fn rank(&self) -> (bool, bool) {
        (self.has_divs(), self.mentions_params())
    }

    fn mentions_params(&self) -> bool {
        match self {
            Cond::One(c) => c.lin.has_params(),
            Cond::Any(list) => list.iter().flatten().any(|c| c.lin.has_params()),
        }
    }

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
    /// What holds wherever the code does anything, whether it is tested or not: a loop that runs in vain needs no test.
    pub(crate) runs: Vec<Con>,
}

impl Graft {
    pub(crate) fn new(node: Node, guard: Vec<Cond>) -> Graft {
        Graft {
            node,
            guard,
            runs: Vec::new(),
        }
    }

    /// Does the code visibly do nothing where the condition fails?
    pub(crate) fn needs(&self, c: &Cond) -> bool {
        self.guard.iter().any(|g| g.implies(c)) || matches!(c, Cond::One(c) if self.runs.iter().any(|r| r.plainly_implies(c)))
    }
}

/// The conditions that all grafts have in common and that may be tested outside the loop over `dim`.
pub(crate) fn common(grafts: &[Graft], dim: Option<usize>) -> Vec<Cond> {
    let mut out: Vec<Cond> = Vec::new();
    for c in grafts.iter().flat_map(|g| &g.guard) {
        let outside = dim.is_none_or(|d| !c.mentions(d));
        if outside && !out.contains(c) && grafts.iter().all(|g| g.needs(c)) {
            out.push(c.clone());
        }
    }
    // The stronger ones say it all.
    let weaker = |c: &Cond| out.iter().any(|o| o != c && o.implies(c));
    let kept: Vec<Cond> = out.iter().filter(|c| !weaker(c)).cloned().collect();
    kept
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
