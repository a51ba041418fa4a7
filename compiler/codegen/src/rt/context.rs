//! What running code knows: one [`Shared`] for each call from the host, one [`ThreadCtx`] for each thread working on it.

use super::memory::Registry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tilia_pool::Pool;

/// State of a call that all its threads share.
pub(crate) struct Shared {
    /// The error to report, if any, with the number of the parallel iteration at which its thread began.
    failure: Mutex<Option<(u64, Failure)>>,
    /// Heap memory of the call.
    pub(crate) registry: Registry,
    /// Threads for parallel loops.
    pub(crate) pool: Arc<Pool>,
    /// How many of them a loop may use, the caller included.
    pub(crate) threads: usize,
    /// Work below which a parallel loop doesn't fork.
    pub(crate) grain: u64,
    /// Parallel regions executed.
    pub(crate) parallel: AtomicU64,
    /// Vector loops executed, of threads that have ended.
    pub(crate) vector: AtomicU64,
    /// Full tiles executed, of threads that have ended.
    pub(crate) full_tiles: AtomicU64,
}

/// An error as compiled code reports it: which of the module's sites, and two numbers for its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) site: u64,
    pub(crate) values: [i64; 2],
}

/// State of one thread; compiled functions get its address as their first argument, and address the first fields by offset.
#[repr(C)]
pub(crate) struct ThreadCtx<'a> {
    /// Lowest address that the stack pointer may reach.
    stack_limit: u64,
    /// Vector loops executed on this thread. Compiled code adds to it behind Rust's back, hence the type with interior mutability.
    vector: AtomicU64,
    /// Full tiles executed on this thread; as above.
    full_tiles: AtomicU64,
    /// Where this thread began, if it executes iterations of a parallel loop.
    pub(crate) first_iteration: Option<u64>,
    pub(crate) shared: &'a Shared,
}

impl Shared {
    pub(crate) fn new(pool: Arc<Pool>, threads: usize, grain: u64, memory_limit: u64) -> Self {
        Self {
            failure: Mutex::new(None),
            registry: Registry::new(memory_limit),
            pool,
            threads,
            grain,
            parallel: AtomicU64::new(0),
            vector: AtomicU64::new(0),
            full_tiles: AtomicU64::new(0),
        }
    }

    /// Keeps `failure` if it is the first in the order of a serial execution. Each piece of the iterations is contiguous and stops at its own first
    /// error, and all pieces are begun, so the error of the piece that begins earliest is the one that a serial execution stops at.
    fn record(&self, order: u64, failure: Failure) {
        let mut kept = lock(&self.failure);
        if kept.is_none_or(|(other, _)| order < other) {
            *kept = Some((order, failure));
        }
    }

    pub(crate) fn failure(&self) -> Option<Failure> {
        lock(&self.failure).map(|kept| kept.1)
    }
}

/// Locks, also after a panic elsewhere: the guarded data are plain values that are never half-changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> ThreadCtx<'a> {
    /// Byte offsets of the fields that compiled code uses.
    pub(crate) const STACK_LIMIT: i32 = 0;
    pub(crate) const VECTOR: i32 = 8;
    pub(crate) const FULL_TILES: i32 = 16;

    /// State for the current thread, which has `stack` bytes below the current frame.
    pub(crate) fn new(shared: &'a Shared, stack: usize, first_iteration: Option<u64>) -> Self {
        let here = 0u8;
        let stack_limit = (&raw const here as u64).saturating_sub(stack as u64);
        Self {
            stack_limit,
            vector: AtomicU64::new(0),
            full_tiles: AtomicU64::new(0),
            first_iteration,
            shared,
        }
    }

    /// Bytes left below the current frame.
    pub(crate) fn stack_below(&self) -> usize {
        let here = 0u8;
        usize::try_from((&raw const here as u64).saturating_sub(self.stack_limit)).unwrap_or(0)
    }

    /// Adds this thread's counts to those of the call.
    pub(crate) fn retire(&self) {
        self.shared.vector.fetch_add(self.vector.load(Ordering::Relaxed), Ordering::Relaxed);
        self.shared
            .full_tiles
            .fetch_add(self.full_tiles.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Records an error of the site with that number.
pub(crate) extern "C" fn fail(ctx: &ThreadCtx<'_>, site: u64, a: i64, b: i64) {
    ctx.shared
        .record(ctx.first_iteration.unwrap_or(0), Failure { site, values: [a, b] });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn offsets_hold() {
        assert_eq!(offset_of!(ThreadCtx<'_>, stack_limit), ThreadCtx::STACK_LIMIT as usize);
        assert_eq!(offset_of!(ThreadCtx<'_>, vector), ThreadCtx::VECTOR as usize);
        assert_eq!(offset_of!(ThreadCtx<'_>, full_tiles), ThreadCtx::FULL_TILES as usize);
    }
}
