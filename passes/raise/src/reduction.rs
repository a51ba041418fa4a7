//! Statements that combine a location with something and write it back.

use crate::index::Index;
use rustc_hash::FxHashMap;
use tilia_program::{OpId, OpKind, PureOp, ValueDef, ValueId};

/// The operation whose repetition may be reordered when its arithmetic allows, or that undoes one (`s - x` is `s + (-x)`).
fn family(op: PureOp) -> Option<PureOp> {
    use PureOp::{AddF, AddI, AndI, MaxNumF, MaxSI, MaxUI, MaximumF, MinNumF, MinSI, MinUI, MinimumF, MulF, MulI, OrI, SubF, SubI, XOrI};
    match op {
        AddF | SubF => Some(AddF),
        AddI | SubI => Some(AddI),
        MulF | MulI | AndI | OrI | XOrI | MaxSI | MaxUI | MinSI | MinUI | MaximumF | MinimumF | MaxNumF | MinNumF => Some(op),
        _ => None,
    }
}

/// Chains in statements of more operations than this aren't looked for.
const MAX_OPS: usize = 200;

/// Whether `result` is a chain of one associative and commutative operation in which `old` (a load's result or a carried value) stands exactly once, and nothing else
/// among `ops` uses it.
pub(crate) fn combines(index: &Index<'_>, ops: &[OpId], result: ValueId, old: ValueId) -> bool {
    let function = index.function;
    if ops.len() > MAX_OPS {
        return false;
    }
    let mut uses: FxHashMap<ValueId, usize> = FxHashMap::default();
    for &op in ops {
        for &v in &function[op].operands {
            *uses.entry(v).or_default() += 1;
        }
    }
    if uses.get(&old) != Some(&1) {
        return false;
    }
    let mut at = result;
    let mut kind = None;
    while at != old {
        let ValueDef::Result(op, _) = function[at].def else { return false };
        // Intermediate results must not be seen by anyone else in the statement.
        if !ops.contains(&op) || at != result && uses.get(&at) != Some(&1) {
            return false;
        }
        let data = &function[op];
        let OpKind::Pure(pure, _) = data.kind else { return false };
        let Some(found) = family(pure) else { return false };
        if *kind.get_or_insert(found) != found {
            return false;
        }
        let minus = matches!(pure, PureOp::SubF | PureOp::SubI);
        let Some(&next) = data
            .operands
            .iter()
            .take(if minus { 1 } else { 2 })
            .find(|&&v| reaches(index, ops, v, old))
        else {
            return false;
        };
        at = next;
    }
    kind.is_some()
}

/// Whether `v` is computed from `old` within `ops`.
fn reaches(index: &Index<'_>, ops: &[OpId], v: ValueId, old: ValueId) -> bool {
    let mut work = vec![v];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(v) = work.pop() {
        if v == old {
            return true;
        }
        if let ValueDef::Result(op, _) = index.function[v].def
            && ops.contains(&op)
            && seen.insert(op)
        {
            work.extend(&index.function[op].operands);
        }
    }
    false
}
