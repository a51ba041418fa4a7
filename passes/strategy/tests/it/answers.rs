//! What a configuration answers, dimension by dimension.

use crate::views::{Program, candidate};
use tilia_strategy::{Code, Config, CostFunction, Partition, RowKind, StaticStrategy, Strategy, Verdict};

fn strategy(inner: &str) -> StaticStrategy {
    let text = format!("{{\"scheduling_strategy\": {inner}}}");
    StaticStrategy::new("test", Config::parse("s.json", &text).unwrap_or_else(|e| panic!("{}", e[0])))
}

fn cost(strategy: &mut StaticStrategy, program: &Program) -> Vec<String> {
    let answer = program.view(|v| strategy.configure(v)).unwrap();
    answer.cost.iter().map(ToString::to_string).collect()
}

#[test]
fn the_most_specific_entry_wins() {
    let mut s = strategy(
        r#"{"ILP_construction": [
            {"scheduling_dimension": "default", "cost_functions": ["proximity"]},
            {"scheduling_dimension": [1, 2], "cost_functions": ["contiguity"]},
            {"scheduling_dimension": "last", "cost_functions": ["latency"]},
            {"scheduling_dimension": 2, "cost_functions": ["feautrier"]}]}"#,
    );
    let mut program = Program::new(&[4]);
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.extend(cost(&mut s, &program));
        program = program.row(RowKind::Loop, false);
    }
    assert_eq!(seen, ["proximity", "contiguity", "feautrier", "latency"]);
}

#[test]
fn without_entries_it_is_proximity() {
    assert_eq!(cost(&mut strategy("{}"), &Program::new(&[1])), ["proximity"]);
    // An empty list is legal: only the tie-break remains.
    assert!(
        cost(
            &mut strategy(r#"{"ILP_construction": [{"cost_functions": []}]}"#),
            &Program::new(&[1])
        )
        .is_empty()
    );
}

#[test]
fn all_matching_constraints_hold() {
    let mut s = strategy(
        r#"{"new_variables": ["x"], "custom_constraints": [
            {"scheduling_dimension": "default", "constraints": ["S*_it_i <= 1"]},
            {"scheduling_dimension": 0, "constraints": ["x >= S0_it_1"]}]}"#,
    );
    let program = Program::new(&[2, 1]);
    let constraints = |s: &mut StaticStrategy, p: &Program| -> Vec<String> {
        p.view(|v| s.configure(v))
            .unwrap()
            .constraints
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    assert_eq!(
        constraints(&mut s, &program),
        ["-S0_it_0 - S0_it_1 + 1 >= 0", "-S1_it_0 + 1 >= 0", "-S0_it_1 + x >= 0"]
    );
    let program = program.row(RowKind::Loop, false);
    assert_eq!(constraints(&mut s, &program).len(), 2);
}

#[test]
fn fusion_at_its_dimension_only() {
    let mut s = strategy(r#"{"fusion": [{"scheduling_dimension": 1, "stmts_fusion": [["1"], ["0"]]}]}"#);
    let program = Program::new(&[2, 2]);
    assert_eq!(program.view(|v| s.configure(v)).unwrap().partition, None);
    let program = program.row(RowKind::Loop, false);
    assert_eq!(
        program.view(|v| s.configure(v)).unwrap().partition,
        Some(Partition::Groups(vec![vec![1], vec![0]]))
    );
}

/// The file in isl's manner: feautrier where proximity leaves a band without parallel row.
#[test]
fn isl_style() {
    for name in ["isl-style.json", "isl-style.rhai"] {
        let (_, text) = crate::files::examples().into_iter().find(|(n, _)| n == name).unwrap();
        let mut s = tilia_strategy::load(name, name, &text).unwrap();
        let proximity = [CostFunction::Proximity];
        let feautrier = [CostFunction::Feautrier];
        let mut judge = |program: &Program, parallel: bool, cost: &[CostFunction]| {
            assert_eq!(program.view(|v| s.configure(v)).unwrap().cost, proximity, "{name}");
            match program.view(|v| s.accept(v, &candidate(parallel, cost, &[]))).unwrap() {
                Verdict::Keep => "keep".to_owned(),
                Verdict::Retry(c) => c.cost[0].to_string(),
            }
        };
        let start = Program::new(&[2]);
        assert_eq!(judge(&start, true, &proximity), "keep", "{name}");
        assert_eq!(judge(&start, false, &proximity), "feautrier", "{name}");
        assert_eq!(judge(&start, false, &feautrier), "keep", "{name}");
        // gemm: the band has parallel rows, so its reduction loop stays.
        let inside = Program::new(&[3]).row(RowKind::Loop, true);
        assert_eq!(judge(&inside, false, &proximity), "keep", "{name}");
        // A new band starts again.
        let mut next = Program::new(&[3]).row(RowKind::Loop, true);
        next.band = 1;
        assert_eq!(judge(&next, false, &proximity), "feautrier", "{name}");
    }
}

#[test]
fn conditions() {
    let mut s = strategy(
        r#"{"ILP_construction": [
            {"when": "band_start", "cost_functions": ["feautrier"]},
            {"when": "no_parallel_yet", "cost_functions": ["latency"]},
            {"cost_functions": ["contiguity"]}]}"#,
    );
    assert_eq!(cost(&mut s, &Program::new(&[3])), ["feautrier"]);
    assert_eq!(cost(&mut s, &Program::new(&[3]).row(RowKind::Loop, false)), ["latency"]);
    assert_eq!(cost(&mut s, &Program::new(&[3]).row(RowKind::Loop, true)), ["contiguity"]);
}

/// Alternatives nested under the one that was taken belong to the next dimension.
#[test]
fn alternatives_form_a_tree() {
    let mut s = strategy(
        r#"{"ILP_construction": [{"scheduling_dimension": 0, "alternatives": [
            {"constraints": ["S0_it_0 == 1"], "alternatives": [
                {"constraints": ["S0_it_1 == 1"]}, {"constraints": ["S0_it_2 == 1"], "cost_functions": ["feautrier"]}]},
            {"constraints": ["S0_it_1 == 1"], "alternatives": [{"constraints": ["S0_it_0 == 1"]}]}]}]}"#,
    );
    let texts = |s: &mut StaticStrategy, p: &Program| -> Vec<String> {
        let answer = p.view(|v| s.configure(v)).unwrap();
        answer.alternatives.iter().map(|a| a.constraints[0].to_string()).collect()
    };
    let start = Program::new(&[3]);
    assert_eq!(texts(&mut s, &start), ["S0_it_0 - 1 == 0", "S0_it_1 - 1 == 0"]);
    let after = |taken: usize| {
        let mut p = Program::new(&[3]).row(RowKind::Loop, false);
        p.rows[0].alternative = Some(taken);
        p
    };
    assert_eq!(texts(&mut s, &after(0)), ["S0_it_1 - 1 == 0", "S0_it_2 - 1 == 0"]);
    assert_eq!(texts(&mut s, &after(1)), ["S0_it_0 - 1 == 0"]);
    // Below a leaf, and where none was taken, there are none.
    let mut leaf = after(0).row(RowKind::Loop, false);
    leaf.rows[1].alternative = Some(1);
    assert!(texts(&mut s, &leaf).is_empty());
    assert!(texts(&mut s, &Program::new(&[3]).row(RowKind::Loop, false)).is_empty());
}

#[test]
fn what_the_program_lacks_is_an_error() {
    for (inner, code) in [
        (
            r#"{"directives": [{"type": "parallel", "stmts": ["0", "2"], "iterator": 0}]}"#,
            Code::UnknownStatement,
        ),
        (
            r#"{"directives": [{"type": "parallel", "stmts": ["0", "1"], "iterator": 1}]}"#,
            Code::UnknownIndex,
        ),
        (
            r#"{"fusion": [{"scheduling_dimension": 9, "stmts_fusion": [["0"], ["7"]]}]}"#,
            Code::UnknownStatement,
        ),
        (
            r#"{"custom_constraints": [{"scheduling_dimension": 9, "constraints": ["S5_it_0 >= 0"]}]}"#,
            Code::UnknownStatement,
        ),
        (
            r#"{"ILP_construction": [{"alternatives": [{"alternatives": [{"constraints": ["S0_par_3 >= 0"]}]}]}]}"#,
            Code::UnknownIndex,
        ),
    ] {
        let mut s = strategy(inner);
        let error = Program::new(&[2, 1]).view(|v| s.begin(v)).expect_err(inner);
        assert_eq!(error.code, code, "{inner}: {error}");
        assert!(error.place.line > 0, "{inner}: {error}");
    }
}

/// What names statements by number is for the scops named; the rest is for all.
#[test]
fn numbers_are_for_their_scops() {
    let mut s = strategy(
        r#"{"scops": ["kernel"], "fusion": [{"scheduling_dimension": 0, "stmts_fusion": [["0"], ["1"]]}],
            "directives": [{"type": "parallel", "stmts": ["1"], "iterator": 1}],
            "custom_constraints": [{"constraints": ["S1_it_1 >= 0", "S*_it_i <= 1"]}],
            "ILP_construction": [{"cost_functions": ["contiguity"]}]}"#,
    );
    let mut program = Program::new(&[2, 2]);
    let seen = |s: &mut StaticStrategy, p: &Program| {
        let globals = p.view(|v| s.begin(v)).unwrap();
        let d = p.view(|v| s.configure(v)).unwrap();
        (
            globals.directives.len(),
            d.partition.is_some(),
            d.constraints.len(),
            d.cost[0].to_string(),
        )
    };
    assert_eq!(seen(&mut s, &program), (1, true, 3, "contiguity".to_owned()));
    for (name, meant) in [
        ("kernel", true),
        ("kernel_12", true),
        ("kernel_x", false),
        ("kernels_0", false),
        ("init_0", false),
    ] {
        name.clone_into(&mut program.name);
        assert_eq!(seen(&mut s, &program).1, meant, "{name}");
    }
    // A scop that isn't meant may have fewer statements.
    let mut small = Program::new(&[1]);
    "init_0".clone_into(&mut small.name);
    assert_eq!(seen(&mut s, &small), (0, false, 1, "contiguity".to_owned()));
}
