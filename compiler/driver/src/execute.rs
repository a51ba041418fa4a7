//! Running a compiled function: repetitions from fresh inputs, comparison with the original order.

use crate::dump::{NamedArray, canonical};
use crate::options::FpMode;
use crate::report::{CheckReport, ExecutedCounts, RunTimes};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tilia_abi::{Buffer, MemRefValue, Value};
use tilia_codegen::{CompiledModule, Executed};
use tilia_diag::Diagnostic;
use tilia_program::{Function, ScalarType};

/// How often to execute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// Exactly this often.
    Times(u32),
    /// Until five executions, or two seconds have passed (at least once).
    Measure,
}

impl Repeat {
    /// Executions to be expected.
    pub(crate) fn expected(self) -> f64 {
        match self {
            Self::Times(n) => n.into(),
            Self::Measure => 5.0,
        }
    }

    fn go_on(self, done: usize, since: Instant) -> bool {
        match self {
            Self::Times(n) => done < usize::try_from(n).unwrap_or(usize::MAX),
            Self::Measure => done < 1 || (done < 5 && since.elapsed() < Duration::from_secs(2)),
        }
    }
}

/// What executing gave.
#[derive(Debug)]
pub struct Execution {
    /// Times of all executions.
    pub times: RunTimes,
    /// Counts of the last execution.
    pub executed: ExecutedCounts,
    /// Arguments after one execution, and results: `arg0, .., ret0, ..`.
    pub arrays: Vec<NamedArray>,
}

/// A copy of argument values with memory of their own. Arguments that share memory share it in the copy, too.
#[must_use]
pub(crate) fn deep_copy(values: &[Value]) -> Option<Vec<Value>> {
    let mut copies: Vec<(*const Buffer, Rc<Buffer>)> = Vec::new();
    values
        .iter()
        .map(|v| match v {
            Value::MemRef(m) => {
                let key = Rc::as_ptr(&m.buffer);
                let buffer = match copies.iter().find(|(k, _)| *k == key) {
                    Some((_, b)) => Rc::clone(b),
                    None => {
                        let b = Buffer::zeroed(m.buffer.len())?;
                        b.copy_from(&m.buffer);
                        copies.push((key, Rc::clone(&b)));
                        b
                    }
                };
                Some(Value::MemRef(MemRefValue { buffer, ..m.clone() }))
            }
            other => Some(other.clone()),
        })
        .collect()
}

/// Puts the contents of `from` back into `to`, argument by argument.
pub(crate) fn restore(to: &[Value], from: &[Value]) {
    for (t, f) in to.iter().zip(from) {
        if let (Value::MemRef(t), Value::MemRef(f)) = (t, f) {
            t.buffer.copy_from(&f.buffer);
        }
    }
}

/// Executes `function` from `fresh` inputs as often as asked, restoring them before each repetition outside the timed region.
///
/// # Errors
/// What went wrong in the program, or memory that isn't there.
pub fn execute(module: &dyn CompiledModule, function: &Function, fresh: &[Value], repeat: Repeat) -> Result<Execution, Diagnostic> {
    execute_between(module, function, fresh, repeat, &mut |_, _| Ok(()))
}

/// Called after each execution with the working copy of the arguments and the fresh ones.
pub(crate) type Between<'a> = dyn FnMut(&[Value], &[Value]) -> Result<(), Diagnostic> + 'a;

/// As [`execute`], calling `between` after each execution with the working copy of the arguments and the fresh ones: whoever is measured in turn with us runs there.
///
/// # Errors
/// As for [`execute`], and what `between` says.
pub(crate) fn execute_between(
    module: &dyn CompiledModule,
    function: &Function,
    fresh: &[Value],
    repeat: Repeat,
    between: &mut Between<'_>,
) -> Result<Execution, Diagnostic> {
    let short = || Diagnostic::error(function.loc.clone(), "there is no memory for a copy of the arguments");
    let args = deep_copy(fresh).ok_or_else(short)?;
    let begin = Instant::now();
    let mut times = Vec::new();
    let mut last = (Vec::new(), Executed::default());
    let mut work = None;
    while repeat.go_on(times.len(), begin) {
        if !times.is_empty() {
            restore(&args, fresh);
        }
        let start = Instant::now();
        let outcome = module.call(&function.name, &args)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        last = (outcome.results, outcome.executed);
        if work.is_none() {
            work = Some(name_arrays(function, &args, &last.0).ok_or_else(short)?);
        }
        between(&args, fresh)?;
    }
    let arrays = work.ok_or_else(short)?;
    Ok(Execution {
        times: RunTimes::new(times),
        executed: last.1.into(),
        arrays,
    })
}

/// Memref arguments as `arg0, ..` and results as `ret0, ..`.
#[must_use]
pub(crate) fn name_arrays(function: &Function, args: &[Value], results: &[Value]) -> Option<Vec<NamedArray>> {
    let mut arrays = Vec::new();
    for (k, value) in args.iter().enumerate() {
        if let Value::MemRef(m) = value {
            arrays.push(NamedArray::from_memref(format!("arg{k}"), m)?);
        }
    }
    for (k, (value, ty)) in results.iter().zip(&function.results).enumerate() {
        arrays.push(NamedArray::from_value(format!("ret{k}"), value, ty)?);
    }
    Some(arrays)
}

/// Compares two executions' arrays; the second is the reference.
#[must_use]
pub fn compare(have: &[NamedArray], reference: &[NamedArray]) -> CheckReport {
    let mut report = CheckReport {
        identical: have.len() == reference.len(),
        max_rel: 0.0,
    };
    for (h, r) in have.iter().zip(reference) {
        let same = h.shape == r.shape
            && h.bits.len() == r.bits.len()
            && h.bits
                .iter()
                .zip(&r.bits)
                .all(|(&a, &b)| canonical(a, h.elem) == canonical(b, r.elem));
        if !same {
            report.identical = false;
            report.max_rel = report.max_rel.max(relative(h, r));
        }
    }
    report
}

/// Largest difference relative to the largest finite magnitude of the reference; infinite when shapes, NaNs or infinities differ.
fn relative(have: &NamedArray, reference: &NamedArray) -> f64 {
    if have.shape != reference.shape || have.bits.len() != reference.bits.len() {
        return f64::INFINITY;
    }
    let number = |bits: u64| as_f64(bits, reference.elem);
    let scale = reference
        .bits
        .iter()
        .map(|&b| number(b).abs())
        .filter(|x| x.is_finite())
        .fold(0.0, f64::max);
    let scale = if scale == 0.0 { 1.0 } else { scale };
    let mut worst = 0.0f64;
    for (&a, &b) in have.bits.iter().zip(&reference.bits) {
        let (a, b) = (number(a), number(b));
        let difference = match (a.is_finite(), b.is_finite()) {
            (true, true) => (a - b).abs() / scale,
            _ if a.is_nan() && b.is_nan() || a == b => 0.0,
            _ => f64::INFINITY,
        };
        worst = worst.max(difference);
    }
    worst
}

fn as_f64(bits: u64, elem: ScalarType) -> f64 {
    #[expect(clippy::cast_possible_truncation, reason = "elements are stored in the low bits")]
    #[expect(clippy::cast_precision_loss, reason = "only compared with a tolerance")]
    match elem {
        ScalarType::F64 => f64::from_bits(bits),
        ScalarType::F32 => f64::from(f32::from_bits(bits as u32)),
        ScalarType::F16 => half::f16::from_bits(bits as u16).to_f64(),
        ScalarType::BF16 => half::bf16::from_bits(bits as u16).to_f64(),
        ScalarType::Int(_) | ScalarType::Index => bits as f64,
    }
}

/// Whether a comparison satisfies what the mode promises: bits in strict and contract, else 1e-10 for f64 and 1e-4 for narrower floats.
#[must_use]
pub fn acceptable(report: &CheckReport, mode: FpMode, arrays: &[NamedArray]) -> bool {
    if report.identical {
        return true;
    }
    let narrow = arrays.iter().any(|a| a.elem.is_float() && a.elem != ScalarType::F64);
    mode == FpMode::Fast && report.max_rel <= if narrow { 1e-4 } else { 1e-10 }
}
