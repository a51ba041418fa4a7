//! What happens to a component for which no row is found.

use crate::cut;
use crate::error::{Error, Result};
use crate::links;
use crate::progress::Independence;
use crate::run::Scheduler;
use crate::search::Query;
use crate::state::End;
use tilia_diag::Remark;
use tilia_strategy::{CostFunction, DimConfig, DimOptions, LinearConstraint, OnInfeasible, Outcome};

/// Brings a component on for which the search found no row: its strongly connected components are separated; where there is only one, weaker progression, coefficients of both signs, rows
/// that only carry dependences, and at last the order of the source.
pub(crate) fn without_row(s: &mut Scheduler<'_>, component: &[usize]) -> Result<()> {
    let sccs = s.state.sccs(component);
    if sccs.len() > 1 {
        return separate(s, component, &sccs);
    }
    let mut config = s.configure(component)?;
    config.alternatives.clear();
    let needy = !s.state.needy(component, &s.model).is_empty();
    if needy && (unconstrained(s, component, &config)? || progressing(s, component, &config)?) {
        return Ok(());
    }
    if carrying(s, component, &config)? {
        return Ok(());
    }
    source_order(s, component, "[R502] no row carries the dependences that are left");
    Ok(())
}

/// A scalar row: all strongly connected components apart when only an order is needed, else by the heuristic.
fn separate(s: &mut Scheduler<'_>, component: &[usize], sccs: &[Vec<usize>]) -> Result<()> {
    let ordering = s.state.needy(component, &s.model).is_empty();
    let groups = if ordering {
        sccs.to_vec()
    } else {
        cut::groups(&s.state, &s.model, sccs, s.globals.options.fusion)
    };
    if let Err(edge) = s.state.separate(&groups, &s.model) {
        let text = s.edge_text(&s.state.edges[edge]);
        return Err(crate::Error::Internal(format!("a topological order turns round a {text}")));
    }
    if !ordering {
        let names = |g: &Vec<usize>| {
            let list: Vec<&str> = g.iter().map(|&n| s.model.stmts[n].name.as_str()).collect();
            format!("{{{}}}", list.join(", "))
        };
        let list: Vec<String> = groups.iter().map(names).collect();
        let message = format!("no common row at dimension {}: distributed as {}", s.state.dim, list.join(", "));
        let loc = s.scop.stmts[component[0]].loc.clone();
        s.remarks.push(Remark::analysis("schedule", loc, message));
    }
    s.last = Outcome::Cut;
    Ok(())
}

/// Custom constraints that are in the way: an error that names the smallest set, or a row without them where the strategy prefers that.
fn unconstrained(s: &mut Scheduler<'_>, component: &[usize], config: &DimConfig) -> Result<bool> {
    let constraints = links::relevant(&config.constraints, component);
    if constraints.is_empty() {
        return Ok(false);
    }
    let ladder = [Independence::Orthant, Independence::Sum, Independence::Exact, Independence::Lazy];
    let Some(found) = query(config, &[]).run(s, component, &ladder)? else {
        return Ok(false);
    };
    let conflict = smallest(s, component, (config, &ladder), constraints)?;
    let text: Vec<String> = conflict.iter().map(ToString::to_string).collect();
    if config.on_infeasible == OnInfeasible::DropConstraints {
        let message = format!(
            "dimension {}: custom constraints are dropped, no row satisfies them: {}",
            s.state.dim,
            text.join("; ")
        );
        s.remarks
            .push(Remark::declined("schedule", s.scop.stmts[component[0]].loc.clone(), message));
        s.commit(component, found)?;
        return Ok(true);
    }
    let (dim, conflict) = (s.state.dim, text.clone());
    let satisfiable = query(config, &links::relevant(&config.constraints, component)).run(s, component, &[Independence::None])?;
    Err(if satisfiable.is_some() {
        Error::NoProgress { dim, conflict }
    } else {
        Error::Infeasible { dim, conflict }
    })
}

/// Constraints that exclude all rows, none of which could be left out (deletion filtering).
fn smallest(
    s: &Scheduler<'_>,
    component: &[usize],
    (config, ladder): (&DimConfig, &[Independence]),
    mut constraints: Vec<LinearConstraint>,
) -> Result<Vec<LinearConstraint>> {
    let mut n = 0;
    while n < constraints.len() {
        let mut fewer = constraints.clone();
        fewer.remove(n);
        if query(config, &fewer).run(s, component, ladder)?.is_some() {
            n += 1;
        } else {
            constraints = fewer;
        }
    }
    Ok(constraints)
}

fn query<'a>(config: &'a DimConfig, constraints: &'a [LinearConstraint]) -> Query<'a> {
    Query {
        config,
        demands: &[],
        constraints,
        skewing: true,
    }
}

/// A row by which at least one statement progresses; then one with coefficients of both signs and shifts, where the strategy allows them.
fn progressing(s: &mut Scheduler<'_>, component: &[usize], config: &DimConfig) -> Result<bool> {
    let constraints = links::relevant(&config.constraints, component);
    let signed = with_signs(config);
    let mut tries: Vec<(&DimConfig, &[Independence])> = vec![(config, &[Independence::Lazy])];
    if s.globals.options.negative_coefficients {
        tries.push((&signed, &[Independence::Exact]));
    }
    for (config, ladder) in tries {
        if let Some(found) = query(config, &constraints).run(s, component, ladder)? {
            s.commit(component, found)?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// The configuration with coefficients of both signs.
pub(crate) fn with_signs(config: &DimConfig) -> DimConfig {
    DimConfig {
        options: Some(DimOptions {
            negative_coefficients: Some(true),
            ..config.options.clone().unwrap_or_default()
        }),
        ..config.clone()
    }
}

/// A row without progression that carries as many edges as possible, at least one.
fn carrying(s: &mut Scheduler<'_>, component: &[usize], config: &DimConfig) -> Result<bool> {
    let config = DimConfig {
        cost: vec![CostFunction::Feautrier, CostFunction::Proximity],
        ..config.clone()
    };
    let constraints = links::relevant(&config.constraints, component);
    match query(&config, &constraints).run(s, component, &[Independence::None])? {
        Some(found) if found.effect.satisfied > 0 => {
            s.commit(component, found)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// What is left open of the component follows the order of the source.
pub(crate) fn source_order(s: &mut Scheduler<'_>, component: &[usize], why: &str) {
    s.state.finish(component, End::Source);
    let loc = s.scop.stmts[component[0]].loc.clone();
    let message = format!(
        "{} statements follow the order of the source from dimension {} on: {why}",
        component.len(),
        s.state.dim
    );
    s.remarks.push(Remark::declined("schedule", loc, message));
}
