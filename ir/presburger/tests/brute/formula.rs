//! Random quantified formulas, evaluated directly: the oracle.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::rng::Rng;

/// Parameter values that are tried.
pub(crate) const P: std::ops::RangeInclusive<i64> = -3..=4;
/// Values of each dimension of the box.
pub(crate) const X: std::ops::RangeInclusive<i64> = -3..=5;

/// `const + Σ coef·var + Σ coef·floor(linear / den)`; variables: `p`, the dimensions, then the quantified ones.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    constant: i64,
    coefs: Vec<i64>,
    floors: Vec<(i64, Vec<i64>, i64, i64)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Conj {
    /// Expressions that must be zero (`true`) or not negative.
    atoms: Vec<(Expr, bool)>,
    /// Quantified variables, each in `-4..=6`.
    n_exists: usize,
}

/// A disjunction.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    pub(crate) n: usize,
    pub(crate) conjs: Vec<Conj>,
    /// Are all dimensions limited to the box?
    pub(crate) boxed: bool,
    /// What was evaluated already.
    known: RefCell<HashMap<Vec<i64>, bool>>,
}

const EXISTS: std::ops::RangeInclusive<i64> = -4..=6;

fn name(i: usize) -> String {
    match i {
        0 => "p".into(),
        i => format!("x{}", i - 1),
    }
}

fn expr(rng: &mut Rng, n_var: usize) -> Expr {
    let mut coefs = vec![0; n_var];
    for _ in 0..rng.range(1, 3) {
        let i = usize::try_from(rng.range(0, n_var as i64 - 1)).unwrap();
        coefs[i] = if rng.chance(3) { rng.range(-5, 5) } else { rng.range(-1, 1) };
    }
    let mut floors = Vec::new();
    if rng.chance(4) {
        let mut inner = vec![0; n_var];
        for _ in 0..2 {
            let i = usize::try_from(rng.range(0, n_var as i64 - 1)).unwrap();
            inner[i] = rng.range(-3, 3);
        }
        floors.push((rng.range(-2, 2), inner, rng.range(-3, 3), rng.range(2, 5)));
    }
    Expr {
        constant: rng.range(-6, 8),
        coefs,
        floors,
    }
}

impl Expr {
    fn eval(&self, v: &[i64]) -> i64 {
        let dot = |c: &[i64]| c.iter().zip(v).map(|(a, b)| a * b).sum::<i64>();
        self.constant + dot(&self.coefs) + self.floors.iter().map(|(c, i, k, d)| c * (dot(i) + k).div_euclid(*d)).sum::<i64>()
    }

    fn text(&self, names: &[String]) -> String {
        let linear = |c: &[i64], k: i64| {
            let terms: String = c
                .iter()
                .zip(names)
                .filter(|(c, _)| **c != 0)
                .map(|(c, n)| format!("{c}*{n} + "))
                .collect();
            format!("{terms}{k}")
        };
        let floors: String = self
            .floors
            .iter()
            .map(|(c, i, k, d)| format!(" + {c}*floor(({})/{d})", linear(i, *k)))
            .collect();
        format!("{}{floors}", linear(&self.coefs, self.constant))
    }
}

impl Conj {
    pub(crate) fn random(rng: &mut Rng, n: usize) -> Conj {
        let n_exists = if rng.chance(3) {
            usize::try_from(rng.range(1, 2)).unwrap()
        } else {
            0
        };
        let atoms = (0..rng.range(1, 4)).map(|_| (expr(rng, 1 + n + n_exists), rng.chance(4))).collect();
        Conj { atoms, n_exists }
    }

    /// What tiling makes: `k·x0 <= x1 <= k·x0 + k - 1`, `0 <= x1 <= p + c`, perhaps with a stride or a skewed bound.
    fn tiled(rng: &mut Rng, n: usize) -> Conj {
        let linear = |coefs: &[(usize, i64)], constant: i64, n_var: usize| {
            let mut c = vec![0; n_var];
            for (i, x) in coefs {
                c[*i] += x;
            }
            Expr {
                constant,
                coefs: c,
                floors: Vec::new(),
            }
        };
        let strided = rng.chance(2);
        let n_exists = usize::from(strided);
        let n_var = 1 + n + n_exists;
        let (tile, point) = if rng.chance(2) { (1, n) } else { (n, 1) };
        let k = rng.range(2, 4);
        let mut atoms = vec![
            (linear(&[(point, 1), (tile, -k)], 0, n_var), false),
            (linear(&[(point, -1), (tile, k)], k - 1, n_var), false),
            (linear(&[(point, 1)], rng.range(-1, 3), n_var), false),
            (linear(&[(point, -1), (0, rng.range(0, 2))], rng.range(0, 4), n_var), false),
        ];
        if strided {
            atoms.push((linear(&[(point, 1), (n_var - 1, -rng.range(2, 3))], rng.range(0, 2), n_var), true));
        }
        if rng.chance(2) {
            atoms.push((expr(rng, 1 + n), false));
            let last = atoms.len() - 1;
            atoms[last].0.coefs.resize(n_var, 0);
        }
        Conj { atoms, n_exists }
    }

    /// Two equalities with two quantified variables each, and a division: what composition of strided accesses makes.
    fn tied(rng: &mut Rng, n: usize) -> Conj {
        let n_var = 1 + n + 2;
        let equality = |rng: &mut Rng| {
            let mut e = expr(rng, 1 + n);
            e.coefs.resize(n_var, 0);
            for c in &mut e.coefs[1 + n..] {
                *c = rng.range(-3, 3);
            }
            for (_, inner, ..) in &mut e.floors {
                inner.resize(n_var, 0);
            }
            (e, true)
        };
        let mut atoms = vec![equality(rng), equality(rng)];
        let mut inner = vec![0; n_var];
        inner[n] = 1;
        atoms[0].0.floors.push((1, inner, 0, rng.range(2, 4)));
        Conj { atoms, n_exists: 2 }
    }

    fn holds(&self, v: &mut Vec<i64>) -> bool {
        fn search(c: &Conj, v: &mut Vec<i64>, left: usize) -> bool {
            if left == 0 {
                return c.atoms.iter().all(|(e, eq)| if *eq { e.eval(v) == 0 } else { e.eval(v) >= 0 });
            }
            EXISTS.into_iter().any(|x| {
                v.push(x);
                let r = search(c, v, left - 1);
                v.pop();
                r
            })
        }
        search(self, v, self.n_exists)
    }

    fn text(&self, n: usize, boxed: bool) -> String {
        let mut names: Vec<String> = (0..=n).map(name).collect();
        let quantified: Vec<String> = (0..self.n_exists).map(|i| format!("e{i}")).collect();
        names.extend(quantified.iter().cloned());
        let mut atoms: Vec<String> = self
            .atoms
            .iter()
            .map(|(e, eq)| format!("{} {} 0", e.text(&names), if *eq { "=" } else { ">=" }))
            .collect();
        atoms.extend(quantified.iter().map(|e| format!("{} <= {e} <= {}", EXISTS.start(), EXISTS.end())));
        if boxed {
            atoms.extend((0..n).map(|i| format!("{} <= x{i} <= {}", X.start(), X.end())));
        }
        let body = atoms.join(" and ");
        if self.n_exists > 0 {
            format!("(exists {}: {body})", quantified.join(", "))
        } else {
            format!("({body})")
        }
    }
}

fn conj(rng: &mut Rng, n: usize) -> Conj {
    if rng.chance(8) {
        Conj::tied(rng, n)
    } else if n == 2 && rng.chance(3) {
        Conj::tiled(rng, n)
    } else {
        Conj::random(rng, n)
    }
}

impl Formula {
    pub(crate) fn random(rng: &mut Rng, n: usize, boxed: bool) -> Formula {
        let k = if rng.chance(2) { 1 } else { rng.range(2, 3) };
        Formula {
            n,
            conjs: (0..k).map(|_| conj(rng, n)).collect(),
            boxed,
            known: RefCell::default(),
        }
    }

    /// Does it hold at `[p, x..]`?
    pub(crate) fn holds(&self, v: &[i64]) -> bool {
        if self.boxed && v[1..].iter().any(|x| !X.contains(x)) {
            return false;
        }
        if let Some(&known) = self.known.borrow().get(v) {
            return known;
        }
        let mut w = v.to_vec();
        let holds = self.conjs.iter().any(|c| c.holds(&mut w));
        self.known.borrow_mut().insert(v.to_vec(), holds);
        holds
    }

    fn body(&self) -> String {
        self.conjs
            .iter()
            .map(|c| c.text(self.n, self.boxed))
            .collect::<Vec<_>>()
            .join(" or ")
    }

    fn tuple(name: &str, dims: std::ops::Range<usize>) -> String {
        format!("{name}[{}]", dims.map(|i| format!("x{i}")).collect::<Vec<_>>().join(", "))
    }

    /// The set in isl's notation.
    pub(crate) fn set_text(&self) -> String {
        format!("[p] -> {{ {} : {} }}", Formula::tuple("S", 0..self.n), self.body())
    }

    /// The map whose first `n_in` dimensions are inputs, in isl's notation.
    pub(crate) fn map_text(&self, names: (&str, &str), n_in: usize) -> String {
        let (a, b) = (Formula::tuple(names.0, 0..n_in), Formula::tuple(names.1, n_in..self.n));
        format!("[p] -> {{ {a} -> {b} : {} }}", self.body())
    }
}

/// All points of the box of `n` dimensions for one parameter value, as `[p, x..]`.
pub(crate) fn points(p: i64, n: usize) -> Vec<Vec<i64>> {
    let mut all = vec![vec![p]];
    for _ in 0..n {
        all = all
            .into_iter()
            .flat_map(|v| X.map(move |x| v.iter().copied().chain([x]).collect()))
            .collect();
    }
    all
}
