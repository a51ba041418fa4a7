//! Maps: unions of basic maps.

use super::common::union_methods;
use super::{BasicMap, Point, Set};
use crate::error::Result;
use crate::func::{Aff, Constraint};
use crate::lexmin::Goal;
use crate::num::{Budget, Int};
use crate::rel::Rel;
use crate::simplex::{Dir, Limits, Optimum};
use crate::space::{DimType, Id, Space, Tuple};

/// A finite union of basic maps in one space.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Map(pub(crate) Rel);

/// A relation that contains the transitive closure of another.
#[derive(Clone, Debug)]
pub struct Closure {
    /// The relation.
    pub map: Map,
    /// Is it equal to the transitive closure?
    pub is_exact: bool,
}

union_methods!(Map, BasicMap);

impl Map {
    /// The pieces.
    pub fn basic_maps(&self) -> Vec<BasicMap> {
        self.pieces()
    }

    /// The map with one piece.
    pub fn from_basic_map(b: &BasicMap) -> Map {
        b.to_union()
    }

    /// The pairs with their sides exchanged.
    #[must_use]
    pub fn reverse(&self) -> Map {
        Map(self.0.reverse())
    }

    /// The inputs.
    #[must_use]
    pub fn domain(&self) -> Set {
        Set::from_rel(self.0.domain())
    }

    /// The outputs.
    #[must_use]
    pub fn range(&self) -> Set {
        Set::from_rel(self.0.range())
    }

    /// The pairs whose input is in the set.
    ///
    /// # Errors
    /// When the set has another tuple.
    pub fn intersect_domain(&self, set: &Set) -> Result<Map> {
        Ok(Map(self.0.intersect_domain(set.rel())?))
    }

    /// The pairs whose output is in the set.
    ///
    /// # Errors
    /// When the set has another tuple.
    pub fn intersect_range(&self, set: &Set) -> Result<Map> {
        Ok(Map(self.0.intersect_range(set.rel())?))
    }

    /// The pairs `x -> z` with `x -> y` here and `y -> z` in the other map.
    ///
    /// # Errors
    /// When the tuples do not match.
    pub fn apply_range(&self, other: &Map) -> Result<Map> {
        Ok(Map(self.0.apply_range(&other.0)?))
    }

    /// The pairs `y -> z` with `x -> z` here and `x -> y` in the other map.
    ///
    /// # Errors
    /// When the tuples do not match.
    pub fn apply_domain(&self, other: &Map) -> Result<Map> {
        Ok(Map(self.0.reverse().apply_range(&other.0)?.reverse()))
    }

    /// The pairs that are connected by a path of one or more steps, and perhaps more: see [`Closure::is_exact`].
    ///
    /// Exact for uniform relations (each piece moves by a constant vector) on convex domains, and wherever a proof is found.
    ///
    /// ```
    /// # use tilia_presburger::{Budget, Map};
    /// # fn main() -> Result<(), tilia_presburger::Error> {
    /// let b = Budget::default();
    /// let step: Map = "[n] -> { S[i, j] -> S[i + 1, j + 2] : 0 <= i < n - 1 and 0 <= j }".parse()?;
    /// let closure = step.transitive_closure(&b)?;
    /// assert!(closure.is_exact);
    /// let expected: Map = "[n] -> { S[i, j] -> S[k, l] : 0 <= i < k < n and 0 <= j and l = j + 2k - 2i }".parse()?;
    /// assert!(closure.map.is_equal(&expected, &b)?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the two tuples differ or the budget runs out.
    pub fn transitive_closure(&self, b: &Budget) -> Result<Closure> {
        let (rel, is_exact) = self.0.transitive_closure(b)?;
        Ok(Closure { map: Map(rel), is_exact })
    }

    /// Fewer constraints for the same pairs with inputs in the context.
    ///
    /// # Errors
    /// When the context has another tuple or the budget runs out.
    pub fn gist_domain(&self, context: &Set, b: &Budget) -> Result<Map> {
        Ok(Map(self.0.gist_side(context.rel(), DimType::In, b)?))
    }

    /// Fewer constraints for the same pairs with outputs in the context.
    ///
    /// # Errors
    /// When the context has another tuple or the budget runs out.
    pub fn gist_range(&self, context: &Set, b: &Budget) -> Result<Map> {
        Ok(Map(self.0.gist_side(context.rel(), DimType::Out, b)?))
    }

    /// `A -> [B -> C]` from `A -> B` and `A -> C`.
    ///
    /// # Errors
    /// When the domains have different tuples.
    pub fn range_product(&self, other: &Map) -> Result<Map> {
        Ok(Map(self.0.range_product(&other.0)?))
    }

    /// The range product with the output tuple flattened.
    ///
    /// # Errors
    /// When the domains have different tuples.
    pub fn flat_range_product(&self, other: &Map) -> Result<Map> {
        Ok(Map(self.0.range_product(&other.0)?).flatten_range())
    }

    /// `[A -> B] -> C` from `A -> C` and `B -> C`.
    ///
    /// # Errors
    /// When the ranges have different tuples.
    pub fn domain_product(&self, other: &Map) -> Result<Map> {
        Ok(Map(self.0.domain_product(&other.0)?))
    }

    /// The same pairs with the input tuple flattened.
    #[must_use]
    pub fn flatten_domain(&self) -> Map {
        self.reverse().flatten_range().reverse()
    }

    /// The same pairs with the output tuple flattened.
    #[must_use]
    pub fn flatten_range(&self) -> Map {
        let out = self.space().out();
        if out.nested.is_none() {
            return self.clone();
        }
        let flat = Tuple {
            name: None,
            dims: out.dims.clone(),
            nested: None,
        };
        Map(self.0.with_space(self.space().with_tuple(DimType::Out, flat)))
    }

    /// The pairs as a set of wrapped pairs.
    #[must_use]
    pub fn wrap(&self) -> Set {
        Set::from_rel(self.0.wrap())
    }

    /// `[A -> B] -> C` as `A -> [B -> C]`.
    ///
    /// # Errors
    /// When the domain is no wrapped product.
    pub fn curry(&self) -> Result<Map> {
        Ok(Map(self.0.curry()?))
    }

    /// `A -> [B -> C]` as `[A -> B] -> C`.
    ///
    /// # Errors
    /// When the range is no wrapped product.
    pub fn uncurry(&self) -> Result<Map> {
        Ok(Map(self.0.uncurry()?))
    }

    /// The set of `output - input` over all pairs.
    ///
    /// # Errors
    /// When domain and range have different tuples.
    pub fn deltas(&self) -> Result<Set> {
        Ok(Set::from_rel(self.0.deltas()?))
    }

    /// `A -> C` from `[A -> B] -> C`.
    ///
    /// # Errors
    /// When the domain is no wrapped product.
    pub fn domain_factor_domain(&self) -> Result<Map> {
        Ok(Map(self.0.factor(DimType::In, false)?))
    }

    /// `B -> C` from `[A -> B] -> C`.
    ///
    /// # Errors
    /// When the domain is no wrapped product.
    pub fn domain_factor_range(&self) -> Result<Map> {
        Ok(Map(self.0.factor(DimType::In, true)?))
    }

    /// `A -> B` from `A -> [B -> C]`.
    ///
    /// # Errors
    /// When the range is no wrapped product.
    pub fn range_factor_domain(&self) -> Result<Map> {
        Ok(Map(self.0.factor(DimType::Out, false)?))
    }

    /// `A -> C` from `A -> [B -> C]`.
    ///
    /// # Errors
    /// When the range is no wrapped product.
    pub fn range_factor_range(&self) -> Result<Map> {
        Ok(Map(self.0.factor(DimType::Out, true)?))
    }

    /// `[A -> B] -> A` on the pairs.
    ///
    /// # Errors
    /// Never for a map.
    pub fn domain_map(&self) -> Result<Map> {
        Ok(Map(self.0.domain_or_range_map(false)?))
    }

    /// `[A -> B] -> B` on the pairs.
    ///
    /// # Errors
    /// Never for a map.
    pub fn range_map(&self) -> Result<Map> {
        Ok(Map(self.0.domain_or_range_map(true)?))
    }

    /// The identity on a set space.
    ///
    /// # Errors
    /// For a parameter space.
    pub fn identity(space: &Space) -> Result<Map> {
        Set::universe(space).identity()
    }

    /// Pairs of elements of a set space whose first is lexicographically before the second.
    #[must_use]
    pub fn lex_lt(space: &Space) -> Map {
        Map(Rel::lex(space, true, false))
    }

    /// Pairs of elements of a set space whose first is lexicographically before the second or equal to it.
    #[must_use]
    pub fn lex_le(space: &Space) -> Map {
        Map(Rel::lex(space, true, true))
    }

    /// Pairs of elements of a set space whose first is lexicographically after the second.
    #[must_use]
    pub fn lex_gt(space: &Space) -> Map {
        Map(Rel::lex(space, false, false))
    }

    /// Pairs of elements of a set space whose first is lexicographically after the second or equal to it.
    #[must_use]
    pub fn lex_ge(space: &Space) -> Map {
        Map(Rel::lex(space, false, true))
    }

    /// All pairs of an element of `domain` and an element of `range`.
    ///
    /// # Errors
    /// When a parameter set takes part.
    pub fn from_domain_and_range(domain: &Set, range: &Set) -> Result<Map> {
        domain.map_to(range)
    }
}
