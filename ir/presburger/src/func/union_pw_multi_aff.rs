//! Piecewise tuples of quasi-affine expressions between several spaces.

use super::{MultiAff, PwMultiAff};
use crate::error::{Error, Result};
use crate::num::Budget;
use crate::sets::Set;
use crate::space::Space;
use crate::union::{UnionMap, UnionSet};

/// At most one piecewise multi-affine function for each pair of domain space and range space, with disjoint domains.
///
/// Members are in the order in which their spaces were added; they are not empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct UnionPwMultiAff {
    /// The space of the parameters.
    params: Space,
    members: Vec<PwMultiAff>,
}

impl UnionPwMultiAff {
    /// Defined nowhere. Only the parameters of `space` matter.
    pub fn empty(space: &Space) -> UnionPwMultiAff {
        UnionPwMultiAff {
            params: space.to_params(),
            members: Vec::new(),
        }
    }

    /// One member.
    pub fn from_pw_multi_aff(pma: &PwMultiAff) -> UnionPwMultiAff {
        let mut union = UnionPwMultiAff::empty(pma.domain_space());
        union.push(pma.clone());
        union
    }

    /// One total function.
    pub fn from_multi_aff(ma: &MultiAff) -> UnionPwMultiAff {
        UnionPwMultiAff::from_pw_multi_aff(&PwMultiAff::from_multi_aff(ma))
    }

    fn push(&mut self, pma: PwMultiAff) {
        if pma.n_piece() > 0 {
            self.members.push(pma);
        }
    }

    /// The space of the parameters.
    pub fn params_space(&self) -> &Space {
        &self.params
    }

    /// The members, one for each pair of spaces.
    pub fn pw_multi_affs(&self) -> &[PwMultiAff] {
        &self.members
    }

    /// The member with the tuples of the map space `space`, if any.
    pub fn extract(&self, space: &Space) -> Option<&PwMultiAff> {
        self.members.iter().find(|m| m.space().same_tuples(space))
    }

    /// Is it defined nowhere?
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The same function with the parameters of `space` first.
    ///
    /// # Errors
    /// Never for a valid function.
    pub fn align_params(&self, space: &Space) -> Result<UnionPwMultiAff> {
        let params = self.params.align_params(space);
        let members = self.members.iter().map(|m| m.align_params(&params)).collect::<Result<_>>()?;
        Ok(UnionPwMultiAff { params, members })
    }

    /// The function with another one added on a domain of its own.
    ///
    /// # Errors
    /// When the domains meet with values in different spaces, or the budget is used up. Values in one space are added up.
    pub fn union_add(&self, other: &UnionPwMultiAff, b: &Budget) -> Result<UnionPwMultiAff> {
        let params = other.params.align_params(&self.params);
        let mut out = self.align_params(&params)?;
        for y in &other.members {
            let y = y.align_params(&params)?;
            out.check_disjoint(&y, b)?;
            match out.members.iter_mut().find(|x| x.space().same_tuples(&y.space())) {
                Some(x) => *x = x.union_add(&y, b)?,
                None => out.push(y),
            }
        }
        Ok(out)
    }

    /// Fails when `new` is defined at a point where a member of another range is.
    fn check_disjoint(&self, new: &PwMultiAff, b: &Budget) -> Result<()> {
        for x in &self.members {
            let same_domain = x.domain_space().same_tuples(new.domain_space());
            if same_domain && !x.space().same_tuples(&new.space()) && !x.domain().intersect(&new.domain())?.is_empty(b)? {
                return Err(Error::Unsupported("a point would have values in two spaces".into()));
            }
        }
        Ok(())
    }

    /// Changes each member; those that become empty go.
    fn each(&self, f: impl Fn(&PwMultiAff) -> Result<PwMultiAff>) -> Result<UnionPwMultiAff> {
        let new: Vec<PwMultiAff> = self.members.iter().map(f).collect::<Result<_>>()?;
        let params = new
            .iter()
            .fold(self.params.clone(), |p, m| m.domain_space().to_params().align_params(&p));
        let mut out = UnionPwMultiAff::empty(&params);
        for m in new {
            out.push(m.align_params(&params)?);
        }
        Ok(out)
    }

    /// Where it is defined.
    ///
    /// # Errors
    /// Never for a valid function.
    pub fn domain(&self) -> Result<UnionSet> {
        let sets: Vec<Set> = self.members.iter().map(PwMultiAff::domain).collect();
        Ok(UnionSet::from_members(&sets)?.align_params(&self.params))
    }

    /// The function on the part of its domain that lies in a set.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn intersect_domain(&self, set: &UnionSet, b: &Budget) -> Result<UnionPwMultiAff> {
        self.each(|m| match set.find(m.domain_space()) {
            Some(s) => m.intersect_domain(s, b),
            None => Ok(PwMultiAff::empty(m.domain_space(), m.out_tuple().clone())),
        })
    }

    /// The domains simplified, given that only points of `context` matter. Members without partner in it go.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn gist(&self, context: &UnionSet, b: &Budget) -> Result<UnionPwMultiAff> {
        self.each(|m| match context.find(m.domain_space()) {
            Some(s) => m.gist(s, b),
            None => Ok(PwMultiAff::empty(m.domain_space(), m.out_tuple().clone())),
        })
    }

    /// The function of functions: `self` after each member of `inner` that leads into one of its domains.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn pullback(&self, inner: &UnionPwMultiAff, b: &Budget) -> Result<UnionPwMultiAff> {
        let mut out = UnionPwMultiAff::empty(&inner.params.align_params(&self.params));
        for f in &inner.members {
            let fits = |m: &&PwMultiAff| !m.domain_space().is_params() && m.domain_space().out().matches(f.out_tuple());
            for m in self.members.iter().filter(fits) {
                out = out.union_add(&UnionPwMultiAff::from_pw_multi_aff(&m.pullback_pw(f, b)?), b)?;
            }
        }
        Ok(out)
    }

    /// Each member coalesced.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn coalesce(&self, b: &Budget) -> Result<UnionPwMultiAff> {
        self.each(|m| m.coalesce(b))
    }

    /// The relation that maps each point of the domain to its value.
    ///
    /// # Errors
    /// When a domain is the space of parameters.
    pub fn as_union_map(&self) -> Result<UnionMap> {
        let maps = self.members.iter().map(PwMultiAff::as_map).collect::<Result<Vec<_>>>()?;
        Ok(UnionMap::from_members(&maps)?.align_params(&self.params))
    }
}
