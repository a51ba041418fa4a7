//! Conversions between number formats, correctly rounded (to nearest, ties to even).
//!
//! Integers are held sign-extended in `i64` with their width beside them, floats of 16 bits as their bits. Where MLIR leaves a result open (float to integer out of
//! range, NaN), these saturate, and NaN gives 0: the rule of the whole compiler.

use half::{bf16, f16};

/// Rounds to single precision such that rounding the result again, to at most 22 bits, gives what rounding `x` once would ("round to odd").
fn to_f32_odd(x: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is meant")]
    let y = x as f32;
    if !y.is_finite() && x.is_finite() {
        return if x > 0.0 { f32::MAX } else { f32::MIN };
    }
    if f64::from(y) == x || x.is_nan() {
        return y;
    }
    let magnitude = if f64::from(y).abs() > x.abs() {
        y.to_bits() - 1
    } else {
        y.to_bits()
    };
    f32::from_bits(magnitude | 1)
}

/// The float of value `v`, with bits below the 40 leading ones gathered into the last: exact enough to be rounded once more to 24 bits or fewer.
fn to_f64_odd(v: u64) -> f64 {
    let excess = (64 - v.leading_zeros()).saturating_sub(40);
    let top = v >> excess;
    let sticky = u64::from(top << excess != v);
    #[expect(clippy::cast_precision_loss, reason = "at most 40 bits: exact")]
    let top = (top | sticky) as f64;
    top * f64::from_bits(u64::from(1023 + excess) << 52)
}

/// f16 bits of the nearest value.
#[must_use]
pub fn f64_to_f16(x: f64) -> u16 {
    f32_to_f16(to_f32_odd(x))
}

/// f16 bits of the nearest value.
#[must_use]
pub fn f32_to_f16(x: f32) -> u16 {
    f16::from_f32(x).to_bits()
}

/// The value of f16 bits.
#[must_use]
pub fn f16_to_f32(bits: u16) -> f32 {
    f16::from_bits(bits).to_f32()
}

/// bf16 bits of the nearest value.
#[must_use]
pub fn f64_to_bf16(x: f64) -> u16 {
    f32_to_bf16(to_f32_odd(x))
}

/// bf16 bits of the nearest value.
#[must_use]
pub fn f32_to_bf16(x: f32) -> u16 {
    bf16::from_f32(x).to_bits()
}

/// The value of bf16 bits.
#[must_use]
pub fn bf16_to_f32(bits: u16) -> f32 {
    bf16::from_bits(bits).to_f32()
}

/// Signed integer of `bits` bits nearest towards zero, saturated; NaN gives 0.
#[must_use]
pub fn float_to_int(x: f64, bits: u8) -> i64 {
    let bits = bits.clamp(1, 64);
    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates, as meant")]
    let wide = x as i64;
    let max = i64::MAX >> (64 - bits);
    wide.clamp(-max - 1, max)
}

/// Unsigned integer of `bits` bits nearest towards zero, saturated; NaN and negative numbers give 0.
#[must_use]
pub fn float_to_uint(x: f64, bits: u8) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, as meant")]
    let wide = x as u64;
    wide.min(u64::MAX >> (64 - bits.clamp(1, 64)))
}

/// A float format of the program IR.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FloatFormat {
    /// IEEE half precision.
    F16,
    /// bfloat16.
    BF16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

impl FloatFormat {
    /// The format of a scalar type, if it is a float.
    #[must_use]
    pub fn of(ty: tilia_program::ScalarType) -> Option<Self> {
        use tilia_program::ScalarType as S;
        match ty {
            S::F16 => Some(Self::F16),
            S::BF16 => Some(Self::BF16),
            S::F32 => Some(Self::F32),
            S::F64 => Some(Self::F64),
            S::Int(_) | S::Index => None,
        }
    }

    /// Exact value of `bits` in this format.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "formats hold their bits in the low end")]
    pub fn to_f64(self, bits: u64) -> f64 {
        match self {
            Self::F16 => f64::from(f16_to_f32(bits as u16)),
            Self::BF16 => f64::from(bf16_to_f32(bits as u16)),
            Self::F32 => f64::from(f32::from_bits(bits as u32)),
            Self::F64 => f64::from_bits(bits),
        }
    }

    /// Bits of the value nearest to `x`.
    #[must_use]
    pub fn from_f64(self, x: f64) -> u64 {
        match self {
            Self::F16 => u64::from(f64_to_f16(x)),
            Self::BF16 => u64::from(f64_to_bf16(x)),
            #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is meant")]
            Self::F32 => u64::from((x as f32).to_bits()),
            Self::F64 => x.to_bits(),
        }
    }

    /// Bits of the value nearest to a signed integer.
    #[must_use]
    pub fn from_int(self, v: i64) -> u64 {
        let magnitude = self.from_uint(v.unsigned_abs());
        let sign = if v < 0 { 1 << (self.bits() - 1) } else { 0 };
        magnitude | sign
    }

    /// Bits of the value nearest to an unsigned integer.
    #[must_use]
    pub fn from_uint(self, v: u64) -> u64 {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "rounding is meant")]
            Self::F64 => (v as f64).to_bits(),
            _ => self.from_f64(to_f64_odd(v)),
        }
    }

    /// Width.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::BF16 => 16,
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_rounded_once() {
        // Just above the tie between 1 and the next f16: rounding by way of f32 would give 1.
        let above = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        assert_eq!(f64_to_f16(above), 0x3C01);
        assert_eq!(f64_to_f16(1.0 + 2f64.powi(-11)), 0x3C00);
        assert_eq!(f64_to_f16(-above), 0xBC01);
        assert_eq!(f64_to_bf16(1.0 + 2f64.powi(-8) + 2f64.powi(-40)), 0x3F81);
        assert_eq!(f64_to_f16(65_519.999_999_999), 0x7BFF);
        assert_eq!(f64_to_f16(65520.0), 0x7C00);
        assert_eq!(f64_to_f16(1e300), 0x7C00);
        assert_eq!(f64_to_f16(f64::NEG_INFINITY), 0xFC00);
        assert_eq!(f64_to_f16(1e-300), 0);
        assert_eq!(f64_to_f16(-1e-300), 0x8000);
        assert!(f16_to_f32(f64_to_f16(f64::NAN)).is_nan());
    }

    #[test]
    fn sixteen_bits_round_trip() {
        for bits in 0..=u16::MAX {
            for (format, wide) in [(FloatFormat::F16, f16_to_f32(bits)), (FloatFormat::BF16, bf16_to_f32(bits))] {
                if !wide.is_nan() {
                    assert_eq!(format.from_f64(f64::from(wide)), u64::from(bits), "{format:?} {bits:#x}");
                }
            }
        }
    }

    #[test]
    fn integers_are_rounded_once() {
        // Above the tie of two neighbouring f32 by one part in 2^60.
        let v = (1u64 << 60) + (1 << 36) + 1;
        assert_eq!(FloatFormat::F32.from_uint(v), u64::from((v as f32).to_bits()));
        for v in [0, 1, -1, i64::MAX, i64::MIN, 16_777_217, -16_777_219, (1 << 53) + 1, 1 << 62] {
            assert_eq!(FloatFormat::F32.from_int(v), u64::from((v as f32).to_bits()), "{v}");
            assert_eq!(FloatFormat::F64.from_int(v), (v as f64).to_bits(), "{v}");
        }
        assert_eq!(FloatFormat::F16.from_int(65520), 0x7C00);
        assert_eq!(FloatFormat::F16.from_int(-2049), 0xE800);
        assert_eq!(FloatFormat::BF16.from_uint(257), 0x4380);
    }

    #[test]
    fn to_integers_saturates() {
        assert_eq!(float_to_int(3.99, 32), 3);
        assert_eq!(float_to_int(-3.99, 32), -3);
        assert_eq!(float_to_int(1e30, 32), i64::from(i32::MAX));
        assert_eq!(float_to_int(f64::NEG_INFINITY, 8), -128);
        assert_eq!(float_to_int(f64::NAN, 8), 0);
        assert_eq!(float_to_int(1.0, 1), 0);
        assert_eq!(float_to_int(1e30, 64), i64::MAX);
        assert_eq!(float_to_uint(-1.0, 8), 0);
        assert_eq!(float_to_uint(256.0, 8), 255);
        assert_eq!(float_to_uint(1e30, 64), u64::MAX);
        assert_eq!(float_to_uint(1.5, 1), 1);
    }
}
