//! Behaviour of the pool as its users see it.
#![expect(clippy::unwrap_used, reason = "helpers of tests may")]

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread::ThreadId;
use tilia_pool::{Pool, Schedule};

fn sum(pool: &Pool, threads: usize, total: u64, schedule: Schedule) -> u64 {
    let sum = AtomicU64::new(0);
    pool.run(threads, total, schedule, &|range| {
        sum.fetch_add(range.map(|i| i + 1).sum(), Ordering::Relaxed);
    })
    .unwrap();
    sum.into_inner()
}

#[test]
fn every_iteration_once() {
    let pool = Pool::new();
    for threads in [1, 2, 3, 8] {
        for total in [0, 1, 2, 5, 1000] {
            for schedule in [
                Schedule::Static,
                Schedule::Dynamic(0),
                Schedule::Dynamic(7),
                Schedule::Shares(0),
                Schedule::Shares(5),
            ] {
                let seen: Vec<_> = (0..total).map(|_| AtomicU64::new(0)).collect();
                pool.run(threads, total, schedule, &|range| {
                    for i in range {
                        seen[i as usize].fetch_add(1, Ordering::Relaxed);
                    }
                })
                .unwrap();
                assert!(seen.iter().all(|n| n.load(Ordering::Relaxed) == 1));
            }
        }
    }
}

#[test]
fn threads_really_run() {
    let pool = Pool::new();
    // Nobody passes the barrier unless four threads are in the body at once.
    let barrier = Barrier::new(4);
    let ids: Mutex<HashSet<ThreadId>> = Mutex::default();
    let forked = pool
        .run(4, 4, Schedule::Static, &|range| {
            assert_eq!(range.end - range.start, 1);
            ids.lock().unwrap().insert(std::thread::current().id());
            barrier.wait();
        })
        .unwrap();
    assert_eq!(forked.parts, 4);
    assert_eq!(ids.lock().unwrap().len(), 4);
    assert_eq!(pool.workers(), 3);
}

/// A thread that is held up keeps only the piece that it has begun.
#[test]
fn others_take_over_what_a_slow_thread_has_not_begun() {
    let pool = Pool::new();
    let left = AtomicUsize::new(64);
    pool.run(2, 64, Schedule::Shares(32), &|range| {
        assert_eq!(range.end - range.start, 1);
        left.fetch_sub(1, Ordering::SeqCst);
        // The first piece of all waits until everything else is done, its own part included.
        while range.start == 0 && left.load(Ordering::SeqCst) > 0 {
            std::thread::yield_now();
        }
    })
    .unwrap();
    assert_eq!(left.into_inner(), 0);
}

#[test]
fn one_thread_starts_none() {
    let pool = Pool::new();
    let me = std::thread::current().id();
    let forked = pool
        .run(1, 100, Schedule::Static, &|range| {
            assert_eq!(range, 0..100);
            assert_eq!(std::thread::current().id(), me);
        })
        .unwrap();
    assert_eq!(forked.parts, 1);
    assert_eq!(pool.workers(), 0);
}

#[test]
fn thread_count_is_per_call() {
    let pool = Pool::new();
    assert_eq!(sum(&pool, 4, 100, Schedule::Static), 5050);
    let parts = AtomicUsize::new(0);
    pool.run(2, 100, Schedule::Static, &|_| {
        parts.fetch_add(1, Ordering::Relaxed);
    })
    .unwrap();
    assert_eq!(parts.into_inner(), 2);
}

#[test]
fn nested_loops_run_where_they_are() {
    let pool = Pool::new();
    let count = AtomicU64::new(0);
    pool.run(3, 6, Schedule::Static, &|outer| {
        for _ in outer {
            let me = std::thread::current().id();
            let forked = pool
                .run(3, 10, Schedule::Static, &|inner| {
                    assert_eq!(std::thread::current().id(), me);
                    count.fetch_add(inner.end - inner.start, Ordering::Relaxed);
                })
                .unwrap();
            assert_eq!(forked.parts, 1);
        }
    })
    .unwrap();
    assert_eq!(count.into_inner(), 60);
}

#[test]
fn panics_come_back_and_the_pool_survives() {
    let pool = Pool::new();
    let result = pool.run(4, 4, Schedule::Static, &|range| {
        assert!(range.start != 2, "iteration two");
    });
    assert!(result.is_err());
    assert_eq!(sum(&pool, 4, 100, Schedule::Static), 5050);
}

#[test]
fn several_callers_at_once() {
    let pool = Pool::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for total in 0..200 {
                    assert_eq!(sum(&pool, 3, total, Schedule::Static), total * (total + 1) / 2);
                }
            });
        }
    });
}

#[test]
fn wakes_after_sleep() {
    let pool = Pool::new();
    for _ in 0..3 {
        let barrier = Barrier::new(2);
        pool.run(2, 2, Schedule::Static, &|_| {
            barrier.wait();
        })
        .unwrap();
        // Long enough for the worker to have parked.
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn many_short_loops() {
    let pool = Pool::new();
    for _ in 0..5000 {
        assert_eq!(sum(&pool, 2, 4, Schedule::Static), 10);
    }
}
