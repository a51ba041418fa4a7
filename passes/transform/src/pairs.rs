//! Dependences that nothing above a node orders yet.

use crate::Error;
use std::cmp::Ordering;
use std::collections::HashMap;
use tilia_presburger::{Budget, DimType, Id, Int, Map, Point, PwAff, Set, Space, UnionSet};
use tilia_schedule::Member;
use tilia_scop::Deps;

/// Pairs of instances: what must run first, and what must run after it.
#[derive(Debug, Clone, Default)]
pub struct Pairs {
    maps: Vec<Map>,
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
                inside = inside.where_within(DimType::In, from.1, b)?;
            }
            if !to.1.plain_is_universe() {
                inside = inside.where_within(DimType::Out, to.1, b)?;
            }
            if !inside.is_empty(b)? {
                maps.push(inside);
            }
        }
        Ok(Pairs { maps })
    }

    /// Those from one set to another.
    pub(crate) fn between(&self, source: &UnionSet, target: &UnionSet, b: &Budget) -> Result<Pairs, Error> {
        let (sources, targets) = (Members::of([source]), Members::of([target]));
        let mut maps = Vec::new();
        for m in &self.maps {
            if let (Some(from), Some(to)) = (sources.find(m, DimType::In).next(), targets.find(m, DimType::Out).next()) {
                maps.push(m.where_within(DimType::In, from.1, b)?.where_within(DimType::Out, to.1, b)?);
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
            if let Some(p) = compared(m, member, Ordering::Less, b)?.wrap().sample_point(b)? {
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
            for c in [Ordering::Less, Ordering::Greater] {
                if let Some(p) = compared(m, member, c, b)?.wrap().sample_point(b)? {
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
            for c in [Ordering::Less, Ordering::Greater] {
                if !compared(m, member, c, b)?.is_empty(b)? {
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
            let open = compared(m, member, Ordering::Equal, b)?;
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
fn compared(map: &Map, member: &Member, how: Ordering, b: &Budget) -> Result<Map, Error> {
    let space = map.space();
    let (Some(f), Some(g)) = (member.func.extract(&space.domain()), member.func.extract(&space.range())) else {
        return Ok(if how == Ordering::Equal { map.clone() } else { Map::empty(space) });
    };
    if let (Some(f), Some(g)) = (f.as_aff(), g.as_aff()) {
        return Ok(map.where_compared(f, g, how, b)?);
    }
    let mut out = Map::empty(space);
    for (source_set, source) in f.pieces() {
        for (target_set, target) in g.pieces() {
            let mut pairs = map.clone();
            if !is_total(f) {
                pairs = pairs.where_within(DimType::In, source_set, b)?;
            }
            if !is_total(g) {
                pairs = pairs.where_within(DimType::Out, target_set, b)?;
            }
            out = out.union(&pairs.where_compared(source, target, how, b)?)?;
        }
    }
    Ok(out)
}

fn is_total(f: &PwAff) -> bool {
    matches!(f.pieces(), [(set, _)] if set.plain_is_universe())
}
