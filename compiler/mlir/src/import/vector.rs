//! The part of the dialect `vector` that is elementwise, picks elements or reads and writes whole vectors: the rest is declined.

use super::MlirOp;
use super::arith::pure;
use super::function::{FunctionImporter, Translated, expected, unsupported};
use super::mem_ref::{identity, load, store};
use super::operations::ints_attribute;
use super::transfer;
use melior::ir::operation::OperationLike;
use std::collections::BTreeMap;
use tilia_program::{BlockId, Constant, FastMath, MathFn, OpKind, PureOp, Type, ValueId, VectorType};

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
        "transfer_read" => transfer::read(f, op, block),
        "transfer_write" => transfer::write(f, op, block),
        "shuffle" => shuffle(f, op, block),
        "reduction" => reduction(f, op, block),
        _ => unsupported(OTHERS),
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

/// `vector.shuffle` of two vectors of one dimension, or of whole slices along the outermost one.
fn shuffle<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let (first, second) = (operand_vector(f, op, 0)?, operand_vector(f, op, 1)?);
    let result = result_vector(f, op)?;
    lanes(&result)?;
    lanes(&first)?;
    lanes(&second)?;
    let slice: u64 = first.shape.iter().skip(1).product();
    let whole = |v: &VectorType| v.shape.first().copied().unwrap_or(1);
    let (sources, split) = ([f.operand(op, 0)?, f.operand(op, 1)?], whole(&first));
    let elem = Type::Scalar(result.elem);
    let mut elements = Vec::new();
    for n in ints_attribute(op, "mask")? {
        // A position without a value (-1) may be anything; it is the first.
        let n = u64::try_from(n).unwrap_or(0);
        let (source, n) = if n < split { (sources[0], n) } else { (sources[1], n - split) };
        for lane in n * slice..(n + 1) * slice {
            let kind = OpKind::pure(PureOp::Extract(u32::try_from(lane).unwrap_or(u32::MAX)));
            elements.push(f.emit_value(block, kind, vec![source], elem.clone()));
        }
    }
    assemble(f, op, block, &elements, &result)
}

/// `vector.reduction`: sums and products of floats start with what is accumulated (else 0 and 1) and go lane by lane, as MLIR's own lowering has it.
fn reduction<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let vector = operand_vector(f, op, 0)?;
    let kind = op.attribute("kind").map_err(|_| expected("kind"))?.to_string();
    let kind = kind.trim_end_matches('>').rsplit(['<', ' ']).next().unwrap_or("").to_owned();
    let float = vector.elem.is_float();
    let combine = match (&*kind, float) {
        ("add", false) => PureOp::AddI,
        ("mul", false) => PureOp::MulI,
        ("minsi", false) => PureOp::MinSI,
        ("minui", false) => PureOp::MinUI,
        ("maxsi", false) => PureOp::MaxSI,
        ("maxui", false) => PureOp::MaxUI,
        ("and", false) => PureOp::AndI,
        ("or", false) => PureOp::OrI,
        ("xor", false) => PureOp::XOrI,
        ("add", true) => PureOp::AddF,
        ("mul", true) => PureOp::MulF,
        ("minimumf", true) => PureOp::MinimumF,
        ("maximumf", true) => PureOp::MaximumF,
        ("minnumf", true) => PureOp::MinNumF,
        ("maxnumf", true) => PureOp::MaxNumF,
        _ => return unsupported(OTHERS),
    };
    let elem = Type::Scalar(vector.elem);
    let start = match op.operand_count() {
        1 if combine == PureOp::AddF => Some(f.emit_value(block, OpKind::Constant(Constant::Float(0)), Vec::new(), elem.clone())),
        1 => None,
        _ => Some(f.operand(op, 1)?),
    };
    let source = f.operand(op, 0)?;
    let mut value = start;
    for n in 0..lanes(&vector)? {
        let lane = f.emit_value(block, OpKind::pure(PureOp::Extract(lane_number(n))), vec![source], elem.clone());
        value = Some(match value {
            Some(value) => f.emit_value(block, OpKind::Pure(combine, FastMath::default()), vec![value, lane], elem.clone()),
            None => lane,
        });
    }
    let Some(value) = value else {
        return unsupported("vectors without elements aren't supported");
    };
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
