//! Parallel loops: the body becomes a function of its own, which the runtime calls on ranges of iterations.

use super::core::{Emit, Emitter, Unit, UnitKind, unit_name};
use super::loops::{Bounds, Plan, iterator_range};
use super::text::{Ty, V};
use tilia_codegen::analysis::{self, WorkOp, WorkStep, loop_work};
use tilia_codegen::native::Runtime;
use tilia_program::{OpId, OpKind, ValueId};

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
            words += analysis::words(self.ty(v), &self.loc)?;
        }
        let (run, done) = (self.new_block(), self.new_block());
        let any = self.icmp("slt", bounds.lower.value, bounds.upper.value);
        self.brif(any, (run, &[]), (done, &[]));
        self.code.switch_to(run);
        let base = self.stack_slot(u64::from(words) * 8, 16);
        self.store_plain(bounds.lower.value, base);
        let at = self.offset(base, 8);
        self.store_plain(bounds.step, at);
        let mut word = HEAD;
        for &v in &captures {
            word = self.store_words(base, word, v)?;
        }
        let trips = self.trips(bounds);
        let work = self.work(op, trips)?;
        let mut ranges = self.ranges.clone();
        let block = self.single_block(self.source[op].regions.first().copied())?;
        if let Some(&iterator) = self.source[block].args.first() {
            ranges.insert(iterator, iterator_range(bounds));
        }
        self.new_units.push(Unit {
            function: self.function,
            kind: UnitKind::Body {
                op,
                captures,
                ranges,
                disjoint: self.disjoint.clone(),
            },
        });
        let number = self.first_new + self.new_units.len() - 1;
        let body = self.code.function(&unit_name(number));
        let ctx = self.ctx;
        let status = self.call_runtime(Runtime::Parallel, &[ctx, body, base, trips, work], Ty::I64);
        self.check_status(status);
        self.jump(done, &[]);
        self.code.switch_to(done);
        Ok(())
    }

    /// Estimated operations of all iterations of the loop `op`, as f64.
    fn work(&mut self, op: OpId, trips: V) -> Emit<V> {
        if self.env.always_fork {
            return Ok(self.code.float(0, Ty::F64));
        }
        let number = |v: &ValueId| matches!(self.vals.get(v), Some(super::value::Val::Number(n)) if n.ty.lanes == 0);
        let steps = loop_work(self.source, op, &|v| number(&v));
        let mut results: Vec<V> = Vec::with_capacity(steps.len());
        for step in steps {
            results.push(match step {
                WorkStep::Const(c) => self.code.float(c.to_bits(), Ty::F64),
                WorkStep::Value(v) => {
                    let v = self.number(v)?;
                    self.convert("sitofp", v, super::text::Elem::F64)
                }
                WorkStep::Trips => self.convert("uitofp", trips, super::text::Elem::F64),
                WorkStep::Op(op, a, b) => self.work_step(op, results[a], results[b]),
            });
        }
        results.last().copied().ok_or_else(|| self.malformed("an estimate without steps"))
    }

    fn work_step(&mut self, op: WorkOp, a: V, b: V) -> V {
        match op {
            WorkOp::Add => self.binary("fadd", a, b),
            WorkOp::Sub => self.binary("fsub", a, b),
            WorkOp::Mul => self.binary("fmul", a, b),
            WorkOp::Div => self.binary("fdiv", a, b),
            WorkOp::Max => self.intrinsic("maximum", &[a, b], Ty::F64),
            WorkOp::Min => self.intrinsic("minimum", &[a, b], Ty::F64),
        }
    }

    /// The function that executes iterations `first..end` of a parallel loop, counted from 0.
    pub(super) fn parallel_body(&mut self, op: OpId, captures: &[ValueId]) -> Emit<()> {
        let params = self.code.params();
        let &[_, base, first, end] = &params[..] else {
            return Err(self.malformed("a loop body with other parameters"));
        };
        let OpKind::For(kind) = &self.source[op].kind else {
            return Err(self.malformed("a loop body without loop"));
        };
        let all = analysis::captures(self.source, op);
        self.captured(&all, captures, base, HEAD)?;
        self.loc.clone_from(&self.source[op].loc);
        let lower = self.load_plain(base, Ty::I64);
        let step = match kind.step {
            tilia_program::Step::Const(s) => self.int(s),
            tilia_program::Step::Value => {
                let at = self.offset(base, 8);
                self.load_plain(at, Ty::I64)
            }
        };
        let block = self.single_block(self.source[op].regions.first().copied())?;
        let iterator = self.source[block].args.first().copied();
        let iterator_range = iterator.and_then(|i| self.ranges.get(&i)).copied();
        let plan = Plan {
            first,
            end,
            base: lower,
            step,
            guard: None,
            iterator_range: iterator_range.unwrap_or(analysis::Range::FULL),
        };
        self.counted_loop(op, kind, &plan)?;
        let exit = self.ok_exit;
        self.jump(exit, &[]);
        Ok(())
    }
}
