//! Dual cones against the points of sets.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use tilia_ilp::{AffineForm, DualCone, Error, Exact, Linear, Outcome, Problem, Row, RowKind, Solver};
use tilia_presburger::{BasicSet, Budget, ConstraintRows, Int, Map, Set};

/// A deterministic generator (xorshift).
struct Rng(u64);

impl Rng {
    fn range(&mut self, lo: i64, hi: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        lo + i64::try_from((self.0 >> 11) % u64::try_from(hi - lo + 1).unwrap()).unwrap()
    }
}

fn basic(text: &str) -> BasicSet {
    let s: Set = text.parse().unwrap();
    s.basic_sets()[0].clone()
}

/// The form with constant coefficients `c[0] + c[1..]·(params, dims)`.
fn fixed(c: &[i64], n_param: usize) -> AffineForm {
    AffineForm {
        constant: Linear::constant(c[0]),
        params: c[1..=n_param].iter().map(|&x| Linear::constant(x)).collect(),
        ins: Vec::new(),
        outs: c[1 + n_param..].iter().map(|&x| Linear::constant(x)).collect(),
    }
}

/// Is the form accepted?
fn accepts(cone: &DualCone, form: &AffineForm) -> bool {
    let mut p = Problem::new();
    cone.require(form, &mut p);
    matches!(Exact.lexmin(&p, &Budget::default()).unwrap(), Outcome::Optimal(_))
}

/// The least value of a form over the points `-reach..=reach` of integer rows `[c, x..]`; `None` without points.
fn least(rows: &[Vec<i64>], form: &[i64], reach: i64) -> Option<i64> {
    let n = form.len() - 1;
    let eval = |r: &[i64], x: &[i64]| r[0] + r[1..].iter().zip(x).map(|(a, b)| a * b).sum::<i64>();
    let mut x = vec![-reach; n];
    let mut best = None;
    loop {
        if rows.iter().all(|r| eval(r, &x) >= 0) {
            let v = eval(form, &x);
            best = Some(best.map_or(v, |b: i64| b.min(v)));
        }
        let Some(k) = (0..n).rev().find(|&k| x[k] < reach) else {
            return best;
        };
        x[k] += 1;
        x[k + 1..].fill(-reach);
    }
}

/// Random polytopes with integer corners: boxes cut by rows with unit coefficients of two variables (a unimodular system), so that points decide about forms.
fn polytope(rng: &mut Rng, n: usize) -> Vec<Vec<i64>> {
    let mut rows = Vec::new();
    for k in 0..n {
        let mut lo = vec![0; n + 1];
        (lo[0], lo[k + 1]) = (rng.range(0, 3), 1);
        let mut hi = vec![0; n + 1];
        (hi[0], hi[k + 1]) = (rng.range(0, 3), -1);
        rows.extend([lo, hi]);
    }
    for _ in 0..rng.range(0, 3) {
        let mut r = vec![0; n + 1];
        r[0] = rng.range(-1, 3);
        let (i, j) = (rng.range(1, n as i64) as usize, rng.range(1, n as i64) as usize);
        if i != j {
            (r[i], r[j]) = (1, -1);
            rows.push(r);
        }
    }
    rows
}

fn ints(rows: &[Vec<i64>]) -> Vec<Vec<Int>> {
    rows.iter().map(|r| r.iter().map(|&x| Int::new(x)).collect()).collect()
}

#[test]
fn points_decide_about_forms() {
    let b = Budget::default();
    let mut rng = Rng(0x1234_5678_9ABC);
    let (mut yes, mut no, mut empty) = (0, 0, 0);
    for case in 0..400 {
        let n = 1 + case % 4;
        let rows = polytope(&mut rng, n);
        let constraints = ConstraintRows {
            equalities: Vec::new(),
            inequalities: ints(&rows),
            n_local: 0,
        };
        // With and without multipliers.
        let limit = if case % 3 == 0 { 4 } else { 1000 };
        let cone = match DualCone::with_limit(&constraints, [0, 0, n], limit, &b) {
            Ok(cone) => cone,
            Err(e) => {
                assert_eq!(e, Error::EmptySet);
                assert_eq!(least(&rows, &vec![0; n + 1], 3), None, "case {case}");
                empty += 1;
                continue;
            }
        };
        for _ in 0..10 {
            let mut form: Vec<i64> = (0..=n).map(|_| rng.range(-3, 3)).collect();
            let min = least(&rows, &form, 3).unwrap();
            // At the border: exactly non-negative, and negative by one.
            for shift in [-min, -min - 1, rng.range(-4, 4)] {
                form[0] += shift;
                let expected = min + shift >= 0;
                assert_eq!(accepts(&cone, &fixed(&form, 0)), expected, "case {case}: {form:?} on {rows:?}");
                form[0] -= shift;
                if expected { yes += 1 } else { no += 1 }
            }
        }
    }
    assert!(yes > 3000 && no > 3000 && empty > 3, "{yes} {no} {empty}");
}

#[test]
fn parameters_are_quantified_too() {
    let cone = DualCone::of_set(&basic("[n] -> { [i] : 0 <= i < n }"), &Budget::default()).unwrap();
    assert_eq!(cone.n_multipliers(), 0);
    assert!(accepts(&cone, &fixed(&[-1, 1, -1], 1)), "n - 1 - i >= 0");
    assert!(!accepts(&cone, &fixed(&[-2, 1, -1], 1)));
    assert!(accepts(&cone, &fixed(&[-1, 1, 0], 1)), "n >= 1 on the set");
    assert!(!accepts(&cone, &fixed(&[5, -1, 1], 1)), "n is not bounded");
}

#[test]
fn equalities_make_equations() {
    let m: Map = "[n] -> { [i, j] -> [i + 1, k] : 0 <= i < n and 0 <= j and j <= k < n }"
        .parse()
        .unwrap();
    let cone = DualCone::of_map(&m.basic_maps()[0], &Budget::default()).unwrap();
    let c = |v: &[i64]| v.iter().map(|&x| Linear::constant(x)).collect::<Vec<_>>();
    let form = |k: i64, p: i64, ins: &[i64], outs: &[i64]| AffineForm {
        constant: Linear::constant(k),
        params: c(&[p]),
        ins: c(ins),
        outs: c(outs),
    };
    assert!(accepts(&cone, &form(-1, 0, &[-1, 0], &[1, 0])));
    assert!(!accepts(&cone, &form(-2, 0, &[-1, 0], &[1, 0])));
    assert!(accepts(&cone, &form(0, 0, &[0, -1], &[0, 1])));
    assert!(accepts(&cone, &form(0, 0, &[5, 0], &[-5, 0]).plus(5)));
    assert!(!accepts(&cone, &form(0, 1, &[0, 0], &[0, -1]).plus(-2)));
}

#[test]
fn local_variables_have_no_coefficient() {
    // i = 2q: on the rational hull only 0 <= i <= 2m remains.
    let cone = DualCone::of_set(&basic("[m] -> { [i] : i mod 2 = 0 and 0 <= i <= 2m }"), &Budget::default()).unwrap();
    assert!(accepts(&cone, &fixed(&[0, 2, -1], 1)));
    assert!(accepts(&cone, &fixed(&[0, 0, 1], 1)));
    assert!(!accepts(&cone, &fixed(&[-1, 0, 1], 1)));
    // q = floor(i / 8) is at least 0 and at most i / 8.
    let cone = DualCone::of_set(&basic("{ [i, q] : q = floor(i / 8) and 0 <= i < 64 }"), &Budget::default()).unwrap();
    assert!(accepts(&cone, &fixed(&[0, 1, -8], 0)));
    assert!(accepts(&cone, &fixed(&[7, -1, 8], 0)));
    assert!(!accepts(&cone, &fixed(&[6, -1, 8], 0)));
}

#[test]
fn empty_sets_are_refused() {
    let b = Budget::default();
    let space = basic("{ [i] }");
    let empty = BasicSet::empty(space.space());
    assert_eq!(DualCone::of_set(&empty, &b).unwrap_err(), Error::EmptySet);
    let rows = ConstraintRows {
        equalities: ints(&[vec![-1, 1, 1]]),
        inequalities: ints(&[vec![0, -1, 0], vec![0, 0, -1]]),
        n_local: 0,
    };
    for limit in [1, 100] {
        assert_eq!(DualCone::with_limit(&rows, [0, 0, 2], limit, &b).unwrap_err(), Error::EmptySet);
    }
}

#[test]
fn many_corners_keep_multipliers() {
    // A box of 12 dimensions has 4096 corners.
    let n = 12;
    let mut rows = Vec::new();
    for k in 1..=n {
        let mut lo = vec![0; n + 1];
        lo[k] = 1;
        let mut hi = vec![0; n + 1];
        (hi[0], hi[k]) = (5, -1);
        rows.extend([lo, hi]);
    }
    let constraints = ConstraintRows {
        equalities: Vec::new(),
        inequalities: ints(&rows),
        n_local: 0,
    };
    let cone = DualCone::with_limit(&constraints, [0, 0, n], 200, &Budget::default()).unwrap();
    assert!(
        cone.n_multipliers() > 0 && cone.cone_rows().len() <= 200 + n,
        "{} {}",
        cone.n_multipliers(),
        cone.cone_rows().len()
    );
    let mut form = vec![-1; n + 1];
    form[0] = 5 * n as i64;
    assert!(accepts(&cone, &fixed(&form, 0)));
    form[0] -= 1;
    assert!(!accepts(&cone, &fixed(&form, 0)));
}

#[test]
fn rows_of_a_uniform_dependence_are_few() {
    // S[t, i] -> S[t + 1, i + 1]: the difference of a schedule row is c_t + c_i whatever the domain.
    let m: Map = "[T, N] -> { S[t, i] -> S[t + 1, i + 1] : 0 <= t < T - 1 and 0 <= i < N - 1 }"
        .parse()
        .unwrap();
    let cone = DualCone::of_map(&m.basic_maps()[0], &Budget::default()).unwrap();
    let form = AffineForm {
        constant: Linear::zero(),
        params: vec![Linear::zero(); 2],
        ins: vec![Linear::term(0, -1), Linear::term(1, -1)],
        outs: vec![Linear::var(0), Linear::var(1)],
    };
    let expected = Row {
        terms: vec![(0, Int::ONE), (1, Int::ONE)],
        constant: Int::ZERO,
        kind: RowKind::Ge,
    };
    assert_eq!(cone.rows(&form, 2), [expected]);
}
