//! Operations on f32 and f64 whose corner cases MLIR leaves open or spells out.
//!
//! f16 and bf16 are computed in f32 and rounded after each operation; for `+ - * /` and square root that equals computing in the format itself.

use tilia_program::CmpF;

/// f32 and f64.
pub trait Real: Copy + PartialOrd {
    /// Whether the sign bit is set.
    fn negative(self) -> bool;
    /// Whether it is NaN.
    fn nan(self) -> bool;
    /// A NaN made of either operand's.
    fn merge_nan(self, other: Self) -> Self;
    /// 1.
    fn one() -> Self;
    /// Product.
    fn times(self, other: Self) -> Self;
    /// Quotient.
    fn over(self, other: Self) -> Self;
}

macro_rules! real {
    ($($t:ty),*) => {
        $(impl Real for $t {
            fn negative(self) -> bool {
                self.is_sign_negative()
            }
            fn nan(self) -> bool {
                self.is_nan()
            }
            fn merge_nan(self, other: Self) -> Self {
                self + other
            }
            fn one() -> Self {
                1.0
            }
            fn times(self, other: Self) -> Self {
                self * other
            }
            fn over(self, other: Self) -> Self {
                self / other
            }
        })*
    };
}
real!(f32, f64);

/// The larger; NaN if either is; -0 < +0.
pub fn maximum<T: Real>(a: T, b: T) -> T {
    if a.nan() || b.nan() { a.merge_nan(b) } else { larger(a, b) }
}

/// The smaller; NaN if either is; -0 < +0.
pub fn minimum<T: Real>(a: T, b: T) -> T {
    if a.nan() || b.nan() { a.merge_nan(b) } else { smaller(a, b) }
}

/// The larger; the other operand if one is NaN; -0 < +0.
pub fn max_num<T: Real>(a: T, b: T) -> T {
    match (a.nan(), b.nan()) {
        (true, true) => a.merge_nan(b),
        (true, false) => b,
        (false, true) => a,
        (false, false) => larger(a, b),
    }
}

/// The smaller; the other operand if one is NaN; -0 < +0.
pub fn min_num<T: Real>(a: T, b: T) -> T {
    match (a.nan(), b.nan()) {
        (true, true) => a.merge_nan(b),
        (true, false) => b,
        (false, true) => a,
        (false, false) => smaller(a, b),
    }
}

fn larger<T: Real>(a: T, b: T) -> T {
    if a > b || (a == b && b.negative()) { a } else { b }
}

fn smaller<T: Real>(a: T, b: T) -> T {
    if a < b || (a == b && a.negative()) { a } else { b }
}

/// `math.clampf`, as MLIR documents and expands it: the maximum of `max` and the minimum of `x` and `min`.
pub fn clamp<T: Real>(x: T, min: T, max: T) -> T {
    maximum(minimum(x, min), max)
}

/// `math.fpowi` by repeated squaring in the order of compiler-rt's `__powidf2`, which is what LLVM's intrinsic calls.
pub fn power_int<T: Real>(base: T, exponent: i64) -> T {
    let (mut result, mut square, mut rest) = (T::one(), base, exponent);
    loop {
        if rest % 2 != 0 {
            result = result.times(square);
        }
        rest /= 2;
        if rest == 0 {
            break;
        }
        square = square.times(square);
    }
    if exponent < 0 { T::one().over(result) } else { result }
}

/// `arith.cmpf`.
pub fn compare<T: Real>(predicate: CmpF, a: T, b: T) -> bool {
    let unordered = a.nan() || b.nan();
    match predicate {
        CmpF::False => false,
        CmpF::True => true,
        CmpF::Ord => !unordered,
        CmpF::Uno => unordered,
        CmpF::Oeq => a == b,
        CmpF::Ogt => a > b,
        CmpF::Oge => a >= b,
        CmpF::Olt => a < b,
        CmpF::Ole => a <= b,
        CmpF::One => !unordered && a != b,
        CmpF::Ueq => unordered || a == b,
        CmpF::Ugt => unordered || a > b,
        CmpF::Uge => unordered || a >= b,
        CmpF::Ult => unordered || a < b,
        CmpF::Ule => unordered || a <= b,
        CmpF::Une => a != b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_and_nans() {
        let bits = f64::to_bits;
        for (a, b) in [(0.0, -0.0), (-0.0, 0.0)] {
            assert_eq!(bits(maximum(a, b)), bits(0.0));
            assert_eq!(bits(max_num(a, b)), bits(0.0));
            assert_eq!(bits(minimum(a, b)), bits(-0.0));
            assert_eq!(bits(min_num(a, b)), bits(-0.0));
        }
        assert!(maximum(f64::NAN, 1.0).is_nan() && minimum(1.0, f64::NAN).is_nan());
        assert_eq!(max_num(f64::NAN, 1.0), 1.0);
        assert_eq!(min_num(1.0, f64::NAN), 1.0);
        assert!(max_num(f64::NAN, f64::NAN).is_nan());
        assert_eq!(maximum(2f32, 3f32), 3.0);
        assert_eq!(minimum(2f32, 3f32), 2.0);
    }

    #[test]
    fn integer_powers() {
        assert_eq!(power_int(2.0, 10), 1024.0);
        assert_eq!(power_int(2.0, -2), 0.25);
        assert_eq!(power_int(0.0, 0), 1.0);
        assert_eq!(power_int(-1.0, i64::MIN), 1.0);
        assert!(power_int(f64::NAN, 0) == 1.0);
    }

    #[test]
    fn comparisons() {
        use CmpF::*;
        let table = [
            // predicate, 1 ? 2, 2 ? 1, 1 ? 1, with NaN
            (False, [false, false, false, false]),
            (Oeq, [false, false, true, false]),
            (Ogt, [false, true, false, false]),
            (Oge, [false, true, true, false]),
            (Olt, [true, false, false, false]),
            (Ole, [true, false, true, false]),
            (One, [true, true, false, false]),
            (Ord, [true, true, true, false]),
            (Ueq, [false, false, true, true]),
            (Ugt, [false, true, false, true]),
            (Uge, [false, true, true, true]),
            (Ult, [true, false, false, true]),
            (Ule, [true, false, true, true]),
            (Une, [true, true, false, true]),
            (Uno, [false, false, false, true]),
            (True, [true, true, true, true]),
        ];
        for (p, wanted) in table {
            let found = [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (f64::NAN, 1.0)].map(|(a, b)| compare(p, a, b));
            assert_eq!(found, wanted, "{p:?}");
        }
    }
}
