//! What the stages of one compilation share.

use crate::options::CompileOptions;
use std::sync::Arc;
use tilia_presburger::{Answers, Budget};

/// Units of work for each stage of one scop, a few seconds' worth; ordinary kernels need a hundredth of it.
const STAGE_BUDGET: u64 = 40_000_000;

/// One compilation: what was asked for, and what was found out so far.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) options: &'a CompileOptions,
    answers: Arc<Answers>,
}

impl<'a> Context<'a> {
    /// Nothing was found out yet.
    pub(crate) fn new(options: &'a CompileOptions) -> Self {
        Self {
            options,
            answers: Arc::new(Answers::new()),
        }
    }

    /// The work that one stage may do.
    pub(crate) fn budget(&self) -> Budget {
        self.budget_of(STAGE_BUDGET)
    }

    /// A budget of that many units.
    pub(crate) fn budget_of(&self, units: u64) -> Budget {
        Budget::new(units).with_answers(&self.answers)
    }
}
