//! What instances of statements cost, for the strategy `auto`: operations that keep the units busy, and the cycles between instances that wait for each other.

use std::collections::{BTreeMap, BTreeSet};
use tilia_model::Work;
use tilia_program::{Function, MathFn, OpKind, PureOp, ValueId};
use tilia_scop::{AccessKind, AccessSource, ArrayId, Scop, Stmt, StmtId, StmtKind};

/// What the statements of a scop cost; opaque ones aren't known.
pub(crate) fn statement_work(scop: &Scop, function: &Function) -> BTreeMap<StmtId, Work> {
    let known = scop.stmts.iter().enumerate().filter(|(_, s)| s.kind == StmtKind::Plain);
    let id = |n: usize| u32::try_from(n).ok().map(StmtId);
    known.filter_map(|(n, s)| Some((id(n)?, work(s, function)))).collect()
}

/// Operations of each statement on what one access reads and nothing else that moves, by the number of the access.
pub(crate) fn own_operations(scop: &Scop, function: &Function) -> BTreeMap<(StmtId, usize), u64> {
    let mut all = BTreeMap::new();
    for (n, stmt) in scop.stmts.iter().enumerate().filter(|(_, s)| s.kind == StmtKind::Plain) {
        let Ok(id) = u32::try_from(n) else { break };
        for (access, operations) in own(stmt, scop, function) {
            all.insert((StmtId(id), access), operations);
        }
    }
    all
}

/// What a value of a statement is made of: nothing that moves, one access, or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Fixed,
    One(usize),
    Several,
}

impl Source {
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fixed, s) | (s, Self::Fixed) => s,
            (a, b) if a == b => a,
            _ => Self::Several,
        }
    }
}

fn own(stmt: &Stmt, scop: &Scop, function: &Function) -> BTreeMap<usize, u64> {
    let mut sources: BTreeMap<ValueId, Source> = BTreeMap::new();
    for (n, access) in stmt.accesses.iter().enumerate().filter(|(_, a)| a.kind == AccessKind::Read) {
        let source = if scop[access.array].rank == 0 {
            Source::Fixed
        } else {
            Source::One(n)
        };
        match access.source {
            AccessSource::Op(op) => sources.extend(function[op].results.first().map(|&v| (v, source))),
            AccessSource::Cell(value) => drop(sources.insert(value, source)),
            AccessSource::Effect(_) => {}
        }
    }
    // Iterators move with every instance.
    sources.extend(stmt.iters.iter().map(|&v| (v, Source::Several)));
    let mut all = BTreeMap::new();
    for &op in &stmt.ops {
        let operation = &function[op];
        if matches!(operation.kind, OpKind::Load(_)) {
            continue;
        }
        let source = operation.operands.iter().map(|v| sources.get(v).copied().unwrap_or(Source::Fixed));
        let source = source.fold(Source::Fixed, Source::with);
        if let (OpKind::Pure(kind, _), Source::One(access)) = (&operation.kind, source) {
            *all.entry(access).or_insert(0) += cost(*kind).0;
        }
        sources.extend(operation.results.iter().map(|&v| (v, source)));
    }
    all
}

fn work(stmt: &Stmt, function: &Function) -> Work {
    let written: BTreeSet<ArrayId> = stmt
        .accesses
        .iter()
        .filter(|a| a.kind == AccessKind::Write)
        .map(|a| a.array)
        .collect();
    // When a value is ready, counted from when what the statement writes to was last written; values that don't depend on that aren't listed.
    let mut ready: BTreeMap<ValueId, u64> = BTreeMap::new();
    let own = |a: &&tilia_scop::Access| a.kind == AccessKind::Read && written.contains(&a.array);
    for access in stmt.accesses.iter().filter(own) {
        match access.source {
            AccessSource::Op(op) => ready.extend(function[op].results.first().map(|&v| (v, 0))),
            AccessSource::Cell(value) => drop(ready.insert(value, 0)),
            AccessSource::Effect(_) => {}
        }
    }
    let mut total = Work { operations: 0, chain: 1 };
    for &op in &stmt.ops {
        let operation = &function[op];
        let at = operation.operands.iter().filter_map(|v| ready.get(v)).max().copied();
        match &operation.kind {
            OpKind::Pure(kind, _) => {
                let (busy, latency) = cost(*kind);
                total.operations += busy;
                if let Some(at) = at {
                    ready.extend(operation.results.iter().map(|&v| (v, at + latency)));
                }
            }
            OpKind::Store(_) => total.chain = total.chain.max(at.unwrap_or(0)),
            _ => {}
        }
    }
    for (value, _) in &stmt.cell_writes {
        total.chain = total.chain.max(ready.get(value).copied().unwrap_or(0));
    }
    total
}

/// How many simple operations could start while one of these does, and the cycles until its result is there: round figures of processors of today.
fn cost(op: PureOp) -> (u64, u64) {
    match op {
        PureOp::AddF | PureOp::SubF | PureOp::MulF | PureOp::Math(MathFn::Fma) => (1, 4),
        PureOp::DivF => (10, 13),
        PureOp::Math(MathFn::Sqrt) => (12, 20),
        PureOp::Math(MathFn::AbsF | MathFn::AbsI | MathFn::CopySign) => (1, 1),
        PureOp::Math(MathFn::Ceil | MathFn::Floor | MathFn::Round | MathFn::RoundEven) => (2, 8),
        PureOp::RemF | PureOp::Math(_) => (40, 40),
        PureOp::DivSI | PureOp::DivUI | PureOp::CeilDivSI | PureOp::CeilDivUI | PureOp::FloorDivSI | PureOp::RemSI | PureOp::RemUI => {
            (12, 14)
        }
        PureOp::MulI | PureOp::MulSIExtended | PureOp::MulUIExtended => (1, 3),
        PureOp::IndexCast | PureOp::IndexCastUI | PureOp::Bitcast => (0, 0),
        _ => (1, 1),
    }
}
