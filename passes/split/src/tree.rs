//! The order of the source, for pieces of its statements.

use crate::Error;
use std::collections::BTreeMap;
use std::sync::Arc;
use tilia_presburger::{Aff, Budget, DimType, Id, Map, MultiAff, PwAff, Set, Space, UnionPwAff, UnionSet};
use tilia_schedule::{Band, Member, Node, NodeKind, ScheduleTree};

/// New names of the pieces of a statement, by its old name; a statement without an entry keeps its own.
pub(crate) type Names = BTreeMap<Id, Vec<Id>>;

/// The tree for the pieces, whose domains are given; pieces of one statement stand in a sequence where the statement stood.
pub(crate) fn renamed(tree: &ScheduleTree, names: &Names, domain: UnionSet, b: &Budget) -> Result<ScheduleTree, Error> {
    let all = tree.domain().map(spaces).unwrap_or_default();
    let child = tree.root().child().cloned().unwrap_or_else(Node::leaf);
    Ok(ScheduleTree::new(domain, node(&child, names, &all, b)?)?)
}

fn spaces(set: &UnionSet) -> Vec<Space> {
    set.sets().iter().map(|s| s.space().clone()).collect()
}

fn node(old: &Arc<Node>, names: &Names, reaching: &[Space], b: &Budget) -> Result<Arc<Node>, Error> {
    let below = |reaching: &[Space]| node(&old.child().cloned().unwrap_or_else(Node::leaf), names, reaching, b);
    Ok(match old.kind() {
        NodeKind::Leaf => leaf(names, reaching)?,
        NodeKind::Band(band) => {
            let mut members = Vec::with_capacity(band.len());
            for m in &band.members {
                members.push(m.with_func(function(&m.func, names, b)?));
            }
            let band = Band { members, ..band.clone() };
            Node::band(band, below(reaching)?)
        }
        NodeKind::Filter(f) => {
            let kept: Vec<Space> = reaching.iter().filter(|s| f.find(s).is_some()).cloned().collect();
            Node::filter(filter(f, names)?, below(&kept)?)
        }
        NodeKind::Sequence | NodeKind::Set => {
            let mut children = Vec::new();
            for c in old.children() {
                if let (NodeKind::Filter(f), Some(below)) = (c.kind(), c.child()) {
                    let kept: Vec<Space> = reaching.iter().filter(|s| f.find(s).is_some()).cloned().collect();
                    children.push((filter(f, names)?, node(below, names, &kept, b)?));
                }
            }
            if matches!(old.kind(), NodeKind::Sequence) {
                Node::sequence(children)
            } else {
                Node::set(children)
            }
        }
        NodeKind::Mark(m) => Node::mark(m.clone(), below(reaching)?),
        NodeKind::Context(c) => Node::context(c.clone(), below(reaching)?),
        NodeKind::Guard(g) => Node::guard(g.clone(), below(reaching)?),
        other => {
            let what = format!("pieces of statements below a node of kind {}", other.name());
            return Err(tilia_presburger::Error::Unsupported(what).into());
        }
    })
}

/// What stands at the end of a path: the pieces of the statements there one after the other. No two of them have an instance with the same values of the bands above, so any order would do.
fn leaf(names: &Names, reaching: &[Space]) -> Result<Arc<Node>, Error> {
    let mut parts = Vec::new();
    for s in reaching {
        for piece in pieces_of(s, names) {
            parts.push((UnionSet::from_set(&Set::universe(&piece)), Node::leaf()));
        }
    }
    Ok(if parts.len() > reaching.len() {
        Node::sequence(parts)
    } else {
        Node::leaf()
    })
}

/// The spaces of a statement's pieces; its own if it has none.
fn pieces_of(space: &Space, names: &Names) -> Vec<Space> {
    let own = space.tuple_name(DimType::Out).and_then(|n| names.get(n));
    match own {
        Some(names) => names.iter().map(|n| space.set_tuple_name(DimType::Out, Some(n.clone()))).collect(),
        None => vec![space.clone()],
    }
}

fn filter(f: &UnionSet, names: &Names) -> Result<UnionSet, Error> {
    let mut sets = Vec::new();
    for s in f.sets() {
        for space in pieces_of(s.space(), names) {
            sets.push(s.set_tuple_name(DimType::Out, space.tuple_name(DimType::Out).cloned()));
        }
    }
    Ok(UnionSet::from_members(&sets)?)
}

fn function(f: &UnionPwAff, names: &Names, b: &Budget) -> Result<UnionPwAff, Error> {
    let mut out = UnionPwAff::empty(f.params_space());
    for own in f.pw_affs() {
        for space in pieces_of(own.domain_space(), names) {
            out = out.add_pw_aff(&moved(own, &space, b)?, b)?;
        }
    }
    Ok(out)
}

/// A function of a statement as one of a piece.
pub(crate) fn moved(f: &PwAff, to: &Space, b: &Budget) -> Result<PwAff, Error> {
    let from = f.domain_space();
    let n = from.dim(DimType::Out);
    let affs: Vec<_> = (0..n).map(|k| Aff::var(to, DimType::Out, k)).collect();
    let renaming = MultiAff::new(to, from.out().clone(), &affs)?;
    Ok(f.pullback(&renaming, b)?)
}

/// A statement that fills a copy, and where its instances stand.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Space of its instances.
    pub space: Space,
    /// Spaces of the statements that read the copy.
    pub readers: Vec<Space>,
    /// The iterators of the first reader of each element.
    pub at: Vec<PwAff>,
    /// From writes of the element to the readers that come after them.
    pub flow: Vec<Map>,
}

/// The iterators of the first reader of each element, by a relation from the elements of `domain` to all readers, which have `loops` of them.
///
/// # Errors
/// When the sets library gives up.
pub fn first_of(readers: &Map, domain: &Set, loops: usize, b: &Budget) -> Result<Vec<PwAff>, Error> {
    let position = readers.lexmin_pw_multi_aff(b)?.coalesce(b)?;
    (0..loops).map(|k| simple(&position.get(k).gist(domain, b)?, domain, b)).collect()
}

/// The function as one piece, where one of its pieces is equal to it in all of the domain.
fn simple(f: &PwAff, domain: &Set, b: &Budget) -> Result<PwAff, Error> {
    for (_, aff) in f.pieces() {
        let one = PwAff::from_aff(aff);
        if domain.subtract(&one.eq_set(f, b)?, b)?.is_empty(b)? {
            return Ok(one);
        }
    }
    Ok(f.clone())
}

/// The tree with each of the new statements right before its first reader; `domain` are all instances, theirs too. The bands above the readers must have the readers' iterators as members, outermost first.
///
/// # Errors
/// When the tree isn't made of bands and sequences like that, when an iteration writes an element before its first reader, or when the sets library gives up.
pub fn with_copies_first(tree: &ScheduleTree, domain: UnionSet, copies: &[Placed], b: &Budget) -> Result<ScheduleTree, Error> {
    let mut child = tree.root().child().cloned().unwrap_or_else(Node::leaf);
    for c in copies {
        child = inserted(&child, c, &mut Vec::new(), b)?;
    }
    Ok(ScheduleTree::new(domain, child)?)
}

/// The subtree with a copy's statement; `above` are the functions of the bands around it.
fn inserted(old: &Arc<Node>, copy: &Placed, above: &mut Vec<UnionPwAff>, b: &Budget) -> Result<Arc<Node>, Error> {
    let own = UnionSet::from_set(&Set::universe(&copy.space));
    let reads = |f: &UnionSet| copy.readers.iter().any(|s| f.find(s).is_some());
    let child = || old.child().cloned().unwrap_or_else(Node::leaf);
    Ok(match old.kind() {
        NodeKind::Leaf => {
            let all: Vec<Set> = copy.readers.iter().map(Set::universe).collect();
            Node::sequence(vec![(own, Node::leaf()), (UnionSet::from_members(&all)?, Node::leaf())])
        }
        NodeKind::Band(band) => {
            let mut members = Vec::with_capacity(band.len());
            for m in &band.members {
                members.push(at_first_reader(m, copy, above.len(), b)?);
                above.push(m.func.clone());
            }
            let below = inserted(&child(), copy, above, b)?;
            above.truncate(above.len() - band.len());
            Node::band(Band { members, ..band.clone() }, below)
        }
        NodeKind::Filter(f) => Node::filter(f.union(&own)?, inserted(&child(), copy, above, b)?),
        NodeKind::Sequence => {
            let mut children = Vec::new();
            for c in old.children() {
                if let (NodeKind::Filter(f), Some(inside)) = (c.kind(), c.child()) {
                    children.push((f.clone(), inside.clone()));
                }
            }
            let reading: Vec<usize> = (0..children.len()).filter(|&n| reads(&children[n].0)).collect();
            match reading[..] {
                [] => return Err(misplaced()),
                [n] if !children[n].1.is_leaf() => {
                    children[n] = (children[n].0.union(&own)?, inserted(&children[n].1, copy, above, b)?);
                }
                [first, ..] => {
                    let later: Vec<&UnionSet> = children[first..].iter().map(|c| &c.0).collect();
                    if writes_first(&later, copy, above, b)? {
                        return Err(written_first());
                    }
                    children.insert(first, (own, Node::leaf()));
                }
            }
            Node::sequence(children)
        }
        _ => return Err(misplaced()),
    })
}

/// Is the element written at the date of a reader, in one of these children of a sequence, before it is read?
fn writes_first(children: &[&UnionSet], copy: &Placed, above: &[UnionPwAff], b: &Budget) -> Result<bool, Error> {
    for flow in &copy.flow {
        let (writer, reader) = (flow.space().domain(), flow.space().range());
        if children.iter().all(|f| f.find(&writer).is_none()) {
            continue;
        }
        let mut pairs = flow.clone();
        for func in above {
            let (Some(f), Some(g)) = (func.extract(&writer), func.extract(&reader)) else {
                return Err(misplaced());
            };
            pairs = pairs.intersect(&Map::from_pw_aff(f)?.apply_range(&Map::from_pw_aff(g)?.reverse())?)?;
        }
        if !pairs.is_empty(b)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn written_first() -> Error {
    tilia_presburger::Error::Unsupported("an iteration writes the element of a copy before its first reader".to_owned()).into()
}

fn misplaced() -> Error {
    tilia_presburger::Error::Unsupported("a copy in a place of the tree that isn't a sequence below bands".to_owned()).into()
}

/// The member with the value that the first reader has.
fn at_first_reader(m: &Member, copy: &Placed, depth: usize, b: &Budget) -> Result<Member, Error> {
    let plain = m.func.pw_affs().iter().all(|f| {
        let reader = copy.readers.iter().any(|s| s.same_tuples(f.domain_space()));
        !reader || f.as_aff().is_some_and(|a| a.plain_eq(&Aff::var(a.space(), DimType::Out, depth)))
    });
    match copy.at.get(depth) {
        Some(at) if plain => Ok(m.with_func(m.func.add_pw_aff(at, b)?)),
        _ => Err(misplaced()),
    }
}
