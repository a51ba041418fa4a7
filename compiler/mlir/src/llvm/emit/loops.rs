//! Loops: tested at the bottom, entered only if there is an iteration. The counter runs by one, so that LLVM sees the number of iterations whatever the step.

use super::affine::Term;
use super::build::Wrap;
use super::core::{Emit, Emitter};
use super::text::{Ty, V};
use tilia_codegen::analysis::Range;
use tilia_codegen::native::{Cause, Context};
use tilia_program::{ForOp, LoopExec, OpId, Step, ValueId};

/// Evaluated bounds.
pub(super) struct Bounds {
    pub(super) lower: Term,
    pub(super) upper: Term,
    /// A positive number.
    pub(super) step: V,
}

/// A loop to be made: the iterator is `base + counter * step` for `counter` from `first` up to, and without, `end`.
pub(super) struct Plan {
    pub(super) first: V,
    pub(super) end: V,
    pub(super) base: V,
    pub(super) step: V,
    /// Whether there is at least one iteration; `None` when that is certain.
    pub(super) guard: Option<V>,
    pub(super) iterator_range: Range,
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

    fn bounds(&mut self, op: OpId, kind: &ForOp) -> Emit<Bounds> {
        let operands = &self.source[op].operands;
        let lacking = || self.malformed("a loop lacks operands");
        let (lower_ops, rest) = operands.split_at_checked(kind.lower.operands()).ok_or_else(lacking)?;
        let (upper_ops, rest) = rest.split_at_checked(kind.upper.operands()).ok_or_else(lacking)?;
        let lower = self.extreme(&kind.lower, lower_ops, true)?;
        let upper = self.extreme(&kind.upper, upper_ops, false)?;
        let step = match (kind.step, rest.first()) {
            (Step::Const(s), _) if s > 0 => self.int(s),
            (Step::Const(s), _) => return Err(self.malformed(&format!("a loop has step {s}"))),
            (Step::Value, Some(&v)) => self.checked_step(v)?,
            (Step::Value, None) => return Err(self.malformed("a loop lacks its step")),
        };
        Ok(Bounds { lower, upper, step })
    }

    fn checked_step(&mut self, value: ValueId) -> Emit<V> {
        let step = self.number(value)?;
        if self.code.known(step).is_some_and(|c| c > 0) {
            return Ok(step);
        }
        let ok = self.icmp_const("sgt", step, 0);
        self.check(ok, Cause::Step, step, step);
        Ok(step)
    }

    fn plan(&mut self, b: &Bounds) -> Plan {
        let certain = b.lower.range.hi < b.upper.range.lo;
        let guard = (!certain).then(|| self.icmp("slt", b.lower.value, b.upper.value));
        let iterator_range = iterator_range(b);
        let (zero, one) = (self.int(0), self.int(1));
        if self.code.known(b.step) == Some(1) {
            return Plan {
                first: b.lower.value,
                end: b.upper.value,
                base: zero,
                step: one,
                guard,
                iterator_range,
            };
        }
        Plan {
            first: zero,
            end: self.trips(b),
            base: b.lower.value,
            step: b.step,
            guard,
            iterator_range,
        }
    }

    /// Number of iterations, as an unsigned number, if there is at least one.
    pub(super) fn trips(&mut self, b: &Bounds) -> V {
        let wrap = if b.upper.range.checked_sub(b.lower.range).is_some() {
            Wrap::Never
        } else {
            Wrap::May
        };
        let length = self.sub(b.upper.value, b.lower.value, wrap);
        if self.code.known(b.step) == Some(1) {
            return length;
        }
        let one = self.int(1);
        let last = self.sub(length, one, Wrap::May);
        let full = self.binary("udiv", last, b.step);
        self.add(full, one, Wrap::May)
    }

    /// Emits the loop over the region of `op`.
    pub(super) fn counted_loop(&mut self, op: OpId, kind: &ForOp, plan: &Plan) -> Emit<()> {
        let data = &self.source[op];
        let body = self.single_block(data.regions.first().copied())?;
        let args = &self.source[body].args;
        let (&iterator, carried) = args.split_first().ok_or_else(|| self.malformed("a loop without iterator"))?;
        let inits = &data.operands[data.operands.len() - carried.len().min(data.operands.len())..];
        let init_parts = self.all_parts(inits)?;
        let (preheader, header, exit) = (self.new_block(), self.new_block(), self.new_block());
        let results = self.params_for(exit, &data.results)?;
        match plan.guard {
            Some(guard) => self.brif(guard, (preheader, &[]), (exit, &init_parts)),
            None => self.jump(preheader, &[]),
        }
        self.code.switch_to(preheader);
        self.count(kind);
        let mut enter = vec![plan.first];
        enter.extend(&init_parts);
        self.jump(header, &enter);

        self.depth += 1;
        let counter = self.code.block_param(header, Ty::I64, self.depth);
        let args = self.params_for(header, carried)?;
        self.set_all(args);
        self.code.switch_to(header);
        let distance = self.mul(counter, plan.step, Wrap::May);
        let value = self.add(plan.base, distance, Wrap::May);
        self.set_number(iterator, value);
        self.ranges.insert(iterator, plan.iterator_range);
        let refined = self.ranges.refine_upper(self.source, op, kind, plan.iterator_range);
        let yields = self.block_ops(body)?;
        self.ranges.restore(refined);
        let yields = self.all_parts(&yields)?;

        let one = self.int(1);
        let next = self.add(counter, one, Wrap::May);
        let mut back = vec![next];
        back.extend(&yields);
        let more = self.icmp("ne", next, plan.end);
        let vectors = !self.leaves_vectors_alone(op, kind);
        self.latch(more, (header, &back), (exit, &yields), vectors);
        self.depth -= 1;
        self.code.switch_to(exit);
        self.set_all(results);
        Ok(())
    }

    /// Whether a loop works on vectors already, or does what a vector loop before it has left: too few iterations to make vectors of.
    fn leaves_vectors_alone(&mut self, op: OpId, kind: &ForOp) -> bool {
        let operands = &self.source[op].operands;
        let (lower, rest) = operands.split_at(kind.lower.operands().min(operands.len()));
        if kind.exec == LoopExec::Vector {
            self.vector_ends.extend(rest.iter().take(kind.upper.operands()));
            return true;
        }
        lower.iter().any(|v| self.vector_ends.contains(v))
    }

    /// Counts an execution of the loop, if it is of a kind that is counted.
    fn count(&mut self, kind: &ForOp) {
        if !self.env.counters {
            return;
        }
        if kind.exec == LoopExec::Vector {
            self.increment(Context::Vector);
        }
        if kind.full_tile {
            self.increment(Context::FullTiles);
        }
    }

    fn increment(&mut self, field: Context) {
        let at = self.field(field);
        let old = self.load_plain(at, Ty::I64);
        let one = self.int(1);
        let new = self.add(old, one, Wrap::May);
        self.store_plain(new, at);
    }
}

/// Where a loop's iterator lies.
pub(super) fn iterator_range(b: &Bounds) -> Range {
    Range {
        lo: b.lower.range.lo,
        hi: b.upper.range.hi.saturating_sub(1),
    }
}
