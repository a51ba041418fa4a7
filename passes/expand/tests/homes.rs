//! Which temporaries live in the element that they are stored to in the end.
#![expect(clippy::unwrap_used, reason = "a test that meets something else fails")]

#[path = "../../raise/tests/raise/builder.rs"]
#[expect(dead_code, reason = "other tests use all of it")]
mod builder;

use builder::{Builder, F64, c, d, map, memref};
use tilia_deps::dependences;
use tilia_expand::settle;
use tilia_presburger::Budget;
use tilia_program::{AffineMap, OpKind, PureOp, ValueId};
use tilia_scop::Scop;

const ALLOC: OpKind = OpKind::Alloc { stack: true, align: 0 };

/// The scop and what becomes of it, if anything does. The order of the source is legal in the result.
fn settled(b: Builder) -> (Scop, Option<Scop>) {
    let (mut f, program) = b.finish();
    let budget = Budget::default();
    let mut scops = tilia_raise::raise(&f, &program, &tilia_raise::Options::default(), &budget).scops;
    assert_eq!(scops.len(), 1);
    let scop = scops.remove(0);
    let (deps, _) = dependences(&scop, &budget).unwrap();
    let (new, remarks) = settle(&mut f, &scop, &deps, &budget).unwrap();
    let applied = remarks.iter().any(|r| r.kind == tilia_diag::RemarkKind::Applied);
    assert_eq!(new.is_some(), applied, "{remarks:?}");
    if let Some(new) = &new {
        tilia_validate::validate(new, &new.schedule, &budget).unwrap();
    }
    (scop, new)
}

/// How many accesses of the number are left.
fn accesses(scop: &Scop) -> usize {
    let number = |a: &&tilia_scop::Access| scop[a.array].rank == 0;
    scop.stmts.iter().flat_map(|s| &s.accesses).filter(number).count()
}

/// `t = x[i, j]; for k below i: t -= x[i, k]; <middle>; y[i, j] = t`, with `y` from outside.
fn sums(first_from_home: bool, middle: impl Fn(&mut Builder, [ValueId; 2], &[ValueId])) -> Builder {
    let mut b = Builder::new(vec![memref(&[Some(8), Some(9)]), memref(&[Some(8), Some(9)])]);
    let (x, y) = (b.arg(0), b.arg(1));
    let t = b.value(ALLOC, vec![], memref(&[]));
    b.for_(0, 8, |b, i| {
        b.for_(0, 8, |b, j| {
            let first = if first_from_home { y } else { x };
            let v = b.load(first, vec![d(0), d(1)], &[i, j]);
            b.store(v, t, vec![], &[]);
            b.for_full((AffineMap::constant(0), &[]), (map(1, vec![d(0)]), &[i]), 1, &[], |b, k, _| {
                let v = b.load(x, vec![d(0), d(1)], &[i, k]);
                let s = b.load(t, vec![], &[]);
                let s = b.pure(PureOp::SubF, &[s, v], F64);
                b.store(s, t, vec![], &[]);
                Vec::new()
            });
            middle(b, [t, y], &[i, j]);
            let s = b.load(t, vec![], &[]);
            b.store(s, y, vec![d(0), d(1)], &[i, j]);
        });
    });
    b
}

#[test]
fn a_number_lives_where_it_is_stored() {
    let (old, new) = settled(sums(false, |_, _, _| {}));
    let new = new.unwrap();
    assert_eq!((accesses(&old), accesses(&new)), (4, 0), "{new}");
    // The statement that stored the number would store what it loads.
    assert_eq!((old.stmts.len(), new.stmts.len()), (3, 2), "{new}");
}

#[test]
fn a_number_that_starts_at_home_needs_no_start() {
    let (_, new) = settled(sums(true, |_, _, _| {}));
    let new = new.unwrap();
    assert_eq!((accesses(&new), new.stmts.len()), (0, 1), "{new}");
}

#[test]
fn an_element_that_is_read_in_between_is_no_home() {
    // y[i, j] is read while the number is worked on, so it must still hold its old value.
    let (_, new) = settled(sums(false, |b, [t, y], at| {
        let v = b.load(y, vec![d(0), d(1)], at);
        let s = b.load(t, vec![], &[]);
        let s = b.pure(PureOp::AddF, &[s, v], F64);
        b.store(s, t, vec![], &[]);
    }));
    // Only what is stored last lives there; the three statements before keep the number.
    assert_eq!(accesses(&new.unwrap()), 4);
}

#[test]
fn an_element_that_is_written_in_between_is_no_home() {
    let (_, new) = settled(sums(false, |b, [_, y], at| {
        let zero = b.float(0.0);
        b.store(zero, y, vec![d(0), d(1)], at);
    }));
    assert!(new.is_none());
}

#[test]
fn a_neighbour_that_is_read_in_between_does_no_harm() {
    let (_, new) = settled(sums(false, |b, [t, y], at| {
        let v = b.load(y, vec![d(0), builder::add(d(1), c(1))], at);
        let s = b.load(t, vec![], &[]);
        let s = b.pure(PureOp::AddF, &[s, v], F64);
        b.store(s, t, vec![], &[]);
    }));
    assert_eq!(accesses(&new.unwrap()), 0);
}

#[test]
fn a_number_that_is_changed_after_its_store_stays() {
    // What is added behind the store is read by the next iteration's update.
    let mut b = Builder::new(vec![memref(&[Some(8)])]);
    let x = b.arg(0);
    let t = b.value(ALLOC, vec![], memref(&[]));
    let zero = b.float(0.0);
    b.store(zero, t, vec![], &[]);
    b.for_(0, 8, |b, i| {
        let s = b.load(t, vec![], &[]);
        b.store(s, x, vec![d(0)], &[i]);
        let s = b.pure(PureOp::AddF, &[s, s], F64);
        b.store(s, t, vec![], &[]);
    });
    assert!(settled(b).1.is_none());
}

#[test]
fn a_number_that_others_see_stays() {
    let mut b = Builder::new(vec![memref(&[]), memref(&[Some(8)])]);
    let (t, y) = (b.arg(0), b.arg(1));
    let one = b.float(1.0);
    b.for_(0, 8, |b, i| {
        b.store(one, t, vec![], &[]);
        let s = b.load(t, vec![], &[]);
        b.store(s, y, vec![d(0)], &[i]);
    });
    assert!(settled(b).1.is_none());
}
