//! Trees of ordinary programs give their loops back.

use tilia_astgen::{Options, generate};
use tilia_presburger::{Budget, Set};
use tilia_schedule::{ScheduleTree, Source};

fn stmt(text: &str) -> Source {
    Source::Stmt(text.parse::<Set>().unwrap())
}

fn nest(name: &str, body: Vec<Source>) -> Source {
    Source::Loop { name: name.into(), body }
}

fn text(items: &[Source], context: &str) -> String {
    let tree = ScheduleTree::from_source(items).unwrap();
    let (ast, remarks) = generate(&tree, &context.parse().unwrap(), &Options::default(), &Budget::default()).unwrap();
    assert!(remarks.is_empty(), "{remarks:?}");
    ast.verify().unwrap();
    ast.to_string()
}

#[test]
fn gemm_is_its_own_nest() {
    let source = [nest(
        "i",
        vec![nest(
            "j",
            vec![
                stmt("[n, m, p] -> { S0[i, j] : 0 <= i < n and 0 <= j < m }"),
                nest(
                    "k",
                    vec![stmt("[n, m, p] -> { S1[i, j, k] : 0 <= i < n and 0 <= j < m and 0 <= k < p }")],
                ),
            ],
        )],
    )];
    assert_eq!(
        text(&source, "[n, m, p] -> { : }"),
        "for (i = 0; i < n; i += 1)
  for (j = 0; j < m; j += 1) {
    S0(i, j);
    for (k = 0; k < p; k += 1)
      S1(i, j, k);
  }
"
    );
}
