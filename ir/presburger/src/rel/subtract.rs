//! Difference, complement, and the comparisons built on them.
//!
//! `A \ (c1 ∧ .. ∧ ck) = ∪_i (A ∧ c1 ∧ .. ∧ c_{i-1} ∧ ¬c_i)`. Divisions are total functions of the dimensions, so those of the
//! subtrahend may be added to `A` freely; unknown locals are removed from the subtrahend first.

use std::sync::Arc;

use super::Rel;
use crate::basic::Basic;
use crate::error::Result;
use crate::num::{Budget, Int, row};
use crate::simplex::Tableau;

/// What subtracting one conjunction leaves.
enum Difference {
    /// They have no point in common: all of it.
    All,
    Pieces(Vec<Basic>),
}

impl Rel {
    /// The elements that are not in the other union.
    pub(crate) fn subtract(&self, other: &Rel, b: &Budget) -> Result<Rel> {
        let (a, o) = self.align(other)?;
        if a.parts.is_empty() || o.parts.is_empty() {
            return Ok(a);
        }
        let o = o.compute_divs(b)?;
        let mut parts = a.parts;
        for q in &o.parts {
            let mut next = Vec::with_capacity(parts.len());
            for p in parts {
                if *p == **q {
                    continue;
                }
                match difference(&p, q, b)? {
                    Difference::All => next.push(p),
                    Difference::Pieces(v) => next.extend(v.into_iter().map(Arc::new)),
                }
            }
            parts = next;
        }
        Ok(Rel { space: a.space, parts })
    }

    /// The elements of the space that are not in the union.
    pub(crate) fn complement(&self, b: &Budget) -> Result<Rel> {
        Rel::universe(self.space.clone()).subtract(self, b)
    }

    /// Is every element in the other union?
    pub(crate) fn is_subset(&self, other: &Rel, b: &Budget) -> Result<bool> {
        let (a, o) = self.align(other)?;
        let known = o.parts.iter().all(|q| q.divs.all_known());
        let mut hard = Vec::new();
        for p in &a.parts {
            if o.parts.iter().any(|q| q == p || q.is_plain_universe()) {
                continue;
            }
            let mut inside = Implied::new(p, b)?;
            if let Some(x) = &inside.point
                && known
                && !o.contains(x, b)?
            {
                return Ok(false);
            }
            let mut covered = false;
            for q in &o.parts {
                covered = covered || (q.divs.all_known() && inside.implies_all(q, b)?);
            }
            if !covered {
                hard.push(p.clone());
            }
        }
        if hard.is_empty() {
            return Ok(true);
        }
        let o = o.compute_divs(b)?;
        for p in hard {
            if !is_covered(&p, &o.parts, b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Have both the same elements?
    pub(crate) fn is_equal(&self, other: &Rel, b: &Budget) -> Result<bool> {
        let (a, o) = self.align(other)?;
        if a.parts == o.parts {
            return Ok(true);
        }
        Ok(a.is_subset(&o, b)? && o.is_subset(&a, b)?)
    }

    /// Have they no element in common?
    pub(crate) fn is_disjoint(&self, other: &Rel, b: &Budget) -> Result<bool> {
        let (a, o) = self.align(other)?;
        for p in &a.parts {
            for q in &o.parts {
                if !p.intersect(q).is_empty(b)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The same elements in pieces without common elements.
    pub(crate) fn make_disjoint(&self, b: &Budget) -> Result<Rel> {
        if self.parts.len() < 2 {
            return Ok(self.clone());
        }
        let known = self.compute_divs(b)?;
        let mut out = Rel::empty(self.space.clone());
        for p in &known.parts {
            let new = Rel {
                space: self.space.clone(),
                parts: vec![p.clone()],
            };
            let new = new.subtract(&out, b)?;
            out.parts.extend(new.parts);
        }
        Ok(out)
    }
}

/// What holds on a conjunction. Several others can be tried with one tableau.
struct Implied<'a> {
    basic: &'a Basic,
    /// A point of it, if one is near.
    point: Option<Vec<Int>>,
    /// The tableau over its own columns, made when it is needed.
    tableau: Option<Tableau>,
}

impl<'a> Implied<'a> {
    fn new(basic: &'a Basic, b: &Budget) -> Result<Implied<'a>> {
        Ok(Implied {
            basic,
            point: basic.near_point(b)?,
            tableau: None,
        })
    }

    /// Do the constraints of `q` (all locals known) hold, as far as linear programming can tell?
    fn implies_all(&mut self, q: &Basic, b: &Budget) -> Result<bool> {
        if let Some(x) = &self.point
            && !q.contains(x, b)?
        {
            return Ok(false);
        }
        let mut a = self.basic.clone();
        let map = a.import_divs(&q.divs);
        let mut other = None;
        let tableau = if a.n_div() == self.basic.n_div() {
            &mut self.tableau
        } else {
            &mut other
        };
        for (r, is_eq) in constraints(q) {
            let r = a.map_row(r, &map);
            if (is_eq && a.eqs.iter().any(|e| *e == r)) || (!is_eq && a.ineqs.iter().any(|e| *e == r)) {
                continue;
            }
            let t = match tableau {
                Some(t) => t,
                None => tableau.insert(a.tableau(b)?),
            };
            if !t.implies_ineq(&r, b)? {
                return Ok(false);
            }
            if is_eq {
                let mut neg = r;
                row::negate(&mut neg);
                if !t.implies_ineq(&neg, b)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

fn constraints(q: &Basic) -> impl Iterator<Item = (&[Int], bool)> {
    q.eqs.iter().map(|r| (r, true)).chain(q.ineqs.iter().map(|r| (r, false)))
}

/// Subtracts `q`, whose locals are all known.
fn difference(p: &Basic, q: &Basic, b: &Budget) -> Result<Difference> {
    if q.empty || p.intersect(q).empty {
        return Ok(Difference::All);
    }
    let mut rest = p.clone();
    let map = rest.import_divs(&q.divs);
    let mut t = rest.tableau(b)?;
    let mut pieces = Vec::new();
    if t.is_empty() {
        return Ok(Difference::Pieces(pieces));
    }
    let mut rows: Vec<Vec<Int>> = Vec::with_capacity(q.ineqs.len() + 2 * q.eqs.len());
    for (r, is_eq) in constraints(q) {
        let r = rest.map_row(r, &map);
        if is_eq {
            let mut neg = r.clone();
            row::negate(&mut neg);
            rows.push(neg);
        }
        rows.push(r);
    }
    // One constraint that holds nowhere on `p` settles it.
    let mut needed = Vec::with_capacity(rows.len());
    for r in rows {
        if t.is_separate(&r, b)? {
            return Ok(Difference::All);
        }
        if !t.implies_ineq(&r, b)? {
            needed.push(r);
        }
    }
    for (i, r) in needed.iter().enumerate() {
        b.spend(1)?;
        if i > 0 {
            if t.is_separate(r, b)? {
                // What is left has nothing in common with `q`.
                rest.simplify();
                if !rest.is_empty(b)? {
                    pieces.push(rest);
                }
                return Ok(Difference::Pieces(pieces));
            }
            if t.implies_ineq(r, b)? {
                continue;
            }
        }
        let mut out = rest.clone();
        let mut neg = r.clone();
        row::negate(&mut neg);
        neg[0] -= Int::ONE;
        out.add_ineq(&neg);
        out.simplify();
        if !out.is_empty(b)? {
            pieces.push(out);
        }
        rest.add_ineq(r);
        t.add_ineq(r, b)?;
        if t.is_empty() {
            break;
        }
    }
    Ok(Difference::Pieces(pieces))
}

/// Is every point of `p` in one of the pieces? Depth first, so that a missing point is found early.
fn is_covered(p: &Basic, pieces: &[Arc<Basic>], b: &Budget) -> Result<bool> {
    let mut stack = vec![(p.clone(), 0)];
    while let Some((a, i)) = stack.pop() {
        let Some(q) = pieces.get(i) else {
            if !a.is_empty(b)? {
                return Ok(false);
            }
            continue;
        };
        match difference(&a, q, b)? {
            Difference::All => stack.push((a, i + 1)),
            Difference::Pieces(v) => stack.extend(v.into_iter().map(|x| (x, i + 1))),
        }
    }
    Ok(true)
}
