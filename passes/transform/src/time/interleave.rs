//! Statements that stand one after the other in a time loop, as one band of time and space.
//!
//! ```text
//! for t { for i: S(t, i); for i: T(t, i) }   =>   for u: for i: if u even: S(u / 2, i) else: T(u / 2, i)
//! ```
//!
//! Time counts statements, `u = k t + p` for the statement at place `p` of `k`; a statement with fewer loops gets zeros for the outer ones. The order of instances stays what it was, so this is always legal; it is
//! the form from which distances in time and space are read.

use crate::chain::{below_bands, loop_name};
use crate::transformer::ANCHORED;
use crate::{Outcome, Transformed, Transformer};
use std::sync::Arc;
use tilia_presburger::{Aff, Id, Int, PwAff, UnionPwAff, UnionSet};
use tilia_schedule::{Band, Member, Node, NodeKind, Path, ScheduleTree};

/// One child of the sequence.
struct Part {
    filter: UnionSet,
    members: Vec<Member>,
    below: Arc<Node>,
}

impl Transformer<'_> {
    /// Joins a band of one (time) member and the loops of the statements in the sequence right below it; the position is the band's.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn interleave(&self, tree: &ScheduleTree, at: &Path) -> Transformed {
        let (band, child) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        let [time] = &band.members[..] else {
            return Ok(Outcome::unfit("one loop is the time loop"));
        };
        if !matches!(child.kind(), NodeKind::Sequence) {
            return Ok(Outcome::unfit(format!(
                "below the loop stands a {}, no sequence",
                child.kind().name()
            )));
        }
        if child.is_subtree_anchored() || band.isolate.is_some() {
            return Ok(Outcome::unfit(ANCHORED));
        }
        let mut parts = Vec::new();
        for (i, c) in child.children().iter().enumerate() {
            let NodeKind::Filter(filter) = c.kind() else { continue };
            let Some((bands, below)) = below_bands(tree, &at.child(0).child(i).child(0)) else {
                continue;
            };
            parts.push(Part {
                filter: filter.clone(),
                members: bands.iter().flat_map(|b| b.members.iter().cloned()).collect(),
                below: below.clone(),
            });
        }
        let depth = parts.iter().map(|p| p.members.len()).max().unwrap_or(0);
        let steps = Int::from(parts.len());
        let names = parts.iter().find(|p| p.members.len() == depth);
        let mut members = vec![Member::new(UnionPwAff::empty(time.func.params_space())).named(name_or(time, "t"))];
        for (k, m) in names.iter().flat_map(|p| &p.members).enumerate() {
            members.push(Member::new(UnionPwAff::empty(time.func.params_space())).named(name_or(m, &format!("x{k}"))));
        }
        for (place, part) in parts.iter().enumerate() {
            for f in time.func.pw_affs() {
                if part.filter.find(f.domain_space()).is_none() {
                    continue;
                }
                let now = f.scale(&steps)?.add_constant(&Int::from(place))?;
                members[0].func = members[0].func.add_pw_aff(&now, self.budget)?;
                let zeros = depth - part.members.len();
                for k in 0..depth {
                    let value = match k.checked_sub(zeros) {
                        None => Some(PwAff::from_aff(&Aff::zero(f.domain_space()))),
                        Some(k) => part.members[k].func.extract(f.domain_space()).cloned(),
                    };
                    if let Some(value) = value {
                        members[k + 1].func = members[k + 1].func.add_pw_aff(&value, self.budget)?;
                    }
                }
            }
        }
        let below = if parts.iter().all(|p| p.below.is_leaf()) {
            Node::leaf()
        } else {
            Node::sequence(parts.into_iter().map(|p| (p.filter, p.below)).collect())
        };
        self.put(tree, at, Node::band(Band::new(members), below))
    }
}

fn name_or(member: &Member, otherwise: &str) -> Id {
    Id::new(loop_name(member, None).unwrap_or_else(|| otherwise.to_owned()))
}
