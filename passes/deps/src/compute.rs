//! The entry points: dependences of a scop within a budget.

use crate::flow::{flow, flow_of};
use crate::memory::memory;
use crate::position::{TreeError, positions};
use tilia_diag::Remark;
use tilia_presburger::{Budget, Error};
use tilia_scop::{ArrayId, Dep, DepKind, Deps, Scop};

/// The memory-based dependences of a scop in the order of its own schedule; [`Deps::flow`] stays empty.
///
/// They hold every ordered pair of instances that touch one element with at least one write. Where the budget runs out they hold more pairs, with a remark.
///
/// # Errors
/// When the schedule has nodes that add or replace instances, or the sets library can't represent a relation.
pub fn dependences(scop: &Scop, budget: &Budget) -> Result<(Deps, Vec<Remark>), TreeError> {
    let positions = positions(scop, &scop.schedule)?;
    let found = memory(scop, &positions, &scop.context, budget)?;
    let mut remarks = Vec::new();
    if found.approximated > 0 {
        let message = format!("{} dependences are over-approximated: the budget ran out", found.approximated);
        remarks.push(Remark::declined("deps", scop.loc.clone(), message));
    }
    Ok((
        Deps {
            memory: found.deps,
            flow: Vec::new(),
        },
        remarks,
    ))
}

/// The value-based flow dependences of one array, exact.
///
/// # Errors
/// When the sets library gives up, its budget included, or the scop's tree has nodes that can't be read.
pub fn array_flow(scop: &Scop, array: ArrayId, budget: &Budget) -> tilia_presburger::Result<Vec<Dep>> {
    let positions = positions(scop, &scop.schedule).map_err(|e| match e {
        TreeError::Sets(e) => e,
        TreeError::Node(_) => Error::Unsupported(e.to_string()),
    })?;
    flow_of(scop, array, &positions, &scop.context, budget)
}

/// The value-based flow dependences of a scop: each read to the last write of its element before it. Where the budget runs out they are those of `memory`, with a remark.
///
/// # Errors
/// As [`dependences`].
pub fn value_flow(scop: &Scop, memory: &[Dep], budget: &Budget) -> Result<(Vec<Dep>, Vec<Remark>), TreeError> {
    let positions = positions(scop, &scop.schedule)?;
    match flow(scop, &positions, &scop.context, budget) {
        Ok(flow) => Ok((flow, Vec::new())),
        Err(Error::OutOfBudget) => {
            let all = memory.iter().filter(|d| d.kind == DepKind::Flow).cloned().collect();
            let message = "value-based flow is given as memory-based flow: the budget ran out";
            Ok((all, vec![Remark::declined("deps", scop.loc.clone(), message)]))
        }
        Err(e) => Err(e.into()),
    }
}
