//! Interpreters, the oracles that compiled code is compared with.
//!
//! [`Interpreter::run`] runs programs of the program IR in source order (or as lowered), with every access checked. It shares no code with scheduling, lowering or the back ends,
//! except the implementations of mathematical functions and conversions in `tilia_abi`.

mod program;
mod scop;

pub use program::{BufferId, ElementAccess, Executed, Interpreter, Observer, Options, Outcome};
pub use scop::{ScopOrder, ScopPlan, ScopStats};
