//! Right-hand sides.

use super::Chooser;
use crate::model::{Access, Expr, ExprKind};
use crate::{chance, pick};
use arbitrary::Result;
use tilia_program::ScalarType;

/// Operations on two floats. Few products of data, lest everything becomes infinite.
const FLOAT_OPS: [(u32, &str); 6] = [
    (6, "arith.addf"),
    (5, "arith.subf"),
    (2, "arith.mulf"),
    (1, "arith.divf"),
    (1, "arith.maximumf"),
    (1, "arith.minimumf"),
];

const INT_OPS: [(u32, &str); 9] = [
    (6, "arith.addi"),
    (5, "arith.subi"),
    (3, "arith.muli"),
    (1, "arith.andi"),
    (1, "arith.ori"),
    (1, "arith.xori"),
    (1, "arith.maxsi"),
    (1, "arith.minsi"),
    (1, "arith.minui"),
];

const MATH_OPS: [(u32, &str); 5] = [
    (2, "math.absf"),
    (2, "math.sqrt"),
    (1, "math.exp"),
    (1, "math.tanh"),
    (1, "math.floor"),
];

/// Whether a value of type `from` can be converted to `to` without a question about rounding to integers.
fn converts(from: ScalarType, to: ScalarType) -> bool {
    from == to || to.is_float() || from.is_int()
}

impl Chooser<'_, '_, '_> {
    /// A number of that type, made of at most `depth` levels of operations.
    pub(super) fn expr(&mut self, elem: ScalarType, depth: usize) -> Result<Expr> {
        if depth == 0 || chance(self.u, 25)? {
            return self.leaf(elem);
        }
        let kind = if elem.is_float() && self.profile.math && chance(self.u, 10)? {
            ExprKind::Op(pick(self.u, &MATH_OPS)?, vec![self.expr(elem, depth - 1)?])
        } else if elem.is_float() && chance(self.u, 15)? {
            let factor = pick(self.u, &[(2, "0.5"), (1, "-0.25"), (1, "1.1")])?;
            let factor = Expr {
                elem,
                kind: ExprKind::Constant(factor.to_owned()),
            };
            ExprKind::Op("arith.mulf", vec![factor, self.expr(elem, depth - 1)?])
        } else if elem == ScalarType::F64 && self.profile.opaque && self.parallel.is_none() && chance(self.u, 4)? {
            ExprKind::Call(vec![self.expr(elem, depth - 1)?, self.expr(elem, depth - 1)?])
        } else {
            let op = if elem.is_float() {
                pick(self.u, &FLOAT_OPS)?
            } else {
                pick(self.u, &INT_OPS)?
            };
            ExprKind::Op(op, vec![self.expr(elem, depth - 1)?, self.expr(elem, depth - 1)?])
        };
        Ok(Expr { elem, kind })
    }

    fn leaf(&mut self, elem: ScalarType) -> Result<Expr> {
        let kind = pick(self.u, &[(10, 0), (1, 1), (1, 2), (2, 3)])?;
        let kind = match kind {
            1 => self.constant(elem)?,
            2 => match self.variable()? {
                Some(v) => ExprKind::Variable(v),
                None => self.constant(elem)?,
            },
            3 => {
                let fitting: Vec<_> = self.values.iter().filter(|v| v.1 == elem).map(|v| v.0).collect();
                match fitting.is_empty() {
                    true => self.load(elem)?,
                    false => ExprKind::Value(fitting[self.u.int_in_range(0..=fitting.len() - 1)?]),
                }
            }
            _ => self.load(elem)?,
        };
        Ok(Expr { elem, kind })
    }

    fn constant(&mut self, elem: ScalarType) -> Result<ExprKind> {
        Ok(ExprKind::Constant(if elem.is_float() {
            pick(self.u, &[(2, "1.5"), (1, "-0.75"), (1, "0.0"), (1, "3.0e-1")])?.to_owned()
        } else {
            self.u.int_in_range(-4..=9i64)?.to_string()
        }))
    }

    fn load(&mut self, elem: ScalarType) -> Result<ExprKind> {
        let fitting: Vec<_> = (0..self.model.arrays.len())
            .filter(|&n| converts(self.model.arrays[n].elem, elem))
            .collect();
        // What `affine.parallel` writes is read by the iteration that writes it only.
        let fitting: Vec<_> = fitting.into_iter().filter(|&n| Some(n) != self.parallel).collect();
        if fitting.is_empty() {
            return self.constant(elem);
        }
        let array = fitting[self.u.int_in_range(0..=fitting.len() - 1)?];
        Ok(ExprKind::Load(self.access(array)?))
    }

    /// The value of `target` before the statement combined with something: an update.
    pub(super) fn update(&mut self, target: &Access) -> Result<Expr> {
        let elem = self.model.arrays[target.array].elem;
        let old = Expr {
            elem,
            kind: ExprKind::Load(target.clone()),
        };
        let more = self.expr(elem, 2)?;
        let op = if elem.is_float() {
            pick(self.u, &FLOAT_OPS[..2])?
        } else {
            pick(self.u, &INT_OPS[..2])?
        };
        Ok(Expr {
            elem,
            kind: ExprKind::Op(op, vec![old, more]),
        })
    }
}
