//! Operations that ask about memrefs or make other views of them.

use super::machine::Machine;
use super::{Slot, View};
use std::rc::Rc;
use tilia_abi::Value;
use tilia_program::{MemRefUse, Op, OpKind, Slice, SliceDim, Type, ValueId};

pub(super) fn is_view(kind: &OpKind) -> bool {
    matches!(kind.memref_use(), MemRefUse::Descriptor | MemRefUse::View)
}

/// Offsets, sizes and strides of a slice with all operands filled in.
struct Numbers {
    offsets: Vec<i64>,
    sizes: Vec<i64>,
    strides: Vec<i64>,
}

impl Machine<'_, '_> {
    pub(super) fn view_op(&mut self, op: &Op) -> Result<(), String> {
        let function = self.frame().function;
        let result = op.results[0];
        let ty = &function[result].ty;
        let source = Rc::clone(self.slot(op.operands[0]).view()?);
        let slot = match &op.kind {
            OpKind::Rank => Slot::int(i64::try_from(source.sizes.len()).map_err(|_| "the rank is too large".to_owned())?),
            OpKind::Stride(n) => {
                let stride = source.strides.get(*n as usize);
                Slot::int(*stride.ok_or_else(|| format!("dimension {n} of a memref of rank {}", source.strides.len()))?)
            }
            OpKind::Address => Slot::int(source.root.buffer.as_ptr() as i64),
            OpKind::Dim => {
                let n = self.int(op.operands[1])?;
                let size = usize::try_from(n).ok().and_then(|n| source.sizes.get(n));
                Slot::int(*size.ok_or_else(|| format!("dimension {n} of a memref of rank {}", source.sizes.len()))?)
            }
            OpKind::Overlap => {
                let other = self.slot(op.operands[1]).view()?;
                Slot::int(if source.overlaps(other) { -1 } else { 0 })
            }
            OpKind::CastMemRef => {
                Value::MemRef(source.to_value())
                    .check_type(ty)
                    .map_err(|m| format!("this cast fails: {m}"))?;
                Slot::MemRef(source)
            }
            OpKind::SubView(slice) => {
                let numbers = self.numbers(slice, &op.operands[1..])?;
                Slot::MemRef(Rc::new(subview(&source, slice, &numbers)?))
            }
            OpKind::ReinterpretCast(slice) => {
                let n = self.numbers(slice, &op.operands[1..])?;
                let view = View {
                    offset: *n.offsets.first().ok_or("the offset is missing")?,
                    sizes: n.sizes,
                    strides: n.strides,
                    ..(*source).clone()
                };
                if !view.to_value().in_buffer() {
                    return Err(format!(
                        "shape {:?}, strides {:?} and offset {} leave the buffer",
                        view.sizes, view.strides, view.offset
                    ));
                }
                Slot::MemRef(Rc::new(view))
            }
            OpKind::Transpose(perm) => {
                let pick = |all: &[i64]| perm.iter().map(|&k| all[k as usize]).collect();
                Slot::MemRef(Rc::new(View {
                    sizes: pick(&source.sizes),
                    strides: pick(&source.strides),
                    ..(*source).clone()
                }))
            }
            OpKind::Reshape { collapse: true, groups } => Slot::MemRef(Rc::new(collapse(&source, groups)?)),
            OpKind::Reshape { collapse: false, groups } => {
                let sizes = self.expanded_sizes(ty, &op.operands[1..])?;
                Slot::MemRef(Rc::new(expand(&source, groups, sizes)?))
            }
            _ => return Err("not an operation on memrefs".to_owned()),
        };
        self.set(result, slot);
        Ok(())
    }

    fn numbers(&self, slice: &Slice, operands: &[ValueId]) -> Result<Numbers, String> {
        let mut rest = operands.iter();
        let mut list = |dims: &[SliceDim]| {
            let value = |d: &SliceDim| match d {
                SliceDim::Const(c) => Ok(*c),
                SliceDim::Operand => self.int(*rest.next().ok_or("an operand is missing")?),
            };
            dims.iter().map(value).collect::<Result<Vec<_>, String>>()
        };
        let numbers = Numbers {
            offsets: list(&slice.offsets)?,
            sizes: list(&slice.sizes)?,
            strides: list(&slice.strides)?,
        };
        if let Some(d) = numbers.sizes.iter().find(|d| **d < 0) {
            return Err(format!("a view of extent {d}"));
        }
        Ok(numbers)
    }

    fn expanded_sizes(&self, ty: &Type, operands: &[ValueId]) -> Result<Vec<i64>, String> {
        let shape = &ty.as_memref().ok_or("a memref is needed")?.shape;
        let mut rest = operands.iter();
        let size = |d: &Option<u64>| match d {
            Some(d) => i64::try_from(*d).map_err(|_| "an extent is too large".to_owned()),
            None => self.int(*rest.next().ok_or("a size is missing")?),
        };
        shape.iter().map(size).collect()
    }
}

const OVERFLOW: &str = "the address of a view overflows";

fn subview(source: &View, slice: &Slice, n: &Numbers) -> Result<View, String> {
    let mut offset = source.offset;
    let mut strides = Vec::new();
    for k in 0..source.sizes.len() {
        let (o, d, s) = (n.offsets[k], n.sizes[k], n.strides[k]);
        // The box must lie inside the source; an empty one has no place.
        let last = d
            .checked_sub(1)
            .and_then(|d| d.checked_mul(s))
            .and_then(|r| r.checked_add(o))
            .ok_or(OVERFLOW)?;
        let inside = |i: i64| (0..source.sizes[k]).contains(&i);
        if n.sizes.iter().all(|&d| d > 0) && !(inside(o) && inside(last)) {
            return Err(format!(
                "out of bounds: dimension {k} of the subview reaches from {o} to {last}, but the source's extent is {}",
                source.sizes[k]
            ));
        }
        offset = o
            .checked_mul(source.strides[k])
            .and_then(|o| offset.checked_add(o))
            .ok_or(OVERFLOW)?;
        strides.push(s.checked_mul(source.strides[k]).ok_or(OVERFLOW)?);
    }
    let kept = |all: &[i64]| {
        let keep = |k: &usize| !slice.dropped.iter().any(|&d| d as usize == *k);
        (0..all.len()).filter(keep).map(|k| all[k]).collect::<Vec<_>>()
    };
    if slice.dropped.iter().any(|&d| n.sizes[d as usize] != 1) {
        return Err("a dropped dimension must have an extent of 1".to_owned());
    }
    Ok(View {
        offset,
        sizes: kept(&n.sizes),
        strides: kept(&strides),
        ..source.clone()
    })
}

fn collapse(source: &View, groups: &[Vec<u32>]) -> Result<View, String> {
    let mut sizes = Vec::new();
    let mut strides = Vec::new();
    for group in groups {
        let mut size = 1i64;
        // Stride of the innermost dimension that has one, and what the next outer one must have.
        let mut stride: Option<i64> = None;
        let mut expected: Option<i64> = None;
        for &k in group.iter().rev() {
            let (d, s) = (source.sizes[k as usize], source.strides[k as usize]);
            size = size.checked_mul(d).ok_or(OVERFLOW)?;
            if d == 1 {
                continue;
            }
            if expected.is_some_and(|e| e != s) && d != 0 {
                return Err(format!(
                    "the dimensions {group:?} aren't contiguous (sizes {:?}, strides {:?})",
                    source.sizes, source.strides
                ));
            }
            stride = stride.or(Some(s));
            expected = Some(s.checked_mul(d).ok_or(OVERFLOW)?);
        }
        let innermost = group.last().map_or(1, |&k| source.strides[k as usize]);
        sizes.push(size);
        strides.push(stride.unwrap_or(innermost));
    }
    Ok(View {
        sizes,
        strides,
        ..source.clone()
    })
}

fn expand(source: &View, groups: &[Vec<u32>], sizes: Vec<i64>) -> Result<View, String> {
    if let Some(d) = sizes.iter().find(|d| **d < 0) {
        return Err(format!("a view of extent {d}"));
    }
    let mut strides = vec![1i64; sizes.len()];
    for (coarse, group) in groups.iter().enumerate() {
        let mut product = 1i64;
        let mut stride = source.strides[coarse];
        for &k in group.iter().rev() {
            strides[k as usize] = stride;
            let d = sizes[k as usize];
            product = product.checked_mul(d).ok_or(OVERFLOW)?;
            stride = stride.checked_mul(d).ok_or(OVERFLOW)?;
        }
        if product != source.sizes[coarse] {
            return Err(format!(
                "dimension {coarse} has extent {}, but is expanded to {product} elements",
                source.sizes[coarse]
            ));
        }
    }
    Ok(View {
        sizes,
        strides,
        ..source.clone()
    })
}
