//! Buffers, views and accesses.

use super::builder::{Parts, array_i32, array_i64};
use super::emit::{FunctionExporter, MlirBlock, MlirValue};
use super::{Exported, internal};
use crate::ffi;
use melior::ir::{Type as MlirType, ValueLike};
use tilia_program::{AffineMap, OpId, OpKind, Slice, SliceDim, Type, ValueId, VectorType};

/// Whether neighbours in a memref's innermost dimension are known to be neighbours in memory.
fn is_unit_stride(memref: MlirValue<'_>) -> bool {
    ffi::strides(memref.r#type()).is_some_and(|(strides, _)| strides.last().is_none_or(|s| *s == Some(1)))
}

impl<'m> FunctionExporter<'_, 'm> {
    /// Makes an operation on memory.
    pub(super) fn memory(&mut self, op: OpId, target: MlirBlock<'m>) -> Exported {
        match &self.new[op].kind {
            OpKind::Load(access) => {
                let vector = matches!(self.new[self.new.result(op)].ty, Type::Vector(_));
                let names = if vector {
                    ["affine.vector_load", "vector.load"]
                } else {
                    ["affine.load", "memref.load"]
                };
                self.access(op, names, 1, &access.map, target)
            }
            OpKind::Store(access) => {
                let vector = matches!(self.new[self.new[op].operands[0]].ty, Type::Vector(_));
                let names = if vector {
                    ["affine.vector_store", "vector.store"]
                } else {
                    ["affine.store", "memref.store"]
                };
                self.access(op, names, 2, &access.map, target)
            }
            OpKind::Alloc { stack, align } => {
                let operands = self.all_operands(op)?;
                let mut attributes = vec![("operandSegmentSizes", array_i32(&[operands.len(), 0]))];
                if *align > 0 {
                    attributes.push(("alignment", format!("{align} : i64")));
                }
                self.simple(
                    op,
                    if *stack { "memref.alloca" } else { "memref.alloc" },
                    &operands,
                    &attributes,
                    target,
                )
            }
            OpKind::Dealloc => self.plain(op, "memref.dealloc", target),
            OpKind::Copy => self.plain(op, "memref.copy", target),
            OpKind::Dim => self.plain(op, "memref.dim", target),
            OpKind::Rank => self.plain(op, "memref.rank", target),
            OpKind::Stride(n) => self.stride(op, *n, target),
            OpKind::Address => self.plain(op, "memref.extract_aligned_pointer_as_index", target),
            OpKind::CastMemRef => {
                let operand = self.value(self.new[op].operands[0])?;
                let from = operand.r#type();
                let to = self.result_type(self.new.result(op), Some(from))?;
                if from == to {
                    // The source's cast was between memory spaces, which execution doesn't tell apart.
                    self.bind(self.new.result(op), operand);
                    return Ok(());
                }
                let same = ffi::same_memory_space(from, to);
                self.plain(op, if same { "memref.cast" } else { "memref.memory_space_cast" }, target)
            }
            OpKind::SubView(slice) => self.slice(op, "memref.subview", slice, target),
            OpKind::ReinterpretCast(slice) => self.slice(op, "memref.reinterpret_cast", slice, target),
            OpKind::Transpose(permutation) => {
                let map = AffineMap {
                    dims: u32::try_from(permutation.len()).unwrap_or(u32::MAX),
                    syms: 0,
                    results: permutation.iter().map(|&d| tilia_program::AffineExpr::Dim(d)).collect(),
                };
                let operands = self.all_operands(op)?;
                self.simple(
                    op,
                    "memref.transpose",
                    &operands,
                    &[("permutation", format!("affine_map<{map}>"))],
                    target,
                )
            }
            OpKind::Reshape { collapse, groups } => self.reshape(op, *collapse, groups, target),
            OpKind::GetGlobal(_) => {
                // Lowering copies those of the source, in which the name is.
                let source = self.source_of(op).or_else(|| self.source_of_like(op));
                let source = source.ok_or_else(|| internal("a global without a source"))?;
                let name =
                    melior::ir::operation::OperationLike::attribute(&source, "name").map_err(|_| internal("a global without a name"))?;
                self.simple(op, "memref.get_global", &[], &[("name", name.to_string())], target)
            }
            _ => Err(internal("not an operation on memory")),
        }
    }

    /// An access in its affine form where that is valid, else with subscripts that are computed before. The map's operands start at position `first`.
    fn access(&mut self, op: OpId, [affine, plain]: [&str; 2], first: usize, map: &AffineMap, target: MlirBlock<'m>) -> Exported {
        let leading = self.operands(op, 0..first)?;
        if let Some((map, operands)) = self.affine_map(op, first, map) {
            return self.simple(op, affine, &[leading, operands].concat(), &[("map", map)], target);
        }
        let operands = self.operands(op, first..self.new[op].operands.len())?;
        let subscripts = self.b.map(target, map, &operands)?;
        let vector = match &self.new[op].kind {
            OpKind::Load(_) => &self.new[self.new.result(op)].ty,
            _ => &self.new[self.new[op].operands[0]].ty,
        };
        match vector {
            Type::Vector(vector) if !is_unit_stride(leading[first - 1]) => self.by_lanes(op, &leading, &subscripts, vector, target),
            _ => self.simple(op, plain, &[leading, subscripts].concat(), &[], target),
        }
    }

    /// A vector access element by element: `vector.load` and `vector.store` want neighbours in memory.
    fn by_lanes(
        &mut self,
        op: OpId,
        leading: &[MlirValue<'m>],
        subscripts: &[MlirValue<'m>],
        vector: &VectorType,
        target: MlirBlock<'m>,
    ) -> Exported {
        let memref = *leading.last().ok_or_else(|| internal("an access without a memref"))?;
        let element = self.b.ty(&Type::Scalar(vector.elem))?;
        let outer = subscripts.len().saturating_sub(vector.shape.len());
        let mut elements = Vec::new();
        for lane in 0..vector.lanes().unwrap_or(0) {
            let position = super::numbers::lane_subscripts(vector, lane);
            let mut at = subscripts.to_vec();
            for (subscript, &offset) in at.iter_mut().skip(outer).zip(&position) {
                if offset != 0 {
                    let offset = self.b.index(target, offset)?;
                    *subscript = self.b.binary(target, "arith.addi", *subscript, offset)?;
                }
            }
            if leading.len() == 1 {
                let parts = Parts {
                    operands: &[&[memref], &at[..]].concat(),
                    results: &[element],
                    ..Parts::default()
                };
                elements.push(self.b.value(target, "memref.load", parts)?);
                continue;
            }
            let parts = Parts {
                operands: &leading[..1],
                results: &[element],
                attributes: &[("static_position", array_i64(&position))],
                ..Parts::default()
            };
            let value = self.b.value(target, "vector.extract", parts)?;
            let parts = Parts {
                operands: &[&[value, memref], &at[..]].concat(),
                ..Parts::default()
            };
            self.b.op(target, "memref.store", parts)?;
        }
        if leading.len() == 1 {
            return self.simple(op, "vector.from_elements", &elements, &[], target);
        }
        Ok(())
    }

    /// An operation with the program's operands and no attributes.
    pub(super) fn plain(&mut self, op: OpId, name: &str, target: MlirBlock<'m>) -> Exported {
        let operands = self.all_operands(op)?;
        self.simple(op, name, &operands, &[], target)
    }

    /// An operation without regions whose results are those of `op`.
    pub(super) fn simple(
        &mut self,
        op: OpId,
        name: &str,
        operands: &[MlirValue<'m>],
        attributes: &[(&str, String)],
        target: MlirBlock<'m>,
    ) -> Exported {
        let mut results: Vec<MlirType<'m>> = Vec::new();
        let viewed = operands.first().filter(|_| name.starts_with("memref.")).map(|v| v.r#type());
        for &value in &self.new[op].results {
            results.push(self.result_type(value, viewed)?);
        }
        let parts = Parts {
            operands,
            results: &results,
            attributes,
            ..Parts::default()
        };
        let made = self.b.op(target, name, parts)?;
        self.bind_results(op, made);
        Ok(())
    }

    /// The type of a result: the source's where it has one; else views are in the memory space of what they view.
    fn result_type(&self, value: ValueId, viewed: Option<MlirType<'m>>) -> Exported<MlirType<'m>> {
        let ty = self.type_of(value)?;
        Ok(match viewed {
            Some(viewed) if !self.has_source_type(value) => ffi::with_memory_space_of(ty, viewed),
            _ => ty,
        })
    }

    fn slice(&mut self, op: OpId, name: &str, slice: &Slice, target: MlirBlock<'m>) -> Exported {
        let operands = self.all_operands(op)?;
        let numbers = |dims: &[SliceDim]| -> Vec<i64> {
            let number = |d: &SliceDim| match d {
                SliceDim::Const(c) => *c,
                SliceDim::Operand => ffi::dynamic_size(),
            };
            dims.iter().map(number).collect()
        };
        let dynamic = |dims: &[SliceDim]| dims.iter().filter(|d| **d == SliceDim::Operand).count();
        let groups = [1, dynamic(&slice.offsets), dynamic(&slice.sizes), dynamic(&slice.strides)];
        let attributes = [
            ("operandSegmentSizes", array_i32(&groups)),
            ("static_offsets", array_i64(&numbers(&slice.offsets))),
            ("static_sizes", array_i64(&numbers(&slice.sizes))),
            ("static_strides", array_i64(&numbers(&slice.strides))),
        ];
        self.simple(op, name, &operands, &attributes, target)
    }

    fn reshape(&mut self, op: OpId, collapse: bool, groups: &[Vec<u32>], target: MlirBlock<'m>) -> Exported {
        let operands = self.all_operands(op)?;
        let list = |group: &Vec<u32>| {
            let numbers: Vec<String> = group.iter().map(|d| format!("{d} : i64")).collect();
            format!("[{}]", numbers.join(", "))
        };
        let lists: Vec<String> = groups.iter().map(list).collect();
        let reassociation = ("reassociation", format!("[{}]", lists.join(", ")));
        if collapse {
            return self.simple(op, "memref.collapse_shape", &operands, &[reassociation], target);
        }
        let Type::MemRef(result) = &self.new[self.new.result(op)].ty else {
            return Err(internal("a reshape of something that isn't a memref"));
        };
        let shape: Vec<i64> = result
            .shape
            .iter()
            .map(|e| e.and_then(|e| i64::try_from(e).ok()).unwrap_or_else(ffi::dynamic_size))
            .collect();
        let attributes = [reassociation, ("static_output_shape", array_i64(&shape))];
        self.simple(op, "memref.expand_shape", &operands, &attributes, target)
    }
}
