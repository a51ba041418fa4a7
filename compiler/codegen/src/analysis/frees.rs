//! Which memory may be used after it was freed.
//!
//! A program that does so is wrong, but it must not read or write memory that is someone else's by then. So where an array may still be used when its `dealloc` has executed, its memory is kept until
//! the call ends. The test is static: any use of the same root buffer, through views, that can come after, and any way by which the array leaves our sight.

use rustc_hash::{FxHashMap, FxHashSet};
use tilia_program::{BlockId, Function, MemRefUse, OpId, OpKind, RegionId, Type, ValueDef, ValueId};

/// The `dealloc`s after which something may still use the memory.
pub(crate) fn used_after(function: &Function) -> FxHashSet<OpId> {
    let Some(body) = function.body else { return FxHashSet::default() };
    let mut frees = Vec::new();
    function.walk(body, |op| {
        if matches!(function[op].kind, OpKind::Dealloc) {
            frees.push(op);
        }
    });
    if frees.is_empty() {
        return FxHashSet::default();
    }
    let places = Places::of(function, body);
    frees.retain(|&op| places.may_be_used_after(op));
    frees.into_iter().collect()
}

/// Where operations stand, and who uses what.
struct Places<'f> {
    function: &'f Function,
    at: FxHashMap<OpId, (BlockId, usize)>,
    /// The operation around each block, and whether the block is the only one of its region.
    around: FxHashMap<BlockId, (Option<OpId>, bool)>,
    users: FxHashMap<ValueId, Vec<OpId>>,
}

/// An operation and those around it, outermost first, from a given block on.
type Chain = Vec<(BlockId, usize, OpId)>;

impl<'f> Places<'f> {
    fn of(function: &'f Function, body: RegionId) -> Self {
        let mut places = Self {
            function,
            at: FxHashMap::default(),
            around: FxHashMap::default(),
            users: FxHashMap::default(),
        };
        let mut regions = vec![(None, body)];
        while let Some((parent, region)) = regions.pop() {
            let blocks = &function[region].blocks;
            for &block in blocks {
                places.around.insert(block, (parent, blocks.len() == 1));
                for (n, &op) in function[block].ops.iter().enumerate() {
                    places.at.insert(op, (block, n));
                    for &v in &function[op].operands {
                        places.users.entry(v).or_default().push(op);
                    }
                    regions.extend(function[op].regions.iter().map(|&r| (Some(op), r)));
                }
            }
        }
        places
    }

    fn may_be_used_after(&self, free: OpId) -> bool {
        let Some(root) = self.function[free].operands.first().and_then(|&v| self.root(v)) else {
            return true;
        };
        let (ValueDef::Result(alloc, _), Some(users)) = (self.function[root].def, self.users_of(root)) else {
            return true;
        };
        let Some(&(home, _)) = self.at.get(&alloc) else { return true };
        let Some(freed) = self.chain(free, home) else { return true };
        users.into_iter().any(|user| match self.chain(user, home) {
            Some(used) => self.comes_after(&used, &freed),
            None => true,
        })
    }

    /// The allocation that a memref is a view of.
    fn root(&self, mut v: ValueId) -> Option<ValueId> {
        loop {
            let ValueDef::Result(op, _) = self.function[v].def else {
                return None;
            };
            match self.function[op].kind {
                OpKind::Alloc { .. } => return Some(v),
                ref kind if kind.is_view() => v = *self.function[op].operands.first()?,
                _ => return None,
            }
        }
    }

    /// All operations that read or write an array or a view of it, other than those that free it (freeing twice is noticed when it happens); `None` when the array may be known elsewhere.
    fn users_of(&self, root: ValueId) -> Option<Vec<OpId>> {
        let (mut found, mut work) = (Vec::new(), vec![root]);
        while let Some(v) = work.pop() {
            for &user in self.users.get(&v).map_or(&[][..], Vec::as_slice) {
                let op = &self.function[user];
                let memref = |&r: &ValueId| matches!(self.function[r].ty, Type::MemRef(_) | Type::UnrankedMemRef(_));
                match op.kind.memref_use() {
                    MemRefUse::Free => {}
                    MemRefUse::View => {
                        found.push(user);
                        work.extend(&op.results);
                    }
                    MemRefUse::Descriptor | MemRefUse::Elements => found.push(user),
                    MemRefUse::Other => match op.kind {
                        OpKind::Call(_) if !op.results.iter().any(memref) => found.push(user),
                        _ => return None,
                    },
                }
            }
        }
        Some(found)
    }

    /// The way from `home` to an operation in it; `None` when it stands elsewhere, or in a graph of blocks.
    fn chain(&self, op: OpId, home: BlockId) -> Option<Chain> {
        let mut chain = Vec::new();
        let mut here = op;
        loop {
            let &(block, n) = self.at.get(&here)?;
            chain.push((block, n, here));
            if block == home {
                chain.reverse();
                return Some(chain);
            }
            let &(parent, single) = self.around.get(&block)?;
            here = parent.filter(|_| single)?;
        }
    }

    /// Whether the first operation may execute after the second, within one execution of the block where both ways begin.
    fn comes_after(&self, first: &Chain, second: &Chain) -> bool {
        for (a, b) in first.iter().zip(second) {
            if a.0 != b.0 {
                // Different branches of one condition.
                return false;
            }
            if a.1 != b.1 {
                return a.1 > b.1;
            }
            if matches!(self.function[a.2].kind, OpKind::For(_) | OpKind::While) {
                return true;
            }
        }
        false
    }
}
