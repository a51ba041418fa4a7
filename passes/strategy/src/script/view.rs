//! What a script sees: the view's fields under the view's names.
//!
//! Handles give fields on request, so that a script pays only for what it looks at.

use crate::{AffineRow, Candidate, Outcome, RowKind, Stride, View};
use rhai::{Array, Dynamic, Engine, Map};
use std::sync::Arc;
use tilia_presburger::Int;
use tilia_scop::{AccessKind, DepKind, StmtId};

/// Everything of a view that scripts can ask for, owned.
#[derive(Debug)]
struct Snapshot {
    scop: String,
    dim: i64,
    band: i64,
    params: Array,
    stmts: Vec<StmtSnapshot>,
    deps: Vec<DepSnapshot>,
    rows: Vec<RowSnapshot>,
    components: Array,
    sccs: Array,
    current: Array,
    last: &'static str,
    target: Map,
    is_last: bool,
    band_has_parallel_row: bool,
    has_parallel_row: bool,
    is_band_start: bool,
}

#[derive(Debug)]
struct StmtSnapshot {
    id: i64,
    name: String,
    depth: i64,
    iters: Array,
    domain: String,
    rank: i64,
    is_reduction: bool,
    rows: Vec<AffineRow>,
    trip_estimate: Array,
    accesses: Vec<AccessSnapshot>,
}

#[derive(Debug)]
struct AccessSnapshot {
    array: i64,
    write: bool,
    relation: String,
    strides: Array,
}

#[derive(Debug)]
struct DepSnapshot {
    source: i64,
    target: i64,
    kind: &'static str,
    active: bool,
    satisfied_at: Dynamic,
    distance: Dynamic,
}

#[derive(Debug)]
struct RowSnapshot {
    kind: &'static str,
    parallel: bool,
    component_parallel: Array,
    band: i64,
    u: Array,
    w: Dynamic,
    objective: Array,
    cost: Array,
    alternative: Dynamic,
}

fn index(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Numbers beyond 64 bits, which no heuristic tells apart, are the largest that there are.
fn number(n: &Int) -> Dynamic {
    let bound = if n.signum() < 0 { i64::MIN } else { i64::MAX };
    Dynamic::from_int(n.to_i64().unwrap_or(bound))
}

fn optional<T>(value: Option<T>, make: impl FnOnce(T) -> Dynamic) -> Dynamic {
    value.map_or(Dynamic::UNIT, make)
}

fn ids(list: &[StmtId]) -> Dynamic {
    Dynamic::from_array(list.iter().map(|s| Dynamic::from_int(i64::from(s.0))).collect())
}

fn affine_row(row: &AffineRow) -> Dynamic {
    let mut map = Map::new();
    map.insert("iters".into(), Dynamic::from_array(row.iters.iter().map(number).collect()));
    map.insert("params".into(), Dynamic::from_array(row.params.iter().map(number).collect()));
    map.insert("constant".into(), number(&row.constant));
    Dynamic::from_map(map)
}

impl Snapshot {
    fn new(view: &View<'_>) -> Self {
        let target = view.target;
        let mut machine = Map::new();
        let sizes = [
            ("cores", target.cores.map(u64::from)),
            ("vector_bits", target.vector_bits.map(u64::from)),
            ("l1", target.l1),
            ("l2", target.l2),
            ("l3", target.l3),
        ];
        for (name, size) in sizes {
            machine.insert(
                name.into(),
                optional(size, |n| Dynamic::from_int(i64::try_from(n).unwrap_or(i64::MAX))),
            );
        }
        let params = view.params.iter().map(|p| {
            let mut map = Map::new();
            map.insert("name".into(), p.name.as_str().to_owned().into());
            map.insert("estimate".into(), optional(p.estimate, Dynamic::from_int));
            Dynamic::from_map(map)
        });
        Self {
            scop: view.scop.to_owned(),
            dim: index(view.dim),
            band: index(view.band),
            params: params.collect(),
            stmts: view.stmts.iter().map(statement).collect(),
            deps: view.deps.iter().map(dependence).collect(),
            rows: view.rows.iter().map(row).collect(),
            components: view.components.iter().map(|c| ids(c)).collect(),
            sccs: view.sccs.iter().map(|c| ids(c)).collect(),
            current: view.current.iter().map(|s| Dynamic::from_int(i64::from(s.0))).collect(),
            last: match view.last {
                Outcome::Start => "start",
                Outcome::Found => "found",
                Outcome::InfeasibleBand => "infeasible_band",
                Outcome::InfeasibleAll => "infeasible_all",
                Outcome::Cut => "cut",
                Outcome::OutOfBudget => "out_of_budget",
            },
            target: machine,
            is_last: view.is_last(),
            band_has_parallel_row: view.band_has_parallel_row(),
            has_parallel_row: view.has_parallel_row(),
            is_band_start: view.is_band_start(),
        }
    }
}

fn statement(s: &crate::StmtView<'_>) -> StmtSnapshot {
    let accesses = s.accesses.iter().enumerate().map(|(n, a)| AccessSnapshot {
        array: i64::from(a.array.0),
        write: a.kind == AccessKind::Write,
        relation: a.relation.to_string(),
        strides: s.strides.get(n).map_or_else(Array::new, |list| {
            list.iter()
                .map(|stride| match stride {
                    Stride::Elements(n) => number(n),
                    Stride::Large => Dynamic::UNIT,
                })
                .collect()
        }),
    });
    StmtSnapshot {
        id: i64::from(s.id.0),
        name: s.name.to_owned(),
        depth: index(s.depth),
        iters: s.iters.iter().map(|n| n.clone().into()).collect(),
        domain: s.domain.to_string(),
        rank: index(s.rank),
        is_reduction: s.is_reduction,
        rows: s.rows.to_vec(),
        trip_estimate: s
            .trip_estimate
            .iter()
            .map(|t| optional(*t, |n| Dynamic::from_int(i64::try_from(n).unwrap_or(i64::MAX))))
            .collect(),
        accesses: accesses.collect(),
    }
}

fn dependence(d: &crate::DepView) -> DepSnapshot {
    DepSnapshot {
        source: i64::from(d.source.0),
        target: i64::from(d.target.0),
        kind: match d.kind {
            DepKind::Flow => "flow",
            DepKind::Anti => "anti",
            DepKind::Output => "output",
        },
        active: d.active,
        satisfied_at: optional(d.satisfied_at, |n| Dynamic::from_int(index(n))),
        distance: optional(d.distance.as_ref(), |list| {
            Dynamic::from_array(list.iter().map(|n| Dynamic::from_int(*n)).collect())
        }),
    }
}

fn row(r: &crate::RowInfo) -> RowSnapshot {
    RowSnapshot {
        kind: if r.kind == RowKind::Loop { "loop" } else { "scalar" },
        parallel: r.parallel,
        component_parallel: r.component_parallel.iter().map(|b| Dynamic::from_bool(*b)).collect(),
        band: index(r.band),
        u: r.u.iter().map(number).collect(),
        w: optional(r.w.as_ref(), number),
        objective: r.objective.iter().map(number).collect(),
        cost: r.cost.iter().map(|c| c.name().to_owned().into()).collect(),
        alternative: optional(r.alternative, |n| Dynamic::from_int(index(n))),
    }
}

/// `v` of a script.
#[derive(Debug, Clone)]
pub(super) struct ViewHandle(Arc<Snapshot>);

impl ViewHandle {
    pub(super) fn new(view: &View<'_>) -> Self {
        Self(Arc::new(Snapshot::new(view)))
    }
}

/// An element of `v.stmts`.
#[derive(Debug, Clone)]
struct StmtHandle(Arc<Snapshot>, usize);

/// An element of a statement's `accesses`.
#[derive(Debug, Clone)]
struct AccessHandle(Arc<Snapshot>, usize, usize);

/// An element of `v.deps`.
#[derive(Debug, Clone)]
struct DepHandle(Arc<Snapshot>, usize);

/// An element of `v.rows`.
#[derive(Debug, Clone)]
struct RowHandle(Arc<Snapshot>, usize);

/// `row` of `accept`.
#[derive(Debug, Clone)]
pub(super) struct CandidateHandle(Arc<CandidateSnapshot>);

#[derive(Debug)]
struct CandidateSnapshot {
    rows: Array,
    parallel: bool,
    satisfied: i64,
    cost: Array,
    objective: Array,
    alternative: Dynamic,
}

impl CandidateHandle {
    pub(super) fn new(c: &Candidate<'_>) -> Self {
        Self(Arc::new(CandidateSnapshot {
            rows: c.rows.iter().map(affine_row).collect(),
            parallel: c.parallel,
            satisfied: index(c.satisfied),
            cost: c.cost.iter().map(|c| c.name().to_owned().into()).collect(),
            objective: c.objective.iter().map(number).collect(),
            alternative: optional(c.alternative, |n| Dynamic::from_int(index(n))),
        }))
    }
}

fn handles<T: Clone + Send + Sync + 'static>(n: usize, make: impl Fn(usize) -> T) -> Array {
    (0..n).map(|k| Dynamic::from(make(k))).collect()
}

/// Makes the fields known to an engine.
pub(super) fn register(engine: &mut Engine) {
    macro_rules! fields {
        ($handle:ty, $name:literal, $(($field:literal, $get:expr)),+ $(,)?) => {
            engine.register_type_with_name::<$handle>($name);
            $(engine.register_get($field, $get);)+
        };
    }
    fields!(
        ViewHandle,
        "View",
        ("scop", |v: &mut ViewHandle| v.0.scop.clone()),
        ("dim", |v: &mut ViewHandle| v.0.dim),
        ("band", |v: &mut ViewHandle| v.0.band),
        ("params", |v: &mut ViewHandle| v.0.params.clone()),
        ("stmts", |v: &mut ViewHandle| handles(v.0.stmts.len(), |n| StmtHandle(
            Arc::clone(&v.0),
            n
        ))),
        ("deps", |v: &mut ViewHandle| handles(v.0.deps.len(), |n| DepHandle(
            Arc::clone(&v.0),
            n
        ))),
        ("rows", |v: &mut ViewHandle| handles(v.0.rows.len(), |n| RowHandle(
            Arc::clone(&v.0),
            n
        ))),
        ("components", |v: &mut ViewHandle| v.0.components.clone()),
        ("sccs", |v: &mut ViewHandle| v.0.sccs.clone()),
        ("current", |v: &mut ViewHandle| v.0.current.clone()),
        ("last", |v: &mut ViewHandle| v.0.last.to_owned()),
        ("target", |v: &mut ViewHandle| v.0.target.clone()),
        ("is_last", |v: &mut ViewHandle| v.0.is_last),
        ("band_has_parallel_row", |v: &mut ViewHandle| v.0.band_has_parallel_row),
        ("has_parallel_row", |v: &mut ViewHandle| v.0.has_parallel_row),
        ("is_band_start", |v: &mut ViewHandle| v.0.is_band_start),
    );
    fields!(
        StmtHandle,
        "Statement",
        ("id", |s: &mut StmtHandle| s.0.stmts[s.1].id),
        ("name", |s: &mut StmtHandle| s.0.stmts[s.1].name.clone()),
        ("depth", |s: &mut StmtHandle| s.0.stmts[s.1].depth),
        ("iters", |s: &mut StmtHandle| s.0.stmts[s.1].iters.clone()),
        ("domain", |s: &mut StmtHandle| s.0.stmts[s.1].domain.clone()),
        ("rank", |s: &mut StmtHandle| s.0.stmts[s.1].rank),
        ("is_reduction", |s: &mut StmtHandle| s.0.stmts[s.1].is_reduction),
        ("rows", |s: &mut StmtHandle| s.0.stmts[s.1]
            .rows
            .iter()
            .map(affine_row)
            .collect::<Array>()),
        ("trip_estimate", |s: &mut StmtHandle| s.0.stmts[s.1].trip_estimate.clone()),
        ("accesses", |s: &mut StmtHandle| handles(s.0.stmts[s.1].accesses.len(), |n| {
            AccessHandle(Arc::clone(&s.0), s.1, n)
        })),
    );
    fields!(
        AccessHandle,
        "Access",
        ("array", |a: &mut AccessHandle| a.0.stmts[a.1].accesses[a.2].array),
        ("write", |a: &mut AccessHandle| a.0.stmts[a.1].accesses[a.2].write),
        ("relation", |a: &mut AccessHandle| a.0.stmts[a.1].accesses[a.2].relation.clone()),
        ("strides", |a: &mut AccessHandle| a.0.stmts[a.1].accesses[a.2].strides.clone()),
    );
    fields!(
        DepHandle,
        "Dependence",
        ("source", |d: &mut DepHandle| d.0.deps[d.1].source),
        ("target", |d: &mut DepHandle| d.0.deps[d.1].target),
        ("kind", |d: &mut DepHandle| d.0.deps[d.1].kind.to_owned()),
        ("active", |d: &mut DepHandle| d.0.deps[d.1].active),
        ("satisfied_at", |d: &mut DepHandle| d.0.deps[d.1].satisfied_at.clone()),
        ("distance", |d: &mut DepHandle| d.0.deps[d.1].distance.clone()),
    );
    fields!(
        RowHandle,
        "Row",
        ("kind", |r: &mut RowHandle| r.0.rows[r.1].kind.to_owned()),
        ("parallel", |r: &mut RowHandle| r.0.rows[r.1].parallel),
        ("component_parallel", |r: &mut RowHandle| r.0.rows[r.1].component_parallel.clone()),
        ("band", |r: &mut RowHandle| r.0.rows[r.1].band),
        ("u", |r: &mut RowHandle| r.0.rows[r.1].u.clone()),
        ("w", |r: &mut RowHandle| r.0.rows[r.1].w.clone()),
        ("objective", |r: &mut RowHandle| r.0.rows[r.1].objective.clone()),
        ("cost", |r: &mut RowHandle| r.0.rows[r.1].cost.clone()),
        ("alternative", |r: &mut RowHandle| r.0.rows[r.1].alternative.clone()),
    );
    fields!(
        CandidateHandle,
        "Candidate",
        ("rows", |c: &mut CandidateHandle| c.0.rows.clone()),
        ("parallel", |c: &mut CandidateHandle| c.0.parallel),
        ("satisfied", |c: &mut CandidateHandle| c.0.satisfied),
        ("cost", |c: &mut CandidateHandle| c.0.cost.clone()),
        ("objective", |c: &mut CandidateHandle| c.0.objective.clone()),
        ("alternative", |c: &mut CandidateHandle| c.0.alternative.clone()),
    );
}
