//! Functions of the `math` dialect: instructions where they are exact, else calls of the one implementation that all share.

use super::core::{Emit, Emitter};
use super::int::immediate;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use tilia_abi::math;
use tilia_program::{MathFn, ScalarType};

impl Emitter<'_, '_> {
    /// Functions that are one instruction on f32, f64 and vectors of them.
    pub(super) fn math_native(&mut self, f: MathFn, args: &[Value]) -> Option<Value> {
        Some(match (f, args) {
            (MathFn::AbsF, &[a]) => self.at().ins().fabs(a),
            (MathFn::Sqrt, &[a]) => self.at().ins().sqrt(a),
            (MathFn::Floor, &[a]) => self.at().ins().floor(a),
            (MathFn::Ceil, &[a]) => self.at().ins().ceil(a),
            (MathFn::Trunc, &[a]) => self.at().ins().trunc(a),
            (MathFn::RoundEven, &[a]) => self.at().ins().nearest(a),
            (MathFn::CopySign, &[a, b]) => self.copy_sign(a, b),
            (MathFn::Fma, &[a, b, c]) => self.at().ins().fma(a, b, c),
            _ => return None,
        })
    }

    fn copy_sign(&mut self, a: Value, b: Value) -> Value {
        let ty = self.code.dfg.value_type(a);
        if !ty.is_vector() {
            return self.at().ins().fcopysign(a, b);
        }
        let zero = self.zero_of(ty);
        let sign = self.at().ins().fneg(zero);
        self.at().ins().bitselect(sign, b, a)
    }

    /// A function of one element. `ty` is the type of the first operand, `second` that of the second.
    pub(super) fn math_scalar(&mut self, f: MathFn, args: &[Value], ty: ScalarType, second: Option<ScalarType>) -> Emit<Value> {
        if let ScalarType::Int(_) | ScalarType::Index = ty {
            return self.int_function(f, args, ty.bits());
        }
        if let Some(class) = self.classify(f, args, ty) {
            return Ok(class);
        }
        if Self::is_narrow(ty) {
            let wide: Vec<_> = args
                .iter()
                .enumerate()
                .map(|(n, &a)| {
                    if n == 1 && f == MathFn::FPowI {
                        a
                    } else {
                        self.widen_narrow(a, ty)
                    }
                })
                .collect();
            let result = self.math_scalar(f, &wide, ScalarType::F32, second)?;
            return Ok(self.round_narrow(result, ty));
        }
        if let Some(result) = self.math_native(f, args) {
            return Ok(result);
        }
        let entry = math::entry(f, ty).ok_or_else(|| self.malformed(&format!("{f:?} isn't defined on {ty}")))?;
        if entry.params().len() != args.len() {
            return Err(self.malformed(&format!("{f:?} takes {} operands", entry.params().len())));
        }
        let mut args = args.to_vec();
        if let (MathFn::FPowI, Some(second)) = (f, second) {
            args[1] = self.resize(args[1], second.bits(), 64, true);
        }
        let result = super::types::scalar(ty);
        Ok(self.call_pure(entry.address() as usize, &args, result))
    }

    fn int_function(&mut self, f: MathFn, args: &[Value], bits: u8) -> Emit<Value> {
        let held = args.first().map(|&a| self.code.dfg.value_type(a));
        let (Some(held), Some(&a)) = (held, args.first()) else {
            return Err(self.malformed("a function without operands"));
        };
        let spare = i64::from(held.bits()) - i64::from(bits);
        let value = match (f, args.get(1)) {
            (MathFn::AbsI, None) => {
                let a = self.sign_filled(a, bits);
                self.at().ins().iabs(a)
            }
            (MathFn::CtPop, None) => self.at().ins().popcnt(a),
            (MathFn::CtLz, None) => {
                let count = self.at().ins().clz(a);
                self.at().ins().iadd_imm_s(count, -spare)
            }
            (MathFn::CtTz, None) => {
                let count = self.at().ins().ctz(a);
                let most = self.int_const(i64::from(bits), u8::try_from(held.bits()).unwrap_or(64));
                self.at().ins().umin(count, most)
            }
            (MathFn::IPowI, Some(&b)) => {
                let (a, b) = (self.resize(a, bits, 64, true), self.resize(b, bits, 64, true));
                let entry = math::entry(f, ScalarType::Int(64)).ok_or_else(|| self.malformed("no integer power"))?;
                let power = self.call_pure(entry.address() as usize, &[a, b], types::I64);
                return Ok(self.resize(power, 64, bits, false));
            }
            _ => return Err(self.malformed(&format!("{f:?} isn't defined on integers"))),
        };
        Ok(self.wrap(value, bits))
    }

    /// `isnan` and kin, by the bits.
    fn classify(&mut self, f: MathFn, args: &[Value], ty: ScalarType) -> Option<Value> {
        let (&[a], MathFn::IsNaN | MathFn::IsInf | MathFn::IsFinite | MathFn::IsNormal) = (args, f) else {
            return None;
        };
        if f == MathFn::IsNaN && !Self::is_narrow(ty) {
            return Some(self.at().ins().fcmp(FloatCC::Unordered, a, a));
        }
        let (int, fraction) = match ty {
            ScalarType::F64 => (types::I64, 52),
            ScalarType::F32 => (types::I32, 23),
            ScalarType::F16 => (types::I16, 10),
            _ => (types::I16, 7),
        };
        let width = int.bits();
        let bits = self.recast(a, int);
        let magnitude_mask = u64::MAX >> (64 - (width - 1));
        let magnitude = self.at().ins().band_imm_u(bits, immediate(magnitude_mask));
        let infinity = magnitude_mask >> fraction << fraction;
        let smallest = 1u64 << fraction;
        Some(match f {
            MathFn::IsNaN => self
                .at()
                .ins()
                .icmp_imm_u(IntCC::UnsignedGreaterThan, magnitude, immediate(infinity)),
            MathFn::IsInf => self.at().ins().icmp_imm_u(IntCC::Equal, magnitude, immediate(infinity)),
            MathFn::IsFinite => self.at().ins().icmp_imm_u(IntCC::UnsignedLessThan, magnitude, immediate(infinity)),
            _ => {
                let above = self.at().ins().iadd_imm_s(magnitude, -immediate(smallest));
                let span = immediate(infinity - smallest);
                self.at().ins().icmp_imm_u(IntCC::UnsignedLessThan, above, span)
            }
        })
    }
}
