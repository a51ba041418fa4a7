//! Panels: strips of one loop, what stands on their planes first.

use crate::run::{legal, pairs, run};
use tilia_presburger::{Budget, Int};
use tilia_schedule::{NodeKind, Path, ScheduleTree};
use tilia_transform::{Outcome, Pairs, Reason, Transformer};

/// `A[i][j] -= A[i][k] * A[k][j]` for `k < i, j`: elimination without pivoting.
const ELIMINATION: &str = r#"
domain: "[n] -> { S[k, i, j] : 0 <= k < i and k < j and i < n and j < n }"
child:
  schedule: "[n] -> [{ S[k, i, j] -> [(k)] }, { S[k, i, j] -> [(i)] }, { S[k, i, j] -> [(j)] }]"
"#;

/// Updates of one element, then its uses in the pivot's column and row.
fn deps() -> Pairs {
    pairs(&[
        "[n] -> { S[k, i, j] -> S[l, i, j] : 0 <= k < l and l < i < n and l < j < n }",
        "[n] -> { S[k, i, l] -> S[l, i, j] : 0 <= k < l and l < i < n and l < j < n }",
        "[n] -> { S[k, l, j] -> S[l, i, j] : 0 <= k < l and l < i < n and l < j < n }",
    ])
}

fn panels(text: &str, deps: &Pairs, strip: usize, size: i64) -> (ScheduleTree, Outcome) {
    let old: ScheduleTree = text.parse().unwrap();
    let budget = Budget::default();
    let t = Transformer {
        pairs: deps,
        budget: &budget,
    };
    let done = t.panels(&old, &Path(vec![0]), strip, &Int::from(size)).unwrap();
    (old, done)
}

/// Flags of the bands below each child of the sequence: for each band `P` a parallel member, `s` another.
fn flags(tree: &ScheduleTree) -> Vec<String> {
    let list = tree.node(&Path(vec![0, 0])).unwrap();
    assert!(matches!(list.kind(), NodeKind::Sequence));
    let mut out = Vec::new();
    for c in list.children() {
        let mut bands = Vec::new();
        let mut node = c.child();
        while let Some((band, child)) = node.and_then(|n| Some((n.as_band()?, n.child()?))) {
            assert!(band.permutable);
            bands.push(
                band.members
                    .iter()
                    .map(|m| if m.coincident { 'P' } else { 's' })
                    .collect::<String>(),
            );
            node = Some(child);
        }
        out.push(bands.join(" "));
    }
    out
}

#[test]
fn elimination_has_a_block_two_panels_and_a_rest_in_which_only_the_strip_has_an_order() {
    let (old, done) = panels(ELIMINATION, &deps(), 0, 3);
    let Outcome::Done(new) = done else { panic!("{done:?}") };
    legal(&old, &new.tree, &deps(), 8);
    // Off the planes there are only iterations above them: k < i and k < j.
    assert_eq!(flags(&new.tree), ["sss", "ssP", "sPs", "sPP"]);
    let (text, _) = run(&new.tree, 8);
    assert!(text.starts_with("for (k_t = 0; k_t < n - 1; k_t += 3)"), "{text}");
}

/// In Gauss-Jordan elimination rows above the pivot change, too: then there are parts on both sides of the planes. (Its pivot rows are copies here; in place, they change while they are read.)
#[test]
fn both_sides_of_a_plane_are_parts_of_their_own() {
    let text = ELIMINATION.replace("0 <= k < i and k < j and i < n", "0 <= k < j and k != i and 0 <= i < n");
    let deps = pairs(&[
        "[n] -> { S[k, i, j] -> S[l, i, j] : 0 <= k < l < j < n and k != i and l != i and 0 <= i < n }",
        "[n] -> { S[k, i, l] -> S[l, i, j] : 0 <= k < l < j < n and k != i and l != i and 0 <= i < n }",
        "[n] -> { S[k, l, j] -> S[l, i, j] : 0 <= k < l < j < n and l != i and 0 <= i < n }",
    ]);
    let (old, done) = panels(&text, &deps, 0, 3);
    let Outcome::Done(new) = done else { panic!("{done:?}") };
    legal(&old, &new.tree, &deps, 8);
    // Rows above the pivot's use later rows of the strip, so its own loop stands alone where rows of the strip change.
    assert_eq!(flags(&new.tree), ["s PP", "s PP", "sPs", "sPs", "sPP", "sPP"]);
}

#[test]
fn a_stencil_has_no_planes() {
    let text = r#"
domain: "[n] -> { S[t, i] : 0 <= t < n and 0 < i < n - 1 }"
child:
  schedule: "[n] -> [{ S[t, i] -> [(t)] }, { S[t, i] -> [(i)] }]"
"#;
    let seidel = pairs(&[
        "[n] -> { S[t, i] -> S[t, i + 1] : 0 <= t < n and 0 < i < n - 2 }",
        "[n] -> { S[t, i] -> S[t + 1, i - 1] : 0 <= t < n - 1 and 1 < i < n - 1 }",
    ]);
    let (_, done) = panels(text, &seidel, 0, 4);
    assert!(matches!(done, Outcome::Declined(Reason::Illegal { .. })), "{done:?}");
}

#[test]
fn loops_that_are_parallel_already_gain_nothing() {
    let product = pairs(&["[n] -> { S[k, i, j] -> S[l, i, j] : 0 <= k < l and l < i < n and l < j < n }"]);
    let (_, done) = panels(ELIMINATION, &product, 0, 3);
    let Outcome::Declined(Reason::Unfit(why)) = done else {
        panic!("{done:?}")
    };
    assert!(why.contains("parallel already"), "{why}");
    let (_, done) = panels(ELIMINATION, &deps(), 3, 3);
    assert!(matches!(done, Outcome::Declined(Reason::Unfit(_))), "{done:?}");
    let (_, done) = panels(ELIMINATION, &deps(), 0, 0);
    assert!(matches!(done, Outcome::Declined(Reason::Unfit(_))), "{done:?}");
}

/// `for k { A(k); for j > k { B(k, j); for i: C(k, j, i) } }`: a step that makes something of column `k`, then what every later column does with it.
const BETWEEN: &str = r#"
domain: "[n] -> { A[k] : 0 <= k < n; B[k, j] : 0 <= k < j < n; C[k, j, i] : 0 <= k < j < n and 0 <= i < 3 }"
child:
  schedule: "[n] -> [{ A[k] -> [(k)]; B[k, j] -> [(k)]; C[k, j, i] -> [(k)] }]"
  child:
    sequence:
    - filter: "[n] -> { A[k] }"
    - filter: "[n] -> { B[k, j]; C[k, j, i] }"
      child:
        schedule: "[n] -> [{ B[k, j] -> [(j)]; C[k, j, i] -> [(j)] }]"
        child:
          sequence:
          - filter: "[n] -> { B[k, j] }"
          - filter: "[n] -> { C[k, j, i] }"
            child:
              schedule: "[n] -> [{ C[k, j, i] -> [(i)] }]"
"#;

/// Each column is used by the later ones once all steps before have changed it.
fn columns() -> Vec<&'static str> {
    vec![
        "[n] -> { A[k] -> B[k, j] : 0 <= k < j < n }",
        "[n] -> { B[k, j] -> C[k, j, i] : 0 <= k < j < n and 0 <= i < 3 }",
        "[n] -> { C[k, j, i] -> B[k + 1, j] : 0 <= k and k + 1 < j < n and 0 <= i < 3 }",
        "[n] -> { C[k, j, i] -> A[j] : 0 <= k < j < n and 0 <= i < 3 }",
    ]
}

fn between(deps: &Pairs, at: &[usize], child: usize, size: i64) -> (ScheduleTree, Outcome) {
    let old: ScheduleTree = BETWEEN.parse().unwrap();
    let budget = Budget::default();
    let t = Transformer {
        pairs: deps,
        budget: &budget,
    };
    let done = t.panels_between(&old, &Path(at.to_vec()), child, &Int::from(size)).unwrap();
    (old, done)
}

#[test]
fn statements_between_loops_run_in_the_panel_and_the_rest_takes_all_steps_of_a_strip_at_once() {
    let deps = pairs(&columns());
    let (old, done) = between(&deps, &[0], 1, 3);
    let Outcome::Done(new) = done else { panic!("{done:?}") };
    let text = legal(&old, &new.tree, &deps, 8);
    let rest = "for (j = k_t + 3; j < n; j += 1) // parallel\n    for (k = k_t; k <= k_t + 2; k += 1) {\n      B(k, j);";
    assert!(text.contains(rest) && text.contains("A("), "{text}");
    // A strip as long as all steps has no rest.
    for n in [1, 2, 3, 7] {
        let (_, mut a) = run(&old, n);
        let (_, mut b) = run(&new.tree, n);
        a.sort();
        b.sort();
        assert_eq!(a, b);
    }
}

#[test]
fn a_rest_that_a_later_step_of_the_strip_needs_is_declined() {
    // Each step makes something of the last column, wherever that is.
    let mut all = columns();
    all.push("[n] -> { C[k, j, i] -> A[k + 1] : 0 <= k < j and j = n - 1 and 0 <= i < 3 }");
    let (_, done) = between(&pairs(&all), &[0], 1, 3);
    let Outcome::Declined(Reason::Unfit(why)) = done else {
        panic!("{done:?}")
    };
    assert!(why.contains("both ways"), "{why}");
    // Columns that wait for each other.
    let mut all = columns();
    all.push("[n] -> { C[k, j, i] -> B[k, j + 1] : 0 <= k < j and j + 1 < n and 0 <= i < 3 }");
    let (_, done) = between(&pairs(&all), &[0], 1, 3);
    let Outcome::Declined(Reason::Unfit(why)) = done else {
        panic!("{done:?}")
    };
    assert!(why.contains("isn't parallel"), "{why}");
}

#[test]
fn panels_beside_statements_say_what_they_need() {
    let deps = pairs(&columns());
    for (at, child, size) in [(&[0][..], 0, 3), (&[0], 2, 3), (&[0], 1, 0), (&[0, 0], 0, 3)] {
        let (_, done) = between(&deps, at, child, size);
        assert!(
            matches!(done, Outcome::Declined(Reason::Unfit(_))),
            "{at:?} {child} {size}: {done:?}"
        );
    }
    // Without dependences between steps there is nothing to gain.
    let parallel = pairs(&columns()[..2]);
    let (_, done) = between(&parallel, &[0], 1, 3);
    let Outcome::Declined(Reason::Unfit(why)) = done else {
        panic!("{done:?}")
    };
    assert!(why.contains("parallel already"), "{why}");
}
