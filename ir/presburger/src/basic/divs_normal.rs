//! The normal form of divisions, and the recognition of divisions among unknown locals.
//!
//! `floor(num / den)` is normal when the coefficients of `num` lie in `(-den/2, den/2]`, its constant in `0..den`, the first
//! coefficient is positive, `num`'s coefficients and `den` have no common divisor, `den > 1`, and no equal local precedes it.

use super::{Basic, Divs};
use crate::num::{Int, Mat, row};

impl Basic {
    /// Brings all definitions into normal form. Returns whether a local went away.
    pub(crate) fn normalise_divs(&mut self) -> bool {
        let mut removed = false;
        let mut k = 0;
        while k < self.n_div() {
            if self.divs.is_known(k) {
                self.flatten_nested(k);
                self.reduce_div(k);
                if self.remove_trivial_div(k) || self.merge_equal_div(k) {
                    removed = true;
                    continue;
                }
            }
            k += 1;
        }
        removed | self.drop_unused_divs()
    }

    /// `floor((floor(n/m) + c) / d) = floor((n + c·m) / (m·d))`.
    fn flatten_nested(&mut self, k: usize) {
        loop {
            let num = self.divs.num(k);
            let Some(c) = row::first_nonzero(&num[1..]).map(|c| c + 1) else {
                return;
            };
            let first = 1 + self.n_dim();
            if c < first || !num[c].is_one() || row::last_nonzero(num) != Some(c) || !self.divs.is_known(c - first) {
                return;
            }
            let inner = c - first;
            let m = self.divs.den(inner).clone();
            let mut new = self.divs.num(inner).to_vec();
            new[0].add_mul(&num[0], &m);
            let den = self.divs.den(k) * &m;
            self.divs.define(k, den, &new);
        }
    }

    fn reduce_div(&mut self, k: usize) {
        loop {
            self.divide_div_by_gcd(k);
            self.reduce_div_coefficients(k);
            let num = self.divs.num(k);
            match row::first_nonzero(&num[1..]) {
                Some(i) if num[1 + i].is_neg() => self.flip_div(k),
                _ => return,
            }
        }
    }

    fn divide_div_by_gcd(&mut self, k: usize) {
        let g = row::gcd(&self.divs.num(k)[1..]).gcd(self.divs.den(k));
        if !g.is_zero() && !g.is_one() {
            let den = self.divs.den(k).div_exact(&g);
            let mut num = self.divs.num(k).to_vec();
            row::div_exact(&mut num[1..], &g);
            num[0] = num[0].div_floor(&g);
            self.divs.define(k, den, &num);
        }
    }

    fn reduce_div_coefficients(&mut self, k: usize) {
        let den = self.divs.den(k).clone();
        let two = Int::new(2);
        for c in 0..self.div_col(k) {
            let x = &self.divs.num(k)[c];
            if x.is_zero() {
                continue;
            }
            let t = if c == 0 {
                x.div_floor(&den)
            } else {
                (x * &two - &den).div_ceil(&(&den * &two))
            };
            if !t.is_zero() {
                self.divs.num_mut(k)[c].sub_mul(&t, &den);
                self.shift_local(k, c, &t);
            }
        }
    }

    /// Local `k` becomes smaller by `t` times column `c`.
    pub(crate) fn shift_local(&mut self, k: usize, c: usize, t: &Int) {
        let q = self.div_col(k);
        let shift = |r: &mut [Int]| {
            if !r[q].is_zero() {
                let x = r[q].clone();
                r[c].add_mul(&x, t);
            }
        };
        for i in 0..self.eqs.len() {
            shift(&mut self.eqs[i]);
        }
        for i in 0..self.ineqs.len() {
            shift(&mut self.ineqs[i]);
        }
        for j in k + 1..self.n_div() {
            shift(self.divs.num_mut(j));
        }
    }

    /// `floor(num/den) = -floor((-num + den - 1)/den)`.
    fn flip_div(&mut self, k: usize) {
        let q = self.div_col(k);
        let den = self.divs.den(k).clone();
        let num = self.divs.num_mut(k);
        row::negate(num);
        num[0] += den - Int::ONE;
        for i in 0..self.eqs.len() {
            self.eqs[i][q].negate();
        }
        for i in 0..self.ineqs.len() {
            self.ineqs[i][q].negate();
        }
        for j in k + 1..self.n_div() {
            self.divs.num_mut(j)[q].negate();
        }
    }

    /// Removes a division that is linear after all.
    fn remove_trivial_div(&mut self, k: usize) -> bool {
        let num = self.divs.num(k).to_vec();
        if self.divs.den(k).is_one() {
            self.replace_local(k, &num);
        } else if row::is_zero(&num[1..]) {
            // The constant was reduced to `0..den`.
            let zero = vec![Int::ZERO; num.len()];
            self.replace_local(k, &zero);
        } else {
            return false;
        }
        true
    }

    fn merge_equal_div(&mut self, k: usize) -> bool {
        let Some(j) = (0..k).find(|&j| self.divs.row(j) == self.divs.row(k)) else {
            return false;
        };
        let mut same = vec![Int::ZERO; self.cols()];
        same[self.div_col(j)] = Int::ONE;
        self.replace_local(k, &same);
        true
    }

    /// Replaces local `k` by an integer expression over columns before it, and removes it.
    pub(crate) fn replace_local(&mut self, k: usize, expr: &[Int]) {
        let q = self.div_col(k);
        let replace = |r: &mut [Int]| {
            if !r[q].is_zero() {
                let x = std::mem::take(&mut r[q]);
                row::add_scaled(r, &x, expr);
            }
        };
        for i in 0..self.eqs.len() {
            replace(&mut self.eqs[i]);
        }
        for i in 0..self.ineqs.len() {
            replace(&mut self.ineqs[i]);
        }
        for j in k + 1..self.n_div() {
            replace(self.divs.num_mut(j));
        }
        self.remove_div(k);
    }

    /// Removes locals that nothing uses.
    pub(crate) fn drop_unused_divs(&mut self) -> bool {
        let mut removed = false;
        for k in (0..self.n_div()).rev() {
            if !self.col_is_used(self.div_col(k)) {
                self.remove_div(k);
                removed = true;
            }
        }
        removed
    }

    /// Turns every known local whose definition uses an unknown one into an unknown local with explicit bounds.
    pub(crate) fn forget_dependent_divs(&mut self) {
        let first = 1 + self.n_dim();
        for k in 0..self.n_div() {
            let dependent = self.divs.is_known(k) && (0..k).any(|j| !self.divs.is_known(j) && !self.divs.num(k)[first + j].is_zero());
            if dependent {
                self.forget_div(k);
            }
        }
    }

    /// Forgets the definition of known local `k` and states its bounds instead.
    pub(crate) fn forget_div(&mut self, k: usize) {
        for r in self.div_bounds(k) {
            self.ineqs.push_vec(r);
        }
        self.divs.forget(k);
    }

    /// Finds pairs `f - m·e >= 0`, `-f + m·e + c >= 0` with `0 <= c < m` that make unknown `e` the division `floor(f / m)`.
    pub(crate) fn recognise_divs(&mut self) -> bool {
        let mut changed = false;
        let mut k = 0;
        while k < self.n_div() {
            if !self.divs.is_known(k)
                && let Some(upper) = self.find_div_bound(k)
            {
                let q = self.div_col(k);
                let m = -&self.ineqs[upper][q];
                let mut f = self.ineqs[upper].to_vec();
                f[q] = Int::ZERO;
                self.ineqs.swap_remove(upper);
                self.define_local(k, m, f);
                self.drop_implied_bound();
                changed = true;
                // The locals were reordered.
                k = 0;
                continue;
            }
            k += 1;
        }
        changed
    }

    /// The number of the row `f - m·e >= 0` of such a pair.
    fn find_div_bound(&self, k: usize) -> Option<usize> {
        let q = self.div_col(k);
        (0..self.ineqs.len()).find(|&u| {
            let up = &self.ineqs[u];
            up[q] < -1_i64
                && self.only_known(up, q)
                && self.ineqs.iter().any(|lo| {
                    lo[q].is_pos() && row::is_neg_from(up, lo, 1) && {
                        let gap = &up[0] + &lo[0];
                        !gap.is_neg() && gap < -&up[q]
                    }
                })
        })
    }

    /// Does the row use no unknown local other than the one in column `q`?
    pub(crate) fn only_known(&self, r: &[Int], q: usize) -> bool {
        let first = 1 + self.n_dim();
        (first..self.cols()).all(|c| c == q || r[c].is_zero() || self.divs.is_known(c - first))
    }

    /// Defines unknown local `k`, moving it behind all others.
    pub(crate) fn define_local(&mut self, k: usize, den: Int, num: Vec<Int>) {
        let n = self.n_div();
        let order: Vec<usize> = (0..n).filter(|&j| j != k).chain([k]).collect();
        self.permute_divs(&order);
        let first = 1 + self.n_dim();
        let moved: Vec<Int> = num[..first]
            .iter()
            .cloned()
            .chain(order.iter().map(|&j| num[first + j].clone()))
            .collect();
        self.divs.define(n - 1, den, &moved);
    }

    /// Removes the inequalities that the definition of the last local implies.
    fn drop_implied_bound(&mut self) {
        let bounds = self.div_bounds(self.n_div() - 1);
        self.ineqs.retain(|r| !bounds.iter().any(|b| b[1..] == r[1..] && b[0] <= r[0]));
    }

    /// Puts the locals in another order, in which definitions still use only earlier ones.
    pub(crate) fn permute_divs(&mut self, order: &[usize]) {
        let first = 1 + self.n_dim();
        let cols: Vec<_> = (0..first).chain(order.iter().map(|&k| first + k)).map(Some).collect();
        let old = std::mem::replace(&mut self.divs, Divs::new(first - 1)).select_cols(&cols, first - 1);
        let mut divs = Divs::new(first - 1);
        for &k in order {
            if old.is_known(k) {
                debug_assert!(
                    row::is_zero(&old.num(k)[first + divs.len()..]),
                    "definitions use earlier locals only"
                );
                divs.push(old.den(k), &old.num(k)[..first + divs.len()]);
            } else {
                divs.push_unknown();
            }
        }
        self.divs = divs;
        let select = |m: &Mat| m.select_cols(&cols);
        self.eqs = select(&self.eqs);
        self.ineqs = select(&self.ineqs);
    }
}
