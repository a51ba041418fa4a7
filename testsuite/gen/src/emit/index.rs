//! Index expressions: inline in affine operations, or as operations of the arith dialect.

use super::Writer;
use tilia_program::AffineExpr;

impl Writer<'_> {
    /// An affine expression with the variables' names, as affine operations take it in brackets.
    pub(super) fn inline(&self, e: &AffineExpr) -> String {
        let pair = |a: &AffineExpr, word: &str, b: &AffineExpr| format!("({} {word} {})", self.inline(a), self.inline(b));
        match e {
            AffineExpr::Dim(n) => self.variable(*n as usize),
            AffineExpr::Sym(n) => format!("s{n}"),
            AffineExpr::Const(c) => c.to_string(),
            AffineExpr::Add(a, b) => pair(a, "+", b),
            AffineExpr::Mul(a, b) => pair(a, "*", b),
            AffineExpr::FloorDiv(a, b) => pair(a, "floordiv", b),
            AffineExpr::CeilDiv(a, b) => pair(a, "ceildiv", b),
            AffineExpr::Mod(a, b) => pair(a, "mod", b),
        }
    }

    /// Variables of expressions, ascending, each once.
    pub(super) fn variables<'e>(exprs: impl Iterator<Item = &'e AffineExpr>) -> Vec<usize> {
        let mut all = Vec::new();
        let mut stack: Vec<_> = exprs.collect();
        while let Some(e) = stack.pop() {
            match e {
                AffineExpr::Dim(n) => all.push(*n as usize),
                AffineExpr::Sym(_) | AffineExpr::Const(_) => {}
                AffineExpr::Add(a, b)
                | AffineExpr::Mul(a, b)
                | AffineExpr::FloorDiv(a, b)
                | AffineExpr::CeilDiv(a, b)
                | AffineExpr::Mod(a, b) => stack.extend([&**a, &**b]),
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Text of expressions in `d0, d1, ..`, and the operands for these. Parameters are dims, too: some as dims, some as symbols would change nothing.
    pub(super) fn mapped(&self, exprs: &[AffineExpr]) -> (String, Vec<String>, String) {
        let vars = Self::variables(exprs.iter());
        let rename = |v: usize| vars.iter().position(|&w| w == v).map_or(0, |k| u32::try_from(k).unwrap_or(0));
        let highest = vars.last().map_or(0, |v| v + 1);
        let dims: Vec<AffineExpr> = (0..highest).map(|v| AffineExpr::Dim(rename(v))).collect();
        let text: Vec<String> = exprs.iter().map(|e| e.substitute(&dims, &[]).to_string()).collect();
        let header: Vec<String> = (0..vars.len()).map(|k| format!("d{k}")).collect();
        let operands = vars.iter().map(|&v| self.variable(v)).collect();
        (text.join(", "), operands, header.join(", "))
    }

    /// The expression as operations of the arith dialect; gives the name of its value.
    pub(super) fn computed(&mut self, e: &AffineExpr) -> String {
        match e {
            AffineExpr::Dim(n) => self.variable(*n as usize),
            AffineExpr::Const(c) => self.define(&format!("arith.constant {c} : index")),
            AffineExpr::Add(a, b) => self.two("arith.addi", a, b),
            AffineExpr::Mul(a, b) => self.two("arith.muli", a, b),
            AffineExpr::FloorDiv(a, b) => self.two("arith.floordivsi", a, b),
            AffineExpr::CeilDiv(a, b) => self.two("arith.ceildivsi", a, b),
            AffineExpr::Mod(a, b) => {
                let (x, y) = (self.computed(a), self.computed(b));
                let q = self.define(&format!("arith.floordivsi {x}, {y} : index"));
                let p = self.define(&format!("arith.muli {q}, {y} : index"));
                self.define(&format!("arith.subi {x}, {p} : index"))
            }
            AffineExpr::Sym(_) => self.define("arith.constant 0 : index"),
        }
    }

    fn two(&mut self, op: &str, a: &AffineExpr, b: &AffineExpr) -> String {
        let (x, y) = (self.computed(a), self.computed(b));
        self.define(&format!("{op} {x}, {y} : index"))
    }

    /// The greatest or least of several expressions.
    pub(super) fn extreme(&mut self, exprs: &[AffineExpr], op: &str) -> String {
        let mut names: Vec<String> = exprs.iter().map(|e| self.computed(e)).collect();
        let mut best = names.pop().unwrap_or_default();
        while let Some(next) = names.pop() {
            best = self.define(&format!("{op} {next}, {best} : index"));
        }
        best
    }
}
