//! Graphs of blocks: function bodies and `scf.execute_region`.

use super::core::{Emit, Emitter};
use super::text::{Block, Ty, V};
use super::types;
use tilia_codegen::analysis;
use tilia_codegen::native::Cause;
use tilia_program::{BlockId, OpId, OpKind, RegionId, ValueId};

impl Emitter<'_, '_> {
    /// Emits a region of blocks, entered from the current point. Yields go to `exit`.
    pub(super) fn cfg(&mut self, region: RegionId, exit: Option<Block>) -> Emit<()> {
        let order = self.source.reverse_postorder(region);
        let Some((&entry, rest)) = order.split_first() else {
            return Err(self.malformed("a region without blocks"));
        };
        // Blocks may form loops that aren't known as such.
        let loops = u32::from(!rest.is_empty());
        self.depth += loops;
        for &block in rest {
            let target = self.new_block();
            let args = self.params_for(target, &self.source[block].args)?;
            self.set_all(args);
            self.targets.insert(block, target);
        }
        for &block in &order {
            if block != entry {
                let target = self.target(block)?;
                self.code.switch_to(target);
            }
            self.nested(|e| e.cfg_block(block, exit))?;
        }
        self.depth -= loops;
        Ok(())
    }

    fn target(&self, block: BlockId) -> Emit<Block> {
        let target = self.targets.get(&block).copied();
        target.ok_or_else(|| self.malformed("a branch to another region, or to an entry block"))
    }

    fn cfg_block(&mut self, block: BlockId, exit: Option<Block>) -> Emit<()> {
        let source = self.source;
        let (&last, body) = source[block].ops.split_last().ok_or_else(|| self.malformed("an empty block"))?;
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
                let split = args.split_at_checked(*then_args as usize);
                let (a, b) = split.ok_or_else(|| self.malformed("a branch lacks operands"))?;
                let (a, b) = (self.all_parts(a)?, self.all_parts(b)?);
                let (then, otherwise) = (self.target(*then)?, self.target(*otherwise)?);
                let flag = self.number(flag)?;
                self.brif(flag, (then, &a), (otherwise, &b));
                Ok(())
            }
            (OpKind::Switch { default, cases }, _) => self.switch(&data.operands, *default, cases),
            (OpKind::Unreachable, _) => {
                self.fail(Cause::Text("execution reached a place that it never should".to_owned()));
                self.leave_with_error();
                Ok(())
            }
            (OpKind::Unsupported { name, reason }, _) => {
                self.unsupported(op, name, reason);
                self.leave_with_error();
                Ok(())
            }
            _ => Err(self.malformed("a block doesn't end in a terminator that fits its region")),
        }
    }

    /// A chain of comparisons: cases are few in practice, any number is correct, and LLVM makes a table of them where that pays.
    fn switch(&mut self, operands: &[ValueId], default: (BlockId, u32), cases: &[(i64, BlockId, u32)]) -> Emit<()> {
        let (&flag, mut rest) = operands.split_first().ok_or_else(|| self.malformed("a switch without flag"))?;
        let mut take = |e: &Self, n: u32| {
            let split = rest.split_at_checked(n as usize);
            let (now, later) = split.ok_or_else(|| e.malformed("a switch lacks operands"))?;
            rest = later;
            Ok::<_, tilia_diag::Diagnostic>(now.to_vec())
        };
        let default_args = take(self, default.1)?;
        let mut all = Vec::new();
        for &(value, block, n) in cases {
            all.push((value, block, take(self, n)?));
        }
        let flag = self.number(flag)?;
        for (value, block, args) in all {
            let parts: Vec<V> = self.all_parts(&args)?;
            let to = self.target(block)?;
            let hit = self.icmp_const("eq", flag, value);
            let next = self.new_block();
            self.brif(hit, (to, &parts), (next, &[]));
            self.code.switch_to(next);
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
        let region = data.regions.first().copied();
        let region = region.ok_or_else(|| self.malformed("execute_region without region"))?;
        let exit = self.new_block();
        let results = self.params_for(exit, &data.results)?;
        self.cfg(region, Some(exit))?;
        self.code.switch_to(exit);
        self.set_all(results);
        Ok(())
    }

    /// Loads the results of a call from where it left them.
    pub(super) fn results_from(&mut self, base: V, results: &[ValueId]) -> Emit<()> {
        let mut word = 0;
        for &r in results {
            let ty = self.ty(r);
            let val = self.load_words(base, word, ty)?;
            word += analysis::words(ty, &self.loc)?;
            self.set(r, val);
        }
        Ok(())
    }

    /// Some values for the results of an operation that never ends, for code that is never reached.
    pub(super) fn undefined_results(&mut self, op: OpId) -> Emit<()> {
        for &r in &self.source[op].results {
            let ty = self.ty(r);
            if matches!(ty, tilia_program::Type::Opaque(_)) {
                continue;
            }
            let parts: Vec<_> = types::parts(ty, &self.loc)?.into_iter().map(|t: Ty| self.code.poison(t)).collect();
            let val = self.make_val(ty, &parts)?;
            self.set(r, val);
        }
        Ok(())
    }
}
