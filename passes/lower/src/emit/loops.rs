//! Loops: executed once, in parallel, in strips of vectors, or serially, with what they carry in registers.

use super::{Emitter, Res, Slot};
use crate::disjoint::{Disjoint, parts};
use crate::slots::{Promotion, promotions};
use crate::tree::{Declined, Loop, Place};
use tilia_ast::{Expr, VarId};
use tilia_diag::{Loc, Remark};
use tilia_presburger::Id;
use tilia_program::{AffineMap, BlockId, ForOp, LoopExec, OpId, OpKind, Step, Type, ValueId};

/// Number of iterations of a one-dimensional parallel vector loop that one chunk executes.
const STRIP: i64 = 4096;

impl Emitter<'_> {
    pub(super) fn emit_loop<'t>(&mut self, l: &'t Loop, block: BlockId, outer: &mut Vec<&'t Loop>) -> Res<()> {
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
