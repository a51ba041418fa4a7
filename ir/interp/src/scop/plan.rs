//! Which scops are executed as scops, and in which order.

use rustc_hash::FxHashMap;
use tilia_ast::Ast;
use tilia_program::OpId;
use tilia_schedule::ScheduleTree;
use tilia_scop::Scop;

/// What orders the instances.
#[derive(Debug, Clone, Copy)]
pub enum ScopOrder<'a> {
    /// A schedule tree.
    Tree(&'a ScheduleTree),
    /// A loop AST.
    Ast(&'a Ast),
}

/// A scop to be executed as one.
#[derive(Debug, Clone, Copy)]
pub struct ScopPlan<'a> {
    /// Name of its function.
    pub function: &'a str,
    /// The scop.
    pub scop: &'a Scop,
    /// The order.
    pub order: ScopOrder<'a>,
    /// Fails when an instance accesses what the scop's relations don't hold, or doesn't access what they say it must.
    pub check_accesses: bool,
}

/// What a run did with its scops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScopStats {
    /// Executions as scops.
    pub executed: u64,
    /// Executions of the original operations, since an assumption failed or arrays overlap.
    pub original: u64,
    /// Statement instances.
    pub instances: u64,
}

/// What becomes of an operation that belongs to a planned scop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nothing: the scop runs at its last operation.
    Skip,
    /// The scop of that number runs here.
    Run(usize),
}

/// All plans of a run.
#[derive(Debug, Default)]
pub(crate) struct Plans<'a> {
    pub(crate) list: Vec<ScopPlan<'a>>,
    places: FxHashMap<(&'a str, OpId), Place>,
    pub(crate) stats: ScopStats,
}

impl<'a> Plans<'a> {
    pub(crate) fn new(list: &[ScopPlan<'a>]) -> Self {
        let mut places = FxHashMap::default();
        for (n, plan) in list.iter().enumerate() {
            let ops = &plan.scop.range.ops;
            for (k, &op) in ops.iter().enumerate() {
                let place = if k + 1 == ops.len() { Place::Run(n) } else { Place::Skip };
                places.insert((plan.function, op), place);
            }
        }
        Self {
            list: list.to_vec(),
            places,
            stats: ScopStats::default(),
        }
    }

    /// What becomes of an operation; `None` for one that belongs to no planned scop.
    pub(crate) fn place(&self, function: &str, op: OpId) -> Option<Place> {
        if self.places.is_empty() {
            return None;
        }
        self.places.get(&(function, op)).copied()
    }
}
