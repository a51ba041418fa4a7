//! A session gives what solving anew gives.

use tilia_ilp::{Exact, Linear, Outcome, Problem, Row, Session, Solver, Var};
use tilia_presburger::{Budget, Int};

use crate::random::{Rng, Shape, problem};

#[test]
fn rows_one_by_one_are_as_good_as_all_at_once() {
    let b = Budget::default();
    let mut rng = Rng::new(77);
    let shape = Shape {
        reach: 4,
        hidden: 20,
        continuous: 0,
        coefficient: 5,
        equalities: 15,
    };
    let mut solved = 0;
    for case in 0..300 {
        let mut p = problem(&mut rng, shape);
        let mut s = Session::new(&p).unwrap();
        for _ in 0..4 {
            let found = s.solve(&b).unwrap();
            assert_eq!(found, Exact.lexmin(&p, &b).unwrap(), "case {case}: {p:?}");
            solved += usize::from(found.solution().is_some());
            let mut e = Linear::constant(rng.range(-3, 5));
            for v in 0..p.vars.len() {
                e.add_term(v, rng.range(-4, 4));
            }
            let row = if rng.chance(20) { Row::zero(e) } else { Row::non_negative(e) };
            s.add_row(&row).unwrap();
            p.add_row(row);
        }
    }
    assert!(solved > 300, "only {solved} had solutions");
}

#[test]
fn a_session_survives_an_exhausted_budget() {
    let mut rng = Rng::new(5);
    let shape = Shape {
        reach: 5,
        hidden: 0,
        continuous: 0,
        coefficient: 7,
        equalities: 0,
    };
    let mut ran_out = 0;
    for _ in 0..200 {
        let p = problem(&mut rng, shape);
        let mut s = Session::new(&p).unwrap();
        for units in [1, 2, 5, 10, 20] {
            ran_out += usize::from(s.solve(&Budget::new(units)).is_err_and(|e| e.is_out_of_budget()));
        }
        assert_eq!(s.solve(&Budget::default()).unwrap(), Exact.lexmin(&p, &Budget::default()).unwrap());
    }
    assert!(ran_out > 100);
}

/// A limit takes away nothing but what isn't below it, and the session can be used again with another one.
#[test]
fn a_limit_keeps_exactly_the_minima_below_it() {
    let b = Budget::default();
    for coefficient in 1..5_i64 {
        for least in 0..12_i64 {
            // coefficient * (x + y) + z >= least, z <= 1, x >= y
            let mut p = Problem::new();
            let (x, y) = (p.add_natural("x"), p.add_natural("y"));
            let z = p.add_bounded("z", 0, 1);
            let mut sum = Linear::constant(-least);
            sum.add_term(x, coefficient);
            sum.add_term(y, coefficient);
            sum.add_term(z, 1);
            p.add_ge(sum);
            let mut order = Linear::var(x);
            order.add_term(y, -1);
            p.add_ge(order);
            let Outcome::Optimal(free) = Exact.lexmin(&p, &b).unwrap() else {
                panic!()
            };
            let mut session = Session::new(&p).unwrap();
            for (i, j) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
                let limit = [Int::from(i), Int::from(j)];
                let wanted = free.values[..2] < limit[..];
                for found in [
                    session.solve_below(Some(&limit), &b).unwrap(),
                    Exact.lexmin_below(&p, &limit, &b).unwrap(),
                ] {
                    match found {
                        Outcome::Optimal(s) => assert!(wanted && s.values == free.values, "{coefficient} {least} {limit:?}"),
                        _ => assert!(!wanted, "{coefficient} {least} {limit:?}"),
                    }
                }
            }
            assert!(matches!(session.solve(&b).unwrap(), Outcome::Optimal(s) if s.values == free.values));
        }
    }
}

/// Limits that can't end the search early are kept to all the same: on variables without lower limit, rational ones, and ones that aren't minimised.
#[test]
fn limits_hold_for_variables_of_all_kinds() {
    let b = Budget::default();
    let mut p = Problem::new();
    let x = p.add_free("x");
    let r = p.add_var(Var {
        integer: false,
        ..Var::integer("r", Some(Int::ZERO), None)
    });
    let any = p.add_var(Var::multiplier("any"));
    let mut low = Linear::constant(7);
    low.add_term(x, 2);
    p.add_ge(low); // x >= -3
    p.add_ge(Linear {
        terms: vec![(r, Int::from(2)), (any, Int::ZERO)],
        constant: Int::from(-4),
    }); // r >= 2
    let below = |limit: &[i64]| {
        let limit: Vec<Int> = limit.iter().map(|&l| Int::from(l)).collect();
        matches!(Exact.lexmin_below(&p, &limit, &b).unwrap(), Outcome::Optimal(_))
    };
    assert!(below(&[-2]) && !below(&[-3]) && !below(&[-4]) && !below(&[]));
    assert!(below(&[-3, 3]) && !below(&[-3, 2]) && below(&[-3, 2, 1]) && !below(&[-3, 2, 0]));
}
