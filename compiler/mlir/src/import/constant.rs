//! Attributes as constants, bit for bit.

use crate::ffi::{self, DenseElements};
use melior::ir::attribute::Attribute;
use tilia_program::{Constant, ScalarType, Type};

/// The constant that `attribute` is for a value of type `ty`; `None` when the attribute is of a kind that has no constant form (resources, sparse elements).
pub(super) fn constant(attribute: Attribute<'_>, ty: &Type) -> Option<Constant> {
    match ty {
        Type::Scalar(scalar) => scalar_constant(attribute, *scalar),
        Type::Vector(vector) => {
            let elements = dense(attribute, vector.elem, &vector.shape)?;
            Some(match &elements[..] {
                [splat @ Constant::Splat(_)] => splat.clone(),
                _ => Constant::Vector(elements),
            })
        }
        _ => None,
    }
}

fn scalar_constant(attribute: Attribute<'_>, ty: ScalarType) -> Option<Constant> {
    if ty.is_int() {
        return ffi::integer(attribute).map(Constant::Int);
    }
    let one = DenseElements::of_float(attribute)?;
    floats(&one, ty).into_iter().next()
}

/// Elements of a dense attribute, row-major: one [`Constant::Splat`] if it is a splat of more than one element, else all.
pub(super) fn dense(attribute: Attribute<'_>, elem: ScalarType, shape: &[u64]) -> Option<Vec<Constant>> {
    let elements = DenseElements::new(attribute)?;
    let values = if elem.is_float() {
        floats(&elements, elem)
    } else {
        integers(&elements, elem, shape)?
    };
    match (elements.splat && elements.count != 1, values.first()) {
        (true, Some(value)) => Some(vec![Constant::Splat(Box::new(value.clone()))]),
        _ => Some(values),
    }
}

fn floats(elements: &DenseElements<'_>, ty: ScalarType) -> Vec<Constant> {
    let width = usize::from(ty.bits() / 8);
    let bits = |chunk: &[u8]| {
        let mut word = [0u8; 8];
        word[..width].copy_from_slice(chunk);
        Constant::Float(u64::from_le_bytes(word))
    };
    elements.bytes(width).chunks_exact(width).map(bits).collect()
}

fn integers(elements: &DenseElements<'_>, ty: ScalarType, shape: &[u64]) -> Option<Vec<Constant>> {
    let bits = ty.bits();
    if matches!(bits, 8 | 16 | 32 | 64) {
        let width = usize::from(bits / 8);
        let sign_extended = |chunk: &[u8]| {
            let mut word = [0u8; 8];
            word[..width].copy_from_slice(chunk);
            let unused = 64 - u32::from(bits);
            Constant::Int((i64::from_le_bytes(word) << unused) >> unused)
        };
        return Some(elements.bytes(width).chunks_exact(width).map(sign_extended).collect());
    }
    let count = if elements.splat { elements.count.min(1) } else { elements.count };
    (0..count)
        .map(|n| ffi::integer(elements.element(n, shape)?).map(Constant::Int))
        .collect()
}
