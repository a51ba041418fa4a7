//! Piecewise quasi-affine expressions.

use super::pieces::{Piece, Pieces};
use super::{Aff, MultiAff, PwMultiAff};
use crate::error::{Error, Result};
use crate::num::{Budget, Int};
use crate::sets::{Point, Set};
use crate::space::Space;

/// A quasi-affine expression on each of finitely many disjoint sets; undefined elsewhere.
///
/// Operations on two functions are defined where both are, except for the `union_` ones.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PwAff(Pieces<Aff>);

impl Piece for Aff {
    fn on(&self, domain: &Space) -> Result<Aff> {
        self.align_to(domain)
    }

    fn plain_eq(&self, other: &Aff) -> bool {
        Aff::plain_eq(self, other)
    }
}

impl PwAff {
    /// Defined nowhere on a domain space.
    pub fn empty(domain: &Space) -> PwAff {
        PwAff(Pieces::empty(domain.wrap()))
    }

    /// One expression on its whole domain.
    pub fn from_aff(aff: &Aff) -> PwAff {
        let mut pieces = Pieces::empty(aff.space().clone());
        pieces.push(Set::universe(aff.space()), aff.clone());
        PwAff(pieces)
    }

    /// One expression on a set.
    ///
    /// # Errors
    /// When the set and the domain of the expression don't match.
    pub fn alloc(set: &Set, aff: &Aff) -> Result<PwAff> {
        Ok(PwAff(Pieces::single(set.align_params(aff.space()), aff)?))
    }

    /// Pieces that are known to be disjoint, all over `domain`.
    pub(crate) fn from_disjoint(domain: &Space, list: impl IntoIterator<Item = (Set, Aff)>) -> PwAff {
        let mut pieces = Pieces::empty(domain.clone());
        for (set, aff) in list {
            pieces.push(set, aff);
        }
        PwAff(pieces)
    }

    /// The domain space.
    pub fn domain_space(&self) -> &Space {
        self.0.space()
    }

    /// The pieces: disjoint sets and the expressions on them.
    pub fn pieces(&self) -> &[(Set, Aff)] {
        self.0.list()
    }

    /// The only expression, when there is just one piece and it is everywhere.
    pub fn as_aff(&self) -> Option<&Aff> {
        match self.pieces() {
            [(set, aff)] if set.plain_is_universe() => Some(aff),
            _ => None,
        }
    }

    /// The number of pieces.
    pub fn n_piece(&self) -> usize {
        self.pieces().len()
    }

    /// The set where the function is defined.
    pub fn domain(&self) -> Set {
        self.0.domain()
    }

    /// The same function with the parameters of `space` first.
    ///
    /// # Errors
    /// Never for a valid function.
    pub fn align_params(&self, space: &Space) -> Result<PwAff> {
        Ok(PwAff(self.0.align_params(space)?))
    }

    fn with(&self, other: &PwAff, f: impl Fn(&Aff, &Aff) -> Result<Aff>, b: &Budget) -> Result<PwAff> {
        Ok(PwAff(self.0.combine(&other.0, f, b)?))
    }

    fn each(&self, f: impl Fn(&Aff) -> Result<Aff>) -> Result<PwAff> {
        Ok(PwAff(self.0.map(f)?))
    }

    /// The sum.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn add(&self, other: &PwAff, b: &Budget) -> Result<PwAff> {
        self.with(other, Aff::add, b)
    }

    /// The difference.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn sub(&self, other: &PwAff, b: &Budget) -> Result<PwAff> {
        self.with(other, Aff::sub, b)
    }

    /// The product, where one factor of each pair is a constant.
    ///
    /// # Errors
    /// When two expressions that both vary meet, or the budget is used up.
    pub fn mul(&self, other: &PwAff, b: &Budget) -> Result<PwAff> {
        let product = |x: &Aff, y: &Aff| {
            let (x, y) = if x.is_constant() { (y, x) } else { (x, y) };
            if y.is_constant() {
                Ok(x.scale(y.constant_term()))
            } else {
                Err(Error::Unsupported("a product of two varying expressions".into()))
            }
        };
        self.with(other, product, b)
    }

    /// The negation.
    ///
    /// # Errors
    /// Never for a valid function.
    pub fn neg(&self) -> Result<PwAff> {
        self.each(|x| Ok(x.neg()))
    }

    /// The function times a constant.
    ///
    /// # Errors
    /// Never for a valid function.
    pub fn scale(&self, factor: &Int) -> Result<PwAff> {
        self.each(|x| Ok(x.scale(factor)))
    }

    /// The function plus a constant.
    ///
    /// # Errors
    /// Never for a valid function.
    pub fn add_constant(&self, value: &Int) -> Result<PwAff> {
        self.each(|x| Ok(x.add_constant(value)))
    }

    /// `floor(self / d)`.
    ///
    /// # Errors
    /// When `d` is not positive.
    pub fn floor_div(&self, d: &Int) -> Result<PwAff> {
        self.each(|x| x.floor_div(d))
    }

    /// `ceil(self / d)`.
    ///
    /// # Errors
    /// When `d` is not positive.
    pub fn ceil_div(&self, d: &Int) -> Result<PwAff> {
        self.each(|x| x.ceil_div(d))
    }

    /// `self mod d`, in `[0, d)`.
    ///
    /// # Errors
    /// When `d` is not positive.
    pub fn mod_(&self, d: &Int) -> Result<PwAff> {
        self.each(|x| x.mod_(d))
    }

    /// The lesser of two.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn min(&self, other: &PwAff, b: &Budget) -> Result<PwAff> {
        self.select(other, |x, y| y.sub(x), b)
    }

    /// The greater of two.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn max(&self, other: &PwAff, b: &Budget) -> Result<PwAff> {
        self.select(other, |x, y| x.sub(y), b)
    }

    /// `self` where `prefer(self, other) >= 0`, else `other`; both must be defined.
    fn select(&self, other: &PwAff, prefer: impl Fn(&Aff, &Aff) -> Result<Aff>, b: &Budget) -> Result<PwAff> {
        let (x, y) = self.0.aligned(&other.0)?;
        let mut out = Pieces::empty(x.space().clone());
        for (s, v) in x.list() {
            for (t, w) in y.list() {
                b.spend(1)?;
                let both = s.intersect(t)?;
                let gap = prefer(v, w)?;
                if gap.is_constant() {
                    out.push(both, if gap.constant_term().is_neg() { w.clone() } else { v.clone() });
                    continue;
                }
                for (region, value) in [(gap.ge_zero_set()?, v), (gap.lt_zero_set()?, w)] {
                    let region = both.intersect(&region)?;
                    if !region.is_empty(b)? {
                        out.push(region, value.clone());
                    }
                }
            }
        }
        Ok(PwAff(out.merged()?))
    }

    /// `self` where it is defined, else `other`.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn union_first(&self, other: &PwAff, b: &Budget) -> Result<PwAff> {
        Ok(PwAff(self.0.union_with(&other.0, |x, _| Ok(x.clone()), b)?))
    }

    /// The sum where both are defined, the one that is defined elsewhere.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn union_add(&self, other: &PwAff, b: &Budget) -> Result<PwAff> {
        Ok(PwAff(self.0.union_with(&other.0, Aff::add, b)?))
    }

    /// The lesser where both are defined, the one that is defined elsewhere.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn union_min(&self, other: &PwAff, b: &Budget) -> Result<PwAff> {
        self.min(other, b)?.union_first(self, b)?.union_first(other, b)
    }

    /// The greater where both are defined, the one that is defined elsewhere.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn union_max(&self, other: &PwAff, b: &Budget) -> Result<PwAff> {
        self.max(other, b)?.union_first(self, b)?.union_first(other, b)
    }

    /// `yes` where `self` isn't zero, `no` where it is.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn cond(&self, yes: &PwAff, no: &PwAff, b: &Budget) -> Result<PwAff> {
        let zero = self.zero_set(b)?;
        let other = self.non_zero_set(b)?;
        let a = yes.intersect_domain(&other, b)?;
        a.union_first(&no.intersect_domain(&zero, b)?, b)
    }

    /// 1 on a set and 0 outside.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn indicator(set: &Set, b: &Budget) -> Result<PwAff> {
        let one = Aff::constant(set.space(), Int::ONE);
        let zero = Aff::zero(set.space());
        let outside = set.complement(b)?;
        Ok(PwAff::from_disjoint(set.space(), [(set.clone(), one), (outside, zero)]))
    }

    /// Where the function has a value that satisfies a condition on single expressions.
    fn region(&self, f: impl Fn(&Aff) -> Result<Set>) -> Result<Set> {
        let mut out = Set::empty(self.domain_space());
        for (s, x) in self.pieces() {
            out = out.union(&s.intersect(&f(x)?)?)?;
        }
        Ok(out)
    }

    /// Where the value is zero.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn zero_set(&self, b: &Budget) -> Result<Set> {
        b.spend(1 + self.n_piece() as u64)?;
        self.region(Aff::zero_set)
    }

    /// Where there is a value and it isn't zero.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn non_zero_set(&self, b: &Budget) -> Result<Set> {
        b.spend(1 + self.n_piece() as u64)?;
        self.region(|x| x.lt_zero_set()?.union(&x.neg().lt_zero_set()?))
    }

    /// Where the value is at least zero.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn nonneg_set(&self, b: &Budget) -> Result<Set> {
        b.spend(1 + self.n_piece() as u64)?;
        self.region(Aff::ge_zero_set)
    }

    /// Where `self <= other`.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn le_set(&self, other: &PwAff, b: &Budget) -> Result<Set> {
        other.sub(self, b)?.nonneg_set(b)
    }

    /// Where `self < other`.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn lt_set(&self, other: &PwAff, b: &Budget) -> Result<Set> {
        other.sub(self, b)?.add_constant(&Int::NEG_ONE)?.nonneg_set(b)
    }

    /// Where `self >= other`.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn ge_set(&self, other: &PwAff, b: &Budget) -> Result<Set> {
        other.le_set(self, b)
    }

    /// Where `self > other`.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn gt_set(&self, other: &PwAff, b: &Budget) -> Result<Set> {
        other.lt_set(self, b)
    }

    /// Where `self = other`.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn eq_set(&self, other: &PwAff, b: &Budget) -> Result<Set> {
        self.sub(other, b)?.zero_set(b)
    }

    /// Where both are defined and differ.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn ne_set(&self, other: &PwAff, b: &Budget) -> Result<Set> {
        self.sub(other, b)?.non_zero_set(b)
    }

    /// The function on the part of its domain that lies in a set.
    ///
    /// # Errors
    /// When the spaces differ or the budget is used up.
    pub fn intersect_domain(&self, set: &Set, b: &Budget) -> Result<PwAff> {
        Ok(PwAff(self.0.intersect_domain(set, b)?))
    }

    /// The function where the parameters lie in a set.
    ///
    /// # Errors
    /// When the set isn't one of parameters, or the budget is used up.
    pub fn intersect_params(&self, params: &Set, b: &Budget) -> Result<PwAff> {
        let me = self.align_params(params.space())?;
        Ok(PwAff(me.0.map_sets(|s| s.intersect_params(params), b)?))
    }

    /// The function on the part of its domain outside a set.
    ///
    /// # Errors
    /// When the spaces differ or the budget is used up.
    pub fn subtract_domain(&self, set: &Set, b: &Budget) -> Result<PwAff> {
        Ok(PwAff(self.0.subtract_domain(set, b)?))
    }

    /// Pieces with values that look the same joined.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn coalesce(&self, b: &Budget) -> Result<PwAff> {
        Ok(PwAff(self.0.coalesce(b)?))
    }

    /// The domains simplified, given that only points of `context` matter.
    ///
    /// # Errors
    /// When the spaces differ or the budget is used up.
    pub fn gist(&self, context: &Set, b: &Budget) -> Result<PwAff> {
        Ok(PwAff(self.0.gist(context, b)?))
    }

    /// The function of a function: each point of the domain of `ma` is mapped by `ma`, then by `self`.
    ///
    /// # Errors
    /// When the range of `ma` isn't the domain of `self`, or the budget is used up.
    pub fn pullback(&self, ma: &MultiAff, b: &Budget) -> Result<PwAff> {
        let ma = ma.align_params(self.domain_space())?;
        let me = self.align_params(ma.domain_space())?;
        let mut out = Pieces::empty(ma.domain_space().clone());
        for (s, x) in me.pieces() {
            let set = ma.preimage(s)?;
            if !set.is_empty(b)? {
                out.push(set, x.pullback(&ma)?);
            }
        }
        Ok(PwAff(out))
    }

    /// The function of a piecewise function: each point of the domain of `inner` is mapped by `inner`, then by `self`.
    ///
    /// # Errors
    /// When the range of `inner` isn't the domain of `self`, or the budget is used up.
    pub fn pullback_pw(&self, inner: &PwMultiAff, b: &Budget) -> Result<PwAff> {
        let me = PwMultiAff::from_pw_aff(self).pullback_pw(inner, b)?;
        Ok(me.get(0))
    }

    /// The value at a point, if the function is defined there.
    ///
    /// # Errors
    /// When the point lives in another space or the budget is used up.
    pub fn eval(&self, p: &Point, b: &Budget) -> Result<Option<Int>> {
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
    /// When the domain spaces differ or the budget is used up.
    pub fn is_equal(&self, other: &PwAff, b: &Budget) -> Result<bool> {
        let same = self.eq_set(other, b)?;
        Ok(self.domain().is_subset(&same, b)? && other.domain().is_subset(&same, b)?)
    }
}
