//! Root buffers of a function: what they are, which may overlap, and which operations may touch them from afar.

use crate::index::Index;
use crate::views::{is_memref, view_of};
use rustc_hash::FxHashMap;
use tilia_program::{Function, Layout, MemRefUse, OpId, OpKind, Slice, SliceDim, ValueDef, ValueId};

/// Where a root buffer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RootKind {
    /// Allocated by this function.
    Alloc {
        /// Whether anything but this function's loads and stores may know its address.
        escaped: bool,
    },
    /// A global, by number.
    Global(u32),
    /// A parameter of the function.
    Param,
    /// Anything else: a call's result, a choice between buffers, an argument of an inner block.
    Unknown,
}

/// Kinds of the root buffers seen so far; one value stands for each buffer.
#[derive(Debug, Default)]
pub(crate) struct Roots {
    kinds: FxHashMap<ValueId, RootKind>,
    globals: FxHashMap<u32, ValueId>,
}

impl Roots {
    /// The value that stands for the buffer of `root`, a memref value that no view operation makes.
    pub(crate) fn canonical(&mut self, index: &Index<'_>, root: ValueId) -> ValueId {
        let kind = *self.kinds.entry(root).or_insert_with(|| classify(index, root));
        match kind {
            RootKind::Global(n) => *self.globals.entry(n).or_insert(root),
            _ => root,
        }
    }

    pub(crate) fn kind(&mut self, index: &Index<'_>, root: ValueId) -> RootKind {
        *self.kinds.entry(root).or_insert_with(|| classify(index, root))
    }

    /// Whether calls and unknown code may touch the buffer without being handed it.
    pub(crate) fn is_exposed(&mut self, index: &Index<'_>, root: ValueId) -> bool {
        self.kind(index, root) != RootKind::Alloc { escaped: false }
    }

    /// Whether two different root buffers may share memory.
    pub(crate) fn may_overlap(&mut self, index: &Index<'_>, a: ValueId, b: ValueId) -> bool {
        use RootKind::{Alloc, Global, Param, Unknown};
        match (self.kind(index, a), self.kind(index, b)) {
            (Alloc { escaped: false }, _) | (_, Alloc { escaped: false }) => false,
            // A fresh buffer lies in nothing that existed before; an escaped one may come back as something unknown.
            (Alloc { .. }, Alloc { .. } | Param | Global(_)) | (Param | Global(_), Alloc { .. }) => false,
            (Global(x), Global(y)) => x == y,
            (Unknown | Param, _) | (_, Unknown | Param) => true,
        }
    }
}

fn classify(index: &Index<'_>, root: ValueId) -> RootKind {
    let function = index.function;
    match function[root].def {
        ValueDef::Arg(block, _) if Some(block) == function.entry() => RootKind::Param,
        ValueDef::Arg(..) => RootKind::Unknown,
        ValueDef::Result(op, _) => match function[op].kind {
            OpKind::Alloc { .. } => RootKind::Alloc {
                escaped: escapes(index, root),
            },
            OpKind::GetGlobal(n) => RootKind::Global(n),
            _ => RootKind::Unknown,
        },
    }
}

/// Whether the buffer's address gets anywhere but into loads, stores, copies and views.
fn escapes(index: &Index<'_>, root: ValueId) -> bool {
    let function = index.function;
    let mut work = vec![root];
    while let Some(v) = work.pop() {
        for &user in index.users(v) {
            match function[user].kind.memref_use() {
                MemRefUse::Descriptor | MemRefUse::Elements | MemRefUse::Free => {}
                MemRefUse::View => work.extend(&function[user].results),
                MemRefUse::Other => return true,
            }
        }
    }
    false
}

/// A view of a root buffer that may reach elements which the root's own descriptor doesn't span: a `memref.reinterpret_cast` counts from the start of the buffer, which a descriptor need not span whole.
pub(crate) fn reaches_beyond(index: &Index<'_>, root: ValueId) -> Option<OpId> {
    let function = index.function;
    let elements = match function[root].ty.as_memref() {
        Some(m) if m.layout == Layout::Identity => m.shape.iter().try_fold(1i128, |n, d| n.checked_mul(i128::from((*d)?))),
        _ => None,
    };
    let mut work = vec![root];
    while let Some(v) = work.pop() {
        for &user in index.users(v) {
            match &function[user].kind {
                OpKind::ReinterpretCast(slice) if elements.zip(last_element(slice)).is_none_or(|(n, last)| last >= n) => {
                    return Some(user);
                }
                kind if kind.is_view() => work.extend(&function[user].results),
                _ => {}
            }
        }
    }
    None
}

/// The greatest number of an element that a slice of constants holds; nothing where something isn't constant, or elements have negative numbers.
fn last_element(slice: &Slice) -> Option<i128> {
    let known = |d: &SliceDim| match d {
        SliceDim::Const(c) => Some(i128::from(*c)),
        SliceDim::Operand => None,
    };
    let mut last = slice.offsets.first().and_then(known).filter(|o| *o >= 0)?;
    for (size, stride) in slice.sizes.iter().zip(&slice.strides) {
        let (size, stride) = (known(size)?, known(stride).filter(|s| *s >= 0)?);
        last = (size - 1).max(0).checked_mul(stride).and_then(|r| last.checked_add(r))?;
    }
    Some(last)
}

/// The value at the end of a chain of views.
pub(crate) fn root_of(function: &Function, memref: ValueId) -> ValueId {
    let mut at = memref;
    while let Some(op) = view_of(function, at) {
        match function[op].operands.first() {
            Some(&source) => at = source,
            None => break,
        }
    }
    at
}

/// What an operation, with everything inside it, may do to memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    /// Root buffers that may be read.
    pub(crate) reads: Vec<ValueId>,
    /// Root buffers that may be written.
    pub(crate) writes: Vec<ValueId>,
    /// Whether code that isn't seen runs: it may read and write every exposed buffer, and act on the world.
    pub(crate) unknown: bool,
}

fn add(list: &mut Vec<ValueId>, v: ValueId) {
    if !list.contains(&v) {
        list.push(v);
    }
}

/// Effects of one operation alone, without what is inside it.
pub(crate) fn own_effects(index: &Index<'_>, roots: &mut Roots, op: OpId) -> Effects {
    let function = index.function;
    let data = &function[op];
    let mut out = Effects::default();
    let mut root = |v: ValueId| roots.canonical(index, root_of(function, v));
    match &data.kind {
        OpKind::Load(_) => add(&mut out.reads, root(data.operands[0])),
        OpKind::Store(_) => add(&mut out.writes, root(data.operands[1])),
        OpKind::Copy => {
            add(&mut out.reads, root(data.operands[0]));
            add(&mut out.writes, root(data.operands[1]));
        }
        OpKind::Call(_) | OpKind::Unsupported { .. } => {
            out.unknown = true;
            for &v in data.operands.iter().filter(|&&v| is_memref(function, v)) {
                let r = root(v);
                add(&mut out.reads, r);
                add(&mut out.writes, r);
            }
        }
        OpKind::Assert(_) => out.unknown = true,
        _ => {}
    }
    out
}

/// Effects of an operation and of everything inside it.
pub(crate) fn effects(index: &Index<'_>, roots: &mut Roots, op: OpId) -> Effects {
    let mut out = Effects::default();
    for o in index.deep(op) {
        let own = own_effects(index, roots, o);
        own.reads.into_iter().for_each(|v| add(&mut out.reads, v));
        own.writes.into_iter().for_each(|v| add(&mut out.writes, v));
        out.unknown |= own.unknown;
    }
    out
}
