//! Operations on rows of integers: the coefficient vectors of constraints, divisions and expressions.
//!
//! Convention: element 0 of a constraint row is its constant term.

use super::Int;

/// The greatest common divisor of all elements; zero for a zero row.
pub(crate) fn gcd(r: &[Int]) -> Int {
    // Most rows have a coefficient of one; looking for it is cheaper than a division.
    if r.iter().any(Int::is_unit) {
        return Int::ONE;
    }
    let mut g = Int::ZERO;
    for x in r {
        if !x.is_zero() {
            g = g.gcd(x);
            if g.is_one() {
                break;
            }
        }
    }
    g
}

/// Divides every element by `d`, which must divide them all.
pub(crate) fn div_exact(r: &mut [Int], d: &Int) {
    for x in r {
        if !x.is_zero() {
            *x = x.div_exact(d);
        }
    }
}

/// Changes all signs.
pub(crate) fn negate(r: &mut [Int]) {
    for x in r {
        x.negate();
    }
}

/// Are all elements zero?
pub(crate) fn is_zero(r: &[Int]) -> bool {
    r.iter().all(Int::is_zero)
}

/// The position of the first element that isn't zero.
pub(crate) fn first_nonzero(r: &[Int]) -> Option<usize> {
    r.iter().position(|x| !x.is_zero())
}

/// The position of the last element that isn't zero.
pub(crate) fn last_nonzero(r: &[Int]) -> Option<usize> {
    r.iter().rposition(|x| !x.is_zero())
}

/// `dst = a * dst + b * src`.
pub(crate) fn combine(dst: &mut [Int], a: &Int, b: &Int, src: &[Int]) {
    if a.is_one() {
        for (d, s) in dst.iter_mut().zip(src) {
            if !s.is_zero() {
                d.add_mul(b, s);
            }
        }
    } else {
        for (d, s) in dst.iter_mut().zip(src) {
            let mut v = &*d * a;
            v.add_mul(b, s);
            *d = v;
        }
    }
}

/// What an operation with this row costs, in operations with small numbers: about thirty times as much when its numbers have
/// left 64 bits, and in proportion to their length beyond.
pub(crate) fn weight(r: &[Int]) -> u64 {
    let words = r.iter().map(Int::words).max().unwrap_or(1);
    if words == 1 { 1 } else { 16 * words }
}

/// `dst += b * src`.
pub(crate) fn add_scaled(dst: &mut [Int], b: &Int, src: &[Int]) {
    combine(dst, &Int::ONE, b, src);
}

/// The sum of products.
pub(crate) fn dot(a: &[Int], b: &[Int]) -> Int {
    let mut s = Int::ZERO;
    for (x, y) in a.iter().zip(b) {
        if !x.is_zero() {
            s.add_mul(x, y);
        }
    }
    s
}

/// Eliminates column `col` of `dst` with the equality row `eq`, keeping the direction of `dst` (its multiplier is positive).
/// Returns the positive multiplier of `dst`.
pub(crate) fn eliminate(dst: &mut [Int], eq: &[Int], col: usize) -> Int {
    if dst[col].is_zero() {
        return Int::ONE;
    }
    let g = dst[col].gcd(&eq[col]);
    let mut a = eq[col].div_exact(&g);
    let mut b = -dst[col].div_exact(&g);
    if a.is_neg() {
        a.negate();
        b.negate();
    }
    combine(dst, &a, &b, eq);
    a
}

/// Are the rows equal from `from` on?
pub(crate) fn eq_from(a: &[Int], b: &[Int], from: usize) -> bool {
    a[from..] == b[from..]
}

/// Is one row the negation of the other from `from` on?
pub(crate) fn is_neg_from(a: &[Int], b: &[Int], from: usize) -> bool {
    a[from..].iter().zip(&b[from..]).all(|(x, y)| match (x.to_i64(), y.to_i64()) {
        (Some(x), Some(y)) => x.checked_neg() == Some(y),
        _ => -x == *y,
    })
}
