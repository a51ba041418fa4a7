//! The integer affine hull: all equalities that hold at every element.
//!
//! The hull grows from one element: as long as some element violates an equality of the present hull, that element is joined
//! to it, which costs one equality. At most `n + 1` elements are needed (Karr's lattice of affine spaces).

use std::sync::Arc;

use super::Rel;
use crate::basic::Basic;
use crate::error::Result;
use crate::num::{Budget, Int, Mat, row};

impl Rel {
    /// The equalities that hold on all elements, over the dimensions and the divisions of the pieces.
    pub(crate) fn affine_hull(&self, b: &Budget) -> Result<Basic> {
        let known = self.compute_divs(b)?;
        let mut frame = Basic::universe(self.space.total_dim());
        for p in &known.parts {
            frame.import_divs(&p.divs);
        }
        let mut hull: Option<Mat> = None;
        for p in &known.parts {
            let mut q = frame.clone();
            q.conjoin(p);
            grow(&mut hull, &q, b)?;
        }
        match hull {
            None => Ok(Basic::empty(self.space.total_dim())),
            Some(eqs) => {
                frame.eqs = eqs;
                frame.simplify();
                Ok(frame)
            }
        }
    }

    /// The same elements with implied equalities explicit.
    pub(crate) fn detect_equalities(&self, b: &Budget) -> Result<Rel> {
        let mut parts = Vec::with_capacity(self.parts.len());
        for p in &self.parts {
            let find_out = |p: &Basic| -> Result<Arc<Basic>> {
                let mut q = p.clone();
                q.detect_equalities(b)?;
                Ok(Arc::new(q))
            };
            let q = match b.answers() {
                Some(answers) => answers.equalities.ask(Arc::clone(p), b, |p| Ok((find_out(p)?, 0)))?.0,
                None => find_out(p)?,
            };
            if !q.empty {
                parts.push(q);
            }
        }
        Ok(Rel {
            space: self.space.clone(),
            parts,
        })
    }

    /// The same elements without implied constraints.
    pub(crate) fn remove_redundancies(&self, b: &Budget) -> Result<Rel> {
        let mut parts = Vec::with_capacity(self.parts.len());
        for p in &self.parts {
            let mut q = (**p).clone();
            q.remove_redundancies(b)?;
            parts.push(q);
        }
        Ok(Rel::from_parts(self.space.clone(), parts))
    }
}

/// Joins the elements of `q` to the hull.
pub(super) fn grow(hull: &mut Option<Mat>, q: &Basic, b: &Budget) -> Result<()> {
    let eqs = match hull {
        Some(eqs) => eqs,
        None => {
            let Some(x) = q.sample(b)? else { return Ok(()) };
            hull.insert(point_hull(&x))
        }
    };
    let mut t = q.tableau(b)?;
    let mut i = 0;
    while i < eqs.len() {
        b.spend(1)?;
        let e = eqs[i].to_vec();
        match violation(q, &mut t, &e, b)? {
            None => i += 1,
            Some(x) => {
                join_point(eqs, &x);
                // Rows before `i` held on all of `q` and were combined with zero multiples only.
            }
        }
    }
    Ok(())
}

/// The equalities `x_c = value` of one point `[1, x..]`.
fn point_hull(x: &[Int]) -> Mat {
    let mut m = Mat::new(x.len());
    for c in 1..x.len() {
        let r = m.push_zero();
        r[0] = -&x[c];
        r[c] = Int::ONE;
    }
    m
}

/// An integer point of `q` at which `e` isn't zero.
fn violation(q: &Basic, t: &mut crate::simplex::Tableau, e: &[Int], b: &Budget) -> Result<Option<Vec<Int>>> {
    for sign in [Int::ONE, Int::NEG_ONE] {
        // sign·e >= 1
        let mut r: Vec<Int> = e.iter().map(|x| x * &sign).collect();
        r[0] -= Int::ONE;
        if t.is_separate(&r, b)? {
            continue;
        }
        let mut part = q.clone();
        part.add_ineq(&r);
        if let Some(x) = part.sample(b)? {
            return Ok(Some(x));
        }
    }
    Ok(None)
}

/// The affine hull of the solutions of `eqs` and a point at which some row isn't zero.
fn join_point(eqs: &mut Mat, x: &[Int]) {
    let values: Vec<Int> = eqs.iter().map(|e| row::dot(e, x)).collect();
    let Some(p) = values.iter().position(|v| !v.is_zero()) else {
        return;
    };
    for i in 0..eqs.len() {
        if i == p || values[i].is_zero() {
            continue;
        }
        let g = values[i].gcd(&values[p]);
        let (a, c) = (values[p].div_exact(&g), -values[i].div_exact(&g));
        let (dst, src) = eqs.pair_mut(i, p);
        row::combine(dst, &a, &c, src);
        let g = row::gcd(dst);
        if !g.is_zero() && !g.is_one() {
            row::div_exact(dst, &g);
        }
    }
    eqs.remove(p);
}
