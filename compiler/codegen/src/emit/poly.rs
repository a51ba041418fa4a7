//! Index values and addresses as polynomials over Cranelift values, modulo 2^64.
//!
//! Addresses are sums of products of subscripts and strides. Kept as polynomials, they can be put together anew wherever they are needed: what doesn't change in a loop first and outside
//! of it, then what does. Since everything is exact modulo 2^64, the order of additions doesn't matter.

use cranelift_codegen::ir::Value;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// A product of values, sorted; empty for the constant term.
pub(crate) type Mono = SmallVec<[Value; 3]>;

/// Terms beyond which a polynomial is computed and taken as one value.
const MAX_TERMS: usize = 48;
/// Factors of a product, likewise.
const MAX_DEGREE: usize = 4;

/// A polynomial: coefficient of each product, none zero.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Poly(BTreeMap<Mono, i64>);

impl Poly {
    pub(crate) fn constant(c: i64) -> Self {
        let mut p = Self::default();
        p.add_term(Mono::new(), c);
        p
    }

    pub(crate) fn value(v: Value) -> Self {
        let mut p = Self::default();
        p.add_term(Mono::from_slice(&[v]), 1);
        p
    }

    fn add_term(&mut self, mono: Mono, c: i64) {
        use std::collections::btree_map::Entry;
        if c == 0 {
            return;
        }
        match self.0.entry(mono) {
            Entry::Vacant(e) => {
                e.insert(c);
            }
            Entry::Occupied(mut e) => {
                let sum = e.get().wrapping_add(c);
                if sum == 0 {
                    e.remove();
                } else {
                    *e.get_mut() = sum;
                }
            }
        }
    }

    /// The number, if that is all.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Mono::new()).copied(),
            _ => None,
        }
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        for (mono, &c) in &other.0 {
            sum.add_term(mono.clone(), c);
        }
        sum
    }

    pub(crate) fn scale(&self, by: i64) -> Self {
        let mut product = Self::default();
        for (mono, &c) in &self.0 {
            product.add_term(mono.clone(), c.wrapping_mul(by));
        }
        product
    }

    /// The product, unless it gets too large.
    pub(crate) fn mul(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (a, &x) in &self.0 {
            for (b, &y) in &other.0 {
                let mut mono = a.clone();
                mono.extend_from_slice(b);
                if mono.len() > MAX_DEGREE {
                    return None;
                }
                mono.sort_unstable();
                product.add_term(mono, x.wrapping_mul(y));
            }
        }
        (product.0.len() <= MAX_TERMS).then_some(product)
    }

    /// Whether it is small enough to go on with.
    pub(crate) fn is_small(&self) -> bool {
        self.0.len() <= MAX_TERMS
    }

    /// Splits off the constant term.
    pub(crate) fn split_constant(mut self) -> (Self, i64) {
        let c = self.0.remove(&Mono::new()).unwrap_or(0);
        (self, c)
    }

    /// Products and coefficients.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&Mono, i64)> {
        self.0.iter().map(|(m, &c)| (m, c))
    }

    /// Parts of the sum whose products have the same key.
    pub(crate) fn group(&self, mut key: impl FnMut(&Mono) -> u32) -> BTreeMap<u32, Self> {
        let mut groups: BTreeMap<u32, Self> = BTreeMap::new();
        for (mono, &c) in &self.0 {
            groups.entry(key(mono)).or_default().add_term(mono.clone(), c);
        }
        groups
    }

    /// Splits into the coefficient of `x` (products that hold it, with one factor `x` taken out) and the rest.
    pub(crate) fn split_by(self, x: Value) -> (Self, Self) {
        let (mut with, mut without) = (Self::default(), Self::default());
        for (mut mono, c) in self.0 {
            if let Some(at) = mono.iter().position(|&v| v == x) {
                mono.remove(at);
                with.add_term(mono, c);
            } else {
                without.add_term(mono, c);
            }
        }
        (with, without)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_codegen::entity::EntityRef;

    #[test]
    fn algebra() {
        let (x, y) = (Value::new(1), Value::new(2));
        let p = Poly::value(x).add(&Poly::constant(3)); // x + 3
        let q = Poly::value(y).scale(8); // 8y
        let product = p.mul(&q).unwrap(); // 8xy + 24y
        let (by_x, rest) = product.clone().split_by(x);
        assert_eq!(by_x, q);
        assert_eq!(rest, Poly::value(y).scale(24));
        assert_eq!(product.add(&product.scale(-1)).as_constant(), Some(0));
        assert_eq!(p.split_constant(), (Poly::value(x), 3));
    }

    #[test]
    fn growth_is_bounded() {
        let mut p = Poly::value(Value::new(0)).add(&Poly::value(Value::new(1)));
        let q = p.clone();
        while let Some(next) = p.mul(&q) {
            p = next;
        }
        assert!(p.terms().all(|(m, _)| m.len() <= MAX_DEGREE));
    }
}
