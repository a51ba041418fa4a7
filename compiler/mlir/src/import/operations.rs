//! Which translation an operation gets.

use super::function::{FunctionImporter, Translated, expected, unsupported};
use super::{MlirOp, arith, cf, index, loops, mem_ref, mem_ref_views, name_of, parallel, scf, vector};
use crate::ffi;
use melior::ir::attribute::Attribute;
use melior::ir::operation::OperationLike;
use tilia_program::BlockId;

/// Translates `op` into operations at the end of `block`.
pub(super) fn translate<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let name = name_of(&op);
    let Some((dialect, rest)) = name.split_once('.') else {
        return unsupported("operations of no dialect aren't supported");
    };
    match (dialect, rest) {
        ("arith" | "math", _) => arith::translate(f, op, block, dialect, rest),
        ("index", _) => index::translate(f, op, block, rest),
        ("affine", "for") => loops::affine_for(f, op, block),
        ("affine", "parallel") => parallel::affine_parallel(f, op, block),
        ("affine", "if") => loops::affine_if(f, op, block),
        ("affine", "yield") | ("scf", "yield") | ("memref", "alloca_scope.return") => scf::yield_op(f, op, block),
        ("affine", "prefetch") | ("memref", "prefetch") => Ok(()),
        ("affine", _) => mem_ref::affine(f, op, block, rest),
        ("scf", "for") => loops::scf_for(f, op, block),
        ("scf", "parallel") => parallel::scf_parallel(f, op, block),
        ("scf", "forall") => parallel::scf_forall(f, op, block),
        ("scf", _) => scf::translate(f, op, block, rest),
        ("memref", "alloca_scope") => scf::execute_region(f, op, block),
        ("memref", _) => {
            if mem_ref::memref(f, op, block, rest)? {
                Ok(())
            } else {
                mem_ref_views::translate(f, op, block, rest)
            }
        }
        ("cf" | "func" | "ub", _) => cf::translate(f, op, block, dialect, rest),
        ("vector", _) => vector::translate(f, op, block, rest),
        ("builtin", "unrealized_conversion_cast") => index::conversion(f, op, block),
        _ => unsupported(foreign(dialect)),
    }
}

/// Why operations of a dialect aren't executed, and the way out.
fn foreign(dialect: &str) -> String {
    match dialect {
        "tensor" | "bufferization" => "tensors have no memory yet; bufferize the module first (mlir-opt -one-shot-bufferize)".to_owned(),
        "linalg" => "linalg operations aren't loops yet; lower them first (mlir-opt -convert-linalg-to-affine-loops)".to_owned(),
        "complex" => "complex numbers aren't supported; lower them first (mlir-opt -convert-complex-to-standard)".to_owned(),
        "gpu" | "omp" | "llvm" | "async" => {
            format!("operations of the dialect '{dialect}' are below loops; start from the module before that lowering")
        }
        _ => {
            format!("operations of the dialect '{dialect}' aren't known; lower them to affine, scf, memref, arith, math, func or cf first")
        }
    }
}

/// An integer attribute.
pub(super) fn int_attribute(op: MlirOp<'_>, name: &str) -> Translated<i64> {
    op.attribute(name).ok().and_then(ffi::integer).ok_or_else(|| expected(name))
}

/// An attribute that is an array of integers, in any of MLIR's forms: a dense array, dense elements, or an array of integer attributes.
pub(super) fn ints_attribute(op: MlirOp<'_>, name: &str) -> Translated<Vec<i64>> {
    op.attribute(name).ok().and_then(ints).ok_or_else(|| expected(name))
}

/// The integers of an attribute that lists some.
pub(super) fn ints(attribute: Attribute<'_>) -> Option<Vec<i64>> {
    if let Some(array) = ffi::dense_array(attribute) {
        return Some(array);
    }
    if let Ok(array) = melior::ir::attribute::ArrayAttribute::try_from(attribute) {
        return (0..array.len()).map(|n| array.element(n).ok().and_then(ffi::integer)).collect();
    }
    let elements = ffi::DenseElements::new(attribute)?;
    let shape = [u64::try_from(elements.count).ok()?];
    (0..elements.count)
        .map(|n| elements.element(n, &shape).and_then(ffi::integer))
        .collect()
}

/// Positions of the operands that belong to each operand group.
pub(super) fn operand_groups<const N: usize>(op: MlirOp<'_>) -> Translated<[std::ops::Range<usize>; N]> {
    let name = "operandSegmentSizes";
    let sizes = ints_attribute(op, name)?;
    let mut start = 0usize;
    let mut groups = Vec::with_capacity(N);
    for size in sizes {
        let end = usize::try_from(size)
            .ok()
            .and_then(|s| s.checked_add(start))
            .ok_or_else(|| expected(name))?;
        groups.push(start..end);
        start = end;
    }
    if start != op.operand_count() {
        return Err(expected(name));
    }
    groups.try_into().map_err(|_| expected(name))
}
