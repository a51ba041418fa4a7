//! Buffers that nobody but the scop's own loads and stores can see.

use crate::live::Site;
use rustc_hash::{FxHashMap, FxHashSet};
use tilia_program::{Function, MemRefUse, OpId, OpKind, Type, ValueDef, ValueId};
use tilia_scop::{Access, AccessKind, AccessSource, ArrayId, ArrayKind, Scop, StmtKind};

/// Operations by the memrefs among their operands.
pub(crate) struct Users(FxHashMap<ValueId, Vec<OpId>>);

impl Users {
    pub(crate) fn of(function: &Function) -> Users {
        let mut users: FxHashMap<ValueId, Vec<OpId>> = FxHashMap::default();
        if let Some(body) = function.body {
            function.walk(body, |op| {
                for &v in &function[op].operands {
                    if matches!(function[v].ty, Type::MemRef(_)) {
                        users.entry(v).or_default().push(op);
                    }
                }
            });
        }
        Users(users)
    }

    /// Whether the function allocates the buffer of `array` and nothing but the scop's loads and stores touches it, so that nothing of it is live before or after the scop.
    pub(crate) fn is_local(&self, function: &Function, scop: &Scop, array: ArrayId) -> bool {
        let ArrayKind::Root(root) = scop[array].kind else { return false };
        match function[root].def {
            ValueDef::Result(op, _) if matches!(function[op].kind, OpKind::Alloc { .. }) => {}
            _ => return false,
        }
        let accesses = scop.stmts.iter().flat_map(|s| &s.accesses).filter(|a| a.array == array);
        let inside: FxHashSet<OpId> = accesses.filter_map(operation).collect();
        let mut views = vec![root];
        while let Some(v) = views.pop() {
            for &user in self.0.get(&v).into_iter().flatten() {
                match function[user].kind.memref_use() {
                    MemRefUse::Elements if inside.contains(&user) && function[user].kind != OpKind::Copy => {}
                    MemRefUse::Descriptor | MemRefUse::Free => {}
                    MemRefUse::View => views.extend(&function[user].results),
                    MemRefUse::Elements | MemRefUse::Other => return false,
                }
            }
        }
        true
    }
}

fn operation(access: &Access) -> Option<OpId> {
    match access.source {
        AccessSource::Op(op) => Some(op),
        _ => None,
    }
}

/// The load or store of one number that makes an access, and the number; `None` for accesses that can't become those of a copy. One that is checked when it executes can't: a copy has no bounds.
pub(crate) fn moved(function: &Function, scop: &Scop, site: Site) -> Option<(OpId, ValueId)> {
    let stmt = &scop[site.stmt];
    let access = &stmt.accesses[site.access];
    let op = operation(access).filter(|op| access.must && stmt.kind == StmtKind::Plain && stmt.ops.contains(op))?;
    let value = match (&function[op].kind, access.kind) {
        (OpKind::Load(_), AccessKind::Read) => *function[op].results.first()?,
        (OpKind::Store(_), AccessKind::Write) => *function[op].operands.first()?,
        _ => return None,
    };
    (matches!(function[value].ty, Type::Scalar(_)) && !scop.checked_ops.contains(&op)).then_some((op, value))
}
