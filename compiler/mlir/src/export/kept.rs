//! Which source operations stay in a changed function.
//!
//! A source operation became one or several operations of the program: its group. It stays if the whole group is still there, unchanged but for operands that were
//! replaced by others, and still together, be it in another block.

use super::Keep;
use crate::imported::FunctionSources;
use rustc_hash::{FxHashMap, FxHashSet};
use tilia_program::{Access, BlockId, ForOp, Function, OpId, OpKind, RegionId};

/// The fate of each source operation of a function.
pub(super) struct Fates {
    /// Source operations that stay.
    kept: FxHashSet<u32>,
    /// Source operations that became something in the program.
    present: FxHashSet<u32>,
    /// The first operation of each group.
    anchors: FxHashSet<OpId>,
}

/// The block of each operation of a function's body.
fn places(f: &Function) -> FxHashMap<OpId, BlockId> {
    let mut places = FxHashMap::default();
    let mut regions: Vec<RegionId> = f.body.into_iter().collect();
    while let Some(region) = regions.pop() {
        for &block in &f[region].blocks {
            for &op in &f[block].ops {
                places.insert(op, block);
                regions.extend(f[op].regions.iter().copied());
            }
        }
    }
    places
}

impl Fates {
    /// Compares a function with what was imported. `is_affine` says whether a source operation is of the dialect `affine`, `is_known` whether it can be made anew.
    pub(super) fn new(
        old: &Function,
        new: &Function,
        sources: &FunctionSources,
        keep: Keep,
        is_affine: impl Fn(u32) -> bool,
        stays_in_doubt: impl Fn(u32) -> bool,
    ) -> Self {
        let (before, after) = (places(old), places(new));
        let mut groups: FxHashMap<u32, Vec<OpId>> = FxHashMap::default();
        let mut fates = Self {
            kept: FxHashSet::default(),
            present: FxHashSet::default(),
            anchors: FxHashSet::default(),
        };
        if let Some(body) = old.body {
            old.walk(body, |op| {
                if let Some(&source) = sources.ops.get(op.0 as usize) {
                    groups.entry(source).or_default().push(op);
                }
            });
        }
        for (&source, ops) in &groups {
            fates.present.insert(source);
            fates.anchors.insert(ops[0]);
            let members: FxHashSet<OpId> = ops.iter().copied().collect();
            let together = |op: OpId| {
                let (b, a) = (before.get(&op), after.get(&op));
                a.is_some() && (a == b || (b == before.get(&ops[0]) && a == after.get(&ops[0])))
            };
            let stays = ops
                .iter()
                .all(|&op| together(op) && unchanged(old, new, sources, op) && glue_is_whole(new, sources, op, &members));
            if stays && (keep == Keep::Unchanged || stays_in_doubt(source)) {
                fates.kept.insert(source);
            }
        }
        fates.drop_dependent(new, sources, &is_affine);
        fates
    }

    /// Takes out what can't stay because of what is around it: terminators of operations that are made anew, and affine operations in loops that are made anew,
    /// whose iterators aren't valid in `affine` any more.
    fn drop_dependent(&mut self, new: &Function, sources: &FunctionSources, is_affine: &impl Fn(u32) -> bool) {
        let mut stack: Vec<(RegionId, bool)> = new.body.iter().map(|&r| (r, false)).collect();
        while let Some((region, lost)) = stack.pop() {
            for &block in &new[region].blocks {
                for &op in &new[block].ops {
                    let source = sources.ops.get(op.0 as usize).copied();
                    if lost && source.is_some_and(is_affine) {
                        self.kept.retain(|&k| Some(k) != source);
                    }
                    let stays = self.stays(sources, op);
                    let imported_loop = source.is_some() && matches!(new[op].kind, OpKind::For(_));
                    for &inner in &new[op].regions {
                        stack.push((inner, lost || (!stays && imported_loop)));
                        if !stays {
                            self.drop_terminators(new, sources, inner);
                        }
                    }
                }
            }
        }
    }

    fn drop_terminators(&mut self, new: &Function, sources: &FunctionSources, region: RegionId) {
        for &block in &new[region].blocks {
            if let Some(&last) = new[block].ops.last()
                && matches!(new[last].kind, OpKind::Yield | OpKind::Condition)
                && let Some(source) = sources.ops.get(last.0 as usize)
            {
                self.kept.remove(source);
            }
        }
    }

    /// Whether the source of a program's operation stays.
    pub(super) fn stays(&self, sources: &FunctionSources, op: OpId) -> bool {
        sources.ops.get(op.0 as usize).is_some_and(|s| self.kept.contains(s))
    }

    /// Whether an operation is the first of its group.
    pub(super) fn is_anchor(&self, op: OpId) -> bool {
        self.anchors.contains(&op)
    }

    /// Whether a source operation stays because it is a part of the program that does.
    pub(super) fn is_kept(&self, source: u32) -> bool {
        self.kept.contains(&source)
    }

    /// Whether a source operation left no trace in the program: an alias, or a hint.
    pub(super) fn is_free(&self, source: u32) -> bool {
        !self.present.contains(&source)
    }
}

/// Whether an operation is as imported, operands aside; those that were replaced must have a source, or there is nothing to replace in the module.
fn unchanged(old: &Function, new: &Function, sources: &FunctionSources, op: OpId) -> bool {
    let (a, b) = (&old[op], &new[op]);
    let known = |v: tilia_program::ValueId| sources.values.get(v.0 as usize).is_some_and(Option::is_some);
    same_kind(&a.kind, &b.kind)
        && a.results == b.results
        && a.regions == b.regions
        && a.operands.len() == b.operands.len()
        && a.operands.iter().zip(&b.operands).all(|(x, y)| x == y || known(*x))
        && a.regions
            .iter()
            .all(|&r| old[r].blocks == new[r].blocks && old[r].blocks.iter().all(|&block| old[block].args == new[block].args))
}

/// Whether two kinds are the same in MLIR, which knows no checks of subscripts and no counts of tiles.
fn same_kind(a: &OpKind, b: &OpKind) -> bool {
    match (a, b) {
        (OpKind::Load(Access { map: a, .. }), OpKind::Load(Access { map: b, .. }))
        | (OpKind::Store(Access { map: a, .. }), OpKind::Store(Access { map: b, .. })) => a == b,
        (OpKind::For(a), OpKind::For(b)) => {
            let counted = ForOp {
                full_tile: a.full_tile,
                ..b.clone()
            };
            *a == counted
        }
        (a, b) => a == b,
    }
}

/// Whether the blocks of `op` that exist in the program only (between the loops of a parallel nest, say) hold nothing but members of its group.
fn glue_is_whole(new: &Function, sources: &FunctionSources, op: OpId, members: &FxHashSet<OpId>) -> bool {
    let is_glue = |block: &BlockId| sources.blocks.get(block.0 as usize).is_none_or(Option::is_none);
    let blocks = new[op].regions.iter().flat_map(|&r| &new[r].blocks);
    blocks
        .filter(|b| is_glue(b))
        .all(|&b| new[b].ops.iter().all(|op| members.contains(op)))
}
