//! Conditions on iterators as bounds of their loops.
//!
//! A loop whose body is one `if` runs only over the iterations where the condition holds: what of it is linear in the iterator becomes a bound, what doesn't mention
//! the iterator goes out of the loop. So partial tiles lose the guards that keep them from becoming vectors.

use crate::disjoint::parts;
use crate::tree::{Loop, Tree};
use tilia_ast::{CmpOp, Expr, VarId};
use tilia_presburger::Int;

/// The loop, with conditions that stand around its whole body moved to its bounds and outside.
pub(crate) fn tightened(mut l: Loop) -> Tree {
    if l.marks.degenerate {
        return Tree::Loop(l);
    }
    let mut outside = Vec::new();
    while let Some(cond) = take_condition(&mut l.body) {
        let mut kept = Vec::new();
        for cond in conjuncts(cond) {
            if !mentions(&cond, l.var) {
                outside.push(cond);
            } else if !bound(&mut l, &cond) {
                kept.push(cond);
            }
        }
        if !kept.is_empty() {
            let then = std::mem::replace(&mut l.body, Box::new(Tree::Block(Vec::new())));
            *l.body = Tree::If {
                cond: all(kept),
                then,
                otherwise: None,
            };
            break;
        }
    }
    if outside.is_empty() {
        return Tree::Loop(l);
    }
    Tree::If {
        cond: all(outside),
        then: Box::new(Tree::Loop(l)),
        otherwise: None,
    }
}

/// Takes the `if` around the whole body away, if there is one without `else`.
fn take_condition(body: &mut Box<Tree>) -> Option<Expr> {
    if let Tree::Block(children) = &mut **body
        && children.len() == 1
        && let Some(only) = children.pop()
    {
        **body = only;
    }
    let Tree::If { otherwise: None, .. } = **body else { return None };
    match std::mem::replace(&mut **body, Tree::Block(Vec::new())) {
        Tree::If { cond, then, .. } => {
            *body = then;
            Some(cond)
        }
        other => {
            **body = other;
            None
        }
    }
}

/// The parts of a conjunction.
pub(crate) fn conjuncts(cond: Expr) -> Vec<Expr> {
    match cond {
        Expr::And(list) => list.into_iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}

/// The conjunction of at least one.
pub(crate) fn all(mut list: Vec<Expr>) -> Expr {
    if list.len() == 1 { list.remove(0) } else { Expr::And(list) }
}

/// Makes a comparison a bound; false where it can't be one.
fn bound(l: &mut Loop, cond: &Expr) -> bool {
    let Some(borders) = borders(cond, l.var) else { return false };
    // A later start would make a loop with steps meet other values.
    if borders.lower.is_some() && l.step != 1 {
        return false;
    }
    if let Some(lower) = borders.lower {
        l.lower = at_least(&l.lower, [lower]);
    }
    if let Some(upper) = borders.upper {
        l.upper = at_most(&l.upper, [upper]);
    }
    true
}

/// A lower bound, raised to others.
pub(crate) fn at_least(bound: &Expr, others: impl IntoIterator<Item = Expr>) -> Expr {
    let mut list = parts(bound, true).to_vec();
    list.extend(others);
    if list.len() == 1 { list.remove(0) } else { Expr::Max(list) }
}

/// An upper bound, lowered to others.
pub(crate) fn at_most(bound: &Expr, others: impl IntoIterator<Item = Expr>) -> Expr {
    let mut list = parts(bound, false).to_vec();
    list.extend(others);
    if list.len() == 1 { list.remove(0) } else { Expr::Min(list) }
}

/// Where a comparison holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Borders {
    /// The least value of the iterator.
    pub(crate) lower: Option<Expr>,
    /// The greatest.
    pub(crate) upper: Option<Expr>,
}

/// The interval of an iterator in which a comparison holds; `None` where it isn't one that the comparison bounds directly.
pub(crate) fn borders(cond: &Expr, var: VarId) -> Option<Borders> {
    let Expr::Cmp(op, a, b) = cond else { return None };
    let ((ca, ra), (cb, rb)) = (linear(a, var)?, linear(b, var)?);
    // coefficient * iterator + rest, compared with zero.
    let coefficient = ca - cb;
    let rest = sum(vec![ra, negated(rb)]);
    let (one, minus_one) = (Int::from(1), Int::from(-1));
    if coefficient != one && coefficient != minus_one {
        return None;
    }
    let rising = coefficient == one;
    // iterator + rest >= 0 has its border at -rest; -iterator + rest >= 0 at rest.
    let border = if rising { negated(rest) } else { rest };
    let (lower, upper) = match (op, rising) {
        (CmpOp::Ge, true) | (CmpOp::Le, false) => (Some(border), None),
        (CmpOp::Gt, true) | (CmpOp::Lt, false) => (Some(shifted(border, 1)), None),
        (CmpOp::Le, true) | (CmpOp::Ge, false) => (None, Some(border)),
        (CmpOp::Lt, true) | (CmpOp::Gt, false) => (None, Some(shifted(border, -1))),
        (CmpOp::Eq, _) => (Some(border.clone()), Some(border)),
        (CmpOp::Ne, _) => return None,
    };
    Some(Borders { lower, upper })
}

pub(crate) fn shifted(e: Expr, by: i64) -> Expr {
    sum(vec![e, Expr::Int(Int::from(by))])
}

/// Coefficient of the iterator, and the rest; `None` where it isn't a term of a sum.
fn linear(e: &Expr, var: VarId) -> Option<(Int, Expr)> {
    if !mentions(e, var) {
        return Some((Int::from(0), e.clone()));
    }
    match e {
        Expr::Var(_) => Some((Int::from(1), Expr::Int(Int::from(0)))),
        Expr::Add(terms) => {
            let (mut coefficient, mut rests) = (Int::from(0), Vec::new());
            for t in terms {
                let (c, rest) = linear(t, var)?;
                coefficient += c;
                rests.push(rest);
            }
            Some((coefficient, sum(rests)))
        }
        Expr::Mul(by, e) => {
            let (c, rest) = linear(e, var)?;
            Some((by * &c, Expr::Mul(by.clone(), Box::new(rest))))
        }
        _ => None,
    }
}

fn negated(e: Expr) -> Expr {
    Expr::Mul(Int::from(-1), Box::new(e))
}

fn sum(mut terms: Vec<Expr>) -> Expr {
    if terms.len() == 1 { terms.remove(0) } else { Expr::Add(terms) }
}

/// Whether an iterator occurs.
pub(crate) fn mentions(e: &Expr, var: VarId) -> bool {
    match e {
        Expr::Var(v) => *v == var,
        Expr::Int(_) | Expr::Param(_) | Expr::Bool(_) => false,
        Expr::Add(list) | Expr::Min(list) | Expr::Max(list) | Expr::And(list) | Expr::Or(list) => list.iter().any(|e| mentions(e, var)),
        Expr::Mul(_, e) | Expr::Not(e) => mentions(e, var),
        Expr::FloorDiv { num, .. } | Expr::Mod { num, .. } => mentions(num, var),
        Expr::Select(a, b, c) => mentions(a, var) || mentions(b, var) || mentions(c, var),
        Expr::Cmp(_, a, b) => mentions(a, var) || mentions(b, var),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use tilia_ast::ForMarks;
    use tilia_diag::Loc;

    pub(crate) fn int(v: i64) -> Expr {
        Expr::Int(Int::from(v))
    }

    /// The value of an expression.
    pub(crate) fn holds(e: &Expr, value: &dyn Fn(VarId) -> i64) -> i64 {
        let of = |e: &Expr| holds(e, value);
        match e {
            Expr::Int(i) => i.to_i64().unwrap(),
            Expr::Var(v) => value(*v),
            Expr::Add(l) => l.iter().map(of).sum(),
            Expr::Mul(c, e) => c.to_i64().unwrap() * of(e),
            Expr::Min(l) => l.iter().map(of).min().unwrap(),
            Expr::Max(l) => l.iter().map(of).max().unwrap(),
            Expr::Mod { num, den, .. } => of(num).rem_euclid(den.to_i64().unwrap()),
            Expr::And(l) => i64::from(l.iter().all(|e| of(e) != 0)),
            Expr::Cmp(op, a, b) => i64::from(match op {
                CmpOp::Eq => of(a) == of(b),
                CmpOp::Ne => of(a) != of(b),
                CmpOp::Lt => of(a) < of(b),
                CmpOp::Le => of(a) <= of(b),
                CmpOp::Gt => of(a) > of(b),
                CmpOp::Ge => of(a) >= of(b),
            }),
            other => panic!("{other:?}"),
        }
    }

    /// The values of the iterator for which a tree with one loop executes its body.
    fn executed(tree: &Tree, outer: i64) -> Vec<i64> {
        match tree {
            Tree::If { cond, then, .. } if holds(cond, &|_| outer) != 0 => executed(then, outer),
            Tree::Loop(l) => {
                let (lower, upper) = (holds(&l.lower, &|_| outer), holds(&l.upper, &|_| outer));
                let all = (0..).map(|k| lower + k * l.step).take_while(|&i| i <= upper);
                let inner = |i: i64| move |v: VarId| if v == VarId(0) { i } else { outer };
                all.filter(|&i| match &*l.body {
                    Tree::If { cond, .. } => holds(cond, &inner(i)) != 0,
                    _ => true,
                })
                .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Loops over iterator 0 with conditions on it and on iterator 1: the same iterations execute before and after.
    #[test]
    fn iterations_stay_the_same() {
        let ops = [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge];
        let term = |c: i64, v: u32| Expr::Mul(Int::from(c), Box::new(Expr::Var(VarId(v))));
        for step in [1, 3] {
            for (n, op) in ops.iter().enumerate() {
                for c in [-2, -1, 0, 1, 2] {
                    let first = Expr::Cmp(*op, Box::new(Expr::Add(vec![term(c, 0), int(1)])), Box::new(term(1, 1)));
                    let second = Expr::Cmp(
                        ops[(n + 3) % 6],
                        Box::new(Expr::Mod {
                            num: Box::new(Expr::Var(VarId(0))),
                            den: Int::from(3),
                            non_negative: true,
                        }),
                        Box::new(int(1)),
                    );
                    let l = Loop {
                        id: 0,
                        var: VarId(0),
                        lower: int(-4),
                        upper: int(9),
                        step,
                        marks: ForMarks::default(),
                        vectors: false,
                        body: Box::new(Tree::Block(vec![Tree::If {
                            cond: Expr::And(vec![first, second]),
                            then: Box::new(Tree::Block(Vec::new())),
                            otherwise: None,
                        }])),
                        inner: Vec::new(),
                        loc: Loc::unknown(),
                    };
                    let mut before = l.clone();
                    before.body = match *l.body.clone() {
                        Tree::Block(mut c) => Box::new(c.remove(0)),
                        other => Box::new(other),
                    };
                    let (before, after) = (Tree::Loop(before), tightened(l));
                    for outer in -5..12 {
                        assert_eq!(executed(&before, outer), executed(&after, outer), "{op:?} {c} {outer}");
                    }
                }
            }
        }
    }
}
