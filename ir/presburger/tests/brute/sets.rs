//! Operations on sets.

use tilia_presburger::{Budget, DimType, Int, Optimum, Point, Set};

use crate::formula::{Formula, P, X, points};
use crate::rng::Rng;
use crate::{finished, rounds};

pub(crate) fn budget() -> Budget {
    Budget::new(5_000_000)
}

pub(crate) fn point(s: &Set, v: &[i64]) -> Point {
    let ints = |v: &[i64]| v.iter().map(|&x| Int::new(x)).collect::<Vec<_>>();
    Point::new(s.space().clone(), ints(&v[..1]), ints(&v[1..]))
}

/// Checks membership of every point of the box.
#[track_caller]
pub(crate) fn check(s: &Set, n: usize, what: &str, holds: impl Fn(&[i64]) -> bool) {
    crate::checked(1);
    let b = budget();
    assert!(s.space().params().len() <= 1);
    let s = s.align_params(&tilia_presburger::Space::params_only([tilia_presburger::Id::new("p")]));
    for p in P {
        for v in points(p, n) {
            let got = s.contains(&point(&s, &v), &b).unwrap();
            assert_eq!(got, holds(&v), "{what} at {v:?}\nresult: {s}");
        }
    }
}

pub(crate) fn random(rng: &mut Rng, boxed: bool) -> (Formula, Set) {
    let n = usize::try_from(rng.range(1, 2)).unwrap();
    random_of(rng, n, boxed)
}

fn random_of(rng: &mut Rng, n: usize, boxed: bool) -> (Formula, Set) {
    let f = Formula::random(rng, n, boxed);
    let text = f.set_text();
    let s = text.parse::<Set>().unwrap_or_else(|e| panic!("{text}: {e}"));
    (f, s)
}

fn all_points(n: usize) -> impl Iterator<Item = Vec<i64>> {
    P.flat_map(move |p| points(p, n))
}

#[test]
fn parsing_and_complement() {
    rounds("parse", 2, |rng| {
        let (f, s) = random(rng, false);
        check(&s, f.n, &format!("parse {}", f.set_text()), |v| f.holds(v));
        let Some(c) = finished(s.complement(&budget()), || format!("complement {}", f.set_text())) else {
            return;
        };
        check(&c, f.n, &format!("complement {}", f.set_text()), |v| !f.holds(v));
    });
}

#[test]
fn boolean_operations() {
    rounds("boolean", 2, |rng| {
        let (f, a) = random(rng, false);
        let (g, c) = random_of(rng, f.n, false);
        let texts = format!("{} and {}", f.set_text(), g.set_text());
        check(&a.intersect(&c).unwrap(), f.n, &format!("intersect {texts}"), |v| {
            f.holds(v) && g.holds(v)
        });
        check(&a.union(&c).unwrap(), f.n, &format!("union {texts}"), |v| f.holds(v) || g.holds(v));
        let Some(d) = finished(a.subtract(&c, &budget()), || format!("subtract {texts}")) else {
            return;
        };
        check(&d, f.n, &format!("subtract {texts}"), |v| f.holds(v) && !g.holds(v));
    });
}

#[test]
fn comparisons() {
    rounds("compare", 3, |rng| {
        let (f, a) = random(rng, true);
        let (g, c) = random_of(rng, f.n, true);
        let b = budget();
        // The parameter is limited too, so that the box holds everything.
        let limit = |s: &Set| {
            s.lower_bound(DimType::Param, 0, Int::new(*P.start()))
                .and_then(|s| s.upper_bound(DimType::Param, 0, Int::new(*P.end())))
                .unwrap()
        };
        let (a, c) = (limit(&a), limit(&c));
        let texts = format!("{} and {}", f.set_text(), g.set_text());
        let all = || all_points(f.n);
        assert_eq!(a.is_empty(&b).unwrap(), !all().any(|v| f.holds(&v)), "is_empty {}", f.set_text());
        assert_eq!(
            a.is_subset(&c, &b).unwrap(),
            all().all(|v| !f.holds(&v) || g.holds(&v)),
            "is_subset {texts}"
        );
        assert_eq!(
            a.is_disjoint(&c, &b).unwrap(),
            all().all(|v| !f.holds(&v) || !g.holds(&v)),
            "is_disjoint {texts}"
        );
        assert_eq!(
            a.is_equal(&c, &b).unwrap(),
            all().all(|v| f.holds(&v) == g.holds(&v)),
            "is_equal {texts}"
        );
        let u = a.union(&c).unwrap();
        assert!(
            a.is_subset(&u, &b).unwrap() && u.is_equal(&c.union(&a).unwrap(), &b).unwrap(),
            "union {texts}"
        );
        match a.sample_point(&b).unwrap() {
            Some(p) => {
                let v: Vec<i64> = p.params.iter().chain(&p.coords).map(|x| x.to_i64().unwrap()).collect();
                assert!(f.holds(&v), "sample {v:?} of {}", f.set_text());
            }
            None => assert!(!all().any(|v| f.holds(&v)), "sample {}", f.set_text()),
        }
        // Five questions, a union and a sample.
        crate::checked(7);
    });
}

#[test]
fn projection() {
    rounds("project", 2, |rng| {
        let (f, s) = random_of(rng, 2, true);
        let b = budget();
        let first = usize::try_from(rng.range(0, 1)).unwrap();
        let q = s.project_out(DimType::Out, first, 1, &b).unwrap();
        let exists = |v: &[i64]| {
            X.into_iter()
                .any(|x| f.holds(&if first == 0 { vec![v[0], x, v[1]] } else { vec![v[0], v[1], x] }))
        };
        let what = format!("project {first} of {}", f.set_text());
        check(&q, 1, &what, exists);
        let Some(known) = finished(q.compute_divs(&b), || format!("compute_divs, {what}")) else {
            return;
        };
        assert!(known.basic_sets().iter().all(tilia_presburger::BasicSet::has_known_divs));
        check(&known, 1, &format!("compute_divs, {what}"), exists);
        let Some(c) = finished(q.complement(&b), || format!("complement, {what}")) else {
            return;
        };
        check(&c, 1, &format!("complement, {what}"), |v| !exists(v));
    });
}

#[test]
fn lexicographic_optima() {
    rounds("lexopt", 2, |rng| {
        let (f, s) = random(rng, true);
        let b = budget();
        let lo = finished(s.lexmin(&b), || format!("lexmin {}", f.set_text()));
        let hi = finished(s.lexmax(&b), || format!("lexmax {}", f.set_text()));
        let (Some(lo), Some(hi)) = (lo, hi) else { return };
        let elements = |p: i64| points(p, f.n).into_iter().filter(|v| f.holds(v)).collect::<Vec<_>>();
        check(&lo, f.n, &format!("lexmin {}", f.set_text()), |v| {
            elements(v[0]).iter().min().is_some_and(|m| m == v)
        });
        check(&hi, f.n, &format!("lexmax {}", f.set_text()), |v| {
            elements(v[0]).iter().max().is_some_and(|m| m == v)
        });
    });
}

#[test]
fn simplifications_keep_the_elements() {
    rounds("simplify", 2, |rng| {
        let (f, s) = random(rng, false);
        let (g, c) = random_of(rng, f.n, false);
        let b = budget();
        let text = f.set_text();
        check(&s.coalesce(&b).unwrap(), f.n, &format!("coalesce {text}"), |v| f.holds(v));
        check(&s.detect_equalities(&b).unwrap(), f.n, &format!("detect_equalities {text}"), |v| {
            f.holds(v)
        });
        check(
            &s.remove_redundancies(&b).unwrap(),
            f.n,
            &format!("remove_redundancies {text}"),
            |v| f.holds(v),
        );
        let Some(d) = finished(s.make_disjoint(&budget()), || format!("make_disjoint {text}")) else {
            return;
        };
        check(&d, f.n, &format!("make_disjoint {text}"), |v| f.holds(v));
        let few = s.coalesce(&b).unwrap().n_basic();
        assert!(few <= s.n_basic(), "coalesce {text} makes pieces");
        let (stride, offset) = s.stride_info(f.n - 1, &b).unwrap();
        for v in all_points(f.n).filter(|v| f.holds(v)) {
            let off = offset.eval(&point(&s, &v)).unwrap();
            let gap = Int::new(v[f.n]) - off;
            assert!(gap.is_divisible_by(&stride), "stride {stride} {offset} of {text} at {v:?}");
        }
        let pieces: Vec<Set> = d.basic_sets().iter().map(|p| p.to_union()).collect();
        for v in all_points(f.n) {
            let n = pieces.iter().filter(|s| s.contains(&point(s, &v), &b).unwrap()).count();
            assert!(n <= 1, "make_disjoint {text}: {v:?} is in {n} pieces");
        }
        let what = || format!("gist {text} in {}", g.set_text());
        let Some(gist) = crate::finished(s.gist(&c, &b), what) else {
            return;
        };
        let gist = gist.intersect(&c).unwrap();
        check(&gist, f.n, &format!("gist {text} in {}", g.set_text()), |v| {
            f.holds(v) && g.holds(v)
        });
        // Strides and disjointness.
        crate::checked(2);
    });
}

#[test]
fn hulls_contain_the_set() {
    rounds("hulls", 1, |rng| {
        let (f, s) = random(rng, false);
        let text = f.set_text();
        let hulls = [
            s.simple_hull(&budget()),
            s.unshifted_simple_hull(&budget()),
            s.affine_hull(&budget()),
            s.polyhedral_hull(&Budget::new(100_000)),
        ];
        for hull in hulls {
            let Some(hull) = finished(hull, || format!("hull of {text}")) else {
                continue;
            };
            let inside = finished(s.is_subset(&hull.to_union(), &budget()), || format!("hull of {text}"));
            assert!(inside != Some(false), "hull {hull:?} of {text}");
            crate::checked(u64::from(inside.is_some()));
        }
    });
}

#[test]
fn optima_of_expressions() {
    rounds("optimum", 2, |rng| {
        let (f, s) = random(rng, true);
        let b = budget();
        let limited = s.fix(DimType::Param, 0, Int::new(rng.range(*P.start(), *P.end()))).unwrap();
        let text = limited.to_string();
        let mut aff = tilia_presburger::Aff::zero(s.space());
        let coefs: Vec<i64> = (0..f.n).map(|_| rng.range(-3, 3)).collect();
        for (i, c) in coefs.iter().enumerate() {
            aff = aff
                .add(&tilia_presburger::Aff::var(s.space(), DimType::Out, i).scale(&Int::new(*c)))
                .unwrap();
        }
        let values: Vec<i64> = all_points(f.n)
            .filter(|v| limited.contains(&point(&limited, v), &b).unwrap())
            .map(|v| v[1..].iter().zip(&coefs).map(|(a, c)| a * c).sum())
            .collect();
        let expect = |v: Option<&i64>| v.map_or(Optimum::Empty, |v| Optimum::Bounded(Int::new(*v)));
        assert_eq!(
            limited.max_aff(&aff, &b).unwrap(),
            expect(values.iter().max()),
            "max {coefs:?} of {text}"
        );
        assert_eq!(
            limited.min_aff(&aff, &b).unwrap(),
            expect(values.iter().min()),
            "min {coefs:?} of {text}"
        );
        let inside: Vec<Vec<i64>> = all_points(f.n)
            .filter(|v| limited.contains(&point(&limited, v), &b).unwrap())
            .collect();
        let limit = |i: usize| {
            let column = inside.iter().map(|v| v[1 + i]);
            (column.clone().min().map(Int::new), column.max().map(Int::new))
        };
        let expect_box = (!inside.is_empty()).then(|| (0..f.n).map(limit).collect::<Vec<_>>());
        assert_eq!(limited.bounding_box(&b).unwrap(), expect_box, "bounding box of {text}");
        assert!(limited.is_bounded(&b).unwrap());
        let listed = limited.points(&b, 10_000).unwrap();
        assert_eq!(listed.len(), values.len(), "points of {text}");
        assert_eq!(limited.count_points(&b).unwrap(), Int::from(values.len()), "count of {text}");
        assert!(listed.windows(2).all(|w| w[0].coords < w[1].coords), "points are in order");
        // Two optima, the box, boundedness, the list and its length.
        crate::checked(6);
    });
}
