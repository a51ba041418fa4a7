//! Version, schema, completions, manual.

use crate::cli::Cli;
use clap::CommandFactory;
use std::io::Write;
use std::process::ExitCode;
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

/// `tilia schema`.
pub(crate) fn schema() -> ExitCode {
    eprintln!("tilia: strategy files aren't there yet, so there is no schema; --strategy=none is the original order");
    ExitCode::from(1)
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
