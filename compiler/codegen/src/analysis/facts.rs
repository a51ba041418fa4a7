//! Facts about one function.

use rustc_hash::FxHashSet;
use tilia_program::{Function, MemRefUse, OpId, OpKind, RegionId, ValueDef, ValueId};

/// What emission asks about operations and values.
#[derive(Debug, Default)]
pub struct Facts {
    /// Loops with loops in them.
    with_loops: FxHashSet<OpId>,
    /// Results of `affine.apply` that only serve as subscripts proven in bounds.
    subscripts_only: FxHashSet<ValueId>,
    /// `alloca`s whose memory, and casts whose descriptor, no one can reach in a later execution of the same operation.
    local: FxHashSet<OpId>,
    /// `dealloc`s whose memory may still be used.
    kept: FxHashSet<OpId>,
}

impl Facts {
    /// Of one function.
    #[must_use]
    pub fn of(function: &Function) -> Self {
        let mut facts = Self::default();
        let Some(body) = function.body else { return facts };
        let mut ops = Vec::new();
        function.walk(body, |op| ops.push(op));
        facts.kept = super::frees::used_after(function);
        let uses = Uses::of(function, &ops);
        // Inner operations come after outer ones in `ops`, uses of a value after its definition (or in a later block).
        for &op in ops.iter().rev() {
            match &function[op].kind {
                OpKind::For(_) | OpKind::While => {
                    let nested = &function[op].regions;
                    if nested.iter().any(|&r| holds_loop(function, r)) {
                        facts.with_loops.insert(op);
                    }
                }
                OpKind::Apply(_) => {
                    let result = function.result(op);
                    if uses.of_value(result).iter().all(|&user| facts.is_subscript(function, user, result)) {
                        facts.subscripts_only.insert(result);
                    }
                }
                OpKind::Alloc { stack: true, .. } if uses.stays_local(function, function.result(op)) => {
                    facts.local.insert(op);
                }
                OpKind::CastMemRef
                    if uses
                        .of_value(function.result(op))
                        .iter()
                        .all(|&user| only_reads_descriptor(function, user)) =>
                {
                    facts.local.insert(op);
                }
                _ => {}
            }
        }
        facts
    }

    fn is_subscript(&self, function: &Function, user: OpId, value: ValueId) -> bool {
        let op = &function[user];
        match &op.kind {
            OpKind::Load(access) => !access.checked && op.operands.first() != Some(&value),
            OpKind::Store(access) => !access.checked && !op.operands[..2].contains(&value),
            OpKind::Apply(_) => self.subscripts_only.contains(&function.result(user)),
            _ => false,
        }
    }

    /// Whether there is a loop inside of this one.
    #[must_use]
    pub fn has_loop(&self, op: OpId) -> bool {
        self.with_loops.contains(&op)
    }

    /// Whether something may use the memory that this `dealloc` frees.
    #[must_use]
    pub fn keeps_memory(&self, op: OpId) -> bool {
        self.kept.contains(&op)
    }

    /// Whether overflow in computing this value must be noticed.
    #[must_use]
    pub fn needs_exact(&self, value: ValueId) -> bool {
        !self.subscripts_only.contains(&value)
    }

    /// Whether all executions of this `alloca` (or cast to a memref of unknown rank) in one activation of the function may share one piece of memory.
    #[must_use]
    pub fn is_local(&self, op: OpId) -> bool {
        self.local.contains(&op)
    }
}

fn holds_loop(function: &Function, region: RegionId) -> bool {
    let mut found = function[region].blocks.len() > 1;
    function.walk(region, |op| found |= matches!(function[op].kind, OpKind::For(_) | OpKind::While));
    found
}

/// Users of each value.
struct Uses(Vec<Vec<OpId>>);

impl Uses {
    fn of(function: &Function, ops: &[OpId]) -> Self {
        let mut uses = vec![Vec::new(); function.value_count()];
        for &op in ops {
            for v in &function[op].operands {
                uses[v.0 as usize].push(op);
            }
        }
        Self(uses)
    }

    fn of_value(&self, value: ValueId) -> &[OpId] {
        &self.0[value.0 as usize]
    }

    /// Whether a memref and all views of it are only accessed, never handed to other blocks, iterations or callers that could keep them, and
    /// never viewed as memory of another shape (which needs memory that the runtime knows).
    fn stays_local(&self, function: &Function, memref: ValueId) -> bool {
        let mut seen = FxHashSet::default();
        let mut work = vec![memref];
        while let Some(value) = work.pop() {
            if !seen.insert(value) {
                continue;
            }
            for &user in self.of_value(value) {
                let op = &function[user];
                match op.kind.memref_use() {
                    MemRefUse::Descriptor | MemRefUse::Elements | MemRefUse::Free => {}
                    MemRefUse::View if !matches!(op.kind, OpKind::ReinterpretCast(_)) => work.extend(&op.results),
                    MemRefUse::Other if matches!(op.kind, OpKind::Call(_)) && !op.results.iter().any(|&r| is_memref(function, r)) => {}
                    MemRefUse::View | MemRefUse::Other => return false,
                }
            }
        }
        true
    }
}

/// Whether a user of a memref of unknown rank is done with the descriptor when it has executed.
fn only_reads_descriptor(function: &Function, user: OpId) -> bool {
    let op = &function[user];
    match &op.kind {
        OpKind::Dim | OpKind::Rank | OpKind::Stride(_) | OpKind::Address => true,
        OpKind::CastMemRef | OpKind::Call(_) => !op
            .results
            .iter()
            .any(|&r| matches!(function[r].ty, tilia_program::Type::UnrankedMemRef(_))),
        _ => false,
    }
}

fn is_memref(function: &Function, value: ValueId) -> bool {
    matches!(
        function[value].ty,
        tilia_program::Type::MemRef(_) | tilia_program::Type::UnrankedMemRef(_)
    )
}

/// Values that the regions of `op` use and that are defined outside of them, in order of first use.
#[must_use]
pub fn captures(function: &Function, op: OpId) -> Vec<ValueId> {
    region_captures(function, &function[op].regions)
}

/// Values that these regions use and that are defined outside of them, in order of first use.
#[must_use]
pub fn region_captures(function: &Function, regions: &[RegionId]) -> Vec<ValueId> {
    let mut inside: FxHashSet<ValueId> = FxHashSet::default();
    let mut used = Vec::new();
    for &region in regions {
        collect_args(function, region, &mut inside);
        function.walk(region, |inner| {
            inside.extend(&function[inner].results);
            for &r in &function[inner].regions {
                collect_args(function, r, &mut inside);
            }
            used.extend(&function[inner].operands);
        });
    }
    let mut seen = FxHashSet::default();
    used.retain(|v| !inside.contains(v) && seen.insert(*v));
    used
}

fn collect_args(function: &Function, region: RegionId, inside: &mut FxHashSet<ValueId>) {
    for &block in &function[region].blocks {
        inside.extend(&function[block].args);
        debug_assert!(
            function[block]
                .args
                .iter()
                .all(|&a| matches!(function[a].def, ValueDef::Arg(b, _) if b == block))
        );
    }
}
