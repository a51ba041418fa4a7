//! Between conjunctions and lists of constraints.

use crate::basic::{Basic, Divs};
use crate::error::{Error, Result};
use crate::func::{Aff, Constraint};
use crate::num::Int;
use crate::space::Space;

/// Adds a constraint whose expression lives in the (wrapped) space of the conjunction.
pub(crate) fn add_constraint(b: &mut Basic, space: &Space, c: &Constraint) -> Result<()> {
    let wrapped = space.wrap();
    let aff = c.aff().align_to(&wrapped)?;
    if b.empty {
        return Ok(());
    }
    let map = b.import_divs(aff.divs());
    let r = b.map_row(aff.row(), &map);
    if c.is_equality() {
        b.add_eq(&r);
    } else {
        b.add_ineq(&r);
    }
    Ok(())
}

/// The constraints as expressions; every local in use must have a definition.
pub(crate) fn constraints(b: &Basic, space: &Space) -> Result<Vec<Constraint>> {
    let wrapped = space.wrap();
    if b.empty {
        let aff = Aff::constant(&wrapped, Int::NEG_ONE);
        return Ok(vec![Constraint::eq(aff)]);
    }
    let mut out = Vec::with_capacity(b.eqs.len() + b.ineqs.len());
    for r in b.eqs.iter() {
        out.push(Constraint::eq(row_to_aff(b, &wrapped, r)?));
    }
    for r in b.ineqs.iter() {
        out.push(Constraint::ineq(row_to_aff(b, &wrapped, r)?));
    }
    Ok(out)
}

/// A row over the columns of a conjunction as an expression that carries only the divisions it needs.
pub(crate) fn row_to_aff(b: &Basic, wrapped: &Space, r: &[Int]) -> Result<Aff> {
    let (divs, row) = used_divs(&b.divs, r)?;
    Ok(Aff::from_parts(wrapped.clone(), divs, row))
}

/// The divisions that a row needs, and the row over them.
pub(crate) fn used_divs(all: &Divs, r: &[Int]) -> Result<(Divs, Vec<Int>)> {
    let n_dim = all.n_dim();
    let first = 1 + n_dim;
    let mut used = vec![false; all.len()];
    for k in (0..all.len()).rev() {
        let direct = r.get(first + k).is_some_and(|x| !x.is_zero());
        used[k] = direct || (k + 1..all.len()).any(|j| used[j] && !all.num(j)[first + k].is_zero());
        if used[k] && !all.is_known(k) {
            return Err(Error::Unsupported(
                "a local variable has no known division: call compute_divs first".into(),
            ));
        }
    }
    let keep: Vec<usize> = (0..all.len()).filter(|&k| used[k]).collect();
    let mut divs = Divs::new(n_dim);
    for &k in &keep {
        let num = pick(all.num(k), first, &keep[..divs.len()]);
        divs.push(all.den(k), &num);
    }
    Ok((divs, pick(r, first, &keep)))
}

fn pick(r: &[Int], first: usize, keep: &[usize]) -> Vec<Int> {
    let tail = keep.iter().map(|&k| r.get(first + k).cloned().unwrap_or_default());
    r[..first].iter().cloned().chain(tail).collect()
}
