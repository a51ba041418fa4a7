//! The run-time check whether two buffers share elements, as a function of the module.
//!
//! MLIR has no operation for it, so the check computes with addresses, in a private function for each pair of types. The attribute [`OVERLAP`] says what it does: the
//! importer takes calls of such a function for what they mean, without looking into its body.

use super::builder::{Builder, Parts, Predicate};
use super::emit::{FunctionExporter, MlirBlock, MlirOp, MlirValue};
use super::{Exported, internal};
use crate::ffi;
use crate::import::OVERLAP;
use crate::walk::Walked;
use melior::ir::attribute::{StringAttribute, TypeAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Type as MlirType, Value, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use tilia_program::{Layout, MemRefType, OpId, Type};

/// The functions of a module that check whether buffers overlap.
#[derive(Debug, Default)]
pub(super) struct Checks {
    /// Symbols, by the block that they are in and their function type.
    known: RefCell<FxHashMap<(usize, String), String>>,
    /// Symbols that are taken.
    taken: RefCell<FxHashSet<String>>,
}

impl Checks {
    /// Those that the module has already.
    pub(super) fn of(walked: &Walked<'_>) -> Self {
        let checks = Self::default();
        for op in &walked.ops {
            let Some(symbol) = op.attribute("sym_name").ok().and_then(|a| StringAttribute::try_from(a).ok()) else {
                continue;
            };
            checks.taken.borrow_mut().insert(symbol.value().to_owned());
            let ty = op.attribute("function_type").ok().and_then(|a| TypeAttribute::try_from(a).ok());
            if let (true, Some(ty), Some(block)) = (op.has_attribute(OVERLAP), ty, op.block()) {
                let key = (ffi::block_key(&block), ty.value().to_string());
                checks.known.borrow_mut().insert(key, symbol.value().to_owned());
            }
        }
        checks
    }

    /// A symbol that isn't taken yet.
    fn symbol(&self) -> String {
        let mut taken = self.taken.borrow_mut();
        let mut symbol = "overlap".to_owned();
        let mut number = 1;
        while !taken.insert(symbol.clone()) {
            symbol = format!("overlap_{number}");
            number += 1;
        }
        symbol
    }
}

/// First byte and the byte after the last one of a buffer's elements, and whether it has none.
struct Extent<'m> {
    start: MlirValue<'m>,
    end: MlirValue<'m>,
    empty: MlirValue<'m>,
}

impl<'m> FunctionExporter<'_, 'm> {
    /// Makes a call of the check for the types of the operands, and the check if there is none yet.
    pub(super) fn overlap(&mut self, op: OpId, target: MlirBlock<'m>) -> Exported {
        let mut operands = Vec::new();
        let mut types = Vec::new();
        for &operand in &self.new[op].operands {
            let Type::MemRef(ty) = &self.new[operand].ty else {
                return Err(internal("an overlap check of something that isn't a ranked memref"));
            };
            let (value, ty) = (self.value(operand)?, any_strides(ty));
            let wanted = ffi::with_memory_space_of(self.b.ty(&Type::MemRef(ty.clone()))?, value.r#type());
            operands.push(self.b.cast(target, value, wanted)?);
            types.push((ty, wanted));
        }
        let [a, b] = &types[..] else {
            return Err(internal("an overlap check of other than two memrefs"));
        };
        let symbol = self.check_of([a, b])?;
        let parts = Parts {
            operands: &operands,
            results: &[self.b.ty(&Type::BOOL)?],
            attributes: &[("callee", format!("@{symbol:?}"))],
            ..Parts::default()
        };
        let result = self.b.value(target, "func.call", parts)?;
        self.bind(self.new.result(op), result);
        Ok(())
    }

    /// Elements between neighbours along dimension `n`.
    pub(super) fn stride(&mut self, op: OpId, n: u32, target: MlirBlock<'m>) -> Exported {
        let operand = self.new[op].operands[0];
        let Type::MemRef(ty) = self.new[operand].ty.clone() else {
            return Err(internal("a stride of something that isn't a ranked memref"));
        };
        let value = self.value(operand)?;
        let metadata = self.b.metadata(target, value, &ty)?;
        let stride = metadata.result(2 + ty.rank() + n as usize).map(Value::from);
        self.bind(self.new.result(op), stride.map_err(|_| internal("metadata with too few results"))?);
        Ok(())
    }

    /// The symbol of the check for two types.
    fn check_of(&self, types: [&(MemRefType, MlirType<'m>); 2]) -> Exported<String> {
        let block = self
            .function()
            .and_then(|f| f.block())
            .ok_or_else(|| internal("a function in no module"))?;
        let ty = format!("({}, {}) -> i1", types[0].1, types[1].1);
        let key = (ffi::block_key(&block), ty.clone());
        if let Some(known) = self.checks.known.borrow().get(&key) {
            return Ok(known.clone());
        }
        let symbol = self.checks.symbol();
        let attributes = [
            ("sym_name", format!("{symbol:?}")),
            ("function_type", ty),
            ("sym_visibility", "\"private\"".to_owned()),
            (OVERLAP, "unit".to_owned()),
        ];
        let parts = Parts {
            attributes: &attributes,
            regions: 1,
            ..Parts::default()
        };
        let function = self.b.op(block, "func.func", parts)?;
        self.b.apart(|b| b.check_body(function, types))?;
        self.checks.known.borrow_mut().insert(key, symbol.clone());
        Ok(symbol)
    }
}

/// A type that every memref of that element type and rank can be cast to.
fn any_strides(ty: &MemRefType) -> MemRefType {
    MemRefType {
        elem: ty.elem,
        shape: vec![None; ty.rank()],
        layout: Layout::Strided {
            offset: None,
            strides: vec![None; ty.rank()],
        },
    }
}

impl<'m> Builder<'m> {
    fn cast(&self, block: MlirBlock<'m>, value: MlirValue<'m>, ty: MlirType<'m>) -> Exported<MlirValue<'m>> {
        if value.r#type() == ty {
            return Ok(value);
        }
        let parts = Parts {
            operands: &[value],
            results: &[ty],
            ..Parts::default()
        };
        self.value(block, "memref.cast", parts)
    }

    /// Neither buffer is empty, and each starts before the other ends.
    fn check_body(&self, function: MlirOp<'m>, types: [&(MemRefType, MlirType<'m>); 2]) -> Exported {
        let region = function.region(0).map_err(|_| internal("a function without a region"))?;
        let block = self.append_block(region, &[types[0].1, types[1].1]);
        let argument = |n: usize| {
            block
                .argument(n)
                .map(Value::from)
                .map_err(|_| internal("a function without arguments"))
        };
        let a = self.extent(block, argument(0)?, &types[0].0)?;
        let b = self.extent(block, argument(1)?, &types[1].0)?;
        let first = self.compare(block, Predicate::Slt, a.start, b.end)?;
        let second = self.compare(block, Predicate::Slt, b.start, a.end)?;
        let crossing = self.binary(block, "arith.andi", first, second)?;
        let empty = self.binary(block, "arith.ori", a.empty, b.empty)?;
        let never = self.bool(block, false)?;
        let result = self.select(block, empty, never, crossing)?;
        let parts = Parts {
            operands: &[result],
            ..Parts::default()
        };
        self.op(block, "func.return", parts)?;
        Ok(())
    }

    /// Base, offset, sizes and strides of a memref.
    fn metadata(&self, block: MlirBlock<'m>, memref: MlirValue<'m>, ty: &MemRefType) -> Exported<MlirOp<'m>> {
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
        self.op(block, "memref.extract_strided_metadata", parts)
    }

    fn extent(&self, block: MlirBlock<'m>, memref: MlirValue<'m>, ty: &MemRefType) -> Exported<Extent<'m>> {
        let index = self.index_type();
        let rank = ty.rank();
        let metadata = self.metadata(block, memref, ty)?;
        let result = |n: usize| {
            let value = metadata.result(n).map(Value::from);
            value.map_err(|_| internal("metadata with too few results"))
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
