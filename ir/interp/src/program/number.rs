//! Scalar operations on words: integers sign-extended to 64 bits, floats as the bits of their format.

use tilia_abi::{FloatFormat, convert, float, integer, math};
use tilia_program::{CmpI, MathFn, PureOp, ScalarType};

/// The value of a word in memory.
pub(crate) fn from_memory(word: u64, elem: ScalarType) -> u64 {
    if elem.is_int() {
        integer::signed(word & mask(elem), elem.bits()).cast_unsigned()
    } else {
        word & mask(elem)
    }
}

/// The word in memory of a value.
pub(crate) fn to_memory(value: u64, elem: ScalarType) -> u64 {
    value & mask(elem)
}

fn mask(elem: ScalarType) -> u64 {
    u64::MAX >> (64 - u32::from(elem.bits()))
}

fn bool_word(b: bool) -> u64 {
    // An i1, sign-extended.
    if b { u64::MAX } else { 0 }
}

fn format(ty: ScalarType) -> Result<FloatFormat, String> {
    FloatFormat::of(ty).ok_or_else(|| format!("a float is needed, not {ty}"))
}

/// Operands' types and words of one scalar operation.
pub(crate) struct Scalars<'a> {
    pub(crate) types: &'a [ScalarType],
    pub(crate) words: &'a [u64],
    /// Type of the (first) result.
    pub(crate) result: ScalarType,
}

impl Scalars<'_> {
    fn ty(&self) -> ScalarType {
        self.types.first().copied().unwrap_or(self.result)
    }

    fn word(&self, n: usize) -> Result<u64, String> {
        self.words.get(n).copied().ok_or_else(|| "an operand is missing".to_owned())
    }

    fn int(&self, n: usize) -> Result<i64, String> {
        self.word(n).map(u64::cast_signed)
    }

    fn real(&self, n: usize) -> Result<f64, String> {
        let ty = self.types.get(n).copied().ok_or("an operand is missing")?;
        Ok(format(ty)?.to_f64(self.word(n)?))
    }

    /// The results of `op`: one, or two of which the second is 0 where there is only one.
    pub(crate) fn eval(&self, op: PureOp) -> Result<[u64; 2], String> {
        let bits = self.ty().bits();
        let pair = |(low, high): (i64, i64)| Ok([low.cast_unsigned(), high.cast_unsigned()]);
        match op {
            PureOp::AddUIExtended => {
                let (sum, carry) = integer::add_carry(self.int(0)?, self.int(1)?, bits);
                Ok([sum.cast_unsigned(), bool_word(carry)])
            }
            PureOp::MulSIExtended => pair(integer::multiply_wide(self.int(0)?, self.int(1)?, bits)),
            PureOp::MulUIExtended => pair(integer::multiply_wide_unsigned(self.int(0)?, self.int(1)?, bits)),
            _ => Ok([self.eval_one(op)?, 0]),
        }
    }

    fn eval_one(&self, op: PureOp) -> Result<u64, String> {
        use PureOp as P;
        match op {
            P::AddF | P::SubF | P::MulF | P::DivF | P::RemF | P::MaximumF | P::MinimumF | P::MaxNumF | P::MinNumF => self.float_binary(op),
            P::NegF => Ok(self.word(0)? ^ (1 << (self.ty().bits() - 1))),
            P::CmpF(p) => Ok(bool_word(float::compare(p, self.real(0)?, self.real(1)?))),
            P::CmpI(p) => self.compare(p).map(bool_word),
            P::ExtF | P::TruncF => Ok(format(self.result)?.from_f64(self.real(0)?)),
            P::SIToFP => Ok(format(self.result)?.from_int(self.int(0)?)),
            P::UIToFP => Ok(format(self.result)?.from_uint(integer::unsigned(self.int(0)?, self.ty().bits()))),
            P::FPToSI => Ok(convert::float_to_int(self.real(0)?, self.result.bits()).cast_unsigned()),
            P::FPToUI => {
                let v = convert::float_to_uint(self.real(0)?, self.result.bits());
                Ok(integer::signed(v, self.result.bits()).cast_unsigned())
            }
            P::Bitcast => Ok(from_memory(to_memory(self.word(0)?, self.ty()), self.result)),
            P::Math(f) => self.math(f),
            _ => self.integer(op).map(i64::cast_unsigned),
        }
    }

    fn integer(&self, op: PureOp) -> Result<i64, String> {
        use PureOp as P;
        use integer::Rounding;
        let bits = self.ty().bits();
        let a = self.int(0)?;
        let to = self.result.bits();
        match op {
            P::ExtSI | P::TruncI | P::IndexCast => return Ok(integer::wrap(i128::from(a), to)),
            P::ExtUI | P::IndexCastUI => return Ok(integer::signed(integer::unsigned(a, bits), to)),
            _ => {}
        }
        let b = self.int(1)?;
        let (wide_a, wide_b) = (i128::from(a), i128::from(b));
        let (ua, ub) = (integer::unsigned(a, bits), integer::unsigned(b, bits));
        let text = |e: integer::DivisionError| format!("{e} ({a} / {b})");
        Ok(match op {
            P::AddI => integer::wrap(wide_a + wide_b, bits),
            P::SubI => integer::wrap(wide_a - wide_b, bits),
            P::MulI => integer::wrap(wide_a * wide_b, bits),
            P::DivSI => integer::divide(a, b, bits, Rounding::Zero).map_err(text)?,
            P::CeilDivSI => integer::divide(a, b, bits, Rounding::Up).map_err(text)?,
            P::FloorDivSI => integer::divide(a, b, bits, Rounding::Down).map_err(text)?,
            P::RemSI => integer::remainder(a, b, bits).map_err(text)?,
            P::DivUI => integer::divide_unsigned(a, b, bits, false).map_err(text)?,
            P::CeilDivUI => integer::divide_unsigned(a, b, bits, true).map_err(text)?,
            P::RemUI => integer::remainder_unsigned(a, b, bits).map_err(text)?,
            P::AndI => a & b,
            P::OrI => a | b,
            P::XOrI => a ^ b,
            P::ShLI => integer::shift_left(a, b, bits),
            P::ShRSI => integer::shift_right(a, b, bits),
            P::ShRUI => integer::shift_right_unsigned(a, b, bits),
            P::MaxSI => a.max(b),
            P::MinSI => a.min(b),
            P::MaxUI => integer::signed(ua.max(ub), bits),
            P::MinUI => integer::signed(ua.min(ub), bits),
            _ => return Err("not an operation on scalars".to_owned()),
        })
    }

    fn compare(&self, predicate: CmpI) -> Result<bool, String> {
        let (a, b) = (self.int(0)?, self.int(1)?);
        let bits = self.ty().bits();
        let (ua, ub) = (integer::unsigned(a, bits), integer::unsigned(b, bits));
        Ok(match predicate {
            CmpI::Eq => a == b,
            CmpI::Ne => a != b,
            CmpI::Slt => a < b,
            CmpI::Sle => a <= b,
            CmpI::Sgt => a > b,
            CmpI::Sge => a >= b,
            CmpI::Ult => ua < ub,
            CmpI::Ule => ua <= ub,
            CmpI::Ugt => ua > ub,
            CmpI::Uge => ua >= ub,
        })
    }

    fn float_binary(&self, op: PureOp) -> Result<u64, String> {
        let format = format(self.ty())?;
        if format == FloatFormat::F64 {
            return Ok(arithmetic(op, self.real(0)?, self.real(1)?)?.to_bits());
        }
        let (a, b) = (self.single(0)?, self.single(1)?);
        Ok(format.from_f64(f64::from(arithmetic(op, a, b)?)))
    }

    /// An operand of at most single precision.
    #[expect(clippy::cast_possible_truncation, reason = "exact: the operand has single precision or less")]
    fn single(&self, n: usize) -> Result<f32, String> {
        self.real(n).map(|x| x as f32)
    }

    fn math(&self, f: MathFn) -> Result<u64, String> {
        let ty = self.ty();
        let bits = ty.bits();
        match f {
            MathFn::AbsI => return Ok(integer::absolute(self.int(0)?, bits).cast_unsigned()),
            MathFn::CtLz => return Ok(integer::leading_zeros(self.int(0)?, bits).cast_unsigned()),
            MathFn::CtTz => return Ok(integer::trailing_zeros(self.int(0)?, bits).cast_unsigned()),
            MathFn::CtPop => return Ok(integer::ones(self.int(0)?, bits).cast_unsigned()),
            MathFn::IPowI => return Ok(integer::power(self.int(0)?, self.int(1)?, bits).cast_unsigned()),
            MathFn::IsFinite => return Ok(bool_word(self.real(0)?.is_finite())),
            MathFn::IsInf => return Ok(bool_word(self.real(0)?.is_infinite())),
            MathFn::IsNaN => return Ok(bool_word(self.real(0)?.is_nan())),
            MathFn::IsNormal => return Ok(bool_word(is_normal(self.word(0)?, ty))),
            MathFn::AbsF => return Ok(self.word(0)? & (mask(ty) >> 1)),
            _ => {}
        }
        let format = format(ty)?;
        if format == FloatFormat::F64 {
            self.double_math(f)
        } else {
            self.single_math(f).map(|x| format.from_f64(f64::from(x)))
        }
    }

    fn double_math(&self, f: MathFn) -> Result<u64, String> {
        use math::MathEntry as E;
        let x = self.real(0)?;
        let result = match math::entry(f, ScalarType::F64) {
            Some(E::F64(f)) => f(x),
            Some(E::F64F64(f)) => f(x, self.real(1)?),
            Some(E::F64F64F64(f)) => f(x, self.real(1)?, self.real(2)?),
            Some(E::F64I64(f)) => f(x, self.int(1)?),
            _ => return Err(format!("there is no implementation of {f:?}")),
        };
        Ok(result.to_bits())
    }

    fn single_math(&self, f: MathFn) -> Result<f32, String> {
        use math::MathEntry as E;
        let x = self.single(0)?;
        Ok(match math::entry(f, ScalarType::F32) {
            Some(E::F32(f)) => f(x),
            Some(E::F32F32(f)) => f(x, self.single(1)?),
            Some(E::F32F32F32(f)) => f(x, self.single(1)?, self.single(2)?),
            Some(E::F32I64(f)) => f(x, self.int(1)?),
            _ => return Err(format!("there is no implementation of {f:?}")),
        })
    }
}

fn arithmetic<T>(op: PureOp, a: T, b: T) -> Result<T, String>
where
    T: float::Real
        + std::ops::Add<Output = T>
        + std::ops::Sub<Output = T>
        + std::ops::Mul<Output = T>
        + std::ops::Div<Output = T>
        + std::ops::Rem<Output = T>,
{
    Ok(match op {
        PureOp::AddF => a + b,
        PureOp::SubF => a - b,
        PureOp::MulF => a * b,
        PureOp::DivF => a / b,
        PureOp::RemF => a % b,
        PureOp::MaximumF => float::maximum(a, b),
        PureOp::MinimumF => float::minimum(a, b),
        PureOp::MaxNumF => float::max_num(a, b),
        PureOp::MinNumF => float::min_num(a, b),
        _ => return Err("not an operation on two floats".to_owned()),
    })
}

/// Neither zero, subnormal, infinite nor NaN, in its own format.
fn is_normal(word: u64, ty: ScalarType) -> bool {
    let fraction = match ty {
        ScalarType::F16 => 10,
        ScalarType::BF16 => 7,
        ScalarType::F32 => 23,
        _ => 52,
    };
    let all_ones = (mask(ty) >> 1) >> fraction;
    let exponent = (word >> fraction) & all_ones;
    exponent != 0 && exponent != all_ones
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(op: PureOp, ty: ScalarType, words: &[u64], result: ScalarType) -> Result<u64, String> {
        let types = vec![ty; words.len()];
        let scalars = Scalars {
            types: &types,
            words,
            result,
        };
        scalars.eval(op).map(|r| r[0])
    }

    #[test]
    fn narrow_floats_round_after_each_operation() {
        let one = u64::from(convert::f32_to_f16(1.0));
        let tiny = u64::from(convert::f32_to_f16(0.0004));
        assert_eq!(eval(PureOp::AddF, ScalarType::F16, &[one, tiny], ScalarType::F16), Ok(one));
        let max = 0x7BFF;
        assert_eq!(eval(PureOp::AddF, ScalarType::F16, &[max, max], ScalarType::F16), Ok(0x7C00));
        assert_eq!(eval(PureOp::NegF, ScalarType::F16, &[one], ScalarType::F16), Ok(one | 0x8000));
        // Subnormal in f16, normal in f32.
        let f = PureOp::Math(MathFn::IsNormal);
        assert_eq!(eval(f, ScalarType::F16, &[1], ScalarType::Int(1)), Ok(0));
        assert_eq!(eval(f, ScalarType::F16, &[one], ScalarType::Int(1)), Ok(u64::MAX));
    }

    #[test]
    fn integers_wrap_in_their_width() {
        let i8_ = ScalarType::Int(8);
        let word = |v: i64| v.cast_unsigned();
        assert_eq!(eval(PureOp::AddI, i8_, &[word(127), word(1)], i8_), Ok(word(-128)));
        assert_eq!(eval(PureOp::ExtUI, i8_, &[word(-1)], ScalarType::Int(32)), Ok(255));
        assert_eq!(eval(PureOp::ExtSI, i8_, &[word(-1)], ScalarType::Int(32)), Ok(word(-1)));
        assert_eq!(eval(PureOp::TruncI, ScalarType::Int(32), &[255], i8_), Ok(word(-1)));
        assert_eq!(
            eval(PureOp::CmpI(CmpI::Ult), i8_, &[word(1), word(-1)], ScalarType::Int(1)),
            Ok(u64::MAX)
        );
        assert_eq!(eval(PureOp::MaxUI, i8_, &[word(1), word(-1)], i8_), Ok(word(-1)));
        assert_eq!(eval(PureOp::IndexCastUI, i8_, &[word(-1)], ScalarType::Index), Ok(255));
        assert_eq!(
            eval(PureOp::UIToFP, ScalarType::Int(1), &[u64::MAX], ScalarType::F64),
            Ok(1f64.to_bits())
        );
        assert!(eval(PureOp::DivSI, i8_, &[word(-128), word(-1)], i8_).is_err());
        assert!(eval(PureOp::RemUI, i8_, &[word(1), 0], i8_).is_err());
    }

    #[test]
    fn bits_are_kept_by_casts() {
        let bits = u64::from((-1.5f32).to_bits());
        let int = eval(PureOp::Bitcast, ScalarType::F32, &[bits], ScalarType::Int(32)).unwrap();
        assert_eq!(int.cast_signed(), i64::from(bits as u32 as i32));
        assert_eq!(eval(PureOp::Bitcast, ScalarType::Int(32), &[int], ScalarType::F32), Ok(bits));
    }

    #[test]
    fn every_pure_operation_on_scalars_is_executed() {
        use PureOp as P;
        let ints = [
            P::AddI,
            P::SubI,
            P::MulI,
            P::DivSI,
            P::DivUI,
            P::CeilDivSI,
            P::CeilDivUI,
            P::FloorDivSI,
            P::RemSI,
            P::RemUI,
            P::AndI,
            P::OrI,
        ];
        for op in ints
            .into_iter()
            .chain([P::XOrI, P::ShLI, P::ShRSI, P::ShRUI, P::MaxSI, P::MaxUI, P::MinSI, P::MinUI])
        {
            let int = ScalarType::Int(32);
            assert!(eval(op, int, &[7, 2], int).is_ok(), "{op:?}");
        }
        for f in MATH {
            for ty in [ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64] {
                let one = FloatFormat::of(ty).unwrap().from_f64(1.0);
                assert!(eval(PureOp::Math(f), ty, &[one, one, one], ty).is_ok(), "{f:?} {ty}");
            }
        }
    }

    const MATH: [MathFn; 39] = {
        use MathFn::*;
        [
            AbsF, Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cbrt, Ceil, ClampF, CopySign, Cos, Cosh, Erf, Erfc, Exp, Exp2, ExpM1,
            Floor, Fma, IsFinite, IsInf, IsNaN, IsNormal, Log, Log10, Log1p, Log2, PowF, Round, RoundEven, Rsqrt, Sin, Sinh, Sqrt, Tan,
            Tanh, Trunc,
        ]
    };
}
