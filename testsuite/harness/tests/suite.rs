//! Runs the whole suite against the release binary. Names are `kernel::..`, `schedule::..`, `golden::..`, `transform::..`, `program::..`, `case::..`, `export::..`, `malformed::..`, `docs::..`, `lit::..`, to filter by:
//! `cargo test -p tilia-harness --test suite -- kernel::gemm`.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use libtest_mimic::{Arguments, Trial};
use tilia_harness::binary::Bench;
use tilia_harness::table::Table;
use tilia_harness::{cases, docs, executed, export, goldens, kernels, lit, malformed, programs, schedules, transforms};

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("the suite can't run: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode> {
    let arguments = Arguments::from_args();
    let bench = Bench::find()?;
    let table = Arc::new(Table::read(bench.testsuite.join("polybench/executed.toml"), executed::HEAD)?);
    let mut trials: Vec<Trial> = kernels::trials(&bench, &table)?;
    let verdicts = Arc::new(Table::read(bench.testsuite.join("polybench/schedules.toml"), schedules::HEAD)?);
    trials.extend(schedules::trials(&bench, &verdicts)?);
    let transformed = Arc::new(Table::read(
        bench.testsuite.join("polybench/transforms-executed.toml"),
        transforms::HEAD,
    )?);
    trials.extend(transforms::trials(&bench, &transformed)?);
    trials.extend(goldens::trials(&bench)?);
    trials.extend(programs::trials(&bench)?);
    trials.extend(cases::trials(&bench)?);
    trials.extend(export::trials(&bench)?);
    trials.extend(malformed::trials(&bench)?);
    trials.extend(docs::trials(&bench)?);
    trials.extend(lit::trials(&bench)?);
    let conclusion = libtest_mimic::run(&arguments, trials);
    table.finish()?;
    verdicts.finish()?;
    transformed.finish()?;
    Ok(conclusion.exit_code())
}
