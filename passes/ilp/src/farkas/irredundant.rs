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

/// Removes the inequalities that are non-negative combinations of the other rows, the first ones first.
///
/// Most are combinations of a few: those that are needed, and those that others were made of. These are asked first, so that only few questions are about all rows (after Clarkson,
/// "More output-sensitive geometric algorithms", 1994). What is removed is the same.
pub(super) fn remove_implied(equalities: &[Vec<Int>], rays: &mut Vec<Vec<Int>>, b: &Budget) -> Result<()> {
    let mut useful = vec![false; rays.len()];
    let mut i = 0;
    while i < rays.len() {
        let all: Vec<usize> = (0..rays.len()).filter(|&k| k != i).collect();
        let few: Vec<usize> = all.iter().copied().filter(|&k| useful[k]).collect();
        let by_few = 2 * few.len() <= all.len() && combined(equalities, rays, i, &few, b)?.is_some();
        let parts = if by_few {
            Some(Vec::new())
        } else {
            combined(equalities, rays, i, &all, b)?
        };
        if let Some(parts) = parts {
            parts.into_iter().for_each(|k| useful[k] = true);
            rays.remove(i);
            useful.remove(i);
        } else {
            useful[i] = true;
            i += 1;
        }
    }
    Ok(())
}

/// Which of the inequalities `of` make inequality `i`, together with the equalities; `None` where none do.
fn combined(equalities: &[Vec<Int>], rays: &[Vec<Int>], i: usize, of: &[usize], b: &Budget) -> Result<Option<Vec<usize>>> {
    let mut p = Problem::new();
    let mut sums: Vec<Linear> = rays[i].iter().map(|x| Linear::constant(-x)).collect();
    let mut add = |p: &mut Problem, row: &[Int], sign: Int| {
        let v = p.add_var(Var::multiplier(""));
        for (s, x) in sums.iter_mut().zip(row).filter(|(_, x)| !x.is_zero()) {
            s.add_term(v, x * &sign);
        }
    };
    for &k in of {
        add(&mut p, &rays[k], Int::ONE);
    }
    for e in equalities {
        add(&mut p, e, Int::ONE);
        add(&mut p, e, Int::NEG_ONE);
    }
    for s in sums {
        p.add_eq(s);
    }
    let Outcome::Optimal(found) = Session::new(&p)?.solve(b)? else {
        return Ok(None);
    };
    let used = of.iter().zip(&found.rationals).filter(|(_, x)| !x.num().is_zero());
    Ok(Some(used.map(|(&k, _)| k).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As [`remove_implied`], each inequality by a question about all others.
    fn one_by_one(equalities: &[Vec<Int>], rays: &mut Vec<Vec<Int>>) {
        let mut i = 0;
        while i < rays.len() {
            let all: Vec<usize> = (0..rays.len()).filter(|&k| k != i).collect();
            if combined(equalities, rays, i, &all, &Budget::unlimited()).unwrap().is_some() {
                rays.remove(i);
            } else {
                i += 1;
            }
        }
    }

    #[test]
    fn the_same_stays_as_when_all_others_are_asked() {
        let mut state = 7_u64;
        let mut next = |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            i64::try_from((state >> 33) % n).unwrap()
        };
        let mut removed = 0;
        for n in 1..40_usize {
            // Without a first number that is never negative some cones would be everything, some have lines that nobody said.
            let mut row = |least: i64| -> Vec<Int> { [next(4) + least, next(5) - 2, next(5) - 2, next(3) - 1].map(Int::new).to_vec() };
            let rays: Vec<Vec<Int>> = (0..n)
                .map(|k| row(if k % 3 == 0 { 0 } else { 1 - i64::from(n % 2 == 0) }))
                .collect();
            let equalities: Vec<Vec<Int>> = (0..n % 3).map(|_| row(-1)).collect();
            let (equalities, rays) = unique(equalities, rays);
            let (mut few, mut all) = (rays.clone(), rays.clone());
            remove_implied(&equalities, &mut few, &Budget::unlimited()).unwrap();
            one_by_one(&equalities, &mut all);
            assert_eq!(few, all, "{equalities:?} {rays:?}");
            removed += rays.len() - few.len();
        }
        assert!(removed > 100, "{removed}");
    }
}
