//! Running trees: the AST must execute the same instances and respect the dependences.

use std::collections::HashMap;
use tilia_ast::Instance;
use tilia_presburger::{Budget, Id, Int, Map, Set};
use tilia_schedule::ScheduleTree;
use tilia_transform::Pairs;

pub(crate) fn pairs(list: &[&str]) -> Pairs {
    Pairs::from_maps(list.iter().map(|t| t.parse::<Map>().unwrap()).collect())
}

/// Executes the AST of a tree.
pub(crate) fn run(tree: &ScheduleTree, n: i64) -> (String, Vec<Instance>) {
    let context: Set = "{ : }".parse().unwrap();
    let (ast, _) = tilia_astgen::generate(tree, &context, &tilia_astgen::Options::default(), &Budget::default()).unwrap();
    ast.verify().unwrap();
    let trace = ast.execute([(Id::new("n"), Int::from(n))], 1_000_000).unwrap();
    (ast.to_string(), trace.instances)
}

/// Both trees run the same instances, and the second respects the dependences.
pub(crate) fn legal(old: &ScheduleTree, new: &ScheduleTree, deps: &Pairs, n: i64) -> String {
    let (_, a) = run(old, n);
    let (text, b) = run(new, n);
    let (mut x, mut y) = (a.clone(), b.clone());
    x.sort();
    y.sort();
    assert_eq!(x, y, "\n{text}");
    let at: HashMap<&Instance, usize> = b.iter().enumerate().map(|(i, e)| (e, i)).collect();
    let budget = Budget::unlimited();
    let mut seen = 0;
    for map in deps.maps() {
        for p in &b {
            for q in &b {
                let (from, to) = (map.space().input().unwrap(), map.space().out());
                if from.name.as_ref() != Some(&p.stmt) || to.name.as_ref() != Some(&q.stmt) {
                    continue;
                }
                let wrapped = map.wrap();
                let params = vec![Int::from(n); wrapped.space().params().len()];
                let coords = p.args.iter().chain(&q.args).cloned().collect();
                let point = tilia_presburger::Point::new(wrapped.space().clone(), params, coords);
                if wrapped.contains(&point, &budget).unwrap() {
                    seen += 1;
                    assert!(at[p] < at[q], "{p:?} must run before {q:?}\n{text}");
                }
            }
        }
    }
    assert!(seen > 0, "no dependence was exercised");
    text
}
