//! From one function of a program to one function of MLIR's dialect `llvm`, as text.
//!
//! Blocks and values are translated one to one. What LLVM can't find out by itself is said: which memrefs are disjoint ([`alias`]), and where index arithmetic doesn't overflow.
//! Everything else, such as hoisting and moving pointers along, is left to LLVM. Its floating-point operations carry no flags, so that it neither reassociates nor fuses.
//!
//! Functions are called as [`tilia_codegen::native`] says.

mod access;
mod affine;
mod alias;
mod alloc;
mod build;
mod call;
mod cast;
mod cfg;
mod check;
mod cold;
mod control;
mod core;
mod float;
mod int;
mod loops;
mod math;
mod memref;
mod parallel;
mod pure;
mod text;
mod types;
mod value;
mod vector;
mod words;

pub(super) use self::core::{Env, Scopes, Unit, UnitKind, emit_unit, unit_name};
