//! What a configuration file says, after reading: [`Config`] and its parts.

use crate::{Constraint, CostFunction, DimensionSelector, Options, Place, PostProcessing};

/// An extra variable of every dimension's integer program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVariable {
    /// Name; an identifier that isn't a coefficient, `w` or `u_i`.
    pub name: String,
    /// Smallest value (0 unless said otherwise).
    pub min: Option<i64>,
    /// Largest value.
    pub max: Option<i64>,
    /// Whether only integers are allowed.
    pub integer: bool,
}

impl NewVariable {
    /// A non-negative integer.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            min: Some(0),
            max: None,
            integer: true,
        }
    }
}

/// When an entry of `ILP_construction` applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// Always.
    #[default]
    Always,
    /// As long as the row that comes of it is parallel or its band has a parallel row already; else the next entry that applies takes the dimension.
    ParallelPossible,
    /// While no loop row found so far is parallel.
    NoParallelYet,
    /// At the first row of a band.
    BandStart,
}

/// An entry of `ILP_construction`: the objectives of some dimensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objective {
    /// Which dimensions.
    pub dimension: DimensionSelector,
    /// What is minimised, in this order.
    pub cost: Vec<CostFunction>,
    /// Under which condition.
    pub when: When,
    /// Constraint injection: tried in this order; each may hold alternatives of the next dimension.
    pub alternatives: Vec<Alternative>,
    /// Where it stands.
    pub place: Place,
}

/// A node of a tree of alternatives (constraint injection): what holds at one dimension. On infeasibility the next sibling is tried, after the last one the parent's next sibling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// Objectives in place of the entry's.
    pub cost: Option<Vec<CostFunction>>,
    /// Constraints of this dimension, besides those that hold anyway.
    pub constraints: Vec<Constraint>,
    /// Alternatives of the next dimension.
    pub then: Vec<Alternative>,
}

/// An entry of `custom_constraints`. All entries that match a dimension hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstraintGroup {
    /// Which dimensions.
    pub dimension: DimensionSelector,
    /// What must hold.
    pub constraints: Vec<Constraint>,
    /// Where it stands.
    pub place: Place,
}

/// How statements are separated at a dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Partition {
    /// One group per strongly connected component.
    Total,
    /// These groups, in this order of execution, by statement number. Statements that aren't listed become groups of their own in textual position.
    Groups(Vec<Vec<usize>>),
}

/// An entry of `fusion`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fusion {
    /// Which dimensions.
    pub dimension: DimensionSelector,
    /// How statements are separated there.
    pub partition: Partition,
    /// Where it stands.
    pub place: Place,
}

/// What a directive asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DirectiveKind {
    /// The iterator alone is a parallel row, as far out as possible.
    Parallel,
    /// The iterator alone is the innermost row, parallel and unfused.
    Vectorize,
    /// The iterator alone is a row that isn't run in parallel.
    Sequential,
    /// The iterator carries a reduction whose order may change (where the floating-point mode allows).
    Reduce,
}

/// A directive: a wish for one iterator of some statements. Dropped with a remark where it can't be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// What.
    pub kind: DirectiveKind,
    /// Statements by number.
    pub stmts: Vec<usize>,
    /// Iterator, 0 the outermost.
    pub iterator: usize,
    /// Where it stands.
    pub place: Place,
}

/// A scop that a configuration is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopName {
    /// The name of a scop, or of a function for all its scops.
    pub name: String,
    /// Where it stands.
    pub place: Place,
}

impl ScopName {
    /// Whether a scop is meant: by its own name, or by its function's, which is that without the number at its end.
    #[must_use]
    pub fn matches(&self, scop: &str) -> bool {
        let function = scop
            .rsplit_once('_')
            .filter(|(_, number)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
        self.name == scop || function.is_some_and(|(function, _)| function == self.name)
    }
}

/// A configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// Scops (or functions) that the parts which name statements by number are for; all if empty.
    pub scops: Vec<ScopName>,
    /// Keep the source's order: nothing else of the configuration matters.
    pub original_order: bool,
    /// Extra variables, fresh at every dimension.
    pub new_variables: Vec<NewVariable>,
    /// Objectives; the most specific entry that applies wins. Without any, proximity.
    pub objectives: Vec<Objective>,
    /// Constraints; all that match hold.
    pub constraints: Vec<ConstraintGroup>,
    /// Fusion; the most specific entry wins.
    pub fusion: Vec<Fusion>,
    /// Directives, strongest first.
    pub directives: Vec<Directive>,
    /// Vectorise each statement's contiguous iterator.
    pub auto_vectorization: bool,
    /// Options of the scheduler.
    pub options: Options,
    /// Wishes for what follows.
    pub post_processing: PostProcessing,
}

impl Config {
    /// Whether the parts that name statements by number are for this scop.
    #[must_use]
    pub fn is_for(&self, scop: &str) -> bool {
        self.scops.is_empty() || self.scops.iter().any(|s| s.matches(scop))
    }

    /// What holds for any scop: the configuration without what names statements by number.
    #[must_use]
    pub fn without_numbers(&self) -> Self {
        let mut general = self.clone();
        general.directives.clear();
        general.fusion.retain(|f| f.partition == Partition::Total);
        for group in &mut general.constraints {
            group.constraints.retain(|c| !c.names_statement());
        }
        general.objectives.iter_mut().for_each(|o| o.alternatives.clear());
        general
    }
}
