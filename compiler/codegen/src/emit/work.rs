//! Computes the estimate of a parallel loop's work.

use super::core::{Emit, Emitter};
use super::value::Val;
use crate::analysis::{WorkOp, WorkStep, loop_work};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use tilia_program::OpId;

impl Emitter<'_, '_> {
    /// Estimated operations of all iterations of the loop `op`, as f64.
    pub(super) fn work(&mut self, op: OpId, trips: Value) -> Emit<Value> {
        if self.env.always_fork {
            return Ok(self.at().ins().f64const(0.0));
        }
        let steps = loop_work(self.source, op, &|v| matches!(self.vals.get(&v), Some(Val::Scalar(_))));
        let mut results: Vec<Value> = Vec::with_capacity(steps.len());
        for step in steps {
            results.push(match step {
                WorkStep::Const(c) => self.at().ins().f64const(c),
                WorkStep::Value(v) => {
                    let scalar = self.scalar(v)?;
                    self.at().ins().fcvt_from_sint(types::F64, scalar)
                }
                WorkStep::Trips => self.at().ins().fcvt_from_uint(types::F64, trips),
                WorkStep::Op(op, a, b) => {
                    let (a, b) = (results[a], results[b]);
                    match op {
                        WorkOp::Add => self.at().ins().fadd(a, b),
                        WorkOp::Sub => self.at().ins().fsub(a, b),
                        WorkOp::Mul => self.at().ins().fmul(a, b),
                        WorkOp::Div => self.at().ins().fdiv(a, b),
                        WorkOp::Max => self.at().ins().fmax(a, b),
                        WorkOp::Min => self.at().ins().fmin(a, b),
                    }
                }
            });
        }
        results.last().copied().ok_or_else(|| self.malformed("an estimate without steps"))
    }
}
