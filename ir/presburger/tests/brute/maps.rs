//! Operations on maps.

use tilia_presburger::{Budget, DimType, Map};

use crate::formula::{Formula, X, points};
use crate::rng::Rng;
use crate::sets::check;
use crate::{finished, rounds};

fn budget() -> Budget {
    Budget::new(5_000_000)
}

fn random(rng: &mut Rng, names: (&str, &str), n_in: usize, n_out: usize) -> (Formula, Map) {
    let f = Formula::random(rng, n_in + n_out, true);
    let text = f.map_text(names, n_in);
    let m = text.parse::<Map>().unwrap_or_else(|e| panic!("{text}: {e}"));
    (f, m)
}

fn join(parts: &[&[i64]]) -> Vec<i64> {
    parts.concat()
}

#[test]
fn sides_and_reversal() {
    rounds("sides", 2, |rng| {
        let (f, m) = random(rng, ("A", "B"), 1, 1);
        let text = f.map_text(("A", "B"), 1);
        check(&m.wrap(), 2, &format!("wrap {text}"), |v| f.holds(v));
        check(&m.reverse().wrap(), 2, &format!("reverse {text}"), |v| f.holds(&[v[0], v[2], v[1]]));
        check(&m.domain(), 1, &format!("domain {text}"), |v| {
            X.into_iter().any(|y| f.holds(&[v[0], v[1], y]))
        });
        check(&m.range(), 1, &format!("range {text}"), |v| {
            X.into_iter().any(|x| f.holds(&[v[0], x, v[1]]))
        });
        check(&m.params(), 0, &format!("params {text}"), |v| {
            points(v[0], 2).iter().any(|w| f.holds(w))
        });
        let lo = finished(m.lexmin(&budget()), || format!("lexmin {text}"));
        let hi = finished(m.lexmax(&budget()), || format!("lexmax {text}"));
        let (Some(lo), Some(hi)) = (lo, hi) else { return };
        let images = |p, x| X.filter(|y| f.holds(&[p, x, *y])).collect::<Vec<_>>();
        check(&lo.wrap(), 2, &format!("lexmin {text}"), |v| {
            images(v[0], v[1]).iter().min() == Some(&v[2])
        });
        check(&hi.wrap(), 2, &format!("lexmax {text}"), |v| {
            images(v[0], v[1]).iter().max() == Some(&v[2])
        });
        let single = (-3..=4).all(|p| X.into_iter().all(|x| images(p, x).len() <= 1));
        let limited = m
            .lower_bound(DimType::Param, 0, (-3).into())
            .and_then(|m| m.upper_bound(DimType::Param, 0, 4.into()))
            .unwrap();
        assert_eq!(limited.is_single_valued(&budget()).unwrap(), single, "is_single_valued {text}");
        crate::checked(1);
    });
}

#[test]
fn composition() {
    rounds("compose", 2, |rng| {
        let (f, a) = random(rng, ("A", "B"), 1, 1);
        let (g, c) = random(rng, ("B", "C"), 1, 1);
        let texts = format!("{} and {}", f.map_text(("A", "B"), 1), g.map_text(("B", "C"), 1));
        let composed = |v: &[i64]| X.into_iter().any(|y| f.holds(&[v[0], v[1], y]) && g.holds(&[v[0], y, v[2]]));
        check(&a.apply_range(&c).unwrap().wrap(), 2, &format!("apply_range {texts}"), composed);
        let d = c.apply_domain(&a.reverse()).unwrap();
        check(&d.wrap(), 2, &format!("apply_domain {texts}"), composed);
        let image = a.range().apply(&c).unwrap();
        check(&image, 1, &format!("apply {texts}"), |v| {
            points(v[0], 2).iter().any(|w| f.holds(w) && g.holds(&[v[0], w[2], v[1]]))
        });
        let p = a.product(&c).unwrap();
        let w = p.wrap();
        for v in points(1, 2).iter().step_by(7) {
            for u in points(1, 2).iter().step_by(5) {
                let at = tilia_presburger::Point::new(
                    w.space().clone(),
                    vec![1.into()],
                    join(&[&[v[1], u[1]], &[v[2], u[2]]]).into_iter().map(Into::into).collect(),
                );
                assert_eq!(w.contains(&at, &budget()).unwrap(), f.holds(v) && g.holds(u), "product {texts}");
            }
        }
        crate::checked(1);
    });
}

#[test]
fn deltas_and_lex_orders() {
    rounds("deltas", 1, |rng| {
        let (f, m) = random(rng, ("A", "A"), 1, 1);
        let text = f.map_text(("A", "A"), 1);
        let d = m.deltas().unwrap();
        check(&d, 1, &format!("deltas {text}"), |v| {
            X.into_iter().any(|x| f.holds(&[v[0], x, x + v[1]]))
        });
        let (g, s) = random(rng, ("A", "B"), 2, 1);
        let lex = Map::lex_lt(&s.domain().space().clone());
        // Inputs before some input with an image.
        let before = lex.intersect_range(&s.domain()).unwrap().domain();
        let last = |p: i64| points(p, 3).iter().filter(|w| g.holds(w)).map(|w| w[1..3].to_vec()).max();
        let last: std::collections::HashMap<i64, Option<Vec<i64>>> = (-3..=4).map(|p| (p, last(p))).collect();
        check(&before, 2, &format!("lex_lt on {}", g.map_text(("A", "B"), 2)), |v| {
            last[&v[0]].as_ref().is_some_and(|l| v[1..3] < l[..])
        });
    });
}
