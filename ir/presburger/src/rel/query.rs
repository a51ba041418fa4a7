//! Questions about unions.

use super::Rel;
use crate::basic::{Basic, Optimise};
use crate::error::{Error, Result};
use crate::num::{Budget, Int};
use crate::simplex::{Dir, Limits, Optimum};
use crate::space::DimType;

impl Rel {
    /// Is there no integer point?
    pub(crate) fn is_empty(&self, b: &Budget) -> Result<bool> {
        for p in &self.parts {
            if !p.is_empty(b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The union without pieces that have no integer point.
    pub(crate) fn drop_empty(&self, b: &Budget) -> Result<Rel> {
        let mut parts = Vec::with_capacity(self.parts.len());
        for p in &self.parts {
            if !p.is_empty(b)? {
                parts.push(p.clone());
            }
        }
        Ok(Rel {
            space: self.space.clone(),
            parts,
        })
    }

    /// An element, as `[1, params.., dims..]`.
    pub(crate) fn sample(&self, b: &Budget) -> Result<Option<Vec<Int>>> {
        for p in &self.parts {
            if let Some(mut x) = p.sample(b)? {
                x.truncate(1 + p.n_dim());
                return Ok(Some(x));
            }
        }
        Ok(None)
    }

    /// Is `[1, params.., dims..]` an element?
    pub(crate) fn contains(&self, x: &[Int], b: &Budget) -> Result<bool> {
        if x.len() != 1 + self.space.total_dim() {
            return Err(Error::Unsupported(format!("the point does not fit {}", self.space)));
        }
        for p in &self.parts {
            if p.contains(x, b)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Is every dimension that is no parameter bounded, for each value of the parameters?
    pub(crate) fn is_bounded(&self, b: &Budget) -> Result<bool> {
        let free = 1 + self.space.dim(DimType::Param);
        for p in &self.parts {
            if !p.is_bounded_from(free, b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The optimum of an expression over all elements, parameters free.
    pub(crate) fn optimum(&self, expr: &crate::func::Aff, dir: Dir, b: &Budget) -> Result<Optimum<Int>> {
        let space = self.space.align_params(expr.space());
        let me = self.align_params(&space);
        let expr = expr.align_to(&me.space.wrap())?;
        let mut best: Optimum<Int> = Optimum::Empty;
        for p in &me.parts {
            let find_out = |p: &Basic| {
                let mut q = p.clone();
                let map = q.import_divs(expr.divs());
                let row = q.map_row(expr.row(), &map);
                q.integer_optimum(&row, dir, b)
            };
            let own = match b.answers() {
                Some(answers) => {
                    let asked = Optimise {
                        over: p.clone(),
                        divs: expr.divs().clone(),
                        row: expr.row().to_vec(),
                        up: dir == Dir::Up,
                    };
                    answers.optima.ask(asked, b, |asked| Ok((find_out(&asked.over)?, 0)))?.0
                }
                None => find_out(p)?,
            };
            match (own, &best) {
                (Optimum::Empty, _) => {}
                (Optimum::Unbounded, _) => return Ok(Optimum::Unbounded),
                (Optimum::Bounded(v), Optimum::Bounded(o)) if (dir == Dir::Up) == (v <= *o) => {}
                (v, _) => best = v,
            }
        }
        Ok(best)
    }

    /// For each output dimension its least and greatest value over all elements, `None` where there is no limit; `None` when
    /// there is no element.
    pub(crate) fn bounding_box(&self, b: &Budget) -> Result<Option<Vec<Limits<Int>>>> {
        let first = self.space.offset(DimType::Out);
        let n = self.space.dim(DimType::Out);
        let known = self.drop_empty(b)?;
        if known.parts.is_empty() {
            return Ok(None);
        }
        let mut limits = Vec::with_capacity(n);
        for c in first..first + n {
            let mut lo: Option<Optimum<Int>> = None;
            let mut hi: Option<Optimum<Int>> = None;
            for p in &known.parts {
                let mut e = vec![Int::ZERO; p.cols()];
                e[c] = Int::ONE;
                lo = Some(farther(lo, p.integer_optimum(&e, Dir::Down, b)?, Dir::Down));
                hi = Some(farther(hi, p.integer_optimum(&e, Dir::Up, b)?, Dir::Up));
            }
            limits.push((lo.and_then(Optimum::bounded), hi.and_then(Optimum::bounded)));
        }
        Ok(Some(limits))
    }

    /// The value of a dimension when every piece visibly fixes it to the same one.
    pub(crate) fn plain_fixed_value(&self, t: DimType, pos: usize) -> Option<Int> {
        if pos >= self.space.dim(t) {
            return None;
        }
        let col = self.space.offset(t) + pos;
        let mut value: Option<Int> = None;
        for p in &self.parts {
            let eq = p
                .eqs
                .iter()
                .find(|r| r[col].is_unit() && r.iter().enumerate().all(|(c, x)| c == 0 || c == col || x.is_zero()))?;
            let v = -(&eq[0] * &eq[col]);
            if value.as_ref().is_some_and(|o| *o != v) {
                return None;
            }
            value = Some(v);
        }
        value
    }
}

/// The optimum over two sets that aren't empty.
fn farther(a: Option<Optimum<Int>>, c: Optimum<Int>, dir: Dir) -> Optimum<Int> {
    match (a, c) {
        (None, c) => c,
        (Some(Optimum::Bounded(x)), Optimum::Bounded(y)) => Optimum::Bounded(if dir == Dir::Up { x.max(y) } else { x.min(y) }),
        _ => Optimum::Unbounded,
    }
}
