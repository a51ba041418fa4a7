//! Arithmetic on floats, also lane by lane on vectors. No operation carries a fast-math flag.

use super::core::Emitter;
use super::text::{Elem, Ty, V};
use tilia_codegen::native::Runtime;
use tilia_program::{CmpF, PureOp, ScalarType};

fn predicate(cmp: CmpF) -> Option<&'static str> {
    Some(match cmp {
        CmpF::False | CmpF::True => return None,
        CmpF::Oeq => "oeq",
        CmpF::Ogt => "ogt",
        CmpF::Oge => "oge",
        CmpF::Olt => "olt",
        CmpF::Ole => "ole",
        CmpF::One => "one",
        CmpF::Ord => "ord",
        CmpF::Ueq => "ueq",
        CmpF::Ugt => "ugt",
        CmpF::Uge => "uge",
        CmpF::Ult => "ult",
        CmpF::Ule => "ule",
        CmpF::Une => "une",
        CmpF::Uno => "uno",
    })
}

/// Whether the type is computed in f32.
pub(super) fn is_narrow(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::F16 | ScalarType::BF16)
}

impl Emitter<'_, '_> {
    /// Operations of f32, f64 and vectors of them that are instructions. `None` for others.
    pub(super) fn float_native(&mut self, op: PureOp, args: &[V]) -> Option<V> {
        Some(match (op, args) {
            (PureOp::AddF, &[a, b]) => self.binary("fadd", a, b),
            (PureOp::SubF, &[a, b]) => self.binary("fsub", a, b),
            (PureOp::MulF, &[a, b]) => self.binary("fmul", a, b),
            (PureOp::DivF, &[a, b]) => self.binary("fdiv", a, b),
            (PureOp::NegF, &[a]) => {
                let level = self.code.level(a);
                self.code.value(a.ty, level, format_args!("llvm.fneg {a} : {}", a.ty))
            }
            (PureOp::MaximumF, &[a, b]) => self.intrinsic("maximum", &[a, b], a.ty),
            (PureOp::MinimumF, &[a, b]) => self.intrinsic("minimum", &[a, b], a.ty),
            (PureOp::MaxNumF, &[a, b]) => self.max_num("maximum", a, b),
            (PureOp::MinNumF, &[a, b]) => self.max_num("minimum", a, b),
            _ => return None,
        })
    }

    /// The larger or smaller; the other operand if one is NaN.
    fn max_num(&mut self, name: &str, a: V, b: V) -> V {
        let best = self.intrinsic(name, &[a, b], a.ty);
        let a_nan = self.fcmp("uno", a, a);
        let b_nan = self.fcmp("uno", b, b);
        let without_b = self.choose(b_nan, a, best);
        self.choose(a_nan, b, without_b)
    }

    pub(super) fn compare_floats(&mut self, cmp: CmpF, a: V, b: V) -> V {
        match predicate(cmp) {
            Some(name) => self.fcmp(name, a, b),
            None => self.code.int(i64::from(cmp == CmpF::True), a.ty.with(Elem::Int(1))),
        }
    }

    /// The remainder that truncates, as C's `fmod`.
    pub(super) fn float_remainder(&mut self, a: V, b: V) -> V {
        let function = if a.ty.elem == Elem::F32 {
            Runtime::RemainderF32
        } else {
            Runtime::RemainderF64
        };
        self.call_pure(function.address(), &[a, b], a.ty)
    }

    /// The f32 of the same value as an f16 or bf16, which is held as its bits.
    pub(super) fn widen_narrow(&mut self, v: V, ty: ScalarType) -> V {
        if ty == ScalarType::BF16 {
            let wide = self.resize(v, 32, false);
            let sixteen = self.code.int(16, wide.ty);
            let bits = self.binary("shl", wide, sixteen);
            return self.convert("bitcast", bits, Elem::F32);
        }
        // C callees may rely on narrow integers being extended.
        let v = self.resize(v, 32, false);
        self.call_pure(Runtime::F16ToF32.address(), &[v], Ty::scalar(Elem::F32))
    }

    /// The narrow value nearest to an f32 or f64.
    pub(super) fn round_narrow(&mut self, v: V, ty: ScalarType) -> V {
        let function = match (ty, v.ty.elem == Elem::F64) {
            (ScalarType::BF16, true) => Runtime::F64ToBF16,
            (ScalarType::BF16, false) => Runtime::F32ToBF16,
            (_, true) => Runtime::F64ToF16,
            (_, false) => Runtime::F32ToF16,
        };
        self.call_pure(function.address(), &[v], Ty::scalar(Elem::Int(16)))
    }
}
