//! Conversions between number types.

use super::core::{Emit, Emitter};
use crate::rt::numbers;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use tilia_program::{PureOp, ScalarType};

impl Emitter<'_, '_> {
    /// Converts one number of type `from` to type `to`.
    pub(super) fn cast(&mut self, op: PureOp, v: Value, from: ScalarType, to: ScalarType) -> Emit<Value> {
        Ok(match op {
            PureOp::ExtSI | PureOp::IndexCast => self.resize(v, from.bits(), to.bits(), true),
            PureOp::ExtUI | PureOp::IndexCastUI | PureOp::TruncI => self.resize(v, from.bits(), to.bits(), false),
            PureOp::ExtF | PureOp::TruncF => self.convert_float(v, from, to),
            PureOp::SIToFP => self.int_to_float(v, from.bits(), to, true),
            PureOp::UIToFP => self.int_to_float(v, from.bits(), to, false),
            PureOp::FPToSI | PureOp::FPToUI => self.float_to_int(v, from, to.bits(), op == PureOp::FPToSI),
            PureOp::Bitcast => {
                let ty = super::types::scalar(to);
                self.recast(v, ty)
            }
            _ => return Err(self.malformed("an operation that isn't a conversion")),
        })
    }

    /// The same bits as another type of the same size.
    pub(super) fn recast(&mut self, v: Value, to: cranelift_codegen::ir::Type) -> Value {
        if self.code.dfg.value_type(v) == to {
            return v;
        }
        let mut flags = MemFlagsData::new();
        if to.is_vector() {
            flags = flags.with_endianness(cranelift_codegen::ir::Endianness::Little);
        }
        self.at().ins().bitcast(to, flags, v)
    }

    fn convert_float(&mut self, v: Value, from: ScalarType, to: ScalarType) -> Value {
        if from == to {
            return v;
        }
        let (wide, held) = if Self::is_narrow(from) {
            (self.widen_narrow(v, from), ScalarType::F32)
        } else {
            (v, from)
        };
        match (held, to) {
            (_, ScalarType::F16 | ScalarType::BF16) => self.round_narrow(wide, to),
            (ScalarType::F32, ScalarType::F64) => self.at().ins().fpromote(types::F64, wide),
            (ScalarType::F64, ScalarType::F32) => self.at().ins().fdemote(types::F32, wide),
            _ => wide,
        }
    }

    fn int_to_float(&mut self, v: Value, bits: u8, to: ScalarType, signed: bool) -> Value {
        // Up to 32 bits, f64 holds the integer exactly; so f64 is right for all, and f32 by one instruction.
        if to == ScalarType::F64 && (signed || bits <= 32) {
            let wide = self.resize(v, bits, 64, signed);
            return self.at().ins().fcvt_from_sint(types::F64, wide);
        }
        if to == ScalarType::F32 && (signed || bits <= 32) {
            let wide = self.resize(v, bits, 64, signed);
            return self.at().ins().fcvt_from_sint(types::F32, wide);
        }
        let wide = self.resize(v, bits, 64, signed);
        let function = match (to, signed) {
            (ScalarType::F16, true) => numbers::int_to_f16 as *const () as usize,
            (ScalarType::F16, false) => numbers::uint_to_f16 as *const () as usize,
            (ScalarType::BF16, true) => numbers::int_to_bf16 as *const () as usize,
            (ScalarType::BF16, false) => numbers::uint_to_bf16 as *const () as usize,
            (ScalarType::F32, true) => numbers::int_to_f32 as *const () as usize,
            (ScalarType::F32, false) => numbers::uint_to_f32 as *const () as usize,
            _ => numbers::uint_to_f64 as *const () as usize,
        };
        let word = self.call_pure(function, &[wide], types::I64);
        match to {
            ScalarType::F64 => self.recast(word, types::F64),
            ScalarType::F32 => {
                let low = self.at().ins().ireduce(types::I32, word);
                self.recast(low, types::F32)
            }
            _ => self.at().ins().ireduce(types::I16, word),
        }
    }

    fn float_to_int(&mut self, v: Value, from: ScalarType, bits: u8, signed: bool) -> Value {
        let v = if Self::is_narrow(from) { self.widen_narrow(v, from) } else { v };
        let wide = if signed {
            let wide = self.at().ins().fcvt_to_sint_sat(types::I64, v);
            let max = i64::MAX >> (64 - u32::from(bits));
            self.clamp_signed(wide, -max - 1, max, bits)
        } else {
            let wide = self.at().ins().fcvt_to_uint_sat(types::I64, v);
            if bits == 64 {
                wide
            } else {
                let max = self.int((1 << bits) - 1);
                self.at().ins().umin(wide, max)
            }
        };
        self.resize(wide, 64, bits, false)
    }

    fn clamp_signed(&mut self, v: Value, low: i64, high: i64, bits: u8) -> Value {
        if bits == 64 {
            return v;
        }
        let (low, high) = (self.int(low), self.int(high));
        let v = self.at().ins().smax(v, low);
        self.at().ins().smin(v, high)
    }
}
