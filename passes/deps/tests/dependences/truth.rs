//! What a scop does, by enumeration.

use std::collections::BTreeMap;
use tilia_presburger::{Budget, DimType, Id, Int};
use tilia_schedule::{Execution, ScheduleTree};
use tilia_scop::{AccessKind, ArrayId, Scop};

/// One access of one instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) access: usize,
    pub(crate) kind: AccessKind,
    pub(crate) array: ArrayId,
    pub(crate) element: Vec<Int>,
}

/// An instance with its accesses.
#[derive(Debug, Clone)]
pub(crate) struct Instance {
    pub(crate) stmt: usize,
    pub(crate) execution: Execution,
    pub(crate) events: Vec<Event>,
}

pub(crate) fn parameters(scop: &Scop, value: i64) -> Vec<(Id, Int)> {
    scop.params.iter().map(|p| (p.name.clone(), Int::from(value))).collect()
}

/// All instances in the order of the tree, for one value of all parameters.
pub(crate) fn instances(scop: &Scop, tree: &ScheduleTree, value: i64) -> Vec<Instance> {
    let budget = Budget::default();
    let all = tree.executions(&parameters(scop, value), 4000, &budget).unwrap();
    let mut known: BTreeMap<(usize, Vec<Int>), Vec<Event>> = BTreeMap::new();
    let mut out = Vec::new();
    for execution in all {
        let stmt = scop.stmts.iter().position(|s| s.name == execution.stmt).unwrap();
        let events = known
            .entry((stmt, execution.args.clone()))
            .or_insert_with(|| events(scop, stmt, &execution.args, value))
            .clone();
        out.push(Instance { stmt, execution, events });
    }
    out
}

fn events(scop: &Scop, stmt: usize, args: &[Int], value: i64) -> Vec<Event> {
    let mut out = Vec::new();
    for (n, a) in scop.stmts[stmt].accesses.iter().enumerate() {
        let mut m = a.relation.clone();
        for p in 0..m.dim(DimType::Param) {
            m = m.fix(DimType::Param, p, Int::from(value)).unwrap();
        }
        for (i, v) in args.iter().enumerate() {
            m = m.fix(DimType::In, i, v.clone()).unwrap();
        }
        let point = m.sample_point(&Budget::default()).unwrap().unwrap();
        out.push(Event {
            access: n,
            kind: a.kind,
            array: a.array,
            element: point.coords[args.len()..].to_vec(),
        });
    }
    out
}

fn touch(x: &Event, y: &Event) -> bool {
    x.array == y.array && x.element == y.element && (x.kind == AccessKind::Write || y.kind == AccessKind::Write)
}

/// Whether two instances touch one element, one of them writing.
pub(crate) fn conflict(a: &Instance, b: &Instance) -> bool {
    a.events.iter().any(|x| b.events.iter().any(|y| touch(x, y)))
}

/// Whether two instances that conflict do so by accumulating into one place by one operation, in an order that may change.
pub(crate) fn only_accumulate(scop: &Scop, a: &Instance, b: &Instance) -> bool {
    let reduction = |i: &Instance| scop.reorderable(tilia_scop::StmtId(i.stmt as u32));
    let (Some(r), Some(s)) = (reduction(a), reduction(b)) else {
        return false;
    };
    let both = |x: &Event, y: &Event| [r.read, r.write].contains(&x.access) && [s.read, s.write].contains(&y.access);
    r.op == s.op && a.events.iter().all(|x| b.events.iter().all(|y| !touch(x, y) || both(x, y)))
}
