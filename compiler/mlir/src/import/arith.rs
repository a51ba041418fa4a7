//! The dialects `arith` and `math`.

use super::function::{FunctionImporter, Translated, expected, unsupported};
use super::operations::int_attribute;
use super::{MlirOp, constant};
use crate::ffi;
use melior::ir::operation::OperationLike;
use tilia_program::{BlockId, CmpF, CmpI, FastMath, MathFn, OpKind, PureOp, Type};

/// Translates an operation of `arith` or `math`.
pub(super) fn translate<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, dialect: &str, name: &str) -> Translated {
    if (dialect, name) == ("arith", "select") {
        // Also picks between buffers and values of unknown types.
        return pure(f, op, block, PureOp::Select);
    }
    f.check_known(op)?;
    match (dialect, name) {
        ("arith", "constant") => constant_op(f, op, block),
        ("arith", "cmpi") => {
            let predicate = int_attribute(op, "predicate")?;
            let predicate = cmp_i(predicate).ok_or_else(|| expected("predicate"))?;
            pure(f, op, block, PureOp::CmpI(predicate))
        }
        ("arith", "cmpf") => {
            let predicate = int_attribute(op, "predicate")?;
            let predicate = cmp_f(predicate).ok_or_else(|| expected("predicate"))?;
            pure(f, op, block, PureOp::CmpF(predicate))
        }
        ("arith", "index_cast" | "index_castui") => index_cast(f, op, block, name == "index_castui"),
        ("arith", _) => {
            rounding(op)?;
            match arith_op(name) {
                Some(kind) => pure(f, op, block, kind),
                None => unsupported("this operation of 'arith' isn't supported; expand it first (mlir-opt -arith-expand)"),
            }
        }
        ("math", "sincos") => sincos(f, op, block),
        (_, _) => match math_fn(name) {
            Some(function) => pure(f, op, block, PureOp::Math(function)),
            None => unsupported("this operation of 'math' isn't supported"),
        },
    }
}

/// A pure operation on all operands, with its fast-math flags.
pub(super) fn pure<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, kind: PureOp) -> Translated {
    let operands = f.all_operands(op)?;
    let flags = fast_math(f, op);
    f.emit_for(op, block, OpKind::Pure(kind, flags), operands);
    Ok(())
}

/// A cast between index and integers; casting a loop's narrow iterator back to index gives the iterator itself, which keeps subscripts affine.
fn index_cast<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, unsigned: bool) -> Translated {
    let operand = f.operand(op, 0)?;
    let to_index = f.result_types(op) == [Type::INDEX];
    if let Some(wide) = f.widened(operand, unsigned).filter(|_| to_index) {
        f.bind_results(op, &[wide]);
        return Ok(());
    }
    pure(f, op, block, if unsigned { PureOp::IndexCastUI } else { PureOp::IndexCast })
}

fn constant_op<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let value = op.attribute("value").map_err(|_| expected("value"))?;
    let [ty] = &f.result_types(op)[..] else {
        return unsupported("a constant has one result");
    };
    match constant::constant(value, ty) {
        Some(constant) => {
            f.emit_for(op, block, OpKind::Constant(constant), Vec::new());
            Ok(())
        }
        None => unsupported("its value isn't a number or a dense vector of numbers"),
    }
}

fn sincos<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let operand = f.operand(op, 0)?;
    let flags = fast_math(f, op);
    let types = f.result_types(op);
    let mut results = Vec::new();
    for (function, ty) in [MathFn::Sin, MathFn::Cos].into_iter().zip(types) {
        results.push(f.emit_value(block, OpKind::Pure(PureOp::Math(function), flags), vec![operand], ty));
    }
    f.bind_results(op, &results);
    Ok(())
}

/// Refuses a rounding mode other than the default one.
fn rounding(op: MlirOp<'_>) -> Translated {
    match op.attribute("roundingmode") {
        // Nearest, ties to even.
        Ok(mode) if ffi::integer(mode) != Some(0) => unsupported("only the rounding mode to_nearest_even is supported"),
        _ => Ok(()),
    }
}

fn fast_math(f: &FunctionImporter<'_, '_>, op: MlirOp<'_>) -> FastMath {
    let Ok(attribute) = op.attribute("fastmath") else {
        return FastMath::default();
    };
    let mut known = f.cx.fast_math.borrow_mut();
    *known
        .entry(ffi::attribute_key(attribute))
        .or_insert_with(|| parse_fast_math(&attribute.to_string()))
}

/// Flags out of the attribute's text, `#arith.fastmath<reassoc,nnan>`.
fn parse_fast_math(text: &str) -> FastMath {
    let list = text.split_once('<').map_or("", |(_, rest)| rest.trim_end_matches('>'));
    let mut flags = FastMath::default();
    for flag in list.split(',') {
        match flag.trim() {
            "fast" => {
                return FastMath {
                    reassoc: true,
                    nnan: true,
                    ninf: true,
                    nsz: true,
                    arcp: true,
                    contract: true,
                    afn: true,
                };
            }
            "reassoc" => flags.reassoc = true,
            "nnan" => flags.nnan = true,
            "ninf" => flags.ninf = true,
            "nsz" => flags.nsz = true,
            "arcp" => flags.arcp = true,
            "contract" => flags.contract = true,
            "afn" => flags.afn = true,
            _ => {}
        }
    }
    flags
}

/// Predicates in the order of `arith::CmpIPredicate`.
fn cmp_i(predicate: i64) -> Option<CmpI> {
    use CmpI::*;
    let all = [Eq, Ne, Slt, Sle, Sgt, Sge, Ult, Ule, Ugt, Uge];
    all.get(usize::try_from(predicate).ok()?).copied()
}

/// Predicates in the order of `arith::CmpFPredicate`.
fn cmp_f(predicate: i64) -> Option<CmpF> {
    use CmpF::*;
    let all = [False, Oeq, Ogt, Oge, Olt, Ole, One, Ord, Ueq, Ugt, Uge, Ult, Ule, Une, Uno, True];
    all.get(usize::try_from(predicate).ok()?).copied()
}

fn arith_op(name: &str) -> Option<PureOp> {
    use PureOp::*;
    Some(match name {
        "addi" => AddI,
        "subi" => SubI,
        "muli" => MulI,
        "divsi" => DivSI,
        "divui" => DivUI,
        "ceildivsi" => CeilDivSI,
        "ceildivui" => CeilDivUI,
        "floordivsi" => FloorDivSI,
        "remsi" => RemSI,
        "remui" => RemUI,
        "andi" => AndI,
        "ori" => OrI,
        "xori" => XOrI,
        "shli" => ShLI,
        "shrsi" => ShRSI,
        "shrui" => ShRUI,
        "maxsi" => MaxSI,
        "maxui" => MaxUI,
        "minsi" => MinSI,
        "minui" => MinUI,
        "addui_extended" => AddUIExtended,
        "mulsi_extended" => MulSIExtended,
        "mului_extended" => MulUIExtended,
        "addf" => AddF,
        "subf" => SubF,
        "mulf" => MulF,
        "divf" => DivF,
        "remf" => RemF,
        "negf" => NegF,
        "maximumf" => MaximumF,
        "minimumf" => MinimumF,
        "maxnumf" => MaxNumF,
        "minnumf" => MinNumF,
        "extsi" => ExtSI,
        "extui" => ExtUI,
        "trunci" => TruncI,
        "extf" => ExtF,
        "truncf" => TruncF,
        "sitofp" => SIToFP,
        "uitofp" => UIToFP,
        "fptosi" => FPToSI,
        "fptoui" => FPToUI,
        "bitcast" => Bitcast,
        _ => return None,
    })
}

fn math_fn(name: &str) -> Option<MathFn> {
    use MathFn::*;
    Some(match name {
        "absf" => AbsF,
        "absi" => AbsI,
        "acos" => Acos,
        "acosh" => Acosh,
        "asin" => Asin,
        "asinh" => Asinh,
        "atan" => Atan,
        "atan2" => Atan2,
        "atanh" => Atanh,
        "cbrt" => Cbrt,
        "ceil" => Ceil,
        "clampf" => ClampF,
        "copysign" => CopySign,
        "cos" => Cos,
        "cosh" => Cosh,
        "ctlz" => CtLz,
        "ctpop" => CtPop,
        "cttz" => CtTz,
        "erf" => Erf,
        "erfc" => Erfc,
        "exp" => Exp,
        "exp2" => Exp2,
        "expm1" => ExpM1,
        "floor" => Floor,
        "fma" => Fma,
        "fpowi" => FPowI,
        "ipowi" => IPowI,
        "isfinite" => IsFinite,
        "isinf" => IsInf,
        "isnan" => IsNaN,
        "isnormal" => IsNormal,
        "log" => Log,
        "log10" => Log10,
        "log1p" => Log1p,
        "log2" => Log2,
        "powf" => PowF,
        "round" => Round,
        "roundeven" => RoundEven,
        "rsqrt" => Rsqrt,
        "sin" => Sin,
        "sinh" => Sinh,
        "sqrt" => Sqrt,
        "tan" => Tan,
        "tanh" => Tanh,
        "trunc" => Trunc,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_fast_math_flags() {
        assert_eq!(parse_fast_math("#arith.fastmath<none>"), FastMath::default());
        let two = parse_fast_math("#arith.fastmath<reassoc,contract>");
        assert!(two.reassoc && two.contract && !two.nnan);
        assert!(parse_fast_math("#arith.fastmath<fast>").afn);
    }
}
