//! Bounds and conditions as affine maps and sets over values.

use super::{Emitter, Res};
use crate::disjoint::parts;
use crate::form::{Atom, Form};
use crate::tree::{Declined, Loop};
use std::collections::BTreeMap;
use tilia_ast::{Expr, VarId};
use tilia_diag::Loc;
use tilia_program::{AffineMap, BlockId, IfCond, IntegerSet, ValueId, ValueMap};

impl Emitter<'_> {
    /// The condition that a loop has at least one iteration; `None` when it certainly has.
    pub(super) fn nonempty(&mut self, l: &Loop, block: BlockId) -> Res<Option<(IfCond, Vec<ValueId>)>> {
        let mut forms = Vec::new();
        for lower in parts(&l.lower, true) {
            let lower = self.expr_form(lower, block, &l.loc)?;
            for upper in parts(&l.upper, false) {
                let upper = self.expr_form(upper, block, &l.loc)?;
                let room = upper
                    .add_scaled(&lower, -1)
                    .ok_or_else(|| Declined::new(&l.loc, "a loop bound leaves 64 bits"))?;
                if room.as_constant().is_none_or(|c| c < 0) {
                    forms.push((room, false));
                }
            }
        }
        Ok((!forms.is_empty()).then(|| self.set_condition(&forms)))
    }

    /// Forms that must be zero (true) or non-negative (false), as an `affine.if` condition.
    pub(crate) fn set_condition(&mut self, forms: &[(Form, bool)]) -> (IfCond, Vec<ValueId>) {
        let mut operands = Operands::default();
        let constraints = forms
            .iter()
            .map(|(f, eq)| (f.to_affine(&mut |a| operands.of(a, &self.vars, self.outer)), *eq))
            .collect();
        let set = IntegerSet {
            dims: operands.count(),
            syms: 0,
            constraints,
        };
        (IfCond::Set(set), operands.values)
    }

    /// Bounds of a loop: lower inclusive, upper exclusive, and the operands of both maps.
    pub(crate) fn bounds(&mut self, lower: &Expr, upper: &Expr, block: BlockId, loc: &Loc) -> Res<(AffineMap, AffineMap, Vec<ValueId>)> {
        let forms = |this: &mut Self, list: &[Expr], add: i64| -> Res<Vec<Form>> {
            list.iter()
                .map(|e| {
                    this.expr_form(e, block, loc)?
                        .add_scaled(&Form::constant(add), 1)
                        .ok_or_else(|| Declined::new(loc, "a loop bound leaves 64 bits"))
                })
                .collect()
        };
        let lower = forms(self, parts(lower, true), 0)?;
        let upper = forms(self, parts(upper, false), 1)?;
        let (lower, mut operands) = self.map(&lower);
        let (upper, more) = self.map(&upper);
        operands.extend(more);
        Ok((lower, upper, operands))
    }

    /// Forms as one affine map over the values they mention.
    pub(crate) fn map(&self, forms: &[Form]) -> (AffineMap, Vec<ValueId>) {
        let mut operands = Operands::default();
        let results = forms
            .iter()
            .map(|f| f.to_affine(&mut |a| operands.of(a, &self.vars, self.outer)))
            .collect();
        let map = AffineMap {
            dims: operands.count(),
            syms: 0,
            results,
        };
        (map, operands.values)
    }
}

/// Values that a map mentions, numbered in order of first use.
#[derive(Default)]
pub(crate) struct Operands {
    pub(crate) values: Vec<ValueId>,
}

impl Operands {
    pub(crate) fn of(&mut self, atom: &Atom, vars: &BTreeMap<VarId, ValueId>, outer: &ValueMap) -> u32 {
        let value = match atom {
            Atom::Value(v) => outer.get(v).copied().unwrap_or(*v),
            Atom::Var(v) => *vars.get(v).expect("an iterator is bound where it is used"),
            Atom::FloorDiv(..) | Atom::Product(..) => unreachable!("forms are written down to their iterators and values"),
        };
        let n = self.values.iter().position(|&v| v == value).unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        });
        u32::try_from(n).expect("fewer operands than 2^32")
    }

    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.values.len()).expect("fewer operands than 2^32")
    }
}
