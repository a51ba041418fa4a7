//! From the resolved tree to operations: loops, conditions, instances, with slots carried as SSA values.

use crate::Options;
use crate::cells::Cells;
use crate::disjoint::{Disjoint, parts};
use crate::form::{Atom, Form};
use crate::reuse::Seen;
use crate::slots::{Promotion, promotions};
use crate::tree::{Declined, Inst, Loop, Place, Tree};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tilia_ast::{Expr, VarId};
use tilia_diag::{Loc, Remark};
use tilia_presburger::{Budget, Id};
use tilia_program::{
    Access, AffineMap, BlockId, Constant, ForOp, Function, IfCond, IntegerSet, LoopExec, OpId, OpKind, ScalarType, Step, Type, ValueId,
    ValueMap, VectorType,
};
use tilia_scop::Scop;

/// Number of iterations of a one-dimensional parallel vector loop that one chunk executes.
const STRIP: i64 = 4096;

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

    fn emit_loop<'t>(&mut self, l: &'t Loop, block: BlockId, outer: &mut Vec<&'t Loop>) -> Res<()> {
        if l.marks.degenerate {
            return self.emit_once(l, block, outer);
        }
        let vector = self.vector_loop_plan(l, outer);
        let fork = self.options.parallel && l.marks.parallel && !self.in_parallel && self.written_by(l).is_empty();
        match (fork, vector) {
            (true, Some(plan)) => self.emit_strips(l, &plan, block, outer),
            (true, None) => self.emit_parallel(l, block, outer),
            (false, plan) => self.emit_serial(l, plan.as_ref(), block, outer),
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

    /// A loop that executes exactly once: its iterator is a value.
    fn emit_once<'t>(&mut self, l: &'t Loop, block: BlockId, outer: &mut Vec<&'t Loop>) -> Res<()> {
        let value = self.expr_value(&l.lower, block, &l.loc)?;
        self.vars.insert(l.var, value);
        let keep: Vec<Place> = self.slots.keys().cloned().collect();
        outer.push(l);
        let done = self.emit(&l.body, block, outer);
        outer.pop();
        self.slots.retain(|p, _| keep.contains(p));
        done
    }

    fn emit_parallel<'t>(&mut self, l: &'t Loop, block: BlockId, outer: &mut Vec<&'t Loop>) -> Res<()> {
        let (lower, upper, operands) = self.bounds(&l.lower, &l.upper, block, &l.loc)?;
        let header = for_op(l, lower, upper, l.step, LoopExec::Parallel);
        let (_, inner, iv, _) = self.open_loop(header, operands, &[], block, &l.loc);
        self.vars.insert(l.var, iv);
        self.remarks
            .push(Remark::applied("parallel", l.loc.clone(), "iterations run on the thread pool"));
        let before = self.slots.clone();
        self.in_parallel = true;
        outer.push(l);
        let done = self.emit(&l.body, inner, outer);
        outer.pop();
        self.in_parallel = false;
        self.slots = before;
        done?;
        self.f.append(inner, OpKind::Yield, vec![], &[], l.loc.clone());
        Ok(())
    }

    /// A loop that is both the parallel and the vector one: chunks of [`STRIP`] iterations on the pool, vectors within a chunk.
    fn emit_strips<'t>(&mut self, l: &'t Loop, plan: &crate::vector::Plan, block: BlockId, outer: &[&'t Loop]) -> Res<()> {
        let (lower, upper, operands) = self.bounds(&l.lower, &l.upper, block, &l.loc)?;
        let wide = l
            .step
            .checked_mul(STRIP)
            .ok_or_else(|| Declined::new(&l.loc, "the loop's step is too large to be divided into chunks"))?;
        let header = for_op(l, lower, upper, wide, LoopExec::Parallel);
        let (_, inner, start, _) = self.open_loop(header, operands, &[], block, &l.loc);
        self.remarks.push(Remark::applied(
            "parallel",
            l.loc.clone(),
            "chunks of iterations run on the thread pool",
        ));
        let chunk = VarId(self.next_var);
        self.next_var += 1;
        self.vars.insert(chunk, start);
        let last = Expr::Add(vec![Expr::Var(chunk), Expr::Int(tilia_presburger::Int::from(wide - l.step))]);
        let mut uppers = vec![last];
        uppers.extend(parts(&l.upper, false).iter().cloned());
        let strip = Loop {
            lower: Expr::Var(chunk),
            upper: Expr::Min(uppers),
            ..l.clone()
        };
        let before = self.slots.clone();
        self.in_parallel = true;
        // The strip isn't part of the tree that `outer` borrows from, so loops around it are passed as they are.
        let done = self.serial(&strip, Some(plan), inner, outer, |this, block| {
            let mut none: Vec<&Loop> = Vec::new();
            this.emit(&strip.body, block, &mut none)
        });
        self.in_parallel = false;
        self.slots = before;
        done?;
        self.f.append(inner, OpKind::Yield, vec![], &[], l.loc.clone());
        Ok(())
    }

    fn emit_serial<'t>(&mut self, l: &'t Loop, plan: Option<&crate::vector::Plan>, block: BlockId, outer: &mut Vec<&'t Loop>) -> Res<()> {
        let around: Vec<&Loop> = outer.clone();
        self.serial(l, plan, block, &around, |this, block| {
            outer.push(l);
            let done = this.emit(&l.body, block, outer);
            outer.pop();
            done
        })
    }

    /// A loop whose iterations run one after the other: promotes what can live in registers across it, then emits it (as a vector loop and its rest when there is a plan).
    fn serial(
        &mut self,
        l: &Loop,
        plan: Option<&crate::vector::Plan>,
        block: BlockId,
        around: &[&Loop],
        mut body: impl FnMut(&mut Self, BlockId) -> Res<()>,
    ) -> Res<()> {
        let (found, over) = self.affordable_promotions(l, around);
        if over > 0 {
            let why = format!("{over} locations that don't change across this loop stay in memory: the machine's registers are taken");
            self.remarks.push(Remark::declined("lower", l.loc.clone(), why));
        }
        if found.is_empty() {
            return self.plain_loop(l, plan, block, &mut body);
        }
        // A loop without iterations must not touch the locations.
        let Some((cond, operands)) = self.nonempty(l, block)? else {
            return self.promoted_loop(l, plan, block, &found, &mut body);
        };
        let carried = self.written_by(l);
        let loc = l.loc.clone();
        self.branch(
            cond,
            operands,
            &carried,
            block,
            &loc,
            |this, inner| this.promoted_loop(l, plan, inner, &found, &mut body),
            None,
        )
    }

    /// A loop that has an iteration, with locations kept in registers across it.
    fn promoted_loop(
        &mut self,
        l: &Loop,
        plan: Option<&crate::vector::Plan>,
        block: BlockId,
        found: &[Promotion],
        body: &mut dyn FnMut(&mut Self, BlockId) -> Res<()>,
    ) -> Res<()> {
        for p in found {
            let (value, ty) = self.load_place(&p.place, block, &l.loc)?;
            self.slots.insert(p.place.clone(), Slot { value: Some(value), ty });
        }
        self.plain_loop(l, plan, block, body)?;
        for p in found {
            if let Some(Slot { value: Some(value), .. }) = self.slots.remove(&p.place)
                && p.written
            {
                self.store_value(&p.place, value, block, &l.loc)?;
            }
        }
        Ok(())
    }

    /// What is to live in registers across `l`.
    pub(crate) fn promotions(&self, l: &Loop, around: &[&Loop]) -> Vec<Promotion> {
        self.affordable_promotions(l, around).0
    }

    /// What is to live in registers across `l`: what may, as far as there are registers, and how many locations are left out. Those that are written to come first, since each saves a load and a store.
    fn affordable_promotions(&self, l: &Loop, around: &[&Loop]) -> (Vec<Promotion>, usize) {
        let mut found = self.possible_promotions(l, around);
        let all = 2 * self.options.registers as usize;
        // What loops around have taken leaves the innermost one its part: it gains most.
        let least = if l.body.is_innermost() { all / 2 } else { 0 };
        let room = all.saturating_sub(self.slots.len()).max(least);
        let over = found.len().saturating_sub(room);
        if over > 0 {
            found.sort_by_key(|p| !p.written);
            found.truncate(room);
        }
        (found, over)
    }

    fn possible_promotions(&self, l: &Loop, around: &[&Loop]) -> Vec<Promotion> {
        if !self.options.promote {
            return Vec::new();
        }
        let param = |p: &Id| self.params.get(p).copied();
        let disjoint = Disjoint {
            params: &param,
            budget: self.budget,
        };
        promotions(l, around, &|op| self.proven(op), &|p| self.slots.contains_key(p), &disjoint)
    }

    fn plain_loop(
        &mut self,
        l: &Loop,
        plan: Option<&crate::vector::Plan>,
        block: BlockId,
        body: &mut dyn FnMut(&mut Self, BlockId) -> Res<()>,
    ) -> Res<()> {
        let (lower, upper, operands) = self.bounds(&l.lower, &l.upper, block, &l.loc)?;
        if let Some(plan) = plan {
            return self.vector_loop(l, plan, (lower, upper, operands), block, body);
        }
        self.scalar_loop(l, (lower, upper, operands), block, body)
    }

    /// A serial scalar loop between the given bounds.
    pub(crate) fn scalar_loop(
        &mut self,
        l: &Loop,
        (lower, upper, operands): (AffineMap, AffineMap, Vec<ValueId>),
        block: BlockId,
        body: &mut dyn FnMut(&mut Self, BlockId) -> Res<()>,
    ) -> Res<()> {
        let carried = self.written_by(l);
        self.define(&carried, block, &l.loc);
        let exec = if l.vectors { LoopExec::Vector } else { LoopExec::Serial };
        let header = for_op(l, lower, upper, l.step, exec);
        let (op, inner, iv, args) = self.open_loop(header, operands, &carried, block, &l.loc);
        self.vars.insert(l.var, iv);
        let before = self.slots.clone();
        for (place, arg) in carried.iter().zip(args) {
            self.set(place, arg);
        }
        body(self, inner)?;
        let values = self.current(&carried);
        self.f.append(inner, OpKind::Yield, values, &[], l.loc.clone());
        self.slots = before;
        let results = self.f[op].results.clone();
        for (place, value) in carried.iter().zip(results) {
            self.set(place, value);
        }
        Ok(())
    }

    /// Appends a loop with one block; gives the operation, the block, the iterator, and the arguments for carried slots.
    pub(crate) fn open_loop(
        &mut self,
        header: ForOp,
        mut operands: Vec<ValueId>,
        carried: &[Place],
        block: BlockId,
        loc: &Loc,
    ) -> (OpId, BlockId, ValueId, Vec<ValueId>) {
        let types: Vec<Type> = carried.iter().map(|p| self.slots[p].ty.clone()).collect();
        operands.extend(self.current(carried));
        let op = self.f.append(block, OpKind::For(header), operands, &types, loc.clone());
        let region = self.f.new_region();
        self.f[op].regions.push(region);
        let mut args = vec![Type::INDEX];
        args.extend(types);
        let inner = self.f.new_block(region, &args);
        let args = self.f[inner].args.clone();
        (op, inner, args[0], args[1..].to_vec())
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

    /// The condition that a loop has at least one iteration; `None` when it certainly has.
    fn nonempty(&mut self, l: &Loop, block: BlockId) -> Res<Option<(IfCond, Vec<ValueId>)>> {
        let mut forms = Vec::new();
        for lower in parts(&l.lower, true) {
            let lower = self.expr_form(lower, block, &l.loc)?;
            for upper in parts(&l.upper, false) {
                let upper = self.expr_form(upper, block, &l.loc)?;
                let room = upper
                    .add_scaled(&lower, -1)
                    .ok_or_else(|| Declined::new(&l.loc, "a loop bound leaves 64 bits"))?;
                if room.as_constant().is_none_or(|c| c < 0) {
                    forms.push((room, false));
                }
            }
        }
        Ok((!forms.is_empty()).then(|| self.set_condition(&forms)))
    }

    /// Forms that must be zero (true) or non-negative (false), as an `affine.if` condition.
    pub(crate) fn set_condition(&mut self, forms: &[(Form, bool)]) -> (IfCond, Vec<ValueId>) {
        let mut operands = Operands::default();
        let constraints = forms
            .iter()
            .map(|(f, eq)| (f.to_affine(&mut |a| operands.of(a, &self.vars, self.outer)), *eq))
            .collect();
        let set = IntegerSet {
            dims: operands.count(),
            syms: 0,
            constraints,
        };
        (IfCond::Set(set), operands.values)
    }

    /// Bounds of a loop: lower inclusive, upper exclusive, and the operands of both maps.
    pub(crate) fn bounds(&mut self, lower: &Expr, upper: &Expr, block: BlockId, loc: &Loc) -> Res<(AffineMap, AffineMap, Vec<ValueId>)> {
        let forms = |this: &mut Self, list: &[Expr], add: i64| -> Res<Vec<Form>> {
            list.iter()
                .map(|e| {
                    this.expr_form(e, block, loc)?
                        .add_scaled(&Form::constant(add), 1)
                        .ok_or_else(|| Declined::new(loc, "a loop bound leaves 64 bits"))
                })
                .collect()
        };
        let lower = forms(self, parts(lower, true), 0)?;
        let upper = forms(self, parts(upper, false), 1)?;
        let (lower, mut operands) = self.map(&lower);
        let (upper, more) = self.map(&upper);
        operands.extend(more);
        Ok((lower, upper, operands))
    }

    /// Forms as one affine map over the values they mention.
    pub(crate) fn map(&self, forms: &[Form]) -> (AffineMap, Vec<ValueId>) {
        let mut operands = Operands::default();
        let results = forms
            .iter()
            .map(|f| f.to_affine(&mut |a| operands.of(a, &self.vars, self.outer)))
            .collect();
        let map = AffineMap {
            dims: operands.count(),
            syms: 0,
            results,
        };
        (map, operands.values)
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

/// A loop operation with the marks of `l`.
pub(crate) fn for_op(l: &Loop, lower: AffineMap, upper: AffineMap, step: i64, exec: LoopExec) -> ForOp {
    ForOp {
        lower,
        upper,
        step: Step::Const(step),
        independent: l.marks.parallel,
        exec,
        full_tile: l.marks.full_tile,
    }
}

/// Values that a map mentions, numbered in order of first use.
#[derive(Default)]
pub(crate) struct Operands {
    pub(crate) values: Vec<ValueId>,
}

impl Operands {
    pub(crate) fn of(&mut self, atom: &Atom, vars: &BTreeMap<VarId, ValueId>, outer: &ValueMap) -> u32 {
        let value = match atom {
            Atom::Value(v) => outer.get(v).copied().unwrap_or(*v),
            Atom::Var(v) => *vars.get(v).expect("an iterator is bound where it is used"),
            Atom::FloorDiv(..) | Atom::Product(..) => unreachable!("forms are written down to their iterators and values"),
        };
        let n = self.values.iter().position(|&v| v == value).unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        });
        u32::try_from(n).expect("fewer operands than 2^32")
    }

    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.values.len()).expect("fewer operands than 2^32")
    }
}
