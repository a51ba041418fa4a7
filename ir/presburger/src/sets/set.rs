//! Sets: unions of basic sets.

use super::common::union_methods;
use super::{BasicSet, Map, Point};
use crate::error::Result;
use crate::func::{Aff, Constraint};
use crate::lexmin::Goal;
use crate::num::{Budget, Int};
use crate::rel::Rel;
use crate::simplex::{Dir, Limits, Optimum};
use crate::space::{DimType, Id, Space, Tuple};

/// A finite union of basic sets in one space.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Set(pub(super) Rel);

union_methods!(Set, BasicSet);

impl Set {
    /// The pieces.
    pub fn basic_sets(&self) -> Vec<BasicSet> {
        self.pieces()
    }

    /// The set with one piece.
    pub fn from_basic_set(b: &BasicSet) -> Set {
        b.to_union()
    }

    /// The images of the elements under a map.
    ///
    /// # Errors
    /// When the map's domain is another tuple.
    pub fn apply(&self, map: &Map) -> Result<Set> {
        Ok(Set(self.0.apply_range(map.rel())?))
    }

    /// The map from each element to itself.
    ///
    /// # Errors
    /// For a parameter set.
    pub fn identity(&self) -> Result<Map> {
        Ok(Map::from_rel(self.0.identity_on()?))
    }

    /// The pairs that are wrapped in the elements.
    ///
    /// # Errors
    /// When the tuple is no wrapped product.
    pub fn unwrap(&self) -> Result<Map> {
        Ok(Map::from_rel(self.0.unwrap()?))
    }

    /// The first halves of the wrapped pairs.
    ///
    /// # Errors
    /// When the tuple is no wrapped product.
    pub fn factor_domain(&self) -> Result<Set> {
        Ok(Set(self.0.factor(DimType::Out, false)?))
    }

    /// The second halves of the wrapped pairs.
    ///
    /// # Errors
    /// When the tuple is no wrapped product.
    pub fn factor_range(&self) -> Result<Set> {
        Ok(Set(self.0.factor(DimType::Out, true)?))
    }

    /// `[A -> B] -> A` for a set of wrapped pairs.
    ///
    /// # Errors
    /// When the tuple is no wrapped product.
    pub fn wrapped_domain_map(&self) -> Result<Map> {
        self.unwrap()?.domain_map()
    }

    /// Is this a set of parameter values?
    pub fn is_params(&self) -> bool {
        self.space().is_params()
    }

    /// The set of all elements of a tuple at the given parameter values.
    ///
    /// # Errors
    /// When this is no parameter set.
    pub fn from_params(&self) -> Result<Set> {
        let space = Space::set(self.space().params().to_vec(), Tuple::anonymous(0));
        Ok(Set(self.0.embed(&space, DimType::Param)?))
    }

    /// All pairs of an element here and an element of the other set.
    ///
    /// # Errors
    /// When a parameter set takes part.
    pub fn map_to(&self, range: &Set) -> Result<Map> {
        self.product(range)?.unwrap()
    }
}
