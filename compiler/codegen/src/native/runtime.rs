//! The runtime's functions, by address.

use crate::rt::{self, ThreadCtx, numbers};

/// Byte offsets of the fields of the context that compiled code uses; each is a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// Lowest address that the stack pointer may reach.
    StackLimit,
    /// Vector loops executed.
    Vector,
    /// Full tiles executed.
    FullTiles,
}

impl Context {
    /// The offset.
    #[must_use]
    pub fn offset(self) -> i32 {
        match self {
            Self::StackLimit => ThreadCtx::STACK_LIMIT,
            Self::Vector => ThreadCtx::VECTOR,
            Self::FullTiles => ThreadCtx::FULL_TILES,
        }
    }
}

/// A function of the runtime. Unless said otherwise, parameters and results are words, and the first parameter is the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Runtime {
    /// `(context, site, a, b)`: records an error.
    Fail,
    /// `(context, site, dims, packed, align) -> pointer`, null after an error. `packed`: rank in the low half, bytes of an element in the high half; so for all.
    Alloc,
    /// `(context, site, dims, packed, align, slot) -> pointer`: as `Alloc`, for memory that lives in a slot of two words, which are zero at first.
    Alloca,
    /// `(context, slot)`: frees a slot's memory.
    FreeSlot,
    /// `(context, site, pointer) -> status`.
    Dealloc,
    /// As `Dealloc`, where something may still use the memory.
    Retire,
    /// `(context, site, descriptor, packed) -> status`: whether a view stays in its memory.
    CheckView,
    /// `(context, site, source, target, packed) -> status`, of descriptors.
    Copy,
    /// `(a, packed, b, packed) -> 0 or 1`, of descriptors.
    Overlap,
    /// `(context, body, captures, trips, work: f64) -> status`.
    Parallel,
    /// `(i64) -> bits of an f16 in a word`.
    IntToF16,
    /// As above.
    IntToBF16,
    /// `(u64) -> bits of an f16 in a word`.
    UIntToF16,
    /// As above.
    UIntToBF16,
    /// `(bits: i16) -> f32`.
    F16ToF32,
    /// `(f32) -> bits: i16`.
    F32ToF16,
    /// `(f64) -> bits: i16`.
    F64ToF16,
    /// `(f32) -> bits: i16`.
    F32ToBF16,
    /// `(f64) -> bits: i16`.
    F64ToBF16,
    /// `(f64, f64) -> f64`: the remainder that truncates.
    RemainderF64,
    /// `(f32, f32) -> f32`, likewise.
    RemainderF32,
}

impl Runtime {
    /// Where its code is.
    #[must_use]
    pub fn address(self) -> usize {
        match self {
            Self::Fail => rt::fail as *const () as usize,
            Self::Alloc => rt::alloc as *const () as usize,
            Self::Alloca => rt::alloca as *const () as usize,
            Self::FreeSlot => rt::free_slot as *const () as usize,
            Self::Dealloc => rt::dealloc as *const () as usize,
            Self::Retire => rt::retire as *const () as usize,
            Self::CheckView => rt::check_view as *const () as usize,
            Self::Copy => rt::copy as *const () as usize,
            Self::Overlap => rt::overlap as *const () as usize,
            Self::Parallel => rt::parallel as *const () as usize,
            Self::IntToF16 => numbers::int_to_f16 as *const () as usize,
            Self::IntToBF16 => numbers::int_to_bf16 as *const () as usize,
            Self::UIntToF16 => numbers::uint_to_f16 as *const () as usize,
            Self::UIntToBF16 => numbers::uint_to_bf16 as *const () as usize,
            Self::F16ToF32 => numbers::f16_to_f32 as *const () as usize,
            Self::F32ToF16 => numbers::f32_to_f16 as *const () as usize,
            Self::F64ToF16 => numbers::f64_to_f16 as *const () as usize,
            Self::F32ToBF16 => numbers::f32_to_bf16 as *const () as usize,
            Self::F64ToBF16 => numbers::f64_to_bf16 as *const () as usize,
            Self::RemainderF64 => numbers::remainder64 as *const () as usize,
            Self::RemainderF32 => numbers::remainder32 as *const () as usize,
        }
    }
}
