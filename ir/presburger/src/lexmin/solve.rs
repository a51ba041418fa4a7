//! The driver: pivots, splits and cuts until every context has its optimum.

use super::context::{Context, Sign};
use super::frame::Frame;
use super::tableau::{LexTableau, Place};
use crate::basic::{Basic, Divs};
use crate::error::{Error, Result};
use crate::num::{Budget, Int, Mat};

/// A minimisation problem.
pub(crate) struct LexProblem {
    /// What is known of the symbols; all locals known. The symbols are its dimensions and locals.
    pub(crate) context: Basic,
    /// Rows `[const, symbols.., vars..]`, each to be non-negative.
    pub(crate) ineqs: Mat,
    /// The number of variables, in the order of minimisation.
    pub(crate) n_var: usize,
    /// How many of the first variables are asked for; the others only have to exist.
    pub(crate) n_out: usize,
}

/// The optimum on a part of the symbol space.
pub(crate) struct LexPiece {
    /// The part.
    pub(crate) domain: Basic,
    /// The locals of `values`.
    pub(crate) divs: Divs,
    /// For each variable asked for, `[const, dims.., locals..]`.
    pub(crate) values: Vec<Vec<Int>>,
}

struct State {
    tableau: LexTableau,
    context: Context,
}

/// What a state comes to.
enum Step {
    /// No solution in this context.
    Infeasible,
    Split(Box<State>, Box<State>),
    Optimal(Box<State>),
}

/// The lexicographic minimum as disjoint pieces.
///
/// # Errors
/// [`Error::Unbounded`] when a variable that is asked for has no lower bound somewhere.
pub(crate) fn solve(p: LexProblem, b: &Budget) -> Result<Vec<LexPiece>> {
    let Some(context) = Context::new(p.context.clone(), b)? else {
        return Ok(Vec::new());
    };
    let n_sym = context.basic.cols() - 1;
    let mut tableau = LexTableau::new(p.n_var, n_sym);
    for r in p.ineqs.iter() {
        tableau.add_initial(&r[0], &r[1..=n_sym], &r[1 + n_sym..]);
    }
    let n_out = p.n_out;
    let frame = Frame::new(p);
    let mut stack = vec![State { tableau, context }];
    let mut pieces = Vec::new();
    while let Some(state) = stack.pop() {
        match advance(state, &frame, b)? {
            Step::Infeasible => {}
            Step::Split(first, second) => {
                stack.push(*second);
                stack.push(*first);
            }
            Step::Optimal(s) => pieces.push(record(*s, n_out)?),
        }
    }
    Ok(pieces)
}

fn advance(mut s: State, frame: &Frame, b: &Budget) -> Result<Step> {
    loop {
        b.spend(1)?;
        if s.context.is_void() {
            return Ok(Step::Infeasible);
        }
        match find_negative(&mut s, frame, b)? {
            Negative::Row(r) => {
                if !s.tableau.raise(r, b)? {
                    return Ok(Step::Infeasible);
                }
            }
            Negative::Maybe(r) => {
                let (yes, no) = s.context.split(&s.tableau.symbolic(r), b)?;
                let other = State {
                    tableau: s.tableau.clone(),
                    context: no,
                };
                let first = State {
                    tableau: s.tableau,
                    context: yes,
                };
                return Ok(Step::Split(Box::new(first), Box::new(other)));
            }
            Negative::No => {
                if !cut(&mut s, frame, b)? {
                    return Ok(Step::Optimal(Box::new(s)));
                }
            }
        }
    }
}

enum Negative {
    No,
    Row(usize),
    /// In a part of the context only.
    Maybe(usize),
}

/// A constraint row that is negative in the whole context, else one that is so in a part.
fn find_negative(s: &mut State, frame: &Frame, b: &Budget) -> Result<Negative> {
    let mut undecided = Vec::new();
    for r in 0..s.tableau.n_rows() {
        if !s.tableau.is_constraint(r) || s.tableau.non_negative[r] {
            continue;
        }
        match s.tableau.big_m(r).signum() {
            1 => s.tableau.non_negative[r] = true,
            -1 => return Ok(Negative::Row(r)),
            _ => undecided.push(r),
        }
    }
    let mut maybe = None;
    for r in undecided {
        match s.context.sign(&s.tableau.symbolic(r), frame, b)? {
            Sign::NonNegative => s.tableau.non_negative[r] = true,
            Sign::Negative => return Ok(Negative::Row(r)),
            Sign::Both => maybe = maybe.or(Some(r)),
        }
    }
    Ok(maybe.map_or(Negative::No, Negative::Maybe))
}

/// Cuts off a rational optimum; false when the optimum is integral.
fn cut(s: &mut State, frame: &Frame, b: &Budget) -> Result<bool> {
    let mut var = 0;
    while let Some(place) = s.tableau.try_place(var) {
        let Place::Row(r) = place else {
            var += 1;
            continue;
        };
        let d = s.tableau.den(r).clone();
        let rest = s.tableau.remainder(r);
        if rest.iter().all(Int::is_zero) {
            var += 1;
            continue;
        }
        if rest[1..].iter().all(Int::is_zero) {
            s.tableau.add_cut(r, &rest, None);
            return Ok(true);
        }
        let (k, new) = s.context.division(&d, &rest);
        if new {
            s.tableau.add_symbol();
        }
        let q = s.context.basic.n_dim() + k;
        // d·q - R is never positive; where it is zero, the row is an integer and can be written as one.
        let mut zero: Vec<Int> = rest.clone();
        zero.resize(s.context.basic.cols(), Int::ZERO);
        zero[1 + q] -= &d;
        let negated: Vec<Int> = zero.iter().map(|x| -x).collect();
        if s.context.sign(&negated, frame, b)? == Sign::NonNegative {
            s.tableau.add_to_symbolic(r, &zero);
            continue;
        }
        s.tableau.add_cut(r, &rest, Some(q));
        return Ok(true);
    }
    Ok(false)
}

fn record(s: State, n_out: usize) -> Result<LexPiece> {
    let mut values = Vec::with_capacity(n_out);
    for v in 0..n_out {
        let Place::Row(r) = s.tableau.place(v) else {
            return Err(Error::Unbounded);
        };
        let d = s.tableau.den(r);
        // The variable is x = x' - M.
        if s.tableau.big_m(r) != d {
            return Err(Error::Unbounded);
        }
        values.push(s.tableau.symbolic(r).iter().map(|x| x.div_exact(d)).collect());
    }
    Ok(LexPiece {
        divs: s.context.basic.divs.clone(),
        domain: s.context.basic,
        values,
    })
}
