//! How memrefs and vectors are divided into what is passed along: the same words for all back ends, so that the host calls them alike.

use tilia_diag::{Diagnostic, Loc};
use tilia_program::{Layout, MemRefType, ScalarType, Type, VectorType};

/// Most elements of a vector.
const MAX_LANES: u64 = 4096;

/// The error for a type that execution doesn't know.
#[must_use]
pub fn opaque(text: &str, loc: &Loc) -> Diagnostic {
    Diagnostic::error(loc.clone(), format!("values of type {text} can't be compiled"))
        .help("only integers, index, floats, vectors and memrefs of them can be executed")
}

/// Eight-byte words that a value of type `ty` takes in argument and result arrays.
///
/// # Errors
/// Types that can't be passed.
pub fn words(ty: &Type, loc: &Loc) -> Result<u32, Diagnostic> {
    let large = || Diagnostic::error(loc.clone(), format!("{ty} is too large for this back end"));
    match ty {
        Type::Scalar(_) => Ok(1),
        Type::Vector(v) => {
            let layout = VectorWords::of(v).ok_or_else(large)?;
            u32::try_from(layout.words).map_err(|_| large())
        }
        Type::MemRef(m) => u32::try_from(3 + 2 * m.rank()).map_err(|_| large()),
        Type::UnrankedMemRef(_) => Ok(2),
        Type::Opaque(text) => Err(opaque(text, loc)),
    }
}

/// Where a component of a memref's bundle comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The type says it.
    Const(i64),
    /// It equals the size of that dimension.
    Size(usize),
    /// It is passed along.
    Part,
}

/// Sources of a bundle's offset, sizes and strides.
pub struct BundleShape {
    /// Of the offset.
    pub offset: Source,
    /// Of the sizes.
    pub sizes: Vec<Source>,
    /// Of the strides.
    pub strides: Vec<Source>,
}

/// What a memref type leaves open.
#[must_use]
pub fn bundle(ty: &MemRefType) -> BundleShape {
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

/// Where a vector's elements lie in arrays of eight-byte words: whole 16-byte chunks first, then each left-over element in a word of its own; elements that
/// aren't of one, two, four or eight bytes each in a word of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorWords {
    /// Byte offset of each element.
    pub offsets: Vec<usize>,
    /// Words in all.
    pub words: usize,
}

impl VectorWords {
    /// Of a vector type; `None` when it has too many elements.
    #[must_use]
    pub fn of(ty: &VectorType) -> Option<Self> {
        let lanes = usize::try_from(ty.lanes().filter(|&n| n <= MAX_LANES)?).ok()?;
        let width = usize::try_from(ty.elem.bytes()).ok()?;
        let packs = match ty.elem {
            ScalarType::Int(bits) => matches!(bits, 8 | 16 | 32 | 64),
            ScalarType::F16 | ScalarType::BF16 => false,
            ScalarType::Index | ScalarType::F32 | ScalarType::F64 => true,
        };
        let packed = if packs { lanes * width / 16 * 16 / width } else { 0 };
        let chunks = packed * width;
        let offsets = (0..lanes).map(|n| if n < packed { n * width } else { chunks + (n - packed) * 8 });
        Some(Self {
            offsets: offsets.collect(),
            words: chunks / 8 + (lanes - packed),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_then_elements() {
        let of = |lanes, elem| VectorWords::of(&VectorType { shape: vec![lanes], elem }).unwrap();
        assert_eq!(of(3, ScalarType::F64).offsets, [0, 8, 16]);
        assert_eq!(of(6, ScalarType::F32).offsets, [0, 4, 8, 12, 16, 24]);
        assert_eq!(of(6, ScalarType::F32).words, 4);
        assert_eq!(of(2, ScalarType::Int(1)).offsets, [0, 8]);
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
