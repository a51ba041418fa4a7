//! Every level of the compiler on generated programs, each compared bit for bit with the interpreter in source order.
//!
//! `TILIA_SEEDS=100..200` runs these seeds instead of the usual few.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod configured;
mod levels;

use configured::Configured;
use levels::{Found, check};
use tilia_gen::{Case, Profile};

/// Seeds to run: few by default, for these tests run with every build.
fn seeds(default: std::ops::Range<u64>) -> std::ops::Range<u64> {
    let text = std::env::var("TILIA_SEEDS").unwrap_or_default();
    let mut ends = text.split("..").map(str::parse);
    match (ends.next(), ends.next()) {
        (Some(Ok(first)), Some(Ok(end))) => first..end,
        _ => default,
    }
}

/// Runs all seeds and reports the failures together.
fn run(profile: &Profile, range: std::ops::Range<u64>) -> Found {
    let mut total = Found::default();
    let mut failures = Vec::new();
    let count = range.end - range.start;
    for seed in range {
        let case = Case::from_seed(seed, profile);
        match check(&case, seed) {
            Ok(found) => total.add(&found),
            Err(message) => failures.push(format!("seed {seed}: {message}")),
        }
    }
    let shown: Vec<_> = failures.iter().take(20).cloned().collect();
    assert!(
        failures.is_empty(),
        "{} of {count} programs fail:\n{}",
        failures.len(),
        shown.join("\n")
    );
    println!("{total:?}");
    // Loops that mostly run empty are no wrong loops, but they must stay rare.
    assert!(total.wasteful <= 1 + total.schedules / 200, "{total:?}");
    total
}

#[test]
fn affine_programs() {
    let found = run(&Profile::affine(), seeds(0..12));
    assert!(
        found.scops > 0 && found.as_scops > 0 && found.lowered > 0 && found.forks > 0,
        "{found:?}"
    );
}

#[test]
fn small_programs() {
    let found = run(&Profile::small(), seeds(0..16));
    assert!(
        found.scops > 0 && found.as_scops > 0 && found.lowered > 0 && found.forks > 0,
        "{found:?}"
    );
}

#[test]
fn programs_with_everything() {
    let found = run(&Profile::everything(), seeds(0..12));
    assert!(
        found.scops > 0 && found.as_scops > 0 && found.lowered > 0 && found.forks > 0,
        "{found:?}"
    );
}

/// With `TILIA_SEEDS=0..700` these are more than 5,000 schedules.
#[test]
fn random_configurations() {
    let found = configured(&Profile::configurations(), seeds(0..10));
    assert!(found.legal > 0 && found.illegal > 0, "{found:?}");
}

/// The same on programs around a scalar that iterations write and read: live ranges change places, and temporaries get copies.
#[test]
fn random_configurations_of_temporaries() {
    // A fifth of the seeds: these schedules take longer to find.
    let all = seeds(0..10);
    let programs = (all.end - all.start).div_ceil(5);
    let found = configured(&Profile::temporaries(), all.start..all.start + programs);
    assert!(found.expanded > 0 || programs < 10, "{found:?}");
}

fn configured(profile: &Profile, range: std::ops::Range<u64>) -> Configured {
    let programs = range.end - range.start;
    let mut found = Configured::default();
    let mut failures = Vec::new();
    for seed in range {
        let case = Case::from_seed(seed, profile);
        if let Err(message) = configured::check(&case, seed, &mut found) {
            failures.push(format!("seed {seed}: {message}"));
        }
    }
    let shown: Vec<_> = failures.iter().take(5).cloned().collect();
    assert!(failures.is_empty(), "{} programs fail:\n{}", failures.len(), shown.join("\n"));
    println!("{found:?}");
    assert!(found.schedules >= 6 * programs && (found.refused > 0 || programs < 50), "{found:?}");
    assert!(found.executed > found.original, "{found:?}");
    assert!(found.pieces > 0 || programs < 10, "{found:?}");
    assert!(found.copied_pieces > 0 || programs < 100, "{found:?}");
    found
}
