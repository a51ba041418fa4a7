//! Affine expressions, maps and integer sets over dims and symbols, as in MLIR's affine dialect.
//!
//! Semantics: exact integers. `floordiv`, `ceildiv` and `mod` round towards negative and positive infinity and to a non-negative remainder; their right-hand
//! sides are positive (the front end proves or checks it). Evaluation is checked: overflow of 64 bits is an error, never a wrapped value.

use std::fmt;

/// A quasi-affine (or semi-affine) expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AffineExpr {
    /// Dim number n.
    Dim(u32),
    /// Symbol number n.
    Sym(u32),
    /// A constant.
    Const(i64),
    /// Sum.
    Add(Box<AffineExpr>, Box<AffineExpr>),
    /// Product; affine when one side is a constant, else semi-affine.
    Mul(Box<AffineExpr>, Box<AffineExpr>),
    /// Quotient rounded down.
    FloorDiv(Box<AffineExpr>, Box<AffineExpr>),
    /// Quotient rounded up.
    CeilDiv(Box<AffineExpr>, Box<AffineExpr>),
    /// Remainder of [`AffineExpr::FloorDiv`].
    Mod(Box<AffineExpr>, Box<AffineExpr>),
}

impl AffineExpr {
    /// `a + b`, folded where both are constants or one is zero.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "a constructor, not arithmetic on numbers")]
    pub fn add(a: Self, b: Self) -> Self {
        match (a, b) {
            (Self::Const(0), e) | (e, Self::Const(0)) => e,
            (Self::Const(x), Self::Const(y)) if x.checked_add(y).is_some() => Self::Const(x + y),
            (a, b) => Self::Add(Box::new(a), Box::new(b)),
        }
    }

    /// `a * b`, folded where both are constants or one is zero or one.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "a constructor, not arithmetic on numbers")]
    pub fn mul(a: Self, b: Self) -> Self {
        match (a, b) {
            (Self::Const(0), _) | (_, Self::Const(0)) => Self::Const(0),
            (Self::Const(1), e) | (e, Self::Const(1)) => e,
            (Self::Const(x), Self::Const(y)) if x.checked_mul(y).is_some() => Self::Const(x * y),
            (a, b) => Self::Mul(Box::new(a), Box::new(b)),
        }
    }

    /// Value for given dims and symbols; `None` on overflow, division by a non-positive number, or a missing operand.
    #[must_use]
    pub fn eval(&self, dims: &[i64], syms: &[i64]) -> Option<i64> {
        let both = |a: &Self, b: &Self| Some((a.eval(dims, syms)?, b.eval(dims, syms)?));
        match self {
            Self::Dim(n) => dims.get(*n as usize).copied(),
            Self::Sym(n) => syms.get(*n as usize).copied(),
            Self::Const(c) => Some(*c),
            Self::Add(a, b) => both(a, b).and_then(|(a, b)| a.checked_add(b)),
            Self::Mul(a, b) => both(a, b).and_then(|(a, b)| a.checked_mul(b)),
            Self::FloorDiv(a, b) => both(a, b).filter(|&(_, b)| b > 0).map(|(a, b)| a.div_euclid(b)),
            Self::CeilDiv(a, b) => both(a, b)
                .filter(|&(_, b)| b > 0)
                .map(|(a, b)| a.div_euclid(b) + i64::from(a.rem_euclid(b) != 0)),
            Self::Mod(a, b) => both(a, b).filter(|&(_, b)| b > 0).map(|(a, b)| a.rem_euclid(b)),
        }
    }

    /// The expression with dims and symbols replaced.
    #[must_use]
    pub fn substitute(&self, dims: &[Self], syms: &[Self]) -> Self {
        let sub = |e: &Self| e.substitute(dims, syms);
        let pair = |a: &Self, b: &Self| (Box::new(sub(a)), Box::new(sub(b)));
        match self {
            Self::Dim(n) => dims.get(*n as usize).cloned().unwrap_or_else(|| self.clone()),
            Self::Sym(n) => syms.get(*n as usize).cloned().unwrap_or_else(|| self.clone()),
            Self::Const(_) => self.clone(),
            Self::Add(a, b) => Self::add(sub(a), sub(b)),
            Self::Mul(a, b) => Self::mul(sub(a), sub(b)),
            Self::FloorDiv(a, b) => {
                let (a, b) = pair(a, b);
                Self::FloorDiv(a, b)
            }
            Self::CeilDiv(a, b) => {
                let (a, b) = pair(a, b);
                Self::CeilDiv(a, b)
            }
            Self::Mod(a, b) => {
                let (a, b) = pair(a, b);
                Self::Mod(a, b)
            }
        }
    }
}

impl fmt::Display for AffineExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dim(n) => write!(f, "d{n}"),
            Self::Sym(n) => write!(f, "s{n}"),
            Self::Const(c) => write!(f, "{c}"),
            Self::Add(a, b) => write!(f, "({a} + {b})"),
            Self::Mul(a, b) => write!(f, "({a} * {b})"),
            Self::FloorDiv(a, b) => write!(f, "({a} floordiv {b})"),
            Self::CeilDiv(a, b) => write!(f, "({a} ceildiv {b})"),
            Self::Mod(a, b) => write!(f, "({a} mod {b})"),
        }
    }
}

/// Several affine expressions over the same dims and symbols. Operands of an operation that carries a map are its dims, then its symbols.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AffineMap {
    /// Number of dims.
    pub dims: u32,
    /// Number of symbols.
    pub syms: u32,
    /// The expressions.
    pub results: Vec<AffineExpr>,
}

impl AffineMap {
    /// The identity on `n` dims.
    #[must_use]
    pub fn identity(n: u32) -> Self {
        Self {
            dims: n,
            syms: 0,
            results: (0..n).map(AffineExpr::Dim).collect(),
        }
    }

    /// A map without operands and one constant result.
    #[must_use]
    pub fn constant(c: i64) -> Self {
        Self {
            dims: 0,
            syms: 0,
            results: vec![AffineExpr::Const(c)],
        }
    }

    /// Number of operands: dims and symbols.
    #[must_use]
    pub fn operands(&self) -> usize {
        self.dims as usize + self.syms as usize
    }

    /// The single constant, if that is all the map is.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        match self.results[..] {
            [AffineExpr::Const(c)] => Some(c),
            _ => None,
        }
    }

    /// Values of all results, operands given as dims then symbols; `None` as for [`AffineExpr::eval`].
    #[must_use]
    pub fn eval(&self, operands: &[i64]) -> Option<Vec<i64>> {
        let (dims, syms) = operands.split_at_checked(self.dims as usize)?;
        self.results.iter().map(|e| e.eval(dims, syms)).collect()
    }
}

impl fmt::Display for AffineMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        header(f, self.dims, self.syms)?;
        f.write_str(" -> (")?;
        for (i, e) in self.results.iter().enumerate() {
            write!(f, "{}{e}", if i > 0 { ", " } else { "" })?;
        }
        f.write_str(")")
    }
}

/// A conjunction of affine constraints over dims and symbols.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IntegerSet {
    /// Number of dims.
    pub dims: u32,
    /// Number of symbols.
    pub syms: u32,
    /// `(e, true)` means e = 0, `(e, false)` means e >= 0.
    pub constraints: Vec<(AffineExpr, bool)>,
}

impl IntegerSet {
    /// Number of operands: dims and symbols.
    #[must_use]
    pub fn operands(&self) -> usize {
        self.dims as usize + self.syms as usize
    }

    /// Whether the operands (dims then symbols) satisfy every constraint; `None` as for [`AffineExpr::eval`].
    #[must_use]
    pub fn eval(&self, operands: &[i64]) -> Option<bool> {
        let (dims, syms) = operands.split_at_checked(self.dims as usize)?;
        let mut holds = true;
        for (e, is_eq) in &self.constraints {
            let v = e.eval(dims, syms)?;
            holds &= if *is_eq { v == 0 } else { v >= 0 };
        }
        Some(holds)
    }
}

impl fmt::Display for IntegerSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        header(f, self.dims, self.syms)?;
        f.write_str(" : (")?;
        for (i, (e, eq)) in self.constraints.iter().enumerate() {
            write!(f, "{}{e} {} 0", if i > 0 { ", " } else { "" }, if *eq { "==" } else { ">=" })?;
        }
        f.write_str(")")
    }
}

fn header(f: &mut fmt::Formatter<'_>, dims: u32, syms: u32) -> fmt::Result {
    let list = |c: char, n: u32| (0..n).map(|i| format!("{c}{i}")).collect::<Vec<_>>().join(", ");
    write!(f, "({})", list('d', dims))?;
    if syms > 0 {
        write!(f, "[{}]", list('s', syms))?;
    }
    Ok(())
}
