//! A pool of threads for parallel loops: fork and join in about a microsecond when the workers are awake, no processor time when idle.
//!
//! [`Pool::run`] splits a range of iterations among the calling thread and persistent workers, and returns when all are done. Workers are started when first needed; after a
//! loop they watch for the next one for some 50 microseconds, then sleep. The caller takes over what no worker has begun, so a loop ends
//! even when workers are slow to wake (a loaded machine) or gone (after a fork). Loops within loops, and loops of other threads while the pool is busy, run on the thread that calls.
//!
//! Deliberately absent: deques of tasks, task graphs, priorities. Within one loop, threads take over pieces of each other's parts ([`Schedule::Shares`]).

mod affinity;
mod job;
mod pool;
mod worker;

pub use affinity::available_threads;
pub use job::{Panicked, Schedule};
pub use pool::{Forked, Pool};
pub use worker::WORKER_STACK;
