//! `tilia opt`.

use crate::cli::{Emit, OptArgs, Source};
use crate::common::{add_strategy, compile_options, fail, print_diagnostics, print_remarks, read_input, threads, write_output};
use std::process::ExitCode;
use tilia_diag::{Diagnostic, Loc, SourceCache};
use tilia_driver::{BackendChoice, CompileOptions, EmitKind, Foreign, Unit};

pub(crate) fn main(args: &OptArgs) -> ExitCode {
    let mut sources = SourceCache::default();
    let (name, text) = match read_input(&args.file) {
        Ok(input) => input,
        Err(d) => return fail(&[d], &sources),
    };
    sources.insert(name.clone(), text.as_str());
    add_strategy(&args.code, &mut sources);
    let options = match threads(args.threads).and_then(|n| compile_options(&args.code, n)) {
        Ok(options) if args.emit == Some(Emit::Llvm) => CompileOptions {
            backend: BackendChoice::Llvm,
            ..options
        },
        Ok(options) => options,
        Err(d) => return fail(&[d], &sources),
    };
    let mut out = String::new();
    let mut failed = false;
    let mut schedules = String::new();
    let chunks = tilia_driver::chunks(&text, args.split_input_file);
    for (n, (first_line, chunk)) in chunks.iter().enumerate() {
        if n > 0 {
            out.push_str("// -----\n");
        }
        let result = match args.from {
            Source::Mlir => one(args, &name, chunk, *first_line, &options, &mut schedules),
            Source::Openscop | Source::Isl => foreign(args, &name, chunk, &options, &mut schedules),
        };
        let expected = args
            .verify_diagnostics
            .then(|| tilia_driver::check_expectations(chunk, *first_line, &result.said));
        match expected {
            Some(problems) => {
                failed |= !problems.is_empty();
                print_diagnostics(&problems, &sources);
            }
            None => {
                failed |= result.failed;
                print_diagnostics(&result.diagnostics, &sources);
            }
        }
        out.push_str(&result.text);
    }
    if !args.verify_diagnostics
        && (!failed || !out.is_empty())
        && let Err(d) = write_output(&args.output, out.as_bytes())
    {
        return fail(&[d], &sources);
    }
    if let Some(path) = &args.code.schedule_out
        && !failed
        && let Err(d) = write_output(path, schedules.as_bytes())
    {
        return fail(&[d], &sources);
    }
    ExitCode::from(u8::from(failed))
}

/// What one input gave.
struct Outcome {
    text: String,
    diagnostics: Vec<Diagnostic>,
    /// Diagnostics and remarks as `expected-..` comments see them.
    said: Vec<tilia_driver::Said>,
    failed: bool,
}

fn one(args: &OptArgs, name: &str, text: &str, first_line: u32, options: &CompileOptions, schedules: &mut String) -> Outcome {
    let unit = Unit::read(name, text, first_line, options);
    let mut diagnostics = unit.diagnostics().to_vec();
    let mut said: Vec<_> = diagnostics.iter().map(tilia_driver::Said::from).collect();
    if !unit.parsed() {
        return Outcome {
            text: String::new(),
            diagnostics,
            said,
            failed: true,
        };
    }
    let mut failed = unit.has_errors();
    let mut output = String::new();
    match unit.optimise(options) {
        Err(errors) => {
            failed = true;
            said.extend(errors.iter().map(tilia_driver::Said::from));
            diagnostics.extend(errors);
        }
        Ok(optimised) => {
            said.extend(optimised.remarks.iter().map(tilia_driver::Said::from));
            if !args.verify_diagnostics {
                print_remarks(&optimised.remarks, args.code.remarks.as_deref());
            }
            schedules.push_str(&optimised.schedules());
            if args.verify_diagnostics {
                return Outcome {
                    text: output,
                    diagnostics,
                    said,
                    failed,
                };
            }
            match optimised.emit(&unit, kind(args.emit.unwrap_or(Emit::Mlir)), options) {
                Ok(text) => output = text,
                Err(errors) => {
                    failed = true;
                    said.extend(errors.iter().map(tilia_driver::Said::from));
                    diagnostics.extend(errors);
                }
            }
        }
    }
    Outcome {
        text: output,
        diagnostics,
        said,
        failed,
    }
}

/// A file of scops without operations.
fn foreign(args: &OptArgs, name: &str, text: &str, options: &CompileOptions, schedules: &mut String) -> Outcome {
    let (input, same) = match args.from {
        Source::Isl => (Foreign::read_isl(name, text), Emit::Isl),
        Source::Openscop | Source::Mlir => (Foreign::read(name, text), Emit::Openscop),
    };
    let emit = kind(args.emit.unwrap_or(same));
    let result = input.and_then(|input| {
        let optimised = input.optimise(options)?;
        print_remarks(&optimised.remarks, args.code.remarks.as_deref());
        schedules.push_str(&optimised.schedules());
        input.emit(&optimised, emit)
    });
    let (text, diagnostics) = match result {
        Ok(text) => (text, Vec::new()),
        Err(errors) => (String::new(), errors),
    };
    Outcome {
        text,
        failed: !diagnostics.is_empty(),
        said: Vec::new(),
        diagnostics,
    }
}

fn kind(emit: Emit) -> EmitKind {
    match emit {
        Emit::Mlir => EmitKind::Mlir,
        Emit::Scop => EmitKind::Scop,
        Emit::Deps => EmitKind::Deps,
        Emit::Schedule => EmitKind::Schedule,
        Emit::Ast => EmitKind::Ast,
        Emit::C => EmitKind::C,
        Emit::Clif => EmitKind::Clif,
        Emit::Llvm => EmitKind::Llvm,
        Emit::Asm => EmitKind::Asm,
        Emit::Openscop => EmitKind::OpenScop,
        Emit::ScheduleMap => EmitKind::ScheduleMap,
        Emit::Isl => EmitKind::Isl,
        Emit::Program => EmitKind::Program,
    }
}

/// An error that has no place in a file.
pub(crate) fn plain_error(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Loc::unknown(), message)
}
