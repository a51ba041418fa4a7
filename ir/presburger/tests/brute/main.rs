//! Every operation against brute force: random sets in a small box, and membership of each point in each result.
//!
//! The number of rounds is `TILIA_BRUTE_ROUNDS`, the first seed `TILIA_BRUTE_SEED`. The default makes more than 100,000 operations in all;
//! each test prints its number. A failure prints the seed of its round and the operands in isl's notation.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod closure;
mod count;
mod formula;
mod hostile;
mod maps;
mod reported;
mod rng;
mod sets;

use std::cell::Cell;

use rng::Rng;
use tilia_presburger::{Error, Result};

thread_local! {
    /// The operations of this test whose results were checked at every point.
    static CHECKED: Cell<u64> = const { Cell::new(0) };
}

/// Notes that the results of `n` operations were checked.
fn checked(n: u64) {
    CHECKED.set(CHECKED.get() + n);
}

thread_local! {
    /// The operations of this test that were out of budget.
    static DECLINED: Cell<u64> = const { Cell::new(0) };
}

/// The result, unless the operation was out of budget; any other error is a failure.
fn finished<T>(result: Result<T>, what: impl FnOnce() -> String) -> Option<T> {
    match result {
        Ok(x) => Some(x),
        Err(Error::OutOfBudget) => {
            DECLINED.set(DECLINED.get() + 1);
            None
        }
        Err(e) => panic!("{}: {e}", what()),
    }
}

/// Runs `f` for many seeds; each round gets its own generator.
fn rounds(name: &str, share: u64, f: impl Fn(&mut Rng)) {
    let number = |key: &str, default: u64| std::env::var(key).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let n = number("TILIA_BRUTE_ROUNDS", 1000) * share;
    let first = number("TILIA_BRUTE_SEED", 1);
    for seed in first..first + n {
        let mut rng = Rng::new(seed ^ name.bytes().fold(0, |h, c| h * 31 + u64::from(c)));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| f(&mut rng)));
        if let Err(e) = result {
            eprintln!("{name}: failed at seed {seed}");
            std::panic::resume_unwind(e);
        }
    }
    println!("{name}: {} operations, {} out of budget", CHECKED.get(), DECLINED.get());
    assert!(CHECKED.get() + DECLINED.get() >= n, "every round checks something");
    assert!(DECLINED.get() * 10 <= CHECKED.get(), "few operations are out of budget");
}
