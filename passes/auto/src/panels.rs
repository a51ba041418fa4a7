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
    // Positions of chains that don't stand inside each other stay valid when one of them is replaced.
    let outermost = |at: &Path| {
        let above = (0..at.0.len()).map(|n| Path(at.0[..n].to_vec()));
        above
            .into_iter()
            .all(|p| !tree.node(&p).is_some_and(|n| matches!(n.kind(), NodeKind::Band(_))))
    };
    for chain in chains(tree) {
        let parallel = request.flagged && chain.members.iter().take(chain.bands[0]).any(|m| m.coincident);
        if chain.members.len() < LEAST_LOOPS || parallel || !outermost(&chain.at) {
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
