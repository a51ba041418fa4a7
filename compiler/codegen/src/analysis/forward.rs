//! Reads of what the iteration before has stored.
//!
//! In a loop whose body is straight-line code with one store, a load that names the element that the store named one iteration earlier needs no memory: the value is handed on in a register (the
//! simplest case of predictive commoning; O'Brien 1990). With an address that doesn't change, this is the running sum kept in memory. Nothing needs to be known of aliases: no
//! other store comes in between, and the store itself stays. The value for the first iteration is loaded before the loop.

use super::linear::Linear;
use tilia_program::{BlockId, ForOp, Function, LoopExec, OpId, OpKind, Step, ValueDef, ValueId};

/// Loads of one element, and the store that feeds them one iteration later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forward {
    /// The loads.
    pub loads: Vec<OpId>,
    /// The value that the store stores.
    pub stored: ValueId,
    /// What they and the store access.
    pub memref: ValueId,
    /// The loads' subscripts.
    pub subscripts: Vec<Linear>,
}

/// All loads in the body of loop `op` that the store of the iteration before feeds.
#[must_use]
pub fn forwards(function: &Function, op: OpId, kind: &ForOp) -> Vec<Forward> {
    let body = function[op].regions.first().map(|&r| &function[r].blocks[..]);
    let (Some(&[block]), Step::Const(step), true) = (body, kind.step, kind.exec != LoopExec::Parallel) else {
        return Vec::new();
    };
    let Some(store_at) = only_store(function, block) else {
        return Vec::new();
    };
    let ops = &function[block].ops;
    let store = &function[ops[store_at]];
    let (OpKind::Store(access), [stored, memref, operands @ ..]) = (&store.kind, &store.operands[..]) else {
        return Vec::new();
    };
    let iterator = function[block].args[0];
    if access.checked || is_inside(function, block, *memref) {
        return Vec::new();
    }
    let Some(target) = Linear::of_map(function, &access.map, operands) else {
        return Vec::new();
    };
    let mut found: Vec<Forward> = Vec::new();
    for &load in &ops[..store_at] {
        let data = &function[load];
        let (OpKind::Load(access), [source, operands @ ..]) = (&data.kind, &data.operands[..]) else {
            continue;
        };
        let same_type = function[data.results[0]].ty == function[*stored].ty;
        if access.checked || source != memref || !same_type {
            continue;
        }
        let Some(subscripts) = Linear::of_map(function, &access.map, operands) else {
            continue;
        };
        let fixed = |l: &Linear| l.terms.keys().all(|&v| v == iterator || !is_inside(function, block, v));
        if subscripts.len() != target.len()
            || !subscripts.iter().all(fixed)
            || !subscripts.iter().zip(&target).all(|(l, s)| follows(l, s, iterator, step))
        {
            continue;
        }
        match found.iter_mut().find(|f| f.subscripts == subscripts) {
            Some(known) => known.loads.push(load),
            None => found.push(Forward {
                loads: vec![load],
                stored: *stored,
                memref: *memref,
                subscripts,
            }),
        }
    }
    found
}

/// Whether subscript `load` one iteration later is subscript `store`.
fn follows(load: &Linear, store: &Linear, iterator: ValueId, step: i64) -> bool {
    let moved = load.terms.get(&iterator).copied().unwrap_or(0).checked_mul(step);
    let difference = store.clone().add_scaled(load, -1);
    matches!((moved, difference), (Some(moved), Some(d)) if d.terms.is_empty() && d.constant == moved)
}

/// The place of the only store in a block of plain operations.
fn only_store(function: &Function, block: BlockId) -> Option<usize> {
    let mut store = None;
    for (n, &op) in function[block].ops.iter().enumerate() {
        match function[op].kind {
            OpKind::Store(_) if store.is_none() => store = Some(n),
            OpKind::Constant(_)
            | OpKind::Pure(..)
            | OpKind::Apply(_)
            | OpKind::Min(_)
            | OpKind::Max(_)
            | OpKind::Dim
            | OpKind::Rank
            | OpKind::Stride(_)
            | OpKind::Load(_)
            | OpKind::Yield => {}
            _ => return None,
        }
    }
    store
}

/// Whether a value is defined in the block itself.
fn is_inside(function: &Function, block: BlockId, value: ValueId) -> bool {
    match function[value].def {
        ValueDef::Arg(b, _) => b == block,
        ValueDef::Result(op, _) => function[block].ops.contains(&op),
    }
}
