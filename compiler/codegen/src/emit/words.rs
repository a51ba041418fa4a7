//! Values in arrays of eight-byte words: arguments, results, captured values, descriptors.

use super::core::{Emit, Emitter};
use super::poly::Poly;
use super::types::{self, Source};
use super::value::{Bundle, Num, Val};
use crate::analysis::Range;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Value};
use std::rc::Rc;
use tilia_program::{MemRefType, Type, ValueId};

/// Whether the words change while the function runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Arguments and captured values, which stay.
    Argument,
    /// Results of a call, overwritten by the next one.
    Result,
}

impl Kind {
    fn flags(self) -> MemFlagsData {
        match self {
            Self::Argument => MemFlagsData::trusted().with_readonly().with_can_move(),
            Self::Result => MemFlagsData::trusted(),
        }
    }
}

fn byte(word: u32) -> i32 {
    i32::try_from(word.saturating_mul(8)).unwrap_or(i32::MAX)
}

impl Emitter<'_, '_> {
    /// Loads a value of type `ty` from word number `word` on.
    pub(super) fn load_words(&mut self, base: Value, word: u32, ty: &Type, kind: Kind) -> Emit<Val> {
        let flags = kind.flags();
        match ty {
            Type::Scalar(s) => {
                let value = self.at().ins().load(types::scalar(*s), flags, base, byte(word));
                Ok(Val::Scalar(value))
            }
            Type::Vector(v) => {
                let mut at = word;
                let mut parts = Vec::new();
                for part in types::vector(v, &self.loc)? {
                    parts.push(self.at().ins().load(part, flags, base, byte(at)));
                    at += part.bytes().div_ceil(8);
                }
                Ok(Val::Vector(parts.into()))
            }
            Type::MemRef(m) => self.load_bundle(base, word, m, flags),
            Type::UnrankedMemRef(_) => {
                let rank = self.at().ins().load(ir::types::I64, flags, base, byte(word));
                let desc = self.at().ins().load(ir::types::I64, flags, base, byte(word + 1));
                Ok(Val::Unranked(rank, desc))
            }
            Type::Opaque(text) => Err(types::opaque(text, &self.loc)),
        }
    }

    fn load_bundle(&mut self, base: Value, word: u32, ty: &MemRefType, flags: MemFlagsData) -> Emit<Val> {
        let shape = types::bundle(ty);
        let sources = std::iter::once(&shape.offset).chain(&shape.sizes).chain(&shape.strides);
        let mut parts = Vec::new();
        for at in [word, word + 1] {
            parts.push(self.at().ins().load(ir::types::I64, flags, base, byte(at)));
        }
        for (at, source) in (word + 2..).zip(sources) {
            if *source == Source::Part {
                parts.push(self.at().ins().load(ir::types::I64, flags, base, byte(at)));
            }
        }
        Bundle::from_parts(ty, &parts)
            .map(|b| Val::MemRef(Rc::new(b)))
            .ok_or_else(|| self.malformed("a memref lacks parts"))
    }

    /// Stores a value from word number `word` on, and returns the number of the word after it.
    pub(super) fn store_words(&mut self, base: Value, word: u32, value: ValueId) -> Emit<u32> {
        let parts = match self.val(value)? {
            Val::MemRef(m) => m.words().into_iter().map(|n| self.num(n)).collect(),
            _ => self.parts_of(value)?,
        };
        Ok(self.store_parts(base, word, &parts))
    }

    fn store_parts(&mut self, base: Value, mut word: u32, parts: &[Value]) -> u32 {
        for &part in parts {
            let size = self.code.dfg.value_type(part).bytes();
            self.at().ins().store(MemFlagsData::trusted(), part, base, byte(word));
            word += size.div_ceil(8);
        }
        word
    }

    /// The address of a new stack slot that holds the memref's descriptor, or any words.
    pub(super) fn spill(&mut self, words: &[Num]) -> Value {
        let size = u32::try_from(words.len().max(1) * 8).unwrap_or(u32::MAX);
        let slot = self.stack_slot(size, 3);
        let base = self.at().ins().stack_addr(ir::types::I64, slot, 0);
        let values: Vec<_> = words.iter().map(|&n| self.num(n)).collect();
        self.store_parts(base, 0, &values);
        base
    }

    pub(super) fn stack_slot(&mut self, bytes: u32, align_shift: u8) -> ir::StackSlot {
        self.slot_bytes += u64::from(bytes);
        self.code
            .create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, align_shift))
    }

    /// Notes what a ranked memref's sizes can be; used by `memref.dim`.
    pub(super) fn size_term(num: Num) -> super::affine::Term {
        match num {
            Num::Const(c) => super::affine::Term {
                poly: Poly::constant(c),
                range: Range::exact(c),
            },
            Num::Val(v) => super::affine::Term {
                poly: Poly::value(v),
                range: Range::SIZE,
            },
        }
    }
}
