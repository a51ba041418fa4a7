//! Graphs of blocks: function bodies and `scf.execute_region`.

use super::core::{Emit, Emitter};
use super::words::Kind;
use crate::sites::Cause;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use tilia_program::{BlockId, OpId, OpKind, RegionId, ValueId};

impl Emitter<'_, '_> {
    /// Emits a region of blocks, entered from the current point. Yields go to `exit`.
    pub(super) fn cfg(&mut self, region: RegionId, exit: Option<Block>) -> Emit<()> {
        let order = self.source.reverse_postorder(region);
        let Some((&entry, rest)) = order.split_first() else {
            return Err(self.malformed("a region without blocks"));
        };
        // An entry block that is branched to needs a block of its own; its arguments were set by the caller only for functions, whose entry can't be a target.
        for &block in rest {
            let target = self.new_block();
            self.block_args(target, block)?;
            self.targets.insert(block, target);
        }
        for &block in &order {
            if block != entry {
                let target = self.target(block)?;
                self.switch_to(target);
            }
            self.scoped(|e| e.cfg_block(block, exit))?;
        }
        Ok(())
    }

    fn target(&self, block: BlockId) -> Emit<Block> {
        self.targets
            .get(&block)
            .copied()
            .ok_or_else(|| self.malformed("a branch to another region, or to an entry block"))
    }

    fn cfg_block(&mut self, block: BlockId, exit: Option<Block>) -> Emit<()> {
        let ops = self.source[block].ops.clone();
        let (&last, body) = ops.split_last().ok_or_else(|| self.malformed("an empty block"))?;
        for &op in body {
            self.op(op)?;
        }
        self.terminator(last, exit)
    }

    fn terminator(&mut self, op: OpId, exit: Option<Block>) -> Emit<()> {
        let data = &self.source[op];
        self.loc.clone_from(&data.loc);
        match (&data.kind, exit) {
            (OpKind::Return, _) => self.return_op(&data.operands),
            (OpKind::Yield, Some(exit)) => {
                let parts = self.all_parts(&data.operands)?;
                self.jump(exit, &parts);
                Ok(())
            }
            (OpKind::Br(to), _) => {
                let to = self.target(*to)?;
                let parts = self.all_parts(&data.operands)?;
                self.jump(to, &parts);
                Ok(())
            }
            (
                OpKind::CondBr {
                    then,
                    otherwise,
                    then_args,
                },
                _,
            ) => {
                let (&flag, args) = data.operands.split_first().ok_or_else(|| self.malformed("a branch without flag"))?;
                let (a, b) = args
                    .split_at_checked(*then_args as usize)
                    .ok_or_else(|| self.malformed("a branch lacks operands"))?;
                let (a, b) = (self.all_parts(a)?, self.all_parts(b)?);
                let (then, otherwise) = (self.target(*then)?, self.target(*otherwise)?);
                let flag = self.scalar(flag)?;
                self.brif(flag, (then, &a), (otherwise, &b));
                Ok(())
            }
            (OpKind::Switch { default, cases }, _) => self.switch(&data.operands, *default, cases),
            (OpKind::Unreachable, _) => {
                self.fail(Cause::Text("execution reached a place that it never should".to_owned()));
                self.dead_end();
                Ok(())
            }
            (OpKind::Unsupported { name, reason }, _) => {
                self.unsupported(op, name, reason);
                self.dead_end();
                Ok(())
            }
            _ => Err(self.malformed("a block doesn't end in a terminator that fits its region")),
        }
    }

    /// Ends the current block, which nothing reaches.
    fn dead_end(&mut self) {
        let exit = self.error_exit;
        self.jump(exit, &[]);
    }

    /// A chain of comparisons: cases are few in practice, and any number is correct.
    fn switch(&mut self, operands: &[ValueId], default: (BlockId, u32), cases: &[(i64, BlockId, u32)]) -> Emit<()> {
        let (&flag, mut rest) = operands.split_first().ok_or_else(|| self.malformed("a switch without flag"))?;
        let mut take = |e: &Self, n: u32| {
            let (now, later) = rest
                .split_at_checked(n as usize)
                .ok_or_else(|| e.malformed("a switch lacks operands"))?;
            rest = later;
            Ok::<_, tilia_diag::Diagnostic>(now.to_vec())
        };
        let default_args = take(self, default.1)?;
        let mut all = Vec::new();
        for &(value, block, n) in cases {
            all.push((value, block, take(self, n)?));
        }
        let bits = self.ty(flag).element().map_or(64, tilia_program::ScalarType::bits);
        let flag = self.scalar(flag)?;
        for (value, block, args) in all {
            let parts: Vec<Value> = self.all_parts(&args)?;
            let to = self.target(block)?;
            let canonical = super::int::zero_extended(value, bits);
            let hit = self.at().ins().icmp_imm_u(IntCC::Equal, flag, super::int::immediate(canonical));
            let next = self.new_block();
            self.brif(hit, (to, &parts), (next, &[]));
            self.switch_to(next);
        }
        let parts = self.all_parts(&default_args)?;
        let to = self.target(default.0)?;
        self.jump(to, &parts);
        Ok(())
    }

    fn return_op(&mut self, operands: &[ValueId]) -> Emit<()> {
        if let Some(base) = self.results {
            let mut word = 0;
            for &v in operands {
                word = self.store_words(base, word, v)?;
            }
        }
        let exit = self.ok_exit;
        self.jump(exit, &[]);
        Ok(())
    }

    /// `scf.execute_region`.
    pub(super) fn execute_region(&mut self, op: OpId) -> Emit<()> {
        let data = &self.source[op];
        let region = *data
            .regions
            .first()
            .ok_or_else(|| self.malformed("execute_region without region"))?;
        let exit = self.new_block();
        let mut results = Vec::new();
        for &r in &data.results {
            let ty = self.ty(r);
            results.push((r, self.block_param(exit, ty)?));
        }
        self.scoped(|e| e.cfg(region, Some(exit)))?;
        self.switch_to(exit);
        for (r, val) in results {
            self.set(r, val);
        }
        Ok(())
    }

    /// Loads the results of a call from the call area.
    pub(super) fn results_from(&mut self, base: Value, results: &[ValueId]) -> Emit<()> {
        let mut word = 0;
        for &r in results {
            let ty = self.ty(r);
            let val = self.load_words(base, word, ty, Kind::Result)?;
            word += super::types::words(ty, &self.loc)?;
            self.set(r, val);
        }
        Ok(())
    }
}
