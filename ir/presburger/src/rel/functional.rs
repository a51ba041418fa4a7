//! Is a relation a function?

use super::Rel;
use crate::basic::Basic;
use crate::error::Result;
use crate::num::{Budget, row};
use crate::space::DimType;

impl Rel {
    /// Has every input at most one output?
    pub(crate) fn is_single_valued(&self, b: &Budget) -> Result<bool> {
        let first = self.space.offset(DimType::Out);
        if let [only] = self.parts.as_slice()
            && only.determines_from(first)
        {
            return Ok(true);
        }
        // Pairs of outputs of one input: all of them equal?
        let pairs = self.reverse().apply_range(self)?;
        let identity = Rel::universe(pairs.space.range()).identity_on()?;
        pairs.is_subset(&identity, b)
    }
}

impl Basic {
    /// Do the equalities give every dimension from column `first` on as a function of those before?
    fn determines_from(&self, first: usize) -> bool {
        (first..=self.n_dim()).all(|c| {
            self.eqs.iter().any(|e| {
                !e[c].is_zero() && row::is_zero(&e[first..c]) && row::is_zero(&e[c + 1..=self.n_dim()]) && self.divs_before(e, first)
            })
        })
    }

    /// Are the locals in use known, with definitions over the columns before `first`?
    fn divs_before(&self, e: &[crate::num::Int], first: usize) -> bool {
        let start = 1 + self.n_dim();
        let mut early = Vec::with_capacity(self.n_div());
        for k in 0..self.n_div() {
            let num = self.divs.num(k);
            let ok = self.divs.is_known(k) && row::is_zero(&num[first..start]) && (0..k).all(|j| early[j] || num[start + j].is_zero());
            early.push(ok);
        }
        (0..self.n_div()).all(|k| early[k] || e[start + k].is_zero())
    }
}
