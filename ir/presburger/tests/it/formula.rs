//! Random formulas that know their text and their truth at a point, independently of the library.

use super::rng::Rng;

/// An affine expression with floor divisions.
#[derive(Debug, Clone)]
pub(crate) enum Expr {
    /// `sum c_j x_j + c`; variables by number.
    Linear(Vec<i64>, i64),
    /// `linear + f * floor(linear / d)`.
    Floor(Box<Expr>, i64, Box<Expr>, i64),
    /// `linear + f * (linear mod d)`.
    Mod(Box<Expr>, i64, Box<Expr>, i64),
}

/// A condition on the variables.
#[derive(Debug, Clone)]
pub(crate) enum Formula {
    /// `expr >= 0`
    Ge(Expr),
    /// `expr = 0`
    Eq(Expr),
    /// `expr != 0`
    Ne(Expr),
    /// All of them.
    And(Vec<Formula>),
    /// One of them.
    Or(Vec<Formula>),
    /// Not that.
    Not(Box<Formula>),
    /// There is a value in `low..=high` of one more variable such that the formula holds.
    Exists(i64, i64, Box<Formula>),
}

impl Expr {
    /// The value where the variables have the values `x`; missing coefficients are zero.
    pub(crate) fn eval(&self, x: &[i64]) -> i64 {
        match self {
            Expr::Linear(c, k) => k + c.iter().zip(x).map(|(c, x)| c * x).sum::<i64>(),
            Expr::Floor(a, f, b, d) => a.eval(x) + f * b.eval(x).div_euclid(*d),
            Expr::Mod(a, f, b, d) => a.eval(x) + f * b.eval(x).rem_euclid(*d),
        }
    }

    /// The text, with the variables called `names`.
    pub(crate) fn text(&self, names: &[String]) -> String {
        match self {
            Expr::Linear(c, k) => {
                let terms = c.iter().zip(names).filter(|(c, _)| **c != 0).map(|(c, n)| format!("{c}{n}"));
                terms.chain([k.to_string()]).collect::<Vec<_>>().join(" + ")
            }
            Expr::Floor(a, f, b, d) => format!("{} + {f}*floor(({})/{d})", a.text(names), b.text(names)),
            Expr::Mod(a, f, b, d) => format!("{} + {f}*(({}) mod {d})", a.text(names), b.text(names)),
        }
    }

    /// A random expression over `n` variables.
    pub(crate) fn random(rng: &mut Rng, n: usize) -> Expr {
        let linear = |rng: &mut Rng| {
            let c = (0..n).map(|_| if rng.chance(55) { rng.between(-3, 3) } else { 0 }).collect();
            Expr::Linear(c, rng.between(-6, 6))
        };
        let base = linear(rng);
        match rng.below(10) {
            0 => Expr::Floor(Box::new(base), rng.between(-2, 3), Box::new(linear(rng)), rng.between(2, 4)),
            1 => Expr::Mod(Box::new(base), rng.between(-2, 2), Box::new(linear(rng)), rng.between(2, 4)),
            _ => base,
        }
    }
}

impl Formula {
    /// Whether it holds at a point.
    pub(crate) fn eval(&self, x: &[i64]) -> bool {
        match self {
            Formula::Ge(e) => e.eval(x) >= 0,
            Formula::Eq(e) => e.eval(x) == 0,
            Formula::Ne(e) => e.eval(x) != 0,
            Formula::And(parts) => parts.iter().all(|p| p.eval(x)),
            Formula::Or(parts) => parts.iter().any(|p| p.eval(x)),
            Formula::Not(f) => !f.eval(x),
            Formula::Exists(low, high, f) => {
                let mut y = x.to_vec();
                y.push(0);
                (*low..=*high).any(|v| {
                    *y.last_mut().unwrap() = v;
                    f.eval(&y)
                })
            }
        }
    }

    /// The text, with the variables called `names`.
    pub(crate) fn text(&self, names: &[String]) -> String {
        let join = |parts: &[Formula], word: &str| {
            let parts: Vec<String> = parts.iter().map(|p| format!("({})", p.text(names))).collect();
            parts.join(&format!(" {word} "))
        };
        match self {
            Formula::Ge(e) => format!("{} >= 0", e.text(names)),
            Formula::Eq(e) => format!("{} = 0", e.text(names)),
            Formula::Ne(e) => format!("{} != 0", e.text(names)),
            Formula::And(parts) if parts.is_empty() => "true".to_string(),
            Formula::Or(parts) if parts.is_empty() => "false".to_string(),
            Formula::And(parts) => join(parts, "and"),
            Formula::Or(parts) => join(parts, "or"),
            Formula::Not(f) => format!("not ({})", f.text(names)),
            Formula::Exists(low, high, f) => {
                let e = format!("e{}", names.len());
                let mut inner = names.to_vec();
                inner.push(e.clone());
                format!("exists ({e} : {low} <= {e} <= {high} and ({}))", f.text(&inner))
            }
        }
    }

    /// A conjunction over `n` variables; those from `boxed` on lie in `-size..=size` if it is so decided.
    fn conjunction(rng: &mut Rng, n: usize, boxed: usize, depth: usize) -> Formula {
        let mut parts = Vec::new();
        if rng.chance(65) {
            let size = rng.between(1, 6);
            for v in boxed..n {
                let unit = |c: i64| (0..n).map(|j| if j == v { c } else { 0 }).collect();
                parts.push(Formula::Ge(Expr::Linear(unit(1), size)));
                parts.push(Formula::Ge(Expr::Linear(unit(-1), size)));
            }
        }
        for _ in 0..rng.below(4) {
            let e = Expr::random(rng, n);
            parts.push(match rng.below(12) {
                0..=6 => Formula::Ge(e),
                7 | 8 => Formula::Eq(e),
                9 => Formula::Eq(Expr::Mod(Box::new(Expr::Linear(Vec::new(), 0)), 1, Box::new(e), rng.between(2, 4))),
                10 if depth > 0 => {
                    let low = rng.between(-4, 0);
                    Formula::Exists(low, low + rng.between(0, 5), Box::new(Formula::conjunction(rng, n + 1, n + 1, 0)))
                }
                10 => Formula::Ge(e),
                _ => Formula::Ne(e),
            });
        }
        Formula::And(parts)
    }

    /// A random conjunction over `n` variables of which the first `n_param` are parameters.
    pub(crate) fn simple(rng: &mut Rng, n: usize, n_param: usize) -> Formula {
        Formula::conjunction(rng, n, n_param, 0)
    }

    /// A random formula over `n` variables of which the first `n_param` are parameters.
    pub(crate) fn random(rng: &mut Rng, n: usize, n_param: usize) -> Formula {
        let pieces: Vec<Formula> = (0..1 + rng.below(3)).map(|_| Formula::conjunction(rng, n, n_param, 1)).collect();
        let union = Formula::Or(pieces);
        if rng.chance(8) {
            let without = Formula::Not(Box::new(Formula::conjunction(rng, n, n_param, 0)));
            return Formula::And(vec![union, without]);
        }
        union
    }
}

/// The shape of a random set or relation.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    /// Names of the parameters.
    pub(crate) params: Vec<String>,
    /// Name and dimensions of the tuples: one for a set, two for a relation.
    pub(crate) tuples: Vec<(String, Vec<String>)>,
}

impl Shape {
    /// A set space with up to two parameters and up to three dimensions.
    pub(crate) fn set(rng: &mut Rng) -> Shape {
        let n = 1 + rng.below(3);
        Shape {
            params: params(rng),
            tuples: vec![("S".to_string(), dims("i", n))],
        }
    }

    /// The relation space between two tuples of these sizes.
    pub(crate) fn map(params: &[String], from: (&str, usize), to: (&str, usize)) -> Shape {
        let tuples = vec![(from.0.to_string(), dims("i", from.1)), (to.0.to_string(), dims("o", to.1))];
        Shape {
            params: params.to_vec(),
            tuples,
        }
    }

    /// All variables: parameters, then dimensions.
    pub(crate) fn names(&self) -> Vec<String> {
        self.params.iter().chain(self.tuples.iter().flat_map(|t| &t.1)).cloned().collect()
    }

    /// The number of dimensions without parameters.
    pub(crate) fn n_dim(&self) -> usize {
        self.tuples.iter().map(|t| t.1.len()).sum()
    }

    /// The text of the set or relation of a formula.
    pub(crate) fn text(&self, f: &Formula) -> String {
        let tuples: Vec<String> = self
            .tuples
            .iter()
            .map(|(name, dims)| format!("{name}[{}]", dims.join(", ")))
            .collect();
        let params = if self.params.is_empty() {
            String::new()
        } else {
            format!("[{}] -> ", self.params.join(", "))
        };
        format!("{params}{{ {} : {} }}", tuples.join(" -> "), f.text(&self.names()))
    }

    /// A random formula for this shape.
    pub(crate) fn formula(&self, rng: &mut Rng) -> Formula {
        Formula::random(rng, self.params.len() + self.n_dim(), self.params.len())
    }
}

/// Up to two parameters.
pub(crate) fn params(rng: &mut Rng) -> Vec<String> {
    ["n", "m"]
        .iter()
        .take([0, 1, 1, 2][rng.below(4)])
        .map(ToString::to_string)
        .collect()
}

fn dims(letter: &str, n: usize) -> Vec<String> {
    (0..n).map(|i| format!("{letter}{i}")).collect()
}
