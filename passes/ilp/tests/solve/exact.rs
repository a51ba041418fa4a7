//! The exact solver finds what enumeration finds.

use tilia_ilp::{Exact, Linear, Outcome, Problem, Solver, feasible};
use tilia_presburger::{Budget, Int};

use crate::brute;
use crate::random::{Rng, Shape, problem};

/// Solves as many problems and returns how many had a solution.
fn agree(seed: u64, count: usize, shape: Shape) -> usize {
    let mut rng = Rng::new(seed);
    let mut solved = 0;
    for case in 0..count {
        let p = problem(&mut rng, shape);
        let expected = brute::lexmin(&p, shape.reach);
        assert_eq!(
            feasible(&p, &Budget::new(5_000_000)).unwrap(),
            expected.is_some(),
            "case {case}: {p:?}"
        );
        let found = Exact.lexmin(&p, &Budget::new(5_000_000)).unwrap();
        match (&found, &expected) {
            (Outcome::Infeasible, None) => {}
            (Outcome::Optimal(s), Some(x)) => {
                solved += 1;
                assert!(brute::holds(&p, s), "case {case}: {s:?} violates {p:?}");
                for (k, v) in p.vars.iter().enumerate().filter(|(_, v)| v.lex) {
                    assert_eq!(s.values[k], Int::new(x[k]), "case {case}: {} of {p:?}", v.name);
                }
                assert!(!s.approximate);
            }
            _ => panic!("case {case}: {found:?} but {expected:?} for {p:?}"),
        }
    }
    solved
}

const PLAIN: Shape = Shape {
    reach: 3,
    hidden: 0,
    continuous: 0,
    coefficient: 4,
    equalities: 20,
};

#[test]
fn variables_with_limits() {
    let solved = agree(1, 1500, PLAIN);
    assert!((300..1400).contains(&solved), "{solved} of 1500 have a solution");
}

#[test]
fn variables_without_limits_that_rows_limit() {
    let solved = agree(2, 1500, Shape { hidden: 60, ..PLAIN });
    assert!((300..1400).contains(&solved), "{solved} of 1500 have a solution");
}

#[test]
fn integer_gaps() {
    let shape = Shape {
        reach: 5,
        hidden: 30,
        coefficient: 11,
        equalities: 50,
        ..PLAIN
    };
    let solved = agree(3, 600, shape);
    assert!(solved > 60, "{solved} of 600 have a solution");
}

#[test]
fn continuous_variables() {
    for (seed, continuous) in [(4, 1), (5, 2), (6, 3)] {
        let shape = Shape {
            hidden: 30,
            continuous,
            ..PLAIN
        };
        let solved = agree(seed, 500, shape);
        assert!((100..480).contains(&solved), "{solved} of 500 have a solution");
    }
}

#[test]
fn unbounded_only_when_feasible() {
    let b = Budget::default();
    let mut p = Problem::new();
    let (x, y) = (p.add_free("x"), p.add_natural("y"));
    assert_eq!(Exact.lexmin(&p, &b).unwrap(), Outcome::Unbounded);
    // x + y >= 0 doesn't limit x, since y may be large.
    let mut e = Linear::var(x);
    e.add_term(y, 1);
    p.add_ge(e.clone());
    assert_eq!(Exact.lexmin(&p, &b).unwrap(), Outcome::Unbounded);
    let mut q = p.clone();
    q.add_ge(Linear::term(y, -1));
    assert_eq!(Exact.lexmin(&q, &b).unwrap().solution().unwrap().values, [Int::ZERO, Int::ZERO]);
    // 3y - 6z = 1 has no integer solution, so neither has the unbounded problem.
    let z = p.add_natural("z");
    let mut odd = Linear::constant(-1);
    odd.add_term(y, 3);
    odd.add_term(z, -6);
    p.add_eq(odd);
    assert_eq!(Exact.lexmin(&p, &b).unwrap(), Outcome::Infeasible);
}

#[test]
fn variables_that_are_not_minimised_do_not_count() {
    let mut p = Problem::new();
    let free = p.add_free("f");
    p.vars[free].lex = false;
    let x = p.add_natural("x");
    // x >= 2 - f: f is as large as it takes; x >= 3 + 2f: and as small.
    let mut e = Linear::constant(-3);
    e.add_term(x, 1);
    e.add_term(free, -2);
    p.add_ge(e);
    let s = Exact.lexmin(&p, &Budget::default()).unwrap().solution().unwrap();
    assert_eq!(s.values[x], Int::ZERO);
    assert!(brute::holds(&p, &s));
}

#[test]
fn empty_problems() {
    let b = Budget::default();
    let mut p = Problem::new();
    assert!(matches!(Exact.lexmin(&p, &b).unwrap(), Outcome::Optimal(_)));
    p.add_ge(Linear::constant(-1));
    assert_eq!(Exact.lexmin(&p, &b).unwrap(), Outcome::Infeasible);
    let mut p = Problem::new();
    p.add_bounded("x", 2, 1);
    assert_eq!(Exact.lexmin(&p, &b).unwrap(), Outcome::Infeasible);
}

#[test]
fn a_row_with_an_unknown_variable_is_an_error() {
    let mut p = Problem::new();
    p.add_natural("x");
    p.add_ge(Linear::var(7));
    let e = Exact.lexmin(&p, &Budget::default()).unwrap_err();
    assert_eq!(e.to_string(), "row 0 names variable 7, but there are only 1");
}
