//! Where values are kept: which scops get copies of their temporaries, numbers in their elements, pieces and copies of operands, as a strategy asks or as pays.

use crate::auto::{Planned, planned};
use crate::context::Context;
use crate::options::{Strategy, Tile};
use crate::pipeline::ScopUnit;
use crate::scheduling::Scheduling;
use std::collections::BTreeMap;
use tilia_diag::{Diagnostic, Remark, RemarkKind};
use tilia_expand::{Wish, expand, prepare, settle};
use tilia_program::Function;
use tilia_scop::{Deps, Scop};

/// Puts copies in the place of temporaries where the strategy asks for it, or where `auto` expects a faster tree of it; the plan of it is the result then, which is not validated yet.
///
/// # Errors
/// A strategy that can't be read.
pub(crate) fn with_copies(
    unit: &mut ScopUnit,
    scheduling: Option<&Scheduling>,
    function: &mut Function,
    cx: &Context<'_>,
    remarks: &mut Vec<Remark>,
) -> Result<Option<Planned>, Vec<Diagnostic>> {
    let (Some(scheduling), Some(deps)) = (scheduling, unit.deps.as_ref()) else {
        return Ok(None);
    };
    if cx.options.strategy == Strategy::Auto {
        if cx.options.tile != Tile::Auto {
            return Ok(None);
        }
        // Choices that were measured are about the scop as it is.
        if cx.options.choices.contains_key(unit.scop.name.as_str()) {
            return Ok(Some(planned((&unit.scop, deps), function, scheduling, f64::INFINITY, cx)));
        }
        if let Some((scop, deps)) = settled((&unit.scop, deps), function, cx, remarks) {
            unit.scop = scop;
            unit.deps = Some(deps);
        }
        let Some(deps) = unit.deps.as_ref() else { return Ok(None) };
        let all = ["*".to_owned()];
        let mut said = Vec::new();
        let copied = expanded((&unit.scop, deps), function, (&all, false), cx, &mut said);
        let with = copied.as_ref().map(|(scop, deps)| (scop, deps));
        let function_now = &*function;
        let plan = |(scop, deps), cx: &Context<'_>| planned((scop, deps), function_now, scheduling, f64::INFINITY, cx);
        let (mut best, with) = match with {
            None => (plan((&unit.scop, deps), cx), None),
            Some(with) => {
                let (best, with) = cx.both(|cx| plan((&unit.scop, deps), cx), |cx| plan(with, cx));
                (best, Some(with))
            }
        };
        match copied.zip(with) {
            None => remarks.extend(said),
            Some(((scop, deps), with)) => {
                if with.cycles >= best.cycles {
                    let message = format!(
                        "temporaries keep one place for all iterations: {}, with copies of their own {}",
                        costs(&best),
                        costs(&with)
                    );
                    remarks.push(Remark::analysis("expand", scop.loc.clone(), message));
                } else {
                    let message = format!("temporaries get copies: {}, without {}", costs(&with), costs(&best));
                    said.push(Remark::analysis("expand", scop.loc.clone(), message));
                    remarks.extend(said);
                    unit.scop = scop;
                    unit.deps = Some(deps);
                    best = with;
                }
            }
        }
        if best.cycles > PIECES_FROM {
            crate::pieces::where_it_pays(unit, function, cx, &mut best, remarks);
        }
        if best.cycles > TURNED_FROM {
            crate::turned::where_it_pays(unit, function, cx, &mut best, remarks);
        }
        let best = with_operands(unit, scheduling, function, (cx, best), remarks);
        if cx.is_spent() {
            let message = "the best order that was found so far is used: what this compilation may spend on looking for faster ones is spent, so that others weren't looked at";
            remarks.push(Remark::declined("auto", unit.scop.loc.clone(), message.to_owned()));
        }
        return Ok(Some(best));
    }
    let names = scheduling.expands(&unit.scop, deps, cx)?;
    if names.is_empty() {
        return Ok(None);
    }
    if let Some((scop, deps)) = expanded((&unit.scop, deps), function, (&names, true), cx, remarks) {
        unit.scop = scop;
        unit.deps = Some(deps);
    }
    Ok(None)
}

/// The scop in which numbers live where they are stored in the end, and its dependences; nothing where no number does.
fn settled((scop, deps): (&Scop, &Deps), function: &mut Function, cx: &Context<'_>, remarks: &mut Vec<Remark>) -> Option<(Scop, Deps)> {
    let b = cx.budget();
    let done = settle(function, scop, deps, &b).map_err(|e| e.to_string());
    let done = done.and_then(|(found, said)| {
        let Some(found) = found else { return Ok((None, said)) };
        let (deps, more) = tilia_deps::dependences(&found, &b).map_err(|e| e.to_string())?;
        Ok((Some((found, deps)), [said, more].concat()))
    });
    match done {
        Ok((found, said)) => {
            remarks.extend(said);
            found
        }
        Err(e) => {
            let message = format!("numbers keep their places: {e}");
            remarks.push(Remark::declined("expand", scop.loc.clone(), message));
            None
        }
    }
}

/// Cycles from which it is tried to cut statements into pieces.
const PIECES_FROM: f64 = 1e8;

/// Cycles from which it is tried to accumulate in another order.
const TURNED_FROM: f64 = 1e7;

/// Cycles from which it is tried to copy operands: below, planning once more costs more than it saves.
const PACKED_FROM: f64 = 5e6;

fn costs(p: &Planned) -> String {
    if p.cycles.is_finite() {
        format!("an estimated {:.3} million cycles", p.cycles / 1e6)
    } else {
        "more".to_owned()
    }
}

/// Lets loops read copies of their operands, made before them, where that is expected to be faster; else `best` stays.
fn with_operands(
    unit: &mut ScopUnit,
    scheduling: &Scheduling,
    function: &mut Function,
    (cx, best): (&Context<'_>, Planned),
    remarks: &mut Vec<Remark>,
) -> Planned {
    if best.cycles < PACKED_FROM {
        return best;
    }
    let b = cx.budget();
    let Some(deps) = &unit.deps else { return best };
    let made = prepare(function, &unit.scop, deps, &b).map_err(|e| e.to_string());
    let made = made.and_then(|made| {
        let Some(scop) = made.scop else {
            remarks.extend(made.remarks);
            return Ok(None);
        };
        let (deps, said) = tilia_deps::dependences(&scop, &b).map_err(|e| e.to_string())?;
        Ok(Some((scop, deps, [made.remarks, said].concat())))
    });
    let (scop, deps, said) = match made {
        Ok(None) => return best,
        Ok(Some(made)) => made,
        Err(why) => {
            let message = format!("operands get no copies: {why}");
            remarks.push(Remark::declined("pack", unit.scop.loc.clone(), message));
            return best;
        }
    };
    let with = planned((&scop, &deps), function, scheduling, best.cycles, cx);
    // Copies take memory, too, but what they save is more than is estimated (lanes that are gathered in the inner loop).
    if with.cycles >= best.cycles {
        for r in with.steps() {
            tracing::debug!(message = r.message, "with copies of operands");
        }
        remarks.extend(said.into_iter().filter(|r| r.kind == RemarkKind::Declined));
        let message = format!("operands get no copies: {}, with copies {}", costs(&best), costs(&with));
        remarks.push(Remark::analysis("pack", scop.loc.clone(), message));
        return best;
    }
    remarks.extend(said);
    let message = format!("operands get copies: {}, without {}", costs(&with), costs(&best));
    remarks.push(Remark::analysis("pack", scop.loc.clone(), message));
    unit.scop = scop;
    unit.deps = Some(deps);
    with
}

/// The scop with copies and its dependences, and what is to be said; `None` where nothing changes.
fn expanded(
    (scop, deps): (&Scop, &Deps),
    function: &mut Function,
    (names, asked): (&[String], bool),
    cx: &Context<'_>,
    remarks: &mut Vec<Remark>,
) -> Option<(Scop, Deps)> {
    let values: BTreeMap<_, _> = cx.options.known.estimates(scop, function).values;
    let wish = Wish {
        names,
        asked,
        values: &values,
    };
    let b = cx.budget();
    let done = expand(function, scop, deps, &wish, &b).map_err(|e| e.to_string());
    match done {
        Ok(done) => {
            remarks.extend(done.remarks);
            let scop = done.scop?;
            match tilia_deps::dependences(&scop, &b) {
                Ok((deps, said)) => {
                    remarks.extend(said);
                    Some((scop, deps))
                }
                Err(e) => {
                    remarks.push(declined(&scop, &e.to_string()));
                    None
                }
            }
        }
        Err(e) => {
            remarks.push(declined(scop, &e));
            None
        }
    }
}

fn declined(scop: &Scop, why: &str) -> Remark {
    Remark::declined("expand", scop.loc.clone(), format!("temporaries get no copies: {why}"))
}
