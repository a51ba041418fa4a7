//! Raising of hand-built functions: statements, domains, accesses, cells, conditions.
#![expect(clippy::unwrap_used, reason = "a test that meets something else fails")]

mod builder;

use builder::{Builder, F64, add, c, d, map, memref};
use tilia_presburger::{Budget, Map, Set};
use tilia_program::{
    AffineExpr, AffineMap, CmpF, CmpI, IfCond, MathFn, MemRefType, OpKind, PureOp, ScalarType, Slice, SliceDim, Type, ValueId,
};
use tilia_raise::{Options, Raised, raise};
use tilia_scop::{AccessKind, ArrayKind, Scop, Stmt, StmtKind};

fn run(b: Builder) -> Raised {
    let (f, p) = b.finish();
    raise(&f, &p, &Options::default(), &Budget::default())
}

fn one(b: Builder) -> Scop {
    let mut r = run(b);
    assert_eq!(r.scops.len(), 1, "{:?}", r.remarks);
    r.scops.remove(0)
}

fn same_set(set: &Set, text: &str) {
    let want: Set = text.parse().unwrap();
    assert!(set.is_equal(&want, &Budget::default()).unwrap(), "{set} is not {want}");
}

fn same_map(m: &Map, text: &str) {
    let want: Map = text.parse().unwrap();
    assert!(m.is_equal(&want, &Budget::default()).unwrap(), "{m} is not {want}");
}

fn access(s: &Stmt, kind: AccessKind, n: usize) -> &tilia_scop::Access {
    s.accesses.iter().filter(|a| a.kind == kind).nth(n).unwrap()
}

/// c[i, j] += a[i, k] * b[k, j] with sizes from arguments.
#[test]
fn product_of_matrices() {
    let dynamic = memref(&[None, None]);
    let mut b = Builder::new(vec![Type::INDEX, dynamic.clone(), dynamic.clone(), dynamic]);
    let (n, x, y, z) = (b.arg(0), b.arg(1), b.arg(2), b.arg(3));
    b.for_to(n, |b, i| {
        b.for_to(n, |b, j| {
            b.for_to(n, |b, k| {
                let p = b.load(x, vec![d(0), d(1)], &[i, k]);
                let q = b.load(y, vec![d(0), d(1)], &[k, j]);
                let m = b.pure(PureOp::MulF, &[p, q], F64);
                let s = b.load(z, vec![d(0), d(1)], &[i, j]);
                let t = b.pure(PureOp::AddF, &[s, m], F64);
                b.store(t, z, vec![d(0), d(1)], &[i, j]);
            });
        });
    });
    let scop = one(b);
    assert_eq!(scop.stmts.len(), 1);
    let s = &scop.stmts[0];
    same_set(
        &s.domain,
        "[p0, p1_d0, p1_d1, p2_d0, p2_d1, p3_d0, p3_d1] -> { S0[i, j, k] : 0 <= i, j, k < p0 }",
    );
    same_map(&access(s, AccessKind::Write, 0).relation, "{ S0[i, j, k] -> arg3[i, j] }");
    same_map(&access(s, AccessKind::Read, 1).relation, "{ S0[i, j, k] -> arg2[k, j] }");
    assert!(s.reduction.is_some());
    assert!(scop.checked_ops.is_empty());
    // One condition a dimension, and one that all numbers are small.
    assert_eq!(scop.assumptions.len(), 7, "{scop}");
    same_set(
        &scop.assumptions[0]
            .condition
            .project_out(tilia_presburger::DimType::Param, 2, 5, &Budget::default())
            .unwrap(),
        "[p0, p1_d0] -> { : p0 <= p1_d0 }",
    );
    // The result may overlap both operands; these may overlap each other as they like.
    assert_eq!(scop.may_alias.len(), 2);
}

#[test]
fn carried_value_lives_in_a_cell() {
    let mut b = Builder::new(vec![memref(&[Some(8), Some(5)]), memref(&[Some(8)])]);
    let (x, out) = (b.arg(0), b.arg(1));
    b.for_(0, 8, |b, i| {
        let zero = b.float(0.0);
        let r = b.for_full(
            (AffineMap::constant(0), &[]),
            (AffineMap::constant(5), &[]),
            1,
            &[zero],
            |b, j, s| {
                let v = b.load(x, vec![d(0), d(1)], &[i, j]);
                vec![b.pure(PureOp::AddF, &[s[0], v], F64)]
            },
        );
        b.store(r[0], out, vec![d(0)], &[i]);
    });
    let scop = one(b);
    assert_eq!(scop.stmts.len(), 3, "{scop}");
    let cell = scop.arrays.iter().find(|a| matches!(a.kind, ArrayKind::Cell(_))).unwrap();
    assert_eq!((cell.rank, cell.live_out), (1, None));
    same_map(&access(&scop.stmts[0], AccessKind::Write, 0).relation, "{ S0[i] -> c0[i] }");
    same_map(&access(&scop.stmts[1], AccessKind::Write, 0).relation, "{ S1[i, j] -> c0[i] }");
    assert!(scop.stmts[1].reduction.is_some());
    same_map(&access(&scop.stmts[2], AccessKind::Read, 0).relation, "{ S2[i] -> c0[i] }");
    assert!(scop.assumptions.is_empty(), "{scop}");
}

#[test]
fn load_moves_to_its_user_unless_memory_changes() {
    let build = |write_x: bool| {
        let mut b = Builder::new(vec![memref(&[Some(9)]), memref(&[Some(9)])]);
        let (x, y) = (b.arg(0), b.arg(1));
        b.for_(0, 9, |b, i| {
            let v = b.load(x, vec![d(0)], &[i]);
            let w = b.pure(PureOp::AddF, &[v, v], F64);
            b.store(w, if write_x { x } else { y }, vec![d(0)], &[i]);
            b.store(v, y, vec![add(c(8), AffineExpr::mul(d(0), c(-1)))], &[i]);
        });
        one(b)
    };
    assert_eq!(build(false).stmts.len(), 2);
    let scop = build(true);
    // The value of the load is kept in a cell, from before the store.
    assert_eq!(scop.stmts.len(), 3, "{scop}");
    assert_eq!(scop.stmts[0].cell_writes.len(), 1);
    assert_eq!(scop.stmts[2].cell_reads.len(), 1);
    assert!(scop.stmts[1].cell_reads.is_empty());
}

#[test]
fn value_of_an_outer_loop_keeps_its_own_domain() {
    let mut b = Builder::new(vec![memref(&[Some(4)]), memref(&[Some(4), Some(6)])]);
    let (x, y) = (b.arg(0), b.arg(1));
    b.for_(0, 4, |b, i| {
        let v = b.load(x, vec![d(0)], &[i]);
        let w = b.pure(PureOp::MulF, &[v, v], F64);
        b.for_(0, 6, |b, j| {
            b.store(w, y, vec![d(0), d(1)], &[i, j]);
        });
    });
    let scop = one(b);
    assert_eq!(scop.stmts.len(), 2, "{scop}");
    same_set(&scop.stmts[0].domain, "{ S0[i] : 0 <= i < 4 }");
    same_map(&access(&scop.stmts[1], AccessKind::Read, 0).relation, "{ S1[i, j] -> c0[i] }");
}

#[test]
fn conditions_split_domains() {
    let mut b = Builder::new(vec![memref(&[Some(10)])]);
    let x = b.arg(0);
    b.for_(0, 10, |b, i| {
        let one = b.float(1.0);
        let mut other = |b: &mut Builder| {
            b.store(one, x, vec![add(d(0), c(-1))], &[i]);
        };
        let odd = AffineExpr::Mod(Box::new(d(0)), Box::new(c(2)));
        b.if_(
            Builder::at_least(1, add(odd, c(-1))),
            &[i],
            |b| {
                b.store(one, x, vec![add(d(0), c(-1))], &[i]);
            },
            None,
        );
        b.if_(Builder::at_least(1, add(d(0), c(-11))), &[i], |_| {}, Some(&mut other));
    });
    let scop = one(b);
    same_set(&scop.stmts[0].domain, "{ S0[i] : 0 <= i < 10 and i mod 2 = 1 }");
    same_set(&scop.stmts[1].domain, "{ S1[i] : 0 <= i < 10 }");
    // The first store is proven inside through its condition; the second leaves the buffer at i = 0.
    assert_eq!(scop.checked_ops.len(), 1, "{scop}");
}

#[test]
fn strides_count_from_the_greatest_lower_bound() {
    let mut b = Builder::new(vec![Type::INDEX, Type::INDEX, memref(&[Some(64)])]);
    let (x, y, a) = (b.arg(0), b.arg(1), b.arg(2));
    let lower = map(2, vec![add(add(d(0), d(1)), c(-3)), AffineExpr::mul(c(2), d(0)), c(0)]);
    b.for_full((lower, &[x, y]), (AffineMap::constant(64), &[]), 5, &[], |b, i, _| {
        let one = b.float(1.0);
        b.store(one, a, vec![d(0)], &[i]);
        vec![]
    });
    let scop = one(b);
    let s = &scop.stmts[0].domain;
    let at = |x: i64, y: i64, i: i64| {
        s.fix(tilia_presburger::DimType::Param, 0, x.into())
            .unwrap()
            .fix(tilia_presburger::DimType::Param, 1, y.into())
            .unwrap()
            .fix(tilia_presburger::DimType::Out, 0, i.into())
            .unwrap()
    };
    for (x, y) in [(6, 6), (-5, 3), (10, 2), (2, 9)] {
        let start = (x + y - 3).max(2 * x).max(0);
        for i in -3..66 {
            let want = i >= start && i < 64 && (i - start) % 5 == 0;
            assert_eq!(!at(x, y, i).is_empty(&Budget::default()).unwrap(), want, "{x} {y} {i}");
        }
    }
    assert!(scop.checked_ops.is_empty());
}

#[test]
fn calls_reach_what_escapes() {
    let mut b = Builder::new(vec![memref(&[Some(8)]), memref(&[Some(8)])]);
    let (x, y) = (b.arg(0), b.arg(1));
    let local = b.value(OpKind::Alloc { stack: false, align: 0 }, vec![], memref(&[Some(8)]));
    b.for_(0, 8, |b, i| {
        let v = b.load(x, vec![d(0)], &[i]);
        b.store(v, local, vec![d(0)], &[i]);
        b.op(OpKind::Call("touch".into()), vec![y], &[]);
    });
    let scop = one(b);
    let call = scop.stmts.iter().find(|s| s.kind == StmtKind::Opaque).unwrap();
    let touched: std::collections::BTreeSet<&str> = call.accesses.iter().map(|a| scop[a.array].name.as_str()).collect();
    assert_eq!(touched.into_iter().collect::<Vec<_>>(), ["arg0", "arg1", "world"]);
    assert!(call.accesses.iter().all(|a| !a.must));
    assert!(
        scop.may_alias
            .iter()
            .all(|(a, b)| scop[*a].name.as_str().starts_with("arg") && scop[*b].name.as_str().starts_with("arg"))
    );
}

#[test]
fn views_are_folded_into_accesses() {
    let mut b = Builder::new(vec![memref(&[Some(10)])]);
    let x = b.arg(0);
    let strided = Type::MemRef(MemRefType {
        elem: ScalarType::F64,
        shape: vec![Some(4)],
        layout: tilia_program::Layout::Strided {
            offset: Some(1),
            strides: vec![Some(2)],
        },
    });
    let slice = Slice {
        offsets: vec![SliceDim::Const(1)],
        sizes: vec![SliceDim::Const(4)],
        strides: vec![SliceDim::Const(2)],
        dropped: vec![],
    };
    let sub = b.value(OpKind::SubView(slice.clone()), vec![x], strided.clone());
    let cast = b.value(OpKind::ReinterpretCast(slice), vec![x], strided);
    b.for_(0, 4, |b, i| {
        let v = b.load(sub, vec![d(0)], &[i]);
        b.store(v, cast, vec![add(d(0), c(0))], &[i]);
    });
    let scop = one(b);
    assert_eq!(scop.arrays.len(), 1, "{scop}");
    same_map(&access(&scop.stmts[0], AccessKind::Read, 0).relation, "{ S0[i] -> arg0[1 + 2i] }");
    same_map(&access(&scop.stmts[0], AccessKind::Write, 0).relation, "{ S0[i] -> arg0[1 + 2i] }");
    assert!(scop.checked_ops.is_empty());
}

#[test]
fn data_dependent_control_is_opaque() {
    let mut b = Builder::new(vec![memref(&[Some(8)]), memref(&[])]);
    let (x, r) = (b.arg(0), b.arg(1));
    b.for_(0, 8, |b, i| {
        let v = b.load(x, vec![d(0)], &[i]);
        let zero = b.float(0.0);
        let cond = b.pure(PureOp::CmpF(CmpF::Ogt), &[v, zero], Type::BOOL);
        b.if_(
            IfCond::Value,
            &[cond],
            |b| {
                let s = b.load(r, vec![], &[]);
                let t = b.pure(PureOp::AddF, &[s, v], F64);
                b.store(t, r, vec![], &[]);
            },
            None,
        );
    });
    let scop = one(b);
    assert_eq!(scop.stmts.len(), 1, "{scop}");
    let s = &scop.stmts[0];
    assert_eq!(s.kind, StmtKind::Opaque);
    // The load that feeds the condition certainly happens, the store perhaps.
    assert!(access(s, AccessKind::Read, 1).must || access(s, AccessKind::Read, 0).must);
    assert!(!access(s, AccessKind::Write, 0).must);
    same_map(&access(s, AccessKind::Write, 0).relation, "{ S0[i] -> arg1[] }");
}

#[test]
fn flag_from_outside_is_a_parameter() {
    let mut b = Builder::new(vec![memref(&[Some(8)]), Type::BOOL]);
    let (x, flag) = (b.arg(0), b.arg(1));
    b.for_(0, 8, |b, i| {
        let zero = b.float(0.0);
        b.if_(
            IfCond::Value,
            &[flag],
            |b| {
                b.store(zero, x, vec![d(0)], &[i]);
            },
            None,
        );
    });
    let scop = one(b);
    assert_eq!(scop.stmts[0].kind, StmtKind::Plain);
    same_set(&scop.stmts[0].domain, "[p1] -> { S0[i] : 0 <= i < 8 and p1 <= -1 }");
    same_set(&scop.context, "[p1] -> { : -1 <= p1 <= 0 }");
}

#[test]
fn memory_allocated_in_a_loop_stays_with_its_users() {
    let mut b = Builder::new(vec![memref(&[Some(8)])]);
    let x = b.arg(0);
    b.for_(0, 8, |b, i| {
        let t = b.value(OpKind::Alloc { stack: true, align: 0 }, vec![], memref(&[Some(2)]));
        let v = b.load(x, vec![d(0)], &[i]);
        b.store(v, t, vec![c(1)], &[]);
        let w = b.load(t, vec![c(1)], &[]);
        let s = b.pure(PureOp::AddF, &[v, w], F64);
        b.store(s, x, vec![d(0)], &[i]);
    });
    let scop = one(b);
    assert_eq!(
        scop.arrays.iter().filter(|a| matches!(a.kind, ArrayKind::Root(_))).count(),
        1,
        "{scop}"
    );
    let group = &scop.stmts[0];
    assert_eq!(group.kind, StmtKind::Opaque);
    assert_eq!(group.cell_writes.len(), 2);
    assert_eq!(scop.stmts[1].cell_reads.len(), 2);
}

#[test]
fn loops_with_bounds_that_are_not_affine_are_opaque_inside_others() {
    let mut b = Builder::new(vec![memref(&[Some(32), Some(32)])]);
    let a = b.arg(0);
    b.for_(0, 32, |b, k| {
        b.for_(0, 32, |b, j| {
            let low = b.pure(PureOp::MulI, &[k, k], Type::INDEX);
            let one = b.float(1.0);
            b.for_full(
                (AffineMap::identity(1), &[low]),
                (AffineMap::constant(32), &[]),
                1,
                &[],
                |b, i, _| {
                    b.store(one, a, vec![d(0), d(1)], &[i, j]);
                    vec![]
                },
            );
        });
    });
    let scop = one(b);
    assert_eq!(scop.stmts.len(), 1);
    assert_eq!(scop.stmts[0].kind, StmtKind::Opaque);
    same_map(&access(&scop.stmts[0], AccessKind::Write, 0).relation, "{ S0[k, j] -> arg0[i, j] }");
    assert_eq!(scop.checked_ops.len(), 1);
}

/// Two scops with a call between them; in the first a sum `a + b` is computed, which bounds a loop of the second. What one scop says of itself in parameters must be among the results
/// of the other, or stand before both.
#[test]
fn scops_share_only_results() {
    let i64s = Type::Scalar(ScalarType::Int(64));
    let mut b = Builder::new(vec![memref(&[Some(9)]), Type::INDEX]);
    let (x, n) = (b.arg(0), b.arg(1));
    let mut sum = n;
    b.for_to(n, |b, i| {
        let one = b.float(1.0);
        b.store(one, x, vec![d(0)], &[i]);
    });
    for _ in 0..2 {
        let v = b.load(x, vec![c(0)], &[]);
        let v = b.pure(PureOp::FPToSI, &[v], i64s.clone());
        let v = b.pure(PureOp::IndexCast, &[v], Type::INDEX);
        sum = b.pure(PureOp::AddI, &[sum, v], Type::INDEX);
    }
    let f = b.pure(PureOp::IndexCast, &[sum], i64s);
    let f = b.pure(PureOp::SIToFP, &[f], F64);
    b.store(f, x, vec![c(1)], &[]);
    b.op(OpKind::Call("use".into()), vec![], &[]);
    b.for_to(sum, |b, i| {
        let one = b.float(1.0);
        b.store(one, x, vec![d(0)], &[i]);
    });
    let (f, p) = b.finish();
    let scops = raise(&f, &p, &Options::default(), &Budget::default()).scops;
    let [first, second] = &scops[..] else {
        panic!("{} scops", scops.len())
    };
    let results: Vec<_> = first.arrays.iter().filter_map(|a| a.live_out).collect();
    for p in &second.params {
        let (tilia_scop::ParamSource::Value(v) | tilia_scop::ParamSource::Dim(v, _)) = p.value;
        let made_in_first = first.range.ops.iter().any(|&op| f[op].results.contains(&v));
        assert!(
            !made_in_first || results.contains(&v),
            "{v} is a parameter of the second scop: {results:?}"
        );
    }
}

#[test]
fn results_used_later_are_live_out() {
    let mut b = Builder::new(vec![memref(&[Some(9)]), memref(&[Some(1)])]);
    let (x, o) = (b.arg(0), b.arg(1));
    let zero = b.float(0.0);
    let r = b.for_full(
        (AffineMap::constant(0), &[]),
        (AffineMap::constant(9), &[]),
        1,
        &[zero],
        |b, i, s| {
            let v = b.load(x, vec![d(0)], &[i]);
            vec![b.pure(PureOp::AddF, &[s[0], v], F64)]
        },
    );
    b.op(OpKind::Call("use".into()), vec![r[0]], &[]);
    b.store(r[0], o, vec![c(0)], &[]);
    let scop = one(b);
    let cell = scop.arrays.iter().find(|a| matches!(a.kind, ArrayKind::Cell(_))).unwrap();
    assert_eq!((cell.rank, cell.live_out), (0, Some(r[0])));
}

#[test]
fn calls_between_nests_separate_scops() {
    let mut b = Builder::new(vec![memref(&[Some(9)])]);
    let x = b.arg(0);
    let nest = |b: &mut Builder| {
        let zero = b.float(0.0);
        b.for_(0, 9, |b, i| {
            b.store(zero, x, vec![d(0)], &[i]);
        });
    };
    nest(&mut b);
    nest(&mut b);
    b.op(OpKind::Call("f".into()), vec![], &[]);
    nest(&mut b);
    let r = run(b);
    let sizes: Vec<usize> = r.scops.iter().map(|s| s.stmts.len()).collect();
    assert_eq!(sizes, [2, 1]);
    let names: Vec<&str> = r.scops.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["k_0", "k_1"]);
}

#[test]
fn bounds_near_the_largest_number_are_declined() {
    let mut b = Builder::new(vec![memref(&[Some(9)])]);
    let x = b.arg(0);
    let zero = b.float(0.0);
    b.for_(i64::MAX - 3, i64::MAX, |b, i| {
        b.store(zero, x, vec![add(d(0), c(-(i64::MAX - 3)))], &[i]);
    });
    let r = run(b);
    assert!(r.scops.is_empty());
    assert!(r.remarks[0].message.contains("64-bit"), "{:?}", r.remarks);
}

#[test]
fn inner_loops_are_found_where_outer_ones_cannot_be_held() {
    let mut b = Builder::new(vec![memref(&[Some(9)]), Type::BOOL]);
    let x = b.arg(0);
    b.for_(0, 9, |b, _| {
        let v = b.load(x, vec![c(0)], &[]);
        let cond = b.pure(PureOp::CmpF(CmpF::Ogt), &[v, v], Type::BOOL);
        b.if_(
            IfCond::Value,
            &[cond],
            |b| {
                let zero = b.float(0.0);
                b.for_(0, 9, |b, i| {
                    b.store(zero, x, vec![d(0)], &[i]);
                });
            },
            None,
        );
    });
    let r = run(b);
    assert_eq!(r.scops.len(), 1);
    assert_eq!(r.scops[0].stmts[0].iters.len(), 1);
    assert_eq!(r.remarks.len(), 1);
}

#[test]
fn unsigned_and_narrow_values_become_parameters() {
    // for i = maxui(extui u, v) to 14: not affine, but fixed.
    let mut b = Builder::new(vec![
        memref(&[Some(14)]),
        Type::Scalar(ScalarType::Int(8)),
        Type::Scalar(ScalarType::Int(64)),
    ]);
    let (a, u, v) = (b.arg(0), b.arg(1), b.arg(2));
    let i64_ = Type::Scalar(ScalarType::Int(64));
    let x = b.pure(PureOp::ExtUI, &[u], i64_.clone());
    let lo = b.pure(PureOp::MaxUI, &[x, v], i64_);
    let lb = b.pure(PureOp::IndexCast, &[lo], Type::INDEX);
    b.for_full(
        (AffineMap::identity(1), &[lb]),
        (AffineMap::constant(14), &[]),
        1,
        &[],
        |b, i, _| {
            let zero = b.float(0.0);
            b.store(zero, a, vec![d(0)], &[i]);
            vec![]
        },
    );
    let scop = one(b);
    assert_eq!(scop.params.len(), 1, "{scop}");
    assert_eq!(scop.params[0].value, tilia_scop::ParamSource::Value(lo));
    assert_eq!(scop.assumptions.len(), 2, "{scop}");
}

#[test]
fn quotients_of_numbers_beyond_64_bits_are_not_affine() {
    // The quotient is from 0 to 6 in exact arithmetic, but 2^62 * i isn't a 64-bit number from i = 2 on.
    let mut b = Builder::new(vec![memref(&[Some(8)])]);
    let x = b.arg(0);
    b.for_(0, 8, |b, i| {
        let zero = b.float(0.0);
        let wide = AffineExpr::mul(d(0), c(1 << 62));
        let by = c((1 << 62) + 1);
        b.store(zero, x, vec![AffineExpr::FloorDiv(Box::new(wide), Box::new(by))], &[i]);
    });
    let scop = one(b);
    assert_eq!(scop.checked_ops.len(), 1, "{scop}");
    assert!(!scop.stmts[0].accesses[0].must, "{scop}");
}

#[test]
fn remainders_of_remainders_are_not_affine() {
    // x = (x mod 5 or 7) + i, a hundred times: as a linear form, the text doubles at each step.
    let mut b = Builder::new(vec![memref(&[Some(16)])]);
    let x = b.arg(0);
    b.for_(0, 4, |b, i| {
        let zero = b.float(0.0);
        let sub = (0..100).fold(d(0), |e, n| add(AffineExpr::Mod(Box::new(e), Box::new(c(5 + 2 * (n % 2)))), d(0)));
        b.store(zero, x, vec![sub], &[i]);
    });
    let scop = one(b);
    assert_eq!(scop.checked_ops.len(), 1, "{scop}");
}

#[test]
fn limits_of_a_parameter_that_cancels_are_checked() {
    // min(p + 1, p + 2) - p is 1, unless p + 2 wraps.
    let i64_ = Type::Scalar(ScalarType::Int(64));
    let mut b = Builder::new(vec![memref(&[Some(2)]), i64_.clone()]);
    let (x, p) = (b.arg(0), b.arg(1));
    b.for_(0, 9, |b, _| {
        let (one, two) = (b.int(1, i64_.clone()), b.int(2, i64_.clone()));
        let p1 = b.pure(PureOp::AddI, &[p, one], i64_.clone());
        let p2 = b.pure(PureOp::AddI, &[p, two], i64_.clone());
        let least = b.pure(PureOp::MinSI, &[p1, p2], i64_.clone());
        let sub = b.pure(PureOp::SubI, &[least, p], i64_.clone());
        let sub = b.pure(PureOp::IndexCast, &[sub], Type::INDEX);
        let zero = b.float(0.0);
        b.store(zero, x, vec![d(0)], &[sub]);
    });
    let scop = one(b);
    same_map(
        &access(&scop.stmts[0], AccessKind::Write, 0).relation,
        "[p1] -> { S0[i] -> arg0[1] }",
    );
    assert_eq!(scop.assumptions.len(), 1, "{scop}");
}

/// The operation of which `x[0] = combine(x[0], y[i])` is a reduction.
fn reduction_by(ty: &Type, combine: impl FnOnce(&mut Builder, ValueId, ValueId) -> ValueId) -> Option<PureOp> {
    let elem = ty.element().unwrap();
    let shaped = |n: u64| {
        Type::MemRef(MemRefType {
            elem,
            ..memref(&[Some(n)]).as_memref().unwrap().clone()
        })
    };
    let mut b = Builder::new(vec![shaped(1), shaped(9)]);
    let (x, y) = (b.arg(0), b.arg(1));
    b.for_(0, 9, |b, i| {
        let load = |b: &mut Builder, from: ValueId, at: AffineExpr, iters: &[ValueId]| {
            let access = tilia_program::Access {
                map: map(u32::try_from(iters.len()).unwrap(), vec![at]),
                checked: true,
            };
            let operands = [&[from], iters].concat();
            b.value(OpKind::Load(access), operands, Type::Scalar(elem))
        };
        let old = load(b, x, c(0), &[]);
        let new = load(b, y, d(0), &[i]);
        let result = combine(b, old, new);
        b.store(result, x, vec![c(0)], &[]);
    });
    let scop = one(b);
    assert_eq!(scop.stmts.len(), 1, "{scop}");
    let found = scop.stmts[0].reduction?;
    let kinds = [found.read, found.write].map(|a| (scop.stmts[0].accesses[a].kind, scop.stmts[0].accesses[a].array.0));
    assert_eq!(kinds, [(AccessKind::Read, 0), (AccessKind::Write, 0)]);
    Some(found.op)
}

#[test]
fn what_accumulates_is_a_reduction() {
    let int = Type::Scalar(ScalarType::Int(32));
    let pure = |op: PureOp, ty: Type| reduction_by(&ty.clone(), move |b, old, new| b.pure(op, &[new, old], ty));
    for op in [PureOp::AddF, PureOp::MulF, PureOp::MinimumF, PureOp::MaxNumF] {
        assert_eq!(pure(op, F64), Some(op));
    }
    for op in [
        PureOp::AddI,
        PureOp::MulI,
        PureOp::AndI,
        PureOp::OrI,
        PureOp::XOrI,
        PureOp::MaxSI,
        PureOp::MinUI,
    ] {
        assert_eq!(pure(op, int.clone()), Some(op));
    }
    // What is taken away from the accumulator adds up; what the accumulator is taken away from doesn't.
    assert_eq!(
        reduction_by(&F64, |b, old, new| b.pure(PureOp::SubF, &[old, new], F64)),
        Some(PureOp::AddF)
    );
    assert_eq!(pure(PureOp::SubF, F64), None);
    assert_eq!(pure(PureOp::DivF, F64), None);
    // A fused multiply-add adds to its third operand only.
    let fma = |order: [usize; 3]| {
        reduction_by(&F64, move |b, old, new| {
            let all = [old, new, new];
            b.pure(PureOp::Math(MathFn::Fma), &order.map(|n| all[n]), F64)
        })
    };
    assert_eq!(fma([1, 2, 0]), Some(PureOp::AddF));
    assert_eq!(fma([0, 1, 2]), None);
    // Chains of one operation, and of two.
    let chain = |second: PureOp| {
        reduction_by(&F64, move |b, old, new| {
            let s = b.pure(PureOp::AddF, &[old, new], F64);
            b.pure(second, &[s, new], F64)
        })
    };
    assert_eq!(chain(PureOp::SubF), Some(PureOp::AddF));
    assert_eq!(chain(PureOp::MulF), None);
    // The accumulator twice.
    assert_eq!(reduction_by(&F64, |b, old, _| b.pure(PureOp::AddF, &[old, old], F64)), None);
}

#[test]
fn a_comparison_and_a_selection_are_a_minimum() {
    let int = Type::Scalar(ScalarType::Int(32));
    let selected = |how: CmpI, straight: bool| {
        let ty = int.clone();
        reduction_by(&int, move |b, old, new| {
            let less = b.pure(PureOp::CmpI(how), &[old, new], Type::BOOL);
            let (yes, no) = if straight { (old, new) } else { (new, old) };
            b.pure(PureOp::Select, &[less, yes, no], ty)
        })
    };
    assert_eq!(selected(CmpI::Slt, true), Some(PureOp::MinSI));
    assert_eq!(selected(CmpI::Sle, false), Some(PureOp::MaxSI));
    assert_eq!(selected(CmpI::Ugt, true), Some(PureOp::MaxUI));
    assert_eq!(selected(CmpI::Uge, false), Some(PureOp::MinUI));
    assert_eq!(selected(CmpI::Eq, true), None);
    // Another value is selected than was compared.
    let ty = int.clone();
    let other = reduction_by(&int, move |b, old, new| {
        let less = b.pure(PureOp::CmpI(CmpI::Slt), &[old, new], Type::BOOL);
        let double = b.pure(PureOp::AddI, &[new, new], ty.clone());
        b.pure(PureOp::Select, &[less, old, double], ty)
    });
    assert_eq!(other, None);
}
