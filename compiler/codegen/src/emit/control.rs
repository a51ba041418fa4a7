//! Operations in blocks; conditions and while loops.

use super::core::{Emit, Emitter};
use cranelift_codegen::ir::Value;
use tilia_program::{BlockId, Constant, IfCond, OpId, OpKind, RegionId, ValueId};

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
        let ops = self.source[block].ops.clone();
        let (&last, body) = ops.split_last().ok_or_else(|| self.malformed("an empty block"))?;
        for &op in body {
            self.op(op)?;
        }
        match self.source[last].kind {
            OpKind::Yield | OpKind::Condition => Ok(self.source[last].operands.clone()),
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
            OpKind::For(kind) => self.for_loop(op, kind),
            OpKind::If(cond) => self.if_op(op, cond),
            OpKind::While => self.while_op(op),
            OpKind::ExecuteRegion => self.execute_region(op),
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
        let val = self.constant_val(ty, constant)?;
        self.set(result, val);
        if let (Constant::Int(c), tilia_program::Type::Scalar(s)) = (constant, ty)
            && s.bits() == 64
        {
            self.polys.insert(result, super::poly::Poly::constant(*c));
            self.ranges.insert(result, crate::analysis::Range::exact(*c));
        }
        Ok(())
    }

    fn if_op(&mut self, op: OpId, cond: &IfCond) -> Emit<()> {
        let data = &self.source[op];
        let (then, otherwise, join) = (self.new_block(), self.new_block(), self.new_block());
        match cond {
            IfCond::Set(set) => self.branch_on_set(set, &data.operands, then, otherwise)?,
            IfCond::Value => {
                let flag = data.operands.first().ok_or_else(|| self.malformed("an if without condition"))?;
                let flag = self.scalar(*flag)?;
                self.brif(flag, (then, &[]), (otherwise, &[]));
            }
        }
        let mut results = Vec::new();
        for &r in &data.results {
            let ty = self.ty(r);
            results.push((r, self.block_param(join, ty)?));
        }
        for (n, block) in [then, otherwise].into_iter().enumerate() {
            self.switch_to(block);
            let before = if n == 0 {
                self.ranges.assume(self.source, cond, &data.operands)
            } else {
                Vec::new()
            };
            let region = data.regions.get(n).copied();
            let parts = match region {
                Some(r) if !self.source[r].blocks.is_empty() => {
                    let body = self.single_block(region)?;
                    // The results are written down within the branch's scope: what that computes doesn't stand behind the join.
                    self.scoped(|e| {
                        let yields = e.block_ops(body)?;
                        e.all_parts(&yields)
                    })?
                }
                _ => Vec::new(),
            };
            self.ranges.restore(before);
            self.jump(join, &parts);
        }
        self.switch_to(join);
        for (r, val) in results {
            self.set(r, val);
        }
        Ok(())
    }

    fn while_op(&mut self, op: OpId) -> Emit<()> {
        let data = &self.source[op];
        let before = self.single_block(data.regions.first().copied())?;
        let after = self.single_block(data.regions.get(1).copied())?;
        let inits = self.all_parts(&data.operands)?;
        let (head, body, exit) = (self.new_block(), self.new_block(), self.new_block());
        self.jump(head, &inits);
        self.switch_to(head);
        self.block_args(head, before)?;
        let mut results = Vec::new();
        for &r in &data.results {
            let ty = self.ty(r);
            results.push((r, self.block_param(exit, ty)?));
        }
        self.scoped(|e| {
            let passed = e.block_ops(before)?;
            let (&flag, passed) = passed.split_first().ok_or_else(|| e.malformed("a condition without flag"))?;
            let flag = e.scalar(flag)?;
            let parts = e.all_parts(passed)?;
            e.block_args(body, after)?;
            e.brif(flag, (body, &parts), (exit, &parts));
            e.switch_to(body);
            let yields = e.scoped(|e| e.block_ops(after))?;
            let parts: Vec<Value> = e.all_parts(&yields)?;
            e.jump(head, &parts);
            Ok(())
        })?;
        self.switch_to(exit);
        for (r, val) in results {
            self.set(r, val);
        }
        Ok(())
    }

    /// Makes parameters of `block` for the arguments of `source`.
    pub(super) fn block_args(&mut self, block: cranelift_codegen::ir::Block, source: BlockId) -> Emit<()> {
        for &arg in &self.source[source].args {
            let ty = self.ty(arg);
            let val = self.block_param(block, ty)?;
            self.set(arg, val);
        }
        Ok(())
    }
}
