//! Affine expressions as arithmetic on index values, in the forms that MLIR's own lowering gives them.

use super::builder::{Builder, Predicate};
use super::emit::{MlirBlock, MlirValue};
use super::{Exported, internal};
use tilia_program::{AffineExpr, AffineMap, IntegerSet};

impl<'m> Builder<'m> {
    /// The values of a map's results. Operands are dims, then symbols.
    pub(super) fn map(&self, block: MlirBlock<'m>, map: &AffineMap, operands: &[MlirValue<'m>]) -> Exported<Vec<MlirValue<'m>>> {
        let (dims, syms) = operands
            .split_at_checked(map.dims as usize)
            .ok_or_else(|| internal("a map with too few operands"))?;
        map.results.iter().map(|e| self.expr(block, e, dims, syms)).collect()
    }

    /// The largest (or smallest) of a map's results.
    pub(super) fn extreme(
        &self,
        block: MlirBlock<'m>,
        map: &AffineMap,
        operands: &[MlirValue<'m>],
        largest: bool,
    ) -> Exported<MlirValue<'m>> {
        let values = self.map(block, map, operands)?;
        let name = if largest { "arith.maxsi" } else { "arith.minsi" };
        let mut values = values.into_iter();
        let first = values.next().ok_or_else(|| internal("a map without results"))?;
        values.try_fold(first, |a, b| self.binary(block, name, a, b))
    }

    /// Whether all constraints of a set hold, as an i1.
    pub(super) fn set(&self, block: MlirBlock<'m>, set: &IntegerSet, operands: &[MlirValue<'m>]) -> Exported<MlirValue<'m>> {
        let (dims, syms) = operands
            .split_at_checked(set.dims as usize)
            .ok_or_else(|| internal("a set with too few operands"))?;
        let zero = self.index(block, 0)?;
        let mut all: Option<MlirValue<'m>> = None;
        for (expr, equal) in &set.constraints {
            let value = self.expr(block, expr, dims, syms)?;
            let predicate = if *equal { Predicate::Eq } else { Predicate::Sge };
            let holds = self.compare(block, predicate, value, zero)?;
            all = Some(match all {
                None => holds,
                Some(so_far) => self.binary(block, "arith.andi", so_far, holds)?,
            });
        }
        match all {
            Some(all) => Ok(all),
            None => self.bool(block, true),
        }
    }

    fn expr(&self, block: MlirBlock<'m>, expr: &AffineExpr, dims: &[MlirValue<'m>], syms: &[MlirValue<'m>]) -> Exported<MlirValue<'m>> {
        let operand = |list: &[MlirValue<'m>], n: u32| list.get(n as usize).copied().ok_or_else(|| internal("a map with too few operands"));
        let both = |a: &AffineExpr, b: &AffineExpr| {
            Ok::<_, tilia_diag::Diagnostic>((self.expr(block, a, dims, syms)?, self.expr(block, b, dims, syms)?))
        };
        match expr {
            AffineExpr::Dim(n) => operand(dims, *n),
            AffineExpr::Sym(n) => operand(syms, *n),
            AffineExpr::Const(c) => self.index(block, *c),
            AffineExpr::Add(a, b) => {
                let (a, b) = both(a, b)?;
                self.binary(block, "arith.addi", a, b)
            }
            AffineExpr::Mul(a, b) => {
                let (a, b) = both(a, b)?;
                self.binary(block, "arith.muli", a, b)
            }
            AffineExpr::FloorDiv(a, b) => {
                let (a, b) = both(a, b)?;
                self.floor_div(block, a, b)
            }
            AffineExpr::CeilDiv(a, b) => {
                let (a, b) = both(a, b)?;
                self.ceil_div(block, a, b)
            }
            AffineExpr::Mod(a, b) => {
                let (a, b) = both(a, b)?;
                self.modulo(block, a, b)
            }
        }
    }

    /// `a < 0 ? -1 - (-1 - a) / b : a / b`, for positive `b`.
    fn floor_div(&self, block: MlirBlock<'m>, a: MlirValue<'m>, b: MlirValue<'m>) -> Exported<MlirValue<'m>> {
        let (zero, minus_one) = (self.index(block, 0)?, self.index(block, -1)?);
        let negative = self.compare(block, Predicate::Slt, a, zero)?;
        let mirrored = self.binary(block, "arith.subi", minus_one, a)?;
        let dividend = self.select(block, negative, mirrored, a)?;
        let quotient = self.binary(block, "arith.divsi", dividend, b)?;
        let back = self.binary(block, "arith.subi", minus_one, quotient)?;
        self.select(block, negative, back, quotient)
    }

    /// `a <= 0 ? -(-a / b) : (a - 1) / b + 1`, for positive `b`.
    fn ceil_div(&self, block: MlirBlock<'m>, a: MlirValue<'m>, b: MlirValue<'m>) -> Exported<MlirValue<'m>> {
        let (zero, one) = (self.index(block, 0)?, self.index(block, 1)?);
        let not_positive = self.compare(block, Predicate::Sle, a, zero)?;
        let negated = self.binary(block, "arith.subi", zero, a)?;
        let before = self.binary(block, "arith.subi", a, one)?;
        let dividend = self.select(block, not_positive, negated, before)?;
        let quotient = self.binary(block, "arith.divsi", dividend, b)?;
        let back = self.binary(block, "arith.subi", zero, quotient)?;
        let above = self.binary(block, "arith.addi", quotient, one)?;
        self.select(block, not_positive, back, above)
    }

    /// `r < 0 ? r + b : r` with `r = a % b`, for positive `b`.
    fn modulo(&self, block: MlirBlock<'m>, a: MlirValue<'m>, b: MlirValue<'m>) -> Exported<MlirValue<'m>> {
        let zero = self.index(block, 0)?;
        let rest = self.binary(block, "arith.remsi", a, b)?;
        let negative = self.compare(block, Predicate::Slt, rest, zero)?;
        let shifted = self.binary(block, "arith.addi", rest, b)?;
        self.select(block, negative, shifted, rest)
    }
}
