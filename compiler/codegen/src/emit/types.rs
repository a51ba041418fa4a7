//! How types of the program IR are held in Cranelift values.
//!
//! Integers live in the smallest of i8, i16, i32, i64, zero-extended from their width (so an i1 is 0 or 1); f16 and bf16 as their 16 bits. A vector is a list of 128-bit
//! chunks and, for what is left, scalars; vectors of i1, f16, bf16 and odd integers are lists of scalars. A memref is a bundle: allocated and aligned pointer,
//! and what its type doesn't say of offset, sizes and strides.

use cranelift_codegen::ir::{self, types};
use tilia_diag::{Diagnostic, Loc};
use tilia_program::{ScalarType, Type, VectorType};

pub(crate) use crate::analysis::{Source, bundle, opaque, words};

/// Most lanes of a vector; each chunk becomes instructions of its own.
const MAX_LANES: u64 = 4096;

/// The Cranelift type of a scalar.
pub(crate) fn scalar(ty: ScalarType) -> ir::Type {
    match ty {
        ScalarType::Int(bits) => match bits {
            0..=8 => types::I8,
            9..=16 => types::I16,
            17..=32 => types::I32,
            _ => types::I64,
        },
        ScalarType::Index => types::I64,
        ScalarType::F16 | ScalarType::BF16 => types::I16,
        ScalarType::F32 => types::F32,
        ScalarType::F64 => types::F64,
    }
}

/// Whether elements of this type are packed into 128-bit registers.
pub(crate) fn packs(ty: ScalarType) -> bool {
    match ty {
        ScalarType::Int(bits) => matches!(bits, 8 | 16 | 32 | 64),
        ScalarType::F16 | ScalarType::BF16 => false,
        ScalarType::Index | ScalarType::F32 | ScalarType::F64 => true,
    }
}

/// The Cranelift types of a vector's parts, and how many lanes each has.
pub(crate) fn vector(ty: &VectorType, loc: &Loc) -> Result<Vec<ir::Type>, Diagnostic> {
    let lanes = ty.lanes().filter(|&n| n <= MAX_LANES).ok_or_else(|| {
        Diagnostic::error(loc.clone(), format!("{ty} has too many elements for this back end"))
            .help(format!("vectors of up to {MAX_LANES} elements can be compiled"))
    })?;
    let elem = scalar(ty.elem);
    let mut parts = Vec::new();
    let mut left = lanes;
    if packs(ty.elem) {
        let per_chunk = u64::from(128 / elem.bits());
        let chunk = elem.by(128 / elem.bits()).unwrap_or(elem);
        while left >= per_chunk {
            parts.push(chunk);
            left -= per_chunk;
        }
    }
    parts.extend((0..left).map(|_| elem));
    Ok(parts)
}

/// The Cranelift types of the values that make up a value of type `ty`.
pub(crate) fn parts(ty: &Type, loc: &Loc) -> Result<Vec<ir::Type>, Diagnostic> {
    match ty {
        Type::Scalar(s) => Ok(vec![scalar(*s)]),
        Type::Vector(v) => vector(v, loc),
        Type::MemRef(m) => {
            let shape = bundle(m);
            let open = std::iter::once(&shape.offset)
                .chain(&shape.sizes)
                .chain(&shape.strides)
                .filter(|s| **s == Source::Part)
                .count();
            Ok(vec![types::I64; 2 + open])
        }
        Type::UnrankedMemRef(_) => Ok(vec![types::I64; 2]),
        Type::Opaque(text) => Err(opaque(text, loc)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_then_scalars() {
        let of = |shape: &[u64], elem| {
            vector(
                &VectorType {
                    shape: shape.to_vec(),
                    elem,
                },
                &Loc::unknown(),
            )
        };
        assert_eq!(of(&[5], ScalarType::F64).unwrap(), [types::F64X2, types::F64X2, types::F64]);
        assert_eq!(of(&[2, 3], ScalarType::F32).unwrap(), [types::F32X4, types::F32, types::F32]);
        assert_eq!(of(&[2], ScalarType::Int(1)).unwrap(), [types::I8, types::I8]);
        assert_eq!(of(&[], ScalarType::Index).unwrap(), [types::I64]);
        assert!(of(&[1 << 20], ScalarType::F32).is_err());
    }
}
