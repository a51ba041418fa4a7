//! The run-time check whether two buffers share elements.

use super::builder::{Builder, Parts, Predicate};
use super::emit::{FunctionExporter, MlirBlock, MlirValue};
use super::{Exported, internal};
use crate::ffi;
use melior::ir::{Value, ValueLike};
use tilia_program::{Layout, MemRefType, OpId, Type};

/// First byte and the byte after the last one of a buffer's elements, and whether it has none.
#[derive(Clone, Copy)]
pub(super) struct Extent<'m> {
    start: MlirValue<'m>,
    end: MlirValue<'m>,
    empty: MlirValue<'m>,
}

impl<'m> FunctionExporter<'_, 'm> {
    /// Makes the check: neither is empty, and each starts before the other ends.
    pub(super) fn overlap(&mut self, op: OpId, target: MlirBlock<'m>) -> Exported {
        let mut extents = Vec::new();
        for &operand in &self.new[op].operands {
            let Type::MemRef(ty) = &self.new[operand].ty else {
                return Err(internal("an overlap check of something that isn't a ranked memref"));
            };
            extents.push(self.extent(target, self.value(operand)?, ty)?);
        }
        let [a, b] = &extents[..] else {
            return Err(internal("an overlap check of other than two memrefs"));
        };
        let first = self.b.compare(target, Predicate::Slt, a.start, b.end)?;
        let second = self.b.compare(target, Predicate::Slt, b.start, a.end)?;
        let crossing = self.b.binary(target, "arith.andi", first, second)?;
        let empty = self.b.binary(target, "arith.ori", a.empty, b.empty)?;
        let never = self.b.bool(target, false)?;
        let result = self.b.select(target, empty, never, crossing)?;
        self.bind(self.new.result(op), result);
        Ok(())
    }

    /// The extent of a buffer, computed once a block.
    fn extent(&mut self, block: MlirBlock<'m>, memref: MlirValue<'m>, ty: &MemRefType) -> Exported<Extent<'m>> {
        let key = (ffi::block_key(&block), ffi::value_key(&memref));
        if let Some(known) = self.extents.get(&key) {
            return Ok(*known);
        }
        let made = self.b.extent(block, memref, ty)?;
        self.extents.insert(key, made);
        Ok(made)
    }
}

impl<'m> Builder<'m> {
    fn extent(&self, block: MlirBlock<'m>, memref: MlirValue<'m>, ty: &MemRefType) -> Exported<Extent<'m>> {
        let index = self.index_type();
        let rank = ty.rank();
        let base = self.ty(&Type::MemRef(MemRefType {
            elem: ty.elem,
            shape: Vec::new(),
            layout: Layout::Identity,
        }))?;
        let base = ffi::with_memory_space_of(base, memref.r#type());
        let results: Vec<_> = std::iter::once(base).chain(std::iter::repeat_n(index, 1 + 2 * rank)).collect();
        let parts = Parts {
            operands: &[memref],
            results: &results,
            ..Parts::default()
        };
        let metadata = self.op(block, "memref.extract_strided_metadata", parts)?;
        let result = |n: usize| {
            metadata
                .result(n)
                .map(Value::from)
                .map_err(|_| internal("metadata with too few results"))
        };
        let parts = Parts {
            operands: &[memref],
            results: &[index],
            ..Parts::default()
        };
        let pointer = self.value(block, "memref.extract_aligned_pointer_as_index", parts)?;
        let (zero, one) = (self.index(block, 0)?, self.index(block, 1)?);
        let bytes = self.index(block, i64::try_from(ty.elem.bytes()).unwrap_or(1))?;
        let (mut low, mut high) = (zero, one);
        let mut empty = self.bool(block, false)?;
        for d in 0..rank {
            let (size, stride) = (result(2 + d)?, result(2 + rank + d)?);
            let last = self.binary(block, "arith.subi", size, one)?;
            let reach = self.binary(block, "arith.muli", last, stride)?;
            let down = self.binary(block, "arith.minsi", reach, zero)?;
            let up = self.binary(block, "arith.maxsi", reach, zero)?;
            low = self.binary(block, "arith.addi", low, down)?;
            high = self.binary(block, "arith.addi", high, up)?;
            let none = self.compare(block, Predicate::Sle, size, zero)?;
            empty = self.binary(block, "arith.ori", empty, none)?;
        }
        let offset = result(1)?;
        let place = |elements: MlirValue<'m>| {
            let from_base = self.binary(block, "arith.addi", offset, elements)?;
            let in_bytes = self.binary(block, "arith.muli", from_base, bytes)?;
            self.binary(block, "arith.addi", pointer, in_bytes)
        };
        Ok(Extent {
            start: place(low)?,
            end: place(high)?,
            empty,
        })
    }
}
