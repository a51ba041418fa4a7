//! Loops: tested at the bottom, bounds computed before, pointers that move along.

use super::core::{Emit, Emitter};
use super::place::{Node, Scope};
use super::poly::Poly;
use super::value::{Num, Val};
use crate::analysis;
use crate::analysis::Range;
use crate::rt::ThreadCtx;
use crate::sites::Cause;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, BlockArg, InstBuilder, MemFlagsData, Value};
use tilia_program::{ForOp, LoopExec, OpId, Step, ValueId};

/// Moving pointers in one loop; more would be spilled.
pub(super) const MAX_INDUCTIONS: usize = 8;

/// A loop around the current point.
pub(super) struct LoopCtx {
    pub(super) iterator: Value,
    /// First value of the iterator.
    first: Value,
    step: Num,
    header: Block,
    /// Jump from the block before the loop into it: invariant instructions go before it.
    pub(super) preheader_jump: ir::Inst,
    /// Number of the scope of what stands before the loop.
    pub(super) scope: usize,
    /// Whether no loop is inside.
    pub(super) innermost: bool,
    pub(super) inductions: Vec<Induction>,
}

/// A pointer that moves along.
#[derive(Debug, Clone)]
pub(super) struct Induction {
    base: Value,
    factor: Poly,
    pointer: Value,
    step: Num,
}

/// A loop to be made.
pub(super) struct Plan {
    pub(super) first: Value,
    /// Where the iterator arrives exactly after the last iteration.
    pub(super) end: Value,
    pub(super) step: Num,
    /// Whether there is at least one iteration; `None` when that is certain.
    pub(super) guard: Option<Value>,
    pub(super) iterator_range: Range,
}

/// Evaluated bounds.
pub(super) struct Bounds {
    pub(super) lower: Value,
    pub(super) upper: Value,
    pub(super) step: Num,
    pub(super) lower_range: Range,
    pub(super) upper_range: Range,
}

impl Emitter<'_, '_> {
    /// A loop of the program.
    pub(super) fn for_loop(&mut self, op: OpId, kind: &ForOp) -> Emit<()> {
        let bounds = self.bounds(op, kind)?;
        if kind.exec == LoopExec::Parallel && !self.in_body && self.source[op].results.is_empty() {
            return self.parallel_loop(op, &bounds);
        }
        let plan = self.plan(&bounds);
        self.counted_loop(op, kind, &plan)
    }

    pub(super) fn bounds(&mut self, op: OpId, kind: &ForOp) -> Emit<Bounds> {
        let operands = self.source[op].operands.clone();
        let (lower_ops, rest) = operands
            .split_at_checked(kind.lower.operands())
            .ok_or_else(|| self.malformed("a loop lacks operands"))?;
        let (upper_ops, rest) = rest
            .split_at_checked(kind.upper.operands())
            .ok_or_else(|| self.malformed("a loop lacks operands"))?;
        let (lower, lower_range) = self.extreme(&kind.lower, lower_ops, true)?;
        let (upper, upper_range) = self.extreme(&kind.upper, upper_ops, false)?;
        let step = match (kind.step, rest.first()) {
            (Step::Const(s), _) if s > 0 => Num::Const(s),
            (Step::Const(s), _) => return Err(self.malformed(&format!("a loop has step {s}"))),
            (Step::Value, Some(&v)) => self.checked_step(v)?,
            (Step::Value, None) => return Err(self.malformed("a loop lacks its step")),
        };
        Ok(Bounds {
            lower,
            upper,
            step,
            lower_range,
            upper_range,
        })
    }

    fn checked_step(&mut self, value: ValueId) -> Emit<Num> {
        if let Some(c) = self.source.as_int_constant(value).filter(|&c| c > 0) {
            return Ok(Num::Const(c));
        }
        let step = self.scalar(value)?;
        let ok = self.at().ins().icmp_imm_s(IntCC::SignedGreaterThan, step, 0);
        self.check(ok, Cause::Step, step, step);
        Ok(Num::Val(step))
    }

    pub(super) fn plan(&mut self, b: &Bounds) -> Plan {
        let certain = b.lower_range.hi < b.upper_range.lo;
        let guard = (!certain).then(|| self.at().ins().icmp(IntCC::SignedLessThan, b.lower, b.upper));
        let end = if b.step == Num::Const(1) {
            b.upper
        } else {
            let trips = self.trips(b);
            self.after(b.lower, trips, b.step)
        };
        Plan {
            first: b.lower,
            end,
            step: b.step,
            guard,
            iterator_range: Range {
                lo: b.lower_range.lo,
                hi: b.upper_range.hi.saturating_sub(1),
            },
        }
    }

    /// Number of iterations, as an unsigned number, if there is at least one.
    pub(super) fn trips(&mut self, b: &Bounds) -> Value {
        let length = self.at().ins().isub(b.upper, b.lower);
        match b.step {
            Num::Const(1) => length,
            Num::Const(s) if s.count_ones() == 1 => {
                let last = self.at().ins().iadd_imm_s(length, -1);
                let full = self.at().ins().ushr_imm_u(last, i64::from(s.trailing_zeros()));
                self.at().ins().iadd_imm_s(full, 1)
            }
            step => {
                let step = self.num(step);
                let last = self.at().ins().iadd_imm_s(length, -1);
                let full = self.at().ins().udiv(last, step);
                self.at().ins().iadd_imm_s(full, 1)
            }
        }
    }

    /// `first + number * step`, modulo 2^64.
    pub(super) fn after(&mut self, first: Value, number: Value, step: Num) -> Value {
        let distance = match step {
            Num::Const(1) => number,
            Num::Const(s) => self.at().ins().imul_imm_s(number, s),
            Num::Val(s) => self.at().ins().imul(number, s),
        };
        self.at().ins().iadd(first, distance)
    }

    /// Emits the loop over the region of `op`.
    pub(super) fn counted_loop(&mut self, op: OpId, kind: &ForOp, plan: &Plan) -> Emit<()> {
        let data = &self.source[op];
        let body = self.single_block(data.regions.first().copied())?;
        let args = self.source[body].args.clone();
        let (&iterator, carried) = args.split_first().ok_or_else(|| self.malformed("a loop without iterator"))?;
        let inits = data.operands[data.operands.len() - carried.len().min(data.operands.len())..].to_vec();
        let init_parts = self.all_parts(&inits)?;
        let results = data.results.clone();

        let exit = self.new_block();
        let mut result_vals = Vec::new();
        for &r in &results {
            let ty = self.ty(r);
            result_vals.push(self.block_param(exit, ty)?);
        }
        let preheader = self.new_block();
        match plan.guard {
            Some(guard) => self.brif(guard, (preheader, &[]), (exit, &init_parts)),
            None => {
                self.jump(preheader, &[]);
            }
        }
        self.switch_to(preheader);
        self.count(kind);
        // What is computed from here on doesn't stand where the loop is skipped: it is known inside only.
        self.scopes.push(Scope::default());
        let mut forwards = analysis::forwards(self.source, op, kind);
        forwards.retain(|f| self.can_load_before(f, iterator));
        let mut before = Vec::new();
        for forward in &forwards {
            before.push(self.load_before(forward, iterator, plan.first)?);
        }
        let header = self.code.dfg.make_block();
        self.code.layout.append_block(header);
        let mut enter = vec![plan.first];
        enter.extend(&init_parts);
        for val in &before {
            enter.extend(val.number_parts());
        }
        let preheader_jump = self.jump(header, &enter);
        let iterator_value = self.code.dfg.append_block_param(header, ir::types::I64);
        self.loops.push(LoopCtx {
            iterator: iterator_value,
            first: plan.first,
            step: plan.step,
            header,
            preheader_jump,
            scope: self.scopes.len() - 1,
            innermost: !self.facts.has_loop(op),
            inductions: Vec::new(),
        });
        self.depth_of[header] = self.level();
        self.switch_to(header);
        self.set(iterator, Val::Scalar(iterator_value));
        self.ranges.insert(iterator, plan.iterator_range);
        for &arg in carried {
            let ty = self.ty(arg);
            let val = self.block_param(header, ty)?;
            self.set(arg, val);
        }
        for forward in &forwards {
            let ty = self.ty(forward.stored);
            let val = self.block_param(header, ty)?;
            for &load in &forward.loads {
                self.handed_on.insert(load, val.clone());
            }
        }
        let refined = self.ranges.refine_upper(self.source, op, kind, plan.iterator_range);
        let yields = self.scoped(|e| e.block_ops(body))?;
        self.ranges.restore(refined);
        let yield_parts = self.all_parts(&yields)?;
        let stored: Vec<_> = forwards.iter().map(|f| f.stored).collect();
        let stored_parts = self.all_parts(&stored)?;
        self.latch(plan, exit, &yield_parts, &stored_parts);
        self.loops.pop();
        self.scopes.pop();
        self.switch_to(exit);
        for (r, val) in results.into_iter().zip(result_vals) {
            self.set(r, val);
        }
        Ok(())
    }

    /// The bottom of the innermost loop: moves everything on, and goes back unless the end is reached.
    fn latch(&mut self, plan: &Plan, exit: Block, yields: &[Value], stored: &[Value]) {
        let Some(current) = self.loops.last() else { return };
        let (header, iterator) = (current.header, current.iterator);
        let inductions = current.inductions.clone();
        let next = self.plus(iterator, plan.step);
        let mut back = vec![next];
        back.extend(yields);
        back.extend(stored);
        for induction in inductions {
            back.push(self.plus(induction.pointer, induction.step));
        }
        // All three say the same where the iterator can't wrap before its end. A comparison for equality Cranelift likes to turn into one of the old iterator, which then needs a register of
        // its own, and a copy and a jump in each iteration.
        let unequal = match plan.step {
            Num::Const(1) => IntCC::SignedLessThan,
            _ if plan.iterator_range.lo >= 0 => IntCC::UnsignedLessThan,
            _ => IntCC::NotEqual,
        };
        let more = self.at().ins().icmp(unequal, next, plan.end);
        self.brif(more, (header, &back), (exit, yields));
    }

    fn plus(&mut self, value: Value, by: Num) -> Value {
        match by {
            Num::Const(c) => self.at().ins().iadd_imm_s(value, c),
            Num::Val(v) => self.at().ins().iadd(value, v),
        }
    }

    /// Counts an execution of the loop, if it is of a kind that is counted.
    pub(super) fn count(&mut self, kind: &ForOp) {
        if !self.env.counters {
            return;
        }
        if kind.exec == LoopExec::Vector {
            self.increment(ThreadCtx::VECTOR);
        }
        if kind.full_tile {
            self.increment(ThreadCtx::FULL_TILES);
        }
    }

    fn increment(&mut self, field: i32) {
        let ctx = self.ctx;
        let flags = MemFlagsData::trusted();
        let old = self.at().ins().load(ir::types::I64, flags, ctx, field);
        let new = self.at().ins().iadd_imm_s(old, 1);
        self.at().ins().store(flags, new, ctx, field);
    }

    /// A pointer that is `base + iterator * factor` all along the innermost loop, which changes neither.
    pub(super) fn induction(&mut self, base: Value, factor: &Poly) -> Value {
        let Some(current) = self.loops.last() else { return base };
        if let Some(known) = current.inductions.iter().find(|i| i.base == base && i.factor == *factor) {
            return known.pointer;
        }
        let (first, step, header, jump) = (current.first, current.step, current.header, current.preheader_jump);
        let outer = self.loops.len() - 1;
        let (start, move_by) = match factor.as_constant() {
            Some(c) => (self.mul_constant(first, c), self.scaled_step(step, c)),
            None => {
                let factor = self.sum(factor);
                let start = self.mul_values(first, factor);
                let move_by = match step {
                    Num::Const(1) => factor,
                    Num::Const(s) => self.mul_constant(factor, s),
                    Num::Val(s) => self.mul_values(factor, s),
                };
                (start, Num::Val(move_by))
            }
        };
        let start = self.node(Node::Add(base, start));
        let pointer = self.code.dfg.append_block_param(header, ir::types::I64);
        let dfg = &mut self.code.dfg;
        let (jump_tables, exceptions) = (&mut dfg.jump_tables, &mut dfg.exception_tables);
        if let [entry] = dfg.insts[jump].branch_destination_mut(jump_tables, exceptions) {
            entry.append_argument(BlockArg::Value(start), &mut dfg.value_lists);
        }
        self.loops[outer].inductions.push(Induction {
            base,
            factor: factor.clone(),
            pointer,
            step: move_by,
        });
        pointer
    }

    fn scaled_step(&mut self, step: Num, by: i64) -> Num {
        match step {
            Num::Const(s) => Num::Const(s.wrapping_mul(by)),
            Num::Val(s) => Num::Val(self.mul_constant(s, by)),
        }
    }
}
