//! Views of buffers: operations of `memref` that give a new descriptor of memory that exists.

use super::function::{FunctionImporter, Translated, expected, unsupported};
use super::operations::{ints, ints_attribute};
use super::{MlirOp, affine};
use crate::ffi;
use melior::ir::Value;
use melior::ir::attribute::{ArrayAttribute, FlatSymbolRefAttribute};
use melior::ir::operation::OperationLike;
use tilia_program::{AffineExpr, BlockId, Layout, MemRefType, OpKind, Slice, SliceDim, Type, ValueId};

/// Translates an operation of `memref` that gives a view.
pub(super) fn translate<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, name: &str) -> Translated {
    f.check_known(op)?;
    check_plain(f, op)?;
    match name {
        "cast" | "memory_space_cast" => {
            let operands = f.all_operands(op)?;
            f.emit_for(op, block, OpKind::CastMemRef, operands);
            Ok(())
        }
        "subview" => subview(f, op, block),
        "reinterpret_cast" => {
            let (slice, operands) = slice(f, op)?;
            f.emit_for(op, block, OpKind::ReinterpretCast(slice), operands);
            Ok(())
        }
        "get_global" => get_global(f, op, block),
        "transpose" => transpose(f, op, block),
        "collapse_shape" => reshape(f, op, block, true),
        "expand_shape" => reshape(f, op, block, false),
        "extract_strided_metadata" => metadata(f, op, block),
        "reshape" => {
            unsupported("memref.reshape isn't supported; use memref.expand_shape, memref.collapse_shape or memref.reinterpret_cast")
        }
        "view" => unsupported("views of raw bytes aren't supported; allocate a memref of the element type"),
        "dma_start" | "dma_wait" => unsupported("DMA transfers aren't supported; use memref.copy"),
        "realloc" => unsupported("reallocation isn't supported; use memref.alloc, memref.copy and memref.dealloc"),
        _ => unsupported("this operation of 'memref' isn't supported"),
    }
}

/// Refuses views of memrefs whose layout map was folded into their accesses.
fn check_plain<'m>(f: &FunctionImporter<'_, 'm>, op: MlirOp<'m>) -> Translated {
    let values = op.operands().chain(op.results().map(Value::from));
    let infos: Vec<_> = values.map(|v| f.type_of(v)).collect();
    let first = infos.iter().find_map(|i| i.layout.as_ref());
    // A cast that changes nothing but, say, the memory space keeps the layout.
    let same = infos.iter().all(|i| i.layout.as_ref() == first) && infos.windows(2).all(|w| w[0].ty == w[1].ty);
    if first.is_some() && !same {
        return unsupported(
            "views of a memref with a layout map aren't supported; normalize the memref first (mlir-opt -normalize-memrefs)",
        );
    }
    Ok(())
}

fn slice_dims(op: MlirOp<'_>, name: &str) -> Translated<Vec<SliceDim>> {
    let dynamic = ffi::dynamic_size();
    let dim = |n: i64| if n == dynamic { SliceDim::Operand } else { SliceDim::Const(n) };
    Ok(ints_attribute(op, name)?.into_iter().map(dim).collect())
}

/// Offsets, sizes and strides of `op`, with its operands.
fn slice<'m>(f: &FunctionImporter<'_, 'm>, op: MlirOp<'m>) -> Translated<(Slice, Vec<ValueId>)> {
    let slice = Slice {
        offsets: slice_dims(op, "static_offsets")?,
        sizes: slice_dims(op, "static_sizes")?,
        strides: slice_dims(op, "static_strides")?,
        dropped: Vec::new(),
    };
    Ok((slice, f.all_operands(op)?))
}

fn memref_types<'m>(f: &FunctionImporter<'_, 'm>, op: MlirOp<'m>) -> Translated<(MemRefType, MemRefType)> {
    let types = (op.operand(0), op.result(0));
    let (Ok(source), Ok(result)) = types else {
        return unsupported("it has no operand or no result");
    };
    match (&f.type_of(source).ty, &f.type_of(Value::from(result)).ty) {
        (Type::MemRef(source), Type::MemRef(result)) => Ok((source.clone(), result.clone())),
        _ => unsupported("it isn't between ranked memrefs"),
    }
}

fn subview<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let (mut slice, operands) = slice(f, op)?;
    let (source, result) = memref_types(f, op)?;
    let Some(dropped) = dropped_dims(&source, &result, &slice) else {
        return unsupported("which dimensions of the source it drops isn't clear");
    };
    slice.dropped = dropped;
    f.emit_for(op, block, OpKind::SubView(slice), operands);
    Ok(())
}

/// Source dimensions that a subview drops: those of constant size one that the result lacks. Where several choices have the right sizes, the strides decide, as in
/// MLIR; if even they don't, any choice gives the same elements.
fn dropped_dims(source: &MemRefType, result: &MemRefType, slice: &Slice) -> Option<Vec<u32>> {
    let rank = slice.sizes.len();
    let excess = rank.checked_sub(result.rank())?;
    if excess == 0 {
        return Some(Vec::new());
    }
    let source_strides = strides(source);
    let result_strides = strides(result);
    let stride = |d: usize| match slice.strides.get(d)? {
        SliceDim::Const(s) => source_strides.get(d).copied().flatten()?.checked_mul(*s),
        SliceDim::Operand => None,
    };
    let keeps = |d: usize, r: usize, exact: bool| {
        let size = match slice.sizes[d] {
            SliceDim::Const(n) => result.shape[r].and_then(|e| i64::try_from(e).ok()) == Some(n),
            SliceDim::Operand => result.shape[r].is_none(),
        };
        size && (!exact || stride(d) == result_strides[r])
    };
    let drops = |d: usize| slice.sizes[d] == SliceDim::Const(1);
    [true, false]
        .into_iter()
        .find_map(|exact| match_dims(rank, result.rank(), &|d, r| keeps(d, r, exact), &drops))
}

/// Dimensions to drop of `rank`, so that the others match the result's in order. Counts over prefixes, so the work is the product of the ranks.
fn match_dims(rank: usize, result: usize, keeps: &dyn Fn(usize, usize) -> bool, drops: &dyn Fn(usize) -> bool) -> Option<Vec<u32>> {
    // `possible[d][r]`: whether source dimensions from d on can match result dimensions from r on.
    let mut possible = vec![vec![false; result + 1]; rank + 1];
    possible[rank][result] = true;
    for d in (0..rank).rev() {
        for r in (0..=result).rev() {
            let keep = r < result && keeps(d, r) && possible[d + 1][r + 1];
            possible[d][r] = keep || drops(d) && possible[d + 1][r];
        }
    }
    if !possible[0][0] {
        return None;
    }
    let (mut r, mut dropped) = (0, Vec::new());
    for d in 0..rank {
        if r < result && keeps(d, r) && possible[d + 1][r + 1] {
            r += 1;
        } else {
            dropped.push(u32::try_from(d).ok()?);
        }
    }
    Some(dropped)
}

/// Strides of a memref type as far as they are known.
fn strides(memref: &MemRefType) -> Vec<Option<i64>> {
    match &memref.layout {
        Layout::Strided { strides, .. } => strides.clone(),
        Layout::Identity => {
            let mut strides = vec![Some(1); memref.rank()];
            for d in (1..memref.rank()).rev() {
                let extent = memref.shape[d].and_then(|e| i64::try_from(e).ok());
                strides[d - 1] = strides[d].zip(extent).and_then(|(s, e): (i64, i64)| s.checked_mul(e));
            }
            strides
        }
    }
}

fn get_global<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let symbol = op.attribute("name").ok().and_then(|a| FlatSymbolRefAttribute::try_from(a).ok());
    let symbol = symbol.ok_or_else(|| expected("name"))?;
    let Some(number) = f.cx.symbols.global(f.scope, symbol.value()) else {
        return unsupported(format!("'{}' isn't a global", symbol.value()));
    };
    if f.cx.failed_globals.contains(&number) {
        return unsupported(format!("the global '{}' has an error", symbol.value()));
    }
    let number = u32::try_from(number).map_err(|_| expected("name"))?;
    f.emit_for(op, block, OpKind::GetGlobal(number), Vec::new());
    Ok(())
}

fn transpose<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let map = op
        .attribute("permutation")
        .ok()
        .and_then(ffi::affine_map)
        .ok_or_else(|| expected("permutation"))?;
    let map = affine::map(map).map_err(|_| expected("permutation"))?;
    let source = |e: &AffineExpr| match e {
        AffineExpr::Dim(d) => Some(*d),
        _ => None,
    };
    let permutation: Option<Vec<u32>> = map.results.iter().map(source).collect();
    let permutation = permutation.ok_or_else(|| expected("permutation"))?;
    let operands = f.all_operands(op)?;
    f.emit_for(op, block, OpKind::Transpose(permutation), operands);
    Ok(())
}

fn reshape<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, collapse: bool) -> Translated {
    let name = "reassociation";
    let array = op
        .attribute(name)
        .ok()
        .and_then(|a| ArrayAttribute::try_from(a).ok())
        .ok_or_else(|| expected(name))?;
    let mut groups = Vec::new();
    for n in 0..array.len() {
        let group = array.element(n).ok().and_then(ints).ok_or_else(|| expected(name))?;
        let group: Result<Vec<u32>, _> = group.into_iter().map(u32::try_from).collect();
        groups.push(group.map_err(|_| expected(name))?);
    }
    let operands = f.all_operands(op)?;
    f.emit_for(op, block, OpKind::Reshape { collapse, groups }, operands);
    Ok(())
}

/// `memref.extract_strided_metadata`, where the offset is known or not used.
fn metadata<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let reason = "the offset of this memref is known at run time only, and can't be extracted; use memref.dim and subscripts";
    let buffer = f.operand(op, 0)?;
    let Type::MemRef(memref) = f.f[buffer].ty.clone() else {
        return unsupported("its operand isn't a ranked memref");
    };
    let (offset, known) = match &memref.layout {
        Layout::Identity => (Some(0), None),
        Layout::Strided { offset, strides } => (*offset, Some(strides.clone())),
    };
    let offset = match offset {
        Some(offset) => offset,
        // Nobody asks for it.
        None if !ffi::is_used(op, 1) => 0,
        None => return unsupported(reason),
    };
    let base = Type::MemRef(MemRefType {
        elem: memref.elem,
        shape: Vec::new(),
        layout: Layout::Identity,
    });
    let start = Slice {
        offsets: vec![SliceDim::Const(0)],
        sizes: Vec::new(),
        strides: Vec::new(),
        dropped: Vec::new(),
    };
    let mut results = vec![f.emit_value(block, OpKind::ReinterpretCast(start), vec![buffer], base)];
    results.push(f.index(block, offset));
    let mut sizes = Vec::new();
    for (d, extent) in (0i64..).zip(&memref.shape) {
        sizes.push(match extent.and_then(|e| i64::try_from(e).ok()) {
            Some(extent) => f.index(block, extent),
            None => {
                let number = f.index(block, d);
                f.emit_value(block, OpKind::Dim, vec![buffer, number], Type::INDEX)
            }
        });
    }
    results.extend(&sizes);
    match known {
        Some(strides) => {
            for (d, stride) in (0u32..).zip(strides) {
                results.push(match stride {
                    Some(stride) => f.index(block, stride),
                    None => f.emit_value(block, OpKind::Stride(d), vec![buffer], Type::INDEX),
                });
            }
        }
        None => results.extend(contiguous_strides(f, block, &sizes)),
    }
    f.bind_results(op, &results);
    Ok(())
}

fn contiguous_strides(f: &mut FunctionImporter<'_, '_>, block: BlockId, sizes: &[ValueId]) -> Vec<ValueId> {
    let mut strides = Vec::new();
    for n in (0..sizes.len()).rev() {
        let stride = match strides.last() {
            None => f.index(block, 1),
            Some(&inner) => {
                let kind = OpKind::pure(tilia_program::PureOp::MulI);
                f.emit_value(block, kind, vec![inner, sizes[n + 1]], Type::INDEX)
            }
        };
        strides.push(stride);
    }
    strides.reverse();
    strides
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilia_program::ScalarType;

    fn memref(shape: &[u64], layout: Layout) -> MemRefType {
        MemRefType {
            elem: ScalarType::F32,
            shape: shape.iter().map(|&e| Some(e)).collect(),
            layout,
        }
    }

    fn unit_strides(sizes: &[i64]) -> Slice {
        Slice {
            offsets: vec![SliceDim::Const(0); sizes.len()],
            sizes: sizes.iter().map(|&s| SliceDim::Const(s)).collect(),
            strides: vec![SliceDim::Const(1); sizes.len()],
            dropped: Vec::new(),
        }
    }

    #[test]
    fn finds_dropped_dims() {
        let source = memref(&[4, 8, 16], Layout::Identity);
        let row = memref(
            &[8],
            Layout::Strided {
                offset: Some(0),
                strides: vec![Some(16)],
            },
        );
        assert_eq!(dropped_dims(&source, &row, &unit_strides(&[1, 8, 1])), Some(vec![0, 2]));
        let same = memref(&[1, 8, 1], Layout::Identity);
        assert_eq!(dropped_dims(&source, &same, &unit_strides(&[1, 8, 1])), Some(Vec::new()));
        assert_eq!(dropped_dims(&source, &row, &unit_strides(&[2, 8, 1])), None);
    }

    #[test]
    fn strides_tell_unit_dims_apart() {
        let source = memref(&[4, 8, 16], Layout::Identity);
        let one = |stride| {
            memref(
                &[1],
                Layout::Strided {
                    offset: Some(0),
                    strides: vec![Some(stride)],
                },
            )
        };
        assert_eq!(dropped_dims(&source, &one(16), &unit_strides(&[1, 1, 1])), Some(vec![0, 2]));
        assert_eq!(dropped_dims(&source, &one(1), &unit_strides(&[1, 1, 1])), Some(vec![0, 1]));
    }
}
