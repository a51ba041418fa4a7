//! From one function of a program to one function of Cranelift's intermediate language.
//!
//! The program is in SSA form already, so blocks and values are translated one to one, without a frontend that builds SSA. What is added: index arithmetic is kept as polynomials ([`poly`]) and put
//! together where it is used, invariant parts outside of loops ([`place`]); intervals ([`crate::analysis::Range`]) tell where overflow needs no check.
//!
//! Every compiled function has the signature `(context, arguments, results) -> status`: arguments and results are arrays of eight-byte words in the caller's frame, the
//! status is 0, or 1 after an error, whereupon the caller returns 1 as well. Bodies of parallel loops have `(context, captures, first, end) -> status`.

mod address;
mod affine;
mod call;
mod cast;
mod cfg;
mod check;
mod control;
mod core;
mod float;
mod int;
mod loops;
mod math;
mod memory;
mod memref;
mod narrow;
mod parallel;
mod place;
mod poly;
mod pure;
mod types;
mod value;
mod vector;
mod words;
mod work;

pub(crate) use self::core::{Env, Unit, UnitKind, emit_unit};
