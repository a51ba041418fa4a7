//! The parser against texts that isl accepts or refuses.

use super::parser::Parser;
use super::syntax::{Body, Entry, ExprKind, FormulaKind, MultiKind, Object, TupleKind};

fn parse(text: &str) -> Object {
    let mut parser = Parser::new(text).unwrap();
    let object = parser.object().unwrap_or_else(|e| panic!("{}", e.render(text)));
    parser.expect_end().unwrap();
    object
}

fn refuse(text: &str, column: u32, message: &str) {
    let error = Parser::new(text)
        .and_then(|mut p| {
            p.object()?;
            p.expect_end()
        })
        .expect_err(text);
    assert!(error.message.contains(message), "{text}: {}", error.render(text));
    assert_eq!(error.column, column, "{}", error.render(text));
}

#[test]
fn accepts_what_isl_accepts() {
    for text in [
        "{ }",
        "[n] -> { }",
        "{ : }",
        "[n] -> { : n > 0 }",
        "[] -> { [] }",
        "[n,m] -> { S[i,j] : 0 <= i < n and exists e : i = 2e+1 and j <= m or i = 3 }",
        "[n] -> { [n,i]; [*,i] : i > 0; [i=3,j]; [0:5]; [0:]; [:5]; [:] }",
        "{ A[[i] -> [j]] -> B[C[i] -> D[j]] }",
        "{ [i] -> [i'] : i' = i+1 }",
        "{ [i,j] : i,j << j,i and (i, j <<= j, i) }",
        "{ [i] : i < 0 implies i > -10 }",
        "{ and[i] -> floor[i] }",
        "{ [i][j] : i > j }",
        "{ [i] -> [i > 3 ? 1 : 0] }",
        "{ [i] -> [(i > 3 and i < 8) ? 1 : (i = 2 ? 3 : 4)] }",
        "{ [i] -> [not (i > 3) ? 1 : 0] }",
        "{ S[i] -> T[((i) : i > 0; (3) : i < 0), i+1] }",
        "{ S[i] -> T[i : i > 0; 3 : i < 0] }",
        "[n] -> [{ S[i,j] -> [(i)]; T[i] -> [(i)] }, { S[i,j] -> [(j)]; T[i]->[0] : i < n}]",
        "L[{ S[i] -> [i] }]",
        "L[]",
        "[n] -> L[]",
        "[]",
        "(L[] : { A[i] : i > 0 })",
        "[n] -> [[{ A[i] -> [i] }] -> [{ A[i] -> [n] }]]",
        "[[{ A[i] -> [i] }] -> [{ A[i] -> [0] }]]",
        "[n] -> { [(n)] : n > 0 }",
        "{ [i] : !(i=3) && i < 5 || not not i = 3 } # comment",
        "{ [i] : ((((((i)))))) >= ((3)) and ((((((i = 3)))))) }",
        "{ [i] : (i + 1) * 2 <= 3 and (i <= 3 or i = 7) }",
        "{ [i] : min(i, 3, 2i) >= max(0) and floord(i, 3) = ceild(i,4) and [i/2] = ceil(i/2) }",
        "{ [i, j] : exists (e, f = i - 1 : e = f and j = e) }",
        "{ \"%arg0\"[\"x y\"] : \"x y\" > 0; }",
    ] {
        parse(text);
    }
}

#[test]
fn locates_errors() {
    refuse("{ [i] : j > 0 }", 9, "unknown name `j`");
    refuse("{ [i] : i >= }", 14, "expected an expression, found `}`");
    refuse("{ [i] : i }", 11, "a comparison operator");
    refuse("{ [i] : i > 0", 14, "the end of the text");
    refuse("{ [i : i > 0 }", 6, "`,` or `]`");
    refuse("[n, n] -> { }", 5, "declared twice");
    refuse("{ rat: [i] }", 3, "rational");
    refuse("{ [i] : i < infty }", 13, "infinities");
    refuse("{ [i] : i / i = 2 }", 13, "constant divisor");
    refuse("{ [i] : exists i : i = 2 }", 16, "fresh name");
    refuse("{ [i,j] : i << i, j }", 13, "same number");
    refuse("{ [i] : (i > 3) + 1 > 2 }", 17, "expected");
    refuse("{ [i] } x", 9, "the end of the text");
    refuse("{ [i] -> [i > 3] }", 16, "`?`");
}

#[test]
fn hostile_nesting_is_an_error() {
    for open in ["(", "[", "-(", "2 * (", "floor("] {
        let text = format!("{{ [i] : {}i", open.repeat(50_000));
        let error = Parser::new(&text).unwrap().object().unwrap_err();
        assert!(error.message.contains("nested deeper"), "{}", error.message);
    }
    let tuple = format!("{{ {}", "[".repeat(50_000));
    assert!(Parser::new(&tuple).unwrap().object().is_err());
    let exists = format!("{{ [i] : {}", "exists (a : ".repeat(50_000));
    assert!(Parser::new(&exists).unwrap().object().is_err());
    let signs = format!("{{ [i] : {}i > 0 and {} i > 0 }}", "-".repeat(50_001), "not ".repeat(50_000));
    parse(&signs);
}

#[test]
fn numbers_bind_like_in_isl() {
    let body = |text: &str| {
        let Body::Braces(mut pieces) = parse(text).body else { panic!() };
        let FormulaKind::Compare(mut first, _) = pieces.remove(0).formula.unwrap().kind else {
            panic!()
        };
        first.remove(0).kind
    };
    // 2 (i mod 3), not (2 i) mod 3.
    assert!(matches!(body("{ [i] : 2i mod 3 = 1 }"), ExprKind::Product(_, f) if matches!(f.kind, ExprKind::Mod(..))));
    assert!(matches!(body("{ [i] : -5 mod 3 = i }"), ExprKind::Mod(n, _) if matches!(&n.kind, ExprKind::Number(d) if d == "-5")));
    assert!(matches!(body("{ [i] : -i mod 3 = i }"), ExprKind::Sum(t) if t[0].0));
}

#[test]
fn fresh_names_declare_and_known_names_are_used() {
    let Body::Braces(pieces) = parse("[n] -> { [i, n, i, j = i + 1] }").body else {
        panic!()
    };
    let TupleKind::Flat(entries) = &pieces[0].tuples[0].kind else {
        panic!()
    };
    assert!(matches!(
        &entries[..],
        [
            Entry::Declared(_, None),
            Entry::Expr(_),
            Entry::Expr(_),
            Entry::Declared(_, Some(_))
        ]
    ));
    let Body::Multi { tuple, .. } = parse("L[{ S[i] -> [i] }, { S[i] -> [2i] }]").body else {
        panic!()
    };
    assert!(matches!(tuple.kind, MultiKind::Flat(m) if m.len() == 2));
}
