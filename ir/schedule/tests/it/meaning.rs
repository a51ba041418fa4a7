//! Flattening, prefixes, source trees, and the order by enumeration.

use tilia_presburger::{Budget, Id, Int, Set, UnionMap};
use tilia_schedule::{Order, Path, ScheduleTree, Source};

fn flat(tree: &str) -> UnionMap {
    let tree: ScheduleTree = tree.parse().unwrap();
    tree.to_union_map(&Budget::default()).unwrap()
}

fn same(a: &UnionMap, b: &str) {
    let b: UnionMap = b.parse().unwrap();
    assert!(a.is_equal(&b, &Budget::default()).unwrap(), "{a}\n{b}");
}

#[test]
fn flattening() {
    let t = "domain: \"{ A[i] : 0 <= i < 3; B[i, j] : 0 <= i < 3 and 0 <= j < 3 }\"\nchild:\n  sequence:\n  - filter: \"{ A[i] }\"\n    child:\n      schedule: \"[{ A[i] -> [(i)] }]\"\n  - filter: \"{ B[i, j] }\"\n    child:\n      schedule: \"[{ B[i, j] -> [(i)] }, { B[i, j] -> [(j)] }]\"\n";
    same(
        &flat(t),
        "{ A[i] -> [0, i, 0] : 0 <= i < 3; B[i, j] -> [1, i, j] : 0 <= i < 3 and 0 <= j < 3 }",
    );
    let t = "domain: \"{ A[i] : 0 <= i < 3; B[i] : 0 <= i < 3 }\"\nchild:\n  schedule: \"[{ A[i] -> [(i)]; B[i] -> [(i)] }]\"\n  child:\n    sequence:\n    - filter: \"{ A[i] }\"\n    - filter: \"{ B[i] }\"\n";
    same(&flat(t), "{ A[i] -> [i, 0] : 0 <= i < 3; B[i] -> [i, 1] : 0 <= i < 3 }");
}

#[test]
fn an_expansion_flattens_to_its_own_instances() {
    let t = "domain: \"{ G[i] : 0 <= i < 3 }\"\nchild:\n  schedule: \"[{ G[i] -> [(-i)] }]\"\n  child:\n    contraction: \"{ X[i] -> G[i]; Y[i] -> G[i] }\"\n    expansion: \"{ G[i] -> X[i]; G[i] -> Y[i] }\"\n    child:\n      sequence:\n      - filter: \"{ Y[i] }\"\n      - filter: \"{ X[i] }\"\n";
    same(&flat(t), "{ X[i] -> [-i, 1] : 0 <= i < 3; Y[i] -> [-i, 0] : 0 <= i < 3 }");
}

#[test]
fn prefixes() {
    let tree: ScheduleTree = crate::text::GEMM.parse().unwrap();
    let b = Budget::default();
    let at = Path(vec![0, 0, 0, 1, 0, 0]);
    assert_eq!(tree.schedule_depth(&at).unwrap(), 3);
    let outer = tree.outer_values(&at, &b).unwrap();
    same(
        &outer,
        "[n] -> { S1[i, j, k] -> [i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
    );
    let prefix = tree.prefix_schedule(&at, &b).unwrap();
    same(
        &prefix,
        "[n] -> { S1[i, j, k] -> [i, 1, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
    );
    assert!(tree.schedule_depth(&Path(vec![7])).is_err());
}

#[test]
fn source_programs() {
    let stmt = |t: &str| Source::Stmt(t.parse::<Set>().unwrap());
    let source = [
        stmt("{ P[] }"),
        Source::Loop {
            name: "i".into(),
            body: vec![
                stmt("[n] -> { A[i] : 0 <= i < n }"),
                Source::Loop {
                    name: "e".into(),
                    body: vec![],
                },
                Source::Loop {
                    name: "j".into(),
                    body: vec![stmt("[n] -> { B[i, j] : 0 <= i < n and 0 <= j < i }")],
                },
            ],
        },
    ];
    let tree = ScheduleTree::from_source(&source).unwrap();
    assert!(tree.verify(&Budget::default()).unwrap().is_empty());
    same(
        &tree.to_union_map(&Budget::default()).unwrap(),
        "[n] -> { P[] -> [0, 0, 0, 0]; A[i] -> [1, i, 0, 0] : 0 <= i < n; B[i, j] -> [1, i, 1, j] : 0 <= i < n and 0 <= j < i }",
    );
    let short = [Source::Loop {
        name: "i".into(),
        body: vec![stmt("{ P[] }")],
    }];
    assert!(ScheduleTree::from_source(&short).is_err());
}

#[test]
fn order_by_enumeration() {
    let tree: ScheduleTree = crate::text::ALL.parse().unwrap();
    let params = [(Id::new("p"), Int::from(9))];
    let order = |a: (&str, i64), b: (&str, i64)| {
        let (x, y) = ([Int::from(a.1)], [Int::from(b.1)]);
        tree.order(&params, (&a.0.into(), &x), (&b.0.into(), &y), 1000, &Budget::unlimited())
            .unwrap()
    };
    assert_eq!(order(("A", 1), ("A", 2)), Order::Before);
    assert_eq!(order(("A", 2), ("C", 2)), Order::After);
    assert_eq!(order(("A", 2), ("C", 3)), Order::Before);
    assert_eq!(order(("X", 1), ("Y", 1)), Order::After);
    assert_eq!(order(("X", 1), ("Y", 2)), Order::Before);
    assert_eq!(order(("A", 0), ("X", 0)), Order::Unordered);
    assert_eq!(order(("A", 0), ("A", 99)), Order::Unordered);
    assert_eq!(tree.executions(&params, 1000, &Budget::unlimited()).unwrap().len(), 10 + 10 + 6);
    assert!(tree.executions(&params, 5, &Budget::unlimited()).is_err());
}
