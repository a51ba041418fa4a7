//! One instance of a statement: its operations copied with iterators bound, cells read before and written after.

use crate::emit::{Emitter, Slot, lanes_type};
use crate::form::Form;
use crate::tree::{Declined, Inst, Place, index_forms, subscripts};
use rustc_hash::FxHashMap;
use tilia_diag::Loc;
use tilia_program::{Access, BlockId, OpId, OpKind, ScalarType, Type, ValueId, ValueMap};
use tilia_scop::{ArrayId, Stmt, StmtKind};

type Res<T> = Result<T, Declined>;

impl Emitter<'_> {
    pub(crate) fn scalar_instance(&mut self, inst: &Inst, block: BlockId) -> Res<()> {
        let scop = self.scop;
        let stmt = &scop[inst.stmt];
        let forms = index_forms(self.f, stmt, &inst.args);
        let mut map = self.outer.clone();
        for &(value, access) in &stmt.cell_reads {
            let place = cell_place(inst, access, &stmt.loc)?;
            let now = self.read_cell(&place, block, &stmt.loc)?;
            map.insert(value, now);
        }
        for &op in &stmt.ops {
            self.copy_op(op, inst, stmt, &forms, block, &mut map)?;
        }
        let mut writes = Vec::new();
        for &(value, access) in &stmt.cell_writes {
            let value = self.operand(value, &forms, block, &mut map, &stmt.loc);
            writes.push((cell_place(inst, access, &stmt.loc)?, value));
        }
        for (place, value) in writes {
            self.write_cell(&place, value, block, &stmt.loc)?;
        }
        Ok(())
    }

    fn copy_op(
        &mut self,
        op: OpId,
        inst: &Inst,
        stmt: &Stmt,
        forms: &FxHashMap<ValueId, Form>,
        block: BlockId,
        map: &mut ValueMap,
    ) -> Res<()> {
        let loc = self.f[op].loc.clone();
        if stmt.kind == StmtKind::Opaque || !self.f[op].regions.is_empty() {
            for v in forms.keys().copied().collect::<std::collections::BTreeSet<_>>() {
                self.operand(v, forms, block, map, &loc);
            }
            self.f.clone_op(op, block, map);
            self.memory_changed(block);
            return Ok(());
        }
        match self.f[op].kind {
            OpKind::Load(_) | OpKind::Store(_) => self.copy_access(op, inst, stmt, forms, block, map, &loc),
            // Index arithmetic is written anew where its value is needed.
            OpKind::Apply(_) | OpKind::Pure(..) | OpKind::Constant(_)
                if self.f[op].results.len() == 1
                    && forms.contains_key(&self.f[op].results[0])
                    && self.f[self.f[op].results[0]].ty == Type::INDEX =>
            {
                Ok(())
            }
            OpKind::Pure(..) | OpKind::Constant(_) if self.f[op].results.len() == 1 => {
                let operands = self.f[op].operands.clone();
                let operands = operands.into_iter().map(|v| self.operand(v, forms, block, map, &loc)).collect();
                let result = self.f.result(op);
                let (kind, ty) = (self.f[op].kind.clone(), self.f[result].ty.clone());
                let copy = self.value(block, kind, operands, &ty, &loc);
                map.insert(result, copy);
                Ok(())
            }
            _ => {
                self.copy_plain(op, forms, block, map, &loc);
                self.memory_changed(block);
                Ok(())
            }
        }
    }

    fn copy_plain(&mut self, op: OpId, forms: &FxHashMap<ValueId, Form>, block: BlockId, map: &mut ValueMap, loc: &Loc) {
        let operands = self.f[op].operands.clone();
        let operands = operands.into_iter().map(|v| self.operand(v, forms, block, map, loc)).collect();
        let types: Vec<Type> = self.f[op].results.iter().map(|&r| self.f[r].ty.clone()).collect();
        let kind = self.f[op].kind.clone();
        let copy = self.f.append(block, kind, operands, &types, loc.clone());
        let results = self.f[copy].results.clone();
        map.extend(self.f[op].results.iter().copied().zip(results));
    }

    #[expect(clippy::too_many_arguments, reason = "the state of one instance's copy")]
    fn copy_access(
        &mut self,
        op: OpId,
        inst: &Inst,
        stmt: &Stmt,
        forms: &FxHashMap<ValueId, Form>,
        block: BlockId,
        map: &mut ValueMap,
        loc: &Loc,
    ) -> Res<()> {
        let is_load = matches!(self.f[op].kind, OpKind::Load(_));
        let known = inst.touches.iter().find(|t| t.op == Some(op)).and_then(|t| t.place.clone());
        if let Some(place) = &known
            && let Some(slot) = self.slots.get(place)
        {
            if is_load {
                let value = slot
                    .value
                    .ok_or_else(|| Declined::new(loc, "a register is read before it was loaded"))?;
                map.insert(self.f.result(op), value);
            } else {
                let value = self.operand(self.f[op].operands[0], forms, block, map, loc);
                if let Some(slot) = self.slots.get_mut(place) {
                    slot.value = Some(value);
                }
            }
            return Ok(());
        }
        let Some((memref, subs)) = subscripts(self.f, stmt, forms, op) else {
            self.copy_plain(op, forms, block, map, loc);
            self.set_checked(op, block);
            if !is_load {
                self.memory_changed(block);
            }
            return Ok(());
        };
        if let Some(place) = known.filter(|_| self.proven(op)) {
            return self.copy_known_access(op, &place, forms, block, map, loc);
        }
        let (affine, index) = self.map(&subs);
        let access = Access {
            map: affine,
            checked: !self.proven(op),
        };
        let memref = map.get(&memref).copied().unwrap_or(memref);
        if is_load {
            let ty = self.f[self.f.result(op)].ty.clone();
            let operands = std::iter::once(memref).chain(index).collect();
            let copy = self.f.append(block, OpKind::Load(access), operands, &[ty], loc.clone());
            map.insert(self.f.result(op), self.f.result(copy));
        } else {
            let value = self.operand(self.f[op].operands[0], forms, block, map, loc);
            let operands = [value, memref].into_iter().chain(index).collect();
            self.f.append(block, OpKind::Store(access), operands, &[], loc.clone());
            self.memory_changed(block);
        }
        Ok(())
    }

    /// An access to one element that is known and needs no check.
    fn copy_known_access(
        &mut self,
        op: OpId,
        place: &Place,
        forms: &FxHashMap<ValueId, Form>,
        block: BlockId,
        map: &mut ValueMap,
        loc: &Loc,
    ) -> Res<()> {
        if matches!(self.f[op].kind, OpKind::Load(_)) {
            let value = self.load_again(place, block, loc)?;
            map.insert(self.f.result(op), value);
            return Ok(());
        }
        let value = self.operand(self.f[op].operands[0], forms, block, map, loc);
        self.store_value(place, value, block, loc)
    }

    /// The operation just copied keeps the check of the one that it was copied from, unless that was proven.
    fn set_checked(&mut self, op: OpId, block: BlockId) {
        let proven = self.proven(op);
        if let Some(&last) = self.f[block].ops.last()
            && let OpKind::Load(a) | OpKind::Store(a) = &mut self.f[last].kind
        {
            a.checked = !proven;
        }
    }

    /// The value that stands for `v` in the copy: mapped, or written down from its form, or itself.
    pub(crate) fn operand(
        &mut self,
        v: ValueId,
        forms: &FxHashMap<ValueId, Form>,
        block: BlockId,
        map: &mut ValueMap,
        loc: &Loc,
    ) -> ValueId {
        if let Some(&new) = map.get(&v) {
            return new;
        }
        let Some(form) = forms.get(&v) else { return v };
        let ty = self.f[v].ty.clone();
        let mut value = self.form_value(form, block, loc);
        if ty != Type::INDEX {
            // An iterator of a narrower integer type: the form's value is in its range.
            value = self.value(block, OpKind::pure(tilia_program::PureOp::IndexCast), vec![value], &ty, loc);
        }
        map.insert(v, value);
        value
    }

    pub(crate) fn read_cell(&mut self, place: &Place, block: BlockId, loc: &Loc) -> Res<ValueId> {
        if let Some(slot) = self.slots.get(place) {
            return slot.value.ok_or_else(|| Declined::new(loc, "a cell is read before it is written"));
        }
        match place.memref {
            Some(_) => self.load_again(place, block, loc),
            None => self.load_again(&self.cells.stored(place, loc)?, block, loc),
        }
    }

    pub(crate) fn write_cell(&mut self, place: &Place, value: ValueId, block: BlockId, loc: &Loc) -> Res<()> {
        if let Some(slot) = self.slots.get_mut(place) {
            slot.value = Some(value);
            return Ok(());
        }
        if place.memref.is_some() {
            return self.store_value(place, value, block, loc);
        }
        if self.cells.is_contracted(place.array) {
            // The first write within the cell's scope: the slot lives until the scope's end.
            let ty = lanes_type(self.element(place.array), place.lanes);
            self.slots.insert(place.clone(), Slot { value: Some(value), ty });
            return Ok(());
        }
        let stored = self.cells.stored(place, loc)?;
        self.store_value(&stored, value, block, loc)
    }

    fn element(&self, array: ArrayId) -> ScalarType {
        self.scop[array].elem
    }
}

/// The element of a cell that an access of an instance touches.
pub(crate) fn cell_place(inst: &Inst, access: usize, loc: &Loc) -> Res<Place> {
    let place = inst.touches.get(access).and_then(|t| t.place.clone());
    place.ok_or_else(|| Declined::new(loc, "a cell's subscripts leave 64 bits, or are more than its user has loops"))
}
