//! Which memrefs share no memory, as scopes that LLVM understands.
//!
//! Known are: memory allocated in the function shares nothing with any other; globals differ; arguments differ where a run-time check (`Overlap`) that guards the code says so. Each such
//! root of memory has a scope, and an access names its root's scope and those of all roots that are disjoint from it.
//!
//! A scope's promise holds for a whole activation of the function, so a check counts only if it is about arguments, which don't change during one.

use super::core::Emitter;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt::Write;
use tilia_program::{Function, IfCond, OpKind, PureOp, ValueDef, ValueId};

/// Views and conditions looked through.
const MAX_STEPS: usize = 64;
/// Roots of one function that get scopes; beyond, lists would get too long.
const MAX_ROOTS: usize = 64;

/// Where memory comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Root {
    /// An argument of the function.
    Argument(ValueId),
    /// An allocation in it.
    Fresh(ValueId),
    /// A global.
    Global(u32),
}

/// Pairs of arguments that are known to be disjoint at the current point.
#[derive(Debug, Clone, Default)]
pub(crate) struct Disjoint(BTreeSet<(ValueId, ValueId)>);

impl Disjoint {
    fn insert(&mut self, a: ValueId, b: ValueId) -> bool {
        self.0.insert((a.min(b), a.max(b)))
    }

    fn remove(&mut self, pair: (ValueId, ValueId)) {
        self.0.remove(&pair);
    }

    fn holds(&self, a: Root, b: Root) -> bool {
        match (a, b) {
            _ if a == b => false,
            (Root::Fresh(_), _) | (_, Root::Fresh(_)) | (Root::Global(_), Root::Global(_)) => true,
            (Root::Argument(x), Root::Argument(y)) => self.0.contains(&(x.min(y), x.max(y))),
            _ => false,
        }
    }
}

/// Scopes of the module's roots.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    /// Number of each root of each function.
    numbers: FxHashMap<(usize, Root), usize>,
    /// Roots of each function, in order of first use.
    roots: FxHashMap<usize, Vec<Root>>,
}

impl Scopes {
    fn number(&mut self, function: usize, root: Root) -> Option<usize> {
        if let Some(&n) = self.numbers.get(&(function, root)) {
            return Some(n);
        }
        let roots = self.roots.entry(function).or_default();
        if roots.len() >= MAX_ROOTS {
            return None;
        }
        roots.push(root);
        let n = self.numbers.len();
        self.numbers.insert((function, root), n);
        Some(n)
    }

    /// The definitions of all scopes, for the head of the module.
    pub(crate) fn text(&self) -> String {
        let mut text = "#memory = #llvm.alias_scope_domain<id = distinct[0]<>>\n".to_owned();
        for n in 0..self.numbers.len() {
            let _ = writeln!(text, "#m{n} = #llvm.alias_scope<id = distinct[{}]<>, domain = #memory>", n + 1);
        }
        text
    }
}

/// The root of a memref, seen through views.
fn root(f: &Function, memref: ValueId) -> Option<Root> {
    let mut value = memref;
    for _ in 0..MAX_STEPS {
        let op = match f[value].def {
            ValueDef::Arg(block, _) => return (f.entry() == Some(block)).then_some(Root::Argument(value)),
            ValueDef::Result(op, _) => &f[op],
        };
        value = match &op.kind {
            OpKind::Alloc { .. } => return Some(Root::Fresh(value)),
            OpKind::GetGlobal(n) => return Some(Root::Global(*n)),
            OpKind::CastMemRef | OpKind::SubView(_) | OpKind::ReinterpretCast(_) | OpKind::Transpose(_) | OpKind::Reshape { .. } => {
                *op.operands.first()?
            }
            _ => return None,
        };
    }
    None
}

impl Emitter<'_, '_> {
    /// The attributes that an access of the memref carries, beside its alignment.
    pub(super) fn scopes_of(&mut self, memref: ValueId) -> String {
        let Some(own) = root(self.source, memref) else {
            return String::new();
        };
        let Some(number) = self.scopes.number(self.function, own) else {
            return String::new();
        };
        let known = self.all_roots();
        let others: Vec<_> = known
            .into_iter()
            .filter(|&other| self.disjoint.holds(own, other))
            .filter_map(|other| self.scopes.number(self.function, other))
            .map(|n| format!("#m{n}"))
            .collect();
        let others = if others.is_empty() {
            String::new()
        } else {
            format!(", noalias_scopes = [{}]", others.join(", "))
        };
        format!(", alias_scopes = [#m{number}]{others}")
    }

    /// Roots that the function's accesses can have: those in pairs, and allocations.
    fn all_roots(&mut self) -> Vec<Root> {
        let mut roots: BTreeSet<Root> = BTreeSet::new();
        for &(a, b) in &self.disjoint.0 {
            roots.extend([Root::Argument(a), Root::Argument(b)]);
        }
        roots.extend(self.roots.iter().copied());
        roots.into_iter().collect()
    }

    /// Notes what a condition says of arguments' disjointness where it holds. Returns what to forget again.
    pub(super) fn assume_disjoint(&mut self, cond: &IfCond, operands: &[ValueId]) -> Vec<(ValueId, ValueId)> {
        let mut added = Vec::new();
        let (IfCond::Value, Some(&flag)) = (cond, operands.first()) else {
            return added;
        };
        let mut work = vec![flag];
        // Pairs grow with the square of the number of arrays.
        for _ in 0..MAX_STEPS * MAX_STEPS {
            let Some(flag) = work.pop() else { break };
            let ValueDef::Result(op, _) = self.source[flag].def else { continue };
            let data = &self.source[op];
            match (&data.kind, &data.operands[..]) {
                (OpKind::Pure(PureOp::AndI, _), &[a, b]) => work.extend([a, b]),
                (OpKind::Pure(PureOp::XOrI, _), &[a, b]) => {
                    for (x, one) in [(a, b), (b, a)] {
                        if self.source.as_int_constant(one) == Some(-1) {
                            self.note_no_overlap(x, &mut added);
                        }
                    }
                }
                _ => {}
            }
        }
        added
    }

    fn note_no_overlap(&mut self, flag: ValueId, added: &mut Vec<(ValueId, ValueId)>) {
        let ValueDef::Result(op, _) = self.source[flag].def else { return };
        let data = &self.source[op];
        let (OpKind::Overlap, &[a, b]) = (&data.kind, &data.operands[..]) else {
            return;
        };
        let is_argument = |v: ValueId| root(self.source, v) == Some(Root::Argument(v));
        if a != b && is_argument(a) && is_argument(b) && self.disjoint.insert(a, b) {
            added.push((a.min(b), a.max(b)));
        }
    }

    /// Whether a condition asks, among others, for memrefs that don't overlap.
    pub(super) fn asks_for_overlap(&self, cond: &IfCond, operands: &[ValueId]) -> bool {
        let (IfCond::Value, Some(&flag)) = (cond, operands.first()) else {
            return false;
        };
        let mut work = vec![flag];
        for _ in 0..MAX_STEPS {
            let Some(flag) = work.pop() else { break };
            let ValueDef::Result(op, _) = self.source[flag].def else { continue };
            match &self.source[op].kind {
                OpKind::Overlap => return true,
                OpKind::Pure(PureOp::AndI | PureOp::XOrI, _) => work.extend(&self.source[op].operands),
                _ => {}
            }
        }
        false
    }

    pub(super) fn forget_disjoint(&mut self, added: Vec<(ValueId, ValueId)>) {
        for pair in added {
            self.disjoint.remove(pair);
        }
    }
}

/// Roots, beside arguments, of a function's memory accesses.
pub(super) fn own_roots(f: &Function) -> Vec<Root> {
    let mut roots = BTreeSet::new();
    if let Some(body) = f.body {
        f.walk(body, |op| match f[op].kind {
            OpKind::Alloc { .. } => {
                roots.extend(f[op].results.iter().map(|&r| Root::Fresh(r)));
            }
            OpKind::GetGlobal(n) => {
                roots.insert(Root::Global(n));
            }
            _ => {}
        });
        // An allocation is disjoint from arguments too, without any check.
        if !roots.is_empty()
            && let Some(entry) = f.entry()
        {
            roots.extend(
                f[entry]
                    .args
                    .iter()
                    .filter(|&&a| f[a].ty.as_memref().is_some())
                    .map(|&a| Root::Argument(a)),
            );
        }
    }
    roots.into_iter().take(MAX_ROOTS).collect()
}
