//! Loads and stores.

use super::affine::Term;
use super::build::Wrap;
use super::core::{Emit, Emitter};
use super::text::{Ty, V};
use super::types;
use super::value::Bundle;
use std::rc::Rc;
use tilia_codegen::native::Cause;
use tilia_program::{Access, OpId, OpKind, ScalarType, Type, ValueDef, ValueId, VectorType};

/// An element access: where, and what vector, if any.
struct Place<'t> {
    memref: Rc<Bundle>,
    subscripts: Vec<Term>,
    vector: Option<&'t VectorType>,
    /// Attributes that tell of aliases.
    scopes: String,
}

/// Elements that lie one after the other.
struct Piece {
    at: V,
    lanes: u32,
}

impl Emitter<'_, '_> {
    pub(super) fn load(&mut self, op: OpId, access: &Access) -> Emit<()> {
        let data = &self.source[op];
        let result = self.source.result(op);
        let place = self.place(access, &data.operands, self.ty(result))?;
        let value = match place.vector {
            Some(ty) => self.load_vector(&place, ty)?,
            None => {
                let index = self.index(&place.memref, &place.subscripts);
                let at = self.element(&place.memref, index);
                self.load_element(at, place.memref.elem, &place.scopes)
            }
        };
        self.set_number(result, value);
        Ok(())
    }

    pub(super) fn store(&mut self, op: OpId, access: &Access) -> Emit<()> {
        let data = &self.source[op];
        let (&value, rest) = data.operands.split_first().ok_or_else(|| self.malformed("a store without value"))?;
        self.refuse_constant(rest.first().copied());
        let place = self.place(access, rest, self.ty(value))?;
        let value = self.number(value)?;
        match place.vector {
            Some(ty) => self.store_vector(&place, ty, value),
            None => {
                let index = self.index(&place.memref, &place.subscripts);
                let at = self.element(&place.memref, index);
                self.store_element(value, at, place.memref.elem, &place.scopes);
                Ok(())
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
        let mut subscripts = Vec::new();
        for e in &access.map.results {
            subscripts.push(self.affine(e, eval)?);
        }
        let shape = vector.map_or(&[][..], |v| &v.shape);
        if shape.len() > subscripts.len() {
            return Err(self.malformed("a vector has more dimensions than its memref"));
        }
        if access.checked {
            self.check_bounds(memref_id, &memref, &subscripts, shape);
        }
        Ok(Place {
            memref,
            subscripts,
            vector,
            scopes: self.scopes_of(memref_id),
        })
    }

    fn check_bounds(&mut self, id: ValueId, memref: &Bundle, terms: &[Term], shape: &[u64]) {
        let rank = terms.len();
        for (dim, term) in terms.iter().enumerate() {
            let extent = (dim + shape.len()).checked_sub(rank).map_or(1, |k| shape[k]);
            let size = memref.sizes[dim];
            let reach = i64::try_from(extent).unwrap_or(i64::MAX);
            if let Some(d) = self.code.known(size)
                && term.range.lo >= 0
                && term.range.hi <= d.saturating_sub(reach)
            {
                continue;
            }
            let ok = if reach == 1 {
                self.icmp("ult", term.value, size)
            } else {
                // Not negative, and no further than size - reach; sizes aren't negative, so the difference can't overflow.
                let reach = self.int(reach);
                let room = self.sub(size, reach, Wrap::May);
                let fits = self.icmp("sle", term.value, room);
                let positive = self.icmp_const("sge", term.value, 0);
                self.binary("and", fits, positive)
            };
            let ty = self.ty(id).to_string();
            self.check(ok, Cause::Bounds { dim, ty, extent }, term.value, size);
        }
    }

    /// The number of the element with these subscripts, summed up from what changes in the fewest loops on, so that LLVM can compute partial sums outside of the others.
    fn index(&mut self, memref: &Bundle, subscripts: &[Term]) -> V {
        let mut terms: Vec<V> = vec![memref.offset];
        for (sub, &stride) in subscripts.iter().zip(&memref.strides) {
            terms.push(self.mul(sub.value, stride, Wrap::May));
        }
        terms.sort_by_key(|&t| self.code.level(t));
        let mut sum = self.int(0);
        for term in terms {
            sum = self.add(sum, term, Wrap::May);
        }
        sum
    }

    fn element(&mut self, memref: &Bundle, index: V) -> V {
        self.element_address(memref.data, index, types::stored(memref.elem))
    }

    fn load_element(&mut self, at: V, elem: ScalarType, scopes: &str) -> V {
        let v = self.load_at(at, Ty::scalar(types::stored(elem)), elem, scopes);
        self.narrowed(v, elem)
    }

    fn load_at(&mut self, at: V, ty: Ty, elem: ScalarType, scopes: &str) -> V {
        let align = elem.bytes();
        let level = self.depth;
        let text = format_args!("llvm.load {at} {{alignment = {align} : i64{scopes}}} : !llvm.ptr -> {ty}");
        self.code.value(ty, level, text)
    }

    fn store_element(&mut self, value: V, at: V, elem: ScalarType, scopes: &str) {
        let value = self.widened(value, elem);
        self.store_at(value, at, elem, scopes);
    }

    fn store_at(&mut self, value: V, at: V, elem: ScalarType, scopes: &str) {
        let align = elem.bytes();
        self.code.line(format_args!(
            "llvm.store {value}, {at} {{alignment = {align} : i64{scopes}}} : {}, !llvm.ptr",
            value.ty
        ));
    }

    /// The parts of a vector access, in the order of the vector's elements.
    fn pieces(&mut self, place: &Place<'_>, ty: &VectorType) -> Emit<Vec<Piece>> {
        let memref = &place.memref;
        let outer = ty.shape.len().saturating_sub(1);
        let first_dim = place.subscripts.len() - ty.shape.len();
        let start = self.index(memref, &place.subscripts);
        let mut rows = vec![start];
        for k in 0..outer {
            let stride = memref.strides[first_dim + k];
            let mut next = Vec::new();
            for row in rows {
                for i in 0..ty.shape[k] {
                    next.push(self.step(row, stride, i));
                }
            }
            rows = next;
        }
        let lanes = ty.shape.last().copied().unwrap_or(1);
        let stride = memref.strides.last().copied();
        let whole = ty.shape.is_empty() || stride.is_some_and(|s| self.code.known(s) == Some(1));
        let lanes = u32::try_from(lanes).map_err(|_| self.malformed("a vector of too many elements"))?;
        let mut pieces = Vec::new();
        for row in rows {
            match stride {
                Some(stride) if !(whole || lanes == 1) => {
                    for lane in 0..lanes {
                        let index = self.step(row, stride, u64::from(lane));
                        let at = self.element(memref, index);
                        pieces.push(Piece { at, lanes: 1 });
                    }
                }
                _ => {
                    let at = self.element(memref, row);
                    pieces.push(Piece { at, lanes });
                }
            }
        }
        Ok(pieces)
    }

    fn step(&mut self, index: V, stride: V, times: u64) -> V {
        let times = self.word(times);
        let distance = self.mul(stride, times, Wrap::May);
        self.add(index, distance, Wrap::May)
    }

    /// Whether vectors of such elements lie in memory as they are held.
    fn is_direct(elem: ScalarType) -> bool {
        types::elem(elem) == types::stored(elem)
    }

    fn load_vector(&mut self, place: &Place<'_>, ty: &VectorType) -> Emit<V> {
        let held = types::vector(ty, &self.loc)?;
        let pieces = self.pieces(place, ty)?;
        if let (&[Piece { at, lanes }], true) = (&pieces[..], Self::is_direct(ty.elem))
            && lanes == held.lanes
        {
            return Ok(self.load_at(at, held, ty.elem, &place.scopes));
        }
        let mut elements = Vec::new();
        for piece in pieces {
            for lane in 0..piece.lanes {
                let lane = self.int(i64::from(lane));
                let at = self.element_address(piece.at, lane, types::stored(ty.elem));
                elements.push(self.load_element(at, ty.elem, &place.scopes));
            }
        }
        Ok(self.gather(&elements, held))
    }

    fn store_vector(&mut self, place: &Place<'_>, ty: &VectorType, value: V) -> Emit<()> {
        let pieces = self.pieces(place, ty)?;
        if let (&[Piece { at, lanes }], true) = (&pieces[..], Self::is_direct(ty.elem))
            && lanes == value.ty.lanes
        {
            self.store_at(value, at, ty.elem, &place.scopes);
            return Ok(());
        }
        let mut n = 0;
        for piece in pieces {
            for lane in 0..piece.lanes {
                let lane = self.int(i64::from(lane));
                let at = self.element_address(piece.at, lane, types::stored(ty.elem));
                let element = self.lane(value, n);
                self.store_element(element, at, ty.elem, &place.scopes);
                n += 1;
            }
        }
        Ok(())
    }
}
