//! Transformations that reorder instances: legal ones run right, illegal ones are declined with the dependence.

use crate::run::{legal, pairs};
use crate::tile::SQUARE;
use tilia_presburger::{Budget, Id, Int};
use tilia_schedule::{Path, ScheduleTree};
use tilia_transform::{Outcome, Pairs, Transformer, first_violation};

fn tree(t: &str) -> ScheduleTree {
    t.parse().unwrap()
}

fn at(p: &[usize]) -> Path {
    Path(p.to_vec())
}

/// The square as one band of two members.
fn square() -> ScheduleTree {
    tree(SQUARE).fuse_band(&at(&[0]), true).unwrap().tree
}

fn done(o: Outcome) -> ScheduleTree {
    match o {
        Outcome::Done(e) => e.tree,
        Outcome::Declined(why) => panic!("declined: {why}"),
    }
}

fn declined(o: Outcome) -> String {
    match o {
        Outcome::Done(e) => panic!("done:\n{}", e.tree),
        Outcome::Declined(why) => why.to_string(),
    }
}

const DOWN: &str = "[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }";
const ACROSS: &str = "[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }";
const BACK: &str = "[n] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 1 <= j < n }";

fn with<T>(deps: &Pairs, f: impl FnOnce(&Transformer<'_>) -> T) -> T {
    let budget = Budget::default();
    f(&Transformer {
        pairs: deps,
        budget: &budget,
    })
}

#[test]
fn interchange_reverse_and_skew() {
    let (old, at) = (square(), at(&[0]));
    let deps = pairs(&[DOWN, ACROSS]);
    with(&deps, |t| {
        let new = done(t.interchange(&old, &at, &[1, 0]).unwrap());
        legal(&old, &new, &deps, 5);
        let why = declined(t.reverse(&old, &at, 1).unwrap());
        assert!(why.starts_with("the dependence S["), "{why}");
        let new = done(t.skew(&old, &at, (1, 0), &Int::from(2)).unwrap());
        legal(&old, &new, &deps, 5);
        assert!(declined(t.skew(&old, &at, (0, 0), &Int::from(2)).unwrap()).contains("by itself"));
        assert!(declined(t.reverse(&old, &at, 7).unwrap()).contains("no member 7"));
    });
    let deps = pairs(&[BACK]);
    with(&deps, |t| {
        assert!(declined(t.interchange(&old, &at, &[1, 0]).unwrap()).contains("S[0, 1] -> S[1, 0]"));
        let skewed = done(t.skew(&old, &at, (1, 0), &Int::from(1)).unwrap());
        let new = done(t.interchange(&skewed, &at, &[1, 0]).unwrap());
        legal(&old, &new, &deps, 5);
    });
    // Nothing ties the columns: they may run backwards.
    let deps = pairs(&[DOWN]);
    with(&deps, |t| {
        let new = done(t.reverse(&old, &at, 1).unwrap());
        legal(&old, &new, &deps, 5);
    });
}

#[test]
fn a_wavefront_carries_everything_in_its_first_member() {
    let (old, at) = (square(), at(&[0]));
    let deps = pairs(&[DOWN, ACROSS]);
    let budget = Budget::default();
    with(&deps, |t| {
        let new = done(t.wavefront(&old, &at).unwrap());
        legal(&old, &new, &deps, 6);
        let band = new.node(&at).unwrap().as_band().unwrap();
        let left = deps.left_by(&band.members[0], &budget).unwrap();
        assert!(left.maps().is_empty());
    });
}

#[test]
fn strip_mining() {
    let old = tree(SQUARE);
    let deps = pairs(&[BACK]);
    with(&deps, |t| {
        let new = done(t.strip_mine(&old, &at(&[0]), &Int::from(3)).unwrap());
        legal(&old, &new, &deps, 7);
        assert!(declined(t.strip_mine(&square(), &at(&[0]), &Int::from(3)).unwrap()).contains("2 members"));
        assert!(declined(t.strip_mine(&old, &at(&[0, 0, 0]), &Int::from(3)).unwrap()).contains("no band"));
    });
}

const TWO: &str = r#"
domain: "[n] -> { A[i] : 0 <= i < n; B[i] : 0 <= i < n }"
child:
  schedule: "[n] -> [{ A[i] -> [(i)]; B[i] -> [(i)] }]"
  child:
    sequence:
    - filter: "[n] -> { A[i] }"
    - filter: "[n] -> { B[i] }"
"#;

#[test]
fn fission_and_fusion() {
    let old = tree(TWO);
    // B reads what A wrote in this or an earlier iteration.
    let deps = pairs(&[
        "[n] -> { A[i] -> B[i] : 0 <= i < n }",
        "[n] -> { A[i] -> B[i + 1] : 0 <= i < n - 1 }",
    ]);
    with(&deps, |t| {
        let split = done(t.distribute(&old, &at(&[0])).unwrap());
        let text = legal(&old, &split, &deps, 5);
        assert_eq!(text.matches("for (").count(), 2, "{text}");
        let joined = done(t.fuse(&split, &at(&[0])).unwrap());
        let text = legal(&old, &joined, &deps, 5);
        assert_eq!(text.matches("for (").count(), 1, "{text}");
        assert!(declined(t.reorder(&split, &at(&[0]), &[1, 0]).unwrap()).contains("A[0] -> B["));
    });
    // A reads what B wrote in the iteration before: the loops can't be split.
    let deps = pairs(&["[n] -> { B[i] -> A[i + 1] : 0 <= i < n - 1 }"]);
    with(&deps, |t| {
        assert!(declined(t.distribute(&old, &at(&[0])).unwrap()).contains("B[0] -> A[1]"));
        // One later, B would stand behind the A that needs it.
        let why = declined(t.shift(&old, &at(&[0]), 0, &Id::new("B"), &Int::from(1)).unwrap());
        assert!(why.contains("B[0] -> A[1]"), "{why}");
        let earlier = done(t.shift(&old, &at(&[0]), 0, &Id::new("B"), &Int::from(-1)).unwrap());
        legal(&old, &earlier, &deps, 5);
    });
}

#[test]
fn r11_legality_of_whole_trees() {
    let b = Budget::default();
    let line = |f: &str| {
        tree(&format!(
            "domain: \"{{ A[i] : 0 <= i < 9 }}\"\nchild:\n  schedule: \"[{{ A[i] -> [({f})] }}]\"\n"
        ))
    };
    let deps = pairs(&["{ A[i] -> A[i + 1] : 0 <= i < 8 }"]);
    assert_eq!(first_violation(&line("i"), &deps, &b).unwrap(), None);
    let (at, v) = first_violation(&line("-i"), &deps, &b).unwrap().unwrap();
    assert_eq!(at, Path(vec![0]));
    assert!(v.text.starts_with("A["), "{}", v.text);
    // The band leaves pairs in one strip to the leaf, which orders nothing.
    assert!(first_violation(&line("floor(i/4)"), &deps, &b).unwrap().is_some());
    let set = tree(
        "domain: \"{ A[i] : 0 <= i < 9 }\"\nchild:\n  set:\n  - filter: \"{ A[i] : i < 4 }\"\n    child:\n      schedule: \"[{ A[i] -> [(i)] }]\"\n  - filter: \"{ A[i] : i >= 4 }\"\n    child:\n      schedule: \"[{ A[i] -> [(i)] }]\"\n",
    );
    let (at, v) = first_violation(&set, &deps, &b).unwrap().unwrap();
    assert_eq!((at, v.text.as_str()), (Path(vec![0]), "A[3] -> A[4]"));
}
