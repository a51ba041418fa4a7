//! Arithmetic on floats.

use super::core::{Emit, Emitter};
use crate::rt::numbers;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use tilia_program::{CmpF, PureOp};

/// The condition, where the machine has it, also for vectors; else two that are to be combined.
enum Condition {
    Always(bool),
    One(FloatCC),
    Both(FloatCC, FloatCC),
    Either(FloatCC, FloatCC),
}

fn condition(cmp: CmpF) -> Condition {
    use Condition::{Always, Both, Either, One};
    match cmp {
        CmpF::False => Always(false),
        CmpF::True => Always(true),
        CmpF::Oeq => One(FloatCC::Equal),
        CmpF::Ogt => One(FloatCC::GreaterThan),
        CmpF::Oge => One(FloatCC::GreaterThanOrEqual),
        CmpF::Olt => One(FloatCC::LessThan),
        CmpF::Ole => One(FloatCC::LessThanOrEqual),
        CmpF::Ord => One(FloatCC::Ordered),
        CmpF::Uno => One(FloatCC::Unordered),
        CmpF::Une => One(FloatCC::NotEqual),
        CmpF::One => Both(FloatCC::Ordered, FloatCC::NotEqual),
        CmpF::Ueq => Either(FloatCC::Unordered, FloatCC::Equal),
        CmpF::Ugt => Either(FloatCC::Unordered, FloatCC::GreaterThan),
        CmpF::Uge => Either(FloatCC::Unordered, FloatCC::GreaterThanOrEqual),
        CmpF::Ult => Either(FloatCC::Unordered, FloatCC::LessThan),
        CmpF::Ule => Either(FloatCC::Unordered, FloatCC::LessThanOrEqual),
    }
}

impl Emitter<'_, '_> {
    /// Operations of f32, f64 and 128-bit vectors of them that are instructions. `None` for others.
    pub(super) fn float_native(&mut self, op: PureOp, args: &[Value]) -> Option<Value> {
        Some(match (op, args) {
            (PureOp::AddF, &[a, b]) => self.at().ins().fadd(a, b),
            (PureOp::SubF, &[a, b]) => self.at().ins().fsub(a, b),
            (PureOp::MulF, &[a, b]) => self.at().ins().fmul(a, b),
            (PureOp::DivF, &[a, b]) => self.at().ins().fdiv(a, b),
            (PureOp::NegF, &[a]) => self.at().ins().fneg(a),
            (PureOp::MaximumF, &[a, b]) => self.at().ins().fmax(a, b),
            (PureOp::MinimumF, &[a, b]) => self.at().ins().fmin(a, b),
            (PureOp::MaxNumF | PureOp::MinNumF, &[a, b]) => self.max_num(op, a, b),
            _ => return None,
        })
    }

    /// The larger or smaller; the other operand if one is NaN.
    fn max_num(&mut self, op: PureOp, a: Value, b: Value) -> Value {
        let best = if op == PureOp::MaxNumF {
            self.at().ins().fmax(a, b)
        } else {
            self.at().ins().fmin(a, b)
        };
        let a_nan = self.at().ins().fcmp(FloatCC::Unordered, a, a);
        let b_nan = self.at().ins().fcmp(FloatCC::Unordered, b, b);
        let without_b = self.choose(b_nan, a, best);
        self.choose(a_nan, b, without_b)
    }

    /// `then` where the flag (of a scalar) or mask (of a vector) is set, else `otherwise`.
    pub(super) fn choose(&mut self, flag: Value, then: Value, otherwise: Value) -> Value {
        let ty = self.code.dfg.value_type(then);
        let flag_ty = self.code.dfg.value_type(flag);
        if !flag_ty.is_vector() {
            return self.at().ins().select(flag, then, otherwise);
        }
        let flag = if flag_ty == ty { flag } else { self.recast(flag, ty) };
        self.at().ins().bitselect(flag, then, otherwise)
    }

    /// A comparison: i8 for scalars, lanes of ones or zeros for vectors.
    pub(super) fn compare_floats(&mut self, cmp: CmpF, a: Value, b: Value) -> Value {
        match condition(cmp) {
            Condition::One(cc) => self.at().ins().fcmp(cc, a, b),
            Condition::Both(x, y) => {
                let (x, y) = (self.at().ins().fcmp(x, a, b), self.at().ins().fcmp(y, a, b));
                self.at().ins().band(x, y)
            }
            Condition::Either(x, y) => {
                let (x, y) = (self.at().ins().fcmp(x, a, b), self.at().ins().fcmp(y, a, b));
                self.at().ins().bor(x, y)
            }
            Condition::Always(holds) => {
                let ty = self.code.dfg.value_type(a);
                if ty.is_vector() {
                    let ordered = self.at().ins().fcmp(FloatCC::Ordered, a, b);
                    let unordered = self.at().ins().fcmp(FloatCC::Unordered, a, b);
                    return if holds {
                        self.at().ins().bor(ordered, unordered)
                    } else {
                        self.at().ins().band(ordered, unordered)
                    };
                }
                self.at().ins().iconst(types::I8, i64::from(holds))
            }
        }
    }

    /// The remainder that truncates, as C's `fmod`.
    pub(super) fn float_remainder(&mut self, a: Value, b: Value) -> Emit<Value> {
        let ty = self.code.dfg.value_type(a);
        let function = if ty == types::F32 {
            numbers::remainder32 as *const () as usize
        } else {
            numbers::remainder64 as *const () as usize
        };
        Ok(self.call_pure(function, &[a, b], ty))
    }
}
