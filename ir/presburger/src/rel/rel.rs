//! The union type and its elementary operations.

use std::sync::Arc;

use crate::basic::Basic;
use crate::error::Result;
use crate::space::{Id, Space};

/// A finite union of conjunctions in one space.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Rel {
    pub(crate) space: Space,
    /// None of them is known to be empty.
    pub(crate) parts: Vec<Arc<Basic>>,
}

impl Rel {
    /// No points.
    pub(crate) fn empty(space: Space) -> Rel {
        Rel { space, parts: Vec::new() }
    }

    /// All points.
    pub(crate) fn universe(space: Space) -> Rel {
        let b = Basic::universe(space.total_dim());
        Rel::from_basic(space, b)
    }

    /// One conjunction.
    pub(crate) fn from_basic(space: Space, b: Basic) -> Rel {
        debug_assert_eq!(space.total_dim(), b.n_dim());
        let parts = if b.empty { Vec::new() } else { vec![Arc::new(b)] };
        Rel { space, parts }
    }

    /// Several conjunctions; those known to be empty are left out.
    pub(crate) fn from_parts(space: Space, parts: impl IntoIterator<Item = Basic>) -> Rel {
        Rel {
            space,
            parts: parts.into_iter().filter(|b| !b.empty).map(Arc::new).collect(),
        }
    }

    /// The same union in a space with the same dimensions and other names.
    pub(crate) fn with_space(&self, space: Space) -> Rel {
        debug_assert_eq!(space.total_dim(), self.space.total_dim());
        Rel {
            space,
            parts: self.parts.clone(),
        }
    }

    /// The union with other parameters: each parameter of the space must be among them.
    pub(crate) fn with_params(&self, params: &[Id]) -> Rel {
        if self.space.params() == params {
            return self.clone();
        }
        let np = self.space.params().len();
        let mut from: Vec<Option<usize>> = params.iter().map(|p| self.space.find_param(p).map(|i| 1 + i)).collect();
        from.extend((1 + np..=self.space.total_dim()).map(Some));
        let parts = self.parts.iter().map(|b| Arc::new(b.select_dims(&from))).collect();
        Rel {
            space: self.space.with_params(params.to_vec()),
            parts,
        }
    }

    /// The union with the parameters of `space` first, then its own remaining ones.
    pub(crate) fn align_params(&self, space: &Space) -> Rel {
        if self.space.same_params(space) {
            return self.clone();
        }
        self.with_params(&space.merged_params(&self.space))
    }

    /// Both operands with the same parameters; the tuples must match.
    pub(crate) fn align(&self, other: &Rel) -> Result<(Rel, Rel)> {
        self.space.check_same_tuples(&other.space)?;
        Ok(self.align_params_both(other))
    }

    /// Both operands with the same parameters, whatever their tuples.
    pub(crate) fn align_params_both(&self, other: &Rel) -> (Rel, Rel) {
        if self.space.same_params(&other.space) {
            return (self.clone(), other.clone());
        }
        let params = self.space.merged_params(&other.space);
        (self.with_params(&params), other.with_params(&params))
    }

    /// Is there visibly no point?
    pub(crate) fn plain_is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Points in either operand.
    pub(crate) fn union(&self, other: &Rel) -> Result<Rel> {
        let (a, b) = self.align(other)?;
        if a.parts.iter().any(|p| p.is_plain_universe()) {
            return Ok(a);
        }
        let mut parts = a.parts;
        for p in b.parts {
            if !parts.contains(&p) {
                parts.push(p);
            }
        }
        Ok(Rel { space: a.space, parts })
    }

    /// Points in both operands.
    pub(crate) fn intersect(&self, other: &Rel) -> Result<Rel> {
        let (a, b) = self.align(other)?;
        Ok(a.intersect_aligned(&b))
    }
}
