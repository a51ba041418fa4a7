//! Memory-based dependences: all ordered pairs of instances that touch one element, one of them writing.

use crate::carry::{ordered, ordered_cheaply};
use crate::position::Position;
use tilia_presburger::{Budget, Error, Map, Result, Set};
use tilia_scop::{AccessKind, Dep, DepKind, Scop, StmtId};

/// Dependences, and how many pairs were over-approximated for lack of budget.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) deps: Vec<Dep>,
    pub(crate) approximated: usize,
}

/// An access of a statement, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Site {
    pub(crate) stmt: StmtId,
    pub(crate) access: usize,
}

pub(crate) fn kind(source: AccessKind, target: AccessKind) -> Option<DepKind> {
    match (source, target) {
        (AccessKind::Write, AccessKind::Read) => Some(DepKind::Flow),
        (AccessKind::Read, AccessKind::Write) => Some(DepKind::Anti),
        (AccessKind::Write, AccessKind::Write) => Some(DepKind::Output),
        (AccessKind::Read, AccessKind::Read) => None,
    }
}

/// All accesses of a scop, grouped by array.
pub(crate) fn sites_by_array(scop: &Scop) -> Vec<Vec<Site>> {
    let mut out = vec![Vec::new(); scop.arrays.len()];
    for (n, stmt) in scop.stmts.iter().enumerate() {
        for (access, a) in stmt.accesses.iter().enumerate() {
            let site = Site {
                stmt: StmtId(u32::try_from(n).unwrap_or(u32::MAX)),
                access,
            };
            out[a.array.0 as usize].push(site);
        }
    }
    out
}

/// The pairs of instances of two positions that touch one element.
fn conflict(scop: &Scop, s: (Site, &Position), t: (Site, &Position)) -> Result<Map> {
    let touched = |(site, p): (Site, &Position)| scop[site.stmt].accesses[site.access].relation.intersect_domain(&p.domain);
    touched(s)?.apply_range(&touched(t)?.reverse())
}

/// All memory-based dependences by the order of the positions.
pub(crate) fn memory(scop: &Scop, positions: &[Position], context: &Set, budget: &Budget) -> Result<Found> {
    let mut found = Found::default();
    for sites in sites_by_array(scop) {
        if sites.iter().all(|s| scop[s.stmt].accesses[s.access].kind == AccessKind::Read) {
            continue;
        }
        for &s in &sites {
            for &t in &sites {
                let (a, b) = (&scop[s.stmt].accesses[s.access], &scop[t.stmt].accesses[t.access]);
                let Some(kind) = kind(a.kind, b.kind) else { continue };
                let (relation, approximated) = pair(scop, s, t, positions, context, budget)?;
                found.approximated += usize::from(approximated);
                if let Some(relation) = relation {
                    let (source_access, target_access) = (s.access, t.access);
                    found.deps.push(Dep {
                        kind,
                        source: s.stmt,
                        target: t.stmt,
                        array: a.array,
                        source_access,
                        target_access,
                        relation,
                    });
                }
            }
        }
    }
    Ok(found)
}

/// The dependence between two accesses, and whether it is an over-approximation.
fn pair(scop: &Scop, s: Site, t: Site, positions: &[Position], context: &Set, budget: &Budget) -> Result<(Option<Map>, bool)> {
    let mut all: Option<Map> = None;
    let mut approximated = false;
    let mut add = |part: Map| -> Result<()> {
        all = Some(match all.take() {
            Some(m) => m.union(&part)?,
            None => part,
        });
        Ok(())
    };
    for p in positions.iter().filter(|p| p.stmt == s.stmt) {
        for q in positions.iter().filter(|q| q.stmt == t.stmt) {
            match exact(scop, (s, p), (t, q), context, budget) {
                Ok(parts) => parts.into_iter().try_for_each(&mut add)?,
                Err(Error::OutOfBudget) => {
                    approximated = true;
                    let everything = Map::from_domain_and_range(&p.domain, &q.domain)?;
                    ordered_cheaply(&everything, p, q, budget)?
                        .into_iter()
                        .filter(|m| !m.plain_is_empty())
                        .try_for_each(&mut add)?;
                }
                Err(e) => return Err(e),
            }
        }
    }
    Ok((all, approximated))
}

fn exact(scop: &Scop, s: (Site, &Position), t: (Site, &Position), context: &Set, budget: &Budget) -> Result<Vec<Map>> {
    let conflict = conflict(scop, s, t)?.intersect_params(context)?;
    if conflict.plain_is_empty() {
        return Ok(Vec::new());
    }
    Ok(ordered(&conflict, s.1, t.1, budget)?.into_iter().map(|(_, m)| m).collect())
}
