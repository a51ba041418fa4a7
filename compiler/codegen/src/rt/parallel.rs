//! Parallel loops.

use super::context::ThreadCtx;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use tilia_pool::{Schedule, WORKER_STACK};

/// An outlined loop body: context, captured values, first iteration and the one past the last (numbers from 0). Returns 0, or 1 after an error.
pub(crate) type Body = unsafe extern "C" fn(&ThreadCtx<'_>, *const u64, u64, u64) -> u64;

/// Stack that a worker keeps back for the runtime and for frames of functions that don't check.
const RESERVE: usize = 1 << 20;

#[derive(Clone, Copy)]
struct Captures(*const u64);

// SAFETY: captured values are only read, and the loop's caller waits for all who read them.
unsafe impl Send for Captures {}
// SAFETY: as above.
unsafe impl Sync for Captures {}

impl Captures {
    fn get(&self) -> *const u64 {
        self.0
    }
}

/// Estimated operations of a piece of a thread's part: some microseconds, so that taking it costs nothing to speak of.
const PIECE: f64 = 50_000.0;
/// Most pieces of a part.
const MOST_PIECES: f64 = 16.0;

/// How a loop with that much work is dealt out.
fn shares(work: f64, threads: usize) -> Schedule {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let pieces = work / threads as f64 / PIECE;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and a few")]
    let pieces = pieces.clamp(1.0, MOST_PIECES) as u64;
    Schedule::Shares(pieces)
}

/// Executes iterations `0..trips` of `body`, on the pool if `work` (estimated operations of all iterations) is worth it and the thread isn't in a parallel loop already. Returns 0, or 1
/// after an error in some iteration.
///
/// # Safety
/// `body` is a compiled body that fits `captures`.
pub(crate) unsafe extern "C" fn parallel(ctx: &ThreadCtx<'_>, body: Body, captures: *const u64, trips: u64, work: f64) -> u64 {
    let shared = ctx.shared;
    // A NaN can't come out of the estimate; it would not fork.
    #[expect(clippy::cast_precision_loss, reason = "a threshold")]
    let worthwhile = shared.grain == 0 || work >= shared.grain as f64;
    if ctx.first_iteration.is_some() || !worthwhile {
        // SAFETY: handed on.
        return unsafe { body(ctx, captures, 0, trips) };
    }
    shared.parallel.fetch_add(1, Ordering::Relaxed);
    let captures = Captures(captures);
    let failed = AtomicBool::new(false);
    let caller = std::thread::current().id();
    let part = |part: Range<u64>| {
        let stack = if std::thread::current().id() == caller {
            ctx.stack_below()
        } else {
            WORKER_STACK - RESERVE
        };
        let own = ThreadCtx::new(shared, stack, Some(part.start));
        // SAFETY: handed on; `captures` outlives the loop.
        let status = unsafe { body(&own, captures.get(), part.start, part.end) };
        own.retire();
        if status != 0 {
            failed.store(true, Ordering::Relaxed);
        }
    };
    if shared.threads <= 1 {
        part(0..trips);
        return u64::from(failed.into_inner());
    }
    let outcome = shared.pool.run(shared.threads, trips, shares(work, shared.threads), &part);
    u64::from(outcome.is_err() || failed.into_inner())
}
