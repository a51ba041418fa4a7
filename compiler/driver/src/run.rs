//! `tilia run`: compile one function, execute it, check it.

use crate::arguments::{ArgSpec, make_arguments};
use crate::auto::KnownArgs;
use crate::dump::NamedArray;
use crate::execute::{Between, Execution, Repeat, acceptable, compare, execute, execute_between, name_arrays};
use crate::generate::{chosen_backend, generate};
use crate::layouts;
use crate::options::{BackendChoice, CompileOptions};
use crate::pipeline::optimise;
use crate::report::{CheckReport, CompileTimes, RemarkReport, RunReport};
use crate::tune::{Search, TuneReport, TuneRequest, apply, tune};
use crate::unit::{Unit, restrict};
use std::collections::BTreeMap;
use std::time::Instant;
use tilia_abi::Value;
use tilia_diag::{Diagnostic, Loc, Remark};
use tilia_program::{Function, Program};

/// What to compare a run with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Nothing.
    No,
    /// The original order, compiled plainly.
    Original,
    /// The original order in the interpreter.
    Interpreter,
}

/// A run.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// Function; found by rule when not given.
    pub entry: Option<String>,
    /// Arguments by number.
    pub args: BTreeMap<usize, ArgSpec>,
    /// Executions.
    pub repeat: Repeat,
    /// Comparison.
    pub check: Check,
}

/// A finished run.
#[derive(Debug)]
pub struct RunDone {
    /// Report.
    pub report: RunReport,
    /// Arguments after the run and results.
    pub arrays: Vec<NamedArray>,
    /// Remarks of the compilation.
    pub remarks: Vec<Remark>,
    /// Schedule trees, as text.
    pub schedules: String,
    /// Whether the check was passed (true when there was none).
    pub check_passed: bool,
}

/// Steps that the interpreter may take for a check.
const INTERPRETER_FUEL: u64 = 200_000_000;

impl Unit {
    /// Compiles and executes a function.
    ///
    /// # Errors
    /// Arguments that don't fit, requests that can't be met, errors of the running program.
    pub fn run(&self, options: &CompileOptions, request: &RunRequest) -> Result<RunDone, Vec<Diagnostic>> {
        let function = self.entry(request.entry.as_deref()).map_err(|d| vec![d])?;
        let layouts = self.imported.layouts.get(&function.name);
        let args = self.arguments(function, &request.args)?;
        let program = restrict(&self.program, &function.name);
        let call = Call {
            program: &program,
            entry: &function.name,
            args: &args,
            repeat: request.repeat,
            parse_ms: self.parse_ms,
        };
        let (mut report, remarks, schedules, execution) = compile_and_execute(&call, options, &mut |_, _| Ok(()))?;
        let mut check_passed = true;
        if request.check != Check::No {
            let check = check_against(&program, function, &args, options, request.check, &execution)?;
            check_passed = acceptable(&check, options.fp, &execution.arrays);
            report.check = Some(check);
        }
        let arrays = layouts::as_source(execution.arrays, layouts).ok_or_else(|| {
            vec![Diagnostic::error(
                function.loc.clone(),
                "a memref doesn't have the shape of its type",
            )]
        })?;
        Ok(RunDone {
            report,
            arrays,
            remarks,
            schedules,
            check_passed,
        })
    }

    /// Searches for the fastest code of a function, called `entry` as for a run, and stores what is found.
    ///
    /// # Errors
    /// As for [`Unit::run`], options that leave nothing to tune, results that can't be written.
    pub fn tune(
        &self,
        options: &CompileOptions,
        (entry, args): (Option<&str>, &BTreeMap<usize, ArgSpec>),
        request: &TuneRequest,
        progress: &mut dyn FnMut(&TuneReport<'_>),
    ) -> Result<Search, Vec<Diagnostic>> {
        let function = self.entry(entry).map_err(|d| vec![d])?;
        let args = self.arguments(function, args)?;
        let program = restrict(&self.program, &function.name);
        let call = Call {
            program: &program,
            entry: &function.name,
            args: &args,
            repeat: Repeat::Measure,
            parse_ms: self.parse_ms,
        };
        tune(&call, options, request, progress)
    }

    fn arguments(&self, function: &Function, given: &BTreeMap<usize, ArgSpec>) -> Result<Vec<Value>, Vec<Diagnostic>> {
        let layouts = self.imported.layouts.get(&function.name);
        let written = layouts::as_written(function, layouts);
        let args = make_arguments(&written, given).and_then(|args| layouts::place(args, function, layouts));
        args.map_err(|why| {
            why.into_iter()
                .map(|text| Diagnostic::error(function.loc.clone(), text))
                .collect::<Vec<_>>()
        })
    }
}

/// What to compile and execute.
pub(crate) struct Call<'a> {
    pub(crate) program: &'a Program,
    pub(crate) entry: &'a str,
    pub(crate) args: &'a [Value],
    pub(crate) repeat: Repeat,
    /// Milliseconds that reading the text took.
    pub(crate) parse_ms: f64,
}

/// The pipeline, machine code, and the executions; `between` is called after each (see [`execute_between`]).
pub(crate) fn compile_and_execute(
    call: &Call<'_>,
    options: &CompileOptions,
    between: &mut Between<'_>,
) -> Result<(RunReport, Vec<Remark>, String, Execution), Vec<Diagnostic>> {
    let &Call {
        program,
        entry,
        args,
        repeat,
        parse_ms,
    } = call;
    let function = program
        .function(entry)
        .ok_or_else(|| vec![Diagnostic::error(Loc::unknown(), format!("there is no function @{entry}"))])?;
    let known = KnownArgs::of(entry, args);
    let (tuned, said) = apply(program, function, &known, repeat.expected(), options);
    let options = tuned.as_ref().unwrap_or(options);
    let (backend, choice) = chosen_backend(options.backend, program, known.work(function) * repeat.expected());
    let options = &CompileOptions {
        known,
        backend,
        tuning: None,
        ..options.clone()
    };
    let start = Instant::now();
    let mut optimised = optimise(program, options)?;
    let schedule_ms = start.elapsed().as_secs_f64() * 1e3;
    let start = Instant::now();
    let generated = match generate(&optimised.program, options) {
        Ok(generated) => generated,
        Err(errors) => {
            // Whatever the generated loops trip over, the source may still compile as it stands.
            let generated = generate(program, options).map_err(|_| errors.clone())?;
            let why = errors.first().map_or("no reason given", |d| d.message.as_str());
            // What ran is the source's own order, whatever was asked for.
            "none".clone_into(&mut optimised.strategy);
            optimised.remarks.push(Remark::declined(
                "request",
                Loc::unknown(),
                format!("the generated loops can't be compiled, so the original operations run: {why}"),
            ));
            generated
        }
    };
    optimised.remarks.extend(said.into_iter().chain(choice));
    optimised.remarks.extend(generated.remarks);
    let module = generated.module;
    let codegen_ms = start.elapsed().as_secs_f64() * 1e3;
    let execution = execute_between(module.as_ref(), function, args, repeat, between).map_err(|d| vec![d])?;
    let report = RunReport {
        compile_ms: CompileTimes {
            parse: parse_ms,
            schedule: schedule_ms,
            codegen: codegen_ms,
            total: parse_ms + schedule_ms + codegen_ms,
        },
        run_ms: execution.times.clone(),
        threads: options.threads,
        strategy: optimised.strategy.clone(),
        backend: generated.backend.to_owned(),
        fp: options.fp.to_string(),
        executed: execution.executed,
        remarks: optimised.remarks.iter().map(RemarkReport::from).collect(),
        check: None,
    };
    let schedules = optimised.schedules();
    Ok((report, optimised.remarks, schedules, execution))
}

/// Executes the original order plainly and compares. What the reference prints is swallowed: it was printed once already.
pub(crate) fn check_against(
    program: &Program,
    function: &Function,
    args: &[Value],
    options: &CompileOptions,
    check: Check,
    have: &Execution,
) -> Result<CheckReport, Vec<Diagnostic>> {
    let arrays = if check == Check::Interpreter {
        interpret(program, function, args)?
    } else {
        let plain = CompileOptions {
            threads: 1,
            raise: false,
            backend: BackendChoice::Cranelift,
            ..options.clone()
        };
        let module = generate(program, &plain)?.module;
        let (reference, _) = tilia_abi::sink::capture(|| execute(module.as_ref(), function, args, Repeat::Times(1)));
        reference.map_err(|d| vec![d])?.arrays
    };
    Ok(compare(&have.arrays, &arrays))
}

fn interpret(program: &Program, function: &Function, args: &[Value]) -> Result<Vec<NamedArray>, Vec<Diagnostic>> {
    let short = || {
        vec![Diagnostic::error(
            function.loc.clone(),
            "there is no memory for a copy of the arguments",
        )]
    };
    let args = crate::execute::deep_copy(args).ok_or_else(short)?;
    let options = tilia_interp::Options {
        fuel: INTERPRETER_FUEL,
        ..tilia_interp::Options::default()
    };
    let interpreter = tilia_interp::Interpreter::new(program)?;
    let (outcome, _) = tilia_abi::sink::capture(|| interpreter.run(&function.name, &args, &options));
    let results = outcome.map_err(|e| {
        let d = Diagnostic::from(e);
        vec![if d.message.contains("fuel") {
            d.help("--check compares with plainly compiled code, at any size")
        } else {
            d
        }]
    })?;
    name_arrays(function, &args, &results.results).ok_or_else(short)
}
