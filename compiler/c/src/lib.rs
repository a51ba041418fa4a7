//! Programs written as C: for reading, and for comparing with other compilers.
//!
//! The text keeps the program's shape: the same nests, multi-dimensional subscripts, one C function a function. Arrays are parameters of constant extents
//! where those are known ([`Style::extents`]), else of variable ones; nothing is `restrict`. Loops that lowering made parallel carry an OpenMP pragma.
//!
//! What C has no plain words for (views, unranked memrefs, graphs of blocks, vectors) is refused with the place.

mod expr;
mod function;
mod names;
mod operation;
mod style;

pub use function::{print_function, print_program};
pub use style::{Extents, Style};
