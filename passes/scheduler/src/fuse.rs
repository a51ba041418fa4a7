//! Which loop nests are fused at the outermost dimension, decided by what it wins and costs.
//!
//! Strongly connected components are taken in topological order; each joins the group before it or begins a new one. It joins when both have the same depth, when the fused nest's first band is
//! as wide as the wider of both alone and has as many parallel outer loops as the better of both alone, and (for [`FusionHeuristic::Reuse`]) when near dates touch the same data. Every
//! decision is a remark.
//!
//! What it deliberately lacks: fusing with a group further back, and weighing reuse against parallelism by a machine model.

use crate::error::Result;
use crate::run::Scheduler;
use crate::search;
use std::collections::BTreeMap;
use tilia_diag::Remark;
use tilia_presburger::{Aff, Constraint, DimType, Int, Map};
use tilia_scop::{Access, ArrayKind};
use tilia_strategy::FusionHeuristic;

/// What a nest is like on its own: the first band, and how many of its outer rows are parallel.
#[derive(Debug, Clone, Default)]
struct Profile {
    width: usize,
    parallel: usize,
    /// The first row of each statement.
    first: BTreeMap<usize, crate::Row>,
}

/// Dates further apart than this don't count as reuse.
const NEAR: i64 = 4;

/// Groups of the open statements, in order.
pub(crate) fn groups(s: &mut Scheduler<'_>, open: &[usize], heuristic: FusionHeuristic) -> Result<Vec<Vec<usize>>> {
    let sccs = s.state.sccs(open);
    if sccs.len() < 2 {
        return Ok(sccs);
    }
    let mut out: Vec<Vec<usize>> = Vec::new();
    let mut last: Option<Profile> = None;
    for scc in sccs {
        let Some(group) = out.last() else {
            out.push(scc);
            continue;
        };
        match join(s, (group, last.take()), &scc, heuristic)? {
            Ok(profile) => {
                let mut fused = [group.clone(), scc.clone()].concat();
                fused.sort_unstable();
                said(s, group, &scc, None);
                if let Some(g) = out.last_mut() {
                    *g = fused;
                }
                last = Some(profile);
            }
            Err(refusal) => {
                said(s, group, &scc, Some(&refusal.why));
                out.push(scc);
                last = refusal.alone;
            }
        }
    }
    Ok(out)
}

/// Why two nests aren't fused; what is known of the second alone.
struct Refusal {
    why: String,
    alone: Option<Profile>,
}

/// The fused nest's profile, or why there is none.
fn join(
    s: &mut Scheduler<'_>,
    (group, known): (&[usize], Option<Profile>),
    scc: &[usize],
    heuristic: FusionHeuristic,
) -> Result<std::result::Result<Profile, Refusal>> {
    let refuse = |why: String, alone: Option<Profile>| Ok(Err(Refusal { why, alone }));
    let depth = |l: &[usize]| l.iter().map(|&n| s.model.stmts[n].depth).max().unwrap_or(0);
    let (a, b) = (depth(group), depth(scc));
    if a != b {
        return refuse(format!("they are {a} and {b} loops deep"), None);
    }
    if a == 0 {
        return refuse("they have no loops".to_owned(), None);
    }
    if !share_arrays(s, group, scc) {
        return refuse("they share no data".to_owned(), None);
    }
    let before = match known {
        Some(p) => p,
        None => profile(s, group)?,
    };
    let alone = profile(s, scc)?;
    let mut both = [group, scc].concat();
    both.sort_unstable();
    let fused = profile(s, &both)?;
    let (width, parallel) = (before.width.max(alone.width), before.parallel.max(alone.parallel));
    let why = if fused.width < width {
        format!("the fused band would have {} permutable loops instead of {width}", fused.width)
    } else if fused.parallel < parallel {
        format!(
            "the fused band would have {} parallel outer loops instead of {parallel}",
            fused.parallel
        )
    } else if heuristic == FusionHeuristic::Reuse && !reuses(s, group, scc, &fused)? {
        "no data is touched by both at near dates".to_owned()
    } else {
        return Ok(Ok(fused));
    };
    refuse(why, Some(alone))
}

fn said(s: &mut Scheduler<'_>, group: &[usize], scc: &[usize], refused: Option<&str>) {
    let names = |l: &[usize]| l.iter().map(|&n| s.model.stmts[n].name.as_str()).collect::<Vec<_>>().join(", ");
    let (a, b) = (names(group), names(scc));
    let loc = s.scop.stmts[scc[0]].loc.clone();
    s.remarks.push(match refused {
        None => Remark::applied("fuse", loc, format!("{b} is fused with {a}")),
        Some(why) => Remark::declined("fuse", loc, format!("{b} is not fused with {a}: {why}")),
    });
}

/// The first band of statements on their own.
fn profile(s: &mut Scheduler<'_>, stmts: &[usize]) -> Result<Profile> {
    let saved = s.state.clone();
    let out = profile_from_here(s, stmts);
    s.state = saved;
    out
}

fn profile_from_here(s: &mut Scheduler<'_>, stmts: &[usize]) -> Result<Profile> {
    let mut profile = Profile::default();
    while !s.state.needy(stmts, &s.model).is_empty() {
        let config = s.configure(stmts)?;
        let Some(found) = search::plain(s, stmts, &config)? else { break };
        if profile.width == 0 {
            profile.first.clone_from(&found.answer.rows);
        }
        if found.effect.parallel && profile.parallel == profile.width {
            profile.parallel += 1;
        }
        profile.width += 1;
        s.state.commit(stmts, found)?;
        s.state.dim += 1;
    }
    Ok(profile)
}

/// Accesses of statements to memory that isn't one element.
fn accesses<'a>(s: &'a Scheduler<'_>, stmts: &'a [usize]) -> impl Iterator<Item = (usize, &'a Access)> {
    stmts.iter().flat_map(|&n| {
        let to_memory = |a: &&Access| s.scop[a.array].rank > 0 && !matches!(s.scop[a.array].kind, ArrayKind::World);
        s.scop.stmts[n].accesses.iter().filter(to_memory).map(move |a| (n, a))
    })
}

fn share_arrays(s: &Scheduler<'_>, a: &[usize], b: &[usize]) -> bool {
    accesses(s, a).any(|(_, x)| accesses(s, b).any(|(_, y)| x.array == y.array))
}

/// Is there an array element which both touch, always at near dates of the first row?
fn reuses(s: &Scheduler<'_>, a: &[usize], b: &[usize], fused: &Profile) -> Result<bool> {
    for (m, x) in accesses(s, a) {
        for (n, y) in accesses(s, b).filter(|(_, y)| y.array == x.array) {
            let (Some(f), Some(g)) = (fused.first.get(&m), fused.first.get(&n)) else {
                continue;
            };
            let align = |r: &Map| r.align_params(&s.model.space);
            let pairs = align(&x.relation)
                .intersect_domain(&s.model.stmts[m].domain)?
                .apply_range(&align(&y.relation).intersect_domain(&s.model.stmts[n].domain)?.reverse())?
                .intersect_params(&s.scop.context)?;
            if pairs.is_empty(s.budget)? {
                continue;
            }
            let wrapped = pairs.space().wrap();
            let depth = pairs.dim(DimType::In);
            let mut step = Aff::constant(&wrapped, &g.constant - &f.constant);
            for (k, c) in f.iters.iter().enumerate() {
                step = step.sub(&Aff::var(&wrapped, DimType::Out, k).scale(c))?;
            }
            for (k, c) in g.iters.iter().enumerate() {
                step = step.add(&Aff::var(&wrapped, DimType::Out, depth + k).scale(c))?;
            }
            let beyond = |step: &Aff| -> Result<bool> {
                let far = Constraint::ineq(step.add_constant(&Int::from(-NEAR - 1)));
                Ok(!pairs.add_constraint(&far)?.is_empty(s.budget)?)
            };
            if !beyond(&step)? && !beyond(&step.neg())? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
