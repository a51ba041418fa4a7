//! Exact elimination of local variables by one step of Gauss or Fourier-Motzkin.
//!
//! Over the integers the Fourier-Motzkin combination of a lower bound `a·e + f >= 0` and an upper bound `g - b·e >= 0` is
//! exact when `a = 1` or `b = 1` (Pugh, "The Omega test", 1991). A known division `q = floor(n/m)` with coefficient one is
//! bounded exactly by `q >= -f  <=>  n + m·f >= 0` and `q <= f  <=>  m·f - n + m - 1 >= 0`.

use super::Basic;
use crate::num::{Int, row};

/// Fourier-Motzkin steps that would make more rows than this are left to the parametric solver.
const MAX_PAIRS: usize = 64;

impl Basic {
    /// Uses equalities to remove or define unknown locals, and to remove known ones with coefficient one.
    pub(crate) fn solve_unknown_in_eqs(&mut self) -> bool {
        // Needs no new round: the echelon form has substituted already.
        self.drop_solved_unknowns();
        for e in 0..self.eqs.len() {
            let unknown = self.unknown_in(e);
            let done = match unknown.as_slice() {
                [] => self.remove_solved_known(e),
                [k] => self.solve_one_unknown(e, *k),
                several => self.combine_unknowns(e, several),
            };
            if done {
                return true;
            }
        }
        false
    }

    /// Drops every unknown local that one equality gives with coefficient one and that nothing else uses: after the echelon
    /// form, that is how substitution looks like.
    fn drop_solved_unknowns(&mut self) {
        let first = 1 + self.n_dim();
        let mut solved_eq = vec![false; self.eqs.len()];
        let mut solved = vec![false; self.n_div()];
        for (k, gone) in solved.iter_mut().enumerate() {
            if self.divs.is_known(k) {
                continue;
            }
            let q = first + k;
            let mut users = (0..self.eqs.len()).filter(|&e| !self.eqs[e][q].is_zero());
            let (Some(e), None) = (users.next(), users.next()) else { continue };
            if !solved_eq[e] && self.eqs[e][q].is_unit() && self.ineqs.iter().all(|r| r[q].is_zero()) {
                solved_eq[e] = true;
                *gone = true;
            }
        }
        if !solved.contains(&true) {
            return;
        }
        let mut e = 0;
        self.eqs.retain(|_| {
            e += 1;
            !solved_eq[e - 1]
        });
        self.remove_divs(&solved);
    }

    fn unknown_in(&self, e: usize) -> Vec<usize> {
        let r = &self.eqs[e];
        (0..self.n_div())
            .filter(|&k| !self.divs.is_known(k) && !r[self.div_col(k)].is_zero())
            .collect()
    }

    /// The equality's last local is known and has coefficient one: its definition becomes two inequalities.
    fn remove_solved_known(&mut self, e: usize) -> bool {
        let first = 1 + self.n_dim();
        let Some(c) = row::last_nonzero(&self.eqs[e]).filter(|&c| c >= first) else {
            return false;
        };
        if !self.eqs[e][c].is_unit() {
            return self.redefine_by_eq(e, c - first);
        }
        for r in self.div_bounds(c - first) {
            self.ineqs.push_vec(r);
        }
        self.substitute_local(e, c - first);
        true
    }

    /// The equality `g·q = L + c` makes `q` the division `floor(L / g)` plus a constant; that definition is preferred when
    /// the old one then says nothing more, so that sets with one stride but different offsets share their division.
    fn redefine_by_eq(&mut self, e: usize, k: usize) -> bool {
        let (g, num, c) = self.definition_from_eq(e, k);
        if self.has_definition(k, &g, &num) || self.is_single_local(&num) {
            return false;
        }
        let q = self.div_col(k);
        let mut bounds = self.div_bounds(k);
        for b in &mut bounds {
            row::eliminate(b, &self.eqs[e], q);
        }
        if bounds.iter().any(|b| !row::is_zero(&b[1..])) {
            return false;
        }
        // The old bounds hold as constants or contradict each other: keep them for the latter case.
        for b in bounds {
            self.ineqs.push_vec(b);
        }
        self.divs.define(k, g.clone(), &num);
        self.shift_local(k, 0, &c.div_ceil(&g));
        true
    }

    /// Is local `k` the division of `num` by `g` in normal form?
    fn has_definition(&self, k: usize, g: &Int, num: &[Int]) -> bool {
        let have = self.divs.num(k);
        let pairs = || have[1..].iter().zip(&num[1..]);
        self.divs.den(k) == g
            && ((have[0].is_zero() && pairs().all(|(a, b)| (a - b).is_divisible_by(g)))
                || (&have[0] + &Int::ONE == *g && pairs().all(|(a, b)| (a + b).is_divisible_by(g))))
    }

    /// Would the normal form merge a division of this numerator into a nested one?
    fn is_single_local(&self, num: &[Int]) -> bool {
        let first = row::first_nonzero(num);
        first == row::last_nonzero(num) && first.is_some_and(|c| c > self.n_dim())
    }

    /// Equality `e` as `g·q = num + c` with positive `g`, where `q` is local `k`.
    fn definition_from_eq(&self, e: usize, k: usize) -> (Int, Vec<Int>, Int) {
        let q = self.div_col(k);
        let mut num = self.eqs[e].to_vec();
        let g = num[q].abs();
        if num[q].is_pos() {
            row::negate(&mut num);
        }
        num[q] = Int::ZERO;
        let c = std::mem::take(&mut num[0]);
        (g, num, c)
    }

    fn solve_one_unknown(&mut self, e: usize, k: usize) -> bool {
        if self.eqs[e][self.div_col(k)].is_unit() {
            self.substitute_local(e, k);
            return true;
        }
        // g·q = num + c, so q = floor(num / g) + ceil(c / g).
        let (g, num, c) = self.definition_from_eq(e, k);
        self.shift_local(k, 0, &c.div_ceil(&g));
        self.define_local(k, g, num);
        true
    }

    /// Several unknowns in one equality: a unimodular change of these locals leaves only one in it.
    fn combine_unknowns(&mut self, e: usize, unknowns: &[usize]) -> bool {
        let mut live: Vec<usize> = unknowns.iter().map(|&k| self.div_col(k)).collect();
        while live.len() > 1 {
            let eq = &self.eqs[e];
            live.sort_by(|&a, &b| eq[a].abs().cmp(&eq[b].abs()).then(a.cmp(&b)));
            let p = live[0];
            for &c in &live[1..] {
                // x_p := x_p' - t·x_c makes the coefficient of x_c its remainder.
                let t = self.eqs[e][c].div_floor(&self.eqs[e][p]);
                self.add_col_multiple(c, p, &-t);
            }
            live.retain(|&c| !self.eqs[e][c].is_zero());
        }
        true
    }

    /// Adds `t` times column `src` to column `dst` in all rows. (No definition uses either.)
    fn add_col_multiple(&mut self, dst: usize, src: usize, t: &Int) {
        for m in [&mut self.eqs, &mut self.ineqs] {
            for i in 0..m.len() {
                let x = m[i][src].clone();
                m[i][dst].add_mul(&x, t);
            }
        }
    }

    /// Removes local `k`, which has coefficient one in equality `e`, and the equality.
    fn substitute_local(&mut self, e: usize, k: usize) {
        let q = self.div_col(k);
        let mut expr = self.eqs[e].to_vec();
        if expr[q].is_pos() {
            row::negate(&mut expr);
        }
        expr[q] = Int::ZERO;
        self.eqs.remove(e);
        self.replace_local(k, &expr);
    }

    /// Removes unknown locals by exact Fourier-Motzkin steps, and known ones that occur with coefficient one only.
    pub(crate) fn eliminate_locals(&mut self) -> bool {
        for k in (0..self.n_div()).rev() {
            let q = self.div_col(k);
            if self.eqs.iter().any(|r| !r[q].is_zero()) || self.col_in_divs(q) {
                continue;
            }
            let done = if self.divs.is_known(k) {
                self.linearise_div(k)
            } else {
                self.fourier_motzkin(k)
            };
            if done {
                return true;
            }
        }
        false
    }

    /// Removes an unknown local for which one side's bounds can be rounded to integers: `∃e: a_i·e + f_i >= 0, b_j·e <= g_j`
    /// holds exactly when `a_i·floor(g_j / b_j) + f_i >= 0` for all `i, j`. The divisions must not use other unknowns.
    pub(crate) fn round_bounds(&mut self) -> bool {
        for k in (0..self.n_div()).rev() {
            let q = self.div_col(k);
            if self.divs.is_known(k) || self.eqs.iter().any(|r| !r[q].is_zero()) {
                continue;
            }
            let side = |positive: bool| -> Vec<usize> {
                (0..self.ineqs.len())
                    .filter(|&i| !self.ineqs[i][q].is_zero() && self.ineqs[i][q].is_pos() == positive)
                    .collect()
            };
            let (lower, upper) = (side(true), side(false));
            let rounds = |rows: &[usize]| {
                rows.iter()
                    .all(|&i| self.ineqs[i][q].is_unit() || self.only_known(&self.ineqs[i], q))
            };
            let divisions = |rows: &[usize]| rows.iter().filter(|&&i| !self.ineqs[i][q].is_unit()).count();
            let options = [(&upper, &lower), (&lower, &upper)];
            let best = options.into_iter().filter(|(s, _)| rounds(s)).min_by_key(|(s, _)| divisions(s));
            if lower.len() * upper.len() > MAX_PAIRS {
                continue;
            }
            if let Some((rounded, other)) = best {
                let (rounded, other) = (rounded.clone(), other.clone());
                self.combine_rounded(k, &rounded, &other);
                return true;
            }
        }
        false
    }

    fn combine_rounded(&mut self, k: usize, rounded: &[usize], other: &[usize]) {
        let q = self.div_col(k);
        let cols = self.cols();
        let take = |m: &Basic, rows: &[usize]| rows.iter().map(|&i| m.ineqs[i].to_vec()).collect::<Vec<_>>();
        let (rounded, other) = (take(self, rounded), take(self, other));
        self.ineqs.retain(|r| r[q].is_zero());
        for r in rounded {
            // r = f + s·b·e >= 0 with s = ±1: e is bounded by s·(-floor(f / b)), that is -s·floor(f / b).
            let b = r[q].abs();
            let upper = r[q].is_neg();
            let mut f = r;
            f[q] = Int::ZERO;
            let bound: Vec<Int> = if b.is_one() {
                f
            } else {
                f.resize(self.cols(), Int::ZERO);
                let d = self.add_div(&b, &f);
                let mut e = vec![Int::ZERO; self.cols()];
                e[self.div_col(d)] = Int::ONE;
                e
            };
            for o in &other {
                // e := bound for an upper bound, -bound for a lower one.
                let mut n = vec![Int::ZERO; self.cols()];
                n[..cols].clone_from_slice(o);
                let c = std::mem::take(&mut n[q]);
                let c = if upper { c } else { -c };
                row::add_scaled(&mut n, &c, &bound);
                self.ineqs.push_vec(n);
            }
        }
        self.remove_div(k);
    }

    fn linearise_div(&mut self, k: usize) -> bool {
        let q = self.div_col(k);
        if self.ineqs.iter().any(|r| !r[q].is_zero() && !r[q].is_unit()) {
            return false;
        }
        let den = self.divs.den(k).clone();
        let num = self.divs.num(k).to_vec();
        for i in 0..self.ineqs.len() {
            let r = &mut self.ineqs[i];
            let c = std::mem::take(&mut r[q]);
            if c.is_zero() {
                continue;
            }
            row::combine(r, &den, &c, &num);
            if c.is_neg() {
                r[0] += &den - &Int::ONE;
            }
        }
        self.remove_div(k);
        true
    }

    fn fourier_motzkin(&mut self, k: usize) -> bool {
        let q = self.div_col(k);
        let bounds = |positive: bool| -> Vec<usize> {
            (0..self.ineqs.len())
                .filter(|&i| !self.ineqs[i][q].is_zero() && self.ineqs[i][q].is_pos() == positive)
                .collect()
        };
        let (lower, upper) = (bounds(true), bounds(false));
        if lower.len() * upper.len() > MAX_PAIRS {
            return false;
        }
        let exact = |l: usize, u: usize| shadow_is_exact(&self.ineqs[l], &self.ineqs[u], q);
        if !lower.iter().all(|&l| upper.iter().all(|&u| exact(l, u))) {
            return false;
        }
        let mut new = Vec::with_capacity(lower.len() * upper.len());
        for &l in &lower {
            for &u in &upper {
                new.push(fm_combine(&self.ineqs[l], &self.ineqs[u], q));
            }
        }
        self.ineqs.retain(|r| r[q].is_zero());
        for r in new {
            self.ineqs.push_vec(r);
        }
        self.remove_div(k);
        true
    }
}

/// Is there an integer between the bounds wherever there is a rational?
///
/// An integer satisfies all bounds of one variable exactly when one lies between each lower and each upper bound.
fn shadow_is_exact(lower: &[Int], upper: &[Int], q: usize) -> bool {
    let (a, b) = (&lower[q], -&upper[q]);
    if a.is_one() || b.is_one() {
        return true;
    }
    // Bounds of constant distance, wide enough for an integer in any position (the dark shadow).
    let constant = (1..lower.len()).all(|c| c == q || Int::cross(a, &upper[c], &-&b, &lower[c]).is_zero());
    constant && Int::cross(a, &upper[0], &-&b, &lower[0]) >= (a - &Int::ONE) * (&b - &Int::ONE)
}

/// The combination of a lower and an upper bound in which column `q` cancels.
pub(crate) fn fm_combine(lower: &[Int], upper: &[Int], q: usize) -> Vec<Int> {
    let g = lower[q].gcd(&upper[q]);
    let a = -upper[q].div_exact(&g);
    let b = lower[q].div_exact(&g);
    let mut r = lower.to_vec();
    row::combine(&mut r, &a, &b, upper);
    r
}
