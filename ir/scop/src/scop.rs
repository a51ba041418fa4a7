//! Scops, statements, arrays, accesses.

use crate::Dep;
use tilia_diag::Loc;
use tilia_presburger::{Id, Map, Set, UnionSet};
use tilia_program::{BlockId, OpId, PureOp, ScalarType, ValueId};
use tilia_schedule::ScheduleTree;

/// A run of operations of one block.
///
/// The code made from the scop takes the place of the *last* operation of the run. Operations between its first and last one that aren't listed (allocations, views,
/// pure operations on values from before) stay where they are, and so execute before the scop: they depend on nothing that the scop does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpRange {
    /// The block.
    pub block: BlockId,
    /// Its operations that belong to the scop, in order; not necessarily neighbours.
    pub ops: Vec<OpId>,
}

/// A parameter: a value computed before the scop that domains or accesses mention. Its name is unique in the scop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    /// Name in all sets of the scop.
    pub name: Id,
    /// The value: of integer or index type, read as a signed number (an i1 is 0 or -1); visible at the scop's start, after its [`Scop::preamble`].
    pub value: ParamSource,
}

/// What a parameter stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ParamSource {
    /// An SSA value.
    Value(ValueId),
    /// The run-time extent of a dimension of a memref value.
    Dim(ValueId, u32),
}

/// A statement of the scop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StmtId(pub u32);

/// An array of the scop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArrayId(pub u32);

/// Most bytes of the memory that one [`ArrayKind::Copy`] may take; a scop that would need more runs in its original order.
pub const COPY_BYTES: i64 = 1 << 28;

/// What an array is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArrayKind {
    /// A buffer that exists outside the scop. The value is the root memref: casts and views are folded into the access maps. Subscripts of accesses are indices into this memref's
    /// own shape.
    Root(ValueId),
    /// A private cell for one SSA value of the source, with one dimension for each loop around its definition, outermost first (subscripts are the iterators' values). Only this
    /// scop's statements touch it; nothing of it is live before or, unless [`Array::live_out`], after the scop.
    Cell(ValueId),
    /// Copies of elements of a buffer of the source (its root memref), made by expansion so that storage orders less: like a cell, but of any subscripts that are functions of the
    /// instance. Only this scop's statements touch it, and nothing of it is live before or after the scop.
    Copy(ValueId),
    /// No memory: what calls do outside the program's buffers (printing, say). Rank 0; every operation with such effects reads and writes it, which keeps them in order.
    World,
}

/// An array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// Name in all sets of the scop; unique.
    pub name: Id,
    /// Root buffer or private cell.
    pub kind: ArrayKind,
    /// Element type.
    pub elem: ScalarType,
    /// Number of dimensions.
    pub rank: usize,
    /// For cells: the result of an operation of the range that the code after the scop uses, in its last state. Such a cell has rank 0 (it was defined outside all loops).
    pub live_out: Option<ValueId>,
    /// Where it is defined.
    pub loc: Loc,
}

/// Read or write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "read and write")]
pub enum AccessKind {
    Read,
    Write,
}

/// Which part of a statement makes an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessSource {
    /// The load or store operation (one of the statement's `ops`, or inside one of an opaque statement).
    Op(OpId),
    /// The value is read from a cell before the operations run, or written to it afterwards.
    Cell(ValueId),
    /// An effect of an opaque operation.
    Effect(OpId),
}

/// An access relation of a statement.
#[derive(Debug, Clone)]
pub struct Access {
    /// The array.
    pub array: ArrayId,
    /// Read or write.
    pub kind: AccessKind,
    /// Whether it certainly happens in each instance, to each element of the relation's image; else it may (never a kill).
    pub must: bool,
    /// From the statement's domain tuple to the array's tuple. A vector access relates an instance to all its elements.
    pub relation: Map,
    /// What makes it.
    pub source: AccessSource,
    /// Where.
    pub loc: Loc,
}

/// What kind of statement this is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StmtKind {
    /// Straight-line operations: loads, pure operations, at most one store.
    Plain,
    /// Operations that the model can't hold (calls, data-dependent control flow, indirect accesses): executed as they stand, with may-accesses to all they can reach.
    Opaque,
}

/// How a statement accumulates: `x = x op e`, where no other store of the statement touches the location of `x`, and nothing of `e` is computed from what was loaded as `x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reduction {
    /// Index of the access that reads the accumulator.
    pub read: usize,
    /// Index of the access that writes it.
    pub write: usize,
    /// The operation that combines partial results. Differences and fused multiply-adds count as sums, a select by a comparison as the minimum or maximum that it is.
    pub op: PureOp,
}

impl Reduction {
    /// Whether the access, by its index, reads or writes the accumulator.
    #[must_use]
    pub fn accumulates(&self, access: usize) -> bool {
        [self.read, self.write].contains(&access)
    }

    /// Whether every order of the instances gives the same bits, as it does for integers, whose sums and products wrap around.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        use PureOp::{AddI, AndI, MaxSI, MaxUI, MinSI, MinUI, MulI, OrI, XOrI};
        matches!(self.op, AddI | MulI | AndI | OrI | XOrI | MaxSI | MaxUI | MinSI | MinUI)
    }
}

/// Which reductions over floating-point numbers may change their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub enum FloatOrder {
    /// None: rounding depends on the order.
    #[default]
    Kept,
    /// All.
    Free,
}

/// A statement.
#[derive(Debug, Clone)]
pub struct Stmt {
    /// Tuple name of its domain; unique.
    pub name: Id,
    /// Plain or opaque.
    pub kind: StmtKind,
    /// The iterators' SSA values, one for each domain dimension, outermost first (block arguments of the surrounding loops). A domain dimension holds the iterator's own value, not a trip number.
    pub iters: Vec<ValueId>,
    /// Instances.
    pub domain: Set,
    /// Operations that one instance executes, in order, after reading its input cells and before writing its output cells.
    pub ops: Vec<OpId>,
    /// Accesses; those through cells have [`AccessSource::Cell`].
    pub accesses: Vec<Access>,
    /// Values of `ops` (or iter_args, or values defined outside the scop) that are written to cells after the operations: (value, index into `accesses`).
    pub cell_writes: Vec<(ValueId, usize)>,
    /// Values that the operations or cell writes use and that are read from cells beforehand: (value, index into `accesses`). All reads precede all writes.
    pub cell_reads: Vec<(ValueId, usize)>,
    /// The statement reads, combines and writes one location by an associative and commutative operation.
    pub reduction: Option<Reduction>,
    /// Source location, of the store where there is one.
    pub loc: Loc,
}

/// Why a condition must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AssumptionKind {
    /// An access stays inside its memref's shape.
    InBounds,
    /// Integer arithmetic of the source doesn't leave its type.
    NoOverflow,
    /// A value stays in the range that the model takes for granted (a size is not negative, a narrow integer is in range).
    Range,
}

/// A condition on the parameters that couldn't be proved: checked once before the scop; where it fails, the original operations run, with checks at the accesses.
#[derive(Debug, Clone)]
pub struct Assumption {
    /// Over the parameters.
    pub condition: Set,
    /// Why.
    pub kind: AssumptionKind,
    /// What it is about.
    pub loc: Loc,
    /// One clause for remarks and errors: "`load` stays inside %a".
    pub what: String,
}

/// A static control part.
#[derive(Debug, Clone)]
pub struct Scop {
    /// Name for text and file names: the function's name and a number.
    pub name: Id,
    /// The operations that it stands for.
    pub range: OpRange,
    /// Operations from inside the range (below its top level) whose results are parameters, root buffers or their operands: side-effect free, in an order in which each follows
    /// what it uses. Copies of them execute once before the scop.
    pub preamble: Vec<OpId>,
    /// Parameters, in the order of the sets' parameters.
    pub params: Vec<Param>,
    /// What is known of the parameters.
    pub context: Set,
    /// What must be checked at run time before the model may be used.
    pub assumptions: Vec<Assumption>,
    /// Pairs of root arrays that may overlap unless a check at run time says otherwise (function arguments of one element type, say).
    pub may_alias: Vec<(ArrayId, ArrayId)>,
    /// Root arrays that are written, with strides or extents that are known at run time only: that their subscripts tell elements apart must be checked at run time before the model may be used.
    pub unproven_layouts: Vec<ArrayId>,
    /// Loads and stores of the range that neither a proof nor an assumption keeps inside their memrefs: they stay checked when they execute. All others needn't be.
    pub checked_ops: Vec<OpId>,
    /// Arrays.
    pub arrays: Vec<Array>,
    /// Statements.
    pub stmts: Vec<Stmt>,
    /// Order of the source.
    pub schedule: ScheduleTree,
    /// Which reductions over floating-point numbers may change their order.
    pub float_order: FloatOrder,
    /// The loops of the source, each by its iterator.
    pub loops: Vec<(ValueId, Loc)>,
    /// Source location.
    pub loc: Loc,
}

impl Scop {
    /// Union of the statements' domains.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn domain(&self) -> tilia_presburger::Result<UnionSet> {
        UnionSet::from_members(self.stmts.iter().map(|s| &s.domain))
    }

    /// The reduction that a statement is, if its instances may run in any order, one at a time, as far as its own accumulator is concerned.
    #[must_use]
    pub fn reorderable(&self, stmt: StmtId) -> Option<Reduction> {
        self.stmts.get(stmt.0 as usize)?.reduction.filter(|r| match self.float_order {
            FloatOrder::Free => true,
            FloatOrder::Kept => r.is_exact(),
        })
    }

    /// Whether a dependence only keeps the order of two updates of one element, `x = x op e` and `x = x op f`, which may change: those of one statement, or of two that accumulate by the same operation.
    ///
    /// Why any set of such pairs may be given up, as long as all other pairs that conflict keep their order: take an element and its accesses that are no updates by `op`. Each of them conflicts with
    /// every update, which writes, so in any such order the same updates stand before it and after it; between two of them in a row the same set of updates runs. If these start from the same value and
    /// combine it with the same values, they leave the same one, for `op` is associative and commutative. What an update combines it reads by accesses that are no updates (of this element or of
    /// others), so by induction along the new order it is the same; and so is what is left in the end. It doesn't hold of updates by different operations: they keep their order.
    ///
    /// An update hides none of those before it from a reader: where the pairs are given up, the reader waits for all of them. So whoever gives them up must take memory-based dependences, or treat such
    /// updates as hiding nothing.
    #[must_use]
    pub fn is_relaxable(&self, dep: &Dep) -> bool {
        self.is_accumulation(dep) && [dep.source, dep.target].iter().all(|&s| self.reorderable(s).is_some())
    }

    /// Whether a dependence only keeps the order of two updates of one element by one operation, whether or not that order may change.
    #[must_use]
    pub fn is_accumulation(&self, dep: &Dep) -> bool {
        let reduction = |stmt: StmtId| self.stmts.get(stmt.0 as usize)?.reduction;
        match (reduction(dep.source), reduction(dep.target)) {
            (Some(s), Some(t)) => s.op == t.op && s.accumulates(dep.source_access) && t.accumulates(dep.target_access),
            _ => false,
        }
    }

    /// The statement of that name.
    #[must_use]
    pub fn stmt_by_name(&self, name: &Id) -> Option<(StmtId, &Stmt)> {
        let n = self.stmts.iter().position(|s| &s.name == name)?;
        Some((StmtId(u32::try_from(n).ok()?), &self.stmts[n]))
    }
}

impl std::ops::Index<StmtId> for Scop {
    type Output = Stmt;
    fn index(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }
}

impl std::ops::Index<ArrayId> for Scop {
    type Output = Array;
    fn index(&self, id: ArrayId) -> &Array {
        &self.arrays[id.0 as usize]
    }
}
