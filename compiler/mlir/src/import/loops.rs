//! Counted loops and affine conditions: `affine.for`, `affine.if`, `scf.for`.

use super::function::{FunctionImporter, Translated, arguments, expected, unsupported};
use super::operations::int_attribute;
use super::scf::{branches, region_of};
use super::{MlirBlock, MlirOp, affine};
use melior::ir::RegionLike;
use melior::ir::operation::OperationLike;
use tilia_program::{AffineExpr, AffineMap, BlockId, ForOp, IfCond, LoopExec, OpId, OpKind, PureOp, ScalarType, Step, Type, ValueId};

/// A loop with the defaults of source programs.
pub(super) fn source_loop(lower: AffineMap, upper: AffineMap, step: Step, independent: bool) -> ForOp {
    ForOp {
        lower,
        upper,
        step,
        independent,
        exec: LoopExec::Serial,
        full_tile: false,
    }
}

/// The single block of a loop's or conditional's region.
pub(super) fn body_of<'m>(op: MlirOp<'m>, region: usize) -> Translated<MlirBlock<'m>> {
    match region_of(op, region)?.first_block() {
        Some(block) => Ok(block),
        None => unsupported("its region is empty"),
    }
}

/// `affine.for`.
pub(super) fn affine_for<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let step = int_attribute(op, "step")?;
    if step < 1 {
        return Err(f.invalid(
            format!("the step of this loop is {step}: step must be positive"),
            "write a step of at least 1; a loop that counts down is written with a positive step and a reversed subscript",
        ));
    }
    let lower = f.map_attribute(op, "lowerBoundMap")?;
    let upper = f.map_attribute(op, "upperBoundMap")?;
    let operands = f.all_operands(op)?;
    let region = f.region(region_of(op, 0)?)?;
    let kind = OpKind::For(source_loop(lower, upper, Step::Const(step), false));
    let id = f.emit_for(op, block, kind, operands);
    f.f[id].regions = vec![region];
    Ok(())
}

/// `affine.if`.
pub(super) fn affine_if<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let condition = op
        .attribute("condition")
        .ok()
        .and_then(affine::set)
        .ok_or_else(|| expected("condition"))?;
    let condition = condition.map_err(|bad| f.bad_divisor(&bad))?;
    let operands = f.all_operands(op)?;
    let regions = branches(f, op)?;
    let id = f.emit_for(op, block, OpKind::If(IfCond::Set(condition)), operands);
    f.f[id].regions = regions;
    Ok(())
}

/// A loop bound given by one value: constant where the value is.
pub(super) fn value_bound(f: &FunctionImporter<'_, '_>, value: ValueId) -> (AffineMap, Option<ValueId>) {
    match f.f.as_int_constant(value) {
        Some(constant) => (AffineMap::constant(constant), None),
        None => {
            let map = AffineMap {
                dims: 0,
                syms: 1,
                results: vec![AffineExpr::Sym(0)],
            };
            (map, Some(value))
        }
    }
}

/// A loop step given by one value: constant where the value is a positive constant.
pub(super) fn value_step(f: &FunctionImporter<'_, '_>, value: ValueId) -> (Step, Option<ValueId>) {
    match f.f.as_int_constant(value) {
        Some(constant @ 1..) => (Step::Const(constant), None),
        _ => (Step::Value, Some(value)),
    }
}

/// Kind and operands of a loop between values.
pub(super) fn value_loop(f: &FunctionImporter<'_, '_>, bounds: [ValueId; 3], independent: bool) -> (OpKind, Vec<ValueId>) {
    let (lower, first) = value_bound(f, bounds[0]);
    let (upper, second) = value_bound(f, bounds[1]);
    let (step, third) = value_step(f, bounds[2]);
    let operands = [first, second, third].into_iter().flatten().collect();
    (OpKind::For(source_loop(lower, upper, step, independent)), operands)
}

/// `scf.for`, whose iterator may be of any integer type.
pub(super) fn scf_for<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    f.check_known_iterator(op)?;
    let source = body_of(op, 0)?;
    let unsigned = op.has_attribute("unsignedCmp");
    let Some(Type::Scalar(iterator)) = arguments(source).next().map(|a| f.type_of(a).ty.clone()) else {
        return unsupported("its iterator isn't a number");
    };
    if unsigned && iterator.bits() == 64 {
        return unsupported("unsigned loops over 64-bit numbers aren't supported; use a signed loop");
    }
    let mut bounds = [ValueId(0); 3];
    for (n, slot) in bounds.iter_mut().enumerate() {
        let value = f.operand(op, n)?;
        *slot = widen(f, block, value, iterator, unsigned);
    }
    let inits = f.operands(op, 3..op.operand_count())?;
    let (kind, mut operands) = value_loop(f, bounds, false);
    operands.extend(inits);
    if iterator == ScalarType::Index {
        let region = f.region(region_of(op, 0)?)?;
        let id = f.emit_for(op, block, kind, operands);
        f.f[id].regions = vec![region];
        return Ok(());
    }
    let id = f.emit_for(op, block, kind, operands);
    narrow_body(f, id, source, iterator, unsigned)
}

/// A number of the iterator's type as an index.
fn widen(f: &mut FunctionImporter<'_, '_>, block: BlockId, value: ValueId, iterator: ScalarType, unsigned: bool) -> ValueId {
    if iterator == ScalarType::Index {
        return value;
    }
    if let Some(constant) = f.f.as_int_constant(value) {
        let unused = 64 - u32::from(iterator.bits());
        let constant = if unsigned {
            (constant.cast_unsigned() << unused >> unused).cast_signed()
        } else {
            constant
        };
        return f.index(block, constant);
    }
    let cast = if unsigned { PureOp::IndexCastUI } else { PureOp::IndexCast };
    f.emit_value(block, OpKind::pure(cast), vec![value], Type::INDEX)
}

/// The body of a loop whose iterator in the source is narrower than index: cast at its start.
fn narrow_body<'m>(f: &mut FunctionImporter<'_, 'm>, id: OpId, source: MlirBlock<'m>, iterator: ScalarType, unsigned: bool) -> Translated {
    let region = f.f.new_region();
    f.f[id].regions = vec![region];
    let mut types: Vec<Type> = arguments(source).map(|a| f.type_of(a).ty.clone()).collect();
    types[0] = Type::INDEX;
    let body = f.f.new_block(region, &types);
    f.note_block(source, body);
    let args = f.f[body].args.clone();
    for (argument, value) in arguments(source).zip(&args).skip(1) {
        f.bind(argument, *value);
    }
    let cast = if unsigned { PureOp::IndexCastUI } else { PureOp::IndexCast };
    let narrow = f.emit_value(body, OpKind::pure(cast), vec![args[0]], Type::Scalar(iterator));
    f.note_narrowed(narrow, args[0], unsigned);
    if let Some(argument) = arguments(source).next() {
        f.bind(argument, narrow);
    }
    f.block(source, body)
}

impl<'m> FunctionImporter<'_, 'm> {
    /// Refuses loops whose bounds are of types that execution doesn't know.
    fn check_known_iterator(&self, op: MlirOp<'m>) -> Translated {
        for value in op.operands().take(3) {
            if let Some(reason) = &self.type_of(value).reason {
                return unsupported(reason.clone());
            }
        }
        Ok(())
    }
}
