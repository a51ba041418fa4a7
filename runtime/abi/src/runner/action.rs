//! What each runner function does, on host values.

use crate::{FloatFormat, MemRefValue, Value, print, sink};
use std::time::{SystemTime, UNIX_EPOCH};
use tilia_program::{Layout, MemRefType, ScalarType, Type};

/// A function of the runner utilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunnerFn {
    /// `printMemrefF64` and kin, of a given element type.
    PrintMemRef(ScalarType),
    /// `printMemrefShapeF64` and kin.
    PrintShape(ScalarType),
    /// `printMemref2dF32` and kin, of a given rank and element type.
    PrintRanked(u8, ScalarType),
    /// `verifyMemRefF64` and kin.
    Verify(ScalarType),
    /// `printI64`.
    PrintI64,
    /// `printU64`.
    PrintU64,
    /// `printF32`.
    PrintF32,
    /// `printF64`.
    PrintF64,
    /// `printOpen`, `printClose`, `printComma`, `printNewline`.
    PrintText(&'static str),
    /// `printFlops`.
    PrintFlops,
    /// `rtclock`: seconds since 1970.
    Clock,
    /// `nanoTime`: nanoseconds since 1970.
    NanoTime,
}

/// Element types by the names that the functions use.
const ELEMENTS: [(&str, ScalarType); 9] = [
    ("I8", ScalarType::Int(8)),
    ("I16", ScalarType::Int(16)),
    ("I32", ScalarType::Int(32)),
    ("I64", ScalarType::Int(64)),
    ("F16", ScalarType::F16),
    ("BF16", ScalarType::BF16),
    ("F32", ScalarType::F32),
    ("F64", ScalarType::F64),
    ("Ind", ScalarType::Index),
];

/// The function of that name, with or without the prefix of the C interface.
#[must_use]
pub fn find(name: &str) -> Option<RunnerFn> {
    let name = name.strip_prefix("_mlir_ciface_").unwrap_or(name);
    let element = |s: &str| ELEMENTS.iter().find(|e| e.0 == s).map(|e| e.1);
    Some(match name {
        "printI64" => RunnerFn::PrintI64,
        "printU64" => RunnerFn::PrintU64,
        "printF32" => RunnerFn::PrintF32,
        "printF64" => RunnerFn::PrintF64,
        "printOpen" => RunnerFn::PrintText("( "),
        "printClose" => RunnerFn::PrintText(" )"),
        "printComma" => RunnerFn::PrintText(", "),
        "printNewline" => RunnerFn::PrintText("\n"),
        "printFlops" => RunnerFn::PrintFlops,
        "rtclock" => RunnerFn::Clock,
        "nanoTime" => RunnerFn::NanoTime,
        _ => {
            if let Some(e) = name.strip_prefix("verifyMemRef") {
                RunnerFn::Verify(element(e)?)
            } else if let Some(e) = name.strip_prefix("printMemrefShape") {
                RunnerFn::PrintShape(element(e)?)
            } else {
                let rest = name.strip_prefix("printMemref")?;
                match rest.split_once('d') {
                    // "Ind" holds a d, too, but no rank before it.
                    Some((rank, e)) if rank.parse::<u8>().is_ok_and(|r| r <= 4) => RunnerFn::PrintRanked(rank.parse().ok()?, element(e)?),
                    _ => RunnerFn::PrintMemRef(element(rest)?),
                }
            }
        }
    })
}

/// Parameter and result types. A ranked memref may have any layout.
#[must_use]
pub fn signature(f: RunnerFn) -> (Vec<Type>, Option<Type>) {
    let scalar = |s| vec![Type::Scalar(s)];
    let ranked = |rank: u8, elem| {
        let rank = usize::from(rank);
        Type::MemRef(MemRefType {
            elem,
            shape: vec![None; rank],
            layout: Layout::Strided {
                offset: None,
                strides: vec![None; rank],
            },
        })
    };
    let i64_ = ScalarType::Int(64);
    match f {
        RunnerFn::PrintMemRef(e) | RunnerFn::PrintShape(e) => (vec![Type::UnrankedMemRef(e)], None),
        RunnerFn::PrintRanked(rank, e) => (vec![ranked(rank, e)], None),
        RunnerFn::Verify(e) => (vec![Type::UnrankedMemRef(e); 2], Some(Type::Scalar(i64_))),
        RunnerFn::PrintI64 | RunnerFn::PrintU64 => (scalar(i64_), None),
        RunnerFn::PrintF32 => (scalar(ScalarType::F32), None),
        RunnerFn::PrintF64 | RunnerFn::PrintFlops => (scalar(ScalarType::F64), None),
        RunnerFn::PrintText(_) => (Vec::new(), None),
        RunnerFn::Clock => (Vec::new(), Some(Type::Scalar(ScalarType::F64))),
        RunnerFn::NanoTime => (Vec::new(), Some(Type::Scalar(i64_))),
    }
}

/// Executes the function.
///
/// # Errors
/// Arguments of the wrong number or types.
pub fn call(f: RunnerFn, args: &[Value]) -> Result<Option<Value>, String> {
    let (params, _) = signature(f);
    if params.len() != args.len() {
        return Err(format!("{} arguments are needed, not {}", params.len(), args.len()));
    }
    for (arg, ty) in args.iter().zip(&params) {
        arg.check_type(ty)?;
    }
    match (f, args) {
        (RunnerFn::Verify(_), [Value::MemRef(actual), Value::MemRef(expected)]) => Ok(Some(Value::Int(verify(actual, expected)))),
        (_, [Value::MemRef(m)]) => {
            print_memref(f, m);
            Ok(None)
        }
        _ => Ok(scalar(f, args)),
    }
}

/// Writes the text of a memref as the function does.
fn print_memref(f: RunnerFn, m: &MemRefValue) {
    let element = |n: i64| element(m, n);
    let shown = shown(m, &element);
    write_shown(f, &shown);
}

/// Writes a memref: the words before it depend on the function.
pub(super) fn write_shown(f: RunnerFn, shown: &print::Shown<'_>) {
    sink::write(match f {
        RunnerFn::PrintRanked(..) => b"Memref ",
        _ => b"Unranked Memref ",
    });
    match f {
        RunnerFn::PrintShape(_) => {
            sink::write(shown.head().as_bytes());
            sink::write(b"\n");
        }
        _ => sink::write(&shown.text()),
    }
}

fn shown<'a>(m: &'a MemRefValue, element: &'a dyn Fn(i64) -> Option<u64>) -> print::Shown<'a> {
    print::Shown {
        address: m.buffer.as_ptr().addr(),
        elem: m.elem,
        offset: m.offset,
        sizes: &m.sizes,
        strides: &m.strides,
        element,
    }
}

fn element(m: &MemRefValue, n: i64) -> Option<u64> {
    let bytes = usize::try_from(m.elem.bytes()).ok()?;
    let mut word = [0; 8];
    let start = usize::try_from(n).ok()?.checked_mul(bytes)?;
    m.buffer.read(start, word.get_mut(..bytes)?).then(|| u64::from_le_bytes(word))
}

/// Functions on scalars.
pub(super) fn scalar(f: RunnerFn, args: &[Value]) -> Option<Value> {
    let text = match (f, args) {
        (RunnerFn::PrintI64, [Value::Int(v)]) => v.to_string(),
        (RunnerFn::PrintU64, [Value::Int(v)]) => crate::integer::unsigned(*v, 64).to_string(),
        (RunnerFn::PrintF32, [Value::Float(v)]) => print::general(FloatFormat::F32.to_f64(*v)),
        (RunnerFn::PrintF64, [Value::Float(v)]) => print::general(f64::from_bits(*v)),
        (RunnerFn::PrintFlops, [Value::Float(v)]) => format!("{:.6} GFLOPS\n", f64::from_bits(*v) / 1e9),
        (RunnerFn::PrintText(text), _) => text.to_owned(),
        (RunnerFn::Clock, _) => return Some(Value::Float(since_1970().as_secs_f64().to_bits())),
        (RunnerFn::NanoTime, _) => return Some(Value::Int(i64::try_from(since_1970().as_nanos()).unwrap_or(i64::MAX))),
        _ => return None,
    };
    sink::write(text.as_bytes());
    None
}

fn since_1970() -> std::time::Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Number of elements that differ (f64 by more than 1e-12 relative, f32 by more than 1e-6), or -1 for different shapes; the first ten are shown on standard error.
fn verify(actual: &MemRefValue, expected: &MemRefValue) -> i64 {
    let (read_a, read_b) = (|n: i64| element(actual, n), |n: i64| element(expected, n));
    verify_shown(&shown(actual, &read_a), &shown(expected, &read_b))
}

pub(super) fn verify_shown(a: &print::Shown<'_>, b: &print::Shown<'_>) -> i64 {
    if a.sizes != b.sizes || (!a.sizes.is_empty() && (a.strides != b.strides || a.offset != b.offset)) {
        eprint!("{}{}", a.head(), b.head());
        return -1;
    }
    if a.sizes.iter().any(|&d| d <= 0) {
        return 0;
    }
    let mut errors = 0;
    let mut at = vec![0i64; a.sizes.len()];
    loop {
        let number = |s: &print::Shown<'_>| {
            at.iter()
                .zip(s.strides)
                .try_fold(s.offset, |n, (&i, &s)| n.checked_add(i.checked_mul(s)?))
        };
        let read = |s: &print::Shown<'_>| number(s).and_then(|n| (s.element)(n));
        let same = match (read(a), read(b)) {
            (Some(x), Some(y)) => close(x, y, a.elem),
            _ => false,
        };
        if !same {
            errors += 1;
            if errors <= 10 {
                eprintln!("element {at:?} differs");
            }
        }
        let next = at.iter_mut().zip(a.sizes).rev().find_map(|(i, &d)| {
            *i = if *i + 1 < d { *i + 1 } else { 0 };
            (*i > 0).then_some(())
        });
        if next.is_none() {
            return errors;
        }
    }
}

fn close(x: u64, y: u64, elem: ScalarType) -> bool {
    let Some(format) = FloatFormat::of(elem) else {
        return x == y;
    };
    let (x, y) = (format.to_f64(x), format.to_f64(y));
    let epsilon = match elem {
        ScalarType::F64 => 1e-12,
        ScalarType::F32 => f64::from(1e-6f32),
        _ => return x == y,
    };
    x.is_finite() && y.is_finite() && (x - y).abs() <= epsilon * y.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(find("printMemrefF64"), Some(RunnerFn::PrintMemRef(ScalarType::F64)));
        assert_eq!(find("_mlir_ciface_printMemrefInd"), Some(RunnerFn::PrintMemRef(ScalarType::Index)));
        assert_eq!(find("printMemrefShapeF64"), Some(RunnerFn::PrintShape(ScalarType::F64)));
        assert_eq!(find("printMemref2dF32"), Some(RunnerFn::PrintRanked(2, ScalarType::F32)));
        assert_eq!(find("printMemref9dF32"), None);
        assert_eq!(find("printMemrefC64"), None);
        assert_eq!(find("main"), None);
    }

    #[test]
    fn calls_print() {
        let m = MemRefValue::zeroed(ScalarType::F32, &[2]).unwrap();
        m.set(&[1], u64::from(1.5f32.to_bits()));
        let f = find("printMemrefF32").unwrap();
        let (result, out) = sink::capture(|| call(f, &[Value::MemRef(m.clone())]));
        assert!(matches!(result, Ok(None)));
        let out = String::from_utf8(out).unwrap();
        assert!(out.starts_with("Unranked Memref base@ = 0x"), "{out}");
        assert!(
            out.ends_with("rank = 1 offset = 0 sizes = [2] strides = [1] data = \n[0,  1.5]\n"),
            "{out}"
        );
        assert!(call(f, &[Value::Int(1)]).is_err());
        assert!(call(f, &[]).is_err());
        let f = find("printU64").unwrap();
        assert_eq!(sink::capture(|| call(f, &[Value::Int(-1)])).1, b"18446744073709551615");
        let f = find("printFlops").unwrap();
        assert_eq!(
            sink::capture(|| call(f, &[Value::Float(123_456_789.25f64.to_bits())])).1,
            b"0.123457 GFLOPS\n"
        );
    }

    #[test]
    fn verifies() {
        let make = |values: &[f64]| {
            let m = MemRefValue::zeroed(ScalarType::F64, &[values.len() as i64]).unwrap();
            for (i, v) in values.iter().enumerate() {
                m.set(&[i as i64], v.to_bits());
            }
            Value::MemRef(m)
        };
        let f = find("verifyMemRefF64").unwrap();
        let errors = |a: &[f64], b: &[f64]| match call(f, &[make(a), make(b)]) {
            Ok(Some(Value::Int(n))) => n,
            other => panic!("{other:?}"),
        };
        assert_eq!(errors(&[1.0, 2.0], &[1.0, 2.0 + 1e-14]), 0);
        assert_eq!(errors(&[1.0, 2.0], &[1.5, f64::NAN]), 2);
        assert_eq!(errors(&[1.0], &[1.0, 2.0]), -1);
    }
}
