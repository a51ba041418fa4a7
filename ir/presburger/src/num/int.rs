//! Exact integers with a 64-bit fast path.
//!
//! An [`Int`] holds its value inline while it fits an `i64` and moves to a heap-allocated big integer only on overflow.
//! The representation is canonical (a value that fits 64 bits is always inline), so equality and hashing are structural.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering as Mem};

use dashu_int::IBig;
use dashu_int::ops::BitTest;

/// An exact integer of any size.
#[derive(Clone, PartialEq, Eq)]
pub struct Int(Repr);

#[derive(Clone, PartialEq, Eq)]
enum Repr {
    Small(i64),
    /// Never a value that fits an `i64`.
    Big(Box<IBig>),
}

/// How many operations had to leave the 64-bit path since the program started: a statistic, never an input of a decision.
static PROMOTED: AtomicU64 = AtomicU64::new(0);

impl Int {
    /// Zero.
    pub const ZERO: Int = Int(Repr::Small(0));
    /// One.
    pub const ONE: Int = Int(Repr::Small(1));
    /// Minus one.
    pub const NEG_ONE: Int = Int(Repr::Small(-1));

    /// An integer from a machine integer; usable in constants.
    #[inline]
    pub const fn new(v: i64) -> Int {
        Int(Repr::Small(v))
    }

    /// The number of operations that needed arithmetic beyond 64 bits so far in this process.
    pub fn promoted_operations() -> u64 {
        PROMOTED.load(Mem::Relaxed)
    }

    #[inline]
    fn small(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(v) => Some(v),
            Repr::Big(_) => None,
        }
    }

    fn to_big(&self) -> IBig {
        match &self.0 {
            Repr::Small(v) => IBig::from(*v),
            Repr::Big(b) => (**b).clone(),
        }
    }

    fn from_big(b: IBig) -> Int {
        match i64::try_from(&b) {
            Ok(v) => Int::new(v),
            Err(_) => Int(Repr::Big(Box::new(b))),
        }
    }

    #[cold]
    #[inline(never)]
    fn slow(f: impl FnOnce() -> IBig) -> Int {
        PROMOTED.fetch_add(1, Mem::Relaxed);
        Int::from_big(f())
    }

    /// The value as an `i64`, when it fits.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        self.small()
    }

    /// The nearest `f64`: for heuristics and messages only.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            #[expect(clippy::cast_precision_loss, reason = "documented as approximate")]
            Repr::Small(v) => *v as f64,
            Repr::Big(b) => b.to_f64().value(),
        }
    }

    /// The length in 64-bit words: one for all numbers that fit.
    pub fn words(&self) -> u64 {
        match &self.0 {
            Repr::Small(_) => 1,
            Repr::Big(b) => (b.bit_len() as u64).div_ceil(64).max(2),
        }
    }

    /// A word that equal numbers have in common: the number itself where it fits.
    #[inline]
    pub(crate) fn code(&self) -> u64 {
        match &self.0 {
            Repr::Small(v) => v.cast_unsigned(),
            Repr::Big(b) => Int::code_of_big(b),
        }
    }

    #[cold]
    fn code_of_big(b: &IBig) -> u64 {
        let mut h = std::hash::DefaultHasher::new();
        b.hash(&mut h);
        h.finish()
    }

    /// Is this zero?
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0))
    }

    /// Is this one?
    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Small(1))
    }

    /// Is this minus one?
    #[inline]
    pub fn is_neg_one(&self) -> bool {
        matches!(self.0, Repr::Small(-1))
    }

    /// Is the absolute value one?
    #[inline]
    pub fn is_unit(&self) -> bool {
        matches!(self.0, Repr::Small(1 | -1))
    }

    /// -1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small(v) => match v.cmp(&0) {
                Ordering::Less => -1,
                Ordering::Equal => 0,
                Ordering::Greater => 1,
            },
            Repr::Big(b) => {
                if **b < IBig::ZERO {
                    -1
                } else {
                    1
                }
            }
        }
    }

    /// Is this below zero?
    #[inline]
    pub fn is_neg(&self) -> bool {
        match &self.0 {
            Repr::Small(v) => *v < 0,
            Repr::Big(b) => **b < IBig::ZERO,
        }
    }

    /// Is this above zero?
    #[inline]
    pub fn is_pos(&self) -> bool {
        match &self.0 {
            Repr::Small(v) => *v > 0,
            Repr::Big(b) => **b > IBig::ZERO,
        }
    }

    /// The absolute value.
    pub fn abs(&self) -> Int {
        if self.is_neg() { -self } else { self.clone() }
    }

    /// The greatest common divisor, never negative; `gcd(0, 0) = 0`.
    #[inline]
    pub fn gcd(&self, other: &Int) -> Int {
        if let (Some(a), Some(b)) = (self.small(), other.small()) {
            let g = gcd_u64(a.unsigned_abs(), b.unsigned_abs());
            return match i64::try_from(g) {
                Ok(v) => Int::new(v),
                Err(_) => Int::from(i128::from(g)),
            };
        }
        Int::slow(|| {
            let (mut a, mut b) = (self.to_big(), other.to_big());
            while b != IBig::ZERO {
                let r = a % &b;
                a = b;
                b = r;
            }
            if a < IBig::ZERO { -a } else { a }
        })
    }

    /// The least common multiple, never negative; zero when either is zero.
    pub fn lcm(&self, other: &Int) -> Int {
        if self.is_zero() || other.is_zero() {
            return Int::ZERO;
        }
        let g = self.gcd(other);
        (self.div_exact(&g) * other).abs()
    }

    /// The quotient of a division known to leave no remainder.
    ///
    /// # Panics
    /// When `d` is zero.
    #[inline]
    pub fn div_exact(&self, d: &Int) -> Int {
        if let (Some(a), Some(b)) = (self.small(), d.small())
            && let Some(q) = a.checked_div(b)
        {
            debug_assert_eq!(q.wrapping_mul(b), a, "division leaves a remainder");
            return Int::new(q);
        }
        Int::slow(|| self.to_big() / d.to_big())
    }

    /// The quotient rounded towards minus infinity; `None` when `d` is zero.
    pub fn checked_div_floor(&self, d: &Int) -> Option<Int> {
        (!d.is_zero()).then(|| self.div_floor(d))
    }

    /// The quotient rounded towards minus infinity.
    ///
    /// # Panics
    /// When `d` is zero; see [`Int::checked_div_floor`].
    #[inline]
    pub fn div_floor(&self, d: &Int) -> Int {
        if let (Some(a), Some(b)) = (self.small(), d.small())
            && let Some(q) = a.checked_div(b)
        {
            let r = a % b;
            return Int::new(if r != 0 && ((r < 0) != (b < 0)) { q - 1 } else { q });
        }
        Int::slow(|| {
            let (a, b) = (self.to_big(), d.to_big());
            let q = &a / &b;
            let r = a - &q * &b;
            if r != IBig::ZERO && ((r < IBig::ZERO) != (b < IBig::ZERO)) {
                q - IBig::ONE
            } else {
                q
            }
        })
    }

    /// The quotient rounded towards plus infinity.
    ///
    /// # Panics
    /// When `d` is zero.
    #[inline]
    pub fn div_ceil(&self, d: &Int) -> Int {
        -(-self).div_floor(d)
    }

    /// The remainder of [`Int::div_floor`]: in `0..d` for positive `d`.
    ///
    /// # Panics
    /// When `d` is zero.
    #[inline]
    pub fn mod_floor(&self, d: &Int) -> Int {
        if let (Some(a), Some(b)) = (self.small(), d.small())
            && let Some(r) = a.checked_rem(b)
        {
            return Int::new(if r != 0 && ((r < 0) != (b < 0)) { r + b } else { r });
        }
        self - self.div_floor(d) * d
    }

    /// Does `d` divide this? Zero divides only zero.
    #[inline]
    pub fn is_divisible_by(&self, d: &Int) -> bool {
        if d.is_zero() {
            return self.is_zero();
        }
        if let (Some(a), Some(b)) = (self.small(), d.small()) {
            return a.checked_rem(b).unwrap_or(0) == 0;
        }
        self.mod_floor(d).is_zero()
    }

    /// `self += a * b`.
    #[inline]
    pub fn add_mul(&mut self, a: &Int, b: &Int) {
        if let (Some(s), Some(x), Some(y)) = (self.small(), a.small(), b.small())
            && let Some(p) = x.checked_mul(y)
            && let Some(r) = s.checked_add(p)
        {
            *self = Int::new(r);
            return;
        }
        *self = Int::slow(|| self.to_big() + a.to_big() * b.to_big());
    }

    /// `self -= a * b`.
    #[inline]
    pub fn sub_mul(&mut self, a: &Int, b: &Int) {
        if let (Some(s), Some(x), Some(y)) = (self.small(), a.small(), b.small())
            && let Some(p) = x.checked_mul(y)
            && let Some(r) = s.checked_sub(p)
        {
            *self = Int::new(r);
            return;
        }
        *self = Int::slow(|| self.to_big() - a.to_big() * b.to_big());
    }

    /// `a * b - c * d`, the two-row combination of elimination and pivoting.
    #[inline]
    pub fn cross(a: &Int, b: &Int, c: &Int, d: &Int) -> Int {
        if let (Some(a), Some(b), Some(c), Some(d)) = (a.small(), b.small(), c.small(), d.small())
            && let Some(x) = a.checked_mul(b)
            && let Some(y) = c.checked_mul(d)
            && let Some(r) = x.checked_sub(y)
        {
            return Int::new(r);
        }
        Int::slow(|| a.to_big() * b.to_big() - c.to_big() * d.to_big())
    }

    /// Changes the sign in place.
    #[inline]
    pub fn negate(&mut self) {
        *self = -&*self;
    }

    /// `self` raised to the power `e`.
    pub fn pow(&self, e: u32) -> Int {
        let mut r = Int::ONE;
        for _ in 0..e {
            r *= self;
        }
        r
    }
}

fn gcd_u64(a: u64, b: u64) -> u64 {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if small <= 1 {
        return if small == 0 { large } else { 1 };
    }
    // One division brings operands of different size together; the rest is binary.
    let rest = large % small;
    if rest == 0 {
        return small;
    }
    let (mut a, mut b) = (small, rest);
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    loop {
        b >>= b.trailing_zeros();
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        if a == 1 {
            return 1 << shift;
        }
        b -= a;
        if b == 0 {
            return a << shift;
        }
    }
}

impl Hash for Int {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.code());
    }
}

impl Default for Int {
    fn default() -> Int {
        Int::ZERO
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(v) => fmt::Display::fmt(v, f),
            Repr::Big(b) => fmt::Display::fmt(b, f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text was not a decimal integer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a decimal integer")]
pub struct ParseIntError;

impl FromStr for Int {
    type Err = ParseIntError;

    fn from_str(s: &str) -> Result<Int, ParseIntError> {
        if let Ok(v) = s.parse::<i64>() {
            return Ok(Int::new(v));
        }
        let digits = s.strip_prefix('-').unwrap_or(s);
        if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
            return Err(ParseIntError);
        }
        s.parse::<IBig>().map(Int::from_big).map_err(|_| ParseIntError)
    }
}

impl Ord for Int {
    #[inline]
    fn cmp(&self, other: &Int) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Int {
    #[inline]
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq<i64> for Int {
    #[inline]
    fn eq(&self, other: &i64) -> bool {
        self.small() == Some(*other)
    }
}

impl PartialOrd<i64> for Int {
    #[inline]
    fn partial_cmp(&self, other: &i64) -> Option<Ordering> {
        match self.small() {
            Some(v) => v.partial_cmp(other),
            None => Some(if self.is_neg() { Ordering::Less } else { Ordering::Greater }),
        }
    }
}

macro_rules! from_small {
    ($($t:ty),*) => {$(
        impl From<$t> for Int {
            #[inline]
            fn from(v: $t) -> Int {
                Int::new(i64::from(v))
            }
        }
    )*};
}
from_small!(i8, i16, i32, i64, u8, u16, u32);

macro_rules! from_wide {
    ($($t:ty),*) => {$(
        impl From<$t> for Int {
            fn from(v: $t) -> Int {
                match i64::try_from(v) {
                    Ok(s) => Int::new(s),
                    Err(_) => Int::from_big(IBig::from(v)),
                }
            }
        }
    )*};
}
from_wide!(u64, usize, i128, u128, isize);

macro_rules! binary {
    ($tr:ident, $m:ident, $tra:ident, $ma:ident, $checked:ident) => {
        impl std::ops::$tr<&Int> for &Int {
            type Output = Int;
            #[inline]
            fn $m(self, o: &Int) -> Int {
                if let (Some(a), Some(b)) = (self.small(), o.small())
                    && let Some(r) = a.$checked(b)
                {
                    return Int::new(r);
                }
                Int::slow(|| std::ops::$tr::$m(self.to_big(), o.to_big()))
            }
        }
        impl std::ops::$tr<Int> for Int {
            type Output = Int;
            #[inline]
            fn $m(self, o: Int) -> Int {
                std::ops::$tr::$m(&self, &o)
            }
        }
        impl std::ops::$tr<&Int> for Int {
            type Output = Int;
            #[inline]
            fn $m(self, o: &Int) -> Int {
                std::ops::$tr::$m(&self, o)
            }
        }
        impl std::ops::$tr<Int> for &Int {
            type Output = Int;
            #[inline]
            fn $m(self, o: Int) -> Int {
                std::ops::$tr::$m(self, &o)
            }
        }
        impl std::ops::$tra<&Int> for Int {
            #[inline]
            fn $ma(&mut self, o: &Int) {
                *self = std::ops::$tr::$m(&*self, o);
            }
        }
        impl std::ops::$tra<Int> for Int {
            #[inline]
            fn $ma(&mut self, o: Int) {
                *self = std::ops::$tr::$m(&*self, &o);
            }
        }
    };
}
binary!(Add, add, AddAssign, add_assign, checked_add);
binary!(Sub, sub, SubAssign, sub_assign, checked_sub);
binary!(Mul, mul, MulAssign, mul_assign, checked_mul);

impl std::ops::Neg for &Int {
    type Output = Int;
    #[inline]
    fn neg(self) -> Int {
        if let Some(r) = self.small().and_then(i64::checked_neg) {
            return Int::new(r);
        }
        Int::slow(|| -self.to_big())
    }
}

impl std::ops::Neg for Int {
    type Output = Int;
    #[inline]
    fn neg(self) -> Int {
        -&self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotes_and_demotes_at_the_border() {
        let max = Int::new(i64::MAX);
        let over = &max + &Int::ONE;
        assert_eq!(over.to_i64(), None);
        assert_eq!(over.to_string(), "9223372036854775808");
        assert_eq!(&over - &Int::ONE, max);
        assert_eq!((&over - &Int::ONE).to_i64(), Some(i64::MAX));
        assert_eq!(-Int::new(i64::MIN), over);
        assert_eq!("9223372036854775808".parse::<Int>().unwrap(), over);
        assert!("12a".parse::<Int>().is_err());
    }

    #[test]
    fn floor_and_ceil_division_agree_with_their_definition() {
        for a in -20..=20_i64 {
            for d in [-7, -3, -1, 1, 2, 5_i64] {
                let (x, y) = (Int::new(a), Int::new(d));
                let q = x.div_floor(&y);
                let r = x.mod_floor(&y);
                assert_eq!(&q * &y + &r, x);
                assert!(r.is_zero() || (r.signum() == y.signum() && r.abs() < y.abs()));
                assert_eq!(x.div_ceil(&y), if r.is_zero() { q } else { q + Int::ONE });
            }
        }
        let m = Int::new(i64::MIN);
        assert_eq!(m.div_floor(&Int::NEG_ONE), -Int::new(i64::MIN));
        assert_eq!(m.mod_floor(&Int::NEG_ONE), Int::ZERO);
        assert!(m.is_divisible_by(&Int::NEG_ONE));
    }

    #[test]
    fn big_values_follow_the_same_laws_as_small_ones() {
        let big = Int::new(i64::MAX) * Int::new(12);
        let d = Int::new(7) * Int::new(i64::MAX);
        assert_eq!(big.gcd(&d), Int::new(i64::MAX));
        assert_eq!(big.lcm(&d), Int::new(i64::MAX) * Int::new(84));
        assert_eq!(big.div_floor(&d), Int::ONE);
        assert_eq!(big.mod_floor(&d), Int::new(i64::MAX) * Int::new(5));
        assert_eq!((-&big).div_floor(&d), Int::new(-2));
        assert!(-&big < Int::new(i64::MIN));
        assert_eq!(Int::cross(&big, &Int::ONE, &d, &Int::ONE), Int::new(i64::MAX) * Int::new(5));
        assert_eq!(Int::new(i64::MIN).gcd(&Int::ZERO), -Int::new(i64::MIN));
    }
}
