//! Hulls: single conjunctions that contain a union.

use super::Rel;
use crate::basic::Basic;
use crate::error::Result;
use crate::num::{Budget, Int, row};
use crate::simplex::{Dir, Optimum, Tableau};

/// The pieces over one list of locals.
struct Aligned {
    /// No constraints, all locals.
    frame: Basic,
    pieces: Vec<Basic>,
    tableaus: Vec<Tableau>,
}

impl Rel {
    /// The pieces that are not empty, with locals known and shared.
    fn aligned(&self, b: &Budget) -> Result<Aligned> {
        let known = self.compute_divs(b)?.drop_empty(b)?;
        let mut frame = Basic::universe(self.space.total_dim());
        let maps: Vec<Vec<usize>> = known.parts.iter().map(|p| frame.import_divs(&p.divs)).collect();
        let mut a = Aligned {
            pieces: Vec::new(),
            tableaus: Vec::new(),
            frame,
        };
        for (p, map) in known.parts.iter().zip(&maps) {
            let mut q = a.frame.clone();
            q.eqs.extend_mapped(&p.eqs, map);
            q.ineqs.extend_mapped(&p.ineqs, map);
            a.tableaus.push(q.tableau(b)?);
            a.pieces.push(q);
        }
        Ok(a)
    }

    /// The pieces that are not empty over one list of locals (first: no constraints, all locals).
    pub(crate) fn aligned_pieces(&self, b: &Budget) -> Result<(Basic, Vec<Basic>)> {
        let a = self.aligned(b)?;
        Ok((a.frame, a.pieces))
    }

    /// The conjunction of all constraints of the pieces, each moved outwards until it holds on all of them.
    pub(crate) fn simple_hull(&self, b: &Budget) -> Result<Basic> {
        self.hull_of_constraints(true, b)
    }

    /// The conjunction of those constraints of the pieces that hold on all of them.
    pub(crate) fn unshifted_simple_hull(&self, b: &Budget) -> Result<Basic> {
        self.hull_of_constraints(false, b)
    }

    fn hull_of_constraints(&self, shift: bool, b: &Budget) -> Result<Basic> {
        if let [only] = &self.parts[..]
            && only.divs.all_known()
        {
            return Ok((**only).clone());
        }
        let mut a = self.aligned(b)?;
        let mut hull = a.frame.clone();
        let Some(first) = a.pieces.first() else {
            return Ok(Basic::empty(self.space.total_dim()));
        };
        if a.pieces.len() == 1 {
            let mut only = first.clone();
            only.simplify();
            return Ok(only);
        }
        for i in 0..a.pieces.len() {
            let mut rows: Vec<Vec<Int>> = a.pieces[i].ineqs.iter().map(<[Int]>::to_vec).collect();
            for r in a.pieces[i].eqs.iter() {
                let mut neg = r.to_vec();
                row::negate(&mut neg);
                rows.push(neg);
                rows.push(r.to_vec());
            }
            for r in rows {
                if let Some(r) = relax(&r, i, &mut a.tableaus, shift, b)? {
                    hull.add_ineq(&r);
                }
            }
        }
        hull.simplify();
        hull.remove_redundancies(b)?;
        Ok(hull)
    }
}

/// The row with the largest constant for which it holds on all pieces but its own; `None` when there is none.
fn relax(r: &[Int], own: usize, all: &mut [Tableau], shift: bool, b: &Budget) -> Result<Option<Vec<Int>>> {
    let mut r = r.to_vec();
    for (j, t) in all.iter_mut().enumerate() {
        if j == own {
            continue;
        }
        match t.optimum(&r, Dir::Down, b)? {
            Optimum::Empty => {}
            Optimum::Unbounded => return Ok(None),
            Optimum::Bounded(v) => {
                let least = v.ceil();
                if least.is_neg() {
                    if !shift {
                        return Ok(None);
                    }
                    r[0] -= least;
                }
            }
        }
    }
    Ok(Some(r))
}
