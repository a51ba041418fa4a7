//! Keys of each object of a configuration file. Spellings that differ in case, `_` and `-` only are one; the first name of each is the one printed, the others are aliases.

/// Keys of one object.
pub(crate) type Keys = &'static [&'static [&'static str]];

/// The file.
pub(crate) const FILE: Keys = &[&["scheduling_strategy"], &["$schema"], &["version"], &["description"]];

/// `scheduling_strategy`.
pub(crate) const STRATEGY: Keys = &[
    &["new_variables", "new_variable"],
    &["ILP_construction", "ilp_constructions"],
    &["custom_constraints", "custom_constraint"],
    &["fusion"],
    &["directives", "directive"],
    &["hints"],
    &["auto_vectorization", "auto_vectorisation", "auto_vectorize"],
    &["original_order"],
    &["scops", "scop"],
    &["options"],
    &["post_processing"],
    &["on_infeasible"],
    &["version"],
    &["description"],
];

/// An entry of `new_variables`.
pub(crate) const VARIABLE: Keys = &[&["name"], &["min"], &["max"], &["integer"]];

/// An entry of `ILP_construction`.
pub(crate) const OBJECTIVE: Keys = &[
    &["scheduling_dimension", "dimension"],
    &["cost_functions", "cost_function"],
    &["when"],
    &["alternatives"],
];

/// An entry of `alternatives`.
pub(crate) const ALTERNATIVE: Keys = &[&["cost_functions", "cost_function"], &["constraints"], &["alternatives"]];

/// An entry of `custom_constraints`.
pub(crate) const CONSTRAINTS: Keys = &[&["scheduling_dimension", "dimension"], &["constraints"]];

/// An entry of `fusion`.
pub(crate) const FUSION: Keys = &[
    &["scheduling_dimension", "dimension"],
    &["total_distribution"],
    &["stmts_fusion", "statements_fusion"],
];

/// An entry of `directives`.
pub(crate) const DIRECTIVE: Keys = &[&["type"], &["stmts", "statements"], &["iterator"]];

/// `hints`: the four maps of AKG, statement to iterators.
pub(crate) const HINTS: Keys = &[&["parallels"], &["vectorials"], &["serials"], &["reduces"]];

/// `options`. Aliases are the names of PolyTOPS inside AKG, and isl's.
pub(crate) const OPTIONS: Keys = &[
    &["coeff_max", "schedule_max_coefficient"],
    &["const_max", "schedule_max_constant_term"],
    &["negative_coefficients"],
    &["coefficient_bound"],
    &["parametric_shift", "parameter_shifting", "schedule_parametric"],
    &["skewing", "enable_skewing"],
    &["enable_parallel_skewing_only"],
    &["lazy", "relax_progression"],
    &["rar"],
    &["fusion_heuristic"],
    &["scc_maxfuse"],
    &["solver"],
    &["budget"],
    &["dependences", "dependencies"],
    &["expand"],
    &["index_set_splitting"],
    &["live_range_reordering"],
    &["param_values"],
    &["param_order"],
    &["coalesce_threshold"],
    &["dump_problems"],
];

/// `post_processing`.
pub(crate) const POST: Keys = &[
    &["tile_sizes"],
    &["second_level_ratio"],
    &["wavefront"],
    &["diamond"],
    &["intra_tile"],
    &["unroll_jam"],
];

/// What a script's `configure` returns: one dimension.
pub(crate) const DIMENSION: Keys = &[
    &["cost_functions", "cost_function", "cost"],
    &["constraints"],
    &["new_variables"],
    &["total_distribution"],
    &["stmts_fusion", "statements_fusion"],
    &["alternatives"],
    &["on_infeasible"],
    &["options"],
];

/// `options` of one dimension.
pub(crate) const DIMENSION_OPTIONS: Keys = &[
    &["coeff_max"],
    &["const_max"],
    &["negative_coefficients"],
    &["parametric_shift", "parameter_shifting"],
    &["lazy", "relax_progression"],
];

/// What a script's `begin` returns: what isn't tied to a dimension.
pub(crate) const GLOBALS: Keys = &[
    &["directives", "directive"],
    &["hints"],
    &["auto_vectorization", "auto_vectorisation", "auto_vectorize"],
    &["original_order"],
    &["options"],
    &["post_processing"],
    &["on_infeasible"],
];
