//! Scops without operations.

use tilia_diag::Loc;
use tilia_presburger::{Id, Set};
use tilia_program::{BlockId, ValueId};
use tilia_schedule::ScheduleTree;
use tilia_scop::{Array, OpRange, Param, ParamSource, Scop, Stmt};

/// What a file says of a scop.
pub(crate) struct Parts<'a> {
    pub(crate) name: &'a str,
    pub(crate) params: Vec<Id>,
    pub(crate) context: Set,
    pub(crate) arrays: Vec<Array>,
    pub(crate) stmts: Vec<Stmt>,
    pub(crate) schedule: ScheduleTree,
    pub(crate) loops: Vec<(ValueId, Loc)>,
    pub(crate) loc: Loc,
    /// Values that are given away: nothing stands behind them, but each means one thing.
    pub(crate) values: u32,
}

/// The scop. Its parameters are values after those given away.
pub(crate) fn without_operations(parts: Parts<'_>) -> Scop {
    let values = (parts.values..).map(ValueId);
    Scop {
        name: Id::new(parts.name),
        range: OpRange {
            block: BlockId(0),
            ops: Vec::new(),
        },
        preamble: Vec::new(),
        params: parts
            .params
            .iter()
            .zip(values)
            .map(|(name, value)| Param {
                name: name.clone(),
                value: ParamSource::Value(value),
            })
            .collect(),
        context: parts.context,
        assumptions: Vec::new(),
        may_alias: Vec::new(),
        unproven_layouts: Vec::new(),
        checked_ops: Vec::new(),
        arrays: parts.arrays,
        stmts: parts.stmts,
        schedule: parts.schedule,
        float_order: tilia_scop::FloatOrder::Kept,
        loops: parts.loops,
        loc: parts.loc,
    }
}
