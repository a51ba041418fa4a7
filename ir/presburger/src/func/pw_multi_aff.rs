//! Piecewise tuples of quasi-affine expressions.

use super::pieces::Pieces;
use super::{MultiAff, PwAff};
use crate::error::{Error, Result};
use crate::num::Budget;
use crate::rel::Rel;
use crate::sets::{Map, Point, Set};
use crate::space::{Space, Tuple};

/// A tuple of quasi-affine expressions on each of finitely many disjoint sets; undefined elsewhere.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PwMultiAff {
    out: Tuple,
    pieces: Pieces<MultiAff>,
}

impl PwMultiAff {
    /// Defined nowhere.
    pub fn empty(domain: &Space, out: Tuple) -> PwMultiAff {
        PwMultiAff {
            out,
            pieces: Pieces::empty(domain.wrap()),
        }
    }

    /// One function on its whole domain.
    pub fn from_multi_aff(ma: &MultiAff) -> PwMultiAff {
        PwMultiAff::from_disjoint(
            ma.domain_space(),
            ma.out_tuple().clone(),
            [(Set::universe(ma.domain_space()), ma.clone())],
        )
    }

    /// One function on a set.
    ///
    /// # Errors
    /// When the set isn't in the domain space.
    pub fn alloc(set: &Set, ma: &MultiAff) -> Result<PwMultiAff> {
        let pieces = Pieces::single(set.align_params(ma.domain_space()), ma)?;
        Ok(PwMultiAff {
            out: ma.out_tuple().clone(),
            pieces,
        })
    }

    /// A piecewise expression as a function to an anonymous tuple of one dimension.
    pub fn from_pw_aff(pa: &PwAff) -> PwMultiAff {
        let list = pa.pieces().iter().map(|(s, x)| (s.clone(), MultiAff::from_aff(x)));
        PwMultiAff::from_disjoint(pa.domain_space(), Tuple::anonymous(1), list)
    }

    /// Pieces that are known to be disjoint, all over `domain` with its parameters in its order.
    pub(crate) fn from_disjoint(domain: &Space, out: Tuple, list: impl IntoIterator<Item = (Set, MultiAff)>) -> PwMultiAff {
        let mut pieces = Pieces::empty(domain.clone());
        for (set, ma) in list {
            pieces.push(set, ma);
        }
        PwMultiAff { out, pieces }
    }

    fn with(&self, pieces: Pieces<MultiAff>) -> PwMultiAff {
        PwMultiAff {
            out: self.out.clone(),
            pieces,
        }
    }

    /// The domain space.
    pub fn domain_space(&self) -> &Space {
        self.pieces.space()
    }

    /// The tuple of the values.
    pub fn out_tuple(&self) -> &Tuple {
        &self.out
    }

    /// The map space from domain to range; for a function of the parameters alone, the range space.
    pub fn space(&self) -> Space {
        MultiAff::zero(self.domain_space(), self.out.clone()).space()
    }

    /// The pieces: disjoint sets and the functions on them.
    pub fn pieces(&self) -> &[(Set, MultiAff)] {
        self.pieces.list()
    }

    /// The number of pieces.
    pub fn n_piece(&self) -> usize {
        self.pieces().len()
    }

    /// The only function, when there is just one piece and it is everywhere.
    pub fn as_multi_aff(&self) -> Option<&MultiAff> {
        match self.pieces() {
            [(set, ma)] if set.plain_is_universe() => Some(ma),
            _ => None,
        }
    }

    /// The number of dimensions of the values.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Have the values no dimensions?
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// One dimension of the values.
    pub fn get(&self, i: usize) -> PwAff {
        let list = self.pieces().iter().map(|(s, ma)| (s.clone(), ma.get(i).clone()));
        PwAff::from_disjoint(self.domain_space(), list)
    }

    /// The set where the function is defined.
    pub fn domain(&self) -> Set {
        self.pieces.domain()
    }

    /// The same function with the parameters of `space` first.
    ///
    /// # Errors
    /// Never for a valid function.
    pub fn align_params(&self, space: &Space) -> Result<PwMultiAff> {
        Ok(self.with(self.pieces.align_params(space)?))
    }

    /// The function with another name and shape of its tuple, of as many dimensions.
    ///
    /// # Errors
    /// When the number of dimensions differs.
    pub fn with_out_tuple(&self, out: Tuple) -> Result<PwMultiAff> {
        let pieces = self.pieces.map(|ma| ma.with_out_tuple(out.clone()))?;
        Ok(PwMultiAff { out, pieces })
    }

    fn check_same_out(&self, other: &PwMultiAff) -> Result<()> {
        if self.out.matches(&other.out) {
            Ok(())
        } else {
            Err(Error::mismatch(&self.space(), &other.space()))
        }
    }

    /// The sum where both are defined.
    ///
    /// # Errors
    /// When the spaces differ or the budget is used up.
    pub fn add(&self, other: &PwMultiAff, b: &Budget) -> Result<PwMultiAff> {
        self.check_same_out(other)?;
        Ok(self.with(self.pieces.combine(&other.pieces, MultiAff::add, b)?))
    }

    /// The difference where both are defined.
    ///
    /// # Errors
    /// When the spaces differ or the budget is used up.
    pub fn sub(&self, other: &PwMultiAff, b: &Budget) -> Result<PwMultiAff> {
        self.check_same_out(other)?;
        Ok(self.with(self.pieces.combine(&other.pieces, MultiAff::sub, b)?))
    }

    /// `self` where it is defined, else `other`.
    ///
    /// # Errors
    /// When the spaces differ or the budget is used up.
    pub fn union_first(&self, other: &PwMultiAff, b: &Budget) -> Result<PwMultiAff> {
        self.check_same_out(other)?;
        Ok(self.with(self.pieces.union_with(&other.pieces, |x, _| Ok(x.clone()), b)?))
    }

    /// The sum where both are defined, the one that is defined elsewhere.
    ///
    /// # Errors
    /// When the spaces differ or the budget is used up.
    pub fn union_add(&self, other: &PwMultiAff, b: &Budget) -> Result<PwMultiAff> {
        self.check_same_out(other)?;
        Ok(self.with(self.pieces.union_with(&other.pieces, MultiAff::add, b)?))
    }

    /// The function on the part of its domain that lies in a set.
    ///
    /// # Errors
    /// When the spaces differ or the budget is used up.
    pub fn intersect_domain(&self, set: &Set, b: &Budget) -> Result<PwMultiAff> {
        Ok(self.with(self.pieces.intersect_domain(set, b)?))
    }

    /// The function on the part of its domain outside a set.
    ///
    /// # Errors
    /// When the spaces differ or the budget is used up.
    pub fn subtract_domain(&self, set: &Set, b: &Budget) -> Result<PwMultiAff> {
        Ok(self.with(self.pieces.subtract_domain(set, b)?))
    }

    /// The values of both in one anonymous tuple, where both are defined.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn flat_range_product(&self, other: &PwMultiAff, b: &Budget) -> Result<PwMultiAff> {
        let out = Tuple {
            dims: self.out.dims.iter().chain(&other.out.dims).cloned().collect(),
            ..Tuple::default()
        };
        let pieces = self.pieces.combine(&other.pieces, MultiAff::flat_range_product, b)?;
        Ok(PwMultiAff { out, pieces })
    }

    /// The values of both as a wrapped pair, where both are defined.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn range_product(&self, other: &PwMultiAff, b: &Budget) -> Result<PwMultiAff> {
        let out = Tuple::wrapped(self.out.clone(), other.out.clone());
        let pieces = self.pieces.combine(&other.pieces, MultiAff::range_product, b)?;
        Ok(PwMultiAff { out, pieces })
    }

    /// The function of a function: `self` after `inner`.
    ///
    /// # Errors
    /// When the range of `inner` isn't the domain of `self`, or the budget is used up.
    pub fn pullback(&self, inner: &MultiAff, b: &Budget) -> Result<PwMultiAff> {
        let inner = inner.align_params(self.domain_space())?;
        let me = self.align_params(inner.domain_space())?;
        let mut pieces = Pieces::empty(inner.domain_space().clone());
        for (s, x) in me.pieces() {
            let set = inner.preimage(s)?;
            if !set.is_empty(b)? {
                pieces.push(set, x.pullback(&inner)?);
            }
        }
        Ok(self.with(pieces))
    }

    /// The function of a piecewise function: `self` after `inner`.
    ///
    /// # Errors
    /// When the range of `inner` isn't the domain of `self`, or the budget is used up.
    pub fn pullback_pw(&self, inner: &PwMultiAff, b: &Budget) -> Result<PwMultiAff> {
        let inner = inner.align_params(self.domain_space())?;
        let me = self.align_params(inner.domain_space())?;
        let mut pieces = Pieces::empty(inner.domain_space().clone());
        for (s, f) in inner.pieces() {
            let composed = me.pullback(f, b)?.intersect_domain(s, b)?;
            for (t, x) in composed.pieces() {
                pieces.push(t.clone(), x.clone());
            }
        }
        Ok(self.with(pieces))
    }

    /// Pieces with values that look the same joined.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn coalesce(&self, b: &Budget) -> Result<PwMultiAff> {
        Ok(self.with(self.pieces.coalesce(b)?))
    }

    /// The domains simplified, given that only points of `context` matter.
    ///
    /// # Errors
    /// When the spaces differ or the budget is used up.
    pub fn gist(&self, context: &Set, b: &Budget) -> Result<PwMultiAff> {
        Ok(self.with(self.pieces.gist(context, b)?))
    }

    fn graph(&self) -> Rel {
        let parts = self
            .pieces()
            .iter()
            .flat_map(|(s, ma)| s.rel().parts.iter().map(|p| ma.graph(Some(p))));
        Rel::from_parts(self.space(), parts)
    }

    /// The relation that maps each point of the domain to its value.
    ///
    /// # Errors
    /// When the domain is the space of parameters.
    pub fn as_map(&self) -> Result<Map> {
        if self.domain_space().is_params() {
            return Err(Error::Unsupported("a function of the parameters alone is a set, not a map".into()));
        }
        Ok(Map::from_rel(self.graph()))
    }

    /// The set of the values of a function of the parameters alone.
    ///
    /// # Errors
    /// When the domain isn't the space of parameters.
    pub fn as_set(&self) -> Result<Set> {
        if !self.domain_space().is_params() {
            return Err(Error::Unsupported("only a function of the parameters alone is a set".into()));
        }
        Ok(Set::from_rel(self.graph()))
    }

    /// The value at a point, if the function is defined there.
    ///
    /// # Errors
    /// When the point lives in another space or the budget is used up.
    pub fn eval(&self, p: &Point, b: &Budget) -> Result<Option<Point>> {
        for (s, x) in self.pieces() {
            if s.contains(p, b)? {
                return x.eval(p).map(Some);
            }
        }
        Ok(None)
    }

    /// Are the functions equal, with equal domains?
    ///
    /// # Errors
    /// When the spaces differ or the budget is used up.
    pub fn is_equal(&self, other: &PwMultiAff, b: &Budget) -> Result<bool> {
        self.check_same_out(other)?;
        if self.domain_space().is_params() {
            return self.as_set()?.is_equal(&other.as_set()?, b);
        }
        self.as_map()?.is_equal(&other.as_map()?, b)
    }
}
