//! Bands split so that inner parallel loops show.
//!
//! A member counts as coincident only when no dependence that reaches its band moves in it. In a band without coincident members, a member may still be parallel for equal values of the members before
//! it; this pass splits the band before the first such member. The halves of a permutable band stay permutable; their members can no longer be tiled together, so it belongs behind tiling.

use crate::parallel::{Pending, equal, has_band, moving, pending};
use crate::position::{Position, Step, TreeError, positions};
use tilia_presburger::Budget;
use tilia_schedule::{Node, NodeKind, Path, ScheduleTree};
use tilia_scop::{Deps, Scop};

/// Splits every band that has no coincident member before its first member that is parallel for equal values of the members before it, if there is one.
///
/// # Errors
/// When the tree has nodes that add or replace instances. Where the budget runs out, bands stay whole.
pub fn expose_parallel(tree: &ScheduleTree, deps: &Deps, scop: &Scop, budget: &Budget) -> Result<ScheduleTree, TreeError> {
    let all = positions(scop, tree)?;
    let pending = pending(scop, deps, &all, budget)?;
    let mut splits = Vec::new();
    visit(tree.root(), &Path::root(), 0, &all, pending, budget, &mut splits);
    let mut tree = tree.clone();
    // The innermost first, so that the other positions stay valid.
    for (at, p) in splits.into_iter().rev() {
        let edited = tree.split_band(&at, p, budget).map_err(|_| TreeError::Node("misplaced band"))?;
        tree = edited.tree;
    }
    Ok(tree)
}

/// Collects where to split; outer bands first, and within a band from the outside in.
fn visit(
    node: &Node,
    at: &Path,
    depth: usize,
    reaching: &[Position],
    pending: Vec<Pending<'_>>,
    budget: &Budget,
    splits: &mut Vec<(Path, usize)>,
) {
    match node.kind() {
        NodeKind::Leaf => {}
        NodeKind::Sequence | NodeKind::Set => {
            for (n, child) in node.children().iter().enumerate() {
                let here = |p: &Position| matches!(p.steps.get(depth), Some(Step::Child(c) | Step::Unordered(c)) if *c == n);
                let inside = pending.iter().filter(|p| here(&p.source) && here(&p.target)).cloned().collect();
                let reaching: Vec<Position> = reaching.iter().filter(|p| here(p)).cloned().collect();
                visit(child, &at.child(n), depth + 1, &reaching, inside, budget, splits);
            }
        }
        NodeKind::Band(band) => {
            let still =
                |member: usize, pending: &[Pending<'_>]| pending.iter().all(|p| matches!(moving(p, depth + member, budget), Ok(None)));
            let mut done = band.len() < 2 || (0..band.len()).any(|m| still(m, &pending));
            // What a band leaves is only looked at by the rest of it, and by bands below that may be split.
            let below = has_band(&node.children()[0], 2);
            let mut left = pending;
            for m in 0..band.len() {
                if m > 0 && !done && still(m, &left) {
                    splits.push((at.clone(), m));
                    done = true;
                }
                if below || (!done && m + 1 < band.len()) {
                    left = equal(&left, depth + m, budget);
                }
            }
            if !below {
                return;
            }
            visit(
                &node.children()[0],
                &at.child(0),
                depth + band.len(),
                reaching,
                left,
                budget,
                splits,
            );
        }
        _ => {
            if let Some(child) = node.children().first() {
                visit(child, &at.child(0), depth, reaching, pending, budget, splits);
            }
        }
    }
}
