//! Loops along which a live range is private, and those that storage alone serialises.

use crate::live::{Site, ends};
use tilia_presburger::{Aff, Budget, Constraint, DimType, Int, Map, Result};
use tilia_program::ValueId;
use tilia_scop::{Dep, Scop};

/// The loops around all of the sites, outermost first: those of the first statement that the others share.
pub(crate) fn common(scop: &Scop, sites: &[Site]) -> Vec<ValueId> {
    let Some(first) = sites.first() else { return Vec::new() };
    let mut shared = scop[first.stmt].iters.clone();
    for s in sites {
        let same = shared.iter().zip(&scop[s.stmt].iters).take_while(|(a, b)| a == b).count();
        shared.truncate(same);
    }
    shared
}

/// Whether source and target differ in iterator `k` in some pair.
pub(crate) fn differs(relation: &Map, k: usize, budget: &Budget) -> Result<bool> {
    let space = relation.space();
    let distance = Aff::var(space, DimType::Out, k).sub(&Aff::var(space, DimType::In, k))?;
    for d in [distance.clone(), distance.neg()] {
        let apart = relation.add_constraint(&Constraint::ineq(d.add_constant(&Int::NEG_ONE)))?;
        if !apart.is_empty(budget)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The common loops in which every read agrees with the write that it reads.
pub(crate) fn private(sites: &[Site], flow: &[Dep], common: usize, budget: &Budget) -> Result<Vec<usize>> {
    let mine: Vec<&Dep> = flow.iter().filter(|d| sites.contains(&ends(d).0)).collect();
    let mut out = Vec::new();
    for k in 0..common {
        let mut agree = true;
        for d in &mine {
            agree = agree && !differs(&d.relation, k, budget)?;
        }
        if agree {
            out.push(k);
        }
    }
    Ok(out)
}

/// Those of `loops` along which storage orders two accesses of one live range.
pub(crate) fn ordered_by_storage(sites: &[Site], memory: &[Dep], loops: &[usize], budget: &Budget) -> Result<Vec<usize>> {
    let inside = |d: &&Dep| sites.contains(&ends(d).0) && sites.contains(&ends(d).1);
    let mine: Vec<&Dep> = memory.iter().filter(inside).collect();
    let mut out = Vec::new();
    for &k in loops {
        let mut differ = false;
        for d in &mine {
            differ = differ || differs(&d.relation, k, budget)?;
        }
        if differ {
            out.push(k);
        }
    }
    Ok(out)
}

/// Whether loop number `k` of those around the sites, by its iterator, carries one of the dependences: a pair inside one iteration of the loops around it, in two iterations of it.
pub(crate) fn carries(scop: &Scop, loops: &[ValueId], k: usize, deps: &[&Dep], budget: &Budget) -> Result<bool> {
    let inside = |stmt: tilia_scop::StmtId| scop[stmt].iters.starts_with(&loops[..=k]);
    for d in deps.iter().filter(|d| inside(d.source) && inside(d.target)) {
        let mut same = d.relation.clone();
        for outer in 0..k {
            same = same.equate(DimType::In, outer, DimType::Out, outer)?;
        }
        if differs(&same, k, budget)? {
            return Ok(true);
        }
    }
    Ok(false)
}
