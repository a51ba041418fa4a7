//! The pool.

use crate::job::{Job, Panicked, Schedule};
use crate::worker::{Worker, inside, is_inside, spin_until};
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, TryLockError};

/// Threads for parallel loops. Cheap to make: workers are started by the first loop that needs them, and joined when the pool is dropped.
#[derive(Default)]
pub struct Pool {
    /// Held while a loop runs.
    workers: Mutex<Vec<Worker>>,
}

/// How a loop was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forked {
    /// Parts into which the iterations were split; 1 when the caller did all.
    pub parts: usize,
}

impl Pool {
    /// A pool without threads.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of workers started so far.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers.lock().unwrap_or_else(std::sync::PoisonError::into_inner).len()
    }

    /// Executes `body` on ranges that together are `0..total`, on at most `threads` threads, the caller among them, and waits for all. With one thread, or
    /// from within a loop, or while another thread runs a loop on this pool, `body` is called once, here, with the whole range.
    ///
    /// # Errors
    /// A panic of the body, after all parts have ended.
    pub fn run(&self, threads: usize, total: u64, schedule: Schedule, body: &(dyn Fn(Range<u64>) + Sync)) -> Result<Forked, Panicked> {
        let parts = usize::try_from(total).unwrap_or(usize::MAX).min(threads);
        if parts > 1 && !is_inside() {
            let mut workers = match self.workers.try_lock() {
                Ok(guard) => Some(guard),
                // A panic in here would have to come from the pool itself; the workers are still sound.
                Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => None,
            };
            if let Some(workers) = &mut workers {
                grow(workers, parts - 1);
                let parts = parts.min(workers.len() + 1);
                if parts > 1 {
                    fork(&workers[..parts - 1], total, schedule, body)?;
                    return Ok(Forked { parts });
                }
            }
        }
        run_here(total, body)
    }
}

fn grow(workers: &mut Vec<Worker>, wanted: usize) {
    while workers.len() < wanted {
        let index = workers.len() + 1;
        let Some(worker) = Worker::start(index) else {
            tracing::warn!(index, "the system gives no more threads");
            return;
        };
        tracing::debug!(index, "worker started");
        workers.push(worker);
    }
}

fn run_here(total: u64, body: &(dyn Fn(Range<u64>) + Sync)) -> Result<Forked, Panicked> {
    if total > 0 {
        let job = Job::new(body, total, 1, Schedule::Static);
        job.execute(0);
        job.into_result()?;
    }
    Ok(Forked { parts: 1 })
}

fn fork(workers: &[Worker], total: u64, schedule: Schedule, body: &(dyn Fn(Range<u64>) + Sync)) -> Result<(), Panicked> {
    let job = Job::new(body, total, workers.len() + 1, schedule);
    for worker in workers {
        // SAFETY: this function doesn't return before `pending` is zero, that is, before every part was withdrawn or finished; `execute` catches panics, and
        // nothing else in between panics.
        unsafe { worker.offer(&raw const job) };
    }
    inside(|| {
        job.execute(0);
        for (k, worker) in workers.iter().enumerate() {
            if worker.withdraw(&raw const job) {
                job.execute(k + 1);
                job.finish();
            }
        }
    });
    while !spin_until(|| job.pending.load(Ordering::Acquire) == 0) {
        // The last worker's `finish` unparks; a stale token of an earlier loop only makes this look once more.
        std::thread::park();
    }
    job.into_result()
}
