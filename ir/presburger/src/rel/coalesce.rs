//! Fewer pieces for the same elements.
//!
//! Two pieces `A`, `B` may be replaced by `H`, the conjunction of those constraints of either that hold on the other, exactly
//! when `H` adds nothing: for every constraint `c` of `A` that doesn't hold on `B`, the part of `H` with `¬c` must lie in `B`.
//! That one test covers the cases of isl's `isl_coalesce` in which no new constraint is needed: inclusion, adjacent
//! inequalities and equalities, and overlap along facets. Sides that would need a new (wrapped) constraint are left apart.

use std::sync::Arc;

use super::Rel;
use crate::basic::Basic;
use crate::error::Result;
use crate::num::{Budget, Int, row};
use crate::simplex::Tableau;

/// A piece over the common locals.
struct Piece {
    basic: Basic,
    /// All constraints as inequalities.
    rows: Vec<Vec<Int>>,
    tableau: Tableau,
}

impl Piece {
    fn new(basic: Basic, b: &Budget) -> Result<Piece> {
        let mut rows: Vec<Vec<Int>> = basic.ineqs.iter().map(<[Int]>::to_vec).collect();
        for e in basic.eqs.iter() {
            rows.push(e.to_vec());
            rows.push(e.iter().map(|x| -x).collect());
        }
        Ok(Piece {
            rows,
            tableau: basic.tableau(b)?,
            basic,
        })
    }

    /// Which constraints of `other` hold here?
    fn holds(&mut self, other: &Piece, b: &Budget) -> Result<Vec<bool>> {
        other
            .rows
            .iter()
            .map(|r| Ok(self.rows.contains(r) || self.tableau.implies_ineq(r, b)?))
            .collect()
    }
}

impl Rel {
    /// The same elements in fewer pieces where that is found cheaply.
    pub(crate) fn coalesce(&self, b: &Budget) -> Result<Rel> {
        let mut parts: Vec<Arc<Basic>> = Vec::new();
        for p in &self.parts {
            let mut q = (**p).clone();
            q.remove_redundancies(b)?;
            if !q.empty && !parts.iter().any(|o| **o == q) && !q.is_empty(b)? {
                parts.push(if q == **p { p.clone() } else { Arc::new(q) });
            }
        }
        if parts.len() < 2 {
            return Ok(Rel {
                space: self.space.clone(),
                parts,
            });
        }
        if let Some(u) = parts.iter().find(|p| p.is_plain_universe()) {
            return Ok(Rel {
                space: self.space.clone(),
                parts: vec![u.clone()],
            });
        }
        // Quantified pieces take no part in merging.
        let (known, quantified): (Vec<_>, Vec<_>) = parts.into_iter().partition(|p| p.divs.all_known());
        let mut parts = merge_all(self.space.total_dim(), &known, b)?;
        parts.extend(quantified);
        Ok(Rel {
            space: self.space.clone(),
            parts,
        })
    }
}

fn merge_all(n_dim: usize, parts: &[Arc<Basic>], b: &Budget) -> Result<Vec<Arc<Basic>>> {
    let mut frame = Basic::universe(n_dim);
    let maps: Vec<Vec<usize>> = parts.iter().map(|p| frame.import_divs(&p.divs)).collect();
    // A merged piece has no original any more.
    let mut pieces: Vec<(Piece, Option<Arc<Basic>>)> = Vec::with_capacity(parts.len());
    for (p, map) in parts.iter().zip(&maps) {
        let mut q = frame.clone();
        q.eqs.extend_mapped(&p.eqs, map);
        q.ineqs.extend_mapped(&p.ineqs, map);
        pieces.push((Piece::new(q, b)?, Some(p.clone())));
    }
    let mut i = 0;
    while i < pieces.len() {
        match merge_with_earlier(&mut pieces, i, &frame, b)? {
            // The merged piece took the last place; look at the one now in this place next.
            true => i = 0,
            false => i += 1,
        }
    }
    let mut out = Vec::with_capacity(pieces.len());
    for (p, original) in pieces {
        out.push(match original {
            Some(o) => o,
            None => {
                let mut q = p.basic;
                q.simplify();
                q.remove_redundancies(b)?;
                Arc::new(q)
            }
        });
    }
    Ok(out)
}

/// Merges piece `i` with an earlier one if possible.
fn merge_with_earlier(pieces: &mut Vec<(Piece, Option<Arc<Basic>>)>, i: usize, frame: &Basic, b: &Budget) -> Result<bool> {
    for j in 0..i {
        let (head, tail) = pieces.split_at_mut(i);
        match merge(&mut head[j].0, &mut tail[0].0, frame, b)? {
            Merge::No => {}
            Merge::First => {
                pieces.remove(i);
                return Ok(true);
            }
            Merge::Second => {
                pieces.remove(j);
                return Ok(true);
            }
            Merge::Both(h) => {
                pieces.remove(i);
                pieces.remove(j);
                pieces.push((Piece::new(h, b)?, None));
                return Ok(true);
            }
        }
    }
    Ok(false)
}

enum Merge {
    No,
    /// The first contains the second.
    First,
    /// The second contains the first.
    Second,
    Both(Basic),
}

fn merge(p: &mut Piece, q: &mut Piece, frame: &Basic, b: &Budget) -> Result<Merge> {
    let p_on_q = q.holds(p, b)?;
    if p_on_q.iter().all(|h| *h) {
        return Ok(Merge::First);
    }
    let q_on_p = p.holds(q, b)?;
    if q_on_p.iter().all(|h| *h) {
        return Ok(Merge::Second);
    }
    let mut hull = frame.clone();
    for (r, _) in p.rows.iter().zip(&p_on_q).chain(q.rows.iter().zip(&q_on_p)).filter(|(_, h)| **h) {
        if !hull.ineqs.iter().any(|o| o == r.as_slice()) {
            hull.add_ineq(r);
        }
    }
    let mut t = hull.tableau(b)?;
    for (c, _) in p.rows.iter().zip(&p_on_q).filter(|(_, h)| !**h) {
        let before = t.snapshot();
        let mut neg = c.clone();
        row::negate(&mut neg);
        neg[0] -= Int::ONE;
        t.add_ineq(&neg, b)?;
        for (d, _) in q.rows.iter().zip(&q_on_p).filter(|(_, h)| !**h) {
            if !t.implies_ineq(d, b)? {
                return Ok(Merge::No);
            }
        }
        t.rollback(before, b)?;
    }
    let mut tidy = hull;
    tidy.pair_up_equalities();
    Ok(Merge::Both(tidy))
}

impl Basic {
    /// States opposite inequalities that meet as equalities, leaving the locals as they are.
    fn pair_up_equalities(&mut self) {
        let mut i = 0;
        while i < self.ineqs.len() {
            let opposite = (i + 1..self.ineqs.len()).find(|&j| row::is_neg_from(&self.ineqs[i], &self.ineqs[j], 0));
            match opposite {
                Some(j) => {
                    let r = self.ineqs[i].to_vec();
                    self.ineqs.remove(j);
                    self.ineqs.remove(i);
                    self.eqs.push_vec(r);
                }
                None => i += 1,
            }
        }
    }
}
