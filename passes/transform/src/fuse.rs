//! Loop fusion: the outer loops of neighbours in a sequence become common loops.
//!
//! ```text
//! for i: S(i); for i: T(i)   =>   for i { S(i); T(i) }
//! ```
//!
//! Legal when no dependence runs from a later iteration of the first to an earlier iteration of the second; the whole new tree is checked.

use crate::reorder::own_part;
use crate::{Error, Outcome, Transformed, Transformer};
use std::sync::Arc;
use tilia_presburger::UnionSet;
use tilia_schedule::{Band, Member, Node, NodeKind, Path, ScheduleTree};

impl Transformer<'_> {
    /// Joins the loops of all children of a sequence, each of which must start with a band of as many members.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn fuse(&self, tree: &ScheduleTree, at: &Path) -> Transformed {
        let n = tree.node(at).map_or(0, |n| n.children().len());
        self.fuse_some(tree, at, 0, n, None)
    }

    /// Joins the outer loops (`depth` of them, or all of the first band) of `n` neighbours in a sequence from child `first` on. The position is the joined band's.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn fuse_some(&self, tree: &ScheduleTree, at: &Path, first: usize, n: usize, depth: Option<usize>) -> Transformed {
        let Some(node) = tree.node(at).filter(|n| matches!(n.kind(), NodeKind::Sequence)) else {
            return Ok(Outcome::unfit(format!("no sequence stands at {at}")));
        };
        let Some(children) = node.children().get(first..first + n).filter(|c| c.len() >= 2) else {
            return Ok(Outcome::unfit("fusion joins at least two children of a sequence"));
        };
        let mut joined: Option<Vec<Member>> = None;
        let mut parts: Vec<(UnionSet, Arc<Node>)> = Vec::new();
        let mut together: Option<UnionSet> = None;
        for (i, c) in children.iter().enumerate() {
            let (NodeKind::Filter(f), Some(_)) = (c.kind(), c.child()) else {
                continue;
            };
            let tree = match self.cut_to(tree, &at.child(first + i).child(0), depth)? {
                Ok(tree) => tree,
                Err(declined) => return Ok(declined),
            };
            let Some((band, below)) = tree
                .node(&at.child(first + i).child(0))
                .and_then(|n| Some((n.as_band()?, n.child()?)))
            else {
                return Ok(Outcome::unfit("a child of the sequence doesn't start with a loop"));
            };
            if below.is_subtree_anchored() || band.isolate.is_some() {
                return Ok(Outcome::unfit("options mention the values of the bands"));
            }
            let own = own_part(band, f, self.budget)?;
            joined = Some(match joined {
                None => own.members,
                Some(members) => match self.join(members, &own)? {
                    Ok(m) => m,
                    Err(declined) => return Ok(declined),
                },
            });
            together = Some(match together {
                None => f.clone(),
                Some(t) => t.union(f)?,
            });
            parts.push((f.clone(), below.clone()));
        }
        let (Some(members), Some(filter)) = (joined, together) else {
            return Ok(Outcome::unfit("there is nothing to join"));
        };
        let band = Node::band(Band::new(members), Node::sequence(parts));
        if n == node.children().len() {
            return self.put(tree, at, band);
        }
        let mut all: Vec<(UnionSet, Arc<Node>)> = Vec::new();
        for (i, c) in node.children().iter().enumerate() {
            if i == first {
                all.push((filter.clone(), band.clone()));
            }
            if let (false, NodeKind::Filter(f), Some(below)) = ((first..first + n).contains(&i), c.kind(), c.child()) {
                all.push((f.clone(), below.clone()));
            }
        }
        self.put(tree, at, Node::sequence(all))
    }

    /// The tree with a band of exactly `depth` members at a position, if bands stand there.
    fn cut_to(&self, tree: &ScheduleTree, at: &Path, depth: Option<usize>) -> Result<Result<ScheduleTree, Outcome>, Error> {
        let Some(depth) = depth else { return Ok(Ok(tree.clone())) };
        let chain = crate::chains(tree).into_iter().find(|c| c.at == *at);
        Ok(match chain {
            Some(chain) if chain.members.len() >= depth && depth > 0 => {
                crate::transformer::sorted(crate::one_band(tree, &chain, 0, depth, self.budget))?.map(|e| e.tree)
            }
            _ => Err(Outcome::unfit(format!(
                "a child of the sequence doesn't start with {depth} loops right inside each other"
            ))),
        })
    }

    fn join(&self, mut members: Vec<Member>, own: &Band) -> Result<Result<Vec<Member>, Outcome>, Error> {
        if members.len() != own.len() {
            let why = format!("bands of {} and {} members can't be joined", members.len(), own.len());
            return Ok(Err(Outcome::unfit(why)));
        }
        for (m, more) in members.iter_mut().zip(&own.members) {
            for g in more.func.pw_affs() {
                if m.func.extract(g.domain_space()).is_some() {
                    return Ok(Err(Outcome::unfit("a statement is in several of the bands")));
                }
                m.func = m.func.add_pw_aff(g, self.budget)?;
            }
            m.coincident = false;
        }
        Ok(Ok(members))
    }
}
