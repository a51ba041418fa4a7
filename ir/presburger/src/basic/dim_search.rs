//! Integer points by trying values of the dimensions only.
//!
//! Known locals are functions of the dimensions. A conjunction with few dimensions of small range and many divisions, as
//! parametric programming makes them, is a thin polytope of high dimension to the general search; here it is a short list of
//! points. Dimensions with the smallest range come first; the last one is not limited by linear programming but tried out.

use super::Basic;
use crate::error::Result;
use crate::num::{Budget, Int, row};
use crate::simplex::{Dir, Optimum, Problem, Search, Snapshot, Tableau};

/// Points that are tried at most; a search that needs more is left to the general one.
const MAX_POINTS: i64 = 1500;

/// A dimension that is being tried.
struct Level {
    /// The column, and the expression of the tableau's variables that it is.
    col: usize,
    expr: Vec<Int>,
    next: Int,
    last: Int,
    before: Snapshot,
}

impl Basic {
    /// An element `[1, columns..]` of this conjunction, whose locals are all known; `p` and `t` are its problem and tableau. The
    /// tableau is left as it was.
    pub(crate) fn search_dims(&self, p: &Problem, t: &mut Tableau, b: &Budget) -> Result<Search> {
        let start = t.snapshot();
        let found = self.search_dims_from(p, t, b);
        t.rollback(start, b)?;
        found
    }

    fn search_dims_from(&self, p: &Problem, t: &mut Tableau, b: &Budget) -> Result<Search> {
        let mut x = vec![Int::ZERO; 1 + self.n_dim()];
        x[0] = Int::ONE;
        let mut open: Vec<usize> = (1..=self.n_dim()).collect();
        let mut stack: Vec<Level> = Vec::new();
        let mut left = MAX_POINTS;
        loop {
            if open.is_empty() {
                left -= 1;
                if let Some(full) = self.element(&x, b)? {
                    return Ok(Search::Found(full));
                }
            } else if !t.is_empty() {
                let Some(level) = smallest(p, t, &open, b)? else {
                    return Ok(Search::GaveUp);
                };
                let Some(size) = (&level.last - &level.next).to_i64().filter(|&n| n < left) else {
                    return Ok(Search::GaveUp);
                };
                // Values that are tried with others open cost linear programmes.
                left -= if open.len() > 1 { 4 * (size + 1) } else { 0 };
                open.retain(|&c| c != level.col);
                stack.push(level);
            }
            if left <= 0 {
                return Ok(Search::GaveUp);
            }
            // The next value of the innermost dimension that has one.
            loop {
                let Some(top) = stack.last_mut() else { return Ok(Search::Empty) };
                t.rollback(top.before, b)?;
                if top.next > top.last {
                    open.push(top.col);
                    stack.pop();
                    continue;
                }
                x[top.col] = top.next.clone();
                if !open.is_empty() {
                    let mut eq = top.expr.clone();
                    eq[0] -= &top.next;
                    t.add_eq(&eq, b)?;
                }
                top.next += Int::ONE;
                break;
            }
        }
    }

    /// `[1, columns..]` when the point of the dimensions is an element.
    pub(crate) fn element(&self, x: &[Int], b: &Budget) -> Result<Option<Vec<Int>>> {
        b.spend((self.cols() * (self.eqs.len() + self.ineqs.len()) / 8) as u64 + 1)?;
        let mut full = x.to_vec();
        self.eval_divs(&mut full);
        let inside = self.eqs.iter().all(|r| row::dot(r, &full).is_zero()) && self.ineqs.iter().all(|r| !row::dot(r, &full).is_neg());
        Ok(inside.then_some(full))
    }
}

/// The open dimension with the fewest values, if one is bounded. No value at all comes as an empty range.
fn smallest(p: &Problem, t: &mut Tableau, open: &[usize], b: &Budget) -> Result<Option<Level>> {
    let mut best: Option<Level> = None;
    for &col in open {
        let expr = p.recover[col].to_vec();
        let (lo, hi) = (t.optimum(&expr, Dir::Down, b)?, t.optimum(&expr, Dir::Up, b)?);
        let (Optimum::Bounded(lo), Optimum::Bounded(hi)) = (lo, hi) else {
            continue;
        };
        let (next, last) = (lo.ceil(), hi.floor());
        let size = &last - &next;
        if best.as_ref().is_none_or(|l| size < &l.last - &l.next) {
            let done = !size.is_pos();
            best = Some(Level {
                col,
                expr,
                next,
                last,
                before: t.snapshot(),
            });
            if done {
                break;
            }
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::Set;

    #[test]
    fn thin_sets_with_many_divisions() {
        let b = Budget::new(200_000);
        let text = |last: i64| {
            format!(
                "[p] -> {{ [x] : -20 <= p <= 20 and 0 <= x <= 9 and (7p + 3x) mod 11 = 4 and (5p + x) mod 13 >= {last} and (p + 9x) mod 17 = 3 \
                 and (3p + floor((2p + x)/5)) mod 19 = 6 }}"
            )
        };
        let count = |last: i64| {
            let points = (-20..=20_i64).flat_map(|p| (0..=9_i64).map(move |x| (p, x)));
            let holds = |p: i64, x: i64| {
                (7 * p + 3 * x).rem_euclid(11) == 4
                    && (5 * p + x).rem_euclid(13) >= last
                    && (p + 9 * x).rem_euclid(17) == 3
                    && (3 * p + (2 * p + x).div_euclid(5)).rem_euclid(19) == 6
            };
            points.filter(|&(p, x)| holds(p, x)).count()
        };
        for last in 0..=12 {
            let s: Set = text(last).parse().unwrap();
            assert_eq!(s.is_empty(&b), Ok(count(last) == 0), "{last}");
        }
    }
}
