//! Statements that combine a location with something and write it back.

use crate::index::Index;
use rustc_hash::FxHashMap;
use tilia_program::{CmpI, Function, MathFn, OpId, OpKind, PureOp, ValueDef, ValueId};

/// One operation of a chain (a minimum that is written as a comparison and a select counts as one).
struct Link {
    /// The operation whose repetition may be reordered when its arithmetic allows. An operation may undo it: `s - x` is `s + (-x)`.
    op: PureOp,
    /// Which operands the chain may come through.
    through: Vec<ValueId>,
    /// How often the link uses such an operand.
    uses: usize,
    /// The comparison that belongs to it.
    cond: Option<ValueId>,
}

/// The operation that defines the value as a link of a chain.
fn link(function: &Function, value: ValueId) -> Option<Link> {
    use PureOp::{AddF, AddI, AndI, MaxNumF, MaxSI, MaxUI, MaximumF, MinNumF, MinSI, MinUI, MinimumF, MulF, MulI, OrI, SubF, SubI, XOrI};
    let ValueDef::Result(op, _) = function[value].def else {
        return None;
    };
    let data = &function[op];
    let OpKind::Pure(pure, _) = data.kind else { return None };
    let through = |op: PureOp, operands: &[ValueId]| {
        Some(Link {
            op,
            through: operands.to_vec(),
            uses: 1,
            cond: None,
        })
    };
    match (pure, &data.operands[..]) {
        (SubF, [x, _]) => through(AddF, &[*x]),
        (SubI, [x, _]) => through(AddI, &[*x]),
        (PureOp::Math(MathFn::Fma), [_, _, addend]) => through(AddF, &[*addend]),
        (AddF | AddI | MulF | MulI | AndI | OrI | XOrI, both) => through(pure, both),
        (MaxSI | MaxUI | MinSI | MinUI | MaximumF | MinimumF | MaxNumF | MinNumF, both) => through(pure, both),
        (PureOp::Select, &[cond, yes, no]) => Some(Link {
            uses: 2,
            cond: Some(cond),
            ..through(selected(function, cond, yes, no)?, &[yes, no])?
        }),
        _ => None,
    }
}

/// The minimum or maximum that a select of whole numbers is.
fn selected(function: &Function, cond: ValueId, yes: ValueId, no: ValueId) -> Option<PureOp> {
    let ValueDef::Result(op, _) = function[cond].def else { return None };
    let data = &function[op];
    let (OpKind::Pure(PureOp::CmpI(how), _), &[a, b]) = (&data.kind, &data.operands[..]) else {
        return None;
    };
    let straight = (a, b) == (yes, no);
    if !straight && (b, a) != (yes, no) || a == b {
        return None;
    }
    // The value when the first is smaller is the first: a minimum.
    Some(match (how, straight) {
        (CmpI::Slt | CmpI::Sle, true) | (CmpI::Sgt | CmpI::Sge, false) => PureOp::MinSI,
        (CmpI::Sgt | CmpI::Sge, true) | (CmpI::Slt | CmpI::Sle, false) => PureOp::MaxSI,
        (CmpI::Ult | CmpI::Ule, true) | (CmpI::Ugt | CmpI::Uge, false) => PureOp::MinUI,
        (CmpI::Ugt | CmpI::Uge, true) | (CmpI::Ult | CmpI::Ule, false) => PureOp::MaxUI,
        (CmpI::Eq | CmpI::Ne, _) => return None,
    })
}

/// Chains in statements of more operations than this aren't looked for.
const MAX_OPS: usize = 200;

/// The operation of which `result` is a chain in which `old` (a load's result or a carried value) stands exactly once, and which nothing else among `ops` sees; it is associative
/// and commutative as far as its arithmetic is. `None` when `result` is no such chain.
pub(crate) fn combines(index: &Index<'_>, ops: &[OpId], result: ValueId, old: ValueId) -> Option<PureOp> {
    let function = index.function;
    if ops.len() > MAX_OPS {
        return None;
    }
    let mut uses: FxHashMap<ValueId, usize> = FxHashMap::default();
    for &op in ops {
        for &v in &function[op].operands {
            *uses.entry(v).or_default() += 1;
        }
    }
    let mut at = result;
    let mut kind = None;
    while at != old {
        let ValueDef::Result(op, _) = function[at].def else { return None };
        if !ops.contains(&op) {
            return None;
        }
        let link = link(function, at)?;
        if *kind.get_or_insert(link.op) != link.op {
            return None;
        }
        let next = *link.through.iter().find(|&&v| reaches(index, ops, v, old))?;
        // Intermediate results must not be seen by anyone else in the statement.
        if uses.get(&next) != Some(&link.uses) || link.cond.is_some_and(|c| uses.get(&c) != Some(&1)) {
            return None;
        }
        at = next;
    }
    kind
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
