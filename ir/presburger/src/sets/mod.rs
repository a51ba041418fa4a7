//! The public set and map types.

mod basic_map;
mod basic_set;
mod common;
mod convert;
mod map;
mod map_query;
mod point;
mod rows;
mod set;

pub use basic_map::BasicMap;
pub use basic_set::BasicSet;
pub(crate) use convert::used_divs;
pub use map::{Closure, Map};
pub use point::Point;
pub use rows::ConstraintRows;
pub use set::Set;
