//! From a conjunction to a minimisation problem, and back.
//!
//! Equalities are used first: one that gives the last variable in it an integer coefficient of one removes that variable
//! (its value follows from earlier ones, so the lexicographic order is untouched); one that ties a single variable to symbols
//! by a larger coefficient makes it a division of the context. Local variables that are unbounded for fixed other values
//! always exist and are dropped with their constraints (see [`crate::simplex`] on bounded directions).

use super::solve::{LexPiece, LexProblem, solve};
use crate::basic::{Basic, Divs};
use crate::error::Result;
use crate::num::{Budget, Int, Mat, row};
use crate::simplex::{Dir, Optimum, Tableau, echelon_transform};

/// Which optimum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goal {
    /// The lexicographically smallest.
    Min,
    /// The lexicographically largest.
    Max,
}

/// The lexicographic optimum of the `n` dimensions from column `first` on, which must be the last dimensions, as a function
/// of the dimensions before them.
pub(crate) fn lex_optimum(basic: &Basic, first: usize, n: usize, goal: Goal, b: &Budget) -> Result<Vec<LexPiece>> {
    debug_assert_eq!(first + n, 1 + basic.n_dim());
    if basic.empty {
        return Ok(Vec::new());
    }
    let mut q = basic.clone();
    if goal == Goal::Max {
        negate_cols(&mut q, first, n);
    }
    q.dims_to_divs(first, n);
    let mut pieces = optimum_of_locals(q, n, b)?;
    if goal == Goal::Max {
        for v in pieces.iter_mut().flat_map(|p| &mut p.values) {
            row::negate(v);
        }
    }
    Ok(pieces)
}

/// The same elements as a union of conjunctions whose locals are all known: the conditions under which the unknown locals
/// have a value.
pub(crate) fn quantifier_free(basic: &Basic, b: &Budget) -> Result<Vec<Basic>> {
    if basic.empty || basic.divs.all_known() {
        return Ok(vec![basic.clone()]);
    }
    let mut q = basic.clone();
    q.simplify();
    while !q.empty && q.round_bounds() {
        b.spend(q.ineqs.len() as u64)?;
        q.simplify();
    }
    if q.empty || q.divs.all_known() {
        return Ok(vec![q]);
    }
    let pieces = optimum_of_locals(q, 0, b)?;
    Ok(pieces.into_iter().map(|p| p.domain).collect())
}

fn negate_cols(q: &mut Basic, first: usize, n: usize) {
    for c in first..first + n {
        for m in [&mut q.eqs, &mut q.ineqs] {
            for i in 0..m.len() {
                m[i][c].negate();
            }
        }
        for k in 0..q.n_div() {
            q.divs.num_mut(k)[c].negate();
        }
    }
}

struct Builder {
    context: Basic,
    eqs: Mat,
    ineqs: Mat,
    n_var: usize,
    n_out: usize,
    /// For a variable that an equality removed, its value as `[const, symbols.., vars..]`.
    solved: Vec<Option<Vec<Int>>>,
    /// For a variable whose place another one took, its value in terms of that: see [`Builder::rescale`].
    rescaled: Vec<Option<Rescaled>>,
}

/// The value `scale·w + offset`, where `w` is the variable now in that place.
struct Rescaled {
    /// Positive.
    scale: Int,
    /// `[const, symbols..]`.
    offset: Vec<Int>,
}

/// The optimum of the first `n_out` locals, which are unknown.
fn optimum_of_locals(mut q: Basic, n_out: usize, b: &Budget) -> Result<Vec<LexPiece>> {
    q.forget_dependent_divs();
    let known: Vec<usize> = (0..q.n_div()).filter(|&k| q.divs.is_known(k)).collect();
    let unknown: Vec<usize> = (0..q.n_div()).filter(|&k| !q.divs.is_known(k)).collect();
    let order: Vec<usize> = known.iter().chain(&unknown).copied().collect();
    q.permute_divs(&order);
    let mut builder = Builder::split(&q, known.len(), n_out);
    builder.use_equalities();
    builder.drop_unbounded_locals(b)?;
    builder.run(b)
}

impl Builder {
    fn split(q: &Basic, n_known: usize, n_out: usize) -> Builder {
        let n_var = q.n_div() - n_known;
        let n_sym = q.n_dim() + n_known;
        let mut divs = Divs::new(q.n_dim());
        for k in 0..n_known {
            divs.push(q.divs.den(k), &q.divs.num(k)[..q.div_col(k)]);
        }
        let context = Basic {
            divs,
            eqs: Mat::new(1 + n_sym),
            ineqs: Mat::new(1 + n_sym),
            empty: false,
        };
        Builder {
            context,
            eqs: q.eqs.clone(),
            ineqs: q.ineqs.clone(),
            n_var,
            n_out,
            solved: vec![None; n_var],
            rescaled: (0..n_var).map(|_| None).collect(),
        }
    }

    fn n_sym(&self) -> usize {
        self.context.cols() - 1
    }

    fn var_col(&self, v: usize) -> usize {
        1 + self.n_sym() + v
    }

    fn use_equalities(&mut self) {
        let mut e = 0;
        while e < self.eqs.len() {
            let start = self.var_col(0);
            match row::last_nonzero(&self.eqs[e]).filter(|&c| c >= start) {
                None => self.eq_to_context(e),
                Some(c) if self.eqs[e][c].is_unit() => self.solve_var(e, c),
                Some(c) if row::first_nonzero(&self.eqs[e][start..]) == Some(c - start) => self.var_is_division(e, c),
                Some(c) => match self.scaled_pair(e, c) {
                    Some(a) => self.rescale(e, a, c),
                    None => {
                        e += 1;
                        continue;
                    }
                },
            }
            e = 0;
        }
        for e in 0..self.eqs.len() {
            let mut r = self.eqs[e].to_vec();
            self.ineqs.push(&r);
            row::negate(&mut r);
            self.ineqs.push_vec(r);
        }
        self.eqs.clear();
        let start = self.var_col(0);
        let context = &mut self.context;
        self.ineqs.retain(|r| {
            let keep = !row::is_zero(&r[start..]);
            if !keep {
                context.add_ineq(&r[..start]);
            }
            keep
        });
    }

    fn eq_to_context(&mut self, e: usize) {
        let n = self.context.cols();
        self.context.add_eq(&self.eqs[e][..n]);
        self.eqs.remove(e);
    }

    /// Removes the variable of column `c`, which has coefficient one in equality `e`.
    fn solve_var(&mut self, e: usize, c: usize) {
        let eq = self.eqs[e].to_vec();
        self.eqs.remove(e);
        for m in [&mut self.eqs, &mut self.ineqs] {
            for i in 0..m.len() {
                row::eliminate(&mut m[i], &eq, c);
            }
        }
        let mut value = eq;
        if value[c].is_pos() {
            row::negate(&mut value);
        }
        value[c] = Int::ZERO;
        let v = c - self.var_col(0);
        self.solved[v] = Some(value);
    }

    /// The equality `g·v = f` with symbols in `f` only: `v = floor(f / g)`, and `g` divides `f`.
    fn var_is_division(&mut self, e: usize, c: usize) {
        let mut f = self.eqs[e][..self.context.cols()].to_vec();
        let g = self.eqs[e][c].abs();
        if self.eqs[e][c].is_pos() {
            row::negate(&mut f);
        }
        let before = self.context.n_div();
        let k = self.context.add_div(&g, &f);
        if self.context.n_div() > before {
            self.insert_symbol();
        }
        let q = self.context.div_col(k);
        // v - q = 0 solves v; the equality itself then speaks of symbols only.
        let v = c + self.context.n_div() - before;
        let mut eq = vec![Int::ZERO; self.eqs.cols()];
        eq[q] = Int::NEG_ONE;
        eq[v] = Int::ONE;
        self.eqs.push_vec(eq);
        let last = self.eqs.len() - 1;
        self.solve_var(last, v);
    }

    /// The column `a` of an equality `±a + c·e = f` with two variables, of which `e` comes last.
    fn scaled_pair(&self, e: usize, last: usize) -> Option<usize> {
        let eq = &self.eqs[e];
        let mut others = (self.var_col(0)..last).filter(|&c| !eq[c].is_zero());
        let a = others.next()?;
        (eq[a].is_unit() && others.next().is_none()).then_some(a)
    }

    /// The equality says `a = c·e + f` with symbols in `f`: as `e` follows from `a`, its multiple `w = ±e` may stand in the place of `a`
    /// in the order of minimisation, with `a = |c|·w + f`. So strides need no cuts.
    fn rescale(&mut self, e: usize, a: usize, last: usize) {
        let mut value = self.eqs[e].to_vec();
        self.eqs.remove(e);
        if value[a].is_pos() {
            row::negate(&mut value);
        }
        value[a] = Int::ZERO;
        let c = std::mem::take(&mut value[last]);
        let n_sym = self.n_sym();
        let substitute = |r: &mut [Int]| {
            let x = std::mem::take(&mut r[a]);
            let y = std::mem::take(&mut r[last]);
            row::add_scaled(r, &x, &value);
            r[a] = x * c.abs() + if c.is_neg() { -y } else { y };
        };
        for m in [&mut self.eqs, &mut self.ineqs] {
            for i in 0..m.len() {
                substitute(&mut m[i]);
            }
        }
        for s in self.solved.iter_mut().flatten() {
            substitute(s);
        }
        let start = self.var_col(0);
        let mut sign = vec![Int::ZERO; value.len()];
        sign[a] = if c.is_neg() { Int::NEG_ONE } else { Int::ONE };
        self.solved[last - start] = Some(sign);
        // An earlier change of `last` was to a multiple of what it is now; it stays. That of `a` is composed.
        let mut new = Rescaled {
            scale: c.abs(),
            offset: value[..=n_sym].to_vec(),
        };
        if let Some(old) = &self.rescaled[a - start] {
            for x in &mut new.offset {
                *x *= &old.scale;
            }
            for (x, o) in new.offset.iter_mut().zip(&old.offset) {
                *x += o;
            }
            new.scale *= &old.scale;
        }
        self.rescaled[a - start] = Some(new);
    }

    fn insert_symbol(&mut self) {
        let at = self.context.cols() - 1;
        self.eqs.insert_cols(at, 1);
        self.ineqs.insert_cols(at, 1);
        for s in self.solved.iter_mut().flatten() {
            s.insert(at, Int::ZERO);
        }
        for r in self.rescaled.iter_mut().flatten() {
            r.offset.insert(at, Int::ZERO);
        }
    }

    /// Drops locals that can be chosen freely far out, whatever the other values are.
    fn drop_unbounded_locals(&mut self, b: &Budget) -> Result<()> {
        let start = self.var_col(self.n_out);
        let live: Vec<usize> = (start..self.ineqs.cols())
            .filter(|&c| self.ineqs.iter().any(|r| !r[c].is_zero()))
            .collect();
        if live.is_empty() {
            return Ok(());
        }
        let mut cone = Mat::new(1 + live.len());
        for r in self.ineqs.iter() {
            let row = std::iter::once(Int::ZERO).chain(live.iter().map(|&c| r[c].clone())).collect();
            cone.push_vec(row);
        }
        let mut t = Tableau::from_ineqs(&cone, b)?;
        let mut bounded = Vec::with_capacity(cone.len());
        for r in cone.iter() {
            bounded.push(row::is_zero(r) || !matches!(t.optimum(r, Dir::Up, b)?, Optimum::Unbounded));
        }
        let (u, rank) = echelon_transform(&cone, &bounded);
        if rank == live.len() {
            return Ok(());
        }
        let mut kept = Mat::new(self.ineqs.cols());
        for (r, _) in self.ineqs.iter().zip(&bounded).filter(|(_, b)| **b) {
            let mut new = r.to_vec();
            for (j, &c) in live.iter().enumerate() {
                new[c] = if j < rank {
                    live.iter().zip(u.iter()).fold(Int::ZERO, |s, (&o, t)| s + &r[o] * &t[j])
                } else {
                    Int::ZERO
                };
            }
            kept.push_vec(new);
        }
        self.ineqs = kept;
        Ok(())
    }

    fn run(self, b: &Budget) -> Result<Vec<LexPiece>> {
        let start = self.var_col(0);
        let live: Vec<usize> = (0..self.n_var)
            .filter(|&v| self.solved[v].is_none() && (v < self.n_out || self.ineqs.iter().any(|r| !r[start + v].is_zero())))
            .collect();
        let cols: Vec<Option<usize>> = (0..start).chain(live.iter().map(|v| start + v)).map(Some).collect();
        let n_live_out = live.iter().filter(|&&v| v < self.n_out).count();
        let n_sym = self.n_sym();
        let problem = LexProblem {
            context: self.context,
            ineqs: self.ineqs.select_cols(&cols),
            n_var: live.len(),
            n_out: n_live_out,
        };
        let mut pieces = solve(problem, b)?;
        for p in &mut pieces {
            let len = 1 + p.divs.n_dim() + p.divs.len();
            let mut values = all_values(&self.solved[..self.n_out], &live, n_sym, &p.values, len);
            for (v, r) in values.iter_mut().zip(&self.rescaled) {
                if let Some(r) = r {
                    v.iter_mut().for_each(|x| *x *= &r.scale);
                    v.iter_mut().zip(&r.offset).for_each(|(x, o)| *x += o);
                }
            }
            p.values = values;
        }
        Ok(pieces)
    }
}

/// The values of all variables asked for, from those of the live ones.
fn all_values(solved: &[Option<Vec<Int>>], live: &[usize], n_sym: usize, found: &[Vec<Int>], len: usize) -> Vec<Vec<Int>> {
    let mut values: Vec<Vec<Int>> = Vec::with_capacity(solved.len());
    for (v, s) in solved.iter().enumerate() {
        let value = match s {
            None => live.iter().position(|&l| l == v).map_or_else(Vec::new, |i| found[i].clone()),
            Some(expr) => {
                let mut value = expr[..=n_sym].to_vec();
                value.resize(len, Int::ZERO);
                // Only earlier variables occur in it.
                for (u, earlier) in values.iter().enumerate() {
                    row::add_scaled(&mut value, &expr[1 + n_sym + u], earlier);
                }
                value
            }
        };
        values.push(value);
    }
    values
}
