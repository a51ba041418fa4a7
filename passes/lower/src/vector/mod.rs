//! Vectors: innermost parallel loops whose consecutive iterations are executed at once.
//!
//! Each lane does what its iteration would have done, in the same order of operations, so results are bit-identical. A loop is vectorised when all its iterations are
//! independent, its body is straight-line, all varying values have one width, and at least as many accesses are contiguous as are strided (strided ones are
//! gathered and scattered lane by lane). Its instances then become instances with lanes ([`Plan::widened`]), which are emitted like any others (`body`): in a vector loop with a scalar
//! rest (`loops`), or written out where the number of iterations is a small constant (`crate::unroll`).

mod analyse;
mod body;
mod loops;

use crate::emit::Emitter;
use crate::form::Form;
use crate::tree::{Inst, Lane, Loop, Touch};
use std::collections::BTreeMap;
use tilia_ast::VarId;
use tilia_diag::Remark;
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
}

impl Plan {
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
    /// The plan for a loop that is to be emitted as one, with a remark that says what came of it.
    pub(crate) fn vector_loop_plan(&mut self, l: &Loop) -> Option<Plan> {
        let (remark, plan) = match self.vector_plan(l)? {
            Ok(plan) => {
                let lanes = plan.lanes(self.options.vector_bits);
                let said = format!("{lanes} iterations at a time");
                (Remark::applied("vectorise", l.loc.clone(), said), Some(plan))
            }
            Err(why) => (Remark::declined("vectorise", l.loc.clone(), why), None),
        };
        self.remarks.push(remark);
        plan
    }
}
