//! Storage of private cells that don't contract to registers.

use crate::form::Form;
use crate::slots::Scope;
use crate::tree::{Declined, Place, Tree};
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
    pub(crate) storage: FxHashMap<ArrayId, (ValueId, Vec<Form>)>,
    /// Copies in memory whose size must be tested before the scop runs.
    pub(crate) tested: Vec<ArrayId>,
}

impl Cells {
    pub(crate) fn is_contracted(&self, cell: ArrayId) -> bool {
        self.contracted.contains_key(&cell)
    }

    /// Names the memory of cells in it instead of the cells themselves, so that their elements are places like any others.
    pub(crate) fn name_storage(&self, tree: &mut Tree, loc: &Loc) -> Result<(), Declined> {
        match tree {
            Tree::Block(children) => children.iter_mut().try_for_each(|c| self.name_storage(c, loc)),
            Tree::Loop(l) => self.name_storage(&mut l.body, loc),
            Tree::If { then, otherwise, .. } => {
                self.name_storage(then, loc)?;
                otherwise.iter_mut().try_for_each(|o| self.name_storage(o, loc))
            }
            Tree::Inst(i) => {
                for place in i.touches.iter_mut().filter_map(|t| t.place.as_mut()) {
                    if self.storage.contains_key(&place.array) {
                        *place = self.stored(place, loc)?;
                    }
                }
                Ok(())
            }
        }
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
            .map(|(s, least)| s.clone().add_scaled(least, -1))
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
