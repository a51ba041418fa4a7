//! Operations of the dialect `llvm`, as the emitter makes them. Sums and products of constants are folded; LLVM does the rest.

use super::core::Emitter;
use super::text::{Block, Elem, Ty, V, list, target, types};
use tilia_codegen::native::Runtime;

/// Attributes of a call that depends on its arguments only.
const PURE: &str = "{memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, \
    targetMem1 = none>, no_unwind, will_return}";

/// What is said of a loop that LLVM's vectoriser is to leave alone.
const NO_VECTORS: &str = " {loop_annotation = #llvm.loop_annotation<vectorize = #llvm.loop_vectorize<disable = true>>}";

/// Whether the exact result of an operation on indices is known to fit into 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrap {
    /// It may leave them.
    May,
    /// As a signed number it doesn't.
    Never,
}

impl Wrap {
    fn text(self) -> &'static str {
        match self {
            Self::May => "",
            Self::Never => " overflow<nsw>",
        }
    }
}

impl Emitter<'_, '_> {
    fn level_of(&self, values: &[V]) -> u32 {
        values.iter().map(|&v| self.code.level(v)).max().unwrap_or(0)
    }

    pub(super) fn int(&mut self, value: i64) -> V {
        self.code.int(value, Ty::I64)
    }

    pub(super) fn word(&mut self, value: u64) -> V {
        self.code.int(value.cast_signed(), Ty::I64)
    }

    /// A binary operation on values of one type.
    pub(super) fn binary(&mut self, name: &str, a: V, b: V) -> V {
        let level = self.level_of(&[a, b]);
        self.code.value(a.ty, level, format_args!("llvm.{name} {a}, {b} : {}", a.ty))
    }

    fn wrapping(&mut self, name: &str, a: V, b: V, wrap: Wrap) -> V {
        let level = self.level_of(&[a, b]);
        self.code
            .value(a.ty, level, format_args!("llvm.{name} {a}, {b}{} : {}", wrap.text(), a.ty))
    }

    /// The sum of indices.
    pub(super) fn add(&mut self, a: V, b: V, wrap: Wrap) -> V {
        match (self.code.known(a), self.code.known(b)) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(x), Some(y)) => self.int(x.wrapping_add(y)),
            (Some(_), None) => self.wrapping("add", b, a, wrap),
            _ => self.wrapping("add", a, b, wrap),
        }
    }

    /// The difference of indices.
    pub(super) fn sub(&mut self, a: V, b: V, wrap: Wrap) -> V {
        match (self.code.known(a), self.code.known(b)) {
            (_, Some(0)) => a,
            (Some(x), Some(y)) => self.int(x.wrapping_sub(y)),
            _ => self.wrapping("sub", a, b, wrap),
        }
    }

    /// The product of indices.
    pub(super) fn mul(&mut self, a: V, b: V, wrap: Wrap) -> V {
        match (self.code.known(a), self.code.known(b)) {
            (Some(1), _) => b,
            (_, Some(1)) => a,
            (Some(0), _) | (_, Some(0)) => self.int(0),
            (Some(x), Some(y)) => self.int(x.wrapping_mul(y)),
            (Some(_), None) => self.wrapping("mul", b, a, wrap),
            _ => self.wrapping("mul", a, b, wrap),
        }
    }

    /// An integer comparison by its predicate's name.
    pub(super) fn icmp(&mut self, predicate: &str, a: V, b: V) -> V {
        let level = self.level_of(&[a, b]);
        let ty = a.ty.with(Elem::Int(1));
        self.code
            .value(ty, level, format_args!("llvm.icmp \"{predicate}\" {a}, {b} : {}", a.ty))
    }

    /// A comparison with a constant.
    pub(super) fn icmp_const(&mut self, predicate: &str, a: V, b: i64) -> V {
        let b = self.code.int(b, a.ty);
        self.icmp(predicate, a, b)
    }

    /// A comparison of floats by its predicate's name.
    pub(super) fn fcmp(&mut self, predicate: &str, a: V, b: V) -> V {
        let level = self.level_of(&[a, b]);
        let ty = a.ty.with(Elem::Int(1));
        self.code
            .value(ty, level, format_args!("llvm.fcmp \"{predicate}\" {a}, {b} : {}", a.ty))
    }

    pub(super) fn choose(&mut self, flag: V, then: V, otherwise: V) -> V {
        let level = self.level_of(&[flag, then, otherwise]);
        let text = format_args!("llvm.select {flag}, {then}, {otherwise} : {}, {}", flag.ty, then.ty);
        self.code.value(then.ty, level, text)
    }

    /// A conversion by its operation's name.
    pub(super) fn convert(&mut self, name: &str, v: V, to: Elem) -> V {
        let ty = v.ty.with(to);
        if ty == v.ty {
            return v;
        }
        let level = self.level_of(&[v]);
        self.code.value(ty, level, format_args!("llvm.{name} {v} : {} to {ty}", v.ty))
    }

    /// To an integer of another width, by sign or zeros.
    pub(super) fn resize(&mut self, v: V, to: u8, signed: bool) -> V {
        let from = v.ty.bits();
        if let (Some(c), 0) = (self.code.known(v), v.ty.lanes) {
            let c = if signed || from == 64 {
                c
            } else {
                c & (i64::MAX >> (63 - u32::from(from.clamp(1, 63))))
            };
            return self.code.int(c, Ty::scalar(Elem::Int(to)));
        }
        let name = match to.cmp(&from) {
            std::cmp::Ordering::Equal => return v,
            std::cmp::Ordering::Less => "trunc",
            std::cmp::Ordering::Greater if signed => "sext",
            std::cmp::Ordering::Greater => "zext",
        };
        self.convert(name, v, Elem::Int(to))
    }

    /// An intrinsic without attributes.
    pub(super) fn intrinsic(&mut self, name: &str, args: &[V], result: Ty) -> V {
        let level = self.level_of(args);
        let text = format_args!("llvm.intr.{name}({}) : ({}) -> {result}", list(args), types(args));
        self.code.value(result, level, text)
    }

    /// An intrinsic of one operand that is no operation of the dialect: called by its full name, which holds the types.
    pub(super) fn named_intrinsic(&mut self, name: &str, arg: V, result: Ty) -> V {
        let level = self.level_of(&[arg]);
        let ty = arg.ty;
        let word = |t: Ty| match t.lanes {
            0 => format!("{}", Ty::scalar(t.elem)),
            n => format!("v{n}{}", Ty::scalar(t.elem)),
        };
        let text = format_args!(
            "llvm.call_intrinsic \"llvm.{name}.{}.{}\"({arg}) : ({ty}) -> {result}",
            word(result),
            word(ty)
        );
        self.code.value(result, level, text)
    }

    /// An intrinsic of one operand that has a flag.
    pub(super) fn flagged_intrinsic(&mut self, name: &str, arg: V, flag: &str) -> V {
        let level = self.level_of(&[arg]);
        let ty = arg.ty;
        let text = format_args!("\"llvm.intr.{name}\"({arg}) <{{{flag} = false}}> : ({ty}) -> {ty}");
        self.code.value(ty, level, text)
    }

    /// Result and overflow flag of `sadd` or `smul`.
    pub(super) fn with_overflow(&mut self, name: &str, a: V, b: V) -> (V, V) {
        let level = self.level_of(&[a, b]);
        let pair = "!llvm.struct<(i64, i1)>";
        let both = self.code.value(
            Ty::I64,
            level,
            format_args!("\"llvm.intr.{name}.with.overflow\"({a}, {b}) : (i64, i64) -> {pair}"),
        );
        let value = self
            .code
            .value(Ty::I64, level, format_args!("llvm.extractvalue {both}[0] : {pair}"));
        let flag = self.code.value(Ty::I1, level, format_args!("llvm.extractvalue {both}[1] : {pair}"));
        (value, flag)
    }

    /// The address `bytes` behind another.
    pub(super) fn offset(&mut self, base: V, bytes: u64) -> V {
        if bytes == 0 {
            return base;
        }
        let level = self.level_of(&[base]);
        let text = format_args!("llvm.getelementptr {base}[{bytes}] : (!llvm.ptr) -> !llvm.ptr, i8");
        self.code.value(Ty::PTR, level, text)
    }

    /// The address of element `index` of an array of elements of type `elem` that holds it.
    pub(super) fn element_address(&mut self, base: V, index: V, elem: Elem) -> V {
        let level = self.level_of(&[base, index]);
        let text = match self.code.known(index) {
            Some(0) => return base,
            _ => format!("llvm.getelementptr inbounds {base}[{index}] : (!llvm.ptr, i64) -> !llvm.ptr, {elem}"),
        };
        self.code.value(Ty::PTR, level, format_args!("{text}"))
    }

    /// Loads something that isn't an element of a memref.
    pub(super) fn load_plain(&mut self, at: V, ty: Ty) -> V {
        let level = self.depth;
        self.code.value(
            ty,
            level,
            format_args!("llvm.load {at} {{alignment = 8 : i64}} : !llvm.ptr -> {ty}"),
        )
    }

    /// Stores something that isn't an element of a memref.
    pub(super) fn store_plain(&mut self, v: V, at: V) {
        self.code
            .line(format_args!("llvm.store {v}, {at} {{alignment = 8 : i64}} : {}, !llvm.ptr", v.ty));
    }

    /// Calls a C function; `pure` says that it depends on its arguments only.
    pub(super) fn call_address(&mut self, address: u64, args: &[V], result: Option<Ty>, pure: bool) -> Option<V> {
        let level = if pure { self.level_of(args) } else { self.depth };
        let callee = self.code.address(address);
        let attributes = if pure { PURE } else { "{no_unwind}" };
        let (names, params) = (list(args), types(args));
        match result {
            Some(ty) => Some(self.code.value(
                ty,
                level,
                format_args!("llvm.call {callee}({names}) {attributes} : !llvm.ptr, ({params}) -> {ty}"),
            )),
            None => {
                self.code.line(format_args!(
                    "llvm.call {callee}({names}) {attributes} : !llvm.ptr, ({params}) -> ()"
                ));
                None
            }
        }
    }

    /// Calls a function of the runtime that returns a value.
    pub(super) fn call_runtime(&mut self, function: Runtime, args: &[V], result: Ty) -> V {
        let value = self.call_address(function.address() as u64, args, Some(result), false);
        value.unwrap_or(self.ctx)
    }

    /// Calls a function of numbers.
    pub(super) fn call_pure(&mut self, address: usize, args: &[V], result: Ty) -> V {
        let value = self.call_address(address as u64, args, Some(result), true);
        value.unwrap_or(self.ctx)
    }

    pub(super) fn jump(&mut self, to: Block, args: &[V]) {
        self.code.line(format_args!("llvm.br {}", target(to, args)));
    }

    pub(super) fn brif(&mut self, flag: V, then: (Block, &[V]), otherwise: (Block, &[V])) {
        let (a, b) = (target(then.0, then.1), target(otherwise.0, otherwise.1));
        self.code.line(format_args!("llvm.cond_br {flag}, {a}, {b}"));
    }

    /// The branch back of a loop; `vectors` says whether LLVM may make vectors of its iterations.
    pub(super) fn latch(&mut self, flag: V, again: (Block, &[V]), exit: (Block, &[V]), vectors: bool) {
        let (a, b) = (target(again.0, again.1), target(exit.0, exit.1));
        let annotation = if vectors { "" } else { NO_VECTORS };
        self.code.line(format_args!("llvm.cond_br {flag}, {a}, {b}{annotation}"));
    }

    /// A branch to `then`, hardly ever to `otherwise`.
    pub(super) fn expect(&mut self, flag: V, then: Block, otherwise: Block) {
        let (a, b) = (target(then, &[]), target(otherwise, &[]));
        self.code.line(format_args!("llvm.cond_br {flag} weights([100000, 1]), {a}, {b}"));
    }

    /// A lane of a vector; a scalar is its own only lane.
    pub(super) fn lane(&mut self, v: V, n: u32) -> V {
        if v.ty.lanes == 0 {
            return v;
        }
        let at = self.int(i64::from(n));
        let (level, ty) = (self.level_of(&[v]), Ty::scalar(v.ty.elem));
        self.code
            .value(ty, level, format_args!("llvm.extractelement {v}[{at} : i64] : {}", v.ty))
    }

    /// A vector with one lane replaced.
    pub(super) fn with_lane(&mut self, vector: V, n: u32, lane: V) -> V {
        let at = self.int(i64::from(n));
        let (level, ty) = (self.level_of(&[vector, lane]), vector.ty);
        self.code
            .value(ty, level, format_args!("llvm.insertelement {lane}, {vector}[{at} : i64] : {ty}"))
    }

    /// A vector of these lanes.
    pub(super) fn gather(&mut self, lanes: &[V], ty: Ty) -> V {
        let mut vector = self.code.poison(ty);
        for (n, &lane) in (0..).zip(lanes) {
            vector = self.with_lane(vector, n, lane);
        }
        vector
    }

    /// A scalar in all lanes.
    pub(super) fn splat(&mut self, v: V, lanes: u32) -> V {
        let ty = Ty { elem: v.ty.elem, lanes };
        if let (Some(c), Elem::Int(_)) = (self.code.known(v), ty.elem) {
            return self.code.int(c, ty);
        }
        let empty = self.code.poison(ty);
        let first = self.with_lane(empty, 0, v);
        let zeros = vec!["0"; lanes as usize].join(", ");
        let level = self.level_of(&[first]);
        self.code
            .value(ty, level, format_args!("llvm.shufflevector {first}, {first} [{zeros}] : {ty}"))
    }
}
