//! f16 and bf16, held as their bits: computed in f32 and rounded back.

use super::core::Emitter;
use crate::rt::numbers;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use tilia_program::ScalarType;

impl Emitter<'_, '_> {
    /// Whether the type is computed in f32.
    pub(super) fn is_narrow(ty: ScalarType) -> bool {
        matches!(ty, ScalarType::F16 | ScalarType::BF16)
    }

    /// The f32 of the same value.
    pub(super) fn widen_narrow(&mut self, value: Value, ty: ScalarType) -> Value {
        if ty == ScalarType::BF16 {
            let wide = self.at().ins().uextend(types::I32, value);
            let bits = self.at().ins().ishl_imm_u(wide, 16);
            return self.at().ins().bitcast(types::F32, MemFlagsData::new(), bits);
        }
        self.call_pure(numbers::f16_to_f32 as *const () as usize, &[value], types::F32)
    }

    /// The narrow value nearest to an f32 or f64.
    pub(super) fn round_narrow(&mut self, value: Value, ty: ScalarType) -> Value {
        let double = self.code.dfg.value_type(value) == types::F64;
        let function = match (ty, double) {
            (ScalarType::BF16, true) => numbers::f64_to_bf16 as *const () as usize,
            (ScalarType::BF16, false) => numbers::f32_to_bf16 as *const () as usize,
            (_, true) => numbers::f64_to_f16 as *const () as usize,
            (_, false) => numbers::f32_to_f16 as *const () as usize,
        };
        self.call_pure(function, &[value], types::I16)
    }
}
