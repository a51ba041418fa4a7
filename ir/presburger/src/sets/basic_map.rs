//! Basic maps: convex pieces.

use std::sync::Arc;

use super::common::basic_methods;
use super::{Map, Point, convert};
use crate::basic::Basic;
use crate::error::Result;
use crate::func::Constraint;
use crate::num::Budget;
use crate::rel::Rel;
use crate::space::{DimType, Space};

/// A conjunction of constraints on the pairs of a map space, with existentially quantified local variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BasicMap {
    pub(super) space: Space,
    pub(super) basic: Arc<Basic>,
}

basic_methods!(BasicMap, Map);
