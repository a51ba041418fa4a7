//! Stand-ins until the union operations land.
use crate::error::{Error, Result};
use crate::num::Budget;
use crate::sets::Set;

impl Set {
    pub(crate) fn complement(&self, _b: &Budget) -> Result<Set> {
        Err(Error::Unsupported("complement".into()))
    }
    pub(crate) fn subtract(&self, _o: &Set, _b: &Budget) -> Result<Set> {
        Err(Error::Unsupported("subtract".into()))
    }
}
