//! From the loop AST back to operations of the program: what every back end executes.
//!
//! # What it does
//! [`lower`] replaces a scop's operations in its function by loops, conditions and statement instances made from the loop AST. On the way
//! - private cells become SSA values again where their uses allow it (`slots`), else buffers;
//! - memory locations that don't change in a loop live in registers across it (scalar replacement, with exact disjointness tests);
//! - the outermost parallel loops become [`tilia_program::LoopExec::Parallel`];
//! - innermost parallel loops with contiguous accesses become 128-bit vector loops with a scalar rest (`vector`);
//! - what the model takes for granted and nobody proved (assumptions on parameters, arrays that don't overlap) is checked once at run time; where a check
//!   fails, the original operations run, with checks at their accesses (`version`).
//!
//! # What it deliberately lacks
//! Knowledge of machines and of back ends, except for the number of bits of a vector. Decisions about order: those are in the schedule tree.
//!
//! [`contract()`] is the one place where multiply-adds fuse (`--fp=contract`), [`reassociate()`] the one where sums of a statement change their order (`--fp=fast`).

mod arrange;
mod branches;
mod cells;
mod contract;
mod copies;
mod disjoint;
mod emit;
mod expr;
mod form;
mod instance;
mod layouts;
mod reassociate;
mod reuse;
mod sets;
mod slots;
mod split;
mod storage;
mod tighten;
mod tree;
mod unroll;
mod vector;
mod version;

pub use branches::if_convert;
pub use contract::contract;
pub use reassociate::reassociate;
pub use tree::Declined;
pub use version::{Options, lower};
