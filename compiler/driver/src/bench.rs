//! `tilia bench`: one kernel of a suite at one size.

use crate::arguments::{Fill, filled};
use crate::dump::{NamedArray, checksum, write_npz};
use crate::execute::{Repeat, acceptable};
use crate::generate::generate;
use crate::options::{BackendChoice, CompileOptions, FpMode};
use crate::report::BenchReport;
use crate::run::{Call, Check, check_against, compile_and_execute};
use crate::suite::{Argument, Kernel, Suite, element_type, evaluate};
use crate::tune::{Search, TuneReport, TuneRequest, tune};
use crate::unit::{Unit, restrict};
use crate::versus::{Rivals, Versus};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tilia_abi::Value;
use tilia_diag::{Diagnostic, Loc, Remark};
use tilia_program::Program;

/// What to measure.
#[derive(Debug, Clone)]
pub struct BenchRequest {
    /// Size name.
    pub size: String,
    /// Executions.
    pub repeat: Repeat,
    /// Compare with the original order.
    pub check: bool,
    /// Other compilers to compare with.
    pub vs: Vec<String>,
    /// Compare with what they make of `restrict` arrays, too.
    pub restrict: bool,
    /// Folder for outputs.
    pub dump: Option<PathBuf>,
}

/// A measured kernel.
#[derive(Debug)]
pub struct BenchDone {
    /// Report.
    pub report: BenchReport,
    /// Remarks of the compilation.
    pub remarks: Vec<Remark>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// Whether the check was passed (true when there was none).
    pub check_passed: bool,
}

fn error(text: impl Into<String>) -> Vec<Diagnostic> {
    vec![Diagnostic::error(Loc::unknown(), text)]
}

/// A kernel of a suite with its arguments filled.
struct Prepared {
    unit: Unit,
    args: Vec<Value>,
    /// What the measured function reaches.
    program: Program,
}

impl Prepared {
    fn new(suite: &Suite, kernel: &Kernel, size: &str, options: &CompileOptions) -> Result<Self, Vec<Diagnostic>> {
        let params = parameters(kernel, size)?;
        let args = arguments(kernel, params).map_err(error)?;
        check_outputs(kernel).map_err(error)?;
        let path = suite.folder.join(&kernel.file);
        let text = std::fs::read_to_string(&path).map_err(|e| error(format!("{}: {e}", path.display())))?;
        let unit = Unit::read(&path.display().to_string(), &text, 1, options);
        if !unit.parsed() || unit.has_errors() {
            return Err(unit.diagnostics().to_vec());
        }
        initialise(&unit, kernel, &args, options)?;
        let program = restrict(unit.program(), &kernel.entry);
        Ok(Self { unit, args, program })
    }

    fn call<'a>(&'a self, kernel: &'a Kernel, repeat: Repeat) -> Call<'a> {
        Call {
            program: &self.program,
            entry: &kernel.entry,
            args: &self.args,
            repeat,
            parse_ms: self.unit.parse_ms,
        }
    }
}

fn parameters<'a>(kernel: &'a Kernel, size: &str) -> Result<&'a BTreeMap<String, i64>, Vec<Diagnostic>> {
    let params = kernel.sizes.get(size);
    params.ok_or_else(|| error(format!("{} has no size {size}", kernel.name)))
}

/// Searches for the fastest code of one kernel at one size, and stores what is found.
///
/// # Errors
/// As for [`bench_kernel`], options that leave nothing to tune, results that can't be written.
pub fn tune_kernel(
    suite: &Suite,
    (kernel, size): (&Kernel, &str),
    options: &CompileOptions,
    request: &TuneRequest,
    progress: &mut dyn FnMut(&TuneReport<'_>),
) -> Result<Search, Vec<Diagnostic>> {
    let prepared = Prepared::new(suite, kernel, size, options)?;
    tune(&prepared.call(kernel, Repeat::Measure), options, request, progress)
}

/// Measures one kernel at one size.
///
/// # Errors
/// A suite file that doesn't fit the kernel's, or anything that goes wrong in compiling and running it.
pub fn bench_kernel(
    suite: &Suite,
    kernel: &Kernel,
    request: &BenchRequest,
    options: &CompileOptions,
) -> Result<BenchDone, Vec<Diagnostic>> {
    let params = parameters(kernel, &request.size)?;
    let prepared = Prepared::new(suite, kernel, &request.size, options)?;
    let Prepared { unit, args, program } = &prepared;
    let function = unit.entry(Some(&kernel.entry)).map_err(|d| vec![d])?;
    let versus = Versus {
        names: &request.vs,
        restrict: request.restrict,
        may_contract: options.fp != FpMode::Strict,
        threads: options.threads,
    };
    // They get the source program, without multiply-adds of our making.
    let source = unit.imported.program.function(&kernel.entry);
    let source = source.ok_or_else(|| error(format!("{}: there is no function @{}", kernel.name, kernel.entry)))?;
    let mut rivals = Rivals::compile(source, args, &versus).map_err(|d| vec![d])?;
    let call = prepared.call(kernel, request.repeat);
    let (run, remarks, _, execution) = compile_and_execute(&call, options, &mut |work, fresh| rivals.run(function, work, fresh))?;
    let outputs = outputs(kernel, &execution.arrays).map_err(error)?;
    let flops = evaluate(&kernel.flops, params).map_err(|e| error(format!("{}: flops: {e}", kernel.name)))?;
    let mut report = BenchReport {
        kernel: kernel.name.clone(),
        size: request.size.clone(),
        gflops: if run.run_ms.min > 0.0 { flops / run.run_ms.min / 1e6 } else { 0.0 },
        checksum: format!("{:016x}", checksum(&outputs)),
        vs: rivals.milliseconds().into_iter().map(|(r, ms)| (r, ms / run.run_ms.min)).collect(),
        vs_ms: rivals.milliseconds(),
        vs_suspect: rivals.suspects(&execution),
        run,
    };
    let mut check_passed = true;
    if request.check {
        let check = check_against(program, function, args, options, Check::Original, &execution)?;
        check_passed = acceptable(&check, options.fp, &execution.arrays);
        report.run.check = Some(check);
    }
    if let Some(dir) = &request.dump {
        let path = dir.join(format!("{}.{}.npz", kernel.name, request.size));
        write_npz(&path, &outputs).map_err(|e| error(format!("can't write {}: {e}", path.display())))?;
    }
    Ok(BenchDone {
        report,
        remarks,
        warnings: unit.diagnostics().to_vec(),
        check_passed,
    })
}

/// Zeroed arguments for a kernel, as its suite file says.
fn arguments(kernel: &Kernel, params: &BTreeMap<String, i64>) -> Result<Vec<Value>, String> {
    kernel
        .args
        .iter()
        .map(|a| match a {
            Argument::Param { param } => params
                .get(param)
                .map(|&v| Value::Int(v))
                .ok_or_else(|| format!("{}: there is no parameter '{param}'", kernel.name)),
            Argument::Array { name, elem, shape } => {
                let elem = element_type(elem).ok_or_else(|| format!("{}: '{elem}' is no element type", kernel.name))?;
                let shape = shape.iter().map(|e| extent(e, params)).collect::<Result<Vec<_>, _>>()?;
                let array = filled(elem, &shape, &Fill::Zeros, 0).map_err(|e| format!("{}: {name}: {e}", kernel.name))?;
                Ok(Value::MemRef(array))
            }
        })
        .collect()
}

fn extent(text: &str, params: &BTreeMap<String, i64>) -> Result<i64, String> {
    let value = evaluate(text, params)?;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be a small whole number")]
    if value.fract() == 0.0 && (0.0..1e15).contains(&value) {
        Ok(value as i64)
    } else {
        Err(format!("the extent '{text}' is {value}, which is no size"))
    }
}

/// Runs the kernel's init function on the arguments, as it stands in the source.
fn initialise(unit: &Unit, kernel: &Kernel, args: &[Value], options: &CompileOptions) -> Result<(), Vec<Diagnostic>> {
    let Some(init) = &kernel.init else { return Ok(()) };
    unit.entry(Some(init)).map_err(|d| vec![d])?;
    let plain = CompileOptions {
        threads: 1,
        raise: false,
        backend: BackendChoice::Cranelift,
        ..options.clone()
    };
    let module = generate(&restrict(unit.program(), init), &plain)?.module;
    module.call(init, args).map(drop).map_err(|e| vec![Diagnostic::from(e)])
}

/// Whether all outputs are array arguments.
fn check_outputs(kernel: &Kernel) -> Result<(), String> {
    match kernel.outputs.iter().find(|o| output_position(kernel, o).is_none()) {
        Some(output) => Err(format!("{}: the output '{output}' isn't an array argument", kernel.name)),
        None => Ok(()),
    }
}

fn output_position(kernel: &Kernel, output: &str) -> Option<usize> {
    kernel
        .args
        .iter()
        .position(|a| matches!(a, Argument::Array { name, .. } if name == output))
}

/// The kernel's outputs under their names.
fn outputs(kernel: &Kernel, arrays: &[NamedArray]) -> Result<Vec<NamedArray>, String> {
    kernel
        .outputs
        .iter()
        .map(|output| {
            let position =
                output_position(kernel, output).ok_or_else(|| format!("{}: the output '{output}' isn't an array argument", kernel.name))?;
            let key = format!("arg{position}");
            let array = arrays
                .iter()
                .find(|a| a.name == key)
                .ok_or_else(|| format!("{}: the output '{output}' isn't there after the run", kernel.name))?;
            Ok(NamedArray {
                name: output.clone(),
                ..array.clone()
            })
        })
        .collect()
}
