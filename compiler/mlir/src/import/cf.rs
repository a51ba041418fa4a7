//! Branches, calls and what ends functions: the dialects `cf`, `func` and `ub`.

use super::function::{FunctionImporter, Translated, expected, unsupported};
use super::operations::{ints_attribute, operand_groups};
use super::{MlirOp, string_attribute};
use melior::ir::attribute::FlatSymbolRefAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Value};
use tilia_program::{BlockId, Constant, OpKind, ScalarType, Type, ValueId};

/// Translates an operation of `cf`, `func` or `ub`.
pub(super) fn translate<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, dialect: &str, name: &str) -> Translated {
    match (dialect, name) {
        ("cf", "br") => {
            let (target, _) = successor(f, op, 0)?;
            let operands = f.all_operands(op)?;
            f.emit_for(op, block, OpKind::Br(target), operands);
        }
        ("cf", "cond_br") => {
            let (then, then_args) = successor(f, op, 0)?;
            let (otherwise, _) = successor(f, op, 1)?;
            let operands = f.all_operands(op)?;
            let kind = OpKind::CondBr {
                then,
                otherwise,
                then_args,
            };
            f.emit_for(op, block, kind, operands);
        }
        ("cf", "switch") => switch(f, op, block)?,
        ("cf", "assert") => {
            let operands = f.all_operands(op)?;
            let message = string_attribute(&op, "msg").unwrap_or_default();
            f.emit_for(op, block, OpKind::Assert(message), operands);
        }
        ("func", "return") => {
            let operands = f.all_operands(op)?;
            f.emit_for(op, block, OpKind::Return, operands);
        }
        ("func", "call") => call(f, op, block)?,
        ("func", "call_indirect" | "constant") => {
            return unsupported("calls through function values aren't supported; call the function by its name");
        }
        ("ub", "unreachable") => {
            f.emit_for(op, block, OpKind::Unreachable, Vec::new());
        }
        ("ub", "poison") => poison(f, op, block)?,
        _ => return unsupported(format!("this operation of '{dialect}' isn't supported")),
    }
    Ok(())
}

/// Successor `n` of `op`, with the number of its arguments.
fn successor<'m>(f: &FunctionImporter<'_, 'm>, op: MlirOp<'m>, n: usize) -> Translated<(BlockId, u32)> {
    let Ok(target) = op.successor(n) else {
        return unsupported("it has fewer successors than expected");
    };
    let count = u32::try_from(target.argument_count()).unwrap_or(u32::MAX);
    Ok((f.target(target)?, count))
}

fn switch<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    operand_groups::<3>(op)?;
    let default = successor(f, op, 0)?;
    let values = if op.has_attribute("case_values") {
        ints_attribute(op, "case_values")?
    } else {
        Vec::new()
    };
    let mut cases = Vec::new();
    for (n, value) in values.into_iter().enumerate() {
        let (target, count) = successor(f, op, n + 1)?;
        cases.push((value, target, count));
    }
    let operands = f.all_operands(op)?;
    f.emit_for(op, block, OpKind::Switch { default, cases }, operands);
    Ok(())
}

fn call<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let attribute = op.attribute("callee").map_err(|_| expected("callee"))?;
    let Ok(symbol) = FlatSymbolRefAttribute::try_from(attribute) else {
        return unsupported("calls into other modules aren't supported; call a function of the same module");
    };
    let Some(name) = f.cx.symbols.function(f.scope, symbol.value()) else {
        return unsupported(format!("'{}' isn't a function", symbol.value()));
    };
    let name = name.to_owned();
    let operands = f.all_operands(op)?;
    if f.cx.symbols.is_overlap_check(f.scope, symbol.value()) && is_pair_of_memrefs(f, &operands) && f.result_types(op) == [Type::BOOL] {
        f.emit_for(op, block, OpKind::Overlap, operands);
        return Ok(());
    }
    f.emit_for(op, block, OpKind::Call(name), operands);
    Ok(())
}

fn is_pair_of_memrefs(f: &FunctionImporter<'_, '_>, values: &[ValueId]) -> bool {
    values.len() == 2 && values.iter().all(|&v| matches!(f.f[v].ty, Type::MemRef(_)))
}

/// Poison may be any value: zero is one.
fn poison<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let Ok(result) = op.result(0) else {
        return unsupported("poison has one result");
    };
    let zero = |scalar: ScalarType| if scalar.is_int() { Constant::Int(0) } else { Constant::Float(0) };
    let constant = match &f.type_of(Value::from(result)).ty {
        Type::Scalar(scalar) => zero(*scalar),
        Type::Vector(vector) => Constant::Splat(Box::new(zero(vector.elem))),
        other => return unsupported(format!("poison of type {other} isn't supported")),
    };
    f.emit_for(op, block, OpKind::Constant(constant), Vec::new());
    Ok(())
}
