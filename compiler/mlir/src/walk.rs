//! A module's operations and blocks in order: the numbers by which an exporter finds them again in a copy of the module.

use crate::ffi;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, BlockRef, OperationRef, RegionLike, Value};
use rustc_hash::FxHashSet;

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

/// A place where an operation, or one in its regions, uses a value.
pub(crate) struct Use<'m> {
    /// The operation that uses it.
    pub(crate) user: OperationRef<'m, 'm>,
    /// Which of its operands it is.
    pub(crate) operand: usize,
    /// What is used.
    pub(crate) value: Value<'m, 'm>,
}

/// What `root` and the operations in its regions use of what is defined outside, in the order of a pre-order walk: `root`'s own operands come first. A copy of
/// `root` has the same list.
pub(crate) fn uses_from_outside<'m>(root: OperationRef<'m, 'm>) -> Vec<Use<'m>> {
    let walked = walk(root);
    let ops: FxHashSet<usize> = walked.ops.iter().map(ffi::op_key).collect();
    let blocks: FxHashSet<usize> = walked.blocks.iter().map(ffi::block_key).collect();
    let mut uses = Vec::new();
    for user in walked.ops {
        for (operand, value) in user.operands().enumerate() {
            let inside = match ffi::definition(&value) {
                ffi::Definition::Result(op, _) => ops.contains(&ffi::op_key(&op)),
                ffi::Definition::Arg(block, _) => blocks.contains(&ffi::block_key(&block)),
            };
            if !inside {
                uses.push(Use { user, operand, value });
            }
        }
    }
    uses
}
