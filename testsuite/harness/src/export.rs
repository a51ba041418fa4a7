//! What `tilia opt` writes is MLIR that mlir-opt verifies: for every kernel and every case that compiles.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use libtest_mimic::Trial;

use crate::binary::{Bench, run_limited};

const LIMIT: Duration = Duration::from_secs(120);

/// Cases that end in a diagnostic when they are compiled; `cases` tests that they do.
const REFUSED: [&str; 2] = ["R24.mlir", "R29.mlir"];

/// A trial for each file.
pub fn trials(bench: &Arc<Bench>) -> Result<Vec<Trial>> {
    let prefix = std::env::var_os("MLIR_SYS_220_PREFIX").map_or_else(|| PathBuf::from("/usr/lib/llvm-22"), PathBuf::from);
    let mlir_opt = prefix.join("bin/mlir-opt");
    let mut files = Vec::new();
    for folder in ["polybench", "cases"] {
        let folder = bench.testsuite.join(folder);
        for entry in std::fs::read_dir(&folder).with_context(|| format!("can't list {}", folder.display()))? {
            files.push(entry?.path());
        }
    }
    files.retain(|path| path.extension().is_some_and(|suffix| suffix == "mlir") && !REFUSED.iter().any(|name| path.ends_with(name)));
    files.sort();
    let trial = |file: PathBuf| {
        let (bench, mlir_opt) = (Arc::clone(bench), mlir_opt.clone());
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(format!("export::{name}"), move || Ok(check(&bench, &mlir_opt, &file, &name)?))
    };
    Ok(files.into_iter().map(trial).collect())
}

fn check(bench: &Bench, mlir_opt: &Path, file: &Path, name: &str) -> Result<(), String> {
    let output = bench.scratch(&format!("export-{name}.mlir")).map_err(|error| error.to_string())?;
    let (input, text) = (file.display().to_string(), output.display().to_string());
    let args = ["opt", &input, "-o", &text].map(str::to_owned);
    let outcome = bench.run(&args, &bench.scratch, LIMIT).map_err(|error| format!("{error:#}"))?;
    outcome.expect_exit(0)?;
    let args = [text, "-o".to_owned(), "/dev/null".to_owned()];
    let verified = run_limited(mlir_opt, &args, &bench.scratch, LIMIT).map_err(|error| format!("{error:#}"))?;
    verified
        .expect_exit(0)
        .map_err(|report| format!("mlir-opt refuses the output\n{report}"))?;
    std::fs::remove_file(&output).map_err(|error| error.to_string())
}
