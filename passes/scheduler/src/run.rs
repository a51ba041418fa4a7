//! The algorithm: dimension by dimension, component by component (the algorithm of PolyTOPS (Consolaro et al., CGO 2024)).

use crate::cost::CostInput;
use crate::directive::{self, Wish};
use crate::edge::{self, Edge};
use crate::error::{Error, Result, out_of_budget};
use crate::history::History;
use crate::large::Large;
use crate::model::Model;
use crate::options::{self, Options};
use crate::program::Bounds;
use crate::search::Step;
use crate::state::{End, Found, State};
use crate::view::{self, Facts};
use crate::{fallback, links, live, memory, partition, relax, report, search};
use std::cell::Cell;
use std::sync::Arc;
use tilia_diag::Remark;
use tilia_ilp::{DualCone, Solver};
use tilia_presburger::{Budget, Int};
use tilia_scop::{Deps, Scop};
use tilia_strategy::{Candidate, DimConfig, Globals, Outcome, SolverChoice, Strategy, Verdict, View};

/// A scop being scheduled.
pub(crate) struct Scheduler<'a> {
    pub(crate) scop: &'a Scop,
    pub(crate) deps: &'a Deps,
    pub(crate) model: Model,
    pub(crate) strategy: &'a mut dyn Strategy,
    pub(crate) globals: Globals,
    pub(crate) state: State,
    pub(crate) facts: Facts,
    pub(crate) solver: Box<dyn Solver>,
    pub(crate) budget: &'a Budget,
    pub(crate) remarks: Vec<Remark>,
    pub(crate) last: Outcome,
    /// Directives that are still in force, the strongest first.
    pub(crate) wishes: Vec<Wish>,
    /// Statements that custom constraints of this dimension tie together.
    pub(crate) links: Vec<(usize, usize)>,
    /// Statements that fusion ties together.
    pub(crate) fused: Vec<(usize, usize)>,
    pub(crate) history: History,
    /// Integer programs that took more than their share of the budget.
    pub(crate) given_up: Cell<usize>,
    /// Components whose integer programs are too large.
    pub(crate) large: Large,
    fixed: Fixed,
}

/// What objectives need to know and no row changes.
struct Fixed {
    depths: Vec<usize>,
    reuse: Vec<Edge>,
    param_order: Vec<usize>,
    contiguity: Vec<Vec<Int>>,
    big_loops: Vec<Vec<Int>>,
    domains: Vec<Vec<Arc<DualCone>>>,
}

/// What a strategy wishes for a scop as a whole, before anything is scheduled: what is to be done with the scop first (expansion), for instance.
///
/// # Errors
/// When the strategy fails.
pub fn globals((scop, deps): (&Scop, &Deps), strategy: &mut dyn Strategy, options: &Options, budget: &Budget) -> Result<Globals> {
    let model = Model::of(scop);
    let nothing = State::new(model.stmts.len(), Vec::new());
    let plain = Facts::of(scop, &model, &vec![None; model.params.len()], options.target, budget);
    let all: Vec<usize> = (0..model.stmts.len()).collect();
    Ok(view::show((scop, deps, &model, &plain), (&nothing, &all, Outcome::Start), |v| {
        strategy.begin(v)
    })?)
}

impl<'a> Scheduler<'a> {
    pub(crate) fn new(
        (scop, deps): (&'a Scop, &'a Deps),
        (strategy, globals): (&'a mut dyn Strategy, Globals),
        options: &Options,
        budget: &'a Budget,
    ) -> Result<Scheduler<'a>> {
        let model = Model::of(scop);
        let estimates: Vec<Option<i64>> = model.params.iter().map(|p| globals.options.param_values.get(p).copied()).collect();
        let facts = Facts::of(scop, &model, &estimates, options.target, budget);
        let (edges, said) = edges((scop, deps), &model, &globals, budget)?;
        let fixed = Fixed::of(scop, &model, &facts, &globals, budget)?;
        Ok(Scheduler {
            wishes: directive::wishes((scop, &model, &facts), &globals, &edges, budget)?,
            links: Vec::new(),
            fused: Vec::new(),
            history: History::default(),
            state: State::new(model.stmts.len(), edges),
            // The exact solver is the faster one at every size that was measured (see the documentation of tilia-ilp).
            solver: match globals.options.solver {
                SolverChoice::Auto | SolverChoice::Exact => Box::new(tilia_ilp::Exact),
                SolverChoice::GoodLp => Box::new(tilia_ilp::GoodLp),
            },
            budget,
            remarks: said,
            scop,
            deps,
            model,
            strategy,
            globals,
            facts,
            last: Outcome::Start,
            given_up: Cell::new(0),
            large: Large::default(),
            fixed,
        })
    }

    /// Finds all rows.
    pub(crate) fn run(&mut self) -> Result<()> {
        loop {
            self.end_finished();
            let open = self.state.open();
            if open.is_empty() {
                return Ok(());
            }
            if self.state.dim > self.most_dimensions() {
                return Err(Error::Internal(format!("{} dimensions and no end", self.state.dim)));
            }
            let config = self.configure(&open)?;
            self.links = links::links(&config);
            let separated = partition::requested(self, &open, config)?;
            let together = |&&(a, b): &&(usize, usize)| self.state.stmts[a].class == self.state.stmts[b].class;
            self.links.extend(self.fused.iter().filter(together));
            if separated || self.dimension(&open)? {
                self.state.dim += 1;
            }
        }
    }

    /// More dimensions than these there can't be: each loop row raises the rank of a statement or orders an edge, each scalar row separates statements.
    fn most_dimensions(&self) -> usize {
        let ranks: usize = self.model.stmts.iter().map(|s| s.depth).sum();
        4 * self.model.max_depth() + 2 + self.model.stmts.len() + ranks + self.state.edges.len()
    }

    /// Finds the rows of one dimension; `false`: a choice of an earlier one was taken back.
    fn dimension(&mut self, open: &[usize]) -> Result<bool> {
        let start = self.state.clone();
        for component in self.state.linked_components(open, &self.links) {
            if self.step(&component)? == Step::Back
                && let Some(before) = self.history.back(&component)
            {
                self.state = before;
                return Ok(false);
            }
            let taken = component
                .first()
                .and_then(|&s| self.state.stmts[s].rows.get(start.dim)?.info.alternative);
            if let Some(n) = taken {
                self.history.taken(&start, &component, n);
            }
        }
        Ok(true)
    }

    /// Statements with full rank and nothing left to order need no more rows.
    fn end_finished(&mut self) {
        for component in self.state.components(&self.state.open()) {
            if self.state.needy(&component, &self.model).is_empty() && !self.state.has_active_edges(&component) {
                self.state.finish(&component, End::Complete);
            }
        }
    }

    /// Finds the next row of a component, whatever it takes; a budget that runs out ends in the order of the source.
    fn step(&mut self, component: &[usize]) -> Result<Step> {
        let before = self.state.clone();
        match search::step(self, component) {
            Err(Error::Sets(e)) if out_of_budget(&e) => {
                self.state = before;
                self.last = Outcome::OutOfBudget;
                fallback::source_order(self, component, "[R501] the budget ran out");
                Ok(Step::Made)
            }
            other => other,
        }
    }

    /// Asks the strategy about the next row of the statements.
    pub(crate) fn configure(&mut self, current: &[usize]) -> Result<DimConfig> {
        let what = (self.scop, self.deps, &self.model, &self.facts);
        let strategy = &mut *self.strategy;
        Ok(view::show(what, (&self.state, current, self.last), |v: &View<'_>| {
            strategy.configure(v)
        })?)
    }

    /// The limits of coefficients under a configuration.
    pub(crate) fn bounds(&self, config: &DimConfig) -> Bounds {
        options::bounds(&self.globals.options, config.options.as_ref())
    }

    pub(crate) fn depths(&self) -> &[usize] {
        &self.fixed.depths
    }

    /// What objectives need to know about a component.
    pub(crate) fn cost_input<'b>(&'b self, stmts: &'b [usize], edges: &'b [&'b Edge], config: &'b DimConfig) -> CostInput<'b> {
        CostInput {
            stmts,
            edges,
            reuse: &self.fixed.reuse,
            param_order: &self.fixed.param_order,
            contiguity: &self.fixed.contiguity,
            big_loops: &self.fixed.big_loops,
            domains: &self.fixed.domains,
            variables: &config.new_variables,
            given_up: &self.given_up,
        }
    }

    /// Shows a row to the strategy.
    pub(crate) fn accept(&mut self, current: &[usize], candidate: &Candidate<'_>) -> Result<Verdict> {
        let what = (self.scop, self.deps, &self.model, &self.facts);
        let strategy = &mut *self.strategy;
        Ok(view::show(what, (&self.state, current, self.last), |v: &View<'_>| {
            strategy.accept(v, candidate)
        })?)
    }

    /// Appends a row and says so.
    pub(crate) fn commit(&mut self, stmts: &[usize], found: Found) -> Result<()> {
        self.remarks.extend(report::row(self, stmts, &found));
        self.state.commit(stmts, found)?;
        self.last = Outcome::Found;
        Ok(())
    }

    /// Text for people: the dependence that an edge stands for.
    pub(crate) fn edge_text(&self, e: &Edge) -> String {
        let d = &self.deps.memory[e.deps[0]];
        let (s, t) = (&self.scop[d.source], &self.scop[d.target]);
        format!(
            "{} dependence from {} at {} to {} at {} on {}",
            d.kind, s.name, s.loc, t.name, t.loc, self.scop[d.array].name
        )
    }
}

/// The edges of the dependences under the options and directives that are about them, and what is to be said of these.
fn edges((scop, deps): (&Scop, &Deps), model: &Model, globals: &Globals, b: &Budget) -> Result<(Vec<Edge>, Vec<Remark>)> {
    if !globals.options.live_range_reordering {
        return relax::edges((scop, deps), model, globals, b);
    }
    let (split, mut said) = live::split(scop, deps, b)?;
    let (mut all, more) = relax::edges((scop, &split.plain), model, globals, b)?;
    said.extend(more);
    for (part, conditional) in [(&split.flow, false), (&split.conditional, true)] {
        for mut e in edge::edges(part, &model.space, globals.options.coalesce_threshold, b)? {
            e.live = split.liveness(&e, conditional);
            all.push(e);
        }
    }
    Ok((all, said))
}

impl Fixed {
    fn of(scop: &Scop, model: &Model, facts: &Facts, globals: &Globals, b: &Budget) -> Result<Fixed> {
        let stmts = || 0..model.stmts.len();
        let movement = |s: usize| memory::movement(scop, s, model.stmts[s].depth, &facts.strides[s]);
        Ok(Fixed {
            depths: model.stmts.iter().map(|s| s.depth).collect(),
            reuse: if globals.options.rar {
                edge::reuse(scop, &model.space, b)?
            } else {
                Vec::new()
            },
            param_order: param_order(&model.params, &globals.options.param_order),
            contiguity: stmts().map(|s| memory::contiguity(&movement(s))).collect(),
            big_loops: stmts().map(|s| memory::big_loops(&facts.extents[s])).collect(),
            domains: stmts().map(|s| cones(model, s, b)).collect::<Result<_>>()?,
        })
    }
}

/// The parameters in the order in which their factors are minimised: those that are named first, then the others.
fn param_order(params: &[String], wanted: &[String]) -> Vec<usize> {
    let mut order: Vec<usize> = wanted.iter().filter_map(|w| params.iter().position(|p| p == w)).collect();
    order.extend((0..params.len()).filter(|&q| !wanted.contains(&params[q])));
    let mut seen = std::collections::BTreeSet::new();
    order.retain(|&q| seen.insert(q));
    order
}

/// The cones of a statement's domain pieces.
fn cones(model: &Model, stmt: usize, b: &Budget) -> Result<Vec<Arc<DualCone>>> {
    let mut out = Vec::new();
    for piece in model.stmts[stmt].domain.basic_sets() {
        match DualCone::of_set(&piece, b) {
            Ok(c) => out.push(Arc::new(c)),
            Err(tilia_ilp::Error::EmptySet) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(out)
}
