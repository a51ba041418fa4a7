//! Edits. Each returns a new tree and a position in it, or says why it isn't possible; the old tree is untouched.
//!
//! The kit keeps trees well formed and decides what becomes of flags and options. Whether an edit respects dependences is the caller's to know.

mod band;
mod group;
mod insert;
mod remove;
mod sequence;
mod simplify;
mod sink;
mod tile;

use crate::{Band, Error, Node, Path, ScheduleTree};
use std::sync::Arc;

pub use tile::TileForm;

/// The result of an edit.
#[derive(Debug, Clone, PartialEq)]
pub struct Edited {
    /// The new tree.
    pub tree: ScheduleTree,
    /// Where the node stands that the edit is about; each operation says which.
    pub at: Path,
}

impl ScheduleTree {
    /// The node at a position, or an error that names the operation.
    fn target(&self, operation: &'static str, at: &Path) -> Result<&Arc<Node>, Error> {
        self.node(at).ok_or_else(|| Error::refused(operation, at, "there is no such node"))
    }

    /// The band at a position, with its child.
    fn target_band(&self, operation: &'static str, at: &Path) -> Result<(&Band, &Arc<Node>), Error> {
        let node = self.target(operation, at)?;
        match (node.as_band(), node.child()) {
            (Some(b), Some(c)) => Ok((b, c)),
            _ => Err(Error::refused(operation, at, format!("a {} is no band", node.kind().name()))),
        }
    }

    fn put(&self, at: &Path, subtree: Arc<Node>) -> Result<Edited, Error> {
        Ok(Edited {
            tree: self.replace(at, subtree)?,
            at: at.clone(),
        })
    }
}

/// Edits that change values of bands can't be made above nodes that mention these values.
fn not_anchored(operation: &'static str, at: &Path, node: &Node) -> Result<(), Error> {
    if node.is_subtree_anchored() {
        let reason = "a context, guard, extension or isolate option below mentions the values of outer bands";
        return Err(Error::refused(operation, at, reason));
    }
    Ok(())
}
