//! Arguments of a run: from `--arg K=VALUE` and the function's parameter types to values.

use half::{bf16, f16};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use tilia_abi::{MemRefValue, Value};
use tilia_program::{Function, MemRefType, ScalarType, Type};

/// How the elements of a memref argument are filled.
#[derive(Debug, Clone, PartialEq)]
pub enum Fill {
    /// `(k mod 11) + n` for element k of argument n, counted from 1; elements of type i1 are true.
    Ramp,
    /// Zeros.
    Zeros,
    /// Pseudo-random values from a seed: integers 0 to 99, floats in [0, 1).
    Rand(u64),
}

/// The text after `K=`.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgSpec {
    /// A number.
    Number(String),
    /// Shape (left out: static) and fill.
    Array(Option<Vec<i64>>, Fill),
    /// A `.npy` file.
    File(String),
}

/// Reads one `--arg K=VALUE`.
///
/// # Errors
/// What is wrong, and how it is written.
pub fn parse_arg(text: &str) -> Result<(usize, ArgSpec), String> {
    let (k, value) = text
        .split_once('=')
        .ok_or_else(|| format!("'{text}' has no '='; write K=VALUE, as in 0=1000 or 2=10x20:ramp"))?;
    let k = k
        .trim()
        .parse::<usize>()
        .map_err(|_| format!("'{k}' is no argument number; arguments are counted from 0"))?;
    Ok((k, parse_value(value)?))
}

fn parse_value(text: &str) -> Result<ArgSpec, String> {
    let is_file = std::path::Path::new(text)
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("npy"));
    if is_file {
        return Ok(ArgSpec::File(text.to_owned()));
    }
    if let Some(fill) = parse_fill(text)? {
        return Ok(ArgSpec::Array(None, fill));
    }
    if let Some((shape, fill)) = text.split_once(':') {
        let fill = parse_fill(fill)?.ok_or_else(|| format!("'{fill}' is no fill; there are ramp, zeros and rand(SEED)"))?;
        return Ok(ArgSpec::Array(Some(parse_shape(shape)?), fill));
    }
    // A number, or the extents of an array without a fill: the parameter's type will tell.
    Ok(ArgSpec::Number(text.to_owned()))
}

fn parse_fill(text: &str) -> Result<Option<Fill>, String> {
    Ok(match text {
        "ramp" => Some(Fill::Ramp),
        "zeros" => Some(Fill::Zeros),
        _ => match text.strip_prefix("rand(").and_then(|t| t.strip_suffix(')')) {
            Some(seed) => Some(Fill::Rand(seed.parse().map_err(|_| format!("'{seed}' is no seed; write rand(7)"))?)),
            None => None,
        },
    })
}

fn parse_shape(text: &str) -> Result<Vec<i64>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    text.split('x')
        .map(|d| match d.trim().parse::<i64>() {
            Ok(n) if n >= 0 => Ok(n),
            _ => Err(format!("'{d}' is no extent; a shape is written as 1000x1100")),
        })
        .collect()
}

/// Values for all parameters of `function`.
///
/// # Errors
/// One sentence for each argument that is missing or doesn't fit.
pub fn make_arguments(function: &Function, given: &BTreeMap<usize, ArgSpec>) -> Result<Vec<Value>, Vec<String>> {
    let mut errors = Vec::new();
    for k in given.keys().filter(|&&k| k >= function.params.len()) {
        errors.push(format!("@{} has no argument {k}; it has {}", function.name, function.params.len()));
    }
    let mut values = Vec::new();
    for (k, ty) in function.params.iter().enumerate() {
        match make_argument(k, ty, given.get(&k)) {
            Ok(value) => values.push(value),
            Err(why) => errors.push(format!("argument {k} of @{}: {why}", function.name)),
        }
    }
    if errors.is_empty() { Ok(values) } else { Err(errors) }
}

fn make_argument(k: usize, ty: &Type, spec: Option<&ArgSpec>) -> Result<Value, String> {
    let number = i64::try_from(k).map_err(|_| "too many arguments".to_owned())? + 1;
    match (ty, spec) {
        (Type::Scalar(ScalarType::Index), None) => Err(format!("a value is needed; give --arg {k}=NUMBER")),
        (Type::Scalar(s), None) => Ok(scalar_from_int(*s, if *s == ScalarType::Int(1) { -1 } else { number })),
        (Type::Scalar(s), Some(ArgSpec::Number(text))) => scalar_from_text(*s, text),
        (Type::Scalar(s), Some(_)) => Err(format!("it is {s}, so a number is needed")),
        (Type::MemRef(m), spec) => memref_argument(k, number, m, spec),
        (Type::UnrankedMemRef(elem), Some(ArgSpec::Array(Some(shape), fill))) => filled(*elem, shape, fill, number).map(Value::MemRef),
        (Type::UnrankedMemRef(elem), Some(ArgSpec::Number(text))) if parse_shape(text).is_ok() => {
            filled(*elem, &parse_shape(text)?, &Fill::Ramp, number).map(Value::MemRef)
        }
        (Type::UnrankedMemRef(_), _) => Err(format!("its shape is needed; give --arg {k}=SHAPE:ramp")),
        (Type::Vector(_) | Type::Opaque(_), _) => Err(format!("values of type {ty} can't be passed from the command line")),
    }
}

fn memref_argument(k: usize, number: i64, ty: &MemRefType, spec: Option<&ArgSpec>) -> Result<Value, String> {
    let static_shape: Option<Vec<i64>> = ty.shape.iter().map(|d| d.and_then(|d| i64::try_from(d).ok())).collect();
    let (shape, fill) = match spec {
        None => (None, &Fill::Ramp),
        Some(ArgSpec::Array(shape, fill)) => (shape.clone(), fill),
        Some(ArgSpec::File(path)) => return read_npy(path, ty).map(Value::MemRef),
        Some(ArgSpec::Number(text)) => {
            let shape = parse_shape(text).map_err(|_| format!("'{text}' is neither SHAPE:FILL nor a .npy file"))?;
            (Some(shape), &Fill::Ramp)
        }
    };
    let shape = match (shape, static_shape) {
        (Some(shape), _) => check_shape(&shape, ty).map(|()| shape)?,
        (None, Some(shape)) => shape,
        (None, None) => {
            return Err(format!(
                "{ty} has dynamic extents; give --arg {k}=SHAPE:ramp, as in {k}={}:ramp",
                example(ty)
            ));
        }
    };
    filled(ty.elem, &shape, fill, number).map(Value::MemRef)
}

fn example(ty: &MemRefType) -> String {
    let dims: Vec<String> = ty
        .shape
        .iter()
        .map(|d| d.map_or_else(|| "100".to_owned(), |d| d.to_string()))
        .collect();
    dims.join("x")
}

fn check_shape(shape: &[i64], ty: &MemRefType) -> Result<(), String> {
    let fits = shape.len() == ty.rank()
        && shape
            .iter()
            .zip(&ty.shape)
            .all(|(&s, d)| d.is_none_or(|d| i64::try_from(d) == Ok(s)));
    let text: Vec<String> = shape.iter().map(i64::to_string).collect();
    if fits {
        Ok(())
    } else {
        Err(format!("the shape {} doesn't fit {ty}", text.join("x")))
    }
}

/// A contiguous array of that shape with its elements filled; `number` counts arguments from 1.
///
/// # Errors
/// When there is no memory for it.
pub(crate) fn filled(elem: ScalarType, shape: &[i64], fill: &Fill, number: i64) -> Result<MemRefValue, String> {
    let array = MemRefValue::zeroed(elem, shape).ok_or_else(|| "there is no memory for an array of that shape".to_owned())?;
    let count = array.count().unwrap_or(0);
    let mut state = match fill {
        Fill::Zeros => return Ok(array),
        Fill::Rand(seed) => *seed,
        Fill::Ramp => 0,
    };
    let bytes = usize::try_from(elem.bytes()).map_err(|_| "elements are too wide".to_owned())?;
    let mut at = 0usize;
    for k in 0..count {
        let bits = match fill {
            // As numbers become truth values elsewhere: all but zero are true.
            Fill::Ramp if elem == ScalarType::Int(1) => 1,
            Fill::Ramp => int_bits(elem, i64::try_from(k % 11).unwrap_or(0) + number),
            _ => random_bits(elem, &mut state),
        };
        array.buffer.write(at, &bits.to_le_bytes()[..bytes]);
        at += bytes;
    }
    Ok(array)
}

/// Splitmix64: small, and the same everywhere.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn random_bits(elem: ScalarType, state: &mut u64) -> u64 {
    let r = next_random(state);
    if elem.is_int() {
        return int_bits(elem, i64::try_from(r % 100).unwrap_or(0));
    }
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double exactly")]
    let x = (r >> 11) as f64 / (1u64 << 53) as f64;
    float_bits(elem, x)
}

/// The bits of an integer value in an element type: integers wrap to their width, floats convert.
#[must_use]
pub(crate) fn int_bits(elem: ScalarType, value: i64) -> u64 {
    if elem.is_int() {
        let bits = elem.bits();
        let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        return u64::from_ne_bytes(value.to_ne_bytes()) & mask;
    }
    #[expect(clippy::cast_precision_loss, reason = "fill values are small")]
    float_bits(elem, value as f64)
}

fn float_bits(elem: ScalarType, x: f64) -> u64 {
    match elem {
        ScalarType::F16 => u64::from(f16::from_f64(x).to_bits()),
        ScalarType::BF16 => u64::from(bf16::from_f64(x).to_bits()),
        #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is meant")]
        ScalarType::F32 => u64::from((x as f32).to_bits()),
        _ => x.to_bits(),
    }
}

fn scalar_from_int(ty: ScalarType, value: i64) -> Value {
    if ty.is_int() {
        Value::Int(value)
    } else {
        Value::Float(int_bits(ty, value))
    }
}

fn scalar_from_text(ty: ScalarType, text: &str) -> Result<Value, String> {
    if ty.is_float() {
        let x: f64 = text.trim().parse().map_err(|_| format!("'{text}' is no number"))?;
        // Decimal text goes to single precision directly: rounding twice could differ.
        let bits = match ty {
            ScalarType::F32 => u64::from(text.trim().parse::<f32>().map_err(|_| format!("'{text}' is no number"))?.to_bits()),
            _ => float_bits(ty, x),
        };
        return Ok(Value::Float(bits));
    }
    let value = match text.trim() {
        "true" if ty == ScalarType::Int(1) => 1,
        "false" if ty == ScalarType::Int(1) => 0,
        t => t.parse::<i128>().map_err(|_| format!("'{text}' is no integer"))?,
    };
    let bits = u32::from(ty.bits());
    // Signed and unsigned spellings of a width are both taken; an index is a signed number.
    let limit = if ty == ScalarType::Index { bits - 1 } else { bits };
    if value < -(1i128 << (bits - 1)) || value >= 1i128 << limit {
        return Err(format!("{value} doesn't fit {ty}"));
    }
    let wide = i64::try_from(value).unwrap_or_else(|_| i64::try_from(value - (1i128 << 64)).unwrap_or(0));
    let shift = 64 - bits;
    Ok(Value::Int((wide << shift) >> shift))
}

/// Reads an array of the memref's element type from a `.npy` file.
fn read_npy(path: &str, ty: &MemRefType) -> Result<MemRefValue, String> {
    let file = File::open(path).map_err(|e| format!("{path}: {e}"))?;
    let npy = npyz::NpyFile::new(BufReader::new(file)).map_err(|e| format!("{path}: {e}"))?;
    if npy.order() != npyz::Order::C && npy.shape().len() > 1 {
        return Err(format!(
            "{path}: the array is in column-major order; save np.ascontiguousarray(..) of it"
        ));
    }
    let shape: Vec<i64> = npy.shape().iter().map(|&d| i64::try_from(d).unwrap_or(i64::MAX)).collect();
    check_shape(&shape, ty).map_err(|e| format!("{path}: {e}"))?;
    let dtype = npy.dtype().descr();
    let wrong = || format!("{path}: elements are {dtype}, but {ty} needs {}", dtype_name(ty.elem));
    let bits: Vec<u64> = match ty.elem {
        ScalarType::F64 => items(npy, f64::to_bits),
        ScalarType::F32 | ScalarType::BF16 => items(npy, |x: f32| match ty.elem {
            ScalarType::F32 => u64::from(x.to_bits()),
            _ => u64::from(bf16::from_f32(x).to_bits()),
        }),
        ScalarType::F16 => items(npy, |x: f16| u64::from(x.to_bits())),
        ScalarType::Int(1) => items(npy, |x: bool| u64::from(x)),
        ScalarType::Index | ScalarType::Int(33..) => items(npy, |x: i64| int_bits(ty.elem, x)),
        ScalarType::Int(17..) => items(npy, |x: i32| int_bits(ty.elem, i64::from(x))),
        ScalarType::Int(9..) => items(npy, |x: i16| int_bits(ty.elem, i64::from(x))),
        ScalarType::Int(_) => items(npy, |x: i8| int_bits(ty.elem, i64::from(x))),
    }
    .ok_or_else(wrong)?;
    let array = MemRefValue::zeroed(ty.elem, &shape).ok_or_else(|| format!("{path}: there is no memory for the array"))?;
    let bytes = usize::try_from(ty.elem.bytes()).map_err(|_| wrong())?;
    for (k, bits) in bits.iter().enumerate() {
        array.buffer.write(k * bytes, &bits.to_le_bytes()[..bytes]);
    }
    Ok(array)
}

fn items<T: npyz::Deserialize>(npy: npyz::NpyFile<BufReader<File>>, bits: impl Fn(T) -> u64) -> Option<Vec<u64>> {
    let data = npy.data::<T>().ok()?;
    data.map(|x| x.ok().map(&bits)).collect()
}

/// NumPy's name of the element type that stands for `elem` in files.
#[must_use]
pub(crate) fn dtype_name(elem: ScalarType) -> &'static str {
    match elem {
        ScalarType::F64 => "float64",
        ScalarType::F32 | ScalarType::BF16 => "float32",
        ScalarType::F16 => "float16",
        ScalarType::Int(1) => "bool",
        ScalarType::Index | ScalarType::Int(33..) => "int64",
        ScalarType::Int(17..) => "int32",
        ScalarType::Int(9..) => "int16",
        ScalarType::Int(_) => "int8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs() {
        assert_eq!(parse_arg("0=1000"), Ok((0, ArgSpec::Number("1000".into()))));
        assert_eq!(parse_arg("2=10x20:zeros"), Ok((2, ArgSpec::Array(Some(vec![10, 20]), Fill::Zeros))));
        assert_eq!(parse_arg("1=rand(7)"), Ok((1, ArgSpec::Array(None, Fill::Rand(7)))));
        assert_eq!(parse_arg("1=a.npy"), Ok((1, ArgSpec::File("a.npy".into()))));
        for wrong in ["3", "x=1", "0=3x:ramp", "0=-1x2:ramp", "0=2x2:rampe", "0=rand(x)"] {
            assert!(parse_arg(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ramp() {
        let a = filled(ScalarType::Int(8), &[3, 5], &Fill::Ramp, 2).unwrap();
        assert_eq!(a.get(&[0, 0]), Some(2));
        assert_eq!(a.get(&[2, 0]), Some(12));
        assert_eq!(a.get(&[2, 1]), Some(2));
        let f = filled(ScalarType::F32, &[2], &Fill::Ramp, 1).unwrap();
        assert_eq!(f.get(&[1]), Some(u64::from(2f32.to_bits())));
    }

    #[test]
    fn scalars() {
        let int = |t, s| match scalar_from_text(t, s) {
            Ok(Value::Int(v)) => Some(v),
            _ => None,
        };
        assert_eq!(int(ScalarType::Int(8), "255"), Some(-1));
        assert_eq!(int(ScalarType::Int(8), "-128"), Some(-128));
        assert_eq!(int(ScalarType::Int(8), "256"), None);
        assert_eq!(int(ScalarType::Int(64), "18446744073709551615"), Some(-1));
        assert_eq!(int(ScalarType::Index, "9223372036854775808"), None);
        assert_eq!(int(ScalarType::Index, "9223372036854775807"), Some(i64::MAX));
        assert_eq!(int(ScalarType::Int(1), "true"), Some(-1));
    }
}
