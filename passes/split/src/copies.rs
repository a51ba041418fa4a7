//! Copies of what stands on a plane, made once for all who read it there.
//!
//! Iterations that all read one element (the pivot's row) must run before it is written again; so nothing of the next step can begin before all of this one has read. A copy of the element, made
//! just before its first reader and read by all of them, takes that order away: only flow is left. It is array expansion (P. Feautrier, "Array expansion", ICS 1988) for the elements that a loop
//! shares, and no others.

use crate::Error;
use crate::tree::{Placed, first_of, with_copies_first};
use std::collections::{BTreeMap, BTreeSet};
use tilia_diag::Remark;
use tilia_presburger::{Budget, DimType, Id, Map, MultiAff, Set, Space, Tuple, UnionSet};
use tilia_program::{Function, OpId, OpKind, Type, ValueDef, ValueId};
use tilia_scop::{Access, AccessKind, AccessSource, Array, ArrayId, ArrayKind, Dep, DepKind, Deps, Scop, Stmt, StmtKind};

/// The name of the stage in remarks.
const STAGE: &str = "split";

/// Copies that a scop gets at most.
const MOST_COPIES: usize = 16;

/// A read that several instances share: by all but these iterators it is the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Shared {
    op: OpId,
    /// Positions of the iterators that the address depends on.
    key: Vec<usize>,
}

/// The reads of one copy: (statement, access).
type Readers = Vec<(usize, usize)>;

/// Gives the elements that instances of the scop's statements share a copy for each set of readers between which nothing writes them. Nothing where there are no such elements.
///
/// `deps` are the memory-based dependences of the scop.
///
/// # Errors
/// When the sets library gives up, or the scop's tree adds or replaces instances.
pub fn copies(scop: &Scop, deps: &Deps, function: &Function, b: &Budget) -> Result<Option<(Scop, Vec<Remark>)>, Error> {
    let mut out = scop.clone();
    let mut remarks = Vec::new();
    let mut made = Vec::new();
    for (shared, readers) in shared_reads(scop, deps, function, b)? {
        for group in groups(deps, &shared, &readers, b)? {
            if made.len() >= MOST_COPIES {
                break;
            }
            let Some(filled) = copy((scop, deps, &mut out), function, &shared, &group, made.len(), b)? else {
                continue;
            };
            made.push(filled);
            let (s, a) = group[0];
            let names: Vec<&str> = group.iter().map(|&(s, _)| scop.stmts[s].name.as_str()).collect();
            let array = &scop[scop.stmts[s].accesses[a].array].name;
            let message = format!("{} read copies of what their instances share of {array}", names.join(", "));
            remarks.push(Remark::applied(STAGE, scop.stmts[s].accesses[a].loc.clone(), message));
        }
    }
    if made.is_empty() {
        return Ok(None);
    }
    let domain = UnionSet::from_members(out.stmts.iter().map(|s| &s.domain))?;
    out.schedule = with_copies_first(&scop.schedule, domain, &made, b)?;
    Ok(Some((out, remarks)))
}

/// Reads of elements that the scop writes, too, shared by several instances of their statement.
fn shared_reads(scop: &Scop, deps: &Deps, function: &Function, b: &Budget) -> Result<BTreeMap<Shared, Readers>, Error> {
    let mut out: BTreeMap<Shared, Readers> = BTreeMap::new();
    for (n, s) in scop.stmts.iter().enumerate().filter(|(_, s)| s.kind == StmtKind::Plain) {
        for (k, a) in s.accesses.iter().enumerate() {
            let AccessSource::Op(op) = a.source else { continue };
            let root = matches!(scop[a.array].kind, ArrayKind::Root(_));
            if a.kind != AccessKind::Read || !a.must || !root || scop.checked_ops.contains(&op) {
                continue;
            }
            let anti = deps
                .memory
                .iter()
                .any(|d| d.kind == DepKind::Anti && d.source.0 as usize == n && d.source_access == k);
            let scalar = matches!(function[op].results[..], [r] if matches!(function[r].ty, Type::Scalar(_)));
            if !anti || !scalar || !matches!(function[op].kind, OpKind::Load(_)) {
                continue;
            }
            let Some(key) = key_of(s, op, function) else { continue };
            if key.is_empty() || key.len() >= s.iters.len() {
                continue;
            }
            // Where the address leaves one instance only (the pieces on a plane), there is nothing to share.
            let on_key = projection(&s.domain, &key)?;
            if !on_key.is_injective(b)? {
                out.entry(Shared { op, key }).or_default().push((n, k));
            }
        }
    }
    Ok(out)
}

/// From instances to the iterators of the key.
fn projection(domain: &Set, key: &[usize]) -> Result<Map, Error> {
    let space = domain.space();
    let affs: Vec<_> = key.iter().map(|&k| tilia_presburger::Aff::var(space, DimType::Out, k)).collect();
    let function = MultiAff::new(space, Tuple::anonymous(key.len()), &affs)?;
    Ok(function.as_map()?.intersect_domain(domain)?)
}

/// Positions of the iterators that an operation of a statement depends on, if it depends on nothing else that the statement's instances compute but index arithmetic.
fn key_of(stmt: &Stmt, op: OpId, function: &Function) -> Option<Vec<usize>> {
    let mut key = BTreeSet::new();
    for op in closure(stmt, op, function)? {
        for v in &function[op].operands {
            if let Some(k) = stmt.iters.iter().position(|i| i == v) {
                key.insert(k);
            }
        }
    }
    Some(key.into_iter().collect())
}

/// An operation of a statement and all operations of the statement that it needs, in their order; nothing if one of them isn't plain arithmetic on numbers from outside.
fn closure(stmt: &Stmt, op: OpId, function: &Function) -> Option<Vec<OpId>> {
    let mut need = BTreeSet::from([op]);
    let mut todo = vec![op];
    while let Some(o) = todo.pop() {
        for &v in &function[o].operands {
            if stmt.cell_reads.iter().any(|(c, _)| *c == v) {
                return None;
            }
            let ValueDef::Result(by, _) = function[v].def else { continue };
            if !stmt.ops.contains(&by) || need.contains(&by) {
                continue;
            }
            if !matches!(function[by].kind, OpKind::Pure(..) | OpKind::Constant(_) | OpKind::Apply(_)) {
                return None;
            }
            need.insert(by);
            todo.push(by);
        }
    }
    Some(stmt.ops.iter().copied().filter(|o| need.contains(o)).collect())
}

/// Readers between whose reads of one element nothing writes it, in maximal groups (first come, first served).
fn groups(deps: &Deps, shared: &Shared, readers: &Readers, b: &Budget) -> Result<Vec<Readers>, Error> {
    let mut groups: Vec<Readers> = Vec::new();
    for &r in readers {
        if written_between(deps, shared, r, r, b)? {
            continue;
        }
        let mut home = None;
        for (n, g) in groups.iter().enumerate() {
            let mut apart = false;
            for &o in g {
                apart = apart || written_between(deps, shared, r, o, b)? || written_between(deps, shared, o, r, b)?;
            }
            if !apart {
                home = Some(n);
                break;
            }
        }
        match home {
            Some(n) => groups[n].push(r),
            None => groups.push(vec![r]),
        }
    }
    Ok(groups)
}

/// Is there a write of the element that both reads are of, behind the first and before the second?
fn written_between(deps: &Deps, shared: &Shared, first: (usize, usize), last: (usize, usize), b: &Budget) -> Result<bool, Error> {
    // Outer iterators in the key have one value at both reads, and so at every instance between them in the order of the source.
    let outer = shared.key.iter().enumerate().take_while(|(n, k)| n == *k).count();
    let same_outer = |m: &Map| -> Result<Map, Error> {
        let mut m = m.clone();
        for k in 0..outer.min(m.dim(DimType::In)).min(m.dim(DimType::Out)) {
            m = m.equate(DimType::In, k, DimType::Out, k)?;
        }
        Ok(m)
    };
    // Are there no pairs of instances that read one element?
    let apart = |m: &Map| -> Result<bool, Error> {
        let mut m = m.clone();
        for &k in &shared.key {
            m = m.equate(DimType::In, k, DimType::Out, k)?;
        }
        Ok(m.is_empty(b)?)
    };
    // The first reader's own write, which no dependence leads to: it is of the same instance.
    for f in deps.memory.iter().filter(|f| f.kind == DepKind::Flow) {
        let ends = (f.target.0 as usize, f.target_access) == last && f.source.0 as usize == first.0;
        if ends && !apart(&f.relation)? {
            return Ok(true);
        }
    }
    let after = deps
        .memory
        .iter()
        .filter(|d| d.kind == DepKind::Anti && (d.source.0 as usize, d.source_access) == first);
    for d in after {
        let left = same_outer(&d.relation)?;
        if left.is_empty(b)? {
            continue;
        }
        let before = deps.memory.iter().filter(|f| {
            let ends = (f.target.0 as usize, f.target_access) == last;
            f.kind == DepKind::Flow && ends && f.source == d.target && f.source_access == d.target_access
        });
        for f in before {
            let right = same_outer(&f.relation)?;
            if !apart(&left.apply_range(&right)?)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Makes the copy of a group: its array, the statement that fills it, and the readers' accesses.
fn copy(
    (old, deps, out): (&Scop, &Deps, &mut Scop),
    function: &Function,
    shared: &Shared,
    group: &Readers,
    n: usize,
    b: &Budget,
) -> Result<Option<Placed>, Error> {
    let (s, a) = group[0];
    let (reader, access) = (&old.stmts[s], &old.stmts[s].accesses[a]);
    let source = &old[access.array];
    let ArrayKind::Root(root) = source.kind else { return Ok(None) };
    let value = function[shared.op].results[0];
    let Some(ops) = closure(reader, shared.op, function) else {
        return Ok(None);
    };
    let name = fresh(&format!("{}_read{n}", reader.name), |t| {
        old.stmts.iter().any(|s| s.name.as_str() == t)
    });
    let array_name = fresh(&format!("{}_copy{n}", source.name), |t| {
        out.arrays.iter().any(|x| x.name.as_str() == t)
    });
    let array = ArrayId(u32::try_from(out.arrays.len()).unwrap_or(u32::MAX));
    let elements = Tuple::named(array_name.clone(), shared.key.len());
    // Instances of the new statement: the keys of all readers; and where the first reader of each stands.
    let space = Space::set(
        reader.domain.space().params().iter().cloned(),
        Tuple::named(name.clone(), shared.key.len()),
    );
    let mut firsts: Option<Map> = None;
    let mut reads: Option<Map> = None;
    for &(s, a) in group {
        let stmt = &old.stmts[s];
        let to_key = projection(&stmt.domain, &shared.key)?.set_tuple_name(DimType::Out, Some(name.clone()));
        let back = to_key.reverse().set_tuple_name(DimType::Out, None);
        firsts = Some(match firsts {
            None => back,
            Some(m) => m.union(&back)?,
        });
        let element = to_key.reverse().apply_range(&stmt.accesses[a].relation)?;
        reads = Some(match reads {
            None => element,
            Some(m) => m.union(&element)?,
        });
    }
    let (Some(firsts), Some(reads)) = (firsts, reads) else {
        return Ok(None);
    };
    let domain = firsts.domain().coalesce(b)?;
    let at = first_of(&firsts, &domain, reader.iters.len(), b)?;
    let affs: Vec<_> = (0..shared.key.len())
        .map(|k| tilia_presburger::Aff::var(&space, DimType::Out, k))
        .collect();
    let write = MultiAff::new(&space, elements.clone(), &affs)?.as_map()?;
    out.arrays.push(Array {
        name: array_name,
        kind: ArrayKind::Copy(root),
        elem: source.elem,
        rank: shared.key.len(),
        live_out: None,
        loc: access.loc.clone(),
    });
    out.stmts.push(Stmt {
        name: name.clone(),
        kind: StmtKind::Plain,
        iters: shared.key.iter().map(|&k| reader.iters[k]).collect(),
        domain,
        ops,
        accesses: vec![
            Access {
                relation: reads.coalesce(b)?,
                ..access.clone()
            },
            Access {
                array,
                kind: AccessKind::Write,
                must: true,
                relation: write,
                source: AccessSource::Cell(value),
                loc: access.loc.clone(),
            },
        ],
        cell_writes: vec![(value, 1)],
        cell_reads: Vec::new(),
        reduction: None,
        loc: access.loc.clone(),
    });
    for &(s, a) in group {
        read_copy(&mut out.stmts[s], a, (array, &elements), shared, value)?;
    }
    let of_a_reader = |d: &&Dep| d.kind == DepKind::Flow && group.contains(&(d.target.0 as usize, d.target_access));
    Ok(Some(Placed {
        flow: deps.memory.iter().filter(of_a_reader).map(|d| d.relation.clone()).collect(),
        space,
        readers: group.iter().map(|&(s, _)| old.stmts[s].domain.space().clone()).collect(),
        at,
    }))
}

/// The reader takes the value from the copy.
fn read_copy(stmt: &mut Stmt, access: usize, (array, elements): (ArrayId, &Tuple), shared: &Shared, value: ValueId) -> Result<(), Error> {
    let space = stmt.domain.space();
    let affs: Vec<_> = shared
        .key
        .iter()
        .map(|&k| tilia_presburger::Aff::var(space, DimType::Out, k))
        .collect();
    let a = &mut stmt.accesses[access];
    a.relation = MultiAff::new(space, elements.clone(), &affs)?.as_map()?;
    a.array = array;
    a.source = AccessSource::Cell(value);
    stmt.ops.retain(|o| *o != shared.op);
    stmt.cell_reads.push((value, access));
    Ok(())
}

/// A name that isn't taken.
fn fresh(wanted: &str, taken: impl Fn(&str) -> bool) -> Id {
    let mut name = wanted.to_owned();
    while taken(&name) {
        name.push('_');
    }
    Id::new(name)
}
