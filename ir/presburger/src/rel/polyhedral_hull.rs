//! The polyhedral hull: the closure of the rational convex hull of a union.
//!
//! `conv(P ∪ Q)` is the projection of `{ (x, y, l) : y in l·P, x - y in (1 - l)·Q, 0 <= l <= 1 }` onto `x` (Balas, 1974);
//! the projection is rational Fourier-Motzkin elimination with removal of redundant rows in each step.

use super::Rel;
use crate::basic::{Basic, fm_combine};
use crate::error::Result;
use crate::num::{Budget, Int, Mat, row};
use crate::simplex::Tableau;

impl Rel {
    /// The polyhedral hull, over the dimensions and the divisions of the pieces.
    pub(crate) fn polyhedral_hull(&self, b: &Budget) -> Result<Basic> {
        let (frame, pieces) = self.aligned_pieces(b)?;
        let mut hull: Option<Mat> = None;
        for p in &pieces {
            let rows = all_rows(p);
            hull = Some(match hull {
                None => rows,
                Some(h) => join(&h, &rows, b)?,
            });
        }
        let Some(rows) = hull else {
            return Ok(Basic::empty(self.space.total_dim()));
        };
        let mut out = frame;
        out.ineqs = rows;
        out.simplify();
        out.remove_redundancies(b)?;
        Ok(out)
    }
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
