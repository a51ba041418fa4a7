//! Values during emission.

use super::types::{Source, bundle};
use cranelift_codegen::ir;
use std::rc::Rc;
use tilia_program::{MemRefType, ScalarType};

/// What a value of the program is held in.
#[derive(Debug, Clone)]
pub(crate) enum Val {
    /// A number.
    Scalar(ir::Value),
    /// Chunks and left-over scalars.
    Vector(Rc<[ir::Value]>),
    /// A ranked memref.
    MemRef(Rc<Bundle>),
    /// Rank and address of the descriptor.
    Unranked(ir::Value, ir::Value),
}

impl Val {
    /// The parts of a number or vector; empty for memrefs.
    pub(crate) fn number_parts(&self) -> Vec<ir::Value> {
        match self {
            Self::Scalar(v) => vec![*v],
            Self::Vector(parts) => parts.to_vec(),
            Self::MemRef(_) | Self::Unranked(..) => Vec::new(),
        }
    }
}

/// An offset, size or stride.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Num {
    Const(i64),
    Val(ir::Value),
}

/// A memref's components.
#[derive(Debug, Clone)]
pub(crate) struct Bundle {
    pub(crate) elem: ScalarType,
    pub(crate) alloc: ir::Value,
    pub(crate) data: ir::Value,
    pub(crate) offset: Num,
    pub(crate) sizes: Vec<Num>,
    pub(crate) strides: Vec<Num>,
}

impl Bundle {
    /// A memref of type `ty`, from the values that [`super::types::parts`] tells.
    pub(crate) fn from_parts(ty: &MemRefType, parts: &[ir::Value]) -> Option<Self> {
        let shape = bundle(ty);
        let mut rest = parts.iter().copied();
        let (alloc, data) = (rest.next()?, rest.next()?);
        let mut take = |source: Source| match source {
            Source::Const(c) => Some(Num::Const(c)),
            Source::Part => rest.next().map(Num::Val),
            Source::Size(_) => None,
        };
        let offset = take(shape.offset)?;
        let sizes: Vec<_> = shape.sizes.iter().map(|&s| take(s)).collect::<Option<_>>()?;
        let strides = shape
            .strides
            .iter()
            .map(|&s| match s {
                Source::Size(k) => Some(sizes[k]),
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
    pub(crate) fn open_parts(&self, ty: &MemRefType) -> Vec<Num> {
        let shape = bundle(ty);
        let mut parts = vec![Num::Val(self.alloc), Num::Val(self.data)];
        let all = std::iter::once((&shape.offset, &self.offset))
            .chain(shape.sizes.iter().zip(&self.sizes))
            .chain(shape.strides.iter().zip(&self.strides));
        parts.extend(all.filter(|(s, _)| **s == Source::Part).map(|(_, &n)| n));
        parts
    }

    /// All words of the descriptor, in its order.
    pub(crate) fn words(&self) -> Vec<Num> {
        let mut words = vec![Num::Val(self.alloc), Num::Val(self.data), self.offset];
        words.extend(&self.sizes);
        words.extend(&self.strides);
        words
    }
}
