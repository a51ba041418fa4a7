//! Stand-ins until the union operations land.
use crate::error::{Error, Result};
use crate::num::Budget;
use crate::rel::Rel;
use crate::sets::Set;
use crate::space::{DimType, Space, Tuple};

impl Set {
    pub(crate) fn complement(&self, _b: &Budget) -> Result<Set> {
        Err(Error::Unsupported("complement".into()))
    }
    pub(crate) fn subtract(&self, _o: &Set, _b: &Budget) -> Result<Set> {
        Err(Error::Unsupported("subtract".into()))
    }
    pub(crate) fn is_empty(&self, _b: &Budget) -> Result<bool> {
        Ok(self.plain_is_empty())
    }
    pub(crate) fn project_out(&self, _t: DimType, first: usize, n: usize, _b: &Budget) -> Result<Set> {
        let params = self.space().params().to_vec();
        let col = 1 + params.len() + first;
        let space = Space::set(params, Tuple::anonymous(self.dim(DimType::Out) - n));
        let parts: Vec<_> = self
            .rel()
            .parts
            .iter()
            .map(|p| {
                let mut p = (**p).clone();
                p.dims_to_divs(col, n);
                p.simplify();
                p
            })
            .collect();
        Ok(Set::from_rel(Rel::from_parts(space, parts)))
    }
}
