//! Tiling: what is tiled, what is declined, and that the result runs the same instances in a legal order.
use crate::run::{legal, pairs};
use tilia_diag::{Loc, RemarkKind};
use tilia_presburger::{Budget, Int};
use tilia_schedule::{Path, ScheduleTree};
use tilia_transform::{Outcome, Pairs, RegisterTile, TileOptions, Transformer, tile};

fn options(sizes: &[i64]) -> TileOptions {
    TileOptions::new(sizes.iter().map(|&s| Int::from(s)).collect())
}

struct Tiled {
    tree: ScheduleTree,
    applied: Vec<String>,
    declined: Vec<String>,
}

fn tiled(tree: &str, deps: &Pairs, options: &TileOptions) -> Tiled {
    let tree: ScheduleTree = tree.parse().unwrap();
    let (tree, remarks) = tile(&tree, deps, &Loc::default(), options, &Budget::default()).unwrap();
    let of = |kind| remarks.iter().filter(|r| r.kind == kind).map(|r| r.message.clone()).collect();
    Tiled {
        tree,
        applied: of(RemarkKind::Applied),
        declined: of(RemarkKind::Declined),
    }
}

pub(crate) const SQUARE: &str = r#"
domain: "[n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }"
child:
  schedule: "[n] -> I[{ S[i, j] -> [(i)] }]"
  child:
    schedule: "[n] -> J[{ S[i, j] -> [(j)] }]"
"#;

#[test]
fn tiles_what_is_permutable() {
    let deps = pairs(&[
        "[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }",
        "[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }",
    ]);
    let t = tiled(SQUARE, &deps, &options(&[3, 2]));
    assert_eq!(t.applied, ["loops I, J tiled by 3 x 2"]);
    assert!(t.declined.is_empty(), "{:?}", t.declined);
    let text = legal(&SQUARE.parse().unwrap(), &t.tree, &deps, 7);
    assert_eq!(
        text,
        "for (I_t = 0; I_t < n; I_t += 3)
  for (J_t = 0; J_t < n; J_t += 2)
    for (I = I_t; I <= min(I_t + 2, n - 1); I += 1)
      for (J = J_t; J <= min(J_t + 1, n - 1); J += 1)
        S(I, J);
"
    );
}

#[test]
fn the_last_size_repeats_and_the_flags_are_proved() {
    let deps = pairs(&["[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }"]);
    let t = tiled(SQUARE, &deps, &options(&[4]));
    assert_eq!(t.applied, ["loops I, J tiled by 4 x 4"]);
    let band = t.tree.root().child().unwrap().as_band().unwrap();
    assert!(band.permutable);
    assert_eq!(band.members.iter().map(|m| m.coincident).collect::<Vec<_>>(), [false, true]);
    legal(&SQUARE.parse().unwrap(), &t.tree, &deps, 9);
}

#[test]
fn a_negative_distance_keeps_loops_apart() {
    let deps = pairs(&["[n] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 1 <= j < n }"]);
    let t = tiled(SQUARE, &deps, &options(&[4]));
    assert_eq!(t.applied.len(), 2, "{:?}", t.applied);
    assert!(
        t.applied[0].starts_with("loop I tiled by 4; the next loop stays outside because of the dependence S["),
        "{:?}",
        t.applied
    );
    legal(&SQUARE.parse().unwrap(), &t.tree, &deps, 6);
    let pairwise = TileOptions {
        min_members: 2,
        ..options(&[4])
    };
    let t = tiled(SQUARE, &deps, &pairwise);
    assert!(t.applied.is_empty());
    assert_eq!(t.declined.len(), 2, "{:?}", t.declined);
}

#[test]
fn a_skewed_stencil_is_tiled() {
    let stencil = r#"
domain: "[n] -> { S[t, i] : 0 <= t < n and 1 <= i < n }"
child:
  schedule: "[n] -> T[{ S[t, i] -> [(t)] }]"
  child:
    schedule: "[n] -> X[{ S[t, i] -> [(t + i)] }]"
"#;
    let deps = pairs(&[
        "[n] -> { S[t, i] -> S[t + 1, i - 1] : 0 <= t < n - 1 and 2 <= i < n }",
        "[n] -> { S[t, i] -> S[t + 1, i] : 0 <= t < n - 1 and 1 <= i < n }",
        "[n] -> { S[t, i] -> S[t + 1, i + 1] : 0 <= t < n - 1 and 1 <= i < n - 1 }",
    ]);
    let t = tiled(stencil, &deps, &options(&[3, 4]));
    assert_eq!(t.applied, ["loops T, X tiled by 3 x 4"]);
    legal(&stencil.parse().unwrap(), &t.tree, &deps, 8);
}

#[test]
fn an_illegal_loop_is_left_alone() {
    let backwards = SQUARE.replace("S[i, j] -> [(i)]", "S[i, j] -> [(-i)]");
    let deps = pairs(&["[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }"]);
    let t = tiled(&backwards, &deps, &options(&[4]));
    assert_eq!(t.declined.len(), 1);
    assert!(t.declined[0].contains("the wrong way round"), "{:?}", t.declined);
}

#[test]
fn full_tiles_apart_have_no_bounds_to_compare() {
    let deps = pairs(&["[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }"]);
    let apart = TileOptions {
        separate_full: true,
        ..options(&[4])
    };
    let t = tiled(SQUARE, &deps, &apart);
    let text = legal(&SQUARE.parse().unwrap(), &t.tree, &deps, 10);
    assert!(
        text.starts_with(
            "for (I_t = 0; I_t < n - 3; I_t += 4) {
  for (J_t = 0; J_t < n - 3; J_t += 4) // parallel, full tile
    for (I = I_t; I <= I_t + 3; I += 1) // full tile
      for (J = J_t; J <= J_t + 3; J += 1) // parallel, full tile
        S(I, J);
"
        ),
        "{text}"
    );
    let parsed: ScheduleTree = t.tree.to_string().parse().unwrap();
    assert_eq!(parsed.to_string(), t.tree.to_string());
}

#[test]
fn rows_of_an_in_place_stencil_inside_wavefronts_of_tiles() {
    // The rows of a tile start and end at different columns of the skewed loop: only the columns that all have are written out.
    let text = r#"
domain: "[n] -> { S[t, i, j] : 0 <= t < n and 0 < i < 3n and 0 < j < 3n }"
child:
  schedule: "[n] -> W[{ S[t, i, j] -> [(floor((t)/16) + floor((t + i)/6))] }]"
  child:
    schedule: "[n] -> V[{ S[t, i, j] -> [(floor((t + i)/6))] }]"
    child:
      schedule: "[n] -> T[{ S[t, i, j] -> [(t)] }]"
      child:
        schedule: "[n] -> I[{ S[t, i, j] -> [(t + i)] }]"
        child:
          schedule: "[n] -> J[{ S[t, i, j] -> [(3t + 2i + j)] }]"
"#;
    let tree: ScheduleTree = text.parse().unwrap();
    // A place reads its neighbours on all sides and at the corners.
    let later = [
        (0, 0, 1),
        (0, 1, -1),
        (0, 1, 0),
        (0, 1, 1),
        (1, -1, -1),
        (1, -1, 0),
        (1, 0, 0),
        (1, 1, 1),
    ];
    let maps = later.map(|(u, k, l)| {
        format!(
            "[n] -> {{ S[t, i, j] -> S[t + {u}, i + {k}, j + {l}] : 0 <= t < n - {u} and 0 < i < 3n and 0 < j < 3n and 0 < i + {k} < 3n and 0 < j + {l} < 3n }}"
        )
    });
    let deps = pairs(&maps.each_ref().map(String::as_str));
    let budget = Budget::default();
    let t = Transformer {
        pairs: &deps,
        budget: &budget,
    };
    let at = Path(vec![0, 0, 0, 0]);
    let wanted = RegisterTile {
        sizes: vec![Int::from(3)],
        vector: None,
        jam: true,
    };
    let Outcome::Done(done) = t.register_tile(&tree, &at, &wanted).unwrap() else {
        panic!("declined");
    };
    let text = legal(&tree, &done.tree, &deps, 3);
    let rows = "S(T, I_r - T, J - T - 2 * I_r);";
    assert!(text.contains(rows) && text.contains("I_r - T + 2"), "{text}");
    assert!(!text.contains("if"), "{text}");
}

/// Rows of skewed tiles that run in wavefronts: sums of tile numbers stand around the points.
const FRONTS: &str = r#"
domain: "[n] -> { S0[i0, i1, i2] : 0 <= i0 < n and 0 < i1 <= -2 + n and 0 < i2 <= -2 + n }"
child:
  schedule: "[n] -> i0_t[{ S0[i0, i1, i2] -> [(floor((i0)/2) + floor((i0 + i1)/4))] }]"
  child:
    schedule: "[n] -> [{ S0[i0, i1, i2] -> [(floor((i0 + i1)/4))] }]"
    coincident: [ 1 ]
    child:
      schedule: "[n] -> [{ S0[i0, i1, i2] -> [(i0)] }]"
      child:
        schedule: "[n] -> [{ S0[i0, i1, i2] -> [(i0 + i1)] }]"
        child:
          schedule: "[n] -> [{ S0[i0, i1, i2] -> [(3i0 + 2i1 + i2)] }]"
"#;

#[test]
fn rows_of_tiles_in_wavefronts_are_jammed() {
    let old: ScheduleTree = FRONTS.parse().unwrap();
    let budget = Budget::default();
    let deps = pairs(&[
        "[n] -> { S0[t, i, j] -> S0[t, i, j + 1] : 0 <= t < n and 0 < i <= -2 + n and 0 < j <= -3 + n }",
        "[n] -> { S0[t, i, j] -> S0[t, i + 1, j - 1] : 0 <= t < n and 0 < i <= -3 + n and 1 < j <= -2 + n }",
        "[n] -> { S0[t, i, j] -> S0[t + 1, i - 1, j - 1] : 0 <= t < n - 1 and 1 < i <= -2 + n and 1 < j <= -2 + n }",
    ]);
    let t = Transformer {
        pairs: &deps,
        budget: &budget,
    };
    let wanted = RegisterTile {
        sizes: vec![Int::from(2)],
        vector: None,
        jam: true,
    };
    let done = match t.register_tile(&old, &Path(vec![0, 0, 0, 0]), &wanted).unwrap() {
        Outcome::Done(e) => e.tree,
        Outcome::Declined(why) => panic!("declined: {why}"),
    };
    let text = legal(&old, &done, &deps, 9);
    // The common part of two rows is written out.
    let written_out = "{ // full tile
          S0(c2, c3 - c2, c4 - c2 - 2 * c3);
          S0(c2, c3 - c2 + 1, c4 - c2 - 2 * c3 - 2);
        }";
    assert!(text.contains(written_out), "{text}");
}
