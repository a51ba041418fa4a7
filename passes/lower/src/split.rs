//! Loops cut where the conditions in them change.
//!
//! An innermost loop with conditions on its iterator becomes up to three: one over the iterations where all of them hold, free of conditions, and what comes before and after. Conditions that
//! don't mention the iterator choose between that and the loop as it was. The order of instances stays what it was. (Index set splitting, and unswitching; what the
//! AST generator can't tell apart at a reasonable price, like the corners of skewed and triangular tiles, loses its conditions here.)

use crate::tighten::{all, at_least, at_most, borders, conjuncts, mentions, shifted};
use crate::tree::{Loop, Tree};
use tilia_ast::{Expr, VarId};

/// Instances in the body of a loop beyond which it isn't copied.
const MAX_INSTANCES: usize = 64;
/// Different conditions beyond which a loop stays as it is.
const MAX_CONDITIONS: usize = 16;

/// The conditions in a loop's body.
#[derive(Default)]
struct Conditions {
    lowers: Vec<Expr>,
    uppers: Vec<Expr>,
    fixed: Vec<Expr>,
}

/// The loop in pieces, if that rids it of conditions.
pub(crate) fn split(l: Loop) -> Tree {
    let Some(conditions) = conditions(&l) else { return Tree::Loop(l) };
    let Conditions { lowers, uppers, fixed } = conditions;
    let main = Loop {
        lower: at_least(&l.lower, lowers.clone()),
        upper: at_most(&l.upper, uppers.clone()),
        body: Box::new(without(&l.body, l.var)),
        ..l.clone()
    };
    let mut pieces = Vec::new();
    if let Some(first) = greatest(&lowers) {
        pieces.push(Tree::Loop(Loop {
            upper: at_most(&l.upper, [shifted(first, -1)]),
            ..l.clone()
        }));
    }
    pieces.push(Tree::Loop(main));
    if let Some(last) = least(&uppers) {
        let after = lowers.into_iter().chain([shifted(last, 1)]);
        pieces.push(Tree::Loop(Loop {
            lower: at_least(&l.lower, after),
            ..l.clone()
        }));
    }
    let pieces = Tree::Block(pieces);
    if fixed.is_empty() {
        return pieces;
    }
    Tree::If {
        cond: all(fixed),
        then: Box::new(pieces),
        otherwise: Some(Box::new(Tree::Loop(l))),
    }
}

fn greatest(list: &[Expr]) -> Option<Expr> {
    let (first, rest) = list.split_first()?;
    Some(at_least(first, rest.iter().cloned()))
}

fn least(list: &[Expr]) -> Option<Expr> {
    let (first, rest) = list.split_first()?;
    Some(at_most(first, rest.iter().cloned()))
}

/// The conditions by which to cut a loop; `None` where that isn't possible, or not worth it.
fn conditions(l: &Loop) -> Option<Conditions> {
    if l.step != 1 || l.marks.degenerate || !l.body.is_innermost() {
        return None;
    }
    let mut count = 0;
    l.body.instances(&mut |_| count += 1);
    let mut found = Conditions::default();
    find(&l.body, l.var, &mut found);
    let number = found.lowers.len() + found.uppers.len() + found.fixed.len();
    (count <= MAX_INSTANCES && (1..=MAX_CONDITIONS).contains(&number)).then_some(found)
}

/// Sorts the conditions under which parts of a body execute.
fn find(tree: &Tree, var: VarId, found: &mut Conditions) {
    match tree {
        Tree::Block(children) => children.iter().for_each(|c| find(c, var, found)),
        Tree::If { cond, then, .. } => {
            for cond in conjuncts(cond.clone()) {
                if !mentions(&cond, var) {
                    note(&mut found.fixed, cond);
                } else if let Some(b) = interval(&cond, var) {
                    b.0.into_iter().for_each(|e| note(&mut found.lowers, e));
                    b.1.into_iter().for_each(|e| note(&mut found.uppers, e));
                }
            }
            find(then, var, found);
        }
        Tree::Loop(_) | Tree::Inst(_) => {}
    }
}

fn note(list: &mut Vec<Expr>, e: Expr) {
    if !list.contains(&e) {
        list.push(e);
    }
}

/// Lower and upper border of a condition that holds for many iterations: an equation is no condition to make a loop for.
fn interval(cond: &Expr, var: VarId) -> Option<(Option<Expr>, Option<Expr>)> {
    let b = borders(cond, var)?;
    (b.lower.is_none() || b.upper.is_none()).then_some((b.lower, b.upper))
}

/// The body where all the conditions found hold.
fn without(tree: &Tree, var: VarId) -> Tree {
    match tree {
        Tree::Block(children) => Tree::Block(children.iter().map(|c| without(c, var)).collect()),
        Tree::If { cond, then, otherwise } => {
            let keep = |c: &Expr| mentions(c, var) && interval(c, var).is_none();
            let kept: Vec<Expr> = conjuncts(cond.clone()).into_iter().filter(keep).collect();
            let then = without(then, var);
            if kept.is_empty() {
                return then;
            }
            Tree::If {
                cond: all(kept),
                then: Box::new(then),
                otherwise: otherwise.clone(),
            }
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tighten::tests::{holds, int};
    use crate::tree::Inst;
    use tilia_ast::{CmpOp, ForMarks};
    use tilia_diag::Loc;
    use tilia_presburger::Int;
    use tilia_scop::StmtId;

    fn inst(n: u32) -> Tree {
        Tree::Inst(Inst {
            stmt: StmtId(n),
            args: Vec::new(),
            lets: Vec::new(),
            touches: Vec::new(),
            lane: None,
        })
    }

    fn when(cond: Expr, then: Vec<Tree>, otherwise: Option<Tree>) -> Tree {
        Tree::If {
            cond,
            then: Box::new(Tree::Block(then)),
            otherwise: otherwise.map(Box::new),
        }
    }

    /// What a tree executes: statements with the values of iterator 0; iterator 1 is `outer`.
    fn run(tree: &Tree, i: i64, outer: i64, done: &mut Vec<(u32, i64)>) {
        let value = move |v: VarId| if v == VarId(0) { i } else { outer };
        match tree {
            Tree::Block(children) => children.iter().for_each(|c| run(c, i, outer, done)),
            Tree::If { cond, then, otherwise } => {
                if holds(cond, &value) != 0 {
                    run(then, i, outer, done);
                } else if let Some(o) = otherwise {
                    run(o, i, outer, done);
                }
            }
            Tree::Loop(l) => {
                for i in holds(&l.lower, &value)..=holds(&l.upper, &value) {
                    run(&l.body, i, outer, done);
                }
            }
            Tree::Inst(inst) => done.push((inst.stmt.0, i)),
        }
    }

    #[test]
    fn the_same_instances_in_the_same_order() {
        let (i, n) = (Expr::Var(VarId(0)), Expr::Var(VarId(1)));
        let cmp = |op, a: &Expr, b: Expr| Expr::Cmp(op, Box::new(a.clone()), Box::new(b));
        let twice = Expr::Mul(Int::from(2), Box::new(n.clone()));
        let body = Tree::Block(vec![
            inst(0),
            when(
                Expr::And(vec![cmp(CmpOp::Ge, &i, n.clone()), cmp(CmpOp::Lt, &n, int(4))]),
                vec![inst(1), when(cmp(CmpOp::Gt, &i, shifted(n.clone(), 2)), vec![inst(2)], None)],
                Some(inst(3)),
            ),
            when(cmp(CmpOp::Le, &i, twice), vec![inst(4)], None),
            when(cmp(CmpOp::Eq, &i, int(3)), vec![inst(5)], Some(inst(6))),
        ]);
        let l = Loop {
            id: 0,
            var: VarId(0),
            lower: int(-3),
            upper: int(9),
            step: 1,
            marks: ForMarks::default(),
            vectors: false,
            body: Box::new(body),
            inner: Vec::new(),
            loc: Loc::unknown(),
        };
        let before = Tree::Loop(l.clone());
        let after = split(l);
        assert!(!matches!(after, Tree::Loop(_)));
        for outer in -6..8 {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            run(&before, 0, outer, &mut a);
            run(&after, 0, outer, &mut b);
            assert_eq!(a, b, "{outer}");
        }
    }
}
