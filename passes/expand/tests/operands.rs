//! Operands copied before the loops that use them: which ones, and that results stay.
#![expect(clippy::unwrap_used, reason = "a test that meets something else fails")]
#![expect(clippy::cast_possible_truncation, reason = "small numbers")]

#[path = "../../raise/tests/raise/builder.rs"]
#[expect(dead_code, reason = "other tests use all of it")]
mod builder;
mod common;

use builder::{Builder, F64, add, c, d, map, memref};
use common::{lowered, run};
use tilia_abi::{MemRefValue, Value};
use tilia_expand::{Expansion, prepare};
use tilia_interp::{Options, ScopOrder};
use tilia_presburger::{Budget, Map};
use tilia_program::{AffineExpr, AffineMap, Program, PureOp, ScalarType, ValueId};
use tilia_scop::{AccessKind, ArrayKind, Scop};

/// Extent of every dimension; loops stay below.
const SIZE: u64 = 7;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

/// The loops `i`, `j`, `k`, the second up to the first if `triangle`, around a body.
fn loops(b: &mut Builder, triangle: bool, body: impl FnOnce(&mut Builder, [ValueId; 3])) {
    b.for_(0, SIZE as i64 - 1, |b, i| {
        let upper = if triangle {
            map(1, vec![add(d(0), c(1))])
        } else {
            map(0, vec![c(SIZE as i64 - 1)])
        };
        let outer = if triangle { vec![i] } else { Vec::new() };
        b.for_full((AffineMap::constant(0), &[]), (upper, &outer), 1, &[], |b, j, _| {
            b.for_(0, SIZE as i64 - 1, |b, k| body(b, [i, j, k]));
            Vec::new()
        });
    });
}

/// `C[i][j] += alpha * A[..][..] * B[..][..]`; the subscripts are numbers of the iterators, up to a constant. Arguments: C, A, B, alpha.
fn product(triangle: bool, a: [(u32, i64); 2], b: [(u32, i64); 2], form: usize) -> Builder {
    let size = [Some(SIZE), Some(SIZE)];
    let mut out = Builder::new(vec![memref(&size), memref(&size), memref(&size), memref(&[])]);
    let (mc, ma, mb, alpha) = (out.arg(0), out.arg(1), out.arg(2), out.arg(3));
    loops(&mut out, triangle, |bld, iv| {
        let sub = |s: [(u32, i64); 2]| -> Vec<AffineExpr> { s.iter().map(|&(n, o)| add(d(n), c(o))).collect() };
        let old = bld.load(mc, vec![d(0), d(1)], &iv);
        let scale = bld.load(alpha, vec![], &[]);
        let x = bld.load(ma, sub(a), &iv);
        let y = bld.load(mb, sub(b), &iv);
        let mul = |bld: &mut Builder, x, y| bld.pure(PureOp::MulF, &[x, y], F64);
        let p = match form {
            // (alpha x) y
            0 => {
                let s = mul(bld, scale, x);
                mul(bld, s, y)
            }
            // (x y) alpha
            1 => {
                let s = mul(bld, x, y);
                mul(bld, s, scale)
            }
            // (x x) (alpha y)
            2 => {
                let s = mul(bld, x, x);
                let t = mul(bld, scale, y);
                mul(bld, s, t)
            }
            // x + (alpha x) y: x is used in two ways.
            _ => {
                let s = mul(bld, scale, x);
                let s = mul(bld, s, y);
                bld.pure(PureOp::AddF, &[x, s], F64)
            }
        };
        let new = bld.pure(PureOp::AddF, &[old, p], F64);
        bld.store(new, mc, vec![d(0), d(1)], &iv);
    });
    out
}

fn prepared(b: Builder) -> (Program, Scop, Expansion) {
    let (f, mut program) = b.finish();
    program.functions.push(f);
    let budget = Budget::default();
    let mut scops = tilia_raise::raise(&program.functions[0], &program, &tilia_raise::Options::default(), &budget).scops;
    assert_eq!(scops.len(), 1);
    let scop = scops.remove(0);
    let (deps, _) = tilia_deps::dependences(&scop, &budget).unwrap();
    let done = prepare(&mut program.functions[0], &scop, &deps, &budget).unwrap();
    (program, scop, done)
}

/// Relations of the accesses of copies, and the operations of each statement.
fn told(scop: &Scop) -> Vec<String> {
    let mut out = Vec::new();
    for s in &scop.stmts {
        for a in s.accesses.iter().filter(|a| matches!(scop[a.array].kind, ArrayKind::Copy(_))) {
            let kind = if a.kind == AccessKind::Read { "read" } else { "write" };
            let relation = a.relation.gist_domain(&s.domain, &Budget::default()).unwrap();
            out.push(format!("{kind} {relation}"));
        }
    }
    out
}

fn same(found: &[String], wanted: &[&str]) {
    assert_eq!(found.len(), wanted.len(), "{found:#?}");
    for (f, w) in found.iter().zip(wanted) {
        let ((fk, f), (wk, w)) = (f.split_once(' ').unwrap(), w.split_once(' ').unwrap());
        let (fm, wm): (Map, Map) = (f.parse().unwrap(), w.parse().unwrap());
        assert!(fk == wk && fm.is_equal(&wm, &Budget::default()).unwrap(), "{f} instead of {w}");
    }
}

#[test]
fn scaled_and_strided_operands_are_copied() {
    // syrk: C[i][j] += (alpha A[i][k]) A[j][k]; the second is walked across its rows along j.
    let (_, _, done) = prepared(product(true, [(0, 0), (2, 0)], [(1, 0), (2, 0)], 0));
    let scop = done.scop.unwrap();
    same(
        &told(&scop),
        &[
            "read { S0[i, j, k] -> arg1_p0[i, k] }",
            "read { S0[i, j, k] -> arg2_p1[k, j] }",
            "write { S1[i, k] -> arg1_p0[i, k] }",
            "write { S2[j, k] -> arg2_p1[k, j] }",
        ],
    );
    // The product with alpha is made by the copying statement alone: two loads and a product there; a load, a product, a sum, a store are left.
    assert_eq!(
        (scop.stmts[0].ops.len(), scop.stmts[1].ops.len(), scop.stmts[2].ops.len()),
        (4, 3, 1)
    );
    assert_eq!(scop.stmts[0].accesses.len(), 4, "{scop}");
}

#[test]
fn operands_that_suit_the_loops_stay() {
    // C[i][j] += (A[i][k] B[k][j]) alpha: nothing is computed of one alone, and both are walked well.
    let (_, _, done) = prepared(product(false, [(0, 0), (2, 0)], [(2, 0), (1, 0)], 1));
    assert!(done.scop.is_none(), "{:?}", done.remarks);
}

#[test]
fn what_is_written_is_not_copied() {
    // C[i][j] += (alpha C'[..]) with the written array as the operand.
    let size = [Some(SIZE), Some(SIZE)];
    let mut b = Builder::new(vec![memref(&size)]);
    let m = b.arg(0);
    loops(&mut b, false, |b, iv| {
        let x = b.load(m, vec![d(1), d(2)], &iv);
        let y = b.pure(PureOp::MulF, &[x, x], F64);
        b.store(y, m, vec![d(0), d(1)], &iv);
    });
    assert!(prepared(b).2.scop.is_none());
}

/// `m[i][j] -= m[i][k] * m[j][k]` for `k < j < i`, then `m[i][j] = m[i][j] * m[i][j]` where `again` says so: then `m[j][k]` isn't final before that.
fn factorisation(again: bool) -> Builder {
    let size = [Some(SIZE), Some(SIZE)];
    let mut out = Builder::new(vec![memref(&size), memref(&size), memref(&size), memref(&[])]);
    let m = out.arg(0);
    let below = |b: &mut Builder, outer: ValueId, body: &mut dyn FnMut(&mut Builder, ValueId)| {
        let upper = map(1, vec![d(0)]);
        b.for_full((AffineMap::constant(0), &[]), (upper, &[outer]), 1, &[], |b, i, _| {
            body(b, i);
            Vec::new()
        });
    };
    out.for_(0, SIZE as i64, |b, i| {
        below(b, i, &mut |b, j| {
            below(b, j, &mut |b, k| {
                let iv = [i, j, k];
                let old = b.load(m, vec![d(0), d(1)], &iv);
                let x = b.load(m, vec![d(0), d(2)], &iv);
                let y = b.load(m, vec![d(1), d(2)], &iv);
                let p = b.pure(PureOp::MulF, &[x, y], F64);
                let new = b.pure(PureOp::SubF, &[old, p], F64);
                b.store(new, m, vec![d(0), d(1)], &iv);
            });
        });
        if again {
            below(b, i, &mut |b, j| {
                let iv = [i, j];
                // The row before is written again, after rows have read it.
                let x = b.load(m, vec![d(1), d(1)], &iv);
                b.store(x, m, vec![d(1), c(0)], &iv);
            });
        }
    });
    out
}

#[test]
fn what_is_final_when_it_is_read_is_copied() {
    let (program, _, done) = prepared(factorisation(false));
    let scop = done.scop.unwrap();
    same(
        &told(&scop),
        &["read { S0[i, j, k] -> arg0_p0[k, j] }", "write { S1[j, k] -> arg0_p0[k, j] }"],
    );
    let b = Budget::default();
    tilia_validate::validate(&scop, &scop.schedule, &b).unwrap();
    let plain = Options::default();
    let truth = run(&program, arguments(), &plain, None);
    let tree = Some((&scop, ScopOrder::Tree(&scop.schedule)));
    assert_eq!(run(&program, arguments(), &plain, tree), truth, "{scop}");
    for bits in [0, 256] {
        let changed = lowered(&program, &scop, &scop.schedule, bits).unwrap();
        assert_eq!(run(&changed, arguments(), &plain, None), truth, "lowered\n{scop}");
    }
}

#[test]
fn what_is_written_after_it_was_read_is_not_copied() {
    assert!(prepared(factorisation(true)).2.scop.is_none());
}

fn arguments() -> Vec<Value> {
    let one = |n: u64, shape: &[i64]| {
        let m = MemRefValue::zeroed(ScalarType::F64, shape).unwrap();
        if shape.is_empty() {
            assert!(m.set(&[], 1.1_f64.to_bits()));
        } else {
            for i in 0..SIZE {
                for j in 0..SIZE {
                    assert!(m.set(&[i as i64, j as i64], (0.1 * (i * SIZE + j + n) as f64).to_bits()));
                }
            }
        }
        Value::MemRef(m)
    };
    let square = [SIZE as i64, SIZE as i64];
    vec![one(1, &square), one(50, &square), one(99, &square), one(0, &[])]
}

/// Where a loop begins or ends: a constant, or the `n`-th loop outside plus a constant.
#[derive(Debug, Clone, Copy)]
enum Bound {
    At(i64),
    After(usize, i64),
}

impl Bound {
    fn map(self, iv: &[ValueId]) -> (AffineMap, Vec<ValueId>) {
        match self {
            Bound::At(n) => (AffineMap::constant(n), Vec::new()),
            Bound::After(n, by) => (map(1, vec![add(d(0), c(by))]), vec![iv[n]]),
        }
    }
}

/// `m[..][..] -= m[..][..] * m[..][..]` in three loops; the subscripts are numbers of iterators. Arguments as those of [`product`], of which only the first is used.
fn in_place(bounds: [(Bound, Bound); 3], subscripts: [[usize; 2]; 3]) -> Builder {
    let size = [Some(SIZE), Some(SIZE)];
    let mut out = Builder::new(vec![memref(&size), memref(&size), memref(&size), memref(&[])]);
    let m = out.arg(0);
    nested(&mut out, m, &bounds, &mut Vec::new(), subscripts);
    out
}

fn nested(b: &mut Builder, m: ValueId, bounds: &[(Bound, Bound)], iv: &mut Vec<ValueId>, subscripts: [[usize; 2]; 3]) {
    let Some((&(lower, upper), inside)) = bounds.split_first() else {
        let sub = |n: usize| subscripts[n].iter().map(|&k| d(k as u32)).collect::<Vec<_>>();
        let old = b.load(m, sub(0), iv);
        let x = b.load(m, sub(1), iv);
        let y = b.load(m, sub(2), iv);
        let p = b.pure(PureOp::MulF, &[x, y], F64);
        let new = b.pure(PureOp::SubF, &[old, p], F64);
        b.store(new, m, sub(0), iv);
        return;
    };
    let ((low, low_args), (high, high_args)) = (lower.map(iv), upper.map(iv));
    b.for_full((low, &low_args), (high, &high_args), 1, &[], |b, v, _| {
        iv.push(v);
        nested(b, m, inside, iv, subscripts);
        iv.pop();
        Vec::new()
    });
}

#[test]
fn an_element_that_its_first_reader_writes_is_not_copied() {
    // for i, j >= i, k >= j: m[k][j] -= m[j][i] * m[k][i]. Instance (i, i, i) reads and writes m[i][i], which (i, i, k) read after it.
    let all = Bound::At(SIZE as i64);
    let from = |k| (Bound::After(k, 0), all);
    let (program, scop, done) = prepared(in_place([(Bound::At(0), all), from(0), from(1)], [[2, 1], [1, 0], [2, 0]]));
    let b = Budget::default();
    let truth = run(&program, arguments(), &Options::default(), None);
    let scop = done.scop.as_ref().unwrap_or(&scop);
    let found = run(
        &program,
        arguments(),
        &Options::default(),
        Some((scop, ScopOrder::Tree(&scop.schedule))),
    );
    assert_eq!(found, truth, "{scop}");
    let diagonal = |s: &Scop| {
        told(s)
            .iter()
            .any(|t| t.contains("[i, j, k]") && (t.contains("[j, i]") || t.contains("[i, j]")))
    };
    assert!(!diagonal(scop), "{scop}");
    tilia_validate::validate(scop, &scop.schedule, &b).unwrap();
}

#[test]
fn copies_of_what_is_written_in_place_change_no_result() {
    let mut random = Random(11);
    let (mut made, mut refused) = (0, 0);
    for seed in 0..1500 {
        let mut bounds = [(Bound::At(0), Bound::At(SIZE as i64)); 3];
        for (n, (lower, upper)) in bounds.iter_mut().enumerate().skip(1) {
            match random.below(4) {
                0 => *lower = Bound::After(random.below(n), random.below(2) as i64),
                1 => *upper = Bound::After(random.below(n), random.below(2) as i64),
                2 => *lower = Bound::At(random.below(2) as i64),
                _ => {}
            }
        }
        // Loops end within the array.
        if let Some((_, upper)) = bounds.iter_mut().find(|(_, upper)| matches!(upper, Bound::After(_, 1))) {
            *upper = Bound::At(SIZE as i64);
        }
        let mut pair = || {
            let first = random.below(3);
            [first, (first + 1 + random.below(2)) % 3]
        };
        let (program, _, done) = prepared(in_place(bounds, [pair(), pair(), pair()]));
        let Some(scop) = done.scop else {
            refused += 1;
            continue;
        };
        made += 1;
        tilia_validate::validate(&scop, &scop.schedule, &Budget::default()).unwrap();
        let truth = run(&program, arguments(), &Options::default(), None);
        let found = run(
            &program,
            arguments(),
            &Options::default(),
            Some((&scop, ScopOrder::Tree(&scop.schedule))),
        );
        assert_eq!(found, truth, "seed {seed}\n{scop}");
    }
    assert!(made > 30 && refused > 300, "{made} made, {refused} refused");
}

#[test]
fn copies_change_no_result() {
    let mut random = Random(7);
    let (mut made, mut lowering) = (0, 0);
    for seed in 0..60 {
        let mut sub = || [0; 2].map(|_: i32| (random.below(3) as u32, random.below(2) as i64));
        let (x, y) = (sub(), sub());
        let (program, _, done) = prepared(product(random.below(2) == 0, x, y, random.below(4)));
        let Some(scop) = done.scop else { continue };
        made += 1;
        let b = Budget::default();
        let plain = Options::default();
        let truth = run(&program, arguments(), &plain, None);
        tilia_validate::validate(&scop, &scop.schedule, &b).unwrap();
        assert_eq!(
            run(&program, arguments(), &plain, Some((&scop, ScopOrder::Tree(&scop.schedule)))),
            truth,
            "seed {seed}\n{scop}"
        );
        for bits in [0, 256] {
            let Some(changed) = lowered(&program, &scop, &scop.schedule, bits) else {
                continue;
            };
            lowering += 1;
            let options = Options {
                detect_races: true,
                ..Options::default()
            };
            assert_eq!(run(&changed, arguments(), &options, None), truth, "lowered, seed {seed}\n{scop}");
        }
    }
    assert!(made > 20 && lowering > made, "{made} made, {lowering} lowered");
}
