//! Problems too large for enumeration: two methods and any order of rows agree.

use tilia_ilp::{Error, Exact, GoodLp, Linear, Outcome, Problem, Solver};
use tilia_presburger::{Budget, Int};

use crate::brute;
use crate::random::Rng;

/// A sparse problem like the scheduler's; three of four have a solution, because their rows hold at some point.
fn sparse(rng: &mut Rng, n: usize) -> Problem {
    let mut p = Problem::new();
    let top = i64::try_from(n - 1).unwrap();
    for k in 0..n {
        p.add_bounded(format!("x{k}"), 0, 8);
    }
    let any = |rng: &mut Rng| usize::try_from(rng.range(0, top)).unwrap();
    let point: Vec<i64> = (0..n).map(|_| rng.range(0, 8)).collect();
    let solvable = rng.chance(75);
    for _ in 0..2 * n {
        let mut e = Linear::zero();
        let mut value = 0;
        for _ in 0..rng.range(2, 4) {
            let (v, a) = (any(rng), rng.range(-2, 3));
            e.add_term(v, a);
            value += a * point[v];
        }
        let equality = rng.chance(8);
        let slack = if equality { 0 } else { rng.range(0, 3) };
        e.constant = Int::new(if solvable { slack - value } else { rng.range(-2, 1) });
        if equality { p.add_eq(e) } else { p.add_ge(e) }
    }
    p
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let mut rng = Rng::new(41);
    let mut solved = 0;
    for case in 0..60 {
        let mut p = sparse(&mut rng, 20 + case % 20);
        let first = Exact.lexmin(&p, &Budget::default()).unwrap();
        p.rows.reverse();
        assert_eq!(Exact.lexmin(&p, &Budget::default()).unwrap(), first, "case {case}");
        let half = p.rows.len() / 2;
        p.rows.rotate_left(half);
        assert_eq!(Exact.lexmin(&p, &Budget::default()).unwrap(), first, "case {case}");
        if let Outcome::Optimal(s) = first {
            solved += 1;
            assert!(brute::holds(&p, &s));
            assert!(s.values.iter().any(|v| *v != Int::ZERO) || p.rows.iter().all(|r| !r.constant.is_neg()));
        }
    }
    assert!(solved > 10 && solved < 60, "{solved}");
}

#[test]
fn floating_point_agrees() {
    let mut rng = Rng::new(43);
    let (mut same, mut failed) = (0, 0);
    for case in 0..40 {
        let p = sparse(&mut rng, 12);
        let exact = Exact.lexmin(&p, &Budget::default()).unwrap();
        match GoodLp.lexmin(&p, &Budget::default()) {
            Ok(found) => {
                assert_eq!(found, exact, "case {case}");
                same += usize::from(found.solution().is_some());
            }
            Err(Error::Backend { .. }) => failed += 1,
            Err(e) => panic!("case {case}: {e}"),
        }
    }
    assert!(same > 5 && failed < 4, "{same} agree, {failed} failed");
}
