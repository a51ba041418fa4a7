//! The exact solver: lexicographic dual simplex, integer cuts, branches.
//!
//! [`Prepared`] brings a problem into a normal form, [`Cone`] solves its relaxation, [`search`] makes the values integers, and [`Session`] keeps all of that for the next
//! rows.
//!
//! The method is that of Feautrier's PIP ("Parametric integer programming", 1988) without parameters, with three differences: the tableau is kept by columns, as a vertex and
//! the edges of the cone at it; rows enter only when they are violated; and where cuts don't end soon (or don't exist: with continuous variables) it branches.

mod cone;
mod prepare;
mod search;
mod session;
mod sparse;

pub use session::Session;

use tilia_presburger::{Budget, Int};

use crate::{Outcome, Problem, Result, Solver};

/// Do the rows have a solution with integers for the integer variables? Cheaper than a minimum.
///
/// # Errors
/// When the budget runs out or the problem isn't well-formed.
pub fn feasible(problem: &Problem, b: &Budget) -> Result<bool> {
    Ok(matches!(Session::for_any_point(problem)?.solve(b)?, Outcome::Optimal(_)))
}

/// The exact solver. See [`Session`] for solving again with more rows.
#[derive(Clone, Copy, Default, Debug)]
pub struct Exact;

impl Solver for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn lexmin(&self, problem: &Problem, budget: &Budget) -> Result<Outcome> {
        Session::new(problem)?.solve(budget)
    }

    fn lexmin_below(&self, problem: &Problem, below: &[Int], budget: &Budget) -> Result<Outcome> {
        Session::new(problem)?.solve_below(Some(below), budget)
    }
}
