//! The interpreter of programs: the truth that compiled code is compared with.
//!
//! It executes operations one by one, as their documentation in `tilia_program` says and as plainly as possible. Every access is checked against the shape of the
//! memref and against the buffer, whatever the access's own flag says; every step is counted. Control flow and calls live on explicit stacks, so that no
//! program can exhaust the native one.
//!
//! Lowered programs run, too: parallel and vector loops serially, on request in a permuted order and with a check that no two iterations of a
//! parallel loop touch one element.

mod access;
mod control;
mod machine;
mod memory;
mod number;
mod options;
mod order;
mod pure_op;
mod races;
mod slot;
mod view;

pub use machine::Interpreter;
pub use memory::BufferId;
pub use options::{ElementAccess, Executed, Observer, Options, Outcome};

pub(crate) use machine::Machine;
pub(crate) use memory::View;
pub(crate) use options::Touched;
pub(crate) use slot::Slot;
