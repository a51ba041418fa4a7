//! Expressions as exact values: fractions of quasi-affine expressions, minima and maxima of them, and pieces.
//!
//! Minima and maxima are kept as lists as long as possible, since `x <= min(a, b)` is a conjunction while its two pieces are not.

use super::scope::Scope;
use crate::error::Result;
use crate::func::{Aff, Constraint};
use crate::num::Int;
use crate::sets::{BasicSet, Set};
use crate::text::syntax::{Expr, ExprKind, Formula, Pos};

/// `num / den` with `den > 0`.
#[derive(Debug, Clone)]
pub(crate) struct Fraction {
    pub(crate) num: Aff,
    pub(crate) den: Int,
}

/// The value of an expression.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// The least of some fractions; often of one.
    Min(Vec<Fraction>),
    /// The greatest of some fractions.
    Max(Vec<Fraction>),
    /// On each set (they are disjoint) one fraction; undefined elsewhere.
    Pieces(Vec<(Set, Fraction)>),
}

impl Fraction {
    fn new(num: Aff, den: Int) -> Fraction {
        let (num, den) = num.reduce_fraction(&den);
        Fraction { num, den }
    }

    fn add(&self, other: &Fraction) -> Result<Fraction> {
        let den = self.den.lcm(&other.den);
        let a = self.num.scale(&den.div_exact(&self.den));
        let b = other.num.scale(&den.div_exact(&other.den));
        Ok(Fraction::new(a.add(&b)?, den))
    }

    /// Times `num / den`, `den > 0`.
    fn scale(&self, num: &Int, den: &Int) -> Fraction {
        Fraction::new(self.num.scale(num), &self.den * den)
    }

    fn floor(&self) -> Result<Fraction> {
        Ok(Fraction {
            num: self.num.floor_div(&self.den)?,
            den: Int::ONE,
        })
    }

    fn ceil(&self) -> Result<Fraction> {
        Ok(Fraction {
            num: self.num.ceil_div(&self.den)?,
            den: Int::ONE,
        })
    }

    /// `self - d * floor(self / d)`
    fn modulo(&self, d: &Int) -> Result<Fraction> {
        let (num, den) = if d.is_neg() { (Int::NEG_ONE, -d) } else { (Int::ONE, d.clone()) };
        let whole = self.scale(&num, &den).floor()?;
        self.add(&whole.scale(&-d, &Int::ONE))
    }

    /// The value, when it is a known constant.
    fn constant(&self) -> Option<(&Int, &Int)> {
        self.num.is_constant().then(|| (self.num.constant_term(), &self.den))
    }
}

impl Value {
    pub(crate) fn single(num: Aff) -> Value {
        Value::Min(vec![Fraction { num, den: Int::ONE }])
    }

    fn as_single(&self) -> Option<&Fraction> {
        match self {
            Value::Min(list) | Value::Max(list) if list.len() == 1 => list.first(),
            _ => None,
        }
    }

    fn constant(&self) -> Option<(&Int, &Int)> {
        self.as_single().and_then(Fraction::constant)
    }

    /// Applies a function that keeps the order of numbers.
    fn map_monotone(&self, f: impl Fn(&Fraction) -> Result<Fraction>) -> Result<Value> {
        Ok(match self {
            Value::Min(list) => Value::Min(list.iter().map(f).collect::<Result<_>>()?),
            Value::Max(list) => Value::Max(list.iter().map(f).collect::<Result<_>>()?),
            Value::Pieces(pieces) => {
                let piece = |(s, x): &(Set, Fraction)| Ok((s.clone(), f(x)?));
                Value::Pieces(pieces.iter().map(piece).collect::<Result<_>>()?)
            }
        })
    }

    /// Times `num / den`, `den > 0`.
    fn scale(&self, num: &Int, den: &Int) -> Result<Value> {
        let scaled = self.map_monotone(|x| Ok(x.scale(num, den)))?;
        Ok(match scaled {
            Value::Min(list) if num.is_neg() => Value::Max(list),
            Value::Max(list) if num.is_neg() => Value::Min(list),
            same => same,
        })
    }

    pub(crate) fn neg(&self) -> Result<Value> {
        self.scale(&Int::NEG_ONE, &Int::ONE)
    }

    pub(crate) fn add(&self, other: &Value, scope: &Scope<'_>) -> Result<Value> {
        let sums = |a: &[Fraction], b: &[Fraction]| -> Result<Vec<Fraction>> {
            let mut out = Vec::with_capacity(a.len() * b.len());
            for x in a {
                for y in b {
                    scope.source.budget.spend(1)?;
                    out.push(x.add(y)?);
                }
            }
            Ok(out)
        };
        match (self, other) {
            (Value::Min(a), Value::Min(b)) => Ok(Value::Min(sums(a, b)?)),
            (Value::Max(a), Value::Max(b)) => Ok(Value::Max(sums(a, b)?)),
            (Value::Max(a), Value::Min(b)) | (Value::Min(b), Value::Max(a)) if b.len() == 1 => Ok(Value::Max(sums(a, b)?)),
            (Value::Max(a), Value::Min(b)) | (Value::Min(b), Value::Max(a)) if a.len() == 1 => Ok(Value::Min(sums(a, b)?)),
            _ => self.add_pieces(other, scope),
        }
    }

    fn add_pieces(&self, other: &Value, scope: &Scope<'_>) -> Result<Value> {
        let (a, b) = (self.pieces(scope)?, other.pieces(scope)?);
        let mut out = Vec::new();
        for (s, x) in &a {
            for (t, y) in &b {
                scope.source.budget.spend(1)?;
                let both = s.intersect(t)?;
                if !both.plain_is_empty() {
                    out.push((both, x.add(y)?));
                }
            }
        }
        Ok(Value::Pieces(out))
    }

    /// The value piece by piece.
    pub(crate) fn pieces(&self, scope: &Scope<'_>) -> Result<Vec<(Set, Fraction)>> {
        let (list, sign) = match self {
            Value::Pieces(pieces) => return Ok(pieces.clone()),
            Value::Min(list) => (list, Int::ONE),
            Value::Max(list) => (list, Int::NEG_ONE),
        };
        let mut out = Vec::with_capacity(list.len());
        for (i, x) in list.iter().enumerate() {
            // `x` is the first of the least: strictly below those before it.
            let mut constraints = Vec::new();
            for (j, y) in list.iter().enumerate().filter(|(j, _)| *j != i) {
                scope.source.budget.spend(1)?;
                let gap = y.add(&x.scale(&Int::NEG_ONE, &Int::ONE))?.scale(&sign, &Int::ONE).num;
                let slack = if j < i { Int::NEG_ONE } else { Int::ZERO };
                constraints.push(Constraint::ineq(gap.add_constant(&slack)));
            }
            let region = BasicSet::from_constraints(&scope.space, &constraints)?.to_union();
            if !region.plain_is_empty() {
                out.push((region, x.clone()));
            }
        }
        Ok(out)
    }
}

impl Scope<'_> {
    /// The value of an expression.
    pub(crate) fn value(&self, e: &Expr) -> Result<Value> {
        match &e.kind {
            ExprKind::Number(digits) => {
                let n = self.number(digits, e.pos)?;
                Ok(Value::single(Aff::constant(&self.space, n)))
            }
            ExprKind::Var(name) => Ok(Value::single(self.variable(name, e.pos)?)),
            ExprKind::Sum(terms) => {
                let mut sum = Value::single(Aff::zero(&self.space));
                for (subtracted, term) in terms {
                    let v = self.value(term)?;
                    let v = if *subtracted { v.neg()? } else { v };
                    sum = self.at(term.pos, sum.add(&v, self))?;
                }
                Ok(sum)
            }
            ExprKind::Product(a, b) => self.product(a, b, e.pos),
            ExprKind::Quotient(a, b) => {
                let d = self.divisor(b)?;
                let (num, den) = if d.is_neg() { (Int::NEG_ONE, -d) } else { (Int::ONE, d) };
                self.value(a)?.scale(&num, &den)
            }
            ExprKind::Mod(a, b) => {
                let d = self.divisor(b)?;
                let pieces = match self.value(a)? {
                    Value::Min(list) | Value::Max(list) if list.len() == 1 => {
                        return Ok(Value::Min(vec![list[0].modulo(&d)?]));
                    }
                    value => value.pieces(self)?,
                };
                let piece = |(s, x): (Set, Fraction)| Ok((s, x.modulo(&d)?));
                Ok(Value::Pieces(pieces.into_iter().map(piece).collect::<Result<_>>()?))
            }
            ExprKind::Floor(a) => self.value(a)?.map_monotone(Fraction::floor),
            ExprKind::Ceil(a) => self.value(a)?.map_monotone(Fraction::ceil),
            ExprKind::Min(list) => self.minimum(list),
            ExprKind::Max(list) => {
                let negated = self.negated_list(list)?;
                self.fold_min(negated)?.neg()
            }
            ExprKind::Ternary(condition, yes, no) => self.ternary(condition, yes, no),
            ExprKind::Piecewise(pieces) => self.piecewise(pieces),
        }
    }

    fn product(&self, a: &Expr, b: &Expr, at: Pos) -> Result<Value> {
        let (x, y) = (self.value(a)?, self.value(b)?);
        if let Some((num, den)) = x.constant() {
            return y.scale(num, den);
        }
        if let Some((num, den)) = y.constant() {
            return x.scale(num, den);
        }
        Err(self
            .source
            .error(at, "a product needs a constant factor: only affine expressions are supported"))
    }

    fn divisor(&self, e: &Expr) -> Result<Int> {
        let value = match &e.kind {
            ExprKind::Number(digits) => self.number(digits, e.pos)?,
            _ => return Err(self.source.error(e.pos, "a divisor must be a constant")),
        };
        if value.is_zero() {
            Err(self.source.error(e.pos, "division by zero"))
        } else {
            Ok(value)
        }
    }

    fn minimum(&self, list: &[Expr]) -> Result<Value> {
        let values = list.iter().map(|e| self.value(e)).collect::<Result<_>>()?;
        self.fold_min(values)
    }

    fn negated_list(&self, list: &[Expr]) -> Result<Vec<Value>> {
        list.iter().map(|e| self.value(e)?.neg()).collect()
    }

    /// The least of some values.
    fn fold_min(&self, values: Vec<Value>) -> Result<Value> {
        let mut flat = Vec::new();
        for v in &values {
            match v {
                Value::Min(list) => flat.extend(list.iter().cloned()),
                Value::Max(list) if list.len() == 1 => flat.extend(list.iter().cloned()),
                _ => return self.min_of_pieces(&values),
            }
        }
        Ok(Value::Min(flat))
    }

    fn min_of_pieces(&self, values: &[Value]) -> Result<Value> {
        let mut best: Option<Vec<(Set, Fraction)>> = None;
        for v in values {
            let pieces = v.pieces(self)?;
            best = Some(match best {
                None => pieces,
                Some(before) => self.min_of_two(&before, &pieces)?,
            });
        }
        Ok(Value::Pieces(best.unwrap_or_default()))
    }

    fn min_of_two(&self, a: &[(Set, Fraction)], b: &[(Set, Fraction)]) -> Result<Vec<(Set, Fraction)>> {
        let mut out = Vec::new();
        for (s, x) in a {
            for (t, y) in b {
                self.source.budget.spend(1)?;
                let both = s.intersect(t)?;
                let candidates = Value::Min(vec![x.clone(), y.clone()]).pieces(self)?;
                for (region, value) in candidates {
                    let region = region.intersect(&both)?;
                    if !region.plain_is_empty() {
                        out.push((region, value));
                    }
                }
            }
        }
        Ok(out)
    }

    fn ternary(&self, condition: &Formula, yes: &Expr, no: &Expr) -> Result<Value> {
        let holds = self.condition(condition)?;
        let fails = self.at(condition.pos, holds.complement(self.source.budget))?;
        let mut pieces = restricted(self.value(yes)?.pieces(self)?, &holds)?;
        pieces.extend(restricted(self.value(no)?.pieces(self)?, &fails)?);
        Ok(Value::Pieces(pieces))
    }

    /// The pieces of `a : c; b : d`. Where two overlap the values are added, as in isl.
    fn piecewise(&self, pieces: &[(Expr, Option<Formula>)]) -> Result<Value> {
        let mut all: Vec<(Set, Fraction)> = Vec::new();
        for (e, condition) in pieces {
            let mut new = self.value(e)?.pieces(self)?;
            if let Some(c) = condition {
                new = restricted(new, &self.condition(c)?)?;
            }
            all = self.at(e.pos, self.union_add(all, new))?;
        }
        Ok(Value::Pieces(all))
    }

    fn union_add(&self, a: Vec<(Set, Fraction)>, b: Vec<(Set, Fraction)>) -> Result<Vec<(Set, Fraction)>> {
        if a.is_empty() {
            return Ok(b);
        }
        let budget = self.source.budget;
        let mut out = Vec::new();
        for (s, x) in &a {
            for (t, y) in &b {
                push_region(&mut out, s.intersect(t)?, x.add(y)?, self)?;
            }
        }
        let minus = |list: &[(Set, Fraction)], others: &[(Set, Fraction)], out: &mut Vec<_>| {
            for (s, x) in list {
                let mut rest = s.clone();
                for (t, _) in others {
                    if !s.intersect(t)?.is_empty(budget)? {
                        rest = rest.subtract(t, budget)?;
                    }
                }
                push_region(out, rest, x.clone(), self)?;
            }
            Ok::<(), crate::Error>(())
        };
        minus(&a, &b, &mut out)?;
        minus(&b, &a, &mut out)?;
        Ok(out)
    }
}

fn push_region(out: &mut Vec<(Set, Fraction)>, region: Set, x: Fraction, scope: &Scope<'_>) -> Result<()> {
    if !region.is_empty(scope.source.budget)? {
        out.push((region, x));
    }
    Ok(())
}

fn restricted(pieces: Vec<(Set, Fraction)>, to: &Set) -> Result<Vec<(Set, Fraction)>> {
    let mut out = Vec::with_capacity(pieces.len());
    for (s, x) in pieces {
        let s = s.intersect(to)?;
        if !s.plain_is_empty() {
            out.push((s, x));
        }
    }
    Ok(out)
}
