//! Constants and arithmetic.

use super::builder::{Parts, array_i64};
use super::emit::{FunctionExporter, MlirBlock};
use super::{Exported, internal};
use tilia_program::{AffineMap, CmpF, CmpI, Constant, FastMath, MathFn, OpId, OpKind, PureOp, ScalarType, Type, VectorType};

impl<'m> FunctionExporter<'_, 'm> {
    /// Makes an operation on numbers.
    pub(super) fn number(&mut self, op: OpId, target: MlirBlock<'m>) -> Exported {
        let results = self.result_types(op)?;
        match &self.new[op].kind {
            OpKind::Constant(constant) => {
                let ty = &self.new[self.new.result(op)].ty;
                let parts = Parts {
                    results: &results,
                    attributes: &[("value", constant_text(constant, ty)?)],
                    ..Parts::default()
                };
                let made = self.b.op(target, "arith.constant", parts)?;
                self.bind_results(op, made);
            }
            OpKind::Apply(map) | OpKind::Min(map) | OpKind::Max(map) if self.affine_number(op, map, target)? => {}
            OpKind::Apply(map) => {
                let operands = self.all_operands(op)?;
                let values = self.b.map(target, map, &operands)?;
                let value = values.first().ok_or_else(|| internal("a map without results"))?;
                self.bind(self.new.result(op), *value);
            }
            OpKind::Min(map) => self.extreme_op(op, map, false, target)?,
            OpKind::Max(map) => self.extreme_op(op, map, true, target)?,
            OpKind::Pure(pure, flags) => {
                let operands = self.all_operands(op)?;
                let (name, mut attributes) = self.pure_form(op, *pure)?;
                if let Some(flags) = fast_math_text(*flags) {
                    attributes.push(("fastmath", flags));
                }
                let parts = Parts {
                    operands: &operands,
                    results: &results,
                    attributes: &attributes,
                    ..Parts::default()
                };
                let made = self.b.op(target, &name, parts)?;
                self.bind_results(op, made);
            }
            _ => return Err(internal("not an operation on numbers")),
        }
        Ok(())
    }

    /// `affine.apply`, `affine.min` or `affine.max`; false where that isn't valid.
    fn affine_number(&mut self, op: OpId, map: &AffineMap, target: MlirBlock<'m>) -> Exported<bool> {
        let Some((map, operands)) = self.affine_map(op, 0, map) else {
            return Ok(false);
        };
        let name = match self.new[op].kind {
            OpKind::Min(_) => "affine.min",
            OpKind::Max(_) => "affine.max",
            _ => "affine.apply",
        };
        let parts = Parts {
            operands: &operands,
            results: &[self.b.index_type()],
            attributes: &[("map", map)],
            ..Parts::default()
        };
        let made = self.b.op(target, name, parts)?;
        self.bind_results(op, made);
        Ok(true)
    }

    fn extreme_op(&mut self, op: OpId, map: &AffineMap, largest: bool, target: MlirBlock<'m>) -> Exported {
        let operands = self.all_operands(op)?;
        let value = self.b.extreme(target, map, &operands, largest)?;
        self.bind(self.new.result(op), value);
        Ok(())
    }

    /// Name and attributes of a pure operation in MLIR.
    fn pure_form(&self, op: OpId, pure: PureOp) -> Exported<(String, Vec<(&'static str, String)>)> {
        let vector = |n: usize| match self.new[op].operands.get(n).map(|&v| &self.new[v].ty) {
            Some(Type::Vector(vector)) => Ok(vector),
            _ => Err(internal("an element of something that isn't a vector")),
        };
        Ok(match pure {
            PureOp::CmpI(predicate) => ("arith.cmpi".to_owned(), vec![("predicate", format!("{} : i64", cmp_i(predicate)))]),
            PureOp::CmpF(predicate) => ("arith.cmpf".to_owned(), vec![("predicate", format!("{} : i64", cmp_f(predicate)))]),
            PureOp::Splat => ("vector.broadcast".to_owned(), Vec::new()),
            PureOp::Extract(lane) => ("vector.extract".to_owned(), vec![("static_position", position(vector(0)?, lane))]),
            PureOp::Insert(lane) => ("vector.insert".to_owned(), vec![("static_position", position(vector(1)?, lane))]),
            PureOp::Math(function) => (format!("math.{}", math_name(function)), Vec::new()),
            other => (format!("arith.{}", arith_name(other)?), Vec::new()),
        })
    }
}

/// Subscripts of a lane, as an attribute.
fn position(vector: &VectorType, lane: u32) -> String {
    array_i64(&lane_subscripts(vector, u64::from(lane)))
}

/// Subscripts of a lane.
pub(super) fn lane_subscripts(vector: &VectorType, lane: u64) -> Vec<i64> {
    let mut rest = lane;
    let mut subscripts = vec![0i64; vector.shape.len()];
    for (slot, &extent) in subscripts.iter_mut().zip(&vector.shape).rev() {
        *slot = i64::try_from(rest % extent.max(1)).unwrap_or(0);
        rest /= extent.max(1);
    }
    subscripts
}

/// A constant as the text of a typed attribute.
fn constant_text(constant: &Constant, ty: &Type) -> Exported<String> {
    let number = |c: &Constant, elem: ScalarType| match c {
        Constant::Int(v) if elem == ScalarType::Int(1) => Ok(if *v == 0 { "false" } else { "true" }.to_owned()),
        Constant::Int(v) => Ok(v.to_string()),
        // All digits, so that the bits survive: also those of infinities and NaNs.
        Constant::Float(bits) => Ok(format!("0x{bits:0width$X}", width = usize::from(elem.bits() / 4))),
        Constant::Vector(_) | Constant::Splat(_) => Err(internal("a vector within a constant")),
    };
    Ok(match (constant, ty) {
        (Constant::Splat(element), Type::Vector(vector)) => format!("dense<{}> : {ty}", number(element, vector.elem)?),
        (Constant::Vector(elements), Type::Vector(vector)) => {
            let elements = elements.iter().map(|e| number(e, vector.elem)).collect::<Exported<Vec<_>>>()?;
            format!("dense<{}> : {ty}", nested(&elements, &vector.shape))
        }
        (Constant::Int(_), Type::Scalar(ScalarType::Int(1))) => number(constant, ScalarType::Int(1))?,
        (element, Type::Scalar(scalar)) => format!("{} : {ty}", number(element, *scalar)?),
        _ => return Err(internal("a constant of an odd type")),
    })
}

/// Elements in brackets, as deep as the shape.
fn nested(elements: &[String], shape: &[u64]) -> String {
    match shape {
        [] => elements.first().cloned().unwrap_or_default(),
        [_, inner @ ..] => {
            let size = usize::try_from(inner.iter().product::<u64>()).unwrap_or(usize::MAX).max(1);
            let parts: Vec<String> = elements.chunks(size).map(|part| nested(part, inner)).collect();
            format!("[{}]", parts.join(", "))
        }
    }
}

fn fast_math_text(flags: FastMath) -> Option<String> {
    let FastMath {
        reassoc,
        nnan,
        ninf,
        nsz,
        arcp,
        contract,
        afn,
    } = flags;
    let all = [
        (reassoc, "reassoc"),
        (nnan, "nnan"),
        (ninf, "ninf"),
        (nsz, "nsz"),
        (arcp, "arcp"),
        (contract, "contract"),
        (afn, "afn"),
    ];
    let set: Vec<&str> = all.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
    (!set.is_empty()).then(|| format!("#arith.fastmath<{}>", set.join(",")))
}

fn cmp_i(predicate: CmpI) -> u32 {
    use CmpI::*;
    match predicate {
        Eq => 0,
        Ne => 1,
        Slt => 2,
        Sle => 3,
        Sgt => 4,
        Sge => 5,
        Ult => 6,
        Ule => 7,
        Ugt => 8,
        Uge => 9,
    }
}

fn cmp_f(predicate: CmpF) -> u32 {
    use CmpF::*;
    match predicate {
        False => 0,
        Oeq => 1,
        Ogt => 2,
        Oge => 3,
        Olt => 4,
        Ole => 5,
        One => 6,
        Ord => 7,
        Ueq => 8,
        Ugt => 9,
        Uge => 10,
        Ult => 11,
        Ule => 12,
        Une => 13,
        Uno => 14,
        True => 15,
    }
}

fn math_name(function: MathFn) -> String {
    // MLIR's names are ours in lower case.
    format!("{function:?}").to_lowercase()
}

fn arith_name(pure: PureOp) -> Exported<String> {
    Ok(match pure {
        PureOp::AddUIExtended => "addui_extended".to_owned(),
        PureOp::MulSIExtended => "mulsi_extended".to_owned(),
        PureOp::MulUIExtended => "mului_extended".to_owned(),
        PureOp::IndexCast => "index_cast".to_owned(),
        PureOp::IndexCastUI => "index_castui".to_owned(),
        PureOp::CmpI(_) | PureOp::CmpF(_) | PureOp::Splat | PureOp::Extract(_) | PureOp::Insert(_) | PureOp::Math(_) => {
            return Err(internal("an operation outside arith"));
        }
        other => format!("{other:?}").to_lowercase(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_keep_their_bits() {
        let text = |c: Constant, ty: Type| constant_text(&c, &ty).unwrap();
        assert_eq!(
            text(Constant::Float(0x7F80_0001), Type::Scalar(ScalarType::F32)),
            "0x7F800001 : f32"
        );
        assert_eq!(text(Constant::Float(0x3C00), Type::Scalar(ScalarType::F16)), "0x3C00 : f16");
        assert_eq!(text(Constant::Int(-1), Type::BOOL), "true");
        assert_eq!(text(Constant::Int(-5), Type::INDEX), "-5 : index");
        let vector = |shape: &[u64]| {
            Type::Vector(VectorType {
                shape: shape.to_vec(),
                elem: ScalarType::Int(8),
            })
        };
        let elements = Constant::Vector((1..=4).map(Constant::Int).collect());
        assert_eq!(text(elements, vector(&[2, 2])), "dense<[[1, 2], [3, 4]]> : vector<2x2xi8>");
        assert_eq!(
            text(Constant::Splat(Box::new(Constant::Int(3))), vector(&[4])),
            "dense<3> : vector<4xi8>"
        );
    }

    #[test]
    fn lanes_are_row_major() {
        let vector = VectorType {
            shape: vec![2, 3],
            elem: ScalarType::F32,
        };
        assert_eq!(position(&vector, 4), "array<i64: 1, 1>");
        let scalar = VectorType {
            shape: Vec::new(),
            elem: ScalarType::F32,
        };
        assert_eq!(position(&scalar, 0), "array<i64>");
    }
}
