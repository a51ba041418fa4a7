//! Directives: wishes for single iterators (as in PolyTOPS (Consolaro et al., CGO 2024)), and the vector directives that follow from how statements move through memory.
//!
//! A wish is never an error: where no row satisfies all of them, the weakest that concerns the component is dropped, with a remark.

use crate::edge::{Distance, Edge};
use crate::error::Result;
use crate::graph;
use crate::memory;
use crate::model::Model;
use crate::run::Scheduler;
use crate::solve::Demand;
use crate::state::Found;
use crate::view::Facts;
use crate::{Row, linalg};
use std::collections::BTreeMap;
use tilia_diag::{Loc, Remark};
use tilia_presburger::{Budget, Int};
use tilia_scop::Scop;
use tilia_strategy::{DirectiveKind, Globals, Outcome};

/// A directive in force.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub(crate) kind: DirectiveKind,
    pub(crate) stmts: Vec<usize>,
    pub(crate) iterator: usize,
    loc: Loc,
}

impl Wish {
    /// Text for remarks.
    fn text(&self, model: &Model) -> String {
        let kind = match self.kind {
            DirectiveKind::Parallel => "parallel",
            DirectiveKind::Vectorize => "vectorize",
            DirectiveKind::Sequential => "sequential",
            DirectiveKind::Reduce => "reduce",
        };
        let names: Vec<&str> = self.stmts.iter().map(|&s| model.stmts[s].name.as_str()).collect();
        format!("{kind} iterator {} of {}", self.iterator, names.join(", "))
    }
}

/// All wishes, strongest first: those of the strategy, then one for the contiguous iterator of each statement that has none, if it wants that.
pub(crate) fn wishes((scop, model, facts): (&Scop, &Model, &Facts), globals: &Globals, edges: &[Edge], b: &Budget) -> Result<Vec<Wish>> {
    let mut out: Vec<Wish> = globals
        .directives
        .iter()
        // What it frees is freed once and for all (`crate::relax`).
        .filter(|d| d.kind != DirectiveKind::Reduce)
        .map(|d| Wish {
            kind: d.kind,
            stmts: d.stmts.iter().copied().filter(|&s| s < model.stmts.len()).collect(),
            iterator: d.iterator,
            loc: d.place.loc(),
        })
        .collect();
    if globals.auto_vectorization {
        let mut groups: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for stmt in 0..model.stmts.len() {
            let taken = out.iter().any(|w| w.kind == DirectiveKind::Vectorize && w.stmts.contains(&stmt));
            if let (false, Some(k)) = (taken, vector_iterator((scop, model, facts), stmt, edges, b)?) {
                groups.entry((model.stmts[stmt].depth, k)).or_default().push(stmt);
            }
        }
        out.extend(groups.into_iter().map(|((_, iterator), stmts)| Wish {
            kind: DirectiveKind::Vectorize,
            loc: scop.stmts[stmts[0]].loc.clone(),
            stmts,
            iterator,
        }));
    }
    Ok(out)
}

/// The iterator that moves through memory contiguously in all accesses (the best, where there are several) and whose instances don't depend on each other while the others stand still.
fn vector_iterator((scop, model, facts): (&Scop, &Model, &Facts), stmt: usize, edges: &[Edge], b: &Budget) -> Result<Option<usize>> {
    let moves = memory::movement(scop, stmt, model.stmts[stmt].depth, &facts.strides[stmt]);
    let mut fit: Vec<usize> = (0..moves.len()).filter(|&k| moves[k].bad == 0 && moves[k].spatial > 0).collect();
    fit.sort_by_key(|&k| (std::cmp::Reverse(moves[k].fitness()), std::cmp::Reverse(k)));
    for k in fit {
        let mut own = edges.iter().filter(|e| e.source == stmt && e.target == stmt);
        if own.try_fold(true, |all, e| Ok::<bool, crate::Error>(all && e.stands_still_but(k, b)?))? {
            return Ok(Some(k));
        }
    }
    Ok(None)
}

/// Is a loop row of the statement using the iterator already?
fn placed(s: &Scheduler<'_>, stmt: usize, iterator: usize) -> bool {
    s.state.stmts[stmt].loops.iter().any(|r| !r[iterator].is_zero())
}

/// How many loop rows the statement still needs.
fn missing(s: &Scheduler<'_>, stmt: usize) -> usize {
    let depth = s.model.stmts[stmt].depth;
    depth - linalg::rank(&s.state.stmts[stmt].loops, depth)
}

/// The wishes among the first `live` with their statements in the component that still need rank.
fn concerned<'a>(s: &'a Scheduler<'_>, component: &'a [usize], live: usize) -> impl Iterator<Item = (&'a Wish, Vec<usize>)> {
    s.wishes[..live].iter().filter_map(|w| {
        let here = |stmt: &&usize| component.binary_search(stmt).is_ok() && missing(s, **stmt) > 0;
        let stmts: Vec<usize> = w.stmts.iter().filter(here).copied().collect();
        (!stmts.is_empty()).then_some((w, stmts))
    })
}

/// What the directives demand of the next row, as long as no chance is taken.
pub(crate) fn demands(s: &Scheduler<'_>, component: &[usize], live: usize) -> Vec<Demand> {
    let mut out = Vec::new();
    for (w, stmts) in concerned(s, component, live) {
        for stmt in stmts {
            match w.kind {
                DirectiveKind::Vectorize if missing(s, stmt) == 1 && !placed(s, stmt, w.iterator) => {
                    out.push(Demand::Alone(stmt, w.iterator));
                    out.push(Demand::SelfCoincident(stmt));
                }
                DirectiveKind::Vectorize | DirectiveKind::Parallel => out.push(Demand::Without(stmt, w.iterator)),
                DirectiveKind::Sequential | DirectiveKind::Reduce => {}
            }
        }
    }
    out
}

/// A parallel directive that the next row may satisfy.
#[derive(Debug, Clone)]
pub(crate) struct Chance {
    stmts: Vec<usize>,
    iterator: usize,
    pub(crate) demands: Vec<Demand>,
}

impl Chance {
    /// Would the demand exclude it?
    pub(crate) fn replaces(&self, d: &Demand) -> bool {
        matches!(d, Demand::Without(stmt, k) if *k == self.iterator && self.stmts.contains(stmt))
    }

    /// Do the demands want another row for one of its statements?
    pub(crate) fn is_excluded_by(&self, demands: &[Demand]) -> bool {
        demands
            .iter()
            .any(|d| matches!(d, Demand::Alone(stmt, k) if *k != self.iterator && self.stmts.contains(stmt)))
    }
}

/// The parallel directives that no row has satisfied so far, strongest first.
pub(crate) fn chances(s: &Scheduler<'_>, component: &[usize], live: usize) -> Vec<Chance> {
    concerned(s, component, live)
        .filter(|(w, stmts)| w.kind == DirectiveKind::Parallel && stmts.iter().all(|&stmt| !placed(s, stmt, w.iterator)))
        .map(|(w, stmts)| Chance {
            demands: stmts
                .iter()
                .flat_map(|&stmt| [Demand::Alone(stmt, w.iterator), Demand::Coincident(stmt)])
                .collect(),
            stmts,
            iterator: w.iterator,
        })
        .collect()
}

/// Where a sequential directive's iterator is mixed with others in the row: two ways out, tried in this order. `None`: all is well.
pub(crate) fn repair(s: &Scheduler<'_>, component: &[usize], live: usize, found: &Found) -> Option<[Vec<Demand>; 2]> {
    let mut mixed = Vec::new();
    for (w, stmts) in concerned(s, component, live).filter(|(w, _)| w.kind == DirectiveKind::Sequential) {
        let row = |stmt: usize| found.answer.rows.get(&stmt);
        let wrong = |stmt: &usize| row(*stmt).is_some_and(|r| !r.iters[w.iterator].is_zero() && !is_alone(r, w.iterator));
        mixed.extend(stmts.into_iter().filter(wrong).map(|stmt| (stmt, w.iterator)));
    }
    let all = |f: fn(usize, usize) -> Demand| mixed.iter().map(|&(stmt, k)| f(stmt, k)).collect();
    (!mixed.is_empty()).then(|| [all(Demand::Alone), all(Demand::Without)])
}

fn is_alone(row: &Row, iterator: usize) -> bool {
    let one = |(k, c): (usize, &Int)| if k == iterator { c.is_one() } else { c.is_zero() };
    row.iters.iter().enumerate().all(one)
}

/// Does a sequential directive forbid to run the row in parallel?
pub(crate) fn is_sequential(s: &Scheduler<'_>, component: &[usize], live: usize, found: &Found) -> bool {
    s.wishes[..live].iter().filter(|w| w.kind == DirectiveKind::Sequential).any(|w| {
        let mut here = w.stmts.iter().filter(|stmt| component.binary_search(stmt).is_ok());
        here.any(|stmt| found.answer.rows.get(stmt).is_some_and(|r| is_alone(r, w.iterator)))
    })
}

/// The weakest of the first `live` wishes that concerns the component.
pub(crate) fn weakest(s: &Scheduler<'_>, component: &[usize], live: usize) -> Option<usize> {
    let concerns = |w: &Wish| {
        w.stmts
            .iter()
            .any(|stmt| component.binary_search(stmt).is_ok() && missing(s, *stmt) > 0)
    };
    s.wishes[..live].iter().rposition(concerns)
}

/// Forgets the wishes from `live` on that concern the component, with a remark for each.
pub(crate) fn dropped(s: &mut Scheduler<'_>, component: &[usize], live: usize) {
    let gone: Vec<Wish> = s.wishes[live..]
        .iter()
        .filter(|w| w.stmts.iter().any(|stmt| component.binary_search(stmt).is_ok()))
        .cloned()
        .collect();
    if gone.is_empty() {
        return;
    }
    let mut n = 0;
    s.wishes.retain(|w| {
        n += 1;
        n <= live || !w.stmts.iter().any(|stmt| component.binary_search(stmt).is_ok())
    });
    for w in gone {
        let why = obstacle(s, &w).map_or_else(String::new, |text| format!(": in the way is the {text}"));
        let message = format!(
            "[R401] the directive \"{}\" is dropped at dimension {}{why}",
            w.text(&s.model),
            s.state.dim
        );
        s.remarks.push(Remark::declined("schedule", w.loc.clone(), message));
    }
}

/// An active dependence with another distance than zero in the iterator.
fn obstacle(s: &Scheduler<'_>, w: &Wish) -> Option<String> {
    let own = |e: &&Edge| e.is_active() && e.source == e.target && w.stmts.contains(&e.source);
    let blocks = |e: &&Edge| {
        let mut row = s.model.scalar(e.source, 0);
        row.iters[w.iterator] = Int::ONE;
        !matches!(e.distance(&row, &row, s.budget), Ok(Distance::Zero))
    };
    s.state
        .edges
        .iter()
        .map(AsRef::as_ref)
        .filter(own)
        .find(blocks)
        .map(|e| s.edge_text(e))
}

/// Before the last row of a vector directive's statements, a scalar row separates them from others of their component, where dependences allow. Did it?
pub(crate) fn separate(s: &mut Scheduler<'_>, component: &[usize]) -> Result<bool> {
    let wishes: Vec<Wish> = s.wishes.iter().filter(|w| w.kind == DirectiveKind::Vectorize).cloned().collect();
    for w in wishes {
        let inside = |stmt: &&usize| w.stmts.contains(stmt);
        let group: Vec<usize> = component.iter().filter(inside).copied().collect();
        let ready = |stmt: &usize| missing(s, *stmt) == 1 && !placed(s, *stmt, w.iterator);
        if group.len() == component.len() || !group.iter().any(ready) {
            continue;
        }
        let mut edges: Vec<(usize, usize)> = s
            .state
            .edges
            .iter()
            .filter(|e| e.is_active())
            .map(|e| (e.source, e.target))
            .collect();
        edges.extend(group.windows(2).flat_map(|p| [(p[0], p[1]), (p[1], p[0])]));
        let sccs = graph::sccs(component, &edges);
        let Some(at) = sccs.iter().position(|c| c[..] == group[..]) else {
            continue;
        };
        let sorted = |list: &[Vec<usize>]| {
            let mut all = list.concat();
            all.sort_unstable();
            all
        };
        let groups: Vec<Vec<usize>> = [sorted(&sccs[..at]), group, sorted(&sccs[at + 1..])]
            .into_iter()
            .filter(|g| !g.is_empty())
            .collect();
        if groups.len() > 1 && s.state.refines(&groups) && s.state.separate(&groups, &s.model).is_ok() {
            s.last = Outcome::Cut;
            return Ok(true);
        }
    }
    Ok(false)
}
