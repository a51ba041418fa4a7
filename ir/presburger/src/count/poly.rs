//! Polynomials with rational coefficients over numbered variables.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::num::{Budget, Int, Ratio};

/// A sum of monomials. The exponents of a monomial stop at the last one that isn't zero, so that variables can be added freely.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Poly {
    terms: BTreeMap<Vec<u32>, Ratio>,
}

impl Poly {
    pub(super) fn constant(c: Ratio) -> Poly {
        let mut p = Poly::default();
        p.add_term(Vec::new(), c);
        p
    }

    /// The affine expression `[const, coefficients..]`.
    pub(super) fn linear(r: &[Int]) -> Poly {
        let mut p = Poly::constant(Ratio::from(r[0].clone()));
        for (v, c) in r[1..].iter().enumerate() {
            if !c.is_zero() {
                let mut e = vec![0; v + 1];
                e[v] = 1;
                p.add_term(e, Ratio::from(c.clone()));
            }
        }
        p
    }

    fn add_term(&mut self, mut exponents: Vec<u32>, c: Ratio) {
        while exponents.last() == Some(&0) {
            exponents.pop();
        }
        if c.is_zero() {
            return;
        }
        let sum = match self.terms.get(&exponents) {
            Some(old) => old.add(&c),
            None => c,
        };
        if sum.is_zero() {
            self.terms.remove(&exponents);
        } else {
            self.terms.insert(exponents, sum);
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The number of monomials: the cost of working with it.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Does variable `v` occur?
    pub(super) fn uses(&self, v: usize) -> bool {
        self.terms.keys().any(|e| e.get(v).is_some_and(|&k| k > 0))
    }

    /// The monomials: exponents by variable, and the coefficient.
    pub(super) fn terms(&self) -> impl DoubleEndedIterator<Item = (&[u32], &Ratio)> {
        self.terms.iter().map(|(e, c)| (e.as_slice(), c))
    }

    pub(super) fn add(&self, o: &Poly) -> Poly {
        let mut p = self.clone();
        for (e, c) in &o.terms {
            p.add_term(e.clone(), c.clone());
        }
        p
    }

    pub(super) fn sub(&self, o: &Poly) -> Poly {
        self.add(&o.scale(&Ratio::ONE.neg()))
    }

    pub(super) fn scale(&self, k: &Ratio) -> Poly {
        let mut p = Poly::default();
        for (e, c) in &self.terms {
            p.add_term(e.clone(), c.mul(k));
        }
        p
    }

    pub(super) fn mul(&self, o: &Poly) -> Poly {
        let mut p = Poly::default();
        for (e, c) in &self.terms {
            for (f, d) in &o.terms {
                let (long, short) = if e.len() >= f.len() { (e, f) } else { (f, e) };
                let mut sum = long.clone();
                for (x, y) in sum.iter_mut().zip(short) {
                    *x += y;
                }
                p.add_term(sum, c.mul(d));
            }
        }
        p
    }

    /// The coefficients of the powers of variable `v`.
    pub(super) fn by_powers(&self, v: usize) -> Vec<Poly> {
        let mut out: Vec<Poly> = Vec::new();
        for (e, c) in &self.terms {
            let k = e.get(v).copied().unwrap_or(0) as usize;
            if out.len() <= k {
                out.resize(k + 1, Poly::default());
            }
            let mut rest = e.clone();
            if let Some(x) = rest.get_mut(v) {
                *x = 0;
            }
            out[k].add_term(rest, c.clone());
        }
        out
    }

    /// The polynomial with variable `v` replaced.
    pub(super) fn substitute(&self, v: usize, by: &Poly, b: &Budget) -> Result<Poly> {
        let mut out = Poly::default();
        // Horner's scheme.
        for c in self.by_powers(v).iter().rev() {
            b.spend((out.len() * by.len() + c.len()) as u64 + 1)?;
            out = out.mul(by).add(c);
        }
        Ok(out)
    }

    /// The polynomial with variable `v` called `map[v]`; several may get one name.
    pub(super) fn rename(&self, map: &[usize]) -> Poly {
        let mut p = Poly::default();
        for (e, c) in &self.terms {
            let mut new = Vec::new();
            for (v, k) in e.iter().enumerate().filter(|(_, k)| **k > 0) {
                let to = map[v];
                if new.len() <= to {
                    new.resize(to + 1, 0);
                }
                new[to] += k;
            }
            p.add_term(new, c.clone());
        }
        p
    }

    /// The largest total degree of a monomial.
    pub(super) fn degree(&self) -> u32 {
        self.terms.keys().map(|e| e.iter().sum()).max().unwrap_or(0)
    }

    pub(super) fn eval(&self, values: &[Int]) -> Ratio {
        let mut sum = Ratio::ZERO;
        for (e, c) in &self.terms {
            let mut t = c.clone();
            for (x, k) in values.iter().zip(e) {
                t = t.mul(&Ratio::from(x.pow(*k)));
            }
            sum = sum.add(&t);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(v: &[i64]) -> Vec<Int> {
        v.iter().map(|&x| Int::new(x)).collect()
    }

    #[test]
    fn substitution_agrees_with_evaluation() {
        // (1 + 2x - y)^2 with x := 3y + z - 1.
        let l = Poly::linear(&row(&[1, 2, -1]));
        let p = l.mul(&l);
        let by = Poly::linear(&row(&[-1, 0, 3, 1]));
        let q = p.substitute(0, &by, &Budget::unlimited()).unwrap();
        for (y, z) in [(0, 0), (1, 2), (-3, 5)] {
            let x = 3 * y + z - 1;
            assert_eq!(q.eval(&row(&[77, y, z])), p.eval(&row(&[x, y, z])));
        }
        assert_eq!(p.degree(), 2);
        assert!(p.sub(&p).is_zero());
    }
}
