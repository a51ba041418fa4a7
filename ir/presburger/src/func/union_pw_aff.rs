//! Piecewise quasi-affine expressions over several domain spaces.

use super::{Aff, PwAff, UnionPwMultiAff};
use crate::error::Result;
use crate::num::{Budget, Int};
use crate::sets::{Map, Set};
use crate::space::Space;
use crate::union::{UnionMap, UnionSet};

/// At most one piecewise quasi-affine expression for each domain space. All have the same parameters.
///
/// Members are in the order in which their spaces were added; they are not empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct UnionPwAff {
    /// The space of the parameters.
    params: Space,
    members: Vec<PwAff>,
}

impl UnionPwAff {
    /// Defined nowhere. Only the parameters of `space` matter.
    pub fn empty(space: &Space) -> UnionPwAff {
        UnionPwAff {
            params: space.to_params(),
            members: Vec::new(),
        }
    }

    /// One member.
    pub fn from_pw_aff(pa: &PwAff) -> UnionPwAff {
        let mut union = UnionPwAff::empty(pa.domain_space());
        union.push(pa.clone());
        union
    }

    /// One expression on its whole domain.
    pub fn from_aff(aff: &Aff) -> UnionPwAff {
        UnionPwAff::from_pw_aff(&PwAff::from_aff(aff))
    }

    /// Adds a member of a space that has none.
    fn push(&mut self, pa: PwAff) {
        if pa.n_piece() > 0 {
            self.members.push(pa);
        }
    }

    /// The space of the parameters.
    pub fn params_space(&self) -> &Space {
        &self.params
    }

    /// The members, one for each domain space.
    pub fn pw_affs(&self) -> &[PwAff] {
        &self.members
    }

    /// The member with the tuple of `domain`, if any.
    pub fn extract(&self, domain: &Space) -> Option<&PwAff> {
        self.members.iter().find(|m| m.domain_space().same_tuples(domain))
    }

    /// Is it defined nowhere?
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Where it is defined.
    pub fn domain(&self) -> UnionSet {
        let sets: Vec<Set> = self.members.iter().map(PwAff::domain).collect();
        UnionSet::of_distinct(&self.params, sets)
    }

    /// The same function with the parameters of `space` first.
    ///
    /// # Errors
    /// Never for a valid function.
    pub fn align_params(&self, space: &Space) -> Result<UnionPwAff> {
        let params = self.params.align_params(space);
        let members = self.members.iter().map(|m| m.align_params(&params)).collect::<Result<_>>()?;
        Ok(UnionPwAff { params, members })
    }

    /// Changes each member; those that become empty go.
    pub(crate) fn each(&self, f: impl Fn(&PwAff) -> Result<PwAff>) -> Result<UnionPwAff> {
        let mut params = self.params.clone();
        let mut members = Vec::with_capacity(self.members.len());
        for m in &self.members {
            let new = f(m)?;
            params = new.domain_space().to_params().align_params(&params);
            members.push(new);
        }
        let mut out = UnionPwAff {
            params,
            members: Vec::new(),
        };
        for m in members {
            out.push(m.align_params(&out.params)?);
        }
        Ok(out)
    }

    /// Combines the members of each common domain space.
    fn common(&self, other: &UnionPwAff, f: impl Fn(&PwAff, &PwAff) -> Result<PwAff>) -> Result<UnionPwAff> {
        let a = self.align_params(&other.params.align_params(&self.params))?;
        let mut out = UnionPwAff::empty(&a.params);
        for x in &a.members {
            if let Some(y) = other.extract(x.domain_space()) {
                out.push(f(x, y)?.align_params(&a.params)?);
            }
        }
        Ok(out)
    }

    /// All members of both; those of a common domain space are combined.
    fn joined(&self, other: &UnionPwAff, f: impl Fn(&PwAff, &PwAff) -> Result<PwAff>) -> Result<UnionPwAff> {
        let params = other.params.align_params(&self.params);
        let (a, o) = (self.align_params(&params)?, other.align_params(&params)?);
        let mut out = UnionPwAff::empty(&params);
        for x in &a.members {
            match o.extract(x.domain_space()) {
                Some(y) => out.push(f(x, y)?.align_params(&params)?),
                None => out.push(x.clone()),
            }
        }
        for y in o.members {
            if a.extract(y.domain_space()).is_none() {
                out.push(y);
            }
        }
        Ok(out)
    }

    /// The sum where both are defined.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn add(&self, other: &UnionPwAff, b: &Budget) -> Result<UnionPwAff> {
        self.common(other, |x, y| x.add(y, b))
    }

    /// The difference where both are defined.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn sub(&self, other: &UnionPwAff, b: &Budget) -> Result<UnionPwAff> {
        self.common(other, |x, y| x.sub(y, b))
    }

    /// The sum where both are defined, the one that is defined elsewhere.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn union_add(&self, other: &UnionPwAff, b: &Budget) -> Result<UnionPwAff> {
        self.joined(other, |x, y| x.union_add(y, b))
    }

    /// `self` where it is defined, else `other`.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn union_first(&self, other: &UnionPwAff, b: &Budget) -> Result<UnionPwAff> {
        self.joined(other, |x, y| x.union_first(y, b))
    }

    /// The function with a piecewise expression added where it isn't defined yet.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn add_pw_aff(&self, pa: &PwAff, b: &Budget) -> Result<UnionPwAff> {
        self.union_add(&UnionPwAff::from_pw_aff(pa), b)
    }

    /// The negation.
    ///
    /// # Errors
    /// Never for a valid function.
    pub fn neg(&self) -> Result<UnionPwAff> {
        self.each(PwAff::neg)
    }

    /// The function times a constant.
    ///
    /// # Errors
    /// Never for a valid function.
    pub fn scale(&self, factor: &Int) -> Result<UnionPwAff> {
        self.each(|m| m.scale(factor))
    }

    /// The function plus a constant.
    ///
    /// # Errors
    /// Never for a valid function.
    pub fn add_constant(&self, value: &Int) -> Result<UnionPwAff> {
        self.each(|m| m.add_constant(value))
    }

    /// `floor(self / d)`.
    ///
    /// # Errors
    /// When `d` is not positive.
    pub fn floor_div(&self, d: &Int) -> Result<UnionPwAff> {
        self.each(|m| m.floor_div(d))
    }

    /// `self mod d`, in `[0, d)`.
    ///
    /// # Errors
    /// When `d` is not positive.
    pub fn mod_(&self, d: &Int) -> Result<UnionPwAff> {
        self.each(|m| m.mod_(d))
    }

    /// The function on the part of its domain that lies in a set.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn intersect_domain(&self, set: &UnionSet, b: &Budget) -> Result<UnionPwAff> {
        self.each(|m| match set.find(m.domain_space()) {
            Some(s) => m.intersect_domain(s, b),
            None => Ok(PwAff::empty(m.domain_space())),
        })
    }

    /// The function on the part of its domain outside a set.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn subtract_domain(&self, set: &UnionSet, b: &Budget) -> Result<UnionPwAff> {
        self.each(|m| match set.find(m.domain_space()) {
            Some(s) => m.subtract_domain(s, b),
            None => Ok(m.clone()),
        })
    }

    /// The domains simplified, given that only points of `context` matter. Members without partner in it go.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn gist(&self, context: &UnionSet, b: &Budget) -> Result<UnionPwAff> {
        self.each(|m| match context.find(m.domain_space()) {
            Some(s) => m.gist(s, b),
            None => Ok(PwAff::empty(m.domain_space())),
        })
    }

    /// The function of functions: `self` after each member of `inner` that leads into one of its domains.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn pullback(&self, inner: &UnionPwMultiAff, b: &Budget) -> Result<UnionPwAff> {
        let mut out = UnionPwAff::empty(&inner.params_space().align_params(&self.params));
        for f in inner.pw_multi_affs() {
            let range = f.out_tuple();
            for m in self
                .members
                .iter()
                .filter(|m| !m.domain_space().is_params() && m.domain_space().out().matches(range))
            {
                out = out.union_add(&UnionPwAff::from_pw_aff(&m.pullback_pw(f, b)?), b)?;
            }
        }
        Ok(out)
    }

    /// The relation that maps each point of the domain to its value.
    ///
    /// # Errors
    /// When a domain is the space of parameters.
    pub fn as_union_map(&self) -> Result<UnionMap> {
        let maps = self.members.iter().map(Map::from_pw_aff).collect::<Result<Vec<_>>>()?;
        Ok(UnionMap::from_members(&maps)?.align_params(&self.params))
    }

    /// The function where the parameters lie in a set.
    ///
    /// # Errors
    /// When the set isn't one of parameters, or the budget is used up.
    pub fn intersect_params(&self, params: &Set, b: &Budget) -> Result<UnionPwAff> {
        self.each(|m| m.intersect_params(params, b))
    }

    /// Each member coalesced.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn coalesce(&self, b: &Budget) -> Result<UnionPwAff> {
        self.each(|m| m.coalesce(b))
    }

    /// Are the functions equal, with equal domains?
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn is_equal(&self, other: &UnionPwAff, b: &Budget) -> Result<bool> {
        if self.members.len() != other.members.len() {
            return Ok(false);
        }
        for x in &self.members {
            match other.extract(x.domain_space()) {
                Some(y) if x.is_equal(y, b)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }
}
