//! How many values a band member takes.

use crate::Error;
use std::collections::BTreeMap;
use tilia_presburger::{Aff, Budget, DimType, Id, Int, Optimum, Set, Term};
use tilia_schedule::Member;
use tilia_scop::StmtId;

/// What parameters are taken to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimates {
    /// Values by name.
    pub values: BTreeMap<Id, i64>,
    /// The value of all others.
    pub default: i64,
    /// What instances of statements cost; those of others are counted by their operations.
    pub work: BTreeMap<StmtId, Work>,
    /// Operations of a statement on what one access reads and nothing else that moves (`alpha * A[i][k]`), by the number of the access: where several instances read one element, they are done once.
    pub own: BTreeMap<(StmtId, usize), u64>,
}

/// What one instance of a statement costs on a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// Operations, each as many as simple ones could start in its place: 1 for an addition, more for a division.
    pub operations: u64,
    /// Cycles from what it reads of places that it, or another instance of it, writes to the end of that write: instances that depend on each other follow at this distance.
    pub chain: u64,
}

impl Default for Estimates {
    fn default() -> Self {
        Self {
            values: BTreeMap::new(),
            default: 1000,
            work: BTreeMap::new(),
            own: BTreeMap::new(),
        }
    }
}

impl Estimates {
    /// The value of a parameter.
    #[must_use]
    pub fn of(&self, param: &Id) -> i64 {
        self.values.get(param).copied().unwrap_or(self.default)
    }

    /// The set at the estimated parameters.
    pub(crate) fn fix(&self, set: &Set) -> Result<Set, Error> {
        let mut set = set.clone();
        let names: Vec<Id> = set.space().params().to_vec();
        for (n, name) in names.iter().enumerate() {
            set = set.fix(DimType::Param, n, Int::from(self.of(name)))?;
        }
        Ok(set)
    }
}

/// The spread of a member's values over the instances of one statement, at the estimated parameters; `None` when unbounded or not one expression.
fn spread(member: &Member, domain: &Set, estimates: &Estimates, b: &Budget) -> Result<Option<u64>, Error> {
    let Some(func) = member.func.extract(domain.space()) else {
        return Ok(None);
    };
    let func = func.align_params(domain.space())?;
    let Some(aff) = func.as_aff() else { return Ok(None) };
    let fixed = estimates.fix(&domain.align_params(aff.space()))?;
    let bounded = |o| match o {
        Optimum::Bounded(v) => Some(v),
        _ => None,
    };
    let (Some(low), Some(high)) = (bounded(fixed.min_aff(aff, b)?), bounded(fixed.max_aff(aff, b)?)) else {
        return Ok(None);
    };
    let count = &(&high - &low) + &Int::ONE;
    let count = count.to_i64().and_then(|n| u64::try_from(n).ok());
    Ok(count.map(|n| n.div_ceil(step(aff))))
}

/// A loop over strips takes every so many-th value.
pub(crate) fn step(aff: &Aff) -> u64 {
    match &aff.terms()[..] {
        [Term::Div { coefficient, .. }] => coefficient.to_i64().map_or(1, |c| c.unsigned_abs().max(1)),
        _ => 1,
    }
}

/// For each member: the greatest number of values for any statement of the domains. `None` where nothing bounds it.
///
/// # Errors
/// When the sets library gives up.
pub fn trip_counts(members: &[Member], domains: &[Set], estimates: &Estimates, b: &Budget) -> Result<Vec<Option<u64>>, Error> {
    let mut counts = Vec::with_capacity(members.len());
    for member in members {
        let mut most = Some(0);
        for domain in domains {
            let one = spread(member, domain, estimates, b)?;
            most = most.zip(one).map(|(a, b): (u64, u64)| a.max(b));
        }
        counts.push(most);
    }
    Ok(counts)
}
