//! Does a tree respect dependences?
//!
//! Every pair must be ordered strictly, source first, by the node nearest the root that orders it. The walk carries the pairs that no node so far has ordered: a band keeps
//! those with equal values and fails on a smaller target; a sequence drops those whose source stands in an earlier child and fails on the reverse; a set fails on pairs
//! between its children; a leaf fails when any pair is left.

use crate::pairs::Members;
use crate::{Error, Pairs, Violation};
use std::sync::Arc;
use tilia_presburger::{Budget, DimType, UnionSet};
use tilia_schedule::{Node, NodeKind, Path, ScheduleTree};

/// A pair that the tree doesn't run in order, and the node that is to blame; nothing when the tree is legal.
///
/// # Errors
/// When the tree adds or replaces instances (extensions, expansions), or the sets library gives up.
pub fn first_violation(tree: &ScheduleTree, pairs: &Pairs, b: &Budget) -> Result<Option<(Path, Violation)>, Error> {
    visit(tree.root(), &Path::root(), pairs, b)
}

fn visit(node: &Arc<Node>, at: &Path, open: &Pairs, b: &Budget) -> Result<Option<(Path, Violation)>, Error> {
    match node.kind() {
        NodeKind::Leaf => Ok(open.any(b)?.map(|v| (at.clone(), v))),
        NodeKind::Band(band) => {
            let mut open = open.clone();
            for m in &band.members {
                if let Some(v) = open.violated_by(m, b)? {
                    return Ok(Some((at.clone(), v)));
                }
                open = open.left_by(m, b)?;
            }
            below(node, at, &open, b)
        }
        NodeKind::Filter(f) => {
            let inside = open.within(f, b)?;
            below(node, at, &inside, b)
        }
        NodeKind::Sequence | NodeKind::Set => list(node, at, open, b),
        NodeKind::Extension(_) | NodeKind::Expansion { .. } => {
            let message = format!("legality below an {} isn't decided", node.kind().name());
            Err(tilia_presburger::Error::Unsupported(message).into())
        }
        NodeKind::Domain(d) => {
            let inside = open.within(d, b)?;
            below(node, at, &inside, b)
        }
        NodeKind::Mark(_) | NodeKind::Context(_) | NodeKind::Guard(_) => below(node, at, open, b),
    }
}

fn below(node: &Arc<Node>, at: &Path, open: &Pairs, b: &Budget) -> Result<Option<(Path, Violation)>, Error> {
    if open.maps().is_empty() {
        return Ok(None);
    }
    for (i, c) in node.children().iter().enumerate() {
        if let Some(v) = visit(c, &at.child(i), open, b)? {
            return Ok(Some(v));
        }
    }
    Ok(None)
}

fn list(node: &Arc<Node>, at: &Path, open: &Pairs, b: &Budget) -> Result<Option<(Path, Violation)>, Error> {
    let ordered = matches!(node.kind(), NodeKind::Sequence);
    let mut filters: Vec<&UnionSet> = Vec::new();
    for c in node.children() {
        if let NodeKind::Filter(f) = c.kind() {
            filters.push(f);
        }
    }
    // Only children that know both statements of a pair can hold its ends.
    let children = Members::of(filters);
    let mut crossing = Vec::new();
    for m in open.maps() {
        for (i, source) in children.find(m, DimType::In) {
            for (j, target) in children.find(m, DimType::Out) {
                if i != j && !(ordered && i < j) {
                    crossing.push((i, j, m, source, target));
                }
            }
        }
    }
    crossing.sort_by_key(|&(i, j, ..)| (i, j));
    for (_, _, m, source, target) in crossing {
        let wrong = m.where_within(DimType::In, source, b)?.where_within(DimType::Out, target, b)?;
        if let Some(v) = Pairs::from_maps(vec![wrong]).any(b)? {
            return Ok(Some((at.clone(), v)));
        }
    }
    below(node, at, open, b)
}
