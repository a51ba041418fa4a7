//! Arithmetic on quasi-affine expressions, and the normal form that makes equal ones look equal.
//!
//! A division `floor(e/d)` is kept with the greatest common divisor of `d` and the coefficients of `e` divided out,
//! coefficients in `(-d/2, d/2]` and a constant in `[0, d)`; what exceeds that is an integer multiple of `d` and moves out
//! of the floor. Divisions are listed in a fixed order, unused ones dropped.

use super::Aff;
use crate::basic::Divs;
use crate::error::{Error, Result};
use crate::num::{Int, row};

impl Aff {
    /// Both expressions over one domain space and one list of divisions.
    fn unify(&self, other: &Aff) -> Result<(Aff, Vec<Int>)> {
        if self.space() == other.space() && self.divs() == other.divs() {
            return Ok((self.clone(), other.row().to_vec()));
        }
        self.space().check_same_tuples(other.space())?;
        let space = self.space().align_params(other.space());
        let space = space.align_params(self.space());
        let (mut a, b) = (self.align_to(&space)?, other.align_to(&space)?);
        let map = a.import_divs(b.divs());
        let mut r = vec![Int::ZERO; a.row().len()];
        for (x, &c) in b.row().iter().zip(&map) {
            r[c] = x.clone();
        }
        Ok((a, r))
    }

    /// Adds the divisions of a list over the same dimensions; for each of its columns, the column here.
    fn import_divs(&mut self, other: &Divs) -> Vec<usize> {
        let (space, mut divs, mut r) = (self.space().clone(), self.divs().clone(), self.row().to_vec());
        let n_dim = divs.n_dim();
        let mut map: Vec<usize> = (0..=n_dim).collect();
        for k in 0..other.len() {
            let mut num = vec![Int::ZERO; 1 + n_dim + divs.len()];
            for (x, &c) in other.num(k).iter().zip(&map) {
                num[c] = x.clone();
            }
            let here = divs.find(other.den(k), &num).unwrap_or_else(|| {
                divs.push(other.den(k), &num);
                r.push(Int::ZERO);
                divs.len() - 1
            });
            map.push(1 + n_dim + here);
        }
        *self = Aff::from_parts(space, divs, r);
        map
    }

    /// `a * self + b * other`.
    fn combine(&self, a: &Int, b: &Int, other: &Aff) -> Result<Aff> {
        let (unified, other_row) = self.unify(other)?;
        let mut r = unified.row().to_vec();
        row::combine(&mut r, a, b, &other_row);
        Ok(Aff::from_parts(unified.space().clone(), unified.divs().clone(), r).normalized())
    }

    /// The sum.
    ///
    /// # Errors
    /// When the domain spaces differ.
    pub fn add(&self, other: &Aff) -> Result<Aff> {
        self.combine(&Int::ONE, &Int::ONE, other)
    }

    /// The difference.
    ///
    /// # Errors
    /// When the domain spaces differ.
    pub fn sub(&self, other: &Aff) -> Result<Aff> {
        self.combine(&Int::ONE, &Int::from(-1), other)
    }

    /// The negation.
    #[must_use]
    pub fn neg(&self) -> Aff {
        let mut r = self.row().to_vec();
        row::negate(&mut r);
        Aff::from_parts(self.space().clone(), self.divs().clone(), r)
    }

    /// The expression times a constant.
    #[must_use]
    pub fn scale(&self, factor: &Int) -> Aff {
        let r = self.row().iter().map(|x| x * factor).collect();
        Aff::from_parts(self.space().clone(), self.divs().clone(), r).normalized()
    }

    /// The expression plus a constant.
    #[must_use]
    pub fn add_constant(&self, value: &Int) -> Aff {
        let mut r = self.row().to_vec();
        r[0] += value;
        Aff::from_parts(self.space().clone(), self.divs().clone(), r)
    }

    /// `floor(self / d)`.
    ///
    /// # Errors
    /// When `d` is not positive.
    pub fn floor_div(&self, d: &Int) -> Result<Aff> {
        if !d.is_pos() {
            return Err(Error::Unsupported(format!("division by {d}: the divisor must be positive")));
        }
        let (whole, den, num) = split_division(self.row(), d);
        let mut divs = self.divs().clone();
        let mut r = whole;
        if !row::is_zero(&num) {
            match divs.find(&den, &num) {
                Some(k) => r[1 + divs.n_dim() + k] += &Int::ONE,
                None => {
                    divs.push(&den, &num);
                    r.push(Int::ONE);
                }
            }
        }
        Ok(Aff::from_parts(self.space().clone(), divs, r).normalized())
    }

    /// `ceil(self / d)`.
    ///
    /// # Errors
    /// When `d` is not positive.
    pub fn ceil_div(&self, d: &Int) -> Result<Aff> {
        self.add_constant(&(d - &Int::ONE)).floor_div(d)
    }

    /// `self - d * floor(self / d)`, in `[0, d)`.
    ///
    /// # Errors
    /// When `d` is not positive.
    pub fn mod_(&self, d: &Int) -> Result<Aff> {
        self.sub(&self.floor_div(d)?.scale(d))
    }

    /// Do the expressions look the same? (They may still agree everywhere when this is `false`.)
    pub fn plain_eq(&self, other: &Aff) -> bool {
        self.sub(other).is_ok_and(|d| row::is_zero(d.row()))
    }

    /// The expression divided by the greatest common divisor of `d` and all its coefficients, and that divisor.
    pub(crate) fn reduce_fraction(&self, d: &Int) -> (Aff, Int) {
        let g = row::gcd(self.row()).gcd(d);
        if g.is_zero() || g.is_one() {
            return (self.clone(), d.clone());
        }
        let mut r = self.row().to_vec();
        row::div_exact(&mut r, &g);
        (Aff::from_parts(self.space().clone(), self.divs().clone(), r), d.div_exact(&g))
    }

    /// The same expression with each division in normal form, shared, used and in a fixed order.
    pub(crate) fn normalized(&self) -> Aff {
        if self.divs().is_empty() {
            return self.clone();
        }
        let n_dim = self.divs().n_dim();
        let used = self.used_divs();
        let mut divs = Divs::new(n_dim);
        // The new columns of the old locals, once placed.
        let mut placed: Vec<Option<usize>> = vec![None; self.divs().len()];
        while let Some((k, num)) = self.next_div(&used, &placed, &divs) {
            let at = divs.find(self.divs().den(k), &num).unwrap_or_else(|| {
                divs.push(self.divs().den(k), &num);
                divs.len() - 1
            });
            placed[k] = Some(1 + n_dim + at);
        }
        let r = translate(self.row(), n_dim, &placed, divs.len());
        Aff::from_parts(self.space().clone(), divs, r)
    }

    /// Which divisions the expression uses, directly or through others.
    fn used_divs(&self) -> Vec<bool> {
        let n = self.divs().len();
        let first = 1 + self.divs().n_dim();
        let mut used: Vec<bool> = self.row()[first..].iter().map(|c| !c.is_zero()).collect();
        for k in (0..n).rev() {
            if used[k] {
                for (u, c) in used.iter_mut().zip(&self.divs().num(k)[first..]) {
                    *u |= !c.is_zero();
                }
            }
        }
        used
    }

    /// The smallest division, with its numerator in the new columns, whose parts are all placed.
    fn next_div(&self, used: &[bool], placed: &[Option<usize>], divs: &Divs) -> Option<(usize, Vec<Int>)> {
        let n_dim = self.divs().n_dim();
        let first = 1 + n_dim;
        (0..self.divs().len())
            .filter(|&k| used[k] && placed[k].is_none())
            .filter(|&k| {
                let parts = self.divs().num(k)[first..].iter().zip(placed);
                parts.into_iter().all(|(c, p)| c.is_zero() || p.is_some())
            })
            .map(|k| (k, translate(self.divs().num(k), n_dim, placed, divs.len())))
            .min_by(|(j, a), (k, b)| (self.divs().den(*j), a).cmp(&(self.divs().den(*k), b)))
    }
}

/// A row over old locals as a row over `n_div` new ones.
fn translate(old: &[Int], n_dim: usize, placed: &[Option<usize>], n_div: usize) -> Vec<Int> {
    let mut r = old[..=n_dim].to_vec();
    r.resize(1 + n_dim + n_div, Int::ZERO);
    for (x, p) in old[1 + n_dim..].iter().zip(placed) {
        if let (false, Some(c)) = (x.is_zero(), p) {
            r[*c] += x;
        }
    }
    r
}

/// Splits `floor(num / d)` into `whole + floor(rest / den)` with `rest` in normal form, zero when nothing is left.
fn split_division(num: &[Int], d: &Int) -> (Vec<Int>, Int, Vec<Int>) {
    let g = row::gcd(&num[1..]).gcd(d);
    let den = d.div_exact(&g);
    let mut rest = num.to_vec();
    rest[0] = rest[0].div_floor(&g);
    row::div_exact(&mut rest[1..], &g);
    let mut whole = vec![Int::ZERO; num.len()];
    for (j, (w, r)) in whole.iter_mut().zip(rest.iter_mut()).enumerate() {
        if r.is_zero() {
            continue;
        }
        let two = Int::from(2);
        // The nearest multiple for coefficients, the one below for the constant.
        *w = if j == 0 {
            r.div_floor(&den)
        } else {
            (&(&two * &*r) + &(&den - &Int::ONE)).div_floor(&(&two * &den))
        };
        r.sub_mul(w, &den);
    }
    if row::is_zero(&rest[1..]) {
        rest[0] = Int::ZERO;
    }
    (whole, den, rest)
}
