//! An independent, exact check of schedule trees.
//!
//! [`validate`] decides whether a tree executes every statement instance of a scop exactly once, and every two instances that touch one element (one of them writing) in the
//! order of the source; and whether its claims (permutable bands, coincident members) are true. It recomputes everything from domains, accesses and the original tree: it shares
//! no code with the dependence analysis, the scheduler or the AST generator, and takes none of their results. Which statements are reductions it takes from the scop, as it does the accesses. What it can't prove within its budget it refuses.
//!
//! What it deliberately lacks: trees that add or replace instances (extension and expansion nodes), which are refused as unproved; and any freedom beyond memory order, but two: updates of
//! one location by one operation may change places among themselves, also those of several statements, where that can't change the result (integers) or the scop says that it may ([`tilia_scop::FloatOrder`]); and [`validate_values`] accepts other orders of
//! conflicting pairs through which the same values pass.

mod conflict;
mod coverage;
mod order;
mod values;
mod violation;
mod walk;

pub use violation::{End, Violation, ViolationKind};
pub use walk::{validate, validate_values};
