//! Exact proof that a point is the lexicographic minimum.

use tilia_presburger::{Budget, Int};

use crate::{Linear, Outcome, Problem, Result, Row, Session, Solution};

/// What is known of a point.
pub(super) enum Proof {
    /// It is the minimum.
    Minimal(Solution),
    /// It satisfies the rows. Whether it is the minimum isn't known, or it isn't.
    Feasible(Solution),
    /// It violates a row.
    Wrong,
}

/// Looks at the integer variables' values; the others get values that fit.
pub(super) fn prove(p: &Problem, values: &[Int], b: &Budget) -> Result<Proof> {
    let mut fixed = Session::new(p)?;
    for (v, value) in values.iter().enumerate().filter(|(v, _)| p.vars[*v].integer) {
        fixed.add_row(&equal(v, value))?;
    }
    let Outcome::Optimal(mut solution) = fixed.solve(b)? else {
        return Ok(Proof::Wrong);
    };
    match is_minimal(p, &solution.values, b) {
        Ok(true) => Ok(Proof::Minimal(solution)),
        Err(e) if !e.is_out_of_budget() => Err(e),
        _ => {
            solution.approximate = true;
            Ok(Proof::Feasible(solution))
        }
    }
}

/// Can no variable be less when those before it keep their values? One infeasible problem for each that isn't at its limit.
fn is_minimal(p: &Problem, values: &[Int], b: &Budget) -> Result<bool> {
    let mut s = Session::new(p)?;
    for (v, var) in p.vars.iter().enumerate().filter(|(_, v)| v.lex) {
        if var.lower.as_ref() != Some(&values[v]) {
            if !var.integer {
                return Ok(false);
            }
            let mut less = s.clone();
            let mut e = Linear::constant(&values[v] - &Int::ONE);
            e.add_term(v, -1);
            less.add_row(&Row::non_negative(e))?;
            if !matches!(less.solve(b)?, Outcome::Infeasible) {
                return Ok(false);
            }
        }
        s.add_row(&equal(v, &values[v]))?;
    }
    Ok(true)
}

fn equal(v: usize, value: &Int) -> Row {
    let mut e = Linear::var(v);
    e.constant = -value;
    Row::zero(e)
}
