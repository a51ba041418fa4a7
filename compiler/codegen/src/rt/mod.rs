//! The part of the runtime that compiled code calls: errors, memory, parallel loops.
//!
//! All functions here are `extern "C"` and are called by machine code only, through addresses in it. They never panic and never unwind; what goes wrong is recorded in
//! [`Shared`] and reported by a return value, whereupon compiled code returns through its callers.

mod context;
mod memory;
pub(crate) mod numbers;
mod parallel;
mod strided;

pub(crate) use context::{Shared, ThreadCtx, fail};
pub(crate) use memory::{alloc, alloca, check_view, dealloc, free_slot, retire};
pub(crate) use parallel::parallel;
pub(crate) use strided::{copy, overlap};
