//! Relations between instances, restricted by how two positions compare.

use crate::position::{Position, Step};
use std::cmp::Ordering;
use tilia_presburger::{Aff, Budget, Constraint, DimType, Map, Result, Set, Space, Term};

/// An expression over the first dimensions of one side of a map's space. (A tagged instance has further dimensions behind its iterators.)
fn lift(aff: &Aff, space: &Space, side: DimType) -> Result<Aff> {
    let mut out = Aff::constant(space, aff.constant_term().clone());
    for term in aff.terms() {
        let (part, coefficient) = match term {
            Term::Dim {
                kind: DimType::Param,
                pos,
                coefficient,
            } => (Aff::param(space, &aff.space().params()[pos])?, coefficient),
            Term::Dim { pos, coefficient, .. } => (Aff::var(space, side, pos), coefficient),
            Term::Div {
                coefficient,
                numerator,
                denominator,
            } => (lift(&numerator, space, side)?.floor_div(&denominator)?, coefficient),
        };
        out = out.add(&part.scale(&coefficient))?;
    }
    Ok(out)
}

/// The pairs whose target value compares so with the source value.
pub(crate) fn restrict(rel: &Map, source: &[(Set, Aff)], target: &[(Set, Aff)], how: Ordering, b: &Budget) -> Result<Map> {
    if let ([(_, f)], [(_, g)]) = (source, target) {
        return rel.where_compared(f, g, how, b);
    }
    let mut all = Map::empty(rel.space());
    for (s, f) in source {
        for (t, g) in target {
            let part = side_in(&side_in(rel, s, DimType::In)?, t, DimType::Out)?;
            all = all.union(&part.where_compared(f, g, how, b)?)?;
        }
    }
    Ok(all)
}

/// The pairs whose source (or target) lies in the set.
fn side_in(rel: &Map, set: &Set, side: DimType) -> Result<Map> {
    if set.plain_is_universe() {
        return Ok(rel.clone());
    }
    let mut all = Map::empty(rel.space());
    for b in set.basic_sets() {
        let mut part = rel.clone();
        for c in b.constraints()? {
            let aff = lift(c.aff(), &with_params(rel.space(), c.aff().space()), side)?;
            part = part.add_constraint(&if c.is_equality() {
                Constraint::eq(aff)
            } else {
                Constraint::ineq(aff)
            })?;
        }
        all = all.union(&part)?;
    }
    Ok(all)
}

fn with_params(space: &Space, other: &Space) -> Space {
    space.with_params(space.merged_params(other))
}

/// The pairs of which the tree puts the source before the target, one part for each step that decides, with the number of the step.
pub(crate) fn ordered(rel: &Map, source: &Position, target: &Position, budget: &Budget) -> Result<Vec<(usize, Map)>> {
    let mut out = Vec::new();
    let mut equal = rel.clone();
    for (n, (a, b)) in source.steps.iter().zip(&target.steps).enumerate() {
        match (a, b) {
            (Step::Value(f), Step::Value(g)) => {
                let part = restrict(&equal, f, g, Ordering::Greater, budget)?;
                if !part.is_empty(budget)? {
                    out.push((n, part));
                }
                equal = restrict(&equal, f, g, Ordering::Equal, budget)?;
                if equal.plain_is_empty() {
                    break;
                }
            }
            (Step::Child(x), Step::Child(y)) if x == y => {}
            (Step::Unordered(x), Step::Unordered(y)) if x == y => {}
            (Step::Child(x), Step::Child(y)) => {
                if x < y && !equal.is_empty(budget)? {
                    out.push((n, equal));
                }
                break;
            }
            // Children of a set, or positions that don't belong to one tree.
            _ => break,
        }
    }
    Ok(out)
}

/// Like [`ordered`], without any test that could cost: parts may be empty. For answers when the budget has run out.
pub(crate) fn ordered_cheaply(rel: &Map, source: &Position, target: &Position, budget: &Budget) -> Result<Vec<Map>> {
    let mut out = Vec::new();
    let mut equal = rel.clone();
    for (a, b) in source.steps.iter().zip(&target.steps) {
        match (a, b) {
            (Step::Value(f), Step::Value(g)) => {
                out.push(restrict(&equal, f, g, Ordering::Greater, budget)?);
                equal = restrict(&equal, f, g, Ordering::Equal, budget)?;
            }
            (Step::Child(x), Step::Child(y)) if x == y => {}
            (Step::Unordered(x), Step::Unordered(y)) if x == y => {}
            (Step::Child(x), Step::Child(y)) if x < y => {
                out.push(equal);
                break;
            }
            _ => break,
        }
    }
    Ok(out)
}
