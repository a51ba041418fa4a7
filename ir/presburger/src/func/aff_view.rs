//! Looking at a quasi-affine expression: its terms, its value at a point, and where it satisfies a comparison.

use super::{Aff, Constraint, MultiAff};
use crate::basic::Divs;
use crate::error::{Error, Result};
use crate::num::{Int, row};
use crate::sets::{BasicSet, Point, Set};
use crate::space::{DimType, Space};

/// One term of a quasi-affine expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// A parameter or (`Out`) set dimension times a coefficient.
    Dim {
        /// Parameter or dimension.
        kind: DimType,
        /// Its position.
        pos: usize,
        /// The coefficient.
        coefficient: Int,
    },
    /// `coefficient * floor(numerator / denominator)`.
    Div {
        /// The coefficient.
        coefficient: Int,
        /// The numerator, over the same domain.
        numerator: Aff,
        /// The denominator, positive.
        denominator: Int,
    },
}

impl Aff {
    /// The terms beside the constant, with coefficients that are not zero: parameters, dimensions, divisions.
    pub fn terms(&self) -> Vec<Term> {
        let n_param = self.space().dim(DimType::Param);
        let n_dim = self.divs().n_dim();
        let columns = self.row().iter().enumerate().skip(1);
        columns
            .filter(|(_, c)| !c.is_zero())
            .map(|(col, c)| match col {
                _ if col > n_dim => {
                    let k = col - n_dim - 1;
                    Term::Div {
                        coefficient: c.clone(),
                        numerator: self.numerator(k),
                        denominator: self.divs().den(k).clone(),
                    }
                }
                _ if col > n_param => Term::Dim {
                    kind: DimType::Out,
                    pos: col - n_param - 1,
                    coefficient: c.clone(),
                },
                _ => Term::Dim {
                    kind: DimType::Param,
                    pos: col - 1,
                    coefficient: c.clone(),
                },
            })
            .collect()
    }

    /// The numerator of division `k`, carrying only the divisions it needs.
    fn numerator(&self, k: usize) -> Aff {
        let r = self.divs().num(k).to_vec();
        Aff::from_parts(self.space().clone(), self.divs().clone(), r).normalized()
    }

    /// Does the expression use that parameter or (`Out`) dimension, also inside a division?
    pub fn involves_dim(&self, t: DimType, pos: usize) -> bool {
        let col = self.space().offset(t) + pos;
        !self.row()[col].is_zero() || (0..self.divs().len()).any(|k| !self.divs().num(k)[col].is_zero())
    }

    /// Does the expression use one of those parameters or (`Out`) dimensions, also inside a division?
    pub fn involves_dims(&self, t: DimType, first: usize, n: usize) -> bool {
        (first..first + n).any(|pos| self.involves_dim(t, pos))
    }

    /// The value at a point of the domain space; its parameters are found by name.
    ///
    /// # Errors
    /// When the point lives in another space or lacks a parameter.
    pub fn eval(&self, p: &Point) -> Result<Int> {
        self.space().check_same_tuples(&p.space.wrap())?;
        let mut x = vec![Int::ONE];
        for name in self.space().params() {
            let at = p.space.find_param(name);
            let value = at.and_then(|i| p.params.get(i));
            x.push(
                value
                    .cloned()
                    .ok_or_else(|| Error::Unsupported(format!("the point has no parameter {name}")))?,
            );
        }
        x.extend_from_slice(&p.coords);
        if x.len() != 1 + self.divs().n_dim() {
            return Err(Error::mismatch(self.space(), &p.space));
        }
        for k in 0..self.divs().len() {
            let num = row::dot(&self.divs().num(k)[..x.len()], &x);
            x.push(num.div_floor(self.divs().den(k)));
        }
        Ok(row::dot(self.row(), &x))
    }

    fn constraint_set(c: &Constraint) -> Result<Set> {
        Ok(BasicSet::from_constraints(c.aff().space(), [c])?.to_union())
    }

    /// Where the expression is zero.
    ///
    /// # Errors
    /// Never for a valid expression.
    pub fn zero_set(&self) -> Result<Set> {
        Aff::constraint_set(&Constraint::eq(self.clone()))
    }

    /// Where the expression is at least zero.
    ///
    /// # Errors
    /// Never for a valid expression.
    pub fn ge_zero_set(&self) -> Result<Set> {
        Aff::constraint_set(&Constraint::ineq(self.clone()))
    }

    /// Where the expression is negative.
    ///
    /// # Errors
    /// Never for a valid expression.
    pub fn lt_zero_set(&self) -> Result<Set> {
        self.neg().add_constant(&Int::NEG_ONE).ge_zero_set()
    }

    /// Where `self >= other`.
    ///
    /// # Errors
    /// When the domain spaces differ.
    pub fn ge_set(&self, other: &Aff) -> Result<Set> {
        self.sub(other)?.ge_zero_set()
    }

    /// Where `self > other`.
    ///
    /// # Errors
    /// When the domain spaces differ.
    pub fn gt_set(&self, other: &Aff) -> Result<Set> {
        other.sub(self)?.lt_zero_set()
    }

    /// Where `self <= other`.
    ///
    /// # Errors
    /// When the domain spaces differ.
    pub fn le_set(&self, other: &Aff) -> Result<Set> {
        other.ge_set(self)
    }

    /// Where `self < other`.
    ///
    /// # Errors
    /// When the domain spaces differ.
    pub fn lt_set(&self, other: &Aff) -> Result<Set> {
        other.gt_set(self)
    }

    /// Where `self = other`.
    ///
    /// # Errors
    /// When the domain spaces differ.
    pub fn eq_set(&self, other: &Aff) -> Result<Set> {
        self.sub(other)?.zero_set()
    }

    /// Where `self` and `other` differ.
    ///
    /// # Errors
    /// When the domain spaces differ.
    pub fn ne_set(&self, other: &Aff) -> Result<Set> {
        self.gt_set(other)?.union(&self.lt_set(other)?)
    }

    /// The expression of a function: `self` after `ma`.
    ///
    /// # Errors
    /// When the range of `ma` isn't the domain of the expression.
    pub fn pullback(&self, ma: &MultiAff) -> Result<Aff> {
        let range = ma.range_space();
        let me = self.align_to(&self.space().align_params(&range))?;
        let ma = ma.align_params(me.space())?;
        me.space().check_same_tuples(&ma.range_space())?;
        let domain = ma.domain_space();
        let n_param = domain.dim(DimType::Param);
        let mut values: Vec<Aff> = (0..n_param).map(|i| Aff::var(domain, DimType::Param, i)).collect();
        values.extend(ma.affs().iter().cloned());
        for k in 0..me.divs().len() {
            let num = substitute(domain, &me.divs().num(k)[..=values.len()], &values)?;
            values.push(num.floor_div(me.divs().den(k))?);
        }
        substitute(domain, me.row(), &values)
    }

    /// The expression over a space whose tuple has more dimensions after those of the domain.
    pub(crate) fn extended(&self, space: &Space) -> Aff {
        let (old, new) = (self.divs().n_dim(), space.total_dim());
        debug_assert!(new >= old && space.is_set());
        let mut divs: Divs = self.divs().clone();
        divs.insert_dims(old, new - old);
        let mut r = self.row().to_vec();
        r.splice(1 + old..1 + old, std::iter::repeat_n(Int::ZERO, new - old));
        Aff::from_parts(space.clone(), divs, r)
    }

    /// The same expression over a domain space with the same columns and other names.
    pub(crate) fn with_space(&self, space: &Space) -> Aff {
        debug_assert_eq!(space.total_dim(), self.divs().n_dim());
        Aff::from_parts(space.clone(), self.divs().clone(), self.row().to_vec())
    }
}

/// `row[0] + sum row[j] values[j - 1]`.
fn substitute(domain: &Space, r: &[Int], values: &[Aff]) -> Result<Aff> {
    let mut sum = Aff::constant(domain, r[0].clone());
    for (c, v) in r[1..].iter().zip(values) {
        if !c.is_zero() {
            sum = sum.add(&v.scale(c))?;
        }
    }
    Ok(sum)
}
