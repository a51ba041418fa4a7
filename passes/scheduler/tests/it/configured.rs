//! The specification's worked configurations (section 8), the golden tests that need one (section 14), and what happens when wishes can't be met (5.4 to 5.6).

use crate::golden::{FDTD_2D, GEMM, JACOBI_1D, SYMM, SYMM_EXPANDED, TRSML_OFF_DIAG, check_with, flags, scheduled, strategy};
use crate::program::scop;
use tilia_presburger::Budget;
use tilia_scheduler::{Error, Options, schedule};

/// A configuration with these keys beside the proximity objective.
fn proximity(rest: &str) -> String {
    format!(
        r#"{{"scheduling_strategy":{{"ILP_construction":[{{"scheduling_dimension":"default","cost_functions":["proximity"]}}]{rest}}}}}"#
    )
}

const NO_SKEW: &str = r#","custom_constraints":[{"scheduling_dimension":"default","constraints":["S*_it_i <= 1"]}]"#;

#[test]
fn tensor_style_keeps_jacobi_1d_without_skews() {
    let text = r#"{"scheduling_strategy":{
        "ILP_construction":[{"scheduling_dimension":"default","cost_functions":["contiguity","proximity"]}],
        "custom_constraints":[{"scheduling_dimension":"default","constraints":["S*_it_i <= 1"]}]}}"#;
    check_with(
        strategy(text).as_mut(),
        &["T", "N"],
        JACOBI_1D,
        &["(t, i, 0) s|s-", "(t, i+1, 1) s|s-"],
    );
}

#[test]
fn jacobi_1d_without_skews() {
    let mut s = strategy(&proximity(NO_SKEW));
    check_with(s.as_mut(), &["T", "N"], JACOBI_1D, &["(t, i, 0) s|s-", "(t, i+1, 1) s|s-"]);
}

#[test]
fn fdtd_2d_without_skews_has_no_parallel_row() {
    let mut s = strategy(&proximity(NO_SKEW));
    let expected = ["(t, j, 0) s|ss", "(t, j, i) s|ss", "(t, j, i) s|ss", "(t, j+1, i+1) s|ss"];
    check_with(s.as_mut(), &["T", "X", "Y"], FDTD_2D, &expected);
}

#[test]
fn jacobi_1d_with_feautrier_first() {
    let text = r#"{"scheduling_strategy":{"ILP_construction":[
        {"scheduling_dimension":0,"cost_functions":["feautrier"]},
        {"scheduling_dimension":"default","cost_functions":["proximity"]}]}}"#;
    check_with(
        strategy(text).as_mut(),
        &["T", "N"],
        JACOBI_1D,
        &["(2t, 2t+i) sP", "(2t+1, 2t+i+1) sP"],
    );
}

#[test]
fn feautrier_style_carries_everything_at_once() {
    let text = r#"{"scheduling_strategy":{"ILP_construction":[{"scheduling_dimension":"default","cost_functions":["feautrier"]}]}}"#;
    let scop = scop(&["T", "N"], JACOBI_1D);
    let done = scheduled(&scop, strategy(text).as_mut());
    assert_eq!([flags(&done, 0), flags(&done, 1)], ["sP", "sP"]);
    assert!(
        done.text(&scop, 0).starts_with("(2t, ") && done.text(&scop, 1).starts_with("(2t+1, "),
        "{}",
        done.tree
    );
}

const ISL: &str = r#"{"scheduling_strategy":{"ILP_construction":[
    {"scheduling_dimension":"default","when":"parallel_possible","cost_functions":["proximity"]},
    {"scheduling_dimension":"default","cost_functions":["feautrier"]}]}}"#;

#[test]
fn isl_style_finds_inner_parallelism_in_jacobi_1d() {
    let scop = scop(&["T", "N"], JACOBI_1D);
    let done = scheduled(&scop, strategy(ISL).as_mut());
    assert_eq!([flags(&done, 0), flags(&done, 1)], ["sP", "sP"], "{}", done.tree);
    assert!(done.text(&scop, 0).starts_with("(2t, "), "{}", done.tree);
}

/// The inner row is parallel for equal values of the outer one only, so that the band must be split for it to show.
#[test]
fn parallel_rows_inside_a_band_are_exposed() {
    let scop = scop(&["T", "N"], JACOBI_1D);
    let done = scheduled(&scop, strategy(ISL).as_mut());
    let (deps, _) = tilia_deps::dependences(&scop, &Budget::default()).unwrap();
    let tree = tilia_deps::expose_parallel(&done.tree, &deps, &scop, &Budget::default()).unwrap();
    let (tree, _) = tilia_deps::mark_coincident(&tree, &deps, &scop, &Budget::default()).unwrap();
    tilia_validate::validate(&scop, &tree, &Budget::default()).unwrap();
    let outer = &tree.root().children()[0];
    let (outer_band, inner) = (outer.as_band().unwrap(), &outer.children()[0]);
    let flags = |b: &tilia_schedule::Band| b.members.iter().map(|m| m.coincident).collect::<Vec<_>>();
    assert_eq!([flags(outer_band), flags(inner.as_band().unwrap())], [[false], [true]], "{tree}");
}

#[test]
fn isl_style_leaves_gemm_to_proximity() {
    check_with(
        strategy(ISL).as_mut(),
        &["ni", "nj", "nk"],
        GEMM,
        &["(i, j, 0, 0) PPs-", "(i, j, k, 1) PPs-"],
    );
}

const GEMM_FUSION: &str = r#","fusion":[{"scheduling_dimension":0,"stmts_fusion":[["0"],["1"]]}]"#;

#[test]
fn gemm_distributed() {
    let mut s = strategy(&proximity(GEMM_FUSION));
    check_with(s.as_mut(), &["ni", "nj", "nk"], GEMM, &["(0, i, j) -PP", "(1, i, j, k) -PPs"]);
}

#[test]
fn gemm_distributed_with_contiguity() {
    let text = r#"{"scheduling_strategy":{
        "ILP_construction":[{"scheduling_dimension":"default","cost_functions":["contiguity","proximity"]}],
        "custom_constraints":[{"scheduling_dimension":"default","constraints":["S*_it_i <= 1"]}],
        "fusion":[{"scheduling_dimension":0,"stmts_fusion":[["0"],["1"]]}]}}"#;
    check_with(
        strategy(text).as_mut(),
        &["ni", "nj", "nk"],
        GEMM,
        &["(0, i, j) -PP", "(1, i, k, j) -PsP"],
    );
}

#[test]
fn the_papers_contiguity_example() {
    let text =
        r#"{"scheduling_strategy":{"ILP_construction":[{"scheduling_dimension":"default","cost_functions":["contiguity","proximity"]}]}}"#;
    let program = "
        for i in 0..N
          for j in 0..N
            D[j][i] = x[]
            E[i][j] = y[]
        ";
    check_with(strategy(text).as_mut(), &["N"], program, &["(j, i) PP", "(i, j) PP"]);
}

#[test]
fn symm_is_parallel_once_distributed() {
    let fusion = r#","fusion":[{"scheduling_dimension":0,"total_distribution":false,"stmts_fusion":[["0","2","3"],["1"]]}]"#;
    let scop = scop(&["M", "N"], SYMM);
    let done = scheduled(&scop, strategy(&proximity(fusion)).as_mut());
    assert_eq!(format!("{} {}", done.text(&scop, 1), flags(&done, 1)), "(1, j, k, i) -PPs");
}

#[test]
fn symm_distributed_with_an_expanded_temporary() {
    let fusion = r#","fusion":[{"scheduling_dimension":0,"total_distribution":false,"stmts_fusion":[["0","2","3"],["1"]]}]"#;
    check_with(
        strategy(&proximity(fusion)).as_mut(),
        &["M", "N"],
        SYMM_EXPANDED,
        &[
            "(0, i, j, 0, 0) -PPs-",
            "(1, j, k, i) -PPs",
            "(0, i, j, k, 1) -PPs-",
            "(0, i, j, i, 2) -PPs-",
        ],
    );
}

#[test]
fn symm_distributed_against_a_dependence_is_refused() {
    let fusion = r#","fusion":[{"scheduling_dimension":0,"stmts_fusion":[["1"],["0","2","3"]]}]"#;
    let error = failure(&["M", "N"], SYMM, &proximity(fusion));
    assert!(matches!(error, Error::IllegalFusion { dim: 0, .. }), "{error}");
    assert!(error.to_string().starts_with("[E301]"), "{error}");
}

const DIRECTIVES: &str =
    r#","directives":[{"type":"vectorize","stmts":["0","1"],"iterator":3},{"type":"parallel","stmts":["0","1"],"iterator":2}]"#;

#[test]
fn trsml_off_diag_with_directives() {
    let expected = ["(l, i, j, k, 0) PssP-", "(l, i, j, k, 1) PssP-"];
    check_with(strategy(&proximity(DIRECTIVES)).as_mut(), &["N", "L"], TRSML_OFF_DIAG, &expected);
    let vectorize = r#","directives":[{"type":"vectorize","stmts":["0","1"],"iterator":3}]"#;
    check_with(strategy(&proximity(vectorize)).as_mut(), &["N", "L"], TRSML_OFF_DIAG, &expected);
}

#[test]
fn automatic_vectorisation_finds_the_same() {
    let expected = ["(l, i, j, k, 0) PssP-", "(l, i, j, k, 1) PssP-"];
    check_with(
        strategy(&proximity(r#","auto_vectorization":true"#)).as_mut(),
        &["N", "L"],
        TRSML_OFF_DIAG,
        &expected,
    );
}

#[test]
fn an_impossible_directive_is_dropped_with_a_remark() {
    let directives = r#","directives":[{"type":"parallel","stmts":["0"],"iterator":1},{"type":"parallel","stmts":["0"],"iterator":0}]"#;
    let scop = scop(
        &["N"],
        "
        for i in 1..N
          for j in 1..N
            a[i][j] = a[i-1][j] + a[i][j-1]
        ",
    );
    let done = scheduled(&scop, strategy(&proximity(directives)).as_mut());
    let dropped = done.remarks.iter().filter(|r| r.message.contains("[R401]")).count();
    assert_eq!(dropped, 2, "{:?}", done.remarks);
    assert_eq!(done.text(&scop, 0), "(i, j)");
}

#[test]
fn a_sequential_directive_keeps_its_iterator_alone() {
    let directives = r#","directives":[{"type":"sequential","stmts":["0"],"iterator":1}]"#;
    let program = "
        for i in 0..N
          for j in 0..N
            a[i][j] = a[j][i] + a[i][j-1]
        ";
    let scop = scop(&["N"], program);
    let done = scheduled(&scop, strategy(&proximity(directives)).as_mut());
    let alone = done.stmts[0]
        .rows
        .iter()
        .all(|p| p.row.iters[1].is_zero() || p.row.iters[0].is_zero());
    let dropped = done.remarks.iter().any(|r| r.message.contains("[R401]"));
    assert!(alone || dropped, "{}", done.text(&scop, 0));
}

/// The error of a configuration.
#[track_caller]
fn failure(params: &[&str], program: &str, config: &str) -> Error {
    let scop = scop(params, program);
    let (deps, _) = tilia_deps::dependences(&scop, &Budget::default()).unwrap();
    schedule((&scop, &deps), strategy(config).as_mut(), &Options::default(), &Budget::default()).unwrap_err()
}

#[test]
fn constraints_that_exclude_all_rows_are_named() {
    let text = proximity(
        r#","custom_constraints":[{"scheduling_dimension":"default","constraints":["S0_it_0 <= 2","S0_it_0 >= S0_it_1 + 1","S0_it_1 >= S0_it_0"]}]"#,
    );
    let program = "
        for i in 0..N
          for j in 0..N
            a[i][j] = x[i]
        ";
    let error = failure(&["N"], program, &text);
    let Error::Infeasible { dim: 0, conflict } = &error else {
        panic!("{error}")
    };
    assert_eq!(conflict.len(), 2, "{error}");
    assert!(error.to_string().starts_with("[E302]"), "{error}");
}

#[test]
fn constraints_that_allow_no_progress_are_named() {
    let text = proximity(r#","custom_constraints":[{"scheduling_dimension":"default","constraints":["S0_it_i <= 0"]}]"#);
    let program = "
        for i in 0..N
          a[i] = x[i]
        ";
    let error = failure(&["N"], program, &text);
    assert!(matches!(error, Error::NoProgress { dim: 0, .. }), "{error}");
    assert!(error.to_string().starts_with("[E303]"), "{error}");
    let dropped = text.replacen(
        "\"custom_constraints\"",
        "\"on_infeasible\":\"drop_constraints\",\"custom_constraints\"",
        1,
    );
    check_with(strategy(&dropped).as_mut(), &["N"], program, &["(i) P"]);
}

#[test]
fn a_user_variable_keeps_iterators_out_of_the_first_row() {
    let text = r#"{"scheduling_strategy":{"new_variables":["x"],
        "ILP_construction":[{"scheduling_dimension":"default","cost_functions":["x","proximity"]}],
        "custom_constraints":[{"scheduling_dimension":"default","constraints":["x >= S0_it_0"]}]}}"#;
    let program = "
        for i in 0..N
          for j in 0..N
            a[i][j] = x[i]
        ";
    check_with(strategy(text).as_mut(), &["N"], program, &["(j, i) PP"]);
}

#[test]
fn large_loops_come_first() {
    let text = r#"{"scheduling_strategy":{
        "ILP_construction":[{"scheduling_dimension":"default","cost_functions":["bigLoopsFirst","proximity"]}]}}"#;
    let program = "
        for i in 0..10
          for j in 0..1000
            a[i][j] = x[i]
        ";
    check_with(strategy(text).as_mut(), &[], program, &["(j, i) PP"]);
}

#[test]
fn an_alternative_that_leads_nowhere_is_taken_back() {
    // The first alternative takes j for the first row; below it, the only alternative asks for j again, which is no progress. The second takes i.
    let text = r#"{"scheduling_strategy":{"ILP_construction":[{"scheduling_dimension":0,"cost_functions":["proximity"],"alternatives":[
        {"constraints":["S0_it_0 = 0"],"alternatives":[{"constraints":["S0_it_0 = 0"]}]},
        {"constraints":["S0_it_1 = 0"],"alternatives":[{"constraints":["S0_it_0 = 0"]}]}]}]}}"#;
    let program = "
        for i in 0..N
          for j in 0..N
            a[i][j] = x[i]
        ";
    check_with(strategy(text).as_mut(), &["N"], program, &["(i, j) PP"]);
}

#[test]
fn latency_finds_the_earliest_dates() {
    let text = r#"{"scheduling_strategy":{"ILP_construction":[{"scheduling_dimension":"default","cost_functions":["latency"]}]}}"#;
    // Nothing makes the second nest wait for more than one step of the first.
    let program = "
        for i in 0..N
          a[i] = x[i]
        for i in 0..N
          b[i] = a[i] + y[i]
        ";
    let scop = scop(&["N"], program);
    let done = scheduled(&scop, strategy(text).as_mut());
    assert_eq!([done.text(&scop, 0), done.text(&scop, 1)], ["(i, 0)", "(i, 1)"], "{}", done.tree);
}

#[test]
fn fewer_iterators_in_a_row_where_that_is_the_objective() {
    let text =
        r#"{"scheduling_strategy":{"ILP_construction":[{"scheduling_dimension":"default","cost_functions":["parallelism","skewSum"]}]}}"#;
    let program = "
        for i in 1..N
          for j in 0..N
            a[i][j] = a[i-1][j]
        ";
    check_with(strategy(text).as_mut(), &["N"], program, &["(j, i) Ps"]);
}
