//! Inputs of folklore: each finishes or is out of budget, and never gives a wrong answer.

use tilia_presburger::{Budget, DimType, Error, Map, Result, Set};

fn set(text: &str) -> Set {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Finished with that value, or out of budget.
#[track_caller]
fn is(result: Result<bool>, expect: bool) {
    match result {
        Ok(v) => assert_eq!(v, expect),
        Err(e) => assert_eq!(e, Error::OutOfBudget),
    }
}

/// Finished with exactly that value.
#[track_caller]
fn finishes(text: &str, empty: bool) {
    assert_eq!(set(text).is_empty(&Budget::new(3_000_000)), Ok(empty), "{text}");
}

#[test]
fn emptiness() {
    // Pugh's example without integer points between its real and dark shadows.
    finishes("{ [x, y] : 27 <= 11x + 13y <= 45 and -10 <= 7x - 9y <= 4 }", true);
    // A sum of odd multiples is never even.
    finishes("{ [x, y, z] : 6x + 10y + 14z = 7 }", true);
    finishes(
        "{ [x, y] : 1 <= 1000001x - 1000000y <= 1 and 0 <= x <= 1000000 and 0 <= y <= 1000000 }",
        false,
    );
    finishes("{ [x, y] : 123456789x - 987654321y = 9 and x >= 0 and y >= 0 }", false);
    finishes("{ [x, y] : 123456789x - 987654321y = 8 }", true);
    let big = "100000000000000000000000000000000000003";
    finishes(&format!("{{ [x, y] : {big}x = {big}y + 1 }}"), true);
    finishes(
        &format!("{{ [x, y] : 2*{big}x - 3*{big}y >= 1 and 2*{big}x - 3*{big}y <= {big} }}"),
        false,
    );
    // Coins of 6, 9 and 20: 43 is the largest amount that can't be paid.
    finishes("{ [a, b, c] : 6a + 9b + 20c = 43 and a, b, c >= 0 }", true);
    finishes("{ [a, b, c] : 6a + 9b + 20c = 44 and a, b, c >= 0 }", false);
    // All sums of two of nine variables are odd: two of three variables are equally odd.
    let pairs: Vec<String> = [(0, 1), (1, 2), (0, 2)]
        .iter()
        .map(|(i, j)| format!("(x{i} + x{j}) mod 2 = 1"))
        .collect();
    finishes(&format!("{{ [x0, x1, x2] : {} }}", pairs.join(" and ")), true);
}

#[test]
fn quantifiers_with_large_strides() {
    let b = Budget::new(20_000_000);
    let s = set("[n] -> { [i] : exists a, b: i = 1009a + 1013b and 0 <= a <= n and 0 <= b <= n }");
    is(s.is_empty(&b), false);
    is(s.compute_divs(&b).and_then(|k| k.is_equal(&s, &b)), true);
    let b = Budget::new(20_000_000);
    let coins = set("{ [i] : exists a, b, c: i = 6a + 9b + 20c and a, b, c >= 0 }");
    is(coins.is_subset(&set("{ [i] : i >= 0 and i != 43 }"), &b), true);
    is(set("{ [i] : i >= 44 }").is_subset(&coins, &b), true);
}

#[test]
fn deep_divisions() {
    let mut e = "i + n".to_owned();
    for k in 0..12 {
        e = format!("floor(({e} + {k}) / {})", 2 + k % 3);
    }
    let b = Budget::new(500_000);
    let s = set(&format!("[n] -> {{ [i] : {e} >= 0 }}"));
    is(s.is_equal(&set("[n] -> { [i] : i + n >= 0 }"), &b), false);
    let mut e = "i".to_owned();
    for k in 0..4 {
        e = format!("i - 3 * floor(({e} + {k} * n) / 7)");
    }
    let s = set(&format!("[n] -> {{ [i] : 0 <= {e} <= 10 }}"));
    match s.lexmin(&b) {
        Ok(m) => is(m.is_subset(&s, &b), true),
        Err(e) => assert!(matches!(e, Error::OutOfBudget | Error::Unbounded), "{e}"),
    }
}

#[test]
fn many_pieces() {
    let b = Budget::new(20_000_000);
    let intervals: Vec<String> = (0..60).map(|k| format!("{} <= i <= {}", 7 * k, 7 * k + 6)).collect();
    let s = set(&format!("{{ [i] : {} }}", intervals.join(" or ")));
    assert_eq!(s.coalesce(&b).unwrap().n_basic(), 1);
    assert_eq!(s.is_equal(&set("{ [i] : 0 <= i <= 419 }"), &b), Ok(true));
    let gaps: Vec<String> = (0..40).map(|k| format!("{} <= i <= {}", 7 * k, 7 * k + 5)).collect();
    let s = set(&format!("{{ [i] : {} }}", gaps.join(" or ")));
    assert_eq!(s.coalesce(&b).unwrap().n_basic(), 40);
    let c = s.complement(&b).unwrap();
    assert_eq!(c.is_disjoint(&s, &b), Ok(true));
    assert_eq!(c.union(&s).unwrap().complement(&b).unwrap().is_empty(&b), Ok(true));
}

#[test]
fn many_dimensions() {
    let n = 10;
    let dims: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
    let mut atoms: Vec<String> = dims.iter().map(|d| format!("0 <= {d} <= m")).collect();
    for i in 0..n {
        for j in 0..i {
            atoms.push(format!("x{i} + x{j} <= m + {}", i + j));
        }
    }
    let s = set(&format!("[m] -> {{ [{}] : {} }}", dims.join(", "), atoms.join(" and ")));
    let b = Budget::new(20_000_000);
    assert_eq!(s.is_empty(&b), Ok(false));
    assert_eq!(s.is_bounded(&b), Ok(true));
    let p = s.project_out(DimType::Out, 2, n - 2, &b).unwrap();
    is(p.is_empty(&b), false);
}

/// Each operation of the corpus ends by itself or by its budget, which is less than a second's work.
#[test]
fn every_operation_ends() {
    const UNITS: u64 = 3_000_000;
    let sets = [
        // Many disjuncts that don't fit together.
        format!(
            "{{ [i, j] : {} }}",
            (0..24)
                .map(|k| format!("({k}i + {}j) mod {} = 1", k + 3, k + 2))
                .collect::<Vec<_>>()
                .join(" or ")
        ),
        // Complements that double the pieces.
        format!(
            "{{ [a, b, c, d, e] : {} }}",
            ["a != b", "b != c", "c != d", "d != e", "e != a", "2a != 3c"].join(" and ")
        ),
        // Huge coefficients.
        "[n] -> { [i, j] : 12345678901234567i - 7654321098765432j >= n and i + j <= 99999999999999999999 and i >= 0 and j >= n }"
            .to_owned(),
        // Divisions in divisions.
        "[n] -> { [i] : 0 <= i <= n and floor((5i + 3*floor((7i + 2*floor((i + n)/3))/11))/13) mod 4 = floor((n + i)/5) mod 3 }".to_owned(),
        // Large strides.
        "[n] -> { [i] : exists a, b: i = 9973a + 10007b and 0 <= a <= n and 0 <= b <= n and i mod 101 = 7 }".to_owned(),
        // Two equalities with two quantified variables each.
        "[p] -> { [x] : exists e, f: p - 2e + 3f = floor(x/3) and 3x = 3e + 2f + 2*floor((3x + 3)/5) and -40 <= e, f <= 60 }".to_owned(),
        // A thin simplex in many dimensions.
        format!(
            "{{ [a, b, c, d, e, f] : {} <= 101a + 103b + 107c + 109d + 113e + 127f <= {0} and a, b, c, d, e, f >= 0 }}",
            5001
        ),
        // A parametric knapsack.
        "[n, m] -> { [a, b, c] : a, b, c >= 0 and 7a + 11b + 13c <= n and 3a + 5b >= m and 2b + 9c >= n - m }".to_owned(),
    ];
    let ends = |what: &str, text: &str, result: Result<()>| match result {
        Ok(()) | Err(Error::OutOfBudget | Error::Unbounded | Error::Unsupported(_)) => {}
        Err(e) => panic!("{what} of {text}: {e}"),
    };
    for text in &sets {
        let s = set(text);
        let b = || Budget::new(UNITS);
        ends("is_empty", text, s.is_empty(&b()).map(|_| ()));
        ends("complement", text, s.complement(&b()).map(|_| ()));
        ends("compute_divs", text, s.compute_divs(&b()).map(|_| ()));
        ends("coalesce", text, s.coalesce(&b()).map(|_| ()));
        ends("lexmin", text, s.lexmin(&b()).map(|_| ()));
        ends("lexmax", text, s.lexmax(&b()).map(|_| ()));
        ends("count", text, s.count(&b()).map(|_| ()));
        ends("growth", text, s.growth_degree(&b()).map(|_| ()));
        ends("sample", text, s.sample_point(&b()).map(|_| ()));
        ends("affine hull", text, s.affine_hull(&b()).map(|_| ()));
        ends("polyhedral hull", text, s.polyhedral_hull(&b()).map(|_| ()));
        let last = s.dim(DimType::Out) - 1;
        ends(
            "project_out",
            text,
            s.project_out(DimType::Out, last, 1, &b())
                .and_then(|p| p.is_empty(&b()))
                .map(|_| ()),
        );
        let steps = Map::lex_lt(s.space()).intersect_domain(&s).unwrap().intersect_range(&s).unwrap();
        ends("closure", text, steps.transitive_closure(&b()).map(|_| ()));
    }
}
