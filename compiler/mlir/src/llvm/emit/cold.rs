//! Code for the case that a check at run time fails: a function of its own, compiled when it is first called ([`Cold`]).
//!
//! Such code is the source's order with all its checks. It is as large as what it stands in for, and hardly ever runs.

use super::core::{Emit, Emitter, Unit, UnitKind};
use super::text::{Ty, V};
use crate::llvm::cold::{self, Cold};
use std::sync::Arc;
use tilia_codegen::analysis;
use tilia_codegen::native::Cause;
use tilia_program::{OpId, OpKind, RegionId, ValueDef, ValueId};

impl Emitter<'_, '_> {
    /// Calls the code of a region, which becomes a unit; gives the parts of the values that it yields, which are those of `results`.
    pub(super) fn cold_call(&mut self, region: RegionId, results: &[ValueId]) -> Emit<Vec<V>> {
        let captures: Vec<_> = analysis::region_captures(self.source, &[region])
            .into_iter()
            .filter(|&v| self.constant_op(v).is_none())
            .collect();
        let mut words = 0;
        for &v in captures.iter().chain(results) {
            words += analysis::words(self.ty(v), &self.loc)?;
        }
        let frame = self.stack_slot(u64::from(words.max(1)) * 8, 16);
        let mut word = 0;
        for &v in &captures {
            word = self.store_words(frame, word, v)?;
        }
        let cold = Arc::new(Cold::default());
        let code = self.code.address(Arc::as_ptr(&cold) as u64);
        self.new_units.push(Unit {
            function: self.function,
            kind: UnitKind::Cold {
                cold,
                region,
                captures,
                ranges: self.ranges.clone(),
                disjoint: self.disjoint.clone(),
                in_body: self.in_body,
            },
        });
        let (ctx, zero) = (self.ctx, self.int(0));
        let status = self.call_address(cold::enter as *const () as u64, &[ctx, code, frame], Some(Ty::I64), false);
        let status = status.unwrap_or(zero);
        let compiled = self.icmp_const("ne", status, cold::NOT_COMPILED);
        let why = "the code for arguments that aren't as expected can't be compiled".to_owned();
        self.check(compiled, Cause::Text(why), zero, zero);
        self.check_status(status);
        let mut parts = Vec::new();
        for &r in results {
            let ty = self.ty(r);
            let val = self.load_words(frame, word, ty)?;
            word += analysis::words(ty, &self.loc)?;
            self.set(r, val);
            parts.extend(self.parts_of(r)?);
        }
        Ok(parts)
    }

    /// The operation that makes a value, if that is a constant.
    pub(super) fn constant_op(&self, value: ValueId) -> Option<OpId> {
        match self.source[value].def {
            ValueDef::Result(op, _) if matches!(self.source[op].kind, OpKind::Constant(_)) => Some(op),
            _ => None,
        }
    }

    /// Makes the values that a unit captures again: constants, then what lies in `frame` from word `word` on. Gives the next word.
    pub(super) fn captured(&mut self, all: &[ValueId], captures: &[ValueId], frame: V, mut word: u32) -> Emit<u32> {
        for &v in all {
            if let Some(constant) = self.constant_op(v) {
                self.op(constant)?;
            }
        }
        for &v in captures {
            let ty = self.ty(v);
            let val = self.load_words(frame, word, ty)?;
            word += analysis::words(ty, &self.loc)?;
            self.set(v, val);
        }
        Ok(word)
    }

    /// The unit of a region: yields go behind the captured values.
    pub(super) fn cold_body(&mut self, region: RegionId, captures: &[ValueId]) -> Emit<()> {
        let params = self.code.params();
        let &[_, frame] = &params[..] else {
            return Err(self.malformed("code for a failed check with other parameters"));
        };
        let all = analysis::region_captures(self.source, &[region]);
        let mut word = self.captured(&all, captures, frame, 0)?;
        let block = self.single_block(Some(region))?;
        for v in self.block_ops(block)? {
            word = self.store_words(frame, word, v)?;
        }
        let exit = self.ok_exit;
        self.jump(exit, &[]);
        Ok(())
    }
}
