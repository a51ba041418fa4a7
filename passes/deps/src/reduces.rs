//! Which loops of a schedule tree only accumulate.

use crate::parallel::{Pending, equal, has_band, moving, pending};
use crate::position::{Position, Step, TreeError, positions};
use std::sync::Arc;
use tilia_presburger::Budget;
use tilia_schedule::{Node, NodeKind, Path, ScheduleTree};
use tilia_scop::{Deps, Scop, StmtId};

/// Sets the flag `reduces` of every band member truthfully: for equal values of all outer members, those before it in its band included, only dependences that keep the order of
/// reductions within a statement ([`Scop::is_relaxable`]) have a distance other than zero in it, and one does.
///
/// Such a loop may run its iterations in any order, but not at once, unless each thread or lane accumulates in a place of its own.
///
/// # Errors
/// When the tree has nodes that add or replace instances. A budget that runs out leaves flags unset.
pub fn mark_reductions(tree: &ScheduleTree, deps: &Deps, scop: &Scop, budget: &Budget) -> Result<ScheduleTree, TreeError> {
    let all = positions(scop, tree)?;
    let any = (0..scop.stmts.len()).any(|n| u32::try_from(n).is_ok_and(|n| scop.reorderable(StmtId(n)).is_some()));
    let pending = if any { pending(scop, deps, &all, budget)? } else { Vec::new() };
    let mut marker = Marker {
        scop,
        budget,
        tree: tree.clone(),
    };
    marker.visit(tree.root(), &Path::root(), 0, pending)?;
    Ok(marker.tree)
}

struct Marker<'a> {
    scop: &'a Scop,
    budget: &'a Budget,
    tree: ScheduleTree,
}

impl Marker<'_> {
    /// Visits a node. `depth`: number of steps above it; `pending`: dependences that nothing above orders.
    fn visit(&mut self, node: &Node, at: &Path, depth: usize, mut pending: Vec<Pending<'_>>) -> Result<(), TreeError> {
        match node.kind() {
            NodeKind::Leaf => Ok(()),
            NodeKind::Sequence | NodeKind::Set => {
                for (n, child) in node.children().iter().enumerate() {
                    let here = |p: &Position| matches!(p.steps.get(depth), Some(Step::Child(c) | Step::Unordered(c)) if *c == n);
                    let inside = pending.iter().filter(|p| here(&p.source) && here(&p.target)).cloned().collect();
                    self.visit(child, &at.child(n), depth + 1, inside)?;
                }
                Ok(())
            }
            NodeKind::Band(band) => {
                let mut edited = band.clone();
                let below = has_band(&node.children()[0], 1);
                for (m, member) in edited.members.iter_mut().enumerate() {
                    member.reduces = !member.coincident && self.only_accumulates(depth + m, &pending);
                    if below || m + 1 < band.len() {
                        pending = equal(&pending, depth + m, self.budget);
                    }
                }
                if edited != *band {
                    // Bands are edited from the outside in, so that what is below is still as it was.
                    let edited = Node::band(edited, Arc::clone(&node.children()[0]));
                    self.tree = self.tree.replace(at, edited).map_err(|_| TreeError::Node("misplaced band"))?;
                }
                self.visit(&node.children()[0], &at.child(0), depth + band.len(), pending)
            }
            _ => match node.children().first() {
                Some(child) => self.visit(child, &at.child(0), depth, pending),
                None => Ok(()),
            },
        }
    }

    fn only_accumulates(&self, step: usize, pending: &[Pending<'_>]) -> bool {
        // What several statements accumulate in one place isn't kept apart by lanes.
        let own = |p: &&Pending<'_>| p.dep.source == p.dep.target && self.scop.is_relaxable(p.dep);
        let (relaxable, others): (Vec<_>, Vec<_>) = pending.iter().partition(own);
        let moves = |p: &Pending<'_>| moving(p, step, self.budget).map(|point| point.is_some());
        others.into_iter().all(|p| matches!(moves(p), Ok(false))) && relaxable.into_iter().any(|p| matches!(moves(p), Ok(true)))
    }
}
