//! The trait of solvers.

use tilia_presburger::{Budget, Int};

use crate::{Outcome, Problem, Result};

/// A method for lexicographic integer programs.
pub trait Solver {
    /// The name, for remarks.
    fn name(&self) -> &'static str;

    /// The lexicographic minimum of the minimised variables over the integer points of the rows.
    ///
    /// # Errors
    /// When the budget runs out or the problem isn't well-formed.
    fn lexmin(&self, problem: &Problem, budget: &Budget) -> Result<Outcome>;

    /// The same where only a minimum is wanted whose first values are lexicographically less than those of `below`: another one may count as infeasible, if that saves time.
    ///
    /// # Errors
    /// As those of [`Solver::lexmin`].
    fn lexmin_below(&self, problem: &Problem, _below: &[Int], budget: &Budget) -> Result<Outcome> {
        self.lexmin(problem, budget)
    }
}
