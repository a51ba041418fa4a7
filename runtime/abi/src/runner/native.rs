//! The runner functions with MLIR's C interface.

use super::action::{self, RunnerFn};
use crate::{RawMemRef, UnrankedMemRef, Value, print::Shown, sink};
use std::ffi::{CStr, c_char, c_void};
use tilia_program::ScalarType;

/// A function that compiled code may call.
#[derive(Debug, Clone, Copy)]
pub struct Symbol {
    /// The name to link by.
    pub name: &'static str,
    /// Address of the code. Unranked memrefs are passed as rank and descriptor pointer; under the prefix `_mlir_ciface_`, each memref is a pointer to its descriptor.
    pub address: *const u8,
}

/// Calls `then` with what a descriptor of compiled code shows.
///
/// # Safety
/// `descriptor` is a valid descriptor of that rank and element type, and its elements can be read.
unsafe fn with_shown<T>(rank: i64, descriptor: *const c_void, elem: ScalarType, then: impl FnOnce(&Shown<'_>) -> T) -> T {
    let rank = usize::try_from(rank).unwrap_or(0);
    // SAFETY: as the caller says.
    let raw = unsafe { RawMemRef::read(rank, descriptor) };
    let bytes = usize::try_from(elem.bytes()).unwrap_or(8).min(8);
    let element = |n: i64| {
        let mut word = [0u8; 8];
        let start = isize::try_from(n).ok()?.checked_mul(isize::try_from(bytes).ok()?)?;
        // SAFETY: `n` is the number of an element of the memref, which the caller says can be read; no reference is made.
        unsafe { std::ptr::copy_nonoverlapping(raw.data.offset(start), word.as_mut_ptr(), bytes) };
        Some(u64::from_le_bytes(word))
    };
    then(&Shown {
        address: raw.data.addr(),
        elem,
        offset: raw.offset,
        sizes: &raw.sizes,
        strides: &raw.strides,
        element: &element,
    })
}

macro_rules! symbols {
    (
        unranked { $($plain:ident $ciface:ident $f:expr, $elem:expr;)* }
        ranked { $($rname:ident $rank:literal $relem:expr;)* }
        verify { $($vplain:ident $vciface:ident $velem:expr;)* }
        scalar { $($s:ident $sciface:literal = $path:path;)* }
    ) => {
        /// MLIR's names are kept.
        #[expect(non_snake_case, reason = "named as in MLIR's runner utilities")]
        mod exported {
            use super::*;
            $(
                pub(super) unsafe extern "C" fn $plain(rank: i64, descriptor: *const c_void) {
                    // SAFETY: compiled code passes a descriptor of this rank and element type.
                    unsafe { with_shown(rank, descriptor, $elem, |s| action::write_shown($f($elem), s)) }
                }
                pub(super) unsafe extern "C" fn $ciface(m: *const UnrankedMemRef) {
                    // SAFETY: compiled code passes a pointer to an unranked memref of this element type.
                    unsafe { $plain((*m).rank, (*m).descriptor) }
                }
            )*
            $(
                pub(super) unsafe extern "C" fn $rname(descriptor: *const c_void) {
                    // SAFETY: compiled code passes a descriptor of this rank and element type.
                    unsafe { with_shown($rank, descriptor, $relem, |s| action::write_shown(RunnerFn::PrintRanked($rank, $relem), s)) }
                }
            )*
            $(
                pub(super) unsafe extern "C" fn $vplain(rank: i64, actual: *const c_void, expected: *const c_void) -> i64 {
                    // SAFETY: compiled code passes two descriptors of this rank and element type.
                    unsafe { with_shown(rank, actual, $velem, |a| with_shown(rank, expected, $velem, |b| action::verify_shown(a, b))) }
                }
                pub(super) unsafe extern "C" fn $vciface(actual: *const UnrankedMemRef, expected: *const UnrankedMemRef) -> i64 {
                    // SAFETY: compiled code passes pointers to two unranked memrefs of this element type.
                    unsafe {
                        if (*actual).rank == (*expected).rank { $vplain((*actual).rank, (*actual).descriptor, (*expected).descriptor) } else { -1 }
                    }
                }
            )*
        }

        /// Every function that compiled code may link, under every name it has.
        #[must_use]
        pub fn symbols() -> Vec<Symbol> {
            vec![
                $(
                    Symbol { name: stringify!($plain), address: exported::$plain as *const u8 },
                    Symbol { name: concat!("_mlir_ciface_", stringify!($plain)), address: exported::$ciface as *const u8 },
                )*
                $(Symbol { name: concat!("_mlir_ciface_", stringify!($rname)), address: exported::$rname as *const u8 },)*
                $(
                    Symbol { name: stringify!($vplain), address: exported::$vplain as *const u8 },
                    Symbol { name: concat!("_mlir_ciface_", stringify!($vplain)), address: exported::$vciface as *const u8 },
                )*
                $(
                    Symbol { name: stringify!($s), address: $path as *const u8 },
                    Symbol { name: $sciface, address: $path as *const u8 },
                )*
            ]
        }
    };
}

symbols! {
    unranked {
        printMemrefI8 c_printMemrefI8 RunnerFn::PrintMemRef, ScalarType::Int(8);
        printMemrefI16 c_printMemrefI16 RunnerFn::PrintMemRef, ScalarType::Int(16);
        printMemrefI32 c_printMemrefI32 RunnerFn::PrintMemRef, ScalarType::Int(32);
        printMemrefI64 c_printMemrefI64 RunnerFn::PrintMemRef, ScalarType::Int(64);
        printMemrefF16 c_printMemrefF16 RunnerFn::PrintMemRef, ScalarType::F16;
        printMemrefBF16 c_printMemrefBF16 RunnerFn::PrintMemRef, ScalarType::BF16;
        printMemrefF32 c_printMemrefF32 RunnerFn::PrintMemRef, ScalarType::F32;
        printMemrefF64 c_printMemrefF64 RunnerFn::PrintMemRef, ScalarType::F64;
        printMemrefInd c_printMemrefInd RunnerFn::PrintMemRef, ScalarType::Index;
        printMemrefShapeI8 c_printMemrefShapeI8 RunnerFn::PrintShape, ScalarType::Int(8);
        printMemrefShapeI16 c_printMemrefShapeI16 RunnerFn::PrintShape, ScalarType::Int(16);
        printMemrefShapeI32 c_printMemrefShapeI32 RunnerFn::PrintShape, ScalarType::Int(32);
        printMemrefShapeI64 c_printMemrefShapeI64 RunnerFn::PrintShape, ScalarType::Int(64);
        printMemrefShapeF16 c_printMemrefShapeF16 RunnerFn::PrintShape, ScalarType::F16;
        printMemrefShapeBF16 c_printMemrefShapeBF16 RunnerFn::PrintShape, ScalarType::BF16;
        printMemrefShapeF32 c_printMemrefShapeF32 RunnerFn::PrintShape, ScalarType::F32;
        printMemrefShapeF64 c_printMemrefShapeF64 RunnerFn::PrintShape, ScalarType::F64;
        printMemrefShapeInd c_printMemrefShapeInd RunnerFn::PrintShape, ScalarType::Index;
    }
    ranked {
        printMemref0dF32 0 ScalarType::F32;
        printMemref1dF32 1 ScalarType::F32;
        printMemref2dF32 2 ScalarType::F32;
        printMemref3dF32 3 ScalarType::F32;
        printMemref4dF32 4 ScalarType::F32;
        printMemref1dI8 1 ScalarType::Int(8);
        printMemref1dI32 1 ScalarType::Int(32);
        printMemref1dI64 1 ScalarType::Int(64);
        printMemref1dF64 1 ScalarType::F64;
        printMemref1dInd 1 ScalarType::Index;
    }
    verify {
        verifyMemRefI8 c_verifyMemRefI8 ScalarType::Int(8);
        verifyMemRefI16 c_verifyMemRefI16 ScalarType::Int(16);
        verifyMemRefI32 c_verifyMemRefI32 ScalarType::Int(32);
        verifyMemRefI64 c_verifyMemRefI64 ScalarType::Int(64);
        verifyMemRefF16 c_verifyMemRefF16 ScalarType::F16;
        verifyMemRefBF16 c_verifyMemRefBF16 ScalarType::BF16;
        verifyMemRefF32 c_verifyMemRefF32 ScalarType::F32;
        verifyMemRefF64 c_verifyMemRefF64 ScalarType::F64;
        verifyMemRefInd c_verifyMemRefInd ScalarType::Index;
    }
    scalar {
        printI64 "_mlir_ciface_printI64" = print_i64;
        printU64 "_mlir_ciface_printU64" = print_u64;
        printF32 "_mlir_ciface_printF32" = print_f32;
        printF64 "_mlir_ciface_printF64" = print_f64;
        printString "_mlir_ciface_printString" = print_string;
        printOpen "_mlir_ciface_printOpen" = print_open;
        printClose "_mlir_ciface_printClose" = print_close;
        printComma "_mlir_ciface_printComma" = print_comma;
        printNewline "_mlir_ciface_printNewline" = print_newline;
        printFlops "_mlir_ciface_printFlops" = print_flops;
        rtclock "_mlir_ciface_rtclock" = rtclock;
        nanoTime "_mlir_ciface_nanoTime" = nano_time;
    }
}

extern "C" fn print_i64(v: i64) {
    action::scalar(RunnerFn::PrintI64, &[Value::Int(v)]);
}

extern "C" fn print_u64(v: i64) {
    action::scalar(RunnerFn::PrintU64, &[Value::Int(v)]);
}

extern "C" fn print_f32(v: f32) {
    action::scalar(RunnerFn::PrintF32, &[Value::Float(u64::from(v.to_bits()))]);
}

extern "C" fn print_f64(v: f64) {
    action::scalar(RunnerFn::PrintF64, &[Value::Float(v.to_bits())]);
}

extern "C" fn print_flops(v: f64) {
    action::scalar(RunnerFn::PrintFlops, &[Value::Float(v.to_bits())]);
}

unsafe extern "C" fn print_string(text: *const c_char) {
    // SAFETY: compiled code passes a string that ends in a zero byte.
    sink::write(unsafe { CStr::from_ptr(text) }.to_bytes());
}

extern "C" fn print_open() {
    sink::write(b"( ");
}

extern "C" fn print_close() {
    sink::write(b" )");
}

extern "C" fn print_comma() {
    sink::write(b", ");
}

extern "C" fn print_newline() {
    sink::write(b"\n");
}

extern "C" fn rtclock() -> f64 {
    match action::scalar(RunnerFn::Clock, &[]) {
        Some(Value::Float(bits)) => f64::from_bits(bits),
        _ => 0.0,
    }
}

extern "C" fn nano_time() -> i64 {
    match action::scalar(RunnerFn::NanoTime, &[]) {
        Some(Value::Int(v)) => v,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemRefValue, to_words};

    #[test]
    fn compiled_code_prints() {
        let m = MemRefValue::zeroed(ScalarType::Int(32), &[2, 2]).unwrap();
        m.set(&[1, 0], 7);
        let words = to_words(&m);
        let symbols = symbols();
        let plain = symbols.iter().find(|s| s.name == "printMemrefI32").unwrap();
        let ciface = symbols.iter().find(|s| s.name == "_mlir_ciface_printMemrefI32").unwrap();
        let unranked = UnrankedMemRef {
            rank: 2,
            descriptor: words.as_ptr().cast(),
        };
        // SAFETY: the table says that these are their types; the descriptor is valid.
        let ((), out) = sink::capture(|| unsafe {
            let f: unsafe extern "C" fn(i64, *const c_void) = std::mem::transmute(plain.address);
            f(2, words.as_ptr().cast());
            let f: unsafe extern "C" fn(*const UnrankedMemRef) = std::mem::transmute(ciface.address);
            f(&raw const unranked);
        });
        let out = String::from_utf8(out).unwrap();
        assert_eq!(out.matches("[[0,   0], \n [7,   0]]\n").count(), 2, "{out}");
    }

    #[test]
    fn each_name_is_known_to_the_interpreter_too() {
        for symbol in symbols() {
            // Strings are pointers, which interpreted programs don't have.
            if !symbol.name.ends_with("printString") {
                assert!(action::find(symbol.name).is_some(), "{}", symbol.name);
            }
        }
    }
}
