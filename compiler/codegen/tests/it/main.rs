//! The Cranelift back end on hand-made programs, against the interpreter.
#![expect(clippy::unwrap_used, reason = "helpers of tests may")]

#[path = "../../../../ir/interp/tests/build/mod.rs"]
mod build;
mod compare;
mod control;
mod loops;
mod many;
mod memory;
mod multiply_adds;
mod numbers;

/// What these modules test; the LLVM back end's tests are the same with another.
fn backend() -> impl tilia_codegen::Backend {
    tilia_codegen::CraneliftBackend::new()
}
