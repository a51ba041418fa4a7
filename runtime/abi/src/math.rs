//! The one implementation of each function of the `math` dialect.
//!
//! The interpreter and every back end call these, so that all agree bit for bit. Elementary functions come from the crate `libm` (a port of musl's); square root, rounding and
//! fused multiply-add are exact. f16 and bf16 are computed in f32 by the caller.

use crate::{float, integer};
use tilia_program::{MathFn, ScalarType};

/// A function, callable from Rust and by its address from compiled code (C calling convention).
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the variants say their signatures")]
pub enum MathEntry {
    F64(extern "C" fn(f64) -> f64),
    F64F64(extern "C" fn(f64, f64) -> f64),
    F64F64F64(extern "C" fn(f64, f64, f64) -> f64),
    F64I64(extern "C" fn(f64, i64) -> f64),
    F32(extern "C" fn(f32) -> f32),
    F32F32(extern "C" fn(f32, f32) -> f32),
    F32F32F32(extern "C" fn(f32, f32, f32) -> f32),
    F32I64(extern "C" fn(f32, i64) -> f32),
    /// On 64-bit integers; narrower ones are sign-extended, and the result is cut to their width.
    I64I64(extern "C" fn(i64, i64) -> i64),
}

impl MathEntry {
    /// Address of the code.
    #[must_use]
    pub fn address(self) -> *const u8 {
        match self {
            Self::F64(f) => f as *const u8,
            Self::F64F64(f) => f as *const u8,
            Self::F64F64F64(f) => f as *const u8,
            Self::F64I64(f) => f as *const u8,
            Self::F32(f) => f as *const u8,
            Self::F32F32(f) => f as *const u8,
            Self::F32F32F32(f) => f as *const u8,
            Self::F32I64(f) => f as *const u8,
            Self::I64I64(f) => f as *const u8,
        }
    }

    /// Types of the parameters; the first is also the result's.
    #[must_use]
    pub fn params(self) -> &'static [ScalarType] {
        use ScalarType::{F32, F64, Int};
        match self {
            Self::F64(_) => &[F64],
            Self::F64F64(_) => &[F64, F64],
            Self::F64F64F64(_) => &[F64, F64, F64],
            Self::F64I64(_) => &[F64, Int(64)],
            Self::F32(_) => &[F32],
            Self::F32F32(_) => &[F32, F32],
            Self::F32F32F32(_) => &[F32, F32, F32],
            Self::F32I64(_) => &[F32, Int(64)],
            Self::I64I64(_) => &[Int(64), Int(64)],
        }
    }
}

/// Makes the functions for both precisions, and the table.
macro_rules! functions {
    (
        unary { $($u:ident $un:ident $u64:expr, $u32:expr;)* }
        binary { $($b:ident $bn:ident $b64:expr, $b32:expr;)* }
        ternary { $($t:ident $tn:ident $t64:expr, $t32:expr;)* }
    ) => {
        /// Double precision.
        mod double {
            use super::*;
            $(pub(super) extern "C" fn $un(x: f64) -> f64 { $u64(x) })*
            $(pub(super) extern "C" fn $bn(x: f64, y: f64) -> f64 { $b64(x, y) })*
            $(pub(super) extern "C" fn $tn(x: f64, y: f64, z: f64) -> f64 { $t64(x, y, z) })*
            pub(super) extern "C" fn fpowi(x: f64, n: i64) -> f64 { float::power_int(x, n) }
        }
        /// Single precision.
        mod single {
            use super::*;
            $(pub(super) extern "C" fn $un(x: f32) -> f32 { $u32(x) })*
            $(pub(super) extern "C" fn $bn(x: f32, y: f32) -> f32 { $b32(x, y) })*
            $(pub(super) extern "C" fn $tn(x: f32, y: f32, z: f32) -> f32 { $t32(x, y, z) })*
            pub(super) extern "C" fn fpowi(x: f32, n: i64) -> f32 { float::power_int(x, n) }
        }

        fn double_entry(f: MathFn) -> Option<MathEntry> {
            Some(match f {
                $(MathFn::$u => MathEntry::F64(double::$un),)*
                $(MathFn::$b => MathEntry::F64F64(double::$bn),)*
                $(MathFn::$t => MathEntry::F64F64F64(double::$tn),)*
                MathFn::FPowI => MathEntry::F64I64(double::fpowi),
                _ => return None,
            })
        }

        fn single_entry(f: MathFn) -> Option<MathEntry> {
            Some(match f {
                $(MathFn::$u => MathEntry::F32(single::$un),)*
                $(MathFn::$b => MathEntry::F32F32(single::$bn),)*
                $(MathFn::$t => MathEntry::F32F32F32(single::$tn),)*
                MathFn::FPowI => MathEntry::F32I64(single::fpowi),
                _ => return None,
            })
        }

        /// Every function with an entry for f32 and f64.
        const FLOAT_FUNCTIONS: &[(MathFn, &str)] = &[
            $((MathFn::$u, stringify!($un)),)*
            $((MathFn::$b, stringify!($bn)),)*
            $((MathFn::$t, stringify!($tn)),)*
            (MathFn::FPowI, "fpowi"),
        ];
    };
}

functions! {
    unary {
        AbsF absf f64::abs, f32::abs;
        Acos acos libm::acos, libm::acosf;
        Acosh acosh libm::acosh, libm::acoshf;
        Asin asin libm::asin, libm::asinf;
        Asinh asinh libm::asinh, libm::asinhf;
        Atan atan libm::atan, libm::atanf;
        Atanh atanh libm::atanh, libm::atanhf;
        Cbrt cbrt libm::cbrt, libm::cbrtf;
        Ceil ceil f64::ceil, f32::ceil;
        Cos cos libm::cos, libm::cosf;
        Cosh cosh libm::cosh, libm::coshf;
        Erf erf libm::erf, libm::erff;
        Erfc erfc libm::erfc, libm::erfcf;
        Exp exp libm::exp, libm::expf;
        Exp2 exp2 libm::exp2, libm::exp2f;
        ExpM1 expm1 libm::expm1, libm::expm1f;
        Floor floor f64::floor, f32::floor;
        Log log libm::log, libm::logf;
        Log10 log10 libm::log10, libm::log10f;
        Log1p log1p libm::log1p, libm::log1pf;
        Log2 log2 libm::log2, libm::log2f;
        Round round f64::round, f32::round;
        RoundEven roundeven f64::round_ties_even, f32::round_ties_even;
        Rsqrt rsqrt |x: f64| 1.0 / x.sqrt(), |x: f32| 1.0 / x.sqrt();
        Sin sin libm::sin, libm::sinf;
        Sinh sinh libm::sinh, libm::sinhf;
        Sqrt sqrt f64::sqrt, f32::sqrt;
        Tan tan libm::tan, libm::tanf;
        Tanh tanh libm::tanh, libm::tanhf;
        Trunc trunc f64::trunc, f32::trunc;
    }
    binary {
        Atan2 atan2 libm::atan2, libm::atan2f;
        CopySign copysign f64::copysign, f32::copysign;
        PowF powf libm::pow, libm::powf;
    }
    ternary {
        ClampF clampf float::clamp, float::clamp;
        Fma fma f64::mul_add, f32::mul_add;
    }
}

extern "C" fn ipowi(base: i64, exponent: i64) -> i64 {
    integer::power(base, exponent, 64)
}

/// The implementation of `f` for operands of type `ty`: f32, f64, and integers for `IPowI`. `None` for other types and for what is a matter of bits (classification, counting, `AbsI`).
#[must_use]
pub fn entry(f: MathFn, ty: ScalarType) -> Option<MathEntry> {
    match (f, ty) {
        (MathFn::IPowI, ScalarType::Int(_) | ScalarType::Index) => Some(MathEntry::I64I64(ipowi)),
        (_, ScalarType::F64) => double_entry(f),
        (_, ScalarType::F32) => single_entry(f),
        _ => None,
    }
}

/// A symbol under which the implementation of `f` for `ty` is offered to code generators that link by name.
#[must_use]
pub fn symbol(f: MathFn, ty: ScalarType) -> Option<String> {
    entry(f, ty)?;
    let name = FLOAT_FUNCTIONS.iter().find(|e| e.0 == f).map_or("ipowi", |e| e.1);
    let ty = if ty.is_int() { ScalarType::Int(64) } else { ty };
    Some(format!("tilia_{name}_{ty}"))
}

/// All symbols with their entries.
pub fn symbols() -> impl Iterator<Item = (String, MathEntry)> {
    let floats = FLOAT_FUNCTIONS
        .iter()
        .flat_map(|&(f, _)| [(f, ScalarType::F32), (f, ScalarType::F64)]);
    let all = floats.chain([(MathFn::IPowI, ScalarType::Int(64))]);
    all.filter_map(|(f, ty)| Some((symbol(f, ty)?, entry(f, ty)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(f: MathFn, args: &[f64]) -> f64 {
        match (entry(f, ScalarType::F64).unwrap(), args) {
            (MathEntry::F64(f), [x]) => f(*x),
            (MathEntry::F64F64(f), [x, y]) => f(*x, *y),
            (MathEntry::F64F64F64(f), [x, y, z]) => f(*x, *y, *z),
            (e, _) => panic!("{e:?}"),
        }
    }

    #[test]
    fn close_to_the_standard_library() {
        type Reference = fn(f64) -> f64;
        let cases: [(MathFn, Reference); 12] = [
            (MathFn::Exp, f64::exp),
            (MathFn::Log, f64::ln),
            (MathFn::Log2, f64::log2),
            (MathFn::Log10, f64::log10),
            (MathFn::Sin, f64::sin),
            (MathFn::Cos, f64::cos),
            (MathFn::Tan, f64::tan),
            (MathFn::Tanh, f64::tanh),
            (MathFn::Asinh, f64::asinh),
            (MathFn::Cbrt, f64::cbrt),
            (MathFn::ExpM1, f64::exp_m1),
            (MathFn::Rsqrt, |x| 1.0 / x.sqrt()),
        ];
        for (f, reference) in cases {
            for x in [0.001, 0.5, 1.0, 2.75, 10.0, 300.5] {
                let (a, b) = (call(f, &[x]), reference(x));
                assert!((a - b).abs() <= 4.0 * f64::EPSILON * b.abs(), "{f:?}({x}): {a} against {b}");
            }
        }
        assert!((call(MathFn::Erf, &[0.5]) - 0.520_499_877_813_046_5).abs() < 1e-15);
        assert_eq!(call(MathFn::PowF, &[2.0, 0.5]), 2f64.sqrt());
        assert_eq!(call(MathFn::Atan2, &[1.0, -1.0]), 1f64.atan2(-1.0));
    }

    #[test]
    fn exact_ones() {
        assert_eq!(call(MathFn::Fma, &[0.1, 10.0, -1.0]), 2f64.powi(-54), "one rounding only");
        assert_eq!(call(MathFn::Round, &[2.5]), 3.0);
        assert_eq!(call(MathFn::RoundEven, &[2.5]), 2.0);
        assert_eq!(call(MathFn::CopySign, &[3.0, -0.0]), -3.0);
        assert_eq!(call(MathFn::Sqrt, &[2.0]), 2f64.sqrt());
        assert_eq!(call(MathFn::ClampF, &[5.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn symbols_are_unique_and_complete() {
        let names: Vec<_> = symbols().map(|s| s.0).collect();
        let unique: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(names.len(), unique.len());
        assert!(names.contains(&"tilia_exp_f64".to_owned()) && names.contains(&"tilia_ipowi_i64".to_owned()));
        assert_eq!(names.len(), 2 * 36 + 1);
    }
}
