//! Where to look for scops: maximal runs of operations in any block.

use crate::build::{Limits, Run, build};
use crate::index::Index;
use crate::plan::{Declined, is_nest};
use rustc_hash::FxHashSet;
use tilia_diag::Remark;
use tilia_presburger::{Budget, Id};
use tilia_program::{BlockId, Function, OpId, OpKind, Program, ValueId};
use tilia_scop::{ParamSource, Scop};

/// Limits of raising.
#[derive(Debug, Clone)]
pub struct Options {
    /// The most statements of one scop.
    pub max_statements: usize,
    /// The most parameters of one scop.
    pub max_params: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_statements: 200,
            max_params: 24,
        }
    }
}

/// What raising found.
#[derive(Debug, Clone)]
pub struct Raised {
    /// The scops of the function, in order of the text. Their ranges don't overlap.
    pub scops: Vec<Scop>,
    /// What wasn't raised, and why.
    pub remarks: Vec<Remark>,
}

/// Finds the static control parts of a function: maximal runs of operations in any block. What isn't in a scop stays as it is. The budget is for proofs; when it runs out,
/// accesses stay checked that might have been proved.
#[must_use]
pub fn raise(function: &Function, program: &Program, options: &Options, budget: &Budget) -> Raised {
    let index = Index::new(function);
    let mut finder = Finder {
        index: &index,
        program,
        options,
        budget,
        blocks: Vec::new(),
        stretches: Vec::new(),
        scops: Vec::new(),
        found: Found::default(),
        remarks: Vec::new(),
    };
    if let Some(body) = function.body {
        finder.blocks = function[body].blocks.iter().rev().copied().collect();
        finder.search();
    }
    let Finder { mut scops, remarks, .. } = finder;
    scops.sort_by_key(|s| s.range.ops.first().map(|&op| index.order(op)));
    for (n, s) in scops.iter_mut().enumerate() {
        s.name = Id::new(format!("{}_{n}", function.name));
    }
    Raised { scops, remarks }
}

/// What the scops found so far tell those still to be found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// All operations in them.
    ops: FxHashSet<OpId>,
    /// Values that their parameters stand for: these must still be there when an earlier scop is no longer made of the operations that compute them.
    needed: FxHashSet<ValueId>,
}

impl Found {
    /// Whether the operation is part of a scop.
    pub(crate) fn has_op(&self, op: OpId) -> bool {
        self.ops.contains(&op)
    }

    /// Whether a scop needs the value, perhaps without an operation of its own that uses it.
    pub(crate) fn needs(&self, v: ValueId) -> bool {
        self.needed.contains(&v)
    }

    fn note(&mut self, index: &Index<'_>, scop: &Scop) {
        self.ops.extend(scop.range.ops.iter().flat_map(|&op| index.deep(op)));
        self.needed.extend(scop.params.iter().map(|p| match p.value {
            ParamSource::Value(v) | ParamSource::Dim(v, _) => v,
        }));
    }
}

struct Finder<'a> {
    index: &'a Index<'a>,
    program: &'a Program,
    options: &'a Options,
    budget: &'a Budget,
    /// Blocks to look through.
    blocks: Vec<BlockId>,
    /// Stretches of operations, each of one block, to try as scops.
    stretches: Vec<(BlockId, Vec<OpId>)>,
    scops: Vec<Scop>,
    found: Found,
    remarks: Vec<Remark>,
}

impl Finder<'_> {
    fn search(&mut self) {
        loop {
            if let Some((block, ops)) = self.stretches.pop() {
                self.stretch(block, &ops);
            } else if let Some(block) = self.blocks.pop() {
                self.block(block);
            } else {
                return;
            }
        }
    }

    /// Cuts a block at operations that no scop can hold at its top level.
    fn block(&mut self, block: BlockId) {
        let function = self.index.function;
        let mut stretch = Vec::new();
        for &op in &function[block].ops {
            if holdable(&function[op].kind) {
                stretch.push(op);
            } else {
                self.stretches.push((block, std::mem::take(&mut stretch)));
                self.descend(op);
            }
        }
        self.stretches.push((block, stretch));
    }

    /// Looks for scops inside an operation.
    fn descend(&mut self, op: OpId) {
        let function = self.index.function;
        for &region in &function[op].regions {
            self.blocks.extend(&function[region].blocks);
        }
    }

    fn holds_nest(&self, op: OpId) -> bool {
        matches!(self.index.function[op].kind, OpKind::For(_) | OpKind::If(_))
            && self.index.deep(op).into_iter().any(|o| is_nest(self.index, o))
    }

    fn stretch(&mut self, block: BlockId, ops: &[OpId]) {
        let function = self.index.function;
        let first = ops.iter().position(|&op| self.holds_nest(op));
        let last = ops
            .iter()
            .rposition(|&op| self.holds_nest(op) || matches!(function[op].kind, OpKind::Store(_) | OpKind::Copy));
        let (Some(first), Some(last)) = (first, last) else {
            ops.iter().for_each(|&op| self.descend(op));
            return;
        };
        let ops = &ops[first..=last];
        let run = Run {
            block,
            ops: members(function, ops),
        };
        let limits = Limits {
            statements: self.options.max_statements,
            params: self.options.max_params,
        };
        match build(self.index, self.program, &self.found, &run, limits, self.budget) {
            Ok((scop, remarks)) => {
                self.found.note(self.index, &scop);
                self.scops.push(scop);
                self.remarks.extend(remarks);
            }
            Err(declined) => self.divide(block, ops, &declined),
        }
    }

    /// Tries again with less.
    fn divide(&mut self, block: BlockId, ops: &[OpId], declined: &Declined) {
        let at = self.index.ancestor_in(declined.op, block);
        let at = at.and_then(|a| ops.iter().position(|&op| op == a)).unwrap_or(0);
        let at = if declined.too_large { ops.len() / 2 } else { at };
        if at > 0 {
            // What comes before stops being part of the run: values loaded there are parameters then.
            self.stretches.push((block, ops[at..].to_vec()));
            self.stretches.push((block, ops[..at].to_vec()));
            return;
        }
        if self.holds_nest(ops[0]) {
            let loc = self.index.function[declined.op].loc.clone();
            self.remarks
                .push(Remark::declined("raise", loc, format!("no scop here: {}", declined.reason)));
        }
        self.stretches.push((block, ops[1..].to_vec()));
        self.descend(ops[0]);
    }
}

/// Whether a scop can have the operation at its top level, as part of it or standing before it.
fn holdable(kind: &OpKind) -> bool {
    kind.is_pure()
        || kind.is_view()
        || matches!(
            kind,
            OpKind::For(_)
                | OpKind::If(_)
                | OpKind::Load(_)
                | OpKind::Store(_)
                | OpKind::Copy
                | OpKind::Alloc { .. }
                | OpKind::GetGlobal(_)
        )
}

/// The operations that must be part of the scop; the others depend on nothing that happens in it, and stay where they are.
fn members(function: &Function, ops: &[OpId]) -> Vec<OpId> {
    let mut inside: FxHashSet<ValueId> = FxHashSet::default();
    let mut out = Vec::new();
    for &op in ops {
        let data = &function[op];
        let apart = data.kind.is_pure() || data.kind.is_view() || matches!(data.kind, OpKind::Alloc { .. } | OpKind::GetGlobal(_));
        if !apart || data.operands.iter().any(|v| inside.contains(v)) {
            inside.extend(&data.results);
            out.push(op);
        }
    }
    out
}
