//! The Cranelift back end on hand-made programs, against the interpreter.
#![expect(clippy::unwrap_used, reason = "helpers of tests may")]

#[path = "../../../../ir/interp/tests/build/mod.rs"]
#[expect(dead_code, reason = "shared with the interpreter's tests, which use other parts of it")]
mod build;
mod compare;
mod control;
mod loops;
mod memory;
mod numbers;
