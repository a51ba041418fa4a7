//! Everything that touches MLIR: reading modules into the program IR, and writing them back.
//!
//! [`import`] parses and verifies a module with MLIR itself and translates it operation by operation into a [`tilia_program::Program`]; the module stays alive in
//! the [`Imported`] value, so that changed functions can be put back into it and everything else stays as the user wrote it.
//!
//! [`LlvmBackend`] compiles programs with LLVM.
//!
//! What it deliberately lacks: passes (MLIR's own are never run here, except for those of LLVM in its back end), and any judgement about what the operations mean beyond their definition; finding
//! static control parts is a later stage's work. All unsafe code sits in one private module.

mod export;
mod ffi;
mod guard;
mod import;
mod imported;
mod llvm;
mod location;
mod scan;
mod split;
mod walk;

pub use export::{Form, export, export_as};
pub use import::{OVERLAP, import};
pub use imported::{FunctionLayouts, ImportOptions, Imported, LogicalShape};
pub use llvm::LlvmBackend;
pub use split::{Chunk, split_input};
