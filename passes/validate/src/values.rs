//! That a tree moves the same values as the source where it turns conflicting pairs round.
//!
//! A location may hold several values one after the other, each written once and read by some instances. Which comes first doesn't matter as long as each read finds the value of the same write as in
//! the source, and the same write is the last one where the value outlives the scop. Both orders are laid out as time vectors, and the relations from writes to the reads that find their values are
//! compared.

use crate::conflict::{Timed, accumulator, accumulators, before, times};
use crate::violation::{Violation, ViolationKind};
use std::collections::BTreeMap;
use tilia_presburger::{Budget, Map, Result, Set};
use tilia_schedule::{Path, ScheduleTree};
use tilia_scop::{Access, AccessKind, ArrayId, ArrayKind, Scop, StmtKind};

/// An access: statement and number.
type Site = (usize, usize);

/// What passes through one array.
#[derive(Debug, Clone)]
pub(crate) struct Values {
    pub(crate) array: ArrayId,
    /// From the instances of a statement to those of another one that find their values there.
    pub(crate) flow: BTreeMap<(usize, usize), Map>,
    /// Instances of each access whose place among the accesses of a location is fixed: those of the last write and its reads, and reads of what was there before.
    fixed: BTreeMap<Site, Set>,
    /// The write of each statement.
    write: BTreeMap<usize, usize>,
    /// By read as well.
    by_read: BTreeMap<(usize, usize, usize), Map>,
    /// Writes that nothing overwrites.
    last: BTreeMap<usize, Set>,
}

/// Whether an array's order may be judged by values: each access is certain and of one element, each statement reads before it writes and writes once, and none accumulates in an order of its own choice.
/// (A reduction whose instances all have accumulators of their own chooses nothing.)
pub(crate) fn is_judged_by_values(scop: &Scop, array: ArrayId, budget: &Budget) -> Result<bool> {
    if scop[array].kind == ArrayKind::World {
        return Ok(false);
    }
    for (n, s) in scop.stmts.iter().enumerate() {
        let mine = || s.accesses.iter().enumerate().filter(|(_, a)| a.array == array);
        let writes = mine().filter(|(_, a)| a.kind == AccessKind::Write).count();
        if mine().next().is_some() && (s.kind != StmtKind::Plain || writes > 1) {
            return Ok(false);
        }
        for (_, a) in mine() {
            if !a.must || !a.relation.is_single_valued(budget)? {
                return Ok(false);
            }
        }
        let accumulates = accumulator(scop, n).is_some_and(|own| mine().any(|(k, _)| own.contains(&k)));
        if accumulates && shares_its_accumulator(scop, n, budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether an instance of a reduction accumulates in one location with another one, or with one of another statement by the same operation.
fn shares_its_accumulator(scop: &Scop, stmt: usize, budget: &Budget) -> Result<bool> {
    let s = &scop.stmts[stmt];
    for (n, t) in scop.stmts.iter().enumerate() {
        let Some((own, other)) = accumulators(scop, stmt, n) else {
            continue;
        };
        let write = |k: &&usize| s.accesses[**k].kind == AccessKind::Write;
        for &w in own.iter().filter(write) {
            for &k in other.iter().filter(|&&k| t.accesses[k].array == s.accesses[w].array) {
                let to = t.accesses[k].relation.intersect_domain(&t.domain)?;
                let mut pairs = s.accesses[w].relation.intersect_domain(&s.domain)?.apply_range(&to.reverse())?;
                pairs = pairs.intersect_params(&scop.context)?;
                if n == stmt {
                    pairs = pairs.subtract(&Map::identity(s.domain.space())?, budget)?;
                }
                if !pairs.is_empty(budget)? {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// What passes through an array in the source's order.
pub(crate) fn source_values(scop: &Scop, array: ArrayId, budget: &Budget) -> Result<Values> {
    values(scop, &times(scop, &scop.schedule)?, array, budget)
}

fn values(scop: &Scop, times: &[Timed], array: ArrayId, budget: &Budget) -> Result<Values> {
    let of_kind = |kind: AccessKind| -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        for (n, s) in scop.stmts.iter().enumerate() {
            let mine = |k: &usize| s.accesses[*k].array == array && s.accesses[*k].kind == kind;
            out.extend((0..s.accesses.len()).filter(mine).map(|k| (n, k)));
        }
        out
    };
    let (writes, reads) = (of_kind(AccessKind::Write), of_kind(AccessKind::Read));
    let access = |(n, k): (usize, usize)| -> &Access { &scop.stmts[n].accesses[k] };
    let meet = |a: (usize, usize), b: (usize, usize)| -> Result<Map> {
        let pairs = access(a).relation.apply_range(&access(b).relation.reverse())?;
        pairs
            .intersect(&before(scop, times, a.0, b.0)?)?
            .intersect_params(&scop.context)?
            .drop_empty_pieces(budget)
    };
    let mut overwritten: BTreeMap<(usize, usize), Map> = BTreeMap::new();
    for (m, &w) in writes.iter().enumerate() {
        for (n, &k) in writes.iter().enumerate() {
            overwritten.insert((m, n), meet(w, k)?);
        }
    }
    let mut out = Values {
        array,
        flow: BTreeMap::new(),
        fixed: BTreeMap::new(),
        write: writes.iter().copied().collect(),
        by_read: BTreeMap::new(),
        last: BTreeMap::new(),
    };
    for &r in &reads {
        let reaching: Vec<Map> = writes.iter().map(|&w| meet(w, r)).collect::<Result<_>>()?;
        let mut without = scop.stmts[r.0].domain.intersect_params(&scop.context)?;
        for (m, w) in writes.iter().enumerate() {
            let mut live = reaching[m].clone();
            for (n, later) in reaching.iter().enumerate() {
                if !live.plain_is_empty() {
                    live = live.subtract(&overwritten[&(m, n)].apply_range(later)?, budget)?;
                }
            }
            let live = live.drop_empty_pieces(budget)?;
            without = without.subtract(&live.range(), budget)?;
            let sum = match out.flow.get(&(w.0, r.0)) {
                Some(old) => old.union(&live)?,
                None => live.clone(),
            };
            out.flow.insert((w.0, r.0), sum);
            out.by_read.insert((w.0, r.0, r.1), live);
        }
        fix(&mut out.fixed, r, without)?;
    }
    let outlives = match scop[array].kind {
        ArrayKind::Root(_) | ArrayKind::World => true,
        ArrayKind::Cell(_) => scop[array].live_out.is_some(),
        ArrayKind::Copy(_) => false,
    };
    for (m, w) in writes.iter().enumerate().filter(|_| outlives) {
        let mut last = scop.stmts[w.0].domain.intersect_params(&scop.context)?;
        for n in 0..writes.len() {
            last = last.subtract(&overwritten[&(m, n)].domain(), budget)?;
        }
        for (&(_, t, k), flow) in out.by_read.iter().filter(|((s, ..), _)| *s == w.0) {
            fix(&mut out.fixed, (t, k), flow.intersect_domain(&last)?.range())?;
        }
        fix(&mut out.fixed, *w, last.clone())?;
        out.last.insert(w.0, last);
    }
    Ok(out)
}

fn fix(fixed: &mut BTreeMap<Site, Set>, site: Site, set: Set) -> Result<()> {
    let sum = match fixed.get(&site) {
        Some(old) => old.union(&set)?,
        None => set,
    };
    fixed.insert(site, sum);
    Ok(())
}

/// Compares what passes through an array in the source with what does in the tree.
pub(crate) fn check_values(scop: &Scop, tree: &ScheduleTree, source: &Values, budget: &Budget, out: &mut Vec<Violation>) -> Result<()> {
    let made = values(scop, &times(scop, tree)?, source.array, budget)?;
    let name = &scop[source.array].name;
    let root = Path::root();
    for (key, wanted) in &source.by_read {
        let found = &made.by_read[key];
        for wrong in [wanted.subtract(found, budget)?, found.subtract(wanted, budget)?] {
            if let Some(point) = wrong.sample_point(budget)? {
                let stmts = (&scop.stmts[key.0], &scop.stmts[key.1]);
                out.push(Violation::pair(ViolationKind::Value, &root, stmts, name, Some(&point)));
                break;
            }
        }
    }
    for (stmt, wanted) in &source.last {
        if let Some(point) = wanted.subtract(&made.last[stmt], budget)?.sample_point(budget)? {
            let mut v = Violation::single(ViolationKind::Last, &root, &scop.stmts[*stmt], Some(&point));
            v.array = Some(name.clone());
            out.push(v);
        }
    }
    Ok(())
}

/// The pairs between instances that meet by accesses of which one is fixed, or writes or reads a value that isn't among those that `stay`, which are parts of the flow by pair of statements.
pub(crate) fn unmovable(
    (scop, values): (&Scop, &Values),
    (source, target): (usize, usize),
    pairs: &Map,
    stay: &BTreeMap<(usize, usize), Map>,
    budget: &Budget,
) -> Result<Map> {
    let held = held(values, stay, budget)?;
    let mut out = Map::empty(pairs.space());
    let accesses = |n: usize| {
        let all = scop.stmts[n].accesses.iter().enumerate();
        all.filter(|(_, a)| a.array == values.array)
    };
    for (m, a) in accesses(source) {
        for (n, b) in accesses(target).filter(|(_, b)| a.kind == AccessKind::Write || b.kind == AccessKind::Write) {
            let meeting = pairs.intersect(&a.relation.apply_range(&b.relation.reverse())?)?;
            if let Some(set) = held.get(&(source, m)) {
                out = out.union(&meeting.intersect_domain(set)?)?;
            }
            if let Some(set) = held.get(&(target, n)) {
                out = out.union(&meeting.intersect_range(set)?)?;
            }
        }
    }
    out.drop_empty_pieces(budget)
}

/// Instances of accesses that are fixed, or whose value some read finds at another date.
fn held(values: &Values, stay: &BTreeMap<(usize, usize), Map>, budget: &Budget) -> Result<BTreeMap<Site, Set>> {
    let mut held = values.fixed.clone();
    for (&(s, t), all) in &values.flow {
        let moved = match stay.get(&(s, t)) {
            Some(still) => all.subtract(still, budget)?,
            None => all.clone(),
        };
        let moved = moved.drop_empty_pieces(budget)?;
        let Some(&write) = values.write.get(&s).filter(|_| !moved.plain_is_empty()) else {
            continue;
        };
        // All reads of such a value are held with it.
        for (&(_, reader, k), flow) in values.by_read.iter().filter(|((w, ..), _)| *w == s) {
            fix(&mut held, (reader, k), flow.intersect_domain(&moved.domain())?.range())?;
        }
        fix(&mut held, (s, write), moved.domain())?;
    }
    Ok(held)
}
