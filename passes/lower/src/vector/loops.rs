//! A vector loop, and what is left after whole vectors.

use super::{NARROWEST, Plan};
use crate::emit::{Emitter, for_op};
use crate::form::{Atom, Form};
use crate::tree::{Declined, Loop};
use tilia_diag::Loc;
use tilia_program::{AffineExpr, AffineMap, BlockId, LoopExec, OpKind, Type, ValueId};

type Res<T> = Result<T, Declined>;

impl Emitter<'_> {
    /// Emits the vector loop and what is left: by narrower vectors as long as there are any, then one by one.
    pub(crate) fn vector_loop(
        &mut self,
        l: &Loop,
        plan: &Plan,
        (lower, upper, operands): (AffineMap, AffineMap, Vec<ValueId>),
        block: BlockId,
        body: &mut dyn FnMut(&mut Self, BlockId) -> Res<()>,
    ) -> Res<()> {
        if plan.accumulates() {
            return self.reduction_loop(l, plan, (lower, upper, operands), block, body);
        }
        let split = lower.operands();
        let mut start = self.extremum_value(lower, operands[..split].to_vec(), OpKind::Max, block, &l.loc);
        let end = self.extremum_value(upper, operands[split..].to_vec(), OpKind::Min, block, &l.loc);
        let mut bits = self.options.vector_bits;
        loop {
            let middle = self.whole_vectors(l, plan, plan.lanes(bits), (start, end), block)?;
            bits /= 2;
            if bits < NARROWEST || plan.lanes(bits) == 1 {
                // The scalar rest starts where the vectors ended, but never before the loop's own start.
                let bounds = (AffineMap::identity(2), AffineMap::identity(1), vec![middle, start, end]);
                return self.scalar_loop(l, bounds, block, body);
            }
            start = self.value(
                block,
                OpKind::Max(AffineMap::identity(2)),
                vec![middle, start],
                &Type::INDEX,
                &l.loc,
            );
        }
    }

    /// Emits a loop over all vectors of that many lanes that fit between the bounds; returns where they end.
    fn whole_vectors(&mut self, l: &Loop, plan: &Plan, lanes: u32, (start, end): (ValueId, ValueId), block: BlockId) -> Res<ValueId> {
        let wide = l
            .step
            .checked_mul(i64::from(lanes))
            .ok_or_else(|| Declined::new(&l.loc, "the loop's step is too large for vectors"))?;
        let insts = plan
            .widened(self, l, &Form::atom(Atom::Var(l.var)), lanes)
            .ok_or_else(|| Declined::new(&l.loc, "an index of the vector loop leaves 64 bits"))?;
        let middle = self.middle(start, end, wide, block, &l.loc);
        let one = AffineMap::identity(1);
        let header = for_op(l, one.clone(), one, wide, LoopExec::Vector);
        let (_, inner, iv, _) = self.open_loop(header, vec![start, middle], &[], block, &l.loc);
        self.vars.insert(l.var, iv);
        let before = self.slots.clone();
        for inst in &insts {
            self.instance(inst, inner)?;
        }
        self.f.append(inner, OpKind::Yield, vec![], &[], l.loc.clone());
        self.slots = before;
        Ok(middle)
    }

    pub(super) fn extremum_value(
        &mut self,
        map: AffineMap,
        operands: Vec<ValueId>,
        kind: fn(AffineMap) -> OpKind,
        block: BlockId,
        loc: &Loc,
    ) -> ValueId {
        if let [AffineExpr::Dim(n)] = map.results[..]
            && let Some(&value) = operands.get(n as usize)
            && self.f[value].ty == Type::INDEX
        {
            return value;
        }
        self.value(block, kind(map), operands, &Type::INDEX, loc)
    }

    /// `start + floor((end - start) / wide) * wide`: where whole vectors end.
    pub(super) fn middle(&mut self, start: ValueId, end: ValueId, wide: i64, block: BlockId, loc: &Loc) -> ValueId {
        let start_e = AffineExpr::Dim(0);
        let length = AffineExpr::add(AffineExpr::Dim(1), AffineExpr::mul(start_e.clone(), AffineExpr::Const(-1)));
        let whole = AffineExpr::mul(
            AffineExpr::FloorDiv(Box::new(length), Box::new(AffineExpr::Const(wide))),
            AffineExpr::Const(wide),
        );
        let map = AffineMap {
            dims: 2,
            syms: 0,
            results: vec![AffineExpr::add(start_e, whole)],
        };
        self.value(block, OpKind::Apply(map), vec![start, end], &Type::INDEX, loc)
    }
}
