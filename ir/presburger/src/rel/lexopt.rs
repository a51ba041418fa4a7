//! Lexicographic optima and the removal of quantifiers.

use super::Rel;
use crate::basic::{Basic, Divs};
use crate::error::Result;
use crate::lexmin::{Goal, LexPiece, lex_optimum, quantifier_free};
use crate::num::{Budget, Int};
use crate::space::{DimType, Space};

/// An optimum on a part of the symbol space (parameters, and inputs of a map).
#[derive(Clone, Debug)]
pub(crate) struct OptPiece {
    /// The part, in the space of parameters or of the domain.
    pub(crate) domain: Rel,
    /// The locals of `values`.
    pub(crate) divs: Divs,
    /// For each output dimension, `[const, dims.., locals..]`.
    pub(crate) values: Vec<Vec<Int>>,
}

impl Rel {
    /// The space of the symbols of an optimum.
    fn symbol_space(&self) -> Space {
        if self.space.is_map() {
            self.space.domain()
        } else {
            self.space.to_params()
        }
    }

    /// The lexicographic optimum of the output dimensions, as disjoint pieces.
    pub(crate) fn lex_pieces(&self, goal: Goal, b: &Budget) -> Result<Vec<OptPiece>> {
        let space = self.symbol_space();
        let first = self.space.offset(DimType::Out);
        let n = self.space.dim(DimType::Out);
        let mut all: Vec<OptPiece> = Vec::new();
        for p in &self.parts {
            let pieces = lex_optimum(p, first, n, goal, b)?;
            let mut new = Vec::with_capacity(pieces.len());
            for piece in pieces {
                new.extend(to_opt_piece(piece, &space, b)?);
            }
            all = if all.is_empty() { new } else { merge(all, new, goal, b)? };
        }
        Ok(all)
    }

    /// The lexicographic optimum as a relation.
    pub(crate) fn lex_opt(&self, goal: Goal, b: &Budget) -> Result<Rel> {
        let mut out = Rel::empty(self.space.clone());
        for piece in self.lex_pieces(goal, b)? {
            out.parts.extend(piece.graph(&self.space).parts);
        }
        if out.parts.len() > 1 {
            return out.coalesce(b);
        }
        Ok(out)
    }

    /// The same elements with all locals known.
    pub(crate) fn compute_divs(&self, b: &Budget) -> Result<Rel> {
        if self.parts.iter().all(|p| p.divs.all_known()) {
            return Ok(self.clone());
        }
        let mut parts: Vec<Basic> = Vec::new();
        for p in &self.parts {
            if p.divs.all_known() {
                parts.push((**p).clone());
                continue;
            }
            let mut own = Vec::new();
            for mut q in quantifier_free(p, b)? {
                q.simplify();
                q.remove_redundancies(b)?;
                own.push(q);
            }
            let own = Rel::from_parts(self.space.clone(), own).coalesce(b)?;
            parts.extend(own.parts.iter().map(|q| (**q).clone()));
        }
        Ok(Rel::from_parts(self.space.clone(), parts))
    }
}

fn to_opt_piece(p: LexPiece, space: &Space, b: &Budget) -> Result<Option<OptPiece>> {
    let mut domain = p.domain;
    domain.simplify();
    domain.remove_redundancies(b)?;
    if domain.empty {
        return Ok(None);
    }
    Ok(Some(OptPiece {
        domain: Rel::from_basic(space.clone(), domain),
        divs: p.divs,
        values: p.values,
    }))
}

impl OptPiece {
    /// The pairs (or parameter values with elements) of the piece.
    pub(crate) fn graph(&self, space: &Space) -> Rel {
        let n = space.dim(DimType::Out);
        let col = space.offset(DimType::Out);
        let order: Vec<Option<usize>> = (1..col).map(Some).chain(std::iter::repeat_n(None, n)).collect();
        let select: Vec<Option<usize>> = std::iter::once(Some(0)).chain(order.iter().copied()).collect();
        let n_dim = space.total_dim();
        let cols: Vec<Option<usize>> = select.into_iter().chain((0..self.divs.len()).map(|k| Some(col + k))).collect();
        let divs = self.divs.select_cols(&cols, n_dim);
        let parts = self.domain.parts.iter().map(|d| {
            let mut q = d.select_dims(&order);
            let map = q.import_divs(&divs);
            for (i, v) in self.values.iter().enumerate() {
                // Columns of `v`: the constant and symbols, then the locals.
                let wide: Vec<Int> = cols.iter().map(|c| c.map_or(Int::ZERO, |c| v[c].clone())).collect();
                let mut r = q.map_row(&wide, &map);
                r[col + i] = Int::NEG_ONE;
                q.add_eq(&r);
            }
            q.simplify();
            q
        });
        Rel::from_parts(space.clone(), parts)
    }

    fn with_domain(&self, domain: Rel) -> OptPiece {
        OptPiece { domain, ..self.clone() }
    }
}

/// The better of two piecewise optima; the pieces of each are disjoint among themselves, and so are those of the result.
fn merge(old: Vec<OptPiece>, new: Vec<OptPiece>, goal: Goal, b: &Budget) -> Result<Vec<OptPiece>> {
    let mut out = Vec::new();
    let mut rest_old = old.clone();
    let mut rest_new = new.clone();
    for (i, p) in old.iter().enumerate() {
        for (j, q) in new.iter().enumerate() {
            let both = p.domain.intersect(&q.domain)?.drop_empty(b)?;
            if both.parts.is_empty() {
                continue;
            }
            rest_old[i].domain = rest_old[i].domain.subtract(&q.domain, b)?;
            rest_new[j].domain = rest_new[j].domain.subtract(&p.domain, b)?;
            let worse = both.intersect_aligned(&beats(q, p, &both.space, goal)).drop_empty(b)?;
            let better = both.subtract(&worse, b)?;
            out.push(p.with_domain(better));
            out.push(q.with_domain(worse));
        }
    }
    out.extend(rest_old);
    out.extend(rest_new);
    out.retain(|p| !p.domain.parts.is_empty());
    for p in &mut out {
        if p.domain.parts.len() > 1 {
            p.domain = p.domain.coalesce(b)?;
        }
    }
    Ok(out)
}

/// Where the values of `q` are strictly better than those of `p`.
fn beats(q: &OptPiece, p: &OptPiece, space: &Space, goal: Goal) -> Rel {
    let mut parts = Vec::new();
    let mut equal = Basic::universe(space.total_dim());
    let qm = equal.import_divs(&q.divs);
    let pm = equal.import_divs(&p.divs);
    for (x, y) in q.values.iter().zip(&p.values) {
        let (x, y) = (equal.map_row(x, &qm), equal.map_row(y, &pm));
        let diff: Vec<Int> = match goal {
            Goal::Min => y.iter().zip(&x).map(|(y, x)| y - x).collect(),
            Goal::Max => x.iter().zip(&y).map(|(x, y)| x - y).collect(),
        };
        let mut strict = equal.clone();
        let mut r = diff.clone();
        r[0] -= Int::ONE;
        strict.add_ineq(&r);
        strict.simplify();
        parts.push(strict);
        equal.add_eq(&diff);
    }
    Rel::from_parts(space.clone(), parts)
}
