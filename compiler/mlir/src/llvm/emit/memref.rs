//! Views of memory: everything that makes a descriptor from another.

use super::affine::Term;
use super::build::Wrap;
use super::core::{Emit, Emitter};
use super::text::{Ty, V};
use super::value::{Bundle, Val};
use std::rc::Rc;
use tilia_codegen::analysis::{Range, Source, bundle};
use tilia_codegen::native::{Cause, Runtime};
use tilia_diag::Diagnostic;
use tilia_program::{Layout, MemRefType, OpId, Slice, SliceDim, Type, ValueId};

/// Evaluated offsets, sizes and strides of a slice.
struct SliceTerms {
    offsets: Vec<Term>,
    sizes: Vec<Term>,
    strides: Vec<Term>,
}

fn values(terms: &[Term]) -> Vec<V> {
    terms.iter().map(|t| t.value).collect()
}

impl Emitter<'_, '_> {
    fn set_bundle(&mut self, value: ValueId, bundle: Bundle) {
        self.set(value, Val::MemRef(Rc::new(bundle)));
    }

    /// What is known of a memref's size.
    fn size_term(&self, value: V) -> Term {
        let range = self.code.known(value).map_or(Range::SIZE, Range::exact);
        Term { value, range }
    }

    fn set_size(&mut self, result: ValueId, value: V) {
        let term = self.size_term(value);
        self.set_term(result, term);
    }

    pub(super) fn dim(&mut self, op: OpId) -> Emit<()> {
        let (memref, index) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let result = self.source.result(op);
        let constant = self.ranges.get(&index).and_then(|r| r.as_exact());
        match self.val(memref)? {
            Val::MemRef(m) => {
                if let Some(&size) = constant.and_then(|c| usize::try_from(c).ok()).and_then(|c| m.sizes.get(c)) {
                    self.set_size(result, size);
                    return Ok(());
                }
                let index = self.number(index)?;
                let rank = self.word(m.sizes.len() as u64);
                self.check_dimension(index, rank);
                let mut size = self.int(0);
                for (k, &d) in m.sizes.iter().enumerate() {
                    let hit = self.icmp_const("eq", index, i64::try_from(k).unwrap_or(0));
                    size = self.choose(hit, d, size);
                }
                self.set_size(result, size);
            }
            Val::Unranked(rank, desc) => {
                let index = self.number(index)?;
                self.check_dimension(index, rank);
                let three = self.int(3);
                let word = self.add(index, three, Wrap::May);
                let at = self.element_address(desc, word, super::text::Elem::Int(64));
                let size = self.load_plain(at, Ty::I64);
                self.set_size(result, size);
            }
            Val::Number(_) => return Err(self.malformed("the dimension of a number")),
        }
        Ok(())
    }

    fn check_dimension(&mut self, index: V, rank: V) {
        let ok = self.icmp("ult", index, rank);
        let text = "the memref has no dimension of that number".to_owned();
        self.check(ok, Cause::Text(text), index, rank);
    }

    pub(super) fn rank(&mut self, op: OpId) -> Emit<()> {
        let operand = self.operand(op, 0)?;
        let result = self.source.result(op);
        let rank = match self.val(operand)? {
            Val::MemRef(m) => self.word(m.sizes.len() as u64),
            Val::Unranked(rank, _) => rank,
            Val::Number(_) => return Err(self.malformed("the rank of a number")),
        };
        self.set_size(result, rank);
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
        self.set_number(result, stride);
        Ok(())
    }

    /// Where a memref's buffer starts.
    pub(super) fn address_of(&mut self, op: OpId) -> Emit<()> {
        let operand = self.operand(op, 0)?;
        let data = self.bundle(operand)?.data;
        let level = self.code.level(data);
        let address = self
            .code
            .value(Ty::I64, level, format_args!("llvm.ptrtoint {data} : !llvm.ptr to i64"));
        let result = self.source.result(op);
        self.set_number(result, address);
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
            (Val::MemRef(m), Type::UnrankedMemRef(_)) => self.unranked_from(op, &m),
            (Val::Unranked(rank, desc), Type::UnrankedMemRef(_)) => Val::Unranked(rank, desc),
            (Val::Unranked(rank, desc), Type::MemRef(ty)) => {
                let expected = self.word(ty.rank() as u64);
                let ok = self.icmp("eq", rank, expected);
                let what = "its rank".to_owned();
                self.check(ok, Cause::Cast { what }, expected, rank);
                let open = MemRefType {
                    elem: ty.elem,
                    shape: vec![None; ty.rank()],
                    layout: Layout::Strided {
                        offset: None,
                        strides: vec![None; ty.rank()],
                    },
                };
                let Val::MemRef(m) = self.load_words(desc, 0, &Type::MemRef(open))? else {
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
    fn unranked_from(&mut self, op: OpId, m: &Bundle) -> Val {
        let words = m.words();
        let desc = if self.facts.is_local(op) {
            self.spill(&words)
        } else {
            let desc = self.allocate_words(words.len());
            self.store_all(desc, &words);
            desc
        };
        let rank = self.word(m.sizes.len() as u64);
        Val::Unranked(rank, desc)
    }

    /// The memref with what its new type says; what contradicts the type is a run-time error.
    fn checked_cast(&mut self, m: &Bundle, ty: &MemRefType, layout: bool) -> Emit<Bundle> {
        let shape = bundle(ty);
        if m.sizes.len() != ty.rank() {
            return Err(self.malformed("a cast to another rank"));
        }
        let mut cast = m.clone();
        for (k, source) in shape.sizes.iter().enumerate() {
            if let Source::Const(c) = *source {
                let c = self.int(c);
                self.check_component(m.sizes[k], c, || format!("the size of dimension {k}"));
                cast.sizes[k] = c;
            }
        }
        if !layout {
            return Ok(cast);
        }
        if let Source::Const(c) = shape.offset {
            let c = self.int(c);
            self.check_component(m.offset, c, || "its offset".to_owned());
            cast.offset = c;
        }
        let wanted = self.wanted_strides(ty, &shape.strides, &cast);
        for (k, wanted) in wanted.into_iter().enumerate() {
            if let Some(wanted) = wanted {
                self.check_component(m.strides[k], wanted, || format!("the stride of dimension {k}"));
                cast.strides[k] = wanted;
            }
        }
        Ok(cast)
    }

    /// Strides that a type demands, where it does.
    fn wanted_strides(&mut self, ty: &MemRefType, sources: &[Source], m: &Bundle) -> Vec<Option<V>> {
        if !matches!(ty.layout, Layout::Identity) {
            let mut known = |s: &Source| match s {
                Source::Const(c) => Some(self.int(*c)),
                _ => None,
            };
            return sources.iter().map(&mut known).collect();
        }
        let mut product = self.int(1);
        let mut wanted = vec![None; ty.rank()];
        for k in (0..ty.rank()).rev() {
            wanted[k] = Some(product);
            product = self.mul(product, m.sizes[k], Wrap::May);
        }
        wanted
    }

    fn check_component(&mut self, is: V, wanted: V, what: impl Fn() -> String) {
        if is == wanted {
            return;
        }
        let ok = self.icmp("eq", is, wanted);
        self.check(ok, Cause::Cast { what: what() }, wanted, is);
    }

    fn slice_terms(&mut self, op: OpId, slice: &Slice) -> Emit<SliceTerms> {
        let mut rest = self.source[op].operands.iter().skip(1);
        let mut take = |e: &mut Self, dims: &[SliceDim]| {
            dims.iter()
                .map(|d| match d {
                    SliceDim::Const(c) => Ok(e.constant_term(*c)),
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
        let mut offset = source.offset;
        let (mut sizes, mut strides) = (Vec::new(), Vec::new());
        for k in 0..rank {
            self.check_slice(&terms, k, source.sizes[k]);
            let stride = source.strides[k];
            let distance = self.mul(terms.offsets[k].value, stride, Wrap::May);
            offset = self.add(offset, distance, Wrap::May);
            if slice.dropped.contains(&u32::try_from(k).unwrap_or(u32::MAX)) {
                continue;
            }
            sizes.push(terms.sizes[k].value);
            strides.push(self.mul(terms.strides[k].value, stride, Wrap::May));
        }
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
    fn check_slice(&mut self, t: &SliceTerms, k: usize, size: V) {
        let (offset, count, step) = (t.offsets[k], t.sizes[k], t.strides[k]);
        let size = self.size_term(size);
        if let (Some(o), Some(n), Some(s), Some(d)) = (
            offset.range.as_exact(),
            count.range.as_exact(),
            step.range.as_exact(),
            size.range.as_exact(),
        ) {
            let last = i128::from(o) + (i128::from(n) - 1) * i128::from(s);
            let inside = |i: i128| (0..i128::from(d)).contains(&i);
            if n == 0 || (n > 0 && inside(o.into()) && inside(last)) {
                return;
            }
        }
        let (o, n, s, d) = (offset.value, count.value, step.value, size.value);
        let text = format!("the slice leaves dimension {k} of its source");
        // first = offset, last = offset + (count - 1) * step; all in bounds, and no overflow on the way.
        let one = self.int(1);
        let before = self.sub(n, one, Wrap::May);
        let (reach, overflow_a) = self.with_overflow("smul", before, s);
        let (last, overflow_b) = self.with_overflow("sadd", o, reach);
        let overflow = self.binary("or", overflow_a, overflow_b);
        let exact = self.icmp_const("eq", overflow, 0);
        let first_in = self.icmp("ult", o, d);
        let last_in = self.icmp("ult", last, d);
        let positive = self.icmp_const("sgt", n, 0);
        let empty = self.icmp_const("eq", n, 0);
        let both = self.binary("and", first_in, last_in);
        let sound = self.binary("and", exact, positive);
        let inside = self.binary("and", both, sound);
        let ok = self.binary("or", inside, empty);
        self.check(ok, Cause::Text(text), o, n);
    }

    pub(super) fn reinterpret_cast(&mut self, op: OpId, slice: &Slice) -> Emit<()> {
        let operand = self.operand(op, 0)?;
        let (alloc, data, elem) = match (self.val(operand)?, self.ty(operand)) {
            (Val::MemRef(m), _) => (m.alloc, m.data, m.elem),
            (Val::Unranked(_, desc), Type::UnrankedMemRef(elem)) => {
                let alloc = self.load_plain(desc, Ty::PTR);
                let next = self.offset(desc, 8);
                (alloc, self.load_plain(next, Ty::PTR), *elem)
            }
            _ => return Err(self.malformed("a reinterpret_cast of a number")),
        };
        let terms = self.slice_terms(op, slice)?;
        let offset = terms.offsets.first().map(|t| t.value);
        let bundle = Bundle {
            elem,
            alloc,
            data,
            offset: offset.ok_or_else(|| self.malformed("a reinterpret_cast without offset"))?,
            sizes: values(&terms.sizes),
            strides: values(&terms.strides),
        };
        self.check_view(&bundle);
        let result = self.source.result(op);
        self.set_bundle(result, bundle);
        Ok(())
    }

    /// Asks the runtime whether all elements of a view lie in the memory that it is a view of.
    fn check_view(&mut self, view: &Bundle) {
        let desc = self.spill(&view.words());
        let packed = self.packed(view.sizes.len(), view.elem);
        let text = "the view leaves the memory that it is made of".to_owned();
        let site = self.site(Cause::Text(text));
        let ctx = self.ctx;
        let status = self.call_runtime(Runtime::CheckView, &[ctx, site, desc, packed], Ty::I64);
        self.check_status(status);
    }

    pub(super) fn transpose(&mut self, op: OpId, perm: &[u32]) -> Emit<()> {
        let operand = self.operand(op, 0)?;
        let m = self.bundle(operand)?;
        let pick = |list: &[V]| perm.iter().map(|&k| list.get(k as usize).copied()).collect::<Option<Vec<_>>>();
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
            let mut size = self.int(1);
            let mut stride = self.int(1);
            for (n, &k) in group.iter().enumerate() {
                let k = k as usize;
                let (Some(&d), Some(&s)) = (m.sizes.get(k), m.strides.get(k)) else {
                    return Err(self.malformed("a reshape of dimensions that don't exist"));
                };
                size = self.mul(size, d, Wrap::May);
                // The innermost dimension with more than one element tells how far neighbours are apart.
                if n == 0 || self.code.known(d) != Some(1) {
                    stride = s;
                }
            }
            sizes.push(size);
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
        let mut dynamic = self.source[op].operands.iter().skip(1);
        let mut sizes = Vec::new();
        for d in &ty.shape {
            sizes.push(match d {
                Some(d) => self.int(i64::try_from(*d).unwrap_or(i64::MAX)),
                None => {
                    let v = *dynamic.next().ok_or_else(|| self.malformed("a reshape lacks sizes"))?;
                    self.number(v)?
                }
            });
        }
        let mut strides = vec![self.int(1); sizes.len()];
        for (group, (&size, &stride)) in groups.iter().zip(m.sizes.iter().zip(&m.strides)) {
            let mut product = self.int(1);
            for &k in group.iter().rev() {
                let k = k as usize;
                let d = *sizes
                    .get(k)
                    .ok_or_else(|| self.malformed("a reshape of dimensions that don't exist"))?;
                strides[k] = self.mul(product, stride, Wrap::May);
                self.check_size(d);
                product = self.mul(product, d, Wrap::May);
            }
            self.check_component(product, size, || "the number of elements of a dimension".to_owned());
        }
        Ok(Bundle {
            sizes,
            strides,
            ..m.clone()
        })
    }

    fn check_size(&mut self, size: V) {
        if self.code.known(size).is_none() {
            let ok = self.icmp_const("sge", size, 0);
            self.check(ok, Cause::Text("a size is negative".to_owned()), size, size);
        }
    }

    pub(super) fn get_global(&mut self, op: OpId, n: u32) -> Emit<()> {
        let result = self.source.result(op);
        let (Some(&address), Type::MemRef(ty)) = (self.env.globals.get(n as usize), self.ty(result)) else {
            return Err(self.malformed("a global that doesn't exist"));
        };
        let data = self.code.address(address);
        let made = Bundle::from_parts(ty, &[data, data], |c| self.code.int(c, Ty::I64));
        let bundle = made.ok_or_else(|| {
            let text = format!("a global of type {ty} can't be compiled: its shape isn't static");
            Diagnostic::error(self.loc.clone(), text)
        })?;
        self.set_bundle(result, bundle);
        Ok(())
    }

    pub(super) fn overlap(&mut self, op: OpId) -> Emit<()> {
        let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let (x, y) = (self.descriptor(a)?, self.descriptor(b)?);
        let (a, b) = (self.bundle(a)?, self.bundle(b)?);
        let (p, q) = (self.packed(a.sizes.len(), a.elem), self.packed(b.sizes.len(), b.elem));
        let shared = self.call_runtime(Runtime::Overlap, &[x, p, y, q], Ty::I64);
        let flag = self.resize(shared, 1, false);
        let result = self.source.result(op);
        self.set_number(result, flag);
        Ok(())
    }

    pub(super) fn copy(&mut self, op: OpId) -> Emit<()> {
        let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
        self.refuse_constant(Some(b));
        let (Val::MemRef(a), Val::MemRef(b)) = (self.val(a)?, self.val(b)?) else {
            let text = "memref.copy of unranked memrefs can't be compiled";
            return Err(Diagnostic::error(self.loc.clone(), text).help("cast them to ranked memrefs first"));
        };
        if a.sizes.len() != b.sizes.len() {
            return Err(self.malformed("a copy between ranks"));
        }
        let (x, y) = (self.spill(&a.words()), self.spill(&b.words()));
        let packed = self.packed(a.sizes.len(), a.elem);
        let site = self.site(Cause::Copy);
        let ctx = self.ctx;
        let status = self.call_runtime(Runtime::Copy, &[ctx, site, x, y, packed], Ty::I64);
        self.check_status(status);
        Ok(())
    }
}
