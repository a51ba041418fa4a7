//! Parallel loops as nests of counted loops: `affine.parallel`, `scf.parallel`, `scf.forall`.
//!
//! Each dimension becomes a loop marked independent. A reduction becomes an iter_arg of every loop of the nest, combined in the body in ascending lexicographic
//! order of the iterations: the order that strict floating point keeps.

use super::function::{FunctionImporter, Translated, arguments, expected, unsupported};
use super::loops::{body_of, source_loop, value_loop};
use super::operations::{ints, operand_groups};
use super::{MlirBlock, MlirOp, name_of};
use crate::ffi;
use melior::ir::Value;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::OperationLike;
use tilia_program::{AffineMap, BlockId, Constant, OpId, OpKind, OriginId, PureOp, ScalarType, Step, Type, ValueId};

/// Kind and leading operands of each loop of a nest, outermost first.
pub(super) type Dims = Vec<(OpKind, Vec<ValueId>)>;

/// A nest that has been opened: its outermost results, and where its body goes.
pub(super) struct Nest {
    results: Vec<ValueId>,
    pub(super) body: BlockId,
    accumulators: Vec<ValueId>,
    pub(super) iterators: Vec<ValueId>,
    /// The blocks whose yields are still missing, with the loop whose results they hand on; outermost first.
    open: Vec<(BlockId, OpId)>,
}

/// Makes the loops of a nest.
pub(super) fn open<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, dims: Dims, inits: Vec<ValueId>) -> Nest {
    let types: Vec<Type> = inits.iter().map(|&v| f.f[v].ty.clone()).collect();
    let mut nest = Nest {
        results: inits.clone(),
        body: block,
        accumulators: inits,
        iterators: Vec::new(),
        open: Vec::new(),
    };
    for (n, (kind, mut operands)) in dims.into_iter().enumerate() {
        operands.extend(&nest.accumulators);
        let id = f.emit(nest.body, kind, operands, &types);
        if n == 0 {
            f.f[id].origin = f.cx.numbers.op(op).map(OriginId);
            nest.results = f.f[id].results.clone();
        } else {
            nest.open.push((nest.body, id));
        }
        let region = f.f.new_region();
        let arguments: Vec<Type> = std::iter::once(Type::INDEX).chain(types.iter().cloned()).collect();
        nest.body = f.f.new_block(region, &arguments);
        f.f[id].regions = vec![region];
        let args = f.f[nest.body].args.clone();
        nest.iterators.push(args[0]);
        nest.accumulators = args[1..].to_vec();
    }
    nest
}

/// Ends the innermost body with the new accumulator values, and the others with the results of the loop within.
pub(super) fn close(f: &mut FunctionImporter<'_, '_>, nest: &Nest, values: Vec<ValueId>) {
    f.emit(nest.body, OpKind::Yield, values, &[]);
    for (block, inner) in nest.open.iter().rev() {
        let results = f.f[*inner].results.clone();
        f.emit(*block, OpKind::Yield, results, &[]);
    }
}

/// Whether iterations may touch the same memory on purpose: the body has atomic updates, or calls that could have some.
fn has_atomics(op: MlirOp<'_>) -> bool {
    let shares = |name: String| name.starts_with("memref.") && name.contains("atomic") || name == "func.call";
    crate::walk::walk(op).ops.iter().any(|inner| shares(name_of(inner)))
}

/// `affine.parallel`.
pub(super) fn affine_parallel<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let steps = op.attribute("steps").ok().and_then(ints).ok_or_else(|| expected("steps"))?;
    if let Some(step) = steps.iter().find(|&&s| s < 1) {
        return Err(f.invalid(
            format!("a step of this loop is {step}: step must be positive"),
            "write steps of at least 1",
        ));
    }
    let lower = f.map_attribute(op, "lowerBoundsMap")?;
    let upper = f.map_attribute(op, "upperBoundsMap")?;
    let split = lower.operands();
    if split + upper.operands() != op.operand_count() {
        return Err(expected("lowerBoundsMap"));
    }
    let lower_operands = f.operands(op, 0..split)?;
    let upper_operands = f.operands(op, split..op.operand_count())?;
    let lower = grouped(&lower, op, "lowerBoundsGroups", steps.len())?;
    let upper = grouped(&upper, op, "upperBoundsGroups", steps.len())?;
    let independent = !has_atomics(op);
    let mut dims: Dims = Vec::new();
    for ((lower, upper), &step) in lower.into_iter().zip(upper).zip(&steps) {
        let operands = lower_operands.iter().chain(&upper_operands).copied().collect();
        dims.push((OpKind::For(source_loop(lower, upper, Step::Const(step), independent)), operands));
    }
    let reductions = reductions(f, op)?;
    let mut inits = Vec::new();
    for (_, constant, ty) in &reductions {
        inits.push(f.emit_value(block, OpKind::Constant(constant.clone()), Vec::new(), ty.clone()));
    }
    let source = body_of(op, 0)?;
    if dims.is_empty() {
        return unsupported("a parallel loop without dimensions isn't supported; remove it");
    }
    let nest = open(f, op, block, dims, inits);
    f.note_block(source, nest.body);
    for (argument, iterator) in arguments(source).zip(nest.iterators.clone()) {
        f.bind(argument, iterator);
    }
    let last = f.block_body(source, nest.body)?;
    let mut values = Vec::new();
    for (n, (kind, _, ty)) in reductions.iter().enumerate() {
        let Some(last) = last else { break };
        let value = f.operand(last, n)?;
        values.push(f.emit_value(nest.body, OpKind::pure(*kind), vec![nest.accumulators[n], value], ty.clone()));
    }
    close(f, &nest, values);
    f.bind_results(op, &nest.results);
    Ok(())
}

/// One map a dimension: the results of `map` that belong to it.
fn grouped(map: &AffineMap, op: MlirOp<'_>, name: &str, dims: usize) -> Translated<Vec<AffineMap>> {
    let groups = op.attribute(name).ok().and_then(ints).ok_or_else(|| expected(name))?;
    let mut results = map.results.iter().cloned();
    let mut maps = Vec::new();
    for size in groups {
        let size = usize::try_from(size).map_err(|_| expected(name))?;
        maps.push(AffineMap {
            dims: map.dims,
            syms: map.syms,
            results: results.by_ref().take(size).collect(),
        });
    }
    if maps.len() == dims && maps.iter().all(|m| !m.results.is_empty()) {
        Ok(maps)
    } else {
        Err(expected(name))
    }
}

/// For each reduction: how values combine, where it starts, and its type.
fn reductions<'m>(f: &FunctionImporter<'_, 'm>, op: MlirOp<'m>) -> Translated<Vec<(PureOp, Constant, Type)>> {
    let attribute = op.attribute("reductions").map_err(|_| expected("reductions"))?;
    let array = ArrayAttribute::try_from(attribute).map_err(|_| expected("reductions"))?;
    let mut found = Vec::new();
    for n in 0..array.len() {
        let kind = array.element(n).ok().and_then(ffi::integer).ok_or_else(|| expected("reductions"))?;
        let Ok(result) = op.result(n) else {
            return Err(expected("reductions"));
        };
        let ty = f.type_of(Value::from(result)).ty.clone();
        let Type::Scalar(scalar) = ty else {
            return unsupported(format!("reductions of type {ty} aren't supported"));
        };
        match combining(kind).and_then(|op| Some((op, neutral(op, scalar)?))) {
            Some((op, constant)) => found.push((op, constant, ty)),
            None => {
                return unsupported(
                    "this kind of reduction has no neutral element; use addf, addi, mulf, muli, andi, ori, xori, a minimum or a maximum",
                );
            }
        }
    }
    Ok(found)
}

/// The operation of an `arith::AtomicRMWKind`; `None` for `assign`.
pub(super) fn combining(kind: i64) -> Option<PureOp> {
    use PureOp::*;
    let kinds = [
        Some(AddF),
        Some(AddI),
        Some(AndI),
        None,
        Some(MaximumF),
        Some(MaxNumF),
        Some(MaxSI),
        Some(MaxUI),
        Some(MinimumF),
        Some(MinNumF),
        Some(MinSI),
        Some(MinUI),
        Some(MulF),
        Some(MulI),
        Some(OrI),
        Some(XOrI),
    ];
    kinds.get(usize::try_from(kind).ok()?).copied().flatten()
}

/// Where a reduction starts: the values that MLIR's own lowering takes (+0 for sums).
fn neutral(op: PureOp, ty: ScalarType) -> Option<Constant> {
    let unused = 64 - u32::from(ty.bits());
    let (max, min) = (i64::MAX >> unused, i64::MIN >> unused);
    Some(match op {
        PureOp::AddI | PureOp::OrI | PureOp::XOrI | PureOp::MaxUI => Constant::Int(0),
        // One, sign-extended from a single bit, is -1.
        PureOp::MulI => Constant::Int(if ty.bits() == 1 { -1 } else { 1 }),
        PureOp::AndI | PureOp::MinUI => Constant::Int(-1),
        PureOp::MaxSI => Constant::Int(min),
        PureOp::MinSI => Constant::Int(max),
        PureOp::AddF => Constant::Float(0),
        PureOp::MulF => Constant::Float(float_bits(ty, 0x3C00, 0x3F80, 0x3F80_0000, 0x3FF0_0000_0000_0000)?),
        PureOp::MaximumF => Constant::Float(float_bits(ty, 0xFC00, 0xFF80, 0xFF80_0000, 0xFFF0_0000_0000_0000)?),
        PureOp::MinimumF => Constant::Float(float_bits(ty, 0x7C00, 0x7F80, 0x7F80_0000, 0x7FF0_0000_0000_0000)?),
        _ => return None,
    })
}

fn float_bits(ty: ScalarType, f16: u64, bf16: u64, f32: u64, f64: u64) -> Option<u64> {
    match ty {
        ScalarType::F16 => Some(f16),
        ScalarType::BF16 => Some(bf16),
        ScalarType::F32 => Some(f32),
        ScalarType::F64 => Some(f64),
        ScalarType::Int(_) | ScalarType::Index => None,
    }
}

/// `scf.parallel`.
pub(super) fn scf_parallel<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let [lower, upper, step, init] = operand_groups::<4>(op)?;
    let (lower, upper, step) = (f.operands(op, lower)?, f.operands(op, upper)?, f.operands(op, step)?);
    let inits = f.operands(op, init)?;
    let independent = !has_atomics(op);
    let bounds = lower.iter().zip(&upper).zip(&step);
    let dims: Dims = bounds.map(|((&l, &u), &s)| value_loop(f, [l, u, s], independent)).collect();
    if dims.is_empty() {
        return unsupported("a parallel loop without dimensions isn't supported; remove it");
    }
    let source = body_of(op, 0)?;
    let nest = open(f, op, block, dims, inits);
    f.note_block(source, nest.body);
    for (argument, iterator) in arguments(source).zip(nest.iterators.clone()) {
        f.bind(argument, iterator);
    }
    let values = match f.block_body(source, nest.body)? {
        Some(last) => reduce(f, last, &nest)?,
        None => Vec::new(),
    };
    close(f, &nest, values);
    f.bind_results(op, &nest.results);
    Ok(())
}

/// `scf.reduce`: each region combines the accumulator with this iteration's value.
fn reduce<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, nest: &Nest) -> Translated<Vec<ValueId>> {
    let mut values = Vec::new();
    for (n, &accumulator) in nest.accumulators.iter().enumerate() {
        let value = f.operand(op, n)?;
        let source = body_of(op, n)?;
        values.push(f.inlined(|f| combine(f, source, nest.body, [accumulator, value]))?);
    }
    Ok(values)
}

/// The body of a reduction, inlined: a block of two arguments that ends in an operation with the result as its operand.
pub(super) fn combine<'m>(
    f: &mut FunctionImporter<'_, 'm>,
    source: MlirBlock<'m>,
    block: BlockId,
    values: [ValueId; 2],
) -> Translated<ValueId> {
    for (argument, value) in arguments(source).zip(values) {
        f.bind(argument, value);
    }
    match f.block_body(source, block)? {
        Some(last) => f.operand(last, 0),
        None => unsupported("its region is empty"),
    }
}

/// `scf.forall` without shared outputs.
pub(super) fn scf_forall<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    if op.result_count() > 0 {
        return unsupported("scf.forall with shared tensors isn't supported; bufferize the module first (mlir-opt -one-shot-bufferize)");
    }
    let [lower, upper, step, _] = operand_groups::<4>(op)?;
    let lower = mixed(f, op, block, "staticLowerBound", lower)?;
    let upper = mixed(f, op, block, "staticUpperBound", upper)?;
    let step = mixed(f, op, block, "staticStep", step)?;
    let independent = !has_atomics(op);
    let bounds = lower.iter().zip(&upper).zip(&step);
    let dims: Dims = bounds.map(|((&l, &u), &s)| value_loop(f, [l, u, s], independent)).collect();
    let source = body_of(op, 0)?;
    if dims.is_empty() {
        return unsupported("a parallel loop without dimensions isn't supported; remove it");
    }
    let nest = open(f, op, block, dims, Vec::new());
    f.note_block(source, nest.body);
    for (argument, iterator) in arguments(source).zip(nest.iterators.clone()) {
        f.bind(argument, iterator);
    }
    f.block_body(source, nest.body)?;
    close(f, &nest, Vec::new());
    Ok(())
}

/// Values of a list of which some are constants: an array of integers with a sentinel for those that are operands.
fn mixed<'m>(
    f: &mut FunctionImporter<'_, 'm>,
    op: MlirOp<'m>,
    block: BlockId,
    name: &str,
    operands: std::ops::Range<usize>,
) -> Translated<Vec<ValueId>> {
    let mut dynamic = f.operands(op, operands)?.into_iter();
    let mut values = Vec::new();
    for number in op.attribute(name).ok().and_then(ints).ok_or_else(|| expected(name))? {
        values.push(if number == ffi::dynamic_size() {
            dynamic.next().ok_or_else(|| expected(name))?
        } else {
            f.index(block, number)
        });
    }
    Ok(values)
}
