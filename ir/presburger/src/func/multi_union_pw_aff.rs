//! Tuples of piecewise quasi-affine expressions over several domain spaces: schedules of bands.

use super::{MultiPwAff, PwAff, UnionPwAff, UnionPwMultiAff};
use crate::error::{Error, Result};
use crate::num::{Budget, Int};
use crate::sets::Set;
use crate::space::{Space, Tuple};
use crate::union::{UnionMap, UnionSet};

/// For each dimension of a tuple a union piecewise quasi-affine expression; defined where all of them are.
///
/// In a schedule tree this is the partial schedule of a band. Without any dimension the domain is kept explicitly.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MultiUnionPwAff {
    /// The space of the parameters.
    params: Space,
    out: Tuple,
    members: Vec<UnionPwAff>,
    /// The domain, when there are no members and it was given.
    explicit: Option<UnionSet>,
}

impl MultiUnionPwAff {
    /// A function from its expressions; parameters are aligned.
    ///
    /// # Errors
    /// When the number of expressions isn't that of the tuple's dimensions.
    pub fn new(out: Tuple, members: &[UnionPwAff]) -> Result<MultiUnionPwAff> {
        if members.len() != out.len() {
            return Err(Error::Unsupported(format!(
                "{} expressions for the {} dimensions of {out}",
                members.len(),
                out.len()
            )));
        }
        let params = members
            .iter()
            .fold(Space::params_only([]), |p, m| m.params_space().align_params(&p));
        let members = members.iter().map(|m| m.align_params(&params)).collect::<Result<_>>()?;
        Ok(MultiUnionPwAff {
            params,
            out,
            members,
            explicit: None,
        })
    }

    /// A function to an anonymous tuple.
    ///
    /// # Errors
    /// Never for valid members.
    pub fn from_members(members: &[UnionPwAff]) -> Result<MultiUnionPwAff> {
        MultiUnionPwAff::new(Tuple::anonymous(members.len()), members)
    }

    /// A function without dimensions: everywhere, or on `domain`.
    pub fn zero_dim(params: &Space, out: Tuple, domain: Option<UnionSet>) -> MultiUnionPwAff {
        debug_assert!(out.is_empty());
        let params = params.to_params();
        let params = domain.as_ref().map_or(params.clone(), |d| d.params_space().align_params(&params));
        let explicit = domain.map(|d| d.align_params(&params));
        MultiUnionPwAff {
            params,
            out,
            members: Vec::new(),
            explicit,
        }
    }

    /// The space of the parameters.
    pub fn params_space(&self) -> &Space {
        &self.params
    }

    /// The tuple of the values.
    pub fn out_tuple(&self) -> &Tuple {
        &self.out
    }

    /// The set space of the values.
    pub fn range_space(&self) -> Space {
        Space::set(self.params.params().to_vec(), self.out.clone())
    }

    /// The number of dimensions of the values.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Have the values no dimensions?
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The expressions.
    pub fn members(&self) -> &[UnionPwAff] {
        &self.members
    }

    /// One expression.
    pub fn get(&self, i: usize) -> &UnionPwAff {
        &self.members[i]
    }

    /// The explicit domain, when there are no dimensions and one was given.
    pub fn explicit_domain(&self) -> Option<&UnionSet> {
        self.explicit.as_ref()
    }

    /// The same function with the parameters of `space` first.
    ///
    /// # Errors
    /// Never for a valid function.
    pub fn align_params(&self, space: &Space) -> Result<MultiUnionPwAff> {
        let params = self.params.align_params(space);
        let members = self.members.iter().map(|m| m.align_params(&params)).collect::<Result<_>>()?;
        let explicit = self.explicit.as_ref().map(|d| d.align_params(&params));
        Ok(MultiUnionPwAff {
            params,
            out: self.out.clone(),
            members,
            explicit,
        })
    }

    /// The function with another tuple of as many dimensions.
    ///
    /// # Errors
    /// When the number of dimensions differs.
    pub fn with_out_tuple(&self, out: Tuple) -> Result<MultiUnionPwAff> {
        if out.len() != self.len() {
            return Err(Error::Unsupported(format!(
                "{} expressions for the {} dimensions of {out}",
                self.len(),
                out.len()
            )));
        }
        Ok(MultiUnionPwAff { out, ..self.clone() })
    }

    /// The dimensions from `first` on, `n` of them, as a function to an anonymous tuple. Without any, the domain is lost.
    ///
    /// # Errors
    /// When there are fewer dimensions.
    pub fn slice(&self, first: usize, n: usize) -> Result<MultiUnionPwAff> {
        match self.members.get(first..first + n) {
            Some(members) => MultiUnionPwAff::from_members(members)?.align_params(&self.params),
            None => Err(Error::Unsupported(format!("dimensions {first} to {} of {}", first + n, self.len()))),
        }
    }

    fn each(&self, f: impl Fn(usize, &UnionPwAff) -> Result<UnionPwAff>) -> Result<MultiUnionPwAff> {
        let members: Vec<UnionPwAff> = self.members.iter().enumerate().map(|(i, m)| f(i, m)).collect::<Result<_>>()?;
        let new = MultiUnionPwAff::new(self.out.clone(), &members)?.align_params(&self.params)?;
        Ok(MultiUnionPwAff {
            explicit: self.explicit.clone(),
            ..new
        })
    }

    fn with_each(&self, list: &[Int], f: impl Fn(&UnionPwAff, &Int) -> Result<UnionPwAff>) -> Result<MultiUnionPwAff> {
        if list.len() != self.len() {
            return Err(Error::Unsupported(format!(
                "{} constants for {} dimensions",
                list.len(),
                self.len()
            )));
        }
        self.each(|i, m| f(m, &list[i]))
    }

    /// Each dimension times a constant of its own.
    ///
    /// # Errors
    /// When the number of constants isn't that of the dimensions.
    pub fn scale(&self, factors: &[Int]) -> Result<MultiUnionPwAff> {
        self.with_each(factors, UnionPwAff::scale)
    }

    /// `floor` of each dimension divided by a constant of its own.
    ///
    /// # Errors
    /// When the number of constants isn't that of the dimensions, or one isn't positive.
    pub fn floor_div(&self, divisors: &[Int]) -> Result<MultiUnionPwAff> {
        self.with_each(divisors, UnionPwAff::floor_div)
    }

    /// Each dimension modulo a constant of its own.
    ///
    /// # Errors
    /// When the number of constants isn't that of the dimensions, or one isn't positive.
    pub fn mod_(&self, divisors: &[Int]) -> Result<MultiUnionPwAff> {
        self.with_each(divisors, UnionPwAff::mod_)
    }

    /// The sum, dimension by dimension, where both are defined.
    ///
    /// # Errors
    /// When the tuples differ or the budget is used up.
    pub fn add(&self, other: &MultiUnionPwAff, b: &Budget) -> Result<MultiUnionPwAff> {
        self.check_same_out(other)?;
        self.each(|i, m| m.add(&other.members[i], b))?.keep_domain_of(other, b)
    }

    /// `self` where it is defined, else `other`, dimension by dimension.
    ///
    /// # Errors
    /// When the tuples differ or the budget is used up.
    pub fn union_first(&self, other: &MultiUnionPwAff, b: &Budget) -> Result<MultiUnionPwAff> {
        self.check_same_out(other)?;
        self.each(|i, m| m.union_first(&other.members[i], b))
    }

    /// The values of both in one anonymous tuple.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn flat_range_product(&self, other: &MultiUnionPwAff, b: &Budget) -> Result<MultiUnionPwAff> {
        let dims = self.out.dims.iter().chain(&other.out.dims).cloned().collect();
        let members: Vec<UnionPwAff> = self.members.iter().chain(&other.members).cloned().collect();
        let new = MultiUnionPwAff::new(Tuple { dims, ..Tuple::default() }, &members)?;
        new.keep_domain_of(self, b)?.keep_domain_of(other, b)
    }

    fn keep_domain_of(&self, other: &MultiUnionPwAff, b: &Budget) -> Result<MultiUnionPwAff> {
        match &other.explicit {
            Some(set) => self.intersect_domain(set, b),
            None => Ok(self.clone()),
        }
    }

    fn check_same_out(&self, other: &MultiUnionPwAff) -> Result<()> {
        if self.out.matches(&other.out) {
            Ok(())
        } else {
            Err(Error::mismatch(&self.range_space(), &other.range_space()))
        }
    }

    /// The function on the part of its domain that lies in a set.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn intersect_domain(&self, set: &UnionSet, b: &Budget) -> Result<MultiUnionPwAff> {
        if !self.is_empty() {
            return self.each(|_, m| m.intersect_domain(set, b));
        }
        let domain = match &self.explicit {
            None => set.clone(),
            Some(old) => old.intersect(set)?,
        };
        Ok(MultiUnionPwAff::zero_dim(&self.params, self.out.clone(), Some(domain)))
    }

    /// The function where the parameters lie in a set.
    ///
    /// # Errors
    /// When the set isn't one of parameters, or the budget is used up.
    pub fn intersect_params(&self, params: &Set, b: &Budget) -> Result<MultiUnionPwAff> {
        match &self.explicit {
            Some(d) => Ok(MultiUnionPwAff::zero_dim(
                &self.params,
                self.out.clone(),
                Some(d.intersect_params(params)?),
            )),
            None => self.each(|_, m| m.intersect_params(params, b)),
        }
    }

    /// The domains simplified, given that only points of `context` matter.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn gist(&self, context: &UnionSet, b: &Budget) -> Result<MultiUnionPwAff> {
        match &self.explicit {
            Some(d) => Ok(MultiUnionPwAff::zero_dim(&self.params, self.out.clone(), Some(d.gist(context, b)?))),
            None => self.each(|_, m| m.gist(context, b)),
        }
    }

    /// Each member coalesced.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn coalesce(&self, b: &Budget) -> Result<MultiUnionPwAff> {
        self.each(|_, m| m.coalesce(b))
    }

    /// The function of functions: `self` after `inner`.
    ///
    /// # Errors
    /// When the function has no dimensions and a domain, or the budget is used up.
    pub fn pullback(&self, inner: &UnionPwMultiAff, b: &Budget) -> Result<MultiUnionPwAff> {
        if self.explicit.is_some() {
            return Err(Error::Unsupported(
                "pullback of a function without dimensions on a given domain".into(),
            ));
        }
        self.each(|_, m| m.pullback(inner, b))
    }

    /// Where all dimensions are defined; `None` when that is everywhere.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn domain(&self, b: &Budget) -> Result<Option<UnionSet>> {
        let mut domain = self.explicit.clone();
        for m in &self.members {
            b.spend(1)?;
            domain = Some(match domain {
                None => m.domain(),
                Some(set) => set.intersect(&m.domain())?,
            });
        }
        Ok(domain)
    }

    /// As one union of functions on common pieces.
    ///
    /// # Errors
    /// When it is defined everywhere without having a dimension, or the budget is used up.
    pub fn to_union_pw_multi_aff(&self, b: &Budget) -> Result<UnionPwMultiAff> {
        let Some(domain) = self.domain(b)? else {
            return Err(Error::Unsupported("a function that is defined in every space".into()));
        };
        let mut out = UnionPwMultiAff::empty(&self.params);
        for set in domain.sets() {
            let members: Vec<PwAff> = self.members.iter().filter_map(|m| m.extract(set.space()).cloned()).collect();
            let mpa = if members.is_empty() {
                MultiPwAff::zero_dim(set, self.out.clone())
            } else {
                MultiPwAff::new(set.space(), self.out.clone(), &members)?
            };
            out = out.union_add(&UnionPwMultiAff::from_pw_multi_aff(&mpa.to_pw_multi_aff(b)?), b)?;
        }
        Ok(out)
    }

    /// The relation that maps each point of the domain to its value.
    ///
    /// # Errors
    /// When it is defined everywhere without having a dimension, or the budget is used up.
    pub fn as_union_map(&self, b: &Budget) -> Result<UnionMap> {
        Ok(self.to_union_pw_multi_aff(b)?.as_union_map()?.align_params(&self.params))
    }

    /// Are the functions equal, dimension by dimension, with equal domains?
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn is_equal(&self, other: &MultiUnionPwAff, b: &Budget) -> Result<bool> {
        if !self.out.matches(&other.out) {
            return Ok(false);
        }
        for (x, y) in self.members.iter().zip(&other.members) {
            if !x.is_equal(y, b)? {
                return Ok(false);
            }
        }
        match (&self.explicit, &other.explicit) {
            (None, None) => Ok(true),
            (Some(x), Some(y)) => x.is_equal(y, b),
            _ => Ok(false),
        }
    }
}
