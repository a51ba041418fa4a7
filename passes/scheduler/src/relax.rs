//! The directive `reduce`: dependences that only keep the order in which a statement accumulates along an iterator, or among others that accumulate in the same place, and needn't.

use crate::edge::{self, Edge};
use crate::error::Result;
use crate::model::Model;
use std::collections::BTreeMap;
use tilia_diag::Remark;
use tilia_presburger::{Aff, Budget, Constraint, DimType, Map};
use tilia_scop::{Deps, Scop, StmtId};
use tilia_strategy::{DirectiveKind, Globals};

/// The edges of the dependences, and what is to be said about the directives that can't be followed.
///
/// Of a statement with the directive, pairs of instances that differ in the named iterators alone, and that [`Scop::is_relaxable`] connects, order nothing, and neither do pairs of it with other
/// statements that [`Scop::is_relaxable`] connects: their edges are done from the start, and only keep rows from being called parallel, and statements from standing side by side without order.
pub(crate) fn edges((scop, deps): (&Scop, &Deps), model: &Model, globals: &Globals, b: &Budget) -> Result<(Vec<Edge>, Vec<Remark>)> {
    let threshold = globals.options.coalesce_threshold;
    let (iterators, remarks) = iterators(scop, model, globals);
    if iterators.is_empty() {
        return Ok((edge::edges(deps, &model.space, threshold, b)?, remarks));
    }
    // Dependences keep their numbers.
    let (mut kept, mut relaxed) = (deps.clone(), deps.clone());
    for (n, d) in deps.memory.iter().enumerate() {
        let named = |stmt: StmtId| iterators.get(&(stmt.0 as usize)).filter(|_| scop.is_relaxable(d));
        let part = match (named(d.source), named(d.target)) {
            (None, None) => None,
            (Some(list), _) if d.source == d.target => Some(moving_in(&d.relation, list)?),
            _ => Some(d.relation.clone()),
        };
        if let Some(part) = &part {
            kept.memory[n].relation = d.relation.subtract(part, b)?;
        }
        relaxed.memory[n].relation = part.unwrap_or_else(|| Map::empty(d.relation.space()));
    }
    let mut all = edge::edges(&kept, &model.space, threshold, b)?;
    let mut free = edge::edges(&relaxed, &model.space, threshold, b)?;
    free.iter_mut().for_each(Edge::relax);
    all.append(&mut free);
    Ok((all, remarks))
}

/// The iterators named for each statement that may accumulate in any order.
fn iterators(scop: &Scop, model: &Model, globals: &Globals) -> (BTreeMap<usize, Vec<usize>>, Vec<Remark>) {
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut remarks = Vec::new();
    for d in globals.directives.iter().filter(|d| d.kind == DirectiveKind::Reduce) {
        for &stmt in d.stmts.iter().filter(|&&s| s < model.stmts.len()) {
            let may = u32::try_from(stmt).is_ok_and(|n| scop.reorderable(StmtId(n)).is_some());
            let why = if may {
                found.entry(stmt).or_default().push(d.iterator);
                continue;
            } else if scop.stmts[stmt].reduction.is_some() {
                "the order of floating-point reductions changes under --fp=fast only"
            } else {
                "the statement is no reduction"
            };
            let name = &model.stmts[stmt].name;
            let message = format!(
                "[R401] the directive \"reduce iterator {} of {name}\" is dropped: {why}",
                d.iterator
            );
            remarks.push(Remark::declined("schedule", d.place.loc(), message));
        }
    }
    (found, remarks)
}

/// The pairs of instances of one statement that differ in these iterators alone.
fn moving_in(pairs: &Map, iterators: &[usize]) -> Result<Map> {
    let space = pairs.space();
    let mut out = pairs.clone();
    for k in (0..space.dim(DimType::In)).filter(|k| !iterators.contains(k)) {
        let step = Aff::var(space, DimType::Out, k).sub(&Aff::var(space, DimType::In, k))?;
        out = out.add_constraint(&Constraint::eq(step))?;
    }
    Ok(out)
}
