//! Simplification in a context: `gist(A, C)` has fewer constraints than `A` and the same elements inside `C`.

use std::sync::Arc;

use super::Rel;
use crate::basic::Basic;
use crate::error::Result;
use crate::num::{Budget, row};

impl Rel {
    /// A union that agrees with this one on the context, with fewer constraints.
    pub(crate) fn gist(&self, context: &Rel, b: &Budget) -> Result<Rel> {
        let (a, c) = self.align(context)?;
        if c.parts.iter().any(|p| p.is_plain_universe()) || a.parts.is_empty() {
            return Ok(a);
        }
        let c = match c.parts.as_slice() {
            [] => return Ok(Rel::universe(a.space)),
            [one] => (**one).clone(),
            _ => c.simple_hull(b)?,
        };
        if a.parts.len() > 1 {
            let context = Rel::from_basic(a.space.clone(), c.clone());
            if context.is_subset(&a, b)? {
                return Ok(Rel::universe(a.space));
            }
        }
        let mut parts: Vec<Arc<Basic>> = Vec::with_capacity(a.parts.len());
        for p in &a.parts {
            let g = gist_basic(p, &c, b)?;
            if g.is_plain_universe() {
                return Ok(Rel::universe(a.space));
            }
            if !g.empty && !parts.iter().any(|o| **o == g) {
                parts.push(Arc::new(g));
            }
        }
        Ok(Rel { space: a.space, parts })
    }

    /// The gist in a context on one side only (parameters, domain or range).
    pub(crate) fn gist_side(&self, context: &Rel, t: crate::space::DimType, b: &Budget) -> Result<Rel> {
        let (a, c) = self.align_params_both(context);
        let c = c.embed(&a.space, t)?;
        a.gist(&c, b)
    }
}

/// Leaves out the constraints of `a` that follow from its other constraints and those of `c`.
pub(crate) fn gist_basic(a: &Basic, c: &Basic, b: &Budget) -> Result<Basic> {
    if a.empty || a.intersect(c).empty {
        return Ok(Basic::empty(a.n_dim()));
    }
    // The context and all locals first; then the constraints of `a` one by one.
    let mut both = c.clone();
    let map = both.import_divs(&a.divs);
    let mut t = both.tableau(b)?;
    let mut out = Basic {
        divs: a.divs.clone(),
        ..Basic::universe(a.n_dim())
    };
    out.eqs = crate::num::Mat::new(a.cols());
    out.ineqs = crate::num::Mat::new(a.cols());
    for e in a.eqs.iter() {
        let r = both.map_row(e, &map);
        let mut neg = r.clone();
        row::negate(&mut neg);
        if t.implies_ineq(&r, b)? && t.implies_ineq(&neg, b)? {
            continue;
        }
        t.add_eq(&r, b)?;
        out.eqs.push(e);
    }
    let mut numbers = Vec::with_capacity(a.ineqs.len());
    for e in a.ineqs.iter() {
        let r = both.map_row(e, &map);
        numbers.push(t.add_ineq(&r, b)?);
    }
    if t.is_empty() {
        return Ok(Basic::empty(a.n_dim()));
    }
    let mut keep = vec![true; numbers.len()];
    for i in (0..numbers.len()).rev() {
        keep[i] = !t.drop_if_redundant(numbers[i], b)?;
    }
    for (e, _) in a.ineqs.iter().zip(&keep).filter(|(_, k)| **k) {
        out.ineqs.push(e);
    }
    out.simplify();
    Ok(out)
}
