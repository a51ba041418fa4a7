//! Functions on numbers that no machine has as an instruction, called by compiled code of all back ends, so that all agree.

use tilia_abi::{FloatFormat, convert};

macro_rules! from_int {
    ($($name:ident $format:ident $int:ty, $method:ident;)*) => {
        $(pub(crate) extern "C" fn $name(v: $int) -> u64 { FloatFormat::$format.$method(v) })*
    };
}

// Rounding functions for integers to narrow floats, where going through f32 would round twice.
from_int! {
    int_to_f32 F32 i64, from_int;
    int_to_f16 F16 i64, from_int;
    int_to_bf16 BF16 i64, from_int;
    uint_to_f32 F32 u64, from_uint;
    uint_to_f16 F16 u64, from_uint;
    uint_to_bf16 BF16 u64, from_uint;
    uint_to_f64 F64 u64, from_uint;
}

pub(crate) extern "C" fn f16_to_f32(bits: u16) -> f32 {
    convert::f16_to_f32(bits)
}

pub(crate) extern "C" fn f32_to_f16(x: f32) -> u16 {
    convert::f32_to_f16(x)
}

pub(crate) extern "C" fn f64_to_f16(x: f64) -> u16 {
    convert::f64_to_f16(x)
}

pub(crate) extern "C" fn f32_to_bf16(x: f32) -> u16 {
    convert::f32_to_bf16(x)
}

pub(crate) extern "C" fn f64_to_bf16(x: f64) -> u16 {
    convert::f64_to_bf16(x)
}

pub(crate) extern "C" fn remainder64(a: f64, b: f64) -> f64 {
    a % b
}

pub(crate) extern "C" fn remainder32(a: f32, b: f32) -> f32 {
    a % b
}
