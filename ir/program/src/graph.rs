//! The graph of a region's blocks.

use crate::{BlockId, Function, OpKind, RegionId};
use rustc_hash::FxHashSet;

impl Function {
    /// The blocks that the end of `block` branches to, as they are named there; a block may be named twice.
    #[must_use]
    pub fn successors(&self, block: BlockId) -> Vec<BlockId> {
        let Some(&last) = self[block].ops.last() else {
            return Vec::new();
        };
        match &self[last].kind {
            OpKind::Br(to) => vec![*to],
            OpKind::CondBr { then, otherwise, .. } => vec![*then, *otherwise],
            OpKind::Switch { default, cases } => [default.0].into_iter().chain(cases.iter().map(|c| c.1)).collect(),
            _ => Vec::new(),
        }
    }

    /// The blocks of `region` that its entry reaches, in reverse postorder: each after those that dominate it.
    #[must_use]
    pub fn reverse_postorder(&self, region: RegionId) -> Vec<BlockId> {
        let Some(&entry) = self[region].blocks.first() else {
            return Vec::new();
        };
        let inside: FxHashSet<_> = self[region].blocks.iter().copied().collect();
        let mut seen = FxHashSet::from_iter([entry]);
        let mut stack = vec![(entry, self.successors(entry).into_iter())];
        let mut post = Vec::new();
        while let Some((block, next)) = stack.last_mut() {
            match next.next() {
                Some(to) if inside.contains(&to) && seen.insert(to) => {
                    let successors = self.successors(to).into_iter();
                    stack.push((to, successors));
                }
                Some(_) => {}
                None => {
                    post.push(*block);
                    stack.pop();
                }
            }
        }
        post.reverse();
        post
    }
}
