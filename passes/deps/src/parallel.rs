//! Which loops of a schedule tree are parallel.

use crate::carry::restrict;
use crate::position::{Position, Step, TreeError, positions};
use crate::tell::{counts_tiles, describe, loop_loc};
use std::cmp::Ordering;
use std::sync::Arc;
use tilia_diag::Remark;
use tilia_presburger::{Budget, DimType, Map, Point};
use tilia_schedule::{Node, NodeKind, Path, SEQUENTIAL, ScheduleTree};
use tilia_scop::{Dep, Deps, Scop};

/// A dependence between instances that no step so far has ordered.
#[derive(Clone)]
pub(crate) struct Pending<'a> {
    pub(crate) dep: &'a Dep,
    pub(crate) source: Arc<Position>,
    pub(crate) target: Arc<Position>,
    pub(crate) pairs: Map,
}

/// All dependences between instances at these positions.
pub(crate) fn pending<'a>(scop: &Scop, deps: &'a Deps, all: &[Position], b: &Budget) -> Result<Vec<Pending<'a>>, TreeError> {
    let shared: Vec<Arc<Position>> = all.iter().cloned().map(Arc::new).collect();
    let mut pending = Vec::new();
    for dep in &deps.memory {
        for source in shared.iter().filter(|p| p.stmt == dep.source) {
            for target in shared.iter().filter(|p| p.stmt == dep.target) {
                let pairs = dep.relation.clone();
                let pairs = if all.len() == scop.stmts.len() {
                    pairs
                } else {
                    pairs
                        .where_within(DimType::In, &source.domain, b)?
                        .where_within(DimType::Out, &target.domain, b)?
                };
                pending.push(Pending {
                    dep,
                    source: Arc::clone(source),
                    target: Arc::clone(target),
                    pairs,
                });
            }
        }
    }
    Ok(pending)
}

/// Sets the `coincident` flag of every band member truthfully: for equal values of all outer bands, and within one child of each sequence, no dependence has a distance other
/// than zero in it, and no mark [`SEQUENTIAL`] stands right above. A remark for each loop says so, or names the dependence in the way with one pair of iterations.
///
/// # Errors
/// When the tree has nodes that add or replace instances. A budget that runs out leaves flags unset, with a remark.
pub fn mark_coincident(tree: &ScheduleTree, deps: &Deps, scop: &Scop, budget: &Budget) -> Result<(ScheduleTree, Vec<Remark>), TreeError> {
    let all = positions(scop, tree)?;
    let pending = pending(scop, deps, &all, budget)?;
    let mut marker = Marker {
        scop,
        budget,
        remarks: Vec::new(),
        tree: tree.clone(),
        sequential: false,
    };
    marker.visit(tree.root(), &Path::root(), 0, all, pending)?;
    Ok((marker.tree, marker.remarks))
}

struct Marker<'a> {
    scop: &'a Scop,
    budget: &'a Budget,
    remarks: Vec<Remark>,
    tree: ScheduleTree,
    /// The next band stands right below a mark that keeps it sequential.
    sequential: bool,
}

impl Marker<'_> {
    /// Visits a node. `depth`: number of steps above it; `reaching`: what reaches it; `pending`: dependences within that which nothing above orders.
    fn visit(&mut self, node: &Node, at: &Path, depth: usize, reaching: Vec<Position>, pending: Vec<Pending<'_>>) -> Result<(), TreeError> {
        match node.kind() {
            NodeKind::Leaf => Ok(()),
            NodeKind::Sequence | NodeKind::Set => {
                for (n, child) in node.children().iter().enumerate() {
                    let here = |p: &Position| matches!(p.steps.get(depth), Some(Step::Child(c) | Step::Unordered(c)) if *c == n);
                    let inside = pending.iter().filter(|p| here(&p.source) && here(&p.target)).cloned().collect();
                    let reaching = reaching.iter().filter(|p| here(p)).cloned().collect();
                    self.visit(child, &at.child(n), depth + 1, reaching, inside)?;
                }
                Ok(())
            }
            NodeKind::Band(band) => {
                let mut band = band.clone();
                for (m, member) in band.members.iter_mut().enumerate() {
                    member.coincident = self.member(depth + m, &reaching, &pending);
                }
                self.sequential = false;
                let inside = if has_band(&node.children()[0], 1) {
                    (0..band.members.len()).fold(pending, |p, m| equal(&p, depth + m, self.budget))
                } else {
                    // Nobody asks below: the pairs of all loops together are the longest of all.
                    pending
                };
                let depth = depth + band.members.len();
                // Bands are edited from the outside in, so that what is below is still as it was.
                let edited = Node::band(band, Arc::clone(&node.children()[0]));
                self.tree = self.tree.replace(at, edited).map_err(|_| TreeError::Node("misplaced band"))?;
                self.visit(&node.children()[0], &at.child(0), depth, reaching, inside)
            }
            kind => match node.children().first() {
                Some(child) => {
                    self.sequential |= matches!(kind, NodeKind::Mark(m) if m.as_str() == SEQUENTIAL);
                    self.visit(child, &at.child(0), depth, reaching, pending)
                }
                None => Ok(()),
            },
        }
    }

    /// Whether the member at that step has distance zero in all pending dependences.
    fn member(&mut self, step: usize, reaching: &[Position], pending: &[Pending<'_>]) -> bool {
        let loc = loop_loc(self.scop, step, reaching);
        let what = if counts_tiles(step, reaching) { "loop over tiles" } else { "loop" };
        if self.sequential {
            let reason = format!("the {what} is kept sequential, as the mark above it says");
            self.remarks.push(Remark::declined("parallel", loc, reason));
            return false;
        }
        for p in pending {
            let reason = match moving(p, step, self.budget) {
                Ok(None) => continue,
                Ok(Some(point)) => format!("the {what} is not parallel: {}", describe(self.scop, p, &point)),
                Err(e) => format!("the {what} is not known to be parallel: {e}"),
            };
            self.remarks.push(Remark::declined("parallel", loc, reason));
            return false;
        }
        self.remarks
            .push(Remark::analysis("parallel", loc, format!("the {what} is parallel")));
        true
    }
}

/// A pair of instances of the dependence with another distance than zero at the step.
pub(crate) fn moving(p: &Pending<'_>, step: usize, budget: &Budget) -> tilia_presburger::Result<Option<Point>> {
    let (Some(Step::Value(f)), Some(Step::Value(g))) = (p.source.steps.get(step), p.target.steps.get(step)) else {
        return Ok(None);
    };
    for how in [Ordering::Greater, Ordering::Less] {
        let pairs = restrict(&p.pairs, f, g, how, budget)?;
        if !pairs.plain_is_empty()
            && let Some(point) = pairs.sample_point(budget)?
        {
            return Ok(Some(point));
        }
    }
    Ok(None)
}

/// Whether a band of that many members, or more, is here or below.
pub(crate) fn has_band(node: &Node, members: usize) -> bool {
    matches!(node.kind(), NodeKind::Band(band) if band.len() >= members) || node.children().iter().any(|c| has_band(c, members))
}

/// The dependences restricted to equal values at the step; those that vanish are dropped.
pub(crate) fn equal<'a>(pending: &[Pending<'a>], step: usize, budget: &Budget) -> Vec<Pending<'a>> {
    let mut out = Vec::new();
    for p in pending {
        let (Some(Step::Value(f)), Some(Step::Value(g))) = (p.source.steps.get(step), p.target.steps.get(step)) else {
            out.push(p.clone());
            continue;
        };
        // Without an answer the pairs stay as they are: a superset.
        let pairs = restrict(&p.pairs, f, g, Ordering::Equal, budget).unwrap_or_else(|_| p.pairs.clone());
        if !pairs.plain_is_empty() && !pairs.is_empty(budget).unwrap_or(false) {
            out.push(Pending { pairs, ..p.clone() });
        }
    }
    out
}
