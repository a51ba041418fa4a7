//! The LLVM back end on the programs that Cranelift is tested with, against the interpreter.
#![expect(clippy::unwrap_used, reason = "helpers of tests may")]

#[path = "../../../../ir/interp/tests/build/mod.rs"]
mod build;
#[path = "../../../codegen/tests/it/compare.rs"]
mod compare;
#[path = "../../../codegen/tests/it/control.rs"]
mod control;
#[path = "../../../codegen/tests/it/loops.rs"]
mod loops;
#[path = "../../../codegen/tests/it/memory.rs"]
mod memory;
#[path = "../../../codegen/tests/it/numbers.rs"]
mod numbers;

fn backend() -> impl tilia_codegen::Backend {
    tilia_mlir::LlvmBackend::new()
}
