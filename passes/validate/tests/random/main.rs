//! The check of random edits of random schedules against enumeration.
#![expect(clippy::unwrap_used, reason = "a test that meets something else fails")]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "small numbers"
)]

#[path = "../../../raise/tests/raise/builder.rs"]
#[expect(dead_code, reason = "other tests use all of it")]
mod builder;
#[path = "../../../deps/tests/dependences/program.rs"]
mod program;
#[path = "../../../deps/tests/dependences/truth.rs"]
mod truth;
mod updates;
mod values;

use program::Random;
use std::collections::BTreeMap;
use std::sync::Arc;
use tilia_presburger::{Budget, Int, UnionSet};
use tilia_schedule::{Band, Member, Node, NodeKind, Order, Path, ScheduleTree};
use tilia_scop::{FloatOrder, Scop};
use tilia_validate::{Violation, ViolationKind, validate};
use truth::{Instance, conflict, instances, only_accumulate};

pub(crate) const VALUE: i64 = 3;

/// Applies `edit` to the node at the path.
pub(crate) fn edited(tree: &ScheduleTree, at: &Path, edit: impl FnOnce(&Node) -> Option<Arc<Node>>) -> Option<ScheduleTree> {
    tree.replace(at, edit(tree.node(at)?)?).ok()
}

pub(crate) fn reversed(node: &Node) -> Option<Arc<Node>> {
    let mut band = node.as_band()?.clone();
    band.members[0].func = band.members[0].func.neg().ok()?;
    Some(Node::band(band, Arc::clone(node.child()?)))
}

/// `floor(i / size)`, then `i`.
fn tiled(node: &Node, size: i64) -> Option<Arc<Node>> {
    let band = node.as_band()?;
    let tile = Member::new(band.members[0].func.floor_div(&Int::from(size)).ok()?);
    Some(Node::band(
        Band::new(vec![tile]),
        Node::band(band.clone(), Arc::clone(node.child()?)),
    ))
}

/// Two nested bands as one, perhaps exchanged or skewed, perhaps with claims.
fn merged(node: &Node, random: &mut Random) -> Option<Arc<Node>> {
    let (outer, inner) = (node.as_band()?, node.child()?.as_band()?);
    let (a, b) = (outer.members[0].clone(), inner.members[0].clone());
    let members = match random.pick(0, 3) {
        0 => vec![b, a],
        1 => vec![a.clone(), Member::new(a.func.add(&b.func, &Budget::default()).ok()?)],
        2 => vec![Member::new(a.func.sub(&b.func, &Budget::default()).ok()?), b],
        _ => vec![a, b],
    };
    let mut band = Band::new(members);
    band.permutable = random.chance(50);
    Some(Node::band(band, Arc::clone(node.child()?.child()?)))
}

fn parts(node: &Node) -> Option<Vec<(UnionSet, Arc<Node>)>> {
    let part = |c: &Arc<Node>| match c.kind() {
        NodeKind::Filter(f) => Some((f.clone(), Arc::clone(c.child()?))),
        _ => None,
    };
    node.is_list().then(|| node.children().iter().map(part).collect())?
}

/// A sequence with two children exchanged, or without order.
fn reordered(node: &Node, random: &mut Random) -> Option<Arc<Node>> {
    let mut list = parts(node)?;
    match random.pick(0, 4) {
        0 => return Some(Node::set(list)),
        1 if list.len() > 1 => {
            // One statement forgotten.
            list.remove(random.pick(0, list.len() as i64 - 1) as usize);
        }
        _ => {
            let (i, j) = (random.pick(0, list.len() as i64 - 1), random.pick(0, list.len() as i64 - 1));
            list.swap(i as usize, j as usize);
        }
    }
    Some(Node::sequence(list))
}

/// A band over a sequence as a sequence of bands.
fn split(node: &Node) -> Option<Arc<Node>> {
    let band = node.as_band()?;
    let list = parts(node.child()?)?;
    Some(Node::sequence(
        list.into_iter().map(|(f, c)| (f, Node::band(band.clone(), c))).collect(),
    ))
}

fn claiming(node: &Node) -> Option<Arc<Node>> {
    let mut band = node.as_band()?.clone();
    band.members.iter_mut().for_each(|m| m.coincident = true);
    Some(Node::band(band, Arc::clone(node.child()?)))
}

pub(crate) fn random_edit(tree: &ScheduleTree, random: &mut Random) -> Option<ScheduleTree> {
    let paths = tree.paths();
    // Most edits don't fit most nodes.
    (0..40).find_map(|_| {
        let at = &paths[random.pick(0, paths.len() as i64 - 1) as usize];
        edited(tree, at, |node| match random.pick(0, 5) {
            0 => reversed(node),
            1 => tiled(node, 2),
            2 => merged(node, random),
            3 => reordered(node, random),
            4 => split(node),
            _ => claiming(node),
        })
    })
}

/// What enumeration finds wrong with the tree, for one value of the parameters.
fn wrong(scop: &Scop, source: &[Instance], tree: &ScheduleTree) -> Option<ViolationKind> {
    let new = instances(scop, tree, VALUE);
    let mut place: BTreeMap<(usize, &[Int]), &Instance> = BTreeMap::new();
    for i in &new {
        if place.insert((i.stmt, &i.execution.args), i).is_some() {
            return Some(ViolationKind::Twice);
        }
    }
    if new.len() != source.len() {
        return Some(ViolationKind::Missing);
    }
    let find = |i: &Instance| place[&(i.stmt, &i.execution.args[..])];
    let pairs = || {
        source
            .iter()
            .enumerate()
            .flat_map(|(n, a)| source[n + 1..].iter().map(move |b| (a, b)))
            .filter(|(a, b)| conflict(a, b))
    };
    let wrong = |(a, b): (&Instance, &Instance)| match find(a).execution.order(&find(b).execution) {
        Order::Before => false,
        Order::After => !only_accumulate(scop, a, b),
        _ => true,
    };
    if pairs().any(wrong) {
        return Some(ViolationKind::Order);
    }
    let mut claim = None;
    for (a, b) in pairs() {
        let (x, y) = (find(a), find(b));
        let free = only_accumulate(scop, a, b);
        claim = claim.or(claims(tree.root(), 0, (&x.execution.key, &y.execution.key), free));
    }
    claim
}

/// A claim of a band that two conflicting executions belie; `free`: they may change places.
pub(crate) fn claims(
    node: &Node,
    step: usize,
    (a, b): (&[tilia_schedule::Step], &[tilia_schedule::Step]),
    free: bool,
) -> Option<ViolationKind> {
    use tilia_schedule::Step;
    match (node.kind(), a.get(step), b.get(step)) {
        (NodeKind::Band(band), Some(Step::Values(x)), Some(Step::Values(y))) => {
            for (n, member) in band.members.iter().enumerate() {
                if band.permutable && x[n] > y[n] && !free {
                    return Some(ViolationKind::Permutable);
                }
                if member.coincident && x[n] != y[n] {
                    return Some(ViolationKind::Coincident);
                }
            }
            if x == y {
                claims(node.child()?, step + 1, (a, b), free)
            } else {
                None
            }
        }
        (NodeKind::Sequence | NodeKind::Set, Some(Step::Child(i) | Step::Any(i)), Some(Step::Child(j) | Step::Any(j))) => {
            if i == j {
                claims(node.children()[*i].child()?, step + 1, (a, b), free)
            } else {
                None
            }
        }
        (NodeKind::Leaf, ..) => None,
        _ => claims(node.child()?, step, (a, b), free),
    }
}

/// The pair of a violation is in truth a pair that conflicts in this order.
fn check_example(scop: &Scop, source: &[Instance], v: &Violation) {
    let (Some(s), Some(t)) = (&v.source, &v.target) else { return };
    if v.params.iter().any(|(_, x)| x.to_i64() != Some(VALUE)) {
        return;
    }
    let find = |e: &tilia_validate::End| {
        source
            .iter()
            .position(|i| scop.stmts[i.stmt].name == e.stmt && i.execution.args == e.instance)
            .unwrap()
    };
    let (a, b) = (find(s), find(t));
    assert!(a < b && conflict(&source[a], &source[b]), "{v}");
}

#[test]
fn verdicts_agree_with_enumeration() {
    let (mut right, mut bad, mut reordered) = (0, BTreeMap::new(), 0);
    for (seed, order) in (0..400).flat_map(|seed| [(seed, FloatOrder::Kept), (seed, FloatOrder::Free)]) {
        let Some(mut scop) = program::scop(seed) else { continue };
        scop.float_order = order;
        let mut random = Random::new(seed + 1000);
        let source = instances(&scop, &scop.schedule, VALUE);
        let mut tree = scop.schedule.clone();
        for _ in 0..random.pick(0, 3) {
            tree = random_edit(&tree, &mut random).unwrap_or(tree);
        }
        let truth = wrong(&scop, &source, &tree);
        match validate(&scop, &tree, &Budget::default()) {
            Ok(()) => {
                assert_eq!(truth, None, "accepted, seed {seed}\n{scop}\n{tree}");
                right += 1;
                scop.float_order = FloatOrder::Kept;
                reordered += usize::from(wrong(&scop, &source, &tree).is_some());
            }
            Err(found) => {
                assert!(found.iter().all(Violation::is_certain), "seed {seed}: {found:?}");
                // With parameters, other values may be the bad ones.
                assert!(
                    truth.is_some() || !scop.params.is_empty(),
                    "refused, seed {seed}: {}\n{scop}\n{tree}",
                    found[0]
                );
                found.iter().for_each(|v| check_example(&scop, &source, v));
                found.iter().for_each(|v| *bad.entry(v.kind).or_insert(0) += 1);
            }
        }
    }
    assert!(right > 300, "{right}");
    // Trees that are right because reductions may be reordered.
    assert!(reordered >= 3, "{reordered}");
    for kind in [
        ViolationKind::Missing,
        ViolationKind::Order,
        ViolationKind::Permutable,
        ViolationKind::Coincident,
    ] {
        assert!(bad.get(&kind).is_some_and(|&n| n >= 3), "{kind:?} in {bad:?}");
    }
}

/// Twice is not once: children of a sequence that share instances.
#[test]
fn shared_instances_are_refused() {
    let scop = (0..).find_map(|seed| program::scop(seed).filter(|s| s.stmts.len() == 1)).unwrap();
    let all = UnionSet::from_set(&scop.stmts[0].domain);
    let child = Arc::clone(&scop.schedule.root().children()[0]);
    let tree = ScheduleTree::new(all.clone(), Node::sequence(vec![(all.clone(), Arc::clone(&child)), (all, child)])).unwrap();
    let found = validate(&scop, &tree, &Budget::default()).unwrap_err();
    assert!(found.iter().any(|v| v.kind == ViolationKind::Twice), "{found:?}");
}

/// Without budget nothing is accepted, and nothing is called wrong.
#[test]
fn no_budget_is_no_proof() {
    let scop = (0..).find_map(|seed| program::scop(seed).filter(|s| s.stmts.len() > 1)).unwrap();
    let found = validate(&scop, &scop.schedule, &Budget::new(0)).unwrap_err();
    assert!(found.iter().all(|v| v.kind == ViolationKind::Unproved), "{found:?}");
}
