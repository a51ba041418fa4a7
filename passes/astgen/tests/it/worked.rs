//! Worked answers: the text where it is given, the meaning by enumeration always.

use crate::check::{checked, checked_with};
use tilia_astgen::{Options, generate};
use tilia_presburger::{Budget, Set};
use tilia_schedule::ScheduleTree;

const NONE: &str = "{ : }";

/// A tree of one band.
fn one(domain: &str, schedule: &str, rest: &str) -> String {
    format!("domain: \"{domain}\"\nchild:\n  schedule: \"{schedule}\"\n{rest}")
}

fn options(text: &str) -> String {
    format!("  options: \"{text}\"\n")
}

fn lines(text: &[&str]) -> String {
    text.iter().map(|l| format!("{l}\n")).collect()
}

#[test]
fn w1_one_loop_or_three() {
    let t = |o: &str| {
        one(
            "{ a[i] : 0 <= i < 10; b[i] : 0 <= i < 10 }",
            "[{ a[i] -> [(i)]; b[i] -> [(1 + i)] }]",
            &options(o),
        )
    };
    assert_eq!(
        checked(&t("{ atomic[0] }"), NONE, 0),
        lines(&[
            "for (c0 = 0; c0 <= 10; c0 += 1) {",
            "  if (c0 <= 9)",
            "    a(c0);",
            "  if (c0 >= 1)",
            "    b(c0 - 1);",
            "}"
        ])
    );
    assert_eq!(
        checked(&t("{ separate[0] }"), NONE, 0),
        lines(&[
            "a(0);",
            "for (c0 = 1; c0 <= 9; c0 += 1) {",
            "  a(c0);",
            "  b(c0 - 1);",
            "}",
            "b(9);"
        ])
    );
}

/// A condition that doesn't depend on a loop isn't tested in it, when little stands in both versions of the loop.
#[test]
fn conditions_of_outer_loops_make_two_loops() {
    let t = one(
        "[n] -> { A[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n; B[i, j] : 0 <= i < n and 0 <= j < n and 3i = 2j + 1 }",
        "[n] -> [{ A[i, j, k] -> [(i)]; B[i, j] -> [(i)] }, { A[i, j, k] -> [(j)]; B[i, j] -> [(j)] }, { A[i, j, k] -> [(k)]; B[i, j] -> [(5)] }]",
        "  options: \"{ atomic[x] }\"\n",
    );
    let text = checked(&t, NONE, 7);
    let condition = text.lines().find(|l| l.contains("3 * c0")).unwrap_or_default();
    assert!(condition.starts_with("    if"), "outside the loop over c2: {text}");
}

/// Neighbours of which at most one runs become branches of one another, also when others of their kind stand between them.
#[test]
fn neighbours_that_exclude_each_other_are_branches() {
    let t = one(
        "[n] -> { A[i] : 0 <= i < n and i mod 2 = 0; B[i, j] : 0 <= i < n and i mod 2 = 1 and 0 <= j < 2; C[i] : 0 <= i < n and i mod 2 = 0 }",
        "[n] -> [{ A[i] -> [(i)]; B[i, j] -> [(i)]; C[i] -> [(i)] }]",
        "  options: \"{ atomic[0] }\"\n  child:\n    sequence:\n    - filter: \"{ A[i] }\"\n    - filter: \"{ B[i, j] }\"\n      child:\n        schedule: \"[{ B[i, j] -> [(j)] }]\"\n    - filter: \"{ C[i] }\"\n",
    );
    let options = Options {
        max_residues: 1,
        ..Options::default()
    };
    let text = checked_with(&t, NONE, -1, 7, &options);
    assert_eq!(text.matches("if (").count(), 1, "{text}");
    assert_eq!(text.matches("else").count(), 1, "{text}");
}

/// Whole periods begin with the first value, whatever statement that is of: nothing is left before them.
#[test]
fn periods_begin_with_the_first_value() {
    let t = one(
        "[n] -> { A[i] : 2 <= i < n; B[i] : 2 <= i < n }",
        "[n] -> [{ A[i] -> [(2i)]; B[i] -> [(2i - 1)] }]",
        "",
    );
    assert_eq!(checked(&t, NONE, 6).matches("if (").count(), 0);
    assert_eq!(checked(&t, NONE, 6).matches("for (").count(), 1);
}

#[test]
fn w2_two_parametric_ranges() {
    let t = |rest: &str| {
        one(
            "[n, m] -> { A[i] : 0 <= i < n; B[i] : 1 <= i < m }",
            "[n, m] -> [{ A[i] -> [(i)]; B[i] -> [(i)] }]",
            rest,
        )
    };
    assert_eq!(
        checked(&t(""), NONE, 5),
        lines(&[
            "if (n >= 1) {",
            "  A(0);",
            "  for (c0 = 1; c0 < min(m, n); c0 += 1) {",
            "    A(c0);",
            "    B(c0);",
            "  }",
            "}",
            "for (c0 = max(n, 1); c0 < m; c0 += 1)",
            "  B(c0);",
            "for (c0 = max(m, 1); c0 < n; c0 += 1)",
            "  A(c0);"
        ])
    );
    let separate = checked(&t(&options("{ separate[0] }")), NONE, 5);
    assert_eq!(separate.matches("for (").count(), 3, "{separate}");
    assert!(!separate.contains("  if"), "no condition in a loop: {separate}");
    let atomic = checked(&t(&options("{ atomic[0] }")), NONE, 5);
    assert_eq!(
        (atomic.matches("for (").count(), atomic.matches("if (").count()),
        (1, 2),
        "{atomic}"
    );
}

#[test]
fn w3_statements_that_need_no_common_loop() {
    let t = one("{ A[]; B[i] : 0 <= i < 10 }", "[{ A[] -> [(0)]; B[i] -> [(i)] }]", "");
    assert_eq!(checked(&t, NONE, 0), lines(&["A();", "for (c0 = 0; c0 <= 9; c0 += 1)", "  B(c0);"]));
}

#[test]
fn w4_skew() {
    let t = one(
        "[n] -> { A[i, j] : 0 <= i < n and 0 <= j < n }",
        "[n] -> [{ A[i, j] -> [(i + j)] }, { A[i, j] -> [(j)] }]",
        "",
    );
    assert_eq!(
        checked(&t, NONE, 5),
        lines(&[
            "for (c0 = 0; c0 < 2 * n - 1; c0 += 1)",
            "  for (c1 = max(c0 - n + 1, 0); c1 <= min(c0, n - 1); c1 += 1)",
            "    A(c0 - c1, c1);"
        ])
    );
}

#[test]
fn w5_inner_loops_enforce_outer_conditions() {
    let t = one(
        "[n, m] -> { A[i, j] : 0 <= i <= n and 0 <= j <= m }",
        "[n, m] -> [{ A[i, j] -> [(i)] }, { A[i, j] -> [(j)] }]",
        "",
    );
    assert_eq!(
        checked(&t, NONE, 4),
        lines(&[
            "for (c0 = 0; c0 <= n; c0 += 1)",
            "  for (c1 = 0; c1 <= m; c1 += 1)",
            "    A(c0, c1);"
        ])
    );
}

#[test]
fn w6_one_upper_bound() {
    let t = one("[n] -> { A[i] : 0 <= i <= 100 and i <= n }", "[n] -> [{ A[i] -> [(i)] }]", "");
    assert_eq!(
        checked_with(&t, NONE, 98, 102, &Options::default()),
        lines(&["for (c0 = 0; c0 <= min(n, 100); c0 += 1)", "  A(c0);"])
    );
}

#[test]
fn w7_a_common_step_is_scaled_away() {
    let t = one(
        "{ A[i, j, k] : i = 2j and 0 <= j < 5 and 0 <= k < 3; B[i, j, k] : i = 2j and 0 <= j < 5 and 0 <= k < 3 }",
        "[{ A[i, j, k] -> [(i)]; B[i, j, k] -> [(i)] }, { A[i, j, k] -> [(0)]; B[i, j, k] -> [(1)] }, { A[i, j, k] -> [(j)]; B[i, j, k] -> [(k)] }, { A[i, j, k] -> [(k)]; B[i, j, k] -> [(j)] }]",
        "",
    );
    assert_eq!(
        checked(&t, NONE, 0),
        lines(&[
            "for (c0 = 0; c0 <= 4; c0 += 1) {",
            "  for (c3 = 0; c3 <= 2; c3 += 1)",
            "    A(2 * c0, c0, c3);",
            "  for (c2 = 0; c2 <= 2; c2 += 1)",
            "    B(2 * c0, c0, c2);",
            "}"
        ])
    );
    let off = Options {
        scale_strides: false,
        ..Options::default()
    };
    let text = checked_with(&t, NONE, 0, 0, &off);
    assert!(text.starts_with("for (c0 = 0; c0 <= 8; c0 += 2) {"), "{text}");
}

#[test]
fn u1_u2_steps() {
    let unroll = options("{ unroll[0] }");
    let huge: ScheduleTree = one(
        "{ A[i] : exists a : i = 100000000a and 0 <= a <= 2 }",
        "[{ A[i] -> [(i)] }]",
        &unroll,
    )
    .parse()
    .unwrap();
    let context: Set = NONE.parse().unwrap();
    let (ast, remarks) = generate(&huge, &context, &Options::default(), &Budget::default()).unwrap();
    assert!(remarks.is_empty());
    assert_eq!(ast.to_string(), lines(&["A(0);", "A(100000000);", "A(200000000);"]));
    let t = one(
        "[n] -> { A[i] : n <= i < n + 6 and i mod 2 = 0 }",
        "[n] -> [{ A[i] -> [(i)] }]",
        &unroll,
    );
    assert_eq!(
        checked(&t, NONE, 5),
        lines(&[
            "A(2 * floord(n + 1, 2));",
            "A(2 * floord(n + 1, 2) + 2);",
            "A(2 * floord(n + 1, 2) + 4);"
        ])
    );
}

#[test]
fn u3_u4_conditional_copies() {
    let unroll = options("{ unroll[0] }");
    let t = one(
        "[n, m] -> { A[i] : n <= i < m and i < n + 3 }",
        "[n, m] -> [{ A[i] -> [(i)] }]",
        &unroll,
    );
    assert_eq!(
        checked(&t, NONE, 5),
        lines(&[
            "if (m > n) {",
            "  A(n);",
            "  if (m >= n + 2) {",
            "    A(n + 1);",
            "    if (m >= n + 3)",
            "      A(n + 2);",
            "  }",
            "}"
        ])
    );
    let t = one(
        "[n, m] -> { A[i] : i >= n and i >= m and i < n + 4 and i < m + 4 }",
        "[n, m] -> [{ A[i] -> [(i)] }]",
        &unroll,
    );
    assert_eq!(checked(&t, NONE, 6).matches("A(").count(), 4);
}

const STRIP: &str = "[n] -> [{ A[i] -> [(4*floor(i/4))] }, { A[i] -> [(i)] }]";

#[test]
fn u5_lanes_of_a_strip() {
    let t = one("[n] -> { A[i] : 0 <= i < n }", STRIP, &options("{ unroll[1] }"));
    assert_eq!(
        checked(&t, NONE, 9),
        lines(&[
            "for (c0 = 0; c0 < n; c0 += 4) {",
            "  A(c0);",
            "  if (c0 <= n - 2) {",
            "    A(c0 + 1);",
            "    if (c0 <= n - 3) {",
            "      A(c0 + 2);",
            "      if (c0 <= n - 4)",
            "        A(c0 + 3);",
            "    }",
            "  }",
            "}"
        ])
    );
}

#[test]
fn u6_u8_full_strips_apart() {
    let main = [
        "for (c0 = 0; c0 < n - 3; c0 += 4) {",
        "  A(c0);",
        "  A(c0 + 1);",
        "  A(c0 + 2);",
        "  A(c0 + 3);",
        "}",
    ];
    let t = |o: &str| {
        let o = format!("[n] -> {{ isolate[[] -> [a, b]] : a + 3 < n; {o} }}");
        one("[n] -> { A[i] : 0 <= i < n }", STRIP, &options(&o))
    };
    let all = checked(&t("unroll[1]; [isolate[] -> unroll[1]]"), NONE, 9);
    assert!(all.starts_with(&lines(&main)), "{all}");
    assert!(all.matches('%').count() <= 1, "{all}");
    let rest_as_loop = checked(&t("[isolate[] -> unroll[1]]"), NONE, 9);
    assert!(rest_as_loop.starts_with(&lines(&main)), "{rest_as_loop}");
    assert_eq!(rest_as_loop.matches("A(").count(), 5, "{rest_as_loop}");
    assert!(!rest_as_loop.contains("if ("), "{rest_as_loop}");
}

#[test]
fn too_many_copies_become_a_loop_with_a_remark() {
    let t: ScheduleTree = one(
        "[n] -> { A[i] : 0 <= i < n }",
        "[n] -> [{ A[i] -> [(i)] }]",
        &options("{ unroll[0] }"),
    )
    .parse()
    .unwrap();
    let (ast, remarks) = generate(&t, &NONE.parse().unwrap(), &Options::default(), &Budget::default()).unwrap();
    assert_eq!(ast.to_string(), lines(&["for (c0 = 0; c0 < n; c0 += 1)", "  A(c0);"]));
    assert_eq!(remarks.len(), 1);
    assert!(remarks[0].message.contains("isn't unrolled"), "{}", remarks[0].message);
}

#[test]
fn i1_triangle_of_tiles() {
    let t = "domain: \"{ A[i, j] : 0 <= i and 0 <= j and i + j <= 100 }\"\nchild:\n  schedule: \"[{ A[i, j] -> [(floor(i/10))] }, { A[i, j] -> [(floor(j/10))] }]\"\n  options: \"{ isolate[[] -> [a, b]] : 10a >= 0 and 10b >= 0 and 10a + 10b + 18 <= 100 }\"\n  child:\n    schedule: \"[{ A[i, j] -> [(i)] }, { A[i, j] -> [(j)] }]\"\n";
    let text = checked(t, NONE, 0);
    assert!(
        text.starts_with(&lines(&[
            "for (c0 = 0; c0 <= 8; c0 += 1) {",
            "  for (c1 = 0; c1 <= 8 - c0; c1 += 1) // full tile",
            "    for (c2 = 10 * c0; c2 <= 10 * c0 + 9; c2 += 1) // full tile",
            "      for (c3 = 10 * c1; c3 <= 10 * c1 + 9; c3 += 1) // full tile",
            "        A(c2, c3);",
            "  for (c1 = 9 - c0; c1 <= 10 - c0; c1 += 1)",
        ])),
        "{text}"
    );
    assert_eq!(text.matches("A(").count(), 3, "{text}");
}

#[test]
fn i2_isolation_follows_the_scaling() {
    let t = one(
        "{ A[i] : 0 <= i < 100 }",
        "[{ A[i] -> [(3i)] }]",
        &options("{ isolate[[] -> [x]] : 10 <= x <= 20 }"),
    );
    let text = checked(&t, NONE, 0);
    let heads: Vec<&str> = text.lines().filter(|l| l.starts_with("for")).collect();
    assert_eq!(
        heads,
        [
            "for (c0 = 0; c0 <= 3; c0 += 1)",
            "for (c0 = 4; c0 <= 6; c0 += 1) // full tile",
            "for (c0 = 7; c0 <= 99; c0 += 1)"
        ]
    );
}

#[test]
fn residues_and_existentials() {
    let id = "[n] -> [{ A[i] -> [(i)] }]";
    let text = |domain: &str| checked(&one(domain, id, ""), NONE, 17);
    assert_eq!(
        text("[n] -> { A[i] : 0 <= i < n and (i mod 3 = 0 or i mod 3 = 2) }"),
        lines(&[
            "for (c0 = 0; c0 < n - 2; c0 += 3) {",
            "  A(c0);",
            "  A(c0 + 2);",
            "}",
            "if (n >= 0 && n % 3 >= 1)",
            "  A(3 * (n / 3));"
        ])
    );
    assert_eq!(
        text("[n] -> { A[i] : 0 <= i < n and i mod 3 >= 1 }"),
        lines(&[
            "for (c0 = 1; c0 < n - 1; c0 += 3) {",
            "  A(c0);",
            "  A(c0 + 1);",
            "}",
            "if (n >= 1 && n % 3 == 2)",
            "  A(n - 1);"
        ])
    );
    assert_eq!(
        text("[n] -> { A[i] : 0 <= i < n and exists e : 5e <= i <= 5e + 1 }"),
        lines(&[
            "for (c0 = 0; c0 < n - 1; c0 += 5) {",
            "  A(c0);",
            "  A(c0 + 1);",
            "}",
            "if (n >= 1 && (n + 3) % 5 == 4)",
            "  A(n - 1);"
        ])
    );
    let e4 = text("[n] -> { A[i] : exists e, f : i = 6e + 4f and 0 <= e <= n and 0 <= f <= 3 }");
    assert!(no_condition_in_a_loop(&e4), "{e4}");
    assert_eq!(text("[n] -> { A[i] : 2i = n }"), lines(&["if (n % 2 == 0)", "  A(floord(n, 2));"]));
    let t = one(
        "[n] -> { A[t] : exists e : 2t - n = 4e and 0 <= t < 10 }",
        "[n] -> [{ A[t] -> [(t)] }]",
        "",
    );
    let text = checked(&t, NONE, 9);
    assert!(text.starts_with("if (n % 2 == 0)\n  for (c0 = "), "{text}");
    assert!(text.ends_with("; c0 += 2)\n    A(c0);\n"), "{text}");
    let e6 = "[n] -> [{ A[i] -> [(2i)] : 2i < n; A[i] -> [(2n - 2i - 1)] : 2i >= n }]";
    assert_eq!(
        checked(&one("[n] -> { A[i] : 0 <= i < n }", e6, ""), NONE, 9),
        lines(&[
            "for (c0 = 0; c0 < n - 1; c0 += 2) {",
            "  A(c0 / 2);",
            "  A(n - c0 + c0 / 2 - 1);",
            "}",
            "if (n >= 1 && n % 2 == 1)",
            "  A(n / 2);"
        ])
    );
}

fn no_condition_in_a_loop(text: &str) -> bool {
    let mut inside = None;
    text.lines().all(|l| {
        let indent = l.len() - l.trim_start().len();
        if inside.is_some_and(|i| indent <= i) {
            inside = None;
        }
        if inside.is_none() && l.trim_start().starts_with("for (") {
            inside = Some(indent);
        }
        inside.is_none() || !l.contains("if (")
    })
}

#[test]
fn residues_from_unknown_starts_and_of_several_dimensions() {
    let two = "[n, m] -> [{ A[i] -> [(i)] }]";
    let text = checked(
        &one("[n, m] -> { A[i] : m <= i < n and exists e : 5e <= i <= 5e + 1 }", two, ""),
        NONE,
        12,
    );
    assert!(no_condition_in_a_loop(&text), "{text}");
    let text = checked(&one("[n, m] -> { A[i] : 0 <= i < n and (i + m) mod 4 >= 2 }", two, ""), NONE, 9);
    assert!(no_condition_in_a_loop(&text), "{text}");
    let text = checked(
        &one(
            "[n] -> { A[i, j] : 0 <= i < n and 0 <= j < n and (i + j) mod 3 >= 1 }",
            "[n] -> [{ A[i, j] -> [(i)] }, { A[i, j] -> [(j)] }]",
            "",
        ),
        NONE,
        9,
    );
    assert_eq!(
        text,
        lines(&[
            "for (c0 = 0; c0 < n; c0 += 1) {",
            "  if ((c0 + 1) % 3 == 0)",
            "    A(c0, 0);",
            "  for (c1 = 1 - (c0 + 1) % 3; c1 < n - 2; c1 += 3) {",
            "    A(c0, c1 + 1);",
            "    A(c0, c1 + 2);",
            "  }",
            "  if ((c0 + n) % 3 == 2)",
            "    A(c0, n - 1);",
            "}"
        ])
    );
}

#[test]
fn shifted_strides_share_a_loop() {
    let t = |rest: &str| {
        one(
            "[n] -> { A[i] : 0 <= i < n; B[i] : 0 <= i < n }",
            "[n] -> [{ A[i] -> [(2i)]; B[i] -> [(2i + 1)] }]",
            rest,
        )
    };
    let plain = checked(&t(""), NONE, 6);
    assert_eq!(plain, lines(&["for (c0 = 0; c0 < n; c0 += 1) {", "  A(c0);", "  B(c0);", "}"]));
    // Isolation below doesn't bring the remainders back.
    let isolated = checked(&t(&options("[n] -> { isolate[[] -> [x]] : 4 <= x <= 2n - 5 }")), NONE, 8);
    assert!(!isolated.contains('%'), "{isolated}");
    // Different ends: what is left of each statement has its own loop.
    let t = one(
        "[n, m] -> { A[i] : 0 <= i < n; B[i] : 0 <= i < m }",
        "[n, m] -> [{ A[i] -> [(2i)]; B[i] -> [(2i + 1)] }]",
        "",
    );
    let text = checked(&t, NONE, 6);
    assert!(!text.contains("if ("), "{text}");
    assert_eq!(text.matches("for (").count(), 3, "{text}");
}

#[test]
fn r8_scaled_bands() {
    let t = one("[n] -> { A[i] : 0 <= i < n }", "[n] -> [{ A[i] -> [(2i)] }]", "");
    assert_eq!(checked(&t, NONE, 5), lines(&["for (c0 = 0; c0 < n; c0 += 1)", "  A(c0);"]));
    let off = Options {
        scale_strides: false,
        ..Options::default()
    };
    assert!(checked_with(&t, NONE, 0, 5, &off).starts_with("for (c0 = 0; c0 < 2 * n - 1; c0 += 2)"));
}

#[test]
fn r12_a_context_is_used() {
    let t = "domain: \"{ A[i] : 0 <= i < 4 }\"\nchild:\n  context: \"[p] -> { [] : p >= 4 }\"\n  child:\n    filter: \"[p] -> { A[i] : i < p }\"\n    child:\n      schedule: \"[{ A[i] -> [(i)] }]\"\n";
    assert_eq!(
        checked_with(t, "[p] -> { : p >= 4 }", 4, 6, &Options::default()),
        lines(&["for (c0 = 0; c0 <= 3; c0 += 1)", "  A(c0);"])
    );
}

#[test]
fn r13_a_guard_stands_outside() {
    let t: ScheduleTree = "domain: \"[n] -> { A[i] : 0 <= i < n }\"\nchild:\n  guard: \"[n] -> { [] : n >= 10 }\"\n  child:\n    schedule: \"[n] -> [{ A[i] -> [(i)] }]\"\n"
        .parse()
        .unwrap();
    let (ast, _) = generate(&t, &NONE.parse().unwrap(), &Options::default(), &Budget::default()).unwrap();
    assert_eq!(
        ast.to_string(),
        lines(&["if (n >= 10)", "  for (c0 = 0; c0 < n; c0 += 1)", "    A(c0);"])
    );
}

#[test]
fn r14_an_extension_adds_copies() {
    let t = "domain: \"{ A[i] : 0 <= i < 10 }\"\nchild:\n  schedule: \"[{ A[i] -> [(i)] }]\"\n  child:\n    extension: \"{ [i0] -> C[i0] : 0 <= i0 < 10 }\"\n    child:\n      sequence:\n      - filter: \"{ C[i0] }\"\n      - filter: \"{ A[i] }\"\n";
    assert_eq!(
        checked(t, NONE, 0),
        lines(&["for (c0 = 0; c0 <= 9; c0 += 1) {", "  C(c0);", "  A(c0);", "}"])
    );
}

#[test]
fn expansions_run_their_own_instances() {
    let t = "domain: \"[n] -> { G[i] : 0 <= i < n }\"\nchild:\n  schedule: \"[n] -> [{ G[i] -> [(-i)] }]\"\n  child:\n    contraction: \"{ X[i, j] -> G[i]; Y[i] -> G[i] }\"\n    expansion: \"{ G[i] -> X[i, j] : 0 <= j < 2; G[i] -> Y[i] }\"\n    child:\n      sequence:\n      - filter: \"{ Y[i] }\"\n      - filter: \"{ X[i, j] }\"\n        child:\n          schedule: \"[{ X[i, j] -> [(j)] }]\"\n";
    let text = checked(t, NONE, 4);
    assert_eq!(text.matches("Y(").count(), 1, "{text}");
}

#[test]
fn marks_and_flags_reach_the_loops() {
    let t: ScheduleTree = "domain: \"[n] -> { A[i, j] : 0 <= i < n and 0 <= j < n }\"\nchild:\n  mark: \"outer\"\n  child:\n    schedule: \"[n] -> x[{ A[i, j] -> [(i)] }]\"\n    coincident: [ 1 ]\n    child:\n      mark: \"vector\"\n      child:\n        schedule: \"[n] -> y[{ A[i, j] -> [(j)] }]\"\n"
        .parse()
        .unwrap();
    let (ast, _) = generate(&t, &NONE.parse().unwrap(), &Options::default(), &Budget::default()).unwrap();
    assert_eq!(
        ast.to_string(),
        lines(&[
            "// outer",
            "for (x = 0; x < n; x += 1) // parallel",
            "  for (y = 0; y < n; y += 1) // vector",
            "    A(x, y);"
        ])
    );
}

#[test]
fn what_has_no_bounds_is_refused() {
    let t: ScheduleTree = one("[n] -> { A[i] : i < n }", "[n] -> [{ A[i] -> [(i)] }]", "").parse().unwrap();
    let e = generate(&t, &NONE.parse().unwrap(), &Options::default(), &Budget::default()).unwrap_err();
    assert_eq!(e.to_string(), "the loop over schedule dimension 0 around A has no lower bound");
    let e = generate(&t, &NONE.parse().unwrap(), &Options::default(), &Budget::new(3)).unwrap_err();
    assert!(e.to_string().contains("budget") || e.to_string().contains("bound"), "{e}");
}

#[test]
fn gemm_with_a_register_tile_has_no_condition_in_its_loops() {
    let t = "domain: \"[n, m, p] -> { S[i, j, k] : 0 <= i < n and 0 <= j < m and 0 <= k < p }\"\nchild:\n  schedule: \"[{ S[i, j, k] -> [(32*floor(i/32))] }, { S[i, j, k] -> [(32*floor(j/32))] }, { S[i, j, k] -> [(32*floor(k/32))] }]\"\n  child:\n    schedule: \"[{ S[i, j, k] -> [(4*floor(i/4))] }, { S[i, j, k] -> [(8*floor(j/8))] }]\"\n    options: \"[n, m] -> { isolate[[a, b, c] -> [x, y]] : 0 <= x and x + 3 < n and 0 <= y and y + 7 < m }\"\n    child:\n      schedule: \"[{ S[i, j, k] -> [(k)] }]\"\n      child:\n        schedule: \"[{ S[i, j, k] -> [(i)] }, { S[i, j, k] -> [(j)] }]\"\n        options: \"[n, m] -> { isolate[[a, b, c, x, y, k] -> [i, j]] : 0 <= x and x + 3 < n and 0 <= y and y + 7 < m; [isolate[] -> unroll[x]] }\"\n";
    let tree: ScheduleTree = t.parse().unwrap();
    let (ast, remarks) = generate(&tree, &NONE.parse().unwrap(), &Options::default(), &Budget::default()).unwrap();
    let text = ast.to_string();
    assert!(remarks.is_empty(), "{remarks:?}");
    assert!(text.lines().count() <= 60, "{text}");
    assert!(!text.contains("if ("), "{text}");
    assert_eq!(text.matches("S(").count(), 32 + 2, "{text}");
    // 5 x 9 x 2 needs every kind of tile.
    let params = ["n", "m", "p"].map(tilia_presburger::Id::new);
    for sizes in [[5, 9, 2], [4, 8, 1], [3, 17, 1], [9, 7, 2]] {
        let values: Vec<_> = params.iter().cloned().zip(sizes.map(tilia_presburger::Int::from)).collect();
        crate::check::check(&tree, &NONE.parse().unwrap(), &ast, &values).unwrap();
    }
}

/// Loops whose whole body stands under a comparison of their own iterator that could have been a bound.
fn missed_bounds(node: &tilia_ast::Node, out: &mut Vec<String>, ast: &tilia_ast::Ast) {
    use tilia_ast::{Expr, Node};
    match node {
        Node::Block(list) => list.iter().for_each(|n| missed_bounds(n, out, ast)),
        Node::For(f) => {
            if let Node::If { cond, otherwise: None, .. } = &*f.body {
                let parts = match cond {
                    Expr::And(list) => list.clone(),
                    e => vec![e.clone()],
                };
                let own = |e: &Expr| matches!(e, Expr::Cmp(_, a, _) if **a == Expr::Var(f.var));
                out.extend(parts.iter().filter(|e| own(e)).map(|e| ast.expr_text(e)));
            }
            missed_bounds(&f.body, out, ast);
        }
        Node::If { then, otherwise, .. } => {
            missed_bounds(then, out, ast);
            otherwise.iter().for_each(|n| missed_bounds(n, out, ast));
        }
        Node::Mark { body, .. } => missed_bounds(body, out, ast),
        Node::User { .. } => {}
    }
}

/// What is generated for a tree, after a check for the given parameters.
fn generated(tree: &str, sizes: &[&[(&str, i64)]]) -> tilia_ast::Ast {
    let tree: ScheduleTree = tree.parse().unwrap();
    let none: Set = NONE.parse().unwrap();
    let (ast, _) = generate(&tree, &none, &Options::default(), &Budget::default()).unwrap();
    for values in sizes {
        let values: Vec<_> = values
            .iter()
            .map(|(k, v)| (tilia_presburger::Id::new(k), tilia_presburger::Int::from(*v)))
            .collect();
        crate::check::check(&tree, &none, &ast, &values).unwrap();
    }
    let mut missed = Vec::new();
    missed_bounds(&ast.root, &mut missed, &ast);
    assert!(missed.is_empty(), "{missed:?}\n{ast}");
    ast
}

/// Tile numbers that an outer band knows as a sum of two: their divisions are the loop's variable in everything below.
#[test]
fn wavefronts_of_tiles_leave_no_division_inside() {
    let s = |e: &str| format!("{{ S[t, i] -> [({e})]; T[t, i] -> [({})] }}", e.replace("2t", "1 + 2t"));
    let tree = format!(
        "domain: \"[n, m] -> {{ S[t, i] : 0 <= t < m and 0 < i < n - 1; T[t, i] : 0 <= t < m and 0 < i < n - 1 }}\"\nchild:\n  schedule: \"[{}]\"\n  child:\n    schedule: \"[{}]\"\n    coincident: [ 1 ]\n    child:\n      schedule: \"[{}, {}]\"\n      child:\n        sequence:\n        - filter: \"{{ S[t, i] }}\"\n        - filter: \"{{ T[t, i] }}\"\n",
        s("floor(t/4) + floor((2t + i)/8)"),
        s("floor((2t + i)/8)"),
        s("t"),
        s("2t + i"),
    );
    let ast = generated(&tree, &[&[("n", 11), ("m", 9)], &[("n", 4), ("m", 3)], &[("n", 30), ("m", 5)]]);
    let text = ast.to_string();
    let divided = |l: &str| l.contains('/') || l.contains('%') || l.contains("floord");
    // In the loops over time steps, of which the tiles' condition makes two, and in all conditions inside the loops over tiles.
    let inner: Vec<&str> = text.lines().filter(|l| l.starts_with("          ")).collect();
    let tests: Vec<&str> = text
        .lines()
        .filter(|l| l.starts_with("      ") && l.trim_start().starts_with("if"))
        .collect();
    assert!(!inner.is_empty() && !tests.is_empty(), "{text}");
    assert!(inner.iter().chain(&tests).all(|l| !divided(l)), "{text}");
}

/// The tile number of one direction is known as the difference of two loops.
#[test]
fn diamonds_are_four_loops() {
    let s = |e: &str| format!("{{ S[t, i] -> [({e})] }}");
    let tree = format!(
        "domain: \"[n, m] -> {{ S[t, i] : 0 <= t < m and 0 <= i < n }}\"\nchild:\n  schedule: \"[{}]\"\n  child:\n    schedule: \"[{}]\"\n    child:\n      schedule: \"[{}, {}]\"\n",
        s("floor((t + i)/8) + floor((t - i)/8)"),
        s("floor((t - i)/8)"),
        s("t"),
        s("i"),
    );
    let text = generated(&tree, &[&[("n", 21), ("m", 13)], &[("n", 5), ("m", 30)], &[("n", 1), ("m", 1)]]).to_string();
    assert_eq!((text.lines().count(), text.matches("if (").count()), (5, 0), "{text}");
    let inner: Vec<&str> = text.lines().skip(2).collect();
    assert!(inner.iter().all(|l| !l.contains('/') && !l.contains("floord")), "{text}");
}

/// Two phases of hexagons: a piecewise schedule whose pieces the filters tell apart.
#[test]
fn hexagons_are_two_nests_without_conditions() {
    let cond = |t: &str, i: &str| {
        format!("-3 + ({t}) mod 6 <= ({i}) mod 12 <= 10 - ({t}) mod 6 and 2 - ({t}) mod 6 <= ({i}) mod 12 <= 5 + ({t}) mod 6")
    };
    let phases = [("3 + t", "6 + i"), ("t", "i")];
    let outer: Vec<String> = phases
        .iter()
        .map(|(t, i)| format!("S[t, i] -> [(floor(({t})/6))] : {}", cond(t, i)))
        .collect();
    let mut tree = format!(
        "domain: \"[n, m] -> {{ S[t, i] : 0 < t < m and 0 < i < n }}\"\nchild:\n  schedule: \"[n, m] -> [{{ {} }}]\"\n  child:\n    sequence:\n",
        outer.join("; ")
    );
    for (t, i) in phases {
        tree += &format!(
            "    - filter: \"{{ S[t, i] : {} }}\"\n      child:\n        schedule: \"[{{ S[t, i] -> [(floor(({i})/12))] }}]\"\n        child:\n          schedule: \"[{{ S[t, i] -> [(t)] }}, {{ S[t, i] -> [(i)] }}]\"\n",
            cond(t, i)
        );
    }
    let text = generated(&tree, &[&[("n", 30), ("m", 14)], &[("n", 7), ("m", 20)], &[("n", 2), ("m", 2)]]).to_string();
    assert!(!text.contains("if (") && text.lines().count() <= 11, "{text}");
}

/// A band that is tiled for the cache and for registers, with the rest of the register tiles in loops.
#[test]
fn partial_register_tiles_keep_their_bounds() {
    let t = "domain: \"[n, m, p] -> { S[i, j, k] : 0 <= i < n and 0 <= j < m and 0 <= k < p }\"\nchild:\n  schedule: \"[{ S[i, j, k] -> [(96*floor(i/96))] }, { S[i, j, k] -> [(258*floor(j/258))] }, { S[i, j, k] -> [(128*floor(k/128))] }]\"\n  child:\n    schedule: \"[{ S[i, j, k] -> [(3*floor(i/3))] }, { S[i, j, k] -> [(6*floor(j/6))] }]\"\n    options: \"[n, m] -> { isolate[[a, b, c] -> [x, y]] : 0 <= x and x + 2 < n and 0 <= y and y + 5 < m }\"\n    child:\n      schedule: \"[{ S[i, j, k] -> [(k)] }]\"\n      child:\n        schedule: \"[{ S[i, j, k] -> [(i)] }, { S[i, j, k] -> [(j)] }]\"\n        options: \"[n, m] -> { isolate[[a, b, c, x, y, k] -> [i, j]] : 0 <= x and x + 2 < n and 0 <= y and y + 5 < m; [isolate[] -> unroll[0]] }\"\n";
    let sizes: [&[(&str, i64)]; 3] = [
        &[("n", 8), ("m", 13), ("p", 2)],
        &[("n", 3), ("m", 6), ("p", 3)],
        &[("n", 2), ("m", 5), ("p", 1)],
    ];
    let text = generated(t, &sizes).to_string();
    assert!(!text.contains("if ("), "{text}");
    assert_eq!(text.matches("S(").count(), 3 + 2, "{text}");
}
