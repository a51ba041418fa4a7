//! Steps of a loop that overlap.

use crate::run::{legal, pairs};
use tilia_presburger::Budget;
use tilia_schedule::{Path, ScheduleTree};
use tilia_transform::{Outcome, Pairs, Reason, Transformer};

/// `for k { A(k); for i: B(k, i); for i: C(k, i) }`.
const STEPS: &str = r#"
domain: "[n] -> { A[k] : 0 <= k < n; B[k, i] : 0 <= k < n and 0 <= i < n; C[k, i] : 0 <= k < n and 0 <= i < n }"
child:
  schedule: "[n] -> [{ A[k] -> [(k)]; B[k, i] -> [(k)]; C[k, i] -> [(k)] }]"
  child:
    sequence:
    - filter: "[n] -> { A[k] }"
    - filter: "[n] -> { B[k, i] }"
      child:
        schedule: "[n] -> [{ B[k, i] -> [(i)] }]"
    - filter: "[n] -> { C[k, i] }"
      child:
        schedule: "[n] -> [{ C[k, i] -> [(i)] }]"
"#;

/// `B` adds up what `C` then changes all of.
fn sums() -> Vec<&'static str> {
    vec![
        "[n] -> { A[k] -> B[k, i] : 0 <= k < n and 0 <= i < n }",
        "[n] -> { B[k, i] -> B[k, i + 1] : 0 <= k < n and 0 <= i < n - 1 }",
        "[n] -> { B[k, i] -> C[k, j] : 0 <= k < n and 0 <= i < n and 0 <= j < n }",
        "[n] -> { C[k, i] -> B[k + 1, i] : 0 <= k < n - 1 and 0 <= i < n }",
    ]
}

fn overlap(deps: &Pairs, earlier: usize, later: usize) -> (ScheduleTree, Outcome) {
    let old: ScheduleTree = STEPS.parse().unwrap();
    let budget = Budget::default();
    let t = Transformer {
        pairs: deps,
        budget: &budget,
    };
    let done = t.overlap(&old, &Path(vec![0]), earlier, later).unwrap();
    (old, done)
}

#[test]
fn the_end_of_a_step_runs_beside_the_start_of_the_next() {
    let deps = pairs(&sums());
    let (old, done) = overlap(&deps, 1, 2);
    let Outcome::Done(new) = done else { panic!("{done:?}") };
    for n in [2, 5] {
        let text = legal(&old, &new.tree, &deps, n);
        assert!(text.contains("{\n      C(c0 - 1, c1);\n      B(c0, c1);"), "{text}");
    }
}

#[test]
fn what_a_step_needs_whole_of_the_one_before_is_declined() {
    // The next sum begins with an element that the loop over C reaches last.
    let mut all = sums();
    all.push("[n] -> { C[k, i] -> B[k + 1, j] : 0 <= k < n - 1 and 0 <= j < i < n }");
    let (_, done) = overlap(&pairs(&all), 1, 2);
    assert!(matches!(done, Outcome::Declined(Reason::Illegal { .. })), "{done:?}");
    // What stands before the sum in the next step.
    let mut all = sums();
    all.push("[n] -> { C[k, i] -> A[k + 1] : 0 <= k < n - 1 and 0 <= i < n }");
    let (_, done) = overlap(&pairs(&all), 1, 2);
    assert!(matches!(done, Outcome::Declined(Reason::Illegal { .. })), "{done:?}");
}

#[test]
fn children_without_a_common_loop_are_declined() {
    let deps = pairs(&sums());
    for (earlier, later) in [(0, 2), (2, 1), (1, 1), (1, 3)] {
        let (_, done) = overlap(&deps, earlier, later);
        assert!(matches!(done, Outcome::Declined(Reason::Unfit(_))), "{earlier} {later}: {done:?}");
    }
}
