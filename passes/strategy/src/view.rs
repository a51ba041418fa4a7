//! What a strategy sees before each dimension: statements, dependences, and the rows found so far.

use crate::{CostFunction, ProgramShape};
use std::cell::OnceCell;
use std::fmt;
use std::ops::Deref;
use tilia_presburger::{Id, Int, Set};
use tilia_scop::{Access, DepKind, StmtId};

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamView {
    /// Name.
    pub name: Id,
    /// Estimated value, where one is known.
    pub estimate: Option<i64>,
}

/// A scheduling row of one statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AffineRow {
    /// Coefficients of the iterators, outermost first.
    pub iters: Vec<Int>,
    /// Coefficients of the parameters.
    pub params: Vec<Int>,
    /// Constant.
    pub constant: Int,
}

/// How an access moves through memory with one iterator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stride {
    /// By so many elements; 0: not at all.
    Elements(Int),
    /// By a row or more, or in no linear way.
    Large,
}

/// A statement.
#[derive(Debug, Clone)]
pub struct StmtView<'a> {
    /// Its number.
    pub id: StmtId,
    /// Its name.
    pub name: &'a str,
    /// Number of iterators.
    pub depth: usize,
    /// Names of the iterators, outermost first.
    pub iters: &'a [String],
    /// Instances.
    pub domain: &'a Set,
    /// Reads and writes.
    pub accesses: &'a [Access],
    /// Rank of the iterator parts of the loop rows so far.
    pub rank: usize,
    /// Rows so far, scalar rows included.
    pub rows: &'a [AffineRow],
    /// For each access, for each iterator: how it moves.
    pub strides: &'a [Vec<Stride>],
    /// For each iterator, the estimated number of iterations.
    pub trip_estimate: &'a [Option<u64>],
    /// Whether it is a recognised reduction.
    pub is_reduction: bool,
}

/// A dependence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepView {
    /// Source statement.
    pub source: StmtId,
    /// Target statement.
    pub target: StmtId,
    /// Kind.
    pub kind: DepKind,
    /// Whether the next row must respect it.
    pub active: bool,
    /// The dimension that satisfied it, if one did.
    pub satisfied_at: Option<usize>,
    /// The distance in each common iterator, where it is constant.
    pub distance: Option<Vec<i64>>,
}

/// What kind of row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// Computed; becomes a loop.
    Loop,
    /// Constants that separate groups of statements.
    Scalar,
}

/// A dimension found already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowInfo {
    /// Loop or scalar.
    pub kind: RowKind,
    /// Whether it is parallel for all statements.
    pub parallel: bool,
    /// Whether it is parallel, for each of [`View::components`].
    pub component_parallel: Vec<bool>,
    /// Number of its band.
    pub band: usize,
    /// Factors of the parameters in the proximity bound, where proximity was minimised.
    pub u: Vec<Int>,
    /// Constant of the proximity bound, where proximity was minimised.
    pub w: Option<Int>,
    /// Values of the objectives, in their order.
    pub objective: Vec<Int>,
    /// The objectives.
    pub cost: Vec<CostFunction>,
    /// Which of [`crate::DimConfig::alternatives`] was taken.
    pub alternative: Option<usize>,
}

/// What the scheduler's last step came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outcome {
    /// Nothing was tried yet.
    #[default]
    Start,
    /// A row was found.
    Found,
    /// There was none within the band, so a new one began.
    InfeasibleBand,
    /// There was none at all.
    InfeasibleAll,
    /// Statements were separated by a scalar row.
    Cut,
    /// The budget ran out and a fallback was used.
    OutOfBudget,
}

/// What is known of the machine; all may be unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TargetInfo {
    /// Threads.
    pub cores: Option<u32>,
    /// Bits of a vector register.
    pub vector_bits: Option<u32>,
    /// Bytes of the first-level data cache.
    pub l1: Option<u64>,
    /// Bytes of the second-level cache of a core.
    pub l2: Option<u64>,
    /// Bytes of the last-level cache.
    pub l3: Option<u64>,
}

/// Dependences, listed when a strategy first looks at them: most never do, and a scop may have tens of thousands.
pub struct LazyDeps<'a> {
    list: OnceCell<Vec<DepView>>,
    make: &'a dyn Fn() -> Vec<DepView>,
}

impl<'a> LazyDeps<'a> {
    /// What `make` lists.
    pub fn new(make: &'a dyn Fn() -> Vec<DepView>) -> LazyDeps<'a> {
        LazyDeps {
            list: OnceCell::new(),
            make,
        }
    }
}

impl Deref for LazyDeps<'_> {
    type Target = [DepView];

    fn deref(&self) -> &[DepView] {
        self.list.get_or_init(self.make)
    }
}

impl fmt::Debug for LazyDeps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&**self).finish()
    }
}

/// Everything that a strategy may look at.
#[derive(Debug, Clone)]
pub struct View<'a> {
    /// Name of the scop: its function's and a number.
    pub scop: &'a str,
    /// The dimension to be found, scalar rows counted.
    pub dim: usize,
    /// The band it would belong to.
    pub band: usize,
    /// Parameters.
    pub params: &'a [ParamView],
    /// Statements by number.
    pub stmts: &'a [StmtView<'a>],
    /// Dependences.
    pub deps: &'a LazyDeps<'a>,
    /// Dimensions so far.
    pub rows: &'a [RowInfo],
    /// Weakly connected components of the active dependences.
    pub components: &'a [Vec<StmtId>],
    /// Strongly connected components of the unsatisfied dependences, in topological order.
    pub sccs: &'a [Vec<StmtId>],
    /// The statements whose row is to be found now, where components are scheduled apart; else all.
    pub current: &'a [StmtId],
    /// What the last step came to.
    pub last: Outcome,
    /// The machine.
    pub target: &'a TargetInfo,
}

impl View<'_> {
    /// The statements concerned.
    pub fn current_stmts(&self) -> impl Iterator<Item = &StmtView<'_>> {
        self.current.iter().filter_map(|id| self.stmts.get(id.0 as usize))
    }

    /// Whether every statement concerned has its full rank after one more loop row.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.current_stmts().all(|s| s.rank + 1 >= s.depth)
    }

    /// Whether the current band has a parallel loop row already.
    #[must_use]
    pub fn band_has_parallel_row(&self) -> bool {
        self.rows
            .iter()
            .any(|r| r.kind == RowKind::Loop && r.band == self.band && r.parallel)
    }

    /// Whether any loop row so far is parallel.
    #[must_use]
    pub fn has_parallel_row(&self) -> bool {
        self.rows.iter().any(|r| r.kind == RowKind::Loop && r.parallel)
    }

    /// Whether the row to be found is the first loop row of its band.
    #[must_use]
    pub fn is_band_start(&self) -> bool {
        !self.rows.iter().any(|r| r.kind == RowKind::Loop && r.band == self.band)
    }

    /// Statement depths and parameters.
    #[must_use]
    pub fn shape(&self) -> ProgramShape {
        ProgramShape {
            depths: self.stmts.iter().map(|s| s.depth).collect(),
            params: self.params.len(),
        }
    }
}

/// A row that was found and isn't taken yet.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    /// The row of each statement of [`View::current`], in its order.
    pub rows: &'a [AffineRow],
    /// Whether it is parallel for these statements.
    pub parallel: bool,
    /// Number of dependences it satisfies.
    pub satisfied: usize,
    /// The objectives it was found with.
    pub cost: &'a [CostFunction],
    /// Values of the objectives, in their order.
    pub objective: &'a [Int],
    /// Which alternative was taken.
    pub alternative: Option<usize>,
}
