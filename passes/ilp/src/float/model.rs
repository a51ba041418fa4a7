//! A problem for `good_lp`. It is solved through the back end's own interface, because `good_lp` has no counted limit.

use std::time::Duration;

use good_lp::{Expression, ProblemVariables, SolverModel, Variable, constraint, variable};
use microlp::SolveOptions;
use tilia_presburger::Int;

use crate::{Linear, Problem, RowKind};

/// Values of the variables, or why there are none.
pub(super) enum Answer {
    Values(Vec<f64>),
    Infeasible,
    Unbounded,
    Failed(String),
}

/// Beyond this a number isn't the same as a floating-point number, or isn't taken by the solver as a limit.
const LARGEST: i64 = 1 << 20;

/// Stands for the missing limit of an integer variable; a value that reaches it is no answer.
const FAR: f64 = 2_000_000.0;

/// Branches of one solve. Counted, so that results don't depend on the clock and problems that floating-point branching can't end do end.
const MAX_NODES: u64 = 500;

/// The back end's simplex can cycle (seen with integers of 32-bit range in a degenerate problem) and offers nothing but the clock against that. A solve that is stopped is a
/// failure, never an answer, so no result depends on it.
const FENCE: Duration = Duration::from_secs(2);

/// Does the solver understand all numbers?
pub(super) fn is_representable(p: &Problem) -> bool {
    let fits = |x: &Int| x.to_i64().is_some_and(|v| v.abs() <= LARGEST);
    p.rows.iter().all(|r| fits(&r.constant) && r.terms.iter().all(|t| fits(&t.1)))
        && p.vars
            .iter()
            .all(|v| v.lower.as_ref().is_none_or(fits) && v.upper.as_ref().is_none_or(fits))
}

/// Minimises one expression.
pub(super) fn minimise(p: &Problem, objective: &Linear) -> Answer {
    let mut vars = ProblemVariables::new();
    let columns: Vec<Variable> = p
        .vars
        .iter()
        .map(|v| {
            let mut def = variable();
            if v.integer {
                def = def.integer();
            }
            let limit = |l: &Option<Int>, sign: f64| match l {
                Some(l) => l.to_f64(),
                None if v.integer => sign * FAR,
                None => sign * f64::INFINITY,
            };
            def = def.min(limit(&v.lower, -1.0)).max(limit(&v.upper, 1.0));
            vars.add(def)
        })
        .collect();
    let expression = |terms: &[(usize, Int)], constant: &Int| {
        let mut e = Expression::with_capacity(terms.len());
        for (v, a) in terms {
            e.add_mul(a.to_f64(), columns[*v]);
        }
        e + constant.to_f64()
    };
    let mut model = vars
        .minimise(expression(&objective.terms, &objective.constant))
        .using(good_lp::microlp);
    for r in &p.rows {
        let e = expression(&r.terms, &r.constant);
        model.add_constraint(match r.kind {
            RowKind::Ge => constraint::geq(e, 0),
            RowKind::Eq => constraint::eq(e, 0),
        });
    }
    let mut options = SolveOptions::default();
    options.node_limit = Some(MAX_NODES);
    options.time_limit = Some(FENCE);
    let outcome = match model.as_inner().solve_with(options) {
        Ok(outcome) => outcome,
        Err(microlp::Error::Infeasible) => return Answer::Infeasible,
        Err(microlp::Error::Unbounded) => return Answer::Unbounded,
        Err(e) => return Answer::Failed(e.to_string()),
    };
    match outcome.solution() {
        Some(s) if outcome.is_optimal() => {
            let values: Vec<f64> = s.iter().map(|x| x.1).collect();
            if values.iter().zip(&p.vars).any(|(x, v)| v.integer && (x.abs() - FAR).abs() < 1.0) {
                return Answer::Unbounded;
            }
            Answer::Values(values)
        }
        _ => Answer::Failed(format!("no solution within {MAX_NODES} branches")),
    }
}
