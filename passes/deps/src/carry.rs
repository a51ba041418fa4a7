//! Relations between instances, restricted by how two positions compare.

use crate::position::{Position, Step};
use tilia_presburger::{Aff, Budget, Constraint, DimType, Int, Map, Result, Set, Space, Term};

/// How values of a band member compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compare {
    /// Source before target.
    Less,
    /// Source and target together.
    Equal,
    /// Source after target.
    Greater,
}

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

/// The pairs whose source value compares so with the target value.
pub(crate) fn restrict(rel: &Map, source: &[(Set, Aff)], target: &[(Set, Aff)], how: Compare) -> Result<Map> {
    if let ([(_, f)], [(_, g)]) = (source, target) {
        return compare(rel, f, g, how);
    }
    let mut all = Map::empty(rel.space());
    for (s, f) in source {
        for (t, g) in target {
            let part = side_in(&side_in(rel, s, DimType::In)?, t, DimType::Out)?;
            all = all.union(&compare(&part, f, g, how)?)?;
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

fn compare(rel: &Map, f: &Aff, g: &Aff, how: Compare) -> Result<Map> {
    let space = with_params(&with_params(rel.space(), f.space()), g.space());
    let (f, g) = (lift(f, &space, DimType::In)?, lift(g, &space, DimType::Out)?);
    let distance = g.sub(&f)?;
    let constraint = match how {
        Compare::Equal => Constraint::eq(distance),
        Compare::Less => Constraint::ineq(distance.add_constant(&Int::NEG_ONE)),
        Compare::Greater => Constraint::ineq(distance.neg().add_constant(&Int::NEG_ONE)),
    };
    rel.add_constraint(&constraint)
}

/// The pairs of which the tree puts the source before the target, one part for each step that decides, with the number of the step.
pub(crate) fn ordered(rel: &Map, source: &Position, target: &Position, budget: &Budget) -> Result<Vec<(usize, Map)>> {
    let mut out = Vec::new();
    let mut equal = rel.clone();
    for (n, (a, b)) in source.steps.iter().zip(&target.steps).enumerate() {
        match (a, b) {
            (Step::Value(f), Step::Value(g)) => {
                let part = restrict(&equal, f, g, Compare::Less)?;
                if !part.is_empty(budget)? {
                    out.push((n, part));
                }
                equal = restrict(&equal, f, g, Compare::Equal)?;
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
pub(crate) fn ordered_cheaply(rel: &Map, source: &Position, target: &Position) -> Result<Vec<Map>> {
    let mut out = Vec::new();
    let mut equal = rel.clone();
    for (a, b) in source.steps.iter().zip(&target.steps) {
        match (a, b) {
            (Step::Value(f), Step::Value(g)) => {
                out.push(restrict(&equal, f, g, Compare::Less)?);
                equal = restrict(&equal, f, g, Compare::Equal)?;
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
