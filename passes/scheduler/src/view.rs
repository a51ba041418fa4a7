//! What a strategy is shown: the state as a [`View`].

use crate::Row;
use crate::edge::{self, Progress};
use crate::memory;
use crate::model::Model;
use crate::state::State;
use tilia_presburger::Budget;
use tilia_scop::{Deps, Scop, StmtId};
use tilia_strategy::{AffineRow, DepView, LazyDeps, Outcome, ParamView, RowInfo, StmtView, Stride, TargetInfo, View};

/// What stays the same while a scop is scheduled.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    params: Vec<ParamView>,
    target: TargetInfo,
    /// For each statement, for each access, for each iterator.
    pub(crate) strides: Vec<Vec<Vec<Stride>>>,
    /// For each statement, for each iterator.
    pub(crate) extents: Vec<Vec<Option<u64>>>,
}

impl Facts {
    pub(crate) fn of(scop: &Scop, model: &Model, estimates: &[Option<i64>], target: TargetInfo, b: &Budget) -> Facts {
        let all = || 0..model.stmts.len();
        let strides = |s: usize| {
            let accesses = scop.stmts[s].accesses.iter();
            accesses.map(|a| memory::strides(a, model.stmts[s].depth, b)).collect()
        };
        Facts {
            params: scop
                .params
                .iter()
                .zip(estimates)
                .map(|(p, &estimate)| ParamView {
                    name: p.name.clone(),
                    estimate,
                })
                .collect(),
            target,
            strides: all().map(strides).collect(),
            extents: all().map(|s| memory::extents(model, s, estimates, b)).collect(),
        }
    }
}

pub(crate) fn id(stmt: usize) -> StmtId {
    StmtId(u32::try_from(stmt).unwrap_or(u32::MAX))
}

fn ids(stmts: &[usize]) -> Vec<StmtId> {
    stmts.iter().map(|&s| id(s)).collect()
}

impl From<&Row> for AffineRow {
    fn from(r: &Row) -> AffineRow {
        AffineRow {
            iters: r.iters.clone(),
            params: r.params.clone(),
            constant: r.constant.clone(),
        }
    }
}

/// Shows the state to `look`. `current`: the statements whose row is to be found.
pub(crate) fn show<T>(
    (scop, deps, model, facts): (&Scop, &Deps, &Model, &Facts),
    (state, current, last): (&State, &[usize], Outcome),
    look: impl FnOnce(&View<'_>) -> T,
) -> T {
    let rows: Vec<Vec<AffineRow>> = state
        .stmts
        .iter()
        .map(|s| s.rows.iter().map(|p| (&p.row).into()).collect())
        .collect();
    let stmts: Vec<StmtView<'_>> = (0..model.stmts.len())
        .map(|n| StmtView {
            id: id(n),
            name: model.stmts[n].name.as_str(),
            depth: model.stmts[n].depth,
            iters: &model.stmts[n].iters,
            domain: &model.stmts[n].domain,
            accesses: &scop.stmts[n].accesses,
            rank: crate::linalg::rank(&state.stmts[n].loops, model.stmts[n].depth),
            rows: &rows[n],
            strides: &facts.strides[n],
            trip_estimate: &facts.extents[n],
            is_reduction: scop.stmts[n].reduction.is_some(),
        })
        .collect();
    let list = || state.edges.iter().map(|e| dep_view(e, deps)).collect();
    let first = current.first().map(|&s| &state.stmts[s]);
    let infos: Vec<RowInfo> = first.map_or_else(Vec::new, |s| s.rows.iter().map(|p| (*p.info).clone()).collect());
    let open = state.open();
    let components: Vec<Vec<StmtId>> = state.components(&open).iter().map(|c| ids(c)).collect();
    let sccs: Vec<Vec<StmtId>> = state.sccs(&open).iter().map(|c| ids(c)).collect();
    look(&View {
        scop: scop.name.as_str(),
        dim: state.dim,
        band: first.map_or(0, |s| s.band),
        params: &facts.params,
        stmts: &stmts,
        deps: &LazyDeps::new(&list),
        rows: &infos,
        components: &components,
        sccs: &sccs,
        current: &ids(current),
        last,
        target: &facts.target,
    })
}

fn dep_view(e: &edge::Edge, deps: &Deps) -> DepView {
    DepView {
        source: id(e.source),
        target: id(e.target),
        kind: deps.memory[e.deps[0]].kind,
        active: e.progress != Progress::Done,
        satisfied_at: e.satisfied_at,
        distance: e.constant_distance(),
    }
}
