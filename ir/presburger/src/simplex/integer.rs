//! Integer minima by bisection on emptiness.

use super::sample::integer_point;
use super::{Dir, Optimum, Tableau};
use crate::error::Result;
use crate::num::{Budget, Int, Mat, row};

/// The minimum of `expr` (`[const, y..]`) over the integer points of the rows.
///
/// The rational minimum bounds it from below, any integer point from above; the gap is closed by doubling steps from below,
/// since the integer minimum is almost always next to the rational one.
pub(crate) fn integer_minimum(ineqs: &Mat, expr: &[Int], b: &Budget) -> Result<Optimum<Int>> {
    let mut t = Tableau::from_ineqs(ineqs, b)?;
    let mut low = match t.optimum(expr, Dir::Down, b)? {
        Optimum::Empty => return Ok(Optimum::Empty),
        // A rational ray that leaves no limit is a multiple of an integer ray.
        Optimum::Unbounded => {
            return Ok(if integer_point(ineqs, b)?.is_some() {
                Optimum::Unbounded
            } else {
                Optimum::Empty
            });
        }
        Optimum::Bounded(v) => v.ceil(),
    };
    let mut step = Int::ZERO;
    // Find a value that is reached; everything below `low` is known not to be.
    let mut high = loop {
        if let Some(v) = value_up_to(ineqs, expr, &(&low + &step), b)? {
            break v;
        }
        if step.is_zero() && integer_point(ineqs, b)?.is_none() {
            return Ok(Optimum::Empty);
        }
        low += &step + &Int::ONE;
        step = &step + &step + Int::ONE;
    };
    while low < high {
        let mid = (&low + &high).div_floor(&Int::new(2));
        match value_up_to(ineqs, expr, &mid, b)? {
            Some(v) => high = v,
            None => low = mid + Int::ONE,
        }
    }
    Ok(Optimum::Bounded(high))
}

/// A value of `expr` of at most `limit` at an integer point.
fn value_up_to(ineqs: &Mat, expr: &[Int], limit: &Int, b: &Budget) -> Result<Option<Int>> {
    let mut m = ineqs.clone();
    let mut r = expr.to_vec();
    row::negate(&mut r);
    r[0] += limit;
    m.push_vec(r);
    let mut tight = m;
    if !super::problem::tighten(&mut tight) {
        return Ok(None);
    }
    Ok(integer_point(&tight, b)?.map(|y| &expr[0] + &row::dot(&expr[1..], &y)))
}
