//! An instance with lanes, as operations on vectors.

use super::{Motion, NARROWEST};
use crate::emit::{Emitter, lanes_type};
use crate::form::Form;
use crate::instance::cell_place;
use crate::tree::{Declined, Inst, Lane, Place, index_forms, subscripts};
use rustc_hash::FxHashMap;
use tilia_diag::Loc;
use tilia_program::{BlockId, Constant, OpId, OpKind, PureOp, ScalarType, Type, ValueId};
use tilia_scop::Stmt;

type Res<T> = Result<T, Declined>;

/// A value in the vector body: one for all lanes, or one a lane.
#[derive(Debug, Clone, Copy)]
enum Lanes {
    Uniform(ValueId),
    Vector(ValueId),
}

/// One instance being emitted.
struct Body<'e, 'a, 's> {
    e: &'e mut Emitter<'a>,
    inst: &'s Inst,
    stmt: &'s Stmt,
    lane: Lane,
    block: BlockId,
    forms: FxHashMap<ValueId, Form>,
    map: FxHashMap<ValueId, Lanes>,
}

impl Emitter<'_> {
    /// Emits an instance with lanes.
    pub(crate) fn vector_instance(&mut self, inst: &Inst, lane: Lane, block: BlockId) -> Res<()> {
        let scop = self.scop;
        let stmt = &scop[inst.stmt];
        let forms = index_forms(self.f, stmt, &inst.args);
        let mut body = Body {
            e: self,
            inst,
            stmt,
            lane,
            block,
            forms,
            map: FxHashMap::default(),
        };
        for &(value, access) in &stmt.cell_reads {
            let place = cell_place(inst, access, &stmt.loc)?;
            let now = body.e.read_cell(&place, block, &stmt.loc)?;
            body.map.insert(value, body.lanes_of(now));
        }
        for &op in &stmt.ops {
            body.op(op)?;
        }
        for &(value, access) in &stmt.cell_writes {
            let place = cell_place(inst, access, &stmt.loc)?;
            let value = match (body.value(value, &stmt.loc)?, place.lanes) {
                (Lanes::Uniform(v), 1) => v,
                (value, _) => body.as_vector(value, &stmt.loc)?,
            };
            body.e.write_cell(&place, value, block, &stmt.loc)?;
        }
        Ok(())
    }
}

impl Body<'_, '_, '_> {
    fn lanes_of(&self, v: ValueId) -> Lanes {
        match self.e.f[v].ty {
            Type::Vector(_) => Lanes::Vector(v),
            _ => Lanes::Uniform(v),
        }
    }

    fn vector_type(&self, elem: ScalarType) -> Type {
        lanes_type(elem, self.lane.count)
    }

    fn scalar_type(&self, v: ValueId, loc: &Loc) -> Res<ScalarType> {
        match self.e.f[v].ty {
            Type::Scalar(s) => Ok(s),
            _ => Err(Declined::new(loc, "a value of the vector loop isn't a number")),
        }
    }

    fn op(&mut self, id: OpId) -> Res<()> {
        let op = self.e.f[id].clone();
        match &op.kind {
            OpKind::Load(_) => {
                let lanes = self.load(id, &op.loc)?;
                self.map.insert(op.results[0], lanes);
            }
            OpKind::Store(_) => {
                let value = self.value(op.operands[0], &op.loc)?;
                self.store(id, value, &op.loc)?;
            }
            OpKind::Pure(..) | OpKind::Apply(_) | OpKind::Constant(_)
                if self.forms.contains_key(&op.results[0]) && self.e.f[op.results[0]].ty == Type::INDEX => {}
            _ => {
                let operands = op.operands.iter().map(|&v| self.value(v, &op.loc)).collect::<Res<Vec<_>>>()?;
                let elem = self.scalar_type(op.results[0], &op.loc)?;
                let varying = operands.iter().any(|l| matches!(l, Lanes::Vector(_)));
                let (operands, ty) = if varying {
                    let vectors = operands.into_iter().map(|l| self.as_vector(l, &op.loc)).collect::<Res<Vec<_>>>()?;
                    (vectors, self.vector_type(elem))
                } else {
                    let scalars = operands.into_iter().map(|l| match l {
                        Lanes::Uniform(v) | Lanes::Vector(v) => v,
                    });
                    (scalars.collect(), Type::Scalar(elem))
                };
                let result = self.e.value(self.block, op.kind.clone(), operands, &ty, &op.loc);
                self.map
                    .insert(op.results[0], if varying { Lanes::Vector(result) } else { Lanes::Uniform(result) });
            }
        }
        Ok(())
    }

    fn value(&mut self, v: ValueId, loc: &Loc) -> Res<Lanes> {
        if let Some(&lanes) = self.map.get(&v) {
            return Ok(lanes);
        }
        let Some(form) = self.forms.get(&v) else {
            return Ok(Lanes::Uniform(self.e.outer_value(v)));
        };
        let stride = form
            .stride(self.lane.var)
            .ok_or_else(|| Declined::new(loc, "an index isn't linear in the vector loop's iterator"))?;
        let first = self.first_lane(form, loc)?;
        let base = self.e.form_value(&first, self.block, loc);
        let lanes = match stride {
            0 => Lanes::Uniform(base),
            s => Lanes::Vector(self.ramp(base, s, loc)?),
        };
        self.map.insert(v, lanes);
        Ok(lanes)
    }

    /// The form in a given lane.
    fn in_lane(&self, form: &Form, lane: u32, loc: &Loc) -> Res<Form> {
        form.replace(self.lane.var, &Form::constant(i64::from(lane)))
            .ok_or_else(|| Declined::new(loc, "an index of the vector loop leaves 64 bits"))
    }

    fn first_lane(&self, form: &Form, loc: &Loc) -> Res<Form> {
        self.in_lane(form, 0, loc)
    }

    /// `base + lane * stride` in each lane.
    fn ramp(&mut self, base: ValueId, stride: i64, loc: &Loc) -> Res<ValueId> {
        let splat = self.as_vector(Lanes::Uniform(base), loc)?;
        let steps = (0..i64::from(self.lane.count))
            .map(|lane| lane.checked_mul(stride).map(Constant::Int))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Declined::new(loc, "an index of the vector loop leaves 64 bits"))?;
        let ty = self.vector_type(ScalarType::Index);
        let steps = self
            .e
            .value(self.block, OpKind::Constant(Constant::Vector(steps)), vec![], &ty, loc);
        Ok(self.e.value(self.block, OpKind::pure(PureOp::AddI), vec![splat, steps], &ty, loc))
    }

    fn as_vector(&mut self, lanes: Lanes, loc: &Loc) -> Res<ValueId> {
        match lanes {
            Lanes::Vector(v) => Ok(v),
            Lanes::Uniform(v) => {
                let ty = self.vector_type(self.scalar_type(v, loc)?);
                Ok(self.e.value(self.block, OpKind::pure(PureOp::Splat), vec![v], &ty, loc))
            }
        }
    }

    /// The place that an access touches, where it is one.
    fn place(&self, id: OpId) -> Option<&Place> {
        self.inst.touches.iter().find(|t| t.op == Some(id)).and_then(|t| t.place.as_ref())
    }

    fn subscripts(&self, id: OpId, loc: &Loc) -> Res<(ValueId, Vec<Form>)> {
        subscripts(self.e.f, self.stmt, &self.forms, id).ok_or_else(|| Declined::new(loc, "a subscript isn't affine"))
    }

    /// The place that an access touches in one lane, or in all from there on.
    fn place_in(&self, id: OpId, (memref, subs): (ValueId, &[Form]), lane: u32, lanes: u32, loc: &Loc) -> Res<Place> {
        let touch = self.inst.touches.iter().find(|t| t.op == Some(id));
        let touch = touch.ok_or_else(|| Declined::new(loc, "an access that the scop doesn't know"))?;
        Ok(Place {
            array: touch.array,
            memref: Some(memref),
            subs: subs.iter().map(|f| self.in_lane(f, lane, loc)).collect::<Res<_>>()?,
            lanes,
        })
    }

    fn load(&mut self, id: OpId, loc: &Loc) -> Res<Lanes> {
        if let Some(place) = self.place(id).cloned()
            && let Some(slot) = self.e.slots.get(&place)
        {
            let value = slot
                .value
                .ok_or_else(|| Declined::new(loc, "a register is read before it was loaded"))?;
            return Ok(self.lanes_of(value));
        }
        let (memref, subs) = self.subscripts(id, loc)?;
        let motion = self
            .e
            .motion_of(self.lane.var, memref, &subs)
            .map_err(|why| Declined::new(loc, why))?;
        if motion == Motion::Strided && self.reversed_pays(id) && self.e.runs_backwards(self.lane.var, memref, &subs) {
            return self.load_reversed(id, (memref, &subs), loc);
        }
        let lanes = if motion == Motion::Contiguous { self.lane.count } else { 1 };
        let first = self.place_in(id, (memref, &subs), 0, lanes, loc)?;
        let value = self.e.load_again(&first, self.block, loc)?;
        if motion != Motion::Strided {
            return Ok(self.lanes_of(value));
        }
        let elem = self.scalar_type(value, loc)?;
        let ty = self.vector_type(elem);
        let mut vector = self.as_vector(Lanes::Uniform(value), loc)?;
        for lane in 1..self.lane.count {
            let place = self.place_in(id, (memref, &subs), lane, 1, loc)?;
            let value = self.e.load_again(&place, self.block, loc)?;
            let insert = OpKind::pure(PureOp::Insert(lane));
            vector = self.e.value(self.block, insert, vec![value, vector], &ty, loc);
        }
        Ok(Lanes::Vector(vector))
    }

    /// Whether turning a vector round is less work than loading its elements one by one: not in a register of the narrowest kind.
    fn reversed_pays(&self, id: OpId) -> bool {
        let elem = self.e.f[self.e.f[id].results[0]].ty.element();
        elem.is_some_and(|e| u32::from(e.bits()).saturating_mul(self.lane.count) > NARROWEST)
    }

    /// The elements of neighbours in falling order: loaded at once, then turned round.
    fn load_reversed(&mut self, id: OpId, (memref, subs): (ValueId, &[Form]), loc: &Loc) -> Res<Lanes> {
        let last = self.lane.count.saturating_sub(1);
        let place = self.place_in(id, (memref, subs), last, self.lane.count, loc)?;
        let rising = self.e.load_again(&place, self.block, loc)?;
        let ty = self.e.f[rising].ty.clone();
        let elem = ty
            .element()
            .ok_or_else(|| Declined::new(loc, "a value of the vector loop isn't a number"))?;
        let mut falling = rising;
        for lane in 0..self.lane.count {
            let extract = OpKind::pure(PureOp::Extract(last - lane));
            let scalar = self.e.value(self.block, extract, vec![rising], &Type::Scalar(elem), loc);
            let insert = OpKind::pure(PureOp::Insert(lane));
            falling = self.e.value(self.block, insert, vec![scalar, falling], &ty, loc);
        }
        Ok(Lanes::Vector(falling))
    }

    fn store(&mut self, id: OpId, value: Lanes, loc: &Loc) -> Res<()> {
        let vector = self.as_vector(value, loc)?;
        if let Some(place) = self.place(id).cloned()
            && let Some(slot) = self.e.slots.get_mut(&place)
        {
            slot.value = Some(vector);
            return Ok(());
        }
        let (memref, subs) = self.subscripts(id, loc)?;
        if self.e.motion_of(self.lane.var, memref, &subs) == Ok(Motion::Contiguous) {
            let place = self.place_in(id, (memref, &subs), 0, self.lane.count, loc)?;
            return self.e.store_value(&place, vector, self.block, loc);
        }
        let elem = self.e.f[vector]
            .ty
            .element()
            .ok_or_else(|| Declined::new(loc, "a value of the vector loop isn't a number"))?;
        for lane in 0..self.lane.count {
            let extract = OpKind::pure(PureOp::Extract(lane));
            let scalar = self.e.value(self.block, extract, vec![vector], &Type::Scalar(elem), loc);
            let place = self.place_in(id, (memref, &subs), lane, 1, loc)?;
            self.e.store_value(&place, scalar, self.block, loc)?;
        }
        Ok(())
    }
}
