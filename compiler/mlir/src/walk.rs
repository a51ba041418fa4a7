//! A module's operations in order.

use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, OperationRef, RegionLike};

/// All operations of `root`, itself included, in the order of a pre-order walk: a copy of a module has the same order.
pub(crate) fn pre_order<'m>(root: OperationRef<'m, 'm>) -> Vec<OperationRef<'m, 'm>> {
    let mut found = Vec::new();
    let mut stack = vec![root];
    while let Some(op) = stack.pop() {
        found.push(op);
        let start = stack.len();
        for region in op.regions() {
            let mut block = region.first_block();
            while let Some(current) = block {
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
    found
}
