//! Running a program in the interpreter and compiled, in several configurations, and comparing bit for bit.

use crate::build::Build;
use tilia_abi::{Buffer, MemRefValue, Value};
use tilia_codegen::{Backend, CodegenOptions, CompiledModule};
use tilia_interp::{Executed, Interpreter, Options};
use tilia_program::{Layout, MemRefType, Program, ScalarType, Type};

pub(crate) const F64: Type = Type::Scalar(ScalarType::F64);

pub(crate) fn program(functions: impl IntoIterator<Item = Build>) -> Program {
    Program {
        functions: functions.into_iter().map(Build::finish).collect(),
        globals: vec![],
    }
}

pub(crate) fn memref_of(elem: ScalarType, shape: &[Option<u64>]) -> Type {
    Type::MemRef(MemRefType {
        elem,
        shape: shape.to_vec(),
        layout: Layout::Identity,
    })
}

pub(crate) fn memref(shape: &[u64]) -> Type {
    let shape: Vec<_> = shape.iter().map(|&d| Some(d)).collect();
    memref_of(ScalarType::F64, &shape)
}

pub(crate) fn dynamic(rank: usize) -> Type {
    memref_of(ScalarType::F64, &vec![None; rank])
}

/// An array of 1, 2, 3, ..
pub(crate) fn ramp(shape: &[i64]) -> Value {
    let m = MemRefValue::zeroed(ScalarType::F64, shape).unwrap();
    for k in 0..m.count().unwrap() {
        assert!(m.buffer.write(8 * k as usize, &(k as f64 + 1.0).to_le_bytes()));
    }
    Value::MemRef(m)
}

/// Copies arguments; those that share a buffer share the copy.
fn copies(args: &[Value]) -> Vec<Value> {
    let mut seen: Vec<(*mut u8, std::rc::Rc<Buffer>)> = Vec::new();
    let copy = |v: &Value, seen: &mut Vec<(*mut u8, std::rc::Rc<Buffer>)>| match v {
        Value::MemRef(m) => {
            let key = m.buffer.as_ptr();
            let known = seen.iter().find(|s| s.0 == key).map(|s| s.1.clone());
            let buffer = known.unwrap_or_else(|| {
                let new = Buffer::from_bytes(&m.buffer.to_vec()).unwrap();
                seen.push((key, new.clone()));
                new
            });
            Value::MemRef(MemRefValue { buffer, ..m.clone() })
        }
        other => other.clone(),
    };
    args.iter().map(|v| copy(v, &mut seen)).collect()
}

/// What a run left behind, in a form that can be compared: NaNs are all the same.
#[derive(Debug, PartialEq)]
pub(crate) enum Seen {
    Failed,
    Done {
        results: Vec<Vec<u64>>,
        memory: Vec<Vec<u64>>,
        executed: [u64; 3],
    },
}

fn canonical(bits: u64, ty: ScalarType) -> u64 {
    let nan = match ty {
        ScalarType::F64 => f64::from_bits(bits).is_nan(),
        ScalarType::F32 => f32::from_bits(bits as u32).is_nan(),
        ScalarType::F16 => bits & 0x7fff > 0x7c00,
        ScalarType::BF16 => bits & 0x7fff > 0x7f80,
        _ => false,
    };
    if nan { u64::MAX } else { bits }
}

fn flat(value: &Value, ty: &Type) -> Vec<u64> {
    let elem = ty.element().unwrap();
    let low = u64::MAX >> (64 - u32::from(elem.bits()));
    match value {
        Value::Int(v) => vec![v.cast_unsigned()],
        Value::Float(bits) => vec![canonical(*bits, elem)],
        Value::Vector(lanes) => lanes.iter().map(|&l| canonical(l & low, elem)).collect(),
        Value::MemRef(m) => {
            let sizes = m.sizes.iter().map(|d| d.cast_unsigned());
            sizes.chain(m.elements().unwrap().into_iter().map(|e| canonical(e, elem))).collect()
        }
    }
}

fn seen(program: &Program, entry: &str, args: &[Value], results: &[Value], executed: [u64; 3]) -> Seen {
    let f = program.function(entry).unwrap();
    Seen::Done {
        results: results.iter().zip(&f.results).map(|(v, t)| flat(v, t)).collect(),
        memory: args
            .iter()
            .zip(&f.params)
            .filter(|(v, _)| matches!(v, Value::MemRef(_)))
            .map(|(v, t)| flat(v, t))
            .collect(),
        executed,
    }
}

pub(crate) fn compile(program: &Program, options: &CodegenOptions) -> Box<dyn CompiledModule> {
    crate::backend()
        .compile(program, options)
        .unwrap_or_else(|e| panic!("{e:?}\n{program}"))
}

pub(crate) fn forking(threads: usize) -> CodegenOptions {
    CodegenOptions {
        threads,
        grain: 0,
        ..CodegenOptions::default()
    }
}

/// Both ways on copies of `args`; returns what the interpreter saw, and the compiled program's error message, if any.
pub(crate) fn both(program: &Program, module: &dyn CompiledModule, entry: &str, args: &[Value]) -> (Seen, Option<String>) {
    let interpreter = Interpreter::new(program).unwrap_or_else(|e| panic!("{e:?}\n{program}"));
    both_with(program, &interpreter, module, entry, args)
}

/// The same with an interpreter made before.
pub(crate) fn both_with(
    program: &Program,
    interpreter: &Interpreter<'_>,
    module: &dyn CompiledModule,
    entry: &str,
    args: &[Value],
) -> (Seen, Option<String>) {
    let counts = |e: Executed| [e.parallel, e.vector, e.full_tiles];
    let mine = copies(args);
    let expected = match interpreter.run(entry, &mine, &Options::default()) {
        Ok(out) => seen(program, entry, &mine, &out.results, counts(out.executed)),
        Err(_) => Seen::Failed,
    };
    let mine = copies(args);
    let (actual, message) = match module.call(entry, &mine) {
        Ok(out) => {
            let e = out.executed;
            let counts = [e.parallel, e.vector, e.full_tiles];
            (seen(program, entry, &mine, &out.results, counts), None)
        }
        Err(error) => (Seen::Failed, Some(error.message)),
    };
    assert_eq!(actual, expected, "{entry} of\n{program}\nerror: {message:?}");
    (expected, message)
}

/// Compares with one thread and with three.
pub(crate) fn agree(program: &Program, args: &[Value]) -> Seen {
    let mut result = Seen::Failed;
    for threads in [1, 3] {
        let module = compile(program, &forking(threads));
        result = both(program, &*module, "main", args).0;
    }
    result
}

/// The message with which the compiled program, and the interpreter in its own words, fail.
pub(crate) fn fails(program: &Program, args: &[Value]) -> String {
    let module = compile(program, &forking(2));
    both(program, &*module, "main", args)
        .1
        .unwrap_or_else(|| panic!("no error of\n{program}"))
}

/// The first result, an integer.
pub(crate) fn int(seen: &Seen) -> i64 {
    match seen {
        Seen::Done { results, .. } => results[0][0].cast_signed(),
        Seen::Failed => panic!("failed"),
    }
}
