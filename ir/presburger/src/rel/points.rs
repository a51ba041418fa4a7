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

struct Level {
    before: Snapshot,
    next: Int,
    last: Int,
}

fn enumerate(p: &Basic, out: &mut BTreeSet<Vec<Int>>, limit: usize, b: &Budget) -> Result<()> {
    let n = p.n_dim();
    let mut t = p.tableau(b)?;
    let mut x = vec![Int::ONE];
    let mut stack: Vec<Level> = Vec::new();
    loop {
        b.spend(1)?;
        if x.len() == 1 + n {
            if p.contains(&x, b)? {
                out.insert(x.clone());
                if out.len() > limit {
                    return Err(Error::OutOfBudget);
                }
            }
        } else if let Some((next, last)) = range_of(&mut t, x.len(), b)? {
            stack.push(Level {
                before: t.snapshot(),
                next,
                last,
            });
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
