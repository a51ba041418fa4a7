//! Which solver serves which size? Times lexicographic solves of scheduling problems: `cargo run --release -p tilia-ilp --example solver_times [LARGEST]`.
//!
//! A problem is that of the first row for a chain of `n` statements: `u`, `w`, then the coefficients of each statement, the innermost iterator first.

use std::time::Instant;

use tilia_ilp::{AffineForm, DualCone, Error, Exact, GoodLp, Linear, Outcome, Problem, Solver};
use tilia_presburger::{Budget, Map};

/// How statements depend on each other.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// Each statement reads three cells of the statement before it.
    Pipeline,
    /// A time loop around such a pipeline, the last statement feeding the first.
    Stencil,
    /// Each statement is a sum over its innermost iterator.
    Products,
}

/// A dependence between statements, as isl text.
fn edges(shape: Shape, n: usize) -> Vec<(usize, usize, &'static str)> {
    let mut out = Vec::new();
    for s in 0..n {
        let next = (s + 1) % n;
        match shape {
            Shape::Pipeline if next > 0 => {
                out.push((
                    s,
                    next,
                    "[N] -> { [i, j] -> [i, k] : 0 <= i < N and 0 <= j < N and j <= k <= j + 2 and k < N }",
                ));
            }
            Shape::Pipeline => {}
            Shape::Stencil => {
                let text = if next > 0 {
                    "[N] -> { [t, i] -> [t, k] : 0 <= t < N and 1 <= i < N - 1 and i - 1 <= k <= i + 1 and 1 <= k < N - 1 }"
                } else {
                    "[N] -> { [t, i] -> [t + 1, k] : 0 <= t < N - 1 and 1 <= i < N - 1 and i - 1 <= k <= i + 1 and 1 <= k < N - 1 }"
                };
                out.push((s, next, text));
            }
            Shape::Products => {
                out.push((
                    s,
                    s,
                    "[N] -> { [i, j, k] -> [i, j, k + 1] : 0 <= i < N and 0 <= j < N and 0 <= k < N - 1 }",
                ));
                if next > 0 {
                    out.push((
                        s,
                        next,
                        "[N] -> { [i, j, k] -> [i, p, j] : 0 <= i < N and 0 <= j < N and k = N - 1 and 0 <= p < N }",
                    ));
                }
            }
        }
    }
    out
}

fn problem(shape: Shape, n: usize, b: &Budget) -> Result<Problem, Error> {
    let depth = if matches!(shape, Shape::Products) { 3 } else { 2 };
    let mut p = Problem::new();
    let (u, w) = (p.add_natural("u"), p.add_natural("w"));
    let mut its = Vec::new();
    let mut constants = Vec::new();
    for s in 0..n {
        let mut mine: Vec<usize> = (0..depth).rev().map(|k| p.add_bounded(format!("S{s}_it_{k}"), 0, 32)).collect();
        mine.reverse();
        let mut some = Linear::constant(-1);
        mine.iter().for_each(|&v| some.add_term(v, 1));
        p.add_ge(some);
        its.push(mine);
        constants.push(p.add_bounded(format!("S{s}_cst"), 0, 4096));
    }
    let mut cones: Vec<(&str, DualCone)> = Vec::new();
    for (s, r, text) in edges(shape, n) {
        if !cones.iter().any(|c| c.0 == text) {
            let m: Map = text.parse()?;
            cones.push((text, DualCone::of_map(&m.basic_maps()[0], b)?));
        }
        let Some((_, cone)) = cones.iter().find(|c| c.0 == text) else {
            continue;
        };
        let mut difference = Linear::zero();
        if s != r {
            difference.add_term(constants[r], 1);
            difference.add_term(constants[s], -1);
        }
        let legal = AffineForm {
            constant: difference.clone(),
            params: vec![Linear::zero()],
            ins: its[s].iter().map(|&v| Linear::term(v, -1)).collect(),
            outs: its[r].iter().map(|&v| Linear::var(v)).collect(),
        };
        let mut distance = difference.negated();
        distance.add_term(w, 1);
        let near = AffineForm {
            constant: distance,
            params: vec![Linear::var(u)],
            ins: its[s].iter().map(|&v| Linear::var(v)).collect(),
            outs: its[r].iter().map(|&v| Linear::term(v, -1)).collect(),
        };
        cone.require(&legal, &mut p);
        cone.require(&near, &mut p);
    }
    Ok(p)
}

/// Solves some times; the median in milliseconds, the budget used, and the answer.
fn time(solver: &dyn Solver, p: &Problem) -> Result<(f64, u64, Outcome), Error> {
    let mut times = Vec::new();
    loop {
        let b = Budget::new(20_000_000_000);
        let start = Instant::now();
        let outcome = solver.lexmin(p, &b)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        if times.len() == 7 || times.iter().sum::<f64>() > 1000.0 {
            times.sort_by(f64::total_cmp);
            return Ok((times[times.len() / 2], b.used(), outcome));
        }
    }
}

fn main() -> Result<(), Error> {
    let largest: usize = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(100);
    println!(
        "{:<10} {:>5} {:>6} {:>6} {:<8} {:>10} {:>12}",
        "shape", "stmts", "vars", "rows", "solver", "ms", "units"
    );
    for shape in [Shape::Pipeline, Shape::Stencil, Shape::Products] {
        for n in [1, 2, 4, 8, 16, 30, 60, 100, 250, 500].into_iter().filter(|&n| n <= largest) {
            let p = problem(shape, n, &Budget::default())?;
            let solvers: [&dyn Solver; 2] = [&Exact, &GoodLp];
            for s in solvers.into_iter().take(if n > 30 { 1 } else { 2 }) {
                let (ms, units, outcome) = time(s, &p)?;
                let end = match outcome {
                    Outcome::Optimal(s) if s.approximate => "approximate",
                    Outcome::Optimal(_) => "",
                    Outcome::Infeasible => "infeasible",
                    Outcome::Unbounded => "unbounded",
                };
                println!(
                    "{:<10} {n:>5} {:>6} {:>6} {:<8} {ms:>10.3} {units:>12} {end}",
                    format!("{shape:?}"),
                    p.vars.len(),
                    p.rows.len(),
                    s.name()
                );
            }
        }
    }
    Ok(())
}
