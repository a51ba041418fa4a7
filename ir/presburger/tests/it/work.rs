//! The work that the operations of the speed comparison take, in units of the budget: the same on every machine, so that a change that
//! makes the library slower is seen. A change for the better should lower the limits here.

#[path = "../../examples/bench/ops.rs"]
mod ops;

use std::collections::BTreeMap;

use tilia_presburger::Budget;

/// Units for all operations of a group, about a tenth more than they take.
const LIMITS: &[(&str, u64)] = &[
    ("coalesce", 46_000),
    ("dependences", 31_000),
    ("lexmin", 40_500),
    ("projections", 5_500),
    ("random unions", 53_500),
    ("subtraction", 3_450),
];

#[test]
fn work_stays_within_its_limits() {
    let text = include_str!("../../examples/bench/ops.txt");
    let mut units: BTreeMap<&str, u64> = BTreeMap::new();
    for (n, group, op, args) in ops::operations(text) {
        let b = Budget::default();
        ops::run(op, &args, &b).unwrap_or_else(|e| panic!("line {n}: {e}"));
        *units.entry(group).or_default() += b.used();
    }
    println!("{units:?}");
    let over: Vec<_> = LIMITS.iter().filter(|(group, limit)| units[group] > *limit).collect();
    assert!(over.is_empty() && units.len() == LIMITS.len(), "more than {over:?}: {units:?}");
}
