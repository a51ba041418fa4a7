//! Running functions in the interpreter on made-up arguments, to compare programs.

use tilia_abi::{MemRefValue, Value};
use tilia_interp::{Interpreter, Options};
use tilia_program::{Function, Program, ScalarType, Type};

/// What a run leaves behind: the results and the memory of the arguments, as bits; or the error.
pub(crate) type Traces = Result<Vec<Vec<u64>>, String>;

/// Runs a function: indices are 5, other numbers small, dynamic extents `extent`, memory a ramp. At most `fuel` operations.
pub(crate) fn run(program: &Program, name: &str, extent: i64, fuel: u64) -> Traces {
    let f = program.function(name).ok_or("no such function")?;
    let args = arguments(f, extent).ok_or("arguments that can't be made up")?;
    let interpreter = Interpreter::new(program).map_err(|e| format!("{e:?}"))?;
    let options = Options {
        fuel,
        ..Options::default()
    };
    let outcome = interpreter.run(name, &args, &options).map_err(|e| e.message)?;
    outcome.results.iter().chain(&args).map(bits).collect()
}

fn arguments(f: &Function, extent: i64) -> Option<Vec<Value>> {
    (1..).zip(&f.params).map(|(n, ty)| argument(n, ty, extent)).collect()
}

fn argument(n: u64, ty: &Type, extent: i64) -> Option<Value> {
    let number = |scalar: &ScalarType, v: u64| match scalar {
        ScalarType::F64 => (v as f64).to_bits(),
        ScalarType::F32 => u64::from((v as f32).to_bits()),
        ScalarType::F16 | ScalarType::BF16 => 0x3C00,
        ScalarType::Int(1) => v & 1,
        ScalarType::Int(_) | ScalarType::Index => v,
    };
    match ty {
        Type::Scalar(ScalarType::Index) => Some(Value::Int(5)),
        Type::Scalar(ScalarType::Int(1)) => Some(Value::Int(-1)),
        Type::Scalar(ScalarType::Int(_)) => Some(Value::Int(3)),
        Type::Scalar(float) => Some(Value::Float(number(float, n))),
        Type::MemRef(memref) => {
            let sizes: Vec<i64> = memref
                .shape
                .iter()
                .map(|e| e.map_or(Some(extent), |e| i64::try_from(e).ok()))
                .collect::<Option<_>>()?;
            if sizes.iter().try_fold(1i64, |n, &s| n.checked_mul(s))? > 4_000_000 {
                return None;
            }
            let value = MemRefValue::zeroed(memref.elem, &sizes)?;
            let mut bytes = Vec::new();
            for k in 0..value.count()? {
                let bits = number(&memref.elem, k % 11 + n);
                bytes.extend_from_slice(&bits.to_le_bytes()[..usize::try_from(memref.elem.bytes()).ok()?]);
            }
            value.buffer.write(0, &bytes);
            let value = Value::MemRef(value);
            value.check_type(ty).ok()?;
            Some(value)
        }
        Type::Vector(_) | Type::UnrankedMemRef(_) | Type::Opaque(_) => None,
    }
}

fn bits(value: &Value) -> Result<Vec<u64>, String> {
    match value {
        Value::Int(v) => Ok(vec![v.cast_unsigned()]),
        Value::Float(v) => Ok(vec![*v]),
        Value::Vector(v) => Ok(v.clone()),
        Value::MemRef(m) => m.elements().ok_or_else(|| "a view outside its buffer".to_owned()),
    }
}
