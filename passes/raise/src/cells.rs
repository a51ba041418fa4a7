//! Private cells: the SSA values that travel between statements.

use crate::index::Index;
use crate::plan::Declined;
use rustc_hash::FxHashMap;
use tilia_diag::Loc;
use tilia_program::{OpId, ScalarType, Type, ValueId};

/// A cell: one element for each combination of the loops around its definition.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// The value that names it.
    pub(crate) value: ValueId,
    pub(crate) elem: ScalarType,
    /// Iterators of the loops around the definition, outermost first.
    pub(crate) iters: Vec<ValueId>,
    /// The value that code after the run uses.
    pub(crate) live_out: Option<ValueId>,
    pub(crate) loc: Loc,
}

/// All cells of a run, and which values live in them.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    pub(crate) list: Vec<Cell>,
    of: FxHashMap<ValueId, usize>,
}

impl Cells {
    /// The cell in which the value lives.
    pub(crate) fn of(&self, value: ValueId) -> Option<usize> {
        self.of.get(&value).copied()
    }

    /// A new cell for `values` (all of one type), which `op` defines.
    pub(crate) fn add(&mut self, index: &Index<'_>, op: OpId, iters: &[ValueId], values: &[ValueId]) -> Result<usize, Declined> {
        let value = values[0];
        let elem = match &index.function[value].ty {
            Type::Scalar(s) => *s,
            Type::Vector(_) => return Err(Declined::new(op, "a vector value crosses statements")),
            ty => return Err(Declined::new(op, format!("a value of type {ty} crosses statements"))),
        };
        let n = self.list.len();
        self.list.push(Cell {
            value,
            elem,
            iters: iters.to_vec(),
            live_out: None,
            loc: index.function[op].loc.clone(),
        });
        self.of.extend(values.iter().map(|&v| (v, n)));
        Ok(n)
    }
}
