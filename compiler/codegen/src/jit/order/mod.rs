//! The order of instructions within blocks.
//!
//! Cranelift's optimiser leaves loads where they are and puts all that is computed from them as late as it can: in the body of a register tile all loads come first, then all multiply-adds, and
//! more values are live at a time than there are registers. Here such blocks get an order in which values die early. Nothing is computed otherwise: only instructions without effects and loads move, and
//! loads don't pass stores, calls or anything else that has an effect.

mod block;
mod uses;

use cranelift_codegen::ir::{Block, Function, Type};
use cranelift_codegen::isa::TargetIsa;
pub(super) use uses::Uses;

/// Vector and float registers that a block may fill before its order is looked at: those of x86-64, less two for what instruction selection needs.
const REGISTERS: usize = 14;
/// Instructions of a block beyond which its order is kept: the search is quadratic at worst.
const MAX_INSTRUCTIONS: usize = 2000;

/// Whether the number of registers is known of the machine.
pub(super) fn is_supported(isa: &dyn TargetIsa) -> bool {
    isa.name() == "x64"
}

/// Reorders the blocks whose floats and vectors don't fit into the registers.
pub(super) fn reorder(code: &mut Function) {
    let uses = Uses::of(code);
    let blocks: Vec<Block> = code.layout.blocks().collect();
    for block in blocks {
        let old: Vec<_> = code.layout.block_insts(block).collect();
        if old.len() <= MAX_INSTRUCTIONS && block::peak(code, &uses, block, &old) > REGISTERS {
            let new = block::schedule(code, &uses, block, &old);
            if block::peak(code, &uses, block, &new) < block::peak(code, &uses, block, &old) {
                for &inst in &new {
                    code.layout.remove_inst(inst);
                    code.layout.append_inst(inst, block);
                }
            }
        }
    }
}

/// Whether values of this type are held in vector registers.
fn in_vector_register(ty: Type) -> bool {
    ty.is_float() || ty.is_vector()
}
