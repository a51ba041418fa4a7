//! Neighbouring conditions that exclude each other become `if .. else ..`.

use tilia_ast::{CmpOp, Expr, Node};

/// Joins `if (c) a; if (!c) b;`, as long as nothing stands between them: statement instances can't change a condition.
pub(crate) fn join(nodes: Vec<Node>) -> Vec<Node> {
    let mut out: Vec<Node> = Vec::with_capacity(nodes.len());
    for n in nodes {
        if let (
            Some(Node::If {
                cond: first,
                otherwise: slot @ None,
                ..
            }),
            Node::If {
                cond: second,
                then,
                otherwise: None,
            },
        ) = (out.last_mut(), &n)
            && complementary(first, second)
        {
            *slot = Some(then.clone());
            continue;
        }
        out.push(n);
    }
    out
}

fn complementary(a: &Expr, b: &Expr) -> bool {
    let (Expr::Cmp(p, a1, a2), Expr::Cmp(q, b1, b2)) = (a, b) else {
        return false;
    };
    let halves = matches!((p, q), (CmpOp::Eq, CmpOp::Eq)) && a1 == b1 && is_bit(a1) && {
        let zero_or_one = |e: &Expr| e.as_int().is_some_and(|v| v.is_zero() || v.is_one());
        zero_or_one(a2) && zero_or_one(b2) && a2 != b2
    };
    halves || (a1 == b1 && a2 == b2 && p.negated() == *q) || apart(*p, (a1, a2), *q, (b1, b2))
}

/// Is the expression 0 or 1?
fn is_bit(e: &Expr) -> bool {
    matches!(e, Expr::Mod { den, .. } if *den == 2)
}

/// `x >= y + 1` and `x <= y` and their like, where the constants are on one side.
fn apart(p: CmpOp, a: (&Expr, &Expr), q: CmpOp, b: (&Expr, &Expr)) -> bool {
    if a.0 == b.1 && a.1 == b.0 {
        return swapped(p).negated() == q;
    }
    let (Expr::Int(x), Expr::Int(y)) = (a.1, b.1) else { return false };
    if a.0 != b.0 {
        return false;
    }
    match (p, q) {
        (CmpOp::Ge, CmpOp::Le) => *x == y + &tilia_presburger::Int::ONE,
        (CmpOp::Le, CmpOp::Ge) => *y == x + &tilia_presburger::Int::ONE,
        _ => false,
    }
}

fn swapped(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Lt => CmpOp::Gt,
        CmpOp::Le => CmpOp::Ge,
        CmpOp::Gt => CmpOp::Lt,
        CmpOp::Ge => CmpOp::Le,
        op => op,
    }
}
