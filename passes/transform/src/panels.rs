//! Panels: index sets split at the strips of one loop, so that the bulk of a factorisation becomes a loop nest without order.
//!
//! ```text
//! for k, for i, for j: S(k, i, j)            k in strips of B: K = floor(k / B)
//!
//! for K {
//!   S with floor(i / B) = K = floor(j / B)    the diagonal block
//!   S with floor(i / B) = K or floor(j / B) = K, but not both: panels
//!   S with neither                            the rest: i and j are parallel
//! }
//! ```
//!
//! (or in another order, where dependences between these parts say so).
//!
//! Within one strip, what others wait for stands on the planes `i = k` and `j = k` (the pivot's row and column), so everything off the planes of the strip can wait for all that is on them. This is how blocked
//! algorithms of linear algebra come from unblocked ones (E. Anderson et al., LAPACK Users' Guide), found by splitting index sets at the planes from which dependences come (M. Griebl, P. Feautrier, C. Lengauer:
//! Index set splitting, IJPP 2000). Nothing is assumed: the planes are tried, and the tree that results is checked pair by pair as that of any other transformation.

mod between;

use crate::reorder::own_part;
use crate::transformer::{ANCHORED, edited};
use crate::{Error, Outcome, Pairs, Reason, Transformed, Transformer, first_violation, loop_name, permutable_groups};
use std::sync::Arc;
use tilia_presburger::{Aff, Budget, DimType, Id, Int, PwAff, Set, Space, UnionSet};
use tilia_schedule::{Band, Edited, Member, Node, NodeKind, Path, ScheduleTree, TileForm};

/// Other loops than the strips' that are split at once: each makes three parts of what is there.
const MOST_PLANES: usize = 3;

/// Where an instance stands, seen from the strip of its own instance of the chosen loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// In the strip: on the plane.
    On,
    Below,
    Above,
}

const SIDES: [Side; 3] = [Side::On, Side::Below, Side::Above];

impl Transformer<'_> {
    /// Runs the nested loops from `at` on in strips of `size` iterations of loop `strip` (counted from the outermost of the chain of bands): within a strip first the instances whose other loops stand in the same
    /// strip, too, then those of which all but one do, and so on; last those of which none does (unless dependences between these parts ask for another order). Statements that no dependence ties together get loops of their own. The new bands have proved flags. The
    /// position is that of the loop over strips.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn panels(&self, tree: &ScheduleTree, at: &Path, strip: usize, size: &Int) -> Transformed {
        let members = match nest(tree, at) {
            Ok(members) => members,
            Err(why) => return Ok(Outcome::unfit(why)),
        };
        if strip >= members.len() || members.len() < 2 || members.len() > MOST_PLANES + 1 {
            let n = members.len();
            return Ok(Outcome::unfit(format!(
                "panels need 2 to {} nested loops; there are {n}",
                MOST_PLANES + 1
            )));
        }
        if !size.is_pos() {
            return Ok(Outcome::unfit(format!("the size {size} isn't positive")));
        }
        let open = self.open_at(tree, at)?;
        if let Some(why) = hopeless(&members, strip, &open, self.budget)? {
            return Ok(Outcome::Declined(why));
        }
        let (below, _) = chain_below(tree, at);
        let order: Vec<Member> = std::iter::once(members[strip].clone())
            .chain(members.iter().enumerate().filter(|(k, _)| *k != strip).map(|(_, m)| m.clone()))
            .collect();
        let (first, others) = (Band::new(vec![order[0].clone()]), &order[1..]);
        let points = Node::band(Band::new(order.clone()), below);
        let flat = edited!(tree.replace(at, Node::band(first, points)));
        let tiled = edited!(flat.tile_band(at, std::slice::from_ref(size), TileForm::default())).tree;
        // The tile's own point band is the first member again, which the band below holds.
        let strips = at.child(0);
        let tiled = match tiled.node(&strips).and_then(|n| n.child()).cloned() {
            Some(points) => edited!(tiled.replace(&strips, points)),
            None => return Ok(Outcome::unfit("no band stands there")),
        };
        let Some(strip_member) = tiled.node(at).and_then(|n| n.as_band()).and_then(|b| b.members.first()).cloned() else {
            return Ok(Outcome::unfit("no band stands there"));
        };
        let inside = open.left_by(&strip_member, self.budget)?;
        let mut ordered = false;
        for m in others {
            ordered = ordered || !inside.all_equal(m, self.budget)?;
        }
        if !ordered {
            return Ok(Outcome::unfit("in a strip the other loops are parallel already"));
        }
        let reaching = tree.reaching(at, self.budget)?.coalesce(self.budget)?;
        let parts = parts(&reaching, (&order[0], others), size, &inside, self.budget)?;
        if parts.iter().all(|p| p.on > 0) || parts.len() < 2 {
            return Ok(Outcome::unfit("no instances stand off the planes, or none on them"));
        }
        let Some(parts) = in_order(parts, &inside, self.budget)? else {
            return Ok(Outcome::unfit("parts of a strip depend on each other both ways"));
        };
        let filters: Vec<UnionSet> = parts.iter().map(|p| p.filter.clone()).collect();
        let split = edited!(tiled.insert_sequence(&strips, &filters, self.budget)).tree;
        if let Some((at, violation)) = first_violation(&split, self.pairs, self.budget)? {
            return Ok(Outcome::Declined(Reason::Illegal { at, violation }));
        }
        let mut tree = split;
        for (n, part) in parts.iter().enumerate() {
            let here = strips.child(n).child(0);
            let Some(below) = tree.node(&here).and_then(|n| n.child()).cloned() else {
                continue;
            };
            let nest = self.part(part, &order, below)?;
            tree = edited!(tree.replace(&here, nest));
        }
        Ok(Outcome::Done(Edited { tree, at: at.clone() }))
    }

    /// The bands of a part: as few as can be with the strip's loop outermost, with proved flags.
    fn part(&self, part: &Part, order: &[Member], below: Arc<Node>) -> Result<Arc<Node>, Error> {
        let own = own_part(&Band::new(order.to_vec()), &part.filter, self.budget)?.members;
        let (groups, _) = permutable_groups(&own, &part.pairs, self.budget)?;
        let mut node = below;
        for g in groups.iter().rev() {
            node = Node::band(g.band.clone(), node);
        }
        Ok(node)
    }
}

/// The members of the bands that stand right inside each other from a position on.
fn nest(tree: &ScheduleTree, at: &Path) -> Result<Vec<Member>, String> {
    let (_, mut members) = chain_below(tree, at);
    if members.is_empty() {
        return Err(format!("no band stands at {at}"));
    }
    if tree.node(at).is_some_and(|n| n.is_subtree_anchored()) {
        return Err(ANCHORED.to_owned());
    }
    members.iter_mut().for_each(anew);
    Ok(members)
}

/// The member without claims, named by its loop.
fn anew(m: &mut Member) {
    m.name = loop_name(m, None).map(Id::new);
    m.coincident = false;
    m.reduces = false;
}

fn chain_below(tree: &ScheduleTree, at: &Path) -> (Arc<Node>, Vec<Member>) {
    let mut members = Vec::new();
    let mut node = tree.node(at).cloned().unwrap_or_else(Node::leaf);
    while let (NodeKind::Band(band), Some(child)) = (node.kind(), node.child().cloned()) {
        members.extend(band.members.iter().cloned());
        node = child;
    }
    (node, members)
}

/// One of the parts into which a strip is cut.
struct Part {
    filter: UnionSet,
    /// How many loops are on their planes.
    on: usize,
    /// The dependences among its instances.
    pairs: Pairs,
}

/// Cuts what reaches the strips; what must come first comes first.
fn parts(reaching: &UnionSet, (strip, others): (&Member, &[Member]), size: &Int, open: &Pairs, b: &Budget) -> Result<Vec<Part>, Error> {
    let mut choices: Vec<Vec<Side>> = vec![Vec::new()];
    for _ in others {
        choices = choices.iter().flat_map(|c| SIDES.map(|s| [&c[..], &[s]].concat())).collect();
    }
    let on = |c: &Vec<Side>| c.iter().filter(|s| **s == Side::On).count();
    choices.sort_by_key(|c| std::cmp::Reverse(on(c)));
    let mut out = Vec::new();
    for choice in &choices {
        let mut own = Vec::new();
        for set in reaching.sets() {
            own.extend(of_stmt(set, (strip, others), size, choice, b)?);
        }
        if own.is_empty() {
            continue;
        }
        let filter = UnionSet::from_members(&own)?;
        let pairs = open.within(&filter, b)?;
        for component in components(&filter, &pairs) {
            let filter = UnionSet::from_members(&component)?;
            out.push(Part {
                pairs: pairs.within(&filter, b)?,
                filter,
                on: on(choice),
            });
        }
    }
    Ok(out)
}

/// The parts in an order that dependences between them allow, as given as far as may be; nothing where there is none.
fn in_order(parts: Vec<Part>, open: &Pairs, b: &Budget) -> Result<Option<Vec<Part>>, Error> {
    let mut waits: Vec<Vec<usize>> = vec![Vec::new(); parts.len()];
    for (i, source) in parts.iter().enumerate() {
        for (j, target) in parts.iter().enumerate().filter(|(j, _)| *j != i) {
            if open.between(&source.filter, &target.filter, b)?.any(b)?.is_some() {
                waits[j].push(i);
            }
        }
    }
    let mut done: Vec<usize> = Vec::new();
    while done.len() < parts.len() {
        let ready = |j: &usize| !done.contains(j) && waits[*j].iter().all(|i| done.contains(i));
        match (0..parts.len()).find(ready) {
            Some(j) => done.push(j),
            None => return Ok(None),
        }
    }
    let mut parts: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
    Ok(Some(done.into_iter().filter_map(|j| parts[j].take()).collect()))
}

/// The instances of a statement on these sides, as conditions without those of its domain; nothing if there are none.
fn of_stmt(set: &Set, (strip, others): (&Member, &[Member]), size: &Int, choice: &[Side], b: &Budget) -> Result<Option<Set>, Error> {
    let space = set.space();
    let mut part = Set::universe(space);
    let Some(own) = strip.func.extract(space) else { return Ok(None) };
    // As bounds by the strip's first value, which is known inside the strip, and not by quotients of the other loops.
    let first = own.floor_div(size)?.scale(size)?;
    let next = first.add_constant(size)?;
    for (m, side) in others.iter().zip(choice) {
        let Some(f) = m.func.extract(space) else { return Ok(None) };
        if follows(f, own) {
            if *side == Side::On {
                continue;
            }
            return Ok(None);
        }
        let here = match side {
            Side::On => f.ge_set(&first, b)?.intersect(&f.lt_set(&next, b)?)?,
            Side::Below => f.lt_set(&first, b)?,
            Side::Above => f.ge_set(&next, b)?,
        };
        part = part.intersect(&here)?;
        if set.intersect(&part)?.is_empty(b)? {
            return Ok(None);
        }
    }
    Ok(Some(part))
}

/// Has the statement no loop of its own here: does the function move only as the other one does, if at all? Then its instances count as being on the plane.
fn follows(f: &PwAff, strip: &PwAff) -> bool {
    let (Some(f), Some(g)) = (f.as_aff(), strip.as_aff()) else {
        return false;
    };
    let (Some(f), Some(g)) = (row(f), row(g)) else { return false };
    let parallel = |(i, a): (usize, &Int)| f.iter().zip(&g).skip(i).all(|(c, d)| a * d == c * &g[i]);
    f.iter().enumerate().all(parallel)
}

/// Coefficients of the dimensions; nothing where there are divisions.
fn row(aff: &Aff) -> Option<Vec<Int>> {
    if aff.terms().iter().any(|t| matches!(t, tilia_presburger::Term::Div { .. })) {
        return None;
    }
    let n = aff.space().dim(DimType::Out);
    Some((0..n).map(|k| aff.coefficient(DimType::Out, k).clone()).collect())
}

/// A dependence between iterations of one value of the strip's loop whose source stands on no plane, if one is at hand: then there is nothing to try.
fn hopeless(members: &[Member], strip: usize, open: &Pairs, b: &Budget) -> Result<Option<Reason>, Error> {
    let same = open.left_by(&members[strip], b)?;
    let others = || members.iter().enumerate().filter(|(k, _)| *k != strip).map(|(_, m)| m);
    for m in others() {
        for map in same.maps() {
            let one = Pairs::from_maps(vec![map.clone()]);
            let Some(v) = one.moved_by(m, b)? else { continue };
            let space = map.space().domain();
            let n = space.dim(DimType::Out);
            let source = tilia_presburger::Point::new(space.clone(), v.pair.params.clone(), v.pair.coords[..n].to_vec());
            let on = |o: &Member| -> Result<bool, Error> {
                let (Some(f), Some(g)) = (o.func.extract(&space), members[strip].func.extract(&space)) else {
                    return Ok(false);
                };
                Ok(follows(f, g) || f.eval(&source, b)? == g.eval(&source, b)?)
            };
            let mut any = false;
            for o in others() {
                any |= on(o)?;
            }
            if !any {
                return Ok(Some(Reason::Illegal {
                    at: Path::root(),
                    violation: v,
                }));
            }
        }
    }
    Ok(None)
}

/// Groups of statements that dependences tie together, in the order of their first ones.
fn components(all: &UnionSet, pairs: &Pairs) -> Vec<Vec<Set>> {
    let sets = all.sets();
    let number = |space: &Space| sets.iter().position(|s| s.space().same_tuples(space));
    let mut group: Vec<usize> = (0..sets.len()).collect();
    for m in pairs.maps() {
        let (Some(x), Some(y)) = (number(&m.space().domain()), number(&m.space().range())) else {
            continue;
        };
        let (x, y) = (group[x].min(group[y]), group[x].max(group[y]));
        for g in &mut group {
            if *g == y {
                *g = x;
            }
        }
    }
    let mut out = Vec::new();
    for n in 0..sets.len() {
        let own: Vec<Set> = (0..sets.len()).filter(|&k| group[k] == n).map(|k| sets[k].clone()).collect();
        if !own.is_empty() {
            out.push(own);
        }
    }
    out
}
