//! What `auto` finds when it may not look for long.

use crate::auto::planned;
use crate::context::Context;
use crate::options::{CompileOptions, Strategy};
use crate::pipeline::{Optimised, optimise_in};
use crate::scheduling::Scheduling;
use crate::unit::Unit;
use tilia_diag::RemarkKind;

/// A product of matrices after a loop of its own, so that there are several orders to compare.
const PRODUCT: &str = "func.func @f(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>, %n: index) {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
affine.for %j = 0 to %n {
  affine.store %z, %c[%i, %j] : memref<?x?xf64>
  affine.for %k = 0 to %n {
    %0 = affine.load %a[%i, %k] : memref<?x?xf64>
    %1 = affine.load %b[%k, %j] : memref<?x?xf64>
    %2 = arith.mulf %0, %1 : f64
    %3 = affine.load %c[%i, %j] : memref<?x?xf64>
    %4 = arith.addf %2, %3 : f64
    affine.store %4, %c[%i, %j] : memref<?x?xf64>
  }
}
  }
  return
}";

fn on_two_threads() -> CompileOptions {
    CompileOptions {
        strategy: Strategy::Auto,
        threads: 2,
        ..CompileOptions::default()
    }
}

/// Finds orders with so many units in all, without a share for each scop.
fn compiled(units: u64, side_by_side: bool) -> (Optimised, u64) {
    let options = on_two_threads();
    let unit = Unit::read("f.mlir", PRODUCT, 1, &options);
    let mut cx = Context::with_search_budget(&options, units, 0);
    if !side_by_side {
        cx = cx.on_one_thread();
    }
    let done = optimise_in(unit.program(), &cx, true).expect("a program");
    (done, cx.spent())
}

#[test]
fn a_search_that_may_take_nothing_leaves_the_order_of_the_source_and_says_so() {
    let (done, _) = compiled(0, true);
    assert_eq!(done.scops.len(), 1);
    let unit = &done.scops[0];
    assert!(unit.ast.is_some(), "loops are made all the same");
    let said = |what: &str| {
        let own = done.remarks.iter().filter(|r| r.kind == RemarkKind::Declined);
        own.filter(|r| r.message.contains(what)).count()
    };
    assert_eq!(said("may spend on looking for faster ones is spent"), 1, "{:?}", done.remarks);
    let (all, _) = compiled(u64::MAX, true);
    assert_ne!(all.scops[0].tree, unit.tree);
    assert!(all.remarks.iter().all(|r| !r.message.contains("is spent")));
}

#[test]
fn a_scop_behind_others_that_spent_everything_has_its_share() {
    let options = on_two_threads();
    let (_, whole) = compiled(u64::MAX, true);
    let two = format!("{PRODUCT}\n{}", PRODUCT.replace("@f", "@g"));
    let unit = Unit::read("f.mlir", &two, 1, &options);
    let trees = |limit: u64, share: u64| {
        let cx = Context::with_search_budget(&options, limit, share);
        let done = optimise_in(unit.program(), &cx, true).expect("a program");
        assert!(done.scops.len() == 2);
        [done.scops[0].tree.to_string(), done.scops[1].tree.to_string()]
    };
    let all = trees(u64::MAX, 0);
    // What both need is there for one only, or for none: each has its share.
    assert_eq!(trees(whole, 2 * whole), all);
    assert_eq!(trees(0, 2 * whole), all);
    assert_ne!(trees(0, 0), all);
}

#[test]
fn what_a_search_finds_depends_on_its_units_but_not_on_who_is_first() {
    let (_, whole) = compiled(u64::MAX, true);
    let mut trees = Vec::new();
    for part in 0..12 {
        let (one, spent) = compiled(whole * part / 10, true);
        let (other, again) = compiled(whole * part / 10, false);
        assert_eq!(spent, again);
        assert_eq!(one.program.to_string(), other.program.to_string(), "with {part} tenths");
        let texts = |o: &Optimised| o.remarks.iter().map(|r| r.message.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&one), texts(&other));
        trees.push(one.scops[0].tree.clone());
    }
    assert_eq!(trees[10], trees[11]);
    assert_ne!(trees[0], trees[11]);
}

#[test]
fn what_takes_longer_than_another_is_given_up_and_nothing_else() {
    let options = on_two_threads();
    let unit = Unit::read("f.mlir", PRODUCT, 1, &options);
    let program = unit.program();
    let cx = Context::new(&options);
    let scop = tilia_raise::raise(&program.functions[0], program, &tilia_raise::Options::default(), &cx.budget());
    let scop = scop.scops.into_iter().next().expect("one scop");
    let (deps, _) = tilia_deps::dependences(&scop, &cx.budget()).expect("dependences");
    let scheduling = Scheduling::built_in("auto").expect("a strategy");
    let plan = |below: f64| planned((&scop, &deps), &program.functions[0], &scheduling, below, &cx);
    let all = plan(f64::INFINITY);
    assert!(all.cycles.is_finite());
    for factor in [1.001, 2.0, 1000.0] {
        let some = plan(factor * all.cycles);
        assert_eq!(some.first(), all.first(), "{factor}");
        assert_eq!(some.cycles.to_bits(), all.cycles.to_bits());
    }
    assert!(plan(0.0).cycles.is_infinite());
    for factor in [1.0, 0.5] {
        // Weights decide between estimates that are close: another order may be a little faster yet.
        let some = plan(factor * all.cycles);
        assert!(some.cycles.is_infinite() || some.cycles < factor * all.cycles, "{factor}");
    }
}
