//! Values during emission.

use super::text::V;
use std::rc::Rc;
use tilia_codegen::analysis::{Source, bundle};
use tilia_program::{MemRefType, ScalarType};

/// What a value of the program is held in.
#[derive(Debug, Clone)]
pub(super) enum Val {
    /// A number, or a vector of them.
    Number(V),
    /// A ranked memref.
    MemRef(Rc<Bundle>),
    /// Rank and address of the descriptor.
    Unranked(V, V),
}

/// A memref's components. Offset, sizes and strides are constants where the type or the allocation says so.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    pub(super) elem: ScalarType,
    pub(super) alloc: V,
    pub(super) data: V,
    pub(super) offset: V,
    pub(super) sizes: Vec<V>,
    pub(super) strides: Vec<V>,
}

impl Bundle {
    /// A memref of type `ty`, from the values that [`super::types::parts`] tells; `int` makes constants.
    pub(super) fn from_parts(ty: &MemRefType, parts: &[V], mut int: impl FnMut(i64) -> V) -> Option<Self> {
        let shape = bundle(ty);
        let mut rest = parts.iter().copied();
        let (alloc, data) = (rest.next()?, rest.next()?);
        let mut take = |source: Source| match source {
            Source::Const(c) => Some(int(c)),
            Source::Part => rest.next(),
            Source::Size(_) => None,
        };
        let offset = take(shape.offset)?;
        let sizes: Vec<_> = shape.sizes.iter().map(|&s| take(s)).collect::<Option<_>>()?;
        let strides = shape
            .strides
            .iter()
            .map(|&s| match s {
                Source::Size(k) => sizes.get(k).copied(),
                s => take(s),
            })
            .collect::<Option<_>>()?;
        Some(Self {
            elem: ty.elem,
            alloc,
            data,
            offset,
            sizes,
            strides,
        })
    }

    /// The components that a memref of type `ty` passes along, in order; pointers first.
    pub(super) fn open_parts(&self, ty: &MemRefType) -> Vec<V> {
        let shape = bundle(ty);
        let mut parts = vec![self.alloc, self.data];
        let all = std::iter::once((&shape.offset, &self.offset))
            .chain(shape.sizes.iter().zip(&self.sizes))
            .chain(shape.strides.iter().zip(&self.strides));
        parts.extend(all.filter(|(s, _)| **s == Source::Part).map(|(_, &v)| v));
        parts
    }

    /// All words of the descriptor, in its order.
    pub(super) fn words(&self) -> Vec<V> {
        let mut words = vec![self.alloc, self.data, self.offset];
        words.extend(&self.sizes);
        words.extend(&self.strides);
        words
    }
}
