//! Rows that others imply.

use tilia_presburger::{Budget, Int};

use super::generators::reduce;
use crate::{Linear, Outcome, Problem, Result, Session, Var};

/// Homogeneous constraints without duplicates; opposite inequalities become equalities.
pub(super) fn unique(lines: Vec<Vec<Int>>, mut rays: Vec<Vec<Int>>) -> (Vec<Vec<Int>>, Vec<Vec<Int>>) {
    let positive = |mut v: Vec<Int>| {
        if v.iter().find(|x| !x.is_zero()).is_some_and(Int::is_neg) {
            v.iter_mut().for_each(Int::negate);
        }
        v
    };
    let mut equalities: Vec<Vec<Int>> = lines.into_iter().map(positive).collect();
    rays.retain(|r| r.iter().any(|x| !x.is_zero()));
    rays.iter_mut().for_each(|r| reduce(r));
    rays.sort();
    rays.dedup();
    let opposite = |r: &[Int]| r.iter().map(|x| -x).collect::<Vec<_>>();
    let (both, single): (Vec<_>, Vec<_>) = rays.iter().cloned().partition(|r| rays.binary_search(&opposite(r)).is_ok());
    equalities.extend(both.into_iter().map(positive));
    equalities.retain(|r| r.iter().any(|x| !x.is_zero()));
    equalities.iter_mut().for_each(|r| reduce(r));
    equalities.sort();
    equalities.dedup();
    (equalities, single)
}

/// Removes the inequalities that are non-negative combinations of the other rows.
pub(super) fn remove_implied(equalities: &[Vec<Int>], rays: &mut Vec<Vec<Int>>, b: &Budget) -> Result<()> {
    let mut i = 0;
    while i < rays.len() {
        if is_combination(equalities, rays, i, b)? {
            rays.remove(i);
        } else {
            i += 1;
        }
    }
    Ok(())
}

/// Is inequality `i` a combination of the others?
fn is_combination(equalities: &[Vec<Int>], rays: &[Vec<Int>], i: usize, b: &Budget) -> Result<bool> {
    let mut p = Problem::new();
    let mut sums: Vec<Linear> = rays[i].iter().map(|x| Linear::constant(-x)).collect();
    let mut add = |p: &mut Problem, row: &[Int], sign: Int| {
        let v = p.add_var(Var::multiplier(""));
        for (s, x) in sums.iter_mut().zip(row).filter(|(_, x)| !x.is_zero()) {
            s.add_term(v, x * &sign);
        }
    };
    for r in rays.iter().enumerate().filter(|(k, _)| *k != i).map(|x| x.1) {
        add(&mut p, r, Int::ONE);
    }
    for e in equalities {
        add(&mut p, e, Int::ONE);
        add(&mut p, e, Int::NEG_ONE);
    }
    for s in sums {
        p.add_eq(s);
    }
    Ok(matches!(Session::new(&p)?.solve(b)?, Outcome::Optimal(_)))
}
