//! Sets: unions of basic sets.

use super::BasicSet;
use super::common::union_methods;
use crate::error::Result;
use crate::func::Constraint;
use crate::rel::Rel;
use crate::space::{DimType, Space};

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
}
