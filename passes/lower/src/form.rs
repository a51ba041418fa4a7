//! Linear forms of index values: the common currency of the AST's expressions and the program's affine maps.
//!
//! A [`Form`] is `constant + sum of coefficient * atom`, with atoms in a fixed order, so that equal forms compare equal. Subscripts are compared, tested for
//! invariance and for their stride in a loop through their forms; a form is written back as one affine map over the values of its atoms.

use std::collections::BTreeMap;
use tilia_ast::{Expr, VarId};
use tilia_presburger::Int;
use tilia_program::{AffineExpr, ValueId};

/// Forms with more terms than this aren't divided or multiplied: remainders of remainders, and squares of squares, double at each step.
const MAX_TERMS: usize = 1024;

/// An indivisible part of a form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Atom {
    /// An iterator of the loop AST.
    Var(VarId),
    /// A value of the program that doesn't change within the scop.
    Value(ValueId),
    /// `floor(form / d)`, d > 0.
    FloorDiv(Box<Form>, i64),
    /// Product of two forms that aren't constants (semi-affine subscripts).
    Product(Box<Form>, Box<Form>),
}

/// `constant + sum of coefficient * atom`; no coefficient is zero.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Form {
    pub(crate) terms: BTreeMap<Atom, i64>,
    pub(crate) constant: i64,
}

impl Form {
    pub(crate) fn constant(c: i64) -> Self {
        Self {
            terms: BTreeMap::new(),
            constant: c,
        }
    }

    pub(crate) fn atom(atom: Atom) -> Self {
        Self {
            terms: BTreeMap::from([(atom, 1)]),
            constant: 0,
        }
    }

    pub(crate) fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// `self + factor * other`; `None` when a coefficient leaves 64 bits.
    pub(crate) fn add_scaled(mut self, other: &Self, factor: i64) -> Option<Self> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (atom, &c) in &other.terms {
            let slot = self.terms.entry(atom.clone()).or_insert(0);
            *slot = slot.checked_add(c.checked_mul(factor)?)?;
        }
        self.terms.retain(|_, c| *c != 0);
        Some(self)
    }

    pub(crate) fn scaled(&self, factor: i64) -> Option<Self> {
        Self::default().add_scaled(self, factor)
    }

    /// Number of terms, those inside divisions and products included.
    fn size(&self) -> usize {
        self.terms.keys().fold(1, |n, atom| match atom {
            Atom::Var(_) | Atom::Value(_) => n + 1,
            Atom::FloorDiv(f, _) => n + f.size(),
            Atom::Product(f, g) => n + f.size() + g.size(),
        })
    }

    /// `floor(self / d)`; `None` unless `d` is positive, and for forms of unreasonable size.
    pub(crate) fn floor_div(self, d: i64) -> Option<Self> {
        if d <= 0 || self.size() > MAX_TERMS {
            return None;
        }
        if d == 1 {
            return Some(self);
        }
        if let Some(c) = self.as_constant() {
            return Some(Self::constant(c.div_euclid(d)));
        }
        Some(Self::atom(Atom::FloorDiv(Box::new(self), d)))
    }

    fn modulo(self, d: i64) -> Option<Self> {
        let quotient = self.clone().floor_div(d)?;
        self.add_scaled(&quotient, d.checked_neg()?)
    }

    fn product(self, other: Self) -> Option<Self> {
        match (self.as_constant(), other.as_constant()) {
            (Some(c), _) => other.scaled(c),
            (_, Some(c)) => self.scaled(c),
            _ if self.size() > MAX_TERMS || other.size() > MAX_TERMS => None,
            _ => {
                let (a, b) = if self <= other { (self, other) } else { (other, self) };
                Some(Self::atom(Atom::Product(Box::new(a), Box::new(b))))
            }
        }
    }

    /// The largest magnitude of the form and of anything computed on the way to it, when no atom exceeds `limit`; `None` beyond 64 bits.
    pub(crate) fn magnitude(&self, limit: i64) -> Option<i64> {
        let mut sum = self.constant.checked_abs()?;
        for (atom, c) in &self.terms {
            let atom = match atom {
                Atom::Var(_) | Atom::Value(_) => limit,
                Atom::FloorDiv(f, _) => f.magnitude(limit)?,
                Atom::Product(f, g) => f.magnitude(limit)?.checked_mul(g.magnitude(limit)?)?,
            };
            sum = sum.checked_add(c.checked_abs()?.checked_mul(atom)?)?;
        }
        Some(sum)
    }

    /// Whether the iterator occurs anywhere.
    pub(crate) fn mentions(&self, var: VarId) -> bool {
        self.any_var(&mut |v| v == var)
    }

    /// Whether any iterator in it satisfies `test`.
    pub(crate) fn any_var(&self, test: &mut dyn FnMut(VarId) -> bool) -> bool {
        self.terms.keys().any(|a| match a {
            Atom::Var(v) => test(*v),
            Atom::Value(_) => false,
            Atom::FloorDiv(f, _) => f.any_var(test),
            Atom::Product(f, g) => f.any_var(test) || g.any_var(test),
        })
    }

    /// The constant by which the form grows when the iterator grows by one; `None` when that isn't constant.
    pub(crate) fn stride(&self, var: VarId) -> Option<i64> {
        let inside = |f: &Form| f.mentions(var);
        let nested = self.terms.keys().any(|a| match a {
            Atom::Var(_) | Atom::Value(_) => false,
            Atom::FloorDiv(f, _) => inside(f),
            Atom::Product(f, g) => inside(f) || inside(g),
        });
        (!nested).then(|| self.terms.get(&Atom::Var(var)).copied().unwrap_or(0))
    }

    /// The form with `by` in the place of an iterator; `None` when a coefficient leaves 64 bits.
    pub(crate) fn replace(&self, var: VarId, by: &Form) -> Option<Self> {
        let mut sum = Self::constant(self.constant);
        for (atom, &c) in &self.terms {
            let atom = match atom {
                Atom::Var(v) if *v == var => by.clone(),
                Atom::Var(_) | Atom::Value(_) => Self::atom(atom.clone()),
                Atom::FloorDiv(f, d) => f.replace(var, by)?.floor_div(*d)?,
                Atom::Product(f, g) => f.replace(var, by)?.product(g.replace(var, by)?)?,
            };
            sum = sum.add_scaled(&atom, c)?;
        }
        Some(sum)
    }

    /// The form of an integer expression of the AST; `param` gives the value of a parameter. `None` for `Min`, `Max`, `Select` and for constants beyond 64 bits.
    pub(crate) fn of_expr(e: &Expr, param: &dyn Fn(&tilia_presburger::Id) -> Option<ValueId>) -> Option<Self> {
        let int = |i: &Int| i.to_i64();
        match e {
            Expr::Int(i) => Some(Self::constant(int(i)?)),
            Expr::Var(v) => Some(Self::atom(Atom::Var(*v))),
            Expr::Param(p) => Some(Self::atom(Atom::Value(param(p)?))),
            Expr::Add(terms) => terms
                .iter()
                .try_fold(Self::default(), |sum, t| sum.add_scaled(&Self::of_expr(t, param)?, 1)),
            Expr::Mul(c, e) => Self::of_expr(e, param)?.scaled(int(c)?),
            Expr::FloorDiv { num, den, .. } => Self::of_expr(num, param)?.floor_div(int(den)?),
            Expr::Mod { num, den, .. } => Self::of_expr(num, param)?.modulo(int(den)?),
            _ => None,
        }
    }

    /// The form of an affine expression of the program, its dims and symbols given as forms.
    pub(crate) fn of_affine(e: &AffineExpr, dims: &[Form], syms: &[Form]) -> Option<Self> {
        let sub = |e: &AffineExpr| Self::of_affine(e, dims, syms);
        match e {
            AffineExpr::Dim(n) => dims.get(*n as usize).cloned(),
            AffineExpr::Sym(n) => syms.get(*n as usize).cloned(),
            AffineExpr::Const(c) => Some(Self::constant(*c)),
            AffineExpr::Add(a, b) => sub(a)?.add_scaled(&sub(b)?, 1),
            AffineExpr::Mul(a, b) => sub(a)?.product(sub(b)?),
            AffineExpr::FloorDiv(a, b) => sub(a)?.floor_div(sub(b)?.as_constant()?),
            AffineExpr::CeilDiv(a, b) => {
                let d = sub(b)?.as_constant()?;
                sub(a)?.scaled(-1)?.floor_div(d)?.scaled(-1)
            }
            AffineExpr::Mod(a, b) => sub(a)?.modulo(sub(b)?.as_constant()?),
        }
    }

    /// The form as an affine expression over dims; `operand` gives the dim number of an iterator or value.
    pub(crate) fn to_affine(&self, operand: &mut dyn FnMut(&Atom) -> u32) -> AffineExpr {
        let mut sum: Option<AffineExpr> = None;
        for (atom, &c) in &self.terms {
            let e = match atom {
                Atom::Var(_) | Atom::Value(_) => AffineExpr::Dim(operand(atom)),
                Atom::FloorDiv(f, d) => AffineExpr::FloorDiv(Box::new(f.to_affine(operand)), Box::new(AffineExpr::Const(*d))),
                Atom::Product(f, g) => AffineExpr::mul(f.to_affine(operand), g.to_affine(operand)),
            };
            let term = AffineExpr::mul(e, AffineExpr::Const(c));
            sum = Some(match sum {
                Some(s) => AffineExpr::add(s, term),
                None => term,
            });
        }
        let constant = AffineExpr::Const(self.constant);
        match sum {
            Some(s) => AffineExpr::add(s, constant),
            None => constant,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(n: u32) -> Form {
        Form::atom(Atom::Var(VarId(n)))
    }

    #[test]
    fn equal_expressions_have_equal_forms() {
        let a = var(0).add_scaled(&var(1), 3).and_then(|f| f.add_scaled(&Form::constant(2), 1));
        let b = Form::constant(2).add_scaled(&var(1), 3).and_then(|f| f.add_scaled(&var(0), 1));
        assert_eq!(a, b);
    }

    #[test]
    fn strides() {
        let f = var(0).scaled(4).and_then(|f| f.add_scaled(&var(1), 1)).unwrap();
        assert_eq!(f.stride(VarId(0)), Some(4));
        assert_eq!(f.stride(VarId(2)), Some(0));
        let g = var(0).floor_div(4).unwrap();
        assert_eq!(g.stride(VarId(0)), None);
        assert_eq!(g.stride(VarId(1)), Some(0));
    }

    #[test]
    fn magnitudes_bound_values() {
        let form = var(0)
            .scaled(-3)
            .and_then(|f| f.add_scaled(&var(1).floor_div(2).unwrap(), 5))
            .unwrap();
        let form = form.add_scaled(&Form::constant(-7), 1).unwrap();
        assert_eq!(form.magnitude(10), Some(30 + 50 + 7));
        assert_eq!(form.magnitude(i64::MAX / 4), None);
        assert_eq!(var(0).scaled(1 << 23).unwrap().magnitude(1 << 40), None);
        assert_eq!(var(0).scaled(1 << 22).unwrap().magnitude(1 << 40), Some(1 << 62));
    }

    #[test]
    fn iterators_are_replaced_everywhere() {
        let inner = var(0).add_scaled(&Form::constant(3), 1).and_then(|f| f.floor_div(4)).unwrap();
        let form = inner.add_scaled(&var(0), 2).and_then(|f| f.product(var(1))).unwrap();
        let by = var(2).add_scaled(&Form::constant(5), 1).unwrap();
        let replaced = form.replace(VarId(0), &by).unwrap();
        assert!(!replaced.mentions(VarId(0)) && replaced.mentions(VarId(2)));
        assert_eq!(
            replaced.replace(VarId(2), &Form::constant(1)),
            form.replace(VarId(0), &Form::constant(6))
        );
        assert_eq!(var(0).scaled(i64::MAX).unwrap().replace(VarId(0), &by), None);
    }

    #[test]
    fn overflow_is_refused() {
        assert_eq!(var(0).scaled(i64::MAX).and_then(|f| f.scaled(2)), None);
        assert_eq!(Form::constant(i64::MAX).add_scaled(&Form::constant(1), 1), None);
    }

    #[test]
    fn remainders_of_remainders_end() {
        let (mut form, mut steps) = (Some(var(0)), 0);
        while let Some(f) = form {
            form = f.modulo(5).and_then(|f| f.add_scaled(&var(0), 1));
            steps += 1;
        }
        assert!(steps < 20, "{steps}");
        let (mut form, mut steps) = (Some(var(0)), 0);
        while let Some(f) = form {
            form = f.clone().product(f);
            steps += 1;
        }
        assert!(steps < 20, "{steps}");
    }

    #[test]
    fn writes_back_what_it_read() {
        let e = AffineExpr::add(
            AffineExpr::Mod(Box::new(AffineExpr::Dim(0)), Box::new(AffineExpr::Const(5))),
            AffineExpr::CeilDiv(Box::new(AffineExpr::Dim(1)), Box::new(AffineExpr::Const(3))),
        );
        let form = Form::of_affine(&e, &[var(0), var(1)], &[]).unwrap();
        let back = form.to_affine(&mut |a| if *a == Atom::Var(VarId(0)) { 0 } else { 1 });
        for x in -7..8 {
            for y in -7..8 {
                assert_eq!(e.eval(&[x, y], &[]), back.eval(&[x, y], &[]), "{x} {y}");
            }
        }
    }
}
