//! Updates of common places, `x = x op e`, spread over statements: orders that are accepted are executed, and must leave in memory what the source's order leaves.

use crate::builder::{Builder, F64, add, c, d, memref};
use crate::program::Random;
use crate::truth::{Instance, conflict, instances, only_accumulate};
use crate::{VALUE, edited, random_edit, reversed, wrong};
use std::collections::BTreeMap;
use tilia_presburger::{Budget, Int};
use tilia_program::{AffineExpr, PureOp, ValueId};
use tilia_raise::{Options, raise};
use tilia_schedule::{NodeKind, Order, ScheduleTree};
use tilia_scop::{AccessKind, FloatOrder, Scop};
use tilia_validate::{Violation, validate};

const OPS: [PureOp; 3] = [PureOp::AddF, PureOp::MaximumF, PureOp::MulF];

fn subscripts(random: &mut Random, iters: usize, rank: usize) -> Vec<AffineExpr> {
    let mut one = || {
        let mut e = c(20 + random.pick(-1, 1));
        for n in 0..iters as u32 {
            let factor = [-1, 1, 1, 1, 0, 0, 0, 0, 0, 0][random.pick(0, 9) as usize];
            e = add(e, AffineExpr::mul(d(n), c(factor)));
        }
        e
    };
    (0..rank).map(|_| one()).collect()
}

/// `x[..] = x[..] op y[..]`, most often, where `y` may be `x`.
fn statement(b: &mut Builder, random: &mut Random, iters: &[ValueId]) {
    // The last array is only read.
    let arrays: [(usize, usize); 3] = [(0, 1), (1, 2), (2, 1)];
    let (to, rank) = arrays[usize::from(random.chance(15))];
    let (from, from_rank) = arrays[[0, 1, 2, 2, 2, 2][random.pick(0, 5) as usize]];
    let place = subscripts(random, iters.len(), rank);
    let other = subscripts(random, iters.len(), from_rank);
    let e = b.load(b.arg(from), other, iters);
    let mut v = e;
    if random.chance(90) {
        let old = b.load(b.arg(to), place.clone(), iters);
        // One operation is the most frequent, so that many statements share it.
        let op = OPS[if random.chance(85) { 1 } else { random.pick(0, 2) as usize }];
        v = b.pure(op, &[old, e], F64);
    }
    b.store(v, b.arg(to), place, iters);
}

fn nest(b: &mut Builder, random: &mut Random, around: &[ValueId]) {
    let low = random.pick(0, 1);
    b.for_(low, low + random.pick(2, 3), |b, i| {
        let iters = [around, &[i]].concat();
        for _ in 0..random.pick(1, 3) {
            if around.is_empty() && random.chance(50) {
                nest(b, random, &iters);
            } else {
                statement(b, random, &iters);
            }
        }
    });
}

fn scop(seed: u64) -> Option<Scop> {
    let mut random = Random::new(seed);
    let mut b = Builder::new(vec![memref(&[Some(64)]), memref(&[Some(64), Some(64)]), memref(&[Some(64)])]);
    for _ in 0..random.pick(1, 2) {
        nest(&mut b, &mut random, &[]);
    }
    let (f, p) = b.finish();
    let mut raised = raise(&f, &p, &Options::default(), &Budget::default());
    let mut scop = (!raised.scops.is_empty()).then(|| raised.scops.remove(0))?;
    // Executed with whole numbers below, for which every order gives the same.
    scop.float_order = FloatOrder::Free;
    Some(scop)
}

/// What is in memory after the instances, in this order: operations on whole numbers that wrap around.
fn executed(scop: &Scop, order: &[Instance]) -> BTreeMap<(u32, Vec<Int>), i64> {
    let mut memory: BTreeMap<(u32, Vec<Int>), i64> = BTreeMap::new();
    for i in order {
        let reduction = scop.stmts[i.stmt].reduction;
        let find = |memory: &BTreeMap<(u32, Vec<Int>), i64>, e: &crate::truth::Event| {
            let at = (e.array.0, e.element.clone());
            // A number that tells elements apart.
            let first = e
                .element
                .iter()
                .fold(i64::from(e.array.0) + 3, |sum, x| sum * 31 + x.to_i64().unwrap() % 17);
            memory.get(&at).copied().unwrap_or(first)
        };
        let old = |n: usize| reduction.is_some_and(|r| r.read == n);
        let reads = i.events.iter().filter(|e| e.kind == AccessKind::Read);
        let other = reads
            .clone()
            .filter(|e| !old(e.access))
            .map(|e| find(&memory, e))
            .fold(0, i64::wrapping_add);
        let own = reads.clone().find(|e| old(e.access)).map(|e| find(&memory, e));
        let value = match (reduction.map(|r| r.op), own) {
            (Some(PureOp::AddF), Some(x)) => x.wrapping_add(other),
            (Some(PureOp::MulF), Some(x)) => x.wrapping_mul(other),
            (Some(PureOp::MaximumF), Some(x)) => x.max(other),
            (None, None) => other,
            (op, _) => panic!("{op:?} in {scop}"),
        };
        for e in i.events.iter().filter(|e| e.kind == AccessKind::Write) {
            memory.insert((e.array.0, e.element.clone()), value);
        }
    }
    memory
}

/// Whether updates of different statements change places.
fn exchanges(scop: &Scop, source: &[Instance], tree: &ScheduleTree) -> bool {
    let new = instances(scop, tree, VALUE);
    let place = |i: &Instance| new.iter().find(|n| n.stmt == i.stmt && n.execution.args == i.execution.args);
    let after =
        |a: &Instance, b: &Instance| matches!((place(a), place(b)), (Some(x), Some(y)) if x.execution.order(&y.execution) == Order::After);
    let turned = |(n, a): (usize, &Instance)| {
        let mut later = source[n + 1..].iter().filter(|b| b.stmt != a.stmt);
        later.any(|b| conflict(a, b) && only_accumulate(scop, a, b) && after(a, b))
    };
    source.iter().enumerate().any(turned)
}

#[test]
fn accepted_orders_leave_the_same_in_memory() {
    let (mut right, mut bad, mut turned) = (0, 0, 0);
    for seed in 0..600 {
        let Some(scop) = scop(seed) else { continue };
        let mut random = Random::new(seed + 1000);
        let source = instances(&scop, &scop.schedule, VALUE);
        let mut tree = scop.schedule.clone();
        for _ in 0..random.pick(1, 3) {
            tree = random_edit(&tree, &mut random).unwrap_or(tree);
        }
        let truth = wrong(&scop, &source, &tree);
        match validate(&scop, &tree, &Budget::default()) {
            Ok(()) => {
                assert_eq!(truth, None, "accepted, seed {seed}\n{scop}\n{tree}");
                let new = instances(&scop, &tree, VALUE);
                assert_eq!(executed(&scop, &source), executed(&scop, &new), "seed {seed}\n{scop}\n{tree}");
                right += 1;
                turned += usize::from(exchanges(&scop, &source, &tree));
            }
            Err(found) => {
                assert!(found.iter().all(Violation::is_certain), "seed {seed}: {found:?}");
                assert!(truth.is_some(), "refused, seed {seed}: {}\n{scop}\n{tree}", found[0]);
                bad += 1;
            }
        }
    }
    assert!(right > 150 && bad > 150 && turned > 20, "{right} {bad} {turned}");
}

/// Two updates of one place, and a reader behind them that waits for both; `ops` are theirs.
fn two_updates(ops: [PureOp; 2]) -> Scop {
    let mut b = Builder::new(vec![memref(&[Some(16)]), memref(&[Some(16)]), memref(&[Some(16)])]);
    b.for_(0, 4, |b, i| {
        for (op, at) in ops.into_iter().zip([0, 8]) {
            let old = b.load(b.arg(0), vec![d(0)], &[i]);
            let e = b.load(b.arg(1), vec![add(d(0), c(at))], &[i]);
            let v = b.pure(op, &[old, e], F64);
            b.store(v, b.arg(0), vec![d(0)], &[i]);
        }
        let x = b.load(b.arg(0), vec![d(0)], &[i]);
        b.store(x, b.arg(2), vec![d(0)], &[i]);
    });
    let (f, p) = b.finish();
    let mut scop = raise(&f, &p, &Options::default(), &Budget::default()).scops.remove(0);
    scop.float_order = FloatOrder::Free;
    scop
}

/// The scop's sequence with its children in another order.
fn with_children(scop: &Scop, order: [usize; 3]) -> ScheduleTree {
    let is_list = |p: &tilia_schedule::Path| matches!(scop.schedule.node(p).map(|n| n.kind()), Some(NodeKind::Sequence));
    let at = scop.schedule.paths().into_iter().find(is_list).unwrap();
    scop.schedule.reorder_sequence(&at, &order).unwrap().tree
}

#[test]
fn updates_by_one_operation_change_places_and_nothing_else_does() {
    let judge = |scop: &Scop, order| validate(scop, &with_children(scop, order), &Budget::default()).is_ok();
    for op in OPS {
        let mut scop = two_updates([op, op]);
        assert!(judge(&scop, [0, 1, 2]) && judge(&scop, [1, 0, 2]), "{op:?}");
        // The reader waits for the update that was the first, too.
        assert!(
            !judge(&scop, [1, 2, 0]) && !judge(&scop, [0, 2, 1]) && !judge(&scop, [2, 0, 1]),
            "{op:?}"
        );
        scop.float_order = FloatOrder::Kept;
        assert!(judge(&scop, [0, 1, 2]) && !judge(&scop, [1, 0, 2]), "{op:?}");
    }
    assert!(!judge(&two_updates([PureOp::AddF, PureOp::MaximumF]), [1, 0, 2]));
}

/// Updates that may change places still can't run at once: neither in a parallel loop nor without an order.
#[test]
fn updates_never_run_at_once() {
    let scop = two_updates([PureOp::MaximumF; 2]);
    let is_list = |p: &tilia_schedule::Path| matches!(scop.schedule.node(p).map(|n| n.kind()), Some(NodeKind::Sequence));
    let at = scop.schedule.paths().into_iter().find(is_list).unwrap();
    let unordered = edited(&scop.schedule, &at, |node| {
        let part = |c: &std::sync::Arc<tilia_schedule::Node>| match c.kind() {
            NodeKind::Filter(f) => Some((f.clone(), std::sync::Arc::clone(c.child()?))),
            _ => None,
        };
        let parts: Vec<_> = node.children().iter().map(part).collect::<Option<_>>()?;
        let (two, last) = parts.split_at(2);
        let both = two[0].0.union(&two[1].0).ok()?;
        Some(tilia_schedule::Node::sequence(vec![
            (both, tilia_schedule::Node::set(two.to_vec())),
            last[0].clone(),
        ]))
    });
    assert!(validate(&scop, &unordered.unwrap(), &Budget::default()).is_err());
    // Reversed as a whole each element keeps its own order.
    let band = at.parent().unwrap();
    assert!(validate(&scop, &edited(&scop.schedule, &band, reversed).unwrap(), &Budget::default()).is_ok());
}
