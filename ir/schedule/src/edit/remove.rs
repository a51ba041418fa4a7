//! Removing nodes.

use super::{Edited, not_anchored};
use crate::{Error, Node, NodeKind, Path, ScheduleTree};

impl ScheduleTree {
    /// Removes one node; its child takes its place and is the position.
    ///
    /// # Errors
    /// For the root, a leaf, a sequence or set and their children, an extension or expansion (whose instances are needed below), and a band above an anchored subtree.
    pub fn delete(&self, at: &Path) -> Result<Edited, Error> {
        let node = self.target("delete", at)?;
        let Some(parent) = at.parent() else {
            return Err(Error::refused("delete", at, "the root can't be removed"));
        };
        if self.target("delete", &parent)?.is_list() {
            return Err(Error::refused(
                "delete",
                at,
                "the children of a sequence or set partition its instances",
            ));
        }
        match node.kind() {
            NodeKind::Band(_) => {
                if let Some(c) = node.child() {
                    not_anchored("delete", at, c)?;
                }
            }
            NodeKind::Extension(_) | NodeKind::Expansion { .. } => {
                return Err(Error::refused(
                    "delete",
                    at,
                    "the nodes below are about instances that it introduces",
                ));
            }
            _ => {}
        }
        match node.child() {
            Some(c) => self.put(at, c.clone()),
            None => Err(Error::refused("delete", at, format!("a {} can't be removed", node.kind().name()))),
        }
    }

    /// Removes the subtree at a position: a leaf takes its place.
    ///
    /// # Errors
    /// For the root and the children of a sequence or set.
    pub fn cut(&self, at: &Path) -> Result<Edited, Error> {
        self.target("cut", at)?;
        let Some(parent) = at.parent() else {
            return Err(Error::refused("cut", at, "the root can't be removed"));
        };
        if self.target("cut", &parent)?.is_list() {
            return Err(Error::refused(
                "cut",
                at,
                "the children of a sequence or set partition its instances",
            ));
        }
        self.put(at, Node::leaf())
    }
}
