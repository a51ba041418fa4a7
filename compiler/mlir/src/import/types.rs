//! MLIR types as ours.

use super::layout;
use crate::ffi;
use crate::imported::LogicalShape;
use melior::ir::r#type::{Type as MlirType, TypeLike};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use tilia_program::{Layout, MemRefType, ScalarType, Type, VectorType};

/// Widest integer that the program IR holds.
pub(super) const MAX_INT_BITS: u32 = 64;
/// Most lanes of a vector value; larger ones are no register values any more.
const MAX_LANES: u64 = 1 << 20;

/// What a type became.
#[derive(Debug)]
pub(super) struct TypeInfo {
    /// The type that execution sees.
    pub(super) ty: Type,
    /// The source's shape, for a memref whose layout map was folded into its accesses.
    pub(super) layout: Option<LogicalShape>,
    /// Why the type is opaque, and what to do about it.
    pub(super) reason: Option<String>,
}

impl TypeInfo {
    fn plain(ty: Type) -> Self {
        Self {
            ty,
            layout: None,
            reason: None,
        }
    }

    fn opaque(ty: MlirType<'_>, reason: impl Into<String>) -> Self {
        Self {
            ty: Type::Opaque(ty.to_string()),
            layout: None,
            reason: Some(reason.into()),
        }
    }
}

/// Converted types, each converted once.
#[derive(Debug, Default)]
pub(super) struct TypeTable {
    known: RefCell<FxHashMap<usize, Rc<TypeInfo>>>,
}

impl TypeTable {
    /// The conversion of `ty`.
    pub(super) fn get(&self, ty: MlirType<'_>) -> Rc<TypeInfo> {
        let key = ffi::type_key(ty);
        if let Some(info) = self.known.borrow().get(&key) {
            return Rc::clone(info);
        }
        let info = Rc::new(convert(ty));
        self.known.borrow_mut().insert(key, Rc::clone(&info));
        info
    }
}

fn convert(ty: MlirType<'_>) -> TypeInfo {
    if let Some(result) = scalar(ty) {
        return match result {
            Ok(scalar) => TypeInfo::plain(Type::Scalar(scalar)),
            Err(reason) => TypeInfo::opaque(ty, reason),
        };
    }
    if ty.is_vector() {
        return vector(ty);
    }
    if ty.is_mem_ref() {
        return mem_ref(ty);
    }
    if ty.is_unranked_mem_ref() {
        return match ffi::element_type(ty).and_then(scalar) {
            Some(Ok(elem)) => TypeInfo::plain(Type::UnrankedMemRef(elem)),
            Some(Err(reason)) => TypeInfo::opaque(ty, reason),
            None => TypeInfo::opaque(ty, element_reason(ty)),
        };
    }
    if ty.is_tensor() {
        return TypeInfo::opaque(
            ty,
            "tensors have no memory yet; bufferize the module first (mlir-opt -one-shot-bufferize)",
        );
    }
    if ty.is_complex() {
        return TypeInfo::opaque(
            ty,
            "complex numbers aren't supported; lower them first (mlir-opt -convert-complex-to-standard) or use two real arrays",
        );
    }
    TypeInfo::opaque(ty, format!("values of type {ty} aren't supported"))
}

/// The scalar type; `None` when it is no number, an error for numbers that aren't supported.
fn scalar(ty: MlirType<'_>) -> Option<Result<ScalarType, String>> {
    if let Some((bits, _)) = ffi::integer_type(ty) {
        return Some(match u8::try_from(bits) {
            Ok(bits) if (1..=MAX_INT_BITS).contains(&u32::from(bits)) => Ok(ScalarType::Int(bits)),
            _ => Err(format!("integers of {bits} bits aren't supported; use 1 to {MAX_INT_BITS} bits")),
        });
    }
    Some(Ok(if ty.is_index() {
        ScalarType::Index
    } else if ty.is_f64() {
        ScalarType::F64
    } else if ty.is_f32() {
        ScalarType::F32
    } else if ty.is_f16() {
        ScalarType::F16
    } else if ffi::is_bf16(ty) {
        ScalarType::BF16
    } else if ty.is_float() {
        return Some(Err(format!(
            "the floating-point format {ty} isn't supported; use f16, bf16, f32 or f64"
        )));
    } else {
        return None;
    }))
}

fn element_reason(ty: MlirType<'_>) -> String {
    match ffi::element_type(ty) {
        Some(elem) => format!("elements of type {elem} aren't supported; use integers, index or floats"),
        None => format!("values of type {ty} aren't supported"),
    }
}

fn vector(ty: MlirType<'_>) -> TypeInfo {
    if ffi::is_scalable(ty) {
        return TypeInfo::opaque(ty, "scalable vectors aren't supported; use a constant shape");
    }
    let elem = match ffi::element_type(ty).and_then(scalar) {
        Some(Ok(elem)) => elem,
        Some(Err(reason)) => return TypeInfo::opaque(ty, reason),
        None => return TypeInfo::opaque(ty, element_reason(ty)),
    };
    let shape: Option<Vec<u64>> = ffi::shape(ty).and_then(|s| s.into_iter().collect());
    let vector = shape.map(|shape| VectorType { shape, elem });
    match vector {
        Some(v) if v.lanes().is_some_and(|n| n <= MAX_LANES) => TypeInfo::plain(Type::Vector(v)),
        _ => TypeInfo::opaque(
            ty,
            format!("vectors of more than {MAX_LANES} elements aren't supported; use a memref"),
        ),
    }
}

fn mem_ref(ty: MlirType<'_>) -> TypeInfo {
    let elem = match ffi::element_type(ty).and_then(scalar) {
        Some(Ok(elem)) => elem,
        Some(Err(reason)) => return TypeInfo::opaque(ty, reason),
        None => return TypeInfo::opaque(ty, element_reason(ty)),
    };
    let Some(shape) = ffi::shape(ty) else {
        return TypeInfo::opaque(ty, element_reason(ty));
    };
    if let Some((strides, offset)) = ffi::strides(ty) {
        let contiguous = || offset == Some(0) && row_major(&shape).is_some_and(|r| strides.iter().copied().eq(r.into_iter().map(Some)));
        let layout = if ffi::layout_map(ty).is_some_and(|map| map.is_identity()) || contiguous() {
            Layout::Identity
        } else {
            Layout::Strided { offset, strides }
        };
        return TypeInfo::plain(Type::MemRef(MemRefType { elem, shape, layout }));
    }
    match layout::plain_storage(ty, &shape) {
        Ok((physical, logical)) => TypeInfo {
            ty: Type::MemRef(MemRefType {
                elem,
                shape: physical,
                layout: Layout::Identity,
            }),
            layout: Some(logical),
            reason: None,
        },
        Err(reason) => TypeInfo::opaque(ty, reason),
    }
}

/// Strides of a contiguous row-major buffer of that shape, if they are all known.
fn row_major(shape: &[Option<u64>]) -> Option<Vec<i64>> {
    let mut strides = vec![1i64; shape.len()];
    for k in (1..shape.len()).rev() {
        strides[k - 1] = strides[k].checked_mul(i64::try_from(shape[k]?).ok()?)?;
    }
    Some(strides)
}
