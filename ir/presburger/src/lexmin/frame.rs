//! Limits of the symbols, found when they are asked for.

use std::cell::OnceCell;

use super::solve::LexProblem;
use crate::error::Result;
use crate::num::{Budget, Int};
use crate::simplex::{Dir, Optimum, Tableau};

/// Lists of points are at most as long as this.
const MAX_VOLUME: i64 = 1500;

/// A least and a greatest value for each dimension of the context.
type Limits = Vec<(Int, Int)>;

/// The whole problem, which says for which symbols there can be a solution.
pub(super) struct Frame {
    problem: LexProblem,
    limits: OnceCell<Option<Limits>>,
}

impl Frame {
    pub(super) fn new(problem: LexProblem) -> Frame {
        Frame {
            problem,
            limits: OnceCell::new(),
        }
    }

    /// A small box outside of which no symbols have a solution; `None` when there is none.
    pub(super) fn limits(&self, b: &Budget) -> Result<Option<&Limits>> {
        if self.limits.get().is_none() {
            let found = self.compute(b)?;
            return Ok(self.limits.get_or_init(|| found).as_ref());
        }
        Ok(self.limits.get().and_then(Option::as_ref))
    }

    fn compute(&self, b: &Budget) -> Result<Option<Limits>> {
        let p = &self.problem;
        let cols = p.ineqs.cols();
        let mut t = Tableau::new(cols - 1);
        let wide = |r: &[Int]| {
            let mut r = r.to_vec();
            r.resize(cols, Int::ZERO);
            r
        };
        for r in p.context.eqs.iter() {
            t.add_eq(&wide(r), b)?;
        }
        let divisions = (0..p.context.n_div()).flat_map(|k| p.context.div_bounds(k));
        for r in p.context.ineqs.iter().map(<[Int]>::to_vec).chain(divisions) {
            t.add_ineq(&wide(&r), b)?;
        }
        for r in p.ineqs.iter() {
            t.add_ineq(r, b)?;
        }
        let mut limits = Limits::new();
        let mut volume = Int::ONE;
        for d in 0..p.context.n_dim() {
            let mut unit = vec![Int::ZERO; cols];
            unit[1 + d] = Int::ONE;
            let range = (t.optimum(&unit, Dir::Down, b)?, t.optimum(&unit, Dir::Up, b)?);
            let (Optimum::Bounded(lo), Optimum::Bounded(hi)) = range else {
                return Ok(None);
            };
            let (lo, hi) = (lo.ceil(), hi.floor());
            volume *= &hi - &lo + Int::ONE;
            if !volume.is_pos() || volume > Int::new(MAX_VOLUME) {
                return Ok(None);
            }
            limits.push((lo, hi));
        }
        Ok(Some(limits))
    }
}
