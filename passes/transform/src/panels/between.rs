//! Panels of a loop inside which statements stand beside another loop: the planes are those of that other loop.
//!
//! ```text
//! for k { A(k); for j > k { B(k, j); for i: C(k, j, i) } }        k in strips of B: K = floor(k / B)
//!
//! for K {
//!   for k in K { A(k); for j > k in K: .. }                      the panel, as it was
//!   for j > K: for k in K { B(k, j); for i: C(k, j, i) }           the rest: j is parallel
//! }
//! ```
//!
//! The rest takes all steps of a strip for one `j` after the other, so what they share stays in the cache. As with other panels nothing is assumed: the tree that results is checked pair by pair.

use super::{Part, SIDES, Side, anew, in_order, of_stmt};
use crate::reorder::own_part;
use crate::transformer::{ANCHORED, edited};
use crate::{Error, Outcome, Transformed, Transformer};
use std::sync::Arc;
use tilia_presburger::{Int, Set, UnionSet};
use tilia_schedule::{Band, Edited, Member, Node, NodeKind, Path, ScheduleTree, TileForm};

impl Transformer<'_> {
    /// Runs a loop above a sequence in strips of `size` iterations. Child `child` of the sequence begins with a loop of its own, whose iterations outside the range of the strip run after everything else of the
    /// strip (or before, should dependences ask for that), all steps of the strip for one of them after the other. It is declined where that loop isn't parallel there. The position is that of the loop over strips; of the bands of the rest the first
    /// two have proved flags, all others stay as they are.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn panels_between(&self, tree: &ScheduleTree, at: &Path, child: usize, size: &Int) -> Transformed {
        let (band, list) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        let beside = match Beside::of(band, list, child) {
            Ok(beside) => beside,
            Err(why) => return Ok(Outcome::unfit(why)),
        };
        if tree.node(at).is_some_and(|n| n.is_subtree_anchored()) {
            return Ok(Outcome::unfit(ANCHORED));
        }
        if !size.is_pos() {
            return Ok(Outcome::unfit(format!("the size {size} isn't positive")));
        }
        let open = self.open_at(tree, at)?;
        if open.all_equal(&beside.strip, self.budget)? {
            return Ok(Outcome::unfit("the loop around them is parallel already"));
        }
        let plain = Node::band(Band::new(vec![beside.strip.clone()]), list.clone());
        let flat = edited!(tree.replace(at, plain));
        let tiled = edited!(flat.tile_band(at, std::slice::from_ref(size), TileForm::default())).tree;
        let Some(strips) = tiled.node(at).and_then(|n| n.as_band()).and_then(|b| b.members.first()).cloned() else {
            return Ok(Outcome::unfit("no band stands there"));
        };
        let inside = open.left_by(&strips, self.budget)?;
        let reaching = tree.reaching(at, self.budget)?.coalesce(self.budget)?;
        let mut parts = Vec::new();
        for side in SIDES {
            let mut own: Vec<Set> = Vec::new();
            for set in reaching.sets() {
                if beside.filter.find(set.space()).is_some() {
                    let planes = (&beside.strip, std::slice::from_ref(&beside.along));
                    own.extend(of_stmt(set, planes, size, &[side], self.budget)?);
                } else if side == Side::On {
                    own.push(Set::universe(set.space()));
                }
            }
            if own.is_empty() {
                continue;
            }
            let filter = UnionSet::from_members(&own)?;
            parts.push(Part {
                pairs: inside.within(&filter, self.budget)?,
                filter,
                on: usize::from(side == Side::On),
            });
        }
        if parts.len() < 2 {
            return Ok(Outcome::unfit("no instances stand outside the range of their strip"));
        }
        let Some(parts) = in_order(parts, &inside, self.budget)? else {
            return Ok(Outcome::unfit("parts of a strip depend on each other both ways"));
        };
        let mut made: Vec<(UnionSet, Arc<Node>)> = Vec::new();
        for part in &parts {
            let below = if part.on > 0 {
                let own = own_part(&Band::new(vec![beside.strip.clone()]), &part.filter, self.budget)?;
                Node::band(own, list.clone())
            } else {
                match self.rest(part, &beside)? {
                    Ok(node) => node,
                    Err(declined) => return Ok(declined),
                }
            };
            made.push((part.filter.clone(), below));
        }
        let edit = tiled.replace(&at.child(0), Node::sequence(made));
        self.checked(edit.map(|tree| Edited { tree, at: at.clone() }))
    }

    /// What lies outside the ranges of strips: the loop along them, then the strip's, then what stood below.
    fn rest(&self, part: &Part, beside: &Beside) -> Result<Result<Arc<Node>, Outcome>, Error> {
        let own = |m: &Member| own_part(&Band::new(vec![m.clone()]), &part.filter, self.budget);
        let along = self.proved(&own(&beside.along)?, &part.pairs)?;
        let Some(member) = along.members.first().filter(|m| m.coincident) else {
            let name = beside.along.name.as_ref().map_or_else(String::new, |n| format!(" {n}"));
            return Ok(Err(Outcome::unfit(format!(
                "outside the ranges of strips loop{name} isn't parallel"
            ))));
        };
        let left = part.pairs.left_by(member, self.budget)?;
        let strip = self.proved(&own(&beside.strip)?, &left)?;
        Ok(Ok(Node::band(along, Node::band(strip, beside.below.clone()))))
    }
}

/// A loop around a sequence, and the loop that one of its children begins with.
struct Beside {
    strip: Member,
    /// The instances of the child.
    filter: UnionSet,
    along: Member,
    /// What stands below that loop.
    below: Arc<Node>,
}

impl Beside {
    fn of(band: &Band, list: &Node, child: usize) -> Result<Beside, String> {
        let ([strip], NodeKind::Sequence) = (&band.members[..], list.kind()) else {
            return Err("panels beside statements need one loop around a sequence".to_owned());
        };
        let node = list.children().get(child).map(|n| (n.kind(), n.child()));
        let Some((NodeKind::Filter(filter), Some(below))) = node else {
            return Err(format!("the sequence has no child {child}"));
        };
        let (Some(own), Some(inner)) = (below.as_band(), below.child()) else {
            return Err("the child of the sequence doesn't begin with a loop".to_owned());
        };
        let elsewhere = |other: &Arc<Node>| match other.kind() {
            NodeKind::Filter(f) => f.sets().iter().any(|s| filter.find(s.space()).is_some()),
            _ => true,
        };
        if list.children().iter().enumerate().any(|(n, c)| n != child && elsewhere(c)) {
            return Err("a statement is in several children of the sequence".to_owned());
        }
        let (mut strip, mut rest) = (strip.clone(), own.members.clone());
        if rest.is_empty() {
            return Err("the child of the sequence doesn't begin with a loop".to_owned());
        }
        let mut along = rest.remove(0);
        anew(&mut strip);
        anew(&mut along);
        rest.iter_mut().for_each(anew);
        let below = if rest.is_empty() {
            inner.clone()
        } else {
            Node::band(Band::new(rest), inner.clone())
        };
        Ok(Beside {
            strip,
            filter: filter.clone(),
            along,
            below,
        })
    }
}
