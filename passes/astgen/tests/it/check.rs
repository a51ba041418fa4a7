//! The oracle: an AST must execute exactly the instances of the tree, in an order that the tree allows.

use std::collections::HashMap;
use tilia_ast::{Ast, Trace};
use tilia_astgen::{Options, generate};
use tilia_presburger::{Budget, Id, Int, Set};
use tilia_schedule::{Execution, Order, ScheduleTree};

/// Generates, checks for all values of the parameters in `0..=max`, and returns the text.
pub(crate) fn checked(tree: &str, context: &str, max: i64) -> String {
    checked_with(tree, context, -1, max, &Options::default())
}

/// As [`checked`], with options and a least value of the parameters.
pub(crate) fn checked_with(tree: &str, context: &str, min: i64, max: i64, options: &Options) -> String {
    let tree: ScheduleTree = tree.parse().unwrap();
    let context: Set = context.parse().unwrap();
    let b = Budget::default();
    let found = tree.verify(&b).unwrap();
    assert!(found.is_empty(), "{found:?}\n{tree}");
    let (ast, _) = generate(&tree, &context, options, &b).unwrap_or_else(|e| panic!("{e}\n{tree}"));
    let params = params_of(&tree, &context);
    let mut runs = 0;
    for values in boxes(&params, min, max) {
        runs += usize::from(check(&tree, &context, &ast, &values).is_some());
    }
    assert!(runs > 0, "no parameter values to check");
    ast.to_string()
}

/// Parameters of the domain and of the context.
pub(crate) fn params_of(tree: &ScheduleTree, context: &Set) -> Vec<Id> {
    let mut all = context.space().params().to_vec();
    for p in tree.domain().unwrap().params_space().params() {
        if !all.contains(p) {
            all.push(p.clone());
        }
    }
    all
}

/// All ways to give each parameter a value.
pub(crate) fn boxes(params: &[Id], min: i64, max: i64) -> Vec<Vec<(Id, Int)>> {
    let mut out: Vec<Vec<(Id, Int)>> = vec![Vec::new()];
    for p in params {
        out = out
            .into_iter()
            .flat_map(|v| {
                (min..=max).map(move |x| {
                    let mut w = v.clone();
                    w.push((p.clone(), Int::from(x)));
                    w
                })
            })
            .collect();
    }
    out
}

/// Compares the AST with the tree for some parameters; nothing when the context excludes them.
pub(crate) fn check(tree: &ScheduleTree, context: &Set, ast: &Ast, params: &[(Id, Int)]) -> Option<Trace> {
    let b = Budget::unlimited();
    let mut here = context.clone();
    for (name, value) in params {
        if let Some(i) = here.space().find_param(name) {
            here = here.fix(tilia_presburger::DimType::Param, i, value.clone()).unwrap();
        }
    }
    if here.is_empty(&b).unwrap() {
        return None;
    }
    ast.verify().unwrap_or_else(|e| panic!("{e:?}\n{ast}"));
    let all = tree.executions(params, 20_000, &b).unwrap_or_else(|e| panic!("{e}\n{tree}"));
    let trace = ast
        .execute(params.iter().cloned(), 2_000_000)
        .unwrap_or_else(|e| panic!("{e}\n{params:?}\n{tree}\n{ast}"));
    if let Err(e) = compare(&all, &trace) {
        panic!("for {params:?}: {e}\n{tree}\n{ast}");
    }
    Some(trace)
}

fn compare(all: &[Execution], trace: &Trace) -> Result<(), String> {
    // Executions of one instance (there are several only below an extension) are matched in order.
    let mut open: HashMap<(&Id, &[Int]), Vec<&Execution>> = HashMap::new();
    for e in all.iter().rev() {
        open.entry((&e.stmt, &e.args)).or_default().push(e);
    }
    let mut order: Vec<&Execution> = Vec::new();
    for i in &trace.instances {
        match open.get_mut(&(&i.stmt, &i.args[..])).and_then(Vec::pop) {
            Some(e) => order.push(e),
            None => return Err(format!("{}{:?} is executed once too often", i.stmt, i.args)),
        }
    }
    if order.len() < all.len() {
        let missing = open.iter().find(|(_, v)| !v.is_empty()).map(|(k, _)| format!("{}{:?}", k.0, k.1));
        return Err(format!("{missing:?} isn't executed"));
    }
    if order.len() <= 300 {
        for (i, a) in order.iter().enumerate() {
            for b in &order[i + 1..] {
                if a.order(b) == Order::After {
                    return Err(format!("{}{:?} runs before {}{:?}", a.stmt, a.args, b.stmt, b.args));
                }
            }
        }
    } else {
        // Neighbours suffice where everything is ordered.
        for w in order.windows(2) {
            if w[0].order(w[1]) == Order::After {
                return Err(format!("{}{:?} runs before {}{:?}", w[0].stmt, w[0].args, w[1].stmt, w[1].args));
            }
        }
    }
    Ok(())
}
