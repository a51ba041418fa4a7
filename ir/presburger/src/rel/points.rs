//! Enumeration of the elements of a bounded union.

use std::collections::BTreeSet;

use super::Rel;
use crate::basic::Basic;
use crate::error::{Error, Result};
use crate::num::{Budget, Int};
use crate::simplex::{Dir, Optimum, Snapshot, Tableau};

impl Rel {
    /// All elements `[1, params.., dims..]` in lexicographic order; at most `limit` of them.
    pub(crate) fn points(&self, limit: usize, b: &Budget) -> Result<Vec<Vec<Int>>> {
        let mut all = BTreeSet::new();
        for p in &self.parts {
            enumerate(p, &mut all, limit, b)?;
        }
        Ok(all.into_iter().collect())
    }
}

impl Rel {
    /// The number of elements of a union that is bounded, parameters included.
    pub(crate) fn count_points(&self, b: &Budget) -> Result<Int> {
        let mut n = Int::ZERO;
        for p in &self.make_disjoint(b)?.parts {
            walk(p, b, |visit| {
                match visit {
                    Visit::Point(_) => n += Int::ONE,
                    Visit::Interval(lo, hi) => n += hi - lo + Int::ONE,
                }
                Ok(())
            })?;
        }
        Ok(n)
    }
}

/// What the walk over the elements of a conjunction comes to.
enum Visit<'a> {
    /// An element `[1, dims..]`.
    Point(&'a [Int]),
    /// All values from the first to the second of the last dimension are elements.
    Interval(&'a Int, &'a Int),
}

struct Level {
    before: Snapshot,
    next: Int,
    last: Int,
}

fn enumerate(p: &Basic, out: &mut BTreeSet<Vec<Int>>, limit: usize, b: &Budget) -> Result<()> {
    walk_from(p, b, false, &mut |visit| {
        if let Visit::Point(x) = visit {
            out.insert(x.to_vec());
        }
        if out.len() > limit { Err(Error::OutOfBudget) } else { Ok(()) }
    })
}

/// Visits the elements, those of the last dimension as intervals where nothing but the inequalities limits it.
fn walk(p: &Basic, b: &Budget, mut visit: impl FnMut(Visit<'_>) -> Result<()>) -> Result<()> {
    let intervals = p.n_div() == 0 && p.n_dim() > 0;
    walk_from(p, b, intervals, &mut visit)
}

/// Depth first over the dimensions in order; the tableau holds the values chosen so far.
fn walk_from(p: &Basic, b: &Budget, intervals: bool, visit: &mut impl FnMut(Visit<'_>) -> Result<()>) -> Result<()> {
    let n = p.n_dim();
    let mut t = p.tableau(b)?;
    let mut x = vec![Int::ONE];
    let mut stack: Vec<Level> = Vec::new();
    loop {
        b.spend(1)?;
        if x.len() == 1 + n {
            if p.contains(&x, b)? {
                visit(Visit::Point(&x))?;
            }
        } else if let Some((next, last)) = range_of(&mut t, x.len(), b)? {
            if intervals && x.len() == n {
                if next <= last {
                    visit(Visit::Interval(&next, &last))?;
                }
            } else {
                stack.push(Level {
                    before: t.snapshot(),
                    next,
                    last,
                });
            }
        }
        loop {
            let depth = stack.len();
            let Some(top) = stack.last_mut() else { return Ok(()) };
            x.truncate(depth);
            t.rollback(top.before, b)?;
            if top.next <= top.last {
                let mut r = vec![Int::ZERO; p.cols()];
                r[0] = -&top.next;
                r[depth] = Int::ONE;
                x.push(top.next.clone());
                top.next += Int::ONE;
                t.add_eq(&r, b)?;
                break;
            }
            stack.pop();
        }
    }
}

/// The integer values of column `c` in the relaxation.
fn range_of(t: &mut Tableau, c: usize, b: &Budget) -> Result<Option<(Int, Int)>> {
    let mut e = vec![Int::ZERO; 1 + t.n_var()];
    e[c] = Int::ONE;
    match (t.optimum(&e, Dir::Down, b)?, t.optimum(&e, Dir::Up, b)?) {
        (Optimum::Bounded(lo), Optimum::Bounded(hi)) => Ok(Some((lo.ceil(), hi.floor()))),
        (Optimum::Empty, _) | (_, Optimum::Empty) => Ok(None),
        _ => Err(Error::Unbounded),
    }
}
