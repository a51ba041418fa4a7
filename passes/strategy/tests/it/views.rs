//! Views of made-up programs.

use tilia_presburger::Set;
use tilia_scop::StmtId;
use tilia_strategy::{AffineRow, Candidate, CostFunction, LazyDeps, Outcome, ParamView, RowInfo, RowKind, StmtView, TargetInfo, View};

/// A program with statements of these depths, and rows found already.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) depths: Vec<usize>,
    pub(crate) ranks: Vec<usize>,
    pub(crate) rows: Vec<RowInfo>,
    pub(crate) params: Vec<ParamView>,
    pub(crate) band: usize,
    domain: Set,
    iters: Vec<String>,
    current: Vec<StmtId>,
}

impl Program {
    pub(crate) fn new(depths: &[usize]) -> Self {
        Self {
            name: "kernel_0".to_owned(),
            depths: depths.to_vec(),
            ranks: vec![0; depths.len()],
            rows: Vec::new(),
            params: vec![ParamView {
                name: "N".into(),
                estimate: Some(100),
            }],
            band: 0,
            domain: "[N] -> { S[i] : 0 <= i < N }".parse().unwrap(),
            iters: (0..8).map(|n| format!("i{n}")).collect(),
            current: (0..depths.len()).map(|n| StmtId(u32::try_from(n).unwrap())).collect(),
        }
    }

    pub(crate) fn row(mut self, kind: RowKind, parallel: bool) -> Self {
        self.rows.push(RowInfo {
            kind,
            parallel,
            component_parallel: vec![parallel],
            band: self.band,
            u: vec![0.into()],
            w: Some(0.into()),
            objective: Vec::new(),
            cost: vec![CostFunction::Proximity],
            alternative: None,
        });
        if kind == RowKind::Loop {
            for (rank, depth) in self.ranks.iter_mut().zip(&self.depths) {
                *rank = (*rank + 1).min(*depth);
            }
        }
        self
    }

    /// Calls `f` with the view.
    pub(crate) fn view<T>(&self, f: impl FnOnce(&View<'_>) -> T) -> T {
        let stmts: Vec<StmtView<'_>> = (0..self.depths.len())
            .map(|n| StmtView {
                id: self.current[n],
                name: "S",
                depth: self.depths[n],
                iters: &self.iters[..self.depths[n]],
                domain: &self.domain,
                accesses: &[],
                rank: self.ranks[n],
                rows: &[],
                strides: &[],
                trip_estimate: &[],
                is_reduction: false,
            })
            .collect();
        let components = [self.current.clone()];
        f(&View {
            scop: &self.name,
            dim: self.rows.len(),
            band: self.band,
            params: &self.params,
            stmts: &stmts,
            deps: &LazyDeps::new(&Vec::new),
            rows: &self.rows,
            components: &components,
            sccs: &components,
            current: &self.current,
            last: if self.rows.is_empty() { Outcome::Start } else { Outcome::Found },
            target: &TargetInfo::default(),
        })
    }
}

/// A candidate found with one cost function.
pub(crate) fn candidate<'a>(parallel: bool, cost: &'a [CostFunction], rows: &'a [AffineRow]) -> Candidate<'a> {
    Candidate {
        rows,
        parallel,
        satisfied: 0,
        cost,
        objective: &[],
        alternative: None,
    }
}
