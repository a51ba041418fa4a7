//! Storage of private cells that don't contract to registers.

use crate::form::{Atom, Form};
use crate::slots::Scope;
use crate::tree::{Declined, Place};
use rustc_hash::FxHashMap;
use tilia_diag::Loc;
use tilia_program::ValueId;
use tilia_scop::ArrayId;

/// Where each cell of a scop lives.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    /// Contracted cells and the scope of their slots.
    pub(crate) contracted: FxHashMap<ArrayId, Scope>,
    /// Cells in memory: the buffer and the least subscript of each dimension.
    pub(crate) storage: FxHashMap<ArrayId, (ValueId, Vec<ValueId>)>,
}

impl Cells {
    pub(crate) fn is_contracted(&self, cell: ArrayId) -> bool {
        self.contracted.contains_key(&cell)
    }

    /// The memory location of a cell's element.
    pub(crate) fn stored(&self, place: &Place, loc: &Loc) -> Result<Place, Declined> {
        let (buffer, least) = self
            .storage
            .get(&place.array)
            .ok_or_else(|| Declined::new(loc, "a cell is used outside the scope of its register"))?;
        let subs = place
            .subs
            .iter()
            .zip(least)
            .map(|(s, &l)| s.clone().add_scaled(&Form::atom(Atom::Value(l)), -1))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Declined::new(loc, "a cell's subscript leaves 64 bits"))?;
        Ok(Place {
            array: place.array,
            memref: Some(*buffer),
            subs,
            lanes: 1,
        })
    }
}
