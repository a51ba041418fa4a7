//! Reads what isn't tied to a dimension: options and post-processing.

use super::json::Value;
use super::keys;
use super::reader::{At, Reader};
use crate::{Code, DimOptions, FusionHeuristic, Globals, Options, PostProcessing, ScopName, Skewing};

/// Largest coefficient or constant that may be asked for: far beyond use, far below overflow.
const MAX_BOUND: i64 = 1 << 40;

impl Reader<'_> {
    pub(crate) fn options(&mut self, at: &At<'_>, options: &mut Options) {
        let Some(members) = self.object(at, "an object", keys::OPTIONS) else {
            return;
        };
        for (key, at) in &members {
            match *key {
                "coeff_max" => options.coeff_max = self.integer(at, 1, MAX_BOUND),
                "const_max" => options.const_max = self.integer(at, 0, MAX_BOUND),
                "negative_coefficients" => options.negative_coefficients = self.boolean(at).unwrap_or(false),
                "coefficient_bound" => options.coefficient_bound = self.integer(at, 1, 1000),
                "parametric_shift" => options.parametric_shift = self.boolean(at).unwrap_or(false),
                "skewing" => options.skewing = self.named(at).unwrap_or_default(),
                "enable_parallel_skewing_only" => {
                    if self.boolean(at) == Some(true) {
                        options.skewing = Skewing::ParallelOnly;
                    }
                }
                "lazy" => options.lazy = self.boolean(at).unwrap_or(false),
                "rar" => options.rar = self.boolean(at).unwrap_or(false),
                "fusion_heuristic" => options.fusion = self.named(at).unwrap_or_default(),
                "scc_maxfuse" => {
                    if self.boolean(at) == Some(true) {
                        options.fusion = FusionHeuristic::Max;
                    }
                }
                "solver" => options.solver = self.named(at).unwrap_or_default(),
                "budget" => options.budget = self.integer(at, 1, i64::MAX).and_then(|n| u64::try_from(n).ok()),
                "dependences" => options.dependences = self.named(at).unwrap_or_default(),
                "expand" => options.expand = self.names(at, "a list of arrays, or [\"*\"] for all private ones"),
                "index_set_splitting" => options.index_set_splitting = self.named(at).unwrap_or_default(),
                "live_range_reordering" => options.live_range_reordering = self.boolean(at).unwrap_or(false),
                "param_values" => self.param_values(at, options),
                "param_order" => options.param_order = self.names(at, "a list of parameters"),
                "coalesce_threshold" => options.coalesce_threshold = self.integer(at, 0, 1 << 20).and_then(|n| u64::try_from(n).ok()),
                _ => options.dump_problems = self.boolean(at).unwrap_or(false),
            }
        }
        for (one, other) in [("skewing", "enable_parallel_skewing_only"), ("fusion_heuristic", "scc_maxfuse")] {
            let second = members.iter().find(|(key, _)| *key == other);
            if let (Some(_), Some((_, at))) = (members.iter().find(|(key, _)| *key == one), second) {
                self.error(
                    at,
                    Code::DuplicateKey,
                    format!("{one} and {other} say the same thing: leave one out"),
                );
            }
        }
    }

    fn param_values(&mut self, at: &At<'_>, options: &mut Options) {
        for (name, at) in self.map(at, "an object from parameters to numbers") {
            if let Some(n) = self.integer(&at, i64::MIN, i64::MAX) {
                options.param_values.insert(name.to_owned(), n);
            }
        }
    }

    fn names(&mut self, at: &At<'_>, what: &str) -> Vec<String> {
        let mut all = Vec::new();
        for e in self.list(at, what) {
            let Some(name) = self.string(&e, what) else { continue };
            if all.iter().any(|n| n == name) {
                self.error(&e, Code::BadValue, format!("'{}' is listed twice", super::reader::shorten(name)));
            } else {
                all.push(name.to_owned());
            }
        }
        all
    }

    /// Scops that a configuration is for.
    pub(crate) fn scops(&mut self, at: &At<'_>) -> Vec<ScopName> {
        let what = "a list of scops or functions";
        let mut all: Vec<ScopName> = Vec::new();
        for e in self.list(at, what) {
            let Some(name) = self.string(&e, what) else { continue };
            if all.iter().any(|s| s.name == name) {
                self.error(&e, Code::BadValue, format!("'{}' is listed twice", super::reader::shorten(name)));
            } else {
                all.push(ScopName {
                    name: name.to_owned(),
                    place: self.place(&e),
                });
            }
        }
        if all.is_empty() && matches!(&at.node.value, Value::Array(list) if list.is_empty()) {
            self.expected(at, "a list of at least one scop or function");
        }
        all
    }

    pub(crate) fn post_processing(&mut self, at: &At<'_>, post: &mut PostProcessing) {
        let Some(members) = self.object(at, "an object", keys::POST) else {
            return;
        };
        for (key, at) in members {
            match key {
                "tile_sizes" => {
                    let list = self.list(&at, "a list of tile sizes");
                    if list.is_empty() && matches!(at.node.value, Value::Array(_)) {
                        self.expected(&at, "a list of at least one tile size");
                    }
                    post.tile_sizes = Some(list.iter().filter_map(|e| self.integer(e, 1, MAX_BOUND)).collect());
                }
                "second_level_ratio" => post.second_level_ratio = self.integer(&at, 2, MAX_BOUND),
                "wavefront" => post.wavefront = self.named(&at),
                "diamond" => post.diamond = self.boolean(&at),
                "intra_tile" => post.intra_tile = self.boolean(&at),
                _ => post.unroll_jam = self.integer(&at, 1, 64),
            }
        }
    }

    /// What a script's `begin` returns.
    pub(crate) fn globals(&mut self, at: &At<'_>) -> Option<Globals> {
        let members = self.object(at, "a map", keys::GLOBALS)?;
        let mut globals = Globals::default();
        let (mut hints, mut on_infeasible) = (Vec::new(), None);
        for (key, at) in members {
            match key {
                "directives" => {
                    let list = self.list(&at, "a list of maps {type, stmts, iterator}");
                    globals.directives = list.iter().filter_map(|e| self.directive(e)).collect();
                }
                "hints" => hints = self.hints(&at),
                "auto_vectorization" => globals.auto_vectorization = self.boolean(&at)?,
                "original_order" => globals.original_order = self.boolean(&at)?,
                "options" => self.options(&at, &mut globals.options),
                "post_processing" => self.post_processing(&at, &mut globals.post_processing),
                _ => on_infeasible = self.named(&at),
            }
        }
        globals.directives.extend(hints);
        globals.options.on_infeasible = on_infeasible.unwrap_or_default();
        self.clashes(&globals.directives);
        Some(globals)
    }

    /// `options` of one dimension.
    pub(crate) fn dim_options(&mut self, at: &At<'_>) -> DimOptions {
        let mut options = DimOptions::default();
        for (key, at) in self.object(at, "a map", keys::DIMENSION_OPTIONS).unwrap_or_default() {
            match key {
                "coeff_max" => options.coeff_max = self.integer(&at, 1, MAX_BOUND),
                "const_max" => options.const_max = self.integer(&at, 0, MAX_BOUND),
                "negative_coefficients" => options.negative_coefficients = self.boolean(&at),
                "parametric_shift" => options.parametric_shift = self.boolean(&at),
                _ => options.lazy = self.boolean(&at),
            }
        }
        options
    }
}
