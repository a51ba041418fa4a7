//! Accesses and buffers: `affine` and `memref` operations that read, write, make, free or measure memory, and affine computations on indices.

use super::function::{FunctionImporter, Translated, arguments, expected, unsupported};
use super::loops::{body_of, source_loop};
use super::operations::{int_attribute, ints_attribute, operand_groups};
use super::parallel::{close, combining, open};
use super::{MlirOp, MlirValue, layout};
use crate::ffi;
use melior::ir::Value;
use melior::ir::operation::OperationLike;
use tilia_program::{Access, AffineExpr, AffineMap, BlockId, Layout, MemRefType, OpKind, Slice, SliceDim, Step, Type, ValueId};

/// Operations of `affine` that are no control flow.
pub(super) fn affine<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, name: &str) -> Translated {
    match name {
        "load" | "vector_load" => {
            let map = f.map_attribute(op, "map")?;
            load(f, op, block, map)
        }
        "store" | "vector_store" => {
            let map = f.map_attribute(op, "map")?;
            store(f, op, block, map)
        }
        "apply" | "min" | "max" => {
            let map = f.map_attribute(op, "map")?;
            let operands = f.all_operands(op)?;
            let kind = match name {
                "apply" => OpKind::Apply(map),
                "min" => OpKind::Min(map),
                _ => OpKind::Max(map),
            };
            f.emit_for(op, block, kind, operands);
            Ok(())
        }
        "delinearize_index" => delinearize(f, op, block),
        "linearize_index" => linearize(f, op, block),
        "dma_start" | "dma_wait" => unsupported("DMA transfers aren't supported; use affine.load and affine.store, or memref.copy"),
        _ => unsupported("this operation of 'affine' isn't supported"),
    }
}

/// Operations of `memref` that are no views; false when `name` is none of them.
pub(super) fn memref<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, name: &str) -> Translated<bool> {
    match name {
        "load" => {
            let map = identity(op.operand_count().saturating_sub(1));
            load(f, op, block, map)?;
        }
        "store" => {
            let map = identity(op.operand_count().saturating_sub(2));
            store(f, op, block, map)?;
        }
        "alloc" | "alloca" => alloc(f, op, block, name == "alloca")?,
        "dealloc" => {
            f.check_known(op)?;
            let operands = f.all_operands(op)?;
            f.emit_for(op, block, OpKind::Dealloc, operands);
        }
        "copy" => copy(f, op, block)?,
        "dim" => dim(f, op, block)?,
        "rank" => rank(f, op, block)?,
        "extract_aligned_pointer_as_index" => {
            f.check_known(op)?;
            let operands = f.all_operands(op)?;
            f.emit_for(op, block, OpKind::Address, operands);
        }
        "atomic_rmw" => atomic_rmw(f, op, block)?,
        "generic_atomic_rmw" => generic_atomic_rmw(f, op, block)?,
        "assume_alignment" | "distinct_objects" => {
            let operands = f.all_operands(op)?;
            f.bind_results(op, &operands);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

pub(super) fn identity(rank: usize) -> AffineMap {
    AffineMap::identity(u32::try_from(rank).unwrap_or(u32::MAX))
}

fn operand<'m>(op: MlirOp<'m>, n: usize) -> Translated<MlirValue<'m>> {
    match op.operand(n) {
        Ok(value) => Ok(value),
        Err(_) => unsupported("it has fewer operands than expected"),
    }
}

/// The access to `memref` with source subscripts `map`, for a scalar or a vector.
fn access<'m>(f: &FunctionImporter<'_, 'm>, memref: MlirValue<'m>, map: AffineMap, vector: bool) -> Translated<Access> {
    let map = match &f.type_of(memref).layout {
        Some(_) if vector => {
            return unsupported(
                "vector accesses to a memref with a layout map aren't supported; normalize the memref first (mlir-opt -normalize-memrefs)",
            );
        }
        Some(layout) => layout::compose(layout, &map),
        None => map,
    };
    Ok(Access { map, checked: true })
}

/// A load: operands are the memref and those of the map.
pub(super) fn load<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, map: AffineMap) -> Translated {
    let operands = f.all_operands(op)?;
    load_of(f, op, block, map, 0, operands)
}

/// A load from operand number `memref`; `operands` are as the program's load wants them.
pub(super) fn load_of<'m>(
    f: &mut FunctionImporter<'_, 'm>,
    op: MlirOp<'m>,
    block: BlockId,
    map: AffineMap,
    memref: usize,
    operands: Vec<ValueId>,
) -> Translated {
    f.check_known(op)?;
    let vector = matches!(f.result_types(op)[..], [Type::Vector(_)]);
    let access = access(f, operand(op, memref)?, map, vector)?;
    f.emit_for(op, block, OpKind::Load(access), operands);
    Ok(())
}

/// A store: operands are the value, the memref and those of the map.
pub(super) fn store<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, map: AffineMap) -> Translated {
    let operands = f.all_operands(op)?;
    store_of(f, op, block, map, [0, 1], operands)
}

/// A store of the first to the second of two operand numbers; `operands` are as the program's store wants them.
pub(super) fn store_of<'m>(
    f: &mut FunctionImporter<'_, 'm>,
    op: MlirOp<'m>,
    block: BlockId,
    map: AffineMap,
    [value, memref]: [usize; 2],
    operands: Vec<ValueId>,
) -> Translated {
    f.check_known(op)?;
    let vector = matches!(f.type_of(operand(op, value)?).ty, Type::Vector(_));
    let access = access(f, operand(op, memref)?, map, vector)?;
    f.emit_for(op, block, OpKind::Store(access), operands);
    Ok(())
}

fn alloc<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, stack: bool) -> Translated {
    f.check_known(op)?;
    let [sizes, symbols] = operand_groups::<2>(op)?;
    let sizes = f.operands(op, sizes)?;
    let align = if op.has_attribute("alignment") {
        u64::try_from(int_attribute(op, "alignment")?).unwrap_or(0)
    } else {
        0
    };
    let kind = OpKind::Alloc { stack, align };
    let Ok(result) = op.result(0) else {
        return unsupported("it has no result");
    };
    let info = f.type_of(Value::from(result));
    if let Some(layout) = &info.layout {
        let dynamic: Vec<u32> = (0u32..).zip(&layout.shape).filter(|(_, e)| e.is_none()).map(|(d, _)| d).collect();
        let position = |d: u32| dynamic.iter().position(|&x| x == d).and_then(|n| sizes.get(n)).copied();
        let operands: Option<Vec<ValueId>> = layout::dynamic_sources(layout).into_iter().map(position).collect();
        let operands = operands.ok_or_else(|| expected("operandSegmentSizes"))?;
        f.emit_for(op, block, kind, operands);
        return Ok(());
    }
    match &info.ty {
        Type::MemRef(memref) if memref.layout == Layout::Identity => {
            f.emit_for(op, block, kind, sizes);
            Ok(())
        }
        Type::MemRef(memref) if symbols.is_empty() => strided_alloc(f, op, block, kind, memref),
        _ => unsupported(
            "memory with dynamic strides can't be allocated; allocate with the identity layout and take a memref.reinterpret_cast",
        ),
    }
}

/// A buffer with static strides: a flat one that is long enough, seen with those strides.
fn strided_alloc<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, kind: OpKind, memref: &MemRefType) -> Translated {
    let Some((span, slice)) = static_span(memref) else {
        return unsupported(
            "memory with dynamic or negative strides can't be allocated; allocate with the identity layout and take a memref.reinterpret_cast",
        );
    };
    let flat = Type::MemRef(MemRefType {
        elem: memref.elem,
        shape: vec![Some(span)],
        layout: Layout::Identity,
    });
    let buffer = f.emit_value(block, kind, Vec::new(), flat);
    let view = f.emit_value(block, OpKind::ReinterpretCast(slice), vec![buffer], Type::MemRef(memref.clone()));
    f.bind_results(op, &[view]);
    Ok(())
}

/// Number of elements from the start of the buffer to its last element, and the view of a flat buffer that has this type.
fn static_span(memref: &MemRefType) -> Option<(u64, Slice)> {
    let Layout::Strided { offset, strides } = &memref.layout else {
        return None;
    };
    let offset = (*offset)?;
    let sizes: Vec<i64> = memref.shape.iter().map(|e| i64::try_from((*e)?).ok()).collect::<Option<_>>()?;
    let strides: Vec<i64> = strides.iter().copied().collect::<Option<_>>()?;
    let mut span = offset.checked_add(1)?;
    for (&size, &stride) in sizes.iter().zip(&strides) {
        if stride < 0 {
            return None;
        }
        span = span.checked_add((size - 1).max(0).checked_mul(stride)?)?;
    }
    let constants = |v: &[i64]| v.iter().map(|&c| SliceDim::Const(c)).collect();
    let slice = Slice {
        offsets: vec![SliceDim::Const(offset)],
        sizes: constants(&sizes),
        strides: constants(&strides),
        dropped: Vec::new(),
    };
    Some((u64::try_from(span).ok()?, slice))
}

fn copy<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    f.check_known(op)?;
    let (source, target) = (f.type_of(operand(op, 0)?), f.type_of(operand(op, 1)?));
    let operands = f.all_operands(op)?;
    if source.layout == target.layout {
        f.emit_for(op, block, OpKind::Copy, operands);
        return Ok(());
    }
    // The buffers hold the elements in different places: element by element.
    let logical = source
        .layout
        .as_ref()
        .or(target.layout.as_ref())
        .map(|l| l.shape.clone())
        .unwrap_or_default();
    let mut dims = Vec::new();
    for (d, extent) in logical.iter().enumerate() {
        let Some(extent) = extent.and_then(|e| i64::try_from(e).ok()) else {
            return unsupported("copies of dynamic shape between different layout maps aren't supported; write the loops");
        };
        let kind = OpKind::For(source_loop(
            AffineMap::constant(0),
            AffineMap::constant(extent),
            Step::Const(1),
            false,
        ));
        dims.push((d, (kind, Vec::new())));
    }
    let rank = dims.len();
    let nest = open(f, op, block, dims.into_iter().map(|(_, dim)| dim).collect(), Vec::new());
    let from = access(f, operand(op, 0)?, identity(rank), false)?;
    let to = access(f, operand(op, 1)?, identity(rank), false)?;
    let Some(elem) = source.ty.element() else {
        return unsupported("its operands aren't memrefs");
    };
    let subscripts = nest.iterators.clone();
    let loaded = [&operands[..1], &subscripts[..]].concat();
    let value = f.emit_value(nest.body, OpKind::Load(from), loaded, Type::Scalar(elem));
    let stored = [&[value], &operands[1..], &subscripts[..]].concat();
    f.emit(nest.body, OpKind::Store(to), stored, &[]);
    close(f, &nest, Vec::new());
    Ok(())
}

fn dim<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    f.check_known(op)?;
    let operands = f.all_operands(op)?;
    let info = f.type_of(operand(op, 0)?);
    let Some(layout) = &info.layout else {
        f.emit_for(op, block, OpKind::Dim, operands);
        return Ok(());
    };
    let number = operands
        .get(1)
        .and_then(|&v| f.f.as_int_constant(v))
        .and_then(|n| usize::try_from(n).ok());
    let Some(number) = number.filter(|&n| n < layout.shape.len()) else {
        return unsupported("a dimension of a memref with a layout map must be asked for by a constant in range");
    };
    if let Some(extent) = layout.shape[number].and_then(|e| i64::try_from(e).ok()) {
        f.emit_for(op, block, OpKind::int(extent), Vec::new());
        return Ok(());
    }
    let physical = layout
        .map
        .results
        .iter()
        .position(|e| matches!(e, AffineExpr::Dim(d) if *d as usize == number));
    let Some(physical) = physical.and_then(|p| i64::try_from(p).ok()) else {
        return unsupported("this dimension of a memref with a layout map isn't known");
    };
    let index = f.index(block, physical);
    f.emit_for(op, block, OpKind::Dim, vec![operands[0], index]);
    Ok(())
}

fn rank<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    f.check_known(op)?;
    let operands = f.all_operands(op)?;
    let kind = match &f.type_of(operand(op, 0)?).layout {
        Some(layout) => OpKind::int(i64::try_from(layout.shape.len()).unwrap_or(i64::MAX)),
        None => OpKind::Rank,
    };
    let operands = if matches!(kind, OpKind::Rank) { operands } else { Vec::new() };
    f.emit_for(op, block, kind, operands);
    Ok(())
}

/// `memref.atomic_rmw` as a load, the operation and a store; the result is the old value, as MLIR's own lowering has it. The loops around it aren't
/// independent then, so nothing can come between.
fn atomic_rmw<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    f.check_known(op)?;
    let kind = int_attribute(op, "kind")?;
    let operands = f.all_operands(op)?;
    let access = access(f, operand(op, 1)?, identity(operands.len().saturating_sub(2)), false)?;
    let ty = f.f[operands[0]].ty.clone();
    let old = f.emit_value(block, OpKind::Load(access.clone()), operands[1..].to_vec(), ty.clone());
    let new = match combining(kind) {
        Some(op) => f.emit_value(block, OpKind::pure(op), vec![old, operands[0]], ty),
        None => operands[0],
    };
    let stored = [&[new], &operands[1..]].concat();
    f.emit(block, OpKind::Store(access), stored, &[]);
    f.bind_results(op, &[old]);
    Ok(())
}

/// `memref.generic_atomic_rmw`: the same with a region that computes the new value.
fn generic_atomic_rmw<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    f.check_known(op)?;
    let operands = f.all_operands(op)?;
    let access = access(f, operand(op, 0)?, identity(operands.len().saturating_sub(1)), false)?;
    let Some(elem) = f.type_of(operand(op, 0)?).ty.element() else {
        return unsupported("its operand isn't a memref");
    };
    let old = f.emit_value(block, OpKind::Load(access.clone()), operands.clone(), Type::Scalar(elem));
    let source = body_of(op, 0)?;
    if let Some(argument) = arguments(source).next() {
        f.bind(argument, old);
    }
    let Some(last) = f.inlined(|f| f.block_body(source, block))? else {
        return unsupported("its region is empty");
    };
    let new = f.operand(last, 0)?;
    let stored = [&[new], &operands[..]].concat();
    f.emit(block, OpKind::Store(access), stored, &[]);
    f.bind_results(op, &[old]);
    Ok(())
}

/// The basis of (de)linearisation: constants, and symbols for the operands from position `first` on; with those operands.
fn basis<'m>(f: &FunctionImporter<'_, 'm>, op: MlirOp<'m>, first: usize) -> Translated<(Vec<AffineExpr>, Vec<ValueId>)> {
    let mut symbols = 0u32;
    let mut elements = Vec::new();
    for number in ints_attribute(op, "static_basis")? {
        elements.push(if number == ffi::dynamic_size() {
            symbols += 1;
            AffineExpr::Sym(symbols - 1)
        } else if number < 1 {
            return unsupported("a basis must be positive");
        } else {
            AffineExpr::Const(number)
        });
    }
    Ok((elements, f.operands(op, first..op.operand_count())?))
}

/// `affine.delinearize_index`: one affine.apply a result, semi-affine where the basis is dynamic.
fn delinearize<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    f.check_known(op)?;
    let (elements, symbols) = basis(f, op, 1)?;
    let count = op.result_count();
    // With a bound for the outermost result, which changes nothing: the index is in range by contract.
    let inner = elements
        .get(elements.len().saturating_sub(count.saturating_sub(1))..)
        .unwrap_or(&[]);
    let operands: Vec<ValueId> = std::iter::once(f.operand(op, 0)?).chain(symbols.iter().copied()).collect();
    let mut results = Vec::new();
    for n in 0..count {
        let product = |from: usize| inner[from..].iter().cloned().fold(AffineExpr::Const(1), AffineExpr::mul);
        let mut expr = AffineExpr::Dim(0);
        if n > 0 {
            expr = AffineExpr::Mod(Box::new(expr), Box::new(product(n - 1)));
        }
        let divisor = product(n);
        if divisor != AffineExpr::Const(1) {
            expr = AffineExpr::FloorDiv(Box::new(expr), Box::new(divisor));
        }
        let map = one_dim(expr, symbols.len());
        results.push(f.emit_value(block, OpKind::Apply(map), operands.clone(), Type::INDEX));
    }
    f.bind_results(op, &results);
    Ok(())
}

fn one_dim(expr: AffineExpr, syms: usize) -> AffineMap {
    AffineMap {
        dims: 1,
        syms: u32::try_from(syms).unwrap_or(u32::MAX),
        results: vec![expr],
    }
}

/// `affine.linearize_index`: one affine.apply, semi-affine where the basis is dynamic.
fn linearize<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    f.check_known(op)?;
    let [indices, dynamic] = operand_groups::<2>(op)?;
    let (elements, _) = basis(f, op, dynamic.start)?;
    let rank = indices.len();
    let inner = elements.get(elements.len().saturating_sub(rank.saturating_sub(1))..).unwrap_or(&[]);
    let mut expr = AffineExpr::Const(0);
    for n in (0u32..).take(rank) {
        // Horner's scheme from the outermost index on.
        if n > 0 {
            let Some(extent) = inner.get(n as usize - 1) else {
                return Err(expected("static_basis"));
            };
            expr = AffineExpr::mul(expr, extent.clone());
        }
        expr = AffineExpr::add(expr, AffineExpr::Dim(n));
    }
    let map = AffineMap {
        dims: u32::try_from(rank).unwrap_or(u32::MAX),
        syms: u32::try_from(dynamic.len()).unwrap_or(u32::MAX),
        results: vec![expr],
    };
    let operands = f.all_operands(op)?;
    f.emit_for(op, block, OpKind::Apply(map), operands);
    Ok(())
}
