//! Conversions between number types.

use super::core::{Emit, Emitter};
use super::float::is_narrow;
use super::text::{Elem, Ty, V};
use super::types;
use tilia_codegen::native::Runtime;
use tilia_program::{PureOp, ScalarType};

/// Whether the conversion is done on whole vectors.
pub(super) fn is_native(from: ScalarType, to: ScalarType) -> bool {
    !is_narrow(from) && !is_narrow(to)
}

impl Emitter<'_, '_> {
    /// Converts a number, or a vector where [`is_native`], of type `from` to type `to`.
    pub(super) fn cast(&mut self, op: PureOp, v: V, from: ScalarType, to: ScalarType) -> Emit<V> {
        Ok(match op {
            PureOp::ExtSI | PureOp::IndexCast => self.resize(v, to.bits(), true),
            PureOp::ExtUI | PureOp::IndexCastUI | PureOp::TruncI => self.resize(v, to.bits(), false),
            PureOp::ExtF | PureOp::TruncF => self.convert_float(v, from, to),
            PureOp::SIToFP => self.int_to_float(v, to, true),
            PureOp::UIToFP => self.int_to_float(v, to, false),
            PureOp::FPToSI | PureOp::FPToUI => self.float_to_int(v, from, to, op == PureOp::FPToSI),
            PureOp::Bitcast => self.convert("bitcast", v, types::elem(to)),
            _ => return Err(self.malformed("an operation that isn't a conversion")),
        })
    }

    fn convert_float(&mut self, v: V, from: ScalarType, to: ScalarType) -> V {
        if from == to {
            return v;
        }
        let wide = if is_narrow(from) { self.widen_narrow(v, from) } else { v };
        match (wide.ty.elem, to) {
            (_, ScalarType::F16 | ScalarType::BF16) => self.round_narrow(wide, to),
            (Elem::F32, ScalarType::F64) => self.convert("fpext", wide, Elem::F64),
            (Elem::F64, ScalarType::F32) => self.convert("fptrunc", wide, Elem::F32),
            _ => wide,
        }
    }

    fn int_to_float(&mut self, v: V, to: ScalarType, signed: bool) -> V {
        if !is_narrow(to) {
            return self.convert(if signed { "sitofp" } else { "uitofp" }, v, types::elem(to));
        }
        // Going through f32 would round twice.
        let wide = self.resize(v, 64, signed);
        let function = match (to, signed) {
            (ScalarType::F16, true) => Runtime::IntToF16,
            (ScalarType::F16, false) => Runtime::UIntToF16,
            (_, true) => Runtime::IntToBF16,
            (_, false) => Runtime::UIntToBF16,
        };
        let word = self.call_pure(function.address(), &[wide], Ty::I64);
        self.resize(word, 16, false)
    }

    /// Saturates; NaN gives 0.
    fn float_to_int(&mut self, v: V, from: ScalarType, to: ScalarType, signed: bool) -> V {
        let v = if is_narrow(from) { self.widen_narrow(v, from) } else { v };
        let name = if signed { "fptosi.sat" } else { "fptoui.sat" };
        self.named_intrinsic(name, v, v.ty.with(types::elem(to)))
    }
}
