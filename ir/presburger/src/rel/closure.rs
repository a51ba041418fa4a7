//! Transitive closures, with a proof of exactness where one is found.
//!
//! `R+` is the union of all `R^k`, `k >= 1`. It isn't always a Presburger relation, so what is computed here contains it, and a
//! flag says whether it is equal (Kelly, Pugh, Rosser, Shpeisman, "Transitive closure of infinite graphs and its applications",
//! 1996; Verdoolaege, Cohen, Beletska, "Transitive closures of affine integer tuple relations and their overapproximations", 2011).
//!
//! *Paths.* Let `Δ_i` be the differences of piece `i`. The end of a path of `k` steps from `x` is `y = x + Σ s_i` with `k = Σ k_i`, where `s_i` is
//! a sum of `k_i` elements of `Δ_i`: from `a·δ + c >= 0` for each of them follows `a·s_i + c·k_i >= 0`. Paths start in the domain and end in the
//! range. Constraints of `Δ_i` with parameters are left out (their multiple by `k_i` isn't affine). For a uniform relation, one difference
//! for each piece, `s_i = k_i·δ_i` exactly.
//!
//! *Proof.* The relation `P(k)` of paths of length `k` made so contains `R^k`. If `P(1)` lies in `R` and `P(k)` in `R ∘ P(k - 1)` for `k >= 2`, then
//! by induction `P(k) = R^k`.
//!
//! Where that fails, a few powers are computed: a relation with short paths only ends there. Deliberately missing: the
//! decomposition into strongly connected components, and closures of union maps.

use super::Rel;
use crate::basic::Basic;
use crate::error::{Error, Result};
use crate::num::{Budget, Int, row};
use crate::space::{DimType, Tuple};

/// Pieces with unbounded differences are tried with and without a step of their own: that many at most.
const MAX_UNBOUNDED: usize = 4;
/// Powers that are computed when the approximation isn't exact.
const MAX_POWERS: usize = 12;
/// The most pieces of a union of powers.
const MAX_PIECES: usize = 40;

impl Rel {
    /// A relation that contains the transitive closure, and whether it is equal to it.
    pub(crate) fn transitive_closure(&self, b: &Budget) -> Result<(Rel, bool)> {
        let s = &self.space;
        if !s.input().is_some_and(|t| t.matches(s.out())) {
            return Err(Error::mismatch(&s.domain(), &s.range()));
        }
        let r = self.compute_divs(b)?.coalesce(b)?;
        if r.parts.is_empty() {
            return Ok((r, true));
        }
        let paths = r.paths(b)?;
        let n = s.dim(DimType::Out);
        let closure = paths.project_out(DimType::Out, n, 1)?.with_space(s.clone());
        if r.paths_are_exact(&paths, b)? {
            return Ok((closure.compute_divs(b)?.coalesce(b)?, true));
        }
        match r.union_of_powers(b)? {
            Some(all) => Ok((all, true)),
            None => Ok((closure.coalesce(b)?, false)),
        }
    }

    /// All `x -> (y, k)` where `y` may be reached from `x` in `k` steps.
    fn paths(&self, b: &Budget) -> Result<Rel> {
        let s = &self.space;
        let (np, n) = (s.dim(DimType::Param), s.dim(DimType::Out));
        let steps = self.deltas()?.parts;
        let mut unbounded = Vec::new();
        for (i, d) in steps.iter().enumerate() {
            if !d.is_bounded_from(1 + np, b)? {
                unbounded.push(i);
            }
        }
        unbounded.truncate(MAX_UNBOUNDED);
        let space = s.with_tuple(DimType::Out, Tuple::anonymous(n + 1));
        let mut parts = Vec::new();
        // A piece with unbounded differences takes no step in the one case, at least one in the other.
        for case in 0..1_usize << unbounded.len() {
            let idle = |i: usize| unbounded.iter().position(|&u| u == i).map(|bit| case >> bit & 1 == 0);
            let mut p = Basic::universe(np + 2 * n + 1);
            let ends = add_steps(&mut p, &steps, np, n, idle);
            join_ends(&mut p, ends, np, n);
            p.simplify();
            parts.push(p);
        }
        let free = Rel::from_parts(space, parts);
        let x_only = (1..=np + n).map(Some).chain(std::iter::repeat_n(None, n + 1)).collect::<Vec<_>>();
        let y_only = (1..=np)
            .map(Some)
            .chain(std::iter::repeat_n(None, n))
            .chain((1 + np..=np + n).map(Some))
            .chain([None])
            .collect::<Vec<_>>();
        let embed =
            |side: &Rel, order: &[Option<usize>]| Rel::from_parts(free.space.clone(), side.parts.iter().map(|p| p.select_dims(order)));
        let domain = self.domain().compute_divs(b)?.coalesce(b)?;
        let range = self.range().compute_divs(b)?.coalesce(b)?;
        let limited = free
            .intersect_aligned(&embed(&domain, &x_only))
            .intersect_aligned(&embed(&range, &y_only));
        limited.compute_divs(b)?.drop_empty(b)
    }

    /// Is the relation of paths that of this relation's powers?
    fn paths_are_exact(&self, paths: &Rel, b: &Budget) -> Result<bool> {
        let s = &self.space;
        let (np, n) = (s.dim(DimType::Param), s.dim(DimType::Out));
        let k = 1 + np + 2 * n;
        let length = |sign: i64, value: i64| {
            let mut r = vec![Int::ZERO; k + 1];
            r[0] = Int::new(-sign * value);
            r[k] = Int::new(sign);
            r
        };
        let one = paths
            .constrain(&length(1, 1), true)
            .project_out(DimType::Out, n, 1)?
            .with_space(s.clone());
        if !one.is_subset(self, b)? {
            return Ok(false);
        }
        // (y, k) -> (z, k + 1) for y -> z.
        let wide = Tuple::anonymous(n + 1);
        let order: Vec<Option<usize>> = (1..=np + n)
            .map(Some)
            .chain([None])
            .chain((1 + np + n..=np + 2 * n).map(Some))
            .chain([None])
            .collect();
        let mut successor = vec![Int::ZERO; 1 + order.len()];
        successor[0] = Int::ONE;
        successor[1 + np + n] = Int::ONE;
        successor[order.len()] = Int::NEG_ONE;
        let space = s.with_tuple(DimType::In, wide.clone()).with_tuple(DimType::Out, wide);
        let step = Rel::from_parts(space, self.parts.iter().map(|p| p.select_dims(&order))).constrain(&successor, true);
        let longer = paths.constrain(&length(1, 2), false);
        longer.is_subset(&paths.apply_range(&step)?, b)
    }

    /// The union of all powers when they come to an end soon.
    fn union_of_powers(&self, b: &Budget) -> Result<Option<Rel>> {
        // An attempt: it may take a part of the budget only.
        let own = Budget::new(b.remaining() / 8);
        let found = self.powers(&own);
        b.spend(own.used())?;
        match found {
            Err(Error::OutOfBudget) => Ok(None),
            other => other,
        }
    }

    fn powers(&self, b: &Budget) -> Result<Option<Rel>> {
        let mut all = self.clone();
        let mut new = self.clone();
        for _ in 0..MAX_POWERS {
            new = new.apply_range(self)?.subtract(&all, b)?.coalesce(b)?;
            if new.parts.is_empty() {
                return Ok(Some(all));
            }
            all = all.union(&new)?.coalesce(b)?;
            if all.parts.len() > MAX_PIECES {
                break;
            }
        }
        Ok(None)
    }
}

/// Where a path ends: the terms that make up `y - x` and `k`, as columns of unknown locals.
struct Ends {
    /// For each dimension the columns whose sum is its difference.
    differences: Vec<Vec<usize>>,
    lengths: Vec<usize>,
}

/// Adds, for each set of differences, the number of its steps and their sum.
fn add_steps(p: &mut Basic, steps: &[std::sync::Arc<Basic>], np: usize, n: usize, idle: impl Fn(usize) -> Option<bool>) -> Ends {
    let mut ends = Ends {
        differences: vec![Vec::new(); n],
        lengths: Vec::new(),
    };
    for (i, d) in steps.iter().enumerate() {
        if idle(i) == Some(true) {
            continue;
        }
        let count = p.add_unknown_div();
        let k = p.div_col(count);
        ends.lengths.push(k);
        let mut least = vec![Int::ZERO; k + 1];
        least[k] = Int::ONE;
        least[0] = if idle(i).is_some() { Int::NEG_ONE } else { Int::ZERO };
        p.add_ineq(&least);
        // Columns of the sums: of the differences, and of the locals of the piece.
        let sums: Vec<usize> = (0..n + d.n_div())
            .map(|_| {
                let v = p.add_unknown_div();
                p.div_col(v)
            })
            .collect();
        for (j, terms) in ends.differences.iter_mut().enumerate() {
            terms.push(sums[j]);
        }
        let cols = p.cols();
        let scaled = |r: &[Int]| {
            let has_params = !row::is_zero(&r[1..=np]);
            (!has_params).then(|| {
                let mut out = vec![Int::ZERO; cols];
                out[k] = r[0].clone();
                for (x, &c) in r[1 + np..].iter().zip(&sums) {
                    out[c] = x.clone();
                }
                out
            })
        };
        for r in d.eqs.iter().filter_map(scaled) {
            p.add_eq(&r);
        }
        let bounds = (0..d.n_div()).filter(|&v| d.divs.is_known(v)).flat_map(|v| d.div_bounds(v));
        for r in d.ineqs.iter().map(<[Int]>::to_vec).chain(bounds).filter_map(|r| scaled(&r)) {
            p.add_ineq(&r);
        }
    }
    ends
}

/// `y = x + Σ s_i` and `k = Σ k_i >= 1`.
fn join_ends(p: &mut Basic, ends: Ends, np: usize, n: usize) {
    let k = 1 + np + 2 * n;
    for (j, terms) in ends.differences.into_iter().enumerate() {
        let mut r = vec![Int::ZERO; p.cols()];
        r[1 + np + j] = Int::ONE;
        r[1 + np + n + j] = Int::NEG_ONE;
        for c in terms {
            r[c] = Int::ONE;
        }
        p.add_eq(&r);
    }
    let mut r = vec![Int::ZERO; p.cols()];
    r[k] = Int::NEG_ONE;
    for c in ends.lengths {
        r[c] = Int::ONE;
    }
    p.add_eq(&r);
    let mut least = vec![Int::ZERO; p.cols()];
    least[0] = Int::NEG_ONE;
    least[k] = Int::ONE;
    p.add_ineq(&least);
}
