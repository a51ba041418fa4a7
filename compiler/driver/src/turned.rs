//! Accumulations in another order, for the strategy `auto`: where the loop of one moves outwards, so that the loop along memory has no order.

use crate::auto::{Planned, planned_turned};
use crate::context::Context;
use crate::pipeline::{ScopUnit, check_legal, in_order_of};
use tilia_diag::Remark;
use tilia_program::Function;
use tilia_scop::{Dep, Deps, Scop};
use tilia_transform::Pairs;

/// The name of the stage in remarks.
const STAGE: &str = "auto";

/// What the other order must leave of the estimated time.
const GAIN: f64 = 0.8;

/// Has the scop accumulate in another order where that is expected to be clearly faster than `best`; the scop has that order then, and its dependences are of it.
pub(crate) fn where_it_pays(unit: &mut ScopUnit, function: &Function, cx: &Context<'_>, best: &mut Planned, remarks: &mut Vec<Remark>) {
    let (scop, Some(deps)) = (&unit.scop, &unit.deps) else { return };
    match turned((scop, deps), function, cx) {
        Ok(None) => {}
        Ok(Some(((own, deps), planned, said))) => {
            let costs = format!("{:.3} million cycles, otherwise {:.3}", planned.cycles / 1e6, best.cycles / 1e6);
            if planned.cycles >= GAIN * best.cycles {
                let message = format!("accumulations keep their order: in another one an estimated {costs}");
                remarks.push(Remark::analysis(STAGE, scop.loc.clone(), message));
                return;
            }
            let planned = match planned.proven(&own) {
                Ok(planned) => planned,
                Err(why) => {
                    let why = why.first().map_or("no proof", |d| d.message.as_str());
                    remarks.push(declined(scop, why));
                    return;
                }
            };
            remarks.extend(said);
            let message = format!("accumulations run in another order, which gives the same: an estimated {costs}");
            remarks.push(Remark::applied(STAGE, scop.loc.clone(), message));
            *best = planned;
            (unit.scop, unit.deps) = (own, Some(deps));
        }
        Err(why) => remarks.push(declined(scop, &why)),
    }
}

fn declined(scop: &Scop, why: &str) -> Remark {
    Remark::declined(STAGE, scop.loc.clone(), format!("accumulations keep their order: {why}"))
}

/// A scop in an order of its own with its dependences, how it is shaped, and what there is to say.
type Found = ((Scop, Deps), Planned, Vec<Remark>);

/// The scop in an order in which an accumulation's loop has moved outwards; the validator has accepted it. Nothing where nothing accumulates whole numbers.
///
/// # Errors
/// Why there is no such order.
fn turned((scop, deps): (&Scop, &Deps), function: &Function, cx: &Context<'_>) -> Result<Option<Found>, String> {
    // Nobody asks for another rounding here: whole numbers only.
    let exact = |d: &&Dep| scop.is_relaxable(d) && scop[d.source].reduction.is_some_and(|r| r.is_exact());
    let (relaxable, kept): (Vec<_>, Vec<_>) = deps.memory.iter().partition(exact);
    if relaxable.is_empty() {
        return Ok(None);
    }
    let kept = Pairs::from_maps(kept.into_iter().map(|d| d.relation.clone()).collect());
    let Some(order) = tilia_auto::turned(&scop.schedule, &kept, &cx.budget()).map_err(|e| e.to_string())? else {
        return Err("no nest of the source allows the loop of one to move past the loop along memory".to_owned());
    };
    let first = |why: Vec<tilia_diag::Diagnostic>| why.first().map_or_else(|| "no proof".to_owned(), |d| d.message.clone());
    check_legal(scop, &order.tree).map_err(first)?;
    let mut said = Vec::new();
    let (own, deps) = in_order_of(scop, &order.tree, &cx.budget(), &mut said).map_err(first)?;
    let planned = planned_turned((&own, &deps), &order, function, cx)?;
    Ok(Some(((own, deps), planned, said)))
}
