//! Panels: factorisations and their kin as strips whose bulk has no order.

use crate::{Error, Request};
use tilia_diag::Remark;
use tilia_model::still_iterators;
use tilia_presburger::{Budget, DimType, Int};
use tilia_schedule::{NodeKind, Path, ScheduleTree};
use tilia_scop::Scop;
use tilia_transform::{Outcome, Pairs, Transformer, chains, loop_name};

/// Loops below which there is no bulk to gain from: the rest off two planes must be as deep as a product of matrices.
const LEAST_LOOPS: usize = 3;

/// Iterations of a strip. The bulk reads and writes each element once a strip, so wider strips move less; panels, which have an order, grow with them.
const STRIP: i64 = 32;

/// Iterations of a strip where statements stand between the loops: the rest takes all of a strip's steps for some columns while those are in the cache, so its columns pass through memory once a strip.
const STRIP_BETWEEN: i64 = 64;

/// A tree with panels wherever they are legal, if they are anywhere, and what was done or declined. Of nests that aren't tried nothing is said.
///
/// Chains of at least three loops without a parallel one outermost are tried, with each of their loops for the strips, the innermost first: in factorisations that is the one along which the pivot moves.
///
/// # Errors
/// When the sets library gives up.
pub fn panels(
    scop: &Scop,
    tree: &ScheduleTree,
    pairs: &Pairs,
    request: &Request<'_>,
    b: &Budget,
) -> Result<(Option<ScheduleTree>, Vec<Remark>), Error> {
    let t = Transformer { pairs, budget: b };
    let size = Int::from(STRIP);
    let mut out: Option<ScheduleTree> = None;
    let mut remarks = Vec::new();
    for chain in chains(tree) {
        let parallel = request.flagged && chain.members.iter().take(chain.bands[0]).any(|m| m.coincident);
        if chain.members.len() < LEAST_LOOPS || parallel || !outermost(tree, &chain.at) {
            continue;
        }
        if !has_bulk(scop, tree, &chain.at, b)? {
            let message = "no panels: each statement moves through all of its memory along the same loops, so strips would reuse nothing";
            remarks.push(Remark::declined(crate::steps::STAGE, scop.loc.clone(), message));
            continue;
        }
        let mut declined = Vec::new();
        for strips in (0..chain.members.len()).rev() {
            let now = out.as_ref().unwrap_or(tree);
            let name = loop_name(&chain.members[strips], None).unwrap_or_else(|| format!("number {strips}"));
            match t.panels(now, &chain.at, strips, &size)? {
                Outcome::Declined(why) => declined.push(format!("loop {name}: {why}")),
                Outcome::Done(edited) => {
                    out = Some(edited.tree);
                    let message = format!(
                        "panels: strips of {STRIP} iterations of loop {name}; what stands on the planes of a strip runs first, the rest of it has parallel loops"
                    );
                    remarks.push(Remark::applied(crate::steps::STAGE, scop.loc.clone(), message));
                    declined.clear();
                    break;
                }
            }
        }
        if !declined.is_empty() {
            let message = format!("no panels: {}", declined.join("; "));
            remarks.push(Remark::declined(crate::steps::STAGE, scop.loc.clone(), message));
        }
    }
    Ok((out, remarks))
}

/// As [`panels`] for loops around a sequence, in which statements stand beside loops: those of its children that hold a statement deep enough are tried, the first of which a rest outside the strips' ranges can run by itself is
/// taken. What the tree says of its bands doesn't hold for the new one.
///
/// # Errors
/// When the sets library gives up.
pub fn panels_between(scop: &Scop, tree: &ScheduleTree, pairs: &Pairs, b: &Budget) -> Result<(Option<ScheduleTree>, Vec<Remark>), Error> {
    let t = Transformer { pairs, budget: b };
    let mut out: Option<ScheduleTree> = None;
    let mut remarks = Vec::new();
    let size = Int::from(STRIP_BETWEEN);
    for chain in chains(tree) {
        let list = chain.at.child(0);
        let children = match tree.node(&list) {
            Some(n) if matches!(n.kind(), NodeKind::Sequence) => n.children().len(),
            _ => 0,
        };
        if chain.members.len() != 1 || !outermost(tree, &chain.at) {
            continue;
        }
        let mut declined = Vec::new();
        for child in 0..children {
            let own = list.child(child).child(0);
            let along = tree.node(&own).and_then(|n| n.as_band()).and_then(|b| b.members.first());
            let Some(along) = along else { continue };
            if !has_bulk(scop, tree, &own, b)? {
                continue;
            }
            let name = loop_name(along, None).unwrap_or_else(|| format!("number {child}"));
            match t.panels_between(out.as_ref().unwrap_or(tree), &chain.at, child, &size)? {
                Outcome::Declined(why) => declined.push(format!("loop {name}: {why}")),
                Outcome::Done(edited) => {
                    out = Some(edited.tree);
                    let message = format!(
                        "panels: strips of {STRIP_BETWEEN} iterations of a loop around statements and loops; iterations of loop {name} outside the range of a strip are parallel, and each runs for the whole strip"
                    );
                    remarks.push(Remark::applied(crate::steps::STAGE, scop.loc.clone(), message));
                    declined.clear();
                    break;
                }
            }
        }
        if !declined.is_empty() {
            let message = format!("no panels beside statements: {}", declined.join("; "));
            remarks.push(Remark::declined(crate::steps::STAGE, scop.loc.clone(), message));
        }
    }
    Ok((out, remarks))
}

/// Is no band above? Positions of chains that don't stand inside each other stay valid when one of them is replaced.
fn outermost(tree: &ScheduleTree, at: &Path) -> bool {
    let mut above = (0..at.0.len()).map(|n| Path(at.0[..n].to_vec()));
    above.all(|p| !tree.node(&p).is_some_and(|n| matches!(n.kind(), NodeKind::Band(_))))
}

/// Could a strip's bulk be like a product of matrices: is there a statement below, deep enough, whose accesses don't all stay in place along the same loops? In a stencil they do.
fn has_bulk(scop: &Scop, tree: &ScheduleTree, at: &Path, b: &Budget) -> Result<bool, Error> {
    for set in tree.reaching(at, b)?.sets() {
        let found = set.space().tuple_name(DimType::Out).and_then(|name| scop.stmt_by_name(name));
        let Some((_, stmt)) = found.filter(|(_, s)| s.iters.len() >= LEAST_LOOPS) else {
            continue;
        };
        let still = still_iterators(scop, stmt, b);
        if still.iter().any(|s| s.is_none() || *s != still[0]) {
            return Ok(true);
        }
    }
    Ok(false)
}
