//! Raising: finds the static control parts of a function and describes them as scops.
//!
//! A run of operations becomes a [`tilia_scop::Scop`] when its loops have affine bounds and its conditions are affine; what the model can't hold inside (calls, data-dependent
//! control and accesses) becomes an opaque statement with may-accesses. The way there:
//!
//! 1. `find` cuts blocks into stretches of operations and tries each as a scop; where that fails it splits and looks inside.
//! 2. `plan` recognises the control structure, with `affine` and `views` for values and memrefs as affine forms (`lin`).
//! 3. `slice` finds the statements: what each store needs, what is computed again and what goes through private cells.
//! 4. `touch` finds the accesses in terms of root buffers, `bounds` proves them inside their shapes or finds the
//!    conditions that `assume` collects.
//! 5. `build`, `stmts`, `order` make sets, relations and the schedule tree of it.
//!
//! What it deliberately lacks: delinearisation of subscripts that are polynomials of parameters, and control flow by blocks (both stay as they are, outside scops). The idea of extraction follows
//! Verdoolaege and Grosser, "Polyhedral Extraction Tool" (IMPACT 2012).

mod affine;
mod assume;
mod bounds;
mod build;
mod cells;
mod find;
mod index;
mod lin;
mod order;
mod plan;
mod reduction;
mod roots;
mod sets;
mod slice;
mod stmts;
mod touch;
mod views;

pub use find::{Options, Raised, raise};
