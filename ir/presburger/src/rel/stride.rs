//! Strides: the residue class that a dimension runs through.

use super::Rel;
use crate::error::Result;
use crate::func::Aff;
use crate::num::{Budget, Int, row};
use crate::space::DimType;

impl Rel {
    /// `(s, f)` such that output dimension `pos` is `f` modulo `s` at every element; `f` uses parameters, inputs and earlier
    /// output dimensions. `s = 1` when nothing is known.
    pub(crate) fn stride_info(&self, pos: usize, b: &Budget) -> Result<(Int, Aff)> {
        self.check_range(DimType::Out, pos, 1)?;
        let after = self.space.dim(DimType::Out) - pos - 1;
        let hull = self.project_out(DimType::Out, pos + 1, after)?.affine_hull(b)?;
        let wrapped = self.space.wrap();
        let col = self.space.offset(DimType::Out) + pos;
        let first_div = 1 + hull.n_dim();
        let mut best = (Int::ONE, Aff::zero(&wrapped));
        for e in hull.eqs.iter() {
            let m = row::gcd(&e[first_div..]);
            if e[col].is_zero() || m.is_zero() || m.is_one() {
                continue;
            }
            let (stride, offset) = residue(e, col, first_div, &m, &wrapped)?;
            if !stride.is_one() {
                best = combine(best, (stride, offset))?;
            }
        }
        Ok(best)
    }
}

/// From `a·x + f ≡ 0` modulo `m`: with `g = gcd(a, m)`, `x ≡ -(f/g)·(a/g)⁻¹` modulo `m/g`.
fn residue(e: &[Int], col: usize, first_div: usize, m: &Int, space: &crate::space::Space) -> Result<(Int, Aff)> {
    let a = &e[col];
    let g = a.gcd(m);
    let stride = m.div_exact(&g);
    let mut f: Vec<Int> = e[..first_div].iter().map(|x| -x).collect();
    f[col] = Int::ZERO;
    // The row may end before the dimensions after `col`.
    f.resize(1 + space.total_dim(), Int::ZERO);
    let f = Aff::from_parts(space.clone(), crate::basic::Divs::new(space.total_dim()), f);
    // `g` divides `f` at every element, so the floor division is exact there.
    let f = if g.is_one() { f } else { f.floor_div(&g)? };
    let inverse = inverse_mod(&a.div_exact(&g), &stride);
    Ok((stride, f.scale(&inverse)))
}

/// Both residue classes at once (Chinese remainders). Where they share a divisor, they agree modulo it.
fn combine(x: (Int, Aff), y: (Int, Aff)) -> Result<(Int, Aff)> {
    let g = x.0.gcd(&y.0);
    let (s, t) = (x.0.div_exact(&g), y.0.div_exact(&g));
    if t.is_one() {
        return Ok(x);
    }
    let difference = y.1.sub(&x.1)?;
    let difference = if g.is_one() { difference } else { difference.floor_div(&g)? };
    let k = difference.scale(&(inverse_mod(&s, &t) * &x.0));
    Ok((&x.0 * &t, x.1.add(&k)?))
}

/// The inverse of `a` modulo `m`, to which it is coprime; in `0..m`.
fn inverse_mod(a: &Int, m: &Int) -> Int {
    let (mut r0, mut r1) = (a.mod_floor(m), m.clone());
    let (mut x0, mut x1) = (Int::ONE, Int::ZERO);
    while !r1.is_zero() {
        let q = r0.div_floor(&r1);
        let r2 = &r0 - &q * &r1;
        let x2 = &x0 - &q * &x1;
        (r0, r1) = (r1, r2);
        (x0, x1) = (x1, x2);
    }
    x0.mod_floor(m)
}
