//! `tilia tune`.

use crate::cli::TuneArgs;
use crate::common::{compile_options, fail, print_diagnostics, print_remarks, read_input, threads, tuning_folder};
use crate::opt::plain_error;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;
use tilia_diag::{Diagnostic, SourceCache};
use tilia_driver::{CompileOptions, Search, Suite, TuneReport, TuneRequest, Unit, tune_kernel};

pub(crate) fn main(args: &TuneArgs) -> ExitCode {
    let mut sources = SourceCache::default();
    match run(args, &mut sources) {
        Ok(code) => code,
        Err(diagnostics) => fail(&diagnostics, &sources),
    }
}

fn run(args: &TuneArgs, sources: &mut SourceCache) -> Result<ExitCode, Vec<Diagnostic>> {
    let one = |d: Diagnostic| vec![d];
    let threads = threads(args.threads).map_err(one)?;
    let options = compile_options(&args.code, threads).map_err(one)?;
    let folder = tuning_folder(&args.code)
        .ok_or_else(|| one(plain_error("there is no folder for the results").help("name one with --tuning or TILIA_TUNING")))?;
    let request = TuneRequest {
        time: Duration::from_secs(args.time.into()),
        most: args.most as usize,
        again: args.again,
        folder,
        name: String::new(),
    };
    if args.file.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
        return suite(args, &options, &request);
    }
    if !args.kernels.is_empty() || !args.sizes.is_empty() {
        return Err(one(
            plain_error("--kernel and --size are for suite files").help("--arg gives the sizes of a function")
        ));
    }
    let (name, text) = read_input(&args.file).map_err(one)?;
    sources.insert(name.clone(), text.as_str());
    let mut given = BTreeMap::new();
    for (k, spec) in &args.args {
        if given.insert(*k, spec.clone()).is_some() {
            return Err(one(plain_error(format!("--arg {k}=.. is given twice"))));
        }
    }
    let unit = Unit::read(&name, &text, 1, &options);
    if !unit.parsed() {
        return Err(unit.diagnostics().to_vec());
    }
    print_diagnostics(unit.diagnostics(), sources);
    let request = TuneRequest {
        name: name.clone(),
        ..request
    };
    let search = unit.tune(&options, (args.entry.as_deref(), &given), &request, &mut tell)?;
    finish(&name, &search, args);
    Ok(ExitCode::SUCCESS)
}

fn suite(args: &TuneArgs, options: &CompileOptions, request: &TuneRequest) -> Result<ExitCode, Vec<Diagnostic>> {
    let wrong = |text: String| vec![plain_error(text)];
    if args.entry.is_some() || !args.args.is_empty() {
        return Err(wrong(
            "--entry and --arg are for MLIR files; a suite says itself what is called".to_owned(),
        ));
    }
    let suite = Suite::read(&args.file).map_err(wrong)?;
    let kernels = suite.select(&args.kernels).map_err(wrong)?;
    let large = ["LARGE".to_owned()];
    let sizes = if args.sizes.is_empty() { &large[..] } else { &args.sizes[..] };
    let mut failed = false;
    let mut any = false;
    for kernel in kernels {
        for size in sizes.iter().filter(|s| kernel.sizes.contains_key(*s)) {
            any = true;
            let name = format!("{} {size}", kernel.name);
            let request = TuneRequest {
                name: name.clone(),
                ..request.clone()
            };
            match tune_kernel(&suite, (kernel, size), options, &request, &mut tell) {
                Ok(search) => finish(&name, &search, args),
                Err(diagnostics) => {
                    failed = true;
                    eprintln!("{name}: failed");
                    print_diagnostics(&diagnostics, &SourceCache::default());
                }
            }
        }
    }
    if !any {
        return Err(wrong(format!("no kernel has a size {}", sizes.join(", "))));
    }
    Ok(ExitCode::from(u8::from(failed)))
}

/// One measurement.
fn tell(report: &TuneReport<'_>) {
    let (done, planned) = report.done;
    match report.result {
        Ok(ms) => eprintln!("[{done}/{planned}] {ms:.3} ms (best {:.3}): {}", report.best, report.what),
        Err(why) => eprintln!("[{done}/{planned}] failed: {}: {why}", report.what),
    }
}

/// What was found.
fn finish(name: &str, search: &Search, args: &TuneArgs) {
    print_remarks(&search.remarks, args.code.remarks.as_deref());
    for t in &search.tuned {
        let gain = if t.model_ms.is_finite() {
            format!(
                "; the model's choice takes {:.3} ms, {:.2} times as long",
                t.model_ms,
                t.model_ms / t.best_ms
            )
        } else {
            String::new()
        };
        println!("{name}: {}: {:.3} ms{gain}: {}", t.backend, t.best_ms, t.what);
    }
    if search.left > 0 {
        eprintln!("{name}: {} candidates are left; another call goes on with them", search.left);
    }
    eprintln!("{name}: stored in {}", search.file.display());
}
