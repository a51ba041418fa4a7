//! Sparse vectors: sorted positions with values that aren't zero.

use std::cmp::Ordering;

use tilia_presburger::Int;

/// A sparse vector.
pub(super) type Sparse = Vec<(u32, Int)>;

/// `a·x + b·y`.
pub(super) fn combine(a: &Int, x: &Sparse, b: &Int, y: &Sparse) -> Sparse {
    let mut out = Sparse::with_capacity(x.len() + y.len());
    let (mut i, mut j) = (0, 0);
    while i < x.len() && j < y.len() {
        match x[i].0.cmp(&y[j].0) {
            Ordering::Less => {
                out.push((x[i].0, a * &x[i].1));
                i += 1;
            }
            Ordering::Greater => {
                out.push((y[j].0, b * &y[j].1));
                j += 1;
            }
            Ordering::Equal => {
                let mut v = a * &x[i].1;
                v.add_mul(b, &y[j].1);
                if !v.is_zero() {
                    out.push((x[i].0, v));
                }
                i += 1;
                j += 1;
            }
        }
    }
    out.extend(x[i..].iter().map(|(k, v)| (*k, a * v)));
    out.extend(y[j..].iter().map(|(k, v)| (*k, b * v)));
    out
}

/// Compares `x / p` with `y / q` lexicographically, `p` and `q` being positive.
pub(super) fn cmp_scaled(x: &Sparse, p: &Int, y: &Sparse, q: &Int) -> Ordering {
    let (mut i, mut j) = (0, 0);
    loop {
        let sign = match (x.get(i), y.get(j)) {
            (None, None) => return Ordering::Equal,
            (Some(a), None) => a.1.signum(),
            (None, Some(b)) => -b.1.signum(),
            (Some(a), Some(b)) => match a.0.cmp(&b.0) {
                Ordering::Less => a.1.signum(),
                Ordering::Greater => -b.1.signum(),
                Ordering::Equal => Int::cross(&a.1, q, &b.1, p).signum(),
            },
        };
        match sign.cmp(&0) {
            Ordering::Equal => {}
            o => return o,
        }
        i += 1;
        j += 1;
    }
}

/// The value at a position.
pub(super) fn at(x: &Sparse, k: u32) -> Option<&Int> {
    x.binary_search_by_key(&k, |e| e.0).ok().map(|i| &x[i].1)
}

/// Divides a vector and its denominator by their common divisor.
pub(super) fn normalise(v: &mut Sparse, den: &mut Int) {
    if den.is_one() {
        return;
    }
    let mut g = den.clone();
    for (_, x) in v.iter() {
        g = g.gcd(x);
        if g.is_one() {
            return;
        }
    }
    *den = den.div_exact(&g);
    for (_, x) in v {
        *x = x.div_exact(&g);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(v: &[(u32, i64)]) -> Sparse {
        v.iter().map(|&(k, x)| (k, Int::new(x))).collect()
    }

    #[test]
    fn combinations_drop_zeros() {
        let v = combine(&Int::new(2), &s(&[(0, 1), (3, 2), (9, 1)]), &Int::new(-1), &s(&[(1, 5), (3, 4)]));
        assert_eq!(v, s(&[(0, 2), (1, -5), (9, 2)]));
    }

    #[test]
    fn comparison_is_that_of_dense_vectors() {
        let (one, two) = (Int::ONE, Int::new(2));
        assert_eq!(cmp_scaled(&s(&[(1, 1)]), &one, &s(&[(0, 1)]), &one), Ordering::Less);
        assert_eq!(cmp_scaled(&s(&[(1, -1)]), &one, &s(&[(2, 1)]), &one), Ordering::Less);
        assert_eq!(cmp_scaled(&s(&[(0, 2), (4, 1)]), &two, &s(&[(0, 1)]), &one), Ordering::Greater);
        assert_eq!(
            cmp_scaled(&s(&[(0, 2), (4, 2)]), &two, &s(&[(0, 1), (4, 1)]), &one),
            Ordering::Equal
        );
    }
}
