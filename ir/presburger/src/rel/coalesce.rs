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
use crate::simplex::{Frac, Tableau};

/// Pieces with different divisions are compared up to this number of divisions, more only when one has all those of the other.
const MAX_UNRELATED_DIVS: usize = 6;

/// A piece with its tableau.
struct Piece {
    basic: Basic,
    /// All constraints as inequalities.
    rows: Vec<Vec<Int>>,
    /// Made when it is needed.
    relaxation: Option<Relaxation>,
}

/// The rational points of a piece.
struct Relaxation {
    tableau: Tableau,
    /// One of them, which shows that most of another piece's constraints don't hold here.
    point: Vec<Frac>,
}

impl Relaxation {
    fn implies(&mut self, r: &[Int], b: &Budget) -> Result<bool> {
        Ok(!self.refutes(r) && self.tableau.implies_ineq(r, b)?)
    }

    /// Is the row at most -1 at the point at hand? Then it isn't implied.
    fn refutes(&self, r: &[Int]) -> bool {
        let mut value = Frac::new(&r[0] + &Int::ONE, Int::ONE);
        for (x, v) in r[1..].iter().zip(&self.point).filter(|(x, _)| !x.is_zero()) {
            value = if v.den == value.den {
                Frac::new(value.num + x * &v.num, value.den)
            } else {
                Frac::new(&value.num * &v.den + x * &v.num * &value.den, &value.den * &v.den)
            };
        }
        !value.num.is_pos()
    }
}

impl Piece {
    fn new(basic: Basic) -> Piece {
        let mut rows: Vec<Vec<Int>> = basic.ineqs.iter().map(<[Int]>::to_vec).collect();
        for e in basic.eqs.iter() {
            rows.push(e.to_vec());
            rows.push(e.iter().map(|x| -x).collect());
        }
        Piece {
            rows,
            relaxation: None,
            basic,
        }
    }

    /// Without strides: is there a gap between the pieces, so that a conjunction of their constraints would fill it?
    fn is_far_from(&self, other: &Piece) -> bool {
        let convex = |p: &Basic| p.divs.is_empty() && p.eqs.is_empty();
        convex(&self.basic)
            && convex(&other.basic)
            && self
                .rows
                .iter()
                .any(|r| other.rows.iter().any(|s| row::is_neg_from(r, s, 1) && &r[0] + &s[0] < -1_i64))
    }

    /// The piece with the divisions of `frame`, which are its own and others.
    fn in_frame(&self, frame: &Basic) -> Piece {
        let mut q = frame.clone();
        let map = q.import_divs(&self.basic.divs);
        q.eqs.extend_mapped(&self.basic.eqs, &map);
        q.ineqs.extend_mapped(&self.basic.ineqs, &map);
        Piece::new(q)
    }

    /// Which constraints of `other` hold here?
    fn holds(&mut self, other: &Piece, b: &Budget) -> Result<Vec<bool>> {
        let relaxation = match &mut self.relaxation {
            Some(r) => r,
            None => {
                let tableau = self.basic.tableau(b)?;
                let point = tableau.sample();
                self.relaxation.insert(Relaxation { tableau, point })
            }
        };
        let rows = &self.rows;
        other
            .rows
            .iter()
            .map(|r| Ok(rows.contains(r) || relaxation.implies(r, b)?))
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
        let mut parts = merge_all(&known, b)?;
        parts.extend(quantified);
        Ok(Rel {
            space: self.space.clone(),
            parts,
        })
    }
}

fn merge_all(parts: &[Arc<Basic>], b: &Budget) -> Result<Vec<Arc<Basic>>> {
    // A merged piece has no original any more.
    let mut pieces: Vec<(Piece, Option<Arc<Basic>>)> = Vec::with_capacity(parts.len());
    for p in parts {
        pieces.push((Piece::new((**p).clone()), Some(p.clone())));
    }
    // All pairs of pieces before number `i` were looked at.
    let mut i = 0;
    while i < pieces.len() {
        if !merge_with_earlier(&mut pieces, &mut i, b)? {
            i += 1;
        }
    }
    let mut out = Vec::with_capacity(pieces.len());
    for (p, original) in pieces {
        out.push(match original {
            Some(o) => o,
            None => {
                let mut q = p.basic;
                q.remove_redundancies(b)?;
                Arc::new(q)
            }
        });
    }
    Ok(out)
}

/// Merges piece `i` with an earlier one if possible; then `i` is the next piece to look at.
fn merge_with_earlier(pieces: &mut Vec<(Piece, Option<Arc<Basic>>)>, i: &mut usize, b: &Budget) -> Result<bool> {
    for j in 0..*i {
        let (head, tail) = pieces.split_at_mut(*i);
        match merge(&mut head[j].0, &mut tail[0].0, b)? {
            Merge::No => {}
            Merge::First => {
                pieces.remove(*i);
                return Ok(true);
            }
            Merge::Second => {
                pieces.remove(j);
                *i -= 1;
                return Ok(true);
            }
            Merge::Both(mut h) => {
                pieces.remove(*i);
                pieces.remove(j);
                *i -= 1;
                h.simplify();
                pieces.push((Piece::new(h), None));
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

fn merge(p: &mut Piece, q: &mut Piece, b: &Budget) -> Result<Merge> {
    let (pd, qd) = (&p.basic.divs, &q.basic.divs);
    if pd == qd {
        return merge_same_divs(p, q, b);
    }
    // The one with more divisions keeps its columns.
    let p_first = pd.len() >= qd.len();
    let mut frame = Basic::universe(p.basic.n_dim());
    let (more, less) = if p_first { (pd, qd) } else { (qd, pd) };
    frame.import_divs(more);
    let has_equal_divs = frame.n_div() < more.len();
    frame.import_divs(less);
    let unrelated = has_equal_divs || frame.n_div() > more.len();
    if unrelated && frame.n_div() > MAX_UNRELATED_DIVS {
        return Ok(Merge::No);
    }
    if unrelated {
        return merge_same_divs(&mut p.in_frame(&frame), &mut q.in_frame(&frame), b);
    }
    if p_first {
        merge_same_divs(p, &mut q.in_frame(&frame), b)
    } else {
        merge_same_divs(&mut p.in_frame(&frame), q, b)
    }
}

fn merge_same_divs(p: &mut Piece, q: &mut Piece, b: &Budget) -> Result<Merge> {
    if p.is_far_from(q) {
        return Ok(Merge::No);
    }
    let p_on_q = q.holds(p, b)?;
    if p_on_q.iter().all(|h| *h) {
        return Ok(Merge::First);
    }
    let q_on_p = p.holds(q, b)?;
    if q_on_p.iter().all(|h| *h) {
        return Ok(Merge::Second);
    }
    let mut hull = Basic::universe(p.basic.n_dim());
    hull.import_divs(&p.basic.divs);
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
