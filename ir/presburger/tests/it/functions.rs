//! Operations on functions against their values at every point of a small box.

use tilia_presburger::{Budget, Error, Int, MultiAff, MultiPwAff, Point, PwAff, PwMultiAff, Set, Space};

use crate::formula::{Expr, Formula, Shape};
use crate::rng::{Rng, operations, seed};

const SIZE: i64 = 4;

/// A function with its text and an independent way to evaluate it.
struct Model {
    parts: Vec<(Formula, Expr)>,
    pw: PwAff,
}

impl Model {
    /// One or two pieces; where both hold the first counts.
    fn random(rng: &mut Rng, shape: &Shape) -> Model {
        let n = shape.names().len();
        let mut parts = Vec::new();
        let mut pw: Option<PwAff> = None;
        for _ in 0..1 + rng.below(2) {
            let f = Formula::simple(rng, n, shape.params.len());
            let e = Expr::random(rng, n);
            let (tuple, dims) = &shape.tuples[0];
            let names = shape.names();
            let prefix = prefix(&shape.params);
            let text = format!(
                "{prefix}{{ {tuple}[{}] -> [({})] : {} }}",
                dims.join(", "),
                e.text(&names),
                f.text(&names)
            );
            let piece: PwAff = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            pw = Some(match pw {
                None => piece,
                Some(before) => before.union_first(&piece, &budget()).unwrap(),
            });
            parts.push((f, e));
        }
        Model { parts, pw: pw.unwrap() }
    }

    fn at(&self, x: &[i64]) -> Option<i64> {
        self.parts.iter().find(|(f, _)| f.eval(x)).map(|(_, e)| e.eval(x))
    }
}

fn prefix(params: &[String]) -> String {
    if params.is_empty() {
        String::new()
    } else {
        format!("[{}] -> ", params.join(", "))
    }
}

fn budget() -> Budget {
    Budget::new(50_000_000)
}

fn shape(rng: &mut Rng) -> Shape {
    let params = ["n"].iter().take(rng.below(2)).map(ToString::to_string).collect();
    let dims = (0..1 + rng.below(2)).map(|i| format!("i{i}")).collect();
    Shape {
        params,
        tuples: vec![("S".to_string(), dims)],
    }
}

fn point(space: &Space, n_param: usize, x: &[i64]) -> Point {
    let ints = |v: &[i64]| v.iter().map(|&v| Int::from(v)).collect();
    Point::new(space.clone(), ints(&x[..n_param]), ints(&x[n_param..]))
}

/// All points of the box of `n` dimensions.
pub(crate) fn points(n: usize, size: i64) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..n {
        all = all
            .into_iter()
            .flat_map(|p| (-size..=size).map(move |v| p.iter().copied().chain([v]).collect()))
            .collect();
    }
    all
}

struct Check<'a> {
    shape: &'a Shape,
    space: Space,
    describe: String,
}

impl Check<'_> {
    fn function(&self, name: &str, f: Result<PwAff, Error>, expected: impl Fn(&[i64]) -> Option<i64>) {
        let f = f.unwrap_or_else(|e| panic!("{name}: {e}\n{}", self.describe));
        for x in points(self.shape.names().len(), SIZE) {
            let value = f.eval(&point(&self.space, self.shape.params.len(), &x), &budget()).unwrap();
            let value = value.map(|v| v.to_i64().unwrap());
            assert_eq!(value, expected(&x), "{name} at {x:?} is {f}\n{}", self.describe);
        }
        let printed = f.to_string();
        let again: PwAff = printed.parse().unwrap_or_else(|e| panic!("{printed}: {e}"));
        assert!(again.is_equal(&f, &budget()).unwrap(), "{name}: {printed} reads back as {again}");
    }

    fn set(&self, name: &str, s: Result<Set, Error>, expected: impl Fn(&[i64]) -> bool) {
        let s = s.unwrap_or_else(|e| panic!("{name}: {e}\n{}", self.describe));
        for x in points(self.shape.names().len(), SIZE) {
            let inside = s.contains(&point(&self.space, self.shape.params.len(), &x), &budget()).unwrap();
            assert_eq!(inside, expected(&x), "{name} at {x:?} is {s}\n{}", self.describe);
        }
    }
}

#[test]
fn piecewise_expressions_have_the_right_values() {
    let n = operations("TILIA_FUNCTION_ROUNDS", 40);
    let seed = seed();
    for i in 0..n {
        let rng = &mut Rng::new(seed.wrapping_add(i as u64));
        let shape = shape(rng);
        let (f, g) = (Model::random(rng, &shape), Model::random(rng, &shape));
        let describe = format!("#{i}\nf = {}\ng = {}", f.pw, g.pw);
        let c = Check {
            shape: &shape,
            space: f.pw.domain_space().clone(),
            describe,
        };
        let (a, o, b) = (&f.pw, &g.pw, &budget());
        let both = |h: fn(i64, i64) -> i64| {
            let (f, g) = (&f, &g);
            move |x: &[i64]| Some(h(f.at(x)?, g.at(x)?))
        };
        let either = |h: fn(i64, i64) -> i64| {
            let (f, g) = (&f, &g);
            move |x: &[i64]| match (f.at(x), g.at(x)) {
                (Some(v), Some(w)) => Some(h(v, w)),
                (v, w) => v.or(w),
            }
        };
        c.function("itself", Ok(a.clone()), |x| f.at(x));
        c.function("add", a.add(o, b), both(|v, w| v + w));
        c.function("sub", a.sub(o, b), both(|v, w| v - w));
        c.function("min", a.min(o, b), both(i64::min));
        c.function("max", a.max(o, b), both(i64::max));
        c.function("union_first", a.union_first(o, b), either(|v, _| v));
        c.function("union_add", a.union_add(o, b), either(|v, w| v + w));
        c.function("union_min", a.union_min(o, b), either(i64::min));
        c.function("union_max", a.union_max(o, b), either(i64::max));
        c.function("neg", a.neg(), |x| f.at(x).map(|v| -v));
        let d = rng.between(1, 5);
        let divisor = Int::from(d);
        c.function("scale", a.scale(&Int::from(d - 3)), |x| f.at(x).map(|v| v * (d - 3)));
        c.function("floor_div", a.floor_div(&divisor), |x| f.at(x).map(|v| v.div_euclid(d)));
        c.function("ceil_div", a.ceil_div(&divisor), |x| f.at(x).map(|v| -(-v).div_euclid(d)));
        c.function("mod", a.mod_(&divisor), |x| f.at(x).map(|v| v.rem_euclid(d)));
        c.function("cond", a.cond(o, a, b), |x| if f.at(x)? != 0 { g.at(x) } else { f.at(x) });
        c.function("coalesce", a.coalesce(b), |x| f.at(x));
        let domain = o.domain();
        c.function("intersect_domain", a.intersect_domain(&domain, b), |x| {
            g.at(x).and_then(|_| f.at(x))
        });
        c.function("subtract_domain", a.subtract_domain(&domain, b), |x| {
            if g.at(x).is_none() { f.at(x) } else { None }
        });
        c.function("indicator", PwAff::indicator(&domain, b), |x| Some(i64::from(g.at(x).is_some())));
        let gist = a.gist(&domain, b).and_then(|h| h.intersect_domain(&domain, b));
        c.function("gist", gist, |x| g.at(x).and_then(|_| f.at(x)));
        let compare = |h: fn(i64, i64) -> bool| {
            let (f, g) = (&f, &g);
            move |x: &[i64]| matches!((f.at(x), g.at(x)), (Some(v), Some(w)) if h(v, w))
        };
        c.set("eq_set", a.eq_set(o, b), compare(|v, w| v == w));
        c.set("ne_set", a.ne_set(o, b), compare(|v, w| v != w));
        c.set("le_set", a.le_set(o, b), compare(|v, w| v <= w));
        c.set("lt_set", a.lt_set(o, b), compare(|v, w| v < w));
        c.set("ge_set", a.ge_set(o, b), compare(|v, w| v >= w));
        c.set("gt_set", a.gt_set(o, b), compare(|v, w| v > w));
        c.set("domain", Ok(a.domain()), |x| f.at(x).is_some());
    }
}

#[test]
fn composition_has_the_right_values() {
    let n = operations("TILIA_FUNCTION_ROUNDS", 40);
    let seed = seed();
    for i in 0..n {
        let rng = &mut Rng::new(seed.wrapping_add(1_000_000 + i as u64));
        let outer = shape(rng);
        let inner = Shape {
            params: outer.params.clone(),
            tuples: vec![("T".to_string(), vec!["j".to_string()])],
        };
        let f = Model::random(rng, &outer);
        let names = inner.names();
        let exprs: Vec<Expr> = (0..outer.n_dim()).map(|_| Expr::random(rng, names.len())).collect();
        let texts: Vec<String> = exprs.iter().map(|e| format!("({})", e.text(&names))).collect();
        let ma: MultiAff = format!("{}{{ T[j] -> S[{}] }}", prefix(&inner.params), texts.join(", "))
            .parse()
            .unwrap();
        let image = |x: &[i64]| -> Vec<i64> {
            x[..inner.params.len()]
                .iter()
                .copied()
                .chain(exprs.iter().map(|e| e.eval(x)))
                .collect()
        };
        let c = Check {
            shape: &inner,
            space: ma.domain_space().clone(),
            describe: format!("#{i}\nf = {}\nma = {ma}", f.pw),
        };
        let b = &budget();
        c.function("pullback", f.pw.pullback(&ma, b), |x| f.at(&image(x)));
        c.set("preimage", ma.preimage(&f.pw.domain()), |x| f.at(&image(x)).is_some());
        let pma = PwMultiAff::from_multi_aff(&ma);
        c.function("pullback_pw", f.pw.pullback_pw(&pma, b), |x| f.at(&image(x)));
        // The relation, its domain and its function agree.
        let map = ma.as_map().unwrap();
        assert!(map.is_single_valued(b).unwrap());
        let back = PwMultiAff::from_map(&map, b).unwrap();
        assert!(back.is_equal(&pma, b).unwrap(), "{map} as a function is {back}");
        let mpa = MultiPwAff::from_pw_multi_aff(&back);
        assert!(mpa.to_pw_multi_aff(b).unwrap().is_equal(&pma, b).unwrap());
        let product = pma.flat_range_product(&pma, b).unwrap();
        assert_eq!(product.len(), 2 * pma.len());
    }
}
