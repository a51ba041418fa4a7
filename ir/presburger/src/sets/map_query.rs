//! Kinds of maps: functions, injections, bijections; and the exchange of inner sides.

use super::{Map, Set};
use crate::error::{Error, Result};
use crate::num::Budget;
use crate::space::{DimType, Tuple};

impl Map {
    /// Has each input at most one output: is `m⁻¹` followed by `m` within the identity?
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn is_single_valued(&self, b: &Budget) -> Result<bool> {
        if self.plain_is_single_valued() {
            return Ok(true);
        }
        let pairs = self.reverse().apply_range(self)?;
        pairs.is_subset(&Map::identity(&self.space().range())?, b)
    }

    /// Is it one piece whose equalities alone give every output in terms of the inputs?
    fn plain_is_single_valued(&self) -> bool {
        let space = self.space();
        let first = space.offset(DimType::Out);
        match &self.rel().parts[..] {
            [] => true,
            [b] => {
                let defines = |col: usize| {
                    b.eqs
                        .iter()
                        .any(|r| r[col].is_unit() && (first..r.len()).all(|c| c == col || r[c].is_zero()))
                };
                (first..first + space.dim(DimType::Out)).all(defines)
            }
            _ => false,
        }
    }

    /// Has each output at most one input?
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn is_injective(&self, b: &Budget) -> Result<bool> {
        self.reverse().is_single_valued(b)
    }

    /// Has each input at most one output and each output at most one input?
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn is_bijective(&self, b: &Budget) -> Result<bool> {
        Ok(self.is_single_valued(b)? && self.is_injective(b)?)
    }

    /// `[A -> C] -> [B -> D]` from `[A -> B] -> [C -> D]`.
    ///
    /// # Errors
    /// When domain or range is no wrapped product.
    pub fn zip(&self) -> Result<Map> {
        let space = self.space();
        let nested = |t: DimType| space.tuple(t).and_then(|t| t.nested.as_deref()).cloned();
        let (Some((a, b)), Some((c, d))) = (nested(DimType::In), nested(DimType::Out)) else {
            return Err(Error::Unsupported(format!("{space} is no relation between two wrapped products")));
        };
        let (n_a, n_b, n_c) = (a.len(), b.len(), c.len());
        let flat = self.flatten_domain().flatten_range();
        // a b -> c d  becomes  a c -> b d.
        let moved = flat.move_dims(DimType::In, n_a + n_b, DimType::Out, 0, n_c)?;
        let moved = moved.move_dims(DimType::Out, 0, DimType::In, n_a, n_b)?;
        let target = space
            .with_tuple(DimType::In, Tuple::wrapped(a, c))
            .with_tuple(DimType::Out, Tuple::wrapped(b, d));
        Ok(Map::from_rel(moved.rel().with_space(target)))
    }
}

impl Set {
    /// Is there at most one element for each value of the parameters?
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn is_singleton(&self, b: &Budget) -> Result<bool> {
        let space = self.space();
        let empty = space
            .with_tuple(DimType::In, Tuple::anonymous(0))
            .with_tuple(DimType::Out, space.out().clone());
        Map::from_rel(self.rel().with_space(empty)).is_single_valued(b)
    }
}
