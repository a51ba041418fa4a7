//! A rough estimate of what code costs to run, to choose between two forms of the same piece.
//!
//! Loops whose number of iterations isn't constant count as [`UNKNOWN`] iterations of step 1. Comparisons, bounds and divisions count where they are evaluated; the
//! statements themselves are the same in both forms and count little.

use crate::graft::{Cond, Graft};
use crate::lin::{Atom, Lin};
use tilia_ast::{Expr, Node};

/// Iterations of a loop of unknown length.
const UNKNOWN: u64 = 24;
const DIVISION: u64 = 4;

/// The cost of the grafts with their guards.
pub(crate) fn cost(grafts: &[Graft]) -> u64 {
    let one = |g: &Graft| node(&g.node) + g.guard.iter().map(condition).sum::<u64>();
    grafts.iter().map(one).fold(0, u64::saturating_add)
}

fn condition(c: &Cond) -> u64 {
    match c {
        Cond::One(c) => 1 + divisions(&c.lin),
        Cond::Any(list) => list.iter().flatten().map(|c| 1 + divisions(&c.lin)).sum(),
    }
}

fn divisions(lin: &Lin) -> u64 {
    let one = |a: &Atom| match a {
        Atom::Div(e, _) => DIVISION + divisions(e),
        _ => 0,
    };
    lin.terms.keys().map(one).sum()
}

fn node(n: &Node) -> u64 {
    match n {
        Node::Block(list) => list.iter().map(node).fold(0, u64::saturating_add),
        Node::For(f) => {
            let known = match (&f.lower, &f.upper) {
                (Expr::Int(l), Expr::Int(u)) => (&(u - l).div_floor(&f.step) + &tilia_presburger::Int::ONE).to_i64(),
                _ => None,
            };
            let steps = f.step.to_i64().and_then(|s| u64::try_from(s).ok()).unwrap_or(UNKNOWN);
            let n = known.and_then(|n| u64::try_from(n).ok()).unwrap_or((UNKNOWN / steps.max(1)).max(1));
            let each = node(&f.body).saturating_add(2);
            (expr(&f.lower) + expr(&f.upper)).saturating_add(n.saturating_mul(each))
        }
        Node::If { cond, then, otherwise } => {
            let inside = node(then).saturating_add(otherwise.as_ref().map_or(0, |n| node(n)));
            expr(cond).saturating_add(inside)
        }
        Node::User { args, .. } => 1 + args.iter().map(expr).sum::<u64>(),
        Node::Mark { body, .. } => node(body),
    }
}

fn expr(e: &Expr) -> u64 {
    match e {
        Expr::Int(_) | Expr::Var(_) | Expr::Param(_) | Expr::Bool(_) => 0,
        Expr::Add(list) => list.iter().map(expr).sum(),
        Expr::Mul(_, e) | Expr::Not(e) => expr(e),
        Expr::FloorDiv { num, .. } | Expr::Mod { num, .. } => DIVISION + expr(num),
        Expr::Min(list) | Expr::Max(list) => list.iter().map(|e| 1 + expr(e)).sum(),
        Expr::And(list) | Expr::Or(list) => list.iter().map(expr).sum(),
        Expr::Cmp(_, a, b) => 1 + expr(a) + expr(b),
        Expr::Select(c, a, b) => 1 + expr(c) + expr(a) + expr(b),
    }
}
