//! Which maps and sets can stand in operations of the dialect `affine`, and in what form.
//!
//! There, operands must be dims (iterators of affine loops) or symbols (constants, and what is defined at the top level of the function). Whether a value is one
//! depends on where it ended up, so it is asked of the module being written.

use super::Form;
use super::emit::{FunctionExporter, MlirOp, MlirValue};
use crate::ffi::{self, Definition};
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, ValueLike};
use tilia_program::{AffineExpr, AffineMap, IntegerSet, OpId};

/// How deep chains of affine.apply are followed.
const MAX_APPLIES: usize = 16;

/// What a value can be in an affine operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Dim,
    /// Symbols may stand for dims, too.
    Symbol,
}

/// Expressions with the operands that they need.
struct Affine<'m> {
    dims: u32,
    syms: u32,
    exprs: Vec<AffineExpr>,
    operands: Vec<MlirValue<'m>>,
}

/// The text of an affine map or set attribute, and its operands.
pub(super) type Attribute<'m> = (String, Vec<MlirValue<'m>>);

impl<'m> FunctionExporter<'_, 'm> {
    /// A map as an attribute; `first` is the position of its first operand among those of `op`. `None` where it can't stand in an affine operation.
    pub(super) fn affine_map(&self, op: OpId, first: usize, map: &AffineMap) -> Option<Attribute<'m>> {
        let affine = self.affine(op, first, (map.dims, map.syms), map.results.iter())?;
        let map = AffineMap {
            dims: affine.dims,
            syms: affine.syms,
            results: affine.exprs,
        };
        Some((format!("affine_map<{map}>"), affine.operands))
    }

    /// A set as an attribute, like [`FunctionExporter::affine_map`].
    pub(super) fn affine_set(&self, op: OpId, set: &IntegerSet) -> Option<Attribute<'m>> {
        if set.constraints.is_empty() {
            return None;
        }
        let affine = self.affine(op, 0, (set.dims, set.syms), set.constraints.iter().map(|(e, _)| e))?;
        let equalities = set.constraints.iter().map(|(_, eq)| *eq);
        let set = IntegerSet {
            dims: affine.dims,
            syms: affine.syms,
            constraints: affine.exprs.into_iter().zip(equalities).collect(),
        };
        Some((format!("affine_set<{set}>"), affine.operands))
    }

    fn affine<'x>(
        &self,
        op: OpId,
        first: usize,
        (dims, syms): (u32, u32),
        exprs: impl Iterator<Item = &'x AffineExpr> + Clone,
    ) -> Option<Affine<'m>> {
        if self.form != Form::Affine || !exprs.clone().all(is_affine) {
            return None;
        }
        let count = dims as usize + syms as usize;
        let operands = self.new[op].operands.get(first..first + count)?;
        let mut affine = Affine {
            dims: 0,
            syms: 0,
            exprs: Vec::new(),
            operands: Vec::new(),
        };
        let used = used_operands(exprs.clone(), dims, count);
        let mut places = vec![AffineExpr::Const(0); count];
        let mut symbols = Vec::new();
        for (place, &operand) in places
            .iter_mut()
            .zip(operands)
            .zip(&used)
            .filter(|(_, used)| **used)
            .map(|(p, _)| p)
        {
            if let Some(constant) = self.new.as_int_constant(operand) {
                *place = AffineExpr::Const(constant);
                continue;
            }
            let value = self.value(operand).ok()?;
            let (list, number, make): (_, _, fn(u32) -> AffineExpr) = match role(value, MAX_APPLIES)? {
                Role::Dim => (&mut affine.operands, &mut affine.dims, AffineExpr::Dim),
                Role::Symbol => (&mut symbols, &mut affine.syms, AffineExpr::Sym),
            };
            let known = list.iter().position(|v| *v == value).and_then(|n| u32::try_from(n).ok());
            *place = make(known.unwrap_or(*number));
            if known.is_none() {
                list.push(value);
                *number += 1;
            }
        }
        affine.operands.extend(symbols);
        let (dims, syms) = places.split_at(dims as usize);
        affine.exprs = exprs.map(|e| e.substitute(dims, syms)).collect();
        Some(affine)
    }
}

/// Which operands, dims then symbols, the expressions mention.
fn used_operands<'x>(exprs: impl Iterator<Item = &'x AffineExpr>, dims: u32, count: usize) -> Vec<bool> {
    let mut used = vec![false; count];
    let mut stack: Vec<&AffineExpr> = exprs.collect();
    while let Some(expr) = stack.pop() {
        let mut mark = |n: u32| {
            if let Some(slot) = used.get_mut(n as usize) {
                *slot = true;
            }
        };
        match expr {
            AffineExpr::Dim(n) => mark(*n),
            AffineExpr::Sym(n) => mark(dims.saturating_add(*n)),
            AffineExpr::Const(_) => {}
            AffineExpr::Add(a, b)
            | AffineExpr::Mul(a, b)
            | AffineExpr::FloorDiv(a, b)
            | AffineExpr::CeilDiv(a, b)
            | AffineExpr::Mod(a, b) => {
                stack.extend([&**a, &**b]);
            }
        }
    }
    used
}

/// Whether an expression is affine in the strict sense: products and divisions by constants only.
fn is_affine(expr: &AffineExpr) -> bool {
    let constant = |e: &AffineExpr| matches!(e, AffineExpr::Const(_));
    match expr {
        AffineExpr::Dim(_) | AffineExpr::Sym(_) | AffineExpr::Const(_) => true,
        AffineExpr::Add(a, b) => is_affine(a) && is_affine(b),
        AffineExpr::Mul(a, b) => (constant(a) || constant(b)) && is_affine(a) && is_affine(b),
        AffineExpr::FloorDiv(a, b) | AffineExpr::CeilDiv(a, b) | AffineExpr::Mod(a, b) => {
            is_affine(a) && matches!(**b, AffineExpr::Const(c) if c > 0)
        }
    }
}

/// What a value can be in an affine operation, if anything.
fn role(value: MlirValue<'_>, applies: usize) -> Option<Role> {
    let index = value.r#type();
    if !melior::ir::r#type::TypeLike::is_index(&index) {
        return None;
    }
    match ffi::definition(&value) {
        Definition::Arg(block, n) => {
            let parent = block.parent_operation()?;
            let is = |name: &str| named(&parent, name);
            if is("func.func") {
                Some(Role::Symbol)
            } else {
                ((is("affine.for") && n == 0) || is("affine.parallel")).then_some(Role::Dim)
            }
        }
        Definition::Result(op, _) => {
            let top = op.parent_operation().is_some_and(|p| named(&p, "func.func"));
            if top || named(&op, "arith.constant") {
                return Some(Role::Symbol);
            }
            if applies == 0 || !named(&op, "affine.apply") {
                return None;
            }
            let mut result = Role::Symbol;
            for operand in op.operands() {
                if role(operand, applies - 1)? == Role::Dim {
                    result = Role::Dim;
                }
            }
            Some(result)
        }
    }
}

fn named(op: &MlirOp<'_>, name: &str) -> bool {
    op.name().as_string_ref().as_str() == Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_variables_are_not_affine() {
        let (d, c) = (|n| Box::new(AffineExpr::Dim(n)), |n| Box::new(AffineExpr::Const(n)));
        assert!(is_affine(&AffineExpr::Mul(d(0), c(3))));
        assert!(!is_affine(&AffineExpr::Mul(d(0), d(1))));
        assert!(is_affine(&AffineExpr::Mod(d(0), c(4))));
        assert!(!is_affine(&AffineExpr::FloorDiv(d(0), Box::new(AffineExpr::Sym(0)))));
        assert!(!is_affine(&AffineExpr::CeilDiv(d(0), c(0))));
    }

    #[test]
    fn operands_that_are_mentioned() {
        let e = AffineExpr::Add(Box::new(AffineExpr::Dim(1)), Box::new(AffineExpr::Sym(1)));
        assert_eq!(used_operands([&e].into_iter(), 2, 4), [false, true, false, true]);
    }
}
