//! Every operation against brute force: random sets in a small box, and membership of each point in each result.
//!
//! The number of rounds is `TILIA_BRUTE_ROUNDS` (default 50), the first seed `TILIA_BRUTE_SEED`. A failure prints the seed
//! of its round and the operands in isl's notation.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod formula;
mod hostile;
mod maps;
mod reported;
mod rng;
mod sets;

use rng::Rng;

/// Runs `f` for many seeds; each round gets its own generator.
fn rounds(name: &str, share: u64, f: impl Fn(&mut Rng)) {
    let number = |key: &str, default: u64| std::env::var(key).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let n = number("TILIA_BRUTE_ROUNDS", 50) * share;
    let first = number("TILIA_BRUTE_SEED", 1);
    for seed in first..first + n {
        let mut rng = Rng::new(seed ^ name.bytes().fold(0, |h, c| h * 31 + u64::from(c)));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| f(&mut rng)));
        if let Err(e) = result {
            eprintln!("{name}: failed at seed {seed}");
            std::panic::resume_unwind(e);
        }
    }
}
