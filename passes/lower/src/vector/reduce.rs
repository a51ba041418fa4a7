//! Loops that accumulate: each lane, and each of a few copies of the loop's body, has a partial result of its own; all are combined after the loop.
//!
//! Partial results start from the operation's neutral element, which changes no value whatever it is combined with: -0 for sums (`x + -0` is `x`, also for `x = -0`), NaN for the minima and
//! maxima that prefer numbers. So infinities, NaNs and zeros come out as they would one by one, up to the order of operations.

use super::{Accumulator, NARROWEST, Plan};
use crate::emit::{Emitter, Slot, for_op, lanes_type};
use crate::form::{Atom, Form};
use crate::tree::{Declined, Loop};
use tilia_diag::Loc;
use tilia_program::{AffineMap, BlockId, Constant, LoopExec, OpKind, PureOp, ScalarType, Type, ValueId};

type Res<T> = Result<T, Declined>;

/// Partial results that are computed side by side, as many as it takes to hide the latency of an addition; a loop with more accumulators than that has as many as it has accumulators.
const CHAINS: usize = 8;
/// Most copies of the body.
const COPIES: usize = 4;
/// What is left after whole vectors of at most so many lanes is done one by one: it takes no longer than combining the lanes of a narrower vector.
const FEW: u32 = 4;

impl Emitter<'_> {
    /// Emits a loop whose iterations accumulate: several whole vectors at a time, one at a time, narrower ones, and what is left one by one.
    pub(super) fn reduction_loop(
        &mut self,
        l: &Loop,
        plan: &Plan,
        (lower, upper, operands): (AffineMap, AffineMap, Vec<ValueId>),
        block: BlockId,
        body: &mut dyn FnMut(&mut Self, BlockId) -> Res<()>,
    ) -> Res<()> {
        let split = lower.operands();
        let mut start = self.extremum_value(lower, operands[..split].to_vec(), OpKind::Max, block, &l.loc);
        let end = self.extremum_value(upper, operands[split..].to_vec(), OpKind::Min, block, &l.loc);
        let mut bits = self.options.vector_bits;
        let mut copies = (CHAINS / plan.accumulators.len().max(1)).clamp(1, COPIES);
        loop {
            let lanes = plan.lanes(bits);
            let mut partial = plan
                .accumulators
                .iter()
                .map(|a| self.neutral(a, lanes, block, l))
                .collect::<Res<Vec<_>>>()?;
            for copies in [copies, 1] {
                start = self.partial_results(l, plan, (lanes, copies), (start, end), &mut partial, block)?;
                if copies == 1 {
                    break;
                }
            }
            copies = 1;
            self.combine_lanes(plan, lanes, &partial, block, &l.loc)?;
            bits /= 2;
            if bits < NARROWEST || plan.lanes(bits) < FEW {
                let bounds = (AffineMap::identity(1), AffineMap::identity(1), vec![start, end]);
                return self.scalar_loop(l, bounds, block, body);
            }
        }
    }

    /// Emits a loop over groups of `copies` vectors of `lanes` iterations, as many as fit between the bounds; `partial`, one vector for each accumulator, goes on from what it is. Returns where
    /// the groups end, which is nowhere before the start.
    fn partial_results(
        &mut self,
        l: &Loop,
        plan: &Plan,
        (lanes, copies): (u32, usize),
        (start, end): (ValueId, ValueId),
        partial: &mut [ValueId],
        block: BlockId,
    ) -> Res<ValueId> {
        let too_large = || Declined::new(&l.loc, "the loop's step is too large for vectors");
        let wide = l.step.checked_mul(i64::from(lanes)).ok_or_else(too_large)?;
        let group = i64::try_from(copies).ok().and_then(|c| wide.checked_mul(c)).ok_or_else(too_large)?;
        let middle = self.middle(start, end, group, block, &l.loc);
        let mut chains = vec![partial.to_vec()];
        for _ in 1..copies {
            chains.push(
                plan.accumulators
                    .iter()
                    .map(|a| self.neutral(a, lanes, block, l))
                    .collect::<Res<Vec<_>>>()?,
            );
        }
        let one = AffineMap::identity(1);
        let header = for_op(l, one.clone(), one, group, LoopExec::Vector);
        let types: Vec<Type> = chains.iter().flatten().map(|&v| self.f[v].ty.clone()).collect();
        let operands = [start, middle].into_iter().chain(chains.iter().flatten().copied()).collect();
        let op = self.f.append(block, OpKind::For(header), operands, &types, l.loc.clone());
        let region = self.f.new_region();
        self.f[op].regions.push(region);
        let args: Vec<Type> = std::iter::once(Type::INDEX).chain(types).collect();
        let inner = self.f.new_block(region, &args);
        let args = self.f[inner].args.clone();
        self.vars.insert(l.var, args[0]);
        let before = self.slots.clone();
        let mut yields = Vec::new();
        let mut offset = 0i64;
        for mine in args[1..].chunks(plan.accumulators.len()) {
            let first = Form::atom(Atom::Var(l.var)).add_scaled(&Form::constant(offset), 1);
            let insts = first.and_then(|first| plan.widened(self, l, &first, lanes));
            let insts = insts.ok_or_else(|| Declined::new(&l.loc, "an index of the vector loop leaves 64 bits"))?;
            for (a, &value) in plan.accumulators.iter().zip(mine) {
                let ty = lanes_type(a.elem, lanes);
                self.slots.insert(a.place.clone(), Slot { value: Some(value), ty });
            }
            for inst in &insts {
                self.instance(inst, inner)?;
            }
            for a in &plan.accumulators {
                let value = self.slots.get(&a.place).and_then(|s| s.value);
                yields.push(value.ok_or_else(|| Declined::new(&l.loc, "an accumulator without a value"))?);
            }
            // What a copy keeps for one iteration isn't there in the next.
            self.slots.clone_from(&before);
            offset = offset.checked_add(wide).ok_or_else(too_large)?;
        }
        self.f.append(inner, OpKind::Yield, yields, &[], l.loc.clone());
        self.slots = before;
        let results = self.f[op].results.clone();
        for (n, a) in plan.accumulators.iter().enumerate() {
            let mut all: Vec<ValueId> = results.iter().copied().skip(n).step_by(plan.accumulators.len()).collect();
            partial[n] = self.combined(a.op, &mut all, &lanes_type(a.elem, lanes), block, &l.loc)?;
        }
        let bounds = vec![middle, start];
        Ok(self.value(block, OpKind::Max(AffineMap::identity(2)), bounds, &Type::INDEX, &l.loc))
    }

    /// Combines the lanes of the partial results, and these with the accumulators.
    fn combine_lanes(&mut self, plan: &Plan, lanes: u32, partial: &[ValueId], block: BlockId, loc: &Loc) -> Res<()> {
        for (a, &vector) in plan.accumulators.iter().zip(partial) {
            let ty = Type::Scalar(a.elem);
            let extract = |this: &mut Self, n| this.value(block, OpKind::pure(PureOp::Extract(n)), vec![vector], &ty, loc);
            let mut all: Vec<ValueId> = (0..lanes).map(|n| extract(self, n)).collect();
            let total = self.combined(a.op, &mut all, &ty, block, loc)?;
            let so_far = self.slots.get(&a.place).and_then(|s| s.value);
            let so_far = so_far.ok_or_else(|| Declined::new(loc, "an accumulator isn't in a register"))?;
            let value = self.value(block, OpKind::pure(a.op), vec![so_far, total], &ty, loc);
            if let Some(slot) = self.slots.get_mut(&a.place) {
                slot.value = Some(value);
            }
        }
        Ok(())
    }

    /// All values combined, neighbours first.
    fn combined(&mut self, op: PureOp, values: &mut Vec<ValueId>, ty: &Type, block: BlockId, loc: &Loc) -> Res<ValueId> {
        while values.len() > 1 {
            let half = values.len().div_ceil(2);
            for n in half..values.len() {
                values[n - half] = self.value(block, OpKind::pure(op), vec![values[n - half], values[n]], ty, loc);
            }
            values.truncate(half);
        }
        values.first().copied().ok_or_else(|| Declined::new(loc, "nothing to combine"))
    }

    /// The neutral element of the accumulator's operation in all lanes.
    fn neutral(&mut self, a: &Accumulator, lanes: u32, block: BlockId, l: &Loop) -> Res<ValueId> {
        let constant = neutral(a.op, a.elem).ok_or_else(|| Declined::new(&l.loc, "an operation without neutral element accumulates"))?;
        let constant = Constant::Splat(Box::new(constant));
        Ok(self.value(block, OpKind::Constant(constant), vec![], &lanes_type(a.elem, lanes), &l.loc))
    }
}

/// The value that changes nothing: `x op neutral` is `x`, bit for bit (but for the bits of a NaN).
fn neutral(op: PureOp, elem: ScalarType) -> Option<Constant> {
    let float = |double: f64, single: f32| match elem {
        ScalarType::F64 => Some(Constant::Float(double.to_bits())),
        ScalarType::F32 => Some(Constant::Float(u64::from(single.to_bits()))),
        _ => None,
    };
    let least = i64::MIN >> (64 - u32::from(elem.bits()).clamp(1, 64));
    match op {
        PureOp::AddF => float(-0.0, -0.0),
        PureOp::MulF => float(1.0, 1.0),
        PureOp::MaximumF => float(f64::NEG_INFINITY, f32::NEG_INFINITY),
        PureOp::MinimumF => float(f64::INFINITY, f32::INFINITY),
        PureOp::MaxNumF | PureOp::MinNumF => float(f64::NAN, f32::NAN),
        PureOp::AddI | PureOp::OrI | PureOp::XOrI | PureOp::MaxUI => Some(Constant::Int(0)),
        PureOp::MulI => Some(Constant::Int(1)),
        PureOp::AndI | PureOp::MinUI => Some(Constant::Int(-1)),
        PureOp::MaxSI => Some(Constant::Int(least)),
        PureOp::MinSI => Some(Constant::Int(!least)),
        _ => None,
    }
}
