//! Run-time checks, and the ways out of a function after an error.

use super::core::Emitter;
use super::text::{Ty, V};
use tilia_codegen::native::{Cause, Context, Runtime};

impl Emitter<'_, '_> {
    /// Goes on if `ok`, else ends with an error that reports `a` and `b`.
    pub(super) fn check(&mut self, ok: V, cause: Cause, a: V, b: V) {
        let site = self.site(cause);
        let (next, failed) = (self.new_block(), self.new_block());
        self.expect(ok, next, failed);
        self.code.switch_to(failed);
        self.report(site, a, b);
        self.leave_with_error();
        self.code.switch_to(next);
    }

    /// Ends with an error. What follows is emitted to a block that nothing reaches.
    pub(super) fn fail(&mut self, cause: Cause) {
        let site = self.site(cause);
        let zero = self.int(0);
        self.report(site, zero, zero);
        self.leave_with_error();
        let dead = self.new_block();
        self.code.switch_to(dead);
    }

    pub(super) fn leave_with_error(&mut self) {
        let exit = self.error_exit;
        self.jump(exit, &[]);
    }

    fn report(&mut self, site: V, a: V, b: V) {
        let args = [self.ctx, site, a, b];
        self.call_address(Runtime::Fail.address() as u64, &args, None, false);
    }

    /// Goes on if `status` is 0, else leaves with an error that was reported already.
    pub(super) fn check_status(&mut self, status: V) {
        let ok = self.icmp_const("eq", status, 0);
        self.go_on_if(ok);
    }

    /// Goes on if `pointer` isn't null, else leaves with an error that was reported already.
    pub(super) fn check_pointer(&mut self, pointer: V) {
        let null = self.code.address(0);
        let ok = self.icmp("ne", pointer, null);
        self.go_on_if(ok);
    }

    fn go_on_if(&mut self, ok: V) {
        let (next, exit) = (self.new_block(), self.error_exit);
        self.expect(ok, next, exit);
        self.code.switch_to(next);
    }

    /// An error if the stack is nearly used up.
    pub(super) fn check_stack(&mut self) {
        let here = self.code.value(Ty::PTR, 0, format_args!("llvm.intr.stacksave : !llvm.ptr"));
        let here = self.code.value(Ty::I64, 0, format_args!("llvm.ptrtoint {here} : !llvm.ptr to i64"));
        let at = self.field(Context::StackLimit);
        let limit = self.load_plain(at, Ty::I64);
        let ok = self.icmp("ugt", here, limit);
        let function = self.source.name.clone();
        self.check(ok, Cause::Stack { function }, here, limit);
    }

    /// The address of a field of the context.
    pub(super) fn field(&mut self, field: Context) -> V {
        let ctx = self.ctx;
        self.offset(ctx, u64::try_from(field.offset()).unwrap_or(0))
    }

    /// Fills the blocks through which the function is left.
    pub(super) fn finish_exits(&mut self) {
        for (exit, status) in [(self.ok_exit, 0), (self.error_exit, 1)] {
            self.code.switch_to(exit);
            for slot in self.to_free.clone() {
                let ctx = self.ctx;
                self.call_address(Runtime::FreeSlot.address() as u64, &[ctx, slot], None, false);
            }
            let status = self.int(status);
            self.code.line(format_args!("llvm.return {status} : i64"));
        }
    }
}
