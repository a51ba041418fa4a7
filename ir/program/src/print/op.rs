//! The head of each operation: everything but its regions.

use super::{Printer, affine::Operands, join};
use crate::{
    Access, Constant, FastMath, ForOp, IfCond, LoopExec, Op, OpId, OpKind, PureOp, ScalarType, Slice, SliceDim, Step, Type, ValueId,
};
use std::fmt::Debug;

/// The text of a constant whose scalars are of type `elem`. Floats narrower than 32 bits, NaNs and infinities are shown as bits.
pub(super) fn constant(c: &Constant, elem: ScalarType) -> String {
    match c {
        Constant::Int(v) => match (elem, v) {
            (ScalarType::Int(1), 0) => "false".to_owned(),
            (ScalarType::Int(1), _) => "true".to_owned(),
            _ => v.to_string(),
        },
        Constant::Float(bits) => float(*bits, elem),
        Constant::Vector(lanes) => format!("[{}]", join(lanes.iter().map(|c| constant(c, elem)))),
        Constant::Splat(c) => format!("splat({})", constant(c, elem)),
    }
}

fn float(bits: u64, elem: ScalarType) -> String {
    let digits = usize::from(elem.bits() / 4);
    match elem {
        ScalarType::F64 if f64::from_bits(bits).is_finite() => format!("{:?}", f64::from_bits(bits)),
        ScalarType::F32 => match u32::try_from(bits).map(f32::from_bits) {
            Ok(v) if v.is_finite() => format!("{v:?}"),
            _ => format!("0x{bits:0digits$X}"),
        },
        _ => format!("0x{bits:0digits$X}"),
    }
}

fn lower(name: &impl Debug) -> String {
    format!("{name:?}").to_lowercase()
}

fn pure_name(op: PureOp) -> String {
    match op {
        PureOp::CmpI(p) => format!("cmpi {}", lower(&p)),
        PureOp::CmpF(p) => format!("cmpf {}", lower(&p)),
        PureOp::Math(f) => lower(&f),
        PureOp::Extract(lane) => format!("extract[{lane}]"),
        PureOp::Insert(lane) => format!("insert[{lane}]"),
        _ => lower(&op),
    }
}

fn fast_math(f: FastMath) -> String {
    let flags = [
        (f.reassoc, "reassoc"),
        (f.nnan, "nnan"),
        (f.ninf, "ninf"),
        (f.nsz, "nsz"),
        (f.arcp, "arcp"),
        (f.contract, "contract"),
        (f.afn, "afn"),
    ];
    let set: Vec<_> = flags.iter().filter(|f| f.0).map(|f| f.1).collect();
    if set.is_empty() {
        String::new()
    } else {
        format!(" fastmath<{}>", set.join(","))
    }
}

impl Printer<'_> {
    /// One operation without its regions and without a line break.
    pub(super) fn op(&self, id: OpId) -> String {
        let op = &self.function[id];
        let results = if op.results.is_empty() {
            String::new()
        } else {
            format!("{} = ", self.values(&op.results))
        };
        format!("{results}{}", self.body(op))
    }

    fn body(&self, op: &Op) -> String {
        let (first, rest) = match op.operands.split_first() {
            Some((&v, rest)) => (self.names.value(v), rest),
            None => ("%missing".to_owned(), &[][..]),
        };
        match &op.kind {
            OpKind::Constant(c) => {
                let ty = op.results.first().map(|&r| &self.function[r].ty);
                let elem = ty.and_then(|t| t.element()).unwrap_or(ScalarType::Index);
                format!("constant {}{}", constant(c, elem), self.results_suffix(op))
            }
            OpKind::Pure(p, fm) => self.generic(op, &format!("{}{}", pure_name(*p), fast_math(*fm))),
            OpKind::Apply(map) => format!("apply {}", self.with(map.dims, &op.operands).results(map)),
            OpKind::Min(map) => format!("min({})", self.with(map.dims, &op.operands).results(map)),
            OpKind::Max(map) => format!("max({})", self.with(map.dims, &op.operands).results(map)),
            OpKind::Load(access) => self.load(op, access),
            OpKind::Store(access) => self.store(op, access),
            OpKind::Alloc { stack, align } => {
                let word = if *stack { "alloca" } else { "alloc" };
                let align = if *align > 0 { format!(" align {align}") } else { String::new() };
                format!("{word}({}){align}{}", self.values(&op.operands), self.results_suffix(op))
            }
            OpKind::Dealloc => self.generic(op, "dealloc"),
            OpKind::Copy => self.generic(op, "copy"),
            OpKind::Dim => format!("dim {}", self.values(&op.operands)),
            OpKind::Rank => format!("rank {}", self.values(&op.operands)),
            OpKind::Stride(n) => format!("stride {}, {n}", self.values(&op.operands)),
            OpKind::Address => format!("address {}", self.values(&op.operands)),
            OpKind::CastMemRef => self.generic(op, "cast"),
            OpKind::SubView(slice) => format!("subview {first}{}{}", self.slice(slice, rest), self.results_suffix(op)),
            OpKind::ReinterpretCast(slice) => format!("reinterpret_cast {first}{}{}", self.slice(slice, rest), self.results_suffix(op)),
            OpKind::Transpose(perm) => format!("transpose {first} {perm:?}{}", self.results_suffix(op)),
            OpKind::Reshape { collapse, groups } => {
                let word = if *collapse { "collapse_shape" } else { "expand_shape" };
                let sizes = if rest.is_empty() {
                    String::new()
                } else {
                    format!(" sizes({})", self.values(rest))
                };
                format!("{word} {first} {groups:?}{sizes}{}", self.results_suffix(op))
            }
            OpKind::GetGlobal(n) => {
                let name = self.program.and_then(|p| p.globals.get(*n as usize));
                let name = name.map_or_else(|| format!("#{n}"), |g| format!("@{}", g.name));
                format!("get_global {name}{}", self.results_suffix(op))
            }
            OpKind::Overlap => self.generic(op, "overlap"),
            OpKind::Call(name) => {
                let args = self.values(&op.operands);
                format!(
                    "call @{name}({args}) : ({}) -> ({})",
                    self.types(&op.operands),
                    self.types(&op.results)
                )
            }
            OpKind::Assert(text) => format!("assert {first}, {text:?}"),
            OpKind::Unsupported { name, reason } => format!(
                "unsupported {name:?} ({reason}) ({}) : ({}) -> ({})",
                self.values(&op.operands),
                self.types(&op.operands),
                self.types(&op.results)
            ),
            _ => self.control(op),
        }
    }

    /// Structured and unstructured control flow.
    fn control(&self, op: &Op) -> String {
        match &op.kind {
            OpKind::For(f) => self.for_head(op, f),
            OpKind::If(IfCond::Set(set)) => {
                let cond = self.with(set.dims, &op.operands).set(set);
                format!("if ({cond}){}", self.arrow(op))
            }
            OpKind::If(IfCond::Value) => format!("if {}{}", self.values(&op.operands), self.arrow(op)),
            OpKind::While => {
                let entry = op.regions.first().and_then(|&r| self.function[r].blocks.first());
                let args: &[ValueId] = entry.map_or(&[], |&b| &self.function[b].args);
                let pairs = args.iter().zip(&op.operands);
                let inits =
                    join(pairs.map(|(&a, &i)| format!("{}: {} = {}", self.names.value(a), self.function[a].ty, self.names.value(i))));
                format!("while ({inits}){}", self.arrow(op))
            }
            OpKind::ExecuteRegion => format!("execute_region{}", self.arrow(op)),
            OpKind::Condition => self.generic(op, "condition"),
            OpKind::Yield => self.generic(op, "yield"),
            OpKind::Return => self.generic(op, "return"),
            OpKind::Br(target) => format!("br {}", self.target(*target, &op.operands)),
            OpKind::CondBr {
                then,
                otherwise,
                then_args,
            } => {
                let (cond, args) = op.operands.split_at(op.operands.len().min(1));
                let (a, b) = args.split_at((*then_args as usize).min(args.len()));
                format!(
                    "cond_br {}, {}, {}",
                    self.values(cond),
                    self.target(*then, a),
                    self.target(*otherwise, b)
                )
            }
            OpKind::Switch { default, cases } => {
                let (flag, mut args) = op.operands.split_at(op.operands.len().min(1));
                let mut take = |n: u32| {
                    let (a, rest) = args.split_at((n as usize).min(args.len()));
                    args = rest;
                    a
                };
                let mut arms = vec![format!("default: {}", self.target(default.0, take(default.1)))];
                arms.extend(cases.iter().map(|(v, b, n)| format!("{v}: {}", self.target(*b, take(*n)))));
                format!("switch {} [{}]", self.values(flag), arms.join(", "))
            }
            _ => "unreachable".to_owned(),
        }
    }

    fn with(&self, dims: u32, operands: &[ValueId]) -> Operands {
        Operands {
            names: operands.iter().map(|&v| self.names.value(v)).collect(),
            dims,
        }
    }

    fn load(&self, op: &Op, access: &Access) -> String {
        let Some((&memref, rest)) = op.operands.split_first() else {
            return "load %missing".to_owned();
        };
        let mut types = vec![self.function[memref].ty.to_string()];
        types.extend(
            op.results
                .iter()
                .map(|&r| &self.function[r].ty)
                .filter(|t| matches!(t, Type::Vector(_)))
                .map(ToString::to_string),
        );
        format!("load {} : {}", self.place(memref, rest, access), types.join(", "))
    }

    fn store(&self, op: &Op, access: &Access) -> String {
        let [value, memref, rest @ ..] = &op.operands[..] else {
            return "store %missing".to_owned();
        };
        let mut types = vec![self.function[*memref].ty.to_string()];
        types.extend(
            Some(&self.function[*value].ty)
                .filter(|t| matches!(t, Type::Vector(_)))
                .map(ToString::to_string),
        );
        format!(
            "store {}, {} : {}",
            self.names.value(*value),
            self.place(*memref, rest, access),
            types.join(", ")
        )
    }

    /// `%memref[subscripts]`, with the word `checked` where the subscripts are checked at run time.
    fn place(&self, memref: ValueId, operands: &[ValueId], access: &Access) -> String {
        let subscripts = self.with(access.map.dims, operands).results(&access.map);
        let checked = if access.checked { " checked" } else { "" };
        format!("{}[{subscripts}]{checked}", self.names.value(memref))
    }

    fn slice(&self, slice: &Slice, operands: &[ValueId]) -> String {
        let mut rest = operands.iter();
        let mut list = |dims: &[SliceDim]| {
            join(dims.iter().map(|d| match d {
                SliceDim::Const(c) => c.to_string(),
                SliceDim::Operand => rest.next().map_or_else(|| "%missing".to_owned(), |&v| self.names.value(v)),
            }))
        };
        format!("[{}] [{}] [{}]", list(&slice.offsets), list(&slice.sizes), list(&slice.strides))
    }

    fn for_head(&self, op: &Op, f: &ForOp) -> String {
        let (lower, rest) = op.operands.split_at(f.lower.operands().min(op.operands.len()));
        let (upper, rest) = rest.split_at(f.upper.operands().min(rest.len()));
        let (step, inits) = rest.split_at(usize::from(f.step == Step::Value).min(rest.len()));
        let step = match f.step {
            Step::Const(1) => String::new(),
            Step::Const(c) => format!(" step {c}"),
            Step::Value => format!(" step {}", self.values(step)),
        };
        let entry = op.regions.first().and_then(|&r| self.function[r].blocks.first());
        let args: &[ValueId] = entry.map_or(&[], |&b| &self.function[b].args);
        let iterator = args.first().map_or_else(|| "%missing".to_owned(), |&v| self.names.value(v));
        let carried = args.iter().skip(1).zip(inits);
        let carried: Vec<_> = carried
            .map(|(&a, &i)| format!("{}: {} = {}", self.names.value(a), self.function[a].ty, self.names.value(i)))
            .collect();
        let carried = if carried.is_empty() {
            String::new()
        } else {
            format!(" iter_args({})", carried.join(", "))
        };
        let lower = self.with(f.lower.dims, lower).bound(&f.lower, "max");
        let upper = self.with(f.upper.dims, upper).bound(&f.upper, "min");
        format!("for {iterator} = {lower} to {upper}{step}{carried}{}", marks(f))
    }

    fn target(&self, block: crate::BlockId, args: &[ValueId]) -> String {
        let name = self.names.block(block);
        if args.is_empty() {
            name
        } else {
            format!("{name}({})", self.values(args))
        }
    }

    /// `name operands : type`, the type written once where all agree.
    fn generic(&self, op: &Op, name: &str) -> String {
        let operands = self.values(&op.operands);
        let space = if operands.is_empty() { "" } else { " " };
        let all = op.operands.iter().chain(&op.results);
        let mut types: Vec<_> = all.map(|&v| &self.function[v].ty).collect();
        types.dedup();
        let suffix = match &types[..] {
            [] => String::new(),
            [one] => format!(" : {one}"),
            _ if op.results.is_empty() => format!(" : {}", self.types(&op.operands)),
            _ => format!(" : ({}) -> ({})", self.types(&op.operands), self.types(&op.results)),
        };
        format!("{name}{space}{operands}{suffix}")
    }

    fn results_suffix(&self, op: &Op) -> String {
        format!(" : {}", self.types(&op.results))
    }

    fn arrow(&self, op: &Op) -> String {
        if op.results.is_empty() {
            String::new()
        } else {
            format!(" -> ({})", self.types(&op.results))
        }
    }
}

fn marks(f: &ForOp) -> String {
    let exec = match f.exec {
        LoopExec::Serial => "",
        LoopExec::Parallel => " parallel",
        LoopExec::Vector => " vector",
    };
    let independent = if f.independent { " independent" } else { "" };
    let full = if f.full_tile { " full_tile" } else { "" };
    format!("{independent}{exec}{full}")
}
