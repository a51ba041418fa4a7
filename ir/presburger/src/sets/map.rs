//! Maps: unions of basic maps.

use super::BasicMap;
use super::common::union_methods;
use crate::error::Result;
use crate::func::Constraint;
use crate::rel::Rel;
use crate::space::{DimType, Space};

/// A finite union of basic maps in one space.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Map(pub(super) Rel);

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
}
