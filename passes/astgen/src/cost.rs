//! A rough estimate of what code costs to run, to choose between two forms of the same piece.
//!
//! Parameters count as some middling values, iterators as the middle of their ranges. Comparisons, bounds and divisions count where they are evaluated; the
//! statements themselves are the same in both forms and count little.

use crate::graft::{Cond, Graft};
use crate::lin::{Atom, Lin};
use rustc_hash::FxHashMap;
use tilia_ast::{CmpOp, Expr, Node, VarId};
use tilia_presburger::{Id, Int};

/// The value of an iterator of which nothing is known.
const MIDDLE: i64 = 60;
/// A middling value of a parameter, and the iterations of a loop of which nothing is known.
const UNKNOWN: i64 = 120;
const DIVISION: f64 = 4.0;

/// The cost of the grafts with their guards.
pub(crate) fn cost(grafts: &[Graft], params: &[Id]) -> f64 {
    let mut at = Estimate {
        params,
        vars: FxHashMap::default(),
        excluded: Vec::new(),
    };
    grafts.iter().map(|g| guard(&g.guard) + at.node(&g.node)).sum()
}

fn guard(conds: &[Cond]) -> f64 {
    let one = |c: &Cond| match c {
        Cond::One(c) => 1.0 + divisions(&c.lin),
        Cond::Any(list) => list.iter().flatten().map(|c| 1.0 + divisions(&c.lin)).sum(),
    };
    conds.iter().map(one).sum()
}

fn divisions(lin: &Lin) -> f64 {
    let one = |a: &Atom| match a {
        Atom::Div(e, _) => DIVISION + divisions(e),
        _ => 0.0,
    };
    lin.terms.keys().map(one).sum()
}

/// Values to estimate with.
struct Estimate<'a> {
    params: &'a [Id],
    vars: FxHashMap<VarId, i64>,
    /// Remainders of which a value is excluded, in the `else` of its test: once for each.
    excluded: Vec<Expr>,
}

impl Estimate<'_> {
    fn node(&mut self, n: &Node) -> f64 {
        match n {
            Node::Block(list) => list.iter().map(|n| self.node(n)).sum(),
            Node::For(f) => {
                let (from, to) = (self.value(&f.lower), self.value(&f.upper));
                let step = f.step.to_i64().unwrap_or(1).max(1);
                let iterations = self
                    .room(&f.lower, &f.upper)
                    .map_or(UNKNOWN / step, |r| (r / step).saturating_add(1))
                    .max(1);
                self.vars.insert(f.var, from.saturating_add(to.max(from)) / 2);
                let each = 2.0 + self.node(&f.body);
                expr(&f.lower) + expr(&f.upper) + iterations as f64 * each
            }
            Node::If { cond, then, otherwise } => {
                let part = self.share(cond);
                let yes = self.node(then);
                let no = otherwise.as_ref().map(|n| {
                    let tested = remainder(cond);
                    self.excluded.extend(tested.cloned());
                    let no = self.node(n);
                    self.excluded.truncate(self.excluded.len() - usize::from(tested.is_some()));
                    no
                });
                let part = if no.is_some() { part.min(0.5) } else { part };
                expr(cond) + part * yes + (1.0 - part) * no.unwrap_or(0.0)
            }
            Node::User { args, .. } => 1.0 + args.iter().map(expr).sum::<f64>(),
            Node::Mark { body, .. } => self.node(body),
        }
    }

    /// How often a condition holds.
    fn share(&self, cond: &Expr) -> f64 {
        match cond {
            Expr::Cmp(..) => match remainder(cond) {
                Some(r @ Expr::Mod { den, .. }) => {
                    let excluded = self.excluded.iter().filter(|e| *e == r).count() as i64;
                    den.to_i64().map_or(0.0, |d| 1.0 / (d - excluded).max(1) as f64)
                }
                _ => 1.0,
            },
            Expr::And(list) => list.iter().map(|c| self.share(c)).product(),
            _ => 1.0,
        }
    }

    /// The distance of a loop's bounds: the least of those of their parts that make sense. Outer iterators have no values that fit the rest.
    fn room(&self, lower: &Expr, upper: &Expr) -> Option<i64> {
        let (mut from, mut to) = (Vec::new(), Vec::new());
        parts(lower, &mut from);
        parts(upper, &mut to);
        let pairs = from.iter().flat_map(|l| to.iter().map(move |u| (*l, *u)));
        pairs
            .map(|(l, u)| self.value(u).saturating_sub(self.value(l)))
            .filter(|r| *r >= 0)
            .min()
    }

    fn value(&self, e: &Expr) -> i64 {
        let int = |v: &Int| v.to_i64().unwrap_or(if v.is_neg() { i64::MIN } else { i64::MAX });
        match e {
            Expr::Int(v) => int(v),
            Expr::Var(v) => self.vars.get(v).copied().unwrap_or(MIDDLE),
            // Different ones, so that none of their differences vanishes.
            Expr::Param(p) => UNKNOWN + 8 * self.params.iter().position(|q| q == p).map_or(0, |k| (k % 8) as i64),
            Expr::Bool(_) | Expr::Cmp(..) | Expr::And(_) | Expr::Or(_) | Expr::Not(_) => 0,
            Expr::Add(list) => list.iter().map(|e| self.value(e)).fold(0, i64::saturating_add),
            Expr::Mul(c, e) => int(c).saturating_mul(self.value(e)),
            Expr::FloorDiv { num, den, .. } => self.value(num).div_euclid(int(den).max(1)),
            Expr::Mod { num, den, .. } => self.value(num).rem_euclid(int(den).max(1)),
            Expr::Min(list) => list.iter().map(|e| self.value(e)).min().unwrap_or(0),
            Expr::Max(list) => list.iter().map(|e| self.value(e)).max().unwrap_or(0),
            Expr::Select(_, a, _) => self.value(a),
        }
    }
}

/// What an expression is the greatest or the least of.
fn parts<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match e {
        Expr::Min(list) | Expr::Max(list) => list.iter().for_each(|e| parts(e, out)),
        e => out.push(e),
    }
}

/// What the condition wants to be one certain remainder.
fn remainder(cond: &Expr) -> Option<&Expr> {
    match cond {
        Expr::Cmp(CmpOp::Eq, a, _) if matches!(**a, Expr::Mod { .. }) => Some(a),
        _ => None,
    }
}

fn expr(e: &Expr) -> f64 {
    match e {
        Expr::Int(_) | Expr::Var(_) | Expr::Param(_) | Expr::Bool(_) => 0.0,
        Expr::Add(list) => list.iter().map(expr).sum(),
        Expr::Mul(_, e) | Expr::Not(e) => expr(e),
        Expr::FloorDiv { num, .. } | Expr::Mod { num, .. } => DIVISION + expr(num),
        Expr::Min(list) | Expr::Max(list) => list.iter().map(|e| 1.0 + expr(e)).sum(),
        Expr::And(list) | Expr::Or(list) => list.iter().map(expr).sum(),
        Expr::Cmp(_, a, b) => 1.0 + expr(a) + expr(b),
        Expr::Select(c, a, b) => 1.0 + expr(c) + expr(a) + expr(b),
    }
}
