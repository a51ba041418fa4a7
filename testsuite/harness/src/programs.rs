//! Programs beyond PolyBench: under every strategy the results of the original order, bit for bit.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use libtest_mimic::Trial;
use serde::Deserialize;

use crate::binary::Bench;
use crate::kernels::{STRATEGIES, of_suite};

/// The programs, and loops of PolyBench on numbers of other widths.
const SUITES: [&str; 2] = ["programs/suite.toml", "programs/widths.toml"];

#[derive(Deserialize)]
struct Line {
    strategy: String,
    check: Check,
}

#[derive(Deserialize)]
struct Check {
    identical: bool,
}

/// A trial for each program, strategy and size, on two threads with every parallel loop forked.
pub fn trials(bench: &Arc<Bench>) -> Result<Vec<Trial>> {
    let mut trials = Vec::new();
    for suite in SUITES {
        for program in of_suite(bench, suite)? {
            for (strategy, _) in STRATEGIES {
                for size in ["MINI", "SMALL"] {
                    let (bench, program) = (Arc::clone(bench), program.name.clone());
                    let name = format!("program::{program}::{strategy}::{size}");
                    trials.push(Trial::test(name, move || Ok(check(&bench, (suite, &program), strategy, size)?)));
                }
            }
        }
    }
    Ok(trials)
}

fn check(bench: &Bench, (suite, program): (&str, &str), strategy: &str, size: &str) -> Result<(), String> {
    let mut args = vec!["bench", suite, "--kernel", program, "--size", size, "--strategy", strategy];
    args.extend([
        "--machine",
        "machine.toml",
        "--threads",
        "2",
        "--grain=0",
        "--repeat",
        "1",
        "--verify",
        "--check",
        "--json",
    ]);
    let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
    let outcome = bench
        .run(&args, &bench.testsuite, Duration::from_secs(300))
        .map_err(|error| error.to_string())?;
    outcome.expect_exit(0)?;
    let line: Line = serde_json::from_str(outcome.stdout.trim()).map_err(|error| outcome.report(&error.to_string()))?;
    if line.strategy != strategy || !line.check.identical {
        return Err(outcome.report(&format!("ran {}, identical: {}", line.strategy, line.check.identical)));
    }
    Ok(())
}
