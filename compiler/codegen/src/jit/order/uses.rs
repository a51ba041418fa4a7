//! Where values are used.

use super::in_vector_register;
use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{Block, Function, Inst, Value, ValueDef};
use rustc_hash::FxHashMap;

/// Which values are used in another block than the one that defines them.
pub(in crate::jit) struct Uses {
    leaves: SecondaryMap<Value, bool>,
}

impl Uses {
    pub(in crate::jit) fn of(code: &Function) -> Self {
        let mut leaves = SecondaryMap::new();
        for block in code.layout.blocks() {
            for inst in code.layout.block_insts(block) {
                for value in code.dfg.inst_values(inst) {
                    if home(code, value) != Some(block) {
                        leaves[value] = true;
                    }
                }
            }
        }
        Self { leaves }
    }

    /// Whether the value is in no register after its last use in `block`.
    pub(in crate::jit) fn dies(&self, code: &Function, value: Value, block: Block) -> bool {
        !self.leaves[value] && home(code, value) == Some(block)
    }
}

/// The block that defines the value.
fn home(code: &Function, value: Value) -> Option<Block> {
    match code.dfg.value_def(value) {
        ValueDef::Result(inst, _) => code.layout.inst_block(inst),
        ValueDef::Param(block, _) => Some(block),
        ValueDef::Union(..) => None,
    }
}

/// Uses of a block's floats and vectors that are still to come, on a walk through its instructions.
pub(super) struct Remaining {
    left: FxHashMap<Value, u32>,
}

impl Remaining {
    pub(super) fn new(code: &Function, insts: &[Inst]) -> Self {
        let mut left = FxHashMap::default();
        for &inst in insts {
            for value in code.dfg.inst_values(inst) {
                if in_vector_register(code.dfg.value_type(value)) {
                    *left.entry(value).or_insert(0) += 1;
                }
            }
        }
        Self { left }
    }

    pub(super) fn get(&self, value: Value) -> u32 {
        self.left.get(&value).copied().unwrap_or(0)
    }

    /// All values with uses.
    pub(super) fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.left.keys().copied()
    }

    /// Takes the uses by `inst` away.
    pub(super) fn pass(&mut self, code: &Function, inst: Inst) {
        for value in code.dfg.inst_values(inst) {
            if let Some(n) = self.left.get_mut(&value) {
                *n = n.saturating_sub(1);
            }
        }
    }

    /// The distinct operands of `inst` that are held in vector registers and have no use but by it.
    pub(super) fn last_uses(&self, code: &Function, inst: Inst) -> Vec<Value> {
        let mut seen: Vec<(Value, u32)> = Vec::new();
        for value in code.dfg.inst_values(inst) {
            if !self.left.contains_key(&value) {
                continue;
            }
            match seen.iter_mut().find(|(v, _)| *v == value) {
                Some((_, n)) => *n += 1,
                None => seen.push((value, 1)),
            }
        }
        seen.retain(|&(v, n)| self.get(v) == n);
        seen.into_iter().map(|(v, _)| v).collect()
    }
}
