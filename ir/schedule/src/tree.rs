//! Whole trees and positions in them.

use crate::{Error, Node, NodeKind};
use std::fmt;
use std::sync::Arc;
use tilia_presburger::UnionSet;

/// How deep trees may nest: enough for any program, little enough for recursion over them.
pub(crate) const MAX_DEPTH: usize = 150;

/// A position in a tree: child indices from the root.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Path(pub Vec<usize>);

impl Path {
    /// The root.
    #[must_use]
    pub fn root() -> Path {
        Path(Vec::new())
    }

    /// The position of a child.
    #[must_use]
    pub fn child(&self, n: usize) -> Path {
        let mut p = self.0.clone();
        p.push(n);
        Path(p)
    }

    /// The position above, unless this is the root.
    #[must_use]
    pub fn parent(&self) -> Option<Path> {
        let (_, up) = self.0.split_last()?;
        Some(Path(up.to_vec()))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("/")?;
        for (i, n) in self.0.iter().enumerate() {
            let sep = if i == 0 { "" } else { "/" };
            write!(f, "{sep}{n}")?;
        }
        Ok(())
    }
}

/// A schedule tree whose nodes have the children that their kinds ask for.
///
/// What needs sets to decide (filters partition the instances, bands are total, ..) is checked by [`ScheduleTree::verify`].
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleTree {
    root: Arc<Node>,
}

impl ScheduleTree {
    /// A tree of a domain above `child`.
    ///
    /// # Errors
    /// When the subtree isn't well formed.
    pub fn new(domain: UnionSet, child: Arc<Node>) -> Result<ScheduleTree, Error> {
        ScheduleTree::from_root(Node::raw(NodeKind::Domain(domain), vec![child]))
    }

    /// A tree that orders nothing.
    #[must_use]
    pub fn from_domain(domain: UnionSet) -> ScheduleTree {
        ScheduleTree {
            root: Node::raw(NodeKind::Domain(domain), vec![Node::leaf()]),
        }
    }

    /// A tree from its root.
    ///
    /// # Errors
    /// When the root is neither a domain nor an extension, or nodes don't have the children that their kinds ask for.
    pub fn from_root(root: Arc<Node>) -> Result<ScheduleTree, Error> {
        if !matches!(root.kind(), NodeKind::Domain(_) | NodeKind::Extension(_)) {
            return Err(Error::shape(Path::root(), "the root must be a domain or an extension"));
        }
        check_shape(&root, &mut Path::root())?;
        Ok(ScheduleTree { root })
    }

    /// The root node.
    #[must_use]
    pub fn root(&self) -> &Arc<Node> {
        &self.root
    }

    /// The instances that the root introduces; none for a root that is an extension.
    #[must_use]
    pub fn domain(&self) -> Option<&UnionSet> {
        match self.root.kind() {
            NodeKind::Domain(d) => Some(d),
            _ => None,
        }
    }

    /// The node at a position.
    #[must_use]
    pub fn node(&self, at: &Path) -> Option<&Arc<Node>> {
        at.0.iter().try_fold(&self.root, |n, &i| n.children().get(i))
    }

    /// The nodes from the root to a position, both included.
    pub(crate) fn nodes_on(&self, at: &Path) -> Result<Vec<&Arc<Node>>, Error> {
        let mut out = vec![&self.root];
        for &i in &at.0 {
            let last = out[out.len() - 1];
            out.push(
                last.children()
                    .get(i)
                    .ok_or_else(|| Error::shape(at.clone(), "there is no such node"))?,
            );
        }
        Ok(out)
    }

    /// The tree with another subtree at a position. Shape is checked, meaning isn't.
    ///
    /// # Errors
    /// When there is no such position or the result isn't well formed.
    pub fn replace(&self, at: &Path, subtree: Arc<Node>) -> Result<ScheduleTree, Error> {
        let nodes = self.nodes_on(at)?;
        let mut new = subtree;
        for (parent, &i) in nodes[..nodes.len() - 1].iter().zip(&at.0).rev() {
            let mut children = parent.children().to_vec();
            children[i] = new;
            new = Node::raw(parent.kind().clone(), children);
        }
        ScheduleTree::from_root(new)
    }

    /// All positions, a node before its children.
    #[must_use]
    pub fn paths(&self) -> Vec<Path> {
        let mut out = Vec::new();
        let mut stack = vec![(Path::root(), &self.root)];
        while let Some((path, node)) = stack.pop() {
            for (i, c) in node.children().iter().enumerate().rev() {
                stack.push((path.child(i), c));
            }
            out.push(path);
        }
        out
    }

    /// The number of band members above a position.
    ///
    /// # Errors
    /// When there is no such position.
    pub fn schedule_depth(&self, at: &Path) -> Result<usize, Error> {
        let nodes = self.nodes_on(at)?;
        Ok(nodes[..nodes.len() - 1].iter().filter_map(|n| n.as_band()).map(|b| b.len()).sum())
    }
}

fn check_shape(node: &Arc<Node>, at: &mut Path) -> Result<(), Error> {
    if at.0.len() > MAX_DEPTH {
        return Err(Error::shape(at.clone(), format!("the tree is more than {MAX_DEPTH} nodes deep")));
    }
    let n = node.children().len();
    let fits = match node.kind() {
        NodeKind::Leaf => n == 0,
        NodeKind::Sequence | NodeKind::Set => n >= 1,
        _ => n == 1,
    };
    if !fits {
        return Err(Error::shape(
            at.clone(),
            format!("a {} can't have {n} children", node.kind().name()),
        ));
    }
    for (i, c) in node.children().iter().enumerate() {
        at.0.push(i);
        if matches!(c.kind(), NodeKind::Domain(_)) {
            return Err(Error::shape(at.clone(), "a domain can only be the root"));
        }
        if node.is_list() && !matches!(c.kind(), NodeKind::Filter(_)) {
            let message = format!("a child of a {} must be a filter, not a {}", node.kind().name(), c.kind().name());
            return Err(Error::shape(at.clone(), message));
        }
        check_shape(c, at)?;
        at.0.pop();
    }
    Ok(())
}
