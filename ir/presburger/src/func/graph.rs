//! Functions as relations.

use super::{Aff, MultiAff, MultiPwAff, PwAff, PwMultiAff};
use crate::error::Result;
use crate::num::Budget;
use crate::sets::{Map, Set};

impl Map {
    /// The graph of an expression, to an anonymous tuple of one dimension.
    ///
    /// # Errors
    /// When the domain is the space of parameters.
    pub fn from_aff(aff: &Aff) -> Result<Map> {
        MultiAff::from_aff(aff).as_map()
    }

    /// The graph of a function.
    ///
    /// # Errors
    /// When the domain is the space of parameters.
    pub fn from_multi_aff(ma: &MultiAff) -> Result<Map> {
        ma.as_map()
    }

    /// The graph of a piecewise expression, to an anonymous tuple of one dimension.
    ///
    /// # Errors
    /// When the domain is the space of parameters.
    pub fn from_pw_aff(pa: &PwAff) -> Result<Map> {
        PwMultiAff::from_pw_aff(pa).as_map()
    }

    /// The graph of a piecewise function.
    ///
    /// # Errors
    /// When the domain is the space of parameters.
    pub fn from_pw_multi_aff(pma: &PwMultiAff) -> Result<Map> {
        pma.as_map()
    }

    /// The graph of a tuple of piecewise expressions.
    ///
    /// # Errors
    /// When the domain is the space of parameters, or the budget is used up.
    pub fn from_multi_pw_aff(mpa: &MultiPwAff, b: &Budget) -> Result<Map> {
        mpa.as_map(b)
    }
}

impl Set {
    /// The values of an expression in the parameters, as an anonymous tuple of one dimension.
    ///
    /// # Errors
    /// When the domain isn't the space of parameters.
    pub fn from_pw_aff(pa: &PwAff) -> Result<Set> {
        PwMultiAff::from_pw_aff(pa).as_set()
    }

    /// The values of a function of the parameters.
    ///
    /// # Errors
    /// When the domain isn't the space of parameters.
    pub fn from_multi_aff(ma: &MultiAff) -> Result<Set> {
        ma.as_set()
    }

    /// The values of a piecewise function of the parameters.
    ///
    /// # Errors
    /// When the domain isn't the space of parameters.
    pub fn from_pw_multi_aff(pma: &PwMultiAff) -> Result<Set> {
        pma.as_set()
    }
}
