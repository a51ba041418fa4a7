//! Integer search in a bounded polytope along a reduced basis.
//!
//! Generalised basis reduction (Cook, Rutherford, Scarf, Shallcross, "An implementation of the generalized basis reduction
//! algorithm for integer programming", 1993; as in isl and MLIR): directions in which the polytope is thin come first, so that
//! few values have to be tried. `F_i(b)` is the width of the polytope in direction `b` over pairs of points that agree in the
//! directions before `i`; the dual value of the last of these agreements is the multiple of `b_i` that makes `b_{i+1}` thinnest.

use super::tableau::Snapshot;
use super::{Dir, Frac, Optimum, Tableau};
use crate::error::Result;
use crate::num::{Budget, Int, Mat, row};

struct Level {
    snapshot: Snapshot,
    next: Int,
    last: Int,
}

/// An integer point of the polytope of the tableau with constraints `ineqs`, which must be bounded. The tableau is left as it
/// was.
pub(crate) fn search_bounded(t: &mut Tableau, ineqs: &Mat, b: &Budget) -> Result<Option<Vec<Int>>> {
    let start = t.snapshot();
    let found = search(t, ineqs, b);
    t.rollback(start, b)?;
    found
}

fn search(t: &mut Tableau, ineqs: &Mat, b: &Budget) -> Result<Option<Vec<Int>>> {
    let n = t.n_var();
    let mut basis = Mat::identity(n);
    let mut stack: Vec<Level> = Vec::new();
    loop {
        // Descend: the constraints of `stack.len()` directions are in place.
        if !t.is_empty() {
            if let Some(p) = t.integer_sample() {
                return Ok(Some(p));
            }
            if stack.len() < n
                && let Some((next, last)) = range(t, ineqs, &mut basis, &stack, b)?
            {
                stack.push(Level {
                    snapshot: t.snapshot(),
                    next,
                    last,
                });
            }
        }
        // Take the next value of the innermost direction that has one.
        loop {
            let depth = stack.len();
            let Some(top) = stack.last_mut() else { return Ok(None) };
            t.rollback(top.snapshot, b)?;
            if top.next <= top.last {
                let mut eq = Vec::with_capacity(1 + n);
                eq.push(-&top.next);
                eq.extend_from_slice(&basis[depth - 1]);
                top.next += Int::ONE;
                t.add_eq(&eq, b)?;
                break;
            }
            stack.pop();
        }
    }
}

/// The integer values of the next direction, after reducing the basis when there is more than one.
fn range(t: &mut Tableau, ineqs: &Mat, basis: &mut Mat, fixed: &[Level], b: &Budget) -> Result<Option<(Int, Int)>> {
    let level = fixed.len();
    let first = integer_range(t, &basis[level], b)?;
    match &first {
        Some((lo, hi)) if lo < hi => {
            let mut w = Widths::new(ineqs, b)?;
            for (i, l) in fixed.iter().enumerate() {
                // The value being tried is the one before the next.
                w.fix(&basis[i], &(&l.next - &Int::ONE), b)?;
            }
            reduce_basis(w, basis, level, b)?;
            integer_range(t, &basis[level], b)
        }
        _ => Ok(first),
    }
}

fn integer_range(t: &mut Tableau, dir: &[Int], b: &Budget) -> Result<Option<(Int, Int)>> {
    let expr: Vec<Int> = std::iter::once(Int::ZERO).chain(dir.iter().cloned()).collect();
    let lo = t.optimum(&expr, Dir::Down, b)?;
    let hi = t.optimum(&expr, Dir::Up, b)?;
    match (lo, hi) {
        (Optimum::Bounded(lo), Optimum::Bounded(hi)) => {
            let (lo, hi) = (lo.ceil(), hi.floor());
            Ok((lo <= hi).then_some((lo, hi)))
        }
        (Optimum::Empty, _) | (_, Optimum::Empty) => Ok(None),
        _ => Err(crate::error::Error::Unbounded),
    }
}

/// Widths of a polytope: the tableau of pairs of its points.
struct Widths {
    pairs: Tableau,
    n: usize,
    /// Constraint numbers of the two inequalities of each agreement, with the state before it.
    agreements: Vec<(usize, Snapshot)>,
}

/// A width with the dual value `num / den` of the last agreement.
struct Width {
    value: Frac,
    dual: Frac,
}

impl Widths {
    fn new(ineqs: &Mat, b: &Budget) -> Result<Widths> {
        let n = ineqs.cols() - 1;
        let mut pairs = Tableau::with_capacity(2 * n, 2 * ineqs.len() + 2 * n);
        for r in ineqs.iter() {
            for half in 0..2 {
                pairs.add_ineq(&Widths::half_row(&r[0], &r[1..], half), b)?;
            }
        }
        Ok(Widths {
            pairs,
            n,
            agreements: Vec::new(),
        })
    }

    /// `[const, coefs]` of the first or second point.
    fn half_row(constant: &Int, coefs: &[Int], half: usize) -> Vec<Int> {
        let n = coefs.len();
        let mut r = vec![Int::ZERO; 1 + 2 * n];
        r[0] = constant.clone();
        r[1 + half * n..1 + (half + 1) * n].clone_from_slice(coefs);
        r
    }

    /// Both points have that value in direction `dir`.
    fn fix(&mut self, dir: &[Int], value: &Int, b: &Budget) -> Result<()> {
        for half in 0..2 {
            self.pairs.add_eq(&Widths::half_row(&-value, dir, half), b)?;
        }
        Ok(())
    }

    fn difference(&self, dir: &[Int]) -> Vec<Int> {
        let mut r = Vec::with_capacity(1 + 2 * self.n);
        r.push(Int::ZERO);
        r.extend_from_slice(dir);
        r.extend(dir.iter().map(|x| -x));
        r
    }

    fn agree_on(&mut self, dir: &[Int], b: &Budget) -> Result<()> {
        let mut r = self.difference(dir);
        let s = self.pairs.snapshot();
        let k = self.pairs.add_ineq(&r, b)?;
        row::negate(&mut r);
        self.pairs.add_ineq(&r, b)?;
        self.agreements.push((k, s));
        Ok(())
    }

    fn drop_agreement(&mut self, b: &Budget) -> Result<()> {
        match self.agreements.pop() {
            Some((_, s)) => self.pairs.rollback(s, b),
            None => Ok(()),
        }
    }

    fn width(&mut self, dir: &[Int], b: &Budget) -> Result<Width> {
        let r = self.difference(dir);
        let last = self.agreements.last().map(|a| a.0);
        let (value, dual) = self.pairs.optimum_with_dual(&r, last, b)?;
        Ok(Width { value, dual })
    }
}

/// Reduces the basis from direction `level` on; the earlier directions are fixed.
fn reduce_basis(mut w: Widths, basis: &mut Mat, level: usize, b: &Budget) -> Result<()> {
    let n = basis.len();
    if level + 1 >= n {
        return Ok(());
    }
    let mut i = level;
    // F_i(b_i) for the directions from `level` to `i`.
    let mut own = vec![w.width(&basis[level], b)?.value];
    while i + 1 < n {
        b.spend(1)?;
        w.agree_on(&basis[i], b)?;
        // F_{i+1}(b_{i+1}), and the best multiple of b_i to add.
        let next = w.width(&basis[i + 1], b)?;
        w.drop_agreement(b)?;
        let candidate = add_best_multiple(&mut w, basis, i, &next, b)?;
        if shrinks(&candidate, &own[i - level]) {
            basis.swap(i, i + 1);
            own.truncate(i - level);
            if i == level {
                own.push(candidate);
            } else {
                w.drop_agreement(b)?;
                i -= 1;
            }
        } else {
            w.agree_on(&basis[i], b)?;
            i += 1;
            own.push(next.value);
        }
    }
    Ok(())
}

/// Adds the multiple of `b_i` to `b_{i+1}` that makes it thinnest, and returns `F_i(b_{i+1})`.
fn add_best_multiple(w: &mut Widths, basis: &mut Mat, i: usize, next: &Width, b: &Budget) -> Result<Frac> {
    let u = next.dual.floor();
    add_row_multiple(basis, i, &u);
    let low = w.width(&basis[i + 1], b)?.value;
    if next.dual.is_integer() {
        return Ok(low);
    }
    add_row_multiple(basis, i, &Int::ONE);
    let high = w.width(&basis[i + 1], b)?.value;
    if low.cmp(&high).is_lt() {
        add_row_multiple(basis, i, &Int::NEG_ONE);
        return Ok(low);
    }
    Ok(high)
}

fn add_row_multiple(basis: &mut Mat, i: usize, u: &Int) {
    let (dst, src) = basis.pair_mut(i + 1, i);
    row::add_scaled(dst, u, src);
}

/// Is the candidate below 3/4 of the width so far?
fn shrinks(candidate: &Frac, width: &Frac) -> bool {
    let scaled = Frac::new(&width.num * &Int::new(3), &width.den * &Int::new(4));
    candidate.cmp(&scaled).is_lt()
}
