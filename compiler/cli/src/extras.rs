//! Version, machine, schema, completions, manual.

use crate::cli::{Cli, SchemaArgs};
use crate::common::{add_strategy_file, fail};
use clap::CommandFactory;
use std::io::Write;
use std::process::ExitCode;
use tilia_diag::SourceCache;
use tilia_driver::Machine;

/// `tilia --version`, with `-v` everything that a bug report needs.
pub(crate) fn print_version(verbose: bool) {
    println!("tilia {}", env!("CARGO_PKG_VERSION"));
    if verbose {
        println!("MLIR 22 (through melior 0.27), Cranelift 0.135");
        println!("back ends: cranelift");
        println!("machine: {}", std::env::consts::ARCH);
        for line in Machine::detect().to_toml().lines() {
            println!("  {line}");
        }
    }
}

/// `tilia machine`.
pub(crate) fn machine() -> ExitCode {
    put(Machine::detect().to_toml().as_bytes())
}

/// `tilia schema`: the JSON Schema, a built-in strategy, or a check of a file.
pub(crate) fn schema(args: &SchemaArgs) -> ExitCode {
    if let Some(path) = &args.check {
        let path = path.to_string_lossy();
        return match tilia_driver::check_strategy(&path) {
            Ok(()) => ExitCode::SUCCESS,
            Err(errors) => {
                let mut sources = SourceCache::default();
                add_strategy_file(&path, &mut sources);
                fail(&errors, &sources)
            }
        };
    }
    match &args.strategy {
        None => put(tilia_driver::strategy_schema().as_bytes()),
        Some(name) => match tilia_driver::built_in_strategy(name) {
            Ok(text) => put(text.as_bytes()),
            Err(d) => fail(&[d], &SourceCache::default()),
        },
    }
}

/// `tilia completions SHELL`.
pub(crate) fn completions(shell: clap_complete::Shell) -> ExitCode {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "tilia", &mut out);
    put(&out)
}

/// `tilia man`.
pub(crate) fn man() -> ExitCode {
    let mut out = Vec::new();
    match clap_mangen::Man::new(Cli::command()).render(&mut out) {
        Ok(()) => put(&out),
        Err(e) => {
            eprintln!("tilia: {e}");
            ExitCode::from(1)
        }
    }
}

fn put(bytes: &[u8]) -> ExitCode {
    match std::io::stdout().write_all(bytes) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(1),
    }
}
