//! The polyhedral hull: the closure of the rational convex hull of a union.
//!
//! `conv(P ∪ Q)` is the projection of `{ (x, y, l) : y in l·P, x - y in (1 - l)·Q, 0 <= l <= 1 }` onto `x` (Balas, 1974);
//! the projection is rational Fourier-Motzkin elimination with removal of redundant rows in each step.

use super::Rel;
use super::affine_hull::grow;
use crate::basic::{Basic, fm_combine};
use crate::error::Result;
use crate::num::{Budget, Int, Mat, row};
use crate::simplex::Tableau;

impl Rel {
    /// The polyhedral hull, over the dimensions and the divisions of the pieces.
    ///
    /// The work is done inside the affine hull: its equalities take away a variable each.
    pub(crate) fn polyhedral_hull(&self, b: &Budget) -> Result<Basic> {
        let (frame, pieces) = self.coalesce(b)?.aligned_pieces(b)?;
        let mut eqs: Option<Mat> = None;
        for p in &pieces {
            grow(&mut eqs, p, b)?;
        }
        let Some(mut eqs) = eqs else {
            return Ok(Basic::empty(self.space.total_dim()));
        };
        let pivots = echelon(&mut eqs);
        let keep: Vec<Option<usize>> = (0..frame.cols()).filter(|c| !pivots.contains(c)).map(Some).collect();
        let mut hull: Option<Mat> = None;
        for p in &pieces {
            let mut rows = all_rows(p);
            for (e, &c) in eqs.iter().zip(&pivots) {
                for i in 0..rows.len() {
                    row::eliminate(&mut rows[i], e, c);
                }
            }
            let rows = drop_redundant(rows.select_cols(&keep), b)?;
            hull = Some(match hull {
                None => rows,
                Some(h) => join(&h, &rows, b)?,
            });
        }
        let mut out = frame;
        out.eqs = eqs;
        let places: Vec<usize> = keep.iter().flatten().copied().collect();
        if let Some(rows) = hull {
            out.ineqs.extend_mapped(&rows, &places);
        }
        out.simplify();
        out.remove_redundancies(b)?;
        Ok(out)
    }
}

/// Brings equalities into reduced echelon form; returns the pivot column of each.
fn echelon(eqs: &mut Mat) -> Vec<usize> {
    let mut pivots = Vec::with_capacity(eqs.len());
    for e in 0..eqs.len() {
        let Some(c) = row::last_nonzero(&eqs[e]).filter(|&c| c > 0) else {
            debug_assert!(false, "the equalities of an affine hull are independent");
            continue;
        };
        for i in 0..eqs.len() {
            if i != e {
                let (dst, src) = eqs.pair_mut(i, e);
                row::eliminate(dst, src, c);
            }
        }
        pivots.push(c);
    }
    pivots
}

/// All constraints as inequalities, those of divisions included.
fn all_rows(p: &Basic) -> Mat {
    let mut m = p.ineqs.clone();
    for r in p.eqs.iter() {
        m.push(r);
        m.push_vec(r.iter().map(|x| -x).collect());
    }
    for k in 0..p.n_div() {
        for r in p.div_bounds(k) {
            m.push_vec(r);
        }
    }
    m
}

fn join(p: &Mat, q: &Mat, b: &Budget) -> Result<Mat> {
    let n = p.cols() - 1;
    // Columns: const, x, y, l.
    let cols = 2 * n + 2;
    let mut m = Mat::new(cols);
    for r in p.iter() {
        let new = m.push_zero();
        new[1 + n..=2 * n].clone_from_slice(&r[1..]);
        new[2 * n + 1] = r[0].clone();
    }
    for r in q.iter() {
        let new = m.push_zero();
        new[0] = r[0].clone();
        new[1..=n].clone_from_slice(&r[1..]);
        for (x, a) in new[1 + n..=2 * n].iter_mut().zip(&r[1..]) {
            *x = -a;
        }
        new[2 * n + 1] = -&r[0];
    }
    let l = m.push_zero();
    l[2 * n + 1] = Int::ONE;
    let l = m.push_zero();
    l[0] = Int::ONE;
    l[2 * n + 1] = Int::NEG_ONE;
    for c in (1 + n..cols).rev() {
        m = eliminate_rational(m, c, b)?;
    }
    m.remove_cols(1 + n, n + 1);
    Ok(m)
}

fn eliminate_rational(m: Mat, c: usize, b: &Budget) -> Result<Mat> {
    let mut out = Mat::new(m.cols());
    for l in m.iter() {
        if l[c].is_zero() {
            push_new(&mut out, l.to_vec());
        }
        if !l[c].is_pos() {
            continue;
        }
        for u in m.iter().filter(|u| u[c].is_neg()) {
            b.spend(1)?;
            push_new(&mut out, fm_combine(l, u, c));
        }
    }
    drop_redundant(out, b)
}

fn push_new(m: &mut Mat, mut r: Vec<Int>) {
    let g = row::gcd(&r);
    if g.is_zero() {
        return;
    }
    row::div_exact(&mut r, &g);
    if !row::is_zero(&r[1..]) && !m.iter().any(|o| *o == r) {
        m.push_vec(r);
    }
}

fn drop_redundant(m: Mat, b: &Budget) -> Result<Mat> {
    let mut t = Tableau::from_ineqs(&m, b)?;
    let mut out = Mat::new(m.cols());
    for (i, r) in m.iter().enumerate() {
        if t.is_empty() || !t.drop_if_rationally_redundant(i, b)? {
            out.push(r);
        }
    }
    Ok(out)
}
