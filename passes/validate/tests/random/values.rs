//! The judgement by values against execution: who wrote what each read finds, and who wrote last.

use crate::builder::{Builder, F64, add, c, d, memref};
use crate::program::{self, Random};
use crate::truth::{Instance, conflict, instances};
use crate::{VALUE, claims, edited, random_edit, reversed};
use std::collections::BTreeMap;
use std::sync::Arc;
use tilia_presburger::{Budget, Int};
use tilia_program::{AffineExpr, PureOp, ValueId};
use tilia_raise::{Options, raise};
use tilia_schedule::{Band, Member, Node, NodeKind, Order, ScheduleTree};
use tilia_scop::{AccessKind, ArrayKind, FloatOrder, Scop};
use tilia_validate::{Violation, ViolationKind, validate, validate_values};

/// An instance by statement and iterators.
type Name<'a> = (usize, &'a [Int]);

/// The writer of what each access finds, and the last writer of each element that outlives the scop.
type Moved<'a> = (BTreeMap<(Name<'a>, usize), Option<Name<'a>>>, BTreeMap<(u32, &'a [Int]), Name<'a>>);

fn moved<'a>(scop: &Scop, order: &'a [Instance]) -> Moved<'a> {
    let (mut found, mut last) = (BTreeMap::new(), BTreeMap::new());
    for i in order {
        let name = (i.stmt, &i.execution.args[..]);
        for e in i.events.iter().filter(|e| e.kind == AccessKind::Read) {
            found.insert((name, e.access), last.get(&(e.array.0, &e.element[..])).copied());
        }
        for e in i.events.iter().filter(|e| e.kind == AccessKind::Write) {
            last.insert((e.array.0, &e.element[..]), name);
        }
    }
    let outlives = |n: u32| match scop.arrays[n as usize].kind {
        ArrayKind::Root(_) | ArrayKind::World => true,
        ArrayKind::Cell(_) => scop.arrays[n as usize].live_out.is_some(),
        ArrayKind::Copy(_) => false,
    };
    last.retain(|(array, _), _| outlives(*array));
    (found, last)
}

/// Whether the tree executes the instances of the source once each, conflicting ones one after the other, and moves the same values.
fn moves_the_same(scop: &Scop, source: &[Instance], tree: &ScheduleTree) -> bool {
    let new = instances(scop, tree, VALUE);
    let ordered = |(n, a): (usize, &Instance)| {
        let apart = |b: &Instance| matches!(a.execution.order(&b.execution), Order::Before | Order::After);
        new[n + 1..].iter().all(|b| !conflict(a, b) || apart(b))
    };
    new.len() == source.len() && new.iter().enumerate().all(ordered) && moved(scop, source) == moved(scop, &new)
}

/// Whether the claims to be coincident hold, of pairs in either order.
fn coincident_claims_hold(scop: &Scop, tree: &ScheduleTree) -> bool {
    let new = instances(scop, tree, VALUE);
    let claim = |a: &Instance, b: &Instance| claims(tree.root(), 0, (&a.execution.key, &b.execution.key), true);
    new.iter()
        .enumerate()
        .all(|(n, a)| new[n + 1..].iter().all(|b| !conflict(a, b) || claim(a, b).is_none()))
}

/// The trees that a claim to be permutable allows, one band at a time: its members in the opposite order, and in tiles.
fn allowed(tree: &ScheduleTree) -> Vec<ScheduleTree> {
    let mut out = Vec::new();
    for at in tree.paths() {
        let Some(band) = tree.node(&at).and_then(|n| n.as_band()).filter(|b| b.permutable) else {
            continue;
        };
        let turned = edited(tree, &at, |node| {
            let mut band = band.clone();
            band.members.reverse();
            Some(Node::band(band, Arc::clone(node.child()?)))
        });
        let tiled = edited(tree, &at, |node| {
            let tile = |m: &Member| m.func.floor_div(&Int::from(2)).ok().map(Member::new);
            let tiles: Option<Vec<Member>> = band.members.iter().map(tile).collect();
            Some(Node::band(Band::new(tiles?), Node::band(band.clone(), Arc::clone(node.child()?))))
        });
        out.extend(turned.into_iter().chain(tiled));
    }
    out
}

/// The first two loops that stand right below each other as one band that claims to be permutable.
fn claiming(tree: &ScheduleTree, exchanged: bool) -> ScheduleTree {
    let mut out = tree.clone();
    for at in tree.paths() {
        let merged = edited(&out, &at, |node| {
            let (outer, inner) = (node.as_band()?, node.child()?.as_band()?);
            let mut members: Vec<Member> = outer.members.iter().chain(&inner.members).cloned().collect();
            if exchanged {
                members.reverse();
            }
            let mut band = Band::new(members);
            band.permutable = true;
            Some(Node::band(band, Arc::clone(node.child()?.child()?)))
        });
        if let Some(t) = merged {
            out = t;
            break;
        }
    }
    out
}

/// A nest of two or three loops around a scalar and a row that some statements write and some read, beside arrays that stay out of the way.
fn temporaries(seed: u64) -> Option<Scop> {
    let mut random = Random::new(seed);
    let grid = memref(&[Some(16), Some(16)]);
    let mut b = Builder::new(vec![grid.clone(), grid, memref(&[]), memref(&[Some(16)])]);
    let (rows, columns) = (random.pick(1, 3), random.pick(1, 3));
    b.for_(0, rows, |b, i| {
        b.for_(0, columns, |b, j| {
            // Mostly each value is written before it is read.
            for _ in 0..random.pick(1, 2) {
                let temporary = temporary(b, &mut random);
                if random.chance(90) {
                    written(b, &temporary, &[i, j]);
                }
                if random.chance(30) {
                    b.for_(0, 2, |b, k| added(b, &temporary, &[i, j, k]));
                } else if random.chance(30) {
                    added(b, &temporary, &[i, j]);
                }
                for _ in 0..random.pick(1, 2) {
                    read(b, &temporary, &[i, j]);
                }
            }
        });
    });
    let (f, p) = b.finish();
    let mut raised = raise(&f, &p, &Options::default(), &Budget::default());
    (!raised.scops.is_empty()).then(|| raised.scops.remove(0))
}

/// A scalar, or an element of a row.
fn temporary(b: &Builder, random: &mut Random) -> (ValueId, Vec<AffineExpr>) {
    if random.chance(60) {
        (b.arg(2), vec![])
    } else {
        (b.arg(3), vec![d(u32::from(random.chance(60)))])
    }
}

fn grid() -> Vec<AffineExpr> {
    vec![add(d(0), c(1)), add(d(1), c(2))]
}

fn written(b: &mut Builder, (memory, subscripts): &(ValueId, Vec<AffineExpr>), iters: &[ValueId]) {
    let x = b.load(b.arg(0), grid(), iters);
    b.store(x, *memory, subscripts.clone(), iters);
}

fn added(b: &mut Builder, (memory, subscripts): &(ValueId, Vec<AffineExpr>), iters: &[ValueId]) {
    let x = b.load(*memory, subscripts.clone(), iters);
    let y = b.load(b.arg(0), grid(), iters);
    let v = b.pure(PureOp::AddF, &[x, y], F64);
    b.store(v, *memory, subscripts.clone(), iters);
}

fn read(b: &mut Builder, (memory, subscripts): &(ValueId, Vec<AffineExpr>), iters: &[ValueId]) {
    let x = b.load(*memory, subscripts.clone(), iters);
    b.store(x, b.arg(1), grid(), iters);
}

#[test]
fn trees_that_move_the_same_values_are_accepted() {
    let (mut turned, mut refused, mut held, mut band) = (0, 0, 0, 0);
    for seed in 0..400 {
        let made = if seed % 4 == 0 { program::scop(seed) } else { temporaries(seed) };
        let Some(scop) = made else { continue };
        let mut random = Random::new(seed + 5000);
        let source = instances(&scop, &scop.schedule, VALUE);
        let mut tree = scop.schedule.clone();
        // Half of the time the two outer loops become one band, perhaps exchanged.
        if random.chance(50) {
            tree = claiming(&tree, random.chance(50));
        }
        for _ in 0..random.pick(0, 2) {
            tree = random_edit(&tree, &mut random).unwrap_or(tree);
        }
        let shown = || format!("seed {seed}\n{scop}\n{tree}");
        let plain = validate(&scop, &tree, &Budget::default());
        match validate_values(&scop, &tree, &Budget::default()) {
            Ok(differs) => {
                assert_eq!(differs, plain.is_err(), "{}", shown());
                assert!(plain.is_ok() || moves_the_same(&scop, &source, &tree), "{}", shown());
                assert!(plain.is_ok() || coincident_claims_hold(&scop, &tree), "{}", shown());
                turned += usize::from(plain.is_err());
                for t in allowed(&tree).iter().filter(|_| plain.is_err()) {
                    assert!(moves_the_same(&scop, &source, t), "not permutable: {}\n{t}", shown());
                    band += 1;
                }
            }
            Err(found) => {
                assert!(found.iter().all(Violation::is_certain), "{found:?}\n{}", shown());
                assert!(plain.is_err(), "{}", shown());
                refused += 1;
                // What is refused for other reasons than values is judged elsewhere; other parameters may be the bad ones.
                let by_value = |v: &Violation| matches!(v.kind, ViolationKind::Value | ViolationKind::Last);
                if found.iter().all(by_value) && scop.params.is_empty() {
                    assert!(!moves_the_same(&scop, &source, &tree), "{found:?}\n{}", shown());
                    held += 1;
                }
            }
        }
    }
    println!("{turned} turned, {band} permuted, {refused} refused, {held} for values alone");
    assert!(
        turned >= 5 && band >= 2 && refused >= 100 && held >= 20,
        "{turned} {band} {refused} {held}"
    );
}

/// A scalar that each iteration writes and reads: iterations may run in any order, but the last one's value stays.
#[test]
fn the_last_value_stays_the_last() {
    let mut b = Builder::new(vec![memref(&[Some(16)]), memref(&[Some(16)]), memref(&[])]);
    b.for_(0, 8, |b, i| {
        let (from, to, t) = (b.arg(0), b.arg(1), b.arg(2));
        let x = b.load(from, vec![d(0)], &[i]);
        b.store(x, t, vec![], &[i]);
        let y = b.load(t, vec![], &[i]);
        b.store(y, to, vec![d(0)], &[i]);
    });
    let (f, p) = b.finish();
    let scop = raise(&f, &p, &Options::default(), &Budget::default()).scops.remove(0);
    let is_band = |p: &tilia_schedule::Path| matches!(scop.schedule.node(p).map(|n| n.kind()), Some(NodeKind::Band(_)));
    let band = scop.schedule.paths().into_iter().find(is_band).unwrap();
    let tree = edited(&scop.schedule, &band, reversed).unwrap();
    let found = validate_values(&scop, &tree, &Budget::default()).unwrap_err();
    assert!(found.iter().any(|v| v.kind == ViolationKind::Last), "{found:?}");
}

/// Values that are overwritten before anyone reads them may be written in any order, also where another statement accumulates in elements of its own of the same array; not where instances share one.
#[test]
fn dead_values_beside_accumulators() {
    for shared in [false, true] {
        let mut b = Builder::new(vec![memref(&[Some(16)]), memref(&[Some(16)])]);
        b.for_(0, 8, |b, i| {
            let x = b.load(b.arg(0), vec![d(0)], &[i]);
            b.store(x, b.arg(1), vec![c(0)], &[i]);
        });
        let x = b.load(b.arg(0), vec![c(9)], &[]);
        b.store(x, b.arg(1), vec![c(0)], &[]);
        b.for_(0, 8, |b, i| {
            let own = if shared { vec![c(1)] } else { vec![add(d(0), c(1))] };
            let old = b.load(b.arg(1), own.clone(), &[i]);
            let x = b.load(b.arg(0), vec![d(0)], &[i]);
            let sum = b.pure(PureOp::AddF, &[old, x], F64);
            b.store(sum, b.arg(1), own, &[i]);
        });
        let (f, p) = b.finish();
        let mut scop = raise(&f, &p, &Options::default(), &Budget::default()).scops.remove(0);
        scop.float_order = FloatOrder::Free;
        assert!(scop.stmts.iter().any(|s| s.reduction.is_some()), "{scop}");
        let is_band = |p: &tilia_schedule::Path| matches!(scop.schedule.node(p).map(|n| n.kind()), Some(NodeKind::Band(_)));
        let first = scop.schedule.paths().into_iter().find(is_band).unwrap();
        let tree = edited(&scop.schedule, &first, reversed).unwrap();
        assert!(validate(&scop, &tree, &Budget::default()).is_err());
        assert_eq!(
            validate_values(&scop, &tree, &Budget::default()).ok(),
            (!shared).then_some(true),
            "{scop}"
        );
    }
}
