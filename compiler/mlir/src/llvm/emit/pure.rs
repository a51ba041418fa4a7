//! Operations on numbers, on whole vectors where LLVM has them and element by element where it hasn't.

use super::cast;
use super::core::{Emit, Emitter};
use super::float::is_narrow;
use super::int;
use super::text::V;
use super::types;
use super::value::{Bundle, Val};
use std::rc::Rc;
use tilia_codegen::analysis::Range;
use tilia_program::{MathFn, OpId, PureOp, ScalarType, Type, ValueId};

/// Element types of an operation.
#[derive(Debug, Clone, Copy)]
struct Types {
    first: ScalarType,
    result: ScalarType,
}

fn is_conversion(op: PureOp) -> bool {
    use PureOp::{Bitcast, ExtF, ExtSI, ExtUI, FPToSI, FPToUI, IndexCast, IndexCastUI, SIToFP, TruncF, TruncI, UIToFP};
    matches!(
        op,
        ExtSI | ExtUI | TruncI | ExtF | TruncF | SIToFP | UIToFP | FPToSI | FPToUI | IndexCast | IndexCastUI | Bitcast
    )
}

impl Emitter<'_, '_> {
    pub(super) fn pure(&mut self, op: OpId, pure: PureOp) -> Emit<()> {
        match pure {
            PureOp::Splat => return self.splat_op(op),
            PureOp::Extract(n) => return self.extract(op, n),
            PureOp::Insert(n) => return self.insert(op, n),
            PureOp::Select => return self.select(op),
            _ => {}
        }
        if self.index_arithmetic(op, pure)? {
            return Ok(());
        }
        let data = &self.source[op];
        let mut args = Vec::new();
        for &v in &data.operands {
            args.push(self.number(v)?);
        }
        let types = self.element_types(op)?;
        let lanes = args.first().map_or(0, |v| v.ty.lanes);
        if args.iter().any(|v| v.ty.lanes != lanes) {
            return Err(self.malformed("vectors of different lengths"));
        }
        let values = if lanes == 0 || Self::on_vectors(pure, types) {
            self.pure_values(pure, &args, types)?
        } else {
            self.lane_by_lane(op, pure, &args, types)?
        };
        if values.len() != data.results.len() {
            return Err(self.malformed("an operation with the wrong number of results"));
        }
        for (&r, v) in data.results.iter().zip(values) {
            self.set_number(r, v);
        }
        Ok(())
    }

    /// Element types of the first operand and the first result.
    fn element_types(&self, op: OpId) -> Emit<Types> {
        let data = &self.source[op];
        let element = |v: Option<&ValueId>| {
            v.and_then(|v| self.ty(*v).element())
                .ok_or_else(|| self.malformed("an operand that isn't a number"))
        };
        Ok(Types {
            first: element(data.operands.first())?,
            result: element(data.results.first())?,
        })
    }

    /// Whether the operation is done on whole vectors.
    fn on_vectors(op: PureOp, types: Types) -> bool {
        match op {
            _ if is_narrow(types.first) && op != PureOp::Bitcast => false,
            PureOp::Math(MathFn::AbsI | MathFn::CtLz | MathFn::CtPop | MathFn::CtTz) => true,
            PureOp::Math(MathFn::AbsF | MathFn::Sqrt | MathFn::Floor | MathFn::Ceil | MathFn::Trunc) => true,
            PureOp::Math(MathFn::RoundEven | MathFn::CopySign | MathFn::Fma | MathFn::IsNaN) => true,
            PureOp::Math(_) | PureOp::RemF => false,
            _ if is_conversion(op) => cast::is_native(types.first, types.result) || op == PureOp::Bitcast,
            _ => !int::is_division(op),
        }
    }

    /// Sums and products of 64-bit integers keep what is known of their range.
    fn index_arithmetic(&mut self, op: OpId, pure: PureOp) -> Emit<bool> {
        let result = self.source.result(op);
        if !matches!(self.ty(result), Type::Scalar(ScalarType::Index | ScalarType::Int(64))) {
            return Ok(false);
        }
        match pure {
            PureOp::IndexCast | PureOp::ExtSI => self.index_cast(op, result, true),
            PureOp::ExtUI | PureOp::IndexCastUI => self.index_cast(op, result, false),
            PureOp::AddI | PureOp::SubI | PureOp::MulI => {
                let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
                let (a, b) = (self.term(a)?, self.term(b)?);
                let term = self.index_binary(pure, a, b);
                self.set_term(result, term);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn index_cast(&mut self, op: OpId, result: ValueId, signed: bool) -> Emit<bool> {
        let operand = self.operand(op, 0)?;
        let Type::Scalar(from) = self.ty(operand) else { return Ok(false) };
        if from.bits() == 64 {
            let term = self.term(operand)?;
            self.set_term(result, term);
            return Ok(true);
        }
        let value = self.number(operand)?;
        let wide = self.resize(value, 64, signed);
        self.set_number(result, wide);
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

    /// One element, or a vector where [`Self::on_vectors`].
    fn pure_values(&mut self, op: PureOp, args: &[V], ty: Types) -> Emit<Vec<V>> {
        match (op, args) {
            (PureOp::CmpI(cmp), &[a, b]) => Ok(vec![self.icmp(int::predicate(cmp), a, b)]),
            (PureOp::CmpF(cmp), &[a, b]) => {
                let (a, b) = (self.for_computing(a, ty.first), self.for_computing(b, ty.first));
                Ok(vec![self.compare_floats(cmp, a, b)])
            }
            (PureOp::Math(f), _) if args.first().is_some_and(|a| a.ty.lanes > 0) && ty.first.is_float() => {
                let native = self.math_native(f, args);
                Ok(vec![native.ok_or_else(|| self.malformed(&format!("{f:?} of other operands")))?])
            }
            (PureOp::Math(f), _) => Ok(vec![self.math_scalar(f, args, ty.first)?]),
            (_, &[a]) if is_conversion(op) => Ok(vec![self.cast(op, a, ty.first, ty.result)?]),
            _ if ty.first.is_float() => Ok(vec![self.float_value(op, args, ty.first)?]),
            (_, &[a, b]) => self.int_binary(op, a, b),
            _ => Err(self.malformed("an operation with the wrong number of operands")),
        }
    }

    /// f32 instead of narrower floats.
    fn for_computing(&mut self, v: V, ty: ScalarType) -> V {
        if is_narrow(ty) { self.widen_narrow(v, ty) } else { v }
    }

    fn float_value(&mut self, op: PureOp, args: &[V], ty: ScalarType) -> Emit<V> {
        if is_narrow(ty) {
            let wide: Vec<_> = args.iter().map(|&a| self.widen_narrow(a, ty)).collect();
            let result = self.float_value(op, &wide, ScalarType::F32)?;
            return Ok(self.round_narrow(result, ty));
        }
        if let (PureOp::RemF, &[a, b]) = (op, args) {
            return Ok(self.float_remainder(a, b));
        }
        self.float_native(op, args)
            .ok_or_else(|| self.malformed(&format!("{op:?} isn't defined on floats")))
    }

    fn lane_by_lane(&mut self, op: OpId, pure: PureOp, args: &[V], ty: Types) -> Emit<Vec<V>> {
        let results = &self.source[op].results;
        let lanes = args.first().map_or(0, |v| v.ty.lanes);
        let mut elements = vec![Vec::new(); results.len()];
        for n in 0..lanes {
            let args: Vec<_> = args.iter().map(|&a| self.lane(a, n)).collect();
            for (list, v) in elements.iter_mut().zip(self.pure_values(pure, &args, ty)?) {
                list.push(v);
            }
        }
        let mut vectors = Vec::new();
        for (&r, elements) in results.iter().zip(elements) {
            let Type::Vector(ty) = self.ty(r) else {
                return Err(self.malformed("a result that isn't a vector"));
            };
            let held = types::vector(ty, &self.loc)?;
            vectors.push(self.gather(&elements, held));
        }
        Ok(vectors)
    }

    fn select(&mut self, op: OpId) -> Emit<()> {
        let (cond, a, b) = (self.operand(op, 0)?, self.operand(op, 1)?, self.operand(op, 2)?);
        let result = self.source.result(op);
        let flag = self.number(cond)?;
        let val = match (self.val(a)?, self.val(b)?) {
            (Val::Number(x), Val::Number(y)) => Val::Number(self.choose(flag, x, y)),
            (Val::Unranked(r, d), Val::Unranked(s, e)) => Val::Unranked(self.choose(flag, r, s), self.choose(flag, d, e)),
            (Val::MemRef(x), Val::MemRef(y)) => Val::MemRef(Rc::new(self.select_memref(flag, &x, &y))),
            _ => return Err(self.malformed("a selection between different types")),
        };
        self.set(result, val);
        if let (Some(&x), Some(&y)) = (self.ranges.get(&a), self.ranges.get(&b)) {
            let range = Range {
                lo: x.lo.min(y.lo),
                hi: x.hi.max(y.hi),
            };
            self.ranges.insert(result, range);
        }
        Ok(())
    }

    fn select_memref(&mut self, flag: V, x: &Bundle, y: &Bundle) -> Bundle {
        let pick = |e: &mut Self, x: V, y: V| if x == y { x } else { e.choose(flag, x, y) };
        let all = |e: &mut Self, x: &[V], y: &[V]| x.iter().zip(y).map(|(&x, &y)| pick(e, x, y)).collect();
        Bundle {
            elem: x.elem,
            alloc: pick(self, x.alloc, y.alloc),
            data: pick(self, x.data, y.data),
            offset: pick(self, x.offset, y.offset),
            sizes: all(self, &x.sizes, &y.sizes),
            strides: all(self, &x.strides, &y.strides),
        }
    }
}
