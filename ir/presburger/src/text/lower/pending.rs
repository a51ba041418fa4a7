//! Stand-ins until the union operations land.
use crate::error::{Error, Result};
use crate::num::Budget;
use crate::sets::{Map, Set};

impl Set {
    pub(crate) fn complement(&self, _b: &Budget) -> Result<Set> {
        Err(Error::Unsupported("complement".into()))
    }
    pub(crate) fn subtract(&self, _o: &Set, _b: &Budget) -> Result<Set> {
        Err(Error::Unsupported("subtract".into()))
    }
    pub(crate) fn is_subset(&self, _o: &Set, _b: &Budget) -> Result<bool> {
        Err(Error::Unsupported("is_subset".into()))
    }
    pub(crate) fn is_equal(&self, _o: &Set, _b: &Budget) -> Result<bool> {
        Err(Error::Unsupported("is_equal".into()))
    }
    pub(crate) fn coalesce(&self, _b: &Budget) -> Result<Set> {
        Ok(self.clone())
    }
    pub(crate) fn gist(&self, _o: &Set, _b: &Budget) -> Result<Set> {
        Ok(self.clone())
    }
}
impl Map {
    pub(crate) fn is_equal(&self, _o: &Map, _b: &Budget) -> Result<bool> {
        Err(Error::Unsupported("is_equal".into()))
    }
}
