//! Inserting nodes.

use super::{Edited, not_anchored};
use crate::{Band, Error, Node, NodeKind, Path, ScheduleTree};
use std::sync::Arc;
use tilia_presburger::{Id, Set, UnionMap, UnionSet};

impl ScheduleTree {
    /// Puts a node above the one at `at`; the position is the new node's.
    fn insert(&self, operation: &'static str, at: &Path, make: impl FnOnce(Arc<Node>) -> Arc<Node>) -> Result<Edited, Error> {
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
        self.put(at, make(node.clone()))
    }

    /// Inserts a band.
    ///
    /// # Errors
    /// Above the root, between a list and its filter, or above an anchored subtree.
    pub fn insert_band(&self, at: &Path, band: Band) -> Result<Edited, Error> {
        not_anchored("insert_band", at, self.target("insert_band", at)?)?;
        self.insert("insert_band", at, |n| Node::band(band, n))
    }

    /// Inserts a mark.
    ///
    /// # Errors
    /// Above the root, or between a list and its filter.
    pub fn insert_mark(&self, at: &Path, name: impl Into<Id>) -> Result<Edited, Error> {
        self.insert("insert_mark", at, |n| Node::mark(name, n))
    }

    /// Inserts a context.
    ///
    /// # Errors
    /// Above the root, or between a list and its filter.
    pub fn insert_context(&self, at: &Path, assume: Set) -> Result<Edited, Error> {
        self.insert("insert_context", at, |n| Node::context(assume, n))
    }

    /// Inserts a guard.
    ///
    /// # Errors
    /// Above the root, or between a list and its filter.
    pub fn insert_guard(&self, at: &Path, condition: Set) -> Result<Edited, Error> {
        self.insert("insert_guard", at, |n| Node::guard(condition, n))
    }

    /// Inserts an extension.
    ///
    /// # Errors
    /// Above the root, or between a list and its filter.
    pub fn insert_extension(&self, at: &Path, added: UnionMap) -> Result<Edited, Error> {
        self.insert("insert_extension", at, |n| Node::extension(added, n))
    }

    /// Inserts a filter; into a filter, the two are merged.
    ///
    /// # Errors
    /// Above the root, between a list and its filter's own place, or when the sets library gives up.
    pub fn insert_filter(&self, at: &Path, keep: &UnionSet) -> Result<Edited, Error> {
        let node = self.target("insert_filter", at)?;
        if let (NodeKind::Filter(f), Some(c)) = (node.kind(), node.child()) {
            return self.put(at, Node::filter(f.intersect(keep)?, c.clone()));
        }
        self.insert("insert_filter", at, |n| Node::filter(keep.clone(), n))
    }
}
