//! Dependences that nothing above a node orders yet.

use crate::Error;
use std::collections::HashMap;
use tilia_presburger::{Aff, Budget, Constraint, DimType, Id, Int, Map, Point, PwAff, Set, Space, Term, UnionSet};
use tilia_schedule::Member;
use tilia_scop::Deps;

/// Pairs of instances: what must run first, and what must run after it.
#[derive(Debug, Clone, Default)]
pub struct Pairs {
    maps: Vec<Map>,
}

/// How the values of a member at both ends of a pair compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compare {
    /// The target's value is smaller.
    Less,
    /// Both are the same.
    Equal,
    /// The target's value is greater.
    Greater,
}

/// A pair that a member would run the wrong way round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The instance that must come first, and the one that must come after, as one point of the wrapped pair.
    pub pair: Point,
    /// Text of the pair, `S[1, 2] -> T[3]`.
    pub text: String,
}

impl Pairs {
    /// All memory-based dependences.
    #[must_use]
    pub fn of(deps: &Deps) -> Pairs {
        Pairs {
            maps: deps.memory.iter().map(|d| d.relation.clone()).collect(),
        }
    }

    /// Pairs from relations between instances.
    #[must_use]
    pub fn from_maps(maps: Vec<Map>) -> Pairs {
        Pairs { maps }
    }

    /// The relations.
    #[must_use]
    pub fn maps(&self) -> &[Map] {
        &self.maps
    }

    /// Those with both ends in the set.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn within(&self, set: &UnionSet, b: &Budget) -> Result<Pairs, Error> {
        let members = Members::of([set]);
        let mut maps = Vec::new();
        for m in &self.maps {
            let (Some(from), Some(to)) = (members.find(m, DimType::In).next(), members.find(m, DimType::Out).next()) else {
                continue;
            };
            let mut inside = m.clone();
            if !from.1.plain_is_universe() {
                inside = inside.intersect_domain(from.1)?;
            }
            if !to.1.plain_is_universe() {
                inside = inside.intersect_range(to.1)?;
            }
            if !inside.is_empty(b)? {
                maps.push(inside);
            }
        }
        Ok(Pairs { maps })
    }

    /// Those from one set to another.
    pub(crate) fn between(&self, source: &UnionSet, target: &UnionSet) -> Result<Pairs, Error> {
        let (sources, targets) = (Members::of([source]), Members::of([target]));
        let mut maps = Vec::new();
        for m in &self.maps {
            if let (Some(from), Some(to)) = (sources.find(m, DimType::In).next(), targets.find(m, DimType::Out).next()) {
                maps.push(m.intersect_domain(from.1)?.intersect_range(to.1)?);
            }
        }
        Ok(Pairs { maps })
    }

    /// Those whose two statements all of the sets know: the only ones that can have both ends in them. Cheap; a scop has many pairs, and most nodes have few statements.
    pub(crate) fn of_statements(&self, sets: &[&UnionSet]) -> Pairs {
        let known: Vec<Members<'_>> = sets.iter().map(|s| Members::of([*s])).collect();
        let both = |m: &Map| {
            let all = |t: DimType| known.iter().all(|k| k.find(m, t).next().is_some());
            all(DimType::In) && all(DimType::Out)
        };
        Pairs {
            maps: self.maps.iter().filter(|m| both(m)).cloned().collect(),
        }
    }

    /// A pair that the member runs the wrong way round, if any.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn violated_by(&self, member: &Member, b: &Budget) -> Result<Option<Violation>, Error> {
        for m in &self.maps {
            if let Some(p) = compared(m, member, Compare::Less)?.wrap().sample_point(b)? {
                return Ok(Some(Violation {
                    text: pair_text(m.space(), &p),
                    pair: p,
                }));
            }
        }
        Ok(None)
    }

    /// Any of the pairs.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn any(&self, b: &Budget) -> Result<Option<Violation>, Error> {
        for m in &self.maps {
            if let Some(p) = m.wrap().sample_point(b)? {
                return Ok(Some(Violation {
                    text: pair_text(m.space(), &p),
                    pair: p,
                }));
            }
        }
        Ok(None)
    }

    /// A pair whose values of the member differ, if any.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn moved_by(&self, member: &Member, b: &Budget) -> Result<Option<Violation>, Error> {
        for m in &self.maps {
            for c in [Compare::Less, Compare::Greater] {
                if let Some(p) = compared(m, member, c)?.wrap().sample_point(b)? {
                    return Ok(Some(Violation {
                        text: pair_text(m.space(), &p),
                        pair: p,
                    }));
                }
            }
        }
        Ok(None)
    }

    /// Has every pair the same value at both ends?
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn all_equal(&self, member: &Member, b: &Budget) -> Result<bool, Error> {
        for m in &self.maps {
            for c in [Compare::Less, Compare::Greater] {
                if !compared(m, member, c)?.is_empty(b)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The pairs with the same value at both ends: those that the member leaves open.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn left_by(&self, member: &Member, b: &Budget) -> Result<Pairs, Error> {
        let mut maps = Vec::new();
        for m in &self.maps {
            let open = compared(m, member, Compare::Equal)?;
            if !open.is_empty(b)? {
                maps.push(open);
            }
        }
        Ok(Pairs { maps })
    }
}

/// Members of unions of sets by the name of their tuples, with the number of the union.
pub(crate) struct Members<'s>(HashMap<Option<&'s Id>, Vec<(usize, &'s Set)>>);

impl<'s> Members<'s> {
    pub(crate) fn of(unions: impl IntoIterator<Item = &'s UnionSet>) -> Members<'s> {
        let mut by_name: HashMap<_, Vec<_>> = HashMap::new();
        for (n, union) in unions.into_iter().enumerate() {
            for set in union.sets() {
                by_name.entry(set.space().tuple_name(DimType::Out)).or_default().push((n, set));
            }
        }
        Members(by_name)
    }

    /// The members of the space that one end of a relation has, each with the number of its union, in their order.
    pub(crate) fn find<'a>(&'a self, map: &'a Map, end: DimType) -> impl Iterator<Item = (usize, &'s Set)> + 'a {
        let space = map.space();
        let named = self.0.get(&space.tuple_name(end)).map_or(&[][..], Vec::as_slice);
        named
            .iter()
            .copied()
            .filter(move |(_, set)| match (space.tuple(end), set.space().tuple(DimType::Out)) {
                (Some(a), Some(b)) => a.matches(b),
                _ => false,
            })
    }
}

fn pair_text(space: &Space, p: &Point) -> String {
    let n = space.dim(DimType::In);
    let side = |t: DimType, values: &[Int]| {
        let name = space.tuple_name(t).map_or("", |n| n.as_str());
        let list: Vec<String> = values.iter().map(Int::to_string).collect();
        format!("{name}[{}]", list.join(", "))
    };
    format!("{} -> {}", side(DimType::In, &p.coords[..n]), side(DimType::Out, &p.coords[n..]))
}

/// The pairs whose values compare so. A statement without a value counts as unordered: all of its pairs are kept for `Equal`.
fn compared(map: &Map, member: &Member, how: Compare) -> Result<Map, Error> {
    let space = map.space();
    let (Some(f), Some(g)) = (member.func.extract(&space.domain()), member.func.extract(&space.range())) else {
        return Ok(if how == Compare::Equal { map.clone() } else { Map::empty(space) });
    };
    let mut out = Map::empty(space);
    for (source_set, source) in f.pieces() {
        for (target_set, target) in g.pieces() {
            let mut pairs = map.clone();
            if !is_total(f) {
                pairs = pairs.intersect_domain(source_set)?;
            }
            if !is_total(g) {
                pairs = pairs.intersect_range(target_set)?;
            }
            let wide = pairs.space().align_params(source.space()).align_params(target.space());
            let wrapped = wide.wrap();
            let distance = lifted(target, &wrapped, space.dim(DimType::In))?.sub(&lifted(source, &wrapped, 0)?)?;
            let constraint = match how {
                Compare::Less => Constraint::ineq(distance.neg().add_constant(&Int::NEG_ONE)),
                Compare::Equal => Constraint::eq(distance),
                Compare::Greater => Constraint::ineq(distance.add_constant(&Int::NEG_ONE)),
            };
            out = out.union(&pairs.add_constraint(&constraint)?)?;
        }
    }
    Ok(out)
}

fn is_total(f: &PwAff) -> bool {
    matches!(f.pieces(), [(set, _)] if set.plain_is_universe())
}

/// An expression over a statement's dimensions as one over a wrapped pair in which they start at `offset`.
fn lifted(aff: &Aff, wrapped: &Space, offset: usize) -> Result<Aff, Error> {
    let mut out = Aff::constant(wrapped, aff.constant_term().clone());
    for term in aff.terms() {
        let (value, c) = match term {
            Term::Dim {
                kind: DimType::Param,
                pos,
                coefficient,
            } => (Aff::param(wrapped, &aff.space().params()[pos])?, coefficient),
            Term::Dim { pos, coefficient, .. } => (Aff::var(wrapped, DimType::Out, offset + pos), coefficient),
            Term::Div {
                coefficient,
                numerator,
                denominator,
            } => (lifted(&numerator, wrapped, offset)?.floor_div(&denominator)?, coefficient),
        };
        out = out.add(&value.scale(&c))?;
    }
    Ok(out)
}
