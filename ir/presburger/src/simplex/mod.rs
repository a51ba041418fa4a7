//! Linear programming over exact rationals, and integer points on top of it.

mod branch;
mod gbr;
mod integer;
mod optimum;
mod problem;
mod sample;
mod tableau;

pub(crate) use branch::{Search, branch_and_bound};
pub(crate) use integer::integer_minimum;
pub(crate) use optimum::Frac;
pub use optimum::{Limits, Optimum};
pub(crate) use problem::{Problem, tighten};
pub(crate) use sample::{complete_integer_point, echelon_transform, integer_point, quick_integer_point};
pub(crate) use tableau::{Dir, Snapshot, Tableau};
