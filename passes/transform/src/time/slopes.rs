//! How fast dependences spread in space.

use crate::{Error, Pairs};
use std::fmt;
use tilia_presburger::{Budget, Int, UnionPwAff};
use tilia_schedule::Member;

/// A non-negative fraction in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio {
    /// The numerator.
    pub num: i64,
    /// The denominator, at least 1.
    pub den: i64,
}

impl Ratio {
    /// `floor(self * n)`.
    #[must_use]
    pub fn floor_times(self, n: i64) -> Option<i64> {
        Some(self.num.checked_mul(n)?.div_euclid(self.den))
    }

    /// The smallest integer that isn't smaller.
    #[must_use]
    pub fn ceil(self) -> i64 {
        self.num / self.den + i64::from(self.num % self.den != 0)
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.den == 1 {
            write!(f, "{}", self.num)
        } else {
            write!(f, "{}/{}", self.num, self.den)
        }
    }
}

/// For every dependence of distance `(dt, ds)`: `-lower * dt <= ds <= upper * dt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slopes {
    /// How far dependences reach down in space for each step in time.
    pub lower: Ratio,
    /// How far up.
    pub upper: Ratio,
}

/// The steepest slope, and the greatest denominator, that are tried.
const STEEPEST: i64 = 16;
const DENOMINATORS: i64 = 4;

/// All slopes that are tried, in ascending order.
fn candidates() -> Vec<Ratio> {
    let gcd = |mut a: i64, mut b: i64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let mut all: Vec<Ratio> = Vec::new();
    for den in 1..=DENOMINATORS {
        for num in 0..=STEEPEST * den {
            if gcd(num, den) == 1 {
                all.push(Ratio { num, den });
            }
        }
    }
    all.sort_by_key(|r| r.num * (12 / r.den));
    all
}

impl Slopes {
    /// The smallest slopes (of those with small denominators) of the open dependences in a space member against time; `None` where a dependence doesn't advance in time, or faster than
    /// is tried.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn of(open: &Pairs, time: &UnionPwAff, space: &UnionPwAff, b: &Budget) -> Result<Option<Slopes>, Error> {
        let lower = smallest(open, time, space, b)?;
        let upper = smallest(open, time, &space.neg()?, b)?;
        Ok(match (lower, upper) {
            (Some(lower), Some(upper)) => Some(Slopes { lower, upper }),
            _ => None,
        })
    }
}

/// The smallest slope `p / q` for which no open dependence has a negative distance in `q * space + p * time`.
fn smallest(open: &Pairs, time: &UnionPwAff, space: &UnionPwAff, b: &Budget) -> Result<Option<Ratio>, Error> {
    let all = candidates();
    let fits = |r: &Ratio| -> Result<bool, Error> {
        let face = Member::new(face(time, r.num, space, r.den, b)?);
        Ok(open.violated_by(&face, b)?.is_none())
    };
    let (mut low, mut high) = (0, all.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if fits(&all[middle])? {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(all.get(low).copied())
}

/// `p * time + q * space`.
pub(super) fn face(time: &UnionPwAff, p: i64, space: &UnionPwAff, q: i64, b: &Budget) -> Result<UnionPwAff, Error> {
    Ok(time.scale(&Int::from(p))?.add(&space.scale(&Int::from(q))?, b)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilia_presburger::Map;

    fn slopes(distances: &str) -> Option<Slopes> {
        let space = "{ S[t, s] -> [(t)] }"
            .parse::<UnionPwAff>()
            .ok()
            .zip("{ S[t, s] -> [(s)] }".parse().ok());
        let (time, space) = space?;
        let map: Map = distances.parse().ok()?;
        Slopes::of(&Pairs::from_maps(vec![map]), &time, &space, &Budget::default()).ok()?
    }

    fn text(distances: &str) -> Option<String> {
        slopes(distances).map(|s| format!("{} {}", s.lower, s.upper))
    }

    #[test]
    fn worked_answers() {
        assert_eq!(text("{ S[t, s] -> S[t + 1, u] : s - 1 <= u <= s + 1 }").as_deref(), Some("1 1"));
        assert_eq!(
            text("{ S[t, s] -> S[t + 1, s + 1]; S[t, s] -> S[t + 3, s - 1] }").as_deref(),
            Some("1/3 1")
        );
        assert_eq!(text("{ S[t, s] -> S[t + 1, u] : s <= u <= s + 1 }").as_deref(), Some("0 1"));
        assert_eq!(text("{ S[t, s] -> S[t + 1, u] : s - 2 <= u <= s + 2 }").as_deref(), Some("2 2"));
        assert_eq!(text("{ S[t, s] -> S[t, s + 1] }"), None);
        assert_eq!(text("{ S[t, s] -> S[t + 1, u] : u > s }"), None);
    }

    #[test]
    fn fractions() {
        let third = Ratio { num: 1, den: 3 };
        assert_eq!((third.ceil(), third.floor_times(5)), (1, Some(1)));
        assert_eq!(Ratio { num: 4, den: 2 }.ceil(), 2);
        let all = candidates();
        assert!(all.windows(2).all(|w| w[0].num * w[1].den < w[1].num * w[0].den));
    }
}
