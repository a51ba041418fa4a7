//! What the scheduler knows of a scop: statements with their spaces and names, in numbers.

use crate::Row;
use tilia_presburger::{DimType, Id, Int, Set, Space};
use tilia_scop::Scop;

/// A statement.
#[derive(Debug, Clone)]
pub(crate) struct Stmt {
    /// Name of its tuple.
    pub(crate) name: Id,
    /// Number of iterators.
    pub(crate) depth: usize,
    /// Names of the iterators.
    pub(crate) iters: Vec<String>,
    /// Instances, over all parameters of the scop.
    pub(crate) domain: Set,
}

/// A scop in numbers.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) stmts: Vec<Stmt>,
    /// Names of the parameters.
    pub(crate) params: Vec<String>,
    /// All parameters, in the scop's order.
    pub(crate) space: Space,
}

impl Model {
    pub(crate) fn of(scop: &Scop) -> Model {
        let space = Space::params_only(scop.params.iter().map(|p| p.name.clone()));
        let stmts = scop.stmts.iter().map(|s| {
            let domain = s.domain.align_params(&space);
            let depth = domain.space().dim(DimType::Out);
            let name = |k: usize| {
                domain
                    .space()
                    .dim_name(DimType::Out, k)
                    .map_or_else(|| format!("i{k}"), ToString::to_string)
            };
            Stmt {
                name: s.name.clone(),
                depth,
                iters: (0..depth).map(name).collect(),
                domain,
            }
        });
        Model {
            stmts: stmts.collect(),
            params: scop.params.iter().map(|p| p.name.to_string()).collect(),
            space,
        }
    }

    /// A row that gives all instances of a statement one value.
    pub(crate) fn scalar(&self, stmt: usize, value: usize) -> Row {
        Row::scalar(self.stmts[stmt].depth, self.params.len(), Int::from(value))
    }

    /// A statement's row as text.
    pub(crate) fn text(&self, stmt: usize, row: &Row) -> String {
        row.display(&self.stmts[stmt].iters, &self.params)
    }

    /// The largest number of iterators.
    pub(crate) fn max_depth(&self) -> usize {
        self.stmts.iter().map(|s| s.depth).max().unwrap_or(0)
    }
}
