//! The cheap normal form of a conjunction.
//!
//! After [`Basic::simplify`]:
//! - rows are divided by the common divisor of their coefficients, constants of inequalities rounded down (so that the
//!   integer points stay and the rational hull shrinks), rows without coefficients are gone;
//! - equalities are in reduced echelon form (pivot: unknown locals first, then the last column) and their pivots occur in
//!   no inequality;
//! - no two inequalities are parallel with the same sign; opposite ones leave a positive gap;
//! - definitions of locals use only dimensions and earlier known locals and are in the form of [`super::divs_normal`];
//! - unknown locals that can be eliminated exactly by one step of Gauss or Fourier-Motzkin are gone (see
//!   [`super::eliminate`]).
//!
//! No linear programme is solved here: redundancy and emptiness proper are decided by the simplex tableau.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::Basic;
use crate::num::{Int, Mat, row};

/// Rounds after which the form is taken as it is; real inputs need two or three.
const MAX_ROUNDS: usize = 40;

/// The conjunction was found to have no element.
pub(crate) struct Contradiction;

impl Basic {
    /// Brings the conjunction into the normal form without changing its elements.
    pub(crate) fn simplify(&mut self) {
        if !self.empty && self.try_simplify().is_err() {
            self.set_empty();
        }
    }

    fn try_simplify(&mut self) -> Result<(), Contradiction> {
        self.forget_dependent_divs();
        for _ in 0..MAX_ROUNDS {
            if self.n_div() > 0 {
                self.normalise_divs();
            }
            normalise_eqs(&mut self.eqs)?;
            let mut changed = self.gauss()?;
            normalise_ineqs(&mut self.ineqs)?;
            changed |= self.merge_parallel()?;
            if self.n_div() > 0 {
                changed |= self.solve_unknown_in_eqs();
                if !changed {
                    changed = self.recognise_divs() || self.eliminate_locals();
                }
            }
            if !changed {
                break;
            }
        }
        self.sort_ineqs();
        Ok(())
    }

    /// Brings the equalities into reduced echelon form and removes their pivots from all other rows.
    /// Returns whether a definition changed.
    fn gauss(&mut self) -> Result<bool, Contradiction> {
        if self.eqs.is_empty() {
            return Ok(false);
        }
        let mut done = 0;
        for col in self.pivot_order() {
            let candidate = (done..self.eqs.len())
                .filter(|&r| !self.eqs[r][col].is_zero())
                .min_by_key(|&r| self.eqs[r][col].abs());
            let Some(r) = candidate else { continue };
            self.eqs.swap(r, done);
            if self.eqs[done][col].is_neg() {
                row::negate(&mut self.eqs[done]);
            }
            self.eliminate_col(done, col)?;
            done += 1;
            if done == self.eqs.len() {
                break;
            }
        }
        self.eqs.truncate(done);
        Ok(self.eliminate_in_divs())
    }

    /// The columns in the order in which they are wanted as pivots.
    fn pivot_order(&self) -> SmallVec<[usize; 32]> {
        let first = 1 + self.n_dim();
        let unknown = (first..self.cols()).filter(|&c| !self.divs.is_known(c - first));
        let rest = (1..self.cols()).rev().filter(|&c| c < first || self.divs.is_known(c - first));
        unknown.chain(rest).collect()
    }

    fn eliminate_col(&mut self, pivot: usize, col: usize) -> Result<(), Contradiction> {
        for r in 0..self.eqs.len() {
            if r != pivot && !self.eqs[r][col].is_zero() {
                let (dst, src) = self.eqs.pair_mut(r, pivot);
                row::eliminate(dst, src, col);
                normalise_eq(dst)?;
            }
        }
        for r in 0..self.ineqs.len() {
            if !self.ineqs[r][col].is_zero() {
                row::eliminate(&mut self.ineqs[r], &self.eqs[pivot], col);
            }
        }
        Ok(())
    }

    /// Substitutes pivots with coefficient one in the definitions of locals.
    fn eliminate_in_divs(&mut self) -> bool {
        let mut changed = false;
        for e in 0..self.eqs.len() {
            let Some(last) = row::last_nonzero(&self.eqs[e]) else { continue };
            if last == 0 || !self.eqs[e][last].is_unit() || !self.only_known(&self.eqs[e], last) {
                // A definition must not come to use an unknown local.
                continue;
            }
            for k in 0..self.n_div() {
                // Only columns before the local itself may enter its definition.
                if self.div_col(k) > last && self.divs.is_known(k) && !self.divs.num(k)[last].is_zero() {
                    row::eliminate(self.divs.num_mut(k), &self.eqs[e], last);
                    changed = true;
                }
            }
        }
        changed
    }

    /// Merges parallel inequalities; opposite ones that meet become an equality.
    fn merge_parallel(&mut self) -> Result<bool, Contradiction> {
        let mut keys: SmallVec<[(u64, usize); 32]> = self.ineqs.iter().map(direction_hash).zip(0..).collect();
        keys.sort_unstable();
        if keys.windows(2).all(|w| w[0].0 != w[1].0) {
            return Ok(false);
        }
        let mut drop = vec![false; self.ineqs.len()];
        let mut changed = false;
        for i in 0..keys.len() {
            for j in i + 1..keys.len() {
                if keys[j].0 != keys[i].0 {
                    break;
                }
                let (a, b) = (keys[i].1, keys[j].1);
                if drop[a] {
                    break;
                }
                if drop[b] {
                    continue;
                }
                changed |= self.merge_pair(a, b, &mut drop)?;
            }
        }
        let mut i = 0;
        self.ineqs.retain(|_| {
            i += 1;
            !drop[i - 1]
        });
        Ok(changed)
    }

    /// Returns whether a new equality was found.
    fn merge_pair(&mut self, a: usize, b: usize, drop: &mut [bool]) -> Result<bool, Contradiction> {
        let (ra, rb) = (&self.ineqs[a], &self.ineqs[b]);
        if row::eq_from(ra, rb, 1) {
            if ra[0] <= rb[0] {
                drop[b] = true;
            } else {
                drop[a] = true;
            }
        } else if row::is_neg_from(ra, rb, 1) {
            let gap = &ra[0] + &rb[0];
            if gap.is_neg() {
                return Err(Contradiction);
            }
            if gap.is_zero() {
                let eq = ra.to_vec();
                self.eqs.push_vec(eq);
                drop[a] = true;
                drop[b] = true;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Orders the inequalities, so that equal conjunctions tend to look equal.
    fn sort_ineqs(&mut self) {
        let n = self.ineqs.len();
        if (1..n).all(|i| compare(&self.ineqs[i - 1], &self.ineqs[i]).is_le()) {
            return;
        }
        let mut order: SmallVec<[usize; 32]> = (0..n).collect();
        order.sort_by(|&a, &b| compare(&self.ineqs[a], &self.ineqs[b]));
        let mut sorted = Mat::with_capacity(self.cols(), n);
        for i in order {
            sorted.push(&self.ineqs[i]);
        }
        self.ineqs = sorted;
    }

    /// The points of both conjunctions.
    pub(crate) fn intersect(&self, other: &Basic) -> Basic {
        let mut r = Basic {
            divs: self.divs.clone(),
            eqs: self.eqs.with_room(other.eqs.len()),
            ineqs: self.ineqs.with_room(other.ineqs.len()),
            empty: self.empty,
        };
        r.conjoin(other);
        r.simplify();
        r
    }
}

/// Divides an equality by its common divisor. A row without coefficients is left as zeros.
pub(crate) fn normalise_eq(r: &mut [Int]) -> Result<(), Contradiction> {
    let g = row::gcd(&r[1..]);
    if g.is_zero() {
        return if r[0].is_zero() { Ok(()) } else { Err(Contradiction) };
    }
    if !g.is_one() {
        if !r[0].is_divisible_by(&g) {
            return Err(Contradiction);
        }
        row::div_exact(r, &g);
    }
    Ok(())
}

fn normalise_eqs(eqs: &mut Mat) -> Result<(), Contradiction> {
    for i in 0..eqs.len() {
        normalise_eq(&mut eqs[i])?;
    }
    eqs.retain(|r| !row::is_zero(r));
    Ok(())
}

/// Divides an inequality by the common divisor of its coefficients and rounds its constant down.
pub(crate) fn normalise_ineq(r: &mut [Int]) {
    let g = row::gcd(&r[1..]);
    if !g.is_zero() && !g.is_one() {
        row::div_exact(&mut r[1..], &g);
        r[0] = r[0].div_floor(&g);
    }
}

fn normalise_ineqs(ineqs: &mut Mat) -> Result<(), Contradiction> {
    let mut trivial = false;
    for i in 0..ineqs.len() {
        let r = &mut ineqs[i];
        normalise_ineq(r);
        if row::is_zero(&r[1..]) {
            if r[0].is_neg() {
                return Err(Contradiction);
            }
            trivial = true;
        }
    }
    if trivial {
        ineqs.retain(|r| !row::is_zero(&r[1..]));
    }
    Ok(())
}

/// Odd numbers without pattern, one for each of the first columns.
const FACTORS: [u64; 64] = {
    let mut out = [0; 64];
    let mut state = 0_u64;
    let mut c = 0;
    while c < out.len() {
        // Splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        out[c] = (z ^ (z >> 31)) | 1;
        c += 1;
    }
    out
};

/// A hash of the coefficients that is the same for opposite directions: a linear one, up to its sign.
pub(crate) fn direction_hash(r: &[Int]) -> u64 {
    let mut h = 0_u64;
    for (x, f) in r[1..].iter().zip(FACTORS.iter().cycle()) {
        // Values beyond 64 bits count as zero: equality is checked afterwards.
        h = h.wrapping_add(x.to_i64().unwrap_or(0).cast_unsigned().wrapping_mul(*f));
    }
    h.min(h.wrapping_neg())
}

/// Orders rows by their coefficients, then by their constants.
fn compare(a: &[Int], b: &[Int]) -> Ordering {
    for (x, y) in a[1..].iter().zip(&b[1..]) {
        if x != y {
            return x.cmp(y);
        }
    }
    a[0].cmp(&b[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Vec<Int> {
        let beyond = Int::new(i64::MAX) * Int::new(9);
        vec![
            Int::new(i64::MIN),
            Int::NEG_ONE,
            Int::ZERO,
            Int::ONE,
            Int::new(3),
            Int::new(i64::MAX),
            beyond,
        ]
    }

    #[test]
    fn opposite_directions_meet_and_others_do_not() {
        let mut seen: Vec<(u64, Vec<Int>)> = Vec::new();
        // Near the ends of 64 bits different directions may meet; that costs a comparison.
        for (x, y) in [-7, -1, 0, 1, 3, 1 << 40].iter().flat_map(|x| [-2, 0, 1, 1 << 30].map(|y| (*x, y))) {
            for len in [2, 3, 70] {
                let mut r = vec![Int::ZERO; 1 + len];
                (r[0], r[1], r[len]) = (Int::new(5), Int::new(x), Int::new(y));
                let opposite: Vec<Int> = r.iter().map(|x| -x).collect();
                assert_eq!(direction_hash(&r), direction_hash(&opposite));
                seen.push((direction_hash(&r), r));
            }
        }
        for (i, (h, r)) in seen.iter().enumerate() {
            for (g, q) in seen[..i].iter().filter(|(_, q)| q.len() == r.len()) {
                let parallel = row::eq_from(r, q, 1) || row::is_neg_from(r, q, 1);
                assert_eq!(h == g, parallel, "{r:?} {q:?}");
            }
        }
    }

    #[test]
    fn rows_are_ordered_by_coefficients_then_constants() {
        let values = values();
        let mut all = Vec::new();
        for a in &values {
            for b in &values {
                all.extend(values.iter().map(|c| [a.clone(), b.clone(), c.clone()]));
            }
        }
        for a in &all {
            for b in &all {
                let plain = a[1..].cmp(&b[1..]).then_with(|| a[0].cmp(&b[0]));
                assert_eq!(compare(a, b), plain);
            }
        }
    }
}
