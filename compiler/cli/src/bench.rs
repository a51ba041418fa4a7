//! `tilia bench`.

use crate::cli::BenchArgs;
use crate::common::{compile_options, fail, print_diagnostics, print_remarks, threads, write_output};
use crate::opt::plain_error;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use tilia_diag::{Diagnostic, SourceCache};
use tilia_driver::{BenchReport, BenchRequest, CompileOptions, Kernel, RESTRICT, Reference, Repeat, Suite, bench_kernel};

pub(crate) fn main(args: &BenchArgs) -> ExitCode {
    match run(args) {
        Ok(code) => code,
        Err(d) => fail(&[d], &SourceCache::default()),
    }
}

fn run(args: &BenchArgs) -> Result<ExitCode, Diagnostic> {
    if args.code.schedule_out.is_some() {
        return Err(
            plain_error("bench compiles many kernels and saves no schedule trees").help("use --schedule-out with opt, run or explain")
        );
    }
    let suite = Suite::read(&args.suite).map_err(plain_error)?;
    let kernels = suite.select(&args.kernels).map_err(plain_error)?;
    let reference = Reference::of(&suite).map_err(plain_error)?;
    let (mut reports, failed) = if args.from.is_empty() {
        measure(&suite, &kernels, reference.knows(&args.vs), args)?
    } else {
        (saved(&kernels, args)?, 0)
    };
    if args.from.is_empty() {
        let told: Vec<usize> = reports.iter().map(|r| r.vs_suspect.len()).collect();
        reference.judge(&mut reports);
        if args.json && reference.knows(&args.vs) {
            // They had to wait for the judgement, which takes all of them.
            reports.iter().for_each(print_json);
        }
        if !args.json {
            for (r, &told) in reports.iter().zip(&told) {
                r.vs_suspect[told..].iter().for_each(|s| eprintln!("{} {}: {s}", r.kernel, r.size));
            }
        }
    }
    if let Some(path) = &args.markdown {
        write_output(path, tilia_driver::markdown(&suite, &reports).as_bytes())?;
    }
    if let Some(path) = &args.plot {
        write_output(path, tilia_driver::chart(&suite, &reports, &title(&suite, &reports)).as_bytes())?;
    }
    Ok(ExitCode::from(u8::from(failed > 0)))
}

/// Measures all kernels at all sizes that were asked for; gives the reports and how many failed. With `wait`, JSON isn't printed yet.
fn measure(suite: &Suite, kernels: &[&Kernel], wait: bool, args: &BenchArgs) -> Result<(Vec<BenchReport>, usize), Diagnostic> {
    let sizes = sizes(kernels, args)?;
    let options = compile_options(&args.code, threads(args.threads)?)?;
    if let Some(dir) = &args.dump {
        std::fs::create_dir_all(dir).map_err(|e| plain_error(format!("can't make {}: {e}", dir.display())))?;
    }
    if !args.json {
        println!(
            "{:<16} {:<10} {:>11} {:>11} {:>9} {:>9}  {}",
            "kernel",
            "size",
            "compile ms",
            "run ms",
            "gflop/s",
            "parallel",
            columns(args).join("  ")
        );
    }
    let mut reports = Vec::new();
    let mut failed = 0;
    for kernel in kernels {
        for size in sizes.iter().filter(|s| kernel.sizes.contains_key(*s)) {
            match one(suite, kernel, size, args, &options) {
                Some((report, passed)) => {
                    failed += usize::from(!passed);
                    if !args.json {
                        print_row(&report, args);
                    } else if wait {
                        eprintln!("{} {size}: measured", kernel.name);
                    } else {
                        print_json(&report);
                    }
                    reports.push(report);
                }
                None => failed += 1,
            }
        }
    }
    Ok((reports, failed))
}

fn sizes(kernels: &[&Kernel], args: &BenchArgs) -> Result<Vec<String>, Diagnostic> {
    if args.sizes.is_empty() {
        return Ok(vec!["LARGE".to_owned()]);
    }
    let known = |s: &String| kernels.iter().any(|k| k.sizes.contains_key(s));
    if let Some(size) = args.sizes.iter().find(|s| !known(s)) {
        let names: std::collections::BTreeSet<&str> = kernels.iter().flat_map(|k| k.sizes.keys().map(String::as_str)).collect();
        let names: Vec<&str> = names.into_iter().collect();
        return Err(plain_error(format!(
            "no kernel has a size '{size}'; there are {}",
            names.join(", ")
        )));
    }
    Ok(args.sizes.clone())
}

/// Measures one kernel, says what there is to say, and gives its report and whether the check was passed; `None` when it failed.
fn one(suite: &Suite, kernel: &Kernel, size: &str, args: &BenchArgs, options: &CompileOptions) -> Option<(BenchReport, bool)> {
    let request = BenchRequest {
        size: size.to_owned(),
        repeat: args.repeat.map_or(Repeat::Measure, Repeat::Times),
        check: args.check,
        vs: args.vs.clone(),
        restrict: !args.no_restrict,
        dump: args.dump.clone(),
    };
    match bench_kernel(suite, kernel, &request, options) {
        Ok(done) => {
            print_remarks(&done.remarks, args.code.remarks.as_deref());
            print_diagnostics(&done.warnings, &SourceCache::default());
            if !done.check_passed {
                eprintln!("{} {size}: the result differs from the original order's", kernel.name);
            }
            if !args.json {
                done.report.vs_suspect.iter().for_each(|s| eprintln!("{} {size}: {s}", kernel.name));
            }
            Some((done.report, done.check_passed))
        }
        Err(diagnostics) => {
            eprintln!("{} {size}: failed", kernel.name);
            print_diagnostics(&diagnostics, &SourceCache::default());
            None
        }
    }
}

/// The results that `--json` wrote earlier, of the kernels and sizes that were asked for, in the suite's order; of several of one kernel and size the last.
fn saved(kernels: &[&Kernel], args: &BenchArgs) -> Result<Vec<BenchReport>, Diagnostic> {
    let mut all: Vec<BenchReport> = Vec::new();
    for path in &args.from {
        for (n, line) in read(path)?.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            let report: BenchReport = serde_json::from_str(line).map_err(|e| {
                plain_error(format!("{}:{}: {e}", path.display(), n + 1)).help("--from takes what tilia bench --json printed")
            })?;
            all.retain(|r| (&r.kernel, &r.size) != (&report.kernel, &report.size));
            all.push(report);
        }
    }
    all.retain(|r| args.sizes.is_empty() || args.sizes.contains(&r.size));
    let place = |r: &BenchReport| kernels.iter().position(|k| k.name == r.kernel);
    all.retain(|r| place(r).is_some());
    all.sort_by_key(|r| place(r));
    Ok(all)
}

fn read(path: &Path) -> Result<String, Diagnostic> {
    crate::common::read_input(path).map(|(_, text)| text)
}

/// What the picture is of.
fn title(suite: &Suite, reports: &[BenchReport]) -> String {
    let Some(first) = reports.first() else {
        return suite.suite.clone();
    };
    let one = |all: Vec<&str>| {
        let set: std::collections::BTreeSet<&str> = all.into_iter().collect();
        set.into_iter().collect::<Vec<_>>().join("/")
    };
    format!(
        "{}, {}: times of other compilers by Tilia's (back end {}, {} threads, --fp={})",
        suite.suite,
        one(reports.iter().map(|r| r.size.as_str()).collect()),
        one(reports.iter().map(|r| r.run.backend.as_str()).collect()),
        first.run.threads,
        first.run.fp
    )
}

/// The compilers that rows compare with: each, then each with restrict.
fn columns(args: &BenchArgs) -> Vec<String> {
    let restrict = args.vs.iter().filter(|_| !args.no_restrict).map(|n| format!("{n}{RESTRICT}"));
    args.vs.iter().cloned().chain(restrict).collect()
}

fn print_json(report: &BenchReport) {
    if let Ok(line) = serde_json::to_string(report) {
        println!("{line}");
    }
    let _ = std::io::stdout().flush();
}

fn print_row(report: &BenchReport, args: &BenchArgs) {
    let vs: Vec<String> = columns(args)
        .iter()
        .map(|name| {
            let ratio = report.vs.get(name).map_or_else(|| "-".to_owned(), |r| format!("{r:.2}x"));
            format!("{ratio:>width$}", width = name.len())
        })
        .collect();
    println!(
        "{:<16} {:<10} {:>11.2} {:>11.3} {:>9.3} {:>9}  {}",
        report.kernel,
        report.size,
        report.run.compile_ms.total,
        report.run.run_ms.min,
        report.gflops,
        report.run.executed.parallel,
        vs.join("  ")
    );
    let _ = std::io::stdout().flush();
}
