//! Dominators of the blocks of one region, after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".

use crate::{BlockId, Function, RegionId};
use rustc_hash::FxHashMap;

/// The dominator tree of one region.
pub(super) struct Dominators {
    /// Position in reverse postorder of each block that the entry reaches.
    order: FxHashMap<BlockId, usize>,
    /// Immediate dominator by position; the entry's is itself.
    parent: Vec<usize>,
}

impl Dominators {
    pub(super) fn new(f: &Function, region: RegionId) -> Self {
        let blocks = f.reverse_postorder(region);
        let order: FxHashMap<_, _> = blocks.iter().enumerate().map(|(n, &b)| (b, n)).collect();
        let mut preds = vec![Vec::new(); blocks.len()];
        for (n, &b) in blocks.iter().enumerate() {
            for t in f.successors(b) {
                if let Some(&t) = order.get(&t) {
                    preds[t].push(n);
                }
            }
        }
        let mut parent: Vec<Option<usize>> = vec![None; blocks.len()];
        if let Some(entry) = parent.first_mut() {
            *entry = Some(0);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for n in 1..blocks.len() {
                let known = preds[n].iter().copied().filter(|&p| parent[p].is_some());
                let new = known.reduce(|a, b| meet(&parent, a, b));
                if new != parent[n] {
                    parent[n] = new;
                    changed = true;
                }
            }
        }
        let parent = parent.into_iter().map(|p| p.unwrap_or(0)).collect();
        Self { order, parent }
    }

    /// Whether every path to `b` passes `a`; true for blocks that nothing reaches, as in MLIR.
    pub(super) fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let Some(&b) = self.order.get(&b) else { return true };
        let Some(&a) = self.order.get(&a) else { return false };
        let mut at = b;
        while at > a {
            at = self.parent[at];
        }
        at == a
    }
}

fn meet(parent: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        // A known block's parents are known, and lie before it.
        if a > b {
            a = parent[a].unwrap_or(0);
        } else {
            b = parent[b].unwrap_or(0);
        }
    }
    a
}
