//! Index values as sums of other values, seen through `affine.apply` and constants.

use std::collections::BTreeMap;
use tilia_program::{AffineExpr, AffineMap, Function, OpKind, ValueDef, ValueId};

/// Operations looked through on the way to a value's leaves.
const MAX_DEPTH: u32 = 16;

/// `constant + sum of coefficient * value`, exact; no coefficient is zero.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Linear {
    /// Coefficients.
    pub terms: BTreeMap<ValueId, i64>,
    /// Constant term.
    pub constant: i64,
}

impl Linear {
    fn constant(c: i64) -> Self {
        Self {
            terms: BTreeMap::new(),
            constant: c,
        }
    }

    /// What `value` is made of; itself where nothing else is known. `None` beyond 64 bits.
    #[must_use]
    pub fn of_value(function: &Function, value: ValueId) -> Option<Self> {
        Self::value_at(function, value, 0)
    }

    /// What an expression over a map's operands is made of; `None` when it isn't a sum.
    #[must_use]
    pub fn of_expr(function: &Function, e: &AffineExpr, dims: u32, operands: &[ValueId]) -> Option<Self> {
        Self::expr_at(function, e, dims, operands, 0)
    }

    /// All results of a map.
    #[must_use]
    pub fn of_map(function: &Function, map: &AffineMap, operands: &[ValueId]) -> Option<Vec<Self>> {
        map.results.iter().map(|e| Self::of_expr(function, e, map.dims, operands)).collect()
    }

    fn value_at(function: &Function, value: ValueId, depth: u32) -> Option<Self> {
        let itself = || Self {
            terms: BTreeMap::from([(value, 1)]),
            constant: 0,
        };
        let ValueDef::Result(op, _) = function[value].def else {
            return Some(itself());
        };
        if let Some(c) = function.as_int_constant(value) {
            return Some(Self::constant(c));
        }
        match &function[op].kind {
            OpKind::Apply(map) if depth < MAX_DEPTH => match map.results.first() {
                Some(e) => Self::expr_at(function, e, map.dims, &function[op].operands, depth + 1).or_else(|| Some(itself())),
                None => None,
            },
            _ => Some(itself()),
        }
    }

    fn expr_at(function: &Function, e: &AffineExpr, dims: u32, operands: &[ValueId], depth: u32) -> Option<Self> {
        if depth > 4 * MAX_DEPTH {
            return None;
        }
        let sub = |e: &AffineExpr| Self::expr_at(function, e, dims, operands, depth + 1);
        match e {
            AffineExpr::Const(c) => Some(Self::constant(*c)),
            AffineExpr::Dim(n) => Self::value_at(function, *operands.get(*n as usize)?, depth),
            AffineExpr::Sym(n) => Self::value_at(function, *operands.get(dims.checked_add(*n)? as usize)?, depth),
            AffineExpr::Add(a, b) => sub(a)?.add_scaled(&sub(b)?, 1),
            AffineExpr::Mul(a, b) => {
                let (a, b) = (sub(a)?, sub(b)?);
                if a.terms.is_empty() {
                    Self::default().add_scaled(&b, a.constant)
                } else if b.terms.is_empty() {
                    Self::default().add_scaled(&a, b.constant)
                } else {
                    None
                }
            }
            AffineExpr::FloorDiv(..) | AffineExpr::CeilDiv(..) | AffineExpr::Mod(..) => None,
        }
    }

    /// `self + factor * other`; `None` on overflow.
    #[must_use]
    pub fn add_scaled(mut self, other: &Self, factor: i64) -> Option<Self> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (&v, &c) in &other.terms {
            let entry = self.terms.entry(v).or_insert(0);
            *entry = entry.checked_add(c.checked_mul(factor)?)?;
        }
        self.terms.retain(|_, c| *c != 0);
        Some(self)
    }
}
