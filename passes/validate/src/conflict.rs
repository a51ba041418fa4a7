//! Pairs of instances whose order matters, from accesses and the source's order alone.
//!
//! The original tree is flattened to one time vector a statement; a pair conflicts when both touch one element, one writes, and the first one's time is
//! lexicographically smaller.

use rustc_hash::FxHashMap;
use tilia_presburger::{Aff, Budget, Error, Int, Map, PwAff, Result, Set, Space, Tuple};
use tilia_schedule::{Node, NodeKind, ScheduleTree};
use tilia_scop::{AccessKind, ArrayId, Scop};

/// Pairs of instances of two statements that touch one array in an order that must be kept.
#[derive(Debug, Clone)]
pub(crate) struct Conflict {
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) array: ArrayId,
    pub(crate) pairs: Map,
}

/// A tree that only the general algorithms can read.
pub(crate) fn unsupported(what: &str) -> Error {
    Error::Unsupported(format!("a schedule tree with a {what} node"))
}

/// Relation from the instances of each statement to their times, all of one length.
fn times(scop: &Scop, tree: &ScheduleTree) -> Result<Vec<Map>> {
    let mut parts: Vec<(usize, Set, Vec<PwAff>)> = Vec::new();
    let start: Vec<(usize, Set, Vec<PwAff>)> = scop
        .stmts
        .iter()
        .enumerate()
        .map(|(n, s)| (n, s.domain.clone(), Vec::new()))
        .collect();
    flatten(tree.root(), start, &mut parts)?;
    let length = parts.iter().map(|(_, _, t)| t.len()).max().unwrap_or(0);
    let mut out: FxHashMap<usize, Map> = FxHashMap::default();
    for (n, domain, mut time) in parts {
        time.resize(length, constant(domain.space(), 0));
        let map = graph(&time, domain.space())?.intersect_domain(&domain)?;
        let all = match out.remove(&n) {
            Some(m) => m.union(&map)?,
            None => map,
        };
        out.insert(n, all);
    }
    let nothing = |s: &Set| Map::empty(&s.space().map_to_tuple(Tuple::anonymous(length)));
    Ok(scop
        .stmts
        .iter()
        .enumerate()
        .map(|(n, s)| out.remove(&n).unwrap_or_else(|| nothing(&s.domain)))
        .collect())
}

fn constant(space: &Space, value: usize) -> PwAff {
    PwAff::from_aff(&Aff::constant(space, Int::from(value)))
}

/// The relation from instances to the tuple of values.
fn graph(values: &[PwAff], space: &Space) -> Result<Map> {
    let mut out = Map::universe(&space.map_to_tuple(Tuple::anonymous(0)));
    for v in values {
        out = out.flat_range_product(&Map::from_pw_aff(v)?)?;
    }
    Ok(out)
}

fn flatten(node: &Node, reaching: Vec<(usize, Set, Vec<PwAff>)>, out: &mut Vec<(usize, Set, Vec<PwAff>)>) -> Result<()> {
    let mut reaching = reaching;
    match node.kind() {
        NodeKind::Leaf => {
            out.extend(reaching);
            return Ok(());
        }
        NodeKind::Sequence => {
            for (n, child) in node.children().iter().enumerate() {
                let mut inside = reaching.clone();
                inside.iter_mut().for_each(|(_, set, time)| time.push(constant(set.space(), n)));
                flatten(child, inside, out)?;
            }
            return Ok(());
        }
        NodeKind::Domain(keep) | NodeKind::Filter(keep) => {
            let mut kept = Vec::new();
            for (n, set, time) in reaching {
                if let Some(k) = keep.find(set.space()) {
                    kept.push((n, set.intersect(k)?, time));
                }
            }
            reaching = kept;
        }
        NodeKind::Band(band) => {
            for member in &band.members {
                for (_, set, time) in &mut reaching {
                    time.push(
                        member
                            .func
                            .extract(set.space())
                            .cloned()
                            .ok_or_else(|| unsupported("partial band"))?,
                    );
                }
            }
        }
        NodeKind::Mark(_) | NodeKind::Context(_) | NodeKind::Guard(_) => {}
        kind => return Err(unsupported(kind.name())),
    }
    node.children().iter().try_for_each(|c| flatten(c, reaching.clone(), out))
}

/// All conflicts of a scop.
pub(crate) fn conflicts(scop: &Scop, budget: &Budget) -> Result<Vec<Conflict>> {
    let times = times(scop, &scop.schedule)?;
    let mut out = Vec::new();
    let Some(first) = times.first() else { return Ok(out) };
    let earlier = Map::lex_lt(&first.space().range());
    for source in 0..scop.stmts.len() {
        let later = times[source].apply_range(&earlier)?;
        for target in 0..scop.stmts.len() {
            let touching = touching(scop, source, target)?;
            if touching.is_empty() {
                continue;
            }
            let before = later.apply_range(&times[target].reverse())?;
            for (array, touch) in touching {
                let pairs = touch
                    .intersect(&before)?
                    .intersect_params(&scop.context)?
                    .drop_empty_pieces(budget)?;
                if !pairs.plain_is_empty() {
                    out.push(Conflict {
                        source,
                        target,
                        array,
                        pairs,
                    });
                }
            }
        }
    }
    Ok(out)
}

/// For each array, the pairs of instances of two statements that touch one element, one of them writing.
fn touching(scop: &Scop, source: usize, target: usize) -> Result<Vec<(ArrayId, Map)>> {
    let (s, t) = (&scop.stmts[source], &scop.stmts[target]);
    let mut out: Vec<(ArrayId, Map)> = Vec::new();
    for a in &s.accesses {
        for b in t
            .accesses
            .iter()
            .filter(|b| b.array == a.array && (a.kind == AccessKind::Write || b.kind == AccessKind::Write))
        {
            let first = a.relation.intersect_domain(&s.domain)?;
            let pairs = first.apply_range(&b.relation.intersect_domain(&t.domain)?.reverse())?;
            if pairs.plain_is_empty() {
                continue;
            }
            match out.iter_mut().find(|(array, _)| *array == a.array) {
                Some((_, all)) => *all = all.union(&pairs)?,
                None => out.push((a.array, pairs)),
            }
        }
    }
    Ok(out)
}

/// The values of a statement's instances in one band member, as a relation to a tuple of one dimension.
pub(crate) fn member_values(func: &PwAff) -> Result<Map> {
    Map::from_pw_aff(func)
}

/// The relation of two functions by an order of their values: pairs `x -> y` with `f(x) order g(y)`.
pub(crate) fn related(f: &Map, order: &Map, g: &Map) -> Result<Map> {
    f.apply_range(order)?.apply_range(&g.reverse())
}
