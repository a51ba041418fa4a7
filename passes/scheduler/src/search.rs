//! The search for a component's next row: within the band, in a new band, with fewer directives (spec 6.1, a to c).

use crate::directive;
use crate::edge::Edge;
use crate::error::Result;
use crate::fallback;
use crate::progress::{Independence, Needy};
use crate::run::Scheduler;
use crate::solve::{Answer, Ask};
use crate::state::Origin;
use tilia_strategy::{DimConfig, LinearConstraint, Outcome, Unknown};

/// A row that was found, and what for.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) answer: Answer,
    pub(crate) origin: Origin,
}

/// Statements that were searched together, with what was found.
type Part = (Vec<usize>, Option<Found>);

/// Finds the next row of a component.
pub(crate) fn step(s: &mut Scheduler<'_>, component: &[usize]) -> Result<()> {
    let mut live = s.directives.len();
    if s.state.needy(component, &s.model).is_empty() {
        return reopen(s, component);
    }
    loop {
        if let Some(found) = find(s, component, live)? {
            directive::drop_from(s, live);
            return s.commit(component, &found.answer, found.origin);
        }
        let before = s.state.clone();
        let parts = fresh(s, component, live)?;
        let complete = parts.iter().all(|(_, f)| f.is_some());
        let droppable = directive::last_in_force(s, component, live);
        match droppable {
            Some(n) if !complete => {
                s.state = before;
                live = n;
            }
            _ => {
                directive::drop_from(s, live);
                return take(s, parts);
            }
        }
    }
}

/// All ranks are full, and edges are left: nothing but an order of statements can help, in a new band.
fn reopen(s: &mut Scheduler<'_>, component: &[usize]) -> Result<()> {
    s.state.begin_band(component);
    for part in s.state.components(component) {
        if s.state.has_active_edges(&part) {
            fallback::without_row(s, &part)?;
        }
    }
    Ok(())
}

/// Begins a new band and searches its components.
fn fresh(s: &mut Scheduler<'_>, component: &[usize], live: usize) -> Result<Vec<Part>> {
    if !s.state.has_band_edges(component) {
        return Ok(vec![(component.to_vec(), None)]);
    }
    s.state.begin_band(component);
    s.last = Outcome::InfeasibleBand;
    let mut parts = Vec::new();
    for part in s.state.components(component) {
        let found = if s.state.needy(&part, &s.model).is_empty() {
            None
        } else {
            find(s, &part, live)?
        };
        parts.push((part, found));
    }
    Ok(parts)
}

/// Appends what was found; parts without a row get one by other means.
fn take(s: &mut Scheduler<'_>, parts: Vec<Part>) -> Result<()> {
    for (part, found) in parts {
        match found {
            Some(f) => {
                // Components of one band that were searched apart are in bands of their own from here on.
                s.commit(&part, &f.answer, f.origin)?;
            }
            None if s.state.needy(&part, &s.model).is_empty() && !s.state.has_active_edges(&part) => {}
            None => {
                s.last = Outcome::InfeasibleAll;
                fallback::without_row(s, &part)?;
            }
        }
    }
    Ok(())
}

/// Searches a row of a component with the edges that count now and the first `live` directives.
pub(crate) fn find(s: &mut Scheduler<'_>, component: &[usize], live: usize) -> Result<Option<Found>> {
    let config = s.configure(component)?;
    attempt(s, component, &config, live)
}

/// Searches a row under a configuration.
fn attempt(s: &Scheduler<'_>, component: &[usize], config: &DimConfig, live: usize) -> Result<Option<Found>> {
    let lazy = s.globals.options.lazy;
    let ladder: &[Independence] = if lazy {
        &[Independence::Lazy]
    } else {
        &[Independence::Orthant, Independence::Sum, Independence::Exact]
    };
    with_progress(s, component, (config, live), ladder)
}

/// Searches a row under a configuration and, one after the other, forms of progression.
pub(crate) fn with_progress(
    s: &Scheduler<'_>,
    component: &[usize],
    (config, live): (&DimConfig, usize),
    ladder: &[Independence],
) -> Result<Option<Found>> {
    let edges: Vec<&Edge> = s.state.edges_within(component);
    let needy = s.state.needy(component, &s.model);
    let constraints = relevant(&config.constraints, component);
    let demands = directive::demands(s, component, &needy, live);
    let bounds = s.bounds(config);
    let ask = Ask {
        depths: s.depths(),
        needy: &needy,
        cost: &config.cost,
        input: s.cost_input(component, &edges, config),
        constraints: &constraints,
        demands: &demands,
        bounds: &bounds,
        skewing: s.globals.options.skewing != tilia_strategy::Skewing::Off,
        solver: s.solver.as_ref(),
    };
    for &how in ladder.iter().filter(|&&how| sensible(how, &needy, bounds.negative.is_some())) {
        if let Some(answer) = ask.solve(how, s.budget)? {
            let origin = Origin {
                cost: config.cost.clone(),
                alternative: None,
            };
            return Ok(Some(Found { answer, origin }));
        }
    }
    Ok(None)
}

/// Would the form of progression find anything that stronger ones don't? For non-negative products all forms say the same; with coefficients of both signs only the exact one is right.
fn sensible(how: Independence, needy: &[Needy], negative: bool) -> bool {
    match how {
        Independence::Orthant => !negative,
        Independence::Sum => !negative && needy.iter().any(|n| !n.is_non_negative()),
        Independence::Exact => negative || needy.iter().any(|n| !n.is_non_negative()),
        Independence::Lazy | Independence::None => true,
    }
}

/// The constraints that speak of statements of the component, or of none.
pub(crate) fn relevant(constraints: &[LinearConstraint], component: &[usize]) -> Vec<LinearConstraint> {
    let named = |u: &Unknown| match u {
        Unknown::Iterator(s, _) | Unknown::Parameter(s, _) | Unknown::Constant(s) => Some(s.0 as usize),
        Unknown::BoundFactor(_) | Unknown::Bound | Unknown::User(_) => None,
    };
    let meant = |c: &&LinearConstraint| {
        let stmts: Vec<usize> = c.terms.iter().filter_map(|(u, _)| named(u)).collect();
        stmts.is_empty() || stmts.iter().any(|s| component.binary_search(s).is_ok())
    };
    constraints.iter().filter(meant).cloned().collect()
}
