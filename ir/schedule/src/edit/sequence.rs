//! Sequences and sets: reordering, splicing, inserting, grafting.

use super::band::is_permutation;
use super::simplify::simplified;
use super::{Edited, not_anchored};
use crate::{Error, Node, NodeKind, Path, ScheduleTree};
use std::sync::Arc;
use tilia_presburger::{Budget, UnionMap, UnionSet};

impl ScheduleTree {
    /// Permutes the children of a sequence (or set): the new child `k` is the old child `order[k]`. Legality is the caller's to prove.
    ///
    /// # Errors
    /// When there is no sequence or set, or `order` is no permutation of its children.
    pub fn reorder_sequence(&self, at: &Path, order: &[usize]) -> Result<Edited, Error> {
        let node = self.target_list("reorder_sequence", at)?;
        let n = node.children().len();
        if !is_permutation(order, n) {
            return Err(Error::refused(
                "reorder_sequence",
                at,
                format!("{order:?} is no permutation of {n} children"),
            ));
        }
        let children = order.iter().map(|&k| node.children()[k].clone()).collect();
        self.put(at, Node::raw(node.kind().clone(), children))
    }

    /// Replaces child `pos`, a filter above a list of the same kind, by that list's children, their filters intersected with its own.
    ///
    /// # Errors
    /// When what stands at `pos` isn't that.
    pub fn splice_child(&self, at: &Path, pos: usize) -> Result<Edited, Error> {
        let node = self.target_list("splice_child", at)?;
        let refuse = |why: &str| Error::refused("splice_child", at, why);
        let child = node.children().get(pos).ok_or_else(|| refuse("there is no such child"))?;
        let (NodeKind::Filter(outer), Some(inner)) = (child.kind(), child.child()) else {
            return Err(refuse("the child is no filter"));
        };
        if inner.kind() != node.kind() {
            return Err(refuse("below the child stands no list of the same kind"));
        }
        let mut children = node.children().to_vec();
        let mut spliced = Vec::new();
        for c in inner.children() {
            if let (NodeKind::Filter(f), Some(below)) = (c.kind(), c.child()) {
                spliced.push(Node::filter(outer.intersect(f)?, below.clone()));
            }
        }
        children.splice(pos..=pos, spliced);
        self.put(at, Node::raw(node.kind().clone(), children))
    }

    /// Splits what reaches a node by filters, which must partition it, and runs the parts one after the other. Each child is the old subtree without what can't
    /// reach it. The position is the sequence's.
    ///
    /// # Errors
    /// Above the root, between a list and its filter, with fewer than two filters, or when the filters don't partition what reaches the node.
    pub fn insert_sequence(&self, at: &Path, filters: &[UnionSet], b: &Budget) -> Result<Edited, Error> {
        self.insert_list("insert_sequence", at, NodeKind::Sequence, filters, b)
    }

    /// As [`ScheduleTree::insert_sequence`], without an order among the parts.
    ///
    /// # Errors
    /// As there.
    pub fn insert_set(&self, at: &Path, filters: &[UnionSet], b: &Budget) -> Result<Edited, Error> {
        self.insert_list("insert_set", at, NodeKind::Set, filters, b)
    }

    fn insert_list(&self, operation: &'static str, at: &Path, kind: NodeKind, filters: &[UnionSet], b: &Budget) -> Result<Edited, Error> {
        let node = self.target(operation, at)?;
        let Some(parent) = at.parent() else {
            return Err(Error::refused(operation, at, "nothing can stand above the root"));
        };
        if self.target(operation, &parent)?.is_list() {
            return Err(Error::refused(
                operation,
                at,
                "nothing can stand between a sequence or set and its filter",
            ));
        }
        if filters.len() < 2 {
            return Err(Error::refused(operation, at, "there must be at least two filters"));
        }
        let reaching = self.reaching(at, b)?;
        let mut left = reaching.clone();
        for f in filters {
            let part = reaching.intersect(f)?;
            if !part.is_subset(&left, b)? {
                return Err(Error::refused(operation, at, format!("the filter {f} overlaps an earlier one")));
            }
            left = left.subtract(f, b)?;
        }
        if !left.is_empty(b)? {
            return Err(Error::refused(operation, at, format!("no filter has {left}")));
        }
        let mut children = Vec::with_capacity(filters.len());
        for f in filters {
            let part = reaching.intersect(f)?;
            children.push(Node::filter(f.clone(), simplified(node, &part, b)?));
        }
        self.put(at, Node::raw(kind, children))
    }

    /// Runs the instances of `first` before the others that reach the node. Nothing changes when all or none of them are in it. The position is the sequence's.
    ///
    /// # Errors
    /// As [`ScheduleTree::insert_sequence`].
    pub fn order_before(&self, at: &Path, first: &UnionSet, b: &Budget) -> Result<Edited, Error> {
        self.order_two(at, first, true, b)
    }

    /// Runs the instances of `last` after the others that reach the node.
    ///
    /// # Errors
    /// As [`ScheduleTree::insert_sequence`].
    pub fn order_after(&self, at: &Path, last: &UnionSet, b: &Budget) -> Result<Edited, Error> {
        self.order_two(at, last, false, b)
    }

    fn order_two(&self, at: &Path, part: &UnionSet, first: bool, b: &Budget) -> Result<Edited, Error> {
        let reaching = self.reaching(at, b)?;
        let own = reaching.intersect(part)?;
        let rest = reaching.subtract(part, b)?;
        if own.is_empty(b)? || rest.is_empty(b)? {
            return Ok(Edited {
                tree: self.clone(),
                at: at.clone(),
            });
        }
        let filters = if first { [own, rest] } else { [rest, own] };
        self.insert_sequence(at, &filters, b)
    }

    /// Adds instances by an extension and runs them (in the order of `graft`) before what reaches the node. `graft` mustn't mention outer values. The position is
    /// the extension's.
    ///
    /// # Errors
    /// Above the root, between a list and its filter, when the instances are there already, or `graft` is anchored.
    pub fn graft_before(&self, at: &Path, added: &UnionMap, graft: &Arc<Node>, b: &Budget) -> Result<Edited, Error> {
        self.graft(at, added, graft, true, b)
    }

    /// As [`ScheduleTree::graft_before`], but after what reaches the node.
    ///
    /// # Errors
    /// As there.
    pub fn graft_after(&self, at: &Path, added: &UnionMap, graft: &Arc<Node>, b: &Budget) -> Result<Edited, Error> {
        self.graft(at, added, graft, false, b)
    }

    fn graft(&self, at: &Path, added: &UnionMap, graft: &Arc<Node>, first: bool, b: &Budget) -> Result<Edited, Error> {
        let node = self.target("graft", at)?;
        not_anchored("graft", at, graft)?;
        let Some(parent) = at.parent() else {
            return Err(Error::refused("graft", at, "nothing can stand above the root"));
        };
        if self.target("graft", &parent)?.is_list() {
            return Err(Error::refused(
                "graft",
                at,
                "nothing can stand between a sequence or set and its filter",
            ));
        }
        let reaching = self.reaching(at, b)?;
        let new = added.range()?;
        if !new.is_disjoint(&reaching, b)? {
            return Err(Error::refused("graft", at, "some of the instances are there already"));
        }
        let old = (reaching.universe(), node.clone());
        let new = (new.universe(), graft.clone());
        let children = if first { vec![new, old] } else { vec![old, new] };
        self.put(at, Node::extension(added.clone(), Node::sequence(children)))
    }

    fn target_list(&self, operation: &'static str, at: &Path) -> Result<&Arc<Node>, Error> {
        let node = self.target(operation, at)?;
        if !node.is_list() {
            return Err(Error::refused(
                operation,
                at,
                format!("a {} is no sequence or set", node.kind().name()),
            ));
        }
        Ok(node)
    }
}
