//! Scripts: every kind of step on small loops, run and compared; mistakes are told with their place.

use crate::run::{legal, pairs};
use tilia_diag::{Diagnostic, Loc};
use tilia_presburger::{Budget, Id};
use tilia_schedule::ScheduleTree;
use tilia_transform::{Judge, Pairs, Script};

/// A matrix product.
pub(crate) const PRODUCT: &str = r#"
domain: "[n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }"
child:
  schedule: "[n] -> [{ S[i, j, k] -> [(i)] }]"
  child:
    schedule: "[n] -> [{ S[i, j, k] -> [(j)] }]"
    child:
      schedule: "[n] -> [{ S[i, j, k] -> [(k)] }]"
"#;

/// Two loops in a row, the second using what the first made.
pub(crate) const TWO: &str = r#"
domain: "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }"
child:
  sequence:
  - filter: "[n] -> { S[i] }"
    child:
      schedule: "[n] -> [{ S[i] -> [(i)] }]"
  - filter: "[n] -> { T[i] }"
    child:
      schedule: "[n] -> [{ T[i] -> [(i)] }]"
"#;

pub(crate) fn product_deps() -> Pairs {
    pairs(&["[n] -> { S[i, j, k] -> S[i, j, k + 1] : 0 <= i < n and 0 <= j < n and 0 <= k < n - 1 }"])
}

pub(crate) fn two_deps() -> Pairs {
    pairs(&["[n] -> { S[i] -> T[i] : 0 <= i < n }"])
}

/// Runs a script on a tree.
pub(crate) fn apply(tree: &str, deps: &Pairs, script: &str) -> Result<ScheduleTree, Diagnostic> {
    let tree: ScheduleTree = tree.parse().unwrap();
    let script = Script::parse("test.json", script).map_err(|d| d[0].clone())?;
    let judge = Judge {
        scop: &Id::new("test"),
        stmts: &[(Id::new("S"), Loc::unknown())],
        pairs: deps,
        only: true,
        budget: &Budget::default(),
    };
    Ok(script.apply(&tree, &judge)?.tree)
}

/// Runs a legal script, compares with the original order, and returns the loops.
fn runs(tree: &str, deps: &Pairs, script: &str, n: i64) -> String {
    let new = apply(tree, deps, script).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(new.verify(&Budget::default()).unwrap(), [], "{new}");
    legal(&tree.parse().unwrap(), &new, deps, n)
}

fn refused(tree: &str, deps: &Pairs, script: &str) -> String {
    apply(tree, deps, script).map_or_else(|e| e.to_string(), |t| panic!("done:\n{t}"))
}

#[test]
fn a_register_tile_is_compact() {
    let text = runs(
        PRODUCT,
        &product_deps(),
        r#"[{"do": "register_tile", "loops": ["i", "j"], "sizes": [4, 8]}]"#,
        9,
    );
    assert!(text.lines().count() <= 60 && text.matches("if ").count() <= 4, "{text}");
    assert!(text.contains("      S(i_r + 3, j_r + 7, c2);\n"), "{text}");
    let tiled = r#"[{"do": "tile", "loops": ["i", "j", "k"], "sizes": [8, 16, 8]}, {"do": "register_tile", "loops": ["i", "j"], "sizes": [4, 8], "vector": "j"}]"#;
    let text = runs(PRODUCT, &product_deps(), tiled, 10);
    assert!(text.lines().count() <= 60 && text.matches("if ").count() <= 4, "{text}");
    assert!(
        text.contains("for (c7 = j_r; c7 <= j_r + 7; c7 += 1) // parallel, vector, full tile\n              S(i_r + 2, c7, c5);"),
        "{text}"
    );
}

#[test]
fn a_vector_loop_must_be_parallel() {
    let why = refused(
        PRODUCT,
        &product_deps(),
        r#"[{"do": "register_tile", "loops": ["j", "k"], "sizes": [2, 8], "vector": "k"}]"#,
    );
    assert!(
        why.contains("step 1 (/0, register_tile): iterations of the loop depend on each other: S["),
        "{why}"
    );
    let why = refused(PRODUCT, &product_deps(), r#"[{"do": "vector", "loop": "j"}]"#);
    assert!(why.contains("must be innermost"), "{why}");
    runs(
        PRODUCT,
        &product_deps(),
        r#"[{"do": "interchange", "loops": ["j", "k"], "order": ["k", "j"]}, {"do": "vector", "loop": "j"}]"#,
        5,
    );
}

#[test]
fn tiles_in_levels() {
    let script = r#"[{"do": "tile", "loops": ["i", "j"], "sizes": [[8, 4], [4, 2]], "names": [["a", "b"], ["c", "d"]], "full": true}, {"do": "reverse", "loop": "a"}]"#;
    let text = runs(
        PRODUCT,
        &product_deps(),
        script.split(", {\"do\": \"rev").next().map(|s| format!("{s}]")).unwrap().as_str(),
        11,
    );
    for name in ["a", "b", "c", "d"] {
        assert!(text.contains(&format!("for ({name} = ")), "{text}");
    }
    assert!(text.contains("full tile"), "{text}");
    // The tiles of a loop that is parallel can run backwards, but not while options mention them.
    let why = refused(PRODUCT, &product_deps(), script);
    assert!(why.contains("options below mention"), "{why}");
}

#[test]
fn unrolling() {
    let text = runs(PRODUCT, &product_deps(), r#"[{"do": "unroll", "loop": "k", "factor": 3}]"#, 8);
    assert!(text.contains("S(c0, c1, k_r + 2);"), "{text}");
    let text = runs(PRODUCT, &product_deps(), r#"[{"do": "unroll_jam", "loop": "i", "factor": 2}]"#, 7);
    assert!(text.contains("      S(i_r, c1, c2);\n      S(i_r + 1, c1, c2);\n"), "{text}");
    let text = runs(
        PRODUCT,
        &product_deps(),
        r#"[{"do": "strip_mine", "loop": "j", "size": 2}, {"do": "unroll", "loop": "j"}]"#,
        5,
    );
    assert!(!text.contains("for (j "), "{text}");
}

#[test]
fn peeling_and_splitting() {
    let text = runs(
        PRODUCT,
        &product_deps(),
        r#"[{"do": "peel", "loop": "k", "first": 1, "last": 2}]"#,
        6,
    );
    assert!(
        text.contains("S(c0, c1, 0);") && text.contains("for (c2 = 1; c2 < n - 2; c2 += 1)"),
        "{text}"
    );
    let deps = product_deps();
    runs(
        PRODUCT,
        &deps,
        r#"[{"do": "index_set_split", "loops": ["k"], "where": "{ S[i, j, k] : k < 3 }"}]"#,
        6,
    );
    let why = refused(
        PRODUCT,
        &deps,
        r#"[{"do": "index_set_split", "loops": ["k"], "where": "{ S[i, j, k] : k >= 3 }"}]"#,
    );
    assert!(
        why.contains("illegal: it would run the dependence S[") && why.contains("with n = "),
        "{why}"
    );
    let why = refused(
        PRODUCT,
        &deps,
        r#"[{"do": "index_set_split", "loops": ["k"], "where": "{ S[i, j, k] : k < }"}]"#,
    );
    assert!(why.contains("\"where\" isn't a set"), "{why}");
    for (set, expected) in [
        (
            "{ S[i, j] : i < 3 }",
            "the set speaks of S with 2 iterators, but the instances here are of S with 3 iterators",
        ),
        (
            "{ T[i, j, k] : i < 3 }",
            "the set speaks of T with 3 iterators, but the instances here are of S with 3 iterators",
        ),
        ("{ S[i, j, k] : k >= 0 }", "all of the instances are in the set"),
        ("{ S[i, j, k] : k < 0 }", "none of the instances are in the set"),
    ] {
        let script = format!(r#"[{{"do": "index_set_split", "loops": ["k"], "where": "{set}"}}]"#);
        let why = refused(PRODUCT, &deps, &script);
        assert!(why.contains(expected), "{set}: {why}");
    }
}

#[test]
fn separation_of_full_tiles() {
    let script = r#"[{"do": "tile", "loops": ["i", "j"], "sizes": [4, 4]}, {"do": "separate", "loops": ["i_t", "j_t"], "sizes": [4, 4]}]"#;
    let text = runs(PRODUCT, &product_deps(), script, 9);
    assert!(text.contains("full tile"), "{text}");
    let small =
        r#"[{"do": "tile", "loops": ["i", "j"], "sizes": [400, 4]}, {"do": "separate", "loops": ["i_t", "j_t"], "sizes": [400, 4]}]"#;
    let why = refused(&PRODUCT.replace("i < n", "i < 9"), &product_deps(), small);
    assert!(why.contains("the loops are shorter than the tile"), "{why}");
    let why = refused(
        PRODUCT,
        &product_deps(),
        r#"[{"do": "separate", "loops": ["i"], "sizes": [4]}, {"do": "separate", "loops": ["k"], "sizes": [4]}]"#,
    );
    assert!(why.contains("step 2") || why.contains("step 1"), "{why}");
}

#[test]
fn fusion_distribution_and_order() {
    let deps = two_deps();
    let fused = r#"[{"do": "fuse", "stmts": ["S", "T"]}]"#;
    let text = runs(TWO, &deps, fused, 5);
    assert!(text.contains("  S(c0);\n  T(c0);"), "{text}");
    runs(
        TWO,
        &deps,
        r#"[{"do": "fuse", "stmts": ["S", "T"], "depth": 1}, {"do": "distribute", "loops": ["i"]}]"#,
        5,
    );
    runs(
        TWO,
        &deps,
        r#"[{"do": "fuse", "stmts": ["S", "T"]}, {"do": "shift", "loop": "i", "stmt": "T", "by": 2}]"#,
        5,
    );
    let why = refused(
        TWO,
        &deps,
        r#"[{"do": "fuse", "stmts": ["S", "T"]}, {"do": "shift", "loop": "i", "stmt": "T", "by": -1}]"#,
    );
    assert!(why.contains("step 2 (/1, shift): illegal"), "{why}");
    let why = refused(TWO, &deps, r#"[{"do": "reorder", "stmts": ["S", "T"], "order": [1, 0]}]"#);
    assert!(why.contains("illegal: it would run the dependence S[0] -> T[0]"), "{why}");
    let why = refused(TWO, &deps, r#"[{"do": "fuse", "stmts": ["S", "U"]}]"#);
    assert!(why.contains("there is no statement U; there are S, T"), "{why}");
}

#[test]
fn other_steps() {
    let deps = product_deps();
    for script in [
        r#"[{"do": "band", "loops": ["j", "k"]}, {"do": "interchange", "loops": ["i", "j"], "order": ["j", "i"]}]"#,
        r#"[{"do": "reverse", "loop": "j"}, {"do": "parallel", "loop": "i"}]"#,
        r#"[{"do": "skew", "loop": "k", "by": "i", "factor": 2}, {"do": "skew", "loop": "i", "by": "j"}]"#,
        r#"[{"do": "scale", "loops": ["i", "j"], "factors": [2, 3]}]"#,
        r#"[{"do": "sink", "loops": ["i"]}]"#,
        r#"[{"do": "mark", "loops": ["j"], "name": "here"}, {"do": "reverse", "loop": "j", "below": "here"}]"#,
        r#"{"scop": "test", "steps": [{"do": "wavefront", "loops": ["j", "k"]}]} // with a comment"#,
    ] {
        runs(PRODUCT, &deps, script, 5);
    }
    let why = refused(PRODUCT, &deps, r#"[{"do": "parallel", "loop": "k"}]"#);
    assert!(why.contains("depend on each other: S["), "{why}");
    let why = refused(PRODUCT, &deps, r#"[{"do": "reverse", "loop": "k"}]"#);
    assert!(why.contains("illegal"), "{why}");
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (script, place, message) in [
        ("", "test.json:1:1", "the file holds no JSON value"),
        ("[", "test.json:1:1", "this isn't JSON"),
        ("{}", "test.json:1:1", "the key \"steps\" is missing"),
        ("3", "test.json:1:1", "expected a list of steps"),
        (
            "[\n {\"do\": \"tille\"}]",
            "test.json:2:9",
            "/0/do: there is no transformation \"tille\"",
        ),
        (
            "[{\"do\": \"tile\", \"loops\": [\"i\"], \"sizes\": [0]}]",
            "test.json:1:43",
            "/0/sizes/0: must be at least 1",
        ),
        (
            "[{\"do\": \"tile\", \"loops\": [\"i\"], \"sizes\": [1, 2]}]",
            "test.json:1:42",
            "2 numbers for 1 loops",
        ),
        (
            "[{\"do\": \"tile\", \"loops\": [\"i\", \"i\"], \"sizes\": [1, 2]}]",
            "test.json:1:26",
            "stands in the list twice",
        ),
        (
            "[{\"do\": \"reverse\", \"loop\": \"i\", \"lop\": 1}]",
            "test.json:1:33",
            "unknown key \"lop\"",
        ),
        (
            "[{\"do\": \"reverse\", \"loop\": \"i\", \"at\": \"0/1\"}]",
            "test.json:1:39",
            "is no position",
        ),
        (
            "[{\"do\": \"reverse\", \"loop\": \"i\", \"loop\": \"j\"}]",
            "test.json:1:33",
            "stands here twice",
        ),
        (
            "[{\"do\": \"reverse\", \"loop\": \"x\"}]",
            "test.json:1:2",
            "there are i, j, k at /0 around S",
        ),
        (
            "[{\"do\": \"skew\", \"loop\": \"i\", \"by\": \"j\", \"factor\": 1e99}]",
            "test.json:1:51",
            "expected an integer",
        ),
        (
            "[{\"do\": \"vector\", \"loop\": \"i\", \"stmt\": \"Q\"}]",
            "test.json:1:2",
            "there is no statement Q",
        ),
    ] {
        let e = apply(PRODUCT, &product_deps(), script).map_or_else(|e| e, |t| panic!("done: {script}\n{t}"));
        assert!(e.message.contains(message), "{script}: {}", e.message);
        assert_eq!(e.loc.to_string(), place, "{script}: {}", e.message);
    }
    let deep = "[".repeat(100_000);
    let e = apply(PRODUCT, &product_deps(), &deep).map_or_else(|e| e, |t| panic!("done: {t}"));
    assert!(e.message.contains("nest more than 64 deep"), "{}", e.message);
}

/// A loop that takes every third value.
const EVERY_THIRD: &str = r#"
domain: "[n] -> { S[i, j, k] : 0 <= i < n and i mod 3 = 1 and 0 <= j < n and 0 <= k < n and k = 0 }"
child:
  schedule: "[n] -> [{ S[i, j, k] -> [(i)] }]"
  child:
    schedule: "[n] -> [{ S[i, j, k] -> [(j)] }]"
"#;

#[test]
fn sizes_count_iterations() {
    let deps = pairs(&["[n] -> { S[i, j, k] -> S[i + 3, j, k] : 0 <= i < n - 3 and i mod 3 = 1 and 0 <= j < n and k = 0 }"]);
    let text = runs(EVERY_THIRD, &deps, r#"[{"do": "tile", "loops": ["i", "j"], "sizes": [2, 4]}]"#, 17);
    assert!(text.contains("i_t += 6") && text.contains("j_t += 4"), "{text}");
    let text = runs(EVERY_THIRD, &deps, r#"[{"do": "unroll", "loop": "i", "factor": 2}]"#, 17);
    assert!(text.contains("S(i_r + 4, c1, 0);") || text.contains("S(i_r + 4, c2, 0);"), "{text}");
}
