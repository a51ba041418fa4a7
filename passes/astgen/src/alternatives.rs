//! Neighbouring conditions that exclude each other become `if .. else ..`.

use tilia_ast::{CmpOp, Expr, Node};
use tilia_presburger::Int;

/// Joins `if (c) a; if (c) b; if (!c) d;`, as long as nothing stands between them: statement instances can't change a condition.
pub(crate) fn join(nodes: Vec<Node>) -> Vec<Node> {
    let mut out: Vec<Node> = Vec::with_capacity(nodes.len());
    for n in nodes {
        match (out.pop(), n) {
            (Some(first), second) if how(&first, &second).is_some() => {
                let same = how(&first, &second) == Some(true);
                out.push(both(first, second, same));
            }
            (first, second) => {
                out.extend(first);
                out.push(second);
            }
        }
    }
    out
}

/// Do both depend on the same condition (true), or each on the other's opposite (false)?
fn how(first: &Node, second: &Node) -> Option<bool> {
    let (Node::If { cond: a, .. }, Node::If { cond: b, .. }) = (first, second) else {
        return None;
    };
    if a == b {
        return Some(true);
    }
    complementary(a, b).then_some(false)
}

fn both(first: Node, second: Node, same: bool) -> Node {
    match (first, second) {
        (
            Node::If { cond, then, otherwise },
            Node::If {
                then: yes, otherwise: no, ..
            },
        ) => {
            let (yes, no) = if same { (Some(yes), no) } else { (no, Some(yes)) };
            let one = |list: [Option<Box<Node>>; 2]| {
                let list: Vec<Node> = list.into_iter().flatten().map(|n| *n).collect();
                (!list.is_empty()).then(|| Box::new(Node::sequence(join_blocks(list))))
            };
            Node::If {
                cond,
                then: one([Some(then), yes]).unwrap_or_else(|| Box::new(Node::Block(Vec::new()))),
                otherwise: one([otherwise, no]),
            }
        }
        (first, second) => Node::sequence(vec![first, second]),
    }
}

/// What stands at the end of one and at the beginning of the next may be joined, too.
fn join_blocks(list: Vec<Node>) -> Vec<Node> {
    let mut flat = Vec::new();
    for n in list {
        match n {
            Node::Block(inner) => flat.extend(inner),
            n => flat.push(n),
        }
    }
    join(flat)
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

/// `x >= y + 1` and `x <= y` and their like, however the constants are written.
fn apart(p: CmpOp, a: (&Expr, &Expr), q: CmpOp, b: (&Expr, &Expr)) -> bool {
    if a.0 == b.1 && a.1 == b.0 {
        return swapped(p).negated() == q;
    }
    if a.0 != b.0 {
        return false;
    }
    let ((x, k), (y, l)) = (split_constant(a.1), split_constant(b.1));
    if x != y {
        return false;
    }
    // As bounds that belong to what they bound.
    let bound = |op: CmpOp, k: Int| match op {
        CmpOp::Le => Some((false, k)),
        CmpOp::Lt => Some((false, &k - &Int::ONE)),
        CmpOp::Ge => Some((true, k)),
        CmpOp::Gt => Some((true, &k + &Int::ONE)),
        _ => None,
    };
    match (bound(p, k), bound(q, l)) {
        (Some((true, low)), Some((false, high))) | (Some((false, high)), Some((true, low))) => low == &high + &Int::ONE,
        _ => false,
    }
}

/// The terms of a sum and its constant.
fn split_constant(e: &Expr) -> (Vec<Expr>, Int) {
    let terms = match e {
        Expr::Add(list) => &list[..],
        one => std::slice::from_ref(one),
    };
    let mut constant = Int::ZERO;
    let mut rest = Vec::with_capacity(terms.len());
    for t in terms {
        match t.as_int() {
            Some(k) => constant += k,
            None => rest.push(t.clone()),
        }
    }
    (rest, constant)
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
