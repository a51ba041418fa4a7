//! Steps of a loop that overlap: the end of each step runs beside the start of the next one.
//!
//! ```text
//! for k { A(k); for i: B(k, i); for i: C(k, i) }
//!   =>  for k { A(k); for i { C(k - 1, i); B(k, i) } }
//! ```
//!
//! (with a first step without `C`, and one more at the end that has nothing else.) What `C` leaves in an element is what `B` reads of it in the next step, so memory passes once a step instead of twice. Shifting `C` alone is no such thing: within a step
//! the order changes with it. The tree that results is checked pair by pair.

use crate::reorder::own_part;
use crate::transformer::ANCHORED;
use crate::{Outcome, Transformed, Transformer};
use std::sync::Arc;
use tilia_presburger::{Int, UnionPwAff, UnionSet};
use tilia_schedule::{Band, Member, Node, NodeKind, Path, ScheduleTree};

impl Transformer<'_> {
    /// In a loop above a sequence, child `later` runs one iteration later and in common loops with child `earlier`, which stands before it and begins with a band of as many members: in each of their iterations first what is left of the step before,
    /// then the new step's. The position is that of the loop.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn overlap(&self, tree: &ScheduleTree, at: &Path, earlier: usize, later: usize) -> Transformed {
        let (band, list) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        let ([step], NodeKind::Sequence) = (&band.members[..], list.kind()) else {
            return Ok(Outcome::unfit("steps that overlap are of one loop around a sequence"));
        };
        if earlier >= later || later >= list.children().len() {
            return Ok(Outcome::unfit(
                "a step begins with an earlier child of the sequence than it ends with",
            ));
        }
        if tree.node(at).is_some_and(|n| n.is_subtree_anchored()) {
            return Ok(Outcome::unfit(ANCHORED));
        }
        let (Some(first), Some(last)) = (Child::of(list, earlier), Child::of(list, later)) else {
            return Ok(Outcome::unfit("a child of the sequence doesn't begin with a loop"));
        };
        if first.band.len() != last.band.len() {
            let (n, m) = (first.band.len(), last.band.len());
            return Ok(Outcome::unfit(format!("bands of {n} and {m} members can't be joined")));
        }
        // The part of a statement that another child holds would move along.
        let elsewhere = |(n, c): (usize, &Arc<Node>)| match c.kind() {
            NodeKind::Filter(f) if n != later => f.sets().iter().any(|s| last.filter.find(s.space()).is_some()),
            _ => n != later,
        };
        if list.children().iter().enumerate().any(elsewhere) {
            return Ok(Outcome::unfit("a statement is in several children of the sequence"));
        }
        let mut shifted = UnionPwAff::empty(step.func.params_space());
        for f in step.func.pw_affs() {
            let moved = last.filter.find(f.domain_space()).is_some();
            let f = if moved { f.add_constant(&Int::ONE)? } else { f.clone() };
            shifted = shifted.add_pw_aff(&f, self.budget)?;
        }
        let mut joined = own_part(first.band, first.filter, self.budget)?;
        for (m, more) in joined
            .members
            .iter_mut()
            .zip(own_part(last.band, last.filter, self.budget)?.members)
        {
            for f in more.func.pw_affs() {
                m.func = m.func.add_pw_aff(f, self.budget)?;
            }
        }
        let inside = Node::sequence(vec![
            (last.filter.clone(), last.below.clone()),
            (first.filter.clone(), first.below.clone()),
        ]);
        let common = (first.filter.union(last.filter)?, Node::band(joined, inside));
        let mut parts: Vec<(UnionSet, Arc<Node>)> = Vec::new();
        for (n, c) in list.children().iter().enumerate() {
            match (c.kind(), c.child()) {
                _ if n == earlier => parts.push(common.clone()),
                (NodeKind::Filter(f), Some(below)) if n != later => parts.push((f.clone(), below.clone())),
                _ => {}
            }
        }
        let below = if parts.len() == 1 { common.1 } else { Node::sequence(parts) };
        let step = Member {
            coincident: false,
            reduces: false,
            ..step.with_func(shifted)
        };
        self.put(tree, at, Node::band(Band::new(vec![step]), below))
    }
}

/// A child of a sequence that begins with a band.
struct Child<'t> {
    filter: &'t UnionSet,
    band: &'t Band,
    below: &'t Arc<Node>,
}

impl<'t> Child<'t> {
    fn of(list: &'t Node, n: usize) -> Option<Child<'t>> {
        let child = list.children().get(n)?;
        let NodeKind::Filter(filter) = child.kind() else { return None };
        let node = child.child()?;
        Some(Child {
            filter,
            band: node.as_band().filter(|b| !b.is_empty())?,
            below: node.child()?,
        })
    }
}
