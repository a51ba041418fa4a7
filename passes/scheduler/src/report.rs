//! Remarks on rows.

use crate::run::Scheduler;
use crate::state::Found;
use tilia_diag::Remark;
use tilia_presburger::Int;

/// What a row was found for and what it does.
pub(crate) fn row(s: &Scheduler<'_>, stmts: &[usize], found: &Found) -> Vec<Remark> {
    let Some(&first) = stmts.first() else { return Vec::new() };
    let loc = s.scop.stmts[first].loc.clone();
    let rows: Vec<String> = stmts
        .iter()
        .filter_map(|n| {
            Some(format!(
                "{} {}",
                s.model.stmts[*n].name,
                s.model.text(*n, found.answer.rows.get(n)?)
            ))
        })
        .collect();
    let cost: Vec<&str> = found.cost.iter().map(tilia_strategy::CostFunction::name).collect();
    let cost = if cost.is_empty() {
        String::new()
    } else {
        format!(" by {}", cost.join(", "))
    };
    let list = |v: &[Int]| v.iter().map(Int::to_string).collect::<Vec<_>>().join(", ");
    let bound = match &found.answer.w {
        Some(w) => format!(", u = ({}), w = {w}", list(&found.answer.u)),
        None => String::new(),
    };
    let e = &found.effect;
    let kind = if e.parallel { "parallel" } else { "sequential" };
    let message = format!(
        "dimension {}{cost}: {}; {kind}, orders {} of {} dependences{bound}",
        s.state.dim,
        rows.join(", "),
        e.satisfied,
        e.active
    );
    let mut out = vec![Remark::analysis("schedule", loc.clone(), message)];
    if let Some(text) = &found.answer.dump {
        let message = format!("dimension {}: integer program\n{text}", s.state.dim);
        out.push(Remark::analysis("schedule", loc.clone(), message));
    }
    if found.answer.approximate {
        let message = format!(
            "dimension {}: [R503] approximate: the row is legal, but not proven to be the least",
            s.state.dim
        );
        out.push(Remark::analysis("schedule", loc, message));
    }
    out
}
