//! Dependences between statement instances.

use crate::{ArrayId, StmtId};
use tilia_presburger::Map;

/// Kind of a dependence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DepKind {
    /// Write, then read.
    Flow,
    /// Read, then write.
    Anti,
    /// Write, then write.
    Output,
}

/// One dependence relation: source instances to the target instances that must come after them.
#[derive(Debug, Clone)]
pub struct Dep {
    /// Flow, anti or output.
    pub kind: DepKind,
    /// Statement of the source instances.
    pub source: StmtId,
    /// Statement of the target instances.
    pub target: StmtId,
    /// The array that carries it.
    pub array: ArrayId,
    /// Index into the source statement's accesses.
    pub source_access: usize,
    /// Index into the target statement's accesses.
    pub target_access: usize,
    /// From the source's domain tuple to the target's.
    pub relation: Map,
}

/// All dependences of a scop. `memory` holds every ordered pair that touches one element with at least one write (so any schedule that respects it is right); `flow` holds the
/// value-based flow: each read to the last write before it.
#[derive(Debug, Clone, Default)]
pub struct Deps {
    /// Memory-based flow, anti and output dependences.
    pub memory: Vec<Dep>,
    /// Value-based flow dependences.
    pub flow: Vec<Dep>,
}
