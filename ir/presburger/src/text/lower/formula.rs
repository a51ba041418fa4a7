//! Conditions as sets of the flat space.

use super::scope::Scope;
use super::value::{Fraction, Value};
use crate::error::Result;
use crate::func::Constraint;
use crate::num::Int;
use crate::sets::{BasicSet, Set};
use crate::space::DimType;
use crate::text::syntax::{CompareOp, Expr, Formula, FormulaKind, Name, Pos};

/// A lowered condition: plain constraints as long as it is a conjunction of them.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    /// All of these hold.
    All(Vec<Constraint>),
    /// Any set.
    Set(Set),
}

/// Collects conjuncts: constraints in one conjunction, sets beside it.
#[derive(Debug, Default)]
pub(crate) struct Conjuncts {
    constraints: Vec<Constraint>,
    sets: Vec<Set>,
}

impl Conjuncts {
    pub(crate) fn push(&mut self, c: Condition) {
        match c {
            Condition::All(mut list) => self.constraints.append(&mut list),
            Condition::Set(s) => self.sets.push(s),
        }
    }

    fn into_condition(self, scope: &Scope<'_>) -> Result<Condition> {
        if self.sets.is_empty() {
            Ok(Condition::All(self.constraints))
        } else {
            Ok(Condition::Set(self.into_set(scope)?))
        }
    }

    /// The set of all conjuncts.
    pub(crate) fn into_set(self, scope: &Scope<'_>) -> Result<Set> {
        let mut result = BasicSet::from_constraints(&scope.space, &self.constraints)?.to_union();
        for s in self.sets {
            scope.source.budget.spend(1 + (result.n_basic() * s.n_basic()) as u64)?;
            result = result.intersect(&s)?;
        }
        Ok(result)
    }
}

impl Condition {
    fn into_set(self, scope: &Scope<'_>) -> Result<Set> {
        match self {
            Condition::All(list) => Ok(BasicSet::from_constraints(&scope.space, &list)?.to_union()),
            Condition::Set(s) => Ok(s),
        }
    }
}

impl Scope<'_> {
    /// The set of points where a condition holds.
    pub(crate) fn condition(&self, f: &Formula) -> Result<Set> {
        let c = self.lower(f)?;
        self.at(f.pos, c.into_set(self))
    }

    /// A condition in its cheapest form.
    pub(crate) fn lower(&self, f: &Formula) -> Result<Condition> {
        match &f.kind {
            FormulaKind::Literal(true) => Ok(Condition::All(Vec::new())),
            FormulaKind::Literal(false) => Ok(Condition::Set(Set::empty(&self.space))),
            FormulaKind::And(parts) => {
                let mut all = Conjuncts::default();
                for p in parts {
                    all.push(self.lower(p)?);
                }
                self.at(f.pos, all.into_condition(self))
            }
            FormulaKind::Or(parts) => {
                let mut result = Set::empty(&self.space);
                for p in parts {
                    result = self.at(p.pos, result.union(&self.condition(p)?))?;
                }
                Ok(Condition::Set(result))
            }
            FormulaKind::Not(inner) => {
                let inner = self.condition(inner)?;
                Ok(Condition::Set(self.at(f.pos, inner.complement(self.source.budget))?))
            }
            FormulaKind::Implies(premise, conclusion) => {
                let without = self.condition(premise)?.complement(self.source.budget);
                let without = self.at(f.pos, without)?;
                Ok(Condition::Set(self.at(f.pos, without.union(&self.condition(conclusion)?))?))
            }
            FormulaKind::Exists(variables, body) => Ok(Condition::Set(self.exists(variables, body, f.pos)?)),
            FormulaKind::Compare(first, rest) => {
                let result = self.chain(first, rest, f.pos);
                self.at(f.pos, result)
            }
        }
    }

    fn exists(&self, variables: &[(Name, Option<Expr>)], body: &Formula, at: Pos) -> Result<Set> {
        let inner = self.with_dims(variables.iter().map(|(n, _)| Some(n.text.clone())));
        let mut all = Conjuncts::default();
        for (i, (name, value)) in variables.iter().enumerate() {
            if let Some(e) = value {
                all.push(inner.define(self.n_dim() + i, e, name.pos)?);
            }
        }
        all.push(inner.lower(body)?);
        let set = self.at(at, all.into_set(&inner))?;
        let n = variables.len();
        self.at(at, set.project_out(DimType::Out, self.n_dim(), n, self.source.budget))
    }

    /// The condition that dimension `pos` equals an expression.
    pub(crate) fn define(&self, pos: usize, e: &Expr, at: Pos) -> Result<Condition> {
        let value = self.value(e)?;
        let dim = Value::single(self.dim(pos));
        self.at(at, self.compare(CompareOp::Eq, &dim, &value))
    }

    /// A comparison of a dimension with an expression.
    pub(crate) fn bound(&self, pos: usize, op: CompareOp, e: &Expr) -> Result<Condition> {
        let value = self.value(e)?;
        let dim = Value::single(self.dim(pos));
        self.at(e.pos, self.compare(op, &dim, &value))
    }

    fn chain(&self, first: &[Expr], rest: &[(CompareOp, Vec<Expr>)], at: Pos) -> Result<Condition> {
        let values = |list: &[Expr]| list.iter().map(|e| self.value(e)).collect::<Result<Vec<_>>>();
        let mut left = values(first)?;
        let mut all = Conjuncts::default();
        for (op, list) in rest {
            let right = values(list)?;
            if op.is_lexicographic() {
                all.push(Condition::Set(self.lexicographic(*op, &left, &right)?));
            } else {
                for a in &left {
                    for b in &right {
                        all.push(self.at(at, self.compare(*op, a, b))?);
                    }
                }
            }
            left = right;
        }
        all.into_condition(self)
    }

    fn lexicographic(&self, op: CompareOp, a: &[Value], b: &[Value]) -> Result<Set> {
        let (a, b, strict) = match op {
            CompareOp::LexGt => (b, a, true),
            CompareOp::LexGe => (b, a, false),
            CompareOp::LexLe => (a, b, false),
            _ => (a, b, true),
        };
        let mut result = Set::empty(&self.space);
        let mut equal_so_far: Vec<Condition> = Vec::new();
        for (x, y) in a.iter().zip(b) {
            let less = self.compare(CompareOp::Lt, x, y)?;
            result = result.union(&self.all_of(&equal_so_far, Some(less))?)?;
            equal_so_far.push(self.compare(CompareOp::Eq, x, y)?);
        }
        if strict {
            Ok(result)
        } else {
            result.union(&self.all_of(&equal_so_far, None)?)
        }
    }

    fn all_of(&self, conditions: &[Condition], last: Option<Condition>) -> Result<Set> {
        let mut all = Conjuncts::default();
        for c in conditions.iter().cloned().chain(last) {
            all.push(c);
        }
        all.into_set(self)
    }

    /// `a op b` for one pair of values.
    fn compare(&self, op: CompareOp, a: &Value, b: &Value) -> Result<Condition> {
        let difference = |x: &Value, y: &Value| x.add(&y.neg()?, self);
        match op {
            CompareOp::Ge => self.at_least(&difference(a, b)?, &Int::ZERO),
            CompareOp::Gt => self.at_least(&difference(a, b)?, &Int::ONE),
            CompareOp::Le => self.at_least(&difference(b, a)?, &Int::ZERO),
            CompareOp::Lt => self.at_least(&difference(b, a)?, &Int::ONE),
            CompareOp::Ne => {
                let less = self.compare(CompareOp::Lt, a, b)?.into_set(self)?;
                let more = self.compare(CompareOp::Gt, a, b)?.into_set(self)?;
                Ok(Condition::Set(less.union(&more)?))
            }
            _ => self.is_zero(&difference(a, b)?),
        }
    }

    /// `value >= 0`, or `value > 0` when `least` is 1: a fraction is positive when its numerator is at least 1.
    fn at_least(&self, value: &Value, least: &Int) -> Result<Condition> {
        let constraint = |x: &Fraction| Constraint::ineq(x.num.add_constant(&-least));
        match value {
            Value::Min(list) => Ok(Condition::All(list.iter().map(constraint).collect())),
            Value::Max(list) if list.len() == 1 => Ok(Condition::All(list.iter().map(constraint).collect())),
            Value::Max(list) => self.any_of(list.iter().map(constraint)),
            Value::Pieces(pieces) => self.in_pieces(pieces, constraint),
        }
    }

    fn is_zero(&self, value: &Value) -> Result<Condition> {
        let constraint = |x: &Fraction| Constraint::eq(x.num.clone());
        match value {
            Value::Min(list) | Value::Max(list) if list.len() == 1 => Ok(Condition::All(vec![constraint(&list[0])])),
            Value::Pieces(pieces) => self.in_pieces(pieces, constraint),
            Value::Min(_) | Value::Max(_) => self.in_pieces(&value.pieces(self)?, constraint),
        }
    }

    fn any_of(&self, constraints: impl Iterator<Item = Constraint>) -> Result<Condition> {
        let mut result = Set::empty(&self.space);
        for c in constraints {
            result = result.union(&BasicSet::from_constraints(&self.space, [&c])?.to_union())?;
        }
        Ok(Condition::Set(result))
    }

    fn in_pieces(&self, pieces: &[(Set, Fraction)], constraint: impl Fn(&Fraction) -> Constraint) -> Result<Condition> {
        let mut result = Set::empty(&self.space);
        for (region, x) in pieces {
            result = result.union(&region.add_constraint(&constraint(x))?)?;
        }
        Ok(Condition::Set(result))
    }
}
