//! Structured control flow other than counted loops.

use super::function::{FunctionImporter, Translated, unsupported};
use super::operations::ints_attribute;
use super::{MlirOp, MlirRegion};
use melior::ir::RegionLike;
use melior::ir::operation::OperationLike;
use tilia_program::{BlockId, CmpI, IfCond, OpKind, PureOp, RegionId, Type, ValueId};

/// Translates an operation of `scf` that isn't a counted loop.
pub(super) fn translate<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, name: &str) -> Translated {
    match name {
        "if" => if_op(f, op, block),
        "while" => while_op(f, op, block),
        "condition" => {
            let operands = f.all_operands(op)?;
            f.emit_for(op, block, OpKind::Condition, operands);
            Ok(())
        }
        "execute_region" => execute_region(f, op, block),
        "index_switch" => index_switch(f, op, block),
        _ => unsupported("this operation of 'scf' isn't supported"),
    }
}

/// A region's terminator that hands on its operands.
pub(super) fn yield_op<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let operands = f.all_operands(op)?;
    f.emit_for(op, block, OpKind::Yield, operands);
    Ok(())
}

/// Region `n` of `op`.
pub(super) fn region_of<'m>(op: MlirOp<'m>, n: usize) -> Translated<MlirRegion<'m>> {
    match op.region(n) {
        Ok(region) => Ok(region),
        Err(_) => unsupported("it has fewer regions than expected"),
    }
}

/// The then and else regions of an `if`; a missing else region stays without blocks.
pub(super) fn branches<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>) -> Translated<Vec<RegionId>> {
    let mut regions = Vec::new();
    for n in 0..2 {
        let region = region_of(op, n)?;
        regions.push(if region.first_block().is_some() {
            f.region(region)?
        } else {
            f.f.new_region()
        });
    }
    Ok(regions)
}

fn if_op<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let operands = f.all_operands(op)?;
    let regions = branches(f, op)?;
    let id = f.emit_for(op, block, OpKind::If(IfCond::Value), operands);
    f.f[id].regions = regions;
    Ok(())
}

fn while_op<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let operands = f.all_operands(op)?;
    let before = f.region(region_of(op, 0)?)?;
    let after = f.region(region_of(op, 1)?)?;
    let id = f.emit_for(op, block, OpKind::While, operands);
    f.f[id].regions = vec![before, after];
    Ok(())
}

/// `scf.execute_region`, and `memref.alloca_scope`, whose stack memory may live a little longer here.
pub(super) fn execute_region<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let region = f.region(region_of(op, 0)?)?;
    let id = f.emit_for(op, block, OpKind::ExecuteRegion, Vec::new());
    f.f[id].regions = vec![region];
    Ok(())
}

/// A switch as a chain of ifs, each in the else region of the one before; the innermost else is the default.
fn index_switch<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let flag = f.operand(op, 0)?;
    let cases = ints_attribute(op, "cases")?;
    let types = f.result_types(op);
    let mut regions = Vec::new();
    for n in 0..=cases.len() {
        regions.push(f.region(region_of(op, n)?)?);
    }
    let default = regions.remove(0);
    let results = if cases.is_empty() {
        let id = f.emit_for(op, block, OpKind::ExecuteRegion, Vec::new());
        f.f[id].regions = vec![default];
        return Ok(());
    } else {
        case_chain(f, block, flag, &cases, regions, default, &types)
    };
    f.bind_results(op, &results);
    Ok(())
}

fn case_chain(
    f: &mut FunctionImporter<'_, '_>,
    block: BlockId,
    flag: ValueId,
    cases: &[i64],
    regions: Vec<RegionId>,
    default: RegionId,
    types: &[Type],
) -> Vec<ValueId> {
    let mut block = block;
    let mut outermost = Vec::new();
    let mut enclosing: Option<BlockId> = None;
    let count = cases.len();
    for (n, (&case, region)) in cases.iter().zip(regions).enumerate() {
        let value = f.index(block, case);
        let condition = f.emit_value(block, OpKind::pure(PureOp::CmpI(CmpI::Eq)), vec![flag, value], Type::BOOL);
        let id = f.emit(block, OpKind::If(IfCond::Value), vec![condition], types);
        let results = f.f[id].results.clone();
        match enclosing {
            Some(outer) => {
                f.emit(outer, OpKind::Yield, results, &[]);
            }
            None => outermost = results,
        }
        let otherwise = if n + 1 == count {
            default
        } else {
            let region = f.f.new_region();
            block = f.f.new_block(region, &[]);
            enclosing = Some(block);
            region
        };
        f.f[id].regions = vec![region, otherwise];
    }
    outermost
}
