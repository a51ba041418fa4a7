//! OpenScop and isl text: programs and schedules exchanged with other polyhedral tools.
//!
//! [`OpenScop`] is a file of the format of clan, candl, Pluto and CLooG (after C. Bastoul, OpenScop 1.0). [`OpenScop::to_scop`] makes a [`tilia_scop::Scop`] of it, whose statements have
//! domains and accesses and no body; [`OpenScop::with_schedule`] puts a new schedule into the file and leaves everything else as it was; [`OpenScop::from_scop`] makes a file of a scop that
//! came from elsewhere. [`isl`] has scops as sets and maps in isl's notation, and schedules as flat relations.
//!
//! Not here: the `<dependence>` extension is kept as text and not used (dependences are computed), bodies aren't parsed.

pub mod isl;
mod openscop;
mod scop;
mod tree;

pub use openscop::{Error, Extension, Matrix, OpenScop, Relation, RelationKind, Statement};
pub use tree::{flatten, tree_of_maps};
