//! Functions of the `math` dialect: instructions where they are exact, else calls of the one implementation that all share.

use super::core::{Emit, Emitter};
use super::float::is_narrow;
use super::text::{Elem, Ty, V};
use super::types;
use tilia_abi::math;
use tilia_program::{MathFn, ScalarType};

impl Emitter<'_, '_> {
    /// Functions that are instructions on f32, f64 and vectors of them.
    pub(super) fn math_native(&mut self, f: MathFn, args: &[V]) -> Option<V> {
        let name = match (f, args.len()) {
            (MathFn::AbsF, 1) => "fabs",
            (MathFn::Sqrt, 1) => "sqrt",
            (MathFn::Floor, 1) => "floor",
            (MathFn::Ceil, 1) => "ceil",
            (MathFn::Trunc, 1) => "trunc",
            (MathFn::RoundEven, 1) => "roundeven",
            (MathFn::CopySign, 2) => "copysign",
            (MathFn::Fma, 3) => "fma",
            (MathFn::IsNaN, 1) => return Some(self.fcmp("uno", args[0], args[0])),
            _ => return None,
        };
        Some(self.intrinsic(name, args, args[0].ty))
    }

    /// A function of one element. `ty` is the type of the first operand.
    pub(super) fn math_scalar(&mut self, f: MathFn, args: &[V], ty: ScalarType) -> Emit<V> {
        if ty.is_int() {
            return self.int_function(f, args);
        }
        if let Some(class) = self.classify(f, args, ty) {
            return Ok(class);
        }
        if is_narrow(ty) {
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
            let result = self.math_scalar(f, &wide, ScalarType::F32)?;
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
        if f == MathFn::FPowI {
            args[1] = self.resize(args[1], 64, true);
        }
        Ok(self.call_pure(entry.address() as usize, &args, types::scalar(ty)))
    }

    /// `isnan` and kin, by the bits.
    fn classify(&mut self, f: MathFn, args: &[V], ty: ScalarType) -> Option<V> {
        let (&[a], MathFn::IsNaN | MathFn::IsInf | MathFn::IsFinite | MathFn::IsNormal) = (args, f) else {
            return None;
        };
        let fraction = match ty {
            ScalarType::F64 => 52,
            ScalarType::F32 => 23,
            ScalarType::F16 => 10,
            _ => 7,
        };
        let held: Ty = a.ty.with(Elem::Int(ty.bits()));
        let bits = self.convert("bitcast", a, held.elem);
        let mask = u64::MAX >> (64 - (u32::from(ty.bits()) - 1));
        let infinity = (mask >> fraction << fraction).cast_signed();
        let mask = self.code.int(mask.cast_signed(), held);
        let magnitude = self.binary("and", bits, mask);
        Some(match f {
            MathFn::IsNaN => self.icmp_const("ugt", magnitude, infinity),
            MathFn::IsInf => self.icmp_const("eq", magnitude, infinity),
            MathFn::IsFinite => self.icmp_const("ult", magnitude, infinity),
            _ => {
                let smallest = 1i64 << fraction;
                let less = self.code.int(smallest, held);
                let above = self.binary("sub", magnitude, less);
                self.icmp_const("ult", above, infinity - smallest)
            }
        })
    }
}
