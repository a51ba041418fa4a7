//! Adding, removing, moving and constraining dimensions.

use std::sync::Arc;

use super::Rel;
use crate::basic::Basic;
use crate::error::{Error, Result};
use crate::num::Int;
use crate::space::{DimType, Id, Space, Tuple};

impl Rel {
    /// Applies a function to every piece and simplifies it.
    pub(crate) fn map_parts(&self, space: Space, mut f: impl FnMut(&mut Basic)) -> Rel {
        let mut parts: Vec<Arc<Basic>> = Vec::with_capacity(self.parts.len());
        for p in &self.parts {
            let mut b = (**p).clone();
            f(&mut b);
            b.simplify();
            if !b.empty && !parts.iter().any(|q| **q == b) {
                parts.push(Arc::new(b));
            }
        }
        if let Some(i) = parts.iter().position(|p| p.is_plain_universe()) {
            parts = vec![parts.swap_remove(i)];
        }
        Rel { space, parts }
    }

    /// Fails unless the dimensions exist.
    pub(crate) fn check_range(&self, t: DimType, first: usize, n: usize) -> Result<()> {
        match first.checked_add(n) {
            Some(end) if end <= self.space.dim(t) => Ok(()),
            _ => Err(Error::Unsupported(format!(
                "{} has no dimensions {first}..{first}+{n} of type {t:?}",
                self.space
            ))),
        }
    }

    /// Existentially quantifies dimensions away; exact.
    pub(crate) fn project_out(&self, t: DimType, first: usize, n: usize) -> Result<Rel> {
        self.check_range(t, first, n)?;
        if n == 0 {
            return Ok(self.clone());
        }
        let col = self.space.offset(t) + first;
        Ok(self.map_parts(self.space.drop_dims(t, first, n), |b| b.dims_to_divs(col, n)))
    }

    /// Inserts unconstrained, nameless dimensions. (Parameters are added by aligning.)
    pub(crate) fn insert_dims(&self, t: DimType, at: usize, n: usize) -> Result<Rel> {
        self.check_range(t, at, 0)?;
        if t == DimType::Param || self.space.tuple(t).is_none() {
            return Err(Error::Unsupported(format!(
                "can't insert dimensions of type {t:?} in {}",
                self.space
            )));
        }
        if n == 0 {
            return Ok(self.clone());
        }
        let col = self.space.offset(t) + at;
        let space = self.space.insert_dims(t, at, n);
        let parts = self.parts.iter().map(|p| {
            let mut b = (**p).clone();
            b.insert_dims(col, n);
            Arc::new(b)
        });
        Ok(Rel {
            space,
            parts: parts.collect(),
        })
    }

    /// Moves dimensions to another place.
    pub(crate) fn move_dims(&self, dst: DimType, dst_pos: usize, src: DimType, src_pos: usize, n: usize) -> Result<Rel> {
        self.check_range(src, src_pos, n)?;
        if n == 0 || (dst == src && dst_pos == src_pos) {
            return Ok(self.clone());
        }
        let names: Vec<Option<Id>> = (src_pos..src_pos + n).map(|i| self.space.dim_name(src, i).cloned()).collect();
        let from = self.space.offset(src) + src_pos;
        let space = self.space.drop_dims(src, src_pos, n);
        if dst_pos > space.dim(dst) || (dst != DimType::Param && space.tuple(dst).is_none()) {
            return Err(Error::Unsupported(format!(
                "can't move dimensions to {dst:?} {dst_pos} of {}",
                self.space
            )));
        }
        let at = space.offset(dst) + dst_pos;
        let space = space.insert_named(dst, dst_pos, &names)?;
        let mut order: Vec<Option<usize>> = (1..=self.space.total_dim())
            .filter(|c| *c < from || *c >= from + n)
            .map(Some)
            .collect();
        order.splice(at - 1..at - 1, (from..from + n).map(Some));
        let parts = self.parts.iter().map(|p| Arc::new(p.select_dims(&order))).collect();
        Ok(Rel { space, parts })
    }

    /// Keeps the elements for which the row `[const, dims..]` is zero (`eq`) or not negative.
    pub(crate) fn constrain(&self, r: &[Int], eq: bool) -> Rel {
        self.map_parts(self.space.clone(), |b| if eq { b.add_eq(r) } else { b.add_ineq(r) })
    }

    /// `sign·dim + k` as a row.
    pub(crate) fn dim_row(&self, t: DimType, pos: usize, sign: Int, k: Int) -> Result<Vec<Int>> {
        self.check_range(t, pos, 1)?;
        let mut r = vec![Int::ZERO; 1 + self.space.total_dim()];
        r[0] = k;
        r[self.space.offset(t) + pos] = sign;
        Ok(r)
    }

    /// `a - b + k` of two dimensions as a row.
    pub(crate) fn difference_row(&self, a: (DimType, usize), c: (DimType, usize), k: Int) -> Result<Vec<Int>> {
        let mut r = self.dim_row(a.0, a.1, Int::ONE, k)?;
        self.check_range(c.0, c.1, 1)?;
        r[self.space.offset(c.0) + c.1] -= Int::ONE;
        Ok(r)
    }

    /// Does a constraint or definition use one of the dimensions?
    pub(crate) fn involves_dims(&self, t: DimType, first: usize, n: usize) -> bool {
        let n = n.min(self.space.dim(t).saturating_sub(first));
        let col = self.space.offset(t) + first;
        self.parts.iter().any(|p| (col..col + n).any(|c| p.col_is_used(c)))
    }

    /// Drops every constraint that uses one of the dimensions (or, with `keep`, that uses none of them): an over-approximation.
    pub(crate) fn drop_constraints(&self, t: DimType, first: usize, n: usize, keep: bool) -> Result<Rel> {
        self.check_range(t, first, n)?;
        let col = self.space.offset(t) + first;
        Ok(self.map_parts(self.space.clone(), |b| b.drop_constraints(col, n, keep)))
    }

    /// Renames the tuple on one side.
    pub(crate) fn set_tuple_name(&self, t: DimType, name: Option<Id>) -> Rel {
        self.with_space(self.space.set_tuple_name(t, name))
    }

    /// Replaces the tuple on one side by one with as many dimensions.
    pub(crate) fn with_tuple(&self, t: DimType, tuple: Tuple) -> Result<Rel> {
        if tuple.len() != self.space.dim(t) || self.space.tuple(t).is_none() {
            return Err(Error::mismatch(&self.space, &tuple));
        }
        Ok(self.with_space(self.space.with_tuple(t, tuple)))
    }
}

impl Basic {
    fn drop_constraints(&mut self, col: usize, n: usize, keep: bool) {
        // Unknown locals tie constraints together: those would have to be projected out first, so they count as involved.
        let mut involved: Vec<bool> = (0..self.cols()).map(|c| c >= col && c < col + n).collect();
        for k in 0..self.n_div() {
            let c = self.div_col(k);
            involved[c] = (0..c).any(|j| involved[j] && !self.divs.num(k)[j].is_zero());
        }
        let uses = |r: &[Int]| (1..r.len()).any(|c| involved[c] && !r[c].is_zero());
        self.eqs.retain(|r| uses(r) == keep);
        self.ineqs.retain(|r| uses(r) == keep);
    }
}
