//! lit files under `testsuite/lit`: one trial for each.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use libtest_mimic::Trial;

use crate::binary::{Bench, End, run_limited};

/// Suffixes of files that lit runs; the same list stands in `lit.cfg.py`.
const SUFFIXES: [&str; 2] = ["mlir", "test"];

/// A trial for each file. lit itself comes from the environment variable `LIT`, else from `testsuite/.venv`.
pub fn trials(bench: &Arc<Bench>) -> Result<Vec<Trial>> {
    let folder = bench.testsuite.join("lit");
    let lit = std::env::var_os("LIT").map_or_else(|| bench.testsuite.join(".venv/bin/lit"), PathBuf::from);
    let mut files = Vec::new();
    collect(&folder, &mut files).with_context(|| format!("can't list {}", folder.display()))?;
    files.sort();
    let trial = |file: PathBuf| {
        let name = file.strip_prefix(&folder).unwrap_or(&file).display().to_string();
        let (bench, lit) = (Arc::clone(bench), lit.clone());
        Trial::test(format!("lit::{name}"), move || Ok(check(&bench, &lit, &file)?))
    };
    Ok(files.into_iter().map(trial).collect())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let is_input = path.file_name().is_some_and(|name| name == "Inputs");
        if path.is_dir() && !is_input {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|suffix| SUFFIXES.iter().any(|known| suffix == *known)) {
            files.push(path);
        }
    }
    Ok(())
}

fn check(bench: &Bench, lit: &Path, file: &Path) -> Result<(), String> {
    if !lit.is_file() {
        return Err(format!(
            "there is no lit at {}; testsuite/scripts/python-env.sh installs it",
            lit.display()
        ));
    }
    let param = format!("tilia={}", bench.tilia.display());
    let scratch = format!("scratch={}", bench.scratch.join("lit").display());
    let args = [
        "-v",
        "--no-progress-bar",
        "--workers=1",
        "-D",
        &param,
        "-D",
        &scratch,
        &file.display().to_string(),
    ]
    .map(str::to_owned);
    let outcome = run_limited(lit, &args, &bench.testsuite, Duration::from_secs(300)).map_err(|error| format!("{error:#}"))?;
    if outcome.end == End::Exit(0) {
        Ok(())
    } else {
        Err(format!("{}\n{}", outcome.stdout, outcome.stderr))
    }
}
