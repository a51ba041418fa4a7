//! The search for a component's next row: within the band, in a new band, with fewer directives; and the strategy's say in it.

use crate::directive;
use crate::edge::Edge;
use crate::error::{Error, Result};
use crate::fallback;
use crate::large;
use crate::links;
use crate::live;
use crate::program::Bounds;
use crate::progress::{Independence, Needy};
use crate::run::Scheduler;
use crate::solve::{Answer, Ask, Demand};
use crate::state::Found;
use std::collections::BTreeSet;
use tilia_presburger::Int;
use tilia_strategy::{AffineRow, Candidate, DimConfig, LinearConstraint, MAX_RETRIES, Outcome, Skewing, StrategyError, Verdict};

/// Statements that were searched together, with what was found.
type Part = (Vec<usize>, Option<Found>);

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The component has its next row.
    Made,
    /// No alternative of this dimension has a row: an earlier choice must be taken back.
    Back,
}

/// Finds the next row of a component.
pub(crate) fn step(s: &mut Scheduler<'_>, component: &[usize]) -> Result<Step> {
    if s.state.needy(component, &s.model).is_empty() {
        reopen(s, component)?;
        return Ok(Step::Made);
    }
    if directive::separate(s, component)? {
        return Ok(Step::Made);
    }
    let mut live = s.wishes.len();
    loop {
        if let Some(found) = find(s, component, live)? {
            directive::dropped(s, component, live);
            s.commit(component, found)?;
            return Ok(Step::Made);
        }
        let before = s.state.clone();
        let parts = fresh(s, component, live)?;
        let complete = parts.iter().all(|(_, f)| f.is_some());
        match directive::weakest(s, component, live) {
            Some(n) if !complete => {
                s.state = before;
                live = n;
            }
            _ if !complete && !s.configure(component)?.alternatives.is_empty() && s.history.can_go_back(component) => {
                return Ok(Step::Back);
            }
            _ => {
                directive::dropped(s, component, live);
                take(s, parts)?;
                return Ok(Step::Made);
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

/// Begins a new band and searches its components, each in a band of its own.
fn fresh(s: &mut Scheduler<'_>, component: &[usize], live: usize) -> Result<Vec<Part>> {
    if !s.state.has_band_edges(component) {
        return Ok(vec![(component.to_vec(), None)]);
    }
    s.state.begin_band(component);
    s.last = Outcome::InfeasibleBand;
    let mut parts = Vec::new();
    for (n, part) in s.state.linked_components(component, &s.links).into_iter().enumerate() {
        if n > 0 {
            s.state.begin_band(&part);
        }
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
            Some(f) => s.commit(&part, f)?,
            None if s.state.needy(&part, &s.model).is_empty() && !s.state.has_active_edges(&part) => {}
            None => {
                s.last = Outcome::InfeasibleAll;
                fallback::without_row(s, &part)?;
            }
        }
    }
    Ok(())
}

/// Searches a row of a component with the edges that count now and the first `live` directives; the strategy may ask for another one.
fn find(s: &mut Scheduler<'_>, component: &[usize], live: usize) -> Result<Option<Found>> {
    let mut config = s.configure(component)?;
    let mut found = alternatives(s, component, &config, live)?;
    for _ in 0..MAX_RETRIES {
        let Some(candidate) = &found else { return Ok(None) };
        match judge(s, component, candidate)? {
            Verdict::Keep => return Ok(found),
            Verdict::Retry(other) => {
                config = *other;
                match alternatives(s, component, &config, live)? {
                    Some(f) => found = Some(f),
                    None => return Ok(found),
                }
            }
        }
    }
    match &found {
        Some(candidate) if judge(s, component, candidate)? != Verdict::Keep => {
            let message = format!("the strategy rejected {MAX_RETRIES} rows of dimension {}", s.state.dim);
            Err(Error::Strategy(StrategyError::failed(message)))
        }
        _ => Ok(found),
    }
}

fn judge(s: &mut Scheduler<'_>, component: &[usize], found: &Found) -> Result<Verdict> {
    let rows: Vec<AffineRow> = component
        .iter()
        .filter_map(|stmt| found.answer.rows.get(stmt))
        .map(AffineRow::from)
        .collect();
    let candidate = Candidate {
        rows: &rows,
        parallel: found.effect.parallel,
        satisfied: found.effect.satisfied,
        cost: &found.cost,
        objective: &found.answer.objective,
        alternative: found.alternative,
    };
    s.accept(component, &candidate)
}

/// The first alternative of the configuration that has a row; without alternatives, the row of the configuration itself.
fn alternatives(s: &Scheduler<'_>, component: &[usize], config: &DimConfig, live: usize) -> Result<Option<Found>> {
    if config.alternatives.is_empty() {
        return wished(s, component, config, live);
    }
    let first = s.history.first_alternative(s.state.dim, component);
    for (n, a) in config.alternatives.iter().enumerate().skip(first) {
        let mut one = config.clone();
        one.alternatives.clear();
        one.constraints.extend(a.constraints.iter().cloned());
        if let Some(cost) = &a.cost {
            one.cost.clone_from(cost);
        }
        if let Some(found) = wished(s, component, &one, live)? {
            return Ok(Some(Found {
                alternative: Some(n),
                ..found
            }));
        }
    }
    Ok(None)
}

/// The row under the directives that are in force: each parallel directive that can be had now, is.
fn wished(s: &Scheduler<'_>, component: &[usize], config: &DimConfig, live: usize) -> Result<Option<Found>> {
    let mut demands = directive::demands(s, component, live);
    for chance in directive::chances(s, component, live) {
        if chance.is_excluded_by(&demands) {
            continue;
        }
        let mut more: Vec<Demand> = demands.iter().filter(|d| !chance.replaces(d)).cloned().collect();
        more.extend(chance.demands.iter().cloned());
        if skewed(s, component, (config, &more))?.is_some() {
            demands = more;
        }
    }
    let mut found = skewed(s, component, (config, &demands))?;
    let ways_out = found.as_ref().and_then(|f| directive::repair(s, component, live, f));
    if let Some(ways) = ways_out {
        found = None;
        for way in ways {
            let more: Vec<Demand> = demands.iter().cloned().chain(way).collect();
            found = skewed(s, component, (config, &more))?;
            if found.is_some() {
                break;
            }
        }
    }
    if let Some(f) = &mut found
        && directive::is_sequential(s, component, live, f)
    {
        f.effect.parallel = false;
        f.effect.sequential = true;
    }
    Ok(found)
}

/// The row under the option that forbids or limits skewing.
fn skewed(s: &Scheduler<'_>, component: &[usize], (config, demands): (&DimConfig, &[Demand])) -> Result<Option<Found>> {
    let ladder: &[Independence] = if config.options.as_ref().and_then(|o| o.lazy).unwrap_or(s.globals.options.lazy) {
        &[Independence::Lazy]
    } else {
        &[Independence::Orthant, Independence::Sum, Independence::Exact]
    };
    let query = Query {
        config,
        demands,
        constraints: &links::relevant(&config.constraints, component),
        skewing: s.globals.options.skewing != Skewing::Off,
    };
    let found = query.run(s, component, ladder)?;
    if s.globals.options.skewing != Skewing::ParallelOnly || found.as_ref().is_none_or(|f| f.effect.parallel || !is_skewed(f)) {
        return Ok(found);
    }
    let straight = Query { skewing: false, ..query };
    Ok(straight.run(s, component, ladder)?.or(found))
}

/// A row under a configuration, without the strategy's verdict and without directives.
pub(crate) fn plain(s: &Scheduler<'_>, component: &[usize], config: &DimConfig) -> Result<Option<Found>> {
    skewed(s, component, (config, &[]))
}

fn is_skewed(found: &Found) -> bool {
    found
        .answer
        .rows
        .values()
        .any(|r| r.iters.iter().filter(|c| !c.is_zero()).count() > 1)
}

/// What a row must satisfy beside the edges.
#[derive(Clone, Copy)]
pub(crate) struct Query<'a> {
    pub(crate) config: &'a DimConfig,
    pub(crate) demands: &'a [Demand],
    pub(crate) constraints: &'a [LinearConstraint],
    pub(crate) skewing: bool,
}

impl Query<'_> {
    /// Searches a row under one form of progression after the other.
    ///
    /// Where coefficients of both signs or shifts by parameters are allowed, a row without them comes first: when it is parallel, none is better; otherwise the one with the lesser objectives is
    /// taken. (The larger search costs much more, and where it runs out of budget the plain row is still there.)
    pub(crate) fn run(&self, s: &Scheduler<'_>, component: &[usize], ladder: &[Independence]) -> Result<Option<Found>> {
        let bounds = s.bounds(self.config);
        if bounds.negative.is_none() && !bounds.parametric {
            return self.run_within(s, component, (ladder, &bounds), None);
        }
        let plain = Bounds {
            negative: None,
            parametric: false,
            ..bounds.clone()
        };
        let first = self.run_within(s, component, (ladder, &plain), None)?;
        if first.as_ref().is_some_and(|f| f.effect.parallel) {
            return Ok(first);
        }
        self.run_within(s, component, (ladder, &bounds), first)
    }

    /// The row with the least objectives among `best`, those that keep the order of live ranges and those with local ones; the earlier one where objectives are equal.
    fn run_within(
        &self,
        s: &Scheduler<'_>,
        component: &[usize],
        (ladder, bounds): (&[Independence], &Bounds),
        mut best: Option<Found>,
    ) -> Result<Option<Found>> {
        let all: Vec<&Edge> = s.state.edges_within(component);
        for local in live::choices(&all, &s.state.edges) {
            let below = best.as_ref().map(|f| f.answer.objective.as_slice());
            let found = self.run_with((s, component), (ladder, bounds, below), &all, &local)?;
            best = match (best, found) {
                (Some(a), Some(b)) if b.answer.objective < a.answer.objective => Some(b),
                (None, b) => b,
                (a, _) => a,
            };
        }
        Ok(best)
    }

    /// The row with the least objectives under which the live ranges of these groups are local. It may be left out where its objectives aren't less than those of `below`.
    fn run_with(
        &self,
        (s, component): (&Scheduler<'_>, &[usize]),
        (ladder, bounds, below): (&[Independence], &Bounds, Option<&[Int]>),
        all: &[&Edge],
        local: &BTreeSet<usize>,
    ) -> Result<Option<Found>> {
        let (given_up, edges): (Vec<&Edge>, Vec<&Edge>) = all.iter().partition(|e| e.is_conditional() && e.is_about(local));
        let within: Vec<&Edge> = edges.iter().filter(|e| e.is_about(local)).copied().collect();
        let needy = s.state.needy(component, &s.model);
        let ask = Ask {
            depths: s.depths(),
            needy: &needy,
            cost: &self.config.cost,
            input: s.cost_input(component, &edges, self.config),
            given_up: &given_up,
            local: &within,
            constraints: self.constraints,
            demands: self.demands,
            bounds,
            skewing: self.skewing,
            solver: s.solver.as_ref(),
            below: None,
            dump: s.globals.options.dump_problems,
        };
        let found = |answer: Answer| -> Result<Option<Found>> {
            Ok(Some(Found {
                effect: s.state.effect(&answer, s.budget)?,
                answer,
                cost: self.config.cost.clone(),
                alternative: None,
            }))
        };
        let mut hard = false;
        let forms: Vec<Independence> = ladder
            .iter()
            .filter(|&&how| sensible(how, &needy, bounds.negative.is_some()))
            .copied()
            .collect();
        for (n, &how) in forms.iter().enumerate() {
            if s.large.is_too_large(component, how) {
                hard = true;
                break;
            }
            let before = s.given_up.get();
            // A form that has a row ends the search, be it a better one or not: only with the last form does it make no difference why there is none.
            let below = below.filter(|_| n + 1 == forms.len());
            if let Some(answer) = (Ask { below, ..ask }).solve(how, s.budget)? {
                return found(answer);
            }
            hard |= s.given_up.get() > before;
            if hard {
                s.large.given_up(component, how);
            }
        }
        if hard {
            for straight in large::straight(&needy) {
                let demands: Vec<Demand> = self.demands.iter().cloned().chain(straight).collect();
                let ask = Ask { demands: &demands, ..ask };
                if let Some(answer) = ask.solve(Independence::None, s.budget)? {
                    let approximate = true;
                    return found(Answer { approximate, ..answer });
                }
            }
        }
        Ok(None)
    }
}

/// Would the form of progression find anything that stronger ones don't? For non-negative products all forms say the same; with coefficients of both signs only the exact one is right.
fn sensible(how: Independence, needy: &[Needy], negative: bool) -> bool {
    let mixed = needy.iter().any(|n| !n.is_non_negative());
    match how {
        Independence::Orthant => !negative,
        Independence::Sum => !negative && mixed,
        Independence::Exact => negative || mixed,
        Independence::Lazy | Independence::None => true,
    }
}
