//! What the stages of one compilation share.

use crate::options::{CompileOptions, Strategy};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tilia_presburger::{Answers, Budget};

/// Units of work for each stage of one scop, a few seconds' worth; ordinary kernels need a hundredth of it.
const STAGE_BUDGET: u64 = 40_000_000;

/// Units of work that the strategy `auto` may spend on looking for faster orders in one compilation, as long as no scop has had less than [`SCOP_SHARE`]. The largest of PolyBench's kernels, floyd-warshall in pieces, takes
/// 26 million, the 31 together 80. Candidates that are shaped side by side know nothing of each other's work, so a scop may take a few times what is left.
const SEARCH_BUDGET: u64 = 60_000_000;

/// Units that each scop may spend on it whatever those before took, so that no function's loops depend on what stands before it: a product of matrices takes 100,000.
const SCOP_SHARE: u64 = 3_000_000;

/// The stack of a thread of the compiler, which recurses on nested programs. Only what is used of it takes memory.
const STACK: usize = 256 << 20;

/// One compilation: what was asked for, and what was found out so far.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) options: &'a CompileOptions,
    answers: Arc<Answers>,
    /// Threads that may be started yet.
    spare: Arc<AtomicUsize>,
    /// Units that looking for faster orders may take in all, and those that each scop has for itself.
    limit: u64,
    share: u64,
    /// What the scop at hand may have taken when it is done, counted from the start of the compilation.
    until: AtomicU64,
    /// What it took so far, as far as this part of the compilation knows: what is done side by side counts when both are done, so that what is left never depends on who is first.
    spent: AtomicU64,
}

/// A budget whose units come off those of the compilation when it is no longer used.
#[derive(Debug)]
pub(crate) struct Charged<'a> {
    budget: Budget,
    spent: &'a AtomicU64,
}

impl Deref for Charged<'_> {
    type Target = Budget;

    fn deref(&self) -> &Budget {
        &self.budget
    }
}

impl Drop for Charged<'_> {
    fn drop(&mut self) {
        self.spent.fetch_add(self.budget.used(), Ordering::Relaxed);
    }
}

impl<'a> Context<'a> {
    /// Nothing was found out yet.
    pub(crate) fn new(options: &'a CompileOptions) -> Self {
        let limit = if options.strategy == Strategy::Auto {
            SEARCH_BUDGET
        } else {
            u64::MAX
        };
        Self::with_search_budget(options, limit, SCOP_SHARE)
    }

    /// Nothing was found out yet; looking for faster orders may take `limit` units, or `share` for each scop if that is more.
    pub(crate) fn with_search_budget(options: &'a CompileOptions, limit: u64, share: u64) -> Self {
        Self {
            options,
            answers: Arc::new(Answers::new()),
            spare: Arc::new(AtomicUsize::new(options.threads.saturating_sub(1))),
            limit,
            share,
            until: AtomicU64::new(limit),
            spent: AtomicU64::new(0),
        }
    }

    /// The next scop begins: it has its share whatever is left.
    pub(crate) fn begin_scop(&self) {
        let until = self.limit.max(self.spent().saturating_add(self.share));
        self.until.store(until, Ordering::Relaxed);
    }

    /// The same, without threads of its own.
    #[cfg(test)]
    pub(crate) fn on_one_thread(self) -> Self {
        self.spare.store(0, Ordering::Relaxed);
        self
    }

    /// The same compilation, with an account of its own.
    fn part(&self) -> Context<'a> {
        Context {
            options: self.options,
            answers: Arc::clone(&self.answers),
            spare: Arc::clone(&self.spare),
            limit: self.limit,
            share: self.share,
            until: AtomicU64::new(self.until.load(Ordering::Relaxed)),
            spent: AtomicU64::new(self.spent()),
        }
    }

    /// Units that looking for faster orders took so far.
    pub(crate) fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// Is nothing left for looking for faster orders of the scop at hand?
    pub(crate) fn is_spent(&self) -> bool {
        self.left() == 0
    }

    fn left(&self) -> u64 {
        self.until.load(Ordering::Relaxed).saturating_sub(self.spent())
    }

    /// The work that a stage may do that every scop has to pass.
    pub(crate) fn stage_budget(&self) -> Budget {
        Budget::new(STAGE_BUDGET).with_answers(&self.answers)
    }

    /// The work that one step may do on the way to a faster order: what a stage may, or what is left for the compilation if that is less.
    pub(crate) fn budget(&self) -> Charged<'_> {
        self.budget_of(STAGE_BUDGET)
    }

    /// The work that judging a tree may do, without what was found out so far: a judge takes nothing over from those whom it judges.
    pub(crate) fn own_budget() -> Budget {
        Budget::new(STAGE_BUDGET)
    }

    /// Does two independent things, side by side where a thread is left of those that may be used. What comes of them doesn't depend on that: each has an account of its own meanwhile.
    pub(crate) fn both<A, B: Send>(&self, first: impl FnOnce(&Context<'a>) -> A, second: impl Fn(&Context<'a>) -> B + Sync) -> (A, B) {
        let (one, other) = (self.part(), self.part());
        let done = self.side_by_side(|| first(&one), || second(&other));
        let before = self.spent();
        for part in [&one, &other] {
            self.spent.fetch_add(part.spent().saturating_sub(before), Ordering::Relaxed);
        }
        done
    }

    fn side_by_side<A, B: Send>(&self, first: impl FnOnce() -> A, second: impl Fn() -> B + Sync) -> (A, B) {
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

    /// As [`Context::budget`], of that many units at most.
    pub(crate) fn budget_of(&self, units: u64) -> Charged<'_> {
        Charged {
            budget: Budget::new(units.min(self.left())).with_answers(&self.answers),
            spent: &self.spent,
        }
    }
}
