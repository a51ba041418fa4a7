//! The trait of solvers.

use tilia_presburger::Budget;

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
}
