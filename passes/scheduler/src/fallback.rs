//! What happens to a component for which no row is found (spec 6.1, d to g).

use crate::cut;
use crate::error::Result;
use crate::progress::Independence;
use crate::run::Scheduler;
use crate::search;
use crate::state::End;
use tilia_diag::Remark;
use tilia_strategy::{CostFunction, DimConfig, DimOptions, Outcome};

/// Brings a component on for which the search found no row: its strongly connected components are separated; where there is only one, weaker progression, coefficients of both signs, rows
/// that only carry dependences, and at last the order of the source.
pub(crate) fn without_row(s: &mut Scheduler<'_>, component: &[usize]) -> Result<()> {
    let sccs = s.state.sccs(component);
    if sccs.len() > 1 {
        return separate(s, component, &sccs);
    }
    let config = s.configure(component)?;
    if !s.state.needy(component, &s.model).is_empty() && progressing(s, component, &config)? {
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

/// A row by which at least one statement progresses, or with coefficients of both signs where the strategy allows them.
fn progressing(s: &mut Scheduler<'_>, component: &[usize], config: &DimConfig) -> Result<bool> {
    let signed = DimConfig {
        options: Some(DimOptions {
            negative_coefficients: Some(true),
            ..config.options.clone().unwrap_or_default()
        }),
        ..config.clone()
    };
    let tries: [(&DimConfig, &[Independence]); 2] = [(config, &[Independence::Lazy]), (&signed, &[Independence::Exact])];
    for (config, ladder) in tries {
        let negative = s.bounds(config).negative.is_some();
        if negative && !s.globals.options.negative_coefficients {
            continue;
        }
        if let Some(found) = search::with_progress(s, component, (config, 0), ladder)? {
            s.commit(component, &found.answer, found.origin)?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// A row without progression that carries as many edges as possible, at least one.
fn carrying(s: &mut Scheduler<'_>, component: &[usize], config: &DimConfig) -> Result<bool> {
    let config = DimConfig {
        cost: vec![CostFunction::Feautrier, CostFunction::Proximity],
        ..config.clone()
    };
    let Some(found) = search::with_progress(s, component, (&config, 0), &[Independence::None])? else {
        return Ok(false);
    };
    let active = |s: &Scheduler<'_>| s.state.edges_within(component).iter().filter(|e| e.is_active()).count();
    let before = (s.state.clone(), active(s));
    s.commit(component, &found.answer, found.origin)?;
    if active(s) < before.1 {
        return Ok(true);
    }
    s.state = before.0;
    Ok(false)
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
