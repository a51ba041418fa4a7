//! Numbers of operations and blocks, by address.

use super::{MlirBlock, MlirOp};
use crate::ffi;
use crate::walk::walk;
use rustc_hash::FxHashMap;

/// Positions of a module's operations and blocks in a walk of it.
pub(super) struct Numbers {
    ops: FxHashMap<usize, u32>,
    blocks: FxHashMap<usize, u32>,
}

impl Numbers {
    /// Numbers everything in `root`.
    pub(super) fn of(root: MlirOp<'_>) -> Self {
        let walked = walk(root);
        Self {
            ops: (0u32..).zip(&walked.ops).map(|(n, op)| (ffi::op_key(op), n)).collect(),
            blocks: (0u32..).zip(&walked.blocks).map(|(n, block)| (ffi::block_key(block), n)).collect(),
        }
    }

    /// The number of an operation.
    pub(super) fn op(&self, op: MlirOp<'_>) -> Option<u32> {
        self.ops.get(&ffi::op_key(&op)).copied()
    }

    /// The number of a block.
    pub(super) fn block(&self, block: MlirBlock<'_>) -> Option<u32> {
        self.blocks.get(&ffi::block_key(&block)).copied()
    }
}
