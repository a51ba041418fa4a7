//! Conditions, while loops, graphs of blocks, calls, recursion.

use crate::build::Build;
use crate::compare::{F64, agree, both, compile, fails, forking, int, memref, program, ramp};
use tilia_abi::Value;
use tilia_program::{AffineExpr, CmpI, IfCond, IntegerSet, LoopExec, OpKind, PureOp, ScalarType, Type};

#[test]
fn conditions_by_sets() {
    // if (n mod 3 == 0 and n >= 5) yields (1, 1.0) else (2, 2.0)
    let mut b = Build::new("main", &[Type::INDEX], &[Type::INDEX, F64]);
    let n = b.arg(0);
    let set = IntegerSet {
        dims: 1,
        syms: 0,
        constraints: vec![
            (AffineExpr::Mod(Box::new(AffineExpr::Dim(0)), Box::new(AffineExpr::Const(3))), true),
            (AffineExpr::add(AffineExpr::Dim(0), AffineExpr::Const(-5)), false),
        ],
    };
    let r = b.if_(
        IfCond::Set(set),
        &[n],
        &[Type::INDEX, F64],
        |b| vec![b.index(1), b.f64(1.0)],
        |b| vec![b.index(2), b.f64(2.0)],
    );
    b.ret(&r);
    let p = program([b]);
    for (n, expected) in [(6, 1), (3, 2), (7, 2), (-3, 2), (300, 1)] {
        assert_eq!(int(&agree(&p, &[Value::Int(n)])), expected, "{n}");
    }
}

#[test]
fn while_loops() {
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
    assert_eq!(int(&agree(&program([b]), &[Value::Int(27)])), 111);
}

fn fibonacci() -> Build {
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
    b
}

#[test]
fn recursion() {
    let mut main = Build::new("main", &[Type::INDEX], &[Type::INDEX]);
    let n = main.arg(0);
    let r = main.op(OpKind::Call("fib".to_owned()), &[n], &[Type::INDEX]);
    main.ret(&r);
    assert_eq!(int(&agree(&program([fibonacci(), main]), &[Value::Int(15)])), 610);
}

#[test]
fn endless_recursion_is_an_error() {
    let mut b = Build::new("main", &[], &[]);
    b.op(OpKind::Call("main".to_owned()), &[], &[]);
    b.ret(&[]);
    assert!(fails(&program([b]), &[]).contains("nested too deeply in @main"));
    // The same on the pool's threads.
    let mut callee = Build::new("callee", &[], &[]);
    callee.op(OpKind::Call("callee".to_owned()), &[], &[]);
    callee.ret(&[]);
    let mut b = Build::new("main", &[], &[]);
    b.for_const(0, 4, LoopExec::Parallel, |b, _| {
        b.op(OpKind::Call("callee".to_owned()), &[], &[]);
    });
    b.ret(&[]);
    assert!(fails(&program([callee, b]), &[]).contains("nested too deeply in @callee"));
}

#[test]
fn loops_of_blocks_in_a_loop() {
    // Within each iteration of a structured loop, a graph of blocks counts down from i in an execute_region-like callee.
    let mut f = Build::new("count", &[Type::INDEX, memref(&[8])], &[Type::INDEX]);
    let (n, a) = (f.arg(0), f.arg(1));
    let zero = f.index(0);
    let (head, body, exit) = (f.block(&[Type::INDEX, Type::INDEX]), f.block(&[]), f.block(&[Type::INDEX]));
    f.op(OpKind::Br(head), &[n, zero], &[]);
    f.at(head);
    let (i, sum) = (f.block_arg(head, 0), f.block_arg(head, 1));
    let more = f.pure(PureOp::CmpI(CmpI::Sgt), &[i, zero], Type::BOOL);
    let branch = OpKind::CondBr {
        then: body,
        otherwise: exit,
        then_args: 0,
    };
    f.op(branch, &[more, sum], &[]);
    f.at(body);
    let one = f.index(1);
    let next = f.pure(PureOp::SubI, &[i, one], Type::INDEX);
    let x = f.load(a, &[next]);
    f.for_const(0, 2, LoopExec::Serial, |f, k| {
        let y = f.load(a, &[k]);
        let z = f.pure(PureOp::AddF, &[x, y], F64);
        f.store(z, a, &[next]);
    });
    let sum = f.pure(PureOp::AddI, &[sum, i], Type::INDEX);
    f.op(OpKind::Br(head), &[next, sum], &[]);
    f.at(exit);
    let r = f.block_arg(exit, 0);
    f.ret(&[r]);
    let mut b = Build::new("main", &[memref(&[8])], &[Type::INDEX]);
    let a = b.arg(0);
    let zero = b.index(0);
    let r = b.for_carried(0, 9, &[zero], |b, i, v| {
        let c = b.op(OpKind::Call("count".to_owned()), &[i, a], &[Type::INDEX])[0];
        vec![b.pure(PureOp::AddI, &[v[0], c], Type::INDEX)]
    });
    b.ret(&r);
    assert_eq!(
        int(&agree(&program([f, b]), &[ramp(&[8])])),
        (0..9).map(|i| i * (i + 1) / 2).sum::<i64>()
    );
}

#[test]
fn switches() {
    for ty in [Type::Scalar(ScalarType::Int(32)), Type::Scalar(ScalarType::Int(8)), Type::INDEX] {
        let mut b = Build::new("main", std::slice::from_ref(&ty), &[Type::INDEX]);
        let flag = b.arg(0);
        let targets: Vec<_> = (0..3).map(|_| b.block(&[Type::INDEX])).collect();
        let exit = b.block(&[Type::INDEX]);
        let values: Vec<_> = (0..3).map(|k| b.index(10 * (k + 1))).collect();
        let kind = OpKind::Switch {
            default: (targets[0], 1),
            cases: vec![(-1, targets[1], 1), (7, targets[2], 1)],
        };
        b.op(kind, &[flag, values[0], values[1], values[2]], &[]);
        for &t in &targets {
            b.at(t);
            let v = b.block_arg(t, 0);
            b.op(OpKind::Br(exit), &[v], &[]);
        }
        b.at(exit);
        let v = b.block_arg(exit, 0);
        b.ret(&[v]);
        let p = program([b]);
        for (flag, expected) in [(-1, 20), (7, 30), (0, 10), (6, 10)] {
            assert_eq!(int(&agree(&p, &[Value::Int(flag)])), expected);
        }
    }
}

#[test]
fn memrefs_through_calls_and_blocks() {
    let mut pick = Build::new("pick", &[Type::BOOL, memref(&[4]), memref(&[4])], &[memref(&[4]), F64]);
    let (c, x, y) = (pick.arg(0), pick.arg(1), pick.arg(2));
    let chosen = pick.pure(PureOp::Select, &[c, x, y], memref(&[4]));
    let one = pick.index(1);
    let v = pick.load(chosen, &[one]);
    pick.ret(&[chosen, v]);
    let mut b = Build::new("main", &[Type::BOOL, memref(&[4])], &[memref(&[4]), F64, F64]);
    let (c, a) = (b.arg(0), b.arg(1));
    let heap = OpKind::Alloc { stack: false, align: 0 };
    let fresh = b.op(heap, &[], &[memref(&[4])])[0];
    let one = b.index(1);
    let value = b.f64(42.0);
    b.store(value, fresh, &[one]);
    let r = b.op(OpKind::Call("pick".to_owned()), &[c, a, fresh], &[memref(&[4]), F64]);
    let again = b.load(r[0], &[one]);
    b.ret(&[r[0], r[1], again]);
    let p = program([pick, b]);
    for c in [-1, 0] {
        agree(&p, &[Value::Int(c), ramp(&[4])]);
    }
}

#[test]
fn assertions_and_what_cannot_run() {
    let mut b = Build::new("main", &[Type::BOOL, Type::BOOL, Type::BOOL], &[F64]);
    let (c, missing, assert) = (b.arg(0), b.arg(1), b.arg(2));
    b.op(OpKind::Assert("n is even".to_owned()), &[assert], &[]);
    let kind = OpKind::Unsupported {
        name: "linalg.matmul".to_owned(),
        reason: "lower it first".to_owned(),
    };
    let r = b.if_(IfCond::Value, &[c], &[F64], |b| b.op(kind, &[], &[F64]), |b| vec![b.f64(1.0)]);
    b.if_(
        IfCond::Value,
        &[missing],
        &[],
        |b| {
            b.op(OpKind::Call("elsewhere".to_owned()), &[], &[]);
            vec![]
        },
        |_| vec![],
    );
    b.ret(&r);
    let mut p = program([b]);
    p.functions.push(tilia_program::Function::new(
        "elsewhere",
        vec![],
        vec![],
        tilia_diag::Loc::unknown(),
    ));
    let flags = |a: i64, b: i64, c: i64| [Value::Int(a), Value::Int(b), Value::Int(c)];
    let module = compile(&p, &forking(1));
    assert!(both(&p, &*module, "main", &flags(0, 0, -1)).1.is_none());
    assert!(fails(&p, &flags(-1, 0, -1)).contains("linalg.matmul can't be executed: lower it first"));
    assert!(fails(&p, &flags(0, -1, -1)).contains("@elsewhere is called, but has no body"));
    assert!(fails(&p, &flags(0, 0, 0)).contains("assertion failed: n is even"));
}

#[test]
fn calls_are_checked() {
    let mut b = Build::new("main", &[memref(&[4]), Type::INDEX], &[]);
    b.ret(&[]);
    let p = program([b]);
    let module = compile(&p, &forking(1));
    let error = |name: &str, args: &[Value]| module.call(name, args).unwrap_err().message;
    assert!(error("nobody", &[]).contains("no function @nobody"));
    assert!(error("main", &[]).contains("takes 2 arguments"));
    assert!(error("main", &[ramp(&[5]), Value::Int(1)]).contains("argument 0 of @main"));
    assert!(error("main", &[ramp(&[4]), Value::Float(1)]).contains("argument 1 of @main"));
    assert!(module.call("main", &[ramp(&[4]), Value::Int(1)]).is_ok());
}
