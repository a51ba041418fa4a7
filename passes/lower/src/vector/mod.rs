//! Vectors: innermost parallel loops whose consecutive iterations are executed at once.
//!
//! Each lane does what its iteration would have done, in the same order of operations, so results are bit-identical. A loop is vectorised when all its iterations are
//! independent, its body is straight-line, all varying values have one width, and at least as many accesses are contiguous as are strided (strided ones are
//! gathered and scattered lane by lane). A loop whose iterations only accumulate, in an order that may change, is one, too: lanes accumulate apart from each other (`reduce`). Its instances then become instances with lanes ([`Plan::widened`]), which are emitted like any others (`body`): in a vector loop with a scalar
//! rest (`loops`), or written out where the number of iterations is a small constant (`crate::unroll`).

mod analyse;
mod body;
mod loops;
mod reduce;

use crate::emit::Emitter;
use crate::form::Form;
use crate::tree::{Inst, Lane, Loop, Place, Touch};
use std::collections::BTreeMap;
use tilia_ast::VarId;
use tilia_diag::Remark;
use tilia_program::{PureOp, ScalarType};
use tilia_scop::ArrayId;

/// Bits of the narrowest vector register.
pub(crate) const NARROWEST: u32 = 128;

/// Whether a value is the same in all lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Uniform,
    Varying,
}

/// How the element of an access moves from one lane to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Motion {
    Fixed,
    Contiguous,
    Strided,
}

/// How a loop is vectorised.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Bits of each varying value.
    bits: u32,
    lane: VarId,
    /// The body's instances, their arguments in terms of the loop's iterator and the lane.
    insts: Vec<Inst>,
    /// Private cells of one iteration.
    cells: BTreeMap<ArrayId, Kind>,
    /// Where the iterations accumulate.
    accumulators: Vec<Accumulator>,
}

/// A location into which all iterations of a loop accumulate.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Accumulator {
    place: Place,
    /// What combines partial results.
    op: PureOp,
    elem: ScalarType,
}

impl Plan {
    /// Whether the lanes accumulate into common locations, so that something is to be done before the loop and after it.
    pub(crate) fn accumulates(&self) -> bool {
        !self.accumulators.is_empty()
    }

    /// Iterations that fill a vector of that many bits.
    pub(crate) fn lanes(&self, vector_bits: u32) -> u32 {
        (vector_bits / self.bits).max(1)
    }

    /// The body for `count` iterations at once, the first of them where the iterator of `l` is `first`. `None` when an index leaves 64 bits.
    pub(crate) fn widened(&self, e: &Emitter<'_>, l: &Loop, first: &Form, count: u32) -> Option<Vec<Inst>> {
        self.insts.iter().map(|i| self.widened_instance(e, i, l, first, count)).collect()
    }

    fn widened_instance(&self, e: &Emitter<'_>, inst: &Inst, l: &Loop, first: &Form, count: u32) -> Option<Inst> {
        let mut inst = inst.replace(l.var, first)?;
        inst.lane = Some(Lane { var: self.lane, count });
        for touch in &mut inst.touches {
            self.widen(e, touch, count)?;
        }
        Some(inst)
    }

    /// The place of all lanes, where that is one element or a row of neighbours.
    fn widen(&self, e: &Emitter<'_>, touch: &mut Touch, count: u32) -> Option<()> {
        let Some(place) = &mut touch.place else { return Some(()) };
        let motion = match place.memref {
            Some(memref) => e.motion_of(self.lane, memref, &place.subs).unwrap_or(Motion::Strided),
            None if self.cells.get(&place.array) == Some(&Kind::Varying) => Motion::Contiguous,
            None => Motion::Fixed,
        };
        if motion == Motion::Strided {
            touch.place = None;
            return Some(());
        }
        for sub in &mut place.subs {
            *sub = sub.replace(self.lane, &Form::default())?;
        }
        if motion == Motion::Contiguous {
            place.lanes = count;
        }
        Some(())
    }
}

impl Emitter<'_> {
    /// The plan for a loop that is to be emitted as one, with a remark that says what came of it. `around`: the loops around it.
    pub(crate) fn vector_loop_plan(&mut self, l: &Loop, around: &[&Loop]) -> Option<Plan> {
        let planned = self
            .vector_plan(l)?
            .and_then(|plan| self.accumulates_in_registers(&plan, l, around).map(|()| plan));
        let (remark, plan) = match planned {
            Ok(plan) => {
                let lanes = plan.lanes(self.options.vector_bits);
                let how = if plan.accumulates() {
                    ", which accumulate apart and are combined at the end"
                } else {
                    ""
                };
                let said = format!("{lanes} iterations at a time{how}");
                (Remark::applied("vectorise", l.loc.clone(), said), Some(plan))
            }
            Err(why) => (Remark::declined("vectorise", l.loc.clone(), why), None),
        };
        self.remarks.push(remark);
        plan
    }

    /// Whether all accumulators of the loop live in registers across it, or will.
    fn accumulates_in_registers(&self, plan: &Plan, l: &Loop, around: &[&Loop]) -> Result<(), String> {
        let mut missing = plan.accumulators.iter().filter(|a| !self.slots.contains_key(&a.place)).peekable();
        if missing.peek().is_none() {
            return Ok(());
        }
        let promoted = self.promotions(l, around);
        if missing.all(|a| promoted.iter().any(|p| p.place == a.place)) {
            return Ok(());
        }
        Err("what it accumulates can't live in a register across it: other accesses in the loop may touch the same location".into())
    }
}
