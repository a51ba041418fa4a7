//! Scripts: what they see and answer, their limits, and the places of their errors.

use crate::views::{Program, candidate};
use tilia_strategy::{Code, CostFunction, DimConfig, RowKind, ScriptStrategy, Strategy, StrategyError, Verdict};

fn configure(text: &str, program: &Program) -> Result<DimConfig, StrategyError> {
    let mut s = ScriptStrategy::parse("s.rhai", text)?;
    program.view(|v| s.begin(v))?;
    program.view(|v| s.configure(v))
}

#[test]
fn sees_the_view() {
    let text = r#"
        const LIMIT = 3;
        fn helper(v) { v.stmts.len() + v.current.len() }
        fn configure(v) {
            if helper(v) != 4 { throw "statements"; }
            if v.stmts[1].depth != 2 || v.stmts[1].rank != 1 || v.stmts[0].iters[0] != "i0" { throw "statement"; }
            if v.rows[-1].parallel != true || v.rows[0].kind != "loop" || v.rows[0].cost[0] != "proximity" { throw "row"; }
            if v.dim != 1 || v.band != 0 || v.last != "found" || v.params[0].name != "N" || v.params[0].estimate != 100 { throw "view"; }
            if v.components != [[0, 1]] || v.target.cores != () || !v.band_has_parallel_row || v.is_band_start { throw "rest"; }
            if global::LIMIT != 3 { throw "constants"; }
            #{ cost_functions: ["contiguity", "x"], constraints: [`S0_it_0 >= ${v.dim}`], new_variables: ["x"], stmts_fusion: [["0"], [1]],
               options: #{ lazy: true }, on_infeasible: "drop_constraints" }
        }
    "#;
    let program = Program::new(&[2, 2]).row(RowKind::Loop, true);
    let answer = configure(text, &program).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(answer.cost, [CostFunction::Contiguity, CostFunction::Variable("x".into())]);
    assert_eq!(answer.constraints[0].to_string(), "S0_it_0 - 1 >= 0");
    assert_eq!(answer.options.unwrap().lazy, Some(true));
    assert!(answer.partition.is_some());
}

#[test]
fn begin_and_accept() {
    let text = r#"
        fn begin(v) { #{ directives: [#{ type: "parallel", stmts: [0], iterator: 1 }], auto_vectorization: true } }
        fn configure(v) { #{} }
        fn accept(v, row) { if row.parallel { true } else { #{ cost_functions: ["feautrier"] } } }
    "#;
    let mut s = ScriptStrategy::parse("s.rhai", text).unwrap();
    let program = Program::new(&[2]);
    let globals = program.view(|v| s.begin(v)).unwrap();
    assert!(globals.auto_vectorization && globals.directives[0].iterator == 1);
    let cost = [CostFunction::Proximity];
    assert_eq!(program.view(|v| s.configure(v)).unwrap().cost, cost);
    assert_eq!(program.view(|v| s.accept(v, &candidate(true, &cost, &[]))).unwrap(), Verdict::Keep);
    let verdict = program.view(|v| s.accept(v, &candidate(false, &cost, &[]))).unwrap();
    assert_eq!(verdict, Verdict::Retry(Box::new(DimConfig::minimise([CostFunction::Feautrier]))));
    // A directive that the program can't hold.
    let error = Program::new(&[1]).view(|v| s.begin(v)).unwrap_err();
    assert_eq!((error.code, error.place.line), (Code::UnknownIndex, 2));
}

/// The same view gives the same answer: nothing is kept between calls.
#[test]
fn nothing_is_kept() {
    let text = "let n = 0; fn configure(v) { let m = [1]; m.push(2); #{ constraints: [`S0_it_0 >= ${m.len()}`] } }";
    let mut s = ScriptStrategy::parse("s.rhai", text).unwrap();
    let program = Program::new(&[1]);
    let first = program.view(|v| s.configure(v)).unwrap();
    assert_eq!(first, program.view(|v| s.configure(v)).unwrap());
}

#[test]
fn errors_have_places() {
    for (text, code, line, says) in [
        ("fn configure(v) {\n  let x = ;\n}", Code::ScriptSyntax, 2, "unexpected"),
        ("fn other(v) { }", Code::ScriptAnswer, 1, "configure"),
        ("fn configure(v, w) { }", Code::ScriptAnswer, 1, "configure"),
        ("fn configure(v) {\n  v.nothing\n}", Code::ScriptFailed, 2, "nothing"),
        ("fn configure(v) {\n\n  v.rows[-1].parallel\n}", Code::ScriptFailed, 3, "index"),
        ("fn f(x) {\n  x / 0\n}\nfn configure(v) {\n  f(1)\n}", Code::ScriptFailed, 2, "zero"),
        ("fn configure(v) {\n  throw \"enough\"\n}", Code::ScriptFailed, 2, "enough"),
        ("fn configure(v) {\n  dim = 1\n}", Code::ScriptFailed, 2, "dim"),
        ("\nfn configure(v) { 3 }", Code::ScriptAnswer, 2, "3"),
        ("\nfn configure(v) { #{ costs: [] } }", Code::UnknownKey, 2, "cost"),
        (
            "\nfn configure(v) { #{ cost_functions: [\"nearness\"] } }",
            Code::UnknownCost,
            2,
            "nearness",
        ),
        (
            "\nfn configure(v) { #{ constraints: [\"S9_it_0 >= 0\"] } }",
            Code::UnknownStatement,
            2,
            "S9",
        ),
        (
            "\nfn configure(v) { #{ constraints: [\"S0_it_0 >\"] } }",
            Code::BadConstraint,
            2,
            "S0_it_0 >",
        ),
        (
            "\nfn configure(v) { #{ stmts_fusion: [[0], [0]] } }",
            Code::StatementTwice,
            2,
            "twice",
        ),
        (
            "\nfn configure(v) { #{ stmts_fusion: [[0], [5]] } }",
            Code::UnknownStatement,
            2,
            "5",
        ),
        (
            "\nfn configure(v) { #{ cost_functions: v.stmts } }",
            Code::ScriptAnswer,
            2,
            "object of the view",
        ),
        ("fn configure(v) {\n  sleep(1)\n}", Code::ScriptFailed, 2, "wait"),
        ("fn configure(v) {\n  timestamp()\n}", Code::ScriptFailed, 2, "timestamp"),
        ("fn configure(v) {\n  eval(\"1\")\n}", Code::ScriptSyntax, 2, "eval"),
        ("import \"x\" as y;\nfn configure(v) { }", Code::ScriptSyntax, 1, "import"),
        ("fn configure(v) {\n  open_file(\"x\")\n}", Code::ScriptFailed, 2, "open_file"),
        ("fn configure(v) {\n  rand()\n}", Code::ScriptFailed, 2, "rand"),
    ] {
        let error = configure(text, &Program::new(&[1])).expect_err(text);
        assert_eq!((error.code, error.place.line), (code, line), "{text}: {error}");
        assert!(error.message.to_lowercase().contains(&says.to_lowercase()), "{text}: {error}");
        assert_eq!(&*error.place.file, "s.rhai");
    }
    let mut s = ScriptStrategy::parse("s.rhai", "fn configure(v) { #{} }\nfn accept(v, row) { false }").unwrap();
    let error = Program::new(&[1]).view(|v| s.accept(v, &candidate(true, &[], &[]))).unwrap_err();
    assert_eq!((error.code, error.place.line), (Code::ScriptAnswer, 2));
}

/// Whatever a script does, it ends, and within bounds.
#[test]
fn limits() {
    let deep = format!("fn configure(v) {{ {}1{} }}", "(".repeat(2000), ")".repeat(2000));
    let blocks = format!("fn configure(v) {{ {}1{} }}", "{".repeat(2000), "}".repeat(2000));
    let unary = format!("fn configure(v) {{ {}1 }}", "- ".repeat(5000));
    let chain = format!("fn configure(v) {{ {} }}", "if true { 1 } else ".repeat(3000) + "{ 2 }");
    let sum = format!("fn configure(v) {{ {}1 }}", "1 + ".repeat(20_000));
    for text in [
        "fn configure(v) { loop { } }",
        "fn configure(v) { while true { let x = 1; } }",
        "fn configure(v) { let n = 0; for i in 0..1000000000000 { n += i; } }",
        "fn configure(v) { configure(v) }",
        "fn f(n) { f(n + 1) + 1 } fn configure(v) { f(0) }",
        "fn configure(v) { let x = \"aaaaaaaaaaaaaaaa\"; loop { x += x; } }",
        "fn configure(v) { let x = [1]; loop { x += x; } }",
        "fn configure(v) { let x = [1]; loop { x = [x, x]; } }",
        "fn configure(v) { let x = #{ a: 1 }; loop { x = #{ a: x, b: x }; } }",
        "fn configure(v) { let x = []; x.pad(1000000000, 0); #{} }",
        "fn configure(v) { let x = \"\"; x.pad(1000000000, 'a'); #{} }",
        &deep,
        &blocks,
        &unary,
        &chain,
        &sum,
        &" ".repeat(300_000),
    ] {
        let start: String = text.chars().take(60).collect();
        let error = configure(text, &Program::new(&[1])).expect_err(&start);
        assert!(
            [Code::ScriptLimit, Code::ScriptSyntax, Code::ScriptFailed].contains(&error.code),
            "{start}: {error}"
        );
        assert_ne!(error.message, "", "{start}");
    }
    let nested = "fn configure(v) { let x = []; for i in 0..200 { x = [x]; } #{ cost_functions: x } }";
    let error = configure(nested, &Program::new(&[1])).unwrap_err();
    assert_eq!(error.code, Code::ScriptAnswer, "{error}");
}
