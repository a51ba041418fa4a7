//! Results of optimisation.

use std::cmp::Ordering;

use crate::num::Int;

/// The optimum of an objective over a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Optimum<T> {
    /// It is attained.
    Bounded(T),
    /// There is no limit.
    Unbounded,
    /// The set has no element.
    Empty,
}

impl<T> Optimum<T> {
    /// The value, when there is one.
    pub fn bounded(self) -> Option<T> {
        match self {
            Optimum::Bounded(v) => Some(v),
            _ => None,
        }
    }

    /// Applies a function to the value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Optimum<U> {
        match self {
            Optimum::Bounded(v) => Optimum::Bounded(f(v)),
            Optimum::Unbounded => Optimum::Unbounded,
            Optimum::Empty => Optimum::Empty,
        }
    }
}

/// The least and the greatest value of something, `None` where there is no limit.
pub type Limits<T> = (Option<T>, Option<T>);

/// A rational number with positive denominator, not necessarily in lowest terms.
#[derive(Clone, Debug)]
pub(crate) struct Frac {
    pub(crate) num: Int,
    pub(crate) den: Int,
}

impl Frac {
    pub(crate) fn new(num: Int, den: Int) -> Frac {
        debug_assert!(den.is_pos());
        Frac { num, den }
    }

    pub(crate) fn floor(&self) -> Int {
        self.num.div_floor(&self.den)
    }

    pub(crate) fn ceil(&self) -> Int {
        self.num.div_ceil(&self.den)
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.num.is_divisible_by(&self.den)
    }

    pub(crate) fn cmp(&self, o: &Frac) -> Ordering {
        Int::cross(&self.num, &o.den, &o.num, &self.den).signum().cmp(&0)
    }
}
