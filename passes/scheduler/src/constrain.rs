//! Rows of the integer program that speak of dependences: legality, strong satisfaction and the bound of proximity (Feautrier 1992; Bondhugula et al., PLDI 2008).
//!
//! All of them say that an affine form is non-negative on an edge's instances; the edge's dual cone turns that into linear rows over the form's coefficients.

use crate::edge::Edge;
use crate::error::Result;
use crate::program::Program;
use tilia_ilp::{AffineForm, DualCone, Linear, Var};
use tilia_presburger::{Budget, Int};

/// The form is non-negative on the set of the cone.
fn non_negative(program: &mut Program, form: &AffineForm, cone: &DualCone) {
    let multipliers: Vec<usize> = (0..cone.n_multipliers())
        .map(|k| program.column(Var::multiplier(format!("lambda_{k}"))))
        .collect();
    for row in cone.rows(form, multipliers.first().copied().unwrap_or(0)) {
        program.row(row);
    }
}

/// The form times -1.
fn negated(form: &AffineForm) -> AffineForm {
    let all = |l: &[Linear]| l.iter().map(Linear::negated).collect();
    AffineForm {
        constant: form.constant.negated(),
        params: all(&form.params),
        ins: all(&form.ins),
        outs: all(&form.outs),
    }
}

/// `phi_target - phi_source` on an edge's pairs.
fn difference(program: &Program, edge: &Edge) -> Option<AffineForm> {
    let (s, t) = (program.stmts.get(&edge.source)?, program.stmts.get(&edge.target)?);
    let minus = |a: &Linear, b: &Linear| {
        let mut out = a.clone();
        out.add_scaled(&Int::NEG_ONE, b);
        out
    };
    Some(AffineForm {
        constant: minus(&t.constant, &s.constant),
        params: t.params.iter().zip(&s.params).map(|(a, b)| minus(a, b)).collect(),
        ins: s.iters.iter().map(Linear::negated).collect(),
        outs: t.iters.clone(),
    })
}

/// `phi_target - phi_source >= least` on the edge.
pub(crate) fn at_least(program: &mut Program, edge: &Edge, least: &Linear, b: &Budget) -> Result<()> {
    let Some(mut form) = difference(program, edge) else { return Ok(()) };
    let Some(cone) = edge.cone(b)? else { return Ok(()) };
    form.constant.add_scaled(&Int::NEG_ONE, least);
    non_negative(program, &form, &cone);
    Ok(())
}

/// `phi_target - phi_source = 0` on the edge.
pub(crate) fn zero(program: &mut Program, edge: &Edge, b: &Budget) -> Result<()> {
    let Some(form) = difference(program, edge) else { return Ok(()) };
    let Some(cone) = edge.cone(b)? else { return Ok(()) };
    non_negative(program, &form, &cone);
    non_negative(program, &negated(&form), &cone);
    Ok(())
}

/// `phi_target - phi_source <= u.N + w` on the edge.
pub(crate) fn bounded(program: &mut Program, edge: &Edge, b: &Budget) -> Result<()> {
    let Some((u, w)) = program.bound.clone() else { return Ok(()) };
    let Some(form) = difference(program, edge) else { return Ok(()) };
    let Some(cone) = edge.cone(b)? else { return Ok(()) };
    let mut form = negated(&form);
    form.constant.add_term(w, 1);
    for (p, &u) in form.params.iter_mut().zip(&u) {
        p.add_term(u, 1);
    }
    non_negative(program, &form, &cone);
    Ok(())
}

/// `phi <= L.N + l` on a statement's domain, whose cone is given (Feautrier's latency).
pub(crate) fn latency(program: &mut Program, stmt: usize, cone: &DualCone, bound: (&[usize], usize)) {
    let Some(s) = program.stmts.get(&stmt) else { return };
    let mut form = negated(&AffineForm {
        constant: s.constant.clone(),
        params: s.params.clone(),
        ins: Vec::new(),
        outs: s.iters.clone(),
    });
    form.constant.add_term(bound.1, 1);
    for (p, &l) in form.params.iter_mut().zip(bound.0) {
        p.add_term(l, 1);
    }
    non_negative(program, &form, cone);
}
