//! Arithmetic on integers, also lane by lane on vectors. Where LLVM leaves a result undefined, the program IR's rule holds: see [`PureOp`].

use super::build::Wrap;
use super::core::{Emit, Emitter};
use super::text::{Elem, V};
use tilia_codegen::native::Cause;
use tilia_program::{CmpI, PureOp};

pub(super) fn predicate(cmp: CmpI) -> &'static str {
    match cmp {
        CmpI::Eq => "eq",
        CmpI::Ne => "ne",
        CmpI::Slt => "slt",
        CmpI::Sle => "sle",
        CmpI::Sgt => "sgt",
        CmpI::Sge => "sge",
        CmpI::Ult => "ult",
        CmpI::Ule => "ule",
        CmpI::Ugt => "ugt",
        CmpI::Uge => "uge",
    }
}

/// Whether it can end in an error, and so must be done lane by lane.
pub(super) fn is_division(op: PureOp) -> bool {
    use PureOp::{CeilDivSI, CeilDivUI, DivSI, DivUI, FloorDivSI, RemSI, RemUI};
    matches!(op, DivSI | DivUI | CeilDivSI | CeilDivUI | FloorDivSI | RemSI | RemUI)
}

impl Emitter<'_, '_> {
    /// Operations of two integers. Results: one, or two for the extended ones.
    pub(super) fn int_binary(&mut self, op: PureOp, a: V, b: V) -> Emit<Vec<V>> {
        let value = match op {
            PureOp::AddI => self.binary("add", a, b),
            PureOp::SubI => self.binary("sub", a, b),
            PureOp::MulI => self.binary("mul", a, b),
            PureOp::AndI => self.binary("and", a, b),
            PureOp::OrI => self.binary("or", a, b),
            PureOp::XOrI => self.binary("xor", a, b),
            PureOp::MaxUI => self.intrinsic("umax", &[a, b], a.ty),
            PureOp::MinUI => self.intrinsic("umin", &[a, b], a.ty),
            PureOp::MaxSI => self.intrinsic("smax", &[a, b], a.ty),
            PureOp::MinSI => self.intrinsic("smin", &[a, b], a.ty),
            PureOp::ShLI => self.shift("shl", a, b),
            PureOp::ShRUI => self.shift("lshr", a, b),
            PureOp::ShRSI => self.shift_signed(a, b),
            PureOp::DivUI | PureOp::RemUI | PureOp::CeilDivUI => self.divide_unsigned(op, a, b),
            PureOp::DivSI | PureOp::RemSI | PureOp::CeilDivSI | PureOp::FloorDivSI => self.divide_signed(op, a, b),
            PureOp::AddUIExtended => {
                let sum = self.binary("add", a, b);
                let carry = self.icmp("ult", sum, a);
                return Ok(vec![sum, carry]);
            }
            PureOp::MulSIExtended | PureOp::MulUIExtended => return Ok(self.mul_extended(a, b, op == PureOp::MulSIExtended)),
            _ => return Err(self.malformed("an operation that isn't one of integers")),
        };
        Ok(vec![value])
    }

    /// Shifts by the width or more give 0.
    fn shift(&mut self, name: &str, a: V, b: V) -> V {
        let shifted = self.binary(name, a, b);
        let short = self.icmp_const("ult", b, i64::from(a.ty.bits()));
        let zero = self.code.int(0, a.ty);
        self.choose(short, shifted, zero)
    }

    /// Shifts by the width or more give the sign.
    fn shift_signed(&mut self, a: V, b: V) -> V {
        let most = self.code.int(i64::from(a.ty.bits()) - 1, b.ty);
        let by = self.intrinsic("umin", &[b, most], b.ty);
        self.binary("ashr", a, by)
    }

    fn check_divisor(&mut self, b: V) {
        if self.code.known(b).is_some_and(|c| c != 0) {
            return;
        }
        let ok = self.icmp_const("ne", b, 0);
        let zero = self.int(0);
        self.check(ok, Cause::Text("division by zero".to_owned()), zero, zero);
    }

    fn check_quotient(&mut self, a: V, b: V) {
        if self.code.known(b).is_some_and(|c| c != -1) {
            return;
        }
        let x = self.icmp_const("ne", a, i64::MIN >> (64 - u32::from(a.ty.bits().clamp(1, 64))));
        let y = self.icmp_const("ne", b, -1);
        let ok = self.binary("or", x, y);
        let zero = self.int(0);
        let text = "the quotient of the least integer and -1 doesn't fit its type".to_owned();
        self.check(ok, Cause::Text(text), zero, zero);
    }

    fn divide_unsigned(&mut self, op: PureOp, a: V, b: V) -> V {
        self.check_divisor(b);
        match op {
            PureOp::RemUI => self.binary("urem", a, b),
            PureOp::DivUI => self.binary("udiv", a, b),
            _ => {
                let q = self.binary("udiv", a, b);
                let rest = self.binary("urem", a, b);
                let up = self.icmp_const("ne", rest, 0);
                let up = self.resize(up, a.ty.bits(), false);
                self.binary("add", q, up)
            }
        }
    }

    fn divide_signed(&mut self, op: PureOp, a: V, b: V) -> V {
        self.check_divisor(b);
        self.check_quotient(a, b);
        match op {
            PureOp::RemSI => self.binary("srem", a, b),
            PureOp::DivSI => self.binary("sdiv", a, b),
            _ => {
                let (q, r) = (self.binary("sdiv", a, b), self.binary("srem", a, b));
                // Rounded towards zero; the exact quotient is negative where remainder and divisor differ in sign.
                let inexact = self.icmp_const("ne", r, 0);
                let signs = self.binary("xor", r, b);
                let floor = op == PureOp::FloorDivSI;
                let direction = self.icmp_const(if floor { "slt" } else { "sge" }, signs, 0);
                let adjust = self.binary("and", inexact, direction);
                let adjust = self.resize(adjust, a.ty.bits(), false);
                self.binary(if floor { "sub" } else { "add" }, q, adjust)
            }
        }
    }

    fn mul_extended(&mut self, a: V, b: V, signed: bool) -> Vec<V> {
        let name = if signed { "sext" } else { "zext" };
        let (x, y) = (self.convert(name, a, Elem::Wide), self.convert(name, b, Elem::Wide));
        let product = self.binary("mul", x, y);
        let bits = self.code.int(i64::from(a.ty.bits()), product.ty);
        let high = self.binary("lshr", product, bits);
        let low = self.convert("trunc", product, a.ty.elem);
        vec![low, self.convert("trunc", high, a.ty.elem)]
    }

    /// A function of integers.
    pub(super) fn int_function(&mut self, f: tilia_program::MathFn, args: &[V]) -> Emit<V> {
        use tilia_program::MathFn;
        let &a = args.first().ok_or_else(|| self.malformed("a function without operands"))?;
        match (f, args.get(1)) {
            (MathFn::AbsI, None) => Ok(self.flagged_intrinsic("abs", a, "is_int_min_poison")),
            (MathFn::CtPop, None) => Ok(self.intrinsic("ctpop", &[a], a.ty)),
            (MathFn::CtLz, None) => Ok(self.flagged_intrinsic("ctlz", a, "is_zero_poison")),
            (MathFn::CtTz, None) => Ok(self.flagged_intrinsic("cttz", a, "is_zero_poison")),
            (MathFn::IPowI, Some(&b)) => {
                let (wide_a, wide_b) = (self.resize(a, 64, true), self.resize(b, 64, true));
                let entry = tilia_abi::math::entry(f, tilia_program::ScalarType::Int(64));
                let entry = entry.ok_or_else(|| self.malformed("no integer power"))?;
                let power = self.call_pure(entry.address() as usize, &[wide_a, wide_b], wide_a.ty);
                Ok(self.resize(power, a.ty.bits(), false))
            }
            _ => Err(self.malformed(&format!("{f:?} isn't defined on integers"))),
        }
    }

    /// The sum of two integers that may wrap, with what is known of it.
    pub(super) fn index_binary(&mut self, op: PureOp, a: super::affine::Term, b: super::affine::Term) -> super::affine::Term {
        use tilia_codegen::analysis::Range;
        let range = match op {
            PureOp::AddI => a.range.checked_add(b.range),
            PureOp::SubI => a.range.checked_sub(b.range),
            _ => a.range.checked_mul(b.range),
        };
        let wrap = if range.is_some() { Wrap::Never } else { Wrap::May };
        let value = match op {
            PureOp::AddI => self.add(a.value, b.value, wrap),
            PureOp::SubI => self.sub(a.value, b.value, wrap),
            _ => self.mul(a.value, b.value, wrap),
        };
        // These wrap: where they might, nothing is known of the result.
        super::affine::Term {
            value,
            range: range.unwrap_or(Range::FULL),
        }
    }
}
