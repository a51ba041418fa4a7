//! Maps over several pairs of tuples.

use super::UnionSet;
use super::common::union_common;
use super::search::union_search;
use crate::error::Result;
use crate::num::Budget;
use crate::sets::{Map, Set};
use crate::space::{DimType, Space};

/// At most one map for each pair of tuples.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct UnionMap {
    /// The space of the parameters.
    params: Space,
    members: Vec<Map>,
}

union_common!(UnionMap, Map, maps, from_map, extract_map);
union_search!(UnionMap);

impl UnionMap {
    fn to_sets(&self, f: impl Fn(&Map) -> Result<Set>) -> Result<UnionSet> {
        let sets = self.members.iter().map(f).collect::<Result<Vec<_>>>()?;
        Ok(UnionSet::from_members(&sets)?.align_params(&self.params))
    }

    /// The members that satisfy a condition, changed; the others are left out.
    fn each_where(&self, keep: impl Fn(&Map) -> bool, f: impl Fn(&Map) -> Result<Map>) -> Result<UnionMap> {
        let members = self.members.iter().filter(|m| keep(m)).map(f).collect::<Result<Vec<_>>>()?;
        UnionMap::collect(&self.params, members)
    }

    /// Combines each member with each of the other that fits.
    fn pairwise(&self, other: &UnionMap, fits: impl Fn(&Space, &Space) -> bool, f: impl Fn(&Map, &Map) -> Result<Map>) -> Result<UnionMap> {
        let mut members = Vec::new();
        for a in &self.members {
            for b in other.members.iter().filter(|b| fits(a.space(), b.space())) {
                members.push(f(a, b)?);
            }
        }
        UnionMap::collect(&other.params.align_params(&self.params), members)
    }

    /// The inputs.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn domain(&self) -> Result<UnionSet> {
        self.to_sets(|m| Ok(m.domain()))
    }

    /// The outputs.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn range(&self) -> Result<UnionSet> {
        self.to_sets(|m| Ok(m.range()))
    }

    /// The pairs with their sides exchanged.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn reverse(&self) -> Result<UnionMap> {
        self.each(|m| Ok(m.reverse()))
    }

    /// The pairs whose input is in the set.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn intersect_domain(&self, set: &UnionSet) -> Result<UnionMap> {
        let pairs = self.members.iter().filter_map(|m| set.find(&m.space().domain()).map(|s| (m, s)));
        let members = pairs.map(|(m, s)| m.intersect_domain(s)).collect::<Result<Vec<_>>>()?;
        UnionMap::collect(&set.params_space().align_params(&self.params), members)
    }

    /// The pairs whose output is in the set.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn intersect_range(&self, set: &UnionSet) -> Result<UnionMap> {
        let pairs = self.members.iter().filter_map(|m| set.find(&m.space().range()).map(|s| (m, s)));
        let members = pairs.map(|(m, s)| m.intersect_range(s)).collect::<Result<Vec<_>>>()?;
        UnionMap::collect(&set.params_space().align_params(&self.params), members)
    }

    /// The pairs whose input isn't in the set.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn subtract_domain(&self, set: &UnionSet, b: &Budget) -> Result<UnionMap> {
        self.each(|m| match set.find(&m.space().domain()) {
            Some(s) => m.intersect_domain(&m.domain().subtract(s, b)?),
            None => Ok(m.clone()),
        })
    }

    /// The pairs whose output isn't in the set.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn subtract_range(&self, set: &UnionSet, b: &Budget) -> Result<UnionMap> {
        self.each(|m| match set.find(&m.space().range()) {
            Some(s) => m.intersect_range(&m.range().subtract(s, b)?),
            None => Ok(m.clone()),
        })
    }

    /// The pairs `x -> z` with `x -> y` here and `y -> z` in the other.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn apply_range(&self, other: &UnionMap) -> Result<UnionMap> {
        self.pairwise(other, |a, b| a.range().same_tuples(&b.domain()), Map::apply_range)
    }

    /// The pairs `y -> z` with `x -> z` here and `x -> y` in the other.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn apply_domain(&self, other: &UnionMap) -> Result<UnionMap> {
        self.pairwise(other, |a, b| a.domain().same_tuples(&b.domain()), Map::apply_domain)
    }

    /// `A -> [B -> C]` from `A -> B` here and `A -> C` in the other.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn range_product(&self, other: &UnionMap) -> Result<UnionMap> {
        self.pairwise(other, |a, b| a.domain().same_tuples(&b.domain()), Map::range_product)
    }

    /// The range product with the output tuples flattened.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn flat_range_product(&self, other: &UnionMap) -> Result<UnionMap> {
        self.pairwise(other, |a, b| a.domain().same_tuples(&b.domain()), Map::flat_range_product)
    }

    /// `[A -> B] -> C` from `A -> C` here and `B -> C` in the other.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn domain_product(&self, other: &UnionMap) -> Result<UnionMap> {
        self.pairwise(other, |a, b| a.range().same_tuples(&b.range()), Map::domain_product)
    }

    /// `[A -> C] -> [B -> D]` from `A -> B` here and `C -> D` in the other.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn product(&self, other: &UnionMap) -> Result<UnionMap> {
        self.pairwise(other, |_, _| true, Map::product)
    }

    /// `[A -> C] -> [B -> D]` from `[A -> B] -> [C -> D]`. Members of another shape are left out.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn zip(&self) -> Result<UnionMap> {
        self.each_where(|m| m.space().domain().is_wrapping() && m.space().range().is_wrapping(), Map::zip)
    }

    /// `A -> [B -> C]` from `[A -> B] -> C`. Members of another shape are left out.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn curry(&self) -> Result<UnionMap> {
        self.each_where(|m| m.space().domain().is_wrapping(), Map::curry)
    }

    /// `[A -> B] -> C` from `A -> [B -> C]`. Members of another shape are left out.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn uncurry(&self) -> Result<UnionMap> {
        self.each_where(|m| m.space().range().is_wrapping(), Map::uncurry)
    }

    /// `A -> B` from `A -> [B -> C]`. Members of another shape are left out.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn range_factor_domain(&self) -> Result<UnionMap> {
        self.each_where(|m| m.space().range().is_wrapping(), Map::range_factor_domain)
    }

    /// `A -> C` from `A -> [B -> C]`. Members of another shape are left out.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn range_factor_range(&self) -> Result<UnionMap> {
        self.each_where(|m| m.space().range().is_wrapping(), Map::range_factor_range)
    }

    /// `A -> C` from `[A -> B] -> C`. Members of another shape are left out.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn domain_factor_domain(&self) -> Result<UnionMap> {
        self.each_where(|m| m.space().domain().is_wrapping(), Map::domain_factor_domain)
    }

    /// `B -> C` from `[A -> B] -> C`. Members of another shape are left out.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn domain_factor_range(&self) -> Result<UnionMap> {
        self.each_where(|m| m.space().domain().is_wrapping(), Map::domain_factor_range)
    }

    /// `[A -> B] -> A` on the pairs.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn domain_map(&self) -> Result<UnionMap> {
        self.each(Map::domain_map)
    }

    /// `[A -> B] -> B` on the pairs.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn range_map(&self) -> Result<UnionMap> {
        self.each(Map::range_map)
    }

    /// The pairs as sets of wrapped pairs.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn wrap(&self) -> Result<UnionSet> {
        self.to_sets(|m| Ok(m.wrap()))
    }

    /// The sets of `output - input`, of the members that map a tuple to itself.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn deltas(&self) -> Result<UnionSet> {
        self.each_where(|m| m.space().domain().same_tuples(&m.space().range()), |m| Ok(m.clone()))?
            .to_sets(Map::deltas)
    }

    /// Has each input at most one output?
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn is_single_valued(&self, b: &Budget) -> Result<bool> {
        for (i, m) in self.members.iter().enumerate() {
            if !m.is_single_valued(b)? {
                return Ok(false);
            }
            for n in &self.members[i + 1..] {
                let same = m.space().domain().same_tuples(&n.space().domain());
                if same && !m.domain().intersect(&n.domain())?.is_empty(b)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Has each output at most one input?
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn is_injective(&self, b: &Budget) -> Result<bool> {
        self.reverse()?.is_single_valued(b)
    }

    /// Has each input at most one output and each output at most one input?
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn is_bijective(&self, b: &Budget) -> Result<bool> {
        Ok(self.is_single_valued(b)? && self.is_injective(b)?)
    }

    /// Pairs `x -> y` of inputs of two schedules such that `x` is scheduled strictly before `y`.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn lex_lt_union_map(&self, other: &UnionMap) -> Result<UnionMap> {
        self.ordered(other, Map::lex_lt)
    }

    /// Pairs `x -> y` of inputs of two schedules such that `x` is scheduled before `y` or at the same time.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn lex_le_union_map(&self, other: &UnionMap) -> Result<UnionMap> {
        self.ordered(other, Map::lex_le)
    }

    /// Pairs `x -> y` of inputs of two schedules such that `x` is scheduled strictly after `y`.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn lex_gt_union_map(&self, other: &UnionMap) -> Result<UnionMap> {
        self.ordered(other, Map::lex_gt)
    }

    /// Pairs `x -> y` of inputs of two schedules such that `x` is scheduled after `y` or at the same time.
    ///
    /// # Errors
    /// Never for valid unions.
    pub fn lex_ge_union_map(&self, other: &UnionMap) -> Result<UnionMap> {
        self.ordered(other, Map::lex_ge)
    }

    fn ordered(&self, other: &UnionMap, order: impl Fn(&Space) -> Map) -> Result<UnionMap> {
        let pair = |a: &Map, b: &Map| a.apply_range(&order(&a.space().range()))?.apply_range(&b.reverse());
        self.pairwise(other, |a, b| a.range().same_tuples(&b.range()), pair)
    }
}
