//! Exact dependences of a scop, and what follows from them for its loops.
//!
//! [`dependences`] compares the accesses of every two statements in the order of a schedule tree: flow, anti and output dependences over memory, [`value_flow`]
//! finds for each read the last write before it. [`mark_coincident`] finds the parallel loops of any tree, [`mark_reductions`] those that only accumulate, [`expose_parallel`] splits bands so that inner ones show.
//! [`explain_loops`] says what keeps loops from being tiled or fused.
//!
//! Accesses that may happen take part as sources and targets but never hide others. When the budget runs out, dependences are over-approximated, never dropped.
//! The method is Feautrier's ("Dataflow analysis of array and scalar references", 1991), on relations instead of parametric integer programs.

mod carry;
mod compute;
mod explain;
mod expose;
mod flow;
mod memory;
mod parallel;
mod position;
mod reduces;
mod tell;

pub use compute::{array_flow, dependences, value_flow};
pub use explain::explain_loops;
pub use expose::expose_parallel;
pub use parallel::mark_coincident;
pub use position::TreeError;
pub use reduces::mark_reductions;
