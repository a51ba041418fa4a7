//! Between schedule trees and flat schedules: one map from instances to dates for each statement, dates compared lexicographically.

use std::collections::BTreeMap;
use std::sync::Arc;
use tilia_presburger::{Budget, DimType, Int, Map, PwAff, PwMultiAff, Set, UnionPwAff, UnionSet};
use tilia_schedule::{Band, Error, Member, Node, NodeKind, ScheduleTree};
use tilia_scop::Scop;

/// The tree with sequences in place of sets: a relation can't leave children unordered, and without positions it would interleave them.
fn in_sequence(tree: &ScheduleTree) -> Result<ScheduleTree, Error> {
    match (tree.domain(), tree.root().child()) {
        (Some(domain), Some(child)) => ScheduleTree::new(domain.clone(), sequences(child)),
        _ => Ok(tree.clone()),
    }
}

fn sequences(node: &Arc<Node>) -> Arc<Node> {
    let child = || node.child().map_or_else(Node::leaf, sequences);
    match node.kind() {
        NodeKind::Leaf | NodeKind::Domain(_) => Arc::clone(node),
        NodeKind::Band(band) => Node::band(band.clone(), child()),
        NodeKind::Filter(keep) => Node::filter(keep.clone(), child()),
        NodeKind::Mark(name) => Node::mark(name.clone(), child()),
        NodeKind::Context(set) => Node::context(set.clone(), child()),
        NodeKind::Guard(set) => Node::guard(set.clone(), child()),
        NodeKind::Extension(added) => Node::extension(added.clone(), child()),
        NodeKind::Expansion { contraction, expansion } => Node::expansion(contraction.clone(), expansion.clone(), child()),
        NodeKind::Sequence | NodeKind::Set => {
            let parts = node.children().iter().filter_map(|c| match c.kind() {
                NodeKind::Filter(keep) => Some((keep.clone(), c.child().map_or_else(Node::leaf, sequences))),
                _ => None,
            });
            Node::sequence(parts.collect())
        }
    }
}

/// The dates of each statement of the scop, all of one length, zeros appended to shorter ones; a statement without instances has a map without pairs.
/// Children of sets run in their order.
///
/// # Errors
/// When the tree adds instances by an extension, or the sets library gives up.
pub fn flatten(tree: &ScheduleTree, scop: &Scop, b: &Budget) -> Result<Vec<Map>, Error> {
    let all = in_sequence(tree)?.to_union_map(b)?;
    let depth = all.maps().iter().map(|m| m.dim(DimType::Out)).max().unwrap_or(0);
    let mut dates = Vec::new();
    for s in &scop.stmts {
        let own = all
            .maps()
            .iter()
            .find(|m| m.space().domain().same_tuples(s.domain.space()))
            .cloned();
        let empty = || Map::empty(&s.domain.space().map_to_tuple(tilia_presburger::Tuple::anonymous(depth)));
        dates.push(own.unwrap_or_else(empty));
    }
    Ok(dates)
}

/// A statement and its date, dimension by dimension.
struct Dated {
    domain: Set,
    dates: Vec<PwAff>,
}

/// The tree of single-valued maps that date all instances of their domains: dimensions in which each statement has one number become sequences, the others bands of one member, outermost first.
/// Statements with equal dates stand in a set: nothing orders them.
///
/// # Errors
/// When a map isn't single-valued, the dates are too many for a tree, or the sets library gives up.
pub fn tree_of_maps(domains: &[Set], dates: &[Map], b: &Budget) -> Result<ScheduleTree, Error> {
    let depth = dates.iter().map(|m| m.dim(DimType::Out)).max().unwrap_or(0);
    let mut stmts = Vec::new();
    for (domain, map) in domains.iter().zip(dates) {
        let function = PwMultiAff::from_map(map, b)?;
        let zero = PwAff::from_aff(&tilia_presburger::Aff::zero(domain.space()));
        let mut list: Vec<PwAff> = Vec::new();
        for k in 0..function.len() {
            list.push(function.get(k).gist(domain, b)?.coalesce(b)?);
        }
        list.resize(depth, zero);
        stmts.push(Dated {
            domain: domain.clone(),
            dates: list,
        });
    }
    let all: Vec<&Dated> = stmts.iter().collect();
    ScheduleTree::new(UnionSet::from_members(domains)?, build(&all, 0, depth, b)?)
}

fn build(stmts: &[&Dated], dim: usize, depth: usize, b: &Budget) -> Result<Arc<Node>, Error> {
    if dim == depth {
        let mut children = Vec::new();
        for s in stmts {
            children.push((filter(&[s])?, Node::leaf()));
        }
        return Ok(if stmts.len() == 1 { Node::leaf() } else { Node::set(children) });
    }
    let numbers: Option<Vec<Int>> = stmts.iter().map(|s| number(&s.dates[dim])).collect();
    if let Some(numbers) = numbers {
        let mut groups: BTreeMap<Int, Vec<&Dated>> = BTreeMap::new();
        for (n, s) in numbers.into_iter().zip(stmts) {
            groups.entry(n).or_default().push(s);
        }
        if groups.len() <= 1 {
            return build(stmts, dim + 1, depth, b);
        }
        let mut children = Vec::new();
        for group in groups.values() {
            children.push((filter(group)?, build(group, dim + 1, depth, b)?));
        }
        return Ok(Node::sequence(children));
    }
    let params = stmts
        .iter()
        .fold(tilia_presburger::Space::params_only([]), |p, s| p.align_params(s.domain.space()));
    let mut values = UnionPwAff::empty(&params);
    for s in stmts {
        values = values.add_pw_aff(&s.dates[dim], b)?;
    }
    Ok(Node::band(Band::new(vec![Member::new(values)]), build(stmts, dim + 1, depth, b)?))
}

/// The number that the date is for every instance.
fn number(date: &PwAff) -> Option<Int> {
    let aff = date.as_aff().or_else(|| match date.pieces() {
        [(_, only)] => Some(only),
        _ => None,
    })?;
    (aff.terms().is_empty()).then(|| aff.constant_term().clone())
}

fn filter(stmts: &[&Dated]) -> Result<UnionSet, Error> {
    let universes: Vec<Set> = stmts.iter().map(|s| Set::universe(s.domain.space())).collect();
    Ok(UnionSet::from_members(&universes)?)
}
