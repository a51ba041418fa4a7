//! Values in arrays of eight-byte words: arguments, results, captured values, descriptors.

use super::core::{Emit, Emitter};
use super::text::{Elem, Ty, V};
use super::types;
use super::value::{Bundle, Val};
use std::rc::Rc;
use tilia_codegen::analysis::{self, Source, VectorWords, bundle};
use tilia_program::{MemRefType, ScalarType, Type, ValueId, VectorType};

impl Emitter<'_, '_> {
    /// Loads a value of type `ty` from word number `word` on.
    pub(super) fn load_words(&mut self, base: V, word: u32, ty: &Type) -> Emit<Val> {
        let at = self.offset(base, u64::from(word) * 8);
        match ty {
            Type::Scalar(s) => {
                let v = self.load_plain(at, Ty::scalar(types::stored(*s)));
                Ok(Val::Number(self.narrowed(v, *s)))
            }
            Type::Vector(v) => self.load_vector_words(at, v).map(Val::Number),
            Type::MemRef(m) => self.load_bundle(at, m),
            Type::UnrankedMemRef(_) => {
                let rank = self.load_plain(at, Ty::I64);
                let next = self.offset(at, 8);
                Ok(Val::Unranked(rank, self.load_plain(next, Ty::PTR)))
            }
            Type::Opaque(text) => Err(analysis::opaque(text, &self.loc)),
        }
    }

    /// From how it lies in memory to how it is held.
    pub(super) fn narrowed(&mut self, v: V, ty: ScalarType) -> V {
        match types::elem(ty) {
            Elem::Int(bits) => self.resize(v, bits, false),
            _ => v,
        }
    }

    /// From how it is held to how it lies in memory.
    pub(super) fn widened(&mut self, v: V, ty: ScalarType) -> V {
        match types::stored(ty) {
            Elem::Int(bits) => self.resize(v, bits, false),
            _ => v,
        }
    }

    fn load_vector_words(&mut self, at: V, ty: &VectorType) -> Emit<V> {
        let held = types::vector(ty, &self.loc)?;
        let layout = VectorWords::of(ty).ok_or_else(|| self.malformed("a vector of too many elements"))?;
        let mut lanes = Vec::new();
        for offset in layout.offsets {
            let at = self.offset(at, offset as u64);
            let v = self.load_plain_unaligned(at, Ty::scalar(types::stored(ty.elem)));
            lanes.push(self.narrowed(v, ty.elem));
        }
        Ok(self.gather(&lanes, held))
    }

    fn load_plain_unaligned(&mut self, at: V, ty: Ty) -> V {
        let level = self.depth;
        self.code.value(
            ty,
            level,
            format_args!("llvm.load {at} {{alignment = 1 : i64}} : !llvm.ptr -> {ty}"),
        )
    }

    fn load_bundle(&mut self, at: V, ty: &MemRefType) -> Emit<Val> {
        let shape = bundle(ty);
        let sources = std::iter::once(&shape.offset).chain(&shape.sizes).chain(&shape.strides);
        let mut parts = Vec::new();
        for word in [0, 8] {
            let at = self.offset(at, word);
            parts.push(self.load_plain(at, Ty::PTR));
        }
        for (word, source) in (2u64..).zip(sources) {
            if *source == Source::Part {
                let at = self.offset(at, word * 8);
                parts.push(self.load_plain(at, Ty::I64));
            }
        }
        let made = Bundle::from_parts(ty, &parts, |c| self.code.int(c, Ty::I64));
        made.map(|b| Val::MemRef(Rc::new(b)))
            .ok_or_else(|| self.malformed("a memref lacks parts"))
    }

    /// Stores a value from word number `word` on, and returns the number of the word after it.
    pub(super) fn store_words(&mut self, base: V, word: u32, value: ValueId) -> Emit<u32> {
        let at = self.offset(base, u64::from(word) * 8);
        let ty = self.ty(value);
        match (self.val(value)?, ty) {
            (Val::MemRef(m), _) => self.store_all(at, &m.words()),
            (Val::Unranked(rank, desc), _) => self.store_all(at, &[rank, desc]),
            (Val::Number(v), Type::Vector(ty)) => {
                let layout = VectorWords::of(ty).ok_or_else(|| self.malformed("a vector of too many elements"))?;
                for (n, offset) in (0..).zip(layout.offsets) {
                    let lane = self.lane(v, n);
                    let lane = self.widened(lane, ty.elem);
                    let at = self.offset(at, offset as u64);
                    self.code.line(format_args!(
                        "llvm.store {lane}, {at} {{alignment = 1 : i64}} : {}, !llvm.ptr",
                        lane.ty
                    ));
                }
            }
            (Val::Number(v), Type::Scalar(s)) => {
                let v = self.widened(v, *s);
                self.store_plain(v, at);
            }
            _ => return Err(self.malformed("a number of another type")),
        }
        Ok(word + analysis::words(ty, &self.loc)?)
    }

    pub(super) fn store_all(&mut self, base: V, words: &[V]) {
        for (n, &word) in (0u64..).zip(words) {
            let at = self.offset(base, n * 8);
            self.store_plain(word, at);
        }
    }

    /// The address of a new stack slot that holds these words.
    pub(super) fn spill(&mut self, words: &[V]) -> V {
        let slot = self.stack_slot(words.len().max(1) as u64 * 8, 8);
        self.store_all(slot, words);
        slot
    }

    /// The address of a memref's descriptor in the frame, for those who only read it; written once in a block.
    pub(super) fn descriptor(&mut self, memref: ValueId) -> Emit<V> {
        let key = (self.code.current(), memref);
        if let Some(&slot) = self.spilled.get(&key) {
            return Ok(slot);
        }
        let words = self.bundle(memref)?.words();
        let slot = self.spill(&words);
        self.spilled.insert(key, slot);
        Ok(slot)
    }

    pub(super) fn stack_slot(&mut self, bytes: u64, align: u64) -> V {
        self.slot_bytes += bytes;
        self.code.slot(bytes, align)
    }
}
