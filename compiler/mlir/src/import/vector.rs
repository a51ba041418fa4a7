//! The part of the dialect `vector` that is elementwise, picks elements or reads and writes whole vectors: the rest is declined.

use super::MlirOp;
use super::arith::pure;
use super::function::{FunctionImporter, Translated, expected, unsupported};
use super::mem_ref::{identity, load, load_of, store, store_of};
use super::operations::{ints_attribute, operand_groups};
use crate::ffi;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::OperationLike;
use std::collections::BTreeMap;
use tilia_program::{BlockId, MathFn, OpKind, PureOp, Type, ValueId, VectorType};

const OTHERS: &str = "this vector operation isn't supported; write the loop over its elements";
/// Most elements that an operation may move one by one.
const MAX_SHUFFLE: usize = 256;

/// Translates an operation of `vector`.
pub(super) fn translate<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, name: &str) -> Translated {
    f.check_known(op)?;
    match name {
        "splat" => pure(f, op, block, PureOp::Splat),
        "broadcast" => broadcast(f, op, block),
        "extract" => extract(f, op, block),
        "insert" => insert(f, op, block),
        "fma" => pure(f, op, block, PureOp::Math(MathFn::Fma)),
        "shape_cast" => {
            let (source, result) = (operand_lanes(f, op, 0)?, result_vector(f, op)?);
            let lanes = (0..source).collect::<Vec<_>>();
            let value = f.operand(op, 0)?;
            pick(f, op, block, value, &lanes, &result)
        }
        "from_elements" => from_elements(f, op, block),
        "to_elements" => to_elements(f, op, block),
        "load" => {
            let rank = op.operand_count().saturating_sub(1);
            load(f, op, block, identity(rank))
        }
        "store" => {
            let rank = op.operand_count().saturating_sub(2);
            store(f, op, block, identity(rank))
        }
        "transfer_read" => {
            let [source, indices, _, mask] = operand_groups::<4>(op)?;
            check_transfer(op, &mask)?;
            let operands = f.operands(op, source.start..indices.end)?;
            load_of(f, op, block, identity(indices.len()), source.start, operands)
        }
        "transfer_write" => {
            let [value, target, indices, mask] = operand_groups::<4>(op)?;
            check_transfer(op, &mask)?;
            let operands = f.operands(op, value.start..indices.end)?;
            store_of(f, op, block, identity(indices.len()), [value.start, target.start], operands)
        }
        _ => unsupported(OTHERS),
    }
}

/// Refuses transfers that are more than a load or store of adjacent elements.
fn check_transfer(op: MlirOp<'_>, mask: &std::ops::Range<usize>) -> Translated {
    let map = op.attribute("permutation_map").ok().and_then(ffi::affine_map);
    let minor = map.is_some_and(|m| m.is_minor_identity());
    let flags = op.attribute("in_bounds").ok().and_then(|a| ArrayAttribute::try_from(a).ok());
    let inside = flags.is_some_and(|a| (0..a.len()).all(|n| a.element(n).ok().and_then(ffi::integer).is_some_and(|v| v != 0)));
    if minor && inside && mask.is_empty() {
        Ok(())
    } else {
        unsupported("only transfers of adjacent elements, in bounds and without a mask, are supported; use vector.load and vector.store")
    }
}

fn result_vector<'m>(f: &FunctionImporter<'_, 'm>, op: MlirOp<'m>) -> Translated<VectorType> {
    match f.result_types(op).into_iter().next() {
        Some(Type::Vector(vector)) => Ok(vector),
        _ => unsupported(OTHERS),
    }
}

fn lanes(vector: &VectorType) -> Translated<usize> {
    match vector.lanes().and_then(|n| usize::try_from(n).ok()) {
        Some(n) if n <= MAX_SHUFFLE => Ok(n),
        _ => unsupported(format!(
            "vectors of more than {MAX_SHUFFLE} elements aren't rearranged; use a memref"
        )),
    }
}

fn operand_vector<'m>(f: &FunctionImporter<'_, 'm>, op: MlirOp<'m>, n: usize) -> Translated<VectorType> {
    match &f.f[f.operand(op, n)?].ty {
        Type::Vector(vector) => Ok(vector.clone()),
        _ => unsupported(OTHERS),
    }
}

fn operand_lanes<'m>(f: &FunctionImporter<'_, 'm>, op: MlirOp<'m>, n: usize) -> Translated<usize> {
    lanes(&operand_vector(f, op, n)?)
}

fn lane_number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The result of `op` as the lanes of `source` with these numbers, one after the other.
fn pick<'m>(
    f: &mut FunctionImporter<'_, 'm>,
    op: MlirOp<'m>,
    block: BlockId,
    source: ValueId,
    numbers: &[usize],
    result: &VectorType,
) -> Translated {
    let elem = Type::Scalar(result.elem);
    let mut known: BTreeMap<usize, ValueId> = BTreeMap::new();
    let mut elements = Vec::new();
    for &n in numbers {
        let element = known.get(&n).copied().unwrap_or_else(|| {
            let kind = OpKind::pure(PureOp::Extract(lane_number(n)));
            f.emit_value(block, kind, vec![source], elem.clone())
        });
        known.insert(n, element);
        elements.push(element);
    }
    assemble(f, op, block, &elements, result)
}

/// The result of `op` as a vector of these elements.
fn assemble<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId, elements: &[ValueId], result: &VectorType) -> Translated {
    let ty = Type::Vector(result.clone());
    let [first, rest @ ..] = elements else {
        return unsupported("vectors without elements aren't supported");
    };
    let mut value = f.emit_value(block, OpKind::pure(PureOp::Splat), vec![*first], ty.clone());
    for (n, &element) in (1u32..).zip(rest) {
        value = f.emit_value(block, OpKind::pure(PureOp::Insert(n)), vec![element, value], ty.clone());
    }
    f.bind_results(op, &[value]);
    Ok(())
}

fn broadcast<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let source = f.operand(op, 0)?;
    let from = match f.f[source].ty.clone() {
        Type::Scalar(_) => return pure(f, op, block, PureOp::Splat),
        Type::Vector(vector) => vector,
        _ => return unsupported(OTHERS),
    };
    let result = result_vector(f, op)?;
    let count = lanes(&result)?;
    let leading = result.shape.len().saturating_sub(from.shape.len());
    let numbers: Vec<usize> = (0..count).map(|n| broadcast_lane(n, &result.shape, &from.shape, leading)).collect();
    pick(f, op, block, source, &numbers, &result)
}

/// The source lane that result lane `n` of a broadcast repeats: leading dimensions are new, extents of one are stretched.
fn broadcast_lane(n: usize, result: &[u64], source: &[u64], leading: usize) -> usize {
    let (mut rest, mut lane, mut scale) = (n as u64, 0, 1);
    for (d, &extent) in result.iter().enumerate().rev() {
        let position = rest % extent.max(1);
        rest /= extent.max(1);
        if let Some(&from) = d.checked_sub(leading).and_then(|k| source.get(k)) {
            lane += if from == 1 { 0 } else { position * scale };
            scale *= from;
        }
    }
    usize::try_from(lane).unwrap_or(usize::MAX)
}

/// The first lane and the number of lanes that a constant position picks of a vector.
fn position<'m>(op: MlirOp<'m>, vector: &VectorType) -> Translated<(usize, usize)> {
    let position = ints_attribute(op, "static_position")?;
    let inner: u64 = vector.shape.get(position.len()..).unwrap_or(&[]).iter().product();
    let mut start = 0u64;
    for (p, &extent) in position.iter().zip(&vector.shape) {
        let p = u64::try_from(*p).ok().filter(|p| *p < extent);
        let Some(p) = p else {
            return unsupported("only constant positions in range are supported; use a memref");
        };
        start = start * extent + p;
    }
    let number = |n: u64| usize::try_from(n).map_err(|_| expected("static_position"));
    Ok((number(start * inner)?, number(inner)?))
}

fn extract<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let vector = operand_vector(f, op, 0)?;
    let (start, count) = position(op, &vector)?;
    let value = f.operand(op, 0)?;
    match f.result_types(op).into_iter().next() {
        Some(Type::Scalar(_)) => {
            let kind = OpKind::pure(PureOp::Extract(lane_number(start)));
            f.emit_for(op, block, kind, vec![value]);
            Ok(())
        }
        Some(Type::Vector(result)) => {
            lanes(&result)?;
            pick(f, op, block, value, &(start..start + count).collect::<Vec<_>>(), &result)
        }
        _ => unsupported(OTHERS),
    }
}

fn insert<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let vector = operand_vector(f, op, 1)?;
    let (start, count) = position(op, &vector)?;
    let (part, mut value) = (f.operand(op, 0)?, f.operand(op, 1)?);
    let whole = f.f[part].ty.clone();
    if matches!(whole, Type::Scalar(_)) {
        let kind = OpKind::pure(PureOp::Insert(lane_number(start)));
        f.emit_for(op, block, kind, vec![part, value]);
        return Ok(());
    }
    operand_lanes(f, op, 0)?;
    for n in 0..count {
        let kind = OpKind::pure(PureOp::Extract(lane_number(n)));
        let element = f.emit_value(block, kind, vec![part], Type::Scalar(vector.elem));
        let kind = OpKind::pure(PureOp::Insert(lane_number(start + n)));
        value = f.emit_value(block, kind, vec![element, value], Type::Vector(vector.clone()));
    }
    f.bind_results(op, &[value]);
    Ok(())
}

fn from_elements<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let result = result_vector(f, op)?;
    lanes(&result)?;
    let elements = f.all_operands(op)?;
    assemble(f, op, block, &elements, &result)
}

fn to_elements<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let vector = operand_vector(f, op, 0)?;
    let value = f.operand(op, 0)?;
    let mut results = Vec::new();
    for n in 0..lanes(&vector)? {
        let kind = OpKind::pure(PureOp::Extract(lane_number(n)));
        results.push(f.emit_value(block, kind, vec![value], Type::Scalar(vector.elem)));
    }
    f.bind_results(op, &results);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broadcasts_repeat_lanes() {
        let lanes = |result: &[u64], source: &[u64]| -> Vec<usize> {
            let count = usize::try_from(result.iter().product::<u64>()).unwrap();
            let leading = result.len() - source.len();
            (0..count).map(|n| broadcast_lane(n, result, source, leading)).collect()
        };
        assert_eq!(lanes(&[2, 3], &[3]), [0, 1, 2, 0, 1, 2]);
        assert_eq!(lanes(&[2, 3], &[2, 1]), [0, 0, 0, 1, 1, 1]);
        assert_eq!(lanes(&[4], &[1]), [0, 0, 0, 0]);
    }
}
