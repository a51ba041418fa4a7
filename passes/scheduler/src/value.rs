//! Value-based dependences: flow from the last write only.
//!
//! A flow dependence from a write that another one overwrites before the read says nothing new about legality, since output dependence and flow from the later write imply it; but it has a distance, which
//! objectives would count although no value travels it. Feautrier, "Dataflow analysis of array and scalar references" (1991). It is found here by composing the dependences that are given, so it
//! follows from them whatever they leave out.

use tilia_diag::Remark;
use tilia_presburger::{Budget, Error, Map, Result};
use tilia_scop::{Dep, DepKind, Deps, Scop};

/// The dependences without the flow that certain writes hide. The order that they demand is the same. Where the budget runs out, flow stays as it is, with a remark.
///
/// # Errors
/// When the sets library gives up for another reason.
pub(crate) fn value_based(scop: &Scop, deps: &Deps, budget: &Budget) -> Result<(Deps, Vec<Remark>)> {
    let mut out = Deps::default();
    let mut remarks = Vec::new();
    for d in &deps.memory {
        if d.kind != DepKind::Flow {
            out.memory.push(d.clone());
            continue;
        }
        match visible(scop, deps, d, budget) {
            Ok(Some(relation)) => out.memory.push(Dep { relation, ..d.clone() }),
            Ok(None) => {}
            Err(Error::OutOfBudget) => {
                out.memory.push(d.clone());
                if remarks.is_empty() {
                    let message = "flow isn't restricted to last writes everywhere: the budget ran out";
                    remarks.push(Remark::declined("schedule", scop.loc.clone(), message));
                }
            }
            Err(e) => return Err(e),
        }
    }
    Ok((out, remarks))
}

/// The pairs of a flow dependence between which no certain write of the element stands.
pub(crate) fn visible(scop: &Scop, deps: &Deps, d: &Dep, budget: &Budget) -> Result<Option<Map>> {
    let hides = |o: &&Dep| {
        o.kind == DepKind::Output
            // The order of accumulations may be given up later: then they hide nothing.
            && !scop.is_relaxable(o)
            && (o.source, o.source_access) == (d.source, d.source_access)
            && scop[o.target].accesses[o.target_access].must
    };
    let mut live = d.relation.clone();
    for o in deps.memory.iter().filter(hides) {
        let later = |f: &&Dep| {
            f.kind == DepKind::Flow
                && (f.source, f.source_access) == (o.target, o.target_access)
                && (f.target, f.target_access) == (d.target, d.target_access)
        };
        for f in deps.memory.iter().filter(later) {
            if live.plain_is_empty() {
                return Ok(None);
            }
            live = live.subtract(&o.relation.apply_range(&f.relation)?, budget)?;
        }
    }
    let live = live.drop_empty_pieces(budget)?.coalesce(budget)?;
    Ok((!live.plain_is_empty()).then_some(live))
}
