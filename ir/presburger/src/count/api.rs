//! The operations on sets and maps that count.

use super::PwQPolynomial;
use super::degree::growth_degree;
use super::eliminate::count_basic;
use super::piecewise::QPolynomial;
use crate::error::{Error, Result};
use crate::num::{Budget, Int};
use crate::rel::Rel;
use crate::sets::{Map, Set};
use crate::space::{DimType, Space};
use crate::union::UnionSet;

impl Rel {
    /// The number of elements for each value of the first `n_fixed` dimensions, which are those of `space`.
    fn count(&self, space: &Space, n_fixed: usize, b: &Budget) -> Result<PwQPolynomial> {
        let mut out = PwQPolynomial::zero(space);
        for p in &self.compute_divs(b)?.make_disjoint(b)?.parts {
            for (domain, divs, poly) in count_basic(p, n_fixed, b)? {
                let q = QPolynomial {
                    space: space.clone(),
                    divs,
                    poly,
                };
                out.add_piece(Rel::from_basic(space.clone(), domain), &q, b)?;
            }
        }
        out.tidy(b)?;
        Ok(out)
    }

    /// The largest growth of a piece.
    fn growth_degree(&self, n_fixed: usize, b: &Budget) -> Result<Option<u32>> {
        let mut most = None;
        for p in &self.parts {
            most = most.max(growth_degree(p, n_fixed, b)?);
        }
        Ok(most)
    }
}

impl Set {
    /// The number of elements as a function of the parameters (isl's and barvinok's `card`).
    ///
    /// ```
    /// # use tilia_presburger::{Budget, Set};
    /// # fn main() -> Result<(), tilia_presburger::Error> {
    /// let triangle: Set = "[n] -> { S[i, j] : 0 <= j <= i < n }".parse()?;
    /// let count = triangle.count(&Budget::default())?;
    /// assert_eq!(count.to_string(), "[n] -> { (1/2 * n + 1/2 * n^2) : n > 0 }");
    /// assert_eq!(count.degree(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Unbounded` when it is infinite somewhere, `Unsupported` when a bound has a large coefficient and depends on several
    /// dimensions, or when the budget runs out.
    pub fn count(&self, b: &Budget) -> Result<PwQPolynomial> {
        let n = self.dim(DimType::Param);
        self.rel().count(&self.space().to_params(), n, b)
    }

    /// The number of elements at one value of the parameters. Cheaper than [`Set::count`], since nothing depends on
    /// parameters any more and the size of the set doesn't matter.
    ///
    /// ```
    /// # use tilia_presburger::{Budget, Int, Set};
    /// # fn main() -> Result<(), tilia_presburger::Error> {
    /// let tile: Set = "[t, n] -> { A[i, j] : t <= i, j < t + 32 and 0 <= i, j < n and i + j < n }".parse()?;
    /// let at = [Int::new(64), Int::new(1000)];
    /// assert_eq!(tile.count_at(&at, &Budget::default())?, Int::new(1024));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Unbounded` when it is infinite, `Unsupported` when the number of values isn't that of the parameters, or when the
    /// budget runs out.
    pub fn count_at(&self, params: &[Int], b: &Budget) -> Result<Int> {
        let n = self.dim(DimType::Param);
        if params.len() != n {
            return Err(Error::Unsupported(format!("{} values for {n} parameters", params.len())));
        }
        let mut fixed = self.clone();
        for (i, v) in params.iter().enumerate() {
            fixed = fixed.fix(DimType::Param, i, v.clone())?;
        }
        let fixed = fixed.project_out(DimType::Param, 0, n, b)?;
        match fixed.count_constant(b) {
            // Few points, perhaps; they can be visited.
            Err(Error::Unsupported(_)) => fixed.count_points(b),
            other => other,
        }
    }

    fn count_constant(&self, b: &Budget) -> Result<Int> {
        let mut sum = Int::ZERO;
        for p in &self.rel().compute_divs(b)?.make_disjoint(b)?.parts {
            for (_, _, poly) in count_basic(p, 0, b)? {
                let value = poly.eval(&[]).to_int();
                sum += value.ok_or_else(|| Error::Unsupported("a count that is no integer".to_owned()))?;
            }
        }
        Ok(sum)
    }

    /// How the number of elements grows with the parameters: the least `d` such that it is `O(t^d)` when the parameters are `t`
    /// times as large in any direction; `None` for an empty set. It needs no counting, so it is there when [`Set::count`] isn't,
    /// and is the degree of that polynomial where the parameters are large.
    ///
    /// ```
    /// # use tilia_presburger::{Budget, Set};
    /// # fn main() -> Result<(), tilia_presburger::Error> {
    /// let band: Set = "[n] -> { [i, j] : 0 <= i < n and i <= j <= i + 2 }".parse()?;
    /// assert_eq!(band.growth_degree(&Budget::default())?, Some(1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Unbounded` when the number is infinite somewhere, or when the budget runs out.
    pub fn growth_degree(&self, b: &Budget) -> Result<Option<u32>> {
        self.rel().growth_degree(self.dim(DimType::Param), b)
    }
}

impl Map {
    /// The number of outputs as a function of parameters and input.
    ///
    /// # Errors
    /// As [`Set::count`].
    pub fn count(&self, b: &Budget) -> Result<PwQPolynomial> {
        let n = self.dim(DimType::Param) + self.dim(DimType::In);
        self.rel().count(&self.space().domain(), n, b)
    }

    /// How the number of outputs grows with parameters and input, as [`Set::growth_degree`].
    ///
    /// # Errors
    /// As [`Set::growth_degree`].
    pub fn growth_degree(&self, b: &Budget) -> Result<Option<u32>> {
        self.rel().growth_degree(self.dim(DimType::Param) + self.dim(DimType::In), b)
    }
}

impl UnionSet {
    /// The number of elements of all members as a function of the parameters.
    ///
    /// # Errors
    /// As [`Set::count`].
    pub fn count(&self, b: &Budget) -> Result<PwQPolynomial> {
        let mut sum = PwQPolynomial::zero(self.params_space());
        for s in self.sets() {
            sum = sum.add(&s.count(b)?, b)?;
        }
        Ok(sum)
    }
}
