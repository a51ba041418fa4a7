//! From schedule trees to loops: the AST generator.
//!
//! The tree's bands assign schedule values to statement instances. [`generate`] projects the set of values on one dimension after the other and makes loops that
//! scan them in lexicographic order; conditions that no loop enforces are left to guards, which move outwards as far as they go. The construction is right for any
//! tree by three facts, each local: loops cover all values of the pieces they are made for, pieces partition the values and stand in ascending order, and the guard
//! at a statement tests exactly what isn't known there.
//!
//! After T. Grosser, S. Verdoolaege, A. Cohen: Polyhedral AST generation is more than scanning polyhedra (TOPLAS 2015).

mod alternatives;
mod apart;
mod ask;
mod bounds;
mod build;
mod close;
mod convert;
mod cost;
mod exe;
mod expr;
mod generate;
mod graft;
mod isolate;
mod lanes;
mod leaf;
mod level;
mod lin;
mod options;
mod order;
mod params;
mod pieces;
mod project;
mod quotient;
mod residue;
mod settle;
mod solve;
mod unroll;

pub use generate::generate;
pub use options::{Error, Options};
