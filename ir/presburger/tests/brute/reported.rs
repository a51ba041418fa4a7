//! Inputs that once gave a wrong answer or took too long.

use tilia_presburger::{Budget, Point, Set};

fn set(text: &str) -> Set {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[track_caller]
fn emptiness(text: &str, empty: bool) {
    let b = Budget::new(1_000_000);
    assert_eq!(set(text).is_empty(&b), Ok(empty), "{text}");
}

#[test]
fn emptiness_with_related_divisions() {
    emptiness(
        "[n] -> { [c] : n mod 2 = 0 and (c - floor(n/2)) mod 2 = 0 and (2c - n) mod 4 >= 1 }",
        true,
    );
    emptiness("{ [c, i] : c mod 4 = 0 and -3 <= c < 0 and i = c }", true);
    emptiness(
        "[n] -> { [i0, i1] : i0 mod 3 = 0 and (2i0+3i1) mod 6 = 0 and i1 mod 2 = 0 and n>0 and -2<=i0<=-4+2n and \
         -2-i0<=i1<=-i0 and 2-2n<=i1<=0 and i0 mod 6 > 0 }",
        false,
    );
    emptiness(
        "[p] -> { [x, y] : 4y = -7 - 3x and p = 2 and -3 <= x <= 0 and exists e: x = 4e + 3 }",
        false,
    );
}

#[test]
fn two_strided_quantified_variables() {
    let b = Budget::default();
    let s = set("[n] -> { [i] : exists e, f : i = 6e + 4f and 0 <= e <= n and 0 <= f <= 3 }");
    let known = s.compute_divs(&b).unwrap();
    assert!(known.is_equal(&s, &b).unwrap());
    let bound = set("[n] -> { [i] : 0 <= i <= 6n + 12 and i mod 2 = 0 }");
    assert!(s.is_subset(&bound, &b).unwrap());
    assert!(bound.subtract(&s, &b).unwrap().intersect(&s).unwrap().is_empty(&b).unwrap());
    assert!(b.used() < 2_000_000, "used {}", b.used());
}

/// Both quantified variables are given by equalities, one of which could be put into the definition of a division while it
/// still contained an undefined variable.
#[test]
fn definitions_use_no_undefined_variable() {
    let b = Budget::default();
    let s = set("[n] -> { [x, y] : exists e, f: 2f = 4 - n - x + y - floor(y/3) and 3e + 3f = n - 2x + 2y - 5 }");
    for (n, x, y) in (-7..7_i64).flat_map(|n| (-4..5).flat_map(move |x| (-4..5).map(move |y| (n, x, y)))) {
        let expect = (4 - n - x + y - y.div_euclid(3)) % 2 == 0 && (n - 2 * x + 2 * y - 5) % 3 == 0;
        let at = Point::new(s.space().clone(), vec![n.into()], vec![x.into(), y.into()]);
        assert_eq!(s.contains(&at, &b), Ok(expect), "{n}, {x}, {y}");
    }
}
