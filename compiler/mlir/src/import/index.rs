//! The dialect `index`: 64-bit integers, as execution has them.

use super::MlirOp;
use super::arith::pure;
use super::function::{FunctionImporter, Translated, expected, unsupported};
use super::operations::int_attribute;
use crate::ffi;
use melior::ir::operation::OperationLike;
use tilia_program::{BlockId, CmpI, OpKind, PureOp, ScalarType, Type};

/// Translates an operation of `index`.
pub(super) fn translate<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, name: &str) -> Translated {
    f.check_known(op)?;
    let kind = match name {
        "constant" => return number(f, op, block, int_attribute(op, "value")?),
        "bool.constant" => {
            let value = op.attribute("value").ok().and_then(ffi::integer);
            return number(f, op, block, value.ok_or_else(|| expected("value"))?);
        }
        "sizeof" => return number(f, op, block, 64),
        "cmp" => PureOp::CmpI(predicate(op)?),
        "casts" => PureOp::IndexCast,
        "castu" => PureOp::IndexCastUI,
        "add" => PureOp::AddI,
        "sub" => PureOp::SubI,
        "mul" => PureOp::MulI,
        "divs" => PureOp::DivSI,
        "divu" => PureOp::DivUI,
        "ceildivs" => PureOp::CeilDivSI,
        "ceildivu" => PureOp::CeilDivUI,
        "floordivs" => PureOp::FloorDivSI,
        "rems" => PureOp::RemSI,
        "remu" => PureOp::RemUI,
        "maxs" => PureOp::MaxSI,
        "maxu" => PureOp::MaxUI,
        "mins" => PureOp::MinSI,
        "minu" => PureOp::MinUI,
        "shl" => PureOp::ShLI,
        "shrs" => PureOp::ShRSI,
        "shru" => PureOp::ShRUI,
        "and" => PureOp::AndI,
        "or" => PureOp::OrI,
        "xor" => PureOp::XOrI,
        _ => return unsupported("this operation of 'index' isn't supported; use arith instead"),
    };
    pure(f, op, block, kind)
}

/// `builtin.unrealized_conversion_cast`, as partial lowerings leave it: between `index` and `i64`, which have the same values, or of a value to its own type.
pub(super) fn conversion<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let results = f.result_types(op);
    if let ([to], 1) = (&results[..], op.operand_count()) {
        let value = f.operand(op, 0)?;
        let from = f.f[value].ty.clone();
        if from == *to && !matches!(from, Type::Opaque(_)) {
            f.bind_results(op, &[value]);
            return Ok(());
        }
        let wide = |ty: &Type| matches!(ty, Type::Scalar(ScalarType::Index | ScalarType::Int(64)));
        if wide(&from) && wide(to) {
            return pure(f, op, block, PureOp::IndexCast);
        }
    }
    unsupported("only casts between index and i64 are known to keep the value; finish the lowering that left this one, or start before it")
}

fn number<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, value: i64) -> Translated {
    f.emit_for(op, block, OpKind::int(value), Vec::new());
    Ok(())
}

/// The predicate out of the attribute's text, `#index<cmp_predicate slt>`.
fn predicate(op: MlirOp<'_>) -> Translated<CmpI> {
    let text = op.attribute("pred").map_err(|_| expected("pred"))?.to_string();
    let word = text.trim_end_matches('>').rsplit([' ', '<']).next().unwrap_or("");
    Ok(match word {
        "eq" => CmpI::Eq,
        "ne" => CmpI::Ne,
        "slt" => CmpI::Slt,
        "sle" => CmpI::Sle,
        "sgt" => CmpI::Sgt,
        "sge" => CmpI::Sge,
        "ult" => CmpI::Ult,
        "ule" => CmpI::Ule,
        "ugt" => CmpI::Ugt,
        "uge" => CmpI::Uge,
        _ => return Err(expected("pred")),
    })
}
