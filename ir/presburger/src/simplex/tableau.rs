//! The rational simplex tableau.
//!
//! Follows isl's `isl_tab` and MLIR's `Simplex` (after Detlefs, Nelson, Saxe, "Simplify: a theorem prover for program
//! checking", 2005). *Unknowns* are the `n` variables and the constraints added so far; each unknown is an affine function
//! of the variables. Some unknowns, the *column* unknowns, are independent; every other one, a *row* unknown, is written as
//! an affine function of them: `u = (c + Σ a_j·col_j) / d` is stored as the row `[d, c, a_1, .., a_n]`. The *sample value* of
//! a row is `c / d`: its value where all column unknowns are zero. A *restricted* unknown must be non-negative. The tableau
//! is *consistent* when the samples of all restricted rows are non-negative; then the sample point satisfies all constraints.
//!
//! Running example: over `x, y`, adding `1 + 2x + 3y >= 0` makes the row `[1, 1, 2, 3]` of unknown `c0`; pivoting it with
//! column `x` gives `x = (-1 + c0 - 3y) / 2`, the row `[2, -1, 1, -3]`.
//!
//! Every change is logged, so that a snapshot can be restored cheaply.

use super::{Frac, Optimum};
use crate::error::Result;
use crate::num::{Budget, Int, Mat, row};

/// The direction of an optimisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dir {
    /// Towards larger values.
    Up,
    /// Towards smaller values.
    Down,
}

impl Dir {
    fn flip(self) -> Dir {
        match self {
            Dir::Up => Dir::Down,
            Dir::Down => Dir::Up,
        }
    }

    fn matches(self, v: &Int) -> bool {
        match self {
            Dir::Up => v.is_pos(),
            Dir::Down => v.is_neg(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Unknown {
    is_row: bool,
    pos: usize,
    restricted: bool,
}

#[derive(Clone, Copy, Debug)]
enum Undo {
    RemoveConstraint,
    Restrict(usize),
    NotEmpty,
}

/// A position in the log of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Snapshot(usize);

/// The tableau.
#[derive(Clone, Debug)]
pub(crate) struct Tableau {
    n_var: usize,
    /// `[den, const, columns..]`, one row per row unknown.
    rows: Mat,
    /// The unknown of each row.
    row_owner: Vec<usize>,
    /// The unknown of each column.
    col_owner: Vec<usize>,
    /// The variables, then the constraints.
    unknowns: Vec<Unknown>,
    empty: bool,
    log: Vec<Undo>,
}

/// Columns before those of unknowns.
const LEAD: usize = 2;

impl Tableau {
    /// A tableau over `n` free variables.
    pub(crate) fn new(n: usize) -> Tableau {
        Tableau::with_capacity(n, 8)
    }

    /// A tableau over `n` free variables with room for that many constraints.
    pub(crate) fn with_capacity(n: usize, constraints: usize) -> Tableau {
        let mut unknowns = Vec::with_capacity(n + constraints);
        unknowns.extend((0..n).map(|pos| Unknown {
            is_row: false,
            pos,
            restricted: false,
        }));
        Tableau {
            n_var: n,
            rows: Mat::with_capacity(LEAD + n, constraints + 1),
            row_owner: Vec::with_capacity(constraints + 1),
            col_owner: (0..n).collect(),
            unknowns,
            empty: false,
            log: Vec::with_capacity(constraints + 1),
        }
    }

    /// A tableau with the inequalities of a matrix of rows `[const, vars..]`.
    pub(crate) fn from_ineqs(ineqs: &Mat, b: &Budget) -> Result<Tableau> {
        let mut t = Tableau::with_capacity(ineqs.cols() - 1, ineqs.len());
        for r in ineqs.iter() {
            t.add_ineq(r, b)?;
            if t.empty {
                break;
            }
        }
        Ok(t)
    }

    /// The number of variables.
    pub(crate) fn n_var(&self) -> usize {
        self.n_var
    }

    /// Is there no rational point?
    pub(crate) fn is_empty(&self) -> bool {
        self.empty
    }

    /// Marks the present state.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot(self.log.len())
    }

    /// Goes back to a marked state. (The basis may differ, the constraints are the same.)
    pub(crate) fn rollback(&mut self, s: Snapshot, b: &Budget) -> Result<()> {
        while self.log.len() > s.0 {
            match self.log.pop() {
                Some(Undo::RemoveConstraint) => self.remove_last(b)?,
                Some(Undo::Restrict(u)) => self.unknowns[u].restricted = true,
                Some(Undo::NotEmpty) => self.empty = false,
                None => break,
            }
        }
        Ok(())
    }

    /// Adds `r >= 0` and returns the number of the constraint.
    pub(crate) fn add_ineq(&mut self, r: &[Int], b: &Budget) -> Result<usize> {
        let u = self.add_row(r);
        self.unknowns[u].restricted = true;
        self.log.push(Undo::RemoveConstraint);
        if !self.empty && !self.restore(u, b)? {
            self.mark_empty();
        }
        Ok(u - self.n_var)
    }

    /// Adds `r = 0`.
    pub(crate) fn add_eq(&mut self, r: &[Int], b: &Budget) -> Result<()> {
        self.add_ineq(r, b)?;
        let mut neg = r.to_vec();
        row::negate(&mut neg);
        self.add_ineq(&neg, b)?;
        Ok(())
    }

    fn mark_empty(&mut self) {
        if !self.empty {
            self.empty = true;
            self.log.push(Undo::NotEmpty);
        }
    }

    /// Writes `r`, given in the variables, in the column unknowns and appends it as an unrestricted row unknown.
    fn add_row(&mut self, r: &[Int]) -> usize {
        let n = self.rows.len();
        self.rows.push_zero();
        self.rows[n][0] = Int::ONE;
        self.rows[n][1] = r[0].clone();
        for v in 0..self.n_var {
            if r[1 + v].is_zero() {
                continue;
            }
            let Unknown { is_row, pos, .. } = self.unknowns[v];
            if !is_row {
                let x = &r[1 + v] * &self.rows[n][0];
                self.rows[n][LEAD + pos] += x;
                continue;
            }
            let (dst, src) = self.rows.pair_mut(n, pos);
            let l = dst[0].lcm(&src[0]);
            let a = l.div_exact(&dst[0]);
            let c = l.div_exact(&src[0]) * &r[1 + v];
            dst[0] = l;
            row::combine(&mut dst[1..], &a, &c, &src[1..]);
        }
        normalise(&mut self.rows[n]);
        let u = self.unknowns.len();
        self.unknowns.push(Unknown {
            is_row: true,
            pos: n,
            restricted: false,
        });
        self.row_owner.push(u);
        u
    }

    /// Makes the sample of restricted row unknown `u` non-negative if that can be.
    fn restore(&mut self, u: usize, b: &Budget) -> Result<bool> {
        loop {
            let Unknown { is_row, pos, .. } = self.unknowns[u];
            if !is_row || !self.rows[pos][1].is_neg() {
                return Ok(true);
            }
            match self.find_pivot(pos, Dir::Up) {
                Some((r, c)) => self.pivot(r, c, b)?,
                None => return Ok(false),
            }
        }
    }

    /// A pivot that moves the sample of `row` in direction `dir`; `(row, col)` itself when nothing limits the move.
    fn find_pivot(&self, row: usize, dir: Dir) -> Option<(usize, usize)> {
        let mut best: Option<usize> = None;
        for (j, &owner) in self.col_owner.iter().enumerate() {
            let x = &self.rows[row][LEAD + j];
            if x.is_zero() || (self.unknowns[owner].restricted && !dir.matches(x)) {
                continue;
            }
            // Bland's rule, so that no basis comes again.
            if best.is_none_or(|c| owner < self.col_owner[c]) {
                best = Some(j);
            }
        }
        let col = best?;
        let move_dir = if self.rows[row][LEAD + col].is_neg() { dir.flip() } else { dir };
        let r = self.find_pivot_row(Some(row), move_dir, col);
        Some((r.unwrap_or(row), col))
    }

    /// The restricted row that limits a move of column unknown `col` in direction `dir` first.
    fn find_pivot_row(&self, skip: Option<usize>, dir: Dir, col: usize) -> Option<usize> {
        let mut best: Option<usize> = None;
        for (r, &owner) in self.row_owner.iter().enumerate() {
            let x = &self.rows[r][LEAD + col];
            if x.is_zero() || Some(r) == skip || !self.unknowns[owner].restricted || dir.matches(x) {
                continue;
            }
            let Some(o) = best else {
                best = Some(r);
                continue;
            };
            let diff = Int::cross(&self.rows[o][1], x, &self.rows[r][1], &self.rows[o][LEAD + col]);
            if (diff.is_zero() && owner < self.row_owner[o]) || (!diff.is_zero() && !dir.matches(&diff)) {
                best = Some(r);
            }
        }
        best
    }

    /// Exchanges the unknowns of a row and a column.
    fn pivot(&mut self, r: usize, c: usize, b: &Budget) -> Result<()> {
        let col = LEAD + c;
        b.spend(1 + (self.rows.len() * self.rows.cols() / 8) as u64 * row::weight(&self.rows[r]))?;
        let (ru, cu) = (self.row_owner[r], self.col_owner[c]);
        self.row_owner[r] = cu;
        self.col_owner[c] = ru;
        self.unknowns[cu] = Unknown {
            is_row: true,
            pos: r,
            ..self.unknowns[cu]
        };
        self.unknowns[ru] = Unknown {
            is_row: false,
            pos: c,
            ..self.unknowns[ru]
        };
        pivot_row(&mut self.rows[r], col);
        for i in 0..self.rows.len() {
            if i != r && !self.rows[i][col].is_zero() {
                let (dst, src) = self.rows.pair_mut(i, r);
                apply_pivot(dst, src, col);
            }
        }
        Ok(())
    }

    fn remove_last(&mut self, b: &Budget) -> Result<()> {
        let u = self.unknowns.len() - 1;
        if !self.unknowns[u].is_row {
            let c = self.unknowns[u].pos;
            let any = || (0..self.rows.len()).find(|&r| !self.rows[r][LEAD + c].is_zero());
            let r = self
                .find_pivot_row(None, Dir::Up, c)
                .or_else(|| self.find_pivot_row(None, Dir::Down, c))
                .or_else(any);
            if let Some(r) = r {
                self.pivot(r, c, b)?;
            }
        }
        let (pos, last) = (self.unknowns[u].pos, self.rows.len() - 1);
        self.rows.swap_remove(pos);
        self.row_owner.swap_remove(pos);
        if pos != last {
            let moved = self.row_owner[pos];
            self.unknowns[moved].pos = pos;
        }
        self.unknowns.pop();
        Ok(())
    }

    /// Moves row unknown `u` as far as possible.
    fn optimise_row(&mut self, u: usize, dir: Dir, b: &Budget) -> Result<Option<Frac>> {
        loop {
            let pos = self.unknowns[u].pos;
            match self.find_pivot(pos, dir) {
                None => {
                    let r = &self.rows[pos];
                    return Ok(Some(Frac::new(r[1].clone(), r[0].clone())));
                }
                Some((r, _)) if r == pos => return Ok(None),
                Some((r, c)) => self.pivot(r, c, b)?,
            }
        }
    }

    /// The optimum of an affine expression `[const, vars..]`.
    pub(crate) fn optimum(&mut self, expr: &[Int], dir: Dir, b: &Budget) -> Result<Optimum<Frac>> {
        if self.empty {
            return Ok(Optimum::Empty);
        }
        let s = self.snapshot();
        let u = self.add_row(expr);
        self.log.push(Undo::RemoveConstraint);
        let best = self.optimise_row(u, dir, b)?;
        self.rollback(s, b)?;
        Ok(best.map_or(Optimum::Unbounded, Optimum::Bounded))
    }

    /// The maximum of an expression over a bounded set, with the dual value of the equality whose two inequalities are `eq`
    /// and `eq + 1`: the multiple of the equality's expression whose addition keeps the maximum when the equality is dropped.
    pub(crate) fn optimum_with_dual(&mut self, expr: &[Int], eq: Option<usize>, b: &Budget) -> Result<(Frac, Frac)> {
        let zero = || Frac::new(Int::ZERO, Int::ONE);
        if self.empty {
            return Ok((zero(), zero()));
        }
        let s = self.snapshot();
        let u = self.add_row(expr);
        self.log.push(Undo::RemoveConstraint);
        let value = self.optimise_row(u, Dir::Up, b)?.ok_or(crate::error::Error::Unbounded)?;
        let r = &self.rows[self.unknowns[u].pos];
        let weight = |k: usize| {
            let Unknown { is_row, pos, .. } = self.unknowns[self.n_var + k];
            if is_row { Int::ZERO } else { r[LEAD + pos].clone() }
        };
        let dual = eq.map_or_else(zero, |k| Frac::new(weight(k + 1) - weight(k), r[0].clone()));
        self.rollback(s, b)?;
        Ok((value, dual))
    }

    /// Does `expr > -1` hold at all rational points? Then `expr >= 0` at all integer points.
    pub(crate) fn implies_ineq(&mut self, expr: &[Int], b: &Budget) -> Result<bool> {
        Ok(match self.optimum(expr, Dir::Down, b)? {
            Optimum::Empty => true,
            Optimum::Unbounded => false,
            Optimum::Bounded(v) => v.num > -v.den,
        })
    }

    /// Does `expr < 0` hold at all rational points?
    pub(crate) fn is_separate(&mut self, expr: &[Int], b: &Budget) -> Result<bool> {
        Ok(match self.optimum(expr, Dir::Up, b)? {
            Optimum::Empty => true,
            Optimum::Unbounded => false,
            Optimum::Bounded(v) => v.num.is_neg(),
        })
    }

    /// Is constraint `k` implied by the others at integer points? If so, it is no longer enforced.
    pub(crate) fn drop_if_redundant(&mut self, k: usize, b: &Budget) -> Result<bool> {
        self.drop_if(k, |v| v.num > -&v.den, b)
    }

    /// Is constraint `k` implied by the others at rational points? If so, it is no longer enforced.
    pub(crate) fn drop_if_rationally_redundant(&mut self, k: usize, b: &Budget) -> Result<bool> {
        self.drop_if(k, |v| !v.num.is_neg(), b)
    }

    fn drop_if(&mut self, k: usize, implied: impl Fn(&Frac) -> bool, b: &Budget) -> Result<bool> {
        let u = self.n_var + k;
        if self.empty || !self.unknowns[u].restricted {
            return Ok(false);
        }
        self.unknowns[u].restricted = false;
        if !self.unknowns[u].is_row {
            let c = self.unknowns[u].pos;
            match self.find_pivot_row(None, Dir::Down, c) {
                Some(r) => self.pivot(r, c, b)?,
                None => {
                    self.unknowns[u].restricted = true;
                    return Ok(false);
                }
            }
        }
        let least = self.optimise_row(u, Dir::Down, b)?;
        if least.is_some_and(|v| implied(&v)) {
            self.log.push(Undo::Restrict(u));
            return Ok(true);
        }
        self.unknowns[u].restricted = true;
        // The sample went below zero: bring it back.
        let back = self.restore(u, b)?;
        debug_assert!(back, "the constraint was satisfiable before");
        Ok(false)
    }

    /// The values of the variables at the sample point.
    pub(crate) fn sample(&self) -> Vec<Frac> {
        (0..self.n_var).map(|v| self.sample_of(v)).collect()
    }

    fn sample_of(&self, u: usize) -> Frac {
        let Unknown { is_row, pos, .. } = self.unknowns[u];
        if is_row {
            Frac::new(self.rows[pos][1].clone(), self.rows[pos][0].clone())
        } else {
            Frac::new(Int::ZERO, Int::ONE)
        }
    }

    /// The first variable whose sample is no integer, with the sample rounded down.
    pub(crate) fn first_fraction(&self) -> Option<(usize, Int)> {
        (0..self.n_var).find_map(|v| {
            let f = self.sample_of(v);
            (!f.is_integer()).then(|| (v, f.floor()))
        })
    }

    /// The sample point, if all its coordinates are integers.
    pub(crate) fn integer_sample(&self) -> Option<Vec<Int>> {
        let mut out = Vec::with_capacity(self.n_var);
        for v in 0..self.n_var {
            let f = self.sample_of(v);
            if !f.is_integer() {
                return None;
            }
            out.push(f.num.div_exact(&f.den));
        }
        Some(out)
    }
}

/// Rewrites the pivot row: it is solved for the unknown of column `col`.
fn pivot_row(r: &mut [Int], col: usize) {
    let (head, tail) = r.split_at_mut(1);
    std::mem::swap(&mut head[0], &mut tail[col - 1]);
    if r[0].is_neg() {
        r[0].negate();
        r[col].negate();
    } else {
        for (j, x) in r.iter_mut().enumerate().skip(1) {
            if j != col && !x.is_zero() {
                x.negate();
            }
        }
    }
    normalise(r);
}

/// Replaces the old column unknown by the (new) pivot row.
fn apply_pivot(dst: &mut [Int], src: &[Int], col: usize) {
    let x = std::mem::take(&mut dst[col]);
    if src[0].is_one() {
        for (d, s) in dst[1..].iter_mut().zip(&src[1..]) {
            if !s.is_zero() {
                d.add_mul(&x, s);
            }
        }
    } else {
        let d0 = src[0].clone();
        dst[0] *= &d0;
        row::combine(&mut dst[1..], &d0, &x, &src[1..]);
    }
    normalise(dst);
}

/// Divides a tableau row by its common divisor.
fn normalise(r: &mut [Int]) {
    if r[0].is_one() {
        return;
    }
    let g = row::gcd(r);
    if !g.is_one() {
        row::div_exact(r, &g);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn r(v: &[i64]) -> Vec<Int> {
        v.iter().map(|&x| Int::new(x)).collect()
    }

    fn triangle() -> (Tableau, Budget) {
        let b = Budget::unlimited();
        let mut t = Tableau::new(2);
        for c in [[0, 1, 0], [0, 0, 1], [7, -2, -2]] {
            t.add_ineq(&r(&c), &b).unwrap();
        }
        (t, b)
    }

    #[test]
    fn optimum_of_a_triangle() {
        let (mut t, b) = triangle();
        let o = t.optimum(&r(&[1, 1, 0]), Dir::Up, &b).unwrap().bounded().unwrap();
        assert_eq!((o.floor(), o.ceil()), (Int::new(4), Int::new(5)));
        let o = t.optimum(&r(&[0, -1, -3]), Dir::Down, &b).unwrap().bounded().unwrap();
        assert_eq!(o.cmp(&Frac::new(Int::new(-21), Int::new(2))), std::cmp::Ordering::Equal);
        assert!(matches!(
            Tableau::new(1).optimum(&r(&[0, 1]), Dir::Up, &b).unwrap(),
            Optimum::Unbounded
        ));
    }

    #[test]
    fn rollback_restores_the_feasible_region() {
        let (mut t, b) = triangle();
        let s = t.snapshot();
        t.add_ineq(&r(&[-4, 1, 0]), &b).unwrap();
        assert!(t.is_empty());
        t.rollback(s, &b).unwrap();
        assert!(!t.is_empty());
        t.add_eq(&r(&[-2, 1, 1]), &b).unwrap();
        assert!(!t.is_empty());
        assert!(t.implies_ineq(&r(&[2, -1, 0]), &b).unwrap());
        t.rollback(s, &b).unwrap();
        assert!(!t.implies_ineq(&r(&[2, -1, 0]), &b).unwrap());
    }

    #[test]
    fn redundancy_knows_integers() {
        let (mut t, b) = triangle();
        // x + y <= 3 is implied at integer points by 2x + 2y <= 7.
        let k = t.add_ineq(&r(&[3, -1, -1]), &b).unwrap();
        assert!(t.drop_if_redundant(k, &b).unwrap());
        let k = t.add_ineq(&r(&[2, -1, 0]), &b).unwrap();
        assert!(!t.drop_if_redundant(k, &b).unwrap());
        assert!(!t.drop_if_redundant(0, &b).unwrap());
    }
}
