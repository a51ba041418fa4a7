//! Loops, bounds, iteration values, parallel loops.

use crate::build::Build;
use crate::compare::{F64, Seen, agree, compile, dynamic, fails, forking, memref, program, ramp};
use tilia_abi::Value;
use tilia_codegen::CodegenOptions;
use tilia_program::{AffineExpr, AffineMap, LoopExec, OpKind, Program, PureOp, Type};

fn d(n: u32) -> AffineExpr {
    AffineExpr::Dim(n)
}

fn map(dims: u32, results: Vec<AffineExpr>) -> AffineMap {
    AffineMap { dims, syms: 0, results }
}

fn up_to(b: &mut Build, n: tilia_program::ValueId, exec: LoopExec, body: impl FnOnce(&mut Build, tilia_program::ValueId)) {
    b.for_map(AffineMap::constant(0), &[], AffineMap::identity(1), &[n], 1, exec, body);
}

/// C += A * B with sizes as arguments.
fn product(exec: LoopExec) -> Program {
    let mut b = Build::new(
        "main",
        &[Type::INDEX, Type::INDEX, Type::INDEX, dynamic(2), dynamic(2), dynamic(2)],
        &[],
    );
    let (n, m, k) = (b.arg(0), b.arg(1), b.arg(2));
    let (a, x, c) = (b.arg(3), b.arg(4), b.arg(5));
    up_to(&mut b, n, exec, |b, i| {
        up_to(b, m, exec, |b, j| {
            up_to(b, k, LoopExec::Serial, |b, l| {
                let p = b.load(a, &[i, l]);
                let q = b.load(x, &[l, j]);
                let r = b.load(c, &[i, j]);
                let pq = b.pure(PureOp::MulF, &[p, q], F64);
                let sum = b.pure(PureOp::AddF, &[r, pq], F64);
                b.store(sum, c, &[i, j]);
            });
        });
    });
    b.ret(&[]);
    program([b])
}

#[test]
fn products_of_matrices() {
    for exec in [LoopExec::Serial, LoopExec::Parallel] {
        let p = product(exec);
        for (n, m, k) in [(5, 4, 7), (1, 1, 1), (0, 3, 2), (3, 0, 2), (3, 3, 0), (17, 9, 33)] {
            let args = [
                Value::Int(n),
                Value::Int(m),
                Value::Int(k),
                ramp(&[n, k]),
                ramp(&[k, m]),
                ramp(&[n, m]),
            ];
            let Seen::Done { executed, .. } = agree(&p, &args) else {
                panic!("{n} {m} {k}")
            };
            assert_eq!(executed[0], u64::from(exec == LoopExec::Parallel && n > 0));
        }
        let short = [
            Value::Int(5),
            Value::Int(4),
            Value::Int(7),
            ramp(&[5, 6]),
            ramp(&[7, 4]),
            ramp(&[5, 4]),
        ];
        let message = fails(&p, &short);
        assert!(message.contains("index 6 is out of bounds: dimension 1"), "{message}");
    }
}

#[test]
fn bounds_steps_and_extremes() {
    // for i = max(-3, n - 5) to min(n, 4) step s: A[i + 3] = i
    for step in [1, 2, 3, 5, 8, 1 << 40] {
        let mut b = Build::new("main", &[memref(&[8]), Type::INDEX], &[]);
        let (a, n) = (b.arg(0), b.arg(1));
        let c = AffineExpr::Const;
        let lower = map(1, vec![c(-3), AffineExpr::add(d(0), c(-5))]);
        let upper = map(1, vec![d(0), c(4)]);
        b.for_map(lower, &[n], upper, &[n], step, LoopExec::Serial, |b, i| {
            let x = b.pure(PureOp::SIToFP, &[i], F64);
            b.store_map(x, a, map(1, vec![AffineExpr::add(d(0), c(3))]), &[i]);
        });
        b.ret(&[]);
        let p = program([b]);
        for n in [3, 100, -2, 0, 4, 8, i64::MIN + 5, i64::MAX] {
            agree(&p, &[ramp(&[8]), Value::Int(n)]);
        }
        assert!(fails(&p, &[ramp(&[8]), Value::Int(i64::MIN + 4)]).contains("overflows"));
    }
}

#[test]
fn bounds_whose_ranges_are_apart() {
    // for i in 0..4: for j = max(i + 10, 2) to min(i + 12, 3 i - 5, 100) ..: intervals alone decide some of these, either way round.
    let c = AffineExpr::Const;
    let plus = |k| AffineExpr::add(d(0), c(k));
    let candidates = [plus(10), c(2), c(100), plus(-7), AffineExpr::mul(d(0), c(3)), plus(1), c(12)];
    for exec in [LoopExec::Serial, LoopExec::Parallel] {
        let mut functions = Vec::new();
        for (n, a) in candidates.iter().enumerate() {
            for (k, x) in candidates.iter().enumerate() {
                let mut b = Build::new(&format!("f{n}_{k}"), &[memref(&[4])], &[]);
                let m = b.arg(0);
                b.for_const(0, 4, exec, |b, i| {
                    let low = b.op(OpKind::Max(map(1, vec![a.clone(), x.clone()])), &[i], &[Type::INDEX])[0];
                    let high = b.op(OpKind::Min(map(1, vec![a.clone(), x.clone()])), &[i], &[Type::INDEX])[0];
                    let bounds = |u: &AffineExpr, v: &AffineExpr| map(1, vec![u.clone(), v.clone()]);
                    b.for_map(bounds(a, &c(1)), &[i], bounds(x, &c(11)), &[i], 1, LoopExec::Serial, |b, j| {
                        let sum = b.pure(PureOp::AddI, &[low, j], Type::INDEX);
                        let sum = b.pure(PureOp::SubI, &[sum, high], Type::INDEX);
                        let sum = b.pure(PureOp::SIToFP, &[sum], F64);
                        let old = b.load(m, &[i]);
                        let sum = b.pure(PureOp::AddF, &[old, sum], F64);
                        b.store(sum, m, &[i]);
                    });
                });
                b.ret(&[]);
                functions.push(b);
            }
        }
        let p = program(functions);
        let module = compile(&p, &forking(2));
        for f in &p.functions {
            crate::compare::both(&p, &*module, &f.name, &[ramp(&[4])]);
        }
    }
}

#[test]
fn huge_ranges_with_huge_steps() {
    for (lower, upper, step) in [
        (0, 1 << 62, 1 << 61),
        (i64::MIN, i64::MAX, i64::MAX),
        (i64::MIN, i64::MAX, 1 << 62),
        (i64::MAX - 5, i64::MAX, 2),
        (i64::MAX - 5, i64::MAX, 3),
        (i64::MIN, i64::MIN + 3, 1),
    ] {
        let mut b = Build::new("main", &[memref(&[1])], &[]);
        let a = b.arg(0);
        b.for_map(
            AffineMap::constant(lower),
            &[],
            AffineMap::constant(upper),
            &[],
            step,
            LoopExec::Serial,
            |b, i| {
                let zero = b.index(0);
                let x = b.load(a, &[zero]);
                let y = b.pure(PureOp::SIToFP, &[i], F64);
                let two = b.f64(2.0);
                let x = b.pure(PureOp::MulF, &[x, two], F64);
                let z = b.pure(PureOp::AddF, &[x, y], F64);
                b.store(z, a, &[zero]);
            },
        );
        b.ret(&[]);
        agree(&program([b]), &[ramp(&[1])]);
    }
}

#[test]
fn carried_values_and_moving_pointers() {
    // Sums down columns, of an array walked with strides 1, 3 and -2, with results used after the loop.
    let mut b = Build::new("main", &[dynamic(2), Type::INDEX], &[F64, F64, Type::INDEX]);
    let (a, n) = (b.arg(0), b.arg(1));
    let zero = b.f64(0.0);
    let start = b.index(0);
    let c = AffineExpr::Const;
    let results = b.for_carried(0, 6, &[zero, zero, start], |b, i, v| {
        let x = b.load_map(a, map(2, vec![AffineExpr::mul(d(0), c(3)), AffineExpr::add(d(1), c(-1))]), &[i, n]);
        let y = b.load_map(
            a,
            map(
                1,
                vec![
                    AffineExpr::add(AffineExpr::mul(d(0), c(-2)), c(11)),
                    AffineExpr::Mod(Box::new(d(0)), Box::new(c(3))),
                ],
            ),
            &[i],
        );
        let s = b.pure(PureOp::AddF, &[v[0], x], F64);
        let t = b.pure(PureOp::SubF, &[v[1], y], F64);
        vec![t, s, b.pure(PureOp::AddI, &[v[2], i], Type::INDEX)]
    });
    b.ret(&results);
    let p = program([b]);
    for n in 1..=4 {
        assert!(matches!(agree(&p, &[ramp(&[16, 4]), Value::Int(n)]), Seen::Done { .. }));
    }
    fails(&p, &[ramp(&[16, 4]), Value::Int(0)]);
    fails(&p, &[ramp(&[15, 4]), Value::Int(1)]);
}

#[test]
fn divisions_in_maps() {
    let c = |v| Box::new(AffineExpr::Const(v));
    let i = || Box::new(d(0));
    let exprs = [
        AffineExpr::FloorDiv(i(), c(4)),
        AffineExpr::FloorDiv(i(), c(7)),
        AffineExpr::CeilDiv(i(), c(4)),
        AffineExpr::CeilDiv(i(), c(7)),
        AffineExpr::Mod(i(), c(4)),
        AffineExpr::Mod(i(), c(7)),
        AffineExpr::Mod(i(), Box::new(d(1))),
        AffineExpr::FloorDiv(i(), Box::new(d(1))),
        AffineExpr::CeilDiv(i(), Box::new(d(1))),
        AffineExpr::Mul(i(), Box::new(d(1))),
        AffineExpr::Mul(Box::new(AffineExpr::Add(i(), c(1))), Box::new(AffineExpr::Add(i(), Box::new(d(1))))),
    ];
    for e in exprs {
        let mut b = Build::new("main", &[Type::INDEX, Type::INDEX], &[Type::INDEX; 3]);
        let (x, y) = (b.arg(0), b.arg(1));
        let apply = |b: &mut Build, kind: OpKind| b.op(kind, &[x, y], &[Type::INDEX])[0];
        let r = apply(&mut b, OpKind::Apply(map(2, vec![e.clone()])));
        let s = apply(&mut b, OpKind::Min(map(2, vec![e.clone(), d(0), d(1)])));
        let t = apply(&mut b, OpKind::Max(map(2, vec![d(1), e])));
        b.ret(&[r, s, t]);
        let p = program([b]);
        let module = compile(&p, &forking(1));
        for x in [0, 1, -1, 5, 7, -7, -8, 27, 28, i64::MAX, i64::MIN, i64::MIN + 1, 1 << 33] {
            for y in [1, 2, 3, -3, 0, 1 << 40] {
                crate::compare::both(&p, &*module, "main", &[Value::Int(x), Value::Int(y)]);
            }
        }
    }
}

#[test]
fn parallel_iterations_are_all_executed() {
    for (lower, upper, step) in [(0, 1000, 1), (-7, 50, 3), (5, 5, 1), (3, 4, 1), (0, 64, 64)] {
        let mut b = Build::new("main", &[dynamic(1), Type::INDEX], &[]);
        let (a, n) = (b.arg(0), b.arg(1));
        b.for_map(
            AffineMap::constant(lower),
            &[],
            AffineMap::constant(upper),
            &[],
            step,
            LoopExec::Parallel,
            |b, i| {
                let sub = map(2, vec![AffineExpr::add(d(0), d(1))]);
                let x = b.load_map(a, sub.clone(), &[i, n]);
                let y = b.pure(PureOp::SIToFP, &[i], F64);
                let z = b.pure(PureOp::AddF, &[x, y], F64);
                b.store_map(z, a, sub, &[i, n]);
            },
        );
        b.ret(&[]);
        let p = program([b]);
        assert!(matches!(agree(&p, &[ramp(&[1010]), Value::Int(8)]), Seen::Done { .. }));
        if upper > lower {
            // Some iteration fails on some thread: an error after the join.
            assert!(fails(&p, &[ramp(&[3]), Value::Int(8)]).contains("out of bounds"));
        }
    }
}

#[test]
fn small_parallel_loops_do_not_fork() {
    let p = product(LoopExec::Parallel);
    let options = CodegenOptions {
        threads: 2,
        grain: 10_000,
        ..CodegenOptions::default()
    };
    let module = compile(&p, &options);
    let forks = |n: i64| {
        let args = [
            Value::Int(n),
            Value::Int(n),
            Value::Int(n),
            ramp(&[n, n]),
            ramp(&[n, n]),
            ramp(&[n, n]),
        ];
        module.call("main", &args).unwrap().executed.parallel
    };
    assert_eq!(forks(4), 0);
    assert_eq!(forks(64), 1);
}

#[test]
fn the_error_reported_is_the_first_in_serial_order() {
    let mut b = Build::new("main", &[dynamic(1)], &[]);
    let a = b.arg(0);
    b.for_const(0, 1000, LoopExec::Parallel, |b, i| {
        let x = b.f64(1.0);
        b.store(x, a, &[i]);
    });
    b.ret(&[]);
    let p = program([b]);
    for threads in [1, 2, 4, 7] {
        let module = compile(&p, &forking(threads));
        for _ in 0..20 {
            let message = module.call("main", &[ramp(&[100])]).unwrap_err().message;
            assert!(message.starts_with("index 100 is out of bounds"), "{message}");
        }
    }
}

#[test]
fn nests_deeper_than_can_be_compiled_are_refused() {
    use tilia_codegen::Backend;
    let deep = |depth| {
        let mut b = Build::new("main", &[], &[]);
        b.nest(depth, |_| {});
        b.ret(&[]);
        program([b])
    };
    agree(&deep(100), &[]);
    let Err(errors) = crate::backend().compile(&deep(10_000), &forking(1)) else {
        panic!("compiled");
    };
    assert!(errors[0].message.contains("nested more than"), "{errors:?}");
}

fn plain(
    b: &mut Build,
    m: tilia_program::ValueId,
    e: Vec<AffineExpr>,
    operands: &[tilia_program::ValueId],
    ty: Type,
) -> tilia_program::ValueId {
    let access = tilia_program::Access {
        map: map(operands.len() as u32, e),
        checked: false,
    };
    b.op(OpKind::Load(access), &[&[m], operands].concat(), &[ty])[0]
}

fn plain_store(
    b: &mut Build,
    v: tilia_program::ValueId,
    m: tilia_program::ValueId,
    e: Vec<AffineExpr>,
    operands: &[tilia_program::ValueId],
) {
    let access = tilia_program::Access {
        map: map(operands.len() as u32, e),
        checked: false,
    };
    b.op(OpKind::Store(access), &[&[v, m], operands].concat(), &[]);
}

#[test]
fn values_handed_on_from_one_iteration_to_the_next() {
    // for j in 2..n-2 step s: A[1, j] = A[1, j + k] * 0.5 + A[0, j] + A[1, 3]: for k = -s the load reads what was stored before; A[1, 3] sometimes.
    let c = AffineExpr::Const;
    for step in [1, 2, 3] {
        for k in [-3, -2, -1, 0, 1] {
            let mut b = Build::new("main", &[dynamic(2), Type::INDEX], &[]);
            let (a, n) = (b.arg(0), b.arg(1));
            let upper = map(1, vec![AffineExpr::add(d(0), c(-2))]);
            b.for_map(AffineMap::constant(3), &[], upper, &[n], step, LoopExec::Serial, |b, j| {
                let shifted = b.op(OpKind::Apply(map(1, vec![AffineExpr::add(d(0), c(k))])), &[j], &[Type::INDEX])[0];
                let x = plain(b, a, vec![c(1), d(0)], &[shifted], F64);
                let y = plain(b, a, vec![c(0), d(0)], &[j], F64);
                let z = plain(b, a, vec![c(1), c(3)], &[], F64);
                let half = b.f64(0.5);
                let x = b.pure(PureOp::MulF, &[x, half], F64);
                let sum = b.pure(PureOp::AddF, &[x, y], F64);
                let sum = b.pure(PureOp::AddF, &[sum, z], F64);
                plain_store(b, sum, a, vec![c(1), d(0)], &[j]);
            });
            b.ret(&[]);
            let p = program([b]);
            for n in [3, 6, 7, 12] {
                assert!(matches!(agree(&p, &[ramp(&[2, 12]), Value::Int(n)]), Seen::Done { .. }));
            }
        }
    }
}

#[test]
fn subscripts_computed_outside_of_a_parallel_loop() {
    // For i serial, k = i + 1, for j parallel, for l serial: A[j, k + l] = A[j, k + l - 1] + 0.5. The parallel body captures k, but not i.
    let c = AffineExpr::Const;
    let mut b = Build::new("main", &[dynamic(2), Type::INDEX], &[]);
    let (a, n) = (b.arg(0), b.arg(1));
    up_to(&mut b, n, LoopExec::Serial, |b, i| {
        let k = b.op(OpKind::Apply(map(1, vec![AffineExpr::add(d(0), c(1))])), &[i], &[Type::INDEX])[0];
        up_to(b, n, LoopExec::Parallel, |b, j| {
            up_to(b, n, LoopExec::Serial, |b, l| {
                let column = AffineExpr::add(d(1), d(2));
                let x = plain(b, a, vec![d(0), AffineExpr::add(column.clone(), c(-1))], &[j, k, l], F64);
                let half = b.f64(0.5);
                let sum = b.pure(PureOp::AddF, &[x, half], F64);
                plain_store(b, sum, a, vec![d(0), column], &[j, k, l]);
            });
        });
    });
    b.ret(&[]);
    let p = program([b]);
    for n in [0, 1, 5] {
        assert!(matches!(agree(&p, &[ramp(&[5, 10]), Value::Int(n)]), Seen::Done { .. }));
    }
}

#[test]
fn running_sums_in_memory() {
    // s[0] += A[i]; with A the same array in a second call, so that the sum reads itself.
    let c = AffineExpr::Const;
    let mut b = Build::new("main", &[dynamic(1), dynamic(1), Type::INDEX], &[]);
    let (s, a, n) = (b.arg(0), b.arg(1), b.arg(2));
    up_to(&mut b, n, LoopExec::Serial, |b, i| {
        let x = plain(b, s, vec![c(2)], &[], F64);
        let y = plain(b, a, vec![d(0)], &[i], F64);
        let z = b.pure(PureOp::AddF, &[x, y], F64);
        plain_store(b, z, s, vec![c(2)], &[]);
    });
    b.ret(&[]);
    let p = program([b]);
    let m = ramp(&[6]);
    for n in [0, 1, 6] {
        agree(&p, &[m.clone(), m.clone(), Value::Int(n)]);
        agree(&p, &[ramp(&[3]), m.clone(), Value::Int(n)]);
    }
}

#[test]
fn vectors_handed_on() {
    let v = Type::Vector(tilia_program::VectorType {
        shape: vec![4],
        elem: tilia_program::ScalarType::F64,
    });
    let c = AffineExpr::Const;
    let mut b = Build::new("main", &[dynamic(1)], &[]);
    let a = b.arg(0);
    b.for_map(
        AffineMap::constant(4),
        &[],
        AffineMap::constant(21),
        &[],
        4,
        LoopExec::Vector,
        |b, i| {
            let x = plain(b, a, vec![AffineExpr::add(d(0), c(-4))], &[i], v.clone());
            let y = plain(b, a, vec![AffineExpr::add(d(0), c(-3))], &[i], v.clone());
            let z = b.pure(PureOp::AddF, &[x, y], v.clone());
            plain_store(b, z, a, vec![d(0)], &[i]);
        },
    );
    b.ret(&[]);
    assert!(matches!(agree(&program([b]), &[ramp(&[24])]), Seen::Done { .. }));
}

#[test]
fn conditions_narrow_what_is_known() {
    // Where n lies between limits, arithmetic on it can't overflow; elsewhere it must still be noticed.
    let c = AffineExpr::Const;
    let mut b = Build::new("main", &[Type::INDEX], &[Type::INDEX]);
    let n = b.arg(0);
    let at_most = |limit: i64| tilia_program::IntegerSet {
        dims: 1,
        syms: 0,
        constraints: vec![
            (AffineExpr::add(AffineExpr::mul(d(0), c(-2)), c(limit)), false),
            (AffineExpr::add(d(0), c(5)), false),
        ],
    };
    let twice = |b: &mut Build| {
        let e = AffineExpr::add(AffineExpr::mul(d(0), c(4)), c(-7));
        b.op(OpKind::Apply(map(1, vec![e])), &[n], &[Type::INDEX])[0]
    };
    let set = tilia_program::IfCond::Set(at_most((1 << 61) + 1));
    let r = b.if_(set, &[n], &[Type::INDEX], |b| vec![twice(b)], |b| vec![twice(b)]);
    b.ret(&r);
    let p = program([b]);
    for n in [0, -5, -6, 7, 1 << 60, (1 << 60) + 1, (1 << 61) - 1, 1 << 61, i64::MIN / 4] {
        agree(&p, &[Value::Int(n)]);
    }
    assert!(fails(&p, &[Value::Int(i64::MAX / 2)]).contains("overflows"));
}
