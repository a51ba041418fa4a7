//! What can go wrong, with the codes of the specification's section 5.6.

use tilia_diag::{Diagnostic, Loc};
use tilia_strategy::StrategyError;

/// Why there is no schedule. Whatever a strategy's objectives and directives are, there always is one; only custom constraints, fusion wishes and failing strategies lead here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// `E301`: a partition puts the target of a dependence before its source.
    #[error("[E301] fusion at dimension {dim} is illegal: {edge}")]
    IllegalFusion {
        /// The dimension.
        dim: usize,
        /// The dependence, in words.
        edge: String,
    },
    /// `E302`: no row satisfies the custom constraints.
    #[error("[E302] no row exists at dimension {dim} under the custom constraints; the smallest set in the way: {}", conflict.join("; "))]
    Infeasible {
        /// The dimension.
        dim: usize,
        /// The constraints, of which none can be left out.
        conflict: Vec<String>,
    },
    /// `E303`: the constraints allow no statement to progress.
    #[error("[E303] the custom constraints of dimension {dim} leave no statement any progress: {}", conflict.join("; "))]
    NoProgress {
        /// The dimension.
        dim: usize,
        /// The constraints.
        conflict: Vec<String>,
    },
    /// The strategy failed (`E1xx`, `E2xx`, `E6xx`).
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// The sets library failed on something other than the budget.
    #[error(transparent)]
    Sets(tilia_presburger::Error),
    /// A guard caught our own mistake.
    #[error("internal error of the scheduler: {0}")]
    Internal(String),
}

impl Error {
    /// For printing.
    #[must_use]
    pub fn to_diagnostic(&self, loc: &Loc) -> Diagnostic {
        match self {
            Error::Strategy(e) => e.to_diagnostic(),
            other => Diagnostic::error(loc.clone(), other.to_string()),
        }
    }
}

impl From<tilia_presburger::Error> for Error {
    fn from(e: tilia_presburger::Error) -> Error {
        Error::Sets(e)
    }
}

impl From<tilia_ilp::Error> for Error {
    fn from(e: tilia_ilp::Error) -> Error {
        match e {
            tilia_ilp::Error::Sets(e) => Error::Sets(e),
            other => Error::Internal(other.to_string()),
        }
    }
}

/// The result of an operation that can fail.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Did the budget run out?
pub(crate) fn out_of_budget(e: &tilia_presburger::Error) -> bool {
    *e == tilia_presburger::Error::OutOfBudget
}
