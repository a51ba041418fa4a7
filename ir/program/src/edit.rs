//! Edits of functions: cloning operations with values replaced, walking.

use crate::{BlockId, Function, OpId, OpKind, RegionId, ValueId};
use rustc_hash::FxHashMap;

/// Old values to new ones; what isn't in it stands for itself.
pub type ValueMap = FxHashMap<ValueId, ValueId>;

impl Function {
    /// Calls `visit` on every operation below `region`, outer ones before inner ones, in order. Works with an explicit stack: depth is the user's.
    pub fn walk(&self, region: RegionId, mut visit: impl FnMut(OpId)) {
        let mut stack: Vec<OpId> = Vec::new();
        let push = |stack: &mut Vec<OpId>, region: RegionId| {
            for &block in self[region].blocks.iter().rev() {
                stack.extend(self[block].ops.iter().rev());
            }
        };
        push(&mut stack, region);
        while let Some(op) = stack.pop() {
            visit(op);
            for &region in self[op].regions.iter().rev() {
                push(&mut stack, region);
            }
        }
    }

    /// Appends a copy of `op`, regions included, to `block`, with operands replaced by `map`; adds the copies of all results and block arguments to `map`.
    pub fn clone_op(&mut self, op: OpId, block: BlockId, map: &mut ValueMap) -> OpId {
        // Frames of an explicit stack: (source op, target block). Regions are cloned breadth-first per op, branch targets mapped afterwards.
        let root = self.clone_shallow(op, block, map);
        let mut work = vec![(op, root)];
        let mut blocks: FxHashMap<BlockId, BlockId> = FxHashMap::default();
        while let Some((old, new)) = work.pop() {
            for region in self[old].regions.clone() {
                let new_region = self.new_region();
                self[new].regions.push(new_region);
                for old_block in self[region].blocks.clone() {
                    let types: Vec<_> = self[old_block].args.iter().map(|&a| self[a].ty.clone()).collect();
                    let new_block = self.new_block(new_region, &types);
                    blocks.insert(old_block, new_block);
                    for (a, b) in self[old_block].args.clone().into_iter().zip(self[new_block].args.clone()) {
                        map.insert(a, b);
                    }
                }
                for old_block in self[region].blocks.clone() {
                    for inner in self[old_block].ops.clone() {
                        let copy = self.clone_shallow(inner, blocks[&old_block], map);
                        if !self[inner].regions.is_empty() {
                            work.push((inner, copy));
                        }
                    }
                }
            }
        }
        if !blocks.is_empty() {
            self.retarget(root, &blocks, map);
        }
        root
    }

    fn clone_shallow(&mut self, op: OpId, block: BlockId, map: &mut ValueMap) -> OpId {
        let source = self[op].clone();
        let operands = source.operands.iter().map(|v| map.get(v).copied().unwrap_or(*v)).collect();
        let types: Vec<_> = source.results.iter().map(|&r| self[r].ty.clone()).collect();
        let copy = self.append(block, source.kind, operands, &types, source.loc);
        self[copy].origin = source.origin;
        for (old, new) in source.results.iter().zip(self[copy].results.clone()) {
            map.insert(*old, new);
        }
        copy
    }

    /// Renames branch targets and late operands (uses before the definition was copied, as in loops of blocks) below a fresh copy.
    fn retarget(&mut self, root: OpId, blocks: &FxHashMap<BlockId, BlockId>, map: &ValueMap) {
        let mut all = Vec::new();
        for region in self[root].regions.clone() {
            self.walk(region, |op| all.push(op));
        }
        let to = |b: BlockId| blocks.get(&b).copied().unwrap_or(b);
        for op in all {
            for v in &mut self[op].operands {
                if let Some(&new) = map.get(v) {
                    *v = new;
                }
            }
            match &mut self[op].kind {
                OpKind::Br(b) => *b = to(*b),
                OpKind::CondBr { then, otherwise, .. } => {
                    *then = to(*then);
                    *otherwise = to(*otherwise);
                }
                OpKind::Switch { default, cases } => {
                    default.0 = to(default.0);
                    for case in cases {
                        case.1 = to(case.1);
                    }
                }
                _ => {}
            }
        }
    }
}
