//! Options: solvers, budgets, coefficients of both signs, reads that come together, and what isn't built.

use crate::golden::{GEMM, JACOBI_1D, check_with, flags, scheduled, strategy};
use crate::program::scop;
use std::fmt::Write;
use tilia_presburger::Budget;
use tilia_program::PureOp;
use tilia_scheduler::{End, Options, schedule};
use tilia_scop::{AccessKind, FloatOrder, Reduction, Scop};

fn with(options: &str) -> Box<dyn tilia_strategy::Strategy> {
    strategy(&format!(
        r#"{{"scheduling_strategy":{{
        "ILP_construction":[{{"scheduling_dimension":"default","cost_functions":["proximity"]}}],
        "options":{{{options}}}}}}}"#
    ))
}

#[test]
fn both_solvers_find_the_same_rows() {
    for solver in ["exact", "good_lp"] {
        let mut s = with(&format!(r#""solver":"{solver}""#));
        check_with(s.as_mut(), &["T", "N"], JACOBI_1D, &["(t, 2t+i, 0) ss-", "(t, 2t+i+1, 1) ss-"]);
    }
}

/// The pairs `A[i]`, `B[9-i]` are met without any distance when one loop runs backwards; then dependences go both ways at equal dates, and only the source's order is left.
#[test]
fn a_loop_is_reversed_where_that_brings_pairs_together() {
    let program = "
        for i in 0..10
          A[i] = B[9-i]
          B[i] = A[9-i]
        ";
    let scop = scop(&[], program);
    let plus = scheduled(&scop, with(r#""negative_coefficients":true"#).as_mut());
    let reversed = |n: usize| plus.stmts[n].rows.first().is_some_and(|p| p.row.iters[0].is_neg());
    assert!(reversed(0) != reversed(1), "{}", plus.tree);
    // What orders the pairs that meet is another row; where constraints forbid that, the order of the source is left.
    let text = r#"{"scheduling_strategy":{"options":{"negative_coefficients":true},
        "custom_constraints":[{"scheduling_dimension":[1,9],"constraints":["S*_it_i = 0","S*_cst = 0"]}]}}"#;
    let forbidden = scheduled(&scop, strategy(text).as_mut());
    assert!(
        forbidden.remarks.iter().any(|r| r.message.contains("[R502]")),
        "{:?}\n{}",
        forbidden.remarks,
        forbidden.tree
    );
    assert!(forbidden.stmts.iter().all(|s| s.end == End::Source), "{}", forbidden.tree);
}

#[test]
fn loops_that_run_against_each_other_fuse_with_both_signs() {
    let program = "
        for i in 0..N
          a[i] = x[i]
        for i in 0..N
          b[i] = a[N-1-i]
        ";
    let scop = scop(&["N"], program);
    let plain = scheduled(&scop, with("").as_mut());
    let plus = scheduled(&scop, with(r#""negative_coefficients":true,"parametric_shift":true"#).as_mut());
    assert!(
        flags(&plus, 0).starts_with('P') && flags(&plus, 1).starts_with('P'),
        "{}",
        plus.tree
    );
    assert!(!flags(&plain, 0).starts_with('P'), "{}", plain.tree);
}

#[test]
fn reads_come_together_where_that_is_asked_for() {
    let program = "
        for i in 0..N
          for j in 0..N
            x[i][j] = A[j][i]
        ";
    // Nothing depends on anything: the objective alone decides, and one statement's reads of one element are one instance's.
    check_with(with(r#""rar":true"#).as_mut(), &["N"], program, &["(i, j) PP"]);
    let shared = "
        for i in 0..N
          for j in 0..N
            x[i][j] = A[j]
        ";
    check_with(with(r#""rar":true"#).as_mut(), &["N"], shared, &["(j, i) PP"]);
}

#[test]
fn a_budget_that_runs_out_ends_in_the_order_of_the_source() {
    let scop = scop(&["T", "N"], JACOBI_1D);
    let done = scheduled(&scop, with(r#""budget":1"#).as_mut());
    assert!(done.stmts.iter().all(|s| s.end == End::Source), "{}", done.tree);
    assert!(done.remarks.iter().any(|r| r.message.contains("[R501]")), "{:?}", done.remarks);
    let (deps, _) = tilia_deps::dependences(&scop, &Budget::default()).unwrap();
    let done = schedule((&scop, &deps), with("").as_mut(), &Options::default(), &Budget::new(1)).unwrap();
    assert!(done.stmts.iter().all(|s| s.end == End::Source), "{}", done.tree);
}

#[test]
fn value_based_flow_comes_from_the_last_write() {
    let scop = scop(
        &["N"],
        "for i in 0..N\n  a[i] = x[i]\nfor i in 0..N\n  a[i] = y[i]\nfor i in 0..N\n  z[i] = a[i]\n",
    );
    // An output dependence and two flows; what the first statement writes is never read.
    for (options, edges) in [("", 3), (r#""dependences":"value""#, 2)] {
        let done = scheduled(&scop, with(options).as_mut());
        let told = format!("of {edges} dependences");
        assert!(done.remarks.iter().any(|r| r.message.contains(&told)), "{:?}", done.remarks);
    }
}

/// A sum whose instances may change places: the last one isn't the last any more, so that what reads the sum has to wait for all of them, also where only flow from last writes counts.
#[test]
fn readers_of_a_reordered_sum_wait_for_all_of_it() {
    let mut scop = scop(&["N"], "for i in 0..N\n  s[] += a[i]\nfor i in 0..N\n  z[i] = s[] + b[i]\n");
    let s = &mut scop.stmts[0];
    let accumulator = |kind| {
        s.accesses
            .iter()
            .position(|a| a.kind == kind && a.relation.to_string().contains("s["))
    };
    s.reduction = Some(Reduction {
        read: accumulator(AccessKind::Read).unwrap(),
        write: accumulator(AccessKind::Write).unwrap(),
        op: PureOp::AddF,
    });
    scop.float_order = FloatOrder::Free;
    let text = r#"{"scheduling_strategy":{
        "custom_constraints":[{"scheduling_dimension":"default","constraints":["S0_it_0 <= 0"]}],
        "directives":[{"type":"reduce","stmts":["0"],"iterator":0}],
        "options":{"dependences":"value","negative_coefficients":true,"parametric_shift":true,"fusion_heuristic":"max"}}}"#;
    // `scheduled` has the order of the two statements checked.
    let done = scheduled(&scop, strategy(text).as_mut());
    assert!(done.stmts[0].rows.iter().any(|p| p.row.iters[0].is_neg()), "{}", done.tree);
}

/// Two loops that accumulate in one place, and one that reads it. With the directive for one of them either may come first, and the reader waits for both, also where only flow from last writes
/// counts; without it, or by another operation, the second loop waits for the first.
#[test]
fn statements_that_accumulate_in_one_place_change_places() {
    let mut scop = scop(
        &["N"],
        "for i in 0..N\n  s[] += a[i]\nfor i in 0..N\n  s[] += b[i]\nfor i in 0..N\n  z[i] = s[] + c[i]\n",
    );
    scop.float_order = FloatOrder::Free;
    for s in &mut scop.stmts[..2] {
        let accumulator = |kind| {
            let mut all = s.accesses.iter();
            all.position(|a| a.kind == kind && a.relation.to_string().contains("s["))
        };
        s.reduction = Some(Reduction {
            read: accumulator(AccessKind::Read).unwrap(),
            write: accumulator(AccessKind::Write).unwrap(),
            op: PureOp::AddF,
        });
    }
    let reduce = |stmt: usize| format!(r#""directives":[{{"type":"reduce","stmts":["{stmt}"],"iterator":0}}],"#);
    let legal = |scop: &Scop, directives: &str, order: [usize; 3]| {
        let groups: Vec<String> = order.iter().map(|n| format!(r#"["{n}"]"#)).collect();
        let text = format!(
            r#"{{"scheduling_strategy":{{{directives}
            "fusion":[{{"scheduling_dimension":0,"stmts_fusion":[{}]}}],
            "options":{{"dependences":"value"}}}}}}"#,
            groups.join(",")
        );
        let (deps, _) = tilia_deps::dependences(scop, &Budget::default()).unwrap();
        match schedule((scop, &deps), strategy(&text).as_mut(), &Options::default(), &Budget::default()) {
            Ok(done) => {
                tilia_validate::validate(scop, &done.tree, &Budget::default()).unwrap();
                true
            }
            Err(e) => {
                assert!(e.to_string().contains("dependence"), "{e}");
                false
            }
        }
    };
    for stmt in [0, 1] {
        assert!(legal(&scop, &reduce(stmt), [0, 1, 2]) && legal(&scop, &reduce(stmt), [1, 0, 2]));
        for early in [[1, 2, 0], [0, 2, 1], [2, 0, 1], [2, 1, 0]] {
            assert!(!legal(&scop, &reduce(stmt), early), "{early:?}");
        }
    }
    assert!(legal(&scop, "", [0, 1, 2]) && !legal(&scop, "", [1, 0, 2]));
    scop.stmts[1].reduction = scop.stmts[1].reduction.map(|r| Reduction { op: PureOp::MulF, ..r });
    assert!(!legal(&scop, &reduce(0), [1, 0, 2]));
}

#[test]
fn programs_are_printed_on_request() {
    let scop = scop(&["ni", "nj", "nk"], GEMM);
    let done = scheduled(&scop, with(r#""dump_problems":true"#).as_mut());
    let text = &done.remarks.iter().find(|r| r.message.contains("Minimize")).unwrap().message;
    for part in ["obj: u_0", "Subject To", "S1_it_2", "General", "End"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

/// A pipeline of stencils: each stage reads its predecessor's neighbourhood.
fn chain(stages: usize) -> String {
    let mut text = String::new();
    for n in 0..stages {
        writeln!(text, "for i in {}..N-{}\n  a{}[i] = a{n}[i-1] + a{n}[i+1]", n + 1, n + 1, n + 1).unwrap();
    }
    text
}

#[test]
fn a_long_pipeline_is_scheduled_within_its_budget() {
    let scop = scop(&["N"], &chain(40));
    for heuristic in ["smart", "max", "reuse"] {
        let done = scheduled(&scop, with(&format!(r#""fusion_heuristic":"{heuristic}""#)).as_mut());
        assert!(done.stmts.iter().all(|s| s.end == End::Complete), "{heuristic}");
    }
}

/// Stencils in the plane, one after the other in a time loop: the skew that a common band of all loops needs grows with their number.
fn planes(stages: usize) -> String {
    let mut text = "for t in 0..N\n".to_owned();
    for n in 0..stages {
        let near = ["[i-1][j]", "[i][j-1]", "[i][j]", "[i][j+1]", "[i+1][j]"].map(|at| format!("a{n}{at}"));
        let (next, sum) = ((n + 1) % stages, near.join(" + "));
        writeln!(text, "  for i in 1..N-1\n    for j in 1..N-1\n      a{next}[i][j] = {sum}").unwrap();
    }
    text
}

/// A component whose integer program takes more than its share gets rows of single loops, legal (`scheduled` has the tree checked) and said to be approximate.
#[test]
fn a_component_that_is_too_large_keeps_its_loops() {
    let scop = scop(&["N"], &planes(100));
    let done = scheduled(&scop, with("").as_mut());
    let rows: Vec<String> = [0, 1, 99]
        .iter()
        .map(|&s| format!("{} {}", done.text(&scop, s), flags(&done, s)))
        .collect();
    assert_eq!(
        rows,
        ["(t, i, j) s|ss", "(t, i+1, j+1) s|ss", "(t, i+99, j+99) s|ss"],
        "{:?}",
        done.remarks
    );
    for said in ["[R503]", "[R504] 1 integer program"] {
        assert!(done.remarks.iter().any(|r| r.message.contains(said)), "{said}: {:?}", done.remarks);
    }
}
