//! The full tiles of a tiled band: those all of whose points are executed.
//!
//! For a convex set of points `{ v : c_i(v) >= 0 }` and tiles `[t, t + s - 1]`, a tile is full exactly when every `c_i` is non-negative at the corner of the tile
//! where it is least: `v_k = t_k` where its coefficient is positive, `t_k + s_k - 1` where it is negative.

use crate::Error;
use crate::register::without;
use tilia_presburger::{Aff, BasicMap, BasicSet, Budget, Constraint, DimType, Int, Map, Set, Space, Term, Tuple, UnionMap};
use tilia_schedule::{Path, ScheduleTree};

/// Why a band has no full tiles that could be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoFullTiles {
    /// The corner rule needs one convex set.
    #[error("the points aren't one convex set, so full tiles can't be told from others")]
    NotConvex,
    /// A condition inside the tile isn't a bound.
    #[error("an equality or a division restricts the points inside a tile, so no tile is full")]
    Uneven,
    /// The loops are shorter than the tile.
    #[error("there are no full tiles: the loops are shorter than the tile")]
    Small,
}

/// The full tiles for members of the given sizes, `[outer] -> [first value of the tile]`, or why there are none.
///
/// `values` relates the instances to the outer values followed by the members' values.
pub(crate) fn full_tiles(values: &UnionMap, sizes: &[Int], b: &Budget) -> Result<Result<Map, NoFullTiles>, Error> {
    let mut all: Option<Set> = None;
    for m in values.maps() {
        let points = m.range().compute_divs(b)?.coalesce(b)?;
        let [points] = &points.basic_sets()[..] else {
            return Ok(Err(NoFullTiles::NotConvex));
        };
        let Some(tiles) = full(points, sizes)? else {
            return Ok(Err(NoFullTiles::Uneven));
        };
        all = Some(match all {
            Some(set) => set.intersect(&tiles)?,
            None => tiles,
        });
    }
    let Some(all) = all else { return Ok(Err(NoFullTiles::Small)) };
    if all.is_empty(b)? {
        return Ok(Err(NoFullTiles::Small));
    }
    let outer = all.dim(DimType::Out) - sizes.len();
    let space = Space::map(
        all.space().params().to_vec(),
        Tuple::anonymous(outer),
        Tuple::anonymous(sizes.len()),
    );
    let mut out = Map::empty(&space);
    for part in all.basic_sets() {
        out = out.union(&as_map(&part, &space)?.to_union())?;
    }
    Ok(Ok(out))
}

/// Those statements that have full tiles of the given sizes, told from their bounds alone.
pub(crate) fn even(values: &UnionMap, sizes: &[Int], b: &Budget) -> Result<UnionMap, Error> {
    let mut out = Vec::new();
    for m in values.maps() {
        let one = UnionMap::from_members(std::slice::from_ref(m))?;
        if full_tiles(&one, sizes, b)?.is_ok() {
            out.push(m.clone());
        }
    }
    Ok(UnionMap::from_members(&out)?)
}

/// The same values, in order, as the two sides of a relation.
pub(crate) fn as_map(part: &BasicSet, space: &Space) -> Result<BasicMap, Error> {
    let outer = space.dim(DimType::In);
    let mut constraints = Vec::new();
    for c in part.constraints()? {
        let aff = moved(c.aff(), &space.wrap(), &[], outer)?;
        constraints.push(if c.is_equality() {
            Constraint::eq(aff)
        } else {
            Constraint::ineq(aff)
        });
    }
    Ok(BasicMap::from_constraints(space, &constraints)?)
}

/// The full tiles of the tile band at one position whose points' band stands at another, only bands between them.
pub(crate) fn full_of(
    tree: &ScheduleTree,
    tiles: &Path,
    points: &Path,
    sizes: &[Int],
    b: &Budget,
) -> Result<Result<Map, NoFullTiles>, Error> {
    let values = tree.outer_values(&points.child(0), b)?;
    let first = tree.schedule_depth(tiles)?;
    let between = tree.schedule_depth(points)? - first;
    full_tiles(&without(&values, first, between, b)?, sizes, b)
}

fn full(points: &BasicSet, sizes: &[Int]) -> Result<Option<Set>, Error> {
    let space = points.space().clone();
    let outer = space.dim(DimType::Out) - sizes.len();
    let mut constraints = Vec::new();
    let all = points.constraints()?;
    // The loops over tiles around the points give quotients of the points' dimensions a value.
    let mut known: Vec<Quotient> = Vec::new();
    for c in all.iter().filter(|c| c.is_equality()) {
        if let Some(q) = quotient(&replaced(c.aff(), &known)?, outer, sizes.len())? {
            for bound in &q.bounds()? {
                constraints.push(Constraint::ineq(moved(bound, &space, sizes, outer)?));
            }
            known.push(q);
        }
    }
    // The same without an equality: `d v <= numerator < d v + d`.
    for aff in all.iter().map(Constraint::aff) {
        for t in aff.terms() {
            if let Term::Div {
                numerator, denominator, ..
            } = t
                && numerator.involves_dims(DimType::Out, outer, sizes.len())
                && !known.iter().any(|q| q.numerator == numerator && q.denominator == denominator)
            {
                known.extend(bounded_quotient(&all, numerator, denominator, outer, sizes.len())?);
            }
        }
    }
    for c in all {
        let aff = &replaced(c.aff(), &known)?;
        let c = if c.is_equality() {
            Constraint::eq(aff.clone())
        } else {
            Constraint::ineq(aff.clone())
        };
        let inside = aff.terms().iter().any(|t| match t {
            Term::Div { numerator, .. } => numerator.involves_dims(DimType::Out, outer, sizes.len()),
            Term::Dim { .. } => false,
        });
        let own = (outer..outer + sizes.len()).any(|d| !aff.coefficient(DimType::Out, d).is_zero());
        if !own && !inside {
            // It holds wherever there are points at all.
            continue;
        }
        if c.is_equality() && congruence(aff, outer, sizes.len()) {
            // It picks values on a lattice, the same in every tile.
            continue;
        }
        if inside || (own && c.is_equality()) {
            return Ok(None);
        }
        let worst = moved(aff, &space, sizes, outer)?;
        constraints.push(if c.is_equality() {
            Constraint::eq(worst)
        } else {
            Constraint::ineq(worst)
        });
    }
    Ok(Some(BasicSet::from_constraints(&space, &constraints)?.to_union()))
}

/// `floor(numerator / denominator) = value`, where the value doesn't depend on the dimensions in the numerator.
struct Quotient {
    numerator: Aff,
    denominator: Int,
    value: Aff,
}

impl Quotient {
    /// What it means: `0 <= numerator - denominator value <= denominator - 1`, as expressions that are not negative.
    fn bounds(&self) -> Result<[Aff; 2], Error> {
        let above = self.numerator.sub(&self.value.scale(&self.denominator))?;
        let below = above.neg().add_constant(&(&self.denominator - &Int::ONE));
        Ok([above, below])
    }
}

/// Does an equality say which value a quotient of the dimensions from `first` on has?
fn quotient(aff: &Aff, first: usize, n: usize) -> Result<Option<Quotient>, Error> {
    let involves = |a: &Aff| a.involves_dims(DimType::Out, first, n);
    let mut found = None;
    for t in aff.terms() {
        if let Term::Div {
            coefficient,
            numerator,
            denominator,
        } = t
            && involves(&numerator)
        {
            let nested = numerator
                .terms()
                .iter()
                .any(|t| matches!(t, Term::Div { numerator, .. } if involves(numerator)));
            if found.is_some() || nested || !(coefficient.is_one() || coefficient == Int::NEG_ONE) {
                return Ok(None);
            }
            found = Some((coefficient, numerator, denominator));
        }
    }
    let Some((sign, numerator, denominator)) = found else {
        return Ok(None);
    };
    let rest = aff.sub(&numerator.floor_div(&denominator)?.scale(&sign))?;
    let value = rest.scale(&-&sign);
    Ok((!involves(&value)).then_some(Quotient {
        numerator,
        denominator,
        value,
    }))
}

/// The value of a quotient of the dimensions from `first` on where a pair of bounds fixes it.
fn bounded_quotient(all: &[Constraint], numerator: Aff, denominator: Int, first: usize, n: usize) -> Result<Option<Quotient>, Error> {
    let bounds = || all.iter().filter(|c| !c.is_equality()).map(Constraint::aff);
    for low in bounds() {
        let Some(value) = quotient_of(&numerator.sub(low)?, &denominator) else {
            continue;
        };
        if value.involves_dims(DimType::Out, first, n) {
            continue;
        }
        let quotient = Quotient {
            numerator: numerator.clone(),
            denominator: denominator.clone(),
            value,
        };
        let above = &quotient.bounds()?[1];
        for high in bounds() {
            let slack = high.sub(above)?;
            if slack.is_constant() && !slack.constant_term().is_pos() {
                return Ok(Some(quotient));
            }
        }
    }
    Ok(None)
}

/// `floor(aff / d)` where only the constant leaves a remainder and there are no divisions.
fn quotient_of(aff: &Aff, d: &Int) -> Option<Aff> {
    let mut terms = Vec::new();
    for t in aff.terms() {
        match t {
            Term::Dim { kind, pos, coefficient } if coefficient.is_divisible_by(d) => terms.push((kind, pos, coefficient.div_exact(d))),
            _ => return None,
        }
    }
    Some(Aff::linear(aff.space(), aff.constant_term().div_floor(d), terms))
}

/// The expression with the values of known quotients in their place.
fn replaced(aff: &Aff, known: &[Quotient]) -> Result<Aff, Error> {
    let mut out = aff.clone();
    for t in aff.terms() {
        let Term::Div {
            coefficient,
            numerator,
            denominator,
        } = t
        else {
            continue;
        };
        let same = |q: &&Quotient| q.numerator == numerator && q.denominator == denominator;
        if let Some(q) = known.iter().find(same) {
            let difference = q.value.sub(&numerator.floor_div(&denominator)?)?;
            out = out.add(&difference.scale(&coefficient))?;
        }
    }
    Ok(out)
}

/// Is the expression periodic in each of the dimensions, so that where it is zero repeats?
fn congruence(aff: &Aff, first: usize, n: usize) -> bool {
    (first..first + n).all(|d| {
        let mut slope = (aff.coefficient(DimType::Out, d).clone(), Int::ONE);
        for t in aff.terms() {
            if let Term::Div {
                coefficient,
                numerator,
                denominator,
            } = t
            {
                if numerator.terms().iter().any(|t| matches!(t, Term::Div { .. })) {
                    return false;
                }
                let own = &coefficient * numerator.coefficient(DimType::Out, d);
                slope = (&(&slope.0 * &denominator) + &(&own * &slope.1), &slope.1 * &denominator);
            }
        }
        slope.0.is_zero()
    })
}

/// The expression over another space of as many dimensions, least over the tile where sizes are given.
fn moved(aff: &Aff, space: &Space, sizes: &[Int], outer: usize) -> Result<Aff, Error> {
    let mut out = Aff::constant(space, aff.constant_term().clone());
    for term in aff.terms() {
        let (value, c) = match term {
            Term::Dim {
                kind: DimType::Param,
                pos,
                coefficient,
            } => (Aff::param(space, &aff.space().params()[pos])?, coefficient),
            Term::Dim { pos, coefficient, .. } => {
                let v = Aff::var(space, DimType::Out, pos);
                let last = pos.checked_sub(outer).and_then(|k| sizes.get(k));
                match last {
                    Some(s) if coefficient.is_neg() => (v.add_constant(&(s - &Int::ONE)), coefficient),
                    _ => (v, coefficient),
                }
            }
            Term::Div {
                coefficient,
                numerator,
                denominator,
            } => (moved(&numerator, space, &[], outer)?.floor_div(&denominator)?, coefficient),
        };
        out = out.add(&value.scale(&c))?;
    }
    Ok(out)
}
