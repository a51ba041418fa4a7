//! `tilia run`.

use crate::cli::{CheckArg, RunArgs};
use crate::common::{compile_options, fail, print_diagnostics, print_remarks, read_input, threads};
use crate::opt::plain_error;
use std::collections::BTreeMap;
use std::process::ExitCode;
use tilia_diag::{Diagnostic, SourceCache};
use tilia_driver::{Check, Repeat, RunRequest, Unit};

pub(crate) fn main(args: &RunArgs) -> ExitCode {
    let mut sources = SourceCache::default();
    match run(args, &mut sources) {
        Ok(code) => code,
        Err(diagnostics) => fail(&diagnostics, &sources),
    }
}

fn run(args: &RunArgs, sources: &mut SourceCache) -> Result<ExitCode, Vec<Diagnostic>> {
    let (name, text) = read_input(&args.file).map_err(|d| vec![d])?;
    sources.insert(name.clone(), text.as_str());
    crate::common::add_strategy(&args.code, sources);
    let threads = threads(args.threads).map_err(|d| vec![d])?;
    let options = compile_options(&args.code, threads).map_err(|d| vec![d])?;
    let mut given = BTreeMap::new();
    for (k, spec) in &args.args {
        if given.insert(*k, spec.clone()).is_some() {
            return Err(vec![plain_error(format!("--arg {k}=.. is given twice"))]);
        }
    }
    let unit = Unit::read(&name, &text, 1, &options);
    if !unit.parsed() {
        return Err(unit.diagnostics().to_vec());
    }
    print_diagnostics(unit.diagnostics(), sources);
    let request = RunRequest {
        entry: args.entry.clone(),
        args: given,
        repeat: Repeat::Times(args.repeat),
        check: match args.check {
            None => Check::No,
            Some(CheckArg::Jit) => Check::Original,
            Some(CheckArg::Interp) => Check::Interpreter,
        },
    };
    let done = unit.run(&options, &request)?;
    print_remarks(&done.remarks, args.code.remarks.as_deref());
    if let Some(path) = &args.code.schedule_out {
        crate::common::write_output(path, done.schedules.as_bytes()).map_err(|d| vec![d])?;
    }
    if let Some(path) = &args.dump {
        tilia_driver::write_npz(path, &done.arrays).map_err(|e| vec![plain_error(format!("can't write {}: {e}", path.display()))])?;
    }
    if !args.json {
        let report = &done.report;
        eprintln!(
            "{name}: compiled in {:.1} ms, ran in {:.3} ms (shortest of {}), {} parallel and {} vector loops executed",
            report.compile_ms.total,
            report.run_ms.min,
            report.run_ms.all.len(),
            report.executed.parallel,
            report.executed.vector
        );
    }
    if args.json {
        let text = serde_json::to_string(&done.report).map_err(|e| vec![plain_error(e.to_string())])?;
        println!("{text}");
    }
    let bad = done.report.check.is_some() && !done.check_passed;
    if let Some(check) = &done.report.check {
        let verdict = if check.identical {
            "identical"
        } else if done.check_passed {
            "within the tolerance"
        } else {
            "DIFFERENT"
        };
        eprintln!("check: {verdict} (largest relative difference {:e})", check.max_rel);
    }
    Ok(ExitCode::from(u8::from(bad || unit.has_errors())))
}
