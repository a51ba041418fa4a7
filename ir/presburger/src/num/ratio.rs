//! Exact rational numbers in lowest terms.

use std::fmt;

use super::Int;

/// A rational number: the coefficients of counting polynomials.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ratio {
    num: Int,
    /// Positive, and coprime to `num`.
    den: Int,
}

impl Ratio {
    /// Zero.
    pub const ZERO: Ratio = Ratio {
        num: Int::ZERO,
        den: Int::ONE,
    };
    /// One.
    pub const ONE: Ratio = Ratio {
        num: Int::ONE,
        den: Int::ONE,
    };

    /// The quotient of two integers; `None` when `den` is zero.
    pub fn new(num: Int, den: Int) -> Option<Ratio> {
        (!den.is_zero()).then(|| Ratio::reduced(num, den))
    }

    fn reduced(num: Int, den: Int) -> Ratio {
        let g = num.gcd(&den);
        let g = if den.is_neg() { -g } else { g };
        if g.is_one() {
            Ratio { num, den }
        } else {
            Ratio {
                num: num.div_exact(&g),
                den: den.div_exact(&g),
            }
        }
    }

    /// The numerator.
    pub fn numerator(&self) -> &Int {
        &self.num
    }

    /// The denominator, which is positive.
    pub fn denominator(&self) -> &Int {
        &self.den
    }

    /// Is this zero?
    pub fn is_zero(&self) -> bool {
        self.num.is_zero()
    }

    /// The value as an integer, when it is one.
    pub fn to_int(&self) -> Option<Int> {
        self.den.is_one().then(|| self.num.clone())
    }

    pub(crate) fn add(&self, o: &Ratio) -> Ratio {
        Ratio::reduced(&self.num * &o.den + &o.num * &self.den, &self.den * &o.den)
    }

    pub(crate) fn mul(&self, o: &Ratio) -> Ratio {
        Ratio::reduced(&self.num * &o.num, &self.den * &o.den)
    }

    pub(crate) fn neg(&self) -> Ratio {
        Ratio {
            num: -&self.num,
            den: self.den.clone(),
        }
    }

    /// The quotient by a positive integer.
    pub(crate) fn div_int(&self, d: &Int) -> Ratio {
        Ratio::reduced(self.num.clone(), &self.den * d)
    }
}

impl From<Int> for Ratio {
    fn from(num: Int) -> Ratio {
        Ratio { num, den: Int::ONE }
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.den.is_one() {
            write!(f, "{}", self.num)
        } else {
            write!(f, "{}/{}", self.num, self.den)
        }
    }
}
