//! A module's operations and blocks in order: the numbers by which an exporter finds them again in a copy of the module.

use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, BlockRef, OperationRef, RegionLike};

/// All operations and blocks of a module, each list in the order of a pre-order walk; a copy of the module has the same order.
pub(crate) struct Walked<'m> {
    /// Operations, the root first.
    pub(crate) ops: Vec<OperationRef<'m, 'm>>,
    /// Blocks.
    pub(crate) blocks: Vec<BlockRef<'m, 'm>>,
}

/// Everything in `root`, itself included.
pub(crate) fn walk<'m>(root: OperationRef<'m, 'm>) -> Walked<'m> {
    let mut walked = Walked {
        ops: Vec::new(),
        blocks: Vec::new(),
    };
    let mut stack = vec![root];
    while let Some(op) = stack.pop() {
        walked.ops.push(op);
        let start = stack.len();
        for region in op.regions() {
            let mut block = region.first_block();
            while let Some(current) = block {
                walked.blocks.push(current);
                let mut next = current.first_operation();
                while let Some(inner) = next {
                    stack.push(inner);
                    next = inner.next_in_block();
                }
                block = current.next_in_region();
            }
        }
        stack[start..].reverse();
    }
    walked
}
