//! Intervals of 64-bit integers: what is known of index values, so that overflow needs no check where it can't happen.

/// Values from `lo` to `hi`, both included. Empty ranges (of code that never executes) have `lo > hi` and behave like any others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Least value.
    pub lo: i64,
    /// Greatest value.
    pub hi: i64,
}

/// An interval too wide for 64 bits, perhaps.
type Wide = (i128, i128);

impl Range {
    /// Nothing is known.
    pub const FULL: Self = Self {
        lo: i64::MIN,
        hi: i64::MAX,
    };
    /// Extents of arrays.
    pub const SIZE: Self = Self { lo: 0, hi: i64::MAX };

    /// One value.
    #[must_use]
    pub fn exact(v: i64) -> Self {
        Self { lo: v, hi: v }
    }

    /// The one value, if it is one.
    #[must_use]
    pub fn as_exact(self) -> Option<i64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    fn wide(self) -> Wide {
        (i128::from(self.lo), i128::from(self.hi))
    }

    fn narrow((lo, hi): Wide) -> Option<Self> {
        Some(Self {
            lo: i64::try_from(lo).ok()?,
            hi: i64::try_from(hi).ok()?,
        })
    }

    /// The sum, if it can't overflow.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let (a, b) = (self.wide(), other.wide());
        Self::narrow((a.0 + b.0, a.1 + b.1))
    }

    /// The difference, if it can't overflow.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        let (a, b) = (self.wide(), other.wide());
        Self::narrow((a.0 - b.1, a.1 - b.0))
    }

    /// The product, if it can't overflow.
    #[must_use]
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        let (a, b) = (self.wide(), other.wide());
        let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
        let lo = corners.iter().copied().fold(i128::MAX, i128::min);
        let hi = corners.iter().copied().fold(i128::MIN, i128::max);
        Self::narrow((lo, hi))
    }

    /// Quotient by a positive constant, rounded down.
    #[must_use]
    pub fn floor_div(self, by: i64) -> Self {
        Self {
            lo: self.lo.div_euclid(by),
            hi: self.hi.div_euclid(by),
        }
    }

    /// Quotient by a positive constant, rounded up.
    #[must_use]
    pub fn ceil_div(self, by: i64) -> Self {
        let up = |v: i64| v.div_euclid(by) + i64::from(v.rem_euclid(by) != 0);
        Self {
            lo: up(self.lo),
            hi: up(self.hi),
        }
    }

    /// Remainder by a positive constant.
    #[must_use]
    pub fn modulo(self, by: i64) -> Self {
        if self.lo >= 0 && self.hi < by {
            return self;
        }
        Self { lo: 0, hi: by - 1 }
    }

    /// Of the smaller of two values.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.min(other.hi),
        }
    }

    /// Of the larger of two values.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            lo: self.lo.max(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// Both at once.
    #[must_use]
    pub fn intersect(self, other: Self) -> Self {
        Self {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overflow_is_seen() {
        let n = Range::SIZE;
        let iv = Range { lo: 0, hi: i64::MAX - 1 };
        assert!(iv.checked_add(Range::exact(1)).is_some());
        assert!(iv.checked_add(Range::exact(2)).is_none());
        assert!(iv.checked_sub(n).is_some());
        assert!(Range::FULL.checked_sub(Range::exact(1)).is_none());
        assert!(Range::exact(i64::MIN).checked_mul(Range::exact(-1)).is_none());
        assert_eq!(
            Range { lo: -3, hi: 5 }.checked_mul(Range { lo: -2, hi: 4 }),
            Some(Range { lo: -12, hi: 20 })
        );
    }

    #[test]
    fn divisions_round_as_said() {
        let r = Range { lo: -7, hi: 7 };
        assert_eq!(r.floor_div(2), Range { lo: -4, hi: 3 });
        assert_eq!(r.ceil_div(2), Range { lo: -3, hi: 4 });
        assert_eq!(r.modulo(3), Range { lo: 0, hi: 2 });
        assert_eq!(Range { lo: 1, hi: 2 }.modulo(3), Range { lo: 1, hi: 2 });
    }
}
