//! Dependences of random scops against enumeration.
#![expect(clippy::unwrap_used, reason = "a test that meets something else fails")]
#![expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "small numbers")]

#[path = "../../../raise/tests/raise/builder.rs"]
#[expect(dead_code, reason = "other tests use all of it")]
mod builder;
mod explained;
mod program;
mod truth;
mod written;

use std::collections::BTreeSet;
use tilia_deps::{dependences, mark_coincident, mark_reductions, value_flow};
use tilia_presburger::{Budget, Int, Map, Point};
use tilia_schedule::{Member, Node, NodeKind, Order, Step};
use tilia_scop::{AccessKind, Dep, FloatOrder, Scop};
use truth::{Instance, conflict, instances, only_accumulate};

const VALUE: i64 = 3;

/// Identifies a pair of accesses of two instances.
type Pair = (usize, usize, Vec<Int>, usize, usize, Vec<Int>);

fn key(a: &Instance, x: usize, b: &Instance, y: usize) -> Pair {
    (a.stmt, x, a.execution.args.clone(), b.stmt, y, b.execution.args.clone())
}

fn has(relation: &Map, a: &Instance, b: &Instance) -> bool {
    let coords = [a.execution.args.clone(), b.execution.args.clone()].concat();
    let params = vec![Int::from(VALUE); relation.space().params().len()];
    relation
        .contains(&Point::new(relation.space().wrap(), params, coords), &Budget::default())
        .unwrap()
}

/// The pairs that the dependences hold, among all instances.
fn listed(deps: &[Dep], all: &[Instance]) -> BTreeSet<Pair> {
    let mut out = BTreeSet::new();
    for dep in deps {
        for a in all.iter().filter(|a| a.stmt == dep.source.0 as usize) {
            for b in all.iter().filter(|b| b.stmt == dep.target.0 as usize) {
                if has(&dep.relation, a, b) {
                    out.insert(key(a, dep.source_access, b, dep.target_access));
                }
            }
        }
    }
    out
}

fn true_memory(all: &[Instance]) -> BTreeSet<Pair> {
    let mut out = BTreeSet::new();
    for (n, a) in all.iter().enumerate() {
        for b in &all[n + 1..] {
            for x in &a.events {
                for y in b.events.iter().filter(|y| y.array == x.array && y.element == x.element) {
                    if x.kind == AccessKind::Write || y.kind == AccessKind::Write {
                        out.insert(key(a, x.access, b, y.access));
                    }
                }
            }
        }
    }
    out
}

fn true_flow(all: &[Instance]) -> BTreeSet<Pair> {
    let mut out = BTreeSet::new();
    for (n, b) in all.iter().enumerate() {
        for y in b.events.iter().filter(|y| y.kind == AccessKind::Read) {
            let writes = |a: &Instance| {
                a.events
                    .iter()
                    .rfind(|x| x.kind == AccessKind::Write && x.array == y.array && x.element == y.element)
                    .map(|x| x.access)
            };
            if let Some((a, x)) = all[..n].iter().rev().find_map(|a| writes(a).map(|x| (a, x))) {
                out.insert(key(a, x, b, y.access));
            }
        }
    }
    out
}

/// Numbers of dependences and parallel members found, to see that the test isn't idle.
#[derive(Default)]
struct Seen {
    scops: usize,
    memory: usize,
    flow: usize,
    parallel: usize,
    serial: usize,
}

fn check(seed: u64, scop: &Scop, seen: &mut Seen) {
    let budget = Budget::default();
    let all = instances(scop, &scop.schedule, VALUE);
    let (mut deps, remarks) = dependences(scop, &budget).unwrap();
    assert!(remarks.is_empty());
    let want = true_memory(&all);
    assert_eq!(listed(&deps.memory, &all), want, "memory, seed {seed}\n{scop}");
    (deps.flow, _) = value_flow(scop, &deps.memory, &budget).unwrap();
    let flow = true_flow(&all);
    assert_eq!(listed(&deps.flow, &all), flow, "flow, seed {seed}\n{scop}");
    seen.scops += 1;
    seen.memory += want.len();
    seen.flow += flow.len();
    let (tree, remarks) = mark_coincident(&scop.schedule, &deps, scop, &budget).unwrap();
    bands(tree.root(), 0, &all, &mut |step, member, here| {
        let member = member.coincident;
        let moving = here.iter().enumerate().any(|(n, a)| {
            here[n + 1..].iter().any(|b| {
                a.execution.key[..step] == b.execution.key[..step] && a.execution.key[step] != b.execution.key[step] && conflict(a, b)
            })
        });
        // A parametric scop may be serial for other values only.
        assert!(!(member && moving), "parallel with a dependence, seed {seed}\n{scop}");
        if scop.params.is_empty() {
            assert_eq!(
                member,
                !moving,
                "serial without a dependence, seed {seed}\n{remarks:#?}\n{}",
                deps.display(scop)
            );
        }
        seen.parallel += usize::from(member);
        seen.serial += usize::from(!member);
    });
}

/// Calls `visit` for each one-member band with its step in the keys, its member, and the instances that reach it.
fn bands(node: &Node, step: usize, here: &[Instance], visit: &mut dyn FnMut(usize, &Member, &[Instance])) {
    match node.kind() {
        NodeKind::Sequence => {
            for (n, child) in node.children().iter().enumerate() {
                let inside: Vec<Instance> = here
                    .iter()
                    .filter(|i| i.execution.key.get(step) == Some(&Step::Child(n)))
                    .cloned()
                    .collect();
                bands(&child.children()[0], step + 1, &inside, visit);
            }
        }
        NodeKind::Band(b) => {
            assert_eq!(b.len(), 1);
            visit(step, &b.members[0], here);
            bands(&node.children()[0], step + 1, here, visit);
        }
        _ => node.children().iter().for_each(|c| bands(c, step, here, visit)),
    }
}

/// A loop that is said to accumulate does nothing else from iteration to iteration.
#[test]
fn reductions_agree_with_enumeration() {
    let budget = Budget::default();
    let (mut reducing, mut others) = (0, 0);
    for seed in 0..300 {
        let Some(mut scop) = program::scop(seed) else { continue };
        scop.float_order = FloatOrder::Free;
        let all = instances(&scop, &scop.schedule, VALUE);
        let (deps, _) = dependences(&scop, &budget).unwrap();
        let (tree, _) = mark_coincident(&scop.schedule, &deps, &scop, &budget).unwrap();
        let tree = mark_reductions(&tree, &deps, &scop, &budget).unwrap();
        bands(tree.root(), 0, &all, &mut |step, member, here| {
            let apart = |a: &Instance, b: &Instance| {
                a.execution.key[..step] == b.execution.key[..step] && a.execution.key[step] != b.execution.key[step] && conflict(a, b)
            };
            let moving: Vec<bool> = (0..here.len())
                .flat_map(|n| here[n + 1..].iter().map(move |b| (&here[n], b)))
                .filter(|(a, b)| apart(a, b))
                .map(|(a, b)| a.stmt == b.stmt && only_accumulate(&scop, a, b))
                .collect();
            let only = moving.iter().all(|&accumulates| accumulates);
            // A parametric scop may do more for other values only.
            assert!(!member.reduces || only, "more than a reduction, seed {seed}\n{scop}");
            if scop.params.is_empty() {
                assert_eq!(member.reduces, only && !moving.is_empty(), "seed {seed}\n{scop}\n{tree}");
            }
            reducing += usize::from(member.reduces);
            others += usize::from(!member.reduces);
        });
    }
    assert!(reducing > 20 && others > 100, "{reducing} {others}");
}

#[test]
fn dependences_agree_with_enumeration() {
    let mut seen = Seen::default();
    for seed in 0..300 {
        if let Some(scop) = program::scop(seed) {
            check(seed, &scop, &mut seen);
        }
    }
    assert!(seen.scops > 250 && seen.memory > 5000 && seen.flow > 1000 && seen.parallel > 80 && seen.serial > 80);
}

/// Without budget, dependences are a superset of the true ones.
#[test]
fn nothing_is_dropped_without_budget() {
    for seed in 0..40 {
        let Some(scop) = program::scop(seed) else { continue };
        let all = instances(&scop, &scop.schedule, VALUE);
        let (deps, remarks) = dependences(&scop, &Budget::new(1)).unwrap();
        let listed = listed(&deps.memory, &all);
        assert!(true_memory(&all).is_subset(&listed), "seed {seed}\n{scop}");
        assert!(deps.memory.is_empty() || !remarks.is_empty());
    }
}

/// The order of the tree that raising makes is the order of enumeration.
#[test]
fn source_order_is_total() {
    for seed in 0..40 {
        let Some(scop) = program::scop(seed) else { continue };
        let all = instances(&scop, &scop.schedule, VALUE);
        for w in all.windows(2) {
            assert_eq!(w[0].execution.order(&w[1].execution), Order::Before);
        }
    }
}
