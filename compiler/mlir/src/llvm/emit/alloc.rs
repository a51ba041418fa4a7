//! Allocation.

use super::build::Wrap;
use super::core::{Emit, Emitter};
use super::text::{Ty, V};
use super::value::{Bundle, Val};
use std::rc::Rc;
use tilia_codegen::analysis::{Source, bundle};
use tilia_codegen::native::{Cause, Runtime};
use tilia_program::{Layout, MemRefType, OpId, ScalarType, Type};

/// Bytes up to which an `alloca` becomes a slot in the frame.
const MAX_SLOT: u64 = 4096;
/// Bytes of such slots in one function.
const MAX_SLOTS: u64 = 65536;

impl Emitter<'_, '_> {
    pub(super) fn alloc(&mut self, op: OpId, stack: bool, align: u64) -> Emit<()> {
        let result = self.source.result(op);
        let Type::MemRef(ty) = self.ty(result) else {
            return Err(self.malformed("an allocation that isn't a memref"));
        };
        let mut dynamic = self.source[op].operands.iter();
        let mut sizes = Vec::new();
        for d in &ty.shape {
            sizes.push(match d {
                Some(d) => self.int(i64::try_from(*d).unwrap_or(i64::MAX)),
                None => {
                    let v = *dynamic.next().ok_or_else(|| self.malformed("an allocation lacks sizes"))?;
                    match self.ranges.get(&v).and_then(|r| r.as_exact()) {
                        Some(c) => self.int(c),
                        None => self.number(v)?,
                    }
                }
            });
        }
        let pointer = match self.fixed_slot(op, stack, align, ty, &sizes) {
            Some(slot) => slot,
            None => self.allocate(op, stack, align, ty, &sizes),
        };
        let strides = self.fresh_strides(ty, &sizes)?;
        let offset = self.int(0);
        let bundle = Bundle {
            elem: ty.elem,
            alloc: pointer,
            data: pointer,
            offset,
            sizes,
            strides,
        };
        self.set(result, Val::MemRef(Rc::new(bundle)));
        Ok(())
    }

    /// Strides of new memory: row-major, or those of a strided layout that says them.
    fn fresh_strides(&mut self, ty: &MemRefType, sizes: &[V]) -> Emit<Vec<V>> {
        let shape = bundle(ty);
        let mut strides = vec![self.int(1); sizes.len()];
        for k in (1..sizes.len()).rev() {
            strides[k - 1] = self.mul(strides[k], sizes[k], Wrap::May);
        }
        let agrees = |(s, &v): (&Source, &V)| matches!((s, self.code.known(v)), (Source::Const(a), Some(b)) if *a == b);
        if matches!(ty.layout, Layout::Identity) || (shape.offset == Source::Const(0) && shape.strides.iter().zip(&strides).all(agrees)) {
            return Ok(strides);
        }
        let text = format!("memory of type {ty} can't be allocated: its layout isn't row-major");
        Err(tilia_diag::Diagnostic::error(self.loc.clone(), text)
            .help("allocate a row-major memref, and take a subview or reinterpret_cast of it"))
    }

    /// A slot in the frame, for small arrays of constant size that don't outlive an execution.
    fn fixed_slot(&mut self, op: OpId, stack: bool, align: u64, ty: &MemRefType, sizes: &[V]) -> Option<V> {
        let mut bytes = ty.elem.bytes();
        for &size in sizes {
            bytes = bytes.checked_mul(u64::try_from(self.code.known(size)?).ok()?)?;
        }
        let small = bytes <= MAX_SLOT && self.slot_bytes + bytes <= MAX_SLOTS && align <= 16;
        if !stack || !small || !self.facts.is_local(op) {
            return None;
        }
        let slot = self.stack_slot(bytes.max(1), 16);
        // Every execution of an `alloca` gives fresh memory.
        let (zero, length) = (self.code.int(0, Ty::scalar(super::text::Elem::Int(8))), self.word(bytes));
        self.code.line(format_args!(
            "\"llvm.intr.memset\"({slot}, {zero}, {length}) <{{isVolatile = false}}> : (!llvm.ptr, i8, i64) -> ()"
        ));
        Some(slot)
    }

    fn allocate(&mut self, op: OpId, stack: bool, align: u64, ty: &MemRefType, sizes: &[V]) -> V {
        let dims = self.spill(sizes);
        let packed = self.packed(sizes.len(), ty.elem);
        let site = self.site(Cause::Alloc { ty: ty.to_string() });
        let align = self.word(align);
        let ctx = self.ctx;
        let pointer = if stack && self.facts.is_local(op) {
            let slot = self.stack_slot(16, 8);
            self.to_free.push(slot);
            self.clear_slot(slot);
            self.call_runtime(Runtime::Alloca, &[ctx, site, dims, packed, align, slot], Ty::PTR)
        } else {
            // An `alloca` that escapes its iteration is freed with the call, as is heap memory that the program forgets.
            self.call_runtime(Runtime::Alloc, &[ctx, site, dims, packed, align], Ty::PTR)
        };
        self.check_pointer(pointer);
        pointer
    }

    /// Empties the slot of an `alloca` at the function's entry.
    fn clear_slot(&mut self, slot: V) {
        let zeros = self.code.int(
            0,
            Ty {
                elem: super::text::Elem::Int(64),
                lanes: 2,
            },
        );
        self.code.entry_line(format_args!(
            "llvm.store {zeros}, {slot} {{alignment = 8 : i64}} : {}, !llvm.ptr",
            zeros.ty
        ));
    }

    /// Memory for that many words, freed when the call ends.
    pub(super) fn allocate_words(&mut self, count: usize) -> V {
        let count = self.word(count as u64);
        let dims = self.spill(&[count]);
        let packed = self.packed(1, ScalarType::Index);
        let ty = "a descriptor".to_owned();
        let site = self.site(Cause::Alloc { ty });
        let align = self.int(0);
        let ctx = self.ctx;
        let pointer = self.call_runtime(Runtime::Alloc, &[ctx, site, dims, packed, align], Ty::PTR);
        self.check_pointer(pointer);
        pointer
    }

    /// Rank and bytes of an element, as the runtime takes them.
    pub(super) fn packed(&mut self, rank: usize, elem: ScalarType) -> V {
        self.word(rank as u64 | elem.bytes() << 32)
    }

    pub(super) fn dealloc(&mut self, op: OpId) -> Emit<()> {
        let memref = self.operand(op, 0)?;
        let pointer = match self.val(memref)? {
            Val::MemRef(m) => m.alloc,
            Val::Unranked(_, desc) => self.load_plain(desc, Ty::PTR),
            Val::Number(_) => return Err(self.malformed("a dealloc of a number")),
        };
        let site = self.site(Cause::Dealloc);
        let ctx = self.ctx;
        let function = if self.facts.keeps_memory(op) {
            Runtime::Retire
        } else {
            Runtime::Dealloc
        };
        let status = self.call_runtime(function, &[ctx, site, pointer], Ty::I64);
        self.check_status(status);
        Ok(())
    }
}
