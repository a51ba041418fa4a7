//! Functions over sets: quasi-affine expressions and what is built from them.

mod aff;
mod arith;
mod constraint;

pub use aff::Aff;
pub use constraint::Constraint;
