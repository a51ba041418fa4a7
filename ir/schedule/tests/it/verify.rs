//! What the verifier finds.

use crate::text::{ALL, GEMM};
use tilia_presburger::Budget;
use tilia_schedule::ScheduleTree;

fn found(tree: &str) -> Vec<String> {
    let tree: ScheduleTree = tree.parse().unwrap();
    tree.verify(&Budget::default()).unwrap().iter().map(ToString::to_string).collect()
}

#[test]
fn right_trees_pass() {
    for t in [GEMM, ALL] {
        assert_eq!(found(t), Vec::<String>::new());
    }
}

fn filters(a: &str, b: &str) -> String {
    format!("domain: \"{{ A[i] : 0 <= i < 10 }}\"\nchild:\n  sequence:\n  - filter: \"{a}\"\n  - filter: \"{b}\"\n")
}

#[test]
fn overlapping_filters() {
    let f = found(&filters("{ A[i] : i < 5 }", "{ A[i] : i >= 4 }"));
    assert_eq!(f.len(), 1);
    assert!(f[0].starts_with("sequence at /0: children 0 and 1 both have { A[4] }"), "{f:?}");
}

#[test]
fn missing_instances() {
    let f = found(&filters("{ A[i] : i < 5 }", "{ A[i] : i > 5 }"));
    assert_eq!(f, ["sequence at /0: no child has { A[5] }"]);
}

#[test]
fn undefined_band_members() {
    let t = "domain: \"{ A[i] : 0 <= i < 10; B[] }\"\nchild:\n  schedule: \"[{ A[i] -> [(i)] : i < 7 }]\"\n";
    let f = found(t);
    assert_eq!(f.len(), 2, "{f:?}");
    assert!(f.iter().any(|m| m.contains("member 0 has no value for B")));
    assert!(f.iter().any(|m| m.contains("member 0 has no value for A, for example at { A[")));
}

#[test]
fn unknown_parameters() {
    let t = "domain: \"{ A[i] : 0 <= i < 10 }\"\nchild:\n  filter: \"[q] -> { A[i] : i < q }\"\n";
    assert_eq!(found(t), ["filter at /0: parameter q is in neither the domain nor a context above"]);
    let below = "domain: \"{ A[i] : 0 <= i < 10 }\"\nchild:\n  context: \"[q] -> { [] : q > 3 }\"\n  child:\n    filter: \"[q] -> { A[i] : i < q }\"\n";
    assert!(found(below).is_empty());
}

#[test]
fn extensions_that_do_not_fit() {
    let t = "domain: \"{ A[i] : 0 <= i < 10 }\"\nchild:\n  extension: \"{ [] -> A[2] }\"\n";
    let f = found(t);
    assert_eq!(f, ["extension at /0: { A[2] } is added although it is there already"]);
    let t = "domain: \"{ A[i] : 0 <= i < 10 }\"\nchild:\n  extension: \"{ [x] -> B[x] }\"\n";
    assert!(
        found(t)[0].contains("takes 1 values where there are 0 band members above"),
        "{:?}",
        found(t)
    );
}

#[test]
fn expansions_that_are_no_inverse() {
    let t = |c: &str| {
        format!("domain: \"{{ G[i] : 0 <= i < 3 }}\"\nchild:\n  contraction: \"{c}\"\n  expansion: \"{{ G[i] -> X[i]; G[i] -> Y[i] }}\"\n")
    };
    assert!(found(&t("{ X[i] -> G[i]; Y[i] -> G[i] }")).is_empty());
    assert!(found(&t("{ X[i] -> G[i] }"))[0].contains("isn't the inverse"));
    let f = found(&t("{ X[i] -> G[j] : 0 <= j < 3; Y[i] -> G[i] }"));
    assert!(f.iter().any(|m| m.contains("isn't single-valued")), "{f:?}");
}

#[test]
fn isolate_of_the_wrong_size() {
    let t =
        "domain: \"{ A[i] : 0 <= i < 10 }\"\nchild:\n  schedule: \"[{ A[i] -> [(i)] }]\"\n  options: \"{ isolate[[o] -> [b]] : b > 2 }\"\n";
    assert!(
        found(t)[0].contains("relates 1 to 1 values where the tree has 0 outer and 1 own ones"),
        "{:?}",
        found(t)
    );
}
