//! What the subcommands share: reading input, printing diagnostics and remarks, the number of threads.

use crate::cli::CodeArgs;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tilia_diag::{Diagnostic, Loc, Remark, RemarkKind, SourceCache, merged, render, render_remark};
use tilia_driver::{CompileOptions, Machine, MachineError};

/// Logs go to standard error; `--log` before `TILIA_LOG`.
///
/// # Errors
/// The text for the user when the filter isn't understood.
pub(crate) fn start_logging(filter: Option<&str>) -> Result<(), String> {
    let text = filter.map(str::to_owned).or_else(|| std::env::var("TILIA_LOG").ok());
    let Some(text) = text else { return Ok(()) };
    match tracing_subscriber::EnvFilter::try_new(&text) {
        Ok(filter) => {
            let _ = tracing_subscriber::fmt()
                .with_env_filter(filter)
                .with_span_events(tracing_subscriber::fmt::format::FmtSpan::CLOSE)
                .with_ansi(std::io::stderr().is_terminal())
                .with_writer(std::io::stderr)
                .try_init();
        }
        Err(e) => {
            return Err(format!(
                "the log filter '{text}' isn't understood: {e}; give a level (error, warn, info, debug, trace) or TARGET=LEVEL, separated by commas"
            ));
        }
    }
    Ok(())
}

/// The text of an input, `-` being standard input, and the name to call it by.
pub(crate) fn read_input(path: &Path) -> Result<(String, String), Diagnostic> {
    let name = if path == Path::new("-") {
        "<stdin>".to_owned()
    } else {
        path.display().to_string()
    };
    let fail = |e: std::io::Error| {
        Diagnostic::error(Loc::unknown(), format!("can't read {name}: {e}")).help("give the path of an MLIR file, or - for standard input")
    };
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes).map_err(fail)?;
    } else {
        bytes = std::fs::read(path).map_err(fail)?;
    }
    match String::from_utf8(bytes) {
        // Some editors begin a file with a byte-order mark, which says nothing in UTF-8.
        Ok(text) => Ok((name, text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))),
        Err(e) => {
            let at = e.utf8_error().valid_up_to();
            let before = &e.as_bytes()[..at];
            let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
            let column = before.iter().rev().take_while(|&&b| b != b'\n').count() + 1;
            let file = std::sync::Arc::from(name.as_str());
            let at = Loc::new(
                &file,
                u32::try_from(line).unwrap_or(u32::MAX),
                u32::try_from(column).unwrap_or(u32::MAX),
            );
            let help = match e.as_bytes() {
                [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "it looks like UTF-16; save the file as UTF-8",
                [b'M', b'L', 0xef, b'R', ..] => "it is MLIR bytecode; Tilia reads the text form, which mlir-opt FILE prints",
                _ => "Tilia reads MLIR in its text form",
            };
            Err(Diagnostic::error(at, "the input isn't UTF-8 text").help(help))
        }
    }
}

/// Makes a strategy file known for quoting its lines in messages.
pub(crate) fn add_strategy(code: &CodeArgs, sources: &mut SourceCache) {
    if let tilia_driver::Strategy::File(path) = &code.strategy {
        add_strategy_file(path, sources);
    }
}

/// Makes a strategy file known for quoting its lines in messages.
pub(crate) fn add_strategy_file(path: &str, sources: &mut SourceCache) {
    if let Ok(text) = tilia_driver::read_strategy_file(path) {
        sources.insert(path, text);
    }
}

/// Writes a result to a file or standard output; a file appears whole or not at all.
pub(crate) fn write_output(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let fail = |e: std::io::Error| Diagnostic::error(Loc::unknown(), format!("can't write {}: {e}", path.display()));
    if path == Path::new("-") {
        let mut out = std::io::stdout().lock();
        return out.write_all(bytes).and_then(|()| out.flush()).map_err(fail);
    }
    if !path.is_file() && path.exists() {
        // A device or pipe can't be replaced by renaming.
        return std::fs::write(path, bytes).map_err(fail);
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    std::fs::write(&temporary, bytes)
        .and_then(|()| std::fs::rename(&temporary, path))
        .map_err(|e| {
            let _ = std::fs::remove_file(&temporary);
            fail(e)
        })
}

/// Prints diagnostics on standard error, errors and warnings in the order given.
pub(crate) fn print_diagnostics(diagnostics: &[Diagnostic], sources: &SourceCache) {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    for d in diagnostics {
        eprintln!("{}", render(d, sources, colour));
    }
}

/// Prints diagnostics and gives the exit status of a failure.
pub(crate) fn fail(diagnostics: &[Diagnostic], sources: &SourceCache) -> ExitCode {
    print_diagnostics(diagnostics, sources);
    ExitCode::from(1)
}

/// Whether a remark is of the kind or stage that a filter names.
pub(crate) fn selected(r: &Remark, filter: &str) -> bool {
    let kind = match r.kind {
        RemarkKind::Applied => "applied",
        RemarkKind::Declined => "declined",
        RemarkKind::Analysis => "analysis",
    };
    filter == "all" || filter == kind || filter == r.stage
}

/// Prints the remarks that `--remarks` asks for. A wish that couldn't be met is always said.
pub(crate) fn print_remarks(remarks: &[Remark], filter: Option<&str>) {
    for r in &merged(remarks) {
        if r.stage == "request" || filter.is_some_and(|f| selected(r, f)) {
            eprintln!("{}", render_remark(r));
        }
    }
}

/// Threads: the flag, else `TILIA_NUM_THREADS`, else the CPUs that this process may use.
pub(crate) fn threads(flag: Option<usize>) -> Result<usize, Diagnostic> {
    if let Some(n) = flag {
        return Ok(n);
    }
    match std::env::var("TILIA_NUM_THREADS") {
        Err(_) => Ok(tilia_driver::available_threads()),
        Ok(text) => match text.parse::<usize>() {
            Ok(n) if (1..=1024).contains(&n) => Ok(n),
            _ => Err(Diagnostic::error(
                Loc::unknown(),
                format!("TILIA_NUM_THREADS must be a number from 1 to 1024 (got '{text}')"),
            )),
        },
    }
}

/// The folder of tuning results: the flag, else `TILIA_TUNING`, else the user's; `None` where it is off or there is no such folder.
pub(crate) fn tuning_folder(code: &CodeArgs) -> Option<PathBuf> {
    let set = || std::env::var_os("TILIA_TUNING").filter(|v| !v.is_empty()).map(PathBuf::from);
    let folder = code.tuning.clone().or_else(set).or_else(tilia_driver::default_tuning_folder);
    folder.filter(|f| f.as_os_str() != "off")
}

/// The driver's options from the command line's.
pub(crate) fn compile_options(code: &CodeArgs, threads: usize) -> Result<CompileOptions, Diagnostic> {
    let transform = match (&code.transform, &code.pipeline) {
        (Some(path), _) => Some(read_input(path).map_err(|d| d.help("--transform takes a script of steps; see docs/transformations.md"))?),
        (None, Some(steps)) => Some(("<-p>".to_owned(), steps.clone())),
        (None, None) => None,
    };
    let schedule_in = match &code.schedule_in {
        None => None,
        Some(path) => {
            let (name, text) =
                read_input(path).map_err(|d| d.help("--schedule-in takes a file of schedule trees; --schedule-out writes one"))?;
            Some((name, text))
        }
    };
    let machine = match &code.machine {
        None => Machine::detect(),
        Some(path) => {
            let (name, text) = read_input(path).map_err(|d| d.help("--machine takes a file as `tilia machine` prints it"))?;
            let wrong = |e: MachineError| Diagnostic::error(Loc::unknown(), format!("{name}: {e}")).help("`tilia machine` prints the form");
            Machine::from_toml(&text).map_err(wrong)?
        }
    };
    Ok(CompileOptions {
        machine,
        strategy: code.strategy.clone(),
        tile: code.tile.clone(),
        schedule_in,
        transform,
        fp: code.fp.into(),
        backend: code.backend.into(),
        grain: code.grain,
        tuning: tuning_folder(code),
        threads,
        explain: code.remarks.is_some(),
        verify: code.verify || cfg!(debug_assertions),
        ..CompileOptions::default()
    })
}
