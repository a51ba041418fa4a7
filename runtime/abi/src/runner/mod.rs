//! The functions of MLIR's runner utilities (`libmlir_runner_utils`, `libmlir_c_runner_utils`), so that programs which declare them run.
//!
//! Each exists for Rust ([`call`]) and with MLIR's C interface, under its own name and with the prefix `_mlir_ciface_` ([`symbols`]). Left out are those whose parameters
//! programs here can't hold: complex numbers, vectors in memory, random generators and sparse tensors.

mod action;
mod native;

pub use action::{RunnerFn, call, find, signature};
pub use native::{Symbol, symbols};
