//! Printing, checking, tidying and executing small hand-made ASTs.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use tilia_ast::{Ast, CmpOp, EvalError, Expr, For, ForMarks, Node, VarId};
use tilia_presburger::{Id, Int};

fn var(n: u32) -> Expr {
    Expr::Var(VarId(n))
}

fn user(stmt: &str, args: Vec<Expr>) -> Node {
    Node::User { stmt: Id::new(stmt), args }
}

fn loop_over(n: u32, lower: Expr, upper: Expr, step: i64, body: Node) -> For {
    For {
        var: VarId(n),
        lower,
        upper,
        step: Int::from(step),
        body: Box::new(body),
        marks: ForMarks::default(),
        depth: n,
    }
}

fn ast(root: Node, vars: &[&str]) -> Ast {
    Ast {
        root,
        vars: vars.iter().map(Id::new).collect(),
    }
}

fn triangle() -> Ast {
    let inner = loop_over(1, var(0).plus(1), Expr::param("n").plus(-1), 2, user("S", vec![var(0), var(1)]));
    let mut outer = loop_over(0, Expr::int(0), Expr::param("n").plus(-2), 1, Node::For(inner));
    outer.marks.parallel = true;
    ast(Node::For(outer), &["i", "j"])
}

#[test]
fn prints_like_c() {
    let text = triangle().to_string();
    assert_eq!(
        text,
        "for (i = 0; i < n - 1; i += 1) // parallel\n  for (j = i + 1; j < n; j += 2)\n    S(i, j);\n"
    );
}

#[test]
fn parenthesises_by_precedence() {
    let a = ast(Node::Block(vec![]), &["i"]);
    let sum = Expr::sum([var(0), Expr::param("n").times(&Int::from(-3)), Expr::int(-4)]);
    let cases = [
        (sum.clone(), "i - 3 * n - 4"),
        (sum.clone().floor_div(&Int::from(4), true), "(i - 3 * n - 4) / 4"),
        (sum.clone().floor_div(&Int::from(4), false), "floord(i - 3 * n - 4, 4)"),
        (
            Expr::Mul(Int::from(4), Box::new(sum.clone().floor_div(&Int::from(4), true))),
            "4 * ((i - 3 * n - 4) / 4)",
        ),
        (Expr::Mul(Int::from(-1), Box::new(var(0))), "-i"),
        (
            Expr::sum([Expr::param("n"), var(0).modulo(&Int::from(4), true).times(&Int::from(-1))]),
            "n - i % 4",
        ),
        (
            Expr::min_of(vec![var(0), Expr::int(7), Expr::int(3), Expr::param("n")]),
            "min(min(i, n), 3)",
        ),
        (
            Expr::any([
                Expr::all([
                    Expr::cmp(CmpOp::Ge, var(0), Expr::int(1)),
                    Expr::cmp(CmpOp::Lt, var(0), Expr::param("n")),
                ]),
                Expr::cmp(CmpOp::Eq, var(0).modulo(&Int::from(3), false), Expr::int(0)),
            ]),
            "i >= 1 && i < n || i % 3 == 0",
        ),
        (
            Expr::cmp(CmpOp::Eq, var(0).modulo(&Int::from(3), false), Expr::int(1)),
            "floormod(i, 3) == 1",
        ),
    ];
    for (e, want) in cases {
        assert_eq!(a.expr_text(&e), want);
    }
}

#[test]
fn executes_in_order_and_counts() {
    let trace = triangle().execute([(Id::new("n"), Int::from(4))], 1000).unwrap();
    let got: Vec<(i64, i64)> = trace
        .instances
        .iter()
        .map(|i| (i.args[0].to_i64().unwrap(), i.args[1].to_i64().unwrap()))
        .collect();
    assert_eq!(got, [(0, 1), (0, 3), (1, 2), (2, 3)]);
    assert_eq!(trace.iterations, 3 + 4);
    assert_eq!(trace.conditions, 0);
}

#[test]
fn execution_reports_missing_names_broken_promises_and_empty_fuel() {
    assert_eq!(triangle().execute([], 1000), Err(EvalError::UnboundParam(Id::new("n"))));
    assert_eq!(
        triangle().execute([(Id::new("n"), Int::from(1000))], 50),
        Err(EvalError::OutOfFuel(50))
    );
    let bad = ast(
        user(
            "S",
            vec![Expr::FloorDiv {
                num: Box::new(Expr::param("n")),
                den: Int::from(2),
                non_negative: true,
            }],
        ),
        &[],
    );
    assert!(matches!(
        bad.execute([(Id::new("n"), Int::from(-1))], 10),
        Err(EvalError::Division(_))
    ));
}

#[test]
fn verifier_finds_each_kind_of_mistake() {
    assert!(triangle().verify().is_ok());
    let twice = Node::Block(vec![
        Node::For(loop_over(0, Expr::int(0), Expr::int(3), 1, user("S", vec![var(0)]))),
        Node::For(loop_over(0, Expr::int(0), Expr::int(3), 0, user("S", vec![var(0)]))),
        user("T", vec![var(0), Expr::Bool(true)]),
        Node::If {
            cond: Expr::int(1),
            then: Box::new(user("T", vec![Expr::Add(vec![var(7)])])),
            otherwise: None,
        },
    ]);
    let errors = ast(twice, &["i"]).verify().unwrap_err();
    let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        [
            "in for i: the step 0 isn't positive",
            "in for i: the iterator is bound twice",
            "in T: iterator i is used outside its loop",
            "in T: a condition stands where an integer is needed",
            "an integer stands where a condition is needed",
            "in T: a sum of fewer than 2",
            "in T: iterator v7 is used outside its loop",
        ]
    );
}

#[test]
fn simplifier_removes_what_cannot_run() {
    let node = Node::Block(vec![
        Node::If {
            cond: Expr::Bool(false),
            then: Box::new(user("A", vec![])),
            otherwise: Some(Box::new(user("B", vec![]))),
        },
        Node::For(loop_over(0, Expr::int(3), Expr::int(2), 1, user("C", vec![var(0)]))),
        Node::If {
            cond: Expr::cmp(CmpOp::Gt, Expr::param("n"), Expr::int(0)),
            then: Box::new(Node::Block(vec![Node::Block(vec![])])),
            otherwise: Some(Box::new(user("D", vec![]))),
        },
    ]);
    assert_eq!(ast(node, &["i"]).simplified().to_string(), "B();\nif (n <= 0)\n  D();\n");
}
