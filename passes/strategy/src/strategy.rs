//! The trait that all strategies implement, and what it answers with.

use crate::{
    Candidate, Constraint, CostFunction, Directive, LinearConstraint, NewVariable, OnInfeasible, Options, Partition, PostProcessing,
    ProgramShape, StrategyError, View,
};

/// What holds for a whole scop; asked for once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Globals {
    /// Keep the source's order: no dimension is asked for.
    pub original_order: bool,
    /// Directives, strongest first.
    pub directives: Vec<Directive>,
    /// Vectorise each statement's contiguous iterator.
    pub auto_vectorization: bool,
    /// Options of the scheduler.
    pub options: Options,
    /// Wishes for what follows scheduling.
    pub post_processing: PostProcessing,
}

/// Deviations from [`Options`] at one dimension.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DimOptions {
    /// Largest coefficient.
    pub coeff_max: Option<i64>,
    /// Largest constant.
    pub const_max: Option<i64>,
    /// Whether coefficients may be negative.
    pub negative_coefficients: Option<bool>,
    /// Whether rows may shift by parameters.
    pub parametric_shift: Option<bool>,
    /// Whether progression of one statement suffices.
    pub lazy: Option<bool>,
}

/// What is asked of one dimension.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DimConfig {
    /// Objectives, the first minimised first.
    pub cost: Vec<CostFunction>,
    /// Constraints.
    pub constraints: Vec<LinearConstraint>,
    /// Extra variables.
    pub new_variables: Vec<NewVariable>,
    /// Separate the statements by a scalar row at this dimension.
    pub partition: Option<Partition>,
    /// Deviating options.
    pub options: Option<DimOptions>,
    /// What happens when the constraints make the dimension infeasible.
    pub on_infeasible: OnInfeasible,
    /// Constraint injection: if not empty, one of these replaces `cost` where it has any and adds its constraints, the first that is feasible; if none is, the scheduler goes back to the
    /// dimension before and its next alternative.
    pub alternatives: Vec<DimAlternative>,
}

impl DimConfig {
    /// Only these objectives.
    #[must_use]
    pub fn minimise(cost: impl Into<Vec<CostFunction>>) -> Self {
        Self {
            cost: cost.into(),
            ..Self::default()
        }
    }
}

/// One alternative of a dimension.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DimAlternative {
    /// Objectives in place of [`DimConfig::cost`].
    pub cost: Option<Vec<CostFunction>>,
    /// Constraints besides [`DimConfig::constraints`].
    pub constraints: Vec<LinearConstraint>,
}

/// Answer to a candidate row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Verdict {
    /// Take it.
    #[default]
    Keep,
    /// Find another one; heeded [`MAX_RETRIES`] times at a dimension, then an error `E605`. Where no other row is found, the candidate is taken.
    Retry(Box<DimConfig>),
}

/// How often a strategy may reject a dimension's row.
pub const MAX_RETRIES: usize = 8;

/// Decides, dimension by dimension, what the scheduler looks for.
///
/// Answers must depend on the view alone (and on what the strategy was made from): the same view, the same answer. A strategy changes what is found, never whether it is legal: legality and
/// progression are always part of the problem.
pub trait Strategy {
    /// Name for remarks.
    fn name(&self) -> &str;

    /// What holds for the whole scop. Called once, before everything else.
    ///
    /// # Errors
    /// A configuration that doesn't fit the program.
    fn begin(&mut self, view: &View<'_>) -> Result<Globals, StrategyError> {
        let _ = view;
        Ok(Globals::default())
    }

    /// What is wanted of the next dimension.
    ///
    /// # Errors
    /// When the strategy fails; nothing is scheduled then.
    fn configure(&mut self, view: &View<'_>) -> Result<DimConfig, StrategyError>;

    /// Judges the row that was found.
    ///
    /// # Errors
    /// When the strategy fails; nothing is scheduled then.
    fn accept(&mut self, view: &View<'_>, candidate: &Candidate<'_>) -> Result<Verdict, StrategyError> {
        let _ = (view, candidate);
        Ok(Verdict::Keep)
    }
}

/// What constraints mean for a program.
pub(crate) fn expand_all(list: &[Constraint], shape: &ProgramShape) -> Result<Vec<LinearConstraint>, StrategyError> {
    let mut all = Vec::new();
    for constraint in list {
        all.extend(constraint.expand(shape)?);
    }
    Ok(all)
}
