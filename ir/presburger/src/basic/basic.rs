//! The conjunction type and its elementary edits.

use super::Divs;
use crate::num::{Int, Mat, row};

/// A conjunction over `n_dim` dimensions and some local variables.
///
/// Columns of a row: `[const, dims.., locals..]`. An equality row `r` says `r·(1, x) = 0`, an inequality row `r·(1, x) >= 0`.
/// A local with a definition *always* satisfies it; the two inequalities that a definition implies are not stored.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Basic {
    /// The local variables; `divs.n_dim()` is the number of dimensions.
    pub(crate) divs: Divs,
    /// Equalities.
    pub(crate) eqs: Mat,
    /// Inequalities.
    pub(crate) ineqs: Mat,
    /// Known to have no element; then there are no locals and no rows.
    pub(crate) empty: bool,
}

impl Basic {
    /// All points.
    pub(crate) fn universe(n_dim: usize) -> Basic {
        Basic {
            divs: Divs::new(n_dim),
            eqs: Mat::new(1 + n_dim),
            ineqs: Mat::new(1 + n_dim),
            empty: false,
        }
    }

    /// No points.
    pub(crate) fn empty(n_dim: usize) -> Basic {
        Basic {
            empty: true,
            ..Basic::universe(n_dim)
        }
    }

    /// The number of dimensions, parameters included.
    #[inline]
    pub(crate) fn n_dim(&self) -> usize {
        self.divs.n_dim()
    }

    /// The number of locals.
    #[inline]
    pub(crate) fn n_div(&self) -> usize {
        self.divs.len()
    }

    /// The length of a row.
    #[inline]
    pub(crate) fn cols(&self) -> usize {
        1 + self.n_dim() + self.n_div()
    }

    /// The column of local `k`.
    #[inline]
    pub(crate) fn div_col(&self, k: usize) -> usize {
        1 + self.n_dim() + k
    }

    /// Makes this the empty conjunction.
    pub(crate) fn set_empty(&mut self) {
        *self = Basic::empty(self.n_dim());
    }

    /// Are there no constraints at all?
    pub(crate) fn is_plain_universe(&self) -> bool {
        !self.empty && self.eqs.is_empty() && self.ineqs.is_empty()
    }

    /// Adds `r = 0`; a row shorter than the columns is extended by zeros.
    pub(crate) fn add_eq(&mut self, r: &[Int]) {
        if !self.empty {
            let dst = self.eqs.push_zero();
            dst[..r.len()].clone_from_slice(r);
        }
    }

    /// Adds `r >= 0`; a row shorter than the columns is extended by zeros.
    pub(crate) fn add_ineq(&mut self, r: &[Int]) {
        if !self.empty {
            let dst = self.ineqs.push_zero();
            dst[..r.len()].clone_from_slice(r);
        }
    }

    /// Adds a local without definition and returns its number.
    pub(crate) fn add_unknown_div(&mut self) -> usize {
        let c = self.cols();
        self.divs.push_unknown();
        self.eqs.insert_cols(c, 1);
        self.ineqs.insert_cols(c, 1);
        self.n_div() - 1
    }

    /// Adds the local `floor(num / den)`, or finds an equal one, and returns its number.
    pub(crate) fn add_div(&mut self, den: &Int, num: &[Int]) -> usize {
        if let Some(k) = self.divs.find(den, num) {
            return k;
        }
        let c = self.cols();
        let mut full = num.to_vec();
        full.resize(c, Int::ZERO);
        self.divs.push(den, &full);
        self.eqs.insert_cols(c, 1);
        self.ineqs.insert_cols(c, 1);
        self.n_div() - 1
    }

    /// Is the column of any row or definition used?
    pub(crate) fn col_is_used(&self, col: usize) -> bool {
        self.eqs.iter().chain(self.ineqs.iter()).any(|r| !r[col].is_zero()) || self.col_in_divs(col)
    }

    /// Is the column used in the definition of a local?
    pub(crate) fn col_in_divs(&self, col: usize) -> bool {
        (0..self.n_div()).any(|k| !self.divs.num(k)[col].is_zero())
    }

    /// Removes local `k`, whose column no row or definition uses.
    pub(crate) fn remove_div(&mut self, k: usize) {
        let c = self.div_col(k);
        self.divs.remove(k);
        self.eqs.remove_cols(c, 1);
        self.ineqs.remove_cols(c, 1);
    }

    /// Removes the marked locals, whose columns no row or definition uses.
    pub(crate) fn remove_divs(&mut self, gone: &[bool]) {
        let first = 1 + self.n_dim();
        let keep: Vec<usize> = (0..self.n_div()).filter(|&k| !gone[k]).collect();
        let cols: Vec<_> = (0..first).chain(keep.iter().map(|k| first + k)).map(Some).collect();
        self.divs = self.divs.select_rows(&keep).select_cols(&cols, first - 1);
        self.eqs = self.eqs.select_cols(&cols);
        self.ineqs = self.ineqs.select_cols(&cols);
    }

    /// Adds the locals of another list and returns, for each of its constraint columns, the column here.
    ///
    /// Known locals that are equal are shared; unknown ones are always added anew.
    pub(crate) fn import_divs(&mut self, other: &Divs) -> Vec<usize> {
        debug_assert_eq!(self.n_dim(), other.n_dim());
        let mut map: Vec<usize> = (0..=other.n_dim()).collect();
        for k in 0..other.len() {
            let here = if other.is_known(k) {
                let num = self.map_row(&other.num(k)[..map.len()], &map);
                self.add_div(other.den(k), &num)
            } else {
                self.add_unknown_div()
            };
            map.push(self.div_col(here));
        }
        map
    }

    /// A row of another conjunction, whose column `j` is `map[j]` here.
    pub(crate) fn map_row(&self, r: &[Int], map: &[usize]) -> Vec<Int> {
        let mut out = vec![Int::ZERO; self.cols()];
        for (x, &c) in r.iter().zip(map) {
            if !x.is_zero() {
                out[c] = x.clone();
            }
        }
        out
    }

    /// Adds all constraints of `other`, which has the same dimensions. The result is not simplified.
    pub(crate) fn conjoin(&mut self, other: &Basic) {
        if self.empty {
            return;
        }
        if other.empty {
            self.set_empty();
            return;
        }
        let map = self.import_divs(&other.divs);
        self.eqs.extend_mapped(&other.eqs, &map);
        self.ineqs.extend_mapped(&other.ineqs, &map);
    }

    /// The conjunction with columns chosen anew: new dimension column `j` (from 1) is old column `from[j - 1]`, or unused.
    ///
    /// Old dimension columns that are not chosen must be unused.
    pub(crate) fn select_dims(&self, from: &[Option<usize>]) -> Basic {
        let n_dim = from.len();
        let mut cols = Vec::with_capacity(self.cols());
        cols.push(Some(0));
        cols.extend_from_slice(from);
        cols.extend((0..self.n_div()).map(|k| Some(self.div_col(k))));
        Basic {
            divs: self.divs.select_cols(&cols, n_dim),
            eqs: self.eqs.select_cols(&cols),
            ineqs: self.ineqs.select_cols(&cols),
            empty: self.empty,
        }
    }

    /// Inserts `n` unconstrained dimensions before column `col`.
    pub(crate) fn insert_dims(&mut self, col: usize, n: usize) {
        self.divs.insert_dims(col - 1, n);
        self.eqs.insert_cols(col, n);
        self.ineqs.insert_cols(col, n);
    }

    /// Turns `n` dimensions from column `col` on into locals without definition; the elements stay the same otherwise.
    ///
    /// They become the first locals, so that definitions which use them stay valid.
    pub(crate) fn dims_to_divs(&mut self, col: usize, n: usize) {
        if n == 0 {
            return;
        }
        if self.empty {
            *self = Basic::empty(self.n_dim() - n);
            return;
        }
        let n_dim = self.n_dim() - n;
        let keep = (0..col).chain(col + n..1 + self.n_dim());
        let order: Vec<_> = keep.chain(col..col + n).chain(1 + self.n_dim()..self.cols()).map(Some).collect();
        let mut divs = Divs::unknown(n_dim, n);
        let old = self.divs.select_cols(&order, n_dim);
        for k in 0..old.len() {
            if old.is_known(k) {
                let len = 1 + n_dim + divs.len();
                divs.push(old.den(k), &old.num(k)[..len]);
            } else {
                divs.push_unknown();
            }
        }
        self.divs = divs;
        self.eqs = self.eqs.select_cols(&order);
        self.ineqs = self.ineqs.select_cols(&order);
    }

    /// The two inequalities that the definition of known local `k` implies:
    /// `num - den*q >= 0` and `-num + den*q + den - 1 >= 0`.
    pub(crate) fn div_bounds(&self, k: usize) -> [Vec<Int>; 2] {
        let c = self.div_col(k);
        let mut lo = self.divs.num(k).to_vec();
        lo[c] = -self.divs.den(k);
        let mut hi = lo.clone();
        row::negate(&mut hi);
        hi[0] += self.divs.den(k) - &Int::ONE;
        [lo, hi]
    }

    /// The values of the locals at a point, when all are known; `x` is `[1, dims..]` and is extended.
    pub(crate) fn eval_divs(&self, x: &mut Vec<Int>) {
        for k in 0..self.n_div() {
            let v = row::dot(&self.divs.num(k)[..x.len()], x);
            x.push(v.div_floor(self.divs.den(k)));
        }
    }
}
