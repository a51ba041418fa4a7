//! Counted work limits.
//!
//! Heavy operations spend units (roughly: one unit a row operation of the simplex tableau or of an elimination) and give up
//! with [`Error::OutOfBudget`] when none are left. Counting, not timing, keeps results independent of the machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::basic::Answers;
use crate::error::{Error, Result};

/// A counter of work units, shared by reference between the operations of one task.
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    used: AtomicU64,
    answers: Option<Arc<Answers>>,
}

/// Generous: some seconds of work on any one task, thousands of times what a loop nest needs.
const DEFAULT_UNITS: u64 = 200_000_000;

impl Budget {
    /// A budget of that many units.
    pub fn new(units: u64) -> Budget {
        Budget {
            limit: units,
            used: AtomicU64::new(0),
            answers: None,
        }
    }

    /// The same budget, for a task that shares answers with others.
    #[must_use]
    pub fn with_answers(self, answers: &Arc<Answers>) -> Budget {
        Budget {
            answers: Some(Arc::clone(answers)),
            ..self
        }
    }

    /// A budget of that many units, or of what is left if that is less, with the same answers.
    #[must_use]
    pub fn part(&self, units: u64) -> Budget {
        Budget {
            answers: self.answers.clone(),
            ..Budget::new(units.min(self.remaining()))
        }
    }

    /// What was asked before.
    pub(crate) fn answers(&self) -> Option<&Answers> {
        self.answers.as_deref()
    }

    /// A budget that never runs out: for tests and for inputs that are known to be harmless.
    pub fn unlimited() -> Budget {
        Budget::new(u64::MAX)
    }

    /// Takes `n` units off.
    ///
    /// # Errors
    /// [`Error::OutOfBudget`] when fewer than `n` are left.
    #[inline]
    pub fn spend(&self, n: u64) -> Result<()> {
        let before = self.used.fetch_add(n, Ordering::Relaxed);
        if before.saturating_add(n) > self.limit {
            // Keep the counter from wrapping, however often a caller tries again.
            self.used.store(self.limit, Ordering::Relaxed);
            return Err(Error::OutOfBudget);
        }
        Ok(())
    }

    /// The units spent so far.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// The units that are left.
    pub fn remaining(&self) -> u64 {
        self.limit.saturating_sub(self.used())
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::new(DEFAULT_UNITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_out_and_stays_out() {
        let b = Budget::new(10);
        assert!(b.spend(10).is_ok());
        assert_eq!(b.spend(1), Err(Error::OutOfBudget));
        assert_eq!(b.spend(1), Err(Error::OutOfBudget));
        assert_eq!(b.used(), 10);
    }
}
