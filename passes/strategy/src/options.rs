//! Options of the scheduler that aren't tied to a dimension, and wishes for what follows scheduling.

use crate::{DirectiveKind, When};
use std::collections::BTreeMap;
use std::fmt;

/// Whether rows may mix iterators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Skewing {
    /// Wherever the objective wants it.
    #[default]
    On,
    /// Never: each loop row has at most one iterator with coefficient 1.
    Off,
    /// Only where a parallel row comes of it.
    ParallelOnly,
}

/// Who solves the integer programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolverChoice {
    /// The exact one, which was the faster one at every size that was measured.
    #[default]
    Auto,
    /// Our exact lexicographic solver.
    Exact,
    /// `good_lp`; what it finds is proved or called approximate.
    GoodLp,
}

/// Which dependences order the statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DependenceKind {
    /// Every conflicting pair.
    #[default]
    Memory,
    /// Flow from the last write only; anti and output dependences as before. The same schedules are legal, but distances are those of values.
    Value,
}

/// Where statements are separated when fusion isn't said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FusionHeuristic {
    /// Every strongly connected component apart.
    None,
    /// First between components of different depth, then in the middle, then everywhere.
    #[default]
    Smart,
    /// As little as possible.
    Max,
    /// Only where fused loops keep their type: parallel stays parallel.
    Typed,
    /// By the reuse that fusion wins and the parallelism that it costs.
    Reuse,
}

/// What happens when custom constraints or fusion make a dimension infeasible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnInfeasible {
    /// The scheduler's error `E302`, with the smallest conflicting set.
    #[default]
    Error,
    /// The dimension's constraints are dropped, with a remark.
    DropConstraints,
}

/// How index sets are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexSetSplitting {
    /// Not at all.
    #[default]
    Off,
    /// Where a wider band or more parallelism results.
    On,
}

/// The scheduler's options. `None` stands for the scheduler's own default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// Largest coefficient of an iterator or parameter (default 32).
    pub coeff_max: Option<i64>,
    /// Largest constant of a row (default 4096).
    pub const_max: Option<i64>,
    /// Coefficients of iterators may be negative (Pluto+).
    pub negative_coefficients: bool,
    /// Bound of their absolute value then (default 4).
    pub coefficient_bound: Option<i64>,
    /// Rows may shift statements by multiples of parameters.
    pub parametric_shift: bool,
    /// Whether rows may mix iterators.
    pub skewing: Skewing,
    /// Progression of at least one statement a row suffices.
    pub lazy: bool,
    /// Read-read pairs count in proximity.
    pub rar: bool,
    /// Where statements are separated when nothing else says so.
    pub fusion: FusionHeuristic,
    /// Solver.
    pub solver: SolverChoice,
    /// Units of work before the scheduler falls back.
    pub budget: Option<u64>,
    /// Memory-based or value-based dependences.
    pub dependences: DependenceKind,
    /// Arrays (by name; `*` for all private ones) that get a copy for each iteration, so that storage orders nothing.
    pub expand: Vec<String>,
    /// Index-set splitting.
    pub index_set_splitting: IndexSetSplitting,
    /// Temporaries' live ranges may be reordered as wholes (conditional validity).
    pub live_range_reordering: bool,
    /// Estimates of parameters, by name.
    pub param_values: BTreeMap<String, i64>,
    /// Order in which `u_i` are minimised; parameters left out follow in their own order.
    pub param_order: Vec<String>,
    /// Pieces of a dependence up to which they are kept apart.
    pub coalesce_threshold: Option<u64>,
    /// Integer programs are printed with the remarks.
    pub dump_problems: bool,
    /// What happens when constraints make a dimension infeasible.
    pub on_infeasible: OnInfeasible,
}

/// Rows of tiles to be skewed for pipelined parallelism.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wavefront {
    /// None.
    #[default]
    Off,
    /// One degree of parallelism.
    One,
    /// All degrees.
    All,
}

/// Wishes for what follows scheduling. `None`: the compiler decides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PostProcessing {
    /// Tile sizes, outermost first; the last repeats.
    pub tile_sizes: Option<Vec<i64>>,
    /// Tiles of tiles, so many of them.
    pub second_level_ratio: Option<i64>,
    /// Wavefronts of tiles.
    pub wavefront: Option<Wavefront>,
    /// Diamond tiles for concurrent start.
    pub diamond: Option<bool>,
    /// Reorder the loops within tiles.
    pub intra_tile: Option<bool>,
    /// Unroll-and-jam factor.
    pub unroll_jam: Option<i64>,
}

/// Names of an enumeration's values in files.
pub(crate) trait Named: Sized + Copy + PartialEq + 'static {
    /// Values with their names; the first name of a value is the one printed, further ones are aliases.
    const NAMES: &'static [(&'static str, Self)];
}

macro_rules! named {
    ($type:ty, $($name:literal => $value:ident),+ $(,)?) => {
        impl Named for $type {
            const NAMES: &'static [(&'static str, Self)] = &[$(($name, Self::$value)),+];
        }
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(Self::NAMES.iter().find(|(_, v)| v == self).map_or("", |(n, _)| n))
            }
        }
    };
}

named!(Skewing, "on" => On, "off" => Off, "parallel_only" => ParallelOnly);
named!(SolverChoice, "auto" => Auto, "exact" => Exact, "good_lp" => GoodLp, "isl" => Exact);
named!(DependenceKind, "memory" => Memory, "value" => Value);
named!(FusionHeuristic, "smart" => Smart, "none" => None, "max" => Max, "typed" => Typed, "reuse" => Reuse);
named!(OnInfeasible, "error" => Error, "drop_constraints" => DropConstraints);
named!(IndexSetSplitting, "off" => Off, "on" => On);
named!(Wavefront, "none" => Off, "1" => One, "all" => All, "off" => Off);
named!(When, "always" => Always, "parallel_possible" => ParallelPossible, "no_parallel_yet" => NoParallelYet, "band_start" => BandStart);
named!(
    DirectiveKind,
    "parallel" => Parallel, "vectorize" => Vectorize, "sequential" => Sequential, "reduce" => Reduce, "vectorise" => Vectorize, "serial" => Sequential,
);
