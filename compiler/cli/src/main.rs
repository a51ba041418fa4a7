//! The `tilia` command: polyhedral compilation of MLIR's affine dialect.
//!
//! Results go to standard output, everything else to standard error. Exit status: 0 fine, 1 a diagnostic, 2 usage, 101 a bug of ours.

mod bench;
mod cli;
mod common;
mod explain;
mod extras;
mod opt;
mod run;
mod sets;
mod tune;

use clap::Parser;
use cli::{Cli, Command};
use std::process::ExitCode;

/// A fifth of the compiler's time went into the system's allocator: rows of constraints, made and dropped on several threads. What programs work on doesn't come from here.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    reset_sigpipe();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { 2 } else { 0 });
        }
    };
    if let Err(message) = common::start_logging(cli.log.as_deref()) {
        eprintln!("error: {message}");
        return ExitCode::from(2);
    }
    quiet_code_generator();
    if cli.version {
        extras::print_version(cli.verbose);
        return ExitCode::SUCCESS;
    }
    let Some(command) = cli.command else {
        eprintln!("{}", <Cli as clap::CommandFactory>::command().render_help());
        return ExitCode::from(2);
    };
    // Compilation recurses moderately on nested programs; a thread of its own makes the depth known.
    let worker = std::thread::Builder::new()
        .name("tilia".into())
        .stack_size(256 << 20)
        .spawn(move || dispatch(&command));
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(_)) => {
            eprintln!("tilia: internal error (a bug of ours): please report it with the input and the command line");
            ExitCode::from(101)
        }
        Err(e) => {
            eprintln!("tilia: can't start a thread: {e}");
            ExitCode::from(1)
        }
    }
}

fn dispatch(command: &Command) -> ExitCode {
    match command {
        Command::Opt(args) => opt::main(args),
        Command::Run(args) => run::main(args),
        Command::Bench(args) => bench::main(args),
        Command::Tune(args) => tune::main(args),
        Command::Explain(args) => explain::main(args),
        Command::Sets(args) => sets::main(args),
        Command::Machine => extras::machine(),
        Command::Schema(args) => extras::schema(args),
        Command::Completions { shell } => extras::completions(*shell),
        Command::Man => extras::man(),
    }
}

/// Cranelift's panics are caught where it is called, and either a slower way works or a diagnostic says what failed: no message here.
fn quiet_code_generator() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.location().is_some_and(|l| l.file().contains("cranelift-codegen")) {
            default(info);
        }
    }));
}

/// Output into a closed pipe ends the program quietly, as it does for other tools.
fn reset_sigpipe() {
    #[cfg(unix)]
    // SAFETY: setting a signal's default action before any thread exists.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}
