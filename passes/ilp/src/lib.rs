//! Exact lexicographic integer programs, and Farkas' lemma, for the scheduler.
//!
//! A [`Problem`] asks for the lexicographic minimum of its variables, in their order, over the integer points of linear rows. [`Exact`] answers with a proof by construction:
//! it computes with exact integers only. [`Session`] solves again with more rows. [`DualCone`] says which affine forms are non-negative on a set.
//!
//! # Which solver serves which size
//!
//! Milliseconds for the first row of a chain of statements (`cargo run --release -p tilia-ilp --example solver_times`; release, on a machine of two cores busy with other work):
//!
//! | shape | statements | unknowns | rows | exact | good_lp with proof |
//! |---|---|---|---|---|---|
//! | pipeline | 4 | 14 | 43 | 0.02 | 0.4 |
//! | pipeline | 30 | 92 | 407 | 0.2 | 107 |
//! | pipeline | 500 | 1502 | 6987 | 46 | |
//! | stencil over time | 4 | 14 | 80 | 0.05 | 1.3 |
//! | stencil over time | 30 | 92 | 600 | 0.7 | 237 |
//! | stencil over time | 500 | 1502 | 10000 | 1568 | |
//! | matrix products | 4 | 18 | 70 | 0.02 | 0.6 |
//! | matrix products | 30 | 122 | 642 | 0.3 | 286 |
//! | matrix products | 500 | 2002 | 10982 | 78 | |
//!
//! The exact solver is faster at every size, so the scheduler uses it unless a strategy names the other one. [`Auto`] is for problems that may be too hard for it: it turns to [`GoodLp`] where the exact solver
//! runs out of its share of the budget.

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
