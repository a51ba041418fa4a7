//! Buffers for cells that don't contract: the box of subscripts that the scop writes.

use crate::emit::Emitter;
use crate::form::{Atom, Form};
use crate::sets::{pw_aff_expr, set_condition};
use crate::tree::Declined;
use tilia_ast::Expr;
use tilia_diag::Loc;
use tilia_presburger::Set;
use tilia_program::{BlockId, CmpI, Layout, MemRefType, OpKind, PureOp, Type, ValueId};
use tilia_scop::{AccessKind, ArrayId, COPY_BYTES};

/// A box of elements.
#[derive(Debug)]
struct Room {
    /// The least subscript of each dimension.
    least: Vec<Form>,
    sizes: Vec<ValueId>,
    /// Number of elements, if that is a constant.
    known: Option<i64>,
}

impl Default for Room {
    fn default() -> Self {
        Room {
            least: Vec::new(),
            sizes: Vec::new(),
            known: Some(1),
        }
    }
}

type Res<T> = Result<T, Declined>;

impl Emitter<'_> {
    /// Allocates the buffer of a cell in `block`.
    pub(crate) fn allocate_cell(&mut self, cell: ArrayId, block: BlockId) -> Res<()> {
        let scop = self.scop;
        let loc = scop[cell].loc.clone();
        let room = self.room(cell, block)?;
        let ty = Type::MemRef(MemRefType {
            elem: scop[cell].elem,
            shape: vec![None; scop[cell].rank],
            layout: Layout::Identity,
        });
        let kind = OpKind::Alloc { stack: false, align: 64 };
        let op = self.f.append(block, kind, room.sizes, &[ty], loc);
        let buffer = self.f.result(op);
        self.cells.storage.insert(cell, (buffer, room.least));
        Ok(())
    }

    /// The least box that holds all elements of a cell.
    fn room(&mut self, cell: ArrayId, block: BlockId) -> Res<Room> {
        let scop = self.scop;
        let loc = scop[cell].loc.clone();
        let fail = |e: tilia_presburger::Error| Declined::new(&loc, format!("the extent of a private cell isn't known: {e}"));
        let touched = self.touched(cell).map_err(fail)?;
        // Where the scop has no instance that writes the cell, the extents of what it writes mean nothing, and may be anything.
        let exists = match &touched {
            Some(set) => {
                let params = set.params().gist(&self.scop.context, self.budget).map_err(fail)?;
                set_condition(&params, self.budget).map_err(fail)?
            }
            None => Expr::Bool(false),
        };
        let mut room = Room::default();
        for dim in 0..scop[cell].rank {
            let (low, high) = match &touched {
                Some(set) => {
                    let low = set
                        .dim_min(dim, self.budget)
                        .and_then(|pw| pw_aff_expr(&pw, self.budget))
                        .map_err(fail)?;
                    let high = set
                        .dim_max(dim, self.budget)
                        .and_then(|pw| pw_aff_expr(&pw, self.budget))
                        .map_err(fail)?;
                    (self.expr_form(&low, block, &loc)?, self.expr_form(&high, block, &loc)?)
                }
                None => (Form::constant(0), Form::constant(-1)),
            };
            let size = high
                .add_scaled(&low, -1)
                .and_then(|s| s.add_scaled(&Form::constant(1), 1))
                .ok_or_else(|| Declined::new(&loc, "the extent of a private cell leaves 64 bits"))?;
            room.least.push(match low.as_constant() {
                Some(_) => low,
                None => Form::atom(Atom::Value(self.form_value(&low, block, &loc))),
            });
            room.known = room.known.zip(size.as_constant()).and_then(|(n, s)| n.checked_mul(s.max(0)));
            room.sizes.push(self.size_where(&exists, &size, block, &loc)?);
        }
        Ok(room)
    }

    /// Whether a copy takes no more memory than it may, as an i1 value; `None` if that is certain.
    pub(crate) fn fits(&mut self, cell: ArrayId, block: BlockId) -> Res<Option<ValueId>> {
        let loc = self.scop[cell].loc.clone();
        let elem = i64::try_from(self.scop[cell].elem.bytes()).unwrap_or(i64::MAX).max(1);
        let most = COPY_BYTES / elem;
        let room = self.room(cell, block)?;
        if room.known.is_some_and(|n| n <= most) {
            return Ok(None);
        }
        let most = self.form_value(&Form::constant(most), block, &loc);
        let limit = self.form_value(&Form::constant(COPY_BYTES / elem + 1), block, &loc);
        let mut all = self.form_value(&Form::constant(1), block, &loc);
        // Each factor is at most 2^28, so no product leaves 64 bits.
        for size in room.sizes {
            let size = self.value(block, OpKind::pure(PureOp::MinSI), vec![size, limit], &Type::INDEX, &loc);
            let product = self.value(block, OpKind::pure(PureOp::MulI), vec![all, size], &Type::INDEX, &loc);
            all = self.value(block, OpKind::pure(PureOp::MinSI), vec![product, limit], &Type::INDEX, &loc);
        }
        let compare = OpKind::pure(PureOp::CmpI(CmpI::Sle));
        Ok(Some(self.value(block, compare, vec![all, most], &Type::BOOL, &loc)))
    }

    /// The elements of a cell that are written, or `None` if there are none.
    fn touched(&self, cell: ArrayId) -> tilia_presburger::Result<Option<Set>> {
        let mut all: Option<Set> = None;
        for stmt in &self.scop.stmts {
            for access in stmt.accesses.iter().filter(|a| a.array == cell && a.kind == AccessKind::Write) {
                let image = stmt.domain.intersect_params(&self.scop.context)?.apply(&access.relation)?;
                all = Some(match all {
                    None => image,
                    Some(so_far) => so_far.union(&image)?,
                });
            }
        }
        match all {
            Some(set) if !set.is_empty(self.budget)? => Ok(Some(set)),
            _ => Ok(None),
        }
    }

    /// `max(form, 0)` where the condition holds, else 0.
    fn size_where(&mut self, exists: &Expr, form: &Form, block: BlockId, loc: &Loc) -> Res<ValueId> {
        let size = self.non_negative(form, block, loc);
        if *exists == Expr::Bool(true) {
            return Ok(size);
        }
        let exists = self.condition_value(exists, block, loc)?;
        let none = self.form_value(&Form::constant(0), block, loc);
        Ok(self.value(block, OpKind::pure(PureOp::Select), vec![exists, size, none], &Type::INDEX, loc))
    }

    /// `max(form, 0)`.
    fn non_negative(&mut self, form: &Form, block: BlockId, loc: &Loc) -> ValueId {
        if form.as_constant().is_some() {
            let form = Form::constant(form.constant.max(0));
            return self.form_value(&form, block, loc);
        }
        let (map, operands) = self.map(&[form.clone(), Form::constant(0)]);
        let op = self.f.append(block, OpKind::Max(map), operands, &[Type::INDEX], loc.clone());
        self.f.result(op)
    }

    /// Frees the buffers of cells.
    pub(crate) fn free_cells(&mut self, block: BlockId, loc: &Loc) {
        let mut buffers: Vec<ValueId> = self.cells.storage.values().map(|(b, _)| *b).collect();
        buffers.sort();
        for buffer in buffers {
            self.f.append(block, OpKind::Dealloc, vec![buffer], &[], loc.clone());
        }
    }

    /// The value of a cell without dimensions, at the end of the scop.
    pub(crate) fn final_value(&mut self, cell: ArrayId, block: BlockId, loc: &Loc) -> Res<ValueId> {
        let place = crate::tree::Place {
            array: cell,
            memref: None,
            subs: Vec::new(),
            lanes: 1,
        };
        self.read_cell(&place, block, loc)
    }
}
