//! Parameter sets and functions as expressions of the loop AST.

use tilia_ast::{CmpOp, Expr};
use tilia_presburger::{Aff, DimType, Error, Id, Int, PwAff, Result, Set, Term};

/// An affine function of the parameters as an expression.
pub(crate) fn aff_expr(aff: &Aff) -> Result<Expr> {
    let mut terms = vec![Expr::Int(aff.constant_term().clone())];
    for term in aff.terms() {
        let (coefficient, e) = match term {
            Term::Dim { kind, pos, coefficient } => {
                if kind != DimType::Param {
                    return Err(Error::Unsupported("a condition on parameters mentions something else".into()));
                }
                (coefficient, Expr::Param(param_name(aff, pos)?))
            }
            Term::Div {
                coefficient,
                numerator,
                denominator,
            } => {
                let e = Expr::FloorDiv {
                    num: Box::new(aff_expr(&numerator)?),
                    den: denominator,
                    non_negative: false,
                };
                (coefficient, e)
            }
        };
        terms.push(Expr::Mul(coefficient, Box::new(e)));
    }
    Ok(if terms.len() == 1 { terms.remove(0) } else { Expr::Add(terms) })
}

fn param_name(aff: &Aff, pos: usize) -> Result<Id> {
    aff.space()
        .params()
        .get(pos)
        .cloned()
        .ok_or_else(|| Error::Unsupported("a parameter without name".into()))
}

/// The condition that the parameters lie in `set`.
pub(crate) fn set_condition(set: &Set, budget: &tilia_presburger::Budget) -> Result<Expr> {
    let set = set.compute_divs(budget)?;
    let mut alternatives = Vec::new();
    for basic in set.basic_sets() {
        let mut all = Vec::new();
        for c in basic.constraints()? {
            let op = if c.is_equality() { CmpOp::Eq } else { CmpOp::Ge };
            all.push(Expr::Cmp(op, Box::new(aff_expr(c.aff())?), Box::new(Expr::Int(Int::from(0)))));
        }
        alternatives.push(match all.len() {
            0 => Expr::Bool(true),
            1 => all.remove(0),
            _ => Expr::And(all),
        });
    }
    Ok(match alternatives.len() {
        0 => Expr::Bool(false),
        1 => alternatives.remove(0),
        _ => Expr::Or(alternatives),
    })
}

/// A piecewise affine function of the parameters; outside its domain the value is that of the last piece.
pub(crate) fn pw_aff_expr(pw: &PwAff, budget: &tilia_presburger::Budget) -> Result<Expr> {
    let mut result: Option<Expr> = None;
    for (domain, aff) in pw.pieces().iter().rev() {
        let value = aff_expr(aff)?;
        result = Some(match result {
            None => value,
            Some(rest) => Expr::Select(Box::new(set_condition(domain, budget)?), Box::new(value), Box::new(rest)),
        });
    }
    Ok(result.unwrap_or(Expr::Int(Int::from(0))))
}
