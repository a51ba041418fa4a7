//! Transformations that change the order of instances: each is an edit of the tree whose result is checked pair by pair.
//!
//! | transformation | before | after |
//! |---|---|---|
//! | interchange | `[f, g]` | `[g, f]` |
//! | reverse | `[f]` | `[-f]` |
//! | skew | `[f, g]` | `[f, g + c f]` |
//! | shift | `S: f` | `S: f + c` |
//! | strip-mine | `[f]` | `[f - f mod s, f]` |
//! | wavefront | `[f, g, ..]`, permutable | `[f + g + .., g, ..]`, the second and later members parallel |
//! | distribute | band above a sequence | sequence of bands |
//! | fuse | sequence of bands | band above a sequence |
//! | reorder | sequence | its children in another order |
//!
//! The check asks about the whole new tree ([`first_violation`](crate::first_violation)), so that it needs no argument of its own for each transformation.

use crate::legal::first_violation;
use crate::{Error, Pairs};
use std::sync::Arc;
use tilia_presburger::{Budget, Id, Int, UnionPwAff, UnionSet};
use tilia_schedule::{Band, Edited, Member, Node, NodeKind, Path, ScheduleTree, TileForm};

/// What came of a transformation.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The new tree.
    Done(Edited),
    /// It doesn't apply, or isn't legal; the text says why.
    Declined(String),
}

/// A tree with the dependences that its transformations must respect.
#[derive(Debug, Clone)]
pub struct Transformer<'a> {
    /// The dependences.
    pub pairs: &'a Pairs,
    /// Limit on the work of each check.
    pub budget: &'a Budget,
}

impl Transformer<'_> {
    /// Accepts an edit when it was possible and its result is legal.
    fn checked(&self, edit: Result<Edited, tilia_schedule::Error>) -> Result<Outcome, Error> {
        let edited = match edit {
            Ok(e) => e,
            Err(tilia_schedule::Error::Sets(e)) => return Err(e.into()),
            Err(e) => return Ok(Outcome::Declined(e.to_string())),
        };
        Ok(match first_violation(&edited.tree, self.pairs, self.budget)? {
            None => Outcome::Done(edited),
            Some((at, v)) => Outcome::Declined(format!("the dependence {} would run the wrong way round (at {at})", v.text)),
        })
    }

    fn band<'t>(tree: &'t ScheduleTree, at: &Path) -> Result<(&'t Band, &'t Arc<Node>), Outcome> {
        let node = tree.node(at);
        match node.and_then(|n| Some((n.as_band()?, n.child()?))) {
            Some(found) => Ok(found),
            None => Err(Outcome::Declined(format!("no band stands at {at}"))),
        }
    }

    /// A band with its members changed; flags are proved anew by whoever wants them.
    fn with_members(
        &self,
        tree: &ScheduleTree,
        at: &Path,
        change: impl FnOnce(&mut Vec<Member>) -> Result<(), Error>,
    ) -> Result<Outcome, Error> {
        let (band, child) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        if tree.node(at).is_some_and(|n| n.is_subtree_anchored()) {
            return Ok(Outcome::Declined("options below mention the values of the band".to_string()));
        }
        let mut members = band.members.clone();
        change(&mut members)?;
        for m in &mut members {
            m.coincident = false;
        }
        let edit = tree.replace(at, Node::band(Band::new(members), child.clone()));
        self.checked(edit.map(|tree| Edited { tree, at: at.clone() }))
    }

    /// Permutes the members of a band: the new member `k` is the old member `order[k]`.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn interchange(&self, tree: &ScheduleTree, at: &Path, order: &[usize]) -> Result<Outcome, Error> {
        self.checked(tree.reorder_band(at, order))
    }

    /// Runs a member in descending order.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn reverse(&self, tree: &ScheduleTree, at: &Path, member: usize) -> Result<Outcome, Error> {
        if let Some(declined) = no_member(tree, at, member) {
            return Ok(declined);
        }
        self.with_members(tree, at, |m| {
            m[member].func = m[member].func.neg()?;
            Ok(())
        })
    }

    /// Adds `factor` times member `source` to member `target`.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn skew(&self, tree: &ScheduleTree, at: &Path, (target, source): (usize, usize), factor: &Int) -> Result<Outcome, Error> {
        if let Some(declined) = no_member(tree, at, target.max(source)) {
            return Ok(declined);
        }
        if target == source {
            return Ok(Outcome::Declined("a member isn't skewed by itself".to_string()));
        }
        self.with_members(tree, at, |m| {
            let more = m[source].func.scale(factor)?;
            m[target].func = m[target].func.add(&more, self.budget)?;
            Ok(())
        })
    }

    /// Moves one statement by a constant in one member.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn shift(&self, tree: &ScheduleTree, at: &Path, member: usize, stmt: &Id, by: &Int) -> Result<Outcome, Error> {
        if let Some(declined) = no_member(tree, at, member) {
            return Ok(declined);
        }
        self.with_members(tree, at, |m| {
            let old = &m[member].func;
            let mut new = UnionPwAff::empty(old.params_space());
            for f in old.pw_affs() {
                let own = f.domain_space().out().name.as_ref() == Some(stmt);
                let moved = if own { f.add_constant(by)? } else { f.clone() };
                new = new.add_pw_aff(&moved, self.budget)?;
            }
            m[member].func = new;
            Ok(())
        })
    }

    /// Cuts the loops of a one-member band into strips. Always legal.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn strip_mine(&self, tree: &ScheduleTree, at: &Path, size: &Int) -> Result<Outcome, Error> {
        match Self::band(tree, at) {
            Ok((band, _)) if band.len() != 1 => {
                return Ok(Outcome::Declined(format!(
                    "the band has {} members; tiling is for several",
                    band.len()
                )));
            }
            Ok(_) => {}
            Err(declined) => return Ok(declined),
        }
        self.checked(tree.tile_band(at, std::slice::from_ref(size), TileForm::default()))
    }

    /// Makes the first member the sum of all, so that every dependence that the band carries is carried by it and the other members are parallel.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn wavefront(&self, tree: &ScheduleTree, at: &Path) -> Result<Outcome, Error> {
        match Self::band(tree, at) {
            Ok((band, _)) if band.len() < 2 => return Ok(Outcome::Declined("a wavefront needs two members".to_string())),
            Ok((band, _)) if !band.permutable => return Ok(Outcome::Declined("the band isn't permutable".to_string())),
            Ok(_) => {}
            Err(declined) => return Ok(declined),
        }
        self.with_members(tree, at, |m| {
            let (first, rest) = m.split_at_mut(1);
            for r in rest {
                first[0].func = first[0].func.add(&r.func, self.budget)?;
            }
            Ok(())
        })
    }

    /// Permutes the children of a sequence.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn reorder(&self, tree: &ScheduleTree, at: &Path, order: &[usize]) -> Result<Outcome, Error> {
        self.checked(tree.reorder_sequence(at, order))
    }

    /// Splits the loops of a band above a sequence into loops for each child of the sequence (loop fission).
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn distribute(&self, tree: &ScheduleTree, at: &Path) -> Result<Outcome, Error> {
        let (band, child) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        if !matches!(child.kind(), NodeKind::Sequence) {
            return Ok(Outcome::Declined(format!(
                "below the band stands a {}, no sequence",
                child.kind().name()
            )));
        }
        if tree.node(at).is_some_and(|n| n.is_subtree_anchored()) {
            return Ok(Outcome::Declined("options below mention the values of the band".to_string()));
        }
        let mut parts: Vec<(UnionSet, Arc<Node>)> = Vec::new();
        for c in child.children() {
            if let (NodeKind::Filter(f), Some(below)) = (c.kind(), c.child()) {
                parts.push((f.clone(), Node::band(own_part(band, f, self.budget)?, below.clone())));
            }
        }
        let edit = tree.replace(at, Node::sequence(parts));
        self.checked(edit.map(|tree| Edited { tree, at: at.clone() }))
    }

    /// Joins the loops of all children of a sequence, each of which must start with a band of as many members (loop fusion).
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn fuse(&self, tree: &ScheduleTree, at: &Path) -> Result<Outcome, Error> {
        let Some(node) = tree.node(at).filter(|n| matches!(n.kind(), NodeKind::Sequence)) else {
            return Ok(Outcome::Declined(format!("no sequence stands at {at}")));
        };
        let mut members: Vec<Member> = Vec::new();
        let mut parts: Vec<(UnionSet, Arc<Node>)> = Vec::new();
        for c in node.children() {
            let (NodeKind::Filter(f), Some(inner)) = (c.kind(), c.child()) else {
                continue;
            };
            let (Some(band), Some(below)) = (inner.as_band(), inner.child()) else {
                return Ok(Outcome::Declined("a child of the sequence doesn't start with a band".to_string()));
            };
            if below.is_subtree_anchored() || band.isolate.is_some() {
                return Ok(Outcome::Declined("options mention the values of the bands".to_string()));
            }
            let own = own_part(band, f, self.budget)?;
            if parts.is_empty() {
                members = own.members;
            } else if members.len() != own.len() {
                return Ok(Outcome::Declined(format!(
                    "bands of {} and {} members can't be joined",
                    members.len(),
                    own.len()
                )));
            } else {
                for (m, more) in members.iter_mut().zip(&own.members) {
                    for g in more.func.pw_affs() {
                        if m.func.extract(g.domain_space()).is_some() {
                            return Ok(Outcome::Declined("a statement is in several of the bands".to_string()));
                        }
                        m.func = m.func.add_pw_aff(g, self.budget)?;
                    }
                    m.coincident = false;
                }
            }
            parts.push((f.clone(), below.clone()));
        }
        let edit = tree.replace(at, Node::band(Band::new(members), Node::sequence(parts)));
        self.checked(edit.map(|tree| Edited { tree, at: at.clone() }))
    }
}

fn no_member(tree: &ScheduleTree, at: &Path, member: usize) -> Option<Outcome> {
    let n = tree.node(at)?.as_band()?.len();
    (member >= n).then(|| Outcome::Declined(format!("the band has {n} members, no member {member}")))
}

/// The band with the functions of the statements in a filter only; nothing is promised of it.
fn own_part(band: &Band, filter: &UnionSet, b: &Budget) -> Result<Band, Error> {
    let mut members = Vec::with_capacity(band.len());
    for m in &band.members {
        let mut func = UnionPwAff::empty(m.func.params_space());
        for f in m.func.pw_affs() {
            if filter.find(f.domain_space()).is_some() {
                func = func.add_pw_aff(f, b)?;
            }
        }
        members.push(Member {
            coincident: false,
            ..m.with_func(func)
        });
    }
    Ok(Band::new(members))
}
