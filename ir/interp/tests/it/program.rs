//! The interpreter of programs on hand-made programs.

use crate::build::Build;
use tilia_abi::{MemRefValue, RuntimeError, Value, sink};
use tilia_interp::{ElementAccess, Interpreter, Observer, Options, Outcome};
use tilia_program::{
    AffineExpr, AffineMap, CmpI, Constant, Global, GlobalInit, IfCond, IntegerSet, Layout, LoopExec, MathFn, MemRefType, OpKind, Program,
    PureOp, ScalarType, Slice, SliceDim, Type, VectorType,
};

const F64: Type = Type::Scalar(ScalarType::F64);

fn memref(shape: &[u64]) -> Type {
    Type::MemRef(memref_type(shape))
}

fn memref_type(shape: &[u64]) -> MemRefType {
    MemRefType {
        elem: ScalarType::F64,
        shape: shape.iter().map(|&d| Some(d)).collect(),
        layout: Layout::Identity,
    }
}

fn strided(shape: &[u64], strides: &[i64], offset: i64) -> Type {
    Type::MemRef(MemRefType {
        layout: Layout::Strided {
            offset: Some(offset),
            strides: strides.iter().map(|&s| Some(s)).collect(),
        },
        ..memref_type(shape)
    })
}

/// An array of 0, 1, 2, ..
fn ramp(shape: &[i64]) -> MemRefValue {
    let m = MemRefValue::zeroed(ScalarType::F64, shape).expect("small");
    let count = m.count().expect("small");
    for k in 0..count {
        assert!(m.buffer.write(8 * k as usize, &(k as f64).to_le_bytes()));
    }
    m
}

fn contents(m: &MemRefValue) -> Vec<f64> {
    m.elements().expect("in bounds").into_iter().map(f64::from_bits).collect()
}

fn program(functions: impl IntoIterator<Item = Build>) -> Program {
    Program {
        functions: functions.into_iter().map(Build::finish).collect(),
        globals: vec![],
    }
}

fn run_with(program: &Program, args: &[Value], options: &Options) -> Result<Outcome, RuntimeError> {
    Interpreter::new(program)
        .unwrap_or_else(|e| panic!("{e:?}\n{program}"))
        .run("main", args, options)
}

fn run(program: &Program, args: &[Value]) -> Result<Outcome, RuntimeError> {
    run_with(program, args, &Options::default())
}

fn error(program: &Program, args: &[Value]) -> String {
    run(program, args).expect_err("the program fails").message
}

fn d(n: u32) -> AffineExpr {
    AffineExpr::Dim(n)
}

fn map(dims: u32, results: Vec<AffineExpr>) -> AffineMap {
    AffineMap { dims, syms: 0, results }
}

#[test]
fn matrix_product_with_carried_sum() {
    let (n, m, k) = (5i64, 4i64, 7i64);
    let mut b = Build::new("main", &[memref(&[5, 7]), memref(&[7, 4]), memref(&[5, 4])], &[]);
    let (a, bb, c) = (b.arg(0), b.arg(1), b.arg(2));
    b.for_const(0, n, LoopExec::Serial, |b, i| {
        b.for_const(0, m, LoopExec::Serial, |b, j| {
            let zero = b.f64(0.0);
            let sum = b.for_carried(0, k, &[zero], |b, l, carried| {
                let x = b.load(a, &[i, l]);
                let y = b.load(bb, &[l, j]);
                let product = b.pure(PureOp::MulF, &[x, y], F64);
                vec![b.pure(PureOp::AddF, &[carried[0], product], F64)]
            });
            b.store(sum[0], c, &[i, j]);
        });
    });
    b.ret(&[]);
    let (av, bv, cv) = (ramp(&[n, k]), ramp(&[k, m]), ramp(&[n, m]));
    let args = [&av, &bv, &cv].map(|m| Value::MemRef(m.clone()));
    let out = run(&program([b]), &args).unwrap();
    let (x, y) = (contents(&av), contents(&bv));
    let mut expected = Vec::new();
    for i in 0..n {
        for j in 0..m {
            expected.push((0..k).fold(0.0, |s, l| s + x[(i * k + l) as usize] * y[(l * m + j) as usize]));
        }
    }
    assert_eq!(contents(&cv), expected);
    assert!(out.steps > (n * m * k * 4) as u64);
}

#[test]
fn bounds_of_several_results_steps_and_negative_starts() {
    // for i = max(-3, n - 5) to min(n, 4) step 2: A[i + 3] = i
    let mut b = Build::new("main", &[memref(&[8]), Type::INDEX], &[]);
    let (a, n) = (b.arg(0), b.arg(1));
    let c = AffineExpr::Const;
    let lower = map(1, vec![c(-3), AffineExpr::add(d(0), c(-5))]);
    let upper = map(1, vec![d(0), c(4)]);
    b.for_map(lower, &[n], upper, &[n], 2, LoopExec::Serial, |b, i| {
        let x = b.pure(PureOp::SIToFP, &[i], F64);
        b.store_map(x, a, map(1, vec![AffineExpr::add(d(0), c(3))]), &[i]);
    });
    b.ret(&[]);
    let p = program([b]);
    let touched = |n: i64| {
        let m = MemRefValue::zeroed(ScalarType::F64, &[8]).unwrap();
        for k in 0..8 {
            m.set(&[k], 99f64.to_bits());
        }
        run(&p, &[Value::MemRef(m.clone()), Value::Int(n)]).unwrap();
        contents(&m).into_iter().filter(|&x| x != 99.0).collect::<Vec<_>>()
    };
    assert_eq!(touched(3), [-2.0, 0.0, 2.0]);
    assert_eq!(touched(100), Vec::<f64>::new());
    assert_eq!(touched(-2), [-3.0]);
    assert_eq!(touched(i64::MIN + 5), Vec::<f64>::new());
}

#[test]
fn accesses_are_checked() {
    let mut b = Build::new("main", &[memref(&[4, 4]), Type::INDEX], &[F64]);
    let (a, i) = (b.arg(0), b.arg(1));
    let x = b.load(a, &[i, i]);
    b.ret(&[x]);
    let p = program([b]);
    let m = Value::MemRef(ramp(&[4, 4]));
    let out = run(&p, &[m.clone(), Value::Int(2)]).unwrap();
    assert!(matches!(out.results[..], [Value::Float(x)] if f64::from_bits(x) == 10.0));
    assert!(error(&p, &[m.clone(), Value::Int(4)]).contains("subscript 0 is 4, but the extent is 4"));
    assert!(error(&p, &[m.clone(), Value::Int(-1)]).contains("subscript 0 is -1"));
    assert!(error(&p, std::slice::from_ref(&m)).contains("takes 2 arguments"));
    assert!(error(&p, &[Value::Int(1), Value::Int(1)]).contains("argument 0 of @main"));
}

#[test]
fn affine_overflow_is_an_error() {
    let mut b = Build::new("main", &[Type::INDEX], &[Type::INDEX]);
    let n = b.arg(0);
    let twice = OpKind::Apply(map(1, vec![AffineExpr::mul(d(0), AffineExpr::Const(2))]));
    let x = b.op(twice, &[n], &[Type::INDEX])[0];
    b.ret(&[x]);
    let p = program([b]);
    assert!(matches!(run(&p, &[Value::Int(21)]).unwrap().results[..], [Value::Int(42)]));
    assert!(error(&p, &[Value::Int(i64::MAX)]).contains("overflows"));
}

#[test]
fn limits_are_kept() {
    let mut b = Build::new("main", &[Type::INDEX], &[]);
    let n = b.arg(0);
    b.for_map(
        AffineMap::constant(0),
        &[],
        AffineMap::identity(1),
        &[n],
        1,
        LoopExec::Serial,
        |_, _| {},
    );
    b.ret(&[]);
    let p = program([b]);
    let options = Options {
        fuel: 1000,
        ..Options::default()
    };
    assert!(run_with(&p, &[Value::Int(900)], &options).is_ok());
    let e = run_with(&p, &[Value::Int(i64::MAX)], &options).unwrap_err();
    assert!(e.message.contains("budget of 1000 steps"), "{e}");

    let mut b = Build::new("main", &[Type::INDEX], &[]);
    let n = b.arg(0);
    let dynamic = Type::MemRef(MemRefType {
        shape: vec![None],
        ..memref_type(&[])
    });
    let alloc = OpKind::Alloc { stack: false, align: 0 };
    let m = b.op(alloc, &[n], &[dynamic])[0];
    b.op(OpKind::Dealloc, &[m], &[]);
    b.ret(&[]);
    let p = program([b]);
    assert!(run(&p, &[Value::Int(1000)]).is_ok());
    assert!(error(&p, &[Value::Int(1 << 40)]).contains("exceeds the limit"));
    assert!(error(&p, &[Value::Int(i64::MAX)]).contains("exceeds the limit"));
    assert!(error(&p, &[Value::Int(-1)]).contains("negative"));

    let mut b = Build::new("main", &[], &[]);
    b.op(OpKind::Call("main".to_owned()), &[], &[]);
    b.ret(&[]);
    assert!(error(&program([b]), &[]).contains("calls are active"));
}

#[test]
fn deep_nesting_does_not_use_the_native_stack() {
    let mut b = Build::new("main", &[memref(&[1])], &[]);
    let a = b.arg(0);
    b.nest(50_000, |b| {
        let zero = b.index(0);
        let x = b.load(a, &[zero]);
        let one = b.f64(1.0);
        let y = b.pure(PureOp::AddF, &[x, one], F64);
        b.store(y, a, &[zero]);
    });
    b.ret(&[]);
    let m = ramp(&[1]);
    run(&program([b]), &[Value::MemRef(m.clone())]).unwrap();
    assert_eq!(contents(&m), [1.0]);
}

/// A[i] = A[i] + A[source(i)], in a loop of that kind.
fn shifted_sum(source: AffineExpr, exec: LoopExec) -> Program {
    let mut b = Build::new("main", &[memref(&[16])], &[]);
    let a = b.arg(0);
    b.for_const(1, 16, exec, |b, i| {
        let x = b.load_map(a, map(1, vec![source.clone()]), &[i]);
        let y = b.load(a, &[i]);
        let z = b.pure(PureOp::AddF, &[x, y], F64);
        b.store(z, a, &[i]);
    });
    b.ret(&[]);
    program([b])
}

#[test]
fn false_parallel_claims_are_found() {
    let previous = AffineExpr::add(d(0), AffineExpr::Const(-1));
    let serial = shifted_sum(previous.clone(), LoopExec::Serial);
    let wrong = shifted_sum(previous, LoopExec::Parallel);
    let right = shifted_sum(AffineExpr::Const(0), LoopExec::Parallel);
    let result = |p: &Program, options: &Options| {
        let m = ramp(&[16]);
        run_with(p, &[Value::MemRef(m.clone())], options).map(|o| (contents(&m), o.executed.parallel))
    };
    let plain = Options::default();
    let shuffled = Options {
        shuffle: Some(3),
        ..Options::default()
    };
    let races = Options {
        detect_races: true,
        ..Options::default()
    };
    let truth = result(&serial, &races).unwrap().0;
    assert_eq!(result(&wrong, &plain).unwrap(), (truth.clone(), 1), "ascending order hides it");
    assert_ne!(result(&wrong, &shuffled).unwrap().0, truth);
    assert!(result(&wrong, &races).unwrap_err().message.contains("conflict"));
    assert_eq!(result(&right, &plain).unwrap().0, result(&right, &shuffled).unwrap().0);
    assert!(result(&right, &races).is_ok());
}

#[test]
fn loops_are_counted_when_they_iterate() {
    let mut b = Build::new("main", &[], &[]);
    b.for_const(0, 3, LoopExec::Parallel, |b, _| {
        b.for_const(0, 2, LoopExec::Parallel, |_, _| {});
        b.for_const(0, 2, LoopExec::Vector, |_, _| {});
        b.for_const(0, 0, LoopExec::Vector, |_, _| {});
    });
    b.for_const(5, 5, LoopExec::Parallel, |_, _| {});
    b.ret(&[]);
    let executed = run(&program([b]), &[]).unwrap().executed;
    assert_eq!((executed.parallel, executed.vector, executed.full_tiles), (1, 3, 0));
}

#[test]
fn guards_whiles_and_selects() {
    // Steps of the Collatz sequence from n to 1.
    let mut b = Build::new("main", &[Type::INDEX], &[Type::INDEX]);
    let n = b.arg(0);
    let zero = b.index(0);
    let results = b.while_(
        &[n, zero],
        |b, v| {
            let one = b.index(1);
            let more = b.pure(PureOp::CmpI(CmpI::Ne), &[v[0], one], Type::BOOL);
            (more, v.to_vec())
        },
        |b, v| {
            let (one, two, three) = (b.index(1), b.index(2), b.index(3));
            let half = b.pure(PureOp::DivUI, &[v[0], two], Type::INDEX);
            let triple = b.pure(PureOp::MulI, &[v[0], three], Type::INDEX);
            let triple = b.pure(PureOp::AddI, &[triple, one], Type::INDEX);
            let rest = b.pure(PureOp::RemUI, &[v[0], two], Type::INDEX);
            let odd = b.pure(PureOp::CmpI(CmpI::Eq), &[rest, one], Type::BOOL);
            let next = b.pure(PureOp::Select, &[odd, triple, half], Type::INDEX);
            vec![next, b.pure(PureOp::AddI, &[v[1], one], Type::INDEX)]
        },
    );
    b.ret(&[results[1]]);
    let p = program([b]);
    assert!(matches!(run(&p, &[Value::Int(27)]).unwrap().results[..], [Value::Int(111)]));
    let forever = Options {
        fuel: 10_000,
        ..Options::default()
    };
    assert!(run_with(&p, &[Value::Int(0)], &forever).is_err(), "0 never gets to 1");

    // if (n mod 3 == 0 and n >= 5) yields 1 else 2
    let mut b = Build::new("main", &[Type::INDEX], &[Type::INDEX]);
    let n = b.arg(0);
    let set = IntegerSet {
        dims: 1,
        syms: 0,
        constraints: vec![
            (AffineExpr::Mod(Box::new(d(0)), Box::new(AffineExpr::Const(3))), true),
            (AffineExpr::add(d(0), AffineExpr::Const(-5)), false),
        ],
    };
    let r = b.if_(IfCond::Set(set), &[n], &[Type::INDEX], |b| vec![b.index(1)], |b| vec![b.index(2)]);
    b.ret(&r);
    let p = program([b]);
    for (n, expected) in [(6, 1), (3, 2), (7, 2), (-3, 2), (300, 1)] {
        assert!(
            matches!(run(&p, &[Value::Int(n)]).unwrap().results[..], [Value::Int(v)] if v == expected),
            "{n}"
        );
    }
}

#[test]
fn blocks_and_calls() {
    // fib by recursion, with a graph of blocks.
    let mut b = Build::new("fib", &[Type::INDEX], &[Type::INDEX]);
    let n = b.arg(0);
    let two = b.index(2);
    let small = b.pure(PureOp::CmpI(CmpI::Slt), &[n, two], Type::BOOL);
    let (base, step) = (b.block(&[Type::INDEX]), b.block(&[]));
    let branch = OpKind::CondBr {
        then: base,
        otherwise: step,
        then_args: 1,
    };
    b.op(branch, &[small, n], &[]);
    b.at(base);
    let result = b.block_arg(base, 0);
    b.ret(&[result]);
    b.at(step);
    let minus = |b: &mut Build, k| {
        let k = b.index(k);
        let m = b.pure(PureOp::SubI, &[n, k], Type::INDEX);
        b.op(OpKind::Call("fib".to_owned()), &[m], &[Type::INDEX])[0]
    };
    let (x, y) = (minus(&mut b, 1), minus(&mut b, 2));
    let sum = b.pure(PureOp::AddI, &[x, y], Type::INDEX);
    b.op(OpKind::Br(base), &[sum], &[]);
    let mut main = Build::new("main", &[Type::INDEX], &[Type::INDEX]);
    let n = main.arg(0);
    let r = main.op(OpKind::Call("fib".to_owned()), &[n], &[Type::INDEX]);
    main.ret(&r);
    let p = program([b, main]);
    assert!(matches!(run(&p, &[Value::Int(15)]).unwrap().results[..], [Value::Int(610)]));
}

#[test]
fn views_share_the_buffer() {
    let mut b = Build::new("main", &[memref(&[4, 6])], &[F64, Type::BOOL, Type::BOOL]);
    let a = b.arg(0);
    // Rows 1 and 3, columns 2 to 4.
    let slice = Slice {
        offsets: vec![SliceDim::Const(1), SliceDim::Const(2)],
        sizes: vec![SliceDim::Const(2), SliceDim::Const(3)],
        strides: vec![SliceDim::Const(2), SliceDim::Const(1)],
        dropped: vec![],
    };
    let sub = b.op(OpKind::SubView(slice), &[a], &[strided(&[2, 3], &[12, 1], 8)])[0];
    let turned = b.op(OpKind::Transpose(vec![1, 0]), &[sub], &[strided(&[3, 2], &[1, 12], 8)])[0];
    let (i, j) = (b.index(2), b.index(1));
    let x = b.load(turned, &[i, j]); // A[3, 4]
    let flat = OpKind::Reshape {
        collapse: true,
        groups: vec![vec![0, 1]],
    };
    let flat = b.op(flat, &[a], &[memref(&[24])])[0];
    let k = b.index(9); // A[1, 3]
    let hundred = b.f64(100.0);
    b.store(hundred, flat, &[k]);
    let expanded = OpKind::Reshape {
        collapse: false,
        groups: vec![vec![0, 1, 2]],
    };
    let cube = b.op(expanded, &[flat], &[memref(&[2, 3, 4])])[0];
    let (zero, two, one) = (b.index(0), b.index(2), b.index(1));
    let y = b.load(cube, &[zero, two, one]); // element 9
    let sum = b.pure(PureOp::AddF, &[x, y], F64);
    let alloc = OpKind::Alloc { stack: true, align: 0 };
    let other = b.op(alloc, &[], &[memref(&[3, 2])])[0];
    let meets = b.op(OpKind::Overlap, &[sub, flat], &[Type::BOOL])[0];
    let misses = b.op(OpKind::Overlap, &[sub, other], &[Type::BOOL])[0];
    b.op(OpKind::Copy, &[other, turned], &[]);
    b.ret(&[sum, meets, misses]);
    let m = ramp(&[4, 6]);
    let out = run(&program([b]), &[Value::MemRef(m.clone())]).unwrap();
    assert!(
        matches!(out.results[..], [Value::Float(x), Value::Int(-1), Value::Int(0)] if f64::from_bits(x) == 122.0),
        "{:?}",
        out.results
    );
    let mut expected: Vec<_> = (0..24).map(f64::from).collect();
    for k in [8, 9, 10, 20, 21, 22] {
        expected[k] = 0.0;
    }
    assert_eq!(contents(&m), expected);
}

#[test]
fn views_are_checked() {
    let with = |kind: OpKind, ty: Type| {
        let mut b = Build::new("main", &[memref(&[4]), Type::INDEX], &[]);
        let (a, n) = (b.arg(0), b.arg(1));
        b.op(kind, &[a, n], &[ty]);
        b.ret(&[]);
        program([b])
    };
    let one = vec![SliceDim::Const(1)];
    let from = |offset| Slice {
        offsets: vec![offset],
        sizes: vec![SliceDim::Const(3)],
        strides: one.clone(),
        dropped: vec![],
    };
    let m = Value::MemRef(ramp(&[4]));
    let dynamic = |shape: Vec<Option<u64>>| {
        Type::MemRef(MemRefType {
            shape,
            layout: Layout::Strided {
                offset: None,
                strides: vec![Some(1)],
            },
            ..memref_type(&[])
        })
    };
    let p = with(OpKind::SubView(from(SliceDim::Operand)), dynamic(vec![Some(3)]));
    assert!(run(&p, &[m.clone(), Value::Int(1)]).is_ok());
    assert!(error(&p, &[m.clone(), Value::Int(2)]).contains("reaches from 2 to 4"));
    assert!(error(&p, &[m.clone(), Value::Int(i64::MAX)]).contains("overflows"));
    let p = with(OpKind::ReinterpretCast(from(SliceDim::Operand)), dynamic(vec![Some(3)]));
    assert!(run(&p, &[m.clone(), Value::Int(1)]).is_ok());
    assert!(error(&p, &[m.clone(), Value::Int(-1)]).contains("leave the buffer"));
    let p = with(OpKind::Dim, Type::INDEX);
    assert!(error(&p, &[m.clone(), Value::Int(1)]).contains("dimension 1"));
    // A cast that contradicts the shape.
    let mut b = Build::new("main", &[Type::UnrankedMemRef(ScalarType::F64)], &[]);
    let a = b.arg(0);
    b.op(OpKind::CastMemRef, &[a], &[memref(&[5])]);
    b.ret(&[]);
    assert!(error(&program([b]), &[m]).contains("this cast fails"));
}

#[test]
fn memory_ends() {
    let heap = OpKind::Alloc { stack: false, align: 0 };
    let body = |twice: bool| {
        let mut b = Build::new("main", &[], &[]);
        let m = b.op(heap.clone(), &[], &[memref(&[2])])[0];
        b.op(OpKind::Dealloc, &[m], &[]);
        if twice {
            b.op(OpKind::Dealloc, &[m], &[]);
        } else {
            let zero = b.index(0);
            b.load(m, &[zero]);
        }
        b.ret(&[]);
        program([b])
    };
    assert!(error(&body(false), &[]).contains("was deallocated"));
    assert!(error(&body(true), &[]).contains("twice"));

    let mut callee = Build::new("callee", &[], &[memref(&[2])]);
    let m = callee.op(OpKind::Alloc { stack: true, align: 0 }, &[], &[memref(&[2])]);
    callee.ret(&m);
    let mut b = Build::new("main", &[], &[]);
    let m = b.op(OpKind::Call("callee".to_owned()), &[], &[memref(&[2])])[0];
    let zero = b.index(0);
    b.load(m, &[zero]);
    b.ret(&[]);
    assert!(error(&program([callee, b]), &[]).contains("function that has returned"));
}

#[test]
fn globals() {
    let mut b = Build::new("main", &[Type::INDEX], &[F64]);
    let i = b.arg(0);
    let g = b.op(OpKind::GetGlobal(0), &[], &[memref(&[3])])[0];
    let x = b.load(g, &[i]);
    let h = b.op(OpKind::GetGlobal(1), &[], &[memref(&[3])])[0];
    b.store(x, h, &[i]);
    let y = b.load(h, &[i]);
    b.ret(&[y]);
    let mut p = program([b]);
    let float = |x: f64| Constant::Float(x.to_bits());
    for (name, init, constant) in [
        ("g", GlobalInit::Elements(vec![float(1.0), float(2.0), float(3.0)]), true),
        ("h", GlobalInit::Elements(vec![Constant::Splat(Box::new(float(7.0)))]), false),
    ] {
        p.globals.push(Global {
            name: name.to_owned(),
            ty: memref_type(&[3]),
            init,
            constant,
            loc: tilia_diag::Loc::unknown(),
        });
    }
    assert!(matches!(run(&p, &[Value::Int(1)]).unwrap().results[..], [Value::Float(x)] if f64::from_bits(x) == 2.0));
    p.globals[1].constant = true;
    assert!(error(&p, &[Value::Int(1)]).contains("constant global"));
}

#[test]
fn vectors() {
    let v4 = Type::Vector(VectorType {
        shape: vec![2, 2],
        elem: ScalarType::F64,
    });
    let mut b = Build::new("main", &[memref(&[4, 4]), Type::INDEX], &[]);
    let (a, i) = (b.arg(0), b.arg(1));
    let access = || tilia_program::Access {
        map: AffineMap::identity(2),
        checked: true,
    };
    let x = b.op(OpKind::Load(access()), &[a, i, i], std::slice::from_ref(&v4))[0];
    let ten = b.f64(10.0);
    let tens = b.pure(PureOp::Splat, &[ten], v4.clone());
    let y = b.pure(PureOp::MulF, &[x, tens], v4.clone());
    let lane = b.pure(PureOp::Extract(3), &[x], F64);
    let z = b.pure(PureOp::Insert(0), &[lane, y], v4.clone());
    let root = b.pure(PureOp::Math(MathFn::Sqrt), &[z], v4);
    let zero = b.index(0);
    b.op(OpKind::Store(access()), &[root, a, zero, i], &[]);
    b.ret(&[]);
    let p = program([b]);
    let m = ramp(&[4, 4]);
    run(&p, &[Value::MemRef(m.clone()), Value::Int(2)]).unwrap();
    let all = contents(&m);
    assert_eq!(
        [all[2], all[3], all[6], all[7]],
        [15f64.sqrt(), 110f64.sqrt(), 140f64.sqrt(), 150f64.sqrt()]
    );
    assert!(
        error(&p, &[Value::MemRef(m), Value::Int(3)]).contains("extent is 4"),
        "the last lanes are outside"
    );
}

#[test]
fn runner_functions_print() {
    let unranked = Type::UnrankedMemRef(ScalarType::F64);
    let mut b = Build::new("main", &[memref(&[2, 2])], &[]);
    let a = b.arg(0);
    let u = b.op(OpKind::CastMemRef, &[a], std::slice::from_ref(&unranked));
    b.op(OpKind::Call("printMemrefF64".to_owned()), &u, &[]);
    b.ret(&[]);
    let mut p = program([b]);
    let declared = tilia_program::Function::new("printMemrefF64", vec![unranked], vec![], tilia_diag::Loc::unknown());
    p.functions.push(declared);
    let (result, out) = sink::capture(|| run(&p, &[Value::MemRef(ramp(&[2, 2]))]));
    result.unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(
        out.ends_with("sizes = [2, 2] strides = [2, 1] data = \n[[0,   1], \n [2,   3]]\n"),
        "{out}"
    );
    p.functions[1].name = "elsewhere".to_owned();
    for op in 0..p.functions[0].op_count() as u32 {
        if let OpKind::Call(name) = &mut p.functions[0][tilia_program::OpId(op)].kind {
            "elsewhere".clone_into(name);
        }
    }
    assert!(error(&p, &[Value::MemRef(ramp(&[2, 2]))]).contains("only declared"));
}

#[test]
fn arguments_that_share_a_buffer_alias() {
    let mut b = Build::new("main", &[memref(&[1]), memref(&[1])], &[F64]);
    let (x, y) = (b.arg(0), b.arg(1));
    let zero = b.index(0);
    let five = b.f64(5.0);
    b.store(five, x, &[zero]);
    let r = b.load(y, &[zero]);
    b.ret(&[r]);
    let m = Value::MemRef(ramp(&[1]));
    let out = run(&program([b]), &[m.clone(), m]).unwrap();
    assert!(matches!(out.results[..], [Value::Float(x)] if f64::from_bits(x) == 5.0));
}

#[test]
fn observers_see_every_element() {
    #[derive(Default)]
    struct Log(Vec<(i64, bool)>);
    impl Observer for Log {
        fn access(&mut self, a: &ElementAccess) -> Result<(), String> {
            self.0.push((a.element, a.write));
            if a.element == 13 { Err("unlucky".to_owned()) } else { Ok(()) }
        }
    }
    let p = shifted_sum(AffineExpr::Const(0), LoopExec::Serial);
    let mut log = Log::default();
    let interpreter = Interpreter::new(&p).unwrap();
    let result = interpreter.run_observed("main", &[Value::MemRef(ramp(&[16]))], &Options::default(), &mut log);
    assert!(result.unwrap_err().message.contains("unlucky"));
    assert_eq!(log.0[..6], [(0, false), (1, false), (1, true), (0, false), (2, false), (2, true)]);
}

#[test]
fn invalid_programs_are_refused() {
    let mut b = Build::new("main", &[], &[F64]);
    b.ret(&[]);
    assert!(Interpreter::new(&program([b])).is_err());
}

#[test]
fn unsupported_operations_fail_when_reached() {
    let mut b = Build::new("main", &[Type::BOOL], &[]);
    let c = b.arg(0);
    let kind = OpKind::Unsupported {
        name: "linalg.matmul".to_owned(),
        reason: "lower it first".to_owned(),
    };
    b.if_(
        IfCond::Value,
        &[c],
        &[],
        |b| {
            b.op(kind, &[], &[]);
            vec![]
        },
        |_| vec![],
    );
    b.ret(&[]);
    let p = program([b]);
    assert!(run(&p, &[Value::Int(0)]).is_ok());
    assert!(error(&p, &[Value::Int(-1)]).contains("`linalg.matmul` can't be executed: lower it first"));
}
