//! Counting against enumeration.

use tilia_presburger::{Budget, Error, Int, Point, Set};

use crate::formula::{P, points};
use crate::rounds;
use crate::sets::{budget, random};

#[test]
fn counting() {
    rounds("count", 2, |rng| {
        let (f, s) = random(rng, true);
        let text = f.set_text();
        let expect = |p| Int::from(points(p, f.n).iter().filter(|v| f.holds(v)).count());
        let at = rng.range(*P.start(), *P.end());
        if !s.space().params().is_empty() {
            let count = s.count_at(&[Int::new(at)], &budget());
            assert_eq!(count, Ok(expect(at)), "count_at {at} of {text}");
        }
        crate::checked(3);
        let c = match s.count(&Budget::new(4_000_000)) {
            Ok(c) => c,
            Err(Error::OutOfBudget | Error::Unsupported(_)) => return,
            Err(e) => panic!("count {text}: {e}"),
        };
        for p in P {
            let at = Point::new(c.space().clone(), vec![Int::new(p); c.space().params().len()], Vec::new());
            let value = c.eval(&at, &budget()).unwrap().to_int();
            assert_eq!(value, Some(expect(p)), "count {text} at {p}: {c}");
        }
        // All of it lies in a box.
        assert!(s.growth_degree(&budget()).unwrap().is_none_or(|d| d == 0), "growth of {text}");
    });
}

/// Sets of loops: text, polynomial, degree.
const NESTS: &[(&str, &str, u32)] = &[
    (
        "[n] -> { S[i, j] : 0 <= i < n and 0 <= j <= i }",
        "[n] -> { (1/2 * n + 1/2 * n^2) : n > 0 }",
        2,
    ),
    (
        "[n] -> { S[i] : 0 <= i < n and i mod 2 = 0 }",
        "[n] -> { (floor((1 + n)/2)) : n > 0 }",
        1,
    ),
    ("[n] -> { S[i, j, k] : 0 <= i, j, k < n }", "[n] -> { (n^3) : n > 0 }", 3),
    (
        "[n, m] -> { S[t, i] : 0 <= t < m and 1 <= i < n - 1 }",
        "[n, m] -> { (-2 * m + n * m) : n >= 3 and m > 0 }",
        2,
    ),
    (
        "[n] -> { S[i, j] : 0 <= i < n and i <= j <= i + 2 }",
        "[n] -> { (3 * n) : n > 0 }",
        1,
    ),
    (
        "[n] -> { S[a, i] : 32a <= i <= 32a + 31 and 0 <= i < n }",
        "[n] -> { (n) : n > 0 }",
        1,
    ),
    ("[n] -> { S[a] : 0 <= 32a < n }", "[n] -> { (floor((31 + n)/32)) : n > 0 }", 1),
    (
        "[n] -> { S[i, j, k] : 0 <= i < n and i < j < n and j < k < n }",
        "[n] -> { (1/3 * n - 1/2 * n^2 + 1/6 * n^3) : n >= 3 }",
        3,
    ),
];

#[test]
fn counts_of_loop_nests() {
    let b = Budget::default();
    for (text, count, degree) in NESTS {
        let s: Set = text.parse().unwrap();
        let c = s.count(&b).unwrap();
        assert_eq!(c.to_string(), *count, "{text}");
        assert_eq!((c.degree(), s.growth_degree(&b)), (*degree, Ok(Some(*degree))), "{text}");
    }
}

#[test]
fn tiles_are_counted_at_any_size() {
    let b = Budget::default();
    let n: i64 = 1_000_000_007;
    let s: Set = "[n] -> { [a, b, i, j] : 32a <= i < 32a + 32 and 16b <= j < 16b + 16 and 0 <= i < n and 0 <= j <= i }"
        .parse()
        .unwrap();
    let expect = Int::new(n) * Int::new(n + 1);
    assert_eq!(s.count_at(&[Int::new(n)], &b).unwrap() * Int::new(2), expect);
    let tiles: Set = "[n] -> { [a, b] : exists i, j: 32a <= i < 32a + 32 and 16b <= j < 16b + 16 and 0 <= i < n and 0 <= j <= i }"
        .parse()
        .unwrap();
    // Rows of 32 points have 2 tiles more each: 2, 4, ..
    for (size, expect) in [(0, 0), (1, 1), (32, 2), (33, 5), (64, 6), (320, 110)] {
        assert_eq!(tiles.count_at(&[Int::new(size)], &b), Ok(Int::new(expect)), "{size}");
    }
    assert!(b.used() < 200_000, "used {}", b.used());
}

#[test]
fn infinite_counts_are_refused() {
    let b = Budget::default();
    for text in [
        "{ [i] : i >= 0 }",
        "[n] -> { [i, j] : 0 <= i < n }",
        "{ [i] : i mod 3 = 1 }",
        "[n] -> { [i] : i <= n or i = 7 }",
    ] {
        let s: Set = text.parse().unwrap();
        assert_eq!(s.count(&b).map(|c| c.to_string()), Err(Error::Unbounded), "{text}");
        assert_eq!(s.growth_degree(&b), Err(Error::Unbounded), "{text}");
    }
    assert_eq!("{ [i] : i >= 0 and i < 0 }".parse::<Set>().unwrap().growth_degree(&b), Ok(None));
}
