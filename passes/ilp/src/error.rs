//! What can go wrong.

/// Why there is no answer. (That a problem has no solution is an answer: [`crate::Outcome::Infeasible`].)
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The counted budget ran out, or another operation on sets failed.
    #[error(transparent)]
    Sets(#[from] tilia_presburger::Error),
    /// A row names a variable that the problem doesn't have.
    #[error("row {row} names variable {var}, but there are only {count}")]
    NoSuchVariable {
        /// The number of the row.
        row: usize,
        /// The variable that it names.
        var: usize,
        /// The number of variables.
        count: usize,
    },
    /// The floating-point solver gave up, or doesn't take such a problem.
    #[error("the solver {solver} failed: {reason}")]
    Backend {
        /// The solver's name.
        solver: &'static str,
        /// What it said.
        reason: String,
    },
    /// Farkas' lemma says nothing about an empty set.
    #[error("the set is empty: every affine form is non-negative on it")]
    EmptySet,
}

impl Error {
    /// Did the counted budget run out?
    pub fn is_out_of_budget(&self) -> bool {
        matches!(self, Error::Sets(tilia_presburger::Error::OutOfBudget))
    }
}

/// The result of an operation that can fail.
pub type Result<T> = std::result::Result<T, Error>;
