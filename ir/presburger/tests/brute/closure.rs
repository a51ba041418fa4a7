//! Transitive closures against reachability in a box.

use std::collections::BTreeSet;

use tilia_presburger::{Budget, Map, Point};

use crate::formula::{Formula, P, X, points};
use crate::{finished, rounds};

/// All pairs `(from, to)` connected by paths, from the pairs connected by one step.
fn reachable(step: &BTreeSet<(Vec<i64>, Vec<i64>)>) -> BTreeSet<(Vec<i64>, Vec<i64>)> {
    let mut all = step.clone();
    let mut new = step.clone();
    while !new.is_empty() {
        let longer: BTreeSet<_> = new
            .iter()
            .flat_map(|(x, y)| step.iter().filter(move |(u, _)| u == y).map(move |(_, z)| (x.clone(), z.clone())))
            .filter(|pair| !all.contains(pair))
            .collect();
        all.extend(longer.iter().cloned());
        new = longer;
    }
    all
}

/// Checks the closure of a map whose pairs, for a parameter value, are those of the box that hold. Was it exact?
fn check(m: &Map, n: usize, text: &str, holds: impl Fn(&[i64]) -> bool) -> bool {
    let b = Budget::new(3_000_000);
    let Some(closure) = finished(m.transitive_closure(&b), || format!("closure of {text}")) else {
        return false;
    };
    crate::checked(1);
    let split = |v: Vec<i64>| (v[1..=n].to_vec(), v[1 + n..].to_vec());
    for p in P {
        let all = points(p, 2 * n);
        let step: BTreeSet<_> = all.iter().filter(|v| holds(v)).cloned().map(split).collect();
        let paths = reachable(&step);
        for v in &all {
            let ints = |v: &[i64]| v.iter().map(|&x| x.into()).collect::<Vec<_>>();
            let space = closure.map.wrap().space().clone();
            let params = if space.params().is_empty() { Vec::new() } else { ints(&v[..1]) };
            let at = Point::new(space, params, ints(&v[1..]));
            let is = closure.map.wrap().contains(&at, &Budget::default()).unwrap();
            let must = paths.contains(&split(v.clone()));
            assert!(is || !must, "the closure of {text} misses {v:?}: {}", closure.map);
            assert!(
                is == must || !closure.is_exact,
                "the closure of {text} isn't exact at {v:?}: {}",
                closure.map
            );
        }
    }
    closure.is_exact
}

#[test]
fn closures_of_any_relation() {
    rounds("closure", 1, |rng| {
        let f = Formula::random(rng, 2, true);
        let text = f.map_text(("A", "A"), 1);
        check(&text.parse().unwrap(), 1, &text, |v| f.holds(v));
    });
}

#[test]
fn closures_of_uniform_relations_are_exact() {
    rounds("uniform", 1, |rng| {
        // One step by a constant vector on a box with one side cut by the parameter.
        let n = usize::try_from(rng.range(1, 2)).unwrap();
        let delta: Vec<i64> = (0..n).map(|_| rng.range(-2, 2)).collect();
        let shift = rng.range(-1, 2);
        let inside = |v: &[i64]| v[1..].iter().all(|x| X.contains(x)) && v[1] <= v[0] + shift && v[1 + n] <= v[0] + shift;
        let names: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
        let ends: Vec<String> = names.iter().zip(&delta).map(|(x, d)| format!("{x} + {d}")).collect();
        let in_box: Vec<String> = names
            .iter()
            .chain(&ends)
            .map(|e| format!("{} <= {e} <= {}", X.start(), X.end()))
            .collect();
        let text = format!(
            "[p] -> {{ A[{}] -> A[{}] : {} and x0 <= p + {shift} and {} <= p + {shift} }}",
            names.join(", "),
            ends.join(", "),
            in_box.join(" and "),
            ends[0]
        );
        let m: Map = text.parse().unwrap();
        let exact = check(&m, n, &text, |v| inside(v) && (0..n).all(|i| v[1 + n + i] == v[1 + i] + delta[i]));
        assert!(exact, "{text}");
    });
}

#[test]
fn closures_of_loops() {
    let b = Budget::default();
    // Steps, closure.
    let cases = [
        (
            "{ [i] -> [i + 3] : i >= 0 }",
            "{ [i] -> [j] : i >= 0 and j > i and (j - i) mod 3 = 0 }",
        ),
        (
            "[n] -> { [t, i] -> [t + 1, i + 1] : 0 <= t < n; [t, i] -> [t + 1, i - 1] : 0 <= t < n }",
            "[n] -> { [t, i] -> [u, j] : 0 <= t < u <= n and t - u <= j - i <= u - t and (j - i + u - t) mod 2 = 0 }",
        ),
        (
            "[n] -> { [i, j] -> [i, j + 1] : 0 <= i < n and 0 <= j < n - 1; [i, j] -> [i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }",
            "[n] -> { [i, j] -> [k, l] : 0 <= i <= k < n and 0 <= j <= l < n and k + l > i + j }",
        ),
        ("{ [i] -> [j] : 0 <= i < j <= 9 }", "{ [i] -> [j] : 0 <= i < j <= 9 }"),
        (
            "{ [i] -> [i + 1] : i = 0 or i = 1 or i = 7 }",
            "{ [0] -> [1]; [1] -> [2]; [0] -> [2]; [7] -> [8] }",
        ),
        ("{ [i] -> [i] : i < i }", "{ [i] -> [i] : i < i }"),
    ];
    for (step, expect) in cases {
        let closure = step.parse::<Map>().unwrap().transitive_closure(&b).unwrap();
        assert!(closure.is_exact, "{step}: {}", closure.map);
        assert!(
            closure.map.is_equal(&expect.parse().unwrap(), &b).unwrap(),
            "{step}: {}",
            closure.map
        );
    }
    // 2^k isn't affine: only an approximation can be given.
    let doubling: Map = "{ [i] -> [2i] : i > 0 }".parse().unwrap();
    let closure = doubling.transitive_closure(&b).unwrap();
    assert!(!closure.is_exact && doubling.is_subset(&closure.map, &b).unwrap());
    assert!("{ A[i] -> B[i] }".parse::<Map>().unwrap().transitive_closure(&b).is_err());
}
