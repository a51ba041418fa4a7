//! Temporaries in the place where their value is stored in the end.
//!
//! ```text
//! w = A[i][j]; for k: w -= A[i][k] * A[k][j]; A[i][j] = w / A[j][j]
//!   =>  for k: A[i][j] -= A[i][k] * A[k][j]; A[i][j] = A[i][j] / A[j][j]
//! ```
//!
//! Copies of such a number would take as much memory as the array and stand between it and those who read it. Where nobody looks at the element in the meantime, it can hold the number itself.
//! That is decided by exact value-based flow: each read must find the value of the same write instance as before, and each write of the number must be followed by the store that ends its live range, so
//! that what the array holds in the end is the same, too.

use crate::live::{Site, ends, ranges, sites, uncovered};
use crate::loops::common;
use crate::private::{Users, moved};
use std::collections::BTreeMap;
use std::sync::Arc;
use tilia_deps::array_flow;
use tilia_diag::Remark;
use tilia_presburger::{Aff, Budget, DimType, Error, Map, MultiAff, Result, Space, Tuple, UnionSet};
use tilia_program::{Function, OpId, OpKind, Type, ValueDef, ValueId, ValueMap};
use tilia_schedule::{Node, NodeKind, ScheduleTree};
use tilia_scop::{AccessKind, AccessSource, ArrayId, ArrayKind, Dep, DepKind, Deps, Scop, StmtId, StmtKind};

/// The end of a live range: a statement reads the number and stores to an element of another array.
#[derive(Debug, Clone, Copy)]
struct End {
    stmt: StmtId,
    /// The access that stores, and its operation.
    access: usize,
    store: OpId,
}

/// The scop in which numbers that only the scop sees live in the elements that they are stored to in the end, where that changes no value, and what was done; nothing where there are none. Statements
/// that would store what they loaded from the same place are left out. New operations are made in `function`, in no block: they are only part of the new scop. `deps` are the memory-based dependences.
///
/// # Errors
/// When the sets library gives up for another reason than its budget; that leaves a number where it is.
pub fn settle(function: &mut Function, scop: &Scop, deps: &Deps, budget: &Budget) -> Result<(Option<Scop>, Vec<Remark>)> {
    let users = Users::of(function);
    let mut out: Option<Scop> = None;
    let mut remarks = Vec::new();
    for (n, array) in (0u32..).zip(&scop.arrays) {
        let id = ArrayId(n);
        if array.rank > 0 || !matches!(array.kind, ArrayKind::Root(_)) || !users.is_local(function, scop, id) {
            continue;
        }
        let declined = |why: &str| {
            let message = format!("what is left of {} keeps its place: {why}", array.name);
            Remark::declined("expand", array.loc.clone(), message)
        };
        match settle_array(function, scop, (deps, id), (&mut out, &mut remarks), budget) {
            Ok(()) => {}
            Err(Error::OutOfBudget) => remarks.push(declined("the budget ran out")),
            Err(e) => return Err(e),
        }
    }
    let Some(settled) = out else { return Ok((None, remarks)) };
    Ok((Some(without_idle(function, settled, budget)?), remarks))
}

/// Finds homes for the live ranges of one number. Those found before an error stay.
fn settle_array(
    function: &mut Function,
    scop: &Scop,
    (deps, array): (&Deps, ArrayId),
    (out, remarks): (&mut Option<Scop>, &mut Vec<Remark>),
    budget: &Budget,
) -> Result<()> {
    let all = sites(scop, array);
    if all.iter().any(|s| moved(function, scop, *s).is_none()) {
        return Ok(());
    }
    let flow = array_flow(scop, array, budget)?;
    if uncovered(scop, &all, &flow, budget)?.is_some() {
        return Ok(());
    }
    // The last first: what a statement stores to then may be the home of what it reads.
    for range in ranges(&all, &flow).into_iter().rev() {
        let mine: Vec<&Dep> = flow.iter().filter(|d| range.contains(&ends(d).1)).collect();
        let now = out.as_ref().unwrap_or(scop).clone();
        let possible = possible_ends(function, &now, &range);
        let mut settled = false;
        for &end in &possible {
            if let Some(new) = moved_in(function, &now, (deps, &mine), &range, end, budget)? {
                let (name, home) = (&now[array].name, &now[now[end.stmt].accesses[end.access].array].name);
                let message = format!("{name} lives in the element of {home} that its value is stored to in the end");
                remarks.push(Remark::applied("expand", scop[end.stmt].loc.clone(), message));
                *out = Some(new);
                settled = true;
                break;
            }
        }
        if let (false, Some(end)) = (settled, possible.first()) {
            let (name, home) = (&now[array].name, &now[now[end.stmt].accesses[end.access].array].name);
            let message = format!(
                "{name} keeps its place: in the element of {home} that it is stored to in the end, other values are looked at or left"
            );
            remarks.push(Remark::declined("expand", scop[end.stmt].loc.clone(), message));
        }
    }
    Ok(())
}

/// Statements that may end a live range: they stand in its common loops only, read the number and store elsewhere.
fn possible_ends(function: &Function, scop: &Scop, range: &[Site]) -> Vec<End> {
    let shared = common(scop, range);
    let mut out = Vec::new();
    for site in range.iter().rev() {
        let stmt = &scop[site.stmt];
        let reads = stmt.accesses[site.access].kind == AccessKind::Read;
        let writes = range
            .iter()
            .any(|s| s.stmt == site.stmt && scop[s.stmt].accesses[s.access].kind == AccessKind::Write);
        if !reads || writes || stmt.iters.len() != shared.len() || out.iter().any(|e: &End| e.stmt == site.stmt) {
            continue;
        }
        for (access, a) in stmt.accesses.iter().enumerate() {
            let AccessSource::Op(store) = a.source else { continue };
            let array = &scop[a.array];
            let number = stmt.accesses[site.access].array;
            let same = matches!(array.kind, ArrayKind::Root(_)) && a.array != number && array.elem == scop[number].elem;
            let own = Site { stmt: site.stmt, access };
            // Its address must be known wherever the loops are: of iterators and what was computed before the scop.
            let outside = |v: &ValueId| {
                let made = matches!(function[*v].def, ValueDef::Result(op, _) if stmt.ops.contains(&op));
                !made && stmt.cell_reads.iter().all(|(c, _)| c != v)
            };
            if a.kind == AccessKind::Write
                && same
                && moved(function, scop, own).is_some()
                && function[store].operands.iter().skip(1).all(outside)
            {
                out.push(End {
                    stmt: site.stmt,
                    access,
                    store,
                });
            }
        }
    }
    out
}

/// The scop with the live range in the element that its end stores to; nothing where a read would find another value, or the array would be left with another.
fn moved_in(
    function: &mut Function,
    scop: &Scop,
    (deps, flow): (&Deps, &[&Dep]),
    range: &[Site],
    end: End,
    budget: &Budget,
) -> Result<Option<Scop>> {
    let last = &scop[end.stmt];
    let home = last.accesses[end.access].array;
    let depth = last.iters.len();
    // No write of the number comes after the end of the same iteration.
    for d in deps.memory.iter().filter(|d| d.kind == DepKind::Anti) {
        let (source, target) = ends(d);
        if source.stmt != end.stmt || !range.contains(&source) || !range.contains(&target) {
            continue;
        }
        let mut same = d.relation.clone();
        for k in 0..depth {
            same = same.equate(DimType::In, k, DimType::Out, k)?;
        }
        if !same.is_empty(budget)? {
            return Ok(None);
        }
    }
    let mut new = scop.clone();
    for site in range {
        let stmt = &scop[site.stmt];
        let space = stmt.domain.space();
        let outer: Vec<Aff> = (0..depth).map(|k| Aff::var(space, DimType::Out, k)).collect();
        let iteration = MultiAff::new(space, Tuple::named(last.name.clone(), depth), &outer)?;
        let to_end = iteration.as_map()?.intersect_domain(&stmt.domain)?;
        let relation = to_end.apply_range(&last.accesses[end.access].relation.intersect_domain(&last.domain)?)?;
        // The end belongs to each iteration.
        if !stmt.domain.intersect_params(&scop.context)?.is_subset(&relation.domain(), budget)? {
            return Ok(None);
        }
        let access = &mut new.stmts[site.stmt.0 as usize].accesses[site.access];
        access.array = home;
        access.relation = relation;
    }
    let before = array_flow(scop, home, budget)?;
    let after = array_flow(&new, home, budget)?;
    if !same_flow(before.iter().chain(flow.iter().copied()), after.iter(), budget)? {
        return Ok(None);
    }
    let mut stmts: Vec<StmtId> = range.iter().map(|s| s.stmt).collect();
    stmts.dedup();
    for id in stmts {
        let accesses: Vec<usize> = range.iter().filter(|s| s.stmt == id).map(|s| s.access).collect();
        rewrite(function, scop, &mut new, id, &accesses, end.store)?;
    }
    Ok(Some(new))
}

/// Whether both lists pair the same writes and reads.
fn same_flow<'a>(before: impl Iterator<Item = &'a Dep>, after: impl Iterator<Item = &'a Dep>, budget: &Budget) -> Result<bool> {
    let mut pairs: BTreeMap<(Site, Site), [Option<Map>; 2]> = BTreeMap::new();
    let all = before.map(|d| (0, d)).chain(after.map(|d| (1, d)));
    for (which, d) in all {
        let found = &mut pairs.entry(ends(d)).or_default()[which];
        *found = Some(match found.take() {
            None => d.relation.clone(),
            Some(m) => m.union(&d.relation)?,
        });
    }
    for both in pairs.values() {
        let same = match both {
            [Some(a), Some(b)] => a.is_equal(b, budget)?,
            [Some(one), None] | [None, Some(one)] => one.is_empty(budget)?,
            [None, None] => true,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Gives a statement operations of its own, in which the loads and stores that make the given accesses are of the element that `store` stores to.
fn rewrite(function: &mut Function, old: &Scop, new: &mut Scop, id: StmtId, accesses: &[usize], store: OpId) -> Result<()> {
    let OpKind::Store(subscripts) = function[store].kind.clone() else {
        return Err(Error::Unsupported(
            "a number that is stored by something that isn't a store".to_owned(),
        ));
    };
    let address: Vec<ValueId> = function[store].operands[1..].to_vec();
    let stmt = &mut new.stmts[id.0 as usize];
    let changed: Vec<OpId> = accesses
        .iter()
        .filter_map(|&k| match old[id].accesses[k].source {
            AccessSource::Op(op) => Some(op),
            _ => None,
        })
        .collect();
    let mut map = ValueMap::default();
    let mut ops: BTreeMap<OpId, OpId> = BTreeMap::new();
    for op in &mut stmt.ops {
        let data = &function[*op];
        let (kind, loc) = (data.kind.clone(), data.loc.clone());
        let operands: Vec<ValueId> = data.operands.iter().map(|v| map.get(v).copied().unwrap_or(*v)).collect();
        let results = data.results.clone();
        let types: Vec<Type> = results.iter().map(|&r| function[r].ty.clone()).collect();
        let (kind, operands) = match kind {
            OpKind::Load(_) if changed.contains(op) => (OpKind::Load(subscripts.clone()), address.clone()),
            OpKind::Store(_) if changed.contains(op) => {
                let all = operands[..1].iter().chain(&address).copied().collect();
                (OpKind::Store(subscripts.clone()), all)
            }
            kind => (kind, operands),
        };
        let copy = function.new_op(kind, operands, &types, loc);
        map.extend(results.into_iter().zip(function[copy].results.clone()));
        ops.insert(*op, copy);
        *op = copy;
    }
    for a in &mut stmt.accesses {
        match &mut a.source {
            AccessSource::Op(op) | AccessSource::Effect(op) => *op = ops.get(op).copied().unwrap_or(*op),
            AccessSource::Cell(v) => *v = map.get(v).copied().unwrap_or(*v),
        }
    }
    for (v, _) in &mut stmt.cell_writes {
        *v = map.get(v).copied().unwrap_or(*v);
    }
    let checked: Vec<OpId> = new.checked_ops.iter().filter_map(|op| ops.get(op).copied()).collect();
    new.checked_ops.extend(checked);
    Ok(())
}

/// The scop without statements that only store to an element what they loaded from it.
fn without_idle(function: &Function, mut scop: Scop, budget: &Budget) -> Result<Scop> {
    let mut gone = Vec::new();
    for stmt in scop.stmts.iter().filter(|s| s.kind == StmtKind::Plain) {
        let ([load, store], [a, b]) = (&stmt.ops[..], &stmt.accesses[..]) else {
            continue;
        };
        let (OpKind::Load(_), OpKind::Store(_)) = (&function[*load].kind, &function[*store].kind) else {
            continue;
        };
        let passes = function[*load].results.first() == function[*store].operands.first();
        let plain = a.must && b.must && !scop.checked_ops.iter().any(|op| op == load || op == store);
        if passes && plain && a.array == b.array && stmt.cell_reads.is_empty() && stmt.cell_writes.is_empty() {
            let inside = |m: &Map| m.intersect_domain(&stmt.domain)?.intersect_params(&scop.context);
            if inside(&a.relation)?.is_equal(&inside(&b.relation)?, budget)? {
                gone.push(stmt.domain.space().clone());
            }
        }
    }
    if gone.is_empty() || gone.len() == scop.stmts.len() {
        return Ok(scop);
    }
    let unsupported = |e: &dyn std::fmt::Display| Error::Unsupported(format!("a schedule tree without some statements: {e}"));
    let stays = |space: &Space| !gone.iter().any(|g| g.same_tuples(space));
    let Some(child) = scop.schedule.root().child() else {
        return Ok(scop);
    };
    let Some(child) = pruned(child, &stays)? else { return Ok(scop) };
    scop.stmts.retain(|s| stays(s.domain.space()));
    scop.schedule = ScheduleTree::new(scop.domain()?, child).map_err(|e| unsupported(&e))?;
    Ok(scop)
}

/// The node for the statements that stay; nothing where none of them reaches it.
fn pruned(node: &Arc<Node>, stays: &dyn Fn(&Space) -> bool) -> Result<Option<Arc<Node>>> {
    let kept = |f: &UnionSet| UnionSet::from_members(f.sets().iter().filter(|s| stays(s.space())));
    let below = || match node.child() {
        Some(c) => pruned(c, stays),
        None => Ok(Some(Node::leaf())),
    };
    Ok(match node.kind() {
        NodeKind::Leaf => Some(Node::leaf()),
        NodeKind::Filter(f) => {
            let f = kept(f)?;
            match below()? {
                Some(child) if !f.sets().is_empty() => Some(Node::filter(f, child)),
                _ => None,
            }
        }
        NodeKind::Band(band) => below()?.map(|child| Node::band(band.clone(), child)),
        NodeKind::Mark(name) => below()?.map(|child| Node::mark(name.clone(), child)),
        NodeKind::Sequence | NodeKind::Set => {
            let mut children = Vec::new();
            for c in node.children() {
                if let (NodeKind::Filter(f), Some(child)) = (c.kind(), c.child()) {
                    let f = kept(f)?;
                    if let Some(child) = pruned(child, stays)?.filter(|_| !f.sets().is_empty()) {
                        children.push((f, child));
                    }
                }
            }
            match children.len() {
                0 => None,
                1 => children.pop().map(|(_, only)| only),
                _ if matches!(node.kind(), NodeKind::Sequence) => Some(Node::sequence(children)),
                _ => Some(Node::set(children)),
            }
        }
        other => return Err(Error::Unsupported(format!("a {} in the order of the source", other.name()))),
    })
}
