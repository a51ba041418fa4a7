//! Sets over several tuples.

use super::UnionMap;
use super::common::union_common;
use super::search::union_search;
use crate::error::Result;
use crate::num::Budget;
use crate::sets::{Map, Point, Set};
use crate::space::{DimType, Space};

/// At most one set for each tuple.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct UnionSet {
    /// The space of the parameters.
    params: Space,
    members: Vec<Set>,
}

union_common!(UnionSet, Set, sets, from_set, extract_set);
union_search!(UnionSet);

impl UnionSet {
    /// Sets of different tuples, all with the parameters of `params`.
    pub(crate) fn of_distinct(params: &Space, sets: Vec<Set>) -> UnionSet {
        let mut union = UnionSet::empty(params);
        for s in sets {
            union.push(s);
        }
        union
    }

    /// The images of the elements under a map.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn apply(&self, map: &UnionMap) -> Result<UnionSet> {
        let mut images = Vec::new();
        for s in &self.members {
            for m in map.maps().iter().filter(|m| m.space().domain().same_tuples(s.space())) {
                images.push(s.apply(m)?);
            }
        }
        UnionSet::collect(&map.params_space().align_params(&self.params), images)
    }

    /// The map from each element to itself.
    ///
    /// # Errors
    /// When a member is a set of parameter values.
    pub fn identity(&self) -> Result<UnionMap> {
        self.maps(Set::identity)
    }

    /// The pairs that are wrapped in the elements. Members that wrap no pairs are left out.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn unwrap(&self) -> Result<UnionMap> {
        let maps = self
            .members
            .iter()
            .filter(|s| s.space().is_wrapping())
            .map(Set::unwrap)
            .collect::<Result<Vec<_>>>()?;
        UnionMap::from_members(&maps)
    }

    /// `[A -> B] -> A` for the members that wrap pairs.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn wrapped_domain_map(&self) -> Result<UnionMap> {
        self.unwrap()?.domain_map()
    }

    fn maps(&self, f: impl Fn(&Set) -> Result<Map>) -> Result<UnionMap> {
        let maps = self.members.iter().map(f).collect::<Result<Vec<_>>>()?;
        UnionMap::from_members(&maps)
    }

    /// All pairs of an element here and an element of the other.
    ///
    /// # Errors
    /// When a member is a set of parameter values.
    pub fn map_to(&self, range: &UnionSet) -> Result<UnionMap> {
        let mut maps = Vec::new();
        for a in &self.members {
            for b in &range.members {
                maps.push(a.map_to(b)?);
            }
        }
        UnionMap::from_members(&maps)
    }

    /// All wrapped pairs of an element here and an element of the other.
    ///
    /// # Errors
    /// When a member is a set of parameter values.
    pub fn product(&self, other: &UnionSet) -> Result<UnionSet> {
        self.map_to(other)?.wrap()
    }

    /// Some element, when there is one.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn sample_point(&self, b: &Budget) -> Result<Option<Point>> {
        for s in &self.members {
            if let Some(p) = s.sample_point(b)? {
                return Ok(Some(p));
            }
        }
        Ok(None)
    }

    /// Is the point an element?
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn contains(&self, p: &Point, b: &Budget) -> Result<bool> {
        match self.find(&p.space) {
            Some(s) => s.contains(p, b),
            None => Ok(false),
        }
    }

    /// Are there finitely many elements for each value of the parameters?
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn is_bounded(&self, b: &Budget) -> Result<bool> {
        for s in &self.members {
            if !s.is_bounded(b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Pairs of elements whose first is lexicographically before the second; both of one tuple.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn lex_lt(&self, other: &UnionSet) -> Result<UnionMap> {
        self.lex(other, Map::lex_lt)
    }

    /// Pairs of elements whose first is lexicographically before the second or equal to it; both of one tuple.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn lex_le(&self, other: &UnionSet) -> Result<UnionMap> {
        self.lex(other, Map::lex_le)
    }

    fn lex(&self, other: &UnionSet, order: impl Fn(&Space) -> Map) -> Result<UnionMap> {
        let mut maps = Vec::new();
        for a in &self.members {
            if let Some(b) = other.find(a.space()) {
                maps.push(order(a.space()).intersect_domain(a)?.intersect_range(b)?);
            }
        }
        UnionMap::from_members(&maps)
    }
}
