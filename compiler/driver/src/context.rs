//! What the stages of one compilation share.

use crate::options::CompileOptions;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tilia_presburger::{Answers, Budget};

/// Units of work for each stage of one scop, a few seconds' worth; ordinary kernels need a hundredth of it.
const STAGE_BUDGET: u64 = 40_000_000;

/// The stack of a thread of the compiler, which recurses on nested programs. Only what is used of it takes memory.
const STACK: usize = 256 << 20;

/// One compilation: what was asked for, and what was found out so far.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) options: &'a CompileOptions,
    answers: Arc<Answers>,
    /// Threads that may be started yet.
    spare: AtomicUsize,
}

impl<'a> Context<'a> {
    /// Nothing was found out yet.
    pub(crate) fn new(options: &'a CompileOptions) -> Self {
        Self {
            options,
            answers: Arc::new(Answers::new()),
            spare: AtomicUsize::new(options.threads.saturating_sub(1)),
        }
    }

    /// The work that one stage may do.
    pub(crate) fn budget(&self) -> Budget {
        self.budget_of(STAGE_BUDGET)
    }

    /// The work that judging a tree may do, without what was found out so far: a judge takes nothing over from those whom it judges.
    pub(crate) fn own_budget() -> Budget {
        Budget::new(STAGE_BUDGET)
    }

    /// Does two independent things, side by side where a thread is left of those that may be used. What comes of them doesn't depend on that.
    pub(crate) fn both<A, B: Send>(&self, first: impl FnOnce() -> A, second: impl Fn() -> B + Sync) -> (A, B) {
        let one_less = |n: usize| n.checked_sub(1);
        if self.spare.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_err() {
            return (first(), second());
        }
        std::thread::scope(|scope| {
            let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
                let done = second();
                // Whoever asks next may have it: this one ends.
                self.spare.fetch_add(1, Ordering::Relaxed);
                done
            });
            let done = first();
            match started.map(std::thread::ScopedJoinHandle::join) {
                Ok(Ok(other)) => (done, other),
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                // The system has no thread to give.
                Err(_) => {
                    self.spare.fetch_add(1, Ordering::Relaxed);
                    (done, second())
                }
            }
        })
    }

    /// A budget of that many units.
    pub(crate) fn budget_of(&self, units: u64) -> Budget {
        Budget::new(units).with_answers(&self.answers)
    }
}
