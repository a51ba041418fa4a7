//! Lexicographic minima through `good_lp` (back end: microlp).

use tilia_presburger::{Budget, Error as SetsError, Int};

use super::model::{Answer, is_representable, minimise};
use super::proof::{Proof, prove};
use crate::{Error, Exact, Linear, Outcome, Problem, Result, Solver};

/// Variables times rows up to which problems are taken: the steps of the back end's simplex can't be counted, so its problems are kept small enough.
const MAX_SIZE: usize = 4_000_000;

/// A floating-point solver, one objective after the other, whose answers are proved.
///
/// The values are rounded. That they satisfy all rows is always checked exactly; that they are the lexicographic minimum is proved if the budget suffices, otherwise the
/// solution is marked as approximate. That there is no solution, or no minimum, is never believed without the exact solver.
#[derive(Clone, Copy, Default, Debug)]
pub struct GoodLp;

impl Solver for GoodLp {
    fn name(&self) -> &'static str {
        "good_lp"
    }

    fn lexmin(&self, p: &Problem, b: &Budget) -> Result<Outcome> {
        let failed = |reason: &str| Error::Backend {
            solver: self.name(),
            reason: reason.into(),
        };
        if !is_representable(p) || p.vars.len() * p.rows.len() > MAX_SIZE {
            return Err(failed("the problem's numbers or its size are beyond it"));
        }
        let values = match successive(p, b)? {
            Answer::Values(v) => v,
            Answer::Infeasible | Answer::Unbounded => return Exact.lexmin(p, b),
            Answer::Failed(reason) => return Err(failed(&reason)),
        };
        let rounded: Vec<Int> = values.iter().map(|&x| round(x)).collect();
        // The proof takes half of what is left, so that a solution without proof can be used with the rest.
        let share = Budget::new(b.remaining() / 2);
        let proof = prove(p, &rounded, &share);
        b.spend(share.used())?;
        match proof? {
            Proof::Minimal(s) | Proof::Feasible(s) => Ok(Outcome::Optimal(s)),
            Proof::Wrong => Err(failed("its values, rounded, violate a row")),
        }
    }
}

/// Minimises one variable after the other, fixing each to its minimum. A variable that is at its limit anyway needs no solving.
fn successive(p: &Problem, b: &Budget) -> Result<Answer> {
    let mut work = p.clone();
    let cost = (p.vars.len() * p.rows.len()) as u64 / 8 + 1;
    let mut last: Option<Vec<f64>> = None;
    for v in 0..p.vars.len() {
        let at_limit = |x: &Vec<f64>| p.vars[v].lower.as_ref().is_some_and(|l| round(x[v]) == *l);
        if !p.vars[v].lex {
            continue;
        }
        if !last.as_ref().is_some_and(at_limit) {
            b.spend(cost)?;
            match minimise(&work, &Linear::var(v)) {
                Answer::Values(x) => last = Some(x),
                other => return Ok(other),
            }
        }
        let Some(x) = &last else { continue };
        if p.vars[v].integer {
            let value = round(x[v]);
            work.vars[v].lower = Some(value.clone());
            work.vars[v].upper = Some(value);
        }
    }
    match last {
        Some(x) => Ok(Answer::Values(x)),
        None => {
            b.spend(cost)?;
            Ok(minimise(&work, &Linear::zero()))
        }
    }
}

/// The nearest integer; numbers beyond what a solver means seriously become zero, which the exact check will refuse if it matters.
fn round(x: f64) -> Int {
    const LIMIT: f64 = 1e15;
    if !(-LIMIT..=LIMIT).contains(&x) {
        return Int::ZERO;
    }
    #[expect(clippy::cast_possible_truncation, reason = "within the limit it is exact")]
    Int::new(x.round() as i64)
}

/// [`Exact`] as far as its share of the budget goes, then [`GoodLp`].
///
/// By measurement (see the crate's documentation) the exact solver is the faster one at every size that was tried, so the floating-point solver only serves problems on which the exact
/// one doesn't come to an end.
#[derive(Clone, Copy, Default, Debug)]
pub struct Auto;

/// What the exact solver may spend on one problem: some seconds.
const EXACT_UNITS: u64 = 100_000_000;

impl Solver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn lexmin(&self, p: &Problem, b: &Budget) -> Result<Outcome> {
        let share = Budget::new(EXACT_UNITS.min(b.remaining() / 4 * 3));
        let exact = Exact.lexmin(p, &share);
        b.spend(share.used())?;
        match exact {
            Err(e) if e.is_out_of_budget() => match GoodLp.lexmin(p, b) {
                Err(Error::Backend { .. }) => Err(SetsError::OutOfBudget.into()),
                other => other,
            },
            other => other,
        }
    }
}
