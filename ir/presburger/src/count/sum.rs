//! Sums of powers (Faulhaber's polynomials).
//!
//! `S_k(n) = Σ_{t=0}^{n} t^k` is a polynomial in `n` with `Σ_{j<=k} C(k+1, j)·S_j(n) = (n+1)^{k+1}`. As polynomials,
//! `S_k(u) - S_k(l-1) = Σ_{t=l}^{u} t^k` for all integers `l <= u + 1`, negative ones too.

use super::poly::Poly;
use crate::error::Result;
use crate::num::{Budget, Int, Ratio};

/// `Σ_{v=low}^{high} p`, with affine bounds as polynomials.
pub(super) fn sum_between(p: &Poly, v: usize, low: &Poly, high: &Poly, b: &Budget) -> Result<Poly> {
    let coefficients = p.by_powers(v);
    let before = low.sub(&Poly::constant(Ratio::ONE));
    let upper = power_sums(coefficients.len(), high, b)?;
    let lower = power_sums(coefficients.len(), &before, b)?;
    let mut out = Poly::default();
    for ((c, u), l) in coefficients.iter().zip(&upper).zip(&lower) {
        let range = u.sub(l);
        b.spend((c.len() * range.len()) as u64 + 1)?;
        out = out.add(&c.mul(&range));
    }
    Ok(out)
}

/// `S_0(n), .., S_{count-1}(n)`.
fn power_sums(count: usize, n: &Poly, b: &Budget) -> Result<Vec<Poly>> {
    let next = n.add(&Poly::constant(Ratio::ONE));
    let mut power = Poly::constant(Ratio::ONE);
    let mut sums: Vec<Poly> = Vec::with_capacity(count);
    for k in 0..count {
        b.spend((power.len() * next.len()) as u64 + 1)?;
        power = power.mul(&next);
        let mut s = power.clone();
        let mut binomial = Int::ONE;
        for (j, earlier) in sums.iter().enumerate() {
            s = s.sub(&earlier.scale(&Ratio::from(binomial.clone())));
            binomial = (&binomial * &Int::from(k + 1 - j)).div_exact(&Int::from(j + 1));
        }
        sums.push(s.scale(&Ratio::ONE.div_int(&Int::from(k + 1))));
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_cubes() {
        // Σ_{x=l}^{u} (x^3 - 2x), l = variable 1, u = variable 2.
        let x = Poly::linear(&[Int::ZERO, Int::ONE]);
        let p = x.mul(&x).mul(&x).sub(&x.scale(&Ratio::from(Int::new(2))));
        let low = Poly::linear(&[Int::ZERO, Int::ZERO, Int::ONE]);
        let high = Poly::linear(&[Int::ZERO, Int::ZERO, Int::ZERO, Int::ONE]);
        let s = sum_between(&p, 0, &low, &high, &Budget::unlimited()).unwrap();
        for l in -4..4_i64 {
            for u in l - 1..6 {
                let expect: i64 = (l..=u).map(|x| x * x * x - 2 * x).sum();
                let got = s.eval(&[Int::ZERO, Int::new(l), Int::new(u)]);
                assert_eq!(got.to_int(), Some(Int::new(expect)), "{l}..{u}");
            }
        }
    }
}
