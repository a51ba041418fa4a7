//! The public result: piecewise quasi-polynomials.

use super::poly::Poly;
use crate::basic::Divs;
use crate::error::{Error, Result};
use crate::func::Aff;
use crate::num::{Budget, Int, Ratio, row};
use crate::rel::Rel;
use crate::sets::{Point, Set};
use crate::space::Space;

/// A polynomial with rational coefficients in the dimensions of a set space and floor divisions of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QPolynomial {
    pub(super) space: Space,
    pub(super) divs: Divs,
    pub(super) poly: Poly,
}

/// A monomial: a coefficient and the factors with their powers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monomial {
    /// The coefficient.
    pub coefficient: Ratio,
    /// Dimensions or floor divisions, each with its positive power.
    pub factors: Vec<(Aff, u32)>,
}

impl QPolynomial {
    /// The domain space.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The largest total degree, floor divisions counting as one.
    pub fn degree(&self) -> u32 {
        self.poly.degree()
    }

    /// The value at a point of the domain space.
    ///
    /// # Errors
    /// When the point has another number of coordinates.
    pub fn eval(&self, p: &Point) -> Result<Ratio> {
        let mut x = p.to_row();
        if x.len() != 1 + self.divs.n_dim() {
            return Err(Error::Unsupported(format!("the point does not fit {}", self.space)));
        }
        for k in 0..self.divs.len() {
            let v = row::dot(&self.divs.num(k)[..x.len()], &x);
            x.push(v.div_floor(self.divs.den(k)));
        }
        Ok(self.poly.eval(&x[1..]))
    }

    /// The monomials, those of low degree in the first dimensions first.
    pub fn terms(&self) -> Vec<Monomial> {
        let n = self.divs.n_dim() + self.divs.len();
        let factor = |v: usize| {
            let mut r = vec![Int::ZERO; 1 + n];
            r[1 + v] = Int::ONE;
            let (divs, row) = crate::sets::used_divs(&self.divs, &r).ok()?;
            Some(Aff::from_parts(self.space.clone(), divs, row))
        };
        let monomial = |(e, c): (&[u32], &Ratio)| Monomial {
            coefficient: c.clone(),
            factors: e
                .iter()
                .enumerate()
                .filter(|(_, k)| **k > 0)
                .filter_map(|(v, k)| Some((factor(v)?, *k)))
                .collect(),
        };
        self.poly.terms().map(monomial).collect()
    }

    /// The same function in a space with more parameters; `from[j]` is the old column of new column `j + 1`.
    fn with_columns(&self, space: &Space, from: &[Option<usize>]) -> QPolynomial {
        let n_old = self.divs.n_dim();
        let mut to = vec![0; n_old];
        for (new, old) in from.iter().enumerate() {
            if let Some(c) = old {
                to[c - 1] = new;
            }
        }
        to.extend((0..self.divs.len()).map(|k| from.len() + k));
        let locals = (0..self.divs.len()).map(|k| Some(1 + n_old + k));
        let cols: Vec<_> = std::iter::once(Some(0)).chain(from.iter().copied()).chain(locals).collect();
        QPolynomial {
            space: space.clone(),
            divs: self.divs.select_cols(&cols, from.len()),
            poly: self.poly.rename(&to),
        }
    }

    fn add(&self, o: &QPolynomial) -> QPolynomial {
        let mut frame = crate::basic::Basic::universe(self.divs.n_dim());
        let mine = frame.import_divs(&self.divs);
        let theirs = frame.import_divs(&o.divs);
        let shift = |map: &[usize]| map[1..].iter().map(|c| c - 1).collect::<Vec<_>>();
        let poly = self.poly.rename(&shift(&mine)).add(&o.poly.rename(&shift(&theirs)));
        QPolynomial {
            space: self.space.clone(),
            divs: frame.divs,
            poly,
        }
    }
}

/// Quasi-polynomials on disjoint sets; zero elsewhere.
#[derive(Clone, Debug)]
pub struct PwQPolynomial {
    space: Space,
    pieces: Vec<(Rel, QPolynomial)>,
}

impl PwQPolynomial {
    /// The domain space: parameters for a set, the domain for a map.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The pieces.
    pub fn pieces(&self) -> Vec<(Set, QPolynomial)> {
        self.pieces.iter().map(|(d, q)| (Set::from_rel(d.clone()), q.clone())).collect()
    }

    /// The value at a point of the domain space.
    ///
    /// # Errors
    /// When the point has another number of coordinates, or the budget runs out.
    pub fn eval(&self, p: &Point, b: &Budget) -> Result<Ratio> {
        let x = p.to_row();
        for (d, q) in &self.pieces {
            if d.contains(&x, b)? {
                return q.eval(p);
            }
        }
        Ok(Ratio::ZERO)
    }

    /// The largest degree of a piece.
    pub fn degree(&self) -> u32 {
        self.pieces.iter().map(|(_, q)| q.degree()).max().unwrap_or(0)
    }

    /// Zero everywhere.
    pub fn zero(space: &Space) -> PwQPolynomial {
        PwQPolynomial {
            space: space.clone(),
            pieces: Vec::new(),
        }
    }

    /// The same function with the parameters of `space` first, then its own remaining ones.
    pub fn align_params(&self, space: &Space) -> PwQPolynomial {
        if self.space.same_params(space) {
            return self.clone();
        }
        let params = space.merged_params(&self.space);
        let (n_old, n_all) = (self.space.params().len(), self.space.total_dim());
        let mut from: Vec<Option<usize>> = params.iter().map(|p| self.space.find_param(p).map(|i| 1 + i)).collect();
        from.extend((1 + n_old..=n_all).map(Some));
        let space = self.space.with_params(params.clone());
        let pieces = self
            .pieces
            .iter()
            .map(|(d, q)| (d.with_params(&params), q.with_columns(&space, &from)))
            .collect();
        PwQPolynomial { space, pieces }
    }

    /// The sum; each is zero outside its pieces.
    ///
    /// # Errors
    /// When the spaces do not match or the budget runs out.
    pub fn add(&self, other: &PwQPolynomial, b: &Budget) -> Result<PwQPolynomial> {
        self.space.check_same_tuples(&other.space)?;
        let other = other.align_params(&self.space);
        let mut sum = self.align_params(&other.space);
        for (d, q) in &other.pieces {
            sum.add_piece(d.clone(), q, b)?;
        }
        sum.tidy(b)?;
        Ok(sum)
    }

    /// Adds a polynomial on a domain.
    pub(super) fn add_piece(&mut self, domain: Rel, q: &QPolynomial, b: &Budget) -> Result<()> {
        let mut rest = domain;
        let mut out = Vec::with_capacity(self.pieces.len() + 2);
        for (d, f) in std::mem::take(&mut self.pieces) {
            let both = d.intersect(&rest)?.drop_empty(b)?;
            if both.plain_is_empty() {
                out.push((d, f));
                continue;
            }
            let only_old = d.subtract(&rest, b)?;
            rest = rest.subtract(&d, b)?;
            if !only_old.plain_is_empty() {
                out.push((only_old, f.clone()));
            }
            out.push((both, f.add(q)));
        }
        if !rest.drop_empty(b)?.plain_is_empty() {
            out.push((rest, q.clone()));
        }
        self.pieces = out;
        Ok(())
    }

    /// Joins the domains of equal polynomials.
    pub(super) fn tidy(&mut self, b: &Budget) -> Result<()> {
        let mut out: Vec<(Rel, QPolynomial)> = Vec::with_capacity(self.pieces.len());
        for (d, q) in std::mem::take(&mut self.pieces) {
            if q.poly.is_zero() {
                continue;
            }
            match out.iter_mut().find(|(_, o)| *o == q) {
                Some((domain, _)) => *domain = domain.union(&d)?,
                None => out.push((d, q)),
            }
        }
        for (d, _) in &mut out {
            *d = d.coalesce(b)?;
        }
        self.pieces = out;
        Ok(())
    }
}
