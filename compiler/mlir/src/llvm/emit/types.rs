//! How types of the program IR are held in values of the dialect `llvm`.
//!
//! Integers have their own width, and in memory that of the next whole number of bytes; f16 and bf16 are held as their 16 bits. Vectors are flat. A memref is a bundle: allocated
//! and aligned pointer, and what its type doesn't say of offset, sizes and strides.

use super::text::{Elem, Ty};
use tilia_codegen::analysis::{Source, VectorWords, bundle, opaque};
use tilia_diag::{Diagnostic, Loc};
use tilia_program::{ScalarType, Type, VectorType};

/// Most elements of a vector; LLVM takes long for more.
const MAX_LANES: u32 = 512;

/// How a number is held.
pub(super) fn elem(ty: ScalarType) -> Elem {
    match ty {
        ScalarType::Int(bits) => Elem::Int(bits),
        ScalarType::Index => Elem::Int(64),
        ScalarType::F16 | ScalarType::BF16 => Elem::Int(16),
        ScalarType::F32 => Elem::F32,
        ScalarType::F64 => Elem::F64,
    }
}

/// How it lies in memory.
pub(super) fn stored(ty: ScalarType) -> Elem {
    match elem(ty) {
        Elem::Int(_) => Elem::Int(u8::try_from(ty.bytes() * 8).unwrap_or(64)),
        other => other,
    }
}

pub(super) fn scalar(ty: ScalarType) -> Ty {
    Ty::scalar(elem(ty))
}

/// A vector's type.
pub(super) fn vector(ty: &VectorType, loc: &Loc) -> Result<Ty, Diagnostic> {
    let lanes = VectorWords::of(ty)
        .and_then(|w| u32::try_from(w.offsets.len()).ok())
        .filter(|n| (1..=MAX_LANES).contains(n));
    let lanes = lanes.ok_or_else(|| Diagnostic::error(loc.clone(), format!("{ty} has too many elements for this back end")))?;
    Ok(Ty {
        elem: elem(ty.elem),
        lanes,
    })
}

/// The types of the values that make up a value of type `ty`.
pub(super) fn parts(ty: &Type, loc: &Loc) -> Result<Vec<Ty>, Diagnostic> {
    match ty {
        Type::Scalar(s) => Ok(vec![scalar(*s)]),
        Type::Vector(v) => Ok(vec![vector(v, loc)?]),
        Type::MemRef(m) => {
            let shape = bundle(m);
            let all = std::iter::once(&shape.offset).chain(&shape.sizes).chain(&shape.strides);
            let mut parts = vec![Ty::PTR; 2];
            parts.extend(all.filter(|s| **s == Source::Part).map(|_| Ty::I64));
            Ok(parts)
        }
        Type::UnrankedMemRef(_) => Ok(vec![Ty::I64, Ty::PTR]),
        Type::Opaque(text) => Err(opaque(text, loc)),
    }
}
