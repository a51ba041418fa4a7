//! Memref views traced to their root buffers: shapes, and subscripts in the root's own terms.

use crate::affine::Affine;
use crate::lin::{Lin, Pw};
use crate::roots::root_of;
use tilia_presburger::Int;
use tilia_program::{Function, Layout, OpId, OpKind, Slice, SliceDim, Type, ValueDef, ValueId};

/// An element, or several, of a root buffer: subscripts in the root's own shape. `None` where a subscript isn't affine, or the view's layout can't be expressed.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) root: ValueId,
    pub(crate) subs: Vec<Option<Pw>>,
    /// The element needn't be one that the root's own shape holds: a root without dimensions has no subscripts that could be unknown.
    pub(crate) elsewhere: bool,
}

/// The view operation that makes the value, if one does.
pub(crate) fn view_of(function: &Function, v: ValueId) -> Option<OpId> {
    match function[v].def {
        ValueDef::Result(op, _) if function[op].kind.is_view() => Some(op),
        _ => None,
    }
}

/// Number of dimensions of a memref value; 0 when unranked.
pub(crate) fn rank(function: &Function, v: ValueId) -> usize {
    function[v].ty.as_memref().map_or(0, |m| m.shape.len())
}

/// The operands of a slice, spread over its offsets, sizes and strides.
struct Spread {
    offsets: Vec<Entry>,
    sizes: Vec<Entry>,
    strides: Vec<Entry>,
}

#[derive(Clone, Copy)]
enum Entry {
    Const(i64),
    Value(ValueId),
}

fn spread(slice: &Slice, operands: &[ValueId]) -> Option<Spread> {
    let mut dynamic = operands.iter().skip(1);
    let mut list = |dims: &[SliceDim]| -> Option<Vec<Entry>> {
        dims.iter()
            .map(|d| match d {
                SliceDim::Const(c) => Some(Entry::Const(*c)),
                SliceDim::Operand => dynamic.next().map(|&v| Entry::Value(v)),
            })
            .collect()
    };
    Some(Spread {
        offsets: list(&slice.offsets)?,
        sizes: list(&slice.sizes)?,
        strides: list(&slice.strides)?,
    })
}

impl Affine<'_> {
    fn entry(&mut self, e: Entry) -> Option<Pw> {
        match e {
            Entry::Const(c) => Some(Pw::constant(c)),
            Entry::Value(v) => self.value(v),
        }
    }

    /// The extents of a memref value; `None` for one that isn't affine.
    pub(crate) fn shape(&mut self, memref: ValueId) -> Vec<Option<Pw>> {
        let Some(ty) = self.index.function[memref].ty.as_memref() else {
            return Vec::new();
        };
        let shape = ty.shape.clone();
        let dynamic = if shape.iter().all(Option::is_some) {
            Vec::new()
        } else {
            self.dynamic_shape(memref)
        };
        let known = |(d, n): (usize, &Option<u64>)| match n {
            Some(n) => Some(Pw::constant(Int::from(*n))),
            None => dynamic.get(d).cloned().flatten(),
        };
        shape.iter().enumerate().map(known).collect()
    }

    fn dynamic_shape(&mut self, memref: ValueId) -> Vec<Option<Pw>> {
        let function = self.index.function;
        let rank = rank(function, memref);
        let found = match function[memref].def {
            ValueDef::Result(op, _) if self.looked_through(memref) => self.defined_shape(op, memref),
            _ => None,
        };
        // Otherwise the descriptor itself tells, if it exists before the run.
        let own = |d: usize| u32::try_from(d).ok().map(|d| tilia_scop::ParamSource::Dim(memref, d));
        let outside = !self.inside.defines(function, memref);
        let fallback = |d| own(d).filter(|_| outside).map(|p| Pw::lin(Lin::atom(crate::lin::Atom::Param(p))));
        let found = found.unwrap_or_default();
        (0..rank).map(|d| found.get(d).cloned().flatten().or_else(|| fallback(d))).collect()
    }

    fn defined_shape(&mut self, op: OpId, memref: ValueId) -> Option<Vec<Option<Pw>>> {
        let function = self.index.function;
        let data = &function[op];
        match &data.kind {
            OpKind::Alloc { .. } => {
                let mut sizes = data.operands.iter();
                let shape = function[memref].ty.as_memref()?.shape.clone();
                Some(
                    shape
                        .iter()
                        .map(|n| {
                            if n.is_some() {
                                None
                            } else {
                                sizes.next().and_then(|&v| self.value(v))
                            }
                        })
                        .collect(),
                )
            }
            OpKind::CastMemRef if rank(function, data.operands[0]) == rank(function, memref) => Some(self.shape(data.operands[0])),
            OpKind::Transpose(perm) => {
                let source = self.shape(data.operands[0]);
                Some(perm.iter().map(|&p| source.get(p as usize).cloned().flatten()).collect())
            }
            OpKind::SubView(slice) | OpKind::ReinterpretCast(slice) => {
                let sizes = spread(slice, &data.operands)?.sizes;
                let kept = sizes
                    .iter()
                    .enumerate()
                    .filter(|(d, _)| !slice.dropped.iter().any(|&x| x as usize == *d));
                Some(
                    kept.map(|(_, &e)| match e {
                        Entry::Const(c) => Some(Pw::constant(c)),
                        Entry::Value(v) => self.value(v),
                    })
                    .collect(),
                )
            }
            _ => None,
        }
    }

    /// The place that a view's element has in its root buffer. `None` when the buffer itself depends on what happens in the run.
    pub(crate) fn locate(&mut self, memref: ValueId, subs: Vec<Option<Pw>>) -> Option<Place> {
        let function = self.index.function;
        let (mut at, mut subs, mut elsewhere) = (memref, subs, false);
        while let Some(op) = view_of(function, at) {
            let source = *function[op].operands.first()?;
            if let OpKind::ReinterpretCast(slice) = &function[op].kind {
                // It counts from the start of the buffer, whatever view of that it is made of.
                let linear = self.linear(slice, &function[op].operands, &subs);
                at = root_of(function, source);
                // Element 0 of the buffer is the root's own where that lies at its start.
                let first = linear.as_ref().and_then(Pw::as_constant).is_some_and(Int::is_zero);
                elsewhere = rank(function, at) == 0 && !(first && is_plain(function, at));
                subs = self.delinearise(at, linear);
                break;
            }
            subs = self.through(op, at, source, subs);
            at = source;
        }
        let fixed = !self.inside.defines(function, at) || self.is_fixed_buffer(at);
        fixed.then_some(Place { root: at, subs, elsewhere })
    }

    /// Whether the buffer is the same in all iterations though its descriptor is made inside the run.
    fn is_fixed_buffer(&self, v: ValueId) -> bool {
        let function = self.index.function;
        matches!(function[v].def, ValueDef::Result(op, _) if matches!(function[op].kind, OpKind::GetGlobal(_)))
    }

    /// Subscripts of `view` made by `op` as subscripts of `source`.
    fn through(&mut self, op: OpId, view: ValueId, source: ValueId, subs: Vec<Option<Pw>>) -> Vec<Option<Pw>> {
        let function = self.index.function;
        let source_rank = rank(function, source);
        let unknown = vec![None; source_rank];
        match &function[op].kind {
            // Through an unranked memref, the one possible shape is that of the source: another rank would fail at run time.
            OpKind::CastMemRef if function[view].ty.as_memref().is_none() => self.pass_unranked(source, subs),
            OpKind::CastMemRef if function[source].ty.as_memref().is_none() => subs,
            OpKind::CastMemRef if subs.len() == source_rank => subs,
            OpKind::Transpose(perm) => {
                let mut out = unknown;
                for (sub, &p) in subs.into_iter().zip(perm) {
                    if let Some(slot) = out.get_mut(p as usize) {
                        *slot = sub;
                    }
                }
                out
            }
            OpKind::SubView(slice) => self.through_subview(slice, &function[op].operands, subs).unwrap_or(unknown),
            OpKind::Reshape { collapse, groups } => self.through_reshape(*collapse, groups, view, source, &subs),
            _ => unknown,
        }
    }

    fn pass_unranked(&mut self, source: ValueId, subs: Vec<Option<Pw>>) -> Vec<Option<Pw>> {
        let n = rank(self.index.function, source);
        if subs.len() == n { subs } else { vec![None; n] }
    }

    fn through_subview(&mut self, slice: &Slice, operands: &[ValueId], subs: Vec<Option<Pw>>) -> Option<Vec<Option<Pw>>> {
        let Spread { offsets, strides, .. } = spread(slice, operands)?;
        let mut subs = subs.into_iter();
        let mut out = Vec::with_capacity(offsets.len());
        for (d, (&offset, &stride)) in offsets.iter().zip(&strides).enumerate() {
            let dropped = slice.dropped.iter().any(|&x| x as usize == d);
            let sub = if dropped { Some(Pw::constant(0)) } else { subs.next()? };
            out.push(self.shifted(offset, stride, sub.as_ref()));
        }
        Some(out)
    }

    /// `offset + stride * sub`
    fn shifted(&mut self, offset: Entry, stride: Entry, sub: Option<&Pw>) -> Option<Pw> {
        let (offset, stride, sub) = (self.entry(offset)?, self.entry(stride)?, sub?);
        if sub.as_constant().is_some_and(Int::is_zero) {
            return Some(offset);
        }
        let c = stride.as_constant()?.clone();
        offset.add(&sub.map(|e| e.scale(&c)))
    }

    fn through_reshape(
        &mut self,
        collapse: bool,
        groups: &[Vec<u32>],
        view: ValueId,
        source: ValueId,
        subs: &[Option<Pw>],
    ) -> Vec<Option<Pw>> {
        let fine = if collapse { source } else { view };
        let shape = self.shape(fine);
        let extent = |d: u32| {
            shape
                .get(d as usize)
                .cloned()
                .flatten()
                .and_then(|p| p.as_constant().cloned())
                .filter(Int::is_pos)
        };
        let mut out = vec![None; rank(self.index.function, source)];
        for (coarse, group) in groups.iter().enumerate() {
            if collapse {
                let mut rest = subs.get(coarse).cloned().flatten();
                for (n, &d) in group.iter().enumerate().rev() {
                    let Some(slot) = out.get_mut(d as usize) else { continue };
                    if n == 0 {
                        *slot = rest.take();
                    } else if let (Some(e), Some(size)) = (rest.take(), extent(d)) {
                        *slot = Some(e.map(|e| e.modulo(&size)));
                        rest = Some(e.map(|e| e.floor_div(&size)));
                    }
                }
            } else if let Some(slot) = out.get_mut(coarse) {
                let mut sum = Some(Pw::constant(0));
                for (n, &d) in group.iter().enumerate() {
                    let sub = subs.get(d as usize).cloned().flatten();
                    let scale = if n == 0 { Some(Int::ONE) } else { extent(d) };
                    sum = sum
                        .zip(scale)
                        .zip(sub)
                        .and_then(|((sum, scale), sub)| sum.map(|e| e.scale(&scale)).add(&sub));
                }
                *slot = sum;
            }
        }
        out
    }

    /// Number of the element in the buffer.
    fn linear(&mut self, slice: &Slice, operands: &[ValueId], subs: &[Option<Pw>]) -> Option<Pw> {
        let Spread { offsets, strides, .. } = spread(slice, operands)?;
        let mut sum = self.entry(*offsets.first()?)?;
        for (&stride, sub) in strides.iter().zip(subs) {
            sum = sum.add(&self.shifted(Entry::Const(0), stride, sub.as_ref())?)?;
        }
        Some(sum)
    }

    /// Subscripts of the element of that number in a root buffer; known only where it is laid out row-major with constant extents.
    fn delinearise(&mut self, source: ValueId, linear: Option<Pw>) -> Vec<Option<Pw>> {
        let function = self.index.function;
        let n = rank(function, source);
        let Some(mut rest) = linear.filter(|_| is_plain(function, source) && n > 0) else {
            return vec![None; n];
        };
        let shape = self.shape(source);
        let mut out = vec![None; n];
        for d in (1..n).rev() {
            let Some(size) = shape[d].as_ref().and_then(Pw::as_constant).filter(|c| c.is_pos()).cloned() else {
                return vec![None; n];
            };
            out[d] = Some(rest.map(|e| e.modulo(&size)));
            rest = rest.map(|e| e.floor_div(&size));
        }
        out[0] = Some(rest);
        out
    }
}

/// Whether the memref is laid out row-major from the start of its buffer.
fn is_plain(function: &Function, v: ValueId) -> bool {
    function[v].ty.as_memref().is_some_and(|m| m.layout == Layout::Identity)
}

/// Whether the value is a memref of any kind.
pub(crate) fn is_memref(function: &Function, v: ValueId) -> bool {
    matches!(function[v].ty, Type::MemRef(_) | Type::UnrankedMemRef(_))
}
