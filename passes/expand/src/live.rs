//! Live ranges: which accesses of a buffer value-based flow connects.

use tilia_presburger::{Budget, Result, Set};
use tilia_scop::{AccessKind, ArrayId, Dep, Scop, StmtId};

/// An access: statement and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Site {
    pub(crate) stmt: StmtId,
    pub(crate) access: usize,
}

/// All accesses of an array.
pub(crate) fn sites(scop: &Scop, array: ArrayId) -> Vec<Site> {
    let mut out = Vec::new();
    for (n, stmt) in (0u32..).zip(&scop.stmts) {
        let touching = (0..stmt.accesses.len()).filter(|&k| stmt.accesses[k].array == array);
        out.extend(touching.map(|access| Site { stmt: StmtId(n), access }));
    }
    out
}

/// Both ends of a dependence.
pub(crate) fn ends(dep: &Dep) -> (Site, Site) {
    let source = Site {
        stmt: dep.source,
        access: dep.source_access,
    };
    let target = Site {
        stmt: dep.target,
        access: dep.target_access,
    };
    (source, target)
}

/// The sites in groups between which no value passes, each in the order of the source.
pub(crate) fn ranges(sites: &[Site], flow: &[Dep]) -> Vec<Vec<Site>> {
    let mut group: Vec<usize> = (0..sites.len()).collect();
    let at = |s: Site| sites.iter().position(|t| *t == s);
    for d in flow {
        let (s, t) = ends(d);
        if let (Some(s), Some(t)) = (at(s), at(t)) {
            let (from, to) = (group[t].max(group[s]), group[t].min(group[s]));
            group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
        }
    }
    let mut out: Vec<(usize, Vec<Site>)> = Vec::new();
    for (&site, &g) in sites.iter().zip(&group) {
        match out.iter_mut().find(|(n, _)| *n == g) {
            Some((_, list)) => list.push(site),
            None => out.push((g, vec![site])),
        }
    }
    out.into_iter().map(|(_, list)| list).collect()
}

/// A read of which some instance may find what the scop didn't write.
pub(crate) fn uncovered(scop: &Scop, sites: &[Site], flow: &[Dep], budget: &Budget) -> Result<Option<Site>> {
    for &site in sites {
        let stmt = &scop[site.stmt];
        if stmt.accesses[site.access].kind == AccessKind::Write {
            continue;
        }
        let mut rest: Set = stmt.domain.intersect_params(&scop.context)?;
        for d in flow.iter().filter(|d| ends(d).1 == site) {
            rest = rest.subtract(&d.relation.range(), budget)?;
        }
        if !rest.is_empty(budget)? {
            return Ok(Some(site));
        }
    }
    Ok(None)
}
