//! Affine expressions with operands in place of dims and symbols.

use crate::{AffineExpr, AffineMap, IntegerSet};

/// Binding strength of an expression's outermost operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Sum,
    Product,
    Atom,
}

/// Names of the operands of one map or set: dims first, then symbols.
pub(super) struct Operands {
    pub(super) names: Vec<String>,
    pub(super) dims: u32,
}

impl Operands {
    fn name(&self, index: usize, fallback: char, n: u32) -> String {
        self.names.get(index).cloned().unwrap_or_else(|| format!("{fallback}{n}"))
    }

    /// The results of a map, separated by commas.
    pub(super) fn results(&self, map: &AffineMap) -> String {
        super::join(map.results.iter().map(|e| self.expr(e)))
    }

    /// A loop bound: the one result, or `word(..)` of several.
    pub(super) fn bound(&self, map: &AffineMap, word: &str) -> String {
        match &map.results[..] {
            [one] => self.expr(one),
            _ => format!("{word}({})", self.results(map)),
        }
    }

    pub(super) fn set(&self, set: &IntegerSet) -> String {
        let each = set
            .constraints
            .iter()
            .map(|(e, is_eq)| format!("{} {} 0", self.expr(e), if *is_eq { "==" } else { ">=" }));
        each.collect::<Vec<_>>().join(" and ")
    }

    pub(super) fn expr(&self, e: &AffineExpr) -> String {
        self.print(e).0
    }

    fn print(&self, e: &AffineExpr) -> (String, Strength) {
        match e {
            AffineExpr::Dim(n) => (self.name(*n as usize, 'd', *n), Strength::Atom),
            AffineExpr::Sym(n) => (self.name(self.dims as usize + *n as usize, 's', *n), Strength::Atom),
            AffineExpr::Const(c) => (c.to_string(), Strength::Atom),
            AffineExpr::Add(a, b) => (self.sum(a, b), Strength::Sum),
            AffineExpr::Mul(a, b) => (self.binary(a, "*", b), Strength::Product),
            AffineExpr::FloorDiv(a, b) => (self.binary(a, "floordiv", b), Strength::Product),
            AffineExpr::CeilDiv(a, b) => (self.binary(a, "ceildiv", b), Strength::Product),
            AffineExpr::Mod(a, b) => (self.binary(a, "mod", b), Strength::Product),
        }
    }

    fn sum(&self, a: &AffineExpr, b: &AffineExpr) -> String {
        let left = self.expr(a);
        match b {
            AffineExpr::Const(c) if *c < 0 => format!("{left} - {}", c.unsigned_abs()),
            AffineExpr::Mul(x, k) => match **k {
                AffineExpr::Const(-1) => format!("{left} - {}", self.at_least(x, Strength::Atom)),
                AffineExpr::Const(k) if k < 0 => format!("{left} - {} * {}", self.at_least(x, Strength::Product), k.unsigned_abs()),
                _ => format!("{left} + {}", self.expr(b)),
            },
            _ => format!("{left} + {}", self.at_least(b, Strength::Product)),
        }
    }

    fn binary(&self, a: &AffineExpr, word: &str, b: &AffineExpr) -> String {
        format!(
            "{} {word} {}",
            self.at_least(a, Strength::Product),
            self.at_least(b, Strength::Atom)
        )
    }

    fn at_least(&self, e: &AffineExpr, needed: Strength) -> String {
        let (text, strength) = self.print(e);
        if strength < needed { format!("({text})") } else { text }
    }
}
