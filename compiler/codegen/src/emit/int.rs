//! Arithmetic on integers of 1 to 64 bits, held zero-extended in i8, i16, i32 or i64.

use super::core::{Emit, Emitter};
use crate::sites::Cause;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, Value, types};
use tilia_program::{CmpI, PureOp};

/// The bits of an integer of that width, zero-extended.
pub(super) fn zero_extended(value: i64, bits: u8) -> u64 {
    value.cast_unsigned() & (u64::MAX >> (64 - u32::from(bits.clamp(1, 64))))
}

/// A zero-extended constant as an immediate of the type that holds it.
pub(super) fn immediate(value: u64) -> i64 {
    value.cast_signed()
}

fn condition(cmp: CmpI) -> IntCC {
    match cmp {
        CmpI::Eq => IntCC::Equal,
        CmpI::Ne => IntCC::NotEqual,
        CmpI::Slt => IntCC::SignedLessThan,
        CmpI::Sle => IntCC::SignedLessThanOrEqual,
        CmpI::Sgt => IntCC::SignedGreaterThan,
        CmpI::Sge => IntCC::SignedGreaterThanOrEqual,
        CmpI::Ult => IntCC::UnsignedLessThan,
        CmpI::Ule => IntCC::UnsignedLessThanOrEqual,
        CmpI::Ugt => IntCC::UnsignedGreaterThan,
        CmpI::Uge => IntCC::UnsignedGreaterThanOrEqual,
    }
}

impl Emitter<'_, '_> {
    fn held_in(&self, value: Value) -> ir::Type {
        self.code.dfg.value_type(value)
    }

    /// A constant of the type that holds `bits` bits.
    pub(super) fn int_const(&mut self, value: i64, bits: u8) -> Value {
        let ty = super::types::scalar(tilia_program::ScalarType::Int(bits));
        self.at().ins().iconst(ty, immediate(zero_extended(value, bits)))
    }

    /// Clears what lies above the width.
    pub(super) fn wrap(&mut self, value: Value, bits: u8) -> Value {
        if u32::from(bits) == self.held_in(value).bits() {
            return value;
        }
        let mask = immediate(zero_extended(-1, bits));
        self.at().ins().band_imm_u(value, mask)
    }

    /// The value with its sign in all bits above the width.
    pub(super) fn sign_filled(&mut self, value: Value, bits: u8) -> Value {
        let spare = self.held_in(value).bits() - u32::from(bits);
        if spare == 0 {
            return value;
        }
        let up = self.at().ins().ishl_imm_u(value, i64::from(spare));
        self.at().ins().sshr_imm_u(up, i64::from(spare))
    }

    /// Converts between the types that hold integers, by sign or zeros. `bits` is the width of `value`.
    pub(super) fn resize(&mut self, value: Value, bits: u8, to: u8, signed: bool) -> Value {
        let target = super::types::scalar(tilia_program::ScalarType::Int(to));
        let from = self.held_in(value);
        let value = if signed && to > bits {
            self.sign_filled(value, bits)
        } else {
            value
        };
        let value = match target.bits().cmp(&from.bits()) {
            std::cmp::Ordering::Less => self.at().ins().ireduce(target, value),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater if signed => self.at().ins().sextend(target, value),
            std::cmp::Ordering::Greater => self.at().ins().uextend(target, value),
        };
        self.wrap(value, to)
    }

    /// Operations of two integers of `bits` bits. Results: one, or two for the extended ones.
    pub(super) fn int_binary(&mut self, op: PureOp, a: Value, b: Value, bits: u8) -> Emit<Vec<Value>> {
        let value = match op {
            PureOp::AddI => self.at().ins().iadd(a, b),
            PureOp::SubI => self.at().ins().isub(a, b),
            PureOp::MulI => self.at().ins().imul(a, b),
            PureOp::AndI => self.at().ins().band(a, b),
            PureOp::OrI => self.at().ins().bor(a, b),
            PureOp::XOrI => self.at().ins().bxor(a, b),
            PureOp::MaxUI => self.at().ins().umax(a, b),
            PureOp::MinUI => self.at().ins().umin(a, b),
            PureOp::MaxSI | PureOp::MinSI => {
                let (a, b) = (self.sign_filled(a, bits), self.sign_filled(b, bits));
                if op == PureOp::MaxSI {
                    self.at().ins().smax(a, b)
                } else {
                    self.at().ins().smin(a, b)
                }
            }
            PureOp::ShLI | PureOp::ShRSI | PureOp::ShRUI => self.shift(op, a, b, bits),
            PureOp::DivUI | PureOp::RemUI | PureOp::CeilDivUI => self.divide_unsigned(op, a, b),
            PureOp::DivSI | PureOp::RemSI | PureOp::CeilDivSI | PureOp::FloorDivSI => self.divide_signed(op, a, b, bits),
            PureOp::AddUIExtended => return Ok(self.add_extended(a, b, bits)),
            PureOp::MulSIExtended | PureOp::MulUIExtended => return Ok(self.mul_extended(a, b, bits, op == PureOp::MulSIExtended)),
            _ => return Err(self.malformed("an operation that isn't one of integers")),
        };
        Ok(vec![self.wrap(value, bits)])
    }

    fn shift(&mut self, op: PureOp, a: Value, b: Value, bits: u8) -> Value {
        let width = i64::from(bits);
        if op == PureOp::ShRSI {
            let a = self.sign_filled(a, bits);
            let most = self.int_const(width - 1, 64.min(self.held_in(b).bits() as u8));
            let by = self.at().ins().umin(b, most);
            return self.at().ins().sshr(a, by);
        }
        let shifted = if op == PureOp::ShLI {
            self.at().ins().ishl(a, b)
        } else {
            self.at().ins().ushr(a, b)
        };
        let short = self.at().ins().icmp_imm_u(IntCC::UnsignedLessThan, b, width);
        let ty = self.held_in(a);
        let zero = self.at().ins().iconst(ty, 0);
        self.at().ins().select(short, shifted, zero)
    }

    /// The constant that a value is, if it is one.
    pub(super) fn constant_of(&self, value: Value) -> Option<i64> {
        let inst = self.code.dfg.value_def(value).inst()?;
        match self.code.dfg.insts[inst] {
            ir::InstructionData::UnaryImm { imm, .. } => Some(imm.bits()),
            _ => None,
        }
    }

    fn check_divisor(&mut self, b: Value) {
        if self.constant_of(b).is_some_and(|c| c != 0) {
            return;
        }
        let ok = self.at().ins().icmp_imm_u(IntCC::NotEqual, b, 0);
        let zero = self.int(0);
        self.check(ok, Cause::Text("division by zero".to_owned()), zero, zero);
    }

    fn check_quotient(&mut self, a: Value, b: Value, bits: u8) {
        let minus_one = immediate(zero_extended(-1, bits));
        if self.constant_of(b).is_some_and(|c| c != minus_one) {
            return;
        }
        let least = immediate(zero_extended(i64::MIN >> (64 - u32::from(bits)), bits));
        let x = self.at().ins().icmp_imm_u(IntCC::NotEqual, a, least);
        let y = self.at().ins().icmp_imm_u(IntCC::NotEqual, b, minus_one);
        let ok = self.at().ins().bor(x, y);
        let zero = self.int(0);
        let text = "the quotient of the least integer and -1 doesn't fit its type".to_owned();
        self.check(ok, Cause::Text(text), zero, zero);
    }

    /// Widens to the narrowest type with a division instruction.
    fn for_division(&mut self, v: Value, signed: bool) -> Value {
        if self.held_in(v).bits() >= 32 {
            return v;
        }
        if signed {
            self.at().ins().sextend(types::I32, v)
        } else {
            self.at().ins().uextend(types::I32, v)
        }
    }

    fn narrowed(&mut self, v: Value, to: ir::Type) -> Value {
        if self.held_in(v) == to { v } else { self.at().ins().ireduce(to, v) }
    }

    fn divide_unsigned(&mut self, op: PureOp, a: Value, b: Value) -> Value {
        self.check_divisor(b);
        let ty = self.held_in(a);
        let (a, b) = (self.for_division(a, false), self.for_division(b, false));
        let value = match op {
            PureOp::RemUI => self.at().ins().urem(a, b),
            PureOp::DivUI => self.at().ins().udiv(a, b),
            _ => {
                let q = self.at().ins().udiv(a, b);
                let back = self.at().ins().imul(q, b);
                let up = self.at().ins().icmp(IntCC::NotEqual, back, a);
                let wide = self.held_in(q);
                let up = self.at().ins().uextend(wide, up);
                self.at().ins().iadd(q, up)
            }
        };
        self.narrowed(value, ty)
    }

    fn divide_signed(&mut self, op: PureOp, a: Value, b: Value, bits: u8) -> Value {
        self.check_divisor(b);
        self.check_quotient(a, b, bits);
        let ty = self.held_in(a);
        let (a, b) = (self.sign_filled(a, bits), self.sign_filled(b, bits));
        let (a, b) = (self.for_division(a, true), self.for_division(b, true));
        let value = match op {
            PureOp::RemSI => self.at().ins().srem(a, b),
            PureOp::DivSI => self.at().ins().sdiv(a, b),
            _ => {
                let q = self.at().ins().sdiv(a, b);
                let back = self.at().ins().imul(q, b);
                let r = self.at().ins().isub(a, back);
                // Rounded towards zero; the exact quotient is negative where remainder and divisor differ in sign.
                let inexact = self.at().ins().icmp_imm_s(IntCC::NotEqual, r, 0);
                let signs = self.at().ins().bxor(r, b);
                let which = if op == PureOp::FloorDivSI {
                    IntCC::SignedLessThan
                } else {
                    IntCC::SignedGreaterThanOrEqual
                };
                let direction = self.at().ins().icmp_imm_s(which, signs, 0);
                let adjust = self.at().ins().band(inexact, direction);
                let wide = self.held_in(q);
                let adjust = self.at().ins().uextend(wide, adjust);
                if op == PureOp::FloorDivSI {
                    self.at().ins().isub(q, adjust)
                } else {
                    self.at().ins().iadd(q, adjust)
                }
            }
        };
        self.narrowed(value, ty)
    }

    fn add_extended(&mut self, a: Value, b: Value, bits: u8) -> Vec<Value> {
        let sum = self.at().ins().iadd(a, b);
        let sum = self.wrap(sum, bits);
        let carry = self.at().ins().icmp(IntCC::UnsignedLessThan, sum, a);
        vec![sum, carry]
    }

    fn mul_extended(&mut self, a: Value, b: Value, bits: u8, signed: bool) -> Vec<Value> {
        if bits > 32 {
            let (a, b) = if signed {
                (self.sign_filled(a, bits), self.sign_filled(b, bits))
            } else {
                (a, b)
            };
            let low = self.at().ins().imul(a, b);
            let high = if signed {
                self.at().ins().smulhi(a, b)
            } else {
                self.at().ins().umulhi(a, b)
            };
            if bits == 64 {
                return vec![low, high];
            }
            let above = self.at().ins().ushr_imm_u(low, i64::from(bits));
            let below = self.at().ins().ishl_imm_u(high, i64::from(64 - bits));
            let high = self.at().ins().bor(above, below);
            return vec![self.wrap(low, bits), self.wrap(high, bits)];
        }
        let (wide_a, wide_b) = (self.resize(a, bits, 64, signed), self.resize(b, bits, 64, signed));
        let product = self.at().ins().imul(wide_a, wide_b);
        let high = self.at().ins().ushr_imm_u(product, i64::from(bits));
        vec![self.resize(product, 64, bits, false), self.resize(high, 64, bits, false)]
    }

    pub(super) fn compare_ints(&mut self, cmp: CmpI, a: Value, b: Value, bits: u8) -> Value {
        let signed = matches!(cmp, CmpI::Slt | CmpI::Sle | CmpI::Sgt | CmpI::Sge);
        let (a, b) = if signed {
            (self.sign_filled(a, bits), self.sign_filled(b, bits))
        } else {
            (a, b)
        };
        self.at().ins().icmp(condition(cmp), a, b)
    }

    /// A comparison of vectors of whole-byte integers, where the machine has it: lanes of ones or zeros.
    pub(super) fn compare_int_chunks(&mut self, cmp: CmpI, a: Value, b: Value) -> Option<Value> {
        if matches!(cmp, CmpI::Ult | CmpI::Ule | CmpI::Ugt | CmpI::Uge) {
            return None;
        }
        Some(self.at().ins().icmp(condition(cmp), a, b))
    }
}
