//! Run-time checks, and the ways out of a function after an error.

use super::core::Emitter;
use crate::rt::{self, ThreadCtx};
use crate::sites::Cause;
use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};

impl Emitter<'_, '_> {
    /// Goes on if `ok`, else ends with an error that reports `a` and `b`.
    pub(super) fn check(&mut self, ok: Value, cause: Cause, a: Value, b: Value) {
        let site = self.site(cause);
        let next = self.new_block();
        let failed = self.new_block();
        self.code.layout.set_cold(failed);
        self.brif(ok, (next, &[]), (failed, &[]));
        self.switch_to(failed);
        self.report(site, a, b);
        let exit = self.error_exit;
        self.jump(exit, &[]);
        self.switch_to(next);
    }

    /// Ends with an error. What follows is emitted to a block that nothing reaches.
    pub(super) fn fail(&mut self, cause: Cause) {
        let site = self.site(cause);
        let zero = self.int(0);
        self.report(site, zero, zero);
        let exit = self.error_exit;
        self.jump(exit, &[]);
        let dead = self.new_block();
        self.switch_to(dead);
    }

    fn report(&mut self, site: u64, a: Value, b: Value) {
        let site = self.int(site.cast_signed());
        let ctx = self.ctx;
        self.call_runtime(rt::fail as *const () as usize, &[ctx, site, a, b], false);
    }

    /// Goes on if `status` is 0, else leaves with an error that was reported already.
    pub(super) fn check_status(&mut self, status: Value) {
        let next = self.new_block();
        let exit = self.error_exit;
        self.brif(status, (exit, &[]), (next, &[]));
        self.switch_to(next);
    }

    /// Goes on if `pointer` isn't null, else leaves with an error that was reported already.
    pub(super) fn check_pointer(&mut self, pointer: Value) {
        let next = self.new_block();
        let exit = self.error_exit;
        self.brif(pointer, (next, &[]), (exit, &[]));
        self.switch_to(next);
    }

    /// An error if the stack is nearly used up.
    pub(super) fn check_stack(&mut self) {
        let ctx = self.ctx;
        let here = self.at().ins().get_stack_pointer(types::I64);
        let limit = self
            .at()
            .ins()
            .load(types::I64, MemFlagsData::trusted(), ctx, ThreadCtx::STACK_LIMIT);
        let ok = self.at().ins().icmp(IntCC::UnsignedGreaterThan, here, limit);
        let function = self.source.name.clone();
        self.check(ok, Cause::Stack { function }, here, limit);
    }

    /// Fills the blocks through which the function is left.
    pub(super) fn finish_exits(&mut self) {
        self.code.layout.append_block(self.ok_exit);
        self.code.layout.append_block(self.error_exit);
        self.code.layout.set_cold(self.error_exit);
        for (exit, status) in [(self.ok_exit, 0), (self.error_exit, 1)] {
            self.switch_to(exit);
            self.free_slots();
            let status = self.int(status);
            self.at().ins().return_(&[status]);
        }
    }

    /// Frees the memory of `alloca`s.
    fn free_slots(&mut self) {
        let ctx = self.ctx;
        for slot in self.to_free.clone() {
            let address = self.at().ins().stack_addr(types::I64, slot, 0);
            self.call_runtime(rt::free_slot as *const () as usize, &[ctx, address], false);
        }
    }

    /// Empties the slots of `alloca`s at the function's entry.
    pub(super) fn clear_slots(&mut self, entry: Block) {
        for slot in std::mem::take(&mut self.to_free) {
            let mut cursor = FuncCursor::new(&mut self.code).at_first_insertion_point(entry);
            let zero = cursor.ins().iconst(types::I64, 0);
            let address = cursor.ins().stack_addr(types::I64, slot, 0);
            cursor.ins().store(MemFlagsData::trusted(), zero, address, 0);
            cursor.ins().store(MemFlagsData::trusted(), zero, address, 8);
        }
    }
}
