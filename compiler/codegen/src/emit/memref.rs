//! Views of memory: everything that makes a descriptor from another.

use super::affine::Term;
use super::core::{Emit, Emitter};
use super::poly::Poly;
use super::types::{self, Source};
use super::value::{Bundle, Num, Val};
use super::words::Kind;
use crate::analysis::Range;
use crate::rt;
use crate::sites::Cause;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value};
use std::rc::Rc;
use tilia_diag::Diagnostic;
use tilia_program::{MemRefType, OpId, Slice, SliceDim, Type, ValueId};

/// Evaluated offsets, sizes and strides of a slice.
struct SliceTerms {
    offsets: Vec<Term>,
    sizes: Vec<Term>,
    strides: Vec<Term>,
}

impl Emitter<'_, '_> {
    fn poly_num(&mut self, poly: &Poly) -> Num {
        match poly.as_constant() {
            Some(c) => Num::Const(c),
            None => Num::Val(self.sum(poly)),
        }
    }

    fn set_bundle(&mut self, value: ValueId, bundle: Bundle) {
        self.set(value, Val::MemRef(Rc::new(bundle)));
    }

    pub(super) fn dim(&mut self, op: OpId) -> Emit<()> {
        let (memref, index) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let result = self.source.result(op);
        let constant = self.ranges.get(&index).and_then(|r| r.as_exact());
        match self.val(memref)? {
            Val::MemRef(m) => {
                if let Some(&size) = constant.and_then(|c| usize::try_from(c).ok()).and_then(|c| m.sizes.get(c)) {
                    self.set_term(result, Self::size_term(size));
                    return Ok(());
                }
                let index = self.scalar(index)?;
                let rank = self.int(i64::try_from(m.sizes.len()).unwrap_or(0));
                self.check_dimension(index, rank);
                let mut size = self.int(0);
                for (k, &d) in m.sizes.iter().enumerate() {
                    let d = self.num(d);
                    let hit = self.at().ins().icmp_imm_u(IntCC::Equal, index, i64::try_from(k).unwrap_or(0));
                    size = self.at().ins().select(hit, d, size);
                }
                self.set_term(result, Self::size_term(Num::Val(size)));
            }
            Val::Unranked(rank, desc) => {
                let index = self.scalar(index)?;
                self.check_dimension(index, rank);
                let offset = self.at().ins().ishl_imm_u(index, 3);
                let at = self.at().ins().iadd(desc, offset);
                let size = self.at().ins().load(ir::types::I64, MemFlagsData::trusted(), at, 24);
                self.set_term(result, Self::size_term(Num::Val(size)));
            }
            _ => return Err(self.malformed("the dimension of a number")),
        }
        Ok(())
    }

    fn check_dimension(&mut self, index: Value, rank: Value) {
        let ok = self.at().ins().icmp(IntCC::UnsignedLessThan, index, rank);
        let text = "the memref has no dimension of that number".to_owned();
        self.check(ok, Cause::Text(text), index, rank);
    }

    pub(super) fn rank(&mut self, op: OpId) -> Emit<()> {
        let operand = self.operand(op, 0)?;
        let result = self.source.result(op);
        let num = match self.val(operand)? {
            Val::MemRef(m) => Num::Const(i64::try_from(m.sizes.len()).unwrap_or(0)),
            Val::Unranked(rank, _) => Num::Val(rank),
            _ => return Err(self.malformed("the rank of a number")),
        };
        self.set_term(result, Self::size_term(num));
        Ok(())
    }

    /// Elements between neighbours along a dimension.
    pub(super) fn stride(&mut self, op: OpId, n: u32) -> Emit<()> {
        let operand = self.operand(op, 0)?;
        let result = self.source.result(op);
        let bundle = self.bundle(operand)?;
        let stride = *bundle
            .strides
            .get(n as usize)
            .ok_or_else(|| self.malformed("a stride of no dimension"))?;
        self.set_term(result, Self::size_term(stride));
        Ok(())
    }

    /// Where a memref's buffer starts.
    pub(super) fn address_of(&mut self, op: OpId) -> Emit<()> {
        let operand = self.operand(op, 0)?;
        let result = self.source.result(op);
        let address = match self.val(operand)? {
            Val::MemRef(m) => m.data,
            _ => return Err(self.malformed("the address of something that isn't a ranked memref")),
        };
        self.set(result, Val::Scalar(address));
        Ok(())
    }

    pub(super) fn cast_memref(&mut self, op: OpId) -> Emit<()> {
        let operand = self.operand(op, 0)?;
        let result = self.source.result(op);
        let val = match (self.val(operand)?, self.ty(result)) {
            (Val::MemRef(m), Type::MemRef(ty)) => {
                let same_layout = self.ty(operand).as_memref().is_some_and(|t| t.layout == ty.layout);
                Val::MemRef(Rc::new(self.checked_cast(&m, ty, !same_layout)?))
            }
            (Val::MemRef(m), Type::UnrankedMemRef(_)) => self.unranked_from(op, &m)?,
            (Val::Unranked(rank, desc), Type::UnrankedMemRef(_)) => Val::Unranked(rank, desc),
            (Val::Unranked(rank, desc), Type::MemRef(ty)) => {
                let wanted = i64::try_from(ty.rank()).unwrap_or(0);
                let ok = self.at().ins().icmp_imm_u(IntCC::Equal, rank, wanted);
                let expected = self.int(wanted);
                let what = "its rank".to_owned();
                self.check(ok, Cause::Cast { what }, expected, rank);
                let open = MemRefType {
                    elem: ty.elem,
                    shape: vec![None; ty.rank()],
                    layout: tilia_program::Layout::Strided {
                        offset: None,
                        strides: vec![None; ty.rank()],
                    },
                };
                let Val::MemRef(m) = self.load_words(desc, 0, &Type::MemRef(open), Kind::Result)? else {
                    return Err(self.malformed("a descriptor that isn't one"));
                };
                Val::MemRef(Rc::new(self.checked_cast(&m, ty, true)?))
            }
            _ => return Err(self.malformed("a cast between types that can't be cast")),
        };
        self.set(result, val);
        Ok(())
    }

    /// A descriptor in memory for a memref of unknown rank.
    fn unranked_from(&mut self, op: OpId, m: &Bundle) -> Emit<Val> {
        let words = m.words();
        let desc = if self.facts.is_local(op) {
            self.spill(&words)
        } else {
            let count = Num::Const(i64::try_from(words.len()).unwrap_or(0));
            let desc = self.allocate_words(count)?;
            for (n, &word) in words.iter().enumerate() {
                let word = self.num(word);
                let at = i32::try_from(8 * n).unwrap_or(0);
                self.at().ins().store(MemFlagsData::trusted(), word, desc, at);
            }
            desc
        };
        let rank = self.int(i64::try_from(m.sizes.len()).unwrap_or(0));
        Ok(Val::Unranked(rank, desc))
    }

    /// The memref with what its new type says; what contradicts the type is a run-time error.
    fn checked_cast(&mut self, m: &Bundle, ty: &MemRefType, layout: bool) -> Emit<Bundle> {
        let shape = types::bundle(ty);
        if m.sizes.len() != ty.rank() {
            return Err(self.malformed("a cast to another rank"));
        }
        let mut cast = m.clone();
        for (k, source) in shape.sizes.iter().enumerate() {
            if let Source::Const(c) = *source {
                self.check_component(m.sizes[k], Num::Const(c), || format!("the size of dimension {k}"));
                cast.sizes[k] = Num::Const(c);
            }
        }
        if !layout {
            return Ok(cast);
        }
        if let Source::Const(c) = shape.offset {
            self.check_component(m.offset, Num::Const(c), || "its offset".to_owned());
            cast.offset = Num::Const(c);
        }
        let wanted = self.wanted_strides(ty, &shape.strides, &cast)?;
        for (k, wanted) in wanted.into_iter().enumerate() {
            if let Some(wanted) = wanted {
                self.check_component(m.strides[k], wanted, || format!("the stride of dimension {k}"));
                cast.strides[k] = wanted;
            }
        }
        Ok(cast)
    }

    /// Strides that a type demands, where it does.
    fn wanted_strides(&mut self, ty: &MemRefType, sources: &[Source], m: &Bundle) -> Emit<Vec<Option<Num>>> {
        if !matches!(ty.layout, tilia_program::Layout::Identity) {
            let known = |s: &Source| match s {
                Source::Const(c) => Some(Num::Const(*c)),
                _ => None,
            };
            return Ok(sources.iter().map(known).collect());
        }
        let mut product = Poly::constant(1);
        let mut wanted = vec![None; ty.rank()];
        for k in (0..ty.rank()).rev() {
            wanted[k] = Some(self.poly_num(&product));
            product = self.mul_polys(&product, &Self::num_poly(m.sizes[k]));
        }
        Ok(wanted)
    }

    fn check_component(&mut self, is: Num, wanted: Num, what: impl Fn() -> String) {
        if is == wanted {
            return;
        }
        let (is, wanted) = (self.num(is), self.num(wanted));
        let ok = self.at().ins().icmp(IntCC::Equal, is, wanted);
        self.check(ok, Cause::Cast { what: what() }, wanted, is);
    }

    fn slice_terms(&mut self, op: OpId, slice: &Slice) -> Emit<SliceTerms> {
        let operands = self.source[op].operands.clone();
        let mut rest = operands.iter().skip(1);
        let mut take = |e: &mut Self, dims: &[SliceDim]| {
            dims.iter()
                .map(|d| match d {
                    SliceDim::Const(c) => Ok(Term {
                        poly: Poly::constant(*c),
                        range: Range::exact(*c),
                    }),
                    SliceDim::Operand => {
                        let v = *rest.next().ok_or_else(|| e.malformed("a slice lacks operands"))?;
                        e.term(v)
                    }
                })
                .collect::<Emit<Vec<_>>>()
        };
        Ok(SliceTerms {
            offsets: take(self, &slice.offsets)?,
            sizes: take(self, &slice.sizes)?,
            strides: take(self, &slice.strides)?,
        })
    }

    pub(super) fn subview(&mut self, op: OpId, slice: &Slice) -> Emit<()> {
        let operand = self.operand(op, 0)?;
        let source = self.bundle(operand)?;
        let terms = self.slice_terms(op, slice)?;
        let rank = source.sizes.len();
        if [terms.offsets.len(), terms.sizes.len(), terms.strides.len()] != [rank; 3] {
            return Err(self.malformed("a subview of another rank than its source"));
        }
        let mut offset = Self::num_poly(source.offset);
        let (mut sizes, mut strides) = (Vec::new(), Vec::new());
        for k in 0..rank {
            self.check_slice(&terms, k, source.sizes[k])?;
            let stride = Self::num_poly(source.strides[k]);
            offset = offset.add(&self.mul_polys(&terms.offsets[k].poly, &stride));
            if slice.dropped.contains(&u32::try_from(k).unwrap_or(u32::MAX)) {
                continue;
            }
            sizes.push(self.poly_num(&terms.sizes[k].poly));
            let stride = self.mul_polys(&terms.strides[k].poly, &stride);
            strides.push(self.poly_num(&stride));
        }
        let offset = self.poly_num(&offset);
        let result = self.source.result(op);
        self.set_bundle(
            result,
            Bundle {
                offset,
                sizes,
                strides,
                ..(*source).clone()
            },
        );
        Ok(())
    }

    /// Checks that dimension `k` of a slice stays in one of size `size`.
    fn check_slice(&mut self, t: &SliceTerms, k: usize, size: Num) -> Emit<()> {
        let (offset, count, step) = (&t.offsets[k], &t.sizes[k], &t.strides[k]);
        let size = Self::size_term(size);
        if let (Some(o), Some(n), Some(s), Some(d)) = (
            offset.range.as_exact(),
            count.range.as_exact(),
            step.range.as_exact(),
            size.range.as_exact(),
        ) {
            let last = i128::from(o) + i128::from(n - 1) * i128::from(s);
            let inside = |i: i128| (0..i128::from(d)).contains(&i);
            if n == 0 || (n > 0 && inside(o.into()) && inside(last)) {
                return Ok(());
            }
        }
        let (o, n) = (self.sum(&offset.poly), self.sum(&count.poly));
        let (s, d) = (self.sum(&step.poly), self.sum(&size.poly));
        let text = format!("the slice leaves dimension {k} of its source");
        // first = offset, last = offset + (count - 1) * step; all in bounds, and no overflow on the way.
        let before = self.at().ins().iadd_imm_s(n, -1);
        let (reach, overflow_a) = self.at().ins().smul_overflow(before, s);
        let (last, overflow_b) = self.at().ins().sadd_overflow(o, reach);
        let overflow = self.at().ins().bor(overflow_a, overflow_b);
        let exact = self.at().ins().icmp_imm_u(IntCC::Equal, overflow, 0);
        let first_in = self.at().ins().icmp(IntCC::UnsignedLessThan, o, d);
        let last_in = self.at().ins().icmp(IntCC::UnsignedLessThan, last, d);
        let positive = self.at().ins().icmp_imm_s(IntCC::SignedGreaterThan, n, 0);
        let empty = self.at().ins().icmp_imm_s(IntCC::Equal, n, 0);
        let both = self.at().ins().band(first_in, last_in);
        let sound = self.at().ins().band(exact, positive);
        let inside = self.at().ins().band(both, sound);
        let ok = self.at().ins().bor(inside, empty);
        self.check(ok, Cause::Text(text), o, n);
        Ok(())
    }

    pub(super) fn reinterpret_cast(&mut self, op: OpId, slice: &Slice) -> Emit<()> {
        let operand = self.operand(op, 0)?;
        let (alloc, data, elem) = match (self.val(operand)?, self.ty(operand)) {
            (Val::MemRef(m), _) => (m.alloc, m.data, m.elem),
            (Val::Unranked(_, desc), Type::UnrankedMemRef(elem)) => {
                let flags = MemFlagsData::trusted();
                let alloc = self.at().ins().load(ir::types::I64, flags, desc, 0);
                (alloc, self.at().ins().load(ir::types::I64, flags, desc, 8), *elem)
            }
            _ => return Err(self.malformed("a reinterpret_cast of a number")),
        };
        let terms = self.slice_terms(op, slice)?;
        let offset = terms
            .offsets
            .first()
            .ok_or_else(|| self.malformed("a reinterpret_cast without offset"))?;
        let offset = self.poly_num(&offset.poly);
        let sizes: Vec<_> = terms.sizes.iter().map(|t| self.poly_num(&t.poly)).collect();
        let strides: Vec<_> = terms.strides.iter().map(|t| self.poly_num(&t.poly)).collect();
        let bundle = Bundle {
            elem,
            alloc,
            data,
            offset,
            sizes,
            strides,
        };
        self.check_view(&bundle)?;
        let result = self.source.result(op);
        self.set_bundle(result, bundle);
        Ok(())
    }

    /// Asks the runtime whether all elements of a view lie in the memory that it is a view of.
    fn check_view(&mut self, view: &Bundle) -> Emit<()> {
        let desc = self.spill(&view.words());
        let packed = self.packed(view.sizes.len(), view.elem);
        let text = "the view leaves the memory that it is made of".to_owned();
        let site = self.site(Cause::Text(text));
        let site = self.int(site.cast_signed());
        let ctx = self.ctx;
        let status = self.call_runtime(rt::check_view as *const () as usize, &[ctx, site, desc, packed], true);
        let status = status.ok_or_else(|| self.malformed("no status"))?;
        self.check_status(status);
        Ok(())
    }

    pub(super) fn transpose(&mut self, op: OpId, perm: &[u32]) -> Emit<()> {
        let operand = self.operand(op, 0)?;
        let m = self.bundle(operand)?;
        let pick = |list: &[Num]| perm.iter().map(|&k| list.get(k as usize).copied()).collect::<Option<Vec<_>>>();
        let (Some(sizes), Some(strides)) = (pick(&m.sizes), pick(&m.strides)) else {
            return Err(self.malformed("a transposition of dimensions that don't exist"));
        };
        let result = self.source.result(op);
        self.set_bundle(
            result,
            Bundle {
                sizes,
                strides,
                ..(*m).clone()
            },
        );
        Ok(())
    }

    pub(super) fn reshape(&mut self, op: OpId, collapse: bool, groups: &[Vec<u32>]) -> Emit<()> {
        let operand = self.operand(op, 0)?;
        let m = self.bundle(operand)?;
        let bundle = if collapse {
            self.collapse(&m, groups)?
        } else {
            self.expand(op, &m, groups)?
        };
        let result = self.source.result(op);
        self.set_bundle(result, bundle);
        Ok(())
    }

    fn collapse(&mut self, m: &Bundle, groups: &[Vec<u32>]) -> Emit<Bundle> {
        let (mut sizes, mut strides) = (Vec::new(), Vec::new());
        for group in groups {
            let mut size = Poly::constant(1);
            let mut stride = Num::Const(1);
            for (n, &k) in group.iter().enumerate() {
                let k = k as usize;
                let (Some(&d), Some(&s)) = (m.sizes.get(k), m.strides.get(k)) else {
                    return Err(self.malformed("a reshape of dimensions that don't exist"));
                };
                size = self.mul_polys(&size, &Self::num_poly(d));
                // The innermost dimension with more than one element tells how far neighbours are apart.
                if n == 0 || d != Num::Const(1) {
                    stride = s;
                }
            }
            sizes.push(self.poly_num(&size));
            strides.push(stride);
        }
        Ok(Bundle {
            sizes,
            strides,
            ..m.clone()
        })
    }

    fn expand(&mut self, op: OpId, m: &Bundle, groups: &[Vec<u32>]) -> Emit<Bundle> {
        let result = self.source.result(op);
        let Type::MemRef(ty) = self.ty(result) else {
            return Err(self.malformed("a reshape to something that isn't a memref"));
        };
        let operands = self.source[op].operands.clone();
        let mut dynamic = operands.iter().skip(1);
        let mut sizes = Vec::new();
        for d in &ty.shape {
            sizes.push(match d {
                Some(d) => Num::Const(i64::try_from(*d).unwrap_or(i64::MAX)),
                None => {
                    let v = *dynamic.next().ok_or_else(|| self.malformed("a reshape lacks sizes"))?;
                    let term = self.term(v)?;
                    self.poly_num(&term.poly)
                }
            });
        }
        let mut strides = vec![Num::Const(1); sizes.len()];
        for (group, (&size, &stride)) in groups.iter().zip(m.sizes.iter().zip(&m.strides)) {
            let mut product = Poly::constant(1);
            for &k in group.iter().rev() {
                let k = k as usize;
                let d = *sizes
                    .get(k)
                    .ok_or_else(|| self.malformed("a reshape of dimensions that don't exist"))?;
                let here = self.mul_polys(&product, &Self::num_poly(stride));
                strides[k] = self.poly_num(&here);
                self.check_size(d);
                product = self.mul_polys(&product, &Self::num_poly(d));
            }
            let product = self.poly_num(&product);
            self.check_component(product, size, || "the number of elements of a dimension".to_owned());
        }
        Ok(Bundle {
            sizes,
            strides,
            ..m.clone()
        })
    }

    fn check_size(&mut self, size: Num) {
        if let Num::Val(d) = size {
            let ok = self.at().ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, d, 0);
            self.check(ok, Cause::Text("a size is negative".to_owned()), d, d);
        }
    }

    pub(super) fn get_global(&mut self, op: OpId, n: u32) -> Emit<()> {
        let result = self.source.result(op);
        let (Some(&address), Type::MemRef(ty)) = (self.env.globals.get(n as usize), self.ty(result)) else {
            return Err(self.malformed("a global that doesn't exist"));
        };
        let data = self.int(address.cast_signed());
        let bundle = Bundle::from_parts(ty, &[data, data]).ok_or_else(|| {
            Diagnostic::error(
                self.loc.clone(),
                format!("a global of type {ty} can't be compiled: its shape isn't static"),
            )
        })?;
        self.set_bundle(result, bundle);
        Ok(())
    }

    pub(super) fn overlap(&mut self, op: OpId) -> Emit<()> {
        let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let (a, b) = (self.bundle(a)?, self.bundle(b)?);
        let (x, y) = (self.spill(&a.words()), self.spill(&b.words()));
        let (p, q) = (self.packed(a.sizes.len(), a.elem), self.packed(b.sizes.len(), b.elem));
        let shared = self.call_runtime(rt::overlap as *const () as usize, &[x, p, y, q], true);
        let shared = shared.ok_or_else(|| self.malformed("no result"))?;
        let flag = self.at().ins().ireduce(ir::types::I8, shared);
        let result = self.source.result(op);
        self.set_scalar(result, flag);
        Ok(())
    }

    pub(super) fn copy(&mut self, op: OpId) -> Emit<()> {
        let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
        self.refuse_constant(Some(b));
        let (Val::MemRef(a), Val::MemRef(b)) = (self.val(a)?, self.val(b)?) else {
            return Err(
                Diagnostic::error(self.loc.clone(), "memref.copy of unranked memrefs can't be compiled")
                    .help("cast them to ranked memrefs first"),
            );
        };
        if a.sizes.len() != b.sizes.len() {
            return Err(self.malformed("a copy between ranks"));
        }
        let (x, y) = (self.spill(&a.words()), self.spill(&b.words()));
        let packed = self.packed(a.sizes.len(), a.elem);
        let site = self.site(Cause::Copy);
        let site = self.int(site.cast_signed());
        let ctx = self.ctx;
        let status = self.call_runtime(rt::copy as *const () as usize, &[ctx, site, x, y, packed], true);
        let status = status.ok_or_else(|| self.malformed("no status"))?;
        self.check_status(status);
        Ok(())
    }
}
