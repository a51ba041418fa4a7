//! Loads, stores, allocation.

use super::affine::Term;
use super::core::{Emit, Emitter};
use super::poly::Poly;
use super::value::{Bundle, Num, Val};
use super::{types, vector};
use crate::analysis::Forward;
use crate::rt;
use crate::sites::Cause;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value};
use std::rc::Rc;
use tilia_program::{Access, MemRefType, OpId, OpKind, ScalarType, Type, ValueDef, ValueId, VectorType};

/// Bytes up to which an `alloca` becomes a slot in the frame.
const MAX_SLOT: u64 = 4096;
/// Bytes of such slots in one function.
const MAX_SLOTS: u64 = 65536;

/// An element access: where, and what vector, if any.
struct Place<'t> {
    memref: Rc<Bundle>,
    subscripts: Vec<Poly>,
    vector: Option<&'t VectorType>,
}

impl<'p> Emitter<'_, 'p> {
    pub(super) fn load(&mut self, op: OpId, access: &Access) -> Emit<()> {
        let data = &self.source[op];
        let result = self.source.result(op);
        if let Some(val) = self.handed_on.get(&op).cloned() {
            self.set(result, val);
            return Ok(());
        }
        let place = self.place(access, &data.operands, self.ty(result))?;
        let val = self.load_place(&place)?;
        self.set(result, val);
        Ok(())
    }

    fn load_place(&mut self, place: &Place<'_>) -> Emit<Val> {
        match place.vector {
            Some(ty) => self.load_vector(place, ty),
            None => {
                let at = self.address_poly(&place.memref, &place.subscripts);
                Ok(Val::Scalar(self.load_element(&at, place.memref.elem)?))
            }
        }
    }

    /// Whether all that the subscripts of `forward` are made of is known here: the body of a parallel loop captures the values that it uses, not those that these were computed from outside.
    pub(super) fn can_load_before(&self, forward: &Forward, iterator: ValueId) -> bool {
        let mut terms = forward.subscripts.iter().flat_map(|linear| linear.terms.keys());
        terms.all(|&v| v == iterator || self.is_known(v))
    }

    /// What the loads of `forward` would read in the iteration where the iterator is `first`.
    pub(super) fn load_before(&mut self, forward: &Forward, iterator: ValueId, first: Value) -> Emit<Val> {
        let mut subscripts = Vec::new();
        for linear in &forward.subscripts {
            let mut poly = Poly::constant(linear.constant);
            for (&v, &c) in &linear.terms {
                let term = if v == iterator { self.known(first) } else { self.term(v)?.poly };
                poly = poly.add(&term.scale(c));
            }
            subscripts.push(poly);
        }
        let vector = match self.ty(forward.stored) {
            Type::Vector(v) => Some(v),
            _ => None,
        };
        let memref = self.bundle(forward.memref)?;
        self.load_place(&Place {
            memref,
            subscripts,
            vector,
        })
    }

    /// A value as a polynomial, constants as such.
    pub(super) fn known(&self, value: Value) -> Poly {
        self.constant_of(value).map_or_else(|| Poly::value(value), Poly::constant)
    }

    pub(super) fn store(&mut self, op: OpId, access: &Access) -> Emit<()> {
        let data = &self.source[op];
        let (&value, rest) = data.operands.split_first().ok_or_else(|| self.malformed("a store without value"))?;
        self.refuse_constant(rest.first().copied());
        let place = self.place(access, rest, self.ty(value))?;
        match place.vector {
            Some(ty) => self.store_vector(&place, ty, value),
            None => {
                let scalar = self.scalar(value)?;
                let at = self.address_poly(&place.memref, &place.subscripts);
                self.store_element(&at, scalar)
            }
        }
    }

    /// An error if a memref that is written to is seen to be a constant global.
    pub(super) fn refuse_constant(&mut self, memref: Option<ValueId>) {
        let mut value = memref;
        while let Some(v) = value {
            let ValueDef::Result(op, _) = self.source[v].def else { return };
            let data = &self.source[op];
            value = match &data.kind {
                OpKind::GetGlobal(n) => {
                    if let Some(global) = self.env.program.globals.get(*n as usize).filter(|g| g.constant) {
                        let text = format!("@{} is a constant global and can't be written to", global.name);
                        self.fail(Cause::Text(text));
                    }
                    return;
                }
                OpKind::CastMemRef | OpKind::SubView(_) | OpKind::ReinterpretCast(_) | OpKind::Transpose(_) | OpKind::Reshape { .. } => {
                    data.operands.first().copied()
                }
                _ => return,
            };
        }
    }

    /// Evaluates memref and subscripts, and checks them where that is asked for.
    fn place<'t>(&mut self, access: &Access, operands: &[ValueId], ty: &'t Type) -> Emit<Place<'t>> {
        let (&memref_id, operands) = operands.split_first().ok_or_else(|| self.malformed("an access without memref"))?;
        let memref = self.bundle(memref_id)?;
        if access.map.results.len() != memref.sizes.len() {
            return Err(self.malformed("an access has more or fewer subscripts than dimensions"));
        }
        let vector = match ty {
            Type::Vector(v) => Some(v),
            _ => None,
        };
        let eval = self.eval(&access.map, operands, access.checked)?;
        let mut terms = Vec::new();
        for e in &access.map.results {
            terms.push(self.affine(e, eval)?);
        }
        if access.checked {
            let shape = vector.map_or(&[][..], |v| &v.shape);
            self.check_bounds(memref_id, &memref, &terms, shape)?;
        }
        Ok(Place {
            memref,
            subscripts: terms.into_iter().map(|t| t.poly).collect(),
            vector,
        })
    }

    fn check_bounds(&mut self, id: ValueId, memref: &Bundle, terms: &[Term], shape: &[u64]) -> Emit<()> {
        let rank = terms.len();
        if shape.len() > rank {
            return Err(self.malformed("a vector has more dimensions than its memref"));
        }
        for (dim, term) in terms.iter().enumerate() {
            let extent = (dim + shape.len()).checked_sub(rank).map_or(1, |k| shape[k]);
            let size = memref.sizes[dim];
            let reach = i64::try_from(extent).unwrap_or(i64::MAX);
            if let Num::Const(d) = size
                && term.range.lo >= 0
                && term.range.hi <= d.saturating_sub(reach)
            {
                continue;
            }
            let index = self.sum(&term.poly);
            let size = self.num(size);
            let ok = if reach == 1 {
                self.at().ins().icmp(IntCC::UnsignedLessThan, index, size)
            } else {
                // Not negative, and no further than size - reach; sizes aren't negative, so the difference can't overflow.
                let room = self.at().ins().iadd_imm_s(size, -reach);
                let fits = self.at().ins().icmp(IntCC::SignedLessThanOrEqual, index, room);
                let positive = self.at().ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, index, 0);
                self.at().ins().band(fits, positive)
            };
            let ty = self.ty(id).to_string();
            self.check(ok, Cause::Bounds { dim, ty, extent }, index, size);
        }
        Ok(())
    }

    fn load_element(&mut self, at: &Poly, elem: ScalarType) -> Emit<Value> {
        let address = self.address(at)?;
        let value = self
            .at()
            .ins()
            .load(types::scalar(elem), MemFlagsData::trusted(), address.base, address.disp);
        Ok(match elem {
            ScalarType::Int(bits) => self.wrap(value, bits),
            _ => value,
        })
    }

    fn store_element(&mut self, at: &Poly, value: Value) -> Emit<()> {
        let address = self.address(at)?;
        self.at().ins().store(MemFlagsData::trusted(), value, address.base, address.disp);
        Ok(())
    }

    /// Addresses of a vector's rows (its innermost dimension), in order.
    fn rows(&mut self, place: &Place<'_>, ty: &VectorType) -> Vec<Poly> {
        let bytes = i64::try_from(place.memref.elem.bytes()).unwrap_or(8);
        let start = self.address_poly(&place.memref, &place.subscripts);
        let outer = ty.shape.len().saturating_sub(1);
        let first_dim = place.subscripts.len() - ty.shape.len();
        let mut rows = vec![start];
        for k in 0..outer {
            let stride = Self::num_poly(place.memref.strides[first_dim + k]).scale(bytes);
            rows = rows
                .iter()
                .flat_map(|row| (0..ty.shape[k]).map(|i| row.add(&stride.scale(i64::try_from(i).unwrap_or(0)))))
                .collect();
        }
        rows
    }

    /// Lanes of a row, and the distance of its elements in bytes.
    fn row(&self, place: &Place<'_>, ty: &VectorType) -> (u64, Poly) {
        let bytes = i64::try_from(place.memref.elem.bytes()).unwrap_or(8);
        let lanes = ty.shape.last().copied().unwrap_or(1);
        let stride = if ty.shape.is_empty() {
            Poly::constant(bytes)
        } else {
            place
                .memref
                .strides
                .last()
                .map_or(Poly::constant(bytes), |&s| Self::num_poly(s).scale(bytes))
        };
        (lanes, stride)
    }

    fn load_vector(&mut self, place: &Place<'_>, ty: &VectorType) -> Emit<Val> {
        let parts = types::vector(ty, &self.loc)?;
        let (lanes, stride) = self.row(place, ty);
        let rows = self.rows(place, ty);
        if let Some(pieces) = vector::contiguous(&parts, rows.len(), lanes, &stride, ty.elem) {
            let mut loaded = Vec::new();
            for (row, offset, part) in pieces {
                let at = rows[row].add(&Poly::constant(offset));
                let address = self.address(&at)?;
                let flags = if part.is_vector() {
                    MemFlagsData::new().with_notrap()
                } else {
                    MemFlagsData::trusted()
                };
                loaded.push(self.at().ins().load(part, flags, address.base, address.disp));
            }
            return Ok(Val::Vector(loaded.into()));
        }
        let mut elements = Vec::new();
        for row in &rows {
            for lane in 0..lanes {
                let at = row.add(&stride.scale(i64::try_from(lane).unwrap_or(0)));
                elements.push(self.load_element(&at, ty.elem)?);
            }
        }
        Ok(Val::Vector(self.assemble(&parts, &elements).into()))
    }

    fn store_vector(&mut self, place: &Place<'_>, ty: &VectorType, value: ValueId) -> Emit<()> {
        let types = types::vector(ty, &self.loc)?;
        let (lanes, stride) = self.row(place, ty);
        let rows = self.rows(place, ty);
        let parts = self.vector_parts(value)?;
        if let Some(pieces) = vector::contiguous(&types, rows.len(), lanes, &stride, ty.elem) {
            for ((row, offset, part), &value) in pieces.into_iter().zip(parts.iter()) {
                let at = rows[row].add(&Poly::constant(offset));
                let address = self.address(&at)?;
                let flags = if part.is_vector() {
                    MemFlagsData::new().with_notrap()
                } else {
                    MemFlagsData::trusted()
                };
                self.at().ins().store(flags, value, address.base, address.disp);
            }
            return Ok(());
        }
        let elements = self.lanes(&parts);
        let mut next = elements.into_iter();
        for row in &rows {
            for (lane, element) in (0..lanes).zip(next.by_ref()) {
                let at = row.add(&stride.scale(i64::try_from(lane).unwrap_or(0)));
                self.store_element(&at, element)?;
            }
        }
        Ok(())
    }

    pub(super) fn alloc(&mut self, op: OpId, stack: bool, align: u64) -> Emit<()> {
        let data = &self.source[op];
        let result = self.source.result(op);
        let Type::MemRef(ty) = self.ty(result) else {
            return Err(self.malformed("an allocation that isn't a memref"));
        };
        let mut dynamic = data.operands.iter();
        let mut sizes = Vec::new();
        for d in &ty.shape {
            sizes.push(match d {
                Some(d) => Num::Const(i64::try_from(*d).unwrap_or(i64::MAX)),
                None => {
                    let v = *dynamic.next().ok_or_else(|| self.malformed("an allocation lacks sizes"))?;
                    match self.ranges.get(&v).and_then(|r| r.as_exact()) {
                        Some(c) => Num::Const(c),
                        None => Num::Val(self.scalar(v)?),
                    }
                }
            });
        }
        let pointer = match self.fixed_slot(op, stack, align, ty, &sizes) {
            Some(slot) => slot,
            None => self.allocate(op, stack, align, ty, &sizes)?,
        };
        let strides = self.fresh_strides(ty, &sizes)?;
        for (d, &size) in ty.shape.iter().zip(&sizes) {
            debug_assert!(d.is_none() || matches!(size, Num::Const(_)));
        }
        self.set(
            result,
            Val::MemRef(Rc::new(Bundle {
                elem: ty.elem,
                alloc: pointer,
                data: pointer,
                offset: Num::Const(0),
                sizes,
                strides,
            })),
        );
        Ok(())
    }

    /// Strides of new memory: row-major, or those of a strided layout that says them.
    fn fresh_strides(&mut self, ty: &MemRefType, sizes: &[Num]) -> Emit<Vec<Num>> {
        let shape = types::bundle(ty);
        let row_major = matches!(ty.layout, tilia_program::Layout::Identity);
        let mut strides = vec![Num::Const(1); sizes.len()];
        for k in (1..sizes.len()).rev() {
            let product = self.mul_polys(&Self::num_poly(strides[k]), &Self::num_poly(sizes[k]));
            strides[k - 1] = match product.as_constant() {
                Some(c) => Num::Const(c),
                None => Num::Val(self.sum(&product)),
            };
        }
        let agrees = |(s, &n): (&types::Source, &Num)| match (s, n) {
            (types::Source::Const(a), Num::Const(b)) => *a == b,
            _ => false,
        };
        if row_major || (shape.offset == types::Source::Const(0) && shape.strides.iter().zip(&strides).all(agrees)) {
            return Ok(strides);
        }
        Err(tilia_diag::Diagnostic::error(
            self.loc.clone(),
            format!("memory of type {ty} can't be allocated: its layout isn't row-major"),
        )
        .help("allocate a row-major memref, and take a subview or reinterpret_cast of it"))
    }

    /// A slot in the frame, for small arrays of constant size that don't outlive an execution.
    fn fixed_slot(&mut self, op: OpId, stack: bool, align: u64, ty: &MemRefType, sizes: &[Num]) -> Option<Value> {
        let mut bytes = ty.elem.bytes();
        for size in sizes {
            let Num::Const(d) = size else { return None };
            bytes = bytes.checked_mul(u64::try_from(*d).ok()?)?;
        }
        let small = bytes <= MAX_SLOT && self.slot_bytes + bytes <= MAX_SLOTS && align <= 16;
        if !stack || !small || !self.facts.is_local(op) {
            return None;
        }
        let size = u32::try_from(bytes.next_multiple_of(8).max(8)).ok()?;
        let slot = self.stack_slot(size, 4);
        let base = self.at().ins().stack_addr(ir::types::I64, slot, 0);
        self.clear(base, size);
        Some(base)
    }

    /// Zeroes a slot: every execution of an `alloca` gives fresh memory.
    fn clear(&mut self, base: Value, bytes: u32) {
        let zero = self.int(0);
        if bytes <= 128 {
            for at in (0..bytes.cast_signed()).step_by(8) {
                self.at().ins().store(MemFlagsData::trusted(), zero, base, at);
            }
            return;
        }
        let (head, done) = (self.new_block(), self.new_block());
        let end = self.at().ins().iadd_imm_s(base, i64::from(bytes));
        self.jump(head, &[base]);
        let at = self.code.dfg.append_block_param(head, ir::types::I64);
        self.switch_to(head);
        self.at().ins().store(MemFlagsData::trusted(), zero, at, 0);
        let next = self.at().ins().iadd_imm_s(at, 8);
        let more = self.at().ins().icmp(IntCC::NotEqual, next, end);
        self.brif(more, (head, &[next]), (done, &[]));
        self.switch_to(done);
    }

    fn allocate(&mut self, op: OpId, stack: bool, align: u64, ty: &MemRefType, sizes: &[Num]) -> Emit<Value> {
        let dims = self.spill(sizes);
        let packed = self.packed(sizes.len(), ty.elem);
        let site = self.site(Cause::Alloc { ty: ty.to_string() });
        let site = self.int(site.cast_signed());
        let align = self.int(i64::try_from(align).unwrap_or(0));
        let ctx = self.ctx;
        let pointer = if stack && self.facts.is_local(op) {
            let slot = self.stack_slot(16, 3);
            self.to_free.push(slot);
            let slot = self.at().ins().stack_addr(ir::types::I64, slot, 0);
            let function = rt::alloca as *const () as usize;
            self.call_runtime(function, &[ctx, site, dims, packed, align, slot], true)
        } else {
            // An `alloca` that escapes its iteration is freed with the call, as is heap memory that the program forgets.
            self.call_runtime(rt::alloc as *const () as usize, &[ctx, site, dims, packed, align], true)
        };
        let pointer = pointer.ok_or_else(|| self.malformed("no pointer"))?;
        self.check_pointer(pointer);
        Ok(pointer)
    }

    /// Memory for that many words, freed when the call ends.
    pub(super) fn allocate_words(&mut self, count: Num) -> Emit<Value> {
        let dims = self.spill(&[count]);
        let packed = self.packed(1, ScalarType::Index);
        let ty = "a descriptor".to_owned();
        let site = self.site(Cause::Alloc { ty });
        let site = self.int(site.cast_signed());
        let align = self.int(0);
        let ctx = self.ctx;
        let pointer = self.call_runtime(rt::alloc as *const () as usize, &[ctx, site, dims, packed, align], true);
        let pointer = pointer.ok_or_else(|| self.malformed("no pointer"))?;
        self.check_pointer(pointer);
        Ok(pointer)
    }

    /// Rank and bytes of an element, as the runtime takes them.
    pub(super) fn packed(&mut self, rank: usize, elem: ScalarType) -> Value {
        let rank = i64::try_from(rank).unwrap_or(0);
        let bytes = i64::try_from(elem.bytes()).unwrap_or(0);
        self.int(rank | bytes << 32)
    }

    pub(super) fn dealloc(&mut self, op: OpId) -> Emit<()> {
        let operand = self.source[op].operands.first().copied();
        let memref = operand.ok_or_else(|| self.malformed("a dealloc without memref"))?;
        let pointer = match self.val(memref)? {
            Val::MemRef(m) => m.alloc,
            Val::Unranked(_, desc) => self.at().ins().load(ir::types::I64, MemFlagsData::trusted(), desc, 0),
            _ => return Err(self.malformed("a dealloc of a number")),
        };
        let site = self.site(Cause::Dealloc);
        let site = self.int(site.cast_signed());
        let ctx = self.ctx;
        let function = if self.facts.keeps_memory(op) {
            rt::retire as *const () as usize
        } else {
            rt::dealloc as *const () as usize
        };
        let status = self.call_runtime(function, &[ctx, site, pointer], true);
        let status = status.ok_or_else(|| self.malformed("no status"))?;
        self.check_status(status);
        Ok(())
    }
}
