//! The schedule under construction: rows of each statement, and what the edges have left.

use crate::Row;
use crate::edge::{Distance, Edge};
use crate::error::{Error, Result};
use crate::graph;
use crate::model::Model;
use crate::progress::Needy;
use crate::solve::Answer;
use std::sync::Arc;
use tilia_presburger::{Budget, Int};
use tilia_strategy::{CostFunction, RowInfo, RowKind};

/// A row of a statement, and what is known of it.
#[derive(Debug, Clone)]
pub struct Placed {
    /// The statement's dates.
    pub row: Row,
    /// Kind, band, parallelism and objectives, shared by the statements that were scheduled together.
    pub info: Arc<RowInfo>,
    /// A directive keeps its loop sequential, whatever dependences allow.
    pub sequential: bool,
}

impl Placed {
    /// Does it become a loop?
    #[must_use]
    pub fn is_loop(&self) -> bool {
        self.info.kind == RowKind::Loop
    }
}

/// How a statement's rows end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// Its instances are at different dates, and no dependence is left open.
    Complete,
    /// What the rows leave open follows the order of the source.
    Source,
}

/// A statement under construction.
#[derive(Debug, Clone)]
pub(crate) struct StmtState {
    pub(crate) rows: Vec<Placed>,
    /// Iterator parts of the loop rows.
    pub(crate) loops: Vec<Vec<Int>>,
    pub(crate) band: usize,
    /// Statements of one class have been separated by no scalar row.
    pub(crate) class: usize,
    pub(crate) end: Option<End>,
}

/// The whole schedule under construction.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) stmts: Vec<StmtState>,
    /// Shared by the states that are tried and left: a scop may have tens of thousands.
    pub(crate) edges: Vec<Arc<Edge>>,
    /// The dimension that is being computed.
    pub(crate) dim: usize,
    bands: usize,
    classes: usize,
}

/// What a row does to the edges among its statements.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effect {
    /// The edges after the row, by number.
    edges: Vec<(usize, Edge)>,
    /// No active edge has a distance other than zero.
    pub(crate) parallel: bool,
    /// A directive forbids to run it in parallel.
    pub(crate) sequential: bool,
    /// Number of edges that it orders completely.
    pub(crate) satisfied: usize,
    /// Number of edges that were active before.
    pub(crate) active: usize,
}

/// A row that was found, and how.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) answer: Answer,
    pub(crate) effect: Effect,
    pub(crate) cost: Vec<CostFunction>,
    pub(crate) alternative: Option<usize>,
}

impl State {
    pub(crate) fn new(stmts: usize, edges: Vec<Edge>) -> State {
        let empty = StmtState {
            rows: Vec::new(),
            loops: Vec::new(),
            band: 0,
            class: 0,
            end: None,
        };
        State {
            stmts: vec![empty; stmts],
            edges: edges.into_iter().map(Arc::new).collect(),
            dim: 0,
            bands: 1,
            classes: 1,
        }
    }

    /// Statements whose rows haven't ended.
    pub(crate) fn open(&self) -> Vec<usize> {
        (0..self.stmts.len()).filter(|&s| self.stmts[s].end.is_none()).collect()
    }

    /// Weakly connected components under the edges that count.
    pub(crate) fn components(&self, stmts: &[usize]) -> Vec<Vec<usize>> {
        self.linked_components(stmts, &[])
    }

    /// Weakly connected components under the edges that count and other links.
    pub(crate) fn linked_components(&self, stmts: &[usize], links: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let edges = self.edges.iter().filter(|e| e.counts()).map(|e| (e.source, e.target));
        graph::components(stmts, edges.chain(links.iter().copied()))
    }

    /// Strongly connected components under the active edges, in topological order.
    pub(crate) fn sccs(&self, stmts: &[usize]) -> Vec<Vec<usize>> {
        let active = self.edges.iter().filter(|e| e.is_active()).map(|e| (e.source, e.target));
        graph::sccs(stmts, &active.collect::<Vec<_>>())
    }

    /// The edges among the statements that the next row has to respect.
    pub(crate) fn edges_within(&self, stmts: &[usize]) -> Vec<&Edge> {
        let inside = |s: usize| stmts.binary_search(&s).is_ok();
        self.edges
            .iter()
            .map(Arc::as_ref)
            .filter(|e| e.counts() && inside(e.source) && inside(e.target))
            .collect()
    }

    /// Statements of a component (ascending) that need rank.
    pub(crate) fn needy(&self, stmts: &[usize], model: &Model) -> Vec<Needy> {
        let of = |&s: &usize| Needy::of(s, model.stmts[s].depth, &self.stmts[s].loops);
        stmts.iter().filter_map(of).collect()
    }

    /// Edges among the statements that only their band makes count.
    pub(crate) fn has_band_edges(&self, stmts: &[usize]) -> bool {
        self.edges_within(stmts).iter().any(|e| !e.is_active())
    }

    pub(crate) fn has_active_edges(&self, stmts: &[usize]) -> bool {
        self.edges_within(stmts).iter().any(|e| e.is_active())
    }

    /// A new band begins for the statements.
    pub(crate) fn begin_band(&mut self, stmts: &[usize]) {
        for e in &mut self.edges {
            let inside = |s: usize| stmts.binary_search(&s).is_ok();
            if e.knows_band() && inside(e.source) && inside(e.target) {
                Arc::make_mut(e).begin_band();
            }
        }
        stmts.iter().for_each(|&s| self.stmts[s].band = self.bands);
        self.bands += 1;
    }

    /// What an answer does to the edges.
    pub(crate) fn effect(&self, answer: &Answer, b: &Budget) -> Result<Effect> {
        let mut effect = Effect {
            parallel: true,
            ..Effect::default()
        };
        let concerned = |e: &Edge| e.is_active() || (e.counts() && e.is_conditional());
        for (n, e) in self.edges.iter().map(Arc::as_ref).enumerate().filter(|(_, e)| concerned(e)) {
            let (Some(s), Some(t)) = (answer.rows.get(&e.source), answer.rows.get(&e.target)) else {
                continue;
            };
            let mut edge = e.clone();
            let distance = edge.advance(s, t, self.dim, b)?;
            effect.parallel &= distance == Distance::Zero;
            effect.satisfied += usize::from(distance == Distance::Positive);
            effect.active += usize::from(e.is_active());
            effect.edges.push((n, edge));
        }
        for e in self.edges.iter().filter(|e| e.relaxed) {
            if let (Some(s), Some(t)) = (answer.rows.get(&e.source), answer.rows.get(&e.target)) {
                effect.parallel &= e.stands_still(s, t, b).unwrap_or(false);
            }
        }
        Ok(effect)
    }

    /// Appends the rows that were found, and orders what they order.
    pub(crate) fn commit(&mut self, stmts: &[usize], found: Found) -> Result<()> {
        for (n, edge) in found.effect.edges {
            self.edges[n] = Arc::new(edge);
        }
        let sequential = found.effect.sequential;
        let info = Arc::new(RowInfo {
            kind: RowKind::Loop,
            parallel: found.effect.parallel,
            component_parallel: vec![found.effect.parallel],
            band: stmts.first().map_or(0, |&s| self.stmts[s].band),
            u: found.answer.u,
            w: found.answer.w,
            objective: found.answer.objective,
            cost: found.cost,
            alternative: found.alternative,
        });
        for &s in stmts {
            let Some(row) = found.answer.rows.get(&s) else {
                return Err(Error::Internal(format!("statement {s} has no row at dimension {}", self.dim)));
            };
            self.stmts[s].loops.push(row.iters.clone());
            self.stmts[s].rows.push(Placed {
                row: row.clone(),
                info: Arc::clone(&info),
                sequential,
            });
        }
        Ok(())
    }

    /// Appends a scalar row: the n-th group gets the constant n. Each group begins a new band. An active edge against the order is an error, which the result names.
    pub(crate) fn separate(&mut self, groups: &[Vec<usize>], model: &Model) -> std::result::Result<(), usize> {
        let mut place = vec![None; self.stmts.len()];
        for (n, g) in groups.iter().enumerate() {
            g.iter().for_each(|&s| place[s] = Some(n));
        }
        let order = |e: &Edge| Some((place[e.source]?, place[e.target]?));
        let wrong = self
            .edges
            .iter()
            .position(|e| e.is_active() && order(e).is_some_and(|(s, t)| s > t));
        if let Some(e) = wrong {
            return Err(e);
        }
        let dim = self.dim;
        for e in &mut self.edges {
            if order(e).is_some_and(|(s, t)| s != t) {
                if e.is_active() {
                    Arc::make_mut(e).cut(dim);
                } else if e.knows_band() {
                    Arc::make_mut(e).begin_band();
                }
            }
        }
        let info = Arc::new(RowInfo {
            kind: RowKind::Scalar,
            parallel: false,
            component_parallel: Vec::new(),
            band: self.bands,
            u: Vec::new(),
            w: None,
            objective: Vec::new(),
            cost: Vec::new(),
            alternative: None,
        });
        for (n, g) in groups.iter().enumerate() {
            let mut sorted = g.clone();
            sorted.sort_unstable();
            self.begin_band(&sorted);
            self.split_classes(&sorted);
            for &s in g {
                self.stmts[s].rows.push(Placed {
                    row: model.scalar(s, n),
                    info: Arc::clone(&info),
                    sequential: false,
                });
            }
        }
        Ok(())
    }

    /// Statements of the group that were in one class are in a class of their own now.
    fn split_classes(&mut self, group: &[usize]) {
        let mut renamed = std::collections::BTreeMap::new();
        for &s in group {
            let next = self.classes + renamed.len();
            let class = *renamed.entry(self.stmts[s].class).or_insert(next);
            self.stmts[s].class = class;
        }
        self.classes += renamed.len();
    }

    /// Do the groups separate statements that no scalar row has separated?
    pub(crate) fn refines(&self, groups: &[Vec<usize>]) -> bool {
        let mut seen = std::collections::BTreeMap::new();
        groups
            .iter()
            .enumerate()
            .any(|(n, g)| g.iter().any(|&s| *seen.entry(self.stmts[s].class).or_insert(n) != n))
    }

    /// The statements' rows end.
    pub(crate) fn finish(&mut self, stmts: &[usize], end: End) {
        stmts.iter().for_each(|&s| self.stmts[s].end = Some(end));
    }
}
