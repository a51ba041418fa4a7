//! Problems that are made to hurt.

use tilia_ilp::{Exact, Linear, Outcome, Problem, Solver};
use tilia_presburger::{Budget, Int};

use crate::brute;

fn big(s: &str) -> Int {
    s.parse().unwrap()
}

#[test]
fn coefficients_beyond_machine_words() {
    let mut p = Problem::new();
    let (x, y) = (p.add_natural("x"), p.add_natural("y"));
    // 10^25·x + 3·y >= 10^25·7 + 5 with y <= 1: x = 8.
    let mut e = Linear::constant(-(big("70000000000000000000000000") + Int::new(5)));
    e.add_term(x, big("10000000000000000000000000"));
    e.add_term(y, 3);
    p.add_ge(e);
    let mut limit = Linear::constant(1);
    limit.add_term(y, -1);
    p.add_ge(limit);
    let s = Exact.lexmin(&p, &Budget::default()).unwrap().solution().unwrap();
    assert_eq!(s.values, [Int::new(8), Int::ZERO]);
}

#[test]
fn a_frobenius_problem() {
    // The least x0 with 12x + 20y + 33z + x0 = 97·10^6 + 1, all natural; 12, 20 and 33 reach all large numbers.
    let mut p = Problem::new();
    let vars: Vec<usize> = ["x0", "x", "y", "z"].iter().map(|n| p.add_natural(*n)).collect();
    let mut e = Linear::constant(-97_000_001);
    for (v, a) in vars.iter().zip([1, 12, 20, 33]) {
        e.add_term(*v, a);
    }
    p.add_eq(e);
    let s = Exact.lexmin(&p, &Budget::default()).unwrap().solution().unwrap();
    assert!(brute::holds(&p, &s));
    assert_eq!(s.values[0], Int::ZERO);
    // 20y + 33z reaches the whole sum, so x need not help.
    assert_eq!(s.values[1], Int::ZERO);
}

#[test]
fn no_integer_point_in_a_thin_long_strip() {
    // 5 <= 12x + 20y + 28z <= 7: there is no multiple of four.
    let mut p = Problem::new();
    let (x, y, z) = (
        p.add_bounded("x", -1000, 1000),
        p.add_bounded("y", -1000, 1000),
        p.add_bounded("z", -1000, 1000),
    );
    let mut lo = Linear::constant(-5);
    let mut hi = Linear::constant(7);
    for (v, a) in [(x, 12), (y, 20), (z, 28)] {
        lo.add_term(v, a);
        hi.add_term(v, -a);
    }
    p.add_ge(lo);
    p.add_ge(hi);
    assert_eq!(Exact.lexmin(&p, &Budget::default()).unwrap(), Outcome::Infeasible);
}

#[test]
fn degenerate_vertices_do_not_cycle() {
    // Many rows through the origin: the assignment polytope's, whose vertices are as degenerate as can be.
    let n: usize = 6;
    let mut p = Problem::new();
    let vars: Vec<usize> = (0..n * n).map(|k| p.add_natural(format!("x{k}"))).collect();
    for i in 0..n {
        let (mut row, mut col) = (Linear::constant(-1), Linear::constant(-1));
        for j in 0..n {
            row.add_term(vars[i * n + j], 1);
            col.add_term(vars[j * n + i], 1);
        }
        p.add_eq(row);
        p.add_eq(col);
    }
    let s = Exact.lexmin(&p, &Budget::default()).unwrap().solution().unwrap();
    // The least permutation matrix has its ones as late as possible: the anti-diagonal.
    let expected: Vec<Int> = (0..n * n).map(|k| Int::from(u32::from(k / n + k % n == n - 1))).collect();
    assert_eq!(s.values, expected);
}

#[test]
fn knapsacks_that_need_branches_end() {
    let mut p = Problem::new();
    let weights = [412, 389, 377, 401, 366, 358, 394, 371];
    let vars: Vec<usize> = (0..weights.len()).map(|k| p.add_bounded(format!("x{k}"), 0, 1)).collect();
    let slack = p.add_natural("slack");
    let mut e = Linear::constant(-1550);
    for (v, w) in vars.iter().zip(weights) {
        e.add_term(*v, w);
    }
    e.add_term(slack, -1);
    p.add_eq(e);
    let s = Exact.lexmin(&p, &Budget::default()).unwrap().solution().unwrap();
    assert!(brute::holds(&p, &s));
    let found: Vec<i64> = s.values[..8].iter().map(|v| v.to_i64().unwrap()).collect();
    // By enumeration.
    let best = (0..256i64)
        .filter(|m| (0..8).map(|k| (m >> (7 - k) & 1) * weights[k]).sum::<i64>() >= 1550)
        .min()
        .unwrap();
    assert_eq!(found, (0..8).map(|k| best >> (7 - k) & 1).collect::<Vec<_>>());
}

#[test]
fn out_of_budget_is_an_error() {
    let mut p = Problem::new();
    // Parity in disguise: hard for cuts and branches alike.
    let vars: Vec<usize> = (0..40).map(|k| p.add_bounded(format!("x{k}"), 0, 1)).collect();
    for (lo, hi) in [(-21, 0), (0, 21)] {
        let mut e = Linear::constant(lo + hi);
        for (k, v) in vars.iter().enumerate() {
            let a = i64::try_from(2 + 2 * (k % 7)).unwrap();
            e.add_term(*v, if hi == 0 { a } else { -a });
        }
        p.add_ge(e);
    }
    for seed in 0..12i64 {
        let mut e = Linear::constant(-(seed + 3) * 17);
        for (k, v) in vars.iter().enumerate() {
            e.add_term(*v, (i64::try_from(k).unwrap() * (seed + 5) * 7919) % 101 - 20);
        }
        p.add_ge(e);
    }
    let whole = Budget::default();
    Exact.lexmin(&p, &whole).unwrap();
    let e = Exact.lexmin(&p, &Budget::new(whole.used() / 2)).unwrap_err();
    assert!(e.is_out_of_budget());
}
