//! Types of operations on numbers.

use crate::{MathFn, PureOp, ScalarType, Type};

/// How operand and result types of a pure operation belong together.
enum Rule {
    /// That many operands of one integer type; the result is of it, too.
    Ints(usize),
    /// The same for floats.
    Floats(usize),
    /// Two integers to an i1 of their shape.
    CompareInts,
    /// That many floats to an i1 of their shape.
    CompareFloats(usize),
    /// One operand to a result of the same shape whose element type passes the test.
    Convert(fn(ScalarType, ScalarType) -> bool),
    /// Anything else, checked by name.
    Special,
}

fn rule(op: PureOp) -> Rule {
    use PureOp as P;
    match op {
        P::AddI | P::SubI | P::MulI | P::DivSI | P::DivUI | P::CeilDivSI | P::CeilDivUI | P::FloorDivSI | P::RemSI | P::RemUI => {
            Rule::Ints(2)
        }
        P::AndI | P::OrI | P::XOrI | P::ShLI | P::ShRSI | P::ShRUI | P::MaxSI | P::MaxUI | P::MinSI | P::MinUI => Rule::Ints(2),
        P::CmpI(_) => Rule::CompareInts,
        P::AddF | P::SubF | P::MulF | P::DivF | P::RemF | P::MaximumF | P::MinimumF | P::MaxNumF | P::MinNumF => Rule::Floats(2),
        P::NegF => Rule::Floats(1),
        P::CmpF(_) => Rule::CompareFloats(2),
        P::ExtSI | P::ExtUI => Rule::Convert(|a, b| a.is_int() && b.is_int() && b.bits() > a.bits()),
        P::TruncI => Rule::Convert(|a, b| a.is_int() && b.is_int() && b.bits() < a.bits()),
        P::ExtF => Rule::Convert(|a, b| a.is_float() && b.is_float() && b.bits() > a.bits()),
        P::TruncF => Rule::Convert(|a, b| a.is_float() && b.is_float() && b.bits() < a.bits()),
        P::SIToFP | P::UIToFP => Rule::Convert(|a, b| a.is_int() && b.is_float()),
        P::FPToSI | P::FPToUI => Rule::Convert(|a, b| a.is_float() && b.is_int()),
        P::IndexCast | P::IndexCastUI => Rule::Convert(|a, b| a.is_int() && b.is_int()),
        P::Bitcast => Rule::Convert(|a, b| a.bits() == b.bits()),
        P::Math(f) => math_rule(f),
        P::AddUIExtended | P::MulSIExtended | P::MulUIExtended | P::Select | P::Splat | P::Extract(_) | P::Insert(_) => Rule::Special,
    }
}

fn math_rule(f: MathFn) -> Rule {
    use MathFn as M;
    match f {
        M::AbsI | M::CtLz | M::CtPop | M::CtTz => Rule::Ints(1),
        M::IPowI => Rule::Ints(2),
        M::Atan2 | M::CopySign | M::PowF => Rule::Floats(2),
        M::ClampF | M::Fma => Rule::Floats(3),
        M::IsFinite | M::IsInf | M::IsNaN | M::IsNormal => Rule::CompareFloats(1),
        M::FPowI => Rule::Special,
        _ => Rule::Floats(1),
    }
}

/// Scalar or vector of another element type but the same shape; `None` for what isn't a number.
fn reshaped(ty: &Type, elem: ScalarType) -> Option<Type> {
    match ty {
        Type::Scalar(_) => Some(Type::Scalar(elem)),
        Type::Vector(v) => Some(Type::Vector(crate::VectorType {
            shape: v.shape.clone(),
            elem,
        })),
        _ => None,
    }
}

fn number(ty: &Type) -> Option<ScalarType> {
    match ty {
        Type::Scalar(s) => Some(*s),
        Type::Vector(v) => Some(v.elem),
        _ => None,
    }
}

/// Checks operand and result types of `op`.
pub(super) fn check(op: PureOp, operands: &[&Type], results: &[&Type]) -> Result<(), String> {
    let uniform = |n: usize, wanted: fn(ScalarType) -> bool, what: &str| {
        let ok = operands.len() == n && operands.iter().all(|&t| t == operands[0] && number(t).is_some_and(wanted));
        if ok {
            Ok(())
        } else {
            Err(format!("it takes {n} operands of one {what} type"))
        }
    };
    let result = |ok: bool| {
        if ok {
            Ok(())
        } else {
            Err("its result type doesn't fit its operands".to_owned())
        }
    };
    let bool_shaped = || Some(operands[0]).and_then(|t| reshaped(t, ScalarType::Int(1)));
    match rule(op) {
        Rule::Ints(n) => {
            uniform(n, ScalarType::is_int, "integer")?;
            result(results == [operands[0]])
        }
        Rule::Floats(n) => {
            uniform(n, ScalarType::is_float, "float")?;
            result(results == [operands[0]])
        }
        Rule::CompareInts => {
            uniform(2, ScalarType::is_int, "integer")?;
            result(results.len() == 1 && Some(results[0]) == bool_shaped().as_ref())
        }
        Rule::CompareFloats(n) => {
            uniform(n, ScalarType::is_float, "float")?;
            result(results.len() == 1 && Some(results[0]) == bool_shaped().as_ref())
        }
        Rule::Convert(test) => {
            let ([from], [to]) = (operands, results) else {
                return Err("it takes one operand and gives one result".to_owned());
            };
            let ok = number(from)
                .zip(number(to))
                .is_some_and(|(a, b)| test(a, b) && reshaped(from, b).as_ref() == Some(to));
            result(ok)
        }
        Rule::Special => special(op, operands, results),
    }
}

fn special(op: PureOp, operands: &[&Type], results: &[&Type]) -> Result<(), String> {
    let is_int = |t: &Type| number(t).is_some_and(ScalarType::is_int);
    let ok = match (op, operands, results) {
        (PureOp::AddUIExtended, [a, b], [sum, carry]) => {
            a == b && a == sum && is_int(a) && reshaped(a, ScalarType::Int(1)).as_ref() == Some(carry)
        }
        (PureOp::MulSIExtended | PureOp::MulUIExtended, [a, b], [low, high]) => a == b && a == low && a == high && is_int(a),
        (PureOp::Select, [c, a, b], [r]) => {
            let condition = **c == Type::BOOL || (matches!(a, Type::Vector(_)) && reshaped(a, ScalarType::Int(1)).as_ref() == Some(c));
            a == b && a == r && condition
        }
        (PureOp::Math(MathFn::FPowI), [x, n], [r]) => {
            x == r
                && number(x).is_some_and(ScalarType::is_float)
                && number(n).is_some_and(|e| e.is_int() && reshaped(x, e).as_ref() == Some(n))
        }
        (PureOp::Splat, [Type::Scalar(s)], [Type::Vector(v)]) => v.elem == *s && v.lanes().is_some(),
        (PureOp::Extract(lane), [Type::Vector(v)], [Type::Scalar(s)]) => v.elem == *s && v.lanes().is_some_and(|n| u64::from(lane) < n),
        (PureOp::Insert(lane), [Type::Scalar(s), Type::Vector(v)], [Type::Vector(r)]) => {
            v == r && v.elem == *s && v.lanes().is_some_and(|n| u64::from(lane) < n)
        }
        _ => return Err("it has the wrong number or kind of operands or results".to_owned()),
    };
    if ok {
        Ok(())
    } else {
        Err("its operand and result types don't belong together".to_owned())
    }
}
