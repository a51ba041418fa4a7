//! Vectors: 128-bit chunks and left-over scalars.

use super::core::{Emit, Emitter};
use super::poly::Poly;
use super::types;
use super::value::Val;
use cranelift_codegen::ir::{self, ConstantData, InstBuilder, Value};
use std::rc::Rc;
use tilia_program::{Constant, OpId, ScalarType, Type, ValueId};

/// If a vector of `parts` can be loaded part by part from rows of elements that lie `stride` apart: for each part its row, byte offset in it, and type.
pub(super) fn contiguous(
    parts: &[ir::Type],
    rows: usize,
    lanes: u64,
    stride: &Poly,
    elem: ScalarType,
) -> Option<Vec<(usize, i64, ir::Type)>> {
    let bytes = i64::try_from(elem.bytes()).ok()?;
    if !types::packs(elem) || (lanes > 1 && stride.as_constant() != Some(bytes)) {
        return None;
    }
    let mut pieces = Vec::new();
    let mut lane = 0u64;
    for &part in parts {
        let count = u64::from(part.lane_count());
        let (row, at) = (lane / lanes, lane % lanes);
        if at + count > lanes {
            return None;
        }
        pieces.push((usize::try_from(row).ok()?, i64::try_from(at).ok()? * bytes, part));
        lane += count;
    }
    debug_assert!(pieces.iter().all(|p| p.0 < rows));
    Some(pieces)
}

impl Emitter<'_, '_> {
    pub(super) fn vector_parts(&self, value: ValueId) -> Emit<Rc<[Value]>> {
        match self.val(value)? {
            Val::Vector(parts) => Ok(parts),
            _ => Err(self.malformed("a vector is expected")),
        }
    }

    /// All elements of a vector as scalars.
    pub(super) fn lanes(&mut self, parts: &[Value]) -> Vec<Value> {
        let mut lanes = Vec::new();
        for &part in parts {
            let ty = self.code.dfg.value_type(part);
            if !ty.is_vector() {
                lanes.push(part);
                continue;
            }
            for n in 0..ty.lane_count() {
                lanes.push(self.at().ins().extractlane(part, u8::try_from(n).unwrap_or(0)));
            }
        }
        lanes
    }

    /// Puts elements together to parts of these types.
    pub(super) fn assemble(&mut self, parts: &[ir::Type], elements: &[Value]) -> Vec<Value> {
        let mut rest = elements;
        let mut result = Vec::new();
        for &part in parts {
            let (now, later) = rest.split_at((part.lane_count() as usize).min(rest.len()));
            rest = later;
            result.push(self.chunk_of(part, now));
        }
        result
    }

    fn chunk_of(&mut self, ty: ir::Type, elements: &[Value]) -> Value {
        let first = elements.first().copied();
        match first {
            Some(first) if !ty.is_vector() => first,
            Some(first) => {
                let same = elements.iter().all(|&e| e == first);
                // Narrow integers can't be moved to a vector register alone.
                let narrow = ty.lane_type().is_int() && ty.lane_type().bits() < 32;
                let mut chunk = if same || narrow {
                    self.at().ins().splat(ty, first)
                } else {
                    self.at().ins().scalar_to_vector(ty, first)
                };
                if same {
                    return chunk;
                }
                for (n, &e) in elements.iter().enumerate().skip(1) {
                    chunk = self.at().ins().insertlane(chunk, e, u8::try_from(n).unwrap_or(0));
                }
                chunk
            }
            None => self.zero_of(ty),
        }
    }

    pub(super) fn zero_of(&mut self, ty: ir::Type) -> Value {
        if ty.is_vector() {
            let data = self.code.dfg.constants.insert(ConstantData::from(&[0u8; 16][..]));
            return self.at().ins().vconst(ty, data);
        }
        match ty {
            ir::types::F32 => self.at().ins().f32const(0.0),
            ir::types::F64 => self.at().ins().f64const(0.0),
            _ => self.at().ins().iconst(ty, 0),
        }
    }

    /// A constant of type `ty`.
    pub(super) fn constant_val(&mut self, ty: &Type, constant: &Constant) -> Emit<Val> {
        match ty {
            Type::Scalar(s) => {
                let bits = self.constant_bits(constant, *s)?;
                Ok(Val::Scalar(self.constant_scalar(bits, *s)))
            }
            Type::Vector(v) => {
                let parts = types::vector(v, &self.loc)?;
                let lanes = v.lanes().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
                let bits = match constant {
                    Constant::Splat(c) => vec![self.constant_bits(c, v.elem)?; lanes],
                    Constant::Vector(list) if list.len() == lanes => {
                        let mut all = Vec::new();
                        for c in list {
                            all.push(self.constant_bits(c, v.elem)?);
                        }
                        all
                    }
                    _ => return Err(self.malformed("a vector constant with the wrong number of elements")),
                };
                let mut rest = &bits[..];
                let mut values = Vec::new();
                for part in parts {
                    let (now, later) = rest.split_at(part.lane_count() as usize);
                    rest = later;
                    values.push(self.constant_part(part, now, v.elem));
                }
                Ok(Val::Vector(values.into()))
            }
            _ => Err(self.malformed("a constant that isn't a number")),
        }
    }

    fn constant_bits(&self, constant: &Constant, ty: ScalarType) -> Emit<u64> {
        match (constant, ty.is_int()) {
            (Constant::Int(c), true) => Ok(super::int::zero_extended(*c, ty.bits())),
            (Constant::Float(bits), false) => Ok(*bits),
            _ => Err(self.malformed(&format!("a constant that isn't of type {ty}"))),
        }
    }

    fn constant_scalar(&mut self, bits: u64, ty: ScalarType) -> Value {
        match ty {
            ScalarType::F64 => self.at().ins().f64const(ir::immediates::Ieee64::with_bits(bits)),
            ScalarType::F32 => {
                let bits = u32::try_from(bits & 0xffff_ffff).unwrap_or(0);
                self.at().ins().f32const(ir::immediates::Ieee32::with_bits(bits))
            }
            _ => {
                let held = types::scalar(ty);
                self.at().ins().iconst(held, super::int::immediate(bits))
            }
        }
    }

    fn constant_part(&mut self, part: ir::Type, bits: &[u64], elem: ScalarType) -> Value {
        if !part.is_vector() {
            return self.constant_scalar(bits.first().copied().unwrap_or(0), elem);
        }
        let width = part.lane_type().bytes() as usize;
        let bytes: Vec<u8> = bits.iter().flat_map(|b| b.to_le_bytes()[..width].to_vec()).collect();
        let data = self.code.dfg.constants.insert(ConstantData::from(&bytes[..]));
        self.at().ins().vconst(part, data)
    }

    /// A scalar into all lanes.
    pub(super) fn splat(&mut self, op: OpId) -> Emit<()> {
        let result = self.source.result(op);
        let Type::Vector(ty) = self.ty(result) else {
            return Err(self.malformed("a splat that isn't a vector"));
        };
        let operand = self.operand(op, 0)?;
        let scalar = self.scalar(operand)?;
        let mut parts: Vec<Value> = Vec::new();
        for part in types::vector(ty, &self.loc)? {
            let same = parts.last().copied().filter(|&p| self.code.dfg.value_type(p) == part);
            parts.push(match same {
                Some(same) => same,
                None if part.is_vector() => self.at().ins().splat(part, scalar),
                None => scalar,
            });
        }
        self.set(result, Val::Vector(parts.into()));
        Ok(())
    }

    /// Finds part and lane of element `n`.
    fn find_lane(&self, parts: &[Value], n: u32) -> Emit<(usize, Option<u8>)> {
        let mut left = n;
        for (at, &part) in parts.iter().enumerate() {
            let ty = self.code.dfg.value_type(part);
            if left < ty.lane_count() {
                let lane = ty.is_vector().then(|| u8::try_from(left).unwrap_or(0));
                return Ok((at, lane));
            }
            left -= ty.lane_count();
        }
        Err(self.malformed("a lane beyond the vector's end"))
    }

    pub(super) fn extract(&mut self, op: OpId, n: u32) -> Emit<()> {
        let operand = self.operand(op, 0)?;
        let parts = self.vector_parts(operand)?;
        let (at, lane) = self.find_lane(&parts, n)?;
        let value = match lane {
            Some(lane) => self.at().ins().extractlane(parts[at], lane),
            None => parts[at],
        };
        let result = self.source.result(op);
        self.set_scalar(result, value);
        Ok(())
    }

    pub(super) fn insert(&mut self, op: OpId, n: u32) -> Emit<()> {
        let (scalar, vector) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let scalar = self.scalar(scalar)?;
        let mut parts = self.vector_parts(vector)?.to_vec();
        let (at, lane) = self.find_lane(&parts, n)?;
        parts[at] = match lane {
            Some(lane) => self.at().ins().insertlane(parts[at], scalar, lane),
            None => scalar,
        };
        let result = self.source.result(op);
        self.set(result, Val::Vector(parts.into()));
        Ok(())
    }

    pub(super) fn operand(&self, op: OpId, n: usize) -> Emit<ValueId> {
        self.source[op]
            .operands
            .get(n)
            .copied()
            .ok_or_else(|| self.malformed("an operation lacks operands"))
    }
}
