//! From the resolved tree to operations: loops, conditions, instances, with slots carried as SSA values.

mod bounds;
mod loops;

pub(crate) use loops::for_op;

use crate::Options;
use crate::cells::Cells;
use crate::reuse::Seen;
use crate::tree::{Declined, Inst, Loop, Place, Tree};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tilia_ast::VarId;
use tilia_diag::{Loc, Remark};
use tilia_presburger::{Budget, Id};
use tilia_program::{Access, BlockId, Constant, Function, IfCond, OpId, OpKind, ScalarType, Type, ValueId, ValueMap, VectorType};
use tilia_scop::Scop;

/// Writes a resolved tree down as operations, into blocks of `f`.
pub(crate) struct Emitter<'a> {
    pub(crate) f: &'a mut Function,
    pub(crate) scop: &'a Scop,
    pub(crate) options: &'a Options,
    pub(crate) params: &'a FxHashMap<Id, ValueId>,
    /// Values from inside the scop's range that were computed before it: original to copy.
    pub(crate) outer: &'a ValueMap,
    /// Memrefs with the types that checks at run time allow.
    pub(crate) rows: ValueMap,
    pub(crate) budget: &'a Budget,
    pub(crate) cells: Cells,
    /// Values of bound iterators.
    pub(crate) vars: BTreeMap<VarId, ValueId>,
    /// Places that live in registers here, with their current values (`None`: not written yet).
    pub(crate) slots: BTreeMap<Place, Slot>,
    pub(crate) seen: Seen,
    pub(crate) remarks: Vec<Remark>,
    pub(crate) in_parallel: bool,
    pub(crate) next_var: u32,
}

/// A place that lives in a register.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) value: Option<ValueId>,
    pub(crate) ty: Type,
}

type Res<T> = Result<T, Declined>;

impl Emitter<'_> {
    pub(crate) fn emit<'t>(&mut self, tree: &'t Tree, block: BlockId, outer: &mut Vec<&'t Loop>) -> Res<()> {
        match tree {
            Tree::Block(children) => children.iter().try_for_each(|c| self.emit(c, block, outer)),
            Tree::Inst(i) => self.instance(i, block),
            Tree::If { cond, then, otherwise } => {
                let loc = self.scop.loc.clone();
                let (cond, operands) = self.condition(cond, block, &loc)?;
                let carried = self.written(tree);
                let (then, otherwise) = (then.as_ref(), otherwise.as_deref());
                self.branch(
                    cond,
                    operands,
                    &carried,
                    block,
                    &loc,
                    |this, block| this.emit(then, block, outer),
                    otherwise,
                )
            }
            Tree::Loop(l) => self.emit_loop(l, block, outer),
        }
    }

    /// An `if` whose branches may change the slots `carried`, which become its results. The else branch emits `otherwise`, or nothing.
    #[expect(clippy::too_many_arguments, reason = "the parts of one operation")]
    fn branch(
        &mut self,
        cond: IfCond,
        operands: Vec<ValueId>,
        carried: &[Place],
        block: BlockId,
        loc: &Loc,
        then: impl FnOnce(&mut Self, BlockId) -> Res<()>,
        otherwise: Option<&Tree>,
    ) -> Res<()> {
        let types: Vec<Type> = carried.iter().map(|p| self.slots[p].ty.clone()).collect();
        self.define(carried, block, loc);
        let op = self.f.append(block, OpKind::If(cond), operands, &types, loc.clone());
        let before = self.slots.clone();
        let emit_branch = |this: &mut Self, body: &mut dyn FnMut(&mut Self, BlockId) -> Res<()>| -> Res<()> {
            let region = this.f.new_region();
            this.f[op].regions.push(region);
            let inner = this.f.new_block(region, &[]);
            body(this, inner)?;
            let values = this.current(carried);
            this.f.append(inner, OpKind::Yield, values, &[], loc.clone());
            this.slots.clone_from(&before);
            Ok(())
        };
        let mut then = Some(then);
        emit_branch(self, &mut |this, b| then.take().map_or(Ok(()), |t| t(this, b)))?;
        emit_branch(self, &mut |this, b| {
            otherwise.map_or(Ok(()), |o| {
                let mut none = Vec::new();
                this.emit(o, b, &mut none)
            })
        })?;
        let results = self.f[op].results.clone();
        for (place, value) in carried.iter().zip(results) {
            self.set(place, value);
        }
        Ok(())
    }

    /// Active slots that something below `tree` writes.
    pub(crate) fn written(&self, tree: &Tree) -> Vec<Place> {
        let mut found = std::collections::BTreeSet::new();
        tree.instances(&mut |i| {
            for place in i.touches.iter().filter(|t| t.write).filter_map(|t| t.place.as_ref()) {
                if self.slots.contains_key(place) {
                    found.insert(place.clone());
                }
            }
        });
        found.into_iter().collect()
    }

    /// Gives a value (zero) to slots that have none yet, so that they can be carried.
    fn define(&mut self, places: &[Place], block: BlockId, loc: &Loc) {
        for place in places {
            if self.slots[place].value.is_none() {
                let ty = self.slots[place].ty.clone();
                let is_int = ty.element().is_some_and(ScalarType::is_int);
                let zero = if is_int { Constant::Int(0) } else { Constant::Float(0) };
                let zero = if matches!(ty, Type::Vector(_)) {
                    Constant::Splat(Box::new(zero))
                } else {
                    zero
                };
                let op = self.f.append(block, OpKind::Constant(zero), vec![], &[ty], loc.clone());
                let value = self.f.result(op);
                self.set(place, value);
            }
        }
    }

    fn current(&self, places: &[Place]) -> Vec<ValueId> {
        places.iter().filter_map(|p| self.slots[p].value).collect()
    }

    fn set(&mut self, place: &Place, value: ValueId) {
        if let Some(slot) = self.slots.get_mut(place) {
            slot.value = Some(value);
        }
    }

    /// Whether an access is known to stay inside its memref (given the assumptions that were checked before).
    pub(crate) fn proven(&self, op: OpId) -> bool {
        !self.scop.checked_ops.contains(&op)
    }

    /// The copy of a value from inside the scop's range that was computed before it, or the value itself.
    pub(crate) fn outer_value(&self, v: ValueId) -> ValueId {
        self.outer.get(&v).copied().unwrap_or(v)
    }

    /// The memref through which the new code reads and writes.
    pub(crate) fn memref_value(&self, v: ValueId) -> ValueId {
        self.rows.get(&v).copied().unwrap_or_else(|| self.outer_value(v))
    }

    fn written_by(&self, l: &Loop) -> Vec<Place> {
        self.written(&l.body)
    }

    pub(crate) fn instance(&mut self, inst: &Inst, block: BlockId) -> Res<()> {
        for (var, e) in &inst.lets {
            let loc = self.scop[inst.stmt].loc.clone();
            let value = self.expr_value(e, block, &loc)?;
            self.vars.insert(*var, value);
        }
        match inst.lane {
            Some(lane) => self.vector_instance(inst, lane, block),
            None => self.scalar_instance(inst, block),
        }
    }

    /// The value at a place in memory now.
    pub(crate) fn load_place(&mut self, place: &Place, block: BlockId, loc: &Loc) -> Res<(ValueId, Type)> {
        let memref = place
            .memref
            .ok_or_else(|| Declined::new(loc, "a cell has no memory to load from"))?;
        let elem = self.f[memref]
            .ty
            .element()
            .ok_or_else(|| Declined::new(loc, "a memref without element type"))?;
        let (map, operands) = self.map(&place.subs);
        let mut all = vec![self.memref_value(memref)];
        all.extend(operands);
        let kind = OpKind::Load(Access { map, checked: false });
        let ty = lanes_type(elem, place.lanes);
        let op = self.f.append(block, kind, all, std::slice::from_ref(&ty), loc.clone());
        Ok((self.f.result(op), ty))
    }

    pub(crate) fn store_value(&mut self, place: &Place, value: ValueId, block: BlockId, loc: &Loc) -> Res<()> {
        let memref = place.memref.ok_or_else(|| Declined::new(loc, "a cell has no memory to store to"))?;
        let (map, operands) = self.map(&place.subs);
        let mut all = vec![value, self.memref_value(memref)];
        all.extend(operands);
        self.f
            .append(block, OpKind::Store(Access { map, checked: false }), all, &[], loc.clone());
        self.place_changed(place, value, block);
        Ok(())
    }
}

/// The type of that many elements.
pub(crate) fn lanes_type(elem: ScalarType, lanes: u32) -> Type {
    match lanes {
        1 => Type::Scalar(elem),
        lanes => Type::Vector(VectorType {
            shape: vec![u64::from(lanes)],
            elem,
        }),
    }
}
