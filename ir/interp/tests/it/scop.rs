//! The interpreter of scops: orders that are right and wrong, descriptions that are right and wrong.

use crate::build::Build;
use tilia_abi::{MemRefValue, RuntimeError, Value};
use tilia_ast::{Ast, Expr, For, ForMarks, Node, VarId};
use tilia_interp::{Interpreter, Options, ScopOrder, ScopPlan, ScopStats};
use tilia_presburger::{Budget, Id, Int};
use tilia_program::{AffineExpr, AffineMap, Layout, LoopExec, MemRefType, Program, PureOp, ScalarType, Type};
use tilia_scop::{AccessKind, Scop};

const F64: Type = Type::Scalar(ScalarType::F64);
const N: i64 = 8;

fn array(dynamic: bool) -> Type {
    Type::MemRef(MemRefType {
        elem: ScalarType::F64,
        shape: vec![(!dynamic).then_some(N.cast_unsigned())],
        layout: Layout::Identity,
    })
}

/// `for i = 1 to n: A[i] = A[i] + A[i - 1]`, `n` a constant or a parameter.
fn prefix_sum(dynamic: bool) -> Program {
    let mut b = Build::new("main", &[array(dynamic), Type::INDEX], &[]);
    let (a, n) = (b.arg(0), b.arg(1));
    let one = AffineMap::constant(1);
    let (upper, operands) = if dynamic {
        (AffineMap::identity(1), vec![n])
    } else {
        (AffineMap::constant(N), vec![])
    };
    b.for_map(one, &[], upper, &operands, 1, LoopExec::Serial, |b, i| {
        let previous = AffineMap {
            dims: 1,
            syms: 0,
            results: vec![AffineExpr::add(AffineExpr::Dim(0), AffineExpr::Const(-1))],
        };
        let x = b.load_map(a, previous, &[i]);
        let y = b.load(a, &[i]);
        let z = b.pure(PureOp::AddF, &[x, y], F64);
        b.store(z, a, &[i]);
    });
    b.ret(&[]);
    program(b)
}

/// `A[0] = sum of A`, the sum carried by the loop.
fn carried_sum() -> Program {
    let mut b = Build::new("main", &[array(false), Type::INDEX], &[]);
    let a = b.arg(0);
    let zero = b.f64(0.0);
    let sum = b.for_carried(0, N, &[zero], |b, i, carried| {
        let x = b.load(a, &[i]);
        vec![b.pure(PureOp::AddF, &[carried[0], x], F64)]
    });
    let first = b.index(0);
    b.store(sum[0], a, &[first]);
    b.ret(&[]);
    program(b)
}

fn program(b: Build) -> Program {
    Program {
        functions: vec![b.finish()],
        globals: vec![],
    }
}

fn scop(program: &Program) -> Scop {
    let raised = tilia_raise::raise(&program.functions[0], program, &tilia_raise::Options::default(), &Budget::default());
    raised.scops.into_iter().next().expect("a scop")
}

fn ramp() -> MemRefValue {
    let m = MemRefValue::zeroed(ScalarType::F64, &[N]).expect("small");
    for k in 0..N {
        m.set(&[k], (k as f64 + 1.0).to_bits());
    }
    m
}

fn contents(m: &MemRefValue) -> Vec<f64> {
    m.elements().expect("in bounds").into_iter().map(f64::from_bits).collect()
}

fn run(program: &Program, scop: &Scop, order: ScopOrder<'_>, n: i64) -> Result<(Vec<f64>, ScopStats), RuntimeError> {
    let m = ramp();
    let plan = ScopPlan {
        function: "main",
        scop,
        order,
        check_accesses: true,
    };
    let interpreter = Interpreter::new(program).expect("valid");
    let args = [Value::MemRef(m.clone()), Value::Int(n)];
    let (_, stats) = interpreter.run_scops("main", &args, &Options::default(), &[plan])?;
    Ok((contents(&m), stats))
}

fn in_source_order(program: &Program) -> Vec<f64> {
    let m = ramp();
    let args = [Value::MemRef(m.clone()), Value::Int(N)];
    Interpreter::new(program)
        .expect("valid")
        .run("main", &args, &Options::default())
        .expect("runs");
    contents(&m)
}

/// Every statement's instances one after the other: `for c = first..=last: S(value(c))`.
fn one_loop(stmt: &Id, first: i64, last: i64, value: Expr) -> Ast {
    Ast {
        root: Node::For(For {
            var: VarId(0),
            lower: Expr::Int(Int::from(first)),
            upper: Expr::Int(Int::from(last)),
            step: Int::from(1i64),
            body: Box::new(Node::User {
                stmt: stmt.clone(),
                args: vec![value],
            }),
            marks: ForMarks::default(),
            depth: 0,
        }),
        vars: vec![Id::new("c0")],
    }
}

/// `last - c` for `c` from 0.
fn backwards(last: i64) -> Expr {
    let c = Expr::Mul(Int::from(-1i64), Box::new(Expr::Var(VarId(0))));
    Expr::Add(vec![Expr::Int(Int::from(last)), c])
}

#[test]
fn the_order_decides() {
    let p = prefix_sum(false);
    let s = scop(&p);
    let truth = in_source_order(&p);
    let (tree, stats) = run(&p, &s, ScopOrder::Tree(&s.schedule), N).unwrap();
    assert_eq!(tree, truth);
    assert_eq!((stats.executed, stats.original, stats.instances), (1, 0, 7));
    let stmt = &s.stmts[0].name;
    let forwards = one_loop(stmt, 1, N - 1, Expr::Var(VarId(0)));
    assert_eq!(run(&p, &s, ScopOrder::Ast(&forwards), N).unwrap().0, truth);
    let wrong = one_loop(stmt, 0, N - 2, backwards(N - 1));
    let (out, _) = run(&p, &s, ScopOrder::Ast(&wrong), N).unwrap();
    assert_eq!(
        out,
        [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0],
        "each element sees its old neighbour"
    );
}

#[test]
fn instances_must_exist() {
    let p = prefix_sum(false);
    let s = scop(&p);
    let ast = one_loop(&Id::new("nobody"), 1, 2, Expr::Var(VarId(0)));
    assert!(
        run(&p, &s, ScopOrder::Ast(&ast), N)
            .unwrap_err()
            .message
            .contains("no statement nobody")
    );
    let outside = one_loop(&s.stmts[0].name, N, N, Expr::Var(VarId(0)));
    assert!(
        run(&p, &s, ScopOrder::Ast(&outside), N)
            .unwrap_err()
            .message
            .contains("out of bounds")
    );
}

#[test]
fn accesses_must_be_stated_and_made() {
    let p = prefix_sum(false);
    let mut s = scop(&p);
    let tree = s.schedule.clone();
    let all = s.stmts[0].accesses.clone();
    for n in 0..all.len() {
        s.stmts[0].accesses.remove(n);
        let e = run(&p, &s, ScopOrder::Tree(&tree), N).unwrap_err();
        assert!(e.message.contains("which no access states"), "{e}");
        s.stmts[0].accesses.clone_from(&all);
    }
    // A must-read of the same operation from another place.
    let stray = all.iter().find(|a| a.kind == AccessKind::Write).unwrap();
    let mut read = all.iter().find(|a| a.kind == AccessKind::Read).unwrap().clone();
    read.relation = stray.relation.clone();
    let moved = all.iter().find(|a| a.kind == AccessKind::Read && a.source == read.source).unwrap();
    if moved.relation.is_equal(&read.relation, &Budget::default()).unwrap() {
        read.relation = all.iter().rfind(|a| a.kind == AccessKind::Read).unwrap().relation.clone();
    }
    s.stmts[0].accesses.push(read);
    let e = run(&p, &s, ScopOrder::Tree(&tree), N).unwrap_err();
    assert!(e.message.contains("must access"), "{e}");
}

#[test]
fn values_travel_through_cells() {
    let p = carried_sum();
    let s = scop(&p);
    let truth = in_source_order(&p);
    assert_eq!(truth[0], 36.0);
    assert_eq!(run(&p, &s, ScopOrder::Tree(&s.schedule), N).unwrap().0, truth);
    let update = s.stmts.iter().find(|stmt| !stmt.iters.is_empty()).expect("the loop's statement");
    let alone = one_loop(&update.name, 0, N - 1, Expr::Var(VarId(0)));
    let e = run(&p, &s, ScopOrder::Ast(&alone), N).unwrap_err();
    assert!(e.message.contains("before it is written"), "nobody initialised the sum: {e}");
}

#[test]
fn failed_assumptions_run_the_original() {
    let p = prefix_sum(true);
    let s = scop(&p);
    assert!(!s.assumptions.is_empty(), "n against the extent");
    let (out, stats) = run(&p, &s, ScopOrder::Tree(&s.schedule), N).unwrap();
    assert_eq!((stats.executed, stats.original), (1, 0));
    assert_eq!(out, in_source_order(&p));
    let e = run(&p, &s, ScopOrder::Tree(&s.schedule), N + 1).unwrap_err();
    assert!(
        e.message.contains("subscript 0 is 8, but the extent is 8"),
        "the original's own error: {e}"
    );
}

#[test]
fn the_context_must_be_true() {
    let p = prefix_sum(true);
    let mut s = scop(&p);
    let empty = s.context.subtract(&s.context, &Budget::default()).unwrap();
    let tree = s.schedule.clone();
    s.context = empty;
    assert!(
        run(&p, &s, ScopOrder::Tree(&tree), N)
            .unwrap_err()
            .message
            .contains("contradict the context")
    );
}
