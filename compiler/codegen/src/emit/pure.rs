//! Operations on numbers, element by element.

use super::affine::Term;
use super::core::{Emit, Emitter};
use super::types;
use super::value::{Bundle, Num, Val};
use crate::analysis::Range;
use cranelift_codegen::ir::{InstBuilder, Value};
use std::rc::Rc;
use tilia_program::{OpId, PureOp, ScalarType, Type, ValueId};

impl Emitter<'_, '_> {
    pub(super) fn pure(&mut self, op: OpId, pure: PureOp) -> Emit<()> {
        match pure {
            PureOp::Splat => return self.splat(op),
            PureOp::Extract(n) => return self.extract(op, n),
            PureOp::Insert(n) => return self.insert(op, n),
            PureOp::Select => return self.select(op),
            _ => {}
        }
        if self.index_arithmetic(op, pure)? {
            return Ok(());
        }
        let first = self.operand(op, 0)?;
        if matches!(self.ty(first), Type::Vector(_)) {
            return self.pure_vector(op, pure);
        }
        let operands = self.source[op].operands.clone();
        let mut args = Vec::new();
        for &v in &operands {
            args.push(self.scalar(v)?);
        }
        let types = self.element_types(op)?;
        let values = self.pure_scalar(pure, &args, &types)?;
        let results = self.source[op].results.clone();
        if values.len() != results.len() {
            return Err(self.malformed("an operation with the wrong number of results"));
        }
        for (r, v) in results.into_iter().zip(values) {
            self.set_scalar(r, v);
        }
        Ok(())
    }

    /// Element types of the operands, then of the first result.
    fn element_types(&self, op: OpId) -> Emit<Types> {
        let data = &self.source[op];
        let element = |v: &ValueId| {
            self.ty(*v)
                .element()
                .ok_or_else(|| self.malformed("an operand that isn't a number"))
        };
        Ok(Types {
            first: element(data.operands.first().ok_or_else(|| self.malformed("no operand"))?)?,
            second: data.operands.get(1).map(element).transpose()?,
            result: element(data.results.first().ok_or_else(|| self.malformed("no result"))?)?,
        })
    }

    /// Sums and products of 64-bit integers are kept as polynomials, for addresses made of them.
    fn index_arithmetic(&mut self, op: OpId, pure: PureOp) -> Emit<bool> {
        let result = self.source.result(op);
        if !matches!(self.ty(result), Type::Scalar(ScalarType::Index | ScalarType::Int(64))) {
            return Ok(false);
        }
        if pure == PureOp::IndexCast || pure == PureOp::ExtSI || pure == PureOp::ExtUI || pure == PureOp::IndexCastUI {
            return self.index_cast(op, result, matches!(pure, PureOp::IndexCast | PureOp::ExtSI));
        }
        if !matches!(pure, PureOp::AddI | PureOp::SubI | PureOp::MulI) {
            return Ok(false);
        }
        let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let (a, b) = (self.term(a)?, self.term(b)?);
        let (poly, range) = match pure {
            PureOp::AddI => (a.poly.add(&b.poly), a.range.checked_add(b.range)),
            PureOp::SubI => (a.poly.add(&b.poly.scale(-1)), a.range.checked_sub(b.range)),
            _ => (self.mul_polys(&a.poly, &b.poly), a.range.checked_mul(b.range)),
        };
        // These wrap: where they might, nothing is known of the result.
        let range = range.unwrap_or(Range::FULL);
        self.set_term(result, Term { poly, range });
        Ok(true)
    }

    fn index_cast(&mut self, op: OpId, result: ValueId, signed: bool) -> Emit<bool> {
        let operand = self.operand(op, 0)?;
        let Type::Scalar(from) = self.ty(operand) else { return Ok(false) };
        if from.bits() == 64 {
            let term = self.term(operand)?;
            self.set_term(result, term);
            return Ok(true);
        }
        let value = self.scalar(operand)?;
        let wide = self.resize(value, from.bits(), 64, signed);
        self.set_scalar(result, wide);
        let bits = u32::from(from.bits());
        let range = if signed {
            Range {
                lo: i64::MIN >> (64 - bits),
                hi: i64::MAX >> (64 - bits),
            }
        } else {
            Range {
                lo: 0,
                hi: (1 << bits) - 1,
            }
        };
        self.ranges.insert(result, range);
        Ok(true)
    }

    /// One element.
    fn pure_scalar(&mut self, op: PureOp, args: &[Value], ty: &Types) -> Emit<Vec<Value>> {
        let one = |v: Emit<Value>| v.map(|v| vec![v]);
        let pair = |e: &Self| match args {
            &[a, b] => Ok((a, b)),
            _ => Err(e.malformed("two operands are needed")),
        };
        match op {
            PureOp::CmpI(cmp) => {
                let (a, b) = pair(self)?;
                Ok(vec![self.compare_ints(cmp, a, b, ty.first.bits())])
            }
            PureOp::CmpF(cmp) => {
                let (a, b) = pair(self)?;
                let (a, b) = (self.widened(a, ty.first), self.widened(b, ty.first));
                Ok(vec![self.compare_floats(cmp, a, b)])
            }
            PureOp::Math(f) => one(self.math_scalar(f, args, ty.first, ty.second)),
            PureOp::ExtSI
            | PureOp::ExtUI
            | PureOp::TruncI
            | PureOp::ExtF
            | PureOp::TruncF
            | PureOp::SIToFP
            | PureOp::UIToFP
            | PureOp::FPToSI
            | PureOp::FPToUI
            | PureOp::IndexCast
            | PureOp::IndexCastUI
            | PureOp::Bitcast => match args {
                &[a] => one(self.cast(op, a, ty.first, ty.result)),
                _ => Err(self.malformed("a conversion of several operands")),
            },
            _ if ty.first.is_float() => one(self.float_scalar(op, args, ty.first)),
            _ => {
                let (a, b) = pair(self)?;
                self.int_binary(op, a, b, ty.first.bits())
            }
        }
    }

    fn widened(&mut self, v: Value, ty: ScalarType) -> Value {
        if Self::is_narrow(ty) { self.widen_narrow(v, ty) } else { v }
    }

    fn float_scalar(&mut self, op: PureOp, args: &[Value], ty: ScalarType) -> Emit<Value> {
        if Self::is_narrow(ty) {
            let wide: Vec<_> = args.iter().map(|&a| self.widen_narrow(a, ty)).collect();
            let result = self.float_scalar(op, &wide, ScalarType::F32)?;
            return Ok(self.round_narrow(result, ty));
        }
        if let (PureOp::RemF, &[a, b]) = (op, args) {
            return self.float_remainder(a, b);
        }
        self.float_native(op, args)
            .ok_or_else(|| self.malformed(&format!("{op:?} isn't defined on floats")))
    }

    /// Operations that are instructions on a 128-bit vector of whole-byte integers or floats.
    fn chunk(&mut self, op: PureOp, args: &[Value], elem: ScalarType) -> Option<Value> {
        if elem.is_float() {
            return match op {
                PureOp::Math(f) => self.math_native(f, args),
                PureOp::CmpF(cmp) => Some(self.compare_floats(cmp, args[0], *args.get(1)?)),
                _ => self.float_native(op, args),
            };
        }
        let (&a, &b) = (args.first()?, args.get(1)?);
        Some(match op {
            PureOp::AddI => self.at().ins().iadd(a, b),
            PureOp::SubI => self.at().ins().isub(a, b),
            PureOp::MulI if matches!(elem.bits(), 16 | 32) => self.at().ins().imul(a, b),
            PureOp::AndI => self.at().ins().band(a, b),
            PureOp::OrI => self.at().ins().bor(a, b),
            PureOp::XOrI => self.at().ins().bxor(a, b),
            PureOp::MaxSI if elem.bits() < 64 => self.at().ins().smax(a, b),
            PureOp::MinSI if elem.bits() < 64 => self.at().ins().smin(a, b),
            PureOp::MaxUI if elem.bits() < 64 => self.at().ins().umax(a, b),
            PureOp::MinUI if elem.bits() < 64 => self.at().ins().umin(a, b),
            PureOp::CmpI(cmp) => return self.compare_int_chunks(cmp, a, b),
            _ => return None,
        })
    }

    fn pure_vector(&mut self, op: OpId, pure: PureOp) -> Emit<()> {
        let data = &self.source[op];
        let types = self.element_types(op)?;
        let mut operands = Vec::new();
        for &v in &data.operands {
            operands.push(self.vector_parts(v)?);
        }
        if let (PureOp::CmpF(_) | PureOp::CmpI(_), true) = (pure, types::packs(types.first)) {
            return self.compare_vectors(op, pure, &operands, &types);
        }
        let parts = operands.first().map_or(0, |p| p.len());
        let shaped = |e: &Self, n: usize| {
            operands
                .iter()
                .map(|p| p.get(n).map(|&v| (v, e.code.dfg.value_type(v))))
                .collect::<Option<Vec<_>>>()
        };
        // Part by part where all operands and the result are divided alike; else lane by lane.
        let first_ty = shaped(self, 0).and_then(|p| p.first().map(|x| x.1));
        let alike = (0..parts).all(|n| shaped(self, n).is_some_and(|p| p.iter().all(|x| x.1 == p[0].1)));
        if types.first == types.result && alike && first_ty.is_some() && data.results.len() == 1 {
            let mut result = Vec::new();
            for n in 0..parts {
                let args: Vec<_> = operands.iter().map(|p| p[n]).collect();
                result.push(self.pure_part(pure, &args, &types)?);
            }
            let id = self.source.result(op);
            self.set(id, Val::Vector(result.into()));
            return Ok(());
        }
        self.lane_by_lane(op, pure, &operands, &types)
    }

    fn pure_part(&mut self, op: PureOp, args: &[Value], types: &Types) -> Emit<Value> {
        let ty = self.code.dfg.value_type(args[0]);
        if !ty.is_vector() {
            let values = self.pure_scalar(op, args, types)?;
            return values.first().copied().ok_or_else(|| self.malformed("no result"));
        }
        if let Some(value) = self.chunk(op, args, types.first) {
            return Ok(value);
        }
        let mut elements = Vec::new();
        for lane in 0..ty.lane_count() {
            let lane = u8::try_from(lane).unwrap_or(0);
            let args: Vec<_> = args.iter().map(|&a| self.at().ins().extractlane(a, lane)).collect();
            elements.extend(self.pure_scalar(op, &args, types)?);
        }
        Ok(self.assemble(&[ty], &elements)[0])
    }

    fn lane_by_lane(&mut self, op: OpId, pure: PureOp, operands: &[Rc<[Value]>], types: &Types) -> Emit<()> {
        let lanes: Vec<_> = operands.iter().map(|p| self.lanes(p)).collect();
        let count = lanes.first().map_or(0, Vec::len);
        let results = self.source[op].results.clone();
        let mut elements = vec![Vec::new(); results.len()];
        for n in 0..count {
            let args: Vec<_> = lanes
                .iter()
                .map(|l| l.get(n).copied().ok_or_else(|| self.malformed("vectors of different lengths")))
                .collect::<Result<_, _>>()?;
            for (list, v) in elements.iter_mut().zip(self.pure_scalar(pure, &args, types)?) {
                list.push(v);
            }
        }
        for (r, elements) in results.into_iter().zip(elements) {
            let Type::Vector(ty) = self.ty(r) else {
                return Err(self.malformed("a result that isn't a vector"));
            };
            let parts = types::vector(ty, &self.loc)?;
            let parts = self.assemble(&parts, &elements);
            self.set(r, Val::Vector(parts.into()));
        }
        Ok(())
    }

    /// Comparisons keep their masks of whole lanes beside the lanes of i1, for a selection by them.
    fn compare_vectors(&mut self, op: OpId, pure: PureOp, operands: &[Rc<[Value]>], types: &Types) -> Emit<()> {
        let [a, b] = operands else {
            return Err(self.malformed("a comparison needs two operands"));
        };
        let (mut masks, mut flags) = (Vec::new(), Vec::new());
        for (&x, &y) in a.iter().zip(b.iter()) {
            let ty = self.code.dfg.value_type(x);
            if !ty.is_vector() {
                let flag = self.pure_scalar(pure, &[x, y], types)?;
                masks.extend(&flag);
                flags.extend(flag);
                continue;
            }
            let Some(mask) = self.chunk(pure, &[x, y], types.first) else {
                return self.lane_by_lane(op, pure, operands, types);
            };
            for lane in 0..ty.lane_count() {
                let element = self.at().ins().extractlane(mask, u8::try_from(lane).unwrap_or(0));
                let set = cranelift_codegen::ir::condcodes::IntCC::NotEqual;
                flags.push(self.at().ins().icmp_imm_s(set, element, 0));
            }
            masks.push(mask);
        }
        let result = self.source.result(op);
        self.masks.insert(result, masks.into());
        self.set(result, Val::Vector(flags.into()));
        Ok(())
    }

    fn select(&mut self, op: OpId) -> Emit<()> {
        let (cond, a, b) = (self.operand(op, 0)?, self.operand(op, 1)?, self.operand(op, 2)?);
        let result = self.source.result(op);
        let val = match self.val(cond)? {
            Val::Scalar(flag) => self.select_by_flag(flag, a, b)?,
            Val::Vector(flags) => self.select_lanes(cond, &flags, a, b)?,
            _ => return Err(self.malformed("a selection by something that isn't i1")),
        };
        self.set(result, val);
        if let (Some(&x), Some(&y)) = (self.ranges.get(&a), self.ranges.get(&b)) {
            self.ranges.insert(
                result,
                Range {
                    lo: x.lo.min(y.lo),
                    hi: x.hi.max(y.hi),
                },
            );
        }
        Ok(())
    }

    fn select_by_flag(&mut self, flag: Value, a: ValueId, b: ValueId) -> Emit<Val> {
        let choose = |e: &mut Self, x: Value, y: Value| e.at().ins().select(flag, x, y);
        Ok(match (self.val(a)?, self.val(b)?) {
            (Val::Scalar(x), Val::Scalar(y)) => Val::Scalar(choose(self, x, y)),
            (Val::Vector(x), Val::Vector(y)) => Val::Vector(x.iter().zip(y.iter()).map(|(&x, &y)| choose(self, x, y)).collect()),
            (Val::Unranked(r, d), Val::Unranked(s, e)) => Val::Unranked(choose(self, r, s), choose(self, d, e)),
            (Val::MemRef(x), Val::MemRef(y)) => {
                let num = |e: &mut Self, x: Num, y: Num| {
                    if x == y {
                        return x;
                    }
                    let (x, y) = (e.num(x), e.num(y));
                    Num::Val(choose(e, x, y))
                };
                let all = |e: &mut Self, x: &[Num], y: &[Num]| x.iter().zip(y).map(|(&x, &y)| num(e, x, y)).collect();
                Val::MemRef(Rc::new(Bundle {
                    elem: x.elem,
                    alloc: choose(self, x.alloc, y.alloc),
                    data: choose(self, x.data, y.data),
                    offset: num(self, x.offset, y.offset),
                    sizes: all(self, &x.sizes, &y.sizes),
                    strides: all(self, &x.strides, &y.strides),
                }))
            }
            _ => return Err(self.malformed("a selection between different types")),
        })
    }

    fn select_lanes(&mut self, cond: ValueId, flags: &[Value], a: ValueId, b: ValueId) -> Emit<Val> {
        let (x, y) = (self.vector_parts(a)?, self.vector_parts(b)?);
        if let Some(masks) = self.masks.get(&cond).cloned()
            && masks.len() == x.len()
            && masks.iter().zip(x.iter()).all(|(&m, &v)| {
                let (m, v) = (self.code.dfg.value_type(m), self.code.dfg.value_type(v));
                m.lane_count() == v.lane_count()
            })
        {
            let parts: Vec<_> = (0..x.len()).map(|n| self.choose(masks[n], x[n], y[n])).collect();
            return Ok(Val::Vector(parts.into()));
        }
        let types: Vec<_> = x.iter().map(|&v| self.code.dfg.value_type(v)).collect();
        let (x, y) = (self.lanes(&x), self.lanes(&y));
        let elements: Vec<_> = flags
            .iter()
            .zip(x.iter().zip(&y))
            .map(|(&f, (&x, &y))| self.at().ins().select(f, x, y))
            .collect();
        Ok(Val::Vector(self.assemble(&types, &elements).into()))
    }
}

/// Element types of an operation.
pub(super) struct Types {
    first: ScalarType,
    second: Option<ScalarType>,
    result: ScalarType,
}
