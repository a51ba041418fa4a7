//! Which temporaries get copies, and of which subscripts.
#![expect(clippy::unwrap_used, reason = "a test that meets something else fails")]
#![expect(clippy::cast_possible_truncation, reason = "small numbers")]

#[path = "../../raise/tests/raise/builder.rs"]
#[expect(dead_code, reason = "other tests use all of it")]
mod builder;

use builder::{Builder, F64, c, d, map, memref};
use std::collections::BTreeMap;
use tilia_deps::dependences;
use tilia_expand::{Expansion, Wish, expand};
use tilia_presburger::{Budget, Id, Map, Set};
use tilia_program::{AffineExpr, AffineMap, OpKind, PureOp, Type, ValueId};
use tilia_scop::{AccessKind, AccessSource, ArrayKind, Scop};

const ALLOC: OpKind = OpKind::Alloc { stack: true, align: 0 };

fn local(b: &mut Builder, shape: &[Option<u64>]) -> ValueId {
    b.value(ALLOC, vec![], memref(shape))
}

fn add(b: &mut Builder, x: ValueId, y: ValueId) -> ValueId {
    b.pure(PureOp::AddF, &[x, y], F64)
}

/// The scop, and what becomes of it.
fn expanded_with(b: Builder, names: &[&str], values: &[(&str, i64)]) -> (Scop, Expansion) {
    let (mut f, program) = b.finish();
    let budget = Budget::default();
    let mut scops = tilia_raise::raise(&f, &program, &tilia_raise::Options::default(), &budget).scops;
    assert_eq!(scops.len(), 1);
    let scop = scops.remove(0);
    let (deps, _) = dependences(&scop, &budget).unwrap();
    let names: Vec<String> = names.iter().map(|&n| n.to_owned()).collect();
    let values: BTreeMap<Id, i64> = values.iter().map(|(n, v)| (Id::new(*n), *v)).collect();
    let wish = Wish {
        names: &names,
        asked: true,
        values: &values,
    };
    let done = expand(&mut f, &scop, &deps, &wish, &budget).unwrap();
    if let Some(new) = &done.scop {
        // The order of the source is legal, whatever storage says.
        tilia_validate::validate(new, &new.schedule, &budget).unwrap();
    }
    (scop, done)
}

fn expanded(b: Builder) -> (Scop, Expansion) {
    expanded_with(b, &["*"], &[])
}

/// The relations of the accesses of copies, statement by statement in their order.
fn copies(scop: &Scop) -> Vec<String> {
    let mut out = Vec::new();
    for s in &scop.stmts {
        for a in s.accesses.iter().filter(|a| matches!(scop[a.array].kind, ArrayKind::Copy(_))) {
            assert!(matches!(a.source, AccessSource::Cell(_)));
            let kind = if a.kind == AccessKind::Read { "read" } else { "write" };
            let domain = s.domain.clone();
            let relation = a.relation.gist_domain(&domain, &Budget::default()).unwrap();
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

/// A sum in a scalar, as in symm's `temp2`.
fn sums(outside: impl FnOnce(&mut Builder, ValueId)) -> Builder {
    let mut b = Builder::new(vec![memref(&[Some(8), Some(9)]), memref(&[Some(8), Some(9)])]);
    let (x, out) = (b.arg(0), b.arg(1));
    let t = local(&mut b, &[]);
    let zero = b.float(0.0);
    b.for_(0, 8, |b, i| {
        b.for_(0, 9, |b, j| {
            b.store(zero, t, vec![], &[]);
            b.for_full((AffineMap::constant(0), &[]), (map(1, vec![d(0)]), &[i]), 1, &[], |b, k, _| {
                let v = b.load(x, vec![d(0), d(1)], &[k, j]);
                let s = b.load(t, vec![], &[]);
                let s = add(b, s, v);
                b.store(s, t, vec![], &[]);
                Vec::new()
            });
            let s = b.load(t, vec![], &[]);
            b.store(s, out, vec![d(0), d(1)], &[i, j]);
        });
    });
    outside(&mut b, t);
    b
}

#[test]
fn a_scalar_gets_the_loops_around_its_live_range() {
    let (_, done) = expanded(sums(|_, _| {}));
    let scop = done.scop.unwrap();
    same(
        &copies(&scop),
        &[
            "write { S0[i, j] -> mem0_0[i, j] }",
            "read { S1[i, j, k] -> mem0_0[i, j] }",
            "write { S1[i, j, k] -> mem0_0[i, j] }",
            "read { S2[i, j] -> mem0_0[i, j] }",
        ],
    );
    // Its loads and stores are gone.
    assert_eq!(scop.stmts[0].ops.len() + scop.stmts[0].cell_writes.len(), 1, "{scop}");
    assert!(
        done.remarks.iter().any(|r| r.message.contains("one for each iteration of")),
        "{:?}",
        done.remarks
    );
}

#[test]
fn what_is_used_outside_gets_its_last_value() {
    let (_, done) = expanded(sums(|b, t| {
        b.op(OpKind::Call("see".to_owned()), vec![t], &[]);
    }));
    // The last write is that of the last iterations; the new statement reads the copy and writes the buffer.
    let scop = done.scop.unwrap();
    assert_eq!(scop.stmts.len(), 4, "{scop}");
    same(&copies(&scop)[4..], &["read { S3[] -> mem0_0[7, 8] }"]);
}

#[test]
fn last_values_are_written_back() {
    // doitgen's sum, an argument.
    let mut b = Builder::new(vec![memref(&[Some(9)]), memref(&[Some(8), Some(9)])]);
    let (t, x) = (b.arg(0), b.arg(1));
    b.for_(0, 8, |b, i| {
        b.for_(0, 9, |b, j| {
            let v = b.load(x, vec![d(0), d(1)], &[i, j]);
            b.store(v, t, vec![d(0)], &[j]);
        });
        b.for_(0, 9, |b, j| {
            let v = b.load(t, vec![minus(8, d(0))], &[j]);
            b.store(v, x, vec![d(0), d(1)], &[i, j]);
        });
    });
    let (_, done) = expanded_with(b, &["*"], &[]);
    let scop = done.scop.unwrap();
    same(
        &copies(&scop),
        &[
            "write { S0[i, j] -> arg0_0[i, j] }",
            "read { S1[i, j] -> arg0_0[i, 8 - j] }",
            "read { S2[j] -> arg0_0[7, j] }",
        ],
    );
    let domain: Set = "{ S2[j] : 0 <= j <= 8 }".parse().unwrap();
    assert!(scop.stmts[2].domain.is_equal(&domain, &Budget::default()).unwrap());
}

#[test]
fn a_value_that_passes_from_iteration_to_iteration_keeps_its_loop() {
    // deriche's xm1: carried along j, private in i.
    let mut b = Builder::new(vec![memref(&[Some(8), Some(9)]), memref(&[Some(8), Some(9)])]);
    let (x, y) = (b.arg(0), b.arg(1));
    let t = local(&mut b, &[]);
    let zero = b.float(0.0);
    b.for_(0, 8, |b, i| {
        b.store(zero, t, vec![], &[]);
        b.for_(0, 9, |b, j| {
            let v = b.load(t, vec![], &[]);
            b.store(v, y, vec![d(0), d(1)], &[i, j]);
            let v = b.load(x, vec![d(0), d(1)], &[i, j]);
            b.store(v, t, vec![], &[]);
        });
    });
    let (_, done) = expanded(b);
    same(
        &copies(&done.scop.unwrap()),
        &[
            "write { S0[i] -> mem0_0[i] }",
            "read { S1[i, j] -> mem0_0[i] }",
            "write { S2[i, j] -> mem0_0[i] }",
        ],
    );
}

#[test]
fn a_value_from_before_the_scop_is_no_private_one() {
    let mut b = Builder::new(vec![memref(&[Some(8)])]);
    let x = b.arg(0);
    let t = local(&mut b, &[]);
    b.for_(0, 8, |b, i| {
        let v = b.load(t, vec![], &[]);
        b.store(v, x, vec![d(0)], &[i]);
        b.store(v, t, vec![], &[]);
    });
    let (_, done) = expanded(b);
    assert!(done.scop.is_none());
    assert!(
        done.remarks[0].message.contains("may find a value from before the scop"),
        "{:?}",
        done.remarks
    );
}

#[test]
fn a_row_gets_the_loops_that_nothing_else_serialises() {
    // doitgen's sum, and a row that only a serial loop fills again and again.
    let build = |time: bool| {
        let mut b = Builder::new(vec![memref(&[Some(8), Some(9)])]);
        let x = b.arg(0);
        let t = local(&mut b, &[Some(9)]);
        b.for_(0, 8, |b, i| {
            b.for_(0, 9, |b, j| {
                let v = b.load(x, vec![d(0), d(1)], &[i, j]);
                b.store(v, t, vec![d(0)], &[j]);
            });
            b.for_(0, 9, |b, j| {
                let v = b.load(t, vec![minus(8, d(0))], &[j]);
                // In time, the next iteration reads what this one writes.
                let row = if time { minus(7, d(0)) } else { d(0) };
                let at = if time { vec![c(0), d(1)] } else { vec![row, d(1)] };
                b.store(v, x, at, &[i, j]);
            });
        });
        b
    };
    let (_, done) = expanded(build(false));
    same(
        &copies(&done.scop.unwrap()),
        &["write { S0[i, j] -> mem1_0[i, j] }", "read { S1[i, j] -> mem1_0[i, 8 - j] }"],
    );
    let (_, done) = expanded(build(true));
    assert!(done.scop.is_none(), "{:?}", done.remarks);
}

/// `n - e`.
fn minus(n: i64, e: AffineExpr) -> AffineExpr {
    builder::add(c(n), AffineExpr::mul(e, c(-1)))
}

#[test]
fn live_ranges_without_a_common_value_are_told_apart() {
    // One scalar, two nests: ludcmp's w.
    let mut b = Builder::new(vec![memref(&[Some(8)]), memref(&[Some(9)])]);
    let t = local(&mut b, &[]);
    for n in 0..2 {
        let x = b.arg(n);
        b.for_(0, 8, |b, i| {
            let v = b.load(x, vec![d(0)], &[i]);
            b.store(v, t, vec![], &[]);
            let v = b.load(t, vec![], &[]);
            b.store(v, x, vec![d(0)], &[i]);
        });
    }
    let (_, done) = expanded(b);
    let scop = done.scop.unwrap();
    let names: Vec<&str> = scop.arrays.iter().map(|a| a.name.as_str()).filter(|n| n.contains('_')).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let (deps, _) = dependences(&scop, &Budget::default()).unwrap();
    assert!(
        deps.memory.iter().all(|d| d.source.0 / 2 == d.target.0 / 2),
        "{}",
        deps.display(&scop)
    );
}

#[test]
fn copies_that_are_known_to_be_large_are_declined() {
    let mut b = Builder::new(vec![memref(&[None]), Type::INDEX]);
    let (x, n) = (b.arg(0), b.arg(1));
    let t = local(&mut b, &[]);
    b.for_to(n, |b, i| {
        let v = b.load(x, vec![d(0)], &[i]);
        b.store(v, t, vec![], &[]);
        let v = b.load(t, vec![], &[]);
        b.store(v, x, vec![d(0)], &[i]);
    });
    let (scop, done) = expanded_with(b, &["*"], &[]);
    assert!(done.scop.is_some());
    assert_eq!(scop.params.len(), 2);
}
