//! The generator isn't idle, and its cases are what they claim to be.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use tilia_abi::Value;
use tilia_gen::{Case, Profile, Stats, bytes_from_seed};

const SEEDS: u64 = 200;

fn sum(profile: &Profile) -> (Vec<Stats>, Stats) {
    let all: Vec<_> = (0..SEEDS).map(|s| Case::from_seed(s, profile).stats).collect();
    let mut total = Stats::default();
    for s in &all {
        total.statements += s.statements;
        total.loops += s.loops;
        total.guards += s.guards;
        total.carried += s.carried;
        total.vectors += s.vectors;
        total.parallel += s.parallel;
        total.opaque += s.opaque;
        total.instances += s.instances;
        total.loop_runs += s.loop_runs;
        total.empty_loop_runs += s.empty_loop_runs;
        total.guards_true += s.guards_true;
        total.guards_false += s.guards_false;
        total.dependences += s.dependences;
    }
    (all, total)
}

fn share(part: u64, whole: u64) -> u64 {
    100 * part / whole.max(1)
}

fn count(all: &[Stats], test: impl Fn(&Stats) -> bool) -> u64 {
    all.iter().filter(|s| test(s)).count() as u64
}

#[test]
fn programs_do_something() {
    for profile in [Profile::everything(), Profile::affine(), Profile::small()] {
        let (all, total) = sum(&profile);
        let depths: BTreeSet<_> = all.iter().map(|s| s.depth).collect();
        assert!(
            count(&all, |s| s.dependences > 0) > SEEDS * 85 / 100,
            "most programs have dependences"
        );
        assert!(
            count(&all, |s| s.statements > 1) > SEEDS * 85 / 100,
            "most programs have several statements"
        );
        assert!(count(&all, |s| s.instances > 20) > SEEDS * 85 / 100, "most programs execute a lot");
        assert!(
            (1..=profile.depth as u64).all(|d| depths.contains(&d)),
            "every depth occurs: {depths:?}"
        );
        assert!(
            (1..50).contains(&share(total.empty_loop_runs, total.loop_runs)),
            "some loops are empty: {total:?}"
        );
        let held = share(total.guards_true, total.guards_true + total.guards_false);
        assert!((10..90).contains(&held), "guards hold and don't: {total:?}");
        assert!(all.iter().all(|s| s.instances <= 3 * profile.instances), "the limit is kept");
    }
}

#[test]
fn features_occur_where_they_are_wanted() {
    let (all, _) = sum(&Profile::everything());
    type Test = fn(&Stats) -> bool;
    let tests: [(&str, Test); 5] = [
        ("carried values", |s| s.carried > 0),
        ("vectors", |s| s.vectors > 0),
        ("affine.parallel", |s| s.parallel > 0),
        ("opaque statements", |s| s.opaque > 0),
        ("guards", |s| s.guards > 0),
    ];
    for (what, test) in tests {
        assert!(count(&all, test) > SEEDS / 20, "too few programs have {what}");
    }
    let texts: String = (0..SEEDS).map(|s| Case::from_seed(s, &Profile::everything()).mlir).collect();
    for word in [
        "scf.for",
        "scf.if",
        "affine.if",
        "mod",
        "floordiv",
        "ceildiv",
        "max affine_map",
        "min affine_map",
        "step 2",
        "iter_args",
        "memref.alloc",
        "memref.subview",
        "memref.cast",
        "memref<f64>",
        "memref<?x",
        "i32",
        "i64",
        "f32",
        "f16",
        "math.sqrt",
        "func.call @mix",
        "func.call @touch",
        "arith.remui",
        "sitofp",
        "} else {",
        "= -1 to",
    ] {
        assert!(texts.contains(word), "{word} never occurs");
    }
    let (all, total) = sum(&Profile::affine());
    assert_eq!(total.vectors + total.parallel + total.opaque, 0);
    assert!(count(&all, |s| s.carried > 0) > SEEDS / 20);
}

#[test]
fn cases_follow_from_their_seed() {
    let profile = Profile::everything();
    let texts: BTreeSet<_> = (0..SEEDS).map(|s| Case::from_seed(s, &profile).mlir).collect();
    assert!(texts.len() as u64 > SEEDS * 95 / 100, "seeds give different programs");
    for seed in 0..20 {
        assert_eq!(Case::from_seed(seed, &profile).mlir, Case::from_seed(seed, &profile).mlir);
    }
    assert_ne!(bytes_from_seed(1, 16), bytes_from_seed(2, 16));
}

#[test]
fn any_bytes_give_a_program() {
    for len in [0, 1, 7, 40, 200] {
        for seed in 0..40 {
            let bytes = bytes_from_seed(seed, len);
            let case = Case::arbitrary(&mut arbitrary::Unstructured::new(&bytes), &Profile::everything());
            assert!(case.is_ok_and(|c| c.mlir.starts_with("func.func @kernel(")));
        }
    }
}

#[test]
fn arguments_have_the_stated_shapes_and_varied_contents() {
    let mut arrays = 0;
    for seed in 0..50 {
        let case = Case::from_seed(seed, &Profile::everything());
        for input in &case.inputs {
            let values = case.arguments(input);
            assert_eq!(values.len(), input.params.len() + input.arrays.len());
            for (value, (elem, shape)) in values[input.params.len()..].iter().zip(&input.arrays) {
                let Value::MemRef(m) = value else { panic!("a memref is wanted") };
                assert_eq!((m.elem, &m.sizes), (*elem, shape));
                let elements = m.elements().expect("in bounds");
                let different: BTreeSet<_> = elements.iter().collect();
                assert!(different.len() >= elements.len().min(10), "{different:?}");
                arrays += 1;
            }
        }
    }
    assert!(arrays > 100);
}
