//! The floating-point solver says what the exact one says, or that it isn't sure.

use tilia_ilp::{Auto, Error, Exact, GoodLp, Linear, Outcome, Problem, Solver};
use tilia_presburger::{Budget, Int};

use crate::brute;
use crate::random::{Rng, Shape, problem};

#[test]
fn agrees_with_the_exact_solver() {
    let b = Budget::default();
    let mut rng = Rng::new(99);
    let (mut solved, mut failed) = (0, 0);
    for case in 0..500 {
        let shape = Shape {
            reach: 5,
            hidden: 20,
            continuous: case % 3,
            coefficient: 6,
            equalities: 20,
        };
        let p = problem(&mut rng, shape);
        let exact = Exact.lexmin(&p, &b).unwrap();
        match (GoodLp.lexmin(&p, &b), exact) {
            (Ok(Outcome::Optimal(s)), Outcome::Optimal(e)) => {
                assert!(!s.approximate, "case {case}: {p:?}");
                solved += 1;
                for (v, var) in p.vars.iter().enumerate() {
                    assert!(
                        !var.lex || s.values[v] == e.values[v],
                        "case {case}: {s:?} instead of {e:?} for {p:?}"
                    );
                }
                assert!(brute::holds(&p, &s));
            }
            (Ok(f), e) => assert_eq!(f, e, "case {case}"),
            (Err(Error::Backend { .. }), _) => failed += 1,
            (Err(e), _) => panic!("case {case}: {e}"),
        }
    }
    assert!(solved > 200 && failed < 10, "{solved} solved, {failed} failed");
}

#[test]
fn without_budget_for_the_proof_a_solution_is_approximate() {
    let mut p = Problem::new();
    let vars: Vec<usize> = (0..12).map(|k| p.add_bounded(format!("x{k}"), 0, 9)).collect();
    for k in 0..vars.len() {
        let mut e = Linear::constant(-7);
        for (j, v) in vars.iter().enumerate() {
            e.add_term(*v, i64::try_from((j * 5 + k * 3) % 7).unwrap());
        }
        p.add_ge(e);
    }
    let all = Budget::default();
    let exact = GoodLp.lexmin(&p, &all).unwrap().solution().unwrap();
    assert!(!exact.approximate);
    let mut seen = false;
    for units in (10..all.used()).step_by(7) {
        match GoodLp.lexmin(&p, &Budget::new(units)) {
            Ok(Outcome::Optimal(s)) => {
                assert!(brute::holds(&p, &s));
                seen |= s.approximate;
                assert!(s.approximate || s.values == exact.values);
            }
            Ok(other) => panic!("{other:?}"),
            Err(e) => assert!(e.is_out_of_budget()),
        }
    }
    assert!(seen, "no budget is too small for the proof alone");
}

#[test]
fn numbers_that_floats_do_not_hold_are_refused_and_auto_solves_them() {
    let mut p = Problem::new();
    let x = p.add_natural("x");
    let mut e = Linear::constant("-123456789012345678901234567890".parse::<Int>().unwrap());
    e.add_term(x, 2);
    p.add_ge(e);
    assert!(matches!(GoodLp.lexmin(&p, &Budget::default()), Err(Error::Backend { .. })));
    let s = Auto.lexmin(&p, &Budget::default()).unwrap().solution().unwrap();
    assert_eq!(s.values[0].to_string(), "61728394506172839450617283945");
}
