//! `tilia bench`.

use crate::cli::BenchArgs;
use crate::common::{compile_options, fail, print_diagnostics, print_remarks, threads};
use crate::opt::plain_error;
use std::io::Write;
use std::process::ExitCode;
use tilia_diag::{Diagnostic, SourceCache};
use tilia_driver::{BenchReport, BenchRequest, Repeat, Suite, bench_kernel};

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
    let sizes = if args.sizes.is_empty() {
        vec!["LARGE".to_owned()]
    } else {
        args.sizes.clone()
    };
    let known = |s: &String| kernels.iter().any(|k| k.sizes.contains_key(s));
    if let Some(size) = sizes.iter().find(|s| !known(s)) {
        let names: std::collections::BTreeSet<&str> = kernels.iter().flat_map(|k| k.sizes.keys().map(String::as_str)).collect();
        let names: Vec<&str> = names.into_iter().collect();
        return Err(plain_error(format!(
            "no kernel has a size '{size}'; there are {}",
            names.join(", ")
        )));
    }
    let options = compile_options(&args.code, threads(args.threads)?)?;
    if let Some(dir) = &args.dump {
        std::fs::create_dir_all(dir).map_err(|e| plain_error(format!("can't make {}: {e}", dir.display())))?;
    }
    let mut failed = 0;
    if !args.json {
        println!(
            "{:<16} {:<10} {:>11} {:>11} {:>9} {:>9}  {}",
            "kernel",
            "size",
            "compile ms",
            "run ms",
            "gflop/s",
            "parallel",
            args.vs.join("  ")
        );
    }
    for kernel in kernels {
        for size in sizes.iter().filter(|s| kernel.sizes.contains_key(*s)) {
            let request = BenchRequest {
                size: size.clone(),
                repeat: args.repeat.map_or(Repeat::Measure, Repeat::Times),
                check: args.check,
                vs: args.vs.clone(),
                dump: args.dump.clone(),
            };
            match bench_kernel(&suite, kernel, &request, &options) {
                Ok(done) => {
                    print_remarks(&done.remarks, args.code.remarks.as_deref());
                    print_diagnostics(&done.warnings, &SourceCache::default());
                    if !done.check_passed {
                        failed += 1;
                        eprintln!("{} {size}: the result differs from the original order's", kernel.name);
                    }
                    print_row(&done.report, args);
                }
                Err(diagnostics) => {
                    failed += 1;
                    eprintln!("{} {size}: failed", kernel.name);
                    print_diagnostics(&diagnostics, &SourceCache::default());
                }
            }
        }
    }
    Ok(ExitCode::from(u8::from(failed > 0)))
}

fn print_row(report: &BenchReport, args: &BenchArgs) {
    if args.json {
        if let Ok(line) = serde_json::to_string(report) {
            println!("{line}");
        }
    } else {
        let vs: Vec<String> = args
            .vs
            .iter()
            .map(|name| report.vs.get(name).map_or_else(|| "-".to_owned(), |r| format!("{r:.2}x")))
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
    }
    let _ = std::io::stdout().flush();
}
