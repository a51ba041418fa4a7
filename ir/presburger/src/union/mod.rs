//! Sets and maps over several tuples at once.
//!
//! A [`UnionSet`] holds at most one [`Set`] for each tuple, a [`UnionMap`] at most one [`Map`] for each pair of tuples; all members have
//! the same parameters. Members keep the order in which their tuples first appeared, so that what is printed is stable. Operations work
//! member by member: tuples that have no partner contribute nothing to an intersection and stay as they are in a difference.

mod common;
mod search;
mod union_map;
mod union_set;

pub use union_map::UnionMap;
pub use union_set::UnionSet;
