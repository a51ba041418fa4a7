//! Planes on which one end of a dependence stands, for equal values of the outer loops.

use crate::{Cut, Error};
use std::collections::BTreeMap;
use tilia_presburger::{Aff, Budget, Constraint, DimType, Set, Term};
use tilia_scop::{Deps, Scop, StmtKind};

/// Planes of one statement that are used at most: each makes three pieces of what is there.
const MOST_PLANES: usize = 3;

/// The planes of each statement that has some, by number.
pub(crate) fn planes(scop: &Scop, deps: &Deps, b: &Budget) -> Result<BTreeMap<usize, Vec<Cut>>, Error> {
    let mut out: BTreeMap<usize, Vec<Cut>> = BTreeMap::new();
    for d in &deps.memory {
        let (s, t) = (&scop[d.source], &scop[d.target]);
        if s.kind != StmtKind::Plain || t.kind != StmtKind::Plain {
            continue;
        }
        let common = s.iters.iter().zip(&t.iters).take_while(|(a, b)| a == b).count();
        let mut same = d.relation.clone();
        for level in 1..=common {
            same = same.equate(DimType::In, level - 1, DimType::Out, level - 1)?;
            if level >= s.iters.len() && level >= t.iters.len() || same.is_empty(b)? {
                break;
            }
            let source = equalities(&same.domain(), &s.domain, level, b)?;
            let target = equalities(&same.range(), &t.domain, level, b)?;
            // The end with more equalities is the one that few instances are.
            let (stmt, found) = match source.len().cmp(&target.len()) {
                std::cmp::Ordering::Greater => (d.source, source),
                std::cmp::Ordering::Less => (d.target, target),
                std::cmp::Ordering::Equal => continue,
            };
            let known = out.entry(stmt.0 as usize).or_default();
            for plane in found {
                let is = |c: &Cut| matches!(c, Cut::Plane(p) if p.plain_eq(&plane) || p.plain_eq(&plane.neg()));
                if known.len() < MOST_PLANES && !known.iter().any(is) {
                    known.push(Cut::Plane(plane));
                }
            }
        }
    }
    out.retain(|_, cuts| !cuts.is_empty());
    Ok(out)
}

/// Equalities between an inner iterator and outer ones that hold in one end of a dependence but not in all of the statement's domain.
fn equalities(end: &Set, domain: &Set, level: usize, b: &Budget) -> Result<Vec<Aff>, Error> {
    let hull = end.affine_hull(b)?;
    let mut out = Vec::new();
    for c in hull.constraints()? {
        if !c.is_equality() || !is_plane(c.aff(), level) {
            continue;
        }
        // Somewhere in the domain it must not hold.
        let mut elsewhere = false;
        for side in [c.aff().clone(), c.aff().neg()] {
            let off = domain.add_constraint(&Constraint::ineq(side.add_constant(&tilia_presburger::Int::NEG_ONE)))?;
            elsewhere |= !off.is_empty(b)?;
        }
        if elsewhere {
            out.push(c.aff().clone());
        }
    }
    Ok(out)
}

/// Is this an iterator from `level` on, with coefficient one, compared with iterators outside of it (and constants)?
fn is_plane(aff: &Aff, level: usize) -> bool {
    let mut inner = 0;
    let mut outer = 0;
    for t in aff.terms() {
        match t {
            Term::Dim { kind: DimType::Param, .. } | Term::Div { .. } => return false,
            Term::Dim { pos, coefficient, .. } if pos >= level => inner += if coefficient.is_unit() { 1 } else { 2 },
            Term::Dim { .. } => outer += 1,
        }
    }
    inner == 1 && outer >= 1
}
