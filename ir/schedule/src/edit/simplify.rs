//! Dropping what can't be reached.

use super::Edited;
use super::sink::for_spaces;
use crate::{Error, Node, NodeKind, Path, ScheduleTree};
use std::sync::Arc;
use tilia_presburger::{Budget, Space, UnionSet};

impl ScheduleTree {
    /// The tree for part of its domain, without what can no longer be reached.
    ///
    /// # Errors
    /// When the root is no domain, or the sets library gives up.
    pub fn intersect_domain(&self, keep: &UnionSet, b: &Budget) -> Result<Edited, Error> {
        let (Some(domain), Some(child)) = (self.domain(), self.root().child()) else {
            return Err(Error::refused("intersect_domain", &Path::root(), "the root is no domain"));
        };
        let domain = domain.intersect(keep)?.remove_empty(b)?;
        let child = simplified(child, &domain, b)?;
        Ok(Edited {
            tree: ScheduleTree::new(domain, child)?,
            at: Path::root(),
        })
    }
}

/// The subtree for the instances: children of lists that none of them reaches are dropped, a list of one is replaced by what is below it, and bands keep the
/// functions of the statements that are left.
pub(super) fn simplified(node: &Arc<Node>, reaching: &UnionSet, b: &Budget) -> Result<Arc<Node>, Error> {
    let spaces: Vec<Space> = reaching.sets().iter().map(|s| s.space().clone()).collect();
    match node.kind() {
        NodeKind::Leaf => Ok(node.clone()),
        NodeKind::Sequence | NodeKind::Set => {
            let mut children = Vec::new();
            for c in node.children() {
                let (NodeKind::Filter(f), Some(below)) = (c.kind(), c.child()) else {
                    continue;
                };
                let part = reaching.intersect(f)?.remove_empty(b)?;
                if !part.plain_is_empty() {
                    children.push((f.clone(), simplified(below, &part, b)?));
                }
            }
            match &children[..] {
                [(_, only)] => Ok(only.clone()),
                [] => Ok(Node::leaf()),
                _ => Ok(Node::raw(
                    node.kind().clone(),
                    children.into_iter().map(|(f, c)| Node::filter(f, c)).collect(),
                )),
            }
        }
        kind => {
            let (kind, part) = match kind {
                NodeKind::Band(band) => (NodeKind::Band(for_spaces(band, &spaces, b)?), reaching.clone()),
                NodeKind::Filter(f) => (kind.clone(), reaching.intersect(f)?.remove_empty(b)?),
                NodeKind::Extension(m) => (kind.clone(), reaching.union(&m.range()?)?),
                NodeKind::Expansion { expansion, .. } => (kind.clone(), reaching.apply(expansion)?),
                _ => (kind.clone(), reaching.clone()),
            };
            let children = node.children().iter().map(|c| simplified(c, &part, b)).collect::<Result<_, _>>()?;
            Ok(Node::raw(kind, children))
        }
    }
}
