//! Inputs and command lines written by hand: `testsuite/malformed/refused.toml`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use libtest_mimic::Trial;
use serde::Deserialize;

use super::check_refused;
use crate::binary::Bench;

const LIMIT: Duration = Duration::from_secs(60);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refused {
    refused: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// What is wrong, as the test's name.
    name: String,
    /// Arguments after `tilia`; `INPUT` stands for the file with the text below.
    line: Vec<String>,
    /// The input.
    #[serde(default)]
    input: Option<String>,
    /// The exit status, where the contract fixes it.
    #[serde(default)]
    exit: Option<i32>,
    /// Parts of the diagnostic.
    #[serde(default)]
    stderr: Vec<String>,
}

/// A trial for each entry.
pub(super) fn trials(bench: &Arc<Bench>) -> Result<Vec<Trial>> {
    let path = bench.testsuite.join("malformed/refused.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let entries: Refused = toml::from_str(&text).with_context(|| format!("{} isn't a table of refusals", path.display()))?;
    let trial = |entry: Entry| {
        let bench = Arc::clone(bench);
        Trial::test(format!("malformed::{}", entry.name), move || Ok(check(&bench, &entry)?))
    };
    Ok(entries.refused.into_iter().map(trial).collect())
}

fn check(bench: &Bench, entry: &Entry) -> Result<(), String> {
    let file = bench.scratch(&format!("{}.mlir", entry.name)).map_err(|error| error.to_string())?;
    if let Some(input) = &entry.input {
        std::fs::write(&file, input).map_err(|error| error.to_string())?;
    }
    let args: Vec<String> = entry
        .line
        .iter()
        .map(|arg| arg.replace("INPUT", &file.display().to_string()))
        .collect();
    let outcome = bench.run(&args, &bench.testsuite, LIMIT).map_err(|error| format!("{error:#}"))?;
    check_refused(&outcome)?;
    if let Some(exit) = entry.exit {
        outcome.expect_exit(exit)?;
    }
    outcome.expect_stderr(&entry.stderr)
}
