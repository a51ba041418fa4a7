//! The calculator: what expressions give, and where errors are.

use tilia_presburger::calc::{self, Session};
use tilia_presburger::{Budget, Parse, Set};

fn run(text: &str) -> String {
    calc::eval(text, &Budget::default())
        .unwrap_or_else(|e| panic!("{}", e.render(text)))
        .to_string()
}

#[track_caller]
fn gives(text: &str, result: &str) {
    assert_eq!(run(text), result, "{text}");
}

#[track_caller]
fn same_set(text: &str, set: &str) {
    let b = Budget::default();
    let (ours, theirs) = (Set::parse(&run(text), &b).unwrap(), Set::parse(set, &b).unwrap());
    assert!(ours.is_equal(&theirs, &b).unwrap(), "{text} gives {ours}");
}

#[track_caller]
fn fails(text: &str, column: u32, message: &str) {
    match calc::eval(text, &Budget::default()) {
        Ok(v) => panic!("{text} gives {v}"),
        Err(e) => {
            assert!(e.message().contains(message), "{}", e.render(text));
            assert_eq!(e.column(), column, "{}", e.render(text));
        }
    }
}

#[test]
fn operations_by_name() {
    same_set(
        "lexmin(intersect([n] -> { [i] : 0 <= i < n }, { [i] : i mod 3 = 1 }))",
        "[n] -> { [1] : n >= 2 }",
    );
    same_set("{ [i] : 0 <= i < 3 }", "{ [i] : 0 <= i <= 2 }");
    same_set(
        "project_out({ [i, j] : 2i = j and 0 <= j <= 9 }, set, 1, 1)",
        "{ [i] : 0 <= i <= 4 }",
    );
    same_set("apply({ [3] }, { [i] -> [i + 1, 2i] })", "{ [4, 6] }");
    same_set("eq_set({ [i] -> [(i)] : i > 0 }, { [i] -> [(4 - i)] })", "{ [2] }");
    gives("is_empty({ [i] : 2i = 1 })", "true");
    gives("is_subset({ A[i] : i > 3; B[] }, { A[i] : i > 2; B[] })", "true");
    gives("is_equal({ A[i] -> B[i] }, reverse({ B[i] -> A[i] }))", "true");
    gives(
        "max_val({ [i, j] : 0 <= i, j <= 5 and i + j <= 7 }, { [i, j] -> [(2i + j)] })",
        "12",
    );
    gives("max_val({ [i] : i >= 0 }, { [i] -> [(i)] })", "infty");
    gives("n_set(union({ A[i] }, { B[i] }))", "2");
    gives("dim([n] -> { [i, j] -> [k] }, in)", "2");
    gives("floor_div({ [i] -> [i + 1] }, 2)", "{ [i] -> [(floor((1 + i)/2))] }");
    gives("as_union_map([{ S[i] -> [(i)] }, { S[i] -> [(0)] }])", "{ S[i] -> [i, 0] }");
    gives("-12", "-12");
    gives("true", "true");
    gives("sample_point({ [i] : i > i })", "void");
    gives("isl_union_set_is_empty({ })", "true");
    gives("domain({ [i] -> [i] : i > 0 })", "{ [i] : i > 0 }");
    gives("is_empty({ })", "true");
    gives("union_map({ })", "{ }");
    gives("dim_max([n] -> { [i] : 0 <= i < n }, 0)", "[n] -> { [(-1 + n)] : n > 0 }");
}

#[test]
fn counts_by_name() {
    gives("card([n] -> { [i, j] : 0 <= i < n and 0 <= j < 3 })", "[n] -> { (3 * n) : n > 0 }");
    gives("degree(isl_set_card([n] -> { [i, j] : 0 <= i, j < n }))", "2");
    gives("card({ A[i] : 0 <= i < 4; B[i, j] : 0 <= i < j < 4 })", "{ (10) }");
    gives(
        "card([n] -> { [i] -> [j] : 0 <= j < i <= n })",
        "[n] -> { [i] -> (i) : 0 < i <= n }",
    );
    gives("count_val({ [i, j] : 0 <= i, j < 1000000 and i < j })", "499999500000");
    gives("growth_degree([n] -> { [i, j] : 0 <= i < n and i <= j < i + 7 })", "1");
    gives("growth_degree({ [i] : i != i })", "-1");
    gives(
        "isl_pw_qpolynomial_eval(card([n] -> { [i] : 0 <= 2i < n }), [n] -> { : n = 9 })",
        "5",
    );
    gives(
        "add(card([n] -> { [i] : 0 <= i < n }), card([m] -> { [i] : 0 <= i < m }))",
        "[n, m] -> { (n) : n > 0 and m <= 0; (m + n) : n > 0 and m > 0; (m) : n <= 0 and m > 0 }",
    );
    fails("card({ [i] : i >= 0 })", 1, "unbounded");
    fails("eval(card([n] -> { [i] : 0 <= i < n }), [n] -> { : n > 3 })", 1, "isn't one point");
}

#[test]
fn variables_live_in_a_session() {
    let b = Budget::default();
    let mut session = Session::new();
    session.run("A := { [i] : 0 <= i <= 9 }", &b).unwrap();
    let (name, value) = session.run("B := intersect(A, { [i] : i mod 2 = 0 });", &b).unwrap();
    assert_eq!(name.as_deref(), Some("B"));
    assert_eq!(value.kind().name(), "set");
    assert_eq!(session.run("is_subset(B, A)", &b).unwrap().1.to_string(), "true");
    assert_eq!(session.run("is_subset(A, B)", &b).unwrap().1.to_string(), "false");
    assert_eq!(session.variables().map(|(n, _)| n).collect::<Vec<_>>(), ["A", "B"]);
    assert!(session.run("C := nothing", &b).is_err());
    assert_eq!(session.variables().count(), 2);
}

#[test]
fn errors_have_places() {
    fails("lexmni({ [i] })", 1, "is it `lexmin`?");
    fails(
        "intersect({ [i] })",
        1,
        "`intersect` doesn't take (set); there is intersect(set, set) -> set",
    );
    fails("intersect({ [i] }, { [i, j] })", 1, "spaces do not match");
    fails("intersect({ [i] }, { [i] : j > 0 })", 28, "unknown name `j`");
    fails("lexmin({ [i] : i < 0 })", 1, "unbounded");
    fails("floor_div({ [i] -> [i/2] }, 2)", 21, "may be a fraction");
    fails("foo", 1, "unknown name `foo`");
    fails("lexmin", 1, "is a function");
    fails("lexmin({ [i] }", 15, "`,` or `)`");
    fails("{ [i] } { [i] }", 9, "the end of the text");
    fails("", 1, "a set, a number or a function");
    fails("project_out({ [i] }, set, 1, 1)", 1, "there are only 1 such dimensions");
    fails("fix({ [i] }, set, 99999999999999999999, 1)", 1, "no number of dimensions");
    fails("floor_div({ [i] -> [i] }, 0)", 1, "must be positive");
    fails(&"lexmin(".repeat(50_000), 708, "nested deeper");
    let b = Budget::new(10);
    let e = calc::eval(
        "subtract({ [i,j] : 0 <= i,j <= 9 }, { [i,j] : i mod 3 = 1 and j mod 2 = 0 and i <= j })",
        &b,
    )
    .unwrap_err();
    assert!(e.message().contains("out of budget"), "{e}");
}

#[test]
fn the_table_of_functions_is_complete() {
    let names: Vec<&str> = calc::functions().map(|f| f.name).collect();
    assert!(names.len() > 150 && names.contains(&"gist"));
    for f in calc::functions() {
        assert!(f.signature.starts_with(&format!("{}(", f.name)) && !f.help.is_empty());
    }
}
