//! Operations in blocks; conditions and while loops.

use super::core::{Emit, Emitter};
use super::text::V;
use tilia_program::{BlockId, Constant, IfCond, OpId, OpKind, RegionId, ScalarType, Type, ValueId};

impl Emitter<'_, '_> {
    /// The one block of a structured region.
    pub(super) fn single_block(&self, region: Option<RegionId>) -> Emit<BlockId> {
        match region.map(|r| &self.source[r].blocks[..]) {
            Some([block]) => Ok(*block),
            _ => Err(self.malformed("a region that should have one block has not")),
        }
    }

    /// Emits a block of structured control flow; returns the operands of its terminator.
    pub(super) fn block_ops(&mut self, block: BlockId) -> Emit<Vec<ValueId>> {
        let source = self.source;
        let (&last, body) = source[block].ops.split_last().ok_or_else(|| self.malformed("an empty block"))?;
        for &op in body {
            self.op(op)?;
        }
        match source[last].kind {
            OpKind::Yield | OpKind::Condition => Ok(source[last].operands.clone()),
            _ => Err(self.malformed("a block of a structured operation doesn't end in a yield")),
        }
    }

    /// Emits one operation that doesn't end a block.
    pub(super) fn op(&mut self, op: OpId) -> Emit<()> {
        let data = &self.source[op];
        self.loc.clone_from(&data.loc);
        match &data.kind {
            OpKind::Constant(c) => self.constant(op, c),
            OpKind::Pure(pure, _) => self.pure(op, *pure),
            OpKind::Apply(map) => self.apply(op, map),
            OpKind::Min(map) => self.min_max(op, map, false),
            OpKind::Max(map) => self.min_max(op, map, true),
            OpKind::Load(access) => self.load(op, access),
            OpKind::Store(access) => self.store(op, access),
            OpKind::Alloc { stack, align } => self.alloc(op, *stack, *align),
            OpKind::Dealloc => self.dealloc(op),
            OpKind::Copy => self.copy(op),
            OpKind::Dim => self.dim(op),
            OpKind::Rank => self.rank(op),
            OpKind::Stride(n) => self.stride(op, *n),
            OpKind::Address => self.address_of(op),
            OpKind::CastMemRef => self.cast_memref(op),
            OpKind::SubView(slice) => self.subview(op, slice),
            OpKind::ReinterpretCast(slice) => self.reinterpret_cast(op, slice),
            OpKind::Transpose(perm) => self.transpose(op, perm),
            OpKind::Reshape { collapse, groups } => self.reshape(op, *collapse, groups),
            OpKind::GetGlobal(n) => self.get_global(op, *n),
            OpKind::Overlap => self.overlap(op),
            OpKind::For(kind) => self.nested(|e| e.for_loop(op, kind)),
            OpKind::If(cond) => self.nested(|e| e.if_op(op, cond)),
            OpKind::While => self.nested(|e| e.while_op(op)),
            OpKind::ExecuteRegion => self.nested(|e| e.execute_region(op)),
            OpKind::Call(name) => self.call(op, name),
            OpKind::Assert(text) => self.assert(op, text),
            OpKind::Unsupported { name, reason } => {
                self.unsupported(op, name, reason);
                Ok(())
            }
            kind if kind.is_terminator() => Err(self.malformed("a terminator within a block")),
            _ => Err(self.malformed("an unknown operation")),
        }
    }

    fn constant(&mut self, op: OpId, constant: &Constant) -> Emit<()> {
        let result = self.source.result(op);
        let ty = self.ty(result);
        let v = self.constant_value(ty, constant)?;
        self.set_number(result, v);
        if let (Constant::Int(c), Type::Scalar(s)) = (constant, ty)
            && ScalarType::bits(*s) == 64
        {
            self.ranges.insert(result, tilia_codegen::analysis::Range::exact(*c));
        }
        Ok(())
    }

    fn if_op(&mut self, op: OpId, cond: &IfCond) -> Emit<()> {
        let data = &self.source[op];
        let (then, otherwise, join) = (self.new_block(), self.new_block(), self.new_block());
        match cond {
            IfCond::Set(set) => self.branch_on_set(set, &data.operands, then, otherwise)?,
            IfCond::Value => {
                let flag = self.operand(op, 0)?;
                let flag = self.number(flag)?;
                self.brif(flag, (then, &[]), (otherwise, &[]));
            }
        }
        let results = self.params_for(join, &data.results)?;
        let versions = !self.in_cold && self.asks_for_overlap(cond, &data.operands);
        for (n, block) in [then, otherwise].into_iter().enumerate() {
            self.code.switch_to(block);
            let (before, pairs) = if n == 0 {
                let before = self.ranges.assume(self.source, cond, &data.operands);
                (before, self.assume_disjoint(cond, &data.operands))
            } else {
                (Vec::new(), Vec::new())
            };
            let region = data.regions.get(n).copied();
            let parts = match region {
                Some(r) if n == 1 && versions && !self.source[r].blocks.is_empty() => self.cold_call(r, &data.results)?,
                Some(r) if !self.source[r].blocks.is_empty() => {
                    let body = self.single_block(region)?;
                    let yields = self.block_ops(body)?;
                    self.all_parts(&yields)?
                }
                _ => Vec::new(),
            };
            self.ranges.restore(before);
            self.forget_disjoint(pairs);
            self.jump(join, &parts);
        }
        self.code.switch_to(join);
        self.set_all(results);
        Ok(())
    }

    fn while_op(&mut self, op: OpId) -> Emit<()> {
        let data = &self.source[op];
        let before = self.single_block(data.regions.first().copied())?;
        let after = self.single_block(data.regions.get(1).copied())?;
        let inits = self.all_parts(&data.operands)?;
        let (head, body, exit) = (self.new_block(), self.new_block(), self.new_block());
        self.jump(head, &inits);
        let results = self.params_for(exit, &data.results)?;
        self.depth += 1;
        self.code.switch_to(head);
        let args = self.params_for(head, &self.source[before].args)?;
        self.set_all(args);
        let passed = self.block_ops(before)?;
        let (&flag, passed) = passed.split_first().ok_or_else(|| self.malformed("a condition without flag"))?;
        let flag = self.number(flag)?;
        let parts = self.all_parts(passed)?;
        let args = self.params_for(body, &self.source[after].args)?;
        self.set_all(args);
        self.brif(flag, (body, &parts), (exit, &parts));
        self.code.switch_to(body);
        let yields = self.block_ops(after)?;
        let parts: Vec<V> = self.all_parts(&yields)?;
        self.jump(head, &parts);
        self.depth -= 1;
        self.code.switch_to(exit);
        self.set_all(results);
        Ok(())
    }
}
