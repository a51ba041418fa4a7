//! Index-set splitting: which scops are cut into more statements, as a strategy asks or where `auto` expects it to pay.

use crate::auto::{Planned, planned_in_panels};
use crate::context::Context;
use crate::pipeline::ScopUnit;
use crate::scheduling::Scheduling;
use std::collections::BTreeMap;
use tilia_diag::{Diagnostic, Remark};
use tilia_program::Function;
use tilia_schedule::{Member, Node, NodeKind, ScheduleTree};
use tilia_scop::{Deps, Scop, Stmt, StmtId};
use tilia_split::{copies, split};

/// The name of the stage in remarks.
const STAGE: &str = "split";

/// A scop in pieces, and its dependences.
type InPieces = (Scop, Deps);

/// The pieces, the statement that each comes from, and what there is to say.
type Cut = (InPieces, Vec<StmtId>, Vec<Remark>);

/// Cuts the scop into pieces where a strategy asks for it and that gives more parallelism or wider bands; with copies of what the pieces share where that gives more still.
///
/// # Errors
/// A strategy that can't be read, or whose wishes can't be met.
pub(crate) fn where_asked_for(
    unit: &mut ScopUnit,
    scheduling: &Scheduling,
    function: Option<&Function>,
    cx: &Context<'_>,
    remarks: &mut Vec<Remark>,
) -> Result<(), Vec<Diagnostic>> {
    let (scop, Some(deps)) = (&unit.scop, &unit.deps) else {
        return Ok(());
    };
    if !scheduling.splits(scop, deps, cx)? {
        return Ok(());
    }
    let (new, origin, said) = match cut(scop, deps, cx) {
        Ok(Some(found)) => found,
        Ok(None) => {
            remarks.push(declined(scop, "no dependence has an end on a plane, or reaches across a loop"));
            return Ok(());
        }
        Err(why) => {
            remarks.push(declined(scop, &why));
            return Ok(());
        }
    };
    let own: Vec<StmtId> = (0u32..).take(scop.stmts.len()).map(StmtId).collect();
    let mut best = (freedom(&scheduling.run(scop, deps, cx)?.tree, (scop, deps), &own, cx), None);
    let mut tried = vec![(new, said)];
    match function.map(|f| with_copies((&tried[0].0.0, &tried[0].0.1), f, cx)) {
        Some(Ok(Some((copied, more)))) => {
            let said = [&tried[0].1[..], &more].concat();
            tried.push((copied, said));
        }
        Some(Ok(None)) | None => {}
        Some(Err(why)) => remarks.push(declined_copies(scop, &why)),
    }
    for (candidate, said) in tried {
        let tree = scheduling.run(&candidate.0, &candidate.1, cx)?.tree;
        let found = freedom(&tree, (&candidate.0, &candidate.1), &origin, cx);
        let better = found.iter().any(|(s, a)| best.0.get(s).is_none_or(|b| a > b));
        let worse = found.iter().any(|(s, a)| best.0.get(s).is_some_and(|b| a < b));
        if better && !worse {
            best = (found, Some((candidate, said)));
        }
    }
    let Some((taken, said)) = best.1 else {
        let message = "statements stay whole: in pieces no loop more is parallel and no band is wider";
        remarks.push(Remark::declined(STAGE, scop.loc.clone(), message));
        return Ok(());
    };
    remarks.extend(said);
    unit.scop = taken.0;
    unit.deps = Some(taken.1);
    Ok(())
}

/// What pieces must leave of the estimated time: they are more code, and their copies take memory.
const GAIN: f64 = 0.9;

/// Cuts the scop into pieces with copies of what they share, for the strategy `auto`: where that makes panels legal in the order of the source that are expected to be clearly faster than `best`.
pub(crate) fn where_it_pays(unit: &mut ScopUnit, function: &Function, cx: &Context<'_>, best: &mut Planned, remarks: &mut Vec<Remark>) {
    let (scop, Some(deps)) = (&unit.scop, &unit.deps) else { return };
    let below = GAIN * best.cycles;
    let made = cut(scop, deps, cx).and_then(|found| {
        let Some((pieces, _, mut said)) = found else {
            return Ok(Err("no dependence has an end on a plane, or reaches across a loop"));
        };
        let Some((copied, more)) = with_copies((&pieces.0, &pieces.1), function, cx)? else {
            return Ok(Err("the pieces share nothing that copies would serve"));
        };
        said.extend(more);
        let (planned, declined) = planned_in_panels((&copied.0, &copied.1), function, below, cx)?;
        Ok(Ok((copied, planned, said, declined)))
    });
    match made {
        Err(why) => remarks.push(declined(scop, &why)),
        Ok(Err(why)) => remarks.push(declined(scop, why)),
        Ok(Ok((_, None, _, why))) => {
            remarks.push(declined(
                scop,
                "with copies of what the pieces share they allow no panels in the order of the source, either",
            ));
            remarks.extend(why);
        }
        Ok(Ok((copied, Some(planned), said, _))) => {
            let costs = |p: &Planned| match p.cycles.is_finite() {
                true => format!("an estimated {:.3} million cycles", p.cycles / 1e6),
                false => "unknown".to_owned(),
            };
            if planned.cycles >= GAIN * best.cycles {
                let message = format!("statements stay whole: {}, in pieces and panels {}", costs(best), costs(&planned));
                remarks.push(Remark::analysis(STAGE, scop.loc.clone(), message));
                return;
            }
            let cost = costs(&planned);
            let planned = match planned.proven(&copied.0) {
                Ok(planned) => planned,
                Err(why) => {
                    let why = why.first().map_or("no proof", |d| d.message.as_str());
                    remarks.push(declined(scop, why));
                    return;
                }
            };
            remarks.extend(said);
            let message = format!(
                "statements are cut into pieces, in the order of the source in panels: {cost}, whole {}",
                costs(best)
            );
            remarks.push(Remark::analysis(STAGE, scop.loc.clone(), message));
            *best = planned;
            (unit.scop, unit.deps) = (copied.0, Some(copied.1));
        }
    }
}

fn declined(scop: &Scop, why: &str) -> Remark {
    Remark::declined(STAGE, scop.loc.clone(), format!("statements aren't cut into pieces: {why}"))
}

fn declined_copies(scop: &Scop, why: &str) -> Remark {
    Remark::declined(STAGE, scop.loc.clone(), format!("pieces get no copies of what they share: {why}"))
}

/// The pieces, with the statements that they come from.
fn cut(scop: &Scop, deps: &Deps, cx: &Context<'_>) -> Result<Option<Cut>, String> {
    let b = cx.budget();
    let (found, mut said) = split(scop, deps, &b).map_err(|e| e.to_string())?;
    let Some(found) = found else { return Ok(None) };
    said.extend(found.remarks);
    let (deps, more) = tilia_deps::dependences(&found.scop, &b).map_err(|e| e.to_string())?;
    said.extend(more);
    Ok(Some(((found.scop, deps), found.origin, said)))
}

/// Copies of what the pieces share; nothing where they share nothing that is written again.
fn with_copies((scop, deps): (&Scop, &Deps), function: &Function, cx: &Context<'_>) -> Result<Option<(InPieces, Vec<Remark>)>, String> {
    let b = cx.budget();
    let Some((scop, mut said)) = copies(scop, deps, function, &b).map_err(|e| e.to_string())? else {
        return Ok(None);
    };
    let (deps, more) = tilia_deps::dependences(&scop, &b).map_err(|e| e.to_string())?;
    said.extend(more);
    Ok(Some(((scop, deps), said)))
}

/// What a tree leaves a statement: degrees of parallelism, and the width of the widest permutable band.
type Freedom = (usize, usize);

/// How much freedom a tree leaves each of the old statements, the best of their pieces counting. Pieces that are old statements come first in the new scop, copies after them.
fn freedom(tree: &ScheduleTree, (scop, deps): (&Scop, &Deps), origin: &[StmtId], cx: &Context<'_>) -> BTreeMap<StmtId, Freedom> {
    let b = cx.budget();
    let marked = tilia_deps::expose_parallel(tree, deps, scop, &b).and_then(|t| tilia_deps::mark_coincident(&t, deps, scop, &b));
    let mut out = BTreeMap::new();
    let Ok((marked, _)) = marked else { return out };
    for (stmt, &old) in scop.stmts.iter().zip(origin) {
        let (parallel, _) = counts(marked.root(), stmt);
        // Parallel loops are found by splitting bands.
        let (_, width) = counts(tree.root(), stmt);
        // Tiles of a band of `n` members run in wavefronts with `n - 1` degrees of parallelism.
        let found = (parallel.max(width.saturating_sub(1)), width);
        let best = out.entry(old).or_insert(found);
        *best = (*best).max(found);
    }
    out
}

/// Parallel loops around a statement, and the width of its widest permutable band.
fn counts(node: &Node, stmt: &Stmt) -> (usize, usize) {
    let (mut parallel, mut width) = (0, 0);
    match node.kind() {
        NodeKind::Filter(f) if f.find(stmt.domain.space()).is_none() => return (0, 0),
        NodeKind::Band(band) => {
            // A member that doesn't move with the statement is no loop around it.
            let space = stmt.domain.space();
            let moves = |m: &&Member| {
                let f = m.func.extract(space);
                f.is_some_and(|f| !f.as_aff().is_some_and(tilia_presburger::Aff::is_constant))
            };
            parallel = band.members.iter().filter(moves).filter(|m| m.coincident).count();
            let n = band.members.iter().filter(moves).count();
            width = if band.permutable { n } else { n.min(1) };
        }
        _ => {}
    }
    for child in node.children() {
        let inside = counts(child, stmt);
        parallel += inside.0;
        width = width.max(inside.1);
    }
    (parallel, width)
}
