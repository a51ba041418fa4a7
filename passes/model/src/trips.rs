//! How many values a band member takes.

use crate::Error;
use std::collections::BTreeMap;
use tilia_presburger::{Aff, BasicSet, Budget, Constraint, DimType, Id, Int, Optimum, Set, Term};
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
        let space = set.space();
        let value = |(n, name)| Aff::var(space, DimType::Param, n).add_constant(&-Int::from(self.of(name)));
        let fixed: Vec<Constraint> = space.params().iter().enumerate().map(value).map(Constraint::eq).collect();
        Ok(set.intersect(&BasicSet::from_constraints(space, &fixed)?.to_union())?)
    }
}

/// A statement's instances, and those at the estimated parameters once they are needed.
struct Domain<'a> {
    set: &'a Set,
    fixed: Option<Set>,
}

impl Domain<'_> {
    /// The spread of a member's values over the instances, at the estimated parameters; `None` when unbounded or not one expression.
    fn spread(&mut self, member: &Member, estimates: &Estimates, b: &Budget) -> Result<Option<u64>, Error> {
        let Some(func) = member.func.extract(self.set.space()) else {
            return Ok(None);
        };
        let func = func.align_params(self.set.space())?;
        let Some(aff) = func.as_aff() else { return Ok(None) };
        let own;
        let fixed = if aff.space().same_params(self.set.space()) {
            match &mut self.fixed {
                Some(fixed) => fixed,
                none => none.insert(estimates.fix(self.set)?),
            }
        } else {
            own = estimates.fix(&self.set.align_params(aff.space()))?;
            &own
        };
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
    let mut counts = vec![Some(0); members.len()];
    for set in domains {
        let mut domain = Domain { set, fixed: None };
        for (most, member) in counts.iter_mut().zip(members) {
            let one = domain.spread(member, estimates, b)?;
            *most = most.zip(one).map(|(a, b): (u64, u64)| a.max(b));
        }
    }
    Ok(counts)
}
