//! The scop with copies.

use crate::last::{Last, last_values, write_back};
use crate::live::{Site, ranges, sites, uncovered};
use crate::loops::{carries, common, ordered_by_storage, private};
use crate::private::{Users, moved};
use std::collections::BTreeMap;
use tilia_deps::array_flow;
use tilia_diag::Remark;
use tilia_presburger::{Aff, Budget, DimType, Error, Id, Int, Map, MultiAff, PwMultiAff, Result, Tuple};
use tilia_program::{Function, ValueId};
use tilia_scop::{AccessKind, AccessSource, Array, ArrayId, ArrayKind, COPY_BYTES, Dep, DepKind, Deps, Scop};

/// Which buffers get copies.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'a> {
    /// Names of arrays of the scop; `*` stands for all that are private.
    pub names: &'a [String],
    /// Whether it was asked for: then what can't be expanded is declined with a remark.
    pub asked: bool,
    /// Values of parameters, where they are known, to see how much memory copies take.
    pub values: &'a BTreeMap<Id, i64>,
}

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Expansion {
    /// The scop with copies in the place of buffers; `None` if none gets any.
    pub scop: Option<Scop>,
    /// What was done and what was declined.
    pub remarks: Vec<Remark>,
}

/// One live range and the loops that its copy has as dimensions.
#[derive(Debug)]
pub(crate) struct Copy {
    pub(crate) array: ArrayId,
    pub(crate) sites: Vec<Site>,
    pub(crate) loops: Vec<usize>,
}

/// Gives private live ranges copies of their own, where storage orders more than values do. `deps` are the memory-based dependences. Operations that write last values back are made in
/// `function`, in no block: they are only part of the new scop.
///
/// # Errors
/// When the sets library gives up for another reason than its budget; that leaves a buffer as it is, with a remark.
pub fn expand(function: &mut Function, scop: &Scop, deps: &Deps, wish: &Wish<'_>, budget: &Budget) -> Result<Expansion> {
    let users = Users::of(function);
    let mut out = Expansion::default();
    for name in wish.names.iter().filter(|w| *w != "*") {
        if !scop.arrays.iter().any(|a| a.name.as_str() == name) {
            let message = format!("the scop has no array {name} to be expanded");
            out.remarks.push(Remark::declined("expand", scop.loc.clone(), message));
        }
    }
    let mut plans = Vec::new();
    for (n, array) in (0u32..).zip(&scop.arrays) {
        let named = wish.names.iter().any(|w| w == array.name.as_str());
        let wanted = named || wish.names.iter().any(|w| w == "*");
        let id = ArrayId(n);
        if !wanted || !matches!(array.kind, ArrayKind::Root(_)) {
            continue;
        }
        if !promising(scop, deps, id, budget)? {
            if named {
                let message = format!("{} gets no copies: its storage alone orders no iterations", array.name);
                out.remarks.push(Remark::declined("expand", array.loc.clone(), message));
            }
            continue;
        }
        let local = users.is_local(function, scop, id);
        let found = match plan(function, scop, deps, (id, local), budget) {
            Err(Error::OutOfBudget) => Err("the budget ran out".to_owned()),
            other => other?,
        };
        match found {
            Ok(found) => plans.extend(found),
            // Of all arrays only those that look like temporaries are worth a word.
            Err(why) if named || (wish.asked && local) => {
                let message = format!("{} gets no copies: {why}", array.name);
                out.remarks.push(Remark::declined("expand", array.loc.clone(), message));
            }
            Err(_) => {}
        }
    }
    keep_useful(scop, deps, &mut plans, budget)?;
    let mut expanded = scop.clone();
    for plan in &plans {
        let last = if plan.local {
            Ok(Vec::new())
        } else {
            match last_values(scop, deps, plan.array, &plan.copies, budget) {
                Err(Error::OutOfBudget) => Err("the budget ran out".to_owned()),
                other => other?,
            }
        };
        match last {
            Ok(last) => out
                .remarks
                .extend(replaced(function, scop, (plan, &last), &mut expanded, wish, budget)?),
            Err(why) => {
                let array = &scop[plan.array];
                let message = format!("{} gets no copies: {why}", array.name);
                out.remarks.push(Remark::declined("expand", array.loc.clone(), message));
            }
        }
    }
    if expanded.arrays.len() > scop.arrays.len() {
        out.scop = Some(expanded);
    }
    Ok(out)
}

/// A buffer with its live ranges.
#[derive(Debug)]
struct Plan {
    array: ArrayId,
    copies: Vec<Copy>,
    /// Whether nobody uses its last values.
    local: bool,
}

/// Whether it is worth to look closer: storage orders iterations of a loop around some of its accesses that, for whole arrays, nothing but the array's own accesses order.
fn promising(scop: &Scop, deps: &Deps, array: ArrayId, budget: &Budget) -> Result<bool> {
    let mine: Vec<&Dep> = deps.memory.iter().filter(|d| d.array == array).collect();
    if !mine.iter().any(|d| d.kind != DepKind::Flow) {
        return Ok(false);
    }
    if scop[array].rank == 0 {
        return Ok(true);
    }
    let rest: Vec<&Dep> = deps.memory.iter().filter(|d| d.array != array).collect();
    let mut nests: Vec<(Option<ValueId>, Vec<Site>)> = Vec::new();
    for s in sites(scop, array) {
        let outermost = scop[s.stmt].iters.first().copied();
        match nests.iter_mut().find(|(o, _)| *o == outermost) {
            Some((_, list)) => list.push(s),
            None => nests.push((outermost, vec![s])),
        }
    }
    for (_, sites) in nests {
        let loops = common(scop, &sites);
        let all: Vec<usize> = (0..loops.len()).collect();
        for k in ordered_by_storage(&sites, &deps.memory, &all, budget)? {
            if !carries(scop, &loops, k, &rest, budget)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The live ranges of an array, each with the loops that its copy should have; or why it has none that could get one.
fn plan(
    function: &Function,
    scop: &Scop,
    deps: &Deps,
    (array, local): (ArrayId, bool),
    budget: &Budget,
) -> Result<std::result::Result<Option<Plan>, String>> {
    let all = sites(scop, array);
    for s in &all {
        let access = &scop[s.stmt].accesses[s.access];
        let function_of_instance = || -> Result<bool> { Ok(PwMultiAff::from_map(&access.relation, budget)?.pieces().len() == 1) };
        let certain = moved(function, scop, *s).is_some();
        if !certain || !access.relation.is_single_valued(budget)? || !function_of_instance()? {
            return Ok(Err(format!("an access at {} isn't certain, or not to one element", access.loc)));
        }
    }
    let flow = array_flow(scop, array, budget)?;
    if let Some(site) = uncovered(scop, &all, &flow, budget)? {
        let loc = &scop[site.stmt].accesses[site.access].loc;
        return Ok(Err(format!("the read at {loc} may find a value from before the scop")));
    }
    let mut copies = Vec::new();
    for sites in ranges(&all, &flow) {
        let shared = common(scop, &sites).len();
        let agreeing = private(&sites, &flow, shared, budget)?;
        let loops = ordered_by_storage(&sites, &deps.memory, &agreeing, budget)?;
        copies.push(Copy { array, sites, loops });
    }
    if copies.len() < 2 && copies.iter().all(|c| c.loops.is_empty()) {
        return Ok(Ok(None));
    }
    Ok(Ok(Some(Plan { array, copies, local })))
}

/// Drops dimensions of copies of whole arrays along loops that something else serialises, and plans that change nothing.
fn keep_useful(scop: &Scop, deps: &Deps, plans: &mut Vec<Plan>, budget: &Budget) -> Result<()> {
    let covered: Vec<ArrayId> = plans.iter().map(|p| p.array).collect();
    let rest: Vec<&Dep> = deps.memory.iter().filter(|d| !covered.contains(&d.array)).collect();
    for plan in plans.iter_mut().filter(|p| scop[p.array].rank > 0) {
        for copy in &mut plan.copies {
            let loops = common(scop, &copy.sites);
            let mut kept = Vec::new();
            for &k in &copy.loops {
                if !carries(scop, &loops, k, &rest, budget)? {
                    kept.push(k);
                }
            }
            copy.loops = kept;
        }
    }
    // To tell live ranges apart costs nothing for single numbers.
    plans.retain(|p| p.copies.iter().any(|c| !c.loops.is_empty()) || (scop[p.array].rank == 0 && p.copies.len() > 1));
    Ok(())
}

/// Replaces the accesses of a buffer by those of its copies.
fn replaced(
    function: &mut Function,
    scop: &Scop,
    (plan, last): (&Plan, &[Last]),
    expanded: &mut Scop,
    wish: &Wish<'_>,
    budget: &Budget,
) -> Result<Vec<Remark>> {
    let array = &scop[plan.array];
    let ArrayKind::Root(root) = array.kind else {
        return Err(Error::Unsupported("a copy of something that isn't a buffer".to_owned()));
    };
    let mut made = Vec::new();
    for (n, copy) in plan.copies.iter().enumerate() {
        let name = Id::new(format!("{}_{n}", array.name));
        let rank = copy.loops.len() + array.rank;
        let mut relations = Vec::new();
        for s in &copy.sites {
            relations.push(relation(scop, *s, &copy.loops, &Tuple::named(name.clone(), rank), budget)?);
        }
        if let Some(bytes) = bytes(scop, copy, &relations, wish.values, budget)?.filter(|b| *b > COPY_BYTES) {
            let message = format!("{} gets no copies: they would take {bytes} bytes", array.name);
            return Ok(vec![Remark::declined("expand", array.loc.clone(), message)]);
        }
        made.push((name, rank, relations));
    }
    let mut remarks = Vec::new();
    let first = expanded.arrays.len();
    for (copy, (name, rank, relations)) in plan.copies.iter().zip(made) {
        let id = ArrayId(u32::try_from(expanded.arrays.len()).unwrap_or(u32::MAX));
        expanded.arrays.push(Array {
            name,
            kind: ArrayKind::Copy(root),
            elem: array.elem,
            rank,
            live_out: None,
            loc: array.loc.clone(),
        });
        for (s, relation) in copy.sites.iter().zip(relations) {
            let Some((op, value)) = moved(function, scop, *s) else { continue };
            let stmt = &mut expanded.stmts[s.stmt.0 as usize];
            let access = &mut stmt.accesses[s.access];
            access.array = id;
            access.relation = relation;
            access.source = AccessSource::Cell(value);
            let list = match access.kind {
                AccessKind::Read => &mut stmt.cell_reads,
                AccessKind::Write => &mut stmt.cell_writes,
            };
            list.push((value, s.access));
            stmt.ops.retain(|o| *o != op);
        }
        remarks.push(applied(scop, copy));
    }
    for last in last {
        let copy = ArrayId(u32::try_from(first + last.copy).unwrap_or(u32::MAX));
        write_back(function, expanded, (plan.array, copy), last)?;
    }
    Ok(remarks)
}

fn applied(scop: &Scop, copy: &Copy) -> Remark {
    let array = &scop[copy.array];
    let loops = common(scop, &copy.sites);
    let what = if copy.loops.is_empty() {
        "one of its own for these statements".to_owned()
    } else {
        let places: Vec<String> = copy.loops.iter().map(|&k| place(scop, loops[k])).collect();
        format!("one for each iteration of {}", places.join(" and "))
    };
    Remark::applied("expand", array.loc.clone(), format!("{} gets copies: {what}", array.name))
}

fn place(scop: &Scop, iterator: ValueId) -> String {
    let loc = scop.loops.iter().find(|(v, _)| *v == iterator).map(|(_, l)| l);
    loc.map_or_else(|| "a loop".to_owned(), |l| format!("the loop at {l}"))
}

/// The access relation of a copy: the iterators of the loops, then the buffer's own subscripts.
fn relation(scop: &Scop, site: Site, loops: &[usize], tuple: &Tuple, budget: &Budget) -> Result<Map> {
    let old = PwMultiAff::from_map(&scop[site.stmt].accesses[site.access].relation, budget)?;
    let [(domain, subscripts)] = old.pieces() else {
        return Err(Error::Unsupported("an access that isn't one function".to_owned()));
    };
    let space = subscripts.domain_space();
    let mut all: Vec<Aff> = loops.iter().map(|&k| Aff::var(space, DimType::Out, k)).collect();
    all.extend(subscripts.affs().iter().cloned());
    let new = MultiAff::new(space, tuple.clone(), &all)?;
    PwMultiAff::alloc(domain, &new)?.as_map()
}

/// Bytes of the box of elements that a copy needs, where all parameters that it depends on are known.
fn bytes(scop: &Scop, copy: &Copy, relations: &[Map], values: &BTreeMap<Id, i64>, budget: &Budget) -> Result<Option<Int>> {
    let mut limits: Option<Vec<(Int, Int)>> = None;
    for (s, relation) in copy.sites.iter().zip(relations) {
        let mut image = scop[s.stmt].domain.intersect_params(&scop.context)?.apply(relation)?;
        for (p, name) in image.space().params().to_vec().iter().enumerate() {
            if let Some(&v) = values.get(name) {
                image = image.fix(DimType::Param, p, Int::from(v))?;
            }
        }
        let Some(found) = image.bounding_box(budget)? else { continue };
        let mut now = Vec::new();
        for limit in found {
            let (Some(low), Some(high)) = limit else { return Ok(None) };
            now.push((low, high));
        }
        limits = Some(match limits {
            None => now,
            Some(old) => old.into_iter().zip(now).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).collect(),
        });
    }
    let elements = |l: Vec<(Int, Int)>| l.iter().fold(Int::ONE, |n, (low, high)| n * (high - low + Int::ONE));
    Ok(limits.map(|l| elements(l) * Int::from(scop[copy.array].elem.bytes())))
}
