//! One parallel loop while it runs.

use crossbeam_utils::CachePadded;
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::Thread;

/// How iterations are dealt out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Schedule {
    /// One contiguous part of about equal length for each thread.
    #[default]
    Static,
    /// Parts of this many iterations, taken by whoever is free; 0 counts as 1.
    Dynamic(u64),
    /// One contiguous part for each thread, as with `Static`, in that many pieces; whoever is done with its own takes pieces of the others. Threads meet their own data again from loop to
    /// loop, and still none waits for one that has more to do or lost its processor. 0 counts as 1.
    Shares(u64),
}

/// The loop body panicked on some thread; all others have finished.
pub struct Panicked(pub Box<dyn Any + Send>);

impl fmt::Debug for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Panicked(..)")
    }
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the body of a parallel loop panicked")
    }
}

impl std::error::Error for Panicked {}

/// A loop, on the stack of the thread that runs it. Workers reach it through a pointer until they have called [`Job::finish`].
pub(crate) struct Job<'a> {
    body: &'a (dyn Fn(Range<u64>) + Sync),
    total: u64,
    parts: u64,
    schedule: Schedule,
    next: AtomicU64,
    /// Pieces taken of each part.
    taken: Vec<CachePadded<AtomicU64>>,
    /// Parts handed to workers and not finished.
    pub(crate) pending: AtomicUsize,
    waiter: Thread,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl<'a> Job<'a> {
    pub(crate) fn new(body: &'a (dyn Fn(Range<u64>) + Sync), total: u64, parts: usize, schedule: Schedule) -> Self {
        Self {
            body,
            total,
            parts: parts as u64,
            schedule,
            next: AtomicU64::new(0),
            taken: match schedule {
                Schedule::Shares(_) => (0..parts).map(|_| CachePadded::default()).collect(),
                Schedule::Static | Schedule::Dynamic(_) => Vec::new(),
            },
            pending: AtomicUsize::new(parts - 1),
            waiter: std::thread::current(),
            panic: Mutex::new(None),
        }
    }

    /// Does the work of part number `part`. A panic of the body is kept for the caller of the loop.
    pub(crate) fn execute(&self, part: usize) {
        let result = catch_unwind(AssertUnwindSafe(|| match self.schedule {
            Schedule::Static => {
                let range = static_part(self.total, self.parts, part as u64);
                if !range.is_empty() {
                    (self.body)(range);
                }
            }
            Schedule::Dynamic(size) => self.take_parts(size.max(1)),
            Schedule::Shares(pieces) => self.take_shares(part, pieces.max(1)),
        }));
        if let Err(payload) = result {
            let mut first = self.panic.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            first.get_or_insert(payload);
        }
    }

    fn take_parts(&self, size: u64) {
        let mut start = self.next.load(Ordering::Relaxed);
        while start < self.total {
            let end = start.saturating_add(size).min(self.total);
            match self.next.compare_exchange_weak(start, end, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    (self.body)(start..end);
                    start = self.next.load(Ordering::Relaxed);
                }
                Err(now) => start = now,
            }
        }
    }

    /// Takes pieces of part number `part`, then of the parts after it.
    fn take_shares(&self, part: usize, pieces: u64) {
        let (after, before) = (self.taken.iter().enumerate().skip(part), self.taken.iter().enumerate().take(part));
        for (owner, taken) in after.chain(before) {
            let whole = static_part(self.total, self.parts, owner as u64);
            let length = whole.end - whole.start;
            let pieces = pieces.min(length);
            // Looked at before it is written to: most pieces of others are gone when one gets there.
            while taken.load(Ordering::Relaxed) < pieces {
                let piece = taken.fetch_add(1, Ordering::Relaxed);
                if piece < pieces {
                    let range = static_part(length, pieces, piece);
                    (self.body)(whole.start + range.start..whole.start + range.end);
                }
            }
        }
    }

    /// Reports one handed-out part as done. The job may be gone when this returns.
    pub(crate) fn finish(&self) {
        // Taken first: after the decrement, the caller may have left the frame that holds `self`.
        let waiter = self.waiter.clone();
        if self.pending.fetch_sub(1, Ordering::AcqRel) == 1 {
            waiter.unpark();
        }
    }

    pub(crate) fn into_result(self) -> Result<(), Panicked> {
        let panic = self.panic.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        panic.map_or(Ok(()), |payload| Err(Panicked(payload)))
    }
}

/// Part number `part` of `0..total` split in `parts`: lengths differ by one at most.
fn static_part(total: u64, parts: u64, part: u64) -> Range<u64> {
    let (each, rest) = (total / parts, total % parts);
    let start = part * each + part.min(rest);
    start..start + each + u64::from(part < rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn static_parts_cover_once() {
        for total in [0u64, 1, 2, 7, 100, u64::MAX] {
            for parts in [1u64, 2, 3, 16] {
                let mut at = 0;
                for part in 0..parts {
                    let r = static_part(total, parts, part);
                    assert_eq!(r.start, at);
                    at = r.end;
                }
                assert_eq!(at, total);
            }
        }
    }
}
