//! The order of the source, for statements whose rows leave dependences open: always legal.

use crate::error::{Error, Result};
use std::sync::Arc;
use tilia_presburger::{Space, UnionPwAff, UnionSet};
use tilia_schedule::{Band, Member, Node, NodeKind, ScheduleTree};

/// The part of the source's tree (below its domain) that orders the statements of these spaces.
pub(crate) fn order_of(tree: &ScheduleTree, spaces: &[Space]) -> Result<Arc<Node>> {
    match tree.root().children().first() {
        Some(child) => part(child, spaces),
        None => Ok(Node::leaf()),
    }
}

fn part(node: &Node, spaces: &[Space]) -> Result<Arc<Node>> {
    let below = |n: &Node| match n.children().first() {
        Some(child) => part(child, spaces),
        None => Ok(Node::leaf()),
    };
    match node.kind() {
        NodeKind::Leaf => Ok(Node::leaf()),
        NodeKind::Sequence | NodeKind::Set => {
            let mut children = Vec::new();
            for filter in node.children() {
                let NodeKind::Filter(keep) = filter.kind() else { continue };
                if let Some(keep) = restricted(keep, spaces)? {
                    children.push((keep, below(filter)?));
                }
            }
            Ok(match <[_; 1]>::try_from(children) {
                Ok([(_, only)]) => only,
                Err(children) if matches!(node.kind(), NodeKind::Set) => Node::set(children),
                Err(children) => Node::sequence(children),
            })
        }
        NodeKind::Band(band) => {
            let members: Result<Vec<Member>> = band.members.iter().map(|m| member(m, spaces)).collect();
            let band = Band {
                members: members?,
                ..band.clone()
            };
            Ok(Node::band(band, below(node)?))
        }
        NodeKind::Filter(keep) => match restricted(keep, spaces)? {
            Some(keep) => Ok(Node::filter(keep, below(node)?)),
            None => Ok(Node::leaf()),
        },
        NodeKind::Mark(name) => Ok(Node::mark(name.clone(), below(node)?)),
        other => Err(Error::Internal(format!("a {} node in a source schedule", other.name()))),
    }
}

/// The members of the set in these spaces; `None` if there are none.
fn restricted(set: &UnionSet, spaces: &[Space]) -> Result<Option<UnionSet>> {
    let members: Vec<_> = spaces.iter().filter_map(|s| set.find(s).cloned()).collect();
    if members.is_empty() {
        return Ok(None);
    }
    Ok(Some(UnionSet::from_members(&members)?))
}

fn member(m: &Member, spaces: &[Space]) -> Result<Member> {
    let mut func = UnionPwAff::empty(m.func.params_space());
    let b = tilia_presburger::Budget::unlimited();
    for s in spaces {
        if let Some(f) = m.func.extract(s) {
            func = func.add_pw_aff(f, &b)?;
        }
    }
    Ok(Member {
        coincident: false,
        reduces: false,
        ..m.with_func(func)
    })
}
