//! Midpoints of dependences that reach across the whole extent of a loop.

use crate::{Cut, Error};
use std::collections::BTreeMap;
use tilia_presburger::{Aff, Budget, Constraint, DimType, Int, Map, Set, Space, Term};
use tilia_scop::{Deps, Scop, StmtKind};

/// Distances up to this aren't long.
const SHORT: i64 = 8;

/// Cuts of each statement in the middle of long dependences, by number. A loop is cut in one place at most, for all statements in it.
pub(crate) fn midpoints(scop: &Scop, deps: &Deps, b: &Budget) -> Result<BTreeMap<usize, Vec<Cut>>, Error> {
    // Twice the midpoint, by loop (its iterator); the first found counts.
    let mut middles = BTreeMap::new();
    for d in &deps.memory {
        let (s, t) = (&scop[d.source], &scop[d.target]);
        if s.kind != StmtKind::Plain || t.kind != StmtKind::Plain {
            continue;
        }
        let common = s.iters.iter().zip(&t.iters).take_while(|(a, b)| a == b).count();
        for (dim, iter) in s.iters.iter().enumerate().take(common).skip(1) {
            if middles.contains_key(iter) {
                continue;
            }
            for piece in d.relation.basic_maps() {
                if let Some(twice) = twice_the_middle(&piece.to_union(), dim, b)? {
                    middles.insert(*iter, twice);
                    break;
                }
            }
        }
    }
    let mut out: BTreeMap<usize, Vec<Cut>> = BTreeMap::new();
    for (n, s) in scop.stmts.iter().enumerate().filter(|(_, s)| s.kind == StmtKind::Plain) {
        for (dim, iter) in s.iters.iter().enumerate() {
            if let Some(twice) = middles.get(iter) {
                let space = s.domain.space().align_params(twice.space());
                let at = on_params(twice, &space)?;
                let double = Aff::var(&space, DimType::Out, dim).scale(&Int::from(2));
                out.entry(n).or_default().push(Cut::Midpoint(double.sub(&at)?));
            }
        }
    }
    Ok(out)
}

/// The sum of the iterators at both ends, where it is a function of the parameters and the ends lie far apart.
fn twice_the_middle(piece: &Map, dim: usize, b: &Budget) -> Result<Option<Aff>, Error> {
    let n = piece.dim(DimType::In);
    let m = piece.dim(DimType::Out);
    // The two iterators alone: [source, target].
    let pair = piece
        .wrap()
        .flatten()
        .project_out(DimType::Out, n + dim + 1, m - dim - 1, b)?
        .project_out(DimType::Out, dim + 1, n - 1, b)?
        .project_out(DimType::Out, 0, dim, b)?;
    let distance = Aff::var(pair.space(), DimType::Out, 1).sub(&Aff::var(pair.space(), DimType::Out, 0))?;
    for side in [distance.clone(), distance.neg()] {
        // Where a neighbourhood is taken modulo the extent, a piece holds short distances and long ones.
        let far = Constraint::ineq(side.add_constant(&Int::from(-SHORT - 1)));
        let long = pair.add_constraint(&far)?;
        if !long.is_empty(b)?
            && let Some(twice) = sum_of_ends(&long, b)?
        {
            return Ok(Some(twice));
        }
    }
    Ok(None)
}

/// The sum of both iterators, where it is a function of the parameters.
fn sum_of_ends(pair: &Set, b: &Budget) -> Result<Option<Aff>, Error> {
    let hull = pair.affine_hull(b)?;
    let mut fixed: [Option<Aff>; 2] = [None, None];
    for c in hull.constraints()?.iter().filter(|c| c.is_equality()) {
        let aff = c.aff();
        if aff.terms().iter().any(|t| matches!(t, Term::Div { .. })) {
            continue;
        }
        let (x, y) = (aff.coefficient(DimType::Out, 0).clone(), aff.coefficient(DimType::Out, 1).clone());
        if x == y && x.is_unit() {
            return Ok(Some(rest(aff, &x)?));
        }
        if x.is_unit() && y.is_zero() {
            fixed[0] = Some(rest(aff, &x)?);
        }
        if y.is_unit() && x.is_zero() {
            fixed[1] = Some(rest(aff, &y)?);
        }
    }
    Ok(match fixed {
        [Some(x), Some(y)] => Some(x.add(&y)?),
        _ => None,
    })
}

/// `f` of an equality `unit * (sum of iterators) = unit * f`, which mentions parameters only.
fn rest(aff: &Aff, unit: &Int) -> Result<Aff, Error> {
    let space = aff.space().to_params();
    let negated = aff.scale(&-unit.clone());
    on_params(&negated, &space)
}

/// The parameters' part of a function, over another space.
fn on_params(aff: &Aff, space: &Space) -> Result<Aff, Error> {
    let mut out = Aff::constant(space, aff.constant_term().clone());
    for t in aff.terms() {
        if let Term::Dim {
            kind: DimType::Param,
            pos,
            coefficient,
        } = t
        {
            let name = &aff.space().params()[pos];
            out = out.add(&Aff::param(space, name)?.scale(&coefficient))?;
        }
    }
    Ok(out)
}
