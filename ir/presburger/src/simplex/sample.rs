//! Integer points of systems of inequalities: exact, for unbounded systems too.
//!
//! In order of cost: the simplex sample point; a point of the polyhedron shrunk by the unit cube, rounded up; a short
//! branch-and-bound search ([`super::branch`]); a search along a reduced basis ([`super::gbr`]). For an unbounded polyhedron the search runs in the *bounded directions* only: functionals
//! that vanish on the recession cone are spanned by the constraints that are bounded from above as well, so a unimodular
//! change of variables puts the bounded directions first. Every integer point of the bounded projection extends to an integer
//! point, because the recession cone is full-dimensional in the remaining directions.

use super::branch::{Search, branch_and_bound};
use super::gbr::search_bounded;
use super::problem::{add_col, tighten};
use super::{Dir, Optimum, Tableau};
use crate::error::Result;
use crate::num::{Budget, Int, Mat, row};

/// Branches tried before the complete search.
const MAX_NODES: usize = 40;

/// An integer point `y` with `r·(1, y) >= 0` for all rows, if there is one.
pub(crate) fn integer_point(ineqs: &Mat, b: &Budget) -> Result<Option<Vec<Int>>> {
    let mut t = Tableau::from_ineqs(ineqs, b)?;
    match quick_integer_point(&mut t, ineqs, b)? {
        Search::Found(y) => Ok(Some(y)),
        Search::Empty => Ok(None),
        Search::GaveUp => complete_integer_point(&mut t, ineqs, b),
    }
}

/// An integer point `y` with `r·(1, y) >= 0` for all rows `ineqs` of the tableau, as far as the cheap ways find one or prove that
/// there is none. The tableau is left as it was.
pub(crate) fn quick_integer_point(t: &mut Tableau, ineqs: &Mat, b: &Budget) -> Result<Search> {
    if t.is_empty() {
        return Ok(Search::Empty);
    }
    if let Some(p) = t.integer_sample() {
        return Ok(Search::Found(p));
    }
    if let Some(p) = rounded_point(ineqs, 0, b)? {
        return Ok(Search::Found(p));
    }
    let before = t.snapshot();
    let quick = branch_and_bound(t, MAX_NODES, b)?;
    t.rollback(before, b)?;
    Ok(quick)
}

/// The same by the complete ways.
pub(crate) fn complete_integer_point(t: &mut Tableau, ineqs: &Mat, b: &Budget) -> Result<Option<Vec<Int>>> {
    let bounded = bounded_rows(ineqs, t, b)?;
    let (u, rank) = echelon_transform(ineqs, &bounded);
    if rank == ineqs.cols() - 1 {
        return search_bounded(t, ineqs, b);
    }
    point_of_unbounded(ineqs, &bounded, &u, rank, b)
}

/// Tries the polyhedron shrunk so that rounding up all variables from `first` on stays inside.
fn rounded_point(ineqs: &Mat, first: usize, b: &Budget) -> Result<Option<Vec<Int>>> {
    let mut shrunk = ineqs.clone();
    for i in 0..shrunk.len() {
        let r = &mut shrunk[i];
        for c in 1 + first..r.len() {
            if r[c].is_neg() {
                let x = r[c].clone();
                r[0] += x;
            }
        }
    }
    let t = Tableau::from_ineqs(&shrunk, b)?;
    Ok((!t.is_empty()).then(|| t.sample().iter().map(super::Frac::ceil).collect()))
}

/// The rows whose value is bounded from above.
fn bounded_rows(ineqs: &Mat, t: &mut Tableau, b: &Budget) -> Result<Vec<bool>> {
    ineqs
        .iter()
        .map(|r| Ok(!matches!(t.optimum(r, Dir::Up, b)?, Optimum::Unbounded)))
        .collect()
}

/// A unimodular `u` (rows: old variables in terms of new ones) after which the chosen rows use the first `rank` variables only.
pub(crate) fn echelon_transform(ineqs: &Mat, chosen: &[bool]) -> (Mat, usize) {
    let n = ineqs.cols() - 1;
    // Rows of the system on top, the identity below: the same column operations on both.
    let mut m = Mat::new(n);
    for (r, _) in ineqs.iter().zip(chosen).filter(|(_, c)| **c) {
        m.push(&r[1..]);
    }
    let n_row = m.len();
    for j in 0..n {
        m.push_zero()[j] = Int::ONE;
    }
    let mut rank = 0;
    for i in 0..n_row {
        if rank == n {
            break;
        }
        while let Some(p) = (rank..n).filter(|&c| !m[i][c].is_zero()).min_by_key(|&c| m[i][c].abs()) {
            m.swap_cols(rank, p);
            let pivot = m[i][rank].clone();
            let mut done = true;
            for c in rank + 1..n {
                if !m[i][c].is_zero() {
                    let t = -m[i][c].div_floor(&pivot);
                    add_col(&mut m, c, rank, &t);
                    done &= m[i][c].is_zero();
                }
            }
            if done {
                rank += 1;
                break;
            }
        }
    }
    let mut u = Mat::new(n);
    for i in n_row..m.len() {
        u.push(&m[i]);
    }
    (u, rank)
}

fn point_of_unbounded(ineqs: &Mat, bounded: &[bool], u: &Mat, rank: usize, b: &Budget) -> Result<Option<Vec<Int>>> {
    let n = ineqs.cols() - 1;
    let mut all = Mat::new(1 + n);
    for r in ineqs.iter() {
        let mut new = vec![Int::ZERO; n];
        for (x, t) in r[1..].iter().zip(u.iter()) {
            row::add_scaled(&mut new, x, t);
        }
        new.insert(0, r[0].clone());
        all.push_vec(new);
    }
    let mut inner = Mat::new(1 + rank);
    for (r, _) in all.iter().zip(bounded).filter(|(_, b)| **b) {
        inner.push(&r[..=rank]);
    }
    if !tighten(&mut inner) {
        return Ok(None);
    }
    let mut t = Tableau::from_ineqs(&inner, b)?;
    let Some(head) = search_bounded(&mut t, &inner, b)? else {
        return Ok(None);
    };
    // With the bounded variables fixed, the other rows leave a full-dimensional cone.
    let mut outer = Mat::new(1 + n - rank);
    for r in all.iter() {
        let mut o = r[rank..].to_vec();
        o[0] = &r[0] + &row::dot(&r[1..=rank], &head);
        outer.push_vec(o);
    }
    let Some(tail) = rounded_point(&outer, 0, b)? else {
        debug_assert!(false, "a cone of full dimension contains a unit cube");
        return Ok(None);
    };
    let v: Vec<Int> = head.into_iter().chain(tail).collect();
    Ok(Some(u.iter().map(|t| row::dot(t, &v)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(rows: &[&[i64]]) -> Option<Vec<i64>> {
        let mut m = Mat::new(rows[0].len());
        for r in rows {
            m.push_vec(r.iter().map(|&x| Int::new(x)).collect());
        }
        let p = integer_point(&m, &Budget::unlimited()).unwrap()?;
        let p: Vec<i64> = p.iter().map(|x| x.to_i64().unwrap()).collect();
        for r in rows {
            assert!(
                r[0] + r[1..].iter().zip(&p).map(|(a, b)| a * b).sum::<i64>() >= 0,
                "{p:?} violates {r:?}"
            );
        }
        Some(p)
    }

    #[test]
    fn bounded_without_integer_points() {
        // 1 <= 3x <= 2; and the triangle around (1/2, 1/2).
        assert_eq!(point(&[&[-1, 3], &[2, -3]]), None);
        assert_eq!(point(&[&[-1, 2, 0], &[-1, 0, 2], &[3, -2, -2]]), None);
        assert!(point(&[&[-1, 2, 0], &[-1, 0, 2], &[4, -2, -2]]).is_some());
    }

    #[test]
    fn unbounded_strips() {
        // 1 <= 5x - 10y + 2z <= 1 is no strip; 1 <= 4x - 6y <= 1 is one without points.
        assert!(point(&[&[-1, 5, -10, 2], &[1, -5, 10, -2]]).is_some());
        assert_eq!(point(&[&[-1, 4, -6], &[1, -4, 6]]), None);
        // 3 <= 7x - 9y <= 4 holds points far from the origin when x >= 1000.
        assert!(point(&[&[-3, 7, -9], &[4, -7, 9], &[-1000, 1, 0]]).is_some());
        // Strip 1 <= 3x - 3y <= 2 next to a free z.
        assert_eq!(point(&[&[-1, 3, -3, 0], &[2, -3, 3, 0], &[0, 0, 0, 1]]), None);
    }

    #[test]
    fn skewed_and_thin() {
        // Long thin parallelograms: 100 <= 1001x - 1000y <= 101 within |x| <= 5000.
        assert!(point(&[&[-100, 1001, -1000], &[101, -1001, 1000], &[5000, 1, 0], &[5000, -1, 0]]).is_some());
        // 2 <= 1001x - 997y <= 2 and 0 <= x, y <= 100 has no point.
        let rows: [&[i64]; 6] = [
            &[-2, 1001, -997],
            &[2, -1001, 997],
            &[0, 1, 0],
            &[0, 0, 1],
            &[100, -1, 0],
            &[100, 0, -1],
        ];
        assert_eq!(point(&rows), None);
    }
}
