//! Parallel loops: the body becomes a function of its own, which the runtime calls on ranges of iterations.

use super::core::{Emit, Emitter, Unit, UnitKind};
use super::loops::{Bounds, Plan};
use super::types;
use super::value::Num;
use super::words::Kind;
use crate::analysis;
use crate::analysis::Range;
use crate::rt;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData};
use tilia_program::{OpId, OpKind, ValueDef, ValueId};

/// Words before the captured values: first value of the iterator, and step.
const HEAD: u32 = 2;

impl Emitter<'_, '_> {
    pub(super) fn parallel_loop(&mut self, op: OpId, bounds: &Bounds) -> Emit<()> {
        let captures: Vec<_> = analysis::captures(self.source, op)
            .into_iter()
            .filter(|&v| self.constant_op(v).is_none())
            .collect();
        let mut words = HEAD;
        for &v in &captures {
            words += types::words(self.ty(v), &self.loc)?;
        }
        let (run, done) = (self.new_block(), self.new_block());
        let any = self.at().ins().icmp(IntCC::SignedLessThan, bounds.lower, bounds.upper);
        self.brif(any, (run, &[]), (done, &[]));
        self.switch_to(run);
        let slot = self.stack_slot(words.saturating_mul(8), 4);
        let base = self.at().ins().stack_addr(ir::types::I64, slot, 0);
        let step = self.num(bounds.step);
        self.at().ins().store(MemFlagsData::trusted(), bounds.lower, base, 0);
        self.at().ins().store(MemFlagsData::trusted(), step, base, 8);
        let mut word = HEAD;
        for &v in &captures {
            word = self.store_words(base, word, v)?;
        }
        let trips = self.trips(bounds);
        let work = self.work(op, trips)?;
        let known = |e: &Self, v: ValueId| e.ranges.get(&v).map_or((i64::MIN, i64::MAX), |r| (r.lo, r.hi));
        let unit = Unit {
            function: self.function,
            kind: UnitKind::Body {
                op,
                captures: captures.iter().map(|&v| (v, known(self, v))).collect(),
                iterator: (bounds.lower_range.lo, bounds.upper_range.hi.saturating_sub(1)),
            },
        };
        self.new_units.push(unit);
        let number = self.first_new + self.new_units.len() - 1;
        let body = self.unit_ref(number, 4);
        let body = self.at().ins().func_addr(ir::types::I64, body);
        let ctx = self.ctx;
        let status = self.call_runtime(rt::parallel as *const () as usize, &[ctx, body, base, trips, work], true);
        let status = status.ok_or_else(|| self.malformed("no status"))?;
        self.check_status(status);
        self.jump(done, &[]);
        self.switch_to(done);
        Ok(())
    }

    /// The operation that makes a value, if that is a constant.
    fn constant_op(&self, value: ValueId) -> Option<OpId> {
        match self.source[value].def {
            ValueDef::Result(op, _) if matches!(self.source[op].kind, OpKind::Constant(_)) => Some(op),
            _ => None,
        }
    }

    /// The function that executes iterations `first..end` of a parallel loop, counted from 0.
    pub(super) fn parallel_body(&mut self, op: OpId, captures: &[(ValueId, (i64, i64))], iterator: (i64, i64)) -> Emit<()> {
        let params = self.code.dfg.block_params(self.block).to_vec();
        let &[_, base, first, end] = &params[..] else {
            return Err(self.malformed("a loop body with other parameters"));
        };
        self.loc.clone_from(&self.source[op].loc);
        let OpKind::For(kind) = &self.source[op].kind else {
            return Err(self.malformed("a loop body without loop"));
        };
        for v in analysis::captures(self.source, op) {
            if let Some(constant) = self.constant_op(v) {
                self.op(constant)?;
            }
        }
        let mut word = HEAD;
        for &(v, (lo, hi)) in captures {
            let ty = self.ty(v);
            let val = self.load_words(base, word, ty, Kind::Argument)?;
            word += types::words(ty, &self.loc)?;
            self.set(v, val);
            if (lo, hi) != (i64::MIN, i64::MAX) {
                self.ranges.insert(v, Range { lo, hi });
            }
        }
        self.loc.clone_from(&self.source[op].loc);
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        let lower = self.at().ins().load(ir::types::I64, flags, base, 0);
        let step = match kind.step {
            tilia_program::Step::Const(s) => Num::Const(s),
            tilia_program::Step::Value => Num::Val(self.at().ins().load(ir::types::I64, flags, base, 8)),
        };
        let plan = Plan {
            first: self.after(lower, first, step),
            end: self.after(lower, end, step),
            step,
            guard: None,
            iterator_range: Range {
                lo: iterator.0,
                hi: iterator.1,
            },
        };
        self.counted_loop(op, kind, &plan)?;
        let exit = self.ok_exit;
        self.jump(exit, &[]);
        Ok(())
    }
}
