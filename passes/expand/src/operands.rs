//! Operands prepared before the loops that use them: packed, that is, copied into an array whose order suits these loops, with what is done to each element done once.
//!
//! ```text
//! for i, j, k: C[i][j] += alpha * A[i][k] * A[j][k]
//!   =>  for i, k: P[i][k] = alpha * A[i][k]
//!       for j, k: Q[k][j] = A[j][k]
//!       for i, j, k: C[i][j] += P[i][k] * Q[k][j]
//! ```
//!
//! # When
//! - Nothing in the scop writes the buffer (nor a scalar that an element is combined with), so a read finds the same value at any time; or nothing writes an element any more once the statement has begun
//!   to read it (a column of a factorisation that is done): by memory-based dependences, none leads from the read to a write, and no instance writes the element that it reads itself.
//! - The read is certain, unchecked, and its subscripts are different iterators of the statement, up to constants, and not all of them: each element is used by many instances.
//! - It pays: an instance computes something of this element and nothing else that moves, or walks across rows of the buffer along the iterator along which it writes neighbours.
//!
//! # Why the result is the same
//! A statement of the copy computes, for every element that an instance reads, what that instance would have computed, by the same operations: before all others, or, where the buffer is written,
//! right before the first instance that reads the element. Copies are arrays of the kind [`ArrayKind::Copy`], as those of temporaries.

use crate::Expansion;
use crate::last::loops_over;
use crate::live::Site;
use crate::private::moved;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use tilia_diag::Remark;
use tilia_presburger::{Aff, Budget, DimType, Error, Id, MultiAff, PwMultiAff, Result, Set, Tuple, UnionSet};
use tilia_program::{Access as Subscripts, AffineMap, Function, OpId, OpKind, PureOp, Type, ValueId};
use tilia_schedule::ScheduleTree;
use tilia_scop::{Access, AccessKind, AccessSource, Array, ArrayId, ArrayKind, DepKind, Deps, Scop, Stmt, StmtId, StmtKind};
use tilia_split::{Placed, first_of, with_copies_first};

/// Loops of a statement whose operands are prepared, at least: a copy costs two of them.
const LEAST_LOOPS: usize = 3;

/// An operand to be prepared.
#[derive(Debug)]
struct Plan {
    site: Site,
    load: OpId,
    /// What the statement goes on with: the element, or what is computed of it.
    value: ValueId,
    /// The operations from the loads to `value`, in order.
    ops: Vec<OpId>,
    /// Subscripts of the buffer in the order in which the copy has them, outermost first.
    order: Vec<usize>,
    /// The scop writes the buffer, each element before it is read here.
    written: bool,
}

/// Gives operands copies where that pays, by what stands in the module's documentation. Operations of the statements that make copies are made in `function`, in no block: they are only part of the new scop.
///
/// `deps` are the dependences of the scop.
///
/// # Errors
/// When the sets library gives up.
pub fn prepare(function: &mut Function, scop: &Scop, deps: &Deps, budget: &Budget) -> Result<Expansion> {
    let mut out = Expansion::default();
    let mut new = scop.clone();
    for (n, stmt) in (0u32..).zip(&scop.stmts) {
        if stmt.kind != StmtKind::Plain || stmt.iters.len() < LEAST_LOOPS {
            continue;
        }
        for k in 0..stmt.accesses.len() {
            let site = Site {
                stmt: StmtId(n),
                access: k,
            };
            let Some(plan) = plan(function, (scop, deps), site, budget)? else {
                continue;
            };
            let elements = stmt.domain.apply(&stmt.accesses[k].relation)?.coalesce(budget)?;
            if elements.bounding_box(budget)?.is_none() {
                continue;
            }
            let name = Id::new(format!("S{}", new.stmts.len()));
            let domain = elements.reset_tuple(DimType::Out, Tuple::named(name, elements.dim(DimType::Out)))?;
            let schedule = if plan.written {
                at_first_reader((scop, deps, &new), site, &domain, budget)
            } else {
                loops_over(&new.schedule, &domain, true)
            };
            match schedule {
                Ok(schedule) => {
                    new.schedule = schedule;
                    put(function, scop, &mut new, &plan, &domain, budget)?;
                    out.remarks.push(applied(scop, &plan));
                }
                Err(Error::Unsupported(why)) => out.remarks.push(declined(scop, site, &why)),
                Err(other) => return Err(other),
            }
        }
    }
    // Accesses whose operations are gone go last: their numbers are used until then.
    for stmt in &mut new.stmts {
        without_idle_accesses(stmt);
    }
    if new.arrays.len() > scop.arrays.len() {
        out.scop = Some(new);
    }
    Ok(out)
}

fn applied(scop: &Scop, plan: &Plan) -> Remark {
    let access = &scop[plan.site.stmt].accesses[plan.site.access];
    let turned = plan.order.iter().enumerate().any(|(n, &k)| n != k);
    let what = match (plan.ops.len() > 1, turned) {
        (true, true) => "with what is computed of each element, in another order of its dimensions",
        (true, false) => "with what is computed of each element",
        (false, _) => "in another order of its dimensions",
    };
    let when = if plan.written {
        "once nothing writes it any more"
    } else {
        "before the loops"
    };
    let message = format!("an operand is copied {when}, {what}: {}", scop[access.array].name);
    Remark::applied("pack", access.loc.clone(), message)
}

fn declined(scop: &Scop, site: Site, why: &str) -> Remark {
    let access = &scop[site.stmt].accesses[site.access];
    let message = format!("an operand isn't copied: {}: {why}", scop[access.array].name);
    Remark::declined("pack", access.loc.clone(), message)
}

/// Whether no element that an instance has read at the site is written from then on, not by that instance either: all that the site reads is final.
fn final_when_read(scop: &Scop, deps: &Deps, site: Site, budget: &Budget) -> Result<bool> {
    let stmt = &scop[site.stmt];
    let read = &stmt.accesses[site.access];
    let anti = |d: &tilia_scop::Dep| d.kind == DepKind::Anti && d.source == site.stmt && d.source_access == site.access;
    if !matches!(scop[read.array].kind, ArrayKind::Root(_)) || deps.memory.iter().any(anti) {
        return Ok(false);
    }
    // Dependences lead from one instance to another. One that reads the element and then writes it would be the first reader, and the copy, made before it, stale for all others.
    let found = read.relation.intersect_domain(&stmt.domain)?;
    for write in stmt
        .accesses
        .iter()
        .filter(|a| a.kind == AccessKind::Write && a.array == read.array)
    {
        if !found.intersect(&write.relation)?.is_empty(budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The tree with the instances of the copy's statement each right before the first one that reads the element at the site. Instances that write the element come before all that read it, so before that one.
fn at_first_reader((scop, deps, new): (&Scop, &Deps, &Scop), site: Site, domain: &Set, budget: &Budget) -> Result<ScheduleTree> {
    let reader = &scop[site.stmt];
    let access = &reader.accesses[site.access];
    let readers = access.relation.intersect_domain(&reader.domain)?.reverse();
    let name = domain.space().tuple_name(DimType::Out).cloned();
    let firsts = readers.set_tuple_name(DimType::In, name).set_tuple_name(DimType::Out, None);
    let reads = |d: &&tilia_scop::Dep| d.kind == DepKind::Flow && d.target == site.stmt && d.target_access == site.access;
    let trees = |e: tilia_split::Error| match e {
        tilia_split::Error::Sets(e) => e,
        tilia_split::Error::Tree(e) => Error::Unsupported(e.to_string()),
    };
    let placed = Placed {
        space: domain.space().clone(),
        readers: vec![reader.domain.space().clone()],
        at: first_of(&firsts, domain, reader.iters.len(), budget).map_err(trees)?,
        flow: deps.memory.iter().filter(reads).map(|d| d.relation.clone()).collect(),
    };
    let all = UnionSet::from_members(new.stmts.iter().map(|s| &s.domain).chain([domain]))?;
    with_copies_first(&new.schedule, all, &[placed], budget).map_err(trees)
}

/// Whether nothing in the scop writes to the array, or may.
fn only_read(scop: &Scop, array: ArrayId) -> bool {
    matches!(scop[array].kind, ArrayKind::Root(_))
        && !scop
            .stmts
            .iter()
            .flat_map(|s| &s.accesses)
            .any(|a| a.array == array && (a.kind == AccessKind::Write || !a.must))
}

fn plan(function: &Function, (scop, deps): (&Scop, &Deps), site: Site, budget: &Budget) -> Result<Option<Plan>> {
    let stmt = &scop[site.stmt];
    let access = &stmt.accesses[site.access];
    let rank = scop[access.array].rank;
    if access.kind != AccessKind::Read || rank == 0 || rank >= stmt.iters.len() {
        return Ok(None);
    }
    let constant = only_read(scop, access.array);
    if !constant && !final_when_read(scop, deps, site, budget)? {
        return Ok(None);
    }
    let Some((load, element)) = moved(function, scop, site) else {
        return Ok(None);
    };
    let Some(iterators) = iterators(access, budget)? else {
        return Ok(None);
    };
    let (value, ops) = computed(function, scop, stmt, (load, element));
    // Neighbours are written along one iterator; along that, the copy's elements are to be neighbours, too.
    let written = stmt.accesses.iter().find(|a| a.kind == AccessKind::Write && scop[a.array].rank > 0);
    let along = match written {
        Some(w) => iterators_of_last(w, budget)?,
        None => None,
    };
    let mut order: Vec<usize> = (0..rank).collect();
    if let Some(at) = along.and_then(|v| iterators.iter().position(|&i| i == v)) {
        let moved = order.remove(at);
        order.push(moved);
    }
    let turned = order.iter().enumerate().any(|(n, &k)| n != k);
    // A changed sign costs a multiply-add nothing.
    let works = |op: &OpId| matches!(&function[*op].kind, OpKind::Pure(p, _) if *p != PureOp::NegF);
    Ok((turned || ops.iter().any(works)).then_some(Plan {
        site,
        load,
        value,
        ops,
        order,
        written: !constant,
    }))
}

/// The iterator that each subscript is, up to a constant; `None` where they aren't all different iterators.
fn iterators(access: &Access, budget: &Budget) -> Result<Option<Vec<usize>>> {
    let function = PwMultiAff::from_map(&access.relation, budget)?;
    let [(_, subscripts)] = function.pieces() else { return Ok(None) };
    let found: Option<Vec<usize>> = subscripts.affs().iter().map(iterator).collect();
    Ok(found.filter(|f| f.iter().collect::<BTreeSet<_>>().len() == f.len()))
}

fn iterators_of_last(access: &Access, budget: &Budget) -> Result<Option<usize>> {
    let function = PwMultiAff::from_map(&access.relation, budget)?;
    let [(_, subscripts)] = function.pieces() else { return Ok(None) };
    Ok(subscripts.affs().last().and_then(iterator))
}

/// The iterator that a subscript is, up to a constant.
fn iterator(aff: &Aff) -> Option<usize> {
    match &aff.terms()[..] {
        [
            tilia_presburger::Term::Dim {
                kind: DimType::Out | DimType::In,
                pos,
                coefficient,
            },
        ] if coefficient.to_i64() == Some(1) => Some(*pos),
        _ => None,
    }
}

/// What a statement makes of an element and of nothing else that moves: the value with which everything else goes on, and the operations that make it, loads included.
fn computed(function: &Function, scop: &Scop, stmt: &Stmt, (load, element): (OpId, ValueId)) -> (ValueId, Vec<OpId>) {
    let fixed_load = |op: &OpId| {
        let of = stmt.accesses.iter().find(|a| a.source == AccessSource::Op(*op));
        of.is_some_and(|a| scop[a.array].rank == 0 && only_read(scop, a.array)) && !scop.checked_ops.contains(op)
    };
    let mut fixed: BTreeSet<ValueId> = BTreeSet::new();
    let mut own: BTreeSet<ValueId> = BTreeSet::from([element]);
    let made: BTreeSet<ValueId> = stmt.ops.iter().flat_map(|&op| function[op].results.iter().copied()).collect();
    let reads: BTreeSet<ValueId> = stmt.cell_reads.iter().map(|r| r.0).chain(stmt.iters.iter().copied()).collect();
    let outside = |v: &ValueId| !made.contains(v) && !reads.contains(v);
    for &op in &stmt.ops {
        let operation = &function[op];
        let known = |v: &ValueId| outside(v) || fixed.contains(v);
        let still = match &operation.kind {
            OpKind::Load(_) => fixed_load(&op),
            OpKind::Constant(_) => true,
            OpKind::Pure(..) => operation.operands.iter().all(known),
            _ => false,
        };
        if still {
            fixed.extend(&operation.results);
            continue;
        }
        let mine = |v: &ValueId| own.contains(v) || outside(v) || fixed.contains(v);
        let one = matches!(operation.kind, OpKind::Pure(..)) && operation.operands.iter().all(mine);
        if one && operation.results.len() == 1 {
            own.extend(&operation.results);
        }
    }
    // Where the chain of such values ends: one value alone is used by others.
    let leaves = |v: &ValueId| {
        let uses = stmt.ops.iter().filter(|&&op| function[op].operands.contains(v));
        uses.clone().any(|&op| function[op].results.iter().all(|r| !own.contains(r))) || stmt.cell_writes.iter().any(|w| w.0 == *v)
    };
    let ends: Vec<ValueId> = own.iter().copied().filter(leaves).collect();
    let value = match ends[..] {
        [end] => end,
        _ => element,
    };
    let mut needed = BTreeSet::from([value]);
    let mut ops = Vec::new();
    for &op in stmt.ops.iter().rev() {
        if function[op].results.iter().any(|r| needed.contains(r)) {
            needed.extend(&function[op].operands);
            ops.push(op);
        }
    }
    ops.reverse();
    let number = matches!(function[value].ty, Type::Scalar(_));
    if number { (value, ops) } else { (element, vec![load]) }
}

/// Adds the array and the statement that fills it, whose instances are `domain`, and lets the operand's statement read it.
fn put(function: &mut Function, scop: &Scop, new: &mut Scop, plan: &Plan, domain: &Set, budget: &Budget) -> Result<()> {
    let access = scop[plan.site.stmt].accesses[plan.site.access].clone();
    let source = &scop[access.array];
    let rank = source.rank;
    let Some(elem) = function[plan.value].ty.element() else {
        return Err(Error::Unsupported("an operand that isn't a number".to_owned()));
    };
    let ArrayKind::Root(root) = source.kind else {
        return Err(Error::Unsupported("a copy of something that isn't a buffer".to_owned()));
    };
    let copy = ArrayId(u32::try_from(new.arrays.len()).unwrap_or(u32::MAX));
    let copy_name = Id::new(format!("{}_p{}", source.name, new.arrays.len() - scop.arrays.len()));
    let copy_tuple = Tuple::named(copy_name.clone(), rank);
    new.arrays.push(Array {
        name: copy_name,
        kind: ArrayKind::Copy(root),
        elem,
        rank,
        live_out: None,
        loc: source.loc.clone(),
    });
    // The statement that fills it, an instance for each element of the buffer.
    let Some(name) = domain.space().tuple_name(DimType::Out).cloned() else {
        return Err(Error::Unsupported("a statement without a name".to_owned()));
    };
    let space = domain.space().clone();
    let here: Vec<Aff> = (0..rank).map(|k| Aff::var(&space, DimType::Out, k)).collect();
    let turned: Vec<Aff> = plan.order.iter().map(|&k| here[k].clone()).collect();
    let relation = |tuple: Tuple, subs: &[Aff]| PwMultiAff::alloc(domain, &MultiAff::new(&space, tuple, subs)?)?.as_map();
    let loc = access.loc.clone();
    let made = |array, kind, relation, source| Access {
        array,
        kind,
        must: true,
        relation,
        source,
        loc: loc.clone(),
    };
    let region = function.new_region();
    let block = function.new_block(region, &vec![Type::INDEX; rank]);
    let iters: Vec<ValueId> = function[block].args.clone();
    let mut values: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    let mut ops = Vec::new();
    let mut accesses = Vec::new();
    for &op in &plan.ops {
        let old = function[op].clone();
        let types: Vec<Type> = old.results.iter().map(|&v| function[v].ty.clone()).collect();
        let (kind, operands) = if op == plan.load {
            let map = AffineMap::identity(u32::try_from(rank).unwrap_or(u32::MAX));
            let whole = OpKind::Load(Subscripts { map, checked: false });
            (whole, std::iter::once(root).chain(iters.iter().copied()).collect())
        } else {
            let operands = old.operands.iter().map(|v| values.get(v).copied().unwrap_or(*v)).collect();
            (old.kind.clone(), operands)
        };
        let now = function.new_op(kind, operands, &types, old.loc.clone());
        if let OpKind::Load(_) = old.kind {
            let of = scop[plan.site.stmt].accesses.iter().find(|a| a.source == AccessSource::Op(op));
            let Some(of) = of else {
                return Err(Error::Unsupported("a load that is no access".to_owned()));
            };
            let subs = if op == plan.load { &here[..] } else { &[] };
            let tuple = Tuple::named(scop[of.array].name.clone(), scop[of.array].rank);
            accesses.push(made(of.array, AccessKind::Read, relation(tuple, subs)?, AccessSource::Op(now)));
        }
        for (was, is) in old.results.iter().zip(function[now].results.clone()) {
            values.insert(*was, is);
        }
        ops.push(now);
    }
    let Some(&value) = values.get(&plan.value) else {
        return Err(Error::Unsupported("an operand that nothing makes".to_owned()));
    };
    accesses.push(made(
        copy,
        AccessKind::Write,
        relation(copy_tuple.clone(), &turned)?,
        AccessSource::Cell(value),
    ));
    let cell_writes = vec![(value, accesses.len() - 1)];
    new.stmts.push(Stmt {
        name,
        kind: StmtKind::Plain,
        iters,
        domain: domain.clone(),
        ops,
        accesses,
        cell_writes,
        cell_reads: Vec::new(),
        reduction: None,
        loc: loc.clone(),
    });
    // The statement that uses it.
    let old = PwMultiAff::from_map(&access.relation, budget)?;
    let [(known, subscripts)] = old.pieces() else {
        return Err(Error::Unsupported("an access that isn't one function".to_owned()));
    };
    let subs: Vec<Aff> = plan.order.iter().map(|&k| subscripts.get(k).clone()).collect();
    let from = MultiAff::new(subscripts.domain_space(), copy_tuple, &subs)?;
    let from = PwMultiAff::alloc(known, &from)?.as_map()?;
    let stmt = &mut new.stmts[plan.site.stmt.0 as usize];
    let read = &mut stmt.accesses[plan.site.access];
    read.array = copy;
    read.relation = from;
    read.source = AccessSource::Cell(plan.value);
    stmt.cell_reads.push((plan.value, plan.site.access));
    without_idle_operations(function, stmt);
    Ok(())
}

/// Drops operations whose results nothing uses any more, or that are read from a cell.
fn without_idle_operations(function: &Function, stmt: &mut Stmt) {
    let given: BTreeSet<ValueId> = stmt.cell_reads.iter().map(|r| r.0).collect();
    let mut needed: BTreeSet<ValueId> = stmt.cell_writes.iter().map(|w| w.0).collect();
    let mut kept = Vec::new();
    for &op in stmt.ops.iter().rev() {
        let operation = &function[op];
        let wanted = operation.results.iter().any(|r| needed.contains(r) && !given.contains(r));
        if wanted || matches!(operation.kind, OpKind::Store(_)) {
            needed.extend(&operation.operands);
            kept.push(op);
        }
    }
    kept.reverse();
    stmt.ops = kept;
}

/// Drops accesses by operations that are gone.
fn without_idle_accesses(stmt: &mut Stmt) {
    let stays = |a: &Access| !matches!(a.source, AccessSource::Op(op) if !stmt.ops.contains(&op));
    if stmt.kind != StmtKind::Plain || stmt.accesses.iter().all(stays) {
        return;
    }
    let mut numbers = Vec::new();
    let mut next = 0;
    for a in &stmt.accesses {
        numbers.push(next);
        next += usize::from(stays(a));
    }
    let accesses: Vec<Access> = stmt.accesses.iter().filter(|a| stays(a)).cloned().collect();
    stmt.accesses = accesses;
    for (_, n) in stmt.cell_reads.iter_mut().chain(&mut stmt.cell_writes) {
        *n = numbers[*n];
    }
    if let Some(r) = &mut stmt.reduction {
        r.read = numbers[r.read];
        r.write = numbers[r.write];
    }
}
