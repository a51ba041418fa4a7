//! Worker threads and the slots through which they get work.

use crate::job::Job;
use crossbeam_utils::CachePadded;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

/// Stack of a worker thread, in bytes.
pub const WORKER_STACK: usize = 8 << 20;

/// How long a thread watches before it sleeps: longer than the gap between two loops of one kernel, shorter than anyone would notice as load.
const SPIN: Duration = Duration::from_micros(50);

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is executing a part of a parallel loop.
pub(crate) fn is_inside() -> bool {
    INSIDE.get()
}

/// Marks the thread as inside a loop while `f` runs.
pub(crate) fn inside<R>(f: impl FnOnce() -> R) -> R {
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            INSIDE.set(self.0);
        }
    }
    let _reset = Reset(INSIDE.replace(true));
    f()
}

/// Where a worker finds its next job. Null when it has none; whoever swaps a job out executes that part.
pub(crate) struct Slot {
    job: CachePadded<AtomicPtr<Job<'static>>>,
    asleep: CachePadded<AtomicBool>,
    stop: AtomicBool,
}

pub(crate) struct Worker {
    pub(crate) slot: Arc<Slot>,
    thread: Thread,
    handle: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts worker number `index` (the caller of a loop is number 0). `None` when the system gives no thread.
    pub(crate) fn start(index: usize) -> Option<Self> {
        let slot = Arc::new(Slot {
            job: CachePadded::new(AtomicPtr::new(std::ptr::null_mut())),
            asleep: CachePadded::new(AtomicBool::new(false)),
            stop: AtomicBool::new(false),
        });
        let theirs = Arc::clone(&slot);
        let handle = std::thread::Builder::new()
            .name(format!("tilia-{index}"))
            .stack_size(WORKER_STACK)
            .spawn(move || inside(|| theirs.serve(index)))
            .ok()?;
        Some(Self {
            slot,
            thread: handle.thread().clone(),
            handle: Some(handle),
        })
    }

    /// Offers `job` to the worker.
    ///
    /// # Safety
    /// `job` must stay where it is until it was withdrawn, or until the worker has called [`Job::finish`] on it.
    pub(crate) unsafe fn offer(&self, job: *const Job<'_>) {
        self.slot.job.store(job.cast::<Job<'static>>().cast_mut(), Ordering::SeqCst);
        if self.slot.asleep.load(Ordering::SeqCst) {
            self.thread.unpark();
        }
    }

    /// Takes `job` back, if the worker hasn't begun it.
    pub(crate) fn withdraw(&self, job: *const Job<'_>) -> bool {
        let job = job.cast::<Job<'static>>().cast_mut();
        self.slot
            .job
            .compare_exchange(job, std::ptr::null_mut(), Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.slot.stop.store(true, Ordering::SeqCst);
        self.thread.unpark();
        if let Some(handle) = self.handle.take() {
            // Bodies' panics are caught in the job, so this can only be an error of the pool itself; it was printed by the panic hook.
            let _ = handle.join();
        }
    }
}

impl Slot {
    fn serve(&self, index: usize) {
        while let Some(job) = self.wait() {
            // SAFETY: swapping the pointer out made this thread responsible for the part; the caller keeps the job alive until `finish` was called for every such part.
            let job = unsafe { &*job };
            job.execute(index);
            job.finish();
        }
    }

    fn take(&self) -> Option<*const Job<'static>> {
        // Most looks find nothing: read before writing, so that the line stays shared.
        if self.job.load(Ordering::Relaxed).is_null() {
            return None;
        }
        let job = self.job.swap(std::ptr::null_mut(), Ordering::AcqRel);
        (!job.is_null()).then_some(job.cast_const())
    }

    fn wait(&self) -> Option<*const Job<'static>> {
        let mut found = None;
        let ready = |found: &mut Option<_>| {
            *found = self.take();
            found.is_some() || self.stop.load(Ordering::Relaxed)
        };
        while !spin_until(|| ready(&mut found)) {
            self.asleep.store(true, Ordering::SeqCst);
            // The submitter stores the job before it reads `asleep`: one of the two sees the other.
            if self.job.load(Ordering::SeqCst).is_null() && !self.stop.load(Ordering::SeqCst) {
                std::thread::park();
            }
            self.asleep.store(false, Ordering::SeqCst);
        }
        found
    }
}

/// Asks `done` again and again for a short time. Returns whether it said yes.
pub(crate) fn spin_until(mut done: impl FnMut() -> bool) -> bool {
    if done() {
        return true;
    }
    let start = Instant::now();
    loop {
        for _ in 0..32 {
            std::hint::spin_loop();
            if done() {
                return true;
            }
        }
        if start.elapsed() > SPIN {
            return false;
        }
    }
}
