//! Where each operation of a function stands, and who uses each value.

use rustc_hash::FxHashSet;
use tilia_program::{BlockId, Function, OpId, ValueDef, ValueId};

/// Positions and uses of one function, computed once.
pub(crate) struct Index<'a> {
    pub(crate) function: &'a Function,
    op_block: Vec<Option<BlockId>>,
    order: Vec<u32>,
    block_parent: Vec<Option<OpId>>,
    users: Vec<Vec<OpId>>,
}

impl<'a> Index<'a> {
    pub(crate) fn new(function: &'a Function) -> Self {
        let mut index = Self {
            function,
            op_block: vec![None; function.op_count()],
            order: vec![0; function.op_count()],
            block_parent: vec![None; function.block_count()],
            users: vec![Vec::new(); function.value_count()],
        };
        let Some(body) = function.body else { return index };
        for &block in &function[body].blocks {
            index.enter(block, None);
        }
        let mut next = 0;
        function.walk(body, |op| {
            next += 1;
            index.order[op.0 as usize] = next;
            for &v in &function[op].operands {
                index.users[v.0 as usize].push(op);
            }
            for &region in &function[op].regions {
                for &block in &function[region].blocks {
                    index.enter(block, Some(op));
                }
            }
        });
        index
    }

    fn enter(&mut self, block: BlockId, parent: Option<OpId>) {
        self.block_parent[block.0 as usize] = parent;
        for &op in &self.function[block].ops {
            self.op_block[op.0 as usize] = Some(block);
        }
    }

    /// The block that an operation stands in; `None` when it was removed from the function.
    pub(crate) fn block(&self, op: OpId) -> Option<BlockId> {
        self.op_block[op.0 as usize]
    }

    /// The operation whose region holds the block.
    pub(crate) fn parent_of_block(&self, block: BlockId) -> Option<OpId> {
        self.block_parent[block.0 as usize]
    }

    /// Position in the order of the text, outer operations before inner ones.
    pub(crate) fn order(&self, op: OpId) -> u32 {
        self.order[op.0 as usize]
    }

    /// Operations that have the value as operand.
    pub(crate) fn users(&self, value: ValueId) -> &[OpId] {
        &self.users[value.0 as usize]
    }

    /// The block in which a value is defined.
    pub(crate) fn def_block(&self, value: ValueId) -> Option<BlockId> {
        match self.function[value].def {
            ValueDef::Arg(block, _) => Some(block),
            ValueDef::Result(op, _) => self.block(op),
        }
    }

    /// The operation of `block` that is `op` or holds it.
    pub(crate) fn ancestor_in(&self, op: OpId, block: BlockId) -> Option<OpId> {
        let mut op = op;
        loop {
            let b = self.block(op)?;
            if b == block {
                return Some(op);
            }
            op = self.parent_of_block(b)?;
        }
    }

    /// The blocks around `op`, innermost first.
    pub(crate) fn blocks_around(&self, op: OpId) -> Vec<BlockId> {
        let mut out = Vec::new();
        let mut at = self.block(op);
        while let Some(b) = at {
            out.push(b);
            at = self.parent_of_block(b).and_then(|p| self.block(p));
        }
        out
    }

    /// `op` and everything inside it, outer operations first.
    pub(crate) fn deep(&self, op: OpId) -> Vec<OpId> {
        let mut out = vec![op];
        for &region in &self.function[op].regions {
            self.function.walk(region, |o| out.push(o));
        }
        out
    }
}

/// What belongs to a run of operations: their results and everything inside them. All other values are fixed while the run executes.
#[derive(Debug, Default)]
pub(crate) struct Inside {
    ops: FxHashSet<OpId>,
    blocks: FxHashSet<BlockId>,
}

impl Inside {
    pub(crate) fn new(index: &Index<'_>, ops: &[OpId]) -> Self {
        let mut inside = Self::default();
        for &op in ops {
            for o in index.deep(op) {
                inside.ops.insert(o);
                for &region in &index.function[o].regions {
                    inside.blocks.extend(index.function[region].blocks.iter().copied());
                }
            }
        }
        inside
    }

    pub(crate) fn has_op(&self, op: OpId) -> bool {
        self.ops.contains(&op)
    }

    /// Whether the value is defined inside.
    pub(crate) fn defines(&self, function: &Function, value: ValueId) -> bool {
        match function[value].def {
            ValueDef::Arg(block, _) => self.blocks.contains(&block),
            ValueDef::Result(op, _) => self.ops.contains(&op),
        }
    }
}
