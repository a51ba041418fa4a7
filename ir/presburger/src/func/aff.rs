//! Quasi-affine expressions.
//!
//! An [`Aff`] is an integer-valued expression over the dimensions of a *domain space* (parameters and set dimensions): an
//! integer combination of a constant, dimensions and floor divisions of such expressions by positive integers.

use crate::basic::Divs;
use crate::error::{Error, Result};
use crate::num::{Int, row};
use crate::space::{DimType, Id, Space};

/// A quasi-affine expression on a domain space.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Aff {
    /// The domain: a set space.
    space: Space,
    /// The floor divisions in use, all with definitions.
    divs: Divs,
    /// `[const, params.., dims.., divs..]`.
    row: Vec<Int>,
}

impl Aff {
    /// The expression 0. For a map space the domain is the wrapped set space.
    pub fn zero(space: &Space) -> Aff {
        let space = space.wrap();
        let n = space.total_dim();
        Aff {
            space,
            divs: Divs::new(n),
            row: vec![Int::ZERO; 1 + n],
        }
    }

    /// A constant.
    pub fn constant(space: &Space, value: Int) -> Aff {
        let mut a = Aff::zero(space);
        a.row[0] = value;
        a
    }

    /// A dimension of the domain. For a map space, `In` and `Out` are its input and output dimensions.
    pub fn var(space: &Space, t: DimType, pos: usize) -> Aff {
        let mut a = Aff::zero(space);
        a.row[space.offset(t) + pos] = Int::ONE;
        a
    }

    /// A constant plus multiples of dimensions.
    pub fn linear(space: &Space, constant: Int, terms: impl IntoIterator<Item = (DimType, usize, Int)>) -> Aff {
        let mut a = Aff::constant(space, constant);
        for (t, pos, factor) in terms {
            a.row[space.offset(t) + pos] += &factor;
        }
        a
    }

    /// A parameter by name.
    ///
    /// # Errors
    /// When the space has no such parameter.
    pub fn param(space: &Space, name: &Id) -> Result<Aff> {
        let pos = space
            .find_param(name)
            .ok_or_else(|| Error::Unsupported(format!("no parameter {name} in {space}")))?;
        Ok(Aff::var(space, DimType::Param, pos))
    }

    pub(crate) fn from_parts(space: Space, divs: Divs, row: Vec<Int>) -> Aff {
        debug_assert!(space.is_set() && divs.all_known());
        debug_assert_eq!(row.len(), 1 + space.total_dim() + divs.len());
        Aff { space, divs, row }
    }

    /// The domain space.
    pub fn space(&self) -> &Space {
        &self.space
    }

    pub(crate) fn divs(&self) -> &Divs {
        &self.divs
    }

    pub(crate) fn row(&self) -> &[Int] {
        &self.row
    }

    /// The constant term.
    pub fn constant_term(&self) -> &Int {
        &self.row[0]
    }

    /// The coefficient of a parameter or (`Out`) set dimension, outside the floor divisions.
    pub fn coefficient(&self, t: DimType, pos: usize) -> &Int {
        &self.row[self.space.offset(t) + pos]
    }

    /// Is this a constant?
    pub fn is_constant(&self) -> bool {
        row::is_zero(&self.row[1..])
    }
}

impl Aff {
    /// The expression on a domain space with the same tuple whose parameters include the expression's own.
    pub(crate) fn align_to(&self, space: &Space) -> Result<Aff> {
        self.space.check_same_tuples(space)?;
        if self.space.same_params(space) {
            return Ok(self.clone());
        }
        if let Some(p) = self.space.params().iter().find(|p| space.find_param(p).is_none()) {
            return Err(Error::Unsupported(format!("parameter {p} is missing in {space}")));
        }
        let mut from = vec![Some(0)];
        from.extend(space.params().iter().map(|p| self.space.find_param(p).map(|i| 1 + i)));
        from.extend((1 + self.space.params().len()..self.row.len()).map(Some));
        let row = from.iter().map(|c| c.map_or(Int::ZERO, |c| self.row[c].clone())).collect();
        let n_dim = space.total_dim();
        Ok(Aff {
            space: space.clone(),
            divs: self.divs.select_cols(&from, n_dim),
            row,
        })
    }
}
