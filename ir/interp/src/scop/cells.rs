//! Private cells, and where statements find them.

use super::params::{Params, narrow};
use crate::program::Slot;
use rustc_hash::FxHashMap;
use tilia_presburger::{Budget, PwMultiAff};
use tilia_scop::{Access, ArrayId};

/// The values in private cells.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    values: FxHashMap<(ArrayId, Vec<i64>), Slot>,
    /// Relations as functions, by statement and access.
    functions: FxHashMap<(usize, usize), PwMultiAff>,
}

impl Cells {
    /// Subscripts of the cell that access number `n` of statement number `stmt` relates an instance to.
    pub(crate) fn subscripts(
        &mut self,
        (stmt, n): (usize, usize),
        access: &Access,
        args: &[i64],
        params: &Params,
        budget: &Budget,
    ) -> Result<Vec<i64>, String> {
        let function = match self.functions.entry((stmt, n)) {
            std::collections::hash_map::Entry::Occupied(e) => e.into_mut(),
            std::collections::hash_map::Entry::Vacant(e) => {
                if !access.relation.is_single_valued(budget).map_err(|e| e.to_string())? {
                    return Err(format!("an access to a cell isn't a function: {}", access.relation));
                }
                e.insert(access.relation.lexmin_pw_multi_aff(budget).map_err(|e| e.to_string())?)
            }
        };
        let point = params.point(function.domain_space(), args)?;
        let found = function.eval(&point, budget).map_err(|e| e.to_string())?;
        let found = found.ok_or_else(|| format!("the access {} has no cell for {args:?}", access.relation))?;
        narrow(&found.coords)
    }

    pub(crate) fn read(&self, array: ArrayId, subscripts: Vec<i64>) -> Option<Slot> {
        self.values.get(&(array, subscripts)).cloned()
    }

    pub(crate) fn write(&mut self, array: ArrayId, subscripts: Vec<i64>, value: Slot) {
        self.values.insert((array, subscripts), value);
    }
}
