//! `--fp=contract`: which multiplications and additions fuse into one rounding.
//!
//! Decided on the source program, before scheduling, by a rule that looks at one expression only; so every schedule, tile size, thread count and back end computes
//! the same values. The rule: a sum `a + b` or difference `a - b` of scalars or vectors, one side of which is a product with no other use in the same
//! block, becomes a fused multiply-add; if both sides are such products, the left one fuses.

use rustc_hash::FxHashMap;
use tilia_program::{BlockId, Function, MathFn, OpId, OpKind, PureOp, ValueDef, ValueId};

/// Fuses multiply-adds throughout the function; returns how many.
pub fn contract(function: &mut Function) -> usize {
    let Some(body) = function.body else { return 0 };
    let mut uses: FxHashMap<ValueId, usize> = FxHashMap::default();
    let mut blocks: Vec<BlockId> = Vec::new();
    let mut ops: Vec<OpId> = Vec::new();
    function.walk(body, |op| ops.push(op));
    let mut home: FxHashMap<OpId, BlockId> = FxHashMap::default();
    let mut regions = vec![body];
    while let Some(region) = regions.pop() {
        for &block in &function[region].blocks {
            blocks.push(block);
            for &op in &function[block].ops {
                home.insert(op, block);
                regions.extend(function[op].regions.iter().copied());
            }
        }
    }
    for &op in &ops {
        for &v in &function[op].operands {
            *uses.entry(v).or_insert(0) += 1;
        }
    }
    let mut fused = 0;
    for block in blocks {
        let mut position = 0;
        while position < function[block].ops.len() {
            position += fuse_at(function, block, position, &uses, &home, &mut fused);
        }
    }
    fused
}

/// Fuses the operation at `position` if the rule says so; returns by how much to advance.
fn fuse_at(
    f: &mut Function,
    block: BlockId,
    position: usize,
    uses: &FxHashMap<ValueId, usize>,
    home: &FxHashMap<OpId, BlockId>,
    fused: &mut usize,
) -> usize {
    let id = f[block].ops[position];
    let OpKind::Pure(kind @ (PureOp::AddF | PureOp::SubF), flags) = f[id].kind else {
        return 1;
    };
    let [a, b] = f[id].operands[..] else { return 1 };
    let product = |v: ValueId| match f[v].def {
        ValueDef::Result(op, 0)
            if home.get(&op) == Some(&block) && uses.get(&v) == Some(&1) && matches!(f[op].kind, OpKind::Pure(PureOp::MulF, _)) =>
        {
            Some((op, f[op].operands[0], f[op].operands[1]))
        }
        _ => None,
    };
    let (mul, x, y, addend, negate_product, negate_addend) = match (product(a), product(b)) {
        (Some((op, x, y)), _) => (op, x, y, b, false, kind == PureOp::SubF),
        (None, Some((op, x, y))) => (op, x, y, a, kind == PureOp::SubF, false),
        (None, None) => return 1,
    };
    let ty = f[f.result(id)].ty.clone();
    let loc = f[id].loc.clone();
    let mut inserted = 0;
    let mut negated = |f: &mut Function, v: ValueId| {
        let op = f.new_op(OpKind::Pure(PureOp::NegF, flags), vec![v], std::slice::from_ref(&ty), loc.clone());
        f[block].ops.insert(position + inserted, op);
        inserted += 1;
        f.result(op)
    };
    let x = if negate_product { negated(f, x) } else { x };
    let addend = if negate_addend { negated(f, addend) } else { addend };
    f[id].kind = OpKind::Pure(PureOp::Math(MathFn::Fma), flags);
    f[id].operands = vec![x, y, addend];
    f[id].origin = None;
    // The product, which stands before the sum, has no use left.
    let at = f[block].ops.iter().position(|&o| o == mul);
    if let Some(at) = at {
        f[block].ops.remove(at);
    }
    *fused += 1;
    inserted + 1 - usize::from(at.is_some())
}
