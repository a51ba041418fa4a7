//! Integer operations of any width from 1 to 64 bits, on values held sign-extended in `i64`.
//!
//! Results are sign-extended, too. Wrap-around is the meaning of `arith`'s operations, and happens only here.

/// `v` cut to `bits` bits and sign-extended.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "cutting is what it is for")]
pub fn wrap(v: i128, bits: u8) -> i64 {
    let shift = 64 - u32::from(bits.clamp(1, 64));
    ((v as i64) << shift) >> shift
}

/// The unsigned reading of a sign-extended value.
#[must_use]
#[expect(clippy::cast_sign_loss, reason = "reading the bits as unsigned is what it is for")]
pub fn unsigned(v: i64, bits: u8) -> u64 {
    (v as u64) & (u64::MAX >> (64 - u32::from(bits.clamp(1, 64))))
}

/// The sign-extended form of unsigned bits.
#[must_use]
pub fn signed(v: u64, bits: u8) -> i64 {
    wrap(i128::from(v), bits)
}

/// Why a division has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DivisionError {
    /// The divisor is zero.
    ByZero,
    /// The quotient of the least number and -1 doesn't fit.
    Overflow,
}

impl std::fmt::Display for DivisionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::ByZero => "integer division by zero",
            Self::Overflow => "integer division overflows: the least number divided by -1",
        })
    }
}

impl std::error::Error for DivisionError {}

/// How a quotient is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// Towards zero.
    Zero,
    /// Towards negative infinity.
    Down,
    /// Towards positive infinity.
    Up,
}

/// Signed quotient.
///
/// # Errors
/// Division by zero and overflow.
pub fn divide(a: i64, b: i64, bits: u8, rounding: Rounding) -> Result<i64, DivisionError> {
    if b == 0 {
        return Err(DivisionError::ByZero);
    }
    let (a, b) = (i128::from(a), i128::from(b));
    let quotient = a / b;
    let inexact = a % b != 0;
    let negative = (a < 0) != (b < 0);
    let quotient = match rounding {
        Rounding::Down if inexact && negative => quotient - 1,
        Rounding::Up if inexact && !negative => quotient + 1,
        _ => quotient,
    };
    let result = wrap(quotient, bits);
    if i128::from(result) == quotient {
        Ok(result)
    } else {
        Err(DivisionError::Overflow)
    }
}

/// Signed remainder, with the sign of `a`.
///
/// # Errors
/// Division by zero, and the least number divided by -1 (as for the quotient).
pub fn remainder(a: i64, b: i64, bits: u8) -> Result<i64, DivisionError> {
    divide(a, b, bits, Rounding::Zero)?;
    Ok(wrap(i128::from(a) % i128::from(b), bits))
}

/// Unsigned quotient, rounded up when `up`.
///
/// # Errors
/// Division by zero.
pub fn divide_unsigned(a: i64, b: i64, bits: u8, up: bool) -> Result<i64, DivisionError> {
    let (a, b) = (unsigned(a, bits), unsigned(b, bits));
    if b == 0 {
        return Err(DivisionError::ByZero);
    }
    Ok(signed(if up { a.div_ceil(b) } else { a / b }, bits))
}

/// Unsigned remainder.
///
/// # Errors
/// Division by zero.
pub fn remainder_unsigned(a: i64, b: i64, bits: u8) -> Result<i64, DivisionError> {
    let rest = unsigned(a, bits).checked_rem(unsigned(b, bits));
    rest.map(|r| signed(r, bits)).ok_or(DivisionError::ByZero)
}

/// `a << b`; 0 for `b` of the width or more.
#[must_use]
pub fn shift_left(a: i64, b: i64, bits: u8) -> i64 {
    match small_shift(b, bits) {
        Some(b) => wrap(i128::from(a) << b, bits),
        None => 0,
    }
}

/// `a >> b`, filled with the sign; all sign for `b` of the width or more.
#[must_use]
pub fn shift_right(a: i64, b: i64, bits: u8) -> i64 {
    a >> small_shift(b, bits).unwrap_or(63)
}

/// `a >> b`, filled with zeros; 0 for `b` of the width or more.
#[must_use]
pub fn shift_right_unsigned(a: i64, b: i64, bits: u8) -> i64 {
    match small_shift(b, bits) {
        Some(b) => signed(unsigned(a, bits) >> b, bits),
        None => 0,
    }
}

/// The shift distance, if below the width.
fn small_shift(b: i64, bits: u8) -> Option<u32> {
    u32::try_from(unsigned(b, bits)).ok().filter(|&b| b < u32::from(bits))
}

/// Integer power by squaring, wrapping. A negative exponent gives the integer part of the reciprocal: 1 or -1 for a base of 1 or -1, else 0 (also for base 0).
#[must_use]
pub fn power(base: i64, exponent: i64, bits: u8) -> i64 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 if exponent % 2 == 0 => wrap(1, bits),
            -1 => -1,
            _ => 0,
        };
    }
    let (mut result, mut square, mut rest) = (1i64, base, exponent);
    while rest > 0 {
        if rest % 2 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        rest /= 2;
    }
    wrap(i128::from(result), bits)
}

/// Absolute value, wrapping for the least number.
#[must_use]
pub fn absolute(a: i64, bits: u8) -> i64 {
    wrap(i128::from(a).abs(), bits)
}

/// Leading zeros; the width for 0.
#[must_use]
pub fn leading_zeros(a: i64, bits: u8) -> i64 {
    let count = unsigned(a, bits).leading_zeros() - (64 - u32::from(bits));
    wrap(i128::from(count), bits)
}

/// Trailing zeros; the width for 0.
#[must_use]
pub fn trailing_zeros(a: i64, bits: u8) -> i64 {
    let count = unsigned(a, bits).trailing_zeros().min(u32::from(bits));
    wrap(i128::from(count), bits)
}

/// Number of ones.
#[must_use]
pub fn ones(a: i64, bits: u8) -> i64 {
    wrap(i128::from(unsigned(a, bits).count_ones()), bits)
}

/// Low and high half of the full product.
#[must_use]
pub fn multiply_wide(a: i64, b: i64, bits: u8) -> (i64, i64) {
    let product = i128::from(a) * i128::from(b);
    (wrap(product, bits), wrap(product >> bits, bits))
}

/// Low and high half of the full unsigned product.
#[must_use]
#[expect(clippy::cast_possible_wrap, reason = "only the bits matter")]
pub fn multiply_wide_unsigned(a: i64, b: i64, bits: u8) -> (i64, i64) {
    let product = u128::from(unsigned(a, bits)) * u128::from(unsigned(b, bits));
    (wrap(product as i128, bits), wrap((product >> bits) as i128, bits))
}

/// Wrapped unsigned sum, and whether a carry was lost.
#[must_use]
pub fn add_carry(a: i64, b: i64, bits: u8) -> (i64, bool) {
    let sum = u128::from(unsigned(a, bits)) + u128::from(unsigned(b, bits));
    (wrap(i128::from(a) + i128::from(b), bits), sum >> bits != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_against_i8() {
        for a in i8::MIN..=i8::MAX {
            for b in i8::MIN..=i8::MAX {
                let (x, y) = (i64::from(a), i64::from(b));
                let expected = a.checked_div(b).map(i64::from);
                assert_eq!(divide(x, y, 8, Rounding::Zero).ok(), expected);
                assert_eq!(remainder(x, y, 8).ok(), a.checked_rem(b).map(i64::from));
                let exact = f64::from(a) / f64::from(b);
                if expected.is_some() {
                    assert_eq!(divide(x, y, 8, Rounding::Down), Ok(exact.floor() as i64));
                    assert_eq!(divide(x, y, 8, Rounding::Up), Ok(exact.ceil() as i64));
                }
                let (u, v) = (a as u8, b as u8);
                assert_eq!(divide_unsigned(x, y, 8, false).ok(), u.checked_div(v).map(|q| i64::from(q as i8)));
                assert_eq!(remainder_unsigned(x, y, 8).ok(), u.checked_rem(v).map(|q| i64::from(q as i8)));
                assert_eq!(multiply_wide(x, y, 8).1, i64::from(((i16::from(a) * i16::from(b)) >> 8) as i8));
                assert_eq!(
                    multiply_wide_unsigned(x, y, 8).1,
                    i64::from(((u16::from(u) * u16::from(v)) >> 8) as u8 as i8)
                );
                assert_eq!(add_carry(x, y, 8), (i64::from(a.wrapping_add(b)), u.checked_add(v).is_none()));
            }
        }
    }

    #[test]
    fn bits_and_shifts() {
        for a in i8::MIN..=i8::MAX {
            let x = i64::from(a);
            assert_eq!(leading_zeros(x, 8), i64::from(a.leading_zeros()));
            assert_eq!(trailing_zeros(x, 8), i64::from(a.trailing_zeros()));
            assert_eq!(ones(x, 8), i64::from(a.count_ones()));
            assert_eq!(absolute(x, 8), i64::from(a.wrapping_abs()));
            for s in 0..8u32 {
                let n = i64::from(s);
                assert_eq!(shift_left(x, n, 8), i64::from(a.wrapping_shl(s)));
                assert_eq!(shift_right(x, n, 8), i64::from(a >> s));
                assert_eq!(shift_right_unsigned(x, n, 8), i64::from(((a as u8) >> s) as i8));
            }
            for s in [8, 100, -1] {
                assert_eq!(shift_left(x, s, 8), 0);
                assert_eq!(shift_right(x, s, 8), if a < 0 { -1 } else { 0 });
                assert_eq!(shift_right_unsigned(x, s, 8), 0);
            }
        }
        assert_eq!(divide(i64::MIN, -1, 64, Rounding::Zero), Err(DivisionError::Overflow));
        assert_eq!(divide_unsigned(-1, 2, 64, true), Ok(i64::MIN));
        // The only two numbers of an i1.
        assert_eq!(leading_zeros(0, 1), -1, "1 as an i1");
        assert_eq!(add_carry(-1, -1, 1), (0, true));
    }

    #[test]
    fn powers() {
        assert_eq!(power(3, 4, 64), 81);
        assert_eq!(power(-2, 3, 8), -8);
        assert_eq!(power(2, 8, 8), 0);
        assert_eq!(power(0, 0, 32), 1);
        assert_eq!(power(2, -1, 32), 0);
        assert_eq!(power(0, -1, 32), 0);
        assert_eq!(power(-1, -3, 32), -1);
        assert_eq!(power(-1, -2, 32), 1);
        assert_eq!(
            power(7, i64::MAX, 64),
            7i64.wrapping_pow(u32::MAX)
                .wrapping_mul(power(7, i64::MAX - i64::from(u32::MAX), 64))
        );
    }
}
