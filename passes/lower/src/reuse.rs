//! Values computed before in the same straight-line code, used again: copies of one statement for neighbouring iterations share most of what they load and compute.
//!
//! Back ends do this, too, each in its own way and at a price for every operation; what is never made costs nothing, and no back end sees as well which stores leave which locations alone.

use crate::emit::Emitter;
use crate::tree::{Declined, Place};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tilia_diag::Loc;
use tilia_program::{BlockId, OpKind, Type, ValueId};

type Res<T> = Result<T, Declined>;

/// What is known at the end of a block.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    block: Option<BlockId>,
    /// Contents of memory.
    memory: BTreeMap<Place, ValueId>,
    /// Results of operations.
    values: FxHashMap<(OpKind, Vec<ValueId>, Type), ValueId>,
}

impl Seen {
    /// What is known at the end of `block`; nothing, if operations went to another one since.
    fn at(&mut self, block: BlockId) -> &mut Self {
        if self.block != Some(block) {
            *self = Self {
                block: Some(block),
                ..Self::default()
            };
        }
        self
    }
}

impl Emitter<'_> {
    /// The result of a pure operation at the end of `block`.
    pub(crate) fn value(&mut self, block: BlockId, kind: OpKind, operands: Vec<ValueId>, ty: &Type, loc: &Loc) -> ValueId {
        let key = (kind, operands, ty.clone());
        if let Some(&known) = self.seen.at(block).values.get(&key) {
            return known;
        }
        let op = self
            .f
            .append(block, key.0.clone(), key.1.clone(), std::slice::from_ref(ty), loc.clone());
        let result = self.f.result(op);
        self.seen.values.insert(key, result);
        result
    }

    /// The contents of a place in memory at the end of `block`, by a load if need be.
    pub(crate) fn load_again(&mut self, place: &Place, block: BlockId, loc: &Loc) -> Res<ValueId> {
        if let Some(&known) = self.seen.at(block).memory.get(place) {
            return Ok(known);
        }
        let value = self.load_place(place, block, loc)?.0;
        self.seen.memory.insert(place.clone(), value);
        Ok(value)
    }

    /// A place at the end of `block` was stored to.
    pub(crate) fn place_changed(&mut self, place: &Place, value: ValueId, block: BlockId) {
        let memory = &mut self.seen.at(block).memory;
        memory.retain(|other, _| other.array != place.array || other.is_apart(place));
        memory.insert(place.clone(), value);
    }

    /// Something at the end of `block` may have written to any memory.
    pub(crate) fn memory_changed(&mut self, block: BlockId) {
        self.seen.at(block).memory.clear();
    }
}

impl Place {
    /// Whether two places of one array are apart by constant distances.
    pub(crate) fn is_apart(&self, other: &Self) -> bool {
        if self.memref != other.memref || self.subs.len() != other.subs.len() {
            return false;
        }
        let last = self.subs.len().wrapping_sub(1);
        self.subs.iter().zip(&other.subs).enumerate().any(|(n, (a, b))| {
            let distance = a.clone().add_scaled(b, -1).and_then(|d| d.as_constant());
            distance.is_some_and(|d| match n == last {
                true => d >= i64::from(other.lanes) || d <= -i64::from(self.lanes),
                false => d != 0,
            })
        })
    }
}
