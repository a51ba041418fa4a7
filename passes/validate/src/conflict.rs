//! Pairs of instances whose order matters, from accesses and the source's order alone.
//!
//! The original tree is flattened to one time vector a statement; a pair conflicts when both touch one element, one writes, and the first one's time is
//! lexicographically smaller.

use tilia_presburger::{Aff, Budget, Error, Int, Map, PwAff, Result, Set, Space, Tuple};
use tilia_schedule::{Node, NodeKind, ScheduleTree};
use tilia_scop::{Access, AccessKind, ArrayId, FloatOrder, Scop};

/// Pairs of instances of two statements that touch one array in an order that must be kept.
#[derive(Debug, Clone)]
pub(crate) struct Conflict {
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) array: ArrayId,
    pub(crate) pairs: Map,
    /// The pairs are of updates by one operation and only keep the order in which they accumulate, which may change.
    pub(crate) relaxed: bool,
    /// The pairs are no conflict, but the flow of values that all nodes so far leave at one date.
    pub(crate) is_flow: bool,
}

/// A tree that only the general algorithms can read.
pub(crate) fn unsupported(what: &str) -> Error {
    Error::Unsupported(format!("a schedule tree with a {what} node"))
}

/// Instances of a statement that share one formula of their time.
pub(crate) struct Timed {
    stmt: usize,
    domain: Set,
    time: Vec<PwAff>,
}

/// The times of all statements, all of one length.
///
/// The children of a set come one after the other: one order of those that the tree allows.
pub(crate) fn times(scop: &Scop, tree: &ScheduleTree) -> Result<Vec<Timed>> {
    let start = scop.stmts.iter().enumerate().map(|(stmt, s)| Timed {
        stmt,
        domain: s.domain.clone(),
        time: Vec::new(),
    });
    let mut parts: Vec<Timed> = Vec::new();
    flatten(tree.root(), start.collect(), &mut parts)?;
    let length = parts.iter().map(|p| p.time.len()).max().unwrap_or(0);
    for p in &mut parts {
        p.time.resize(length, constant(p.domain.space(), 0));
    }
    Ok(parts)
}

fn constant(space: &Space, value: usize) -> PwAff {
    PwAff::from_aff(&Aff::constant(space, Int::from(value)))
}

/// The value, when it is the same for all instances.
fn fixed(value: &PwAff) -> Option<&Int> {
    value.as_aff().filter(|a| a.is_constant()).map(Aff::constant_term)
}

/// Which pairs of instances have the first one earlier.
enum Earlier {
    All,
    None,
    /// Those of the relation.
    These(Map),
}

/// Compares times. Components that are fixed for both statements need no relation: equal ones say nothing, different ones end the comparison.
fn earlier(s: &Timed, t: &Timed) -> Result<Earlier> {
    let mut varying: Vec<(&PwAff, &PwAff)> = Vec::new();
    let mut equal_is_earlier = false;
    for (f, g) in s.time.iter().zip(&t.time) {
        match (fixed(f), fixed(g)) {
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) => {
                equal_is_earlier = a < b;
                break;
            }
            _ => varying.push((f, g)),
        }
    }
    if varying.is_empty() {
        return Ok(if equal_is_earlier { Earlier::All } else { Earlier::None });
    }
    let space = Space::set([], Tuple::anonymous(varying.len()));
    let order = if equal_is_earlier {
        Map::lex_le(&space)
    } else {
        Map::lex_lt(&space)
    };
    let first = graph(varying.iter().map(|v| v.0), s.domain.space())?;
    let second = graph(varying.iter().map(|v| v.1), t.domain.space())?;
    Ok(Earlier::These(related(&first, &order, &second)?))
}

/// The pairs of instances of two statements of which the first comes earlier.
pub(crate) fn before(scop: &Scop, times: &[Timed], source: usize, target: usize) -> Result<Map> {
    let space = |n: usize| scop.stmts[n].domain.space();
    let mut all = Map::from_domain_and_range(&Set::empty(space(source)), &Set::empty(space(target)))?;
    for s in times.iter().filter(|t| t.stmt == source) {
        for t in times.iter().filter(|t| t.stmt == target) {
            let pairs = match earlier(s, t)? {
                Earlier::None => continue,
                Earlier::All => Map::from_domain_and_range(&s.domain, &t.domain)?,
                Earlier::These(before) => before.intersect_domain(&s.domain)?.intersect_range(&t.domain)?,
            };
            all = all.union(&pairs)?;
        }
    }
    Ok(all)
}

/// The relation from instances to the tuple of values.
fn graph<'a>(values: impl Iterator<Item = &'a PwAff>, space: &Space) -> Result<Map> {
    let mut out = Map::universe(&space.map_to_tuple(Tuple::anonymous(0)));
    for v in values {
        out = out.flat_range_product(&Map::from_pw_aff(v)?)?;
    }
    Ok(out)
}

fn flatten(node: &Node, reaching: Vec<Timed>, out: &mut Vec<Timed>) -> Result<()> {
    let mut reaching = reaching;
    match node.kind() {
        NodeKind::Leaf => {
            out.extend(reaching);
            return Ok(());
        }
        NodeKind::Sequence | NodeKind::Set => {
            for (n, child) in node.children().iter().enumerate() {
                let later = |p: &Timed| {
                    let mut time = p.time.clone();
                    time.push(constant(p.domain.space(), n));
                    Timed {
                        stmt: p.stmt,
                        domain: p.domain.clone(),
                        time,
                    }
                };
                flatten(child, reaching.iter().map(later).collect(), out)?;
            }
            return Ok(());
        }
        NodeKind::Domain(keep) | NodeKind::Filter(keep) => {
            let mut kept = Vec::new();
            for p in reaching {
                if let Some(k) = keep.find(p.domain.space()) {
                    let domain = if k.plain_is_universe() { p.domain } else { p.domain.intersect(k)? };
                    kept.push(Timed { domain, ..p });
                }
            }
            reaching = kept;
        }
        NodeKind::Band(band) => {
            for member in &band.members {
                for p in &mut reaching {
                    let value = member.func.extract(p.domain.space()).cloned();
                    p.time.push(value.ok_or_else(|| unsupported("partial band"))?);
                }
            }
        }
        NodeKind::Mark(_) | NodeKind::Context(_) | NodeKind::Guard(_) => {}
        kind => return Err(unsupported(kind.name())),
    }
    match node.children() {
        [child] => flatten(child, reaching, out),
        _ => Ok(()),
    }
}

/// All conflicts of a scop.
pub(crate) fn conflicts(scop: &Scop, budget: &Budget) -> Result<Vec<Conflict>> {
    let times = times(scop, &scop.schedule)?;
    let mut out: Vec<Conflict> = Vec::new();
    for source in &times {
        for target in &times {
            let order = earlier(source, target)?;
            if matches!(order, Earlier::None) {
                continue;
            }
            for (array, relaxed, touch) in touching(scop, source, target)? {
                let pairs = match &order {
                    Earlier::These(before) => touch.intersect(before)?,
                    _ => touch,
                };
                let pairs = pairs.intersect_params(&scop.context)?.drop_empty_pieces(budget)?;
                if pairs.plain_is_empty() {
                    continue;
                }
                let (source, target) = (source.stmt, target.stmt);
                let same = |c: &&mut Conflict| (c.source, c.target, c.array, c.relaxed) == (source, target, array, relaxed);
                match out.iter_mut().find(same) {
                    Some(c) => c.pairs = c.pairs.union(&pairs)?,
                    None => out.push(Conflict {
                        source,
                        target,
                        array,
                        pairs,
                        relaxed,
                        is_flow: false,
                    }),
                }
            }
        }
    }
    Ok(out)
}

/// For each array, the pairs of instances that touch one element, one of them writing; those that only accumulate by one operation, which is said, apart from others.
fn touching(scop: &Scop, source: &Timed, target: &Timed) -> Result<Vec<(ArrayId, bool, Map)>> {
    let (s, t) = (&scop.stmts[source.stmt], &scop.stmts[target.stmt]);
    let accumulates = accumulators(scop, source.stmt, target.stmt);
    let mut out: Vec<(ArrayId, bool, Map)> = Vec::new();
    for (m, a) in s.accesses.iter().enumerate() {
        let meets = |b: &Access| b.array == a.array && (a.kind == AccessKind::Write || b.kind == AccessKind::Write);
        for (n, b) in t.accesses.iter().enumerate().filter(|(_, b)| meets(b)) {
            let relaxed = accumulates.is_some_and(|(first, second)| first.contains(&m) && second.contains(&n));
            let first = a.relation.intersect_domain(&source.domain)?;
            let pairs = first.apply_range(&b.relation.intersect_domain(&target.domain)?.reverse())?;
            if pairs.plain_is_empty() {
                continue;
            }
            match out.iter_mut().find(|(array, r, _)| (*array, *r) == (a.array, relaxed)) {
                Some((.., all)) => *all = all.union(&pairs)?,
                None => out.push((a.array, relaxed, pairs)),
            }
        }
    }
    Ok(out)
}

/// The accesses by which two statements accumulate by one operation in any order.
///
/// Two updates `x = x op e` and `x = x op f` of a location may change places, whichever statements they are of: every other access of the location conflicts with both, so it finds behind it the same
/// updates as ever, and their order among themselves changes nothing of what they leave. Updates by different operations don't commute.
pub(crate) fn accumulators(scop: &Scop, source: usize, target: usize) -> Option<([usize; 2], [usize; 2])> {
    let op = |n: usize| scop.stmts[n].reduction.map(|r| r.op);
    if op(source) != op(target) {
        return None;
    }
    Some((accumulator(scop, source)?, accumulator(scop, target)?))
}

/// The accesses by which a statement accumulates, where it may do so in any order: exact arithmetic always, floating-point as the scop says.
pub(crate) fn accumulator(scop: &Scop, stmt: usize) -> Option<[usize; 2]> {
    let r = scop.stmts[stmt].reduction?;
    let exact = scop[scop.stmts[stmt].accesses[r.write].array].elem.is_int();
    (exact || scop.float_order == FloatOrder::Free).then_some([r.read, r.write])
}

/// The values of a statement's instances in one band member, as a relation to a tuple of one dimension.
pub(crate) fn member_values(func: &PwAff) -> Result<Map> {
    Map::from_pw_aff(func)
}

/// The relation of two functions by an order of their values: pairs `x -> y` with `f(x) order g(y)`.
pub(crate) fn related(f: &Map, order: &Map, g: &Map) -> Result<Map> {
    f.apply_range(order)?.apply_range(&g.reverse())
}
