//! Answers.

use tilia_presburger::Int;

/// A rational number in lowest terms, the denominator positive.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rational {
    num: Int,
    den: Int,
}

impl Rational {
    /// `num / den`; `None` when `den` is zero.
    pub fn new(num: Int, den: Int) -> Option<Rational> {
        if den.is_zero() {
            return None;
        }
        let g = num.gcd(&den);
        let g = if den.is_neg() { -g } else { g };
        Some(Rational {
            num: num.div_exact(&g),
            den: den.div_exact(&g),
        })
    }

    /// The numerator.
    pub fn num(&self) -> &Int {
        &self.num
    }

    /// The denominator.
    pub fn den(&self) -> &Int {
        &self.den
    }
}

impl From<Int> for Rational {
    fn from(num: Int) -> Rational {
        Rational { num, den: Int::ONE }
    }
}

/// Values for the variables of a problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// One value a variable. That of a continuous variable is rounded down, see [`Solution::rationals`].
    pub values: Vec<Int>,
    /// The exact values.
    pub rationals: Vec<Rational>,
    /// It satisfies all rows exactly, but isn't proven to be the least.
    pub approximate: bool,
}

impl Solution {
    pub(crate) fn from_rationals(rationals: Vec<Rational>, approximate: bool) -> Solution {
        Solution {
            values: rationals.iter().map(|r| r.num.div_floor(&r.den)).collect(),
            rationals,
            approximate,
        }
    }
}

/// The answer to a problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The lexicographic minimum.
    Optimal(Solution),
    /// The rows contradict each other.
    Infeasible,
    /// A minimised variable has no lower limit.
    Unbounded,
}

impl Outcome {
    /// The solution, when there is one.
    pub fn solution(self) -> Option<Solution> {
        match self {
            Outcome::Optimal(s) => Some(s),
            Outcome::Infeasible | Outcome::Unbounded => None,
        }
    }
}
