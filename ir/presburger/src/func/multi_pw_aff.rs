//! Tuples of piecewise quasi-affine expressions.

use super::{MultiAff, PwAff, PwMultiAff};
use crate::error::{Error, Result};
use crate::num::Budget;
use crate::sets::{Map, Point, Set};
use crate::space::{Space, Tuple};

/// One piecewise quasi-affine expression for each dimension of a tuple; defined where all of them are.
///
/// Without any dimension the domain is kept explicitly.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MultiPwAff {
    domain: Space,
    out: Tuple,
    members: Vec<PwAff>,
    /// The domain, when there are no members.
    explicit: Option<Set>,
}

impl MultiPwAff {
    /// A function from its expressions; parameters are aligned.
    ///
    /// # Errors
    /// When an expression has another domain space, or their number isn't that of the tuple's dimensions.
    pub fn new(domain: &Space, out: Tuple, members: &[PwAff]) -> Result<MultiPwAff> {
        let domain = members
            .iter()
            .fold(domain.wrap(), |d, a| d.align_params(a.domain_space()).align_params(&d));
        if members.len() != out.len() {
            return Err(Error::Unsupported(format!(
                "{} expressions for the {} dimensions of {out}",
                members.len(),
                out.len()
            )));
        }
        for m in members {
            m.domain_space().check_same_tuples(&domain)?;
        }
        let members = members.iter().map(|m| m.align_params(&domain)).collect::<Result<_>>()?;
        Ok(MultiPwAff {
            domain,
            out,
            members,
            explicit: None,
        })
    }

    /// A function without dimensions on a set.
    pub fn zero_dim(set: &Set, out: Tuple) -> MultiPwAff {
        debug_assert!(out.is_empty());
        MultiPwAff {
            domain: set.space().clone(),
            out,
            members: Vec::new(),
            explicit: Some(set.clone()),
        }
    }

    /// A total function.
    pub fn from_multi_aff(ma: &MultiAff) -> MultiPwAff {
        let members = ma.affs().iter().map(PwAff::from_aff).collect();
        MultiPwAff {
            domain: ma.domain_space().clone(),
            out: ma.out_tuple().clone(),
            members,
            explicit: None,
        }
    }

    /// A piecewise function, dimension by dimension.
    pub fn from_pw_multi_aff(pma: &PwMultiAff) -> MultiPwAff {
        if pma.is_empty() {
            return MultiPwAff::zero_dim(&pma.domain(), pma.out_tuple().clone());
        }
        let members = (0..pma.len()).map(|i| pma.get(i)).collect();
        MultiPwAff {
            domain: pma.domain_space().clone(),
            out: pma.out_tuple().clone(),
            members,
            explicit: None,
        }
    }

    /// The domain space.
    pub fn domain_space(&self) -> &Space {
        &self.domain
    }

    /// The tuple of the values.
    pub fn out_tuple(&self) -> &Tuple {
        &self.out
    }

    /// The map space from domain to range; for a function of the parameters alone, the range space.
    pub fn space(&self) -> Space {
        MultiAff::zero(&self.domain, self.out.clone()).space()
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
    pub fn members(&self) -> &[PwAff] {
        &self.members
    }

    /// One expression.
    pub fn get(&self, i: usize) -> &PwAff {
        &self.members[i]
    }

    /// The explicit domain, when there are no dimensions and it was restricted.
    pub(crate) fn explicit_domain(&self) -> Option<&Set> {
        self.explicit.as_ref()
    }

    /// The set where all dimensions are defined.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn domain(&self, b: &Budget) -> Result<Set> {
        let mut set = self.explicit.clone().unwrap_or_else(|| Set::universe(&self.domain));
        for m in &self.members {
            b.spend(1)?;
            set = set.intersect(&m.domain())?;
        }
        Ok(set)
    }

    fn each(&self, f: impl Fn(&PwAff) -> Result<PwAff>) -> Result<MultiPwAff> {
        let members: Vec<PwAff> = self.members.iter().map(f).collect::<Result<_>>()?;
        let new = MultiPwAff::new(&self.domain, self.out.clone(), &members)?;
        Ok(MultiPwAff {
            explicit: self.explicit.clone(),
            ..new
        })
    }

    /// The function on the part of its domain that lies in a set.
    ///
    /// # Errors
    /// When the spaces differ or the budget is used up.
    pub fn intersect_domain(&self, set: &Set, b: &Budget) -> Result<MultiPwAff> {
        let new = self.each(|m| m.intersect_domain(set, b))?;
        if !self.is_empty() {
            return Ok(new);
        }
        let domain = self.domain(b)?.intersect(set)?;
        Ok(MultiPwAff::zero_dim(&domain, self.out.clone()))
    }

    /// The function of a function: `self` after `inner`.
    ///
    /// # Errors
    /// When the range of `inner` isn't the domain of `self`, or the budget is used up.
    pub fn pullback(&self, inner: &MultiAff, b: &Budget) -> Result<MultiPwAff> {
        let members: Vec<PwAff> = self.members.iter().map(|m| m.pullback(inner, b)).collect::<Result<_>>()?;
        let new = MultiPwAff::new(inner.domain_space(), self.out.clone(), &members)?;
        let explicit = self.explicit.as_ref().map(|s| inner.preimage(s)).transpose()?;
        Ok(MultiPwAff { explicit, ..new })
    }

    /// The values of both in one anonymous tuple.
    ///
    /// # Errors
    /// When the domain spaces differ or the budget is used up.
    pub fn flat_range_product(&self, other: &MultiPwAff, b: &Budget) -> Result<MultiPwAff> {
        let out = Tuple {
            dims: self.out.dims.iter().chain(&other.out.dims).cloned().collect(),
            ..Tuple::default()
        };
        let members: Vec<PwAff> = self.members.iter().chain(&other.members).cloned().collect();
        let mut new = MultiPwAff::new(&self.domain, out, &members)?;
        for explicit in [&self.explicit, &other.explicit].into_iter().flatten() {
            new = new.intersect_domain(explicit, b)?;
        }
        Ok(new)
    }

    /// As one function on common pieces.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn to_pw_multi_aff(&self, b: &Budget) -> Result<PwMultiAff> {
        let domain = self.explicit.clone().unwrap_or_else(|| Set::universe(&self.domain));
        let start = MultiAff::zero(&self.domain, Tuple::anonymous(0));
        let mut result = PwMultiAff::alloc(&domain, &start)?;
        for m in &self.members {
            result = result.flat_range_product(&PwMultiAff::from_pw_aff(m), b)?;
        }
        result.with_out_tuple(self.out.clone())
    }

    /// The relation that maps each point of the domain to its value.
    ///
    /// # Errors
    /// When the domain is the space of parameters, or the budget is used up.
    pub fn as_map(&self, b: &Budget) -> Result<Map> {
        self.to_pw_multi_aff(b)?.as_map()
    }

    /// The value at a point, if the function is defined there.
    ///
    /// # Errors
    /// When the point lives in another space or the budget is used up.
    pub fn eval(&self, p: &Point, b: &Budget) -> Result<Option<Point>> {
        if let Some(s) = &self.explicit
            && !s.contains(p, b)?
        {
            return Ok(None);
        }
        let coords = self.members.iter().map(|m| m.eval(p, b)).collect::<Result<Option<Vec<_>>>>()?;
        let range = Space::set(p.space.params().to_vec(), self.out.clone());
        Ok(coords.map(|coords| Point::new(range, p.params.clone(), coords)))
    }
}
