//! Members of a band as expressions over each statement, and filters built from them.

use crate::{Error, Outcome};
use tilia_presburger::{Aff, BasicSet, Constraint, PwAff, Set, Space, UnionPwAff, UnionSet};
use tilia_schedule::Band;

/// One statement's values of all members.
pub(super) struct Values {
    pub(super) space: Space,
    pub(super) affs: Vec<Aff>,
}

/// The values of all statements; declined where one is piecewise.
pub(super) fn values(band: &Band) -> Result<Vec<Values>, Outcome> {
    let mut out = Vec::new();
    let Some(first) = band.members.first() else { return Ok(out) };
    for f in first.func.pw_affs() {
        let space = f.domain_space().clone();
        let affs: Option<Vec<Aff>> = band.members.iter().map(|m| m.func.extract(&space)?.as_aff().cloned()).collect();
        match affs {
            Some(affs) => out.push(Values { space, affs }),
            None => return Err(Outcome::unfit("a loop's value is piecewise")),
        }
    }
    Ok(out)
}

/// Instances by statement, and functions of them, collected statement by statement.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) filters: Vec<Set>,
}

impl Parts {
    /// The instances of a statement for which all expressions are non-negative.
    pub(super) fn add(&mut self, space: &Space, nonneg: Vec<Aff>) -> Result<Set, Error> {
        let constraints: Vec<Constraint> = nonneg.into_iter().map(Constraint::ineq).collect();
        let set = BasicSet::from_constraints(space, &constraints)?.to_union();
        self.filters.push(set.clone());
        Ok(set)
    }

    pub(super) fn filter(&self) -> Result<UnionSet, Error> {
        Ok(UnionSet::from_members(&self.filters)?)
    }
}

/// The function with one more statement.
pub(super) fn with(func: &UnionPwAff, aff: &Aff, b: &tilia_presburger::Budget) -> Result<UnionPwAff, Error> {
    Ok(func.add_pw_aff(&PwAff::from_aff(aff), b)?)
}
