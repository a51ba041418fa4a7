//! Constants, and vectors as such: splats, single lanes.

use super::core::{Emit, Emitter};
use super::text::V;
use super::types;
use tilia_program::{Constant, OpId, ScalarType, Type};

impl Emitter<'_, '_> {
    /// A constant of type `ty`.
    pub(super) fn constant_value(&mut self, ty: &Type, constant: &Constant) -> Emit<V> {
        match (ty, constant) {
            (Type::Scalar(s), _) => {
                let bits = self.constant_bits(constant, *s)?;
                let held = types::scalar(*s);
                Ok(self.constant_of(bits, *s, held))
            }
            (Type::Vector(v), Constant::Splat(c)) => {
                let bits = self.constant_bits(c, v.elem)?;
                let held = types::vector(v, &self.loc)?;
                Ok(self.constant_of(bits, v.elem, held))
            }
            (Type::Vector(v), Constant::Vector(list)) => {
                let held = types::vector(v, &self.loc)?;
                if list.len() != held.lanes as usize {
                    return Err(self.malformed("a vector constant with the wrong number of elements"));
                }
                let bits = list.iter().map(|c| self.constant_bits(c, v.elem)).collect::<Emit<Vec<_>>>()?;
                Ok(self.code.vector(&bits, held))
            }
            _ => Err(self.malformed("a constant that isn't a number")),
        }
    }

    fn constant_of(&mut self, bits: u64, ty: ScalarType, held: super::text::Ty) -> V {
        match ty {
            ScalarType::F64 | ScalarType::F32 => self.code.float(bits, held),
            _ => self.code.int(bits.cast_signed(), held),
        }
    }

    fn constant_bits(&self, constant: &Constant, ty: ScalarType) -> Emit<u64> {
        match (constant, ty.is_int()) {
            (Constant::Int(c), true) => Ok(c.cast_unsigned()),
            (Constant::Float(bits), false) => Ok(*bits),
            _ => Err(self.malformed(&format!("a constant that isn't of type {ty}"))),
        }
    }

    /// A scalar into all lanes.
    pub(super) fn splat_op(&mut self, op: OpId) -> Emit<()> {
        let result = self.source.result(op);
        let Type::Vector(ty) = self.ty(result) else {
            return Err(self.malformed("a splat that isn't a vector"));
        };
        let held = types::vector(ty, &self.loc)?;
        let operand = self.operand(op, 0)?;
        let scalar = self.number(operand)?;
        let vector = self.splat(scalar, held.lanes);
        self.set_number(result, vector);
        Ok(())
    }

    pub(super) fn extract(&mut self, op: OpId, n: u32) -> Emit<()> {
        let operand = self.operand(op, 0)?;
        let vector = self.number(operand)?;
        if n >= vector.ty.lanes {
            return Err(self.malformed("a lane beyond the vector's end"));
        }
        let lane = self.lane(vector, n);
        let result = self.source.result(op);
        self.set_number(result, lane);
        Ok(())
    }

    pub(super) fn insert(&mut self, op: OpId, n: u32) -> Emit<()> {
        let (scalar, vector) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let (scalar, vector) = (self.number(scalar)?, self.number(vector)?);
        if n >= vector.ty.lanes {
            return Err(self.malformed("a lane beyond the vector's end"));
        }
        let replaced = self.with_lane(vector, n, scalar);
        let result = self.source.result(op);
        self.set_number(result, replaced);
        Ok(())
    }
}
