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
//! | scale | `[f]` | `[c f]` |
//! | sink | band above a subtree | the subtree, the band above each of its leaves |
//! | index-set split | a subtree | it for some instances, then it for the others |
//!
//! The check asks about the whole new tree ([`first_violation`](crate::first_violation)), so that it needs no argument of its own for each transformation.

use crate::transformer::ANCHORED;
use crate::{Error, Outcome, Transformed, Transformer};
use std::sync::Arc;
use tilia_presburger::{Budget, DimType, Id, Int, Space, UnionPwAff, UnionSet};
use tilia_schedule::{Band, Member, Node, NodeKind, Path, ScheduleTree, TileForm};

impl Transformer<'_> {
    /// Permutes the members of a band: the new member `k` is the old member `order[k]`.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn interchange(&self, tree: &ScheduleTree, at: &Path, order: &[usize]) -> Transformed {
        self.checked(tree.reorder_band(at, order))
    }

    /// Runs a member in descending order.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn reverse(&self, tree: &ScheduleTree, at: &Path, member: usize) -> Transformed {
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
    pub fn skew(&self, tree: &ScheduleTree, at: &Path, (target, source): (usize, usize), factor: &Int) -> Transformed {
        if let Some(declined) = no_member(tree, at, target.max(source)) {
            return Ok(declined);
        }
        if target == source {
            return Ok(Outcome::unfit("a member isn't skewed by itself"));
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
    pub fn shift(&self, tree: &ScheduleTree, at: &Path, member: usize, stmt: &Id, by: &Int) -> Transformed {
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
    pub fn strip_mine(&self, tree: &ScheduleTree, at: &Path, size: &Int) -> Transformed {
        match Self::band(tree, at) {
            Ok((band, _)) if band.len() != 1 => {
                return Ok(Outcome::unfit(format!(
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
    pub fn wavefront(&self, tree: &ScheduleTree, at: &Path) -> Transformed {
        match Self::band(tree, at) {
            Ok((band, _)) if band.len() < 2 => return Ok(Outcome::unfit("a wavefront needs two members")),
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
    pub fn reorder(&self, tree: &ScheduleTree, at: &Path, order: &[usize]) -> Transformed {
        self.checked(tree.reorder_sequence(at, order))
    }

    /// Splits the loops of a band above a sequence into loops for each child of the sequence (loop fission).
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn distribute(&self, tree: &ScheduleTree, at: &Path) -> Transformed {
        let (band, child) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        if !matches!(child.kind(), NodeKind::Sequence) {
            return Ok(Outcome::unfit(format!(
                "below the band stands a {}, no sequence",
                child.kind().name()
            )));
        }
        if tree.node(at).is_some_and(|n| n.is_subtree_anchored()) {
            return Ok(Outcome::unfit(ANCHORED));
        }
        let mut parts: Vec<(UnionSet, Arc<Node>)> = Vec::new();
        for c in child.children() {
            if let (NodeKind::Filter(f), Some(below)) = (c.kind(), c.child()) {
                parts.push((f.clone(), Node::band(own_part(band, f, self.budget)?, below.clone())));
            }
        }
        self.put(tree, at, Node::sequence(parts))
    }

    /// Multiplies the members of a band by positive factors.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn scale(&self, tree: &ScheduleTree, at: &Path, factors: &[Int]) -> Transformed {
        if let Some(f) = factors.iter().find(|f| !f.is_pos()) {
            return Ok(Outcome::unfit(format!("the factor {f} isn't positive")));
        }
        self.checked(tree.scale_band(at, factors))
    }

    /// Moves a band below everything that stands below it.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn sink(&self, tree: &ScheduleTree, at: &Path) -> Transformed {
        self.checked(tree.sink_band(at, self.budget))
    }

    /// Runs the instances of `first` before the others that reach a node: splits the index sets of the loops below.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn index_set_split(&self, tree: &ScheduleTree, at: &Path, first: &UnionSet) -> Transformed {
        let before = tree.clone();
        let edit = tree.order_before(at, first, self.budget);
        if matches!(&edit, Ok(e) if e.tree == before) {
            return Ok(Outcome::unfit(self.why_not_split(tree, at, first)?));
        }
        self.checked(edit)
    }
}

impl Transformer<'_> {
    /// Why a set splits nothing: it names other statements, or holds all or none of the instances.
    fn why_not_split(&self, tree: &ScheduleTree, at: &Path, first: &UnionSet) -> Result<String, Error> {
        let here = tree.reaching(at, self.budget)?;
        let known = |space: &Space| here.find(space).is_some();
        let unknown: Vec<String> = (first.sets().iter().filter(|s| !known(s.space())))
            .map(|s| shape(s.space()))
            .collect();
        if !unknown.is_empty() {
            let there: Vec<String> = here.sets().iter().map(|s| shape(s.space())).collect();
            return Ok(format!(
                "the set speaks of {}, but the instances here are of {}",
                unknown.join(", "),
                there.join(", ")
            ));
        }
        let none = here.intersect(first)?.is_empty(self.budget)?;
        Ok(format!("{} of the instances are in the set", if none { "none" } else { "all" }))
    }
}

/// A tuple as its name and the number of its dimensions.
fn shape(space: &Space) -> String {
    let name = space
        .tuple(DimType::Out)
        .and_then(|t| t.name.as_ref())
        .map_or_else(String::new, ToString::to_string);
    format!("{name} with {} iterators", space.dim(DimType::Out))
}

fn no_member(tree: &ScheduleTree, at: &Path, member: usize) -> Option<Outcome> {
    let n = tree.node(at)?.as_band()?.len();
    (member >= n).then(|| Outcome::unfit(format!("the band has {n} members, no member {member}")))
}

/// The band with the functions of the statements in a filter only; nothing is promised of it.
pub(crate) fn own_part(band: &Band, filter: &UnionSet, b: &Budget) -> Result<Band, Error> {
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
            reduces: false,
            ..m.with_func(func)
        });
    }
    Ok(Band::new(members))
}
