//! Configuration files: spellings, and each error with its code, pointer, line and column.

use tilia_strategy::{
    Code, Config, CostFunction, DimensionSelector, DirectiveKind, FusionHeuristic, OnInfeasible, Partition, Skewing, SolverChoice,
    Wavefront, When,
};

fn parse(inner: &str) -> Config {
    let text = format!("{{\"scheduling_strategy\": {inner}}}");
    Config::parse("s.json", &text).unwrap_or_else(|e| panic!("{inner}: {}", e[0]))
}

#[test]
fn spellings_are_one() {
    let spelled = [
        r#"{"ILP_construction": [{"scheduling_dimension": 1, "cost_functions": ["bigLoopsFirst"]}]}"#,
        r#"{"ilp_construction": [{"schedulingDimension": 1, "costFunctions": ["big_loops_first"]}]}"#,
        r#"{"ilp-constructions": [{"scheduling-dimension": 1, "cost-functions": ["big-loops-first"]}]}"#,
        r#"{"ilpConstruction": [{"dimension": 1, "cost_function": ["bigloopsfirst"]}]}"#,
    ];
    let all: Vec<Config> = spelled.iter().map(|s| parse(s)).collect();
    for c in &all {
        assert_eq!(c.objectives[0].cost, [CostFunction::BigLoopsFirst]);
        assert_eq!(c.objectives[0].dimension, DimensionSelector::At(1));
    }
    for (text, kind) in [
        ("vectorise", DirectiveKind::Vectorize),
        ("serial", DirectiveKind::Sequential),
        ("reduce", DirectiveKind::Reduce),
    ] {
        let c = parse(&format!(
            r#"{{"directives": [{{"type": "{text}", "statements": [0, "S1", "2"], "iterator": 1}}]}}"#
        ));
        assert_eq!((c.directives[0].kind, &c.directives[0].stmts[..]), (kind, &[0, 1, 2][..]));
    }
}

#[test]
fn dimensions() {
    for (text, wanted) in [
        ("\"default\"", DimensionSelector::Default),
        ("-1", DimensionSelector::Default),
        ("\"last\"", DimensionSelector::Last),
        ("[1, 3]", DimensionSelector::Range(1, 3)),
        ("7", DimensionSelector::At(7)),
    ] {
        let c = parse(&format!(
            r#"{{"custom_constraints": [{{"scheduling_dimension": {text}, "constraints": []}}]}}"#
        ));
        assert_eq!(c.constraints[0].dimension, wanted);
    }
}

#[test]
fn options() {
    let c = parse(
        r#"{"options": {"enable_skewing": "off", "schedule_max_coefficient": 7, "parameter_shifting": true, "scc-maxfuse": true, "solver": "isl",
            "relaxProgression": true, "param_values": {"N": 5}, "expand": ["*"]},
            "post_processing": {"tile_sizes": [4, 5], "wavefront": 1}, "on_infeasible": "drop_constraints"}"#,
    );
    assert_eq!(c.options.skewing, Skewing::Off);
    assert_eq!(
        (c.options.coeff_max, c.options.parametric_shift, c.options.lazy),
        (Some(7), true, true)
    );
    assert_eq!((c.options.fusion, c.options.solver), (FusionHeuristic::Max, SolverChoice::Exact));
    assert_eq!(c.options.param_values.get("N"), Some(&5));
    assert_eq!(c.options.on_infeasible, OnInfeasible::DropConstraints);
    assert_eq!(
        (c.post_processing.tile_sizes, c.post_processing.wavefront),
        (Some(vec![4, 5]), Some(Wavefront::One))
    );
    let c = parse(r#"{"hints": {"vectorials": {"S3": [2]}, "serials": {"0": [0, 1]}}}"#);
    let kinds: Vec<_> = c.directives.iter().map(|d| (d.kind, d.stmts[0], d.iterator)).collect();
    assert_eq!(
        kinds,
        [
            (DirectiveKind::Vectorize, 3, 2),
            (DirectiveKind::Sequential, 0, 0),
            (DirectiveKind::Sequential, 0, 1)
        ]
    );
}

#[test]
fn fusion_and_conditions() {
    let c = parse(
        r#"{"fusion": [{"scheduling_dimension": 0, "total_distribution": true}, {"scheduling_dimension": 1, "stmts_fusion": [["0"], [1, "2"], []]}],
            "ILP_construction": [{"when": "parallel_possible"}]}"#,
    );
    assert_eq!(c.fusion[0].partition, Partition::Total);
    assert_eq!(c.fusion[1].partition, Partition::Groups(vec![vec![0], vec![1, 2]]));
    assert_eq!(
        (c.objectives[0].when, &c.objectives[0].cost[..]),
        (When::ParallelPossible, &[CostFunction::Proximity][..])
    );
}

#[test]
fn variables_may_come_after_their_use() {
    let c = parse(
        r#"{"ILP_construction": [{"cost_functions": ["x"]}], "new_variables": ["x", {"name": "y", "min": null, "max": 3, "integer": false}]}"#,
    );
    assert_eq!(c.objectives[0].cost, [CostFunction::Variable("x".into())]);
    assert_eq!(
        (c.new_variables[0].min, c.new_variables[1].min, c.new_variables[1].max),
        (Some(0), None, Some(3))
    );
}

/// Each file is wrong in one way; `^` marks where.
#[test]
fn errors() {
    let cases: &[(&str, Code, &str, &str)] = &[
        ("^", Code::Syntax, "", "empty"),
        ("{\"scheduling_strategy\" ^1}", Code::Syntax, "", "colon"),
        ("{\"scheduling_strategy\": {} ^", Code::Syntax, "", "unterminated"),
        ("^{}", Code::MissingKey, "", "scheduling_strategy"),
        ("^[]", Code::BadValue, "", "not a list"),
        ("{\"scheduling_strategy\": ^3}", Code::BadValue, "/scheduling_strategy", "not 3"),
        (
            "{\"scheduling_strategy\": {^\"fussion\": []}}",
            Code::UnknownKey,
            "/scheduling_strategy/fussion",
            "did you mean 'fusion'?",
        ),
        (
            "{\"scheduling_strategy\": {^\"zzz\": []}}",
            Code::UnknownKey,
            "/scheduling_strategy/zzz",
            "keys here are new_variables",
        ),
        (
            "{\"scheduling_strategy\": {\"fusion\": [], ^\"Fusion\": []}}",
            Code::DuplicateKey,
            "/scheduling_strategy/Fusion",
            "twice",
        ),
        (
            "{\"scheduling_strategy\": {\"version\": ^2}}",
            Code::Version,
            "/scheduling_strategy/version",
            "version 2",
        ),
        (
            "{\"scheduling_strategy\": {\"auto_vectorization\": ^\"yes\"}}",
            Code::BadValue,
            "/scheduling_strategy/auto_vectorization",
            "true or false",
        ),
        (
            "{\"scheduling_strategy\": {\"new_variables\": [\"x\", ^\"x\"]}}",
            Code::BadVariable,
            "/scheduling_strategy/new_variables/1",
            "twice",
        ),
        (
            "{\"scheduling_strategy\": {\"new_variables\": [^\"S0_it_0\"]}}",
            Code::BadVariable,
            "/scheduling_strategy/new_variables/0",
            "coefficient",
        ),
        (
            "{\"scheduling_strategy\": {\"new_variables\": [^\"w\"]}}",
            Code::BadVariable,
            "/scheduling_strategy/new_variables/0",
            "bound",
        ),
        (
            "{\"scheduling_strategy\": {\"new_variables\": [^\"proximity\"]}}",
            Code::BadVariable,
            "/scheduling_strategy/new_variables/0",
            "cost function",
        ),
        (
            "{\"scheduling_strategy\": {\"new_variables\": [^\"2x\"]}}",
            Code::BadVariable,
            "/scheduling_strategy/new_variables/0",
            "no variable name",
        ),
        (
            "{\"scheduling_strategy\": {\"new_variables\": [^{\"min\": 1}]}}",
            Code::MissingKey,
            "/scheduling_strategy/new_variables/0",
            "name",
        ),
        (
            "{\"scheduling_strategy\": {\"new_variables\": [^{\"name\": \"x\", \"min\": 3, \"max\": 1}]}}",
            Code::BadVariable,
            "/scheduling_strategy/new_variables/0",
            "no value",
        ),
        (
            "{\"scheduling_strategy\": {\n  \"ILP_construction\": [\n    {\"cost_functions\": [^\"proximty\"]}]}}",
            Code::UnknownCost,
            "/scheduling_strategy/ILP_construction/0/cost_functions/0",
            "did you mean 'proximity'?",
        ),
        (
            "{\"scheduling_strategy\": {\"ILP_construction\": [{\"scheduling_dimension\": ^\"first\"}]}}",
            Code::BadValue,
            "/scheduling_strategy/ILP_construction/0/scheduling_dimension",
            "scheduling_dimension must be",
        ),
        (
            "{\"scheduling_strategy\": {\"ILP_construction\": [{\"scheduling_dimension\": ^[3, 1]}]}}",
            Code::BadValue,
            "/scheduling_strategy/ILP_construction/0/scheduling_dimension",
            "holds no dimension",
        ),
        (
            "{\"scheduling_strategy\": {\"ILP_construction\": [{\"when\": ^\"parallel_posible\"}]}}",
            Code::BadValue,
            "/scheduling_strategy/ILP_construction/0/when",
            "did you mean 'parallel_possible'?",
        ),
        (
            "{\"scheduling_strategy\": {\"custom_constraints\": [{\"constraints\": [\"S0_it_0 ^S0_it_1\"]}]}}",
            Code::BadConstraint,
            "/scheduling_strategy/custom_constraints/0/constraints/0",
            "column 9",
        ),
        (
            "{\"scheduling_strategy\": {\"custom_constraints\": [^{\"scheduling_dimension\": 0}]}}",
            Code::MissingKey,
            "/scheduling_strategy/custom_constraints/0",
            "constraints",
        ),
        (
            "{\"scheduling_strategy\": {\"fusion\": [{\"stmts_fusion\": [[\"0\", \"1\"], [^\"1\"]]}]}}",
            Code::StatementTwice,
            "/scheduling_strategy/fusion/0/stmts_fusion/1/0",
            "statement 1",
        ),
        (
            "{\"scheduling_strategy\": {\"fusion\": [^{\"stmts_fusion\": [[0]], \"total_distribution\": true}]}}",
            Code::BadValue,
            "/scheduling_strategy/fusion/0",
            "exclude",
        ),
        (
            "{\"scheduling_strategy\": {\"fusion\": [^{}]}}",
            Code::MissingKey,
            "/scheduling_strategy/fusion/0",
            "stmts_fusion",
        ),
        (
            "{\"scheduling_strategy\": {\"directives\": [{\"type\": ^\"parralel\", \"stmts\": [], \"iterator\": 0}]}}",
            Code::BadValue,
            "/scheduling_strategy/directives/0/type",
            "did you mean 'parallel'?",
        ),
        (
            "{\"scheduling_strategy\": {\"directives\": [{\"type\": \"parallel\", \"stmts\": [^\"one\"], \"iterator\": 0}]}}",
            Code::BadValue,
            "/scheduling_strategy/directives/0/stmts/0",
            "stmts must be",
        ),
        (
            "{\"scheduling_strategy\": {\"directives\": [^{\"type\": \"parallel\", \"stmts\": []}]}}",
            Code::MissingKey,
            "/scheduling_strategy/directives/0",
            "iterator",
        ),
        (
            "{\"scheduling_strategy\": {\"directives\": [{\"type\": \"parallel\", \"stmts\": [0], \"iterator\": 1}, ^{\"type\": \"serial\", \"stmts\": [0, 1], \"iterator\": 1}]}}",
            Code::DirectivesClash,
            "/scheduling_strategy/directives/1",
            "contradicts",
        ),
        (
            "{\"scheduling_strategy\": {\"options\": {\"coeff_max\": ^0}}}",
            Code::BadValue,
            "/scheduling_strategy/options/coeff_max",
            "from 1",
        ),
        (
            "{\"scheduling_strategy\": {\"options\": {\"budget\": ^1e99}}}",
            Code::BadValue,
            "/scheduling_strategy/options/budget",
            "1e99",
        ),
        (
            "{\"scheduling_strategy\": {\"post_processing\": {\"tile_sizes\": ^[]}}}",
            Code::BadValue,
            "/scheduling_strategy/post_processing/tile_sizes",
            "at least one",
        ),
    ];
    for (marked, code, pointer, says) in cases {
        let offset = marked.find('^').unwrap();
        let text = marked.replacen('^', "", 1);
        let errors = Config::parse("s.json", &text).expect_err(marked);
        let error = &errors[0];
        assert_eq!(error.code, *code, "{marked}: {error}");
        assert_eq!(error.place.pointer, *pointer, "{marked}: {error}");
        let line = marked[..offset].matches('\n').count() + 1;
        let column = offset - marked[..offset].rfind('\n').map_or(0, |n| n + 1) + 1;
        if *code != Code::Syntax || *says == "empty" {
            assert_eq!(
                (error.place.line as usize, error.place.column as usize),
                (line, column),
                "{marked}: {error}"
            );
        } else {
            assert_eq!(error.place.line as usize, line, "{marked}: {error}");
        }
        let said = format!("{} {}", error.message, error.help.as_deref().unwrap_or("")).to_lowercase();
        assert!(said.contains(&says.to_lowercase()), "{marked}: {said}");
    }
    // Every code that belongs to reading is among them, with those of size and of programs that don't fit (elsewhere).
    let seen: Vec<Code> = cases.iter().map(|c| c.1).collect();
    let elsewhere = [Code::TooLarge, Code::UnknownStatement, Code::UnknownIndex];
    for code in Code::ALL.into_iter().filter(|c| c.number() < 600) {
        assert!(seen.contains(&code) || elsewhere.contains(&code), "no file shows {code}");
    }
}

#[test]
fn several_errors_are_told_in_order() {
    let text = "{\"scheduling_strategy\": {\n\"a\": 1,\n\"options\": {\"b\": 2},\n\"fusion\": [{}]}}";
    let errors = Config::parse("s.json", text).unwrap_err();
    let lines: Vec<u32> = errors.iter().map(|e| e.place.line).collect();
    assert_eq!(lines, [2, 3, 4]);
}

#[test]
fn escapes_in_constraints_point_to_the_string() {
    let text = "{\"scheduling_strategy\": {\"custom_constraints\": [{\"constraints\": [\"S0_it_0 \\u003e= z\"]}]}}";
    let errors = Config::parse("s.json", text).unwrap_err();
    assert_eq!(errors[0].place.column as usize, text.find("\"S0").unwrap() + 1);
}
