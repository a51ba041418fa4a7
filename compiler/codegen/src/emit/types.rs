//! How types of the program IR are held in Cranelift values.
//!
//! Integers live in the smallest of i8, i16, i32, i64, zero-extended from their width (so an i1 is 0 or 1); f16 and bf16 as their 16 bits. A vector is a list of 128-bit
//! chunks and, for what is left, scalars; vectors of i1, f16, bf16 and odd integers are lists of scalars. A memref is a bundle: allocated and aligned pointer,
//! and what its type doesn't say of offset, sizes and strides.

use cranelift_codegen::ir::{self, types};
use tilia_diag::{Diagnostic, Loc};
use tilia_program::{Layout, MemRefType, ScalarType, Type, VectorType};

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

/// Where a component of a memref's bundle comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// The type says it.
    Const(i64),
    /// It equals the size of that dimension.
    Size(usize),
    /// It is passed along.
    Part,
}

/// Sources of a bundle's offset, sizes and strides.
pub(crate) struct BundleShape {
    pub(crate) offset: Source,
    pub(crate) sizes: Vec<Source>,
    pub(crate) strides: Vec<Source>,
}

/// What a memref type leaves open.
pub(crate) fn bundle(ty: &MemRefType) -> BundleShape {
    let of = |v: Option<i64>| v.map_or(Source::Part, Source::Const);
    let sizes: Vec<_> = ty
        .shape
        .iter()
        .map(|d| of(d.map(|d| i64::try_from(d).unwrap_or(i64::MAX))))
        .collect();
    match &ty.layout {
        Layout::Strided { offset, strides } => BundleShape {
            offset: of(*offset),
            strides: strides.iter().map(|&s| of(s)).collect(),
            sizes,
        },
        Layout::Identity => {
            let mut strides = vec![Source::Const(1); sizes.len()];
            for k in (1..sizes.len()).rev() {
                strides[k - 1] = match (strides[k], sizes[k]) {
                    (Source::Const(s), Source::Const(d)) => s.checked_mul(d).map_or(Source::Part, Source::Const),
                    (Source::Const(1), Source::Part) => Source::Size(k),
                    _ => Source::Part,
                };
            }
            BundleShape {
                offset: Source::Const(0),
                sizes,
                strides,
            }
        }
    }
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

/// The error for a type that execution doesn't know.
pub(crate) fn opaque(text: &str, loc: &Loc) -> Diagnostic {
    Diagnostic::error(loc.clone(), format!("values of type {text} can't be compiled"))
        .help("only integers, index, floats, vectors and memrefs of them can be executed")
}

/// Eight-byte words that a value of type `ty` takes in argument and result arrays.
pub(crate) fn words(ty: &Type, loc: &Loc) -> Result<u32, Diagnostic> {
    match ty {
        Type::Scalar(_) => Ok(1),
        Type::Vector(v) => {
            let parts = vector(v, loc)?;
            Ok(parts.iter().map(|p| p.bytes().div_ceil(8)).sum())
        }
        Type::MemRef(m) => u32::try_from(3 + 2 * m.rank()).map_err(|_| Diagnostic::error(loc.clone(), "the rank is too large")),
        Type::UnrankedMemRef(_) => Ok(2),
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

    #[test]
    fn row_major_strides_are_sizes_where_possible() {
        let shape = bundle(&MemRefType {
            elem: ScalarType::F64,
            shape: vec![None, None, Some(4)],
            layout: Layout::Identity,
        });
        assert_eq!(shape.strides, [Source::Part, Source::Const(4), Source::Const(1)]);
        let shape = bundle(&MemRefType {
            elem: ScalarType::F64,
            shape: vec![Some(3), None],
            layout: Layout::Identity,
        });
        assert_eq!(shape.strides, [Source::Size(1), Source::Const(1)]);
    }
}
