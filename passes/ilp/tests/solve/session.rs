//! A session gives what solving anew gives.

use tilia_ilp::{Exact, Linear, Row, Session, Solver};
use tilia_presburger::Budget;

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
