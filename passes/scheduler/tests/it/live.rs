//! Live-range reordering: temporaries that don't keep iterations in a row.

use crate::golden::{flags, strategy};
use crate::program::scop;
use tilia_presburger::Budget;
use tilia_scheduler::{Options, Scheduled, schedule};
use tilia_scop::Scop;
use tilia_validate::{validate, validate_values};

fn file(costs: &str, options: &str, more: &str) -> String {
    format!(
        r#"{{"scheduling_strategy":{{
        "ILP_construction":[{{"scheduling_dimension":"default","cost_functions":[{costs}]}}],
        "options":{{{options}}}{more}}}}}"#
    )
}

const LIVE: &str = r#""live_range_reordering":true"#;

/// A schedule, and whether it turns conflicting pairs round.
#[track_caller]
fn made(scop: &Scop, text: &str) -> (Scheduled, bool) {
    let (deps, _) = tilia_deps::dependences(scop, &Budget::default()).unwrap();
    let done = schedule((scop, &deps), strategy(text).as_mut(), &Options::default(), &Budget::default()).unwrap_or_else(|e| panic!("{e}"));
    let turned = validate_values(scop, &done.tree, &Budget::default()).unwrap_or_else(|v| panic!("{v:?}\n{}", done.tree));
    assert_eq!(turned, validate(scop, &done.tree, &Budget::default()).is_err());
    (done, turned)
}

/// Rows and flags of all statements, and whether pairs are turned round.
#[track_caller]
fn check(params: &[&str], program: &str, text: &str, expected: (&[&str], bool)) {
    let scop = scop(params, program);
    let (done, turned) = made(&scop, text);
    let got: Vec<String> = (0..scop.stmts.len())
        .map(|s| format!("{} {}", done.text(&scop, s), flags(&done, s)))
        .collect();
    assert_eq!(
        (&got.iter().map(String::as_str).collect::<Vec<_>>()[..], turned),
        expected,
        "{}",
        done.tree
    );
}

const THROUGH_A_SCALAR: &str = "
    for i in 0..N
      for j in 0..N
        t[] = A[j][i]
        B[j][i] = t[]
    ";

#[test]
fn loops_around_a_scalar_are_one_band() {
    let text = |options| file(r#""proximity""#, options, "");
    check(&["N"], THROUGH_A_SCALAR, &text(""), (&["(i, j, 0) s|s-", "(i, j, 1) s|s-"], false));
    check(&["N"], THROUGH_A_SCALAR, &text(LIVE), (&["(i, j, 0) ss-", "(i, j, 1) ss-"], true));
}

#[test]
fn loops_around_a_scalar_are_interchanged() {
    let text = |options| file(r#""contiguity","proximity""#, options, "");
    check(&["N"], THROUGH_A_SCALAR, &text(""), (&["(i, j, 0) s|s-", "(i, j, 1) s|s-"], false));
    check(&["N"], THROUGH_A_SCALAR, &text(LIVE), (&["(j, i, 0) ss-", "(j, i, 1) ss-"], true));
}

/// The sum lives through the innermost loop and stays inside the other two, which change places.
#[test]
fn a_sum_stays_in_its_iteration() {
    let program = "
        for i in 0..N
          for j in 0..N
            s[] = 0
            for k in 0..N
              s[] += A[k][j] * B[k][i]
            C[j][i] = s[]
        ";
    let scop = scop(&["N"], program);
    for (options, band) in [("", "s|s"), (LIVE, "ss")] {
        let (done, turned) = made(&scop, &file(r#""proximity""#, options, ""));
        assert!(turned != options.is_empty(), "{}", done.tree);
        assert!((0..3).all(|s| flags(&done, s).starts_with(band)), "{}", done.tree);
    }
}

/// Two live ranges of one scalar in an iteration: neither may move into the other.
#[test]
fn live_ranges_of_one_iteration_keep_apart() {
    let program = "
        for i in 0..N
          for j in 0..N
            t[] = A[j][i]
            B[j][i] = t[]
            t[] = B[j][i]
            C[j][i] = t[]
        ";
    let scop = scop(&["N"], program);
    let (done, turned) = made(&scop, &file(r#""contiguity","proximity""#, LIVE, ""));
    assert!(
        turned && (0..4).all(|s| done.text(&scop, s).starts_with("(j, i, ")),
        "{}",
        done.tree
    );
}

/// A value that passes from one iteration to the next keeps them in order.
#[test]
fn values_between_iterations_keep_them_in_order() {
    let program = "
        for i in 0..N
          for j in 0..N
            B[j][i] = t[]
            t[] = A[j][i]
        ";
    let scop = scop(&["N"], program);
    let (done, turned) = made(&scop, &file(r#""contiguity","proximity""#, LIVE, ""));
    assert!(!turned, "{}", done.tree);
}

/// The last value stays: the loops may not run backwards, since `t` outlives the scop.
#[test]
fn the_last_live_range_stays_the_last() {
    let program = "
        for i in 0..N
          t[] = A[i]
          B[i] = t[]
        for i in 0..N
          C[i] = B[N-1-i]
        ";
    let options = format!(r#"{LIVE},"negative_coefficients":true,"parametric_shift":true"#);
    let scop = scop(&["N"], program);
    let (done, _) = made(&scop, &file(r#""proximity""#, &options, ""));
    assert!(!done.stmts[0].rows[0].row.iters[0].is_neg(), "{}", done.tree);
}
