//! Value-based flow dependences: each read to the last write of its element before it.
//!
//! From all ordered pairs of a write and a read of one element those are taken away between which a certain write of the element stands. Instances are paired with the
//! element they touch ("tagged") where a statement touches several, so that composition of relations keeps to one element.

use crate::carry::ordered;
use crate::memory::{Site, sites_by_array};
use crate::position::Position;
use tilia_presburger::{Budget, DimType, Map, Result, Set};
use tilia_scop::{AccessKind, ArrayId, Dep, DepKind, Scop};

/// One access at one position, as a relation from (tagged) instances to elements.
struct Touch<'a> {
    site: Site,
    position: &'a Position,
    relation: Map,
    must: bool,
}

/// Value-based flow of all arrays.
pub(crate) fn flow(scop: &Scop, positions: &[Position], context: &Set, budget: &Budget) -> Result<Vec<Dep>> {
    let mut out = Vec::new();
    for sites in sites_by_array(scop) {
        out.extend(flow_of_array(scop, &sites, positions, context, budget)?);
    }
    Ok(out)
}

/// Value-based flow of one array.
pub(crate) fn flow_of(scop: &Scop, array: ArrayId, positions: &[Position], context: &Set, budget: &Budget) -> Result<Vec<Dep>> {
    match sites_by_array(scop).get(array.0 as usize) {
        Some(sites) => flow_of_array(scop, sites, positions, context, budget),
        None => Ok(Vec::new()),
    }
}

fn flow_of_array(scop: &Scop, sites: &[Site], positions: &[Position], context: &Set, budget: &Budget) -> Result<Vec<Dep>> {
    let access = |s: &Site| &scop[s.stmt].accesses[s.access];
    // An access to one element an instance needs no tag.
    let tagged = sites.iter().any(|s| !is_function(&access(s).relation));
    let touches = |kind: AccessKind| -> Result<Vec<Touch<'_>>> {
        let mut out = Vec::new();
        for site in sites.iter().filter(|s| access(s).kind == kind) {
            for position in positions.iter().filter(|p| p.stmt == site.stmt) {
                let plain = access(site)
                    .relation
                    .intersect_domain(&position.domain)?
                    .intersect_params(context)?;
                let relation = if tagged { plain.range_map()? } else { plain };
                out.push(Touch {
                    site: *site,
                    position,
                    relation,
                    must: access(site).must,
                });
            }
        }
        Ok(out)
    };
    let (writes, reads) = (touches(AccessKind::Write)?, touches(AccessKind::Read)?);
    let before = |a: &Touch<'_>, b: &Touch<'_>| -> Result<Option<Map>> {
        let parts = ordered(&a.relation.apply_range(&b.relation.reverse())?, a.position, b.position, budget)?;
        parts
            .into_iter()
            .map(|(_, m)| Ok(m))
            .reduce(|x: Result<Map>, y| x?.union(&y?))
            .transpose()
    };
    let mut out: Vec<Dep> = Vec::new();
    for read in &reads {
        // Reading after a write of one instance: a statement reads first, so its own write doesn't count; `before` is strict.
        let reaching: Vec<Option<Map>> = writes.iter().map(|w| before(w, read)).collect::<Result<_>>()?;
        for (w, all) in writes.iter().zip(&reaching) {
            let Some(all) = all else { continue };
            let mut live = all.clone();
            for (k, last) in writes.iter().zip(&reaching) {
                let Some(last) = last.as_ref().filter(|_| k.must) else { continue };
                if live.plain_is_empty() {
                    break;
                }
                if let Some(first) = before(w, k)? {
                    live = live.subtract(&first.apply_range(last)?, budget)?;
                }
            }
            if live.is_empty(budget)? {
                continue;
            }
            let relation = if tagged { untag(&live)? } else { live };
            let same = |d: &&mut Dep| {
                d.source == w.site.stmt
                    && d.target == read.site.stmt
                    && d.source_access == w.site.access
                    && d.target_access == read.site.access
            };
            match out.iter_mut().find(same) {
                Some(d) => d.relation = d.relation.union(&relation)?,
                None => out.push(Dep {
                    kind: DepKind::Flow,
                    source: w.site.stmt,
                    target: read.site.stmt,
                    array: access(&w.site).array,
                    source_access: w.site.access,
                    target_access: read.site.access,
                    relation,
                }),
            }
        }
    }
    for d in &mut out {
        d.relation = d.relation.drop_empty_pieces(budget)?;
    }
    Ok(out)
}

/// Whether every instance touches at most one element, as far as a cheap look tells.
fn is_function(relation: &Map) -> bool {
    let space = relation.space();
    let n = space.dim(DimType::Out);
    relation.n_basic() <= 1
        && relation.basic_maps().iter().all(|b| {
            let Ok(constraints) = b.constraints() else { return false };
            // Each output dimension has an equality that gives it a unit coefficient and mentions no other output.
            (0..n).all(|d| {
                constraints.iter().any(|c| {
                    let at = space.dim(DimType::In) + d;
                    let others = (0..n).all(|o| o == d || !c.aff().involves_dim(DimType::Out, space.dim(DimType::In) + o));
                    c.is_equality() && c.aff().coefficient(DimType::Out, at).is_unit() && others
                })
            })
        })
}

fn untag(tagged: &Map) -> Result<Map> {
    tagged.domain_factor_domain()?.range_factor_domain()
}
