//! Layouts that are known at run time only (`strided<[?, ?], offset: ?>`): the check that subscripts tell elements apart and that rows are contiguous, and the types that it allows.

use crate::emit::Emitter;
use crate::tree::Declined;
use tilia_program::{BlockId, CmpI, Layout, MemRefType, OpKind, PureOp, Type, ValueId};
use tilia_scop::ArrayKind;

type Res<T> = Result<T, Declined>;

/// Extents and strides up to this, in elements, are compared: their products and the sums of these stay within 64 bits. Larger ones count as not apart.
const MOST: i64 = 1 << 30;

/// The distance of what has no neighbours: longer than anything.
const ALONE: i64 = i64::MAX;

impl Emitter<'_> {
    /// What must hold of the strides of all buffers, as i1 values. Where something is to be checked, rows are to be contiguous, too, also of what is only read.
    pub(crate) fn layouts_hold(&mut self, block: BlockId) -> Res<Vec<ValueId>> {
        let scop = self.scop;
        let mut all = Vec::new();
        for &array in &scop.unproven_layouts {
            if let ArrayKind::Root(root) = scop[array].kind {
                all.extend(self.apart(root, block)?);
            }
        }
        for root in self.unknown_rows() {
            all.push(self.rows_contiguous(root, block));
        }
        Ok(all)
    }

    /// Buffers whose rows are to be contiguous, which their types don't say.
    fn unknown_rows(&self) -> Vec<ValueId> {
        if self.scop.unproven_layouts.is_empty() {
            return Vec::new();
        }
        let roots = self.scop.arrays.iter().filter_map(|a| match a.kind {
            ArrayKind::Root(root) => Some(root),
            _ => None,
        });
        roots.filter(|r| self.rows_known(self.outer_value(*r)).is_some()).collect()
    }

    fn rows_contiguous(&mut self, root: ValueId, block: BlockId) -> ValueId {
        let loc = self.scop.loc.clone();
        let memref = self.outer_value(root);
        let rank = self.f[memref].ty.as_memref().map_or(1, |m| m.shape.len());
        let last = OpKind::Stride(u32::try_from(rank - 1).unwrap_or(0));
        let last = self.value(block, last, vec![memref], &Type::INDEX, &loc);
        let one = self.value(block, OpKind::int(1), vec![], &Type::INDEX, &loc);
        let same = OpKind::pure(PureOp::CmpI(CmpI::Eq));
        self.value(block, same, vec![last, one], &Type::BOOL, &loc)
    }

    /// What must hold of a memref's strides for its subscripts to mean different elements, as i1 values.
    ///
    /// Dimensions are put into the order of their distances (absolute strides); each distance must be longer than all that those before span. That is sufficient, and necessary for dimensions of which
    /// each distance is a multiple of the one before.
    fn apart(&mut self, root: ValueId, block: BlockId) -> Res<Vec<ValueId>> {
        let loc = self.scop.loc.clone();
        let memref = self.outer_value(root);
        let Some(rank) = self.f[memref].ty.as_memref().map(|m| m.shape.len()) else {
            return Err(Declined::new(&loc, "a layout of no memref"));
        };
        let number = |e: &mut Self, n: i64| e.value(block, OpKind::int(n), vec![], &Type::INDEX, &loc);
        let make = |e: &mut Self, op: PureOp, of: Vec<ValueId>| e.value(block, OpKind::pure(op), of, &Type::INDEX, &loc);
        let test = |e: &mut Self, op: CmpI, of: Vec<ValueId>| e.value(block, OpKind::pure(PureOp::CmpI(op)), of, &Type::BOOL, &loc);
        let (zero, one) = (number(self, 0), number(self, 1));
        let (most, alone) = (number(self, MOST), number(self, ALONE));
        let mut all = Vec::new();
        // Distance and span of each dimension.
        let mut dims: Vec<(ValueId, ValueId)> = Vec::new();
        for d in 0..rank {
            let n = number(self, i64::try_from(d).unwrap_or(0));
            let extent = self.value(block, OpKind::Dim, vec![memref, n], &Type::INDEX, &loc);
            let stride = OpKind::Stride(u32::try_from(d).unwrap_or(0));
            let stride = self.value(block, stride, vec![memref], &Type::INDEX, &loc);
            let back = make(self, PureOp::SubI, vec![zero, stride]);
            let distance = make(self, PureOp::MaxSI, vec![stride, back]);
            all.push(test(self, CmpI::Sle, vec![extent, most]));
            all.push(test(self, CmpI::Sle, vec![distance, most]));
            let single = test(self, CmpI::Sle, vec![extent, one]);
            let last = make(self, PureOp::SubI, vec![extent, one]);
            let span = make(self, PureOp::MulI, vec![last, distance]);
            let span = make(self, PureOp::Select, vec![single, zero, span]);
            let distance = make(self, PureOp::Select, vec![single, alone, distance]);
            dims.push((distance, span));
        }
        for end in (1..rank).rev() {
            for k in 0..end {
                let ((a, span_a), (b, span_b)) = (dims[k], dims[k + 1]);
                let ordered = test(self, CmpI::Sle, vec![a, b]);
                let (near, far) = (make(self, PureOp::MinSI, vec![a, b]), make(self, PureOp::MaxSI, vec![a, b]));
                dims[k] = (near, make(self, PureOp::Select, vec![ordered, span_a, span_b]));
                dims[k + 1] = (far, make(self, PureOp::Select, vec![ordered, span_b, span_a]));
            }
        }
        let mut reach = zero;
        for (distance, span) in dims {
            all.push(test(self, CmpI::Sgt, vec![distance, reach]));
            reach = make(self, PureOp::AddI, vec![reach, span]);
        }
        Ok(all)
    }

    /// Lets memrefs have the types that the check allows, in the block that runs where it holds.
    pub(crate) fn know_layouts(&mut self, block: BlockId) {
        for root in self.unknown_rows() {
            let memref = self.outer_value(root);
            if let Some(ty) = self.rows_known(memref) {
                let loc = self.scop.loc.clone();
                let known = self.value(block, OpKind::CastMemRef, vec![memref], &Type::MemRef(ty), &loc);
                self.rows.insert(root, known);
            }
        }
    }

    /// The type of a memref whose rows are contiguous, if that isn't in its type yet.
    fn rows_known(&self, memref: ValueId) -> Option<MemRefType> {
        let ty = self.f[memref].ty.as_memref()?;
        let Layout::Strided { offset, strides } = &ty.layout else {
            return None;
        };
        let (None, outer) = strides.split_last()? else { return None };
        let strides = outer.iter().copied().chain([Some(1)]).collect();
        Some(MemRefType {
            layout: Layout::Strided { offset: *offset, strides },
            ..ty.clone()
        })
    }
}
