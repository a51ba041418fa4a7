//! The text of one function of the dialect `llvm`, while it is being written.
//!
//! Values and blocks are numbered; a block's operations are collected as text. Constants and stack slots stand at the entry, each constant once.

use rustc_hash::FxHashMap;
use std::fmt::{self, Write};

/// A number's or address's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Elem {
    Int(u8),
    /// The double-width integer of products.
    Wide,
    F32,
    F64,
    Ptr,
}

/// A type: one element, or a vector of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Ty {
    pub(super) elem: Elem,
    /// Elements of a vector; 0 for a scalar.
    pub(super) lanes: u32,
}

impl Ty {
    pub(super) const I64: Self = Self::scalar(Elem::Int(64));
    pub(super) const I1: Self = Self::scalar(Elem::Int(1));
    pub(super) const F64: Self = Self::scalar(Elem::F64);
    pub(super) const PTR: Self = Self::scalar(Elem::Ptr);

    pub(super) const fn scalar(elem: Elem) -> Self {
        Self { elem, lanes: 0 }
    }

    /// The same shape with other elements.
    pub(super) const fn with(self, elem: Elem) -> Self {
        Self { elem, lanes: self.lanes }
    }

    /// Bits of an integer element.
    pub(super) fn bits(self) -> u8 {
        match self.elem {
            Elem::Int(bits) => bits,
            Elem::Wide => 128,
            Elem::F32 => 32,
            Elem::F64 | Elem::Ptr => 64,
        }
    }
}

impl fmt::Display for Elem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(bits) => write!(f, "i{bits}"),
            Self::Wide => f.write_str("i128"),
            Self::F32 => f.write_str("f32"),
            Self::F64 => f.write_str("f64"),
            Self::Ptr => f.write_str("!llvm.ptr"),
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            0 => self.elem.fmt(f),
            n => write!(f, "vector<{n}x{}>", self.elem),
        }
    }
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct V {
    id: u32,
    pub(super) ty: Ty,
}

impl fmt::Display for V {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.id)
    }
}

/// Names of values, separated by commas.
pub(super) fn list(values: &[V]) -> String {
    values.iter().map(V::to_string).collect::<Vec<_>>().join(", ")
}

/// Types of values, separated by commas.
pub(super) fn types(values: &[V]) -> String {
    values.iter().map(|v| v.ty.to_string()).collect::<Vec<_>>().join(", ")
}

/// A block of the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Block(u32);

#[derive(Default)]
struct BlockText {
    params: Vec<V>,
    text: String,
}

/// The function.
pub(super) struct FuncText {
    params: Vec<V>,
    /// What stands first in the entry.
    prelude: String,
    blocks: Vec<BlockText>,
    current: usize,
    constants: FxHashMap<String, V>,
    /// Integers that constants are, by value number.
    known: FxHashMap<u32, i64>,
    /// Loops around the operation that a value depends on innermost.
    levels: Vec<u32>,
}

impl FuncText {
    /// A function with parameters of these types; its entry is the current block.
    pub(super) fn new(params: &[Ty]) -> Self {
        let mut text = Self {
            params: Vec::new(),
            prelude: String::new(),
            blocks: vec![BlockText::default()],
            current: 0,
            constants: FxHashMap::default(),
            known: FxHashMap::default(),
            levels: Vec::new(),
        };
        text.params = params.iter().map(|&ty| text.fresh(ty, 0)).collect();
        text
    }

    pub(super) fn params(&self) -> Vec<V> {
        self.params.clone()
    }

    fn fresh(&mut self, ty: Ty, level: u32) -> V {
        let id = u32::try_from(self.levels.len()).unwrap_or(u32::MAX);
        self.levels.push(level);
        V { id, ty }
    }

    pub(super) fn new_block(&mut self) -> Block {
        self.blocks.push(BlockText::default());
        Block(u32::try_from(self.blocks.len() - 1).unwrap_or(u32::MAX))
    }

    pub(super) fn block_param(&mut self, block: Block, ty: Ty, level: u32) -> V {
        let v = self.fresh(ty, level);
        self.blocks[block.0 as usize].params.push(v);
        v
    }

    pub(super) fn switch_to(&mut self, block: Block) {
        self.current = block.0 as usize;
    }

    /// The block that operations are appended to.
    pub(super) fn current(&self) -> Block {
        Block(u32::try_from(self.current).unwrap_or(u32::MAX))
    }

    /// How many loops the value changes in.
    pub(super) fn level(&self, v: V) -> u32 {
        self.levels.get(v.id as usize).copied().unwrap_or(0)
    }

    /// The integer that a value is, if it is a constant.
    pub(super) fn known(&self, v: V) -> Option<i64> {
        self.known.get(&v.id).copied()
    }

    /// Appends an operation without result.
    pub(super) fn line(&mut self, text: fmt::Arguments<'_>) {
        let block = &mut self.blocks[self.current].text;
        let _ = writeln!(block, "    {text}");
    }

    /// Appends an operation with one result.
    pub(super) fn value(&mut self, ty: Ty, level: u32, text: fmt::Arguments<'_>) -> V {
        let v = self.fresh(ty, level);
        self.line(format_args!("{v} = {text}"));
        v
    }

    /// Appends an operation with one result at the entry, unless it is there already.
    fn at_entry(&mut self, ty: Ty, text: String) -> V {
        if let Some(&v) = self.constants.get(&text) {
            return v;
        }
        let v = self.fresh(ty, 0);
        let _ = writeln!(self.prelude, "    {v} = {text}");
        self.constants.insert(text, v);
        v
    }

    /// A constant of integers: the same in all lanes.
    pub(super) fn int(&mut self, value: i64, ty: Ty) -> V {
        let spare = 64 - u32::from(ty.bits().clamp(1, 64));
        let value = (value << spare) >> spare;
        let elem = match ty.elem {
            Elem::Int(1) => (value != 0).to_string(),
            _ => value.to_string(),
        };
        let v = self.splat_text(&elem, ty);
        if ty.lanes == 0 {
            self.known.insert(v.id, value);
        }
        v
    }

    /// A constant of floats by its bits: the same in all lanes.
    pub(super) fn float(&mut self, bits: u64, ty: Ty) -> V {
        let elem = element_text(bits, ty.elem);
        self.splat_text(&elem, ty)
    }

    fn splat_text(&mut self, elem: &str, ty: Ty) -> V {
        let text = match (ty.lanes, ty.elem) {
            (0, Elem::Int(1)) => format!("llvm.mlir.constant({elem}) : i1"),
            (0, _) => format!("llvm.mlir.constant({elem} : {ty}) : {ty}"),
            _ => format!("llvm.mlir.constant(dense<{elem}> : {ty}) : {ty}"),
        };
        self.at_entry(ty, text)
    }

    /// A vector of constants by their bits.
    pub(super) fn vector(&mut self, bits: &[u64], ty: Ty) -> V {
        let elements: Vec<_> = bits.iter().map(|&b| element_text(b, ty.elem)).collect();
        let text = format!("llvm.mlir.constant(dense<[{}]> : {ty}) : {ty}", elements.join(", "));
        self.at_entry(ty, text)
    }

    /// The address of something that lives longer than the code.
    pub(super) fn address(&mut self, address: u64) -> V {
        let number = self.int(address.cast_signed(), Ty::I64);
        self.at_entry(Ty::PTR, format!("llvm.inttoptr {number} : i64 to !llvm.ptr"))
    }

    /// Any value, for code that is never reached.
    pub(super) fn poison(&mut self, ty: Ty) -> V {
        self.at_entry(ty, format!("llvm.mlir.poison : {ty}"))
    }

    /// The address of another function of the module.
    pub(super) fn function(&mut self, name: &str) -> V {
        self.at_entry(Ty::PTR, format!("llvm.mlir.addressof @{name} : !llvm.ptr"))
    }

    /// A new slot in the frame.
    pub(super) fn slot(&mut self, bytes: u64, align: u64) -> V {
        let count = self.int(i64::try_from(bytes).unwrap_or(i64::MAX), Ty::I64);
        let v = self.fresh(Ty::PTR, 0);
        let _ = writeln!(
            self.prelude,
            "    {v} = llvm.alloca {count} x i8 {{alignment = {align} : i64}} : (i64) -> !llvm.ptr"
        );
        v
    }

    /// Appends an operation without result at the entry, behind the slots made so far.
    pub(super) fn entry_line(&mut self, text: fmt::Arguments<'_>) {
        let _ = writeln!(self.prelude, "    {text}");
    }

    /// The whole text; `head` is what stands before the parameters, `params` their attributes, `tail` what follows them.
    pub(super) fn finish(self, head: &str, attributes: &[&str], tail: &str) -> String {
        let params: Vec<_> = self
            .params
            .iter()
            .zip(attributes)
            .map(|(v, attributes)| format!("{v}: {} {attributes}", v.ty))
            .collect();
        let mut text = format!("  {head}({}) {tail} {{\n", params.join(", "));
        text.push_str(&self.prelude);
        for (n, block) in self.blocks.iter().enumerate() {
            if n > 0 {
                let params: Vec<_> = block.params.iter().map(|v| format!("{v}: {}", v.ty)).collect();
                let params = if params.is_empty() {
                    String::new()
                } else {
                    format!("({})", params.join(", "))
                };
                let _ = writeln!(text, "  ^b{n}{params}:");
            }
            text.push_str(&block.text);
        }
        text.push_str("  }\n");
        text
    }
}

/// A target of a branch, with what is passed.
pub(super) fn target(block: Block, args: &[V]) -> String {
    if args.is_empty() {
        return format!("^b{}", block.0);
    }
    format!("^b{}({} : {})", block.0, list(args), types(args))
}

fn element_text(bits: u64, elem: Elem) -> String {
    match elem {
        Elem::F64 => format!("0x{bits:016X}"),
        Elem::F32 => format!("0x{:08X}", bits & 0xffff_ffff),
        Elem::Int(1) => (bits & 1 != 0).to_string(),
        elem => {
            let spare = 64 - u32::from(Ty::scalar(elem).bits().clamp(1, 64));
            ((bits.cast_signed() << spare) >> spare).to_string()
        }
    }
}
