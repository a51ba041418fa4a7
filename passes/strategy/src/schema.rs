//! The JSON Schema of configuration files, derived from types that mirror their objects; the doc comments become descriptions.
//!
//! A schema names one spelling of each key. The reader knows more (camelCase, kebab-case, aliases), and says more about what is wrong. A test compares the keys of both.

use schemars::{JsonSchema, Schema, schema_for};

/// The JSON Schema (2020-12) of configuration files, as pretty-printed JSON that ends with a line break.
#[must_use]
pub fn json_schema() -> String {
    let schema: Schema = schema_for!(StrategyFile);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// A strategy file of Tilia: what each dimension of a schedule minimises and must respect.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "exists for its schema")]
struct StrategyFile {
    /// The strategy.
    scheduling_strategy: SchedulingStrategy,
    /// Where the schema of this file is.
    #[schemars(rename = "$schema")]
    schema: Option<String>,
    /// Version of the format.
    #[schemars(range(min = 1, max = 1))]
    version: Option<u32>,
    /// Free text.
    description: Option<String>,
}

/// All parts are optional; without any, each dimension minimises proximity.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "exists for its schema")]
struct SchedulingStrategy {
    /// Extra variables of every dimension's integer program.
    new_variables: Option<Vec<Variable>>,
    /// Objectives; of the entries that apply to a dimension the most specific counts, then the first.
    #[schemars(rename = "ILP_construction")]
    ilp_construction: Option<Vec<ObjectiveEntry>>,
    /// Constraints; all entries that match a dimension hold.
    custom_constraints: Option<Vec<ConstraintEntry>>,
    /// Separation of statements; the most specific entry counts.
    fusion: Option<Vec<FusionEntry>>,
    /// Wishes for single iterators, strongest first; dropped with a remark where they can't be had.
    directives: Option<Vec<DirectiveEntry>>,
    /// Directives as AKG's maps from statements to iterators.
    hints: Option<HintMaps>,
    /// Vectorise each statement's contiguous iterator.
    auto_vectorization: Option<bool>,
    /// Scops, or functions, that the parts which name statements by number are for; the rest is for all. All if left out.
    #[schemars(length(min = 1))]
    scops: Option<Vec<String>>,
    /// Keep the source's order.
    original_order: Option<bool>,
    /// Options of the scheduler.
    options: Option<OptionsObject>,
    /// Wishes for what follows scheduling.
    post_processing: Option<PostProcessingObject>,
    /// What happens when constraints or fusion make a dimension infeasible.
    on_infeasible: Option<OnInfeasibleName>,
    /// Version of the format.
    #[schemars(range(min = 1, max = 1))]
    version: Option<u32>,
    /// Free text.
    description: Option<String>,
}

/// A non-negative integer variable by name, or with bounds.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "exists for its schema")]
enum Variable {
    Name(#[schemars(regex(pattern = r"^[A-Za-z_][A-Za-z0-9_]*$"))] String),
    Bounded(VariableObject),
}

/// A variable with bounds.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "exists for its schema")]
struct VariableObject {
    /// Its name.
    #[schemars(regex(pattern = r"^[A-Za-z_][A-Za-z0-9_]*$"))]
    name: String,
    /// Smallest value, 0 by default; null for none.
    min: Option<i64>,
    /// Largest value.
    max: Option<i64>,
    /// Whether only integers are allowed (the default).
    integer: Option<bool>,
}

/// Dimensions of the produced schedule, scalar rows counted.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "exists for its schema")]
enum Dimension {
    /// This dimension, from 0; -1 is "default".
    Number(#[schemars(range(min = -1))] i64),
    Name(DimensionName),
    /// First and last of a range.
    Range(#[schemars(length(equal = 2), inner(range(min = 0)))] Vec<i64>),
}

/// Dimensions by name.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "exists for its schema")]
enum DimensionName {
    /// Every dimension.
    Default,
    /// The last loop dimension.
    Last,
}

/// A built-in cost function (proximity, feautrier, latency, contiguity, bigLoopsFirst, parallelism, skewSum) or a variable of `new_variables`.
#[derive(JsonSchema)]
#[schemars(extend("examples" = ["proximity", "feautrier", "latency", "contiguity", "bigLoopsFirst", "parallelism", "skewSum"]))]
#[expect(dead_code, reason = "exists for its schema")]
struct CostName(String);

/// An affine comparison of coefficients, such as "S0_it_0 - S1_it_1 >= 0" or "S*_it_i <= 1".
#[derive(JsonSchema)]
#[expect(dead_code, reason = "exists for its schema")]
struct ConstraintText(#[schemars(regex(pattern = r"[<>=]"))] String);

/// Objectives of some dimensions.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "exists for its schema")]
struct ObjectiveEntry {
    /// Which dimensions; all if left out.
    scheduling_dimension: Option<Dimension>,
    /// What is minimised, the first with the highest priority; proximity if left out.
    cost_functions: Option<Vec<CostName>>,
    /// Under which condition the entry applies.
    when: Option<WhenName>,
    /// Constraint injection: the first of these that is feasible holds.
    alternatives: Option<Vec<AlternativeEntry>>,
}

/// Conditions of an entry.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "exists for its schema")]
enum WhenName {
    /// No condition.
    Always,
    /// The row that comes of it is parallel, or its band has a parallel row; else the next entry that applies is tried.
    ParallelPossible,
    /// No loop row so far is parallel.
    NoParallelYet,
    /// The row is the first of its band.
    BandStart,
}

/// One alternative; those nested in it belong to the next dimension.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "exists for its schema")]
struct AlternativeEntry {
    /// Objectives in place of the entry's.
    cost_functions: Option<Vec<CostName>>,
    /// Constraints of this dimension.
    constraints: Option<Vec<ConstraintText>>,
    /// Alternatives of the next dimension.
    alternatives: Option<Vec<AlternativeEntry>>,
}

/// Constraints of some dimensions.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "exists for its schema")]
struct ConstraintEntry {
    /// Which dimensions; all if left out.
    scheduling_dimension: Option<Dimension>,
    /// What must hold.
    constraints: Vec<ConstraintText>,
}

/// A statement by number: "0", "S0" or 0.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "exists for its schema")]
enum Statement {
    Text(#[schemars(regex(pattern = r"^S?[0-9]+$"))] String),
    Number(u32),
}

/// How statements are separated at some dimensions.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "exists for its schema")]
struct FusionEntry {
    /// Which dimensions; all if left out.
    scheduling_dimension: Option<Dimension>,
    /// One group for each strongly connected component.
    total_distribution: Option<bool>,
    /// Groups in order of execution.
    stmts_fusion: Option<Vec<Vec<Statement>>>,
}

/// A wish for one iterator of some statements.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "exists for its schema")]
struct DirectiveEntry {
    /// What.
    #[schemars(rename = "type")]
    kind: DirectiveName,
    /// Statements.
    stmts: Vec<Statement>,
    /// Iterator, 0 the outermost.
    iterator: u32,
}

/// Kinds of directives.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "exists for its schema")]
enum DirectiveName {
    /// A parallel row of the iterator alone, as far out as possible.
    Parallel,
    /// The innermost row, of the iterator alone, parallel and unfused.
    Vectorize,
    /// The same as vectorize.
    Vectorise,
    /// A row of the iterator alone that isn't run in parallel.
    Sequential,
    /// The same as sequential.
    Serial,
    /// A reduction over the iterator may change its order where the floating-point mode allows.
    Reduce,
}

/// Maps from statements to lists of iterators.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "exists for its schema")]
struct HintMaps {
    /// Parallel.
    parallels: Option<std::collections::BTreeMap<String, Vec<u32>>>,
    /// Vectorize.
    vectorials: Option<std::collections::BTreeMap<String, Vec<u32>>>,
    /// Sequential.
    serials: Option<std::collections::BTreeMap<String, Vec<u32>>>,
    /// Reduce.
    reduces: Option<std::collections::BTreeMap<String, Vec<u32>>>,
}

/// Options of the scheduler.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "exists for its schema")]
struct OptionsObject {
    /// Largest coefficient of an iterator or parameter.
    #[schemars(range(min = 1))]
    coeff_max: Option<i64>,
    /// Largest constant of a row.
    #[schemars(range(min = 0))]
    const_max: Option<i64>,
    /// Coefficients of iterators may be negative.
    negative_coefficients: Option<bool>,
    /// Bound of coefficients that may be negative.
    #[schemars(range(min = 1, max = 1000))]
    coefficient_bound: Option<i64>,
    /// Rows may shift statements by multiples of parameters.
    parametric_shift: Option<bool>,
    /// Whether rows may mix iterators.
    skewing: Option<SkewingName>,
    /// The same as skewing: "parallel_only".
    enable_parallel_skewing_only: Option<bool>,
    /// Progression of one statement a row suffices.
    lazy: Option<bool>,
    /// Read-read pairs count in proximity.
    rar: Option<bool>,
    /// Where statements are separated when nothing else says so.
    fusion_heuristic: Option<FusionName>,
    /// The same as fusion_heuristic: "max".
    scc_maxfuse: Option<bool>,
    /// Who solves the integer programs.
    solver: Option<SolverName>,
    /// Units of work before the scheduler falls back.
    #[schemars(range(min = 1))]
    budget: Option<u64>,
    /// Which dependences order statements.
    dependences: Option<DependencesName>,
    /// Arrays that get a copy for each iteration; "*" for all private ones.
    expand: Option<Vec<String>>,
    /// Index-set splitting.
    index_set_splitting: Option<Switch>,
    /// Live ranges of temporaries may be reordered as wholes.
    live_range_reordering: Option<bool>,
    /// Estimates of parameters.
    param_values: Option<std::collections::BTreeMap<String, i64>>,
    /// Order in which the factors of parameters are minimised.
    param_order: Option<Vec<String>>,
    /// Pieces of a dependence up to which they are kept apart.
    coalesce_threshold: Option<u32>,
    /// Print the integer programs with the remarks.
    dump_problems: Option<bool>,
}

/// On or off.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "exists for its schema")]
enum Switch {
    Bool(bool),
    Name(SwitchName),
}

/// On or off, by name.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "exists for its schema")]
enum SwitchName {
    On,
    Off,
}

/// Whether rows may mix iterators.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "exists for its schema")]
enum SkewingName {
    Switch(Switch),
    Name(ParallelOnly),
}

/// Skewing only where a parallel row comes of it.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "exists for its schema")]
enum ParallelOnly {
    ParallelOnly,
}

/// Fusion heuristics.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "exists for its schema")]
enum FusionName {
    /// Every strongly connected component apart.
    None,
    /// First between components of different depth, then in the middle, then everywhere.
    Smart,
    /// As little separation as possible.
    Max,
    /// Only where fused loops keep their type.
    Typed,
    /// By the reuse won and the parallelism lost.
    Reuse,
}

/// Solvers.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "exists for its schema")]
enum SolverName {
    /// The exact one, which was the faster one at every size that was measured.
    Auto,
    /// The exact lexicographic solver.
    Exact,
    /// The same as exact, as PolyTOPS spells its exact solver.
    Isl,
    /// good_lp.
    GoodLp,
}

/// Kinds of dependences.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "exists for its schema")]
enum DependencesName {
    /// Every conflicting pair.
    Memory,
    /// Flow from the last write only: the same schedules are legal, but distances are those of values.
    Value,
}

/// What happens on infeasibility.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "exists for its schema")]
enum OnInfeasibleName {
    /// An error with the smallest conflicting set.
    Error,
    /// The dimension's constraints are dropped, with a remark.
    DropConstraints,
}

/// Wishes for what follows scheduling.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "exists for its schema")]
struct PostProcessingObject {
    /// Tile sizes, outermost first; the last repeats.
    #[schemars(length(min = 1), inner(range(min = 1)))]
    tile_sizes: Option<Vec<i64>>,
    /// Tiles in a tile of the second level.
    #[schemars(range(min = 2))]
    second_level_ratio: Option<i64>,
    /// Wavefronts of tiles.
    wavefront: Option<WavefrontValue>,
    /// Diamond tiles.
    diamond: Option<bool>,
    /// Reorder the loops within tiles.
    intra_tile: Option<bool>,
    /// Factor of unroll-and-jam.
    #[schemars(range(min = 1, max = 64))]
    unroll_jam: Option<i64>,
}

/// Degrees of parallelism of wavefronts.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "exists for its schema")]
enum WavefrontValue {
    One(#[schemars(range(min = 1, max = 1))] u32),
    Name(WavefrontName),
}

/// Degrees of parallelism of wavefronts, by name.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "exists for its schema")]
enum WavefrontName {
    None,
    #[schemars(rename = "1")]
    One,
    All,
    Off,
}

#[cfg(test)]
mod tests {
    use crate::read::keys::{self as tables, Keys};
    use serde_json::Value;

    fn properties(schema: &Value, of: &str) -> Vec<String> {
        let object = if of.is_empty() { schema } else { &schema["$defs"][of] };
        let mut keys: Vec<String> = object["properties"]
            .as_object()
            .unwrap_or_else(|| panic!("no {of}"))
            .keys()
            .cloned()
            .collect();
        keys.sort();
        keys
    }

    /// Each object of the schema has the keys that the reader has.
    #[test]
    fn keys_are_those_of_the_reader() {
        let schema: Value = serde_json::from_str(&super::json_schema()).unwrap();
        let objects: [(&str, Keys); 11] = [
            ("", tables::FILE),
            ("SchedulingStrategy", tables::STRATEGY),
            ("VariableObject", tables::VARIABLE),
            ("ObjectiveEntry", tables::OBJECTIVE),
            ("AlternativeEntry", tables::ALTERNATIVE),
            ("ConstraintEntry", tables::CONSTRAINTS),
            ("FusionEntry", tables::FUSION),
            ("DirectiveEntry", tables::DIRECTIVE),
            ("HintMaps", tables::HINTS),
            ("OptionsObject", tables::OPTIONS),
            ("PostProcessingObject", tables::POST),
        ];
        for (name, keys) in objects {
            let mut wanted: Vec<&str> = keys.iter().map(|names| names[0]).collect();
            wanted.sort_unstable();
            assert_eq!(properties(&schema, name), wanted, "{name}");
        }
    }
}
