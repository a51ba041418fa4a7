//! The interpreter of scops: executes a function's statement instances in the order of a schedule tree or of a loop AST.
//!
//! Each instance executes the statement's own operations with its iterators bound; private cells are a table of values by subscripts. Nothing of scheduling,
//! AST generation or lowering takes part: the tree's order comes from the enumeration that defines it, the AST's from its evaluation. On request, every access that an
//! instance makes is compared with what the scop says of it.
//!
//! What it deliberately lacks: speed. Instances are enumerated one by one, within counted limits.

mod cells;
mod check;
mod params;
mod plan;
mod run;

pub use plan::{ScopOrder, ScopPlan, ScopStats};

pub(crate) use plan::{Place, Plans};
