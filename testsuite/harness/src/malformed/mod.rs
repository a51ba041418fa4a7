//! Malformed input and impossible requests: always a diagnostic and exit status 1 or 2, never a panic, a signal or a hang.

mod generated;
mod written;

use std::sync::Arc;

use anyhow::Result;
use libtest_mimic::Trial;

use crate::binary::{Bench, End, Outcome};

/// Trials for the written and the generated inputs.
pub fn trials(bench: &Arc<Bench>) -> Result<Vec<Trial>> {
    let mut trials = written::trials(bench)?;
    trials.extend(generated::trials(bench)?);
    Ok(trials)
}

/// What every run on malformed input must satisfy.
fn check_refused(outcome: &Outcome) -> Result<(), String> {
    if !matches!(outcome.end, End::Exit(1 | 2)) {
        return Err(outcome.report("exit status 1 or 2 was expected"));
    }
    if outcome.stderr.trim().is_empty() {
        return Err(outcome.report("refused without a word"));
    }
    Ok(())
}
