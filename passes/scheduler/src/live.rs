//! Live ranges: false dependences that only keep the values of one location apart, and may be turned round with them.
//!
//! A *live range* is a write with the reads that find its value. Two live ranges of one location must not overlap, but either may come first: that the source's comes first is not demanded of a
//! temporary. Output and anti dependences between live ranges are therefore *conditional*: a row may turn one round where both ranges lie at single dates of it and of all rows outside (their flow
//! has distance zero there), for then all of one range comes before all of the other, whichever is first. In one band that must hold for all of its rows, since its loops may change places.
//!
//! What stays unconditional: flow itself; the order before a location's last live range, whose value outlives the scop (if the array does); the order after reads of what was there before the scop.
//!
//! After S. Verdoolaege and A. Cohen, "Live-Range Reordering" (IMPACT 2016). There a row is found first and judged afterwards; here rows with local ranges and rows that keep their order are both
//! sought, and the lesser objective decides. Locality is decided for *groups* of accesses, those that flow connects, not for single ranges.

use crate::edge::{Edge, Liveness};
use crate::value::visible;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tilia_diag::Remark;
use tilia_presburger::{Budget, Error, Map, Result, Set};
use tilia_scop::{AccessKind, ArrayId, ArrayKind, Dep, DepKind, Deps, Scop, StmtKind};

/// An access: statement and number.
type Site = (usize, usize);

/// The dependences in three parts, each with all dependences by number.
#[derive(Debug, Clone)]
pub(crate) struct Split {
    /// What must always hold and says nothing of live ranges.
    pub(crate) plain: Deps,
    /// Flow within live ranges.
    pub(crate) flow: Deps,
    /// Pairs from one live range to another.
    pub(crate) conditional: Deps,
    /// The groups of both ends of each dependence.
    groups: Vec<BTreeSet<usize>>,
}

/// Splits the dependences of a scop. Arrays whose live ranges aren't known exactly keep all of theirs as they are; where the budget is the reason, a remark says so.
///
/// # Errors
/// When the sets library gives up for another reason than its budget.
pub(crate) fn split(scop: &Scop, deps: &Deps, budget: &Budget) -> Result<(Split, Vec<Remark>)> {
    let none = || -> Vec<Dep> {
        let empty = |d: &Dep| Dep {
            relation: Map::empty(d.relation.space()),
            ..d.clone()
        };
        deps.memory.iter().map(empty).collect()
    };
    let only = |memory: Vec<Dep>| Deps { memory, flow: Vec::new() };
    let mut out = Split {
        plain: only(deps.memory.clone()),
        flow: only(none()),
        conditional: only(none()),
        groups: vec![BTreeSet::new(); deps.memory.len()],
    };
    let mut remarks = Vec::new();
    let mut count = 0;
    for (n, array) in (0u32..).zip(&scop.arrays) {
        let id = ArrayId(n);
        if !is_plain(scop, deps, id, budget)? {
            continue;
        }
        match of_array(scop, deps, id, budget) {
            Ok(parts) => count = out.take(parts, count),
            Err(Error::OutOfBudget) => {
                let message = format!("live ranges of {} keep their order: the budget ran out", array.name);
                remarks.push(Remark::declined("schedule", array.loc.clone(), message));
            }
            Err(e) => return Err(e),
        }
    }
    Ok((out, remarks))
}

/// Whether the live ranges of an array follow from its dependences: each access is certain and of one element, each statement reads before it writes and writes once, and no accumulation may change
/// its order.
fn is_plain(scop: &Scop, deps: &Deps, array: ArrayId, budget: &Budget) -> Result<bool> {
    let mut mine = deps.memory.iter().filter(|d| d.array == array).peekable();
    if mine.peek().is_none() || scop[array].kind == ArrayKind::World || mine.any(|d| scop.is_relaxable(d)) {
        return Ok(false);
    }
    for s in &scop.stmts {
        let touching = || s.accesses.iter().filter(|a| a.array == array);
        if touching().next().is_none() {
            continue;
        }
        if s.kind != StmtKind::Plain || touching().any(|a| !a.must) || touching().filter(|a| a.kind == AccessKind::Write).count() > 1 {
            return Ok(false);
        }
        for a in touching() {
            if !a.relation.is_single_valued(budget)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The parts of one array's dependence, by its number.
struct Part {
    number: usize,
    flow: Map,
    conditional: Map,
    plain: Map,
    ends: [Site; 2],
}

/// The dependences of an array in parts, and its sites in groups.
struct Parts {
    parts: Vec<Part>,
    group: BTreeMap<Site, usize>,
    groups: usize,
}

impl Split {
    /// Enters an array's parts; `first` groups are there already. How many there are then.
    fn take(&mut self, found: Parts, first: usize) -> usize {
        for p in found.parts {
            self.plain.memory[p.number].relation = p.plain;
            self.flow.memory[p.number].relation = p.flow;
            self.conditional.memory[p.number].relation = p.conditional;
            self.groups[p.number] = p.ends.iter().filter_map(|s| found.group.get(s)).map(|g| first + g).collect();
        }
        first + found.groups
    }

    /// What an edge of the flow, or of what is conditional, has to do with live ranges.
    pub(crate) fn liveness(&self, edge: &Edge, conditional: bool) -> Liveness {
        let groups = edge.deps.iter().flat_map(|&d| self.groups[d].iter().copied()).collect();
        if conditional {
            Liveness::Between(groups)
        } else {
            Liveness::Within(groups)
        }
    }
}

fn of_array(scop: &Scop, deps: &Deps, array: ArrayId, budget: &Budget) -> Result<Parts> {
    let mine: Vec<(usize, &Dep)> = deps.memory.iter().enumerate().filter(|(_, d)| d.array == array).collect();
    let source = |d: &Dep| (d.source.0 as usize, d.source_access);
    let target = |d: &Dep| (d.target.0 as usize, d.target_access);
    let mut flow: BTreeMap<usize, Map> = BTreeMap::new();
    for (n, d) in mine.iter().filter(|(_, d)| d.kind == DepKind::Flow) {
        if let Some(f) = visible(scop, deps, d, budget)? {
            flow.insert(*n, f);
        }
    }
    let outlives = match scop[array].kind {
        ArrayKind::Root(_) | ArrayKind::World => true,
        ArrayKind::Cell(_) => scop[array].live_out.is_some(),
        ArrayKind::Copy(_) => false,
    };
    // Writes that another one follows, reads of their values, and reads of any value of the scop.
    let mut inner: BTreeMap<Site, Set> = BTreeMap::new();
    let mut found: BTreeMap<Site, Set> = BTreeMap::new();
    let add = |all: &mut BTreeMap<Site, Set>, site: Site, set: Set| -> Result<()> {
        let sum = match all.get(&site) {
            Some(old) => old.union(&set)?,
            None => set,
        };
        all.insert(site, sum);
        Ok(())
    };
    for (_, d) in mine.iter().filter(|(_, d)| d.kind == DepKind::Output) {
        add(&mut inner, source(d), d.relation.domain())?;
    }
    let empty = |site: Site| Set::empty(scop.stmts[site.0].domain.space());
    for (n, f) in &flow {
        let d = &deps.memory[*n];
        add(&mut found, target(d), f.range())?;
        let overwritten = inner.get(&source(d)).cloned().unwrap_or_else(|| empty(source(d)));
        let read = f.intersect_domain(&overwritten)?.range();
        add(&mut inner, target(d), read)?;
    }
    let mut parts = Vec::new();
    for (n, d) in &mine {
        let own = flow.get(n).cloned().unwrap_or_else(|| Map::empty(d.relation.space()));
        let mut rest = d.relation.subtract(&own, budget)?;
        let all = rest.clone();
        if outlives {
            let before = inner.get(&target(d)).cloned().unwrap_or_else(|| empty(target(d)));
            rest = rest.intersect_range(&before)?;
        }
        if d.kind == DepKind::Anti {
            let known = found.get(&source(d)).cloned().unwrap_or_else(|| empty(source(d)));
            rest = rest.intersect_domain(&known)?;
        }
        let conditional = rest.drop_empty_pieces(budget)?.coalesce(budget)?;
        parts.push(Part {
            number: *n,
            plain: all.subtract(&conditional, budget)?.drop_empty_pieces(budget)?,
            flow: own,
            conditional,
            ends: [source(d), target(d)],
        });
    }
    let (group, groups) = grouped(&parts, flow.keys().copied().collect());
    Ok(Parts { parts, group, groups })
}

/// Sites in groups that flow connects, by number.
fn grouped(parts: &[Part], flow: BTreeSet<usize>) -> (BTreeMap<Site, usize>, usize) {
    let sites: Vec<Site> = parts.iter().flat_map(|p| p.ends).collect::<BTreeSet<_>>().into_iter().collect();
    let at = |s: &Site| sites.binary_search(s).unwrap_or(0);
    let nodes: Vec<usize> = (0..sites.len()).collect();
    let links = parts
        .iter()
        .filter(|p| flow.contains(&p.number))
        .map(|p| (at(&p.ends[0]), at(&p.ends[1])));
    let groups = crate::graph::components(&nodes, links);
    let mut out = BTreeMap::new();
    for (n, g) in groups.iter().enumerate() {
        out.extend(g.iter().map(|&s| (sites[s], n)));
    }
    (out, groups.len())
}

/// Most groups that are tried one by one.
const GROUPS: usize = 8;

/// Which groups of live ranges may be local in the next row of a band: the sets to be tried. The empty set keeps the order of all; it is missing where a row of the band has turned live ranges
/// round, which must stay local in the others. `edges` are those that the row has to respect; of all, those count that have moved, wherever that was.
pub(crate) fn choices(edges: &[&Edge], all: &[Arc<Edge>]) -> Vec<BTreeSet<usize>> {
    let (mut may, mut must) = (BTreeSet::new(), BTreeSet::new());
    for e in edges {
        if let Liveness::Between(groups) = &e.live {
            may.extend(groups.iter().copied());
            if e.turned {
                must.extend(groups.iter().copied());
            }
        }
    }
    for e in all.iter().filter(|e| e.moved) {
        if let Liveness::Within(groups) = &e.live {
            may.retain(|g| !groups.contains(g));
        }
    }
    let mut out = vec![must.clone()];
    if may.len() > must.len() {
        out.push(may.clone());
    }
    let single = may.len().saturating_sub(must.len());
    if (2..=GROUPS).contains(&single) {
        out.extend(may.difference(&must).map(|&g| {
            let mut one = must.clone();
            one.insert(g);
            one
        }));
    }
    out
}
