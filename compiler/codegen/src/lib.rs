//! From the program IR to running code: the trait [`Backend`], and the Cranelift back end.
//!
//! A back end takes a `Program`, as imported or as lowered after scheduling, and gives a [`CompiledModule`] whose functions can be called with host values. It
//! decides nothing that could change a result: which multiply-adds fuse, what runs in parallel and what is a vector is all said in the program.
//!
//! What every back end for the host's processor needs is in [`analysis`] and [`native`], and is used by this crate and by those that have other code generators.

pub mod analysis;
mod backend;
mod emit;
mod jit;
pub mod native;
mod rt;
mod sites;

pub use backend::{Backend, CodegenOptions, CompiledModule, Executed, Outcome, Text};
pub use jit::CraneliftBackend;
