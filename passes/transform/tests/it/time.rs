//! Time tilings: legal by execution, the numbers of tiles and points as worked out by hand.

use crate::run::{legal, pairs};
use crate::script::apply;
use std::collections::BTreeMap;
use tilia_presburger::Budget;
use tilia_schedule::Step;
use tilia_transform::Pairs;

/// Jacobi-1d with one statement.
const JACOBI: &str = r#"
domain: "[n] -> { S[t, i] : 0 <= t < n and 0 <= i < 3n }"
child:
  schedule: "[n] -> [{ S[t, i] -> [(t)] }, { S[t, i] -> [(i)] }]"
"#;

fn jacobi() -> Pairs {
    pairs(&["[n] -> { S[t, i] -> S[t + 1, j] : 0 <= t < n - 1 and 0 <= i < 3n and 0 <= j < 3n and i - 1 <= j <= i + 1 }"])
}

/// Two statements in a time loop, as in PolyBench.
const TWO: &str = r#"
domain: "[n] -> { S[t, i] : 0 <= t < n and 0 <= i < 2n; T[t, i] : 0 <= t < n and 0 <= i < 2n }"
child:
  schedule: "[n] -> [{ S[t, i] -> [(t)]; T[t, i] -> [(t)] }]"
  child:
    sequence:
    - filter: "[n] -> { S[t, i] }"
      child:
        schedule: "[n] -> [{ S[t, i] -> [(i)] }]"
    - filter: "[n] -> { T[t, i] }"
      child:
        schedule: "[n] -> [{ T[t, i] -> [(i)] }]"
"#;

fn two() -> Pairs {
    let domain = "0 <= t and 0 <= i < 2n and 0 <= j < 2n and i - 1 <= j <= i + 1";
    pairs(&[
        &format!("[n] -> {{ S[t, i] -> T[t, j] : t < n and {domain} }}"),
        &format!("[n] -> {{ T[t, i] -> S[t + 1, j] : t < n - 1 and {domain} }}"),
    ])
}

fn runs(tree: &str, deps: &Pairs, script: &str, n: i64) -> String {
    let new = apply(tree, deps, script).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(new.verify(&Budget::default()).unwrap(), [], "{new}");
    legal(&tree.parse().unwrap(), &new, deps, n)
}

#[test]
fn every_shape_runs_right() {
    for script in [
        r#"[{"do": "diamond", "loops": ["t", "i"], "sizes": [8, 8]}]"#,
        r#"[{"do": "diamond", "loops": ["t", "i"], "sizes": [3, 5], "faces": [[2, 1], [1, -1]], "front": [1, 2]}]"#,
        r#"[{"do": "split_tile", "loops": ["t", "i"], "sizes": [4, 9]}]"#,
        r#"[{"do": "hexagonal", "loops": ["t", "i"], "half": 3, "base": 4}]"#,
        r#"[{"do": "skew", "loop": "i", "by": "t"}, {"do": "tile", "loops": ["t", "i"], "sizes": [4, 4]}, {"do": "wavefront", "loops": ["t_t", "i_t"]}]"#,
    ] {
        runs(JACOBI, &jacobi(), script, 6);
    }
    let first = r#"{"do": "interleave", "loop": "t"}"#;
    for (script, n) in [
        (r#"{"do": "diamond", "loops": ["t", "i"], "sizes": [7, 7]}"#, 4),
        (r#"{"do": "split_tile", "loops": ["t", "i"], "sizes": [4, 6]}"#, 5),
        (r#"{"do": "split_tile", "loops": ["t", "i"], "sizes": [40, 80]}"#, 5),
        (r#"{"do": "hexagonal", "loops": ["t", "i"], "half": 2, "base": 1}"#, 5),
    ] {
        runs(TWO, &two(), &format!("[{first}, {script}]"), n);
    }
    runs(
        PLANE,
        &plane(),
        r#"[{"do": "split_tile", "loops": ["t", "i", "j"], "sizes": [2, 2, 3]}]"#,
        5,
    );
    runs(
        PLANE,
        &plane(),
        r#"[{"do": "hexagonal", "loops": ["t", "i", "j"], "half": 2, "base": 2, "others": [3]}]"#,
        5,
    );
    runs(
        PLANE,
        &plane(),
        r#"[{"do": "diamond", "loops": ["t", "i", "j"], "sizes": [4, 4, 3]}]"#,
        5,
    );
}

#[test]
fn loops_of_time_tiles_are_plain() {
    for (script, lines) in [
        (r#"[{"do": "diamond", "loops": ["t", "i"], "sizes": [8, 8]}]"#, 5),
        (r#"[{"do": "split_tile", "loops": ["t", "i"], "sizes": [4, 9]}]"#, 11),
        (r#"[{"do": "hexagonal", "loops": ["t", "i"], "half": 3, "base": 4}]"#, 11),
    ] {
        let text = runs(JACOBI, &jacobi(), script, 4);
        assert!(text.lines().count() <= lines, "{text}");
        assert!(!text.contains("if ") && !text.contains('%'), "{text}");
    }
}

/// A stencil in the plane.
const PLANE: &str = r#"
domain: "[n] -> { S[t, i, j] : 0 <= t < n and 0 <= i <= n and 0 <= j <= n }"
child:
  schedule: "[n] -> [{ S[t, i, j] -> [(t)] }, { S[t, i, j] -> [(i)] }, { S[t, i, j] -> [(j)] }]"
"#;

fn plane() -> Pairs {
    pairs(&[
        "[n] -> { S[t, i, j] -> S[t + 1, k, l] : 0 <= t < n - 1 and 0 <= i, j, k, l <= n and i - 1 <= k <= i + 1 and j - 1 <= l <= j + 1 }",
    ])
}

/// heat-3d as one statement, which reads seven neighbours of the time step before.
const HEAT_3D: &str = r#"
domain: "[n] -> { S[t, i, j, k] : 0 <= t < n and 0 <= i, j, k <= n }"
child:
  schedule: "[n] -> [{ S[t, i, j, k] -> [(t)] }, { S[t, i, j, k] -> [(i)] }, { S[t, i, j, k] -> [(j)] }, { S[t, i, j, k] -> [(k)] }]"
"#;

fn heat_3d() -> Pairs {
    let inside = "0 <= t < n - 1 and 0 <= i, j, k, x, y, z <= n";
    let near = "i - 1 <= x <= i + 1 and j - 1 <= y <= j + 1 and k - 1 <= z <= k + 1";
    let one = "(x = i and y = j or x = i and z = k or y = j and z = k)";
    pairs(&[&format!(
        "[n] -> {{ S[t, i, j, k] -> S[t + 1, x, y, z] : {inside} and {near} and {one} }}"
    )])
}

/// The faces that Pluto finds for concurrent start in heat-3d, t - i, t + i, t + j, t + k: the wavefront counts tiles between the first two.
#[test]
fn diamonds_of_heat_3d_have_known_faces() {
    let script = r#"[{"do": "diamond", "loops": ["t", "i", "j", "k"], "sizes": [8, 8, 4, 2]}]"#;
    let new = apply(HEAT_3D, &heat_3d(), script).unwrap_or_else(|e| panic!("{e}"));
    let front = &new.root().children()[0];
    let tiles = &front.children()[0];
    let func = |node: &tilia_schedule::Node, m: usize| node.as_band().unwrap().members[m].func.to_string();
    let flags: Vec<bool> = tiles.as_band().unwrap().members.iter().map(|m| m.coincident).collect();
    let expected = |value: &str| format!("[n] -> {{ S[t, i, j, k] -> [({value})] }}");
    assert_eq!(func(front, 0), expected("floor((t - i)/8) + floor((t + i)/8)"), "{new}");
    let others = ["floor((t + i)/8)", "floor((t + j)/4)", "floor((t + k)/2)"].map(expected);
    assert_eq!([func(tiles, 0), func(tiles, 1), func(tiles, 2)], others, "{new}");
    assert_eq!(flags, [true, false, false], "{new}");
    runs(
        HEAT_3D,
        &heat_3d(),
        r#"[{"do": "diamond", "loops": ["t", "i", "j", "k"], "sizes": [2, 2, 2, 3]}]"#,
        3,
    );
}

#[test]
fn what_does_not_fit_is_declined() {
    let why = |tree: &str, deps: &Pairs, script: &str| apply(tree, deps, script).map_or_else(|e| e.message, |t| panic!("done: {t}"));
    let jacobi = jacobi();
    let text = why(JACOBI, &jacobi, r#"[{"do": "split_tile", "loops": ["t", "i"], "sizes": [4, 5]}]"#);
    assert!(text.contains("cells of 5 are too narrow") && text.contains("at least 6"), "{text}");
    let wide = pairs(&["[n] -> { S[t, i] -> S[t + 1, j] : 0 <= t < n - 1 and 0 <= i, j < 3n and i - 2 <= j <= i + 2 }"]);
    let text = why(JACOBI, &wide, r#"[{"do": "hexagonal", "loops": ["t", "i"], "half": 3, "base": 1}]"#);
    assert!(
        text.contains("the base of 1 is too narrow for dependences that spread by 2 and 2"),
        "{text}"
    );
    let text = why(
        JACOBI,
        &jacobi,
        r#"[{"do": "diamond", "loops": ["t", "i"], "sizes": [4, 4], "faces": [[1, 2], [1, -1]]}]"#,
    );
    assert!(text.contains("a face runs the dependence S["), "{text}");
    let still = pairs(&["[n] -> { S[t, i] -> S[t, i + 1] : 0 <= t < n and 0 <= i < 3n - 1 }"]);
    for script in [
        r#"[{"do": "diamond", "loops": ["t", "i"], "sizes": [4, 4]}]"#,
        r#"[{"do": "split_tile", "loops": ["t", "i"], "sizes": [4, 9]}]"#,
        r#"[{"do": "hexagonal", "loops": ["t", "i"], "half": 3, "base": 4}]"#,
    ] {
        let text = why(JACOBI, &still, script);
        assert!(text.contains("dependences don't advance in time"), "{text}");
    }
    let alone = pairs(&["[n] -> { S[t, i] -> S[t + 1, i] : 0 <= t < n - 1 and 0 <= i < 3n }"]);
    let text = why(JACOBI, &alone, r#"[{"do": "diamond", "loops": ["t", "i"], "sizes": [4, 4]}]"#);
    assert!(text.contains("no dependence spreads in space"), "{text}");
    let text = why(JACOBI, &jacobi, r#"[{"do": "interleave", "loop": "t"}]"#);
    assert!(text.contains("no sequence"), "{text}");
}

/// Points of each tile; a tile is what its executions have in common above the point band.
fn tiles(tree: &str, distances: &[(i64, i64)], script: &str) -> BTreeMap<Vec<Step>, usize> {
    let list: Vec<String> = distances
        .iter()
        .map(|(t, s)| format!("{{ S[t, i] -> S[t + {t}, i + {s}] }}"))
        .collect();
    let deps = pairs(&list.iter().map(String::as_str).collect::<Vec<_>>());
    let new = apply(tree, &deps, script).unwrap_or_else(|e| panic!("{e}"));
    let all = new.executions(&[], 100_000, &Budget::unlimited()).unwrap();
    let mut out = BTreeMap::new();
    for e in all {
        let (_, tile) = e.key.split_last().unwrap();
        *out.entry(tile.to_vec()).or_insert(0) += 1;
    }
    out
}

const PLATE: &str = r#"
domain: "{ S[t, i] : 0 <= t < 60 and 0 <= i < 120 }"
child:
  schedule: "[{ S[t, i] -> [(t)] }, { S[t, i] -> [(i)] }]"
"#;

const THREE: [(i64, i64); 3] = [(1, -1), (1, 0), (1, 1)];

/// Wavefronts, the numbers of tiles in the inner ones, and the points of the largest tile.
fn diamonds(distances: &[(i64, i64)], sizes: &str, tree: &str) -> (usize, Vec<usize>, usize) {
    let script = format!(r#"[{{"do": "diamond", "loops": ["t", "i"], "sizes": {sizes}}}]"#);
    let tiles = tiles(tree, distances, &script);
    let mut fronts: BTreeMap<&Step, usize> = BTreeMap::new();
    for t in tiles.keys() {
        *fronts.entry(&t[0]).or_insert(0) += 1;
    }
    let mut counts: Vec<usize> = fronts.values().copied().collect();
    counts = counts[2..counts.len() - 2].to_vec();
    counts.sort_unstable();
    counts.dedup();
    (fronts.len(), counts, tiles.values().copied().max().unwrap())
}

#[test]
fn numbers_of_diamonds() {
    // Wavefronts, tiles in a wavefront, points of a tile: the table of the specification.
    assert_eq!(diamonds(&THREE, "[8, 8]", PLATE), (16, vec![15, 16], 32));
    assert_eq!(diamonds(&THREE, "[8, 16]", PLATE), (17, vec![8], 64));
    let lopsided = [(1, 1), (3, -1)];
    assert_eq!(diamonds(&lopsided, "[24, 8]", PLATE), (11, vec![15, 16], 48));
    let steep = [(1, -1), (1, 2)];
    assert_eq!(diamonds(&steep, "[9, 9]", PLATE), (21, vec![14], 27));
}

#[test]
fn numbers_of_wavefronts() {
    let script = r#"[{"do": "skew", "loop": "i", "by": "t"}, {"do": "tile", "loops": ["t", "i"], "sizes": [8, 8]}, {"do": "wavefront", "loops": ["t_t", "i_t"]}]"#;
    let tiles = tiles(PLATE, &THREE, script);
    let mut fronts: BTreeMap<i64, usize> = BTreeMap::new();
    for t in tiles.keys() {
        let Step::Values(v) = &t[0] else { panic!("{t:?}") };
        *fronts.entry(v[0].to_i64().unwrap()).or_insert(0) += 1;
    }
    let counts: Vec<usize> = fronts.values().copied().collect();
    assert_eq!((tiles.len(), counts.len(), counts.iter().max()), (128, 30, Some(&8)));
    assert_eq!(counts[..8], [1, 1, 2, 2, 3, 3, 4, 4]);
}

#[test]
fn numbers_of_hexagons() {
    // Half height, base, distances, points of a whole hexagon.
    type Case<'a> = (i64, i64, &'a [(i64, i64)], usize);
    let cases: [Case<'_>; 7] = [
        (3, 4, &[(1, -1), (1, 1)], 36),
        (3, 1, &[(1, -1), (1, 1)], 18),
        (2, 2, &[(1, -2), (1, 2)], 16),
        (4, 3, &[(1, -1), (1, 2)], 60),
        (3, 3, &[(2, -1), (1, 1)], 27),
        (4, 2, &[(3, -1), (2, 1)], 24),
        (3, 2, &[(1, 0), (1, 1)], 18),
    ];
    for (half, base, distances, points) in cases {
        let script = format!(r#"[{{"do": "hexagonal", "loops": ["t", "i"], "half": {half}, "base": {base}}}]"#);
        let tiles = tiles(PLATE, distances, &script);
        assert_eq!(tiles.values().sum::<usize>(), 7200, "{half} {base}: each point is in one tile");
        assert_eq!(tiles.values().max(), Some(&points), "{half} {base}");
    }
}

#[test]
fn numbers_of_split_tiles() {
    let tiles = tiles(PLATE, &THREE, r#"[{"do": "split_tile", "loops": ["t", "i"], "sizes": [5, 12]}]"#);
    // Upright: T S - q T (T - 1) / 2; inverted: q T (T - 1) / 2.
    let whole = |phase| tiles.iter().filter(|(t, _)| t[1] == Step::Child(phase)).map(|(_, n)| *n).max();
    assert_eq!((whole(0), whole(1)), (Some(40), Some(20)));
    assert_eq!(tiles.values().sum::<usize>(), 7200);
}
