//! From a conjunction to inequalities over independent integer variables.
//!
//! The integer solutions of the equalities are a lattice `x = T·(1, y)` with `y` free integers; it is found by unimodular
//! column operations (the column Hermite form, one equality at a time). What remains are inequalities over `y`.

use crate::basic::Basic;
use crate::num::{Int, Mat, row};

/// Inequalities over independent integer variables `y`, and how to get the columns of the conjunction back.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// Rows `[const, y..]`.
    pub(crate) ineqs: Mat,
    /// Row `j` gives column `j` of the conjunction (column 0 is the constant 1) in terms of `[1, y..]`.
    pub(crate) recover: Mat,
}

impl Problem {
    /// The problem of a conjunction, locals being variables like any other; `None` when its equalities have no integer
    /// solution.
    pub(crate) fn new(b: &Basic) -> Option<Problem> {
        if b.eqs.is_empty() {
            return Problem::without_eqs(b);
        }
        let cols = b.cols();
        let mut all = Mat::with_capacity(cols, b.eqs.len() + b.ineqs.len() + 2 * b.n_div() + cols);
        for r in b.eqs.iter() {
            all.push(r);
        }
        let n_eq = all.len();
        for r in b.ineqs.iter() {
            all.push(r);
        }
        for k in 0..b.n_div() {
            if b.divs.is_known(k) {
                for r in b.div_bounds(k) {
                    all.push_vec(r);
                }
            }
        }
        let n_row = all.len();
        for j in 0..cols {
            all.push_zero()[j] = Int::ONE;
        }
        let mut fixed = Vec::new();
        for e in 0..n_eq {
            if let Some(c) = solve_eq(&mut all, e)? {
                fixed.push(c);
            }
        }
        let keep: Vec<_> = (0..cols).filter(|c| !fixed.contains(c)).map(Some).collect();
        let all = all.select_cols(&keep);
        let mut p = Problem {
            ineqs: Mat::new(keep.len()),
            recover: Mat::new(keep.len()),
        };
        for i in n_eq..n_row {
            p.ineqs.push(&all[i]);
        }
        for i in n_row..all.len() {
            p.recover.push(&all[i]);
        }
        tighten(&mut p.ineqs).then_some(p)
    }

    fn without_eqs(b: &Basic) -> Option<Problem> {
        let mut ineqs = b.ineqs.clone();
        for k in 0..b.n_div() {
            if b.divs.is_known(k) {
                for r in b.div_bounds(k) {
                    ineqs.push_vec(r);
                }
            }
        }
        tighten(&mut ineqs).then(|| Problem {
            ineqs,
            recover: Mat::identity(b.cols()),
        })
    }

    /// An expression over the columns of the conjunction in terms of `[1, y..]`.
    pub(crate) fn express(&self, r: &[Int]) -> Vec<Int> {
        let mut out = vec![Int::ZERO; self.recover.cols()];
        for (x, t) in r.iter().zip(self.recover.iter()) {
            if !x.is_zero() {
                row::add_scaled(&mut out, x, t);
            }
        }
        out
    }

    /// `[1, columns..]` of the conjunction at the point `y`.
    pub(crate) fn point(&self, y: &[Int]) -> Vec<Int> {
        let y: Vec<Int> = std::iter::once(Int::ONE).chain(y.iter().cloned()).collect();
        self.recover.iter().map(|t| row::dot(t, &y)).collect()
    }
}

/// Divides rows by their common divisors and rounds; false when a row without variables is violated.
pub(crate) fn tighten(m: &mut Mat) -> bool {
    let mut ok = true;
    for i in 0..m.len() {
        crate::basic::normalise_ineq(&mut m[i]);
        ok &= !row::is_zero(&m[i][1..]) || !m[i][0].is_neg();
    }
    m.retain(|r| !row::is_zero(&r[1..]));
    ok
}

/// Solves equality row `e` by column operations: afterwards one variable is fixed to zero, its column is returned.
/// `None` when there is no integer solution.
fn solve_eq(all: &mut Mat, e: usize) -> Option<Option<usize>> {
    let mut live: Vec<usize> = (1..all.cols()).filter(|&c| !all[e][c].is_zero()).collect();
    loop {
        let Some(&p) = live.iter().min_by_key(|&&c| all[e][c].abs()) else {
            return all[e][0].is_zero().then_some(None);
        };
        let pivot = all[e][p].clone();
        if live.len() == 1 {
            if !all[e][0].is_divisible_by(&pivot) {
                return None;
            }
            let t = -all[e][0].div_exact(&pivot);
            add_col(all, 0, p, &t);
            // The variable is zero now: later equalities must not use its column.
            for i in 0..all.len() {
                all[i][p] = Int::ZERO;
            }
            return Some(Some(p));
        }
        for &c in &live {
            if c != p {
                let t = -all[e][c].div_floor(&pivot);
                add_col(all, c, p, &t);
            }
        }
        live.retain(|&c| !all[e][c].is_zero());
    }
}

/// Adds `t` times column `src` to column `dst`.
pub(crate) fn add_col(m: &mut Mat, dst: usize, src: usize, t: &Int) {
    for i in 0..m.len() {
        let r = &mut m[i];
        if !r[src].is_zero() {
            let x = r[src].clone();
            r[dst].add_mul(&x, t);
        }
    }
}
