//! Questions about one conjunction that the simplex tableau answers.

use super::Basic;
use crate::error::Result;
use crate::num::{Budget, Int, row};
use crate::simplex::{Dir, Optimum, Problem, Search, Tableau, complete_integer_point, quick_integer_point};

/// Sweeps of the search for a point near the origin.
const MAX_SWEEPS: usize = 4;

/// The variable to change for a violated inequality: one that can grow by steps of one, parameters first; then one that can shrink,
/// inner dimensions first.
fn repairing_column(r: &[Int]) -> Option<usize> {
    let grow = (1..r.len()).find(|&c| r[c].is_one());
    let shrink = || (1..r.len()).rev().find(|&c| r[c].is_unit());
    grow.or_else(shrink).or_else(|| row::first_nonzero(&r[1..]).map(|c| 1 + c))
}

impl Basic {
    /// Is there no integer point?
    pub(crate) fn is_empty(&self, b: &Budget) -> Result<bool> {
        if self.empty {
            return Ok(true);
        }
        if self.ineqs.is_empty() && self.eqs.is_empty() {
            return Ok(false);
        }
        if self.near_point(b)?.is_some() {
            return Ok(false);
        }
        Ok(!self.has_point(b)?)
    }

    /// A point `[1, dims..]` near the origin, for a conjunction without locals, when it is found by a few sweeps over the
    /// inequalities, each repairing those that are violated. It costs a fraction of a linear programme and finds a point of most
    /// sets of loops.
    pub(crate) fn near_point(&self, b: &Budget) -> Result<Option<Vec<Int>>> {
        b.spend(self.ineqs.len() as u64 + 1)?;
        Ok(self.repaired_point())
    }

    fn repaired_point(&self) -> Option<Vec<Int>> {
        if self.empty || self.n_div() > 0 {
            return None;
        }
        let mut x = vec![Int::ZERO; self.cols()];
        x[0] = Int::ONE;
        for _ in 0..MAX_SWEEPS {
            let mut fine = true;
            for r in self.ineqs.iter() {
                let value = row::dot(r, &x);
                if value.is_neg() {
                    fine = false;
                    let c = repairing_column(r)?;
                    let step = (-value).div_ceil(&r[c].abs());
                    x[c] += if r[c].is_pos() { step } else { -step };
                }
            }
            if fine {
                return self.complete_by_eqs(x);
            }
        }
        None
    }

    /// Gives each equality's pivot its value, when that is an integer for sure: the pivots occur nowhere else.
    fn complete_by_eqs(&self, mut x: Vec<Int>) -> Option<Vec<Int>> {
        for r in self.eqs.iter() {
            let c = row::last_nonzero(r).filter(|&c| c > 0 && r[c].is_unit())?;
            if self.ineqs.iter().any(|o| !o[c].is_zero()) {
                return None;
            }
            x[c] = Int::ZERO;
            let rest = row::dot(r, &x);
            x[c] = if r[c].is_pos() { -rest } else { rest };
        }
        self.eqs.iter().all(|r| row::dot(r, &x).is_zero()).then_some(x)
    }

    /// An integer point `[1, columns..]`, searched for.
    pub(super) fn search(&self, b: &Budget) -> Result<Option<Vec<Int>>> {
        if self.empty {
            return Ok(None);
        }
        b.spend(self.ineqs.len() as u64 + 1)?;
        let Some(p) = Problem::new(self) else { return Ok(None) };
        let mut t = Tableau::from_ineqs(&p.ineqs, b)?;
        match quick_integer_point(&mut t, &p.ineqs, b)? {
            Search::Found(y) => return Ok(Some(p.point(&y))),
            Search::Empty => return Ok(None),
            Search::GaveUp => {}
        }
        if self.n_div() > 0 && self.divs.all_known() {
            match self.search_dims(&p, &mut t, b)? {
                Search::Found(x) => return Ok(Some(x)),
                Search::Empty => return Ok(None),
                Search::GaveUp => {}
            }
        }
        Ok(complete_integer_point(&mut t, &p.ineqs, b)?.map(|y| p.point(&y)))
    }

    /// Is `[1, dims..]` a point? Existential locals are searched for.
    pub(crate) fn contains(&self, x: &[Int], b: &Budget) -> Result<bool> {
        if self.empty {
            return Ok(false);
        }
        if self.divs.all_known() {
            let mut full = x.to_vec();
            self.eval_divs(&mut full);
            return Ok(self.eqs.iter().all(|r| row::dot(r, &full).is_zero()) && self.ineqs.iter().all(|r| !row::dot(r, &full).is_neg()));
        }
        let mut fixed = self.clone();
        for (j, v) in x.iter().enumerate().skip(1) {
            let mut r = vec![Int::ZERO; self.cols()];
            r[0] = -v;
            r[j] = Int::ONE;
            fixed.add_eq(&r);
        }
        fixed.simplify();
        Ok(!fixed.is_empty(b)?)
    }

    /// The optimum of `[const, columns..]` over the integer points.
    pub(crate) fn integer_optimum(&self, expr: &[Int], dir: Dir, b: &Budget) -> Result<Optimum<Int>> {
        if self.empty {
            return Ok(Optimum::Empty);
        }
        let Some(p) = Problem::new(self) else { return Ok(Optimum::Empty) };
        let mut e = p.express(expr);
        if dir == Dir::Up {
            row::negate(&mut e);
        }
        let least = crate::simplex::integer_minimum(&p.ineqs, &e, b)?;
        Ok(if dir == Dir::Up { least.map(|v| -v) } else { least })
    }

    /// Is every dimension bounded from both sides? (The parameters count as fixed when `free` starts behind them.)
    /// `free` is the first column that must be bounded.
    pub(crate) fn is_bounded_from(&self, free: usize, b: &Budget) -> Result<bool> {
        if self.is_empty(b)? {
            return Ok(true);
        }
        // Bounded exactly when the recession cone, with the other columns at zero, is the origin.
        let mut cone = self.clone();
        for m in [&mut cone.eqs, &mut cone.ineqs] {
            for i in 0..m.len() {
                m[i][0] = Int::ZERO;
            }
        }
        for k in 0..cone.n_div() {
            if cone.divs.is_known(k) {
                cone.relax_div_to_cone(k);
            }
        }
        for c in 1..free {
            let mut r = vec![Int::ZERO; cone.cols()];
            r[c] = Int::ONE;
            cone.add_eq(&r);
        }
        let Some(p) = Problem::new(&cone) else { return Ok(true) };
        let mut t = Tableau::from_ineqs(&p.ineqs, b)?;
        for c in free..=self.n_dim() {
            let mut r = vec![Int::ZERO; self.cols()];
            r[c] = Int::ONE;
            let e = p.express(&r);
            for dir in [Dir::Up, Dir::Down] {
                if matches!(t.optimum(&e, dir, b)?, Optimum::Unbounded) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// In the recession cone a division is `q = num / den`.
    fn relax_div_to_cone(&mut self, k: usize) {
        let c = self.div_col(k);
        let mut eq = self.divs.num(k).to_vec();
        eq[c] = -self.divs.den(k);
        eq[0] = Int::ZERO;
        self.divs.forget(k);
        self.add_eq(&eq);
    }

    /// A tableau of all constraints, locals as variables; equalities by the pair of inequalities.
    pub(crate) fn tableau(&self, b: &Budget) -> Result<Tableau> {
        let mut t = Tableau::new(self.cols() - 1);
        for r in self.eqs.iter() {
            t.add_eq(r, b)?;
        }
        for k in 0..self.n_div() {
            if self.divs.is_known(k) {
                for r in self.div_bounds(k) {
                    t.add_ineq(&r, b)?;
                }
            }
        }
        for r in self.ineqs.iter() {
            t.add_ineq(r, b)?;
        }
        Ok(t)
    }
}
