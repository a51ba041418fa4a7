//! Exact lexicographic integer programs, and Farkas' lemma, for the scheduler.
//!
//! A [`Problem`] asks for the lexicographic minimum of its variables, in their order, over the integer points of linear rows. [`Exact`] answers with a proof by construction:
//! it computes with exact integers only. [`Session`] solves again with more rows. [`DualCone`] says which affine forms are non-negative on a set.

mod error;
mod exact;
mod farkas;
mod float;
mod problem;
mod solution;
mod solver;

pub use error::{Error, Result};
pub use exact::{Exact, Session, feasible};
pub use farkas::{AffineForm, ConeRow, DualCone};
pub use float::{Auto, GoodLp};
pub use problem::{Linear, Problem, Row, RowKind, Var};
pub use solution::{Outcome, Rational, Solution};
pub use solver::Solver;
