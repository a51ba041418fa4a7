//! Calls: of the program's functions, of runner functions, of the runtime.

use super::core::{Emit, Emitter, status_signature};
use super::types;
use super::value::Val;
use crate::sites::Cause;
use cranelift_codegen::ir::{self, AbiParam, ExtFuncData, ExternalName, InstBuilder, Signature, UserExternalName, Value};
use tilia_abi::runner;
use tilia_diag::Diagnostic;
use tilia_program::{OpId, OpKind, ScalarType, Type};

impl Emitter<'_, '_> {
    /// Calls a C function at `address`; arguments as their Cranelift types, the result of type `result`, if any.
    fn call_address(&mut self, address: usize, args: &[Value], result: Option<ir::Type>) -> Option<Value> {
        let mut signature = Signature::new(self.env.isa.default_call_conv());
        for &arg in args {
            signature.params.push(self.param_of(arg));
        }
        signature.returns.extend(result.map(AbiParam::new));
        let signature = self.code.import_signature(signature);
        let target = self.int(i64::try_from(address).unwrap_or(0));
        let call = self.at().ins().call_indirect(signature, target, args);
        self.code.dfg.inst_results(call).first().copied()
    }

    /// C callees may rely on narrow integers being extended.
    fn param_of(&self, arg: Value) -> AbiParam {
        let ty = self.code.dfg.value_type(arg);
        if ty.is_int() && ty.bits() < 64 {
            AbiParam::new(ty).uext()
        } else {
            AbiParam::new(ty)
        }
    }

    /// Calls a function of the runtime, of 64-bit words, with a word as result if `returns`.
    pub(super) fn call_runtime(&mut self, address: usize, args: &[Value], returns: bool) -> Option<Value> {
        self.call_address(address, args, returns.then_some(ir::types::I64))
    }

    /// Calls a function of numbers.
    pub(super) fn call_pure(&mut self, address: usize, args: &[Value], result: ir::Type) -> Value {
        let value = self.call_address(address, args, Some(result));
        value.unwrap_or(self.ctx)
    }

    /// The function of the program with that number, for calls and addresses.
    pub(super) fn unit_ref(&mut self, number: usize, params: usize) -> ir::FuncRef {
        let index = u32::try_from(number).unwrap_or(u32::MAX);
        let name = self.code.declare_imported_user_function(UserExternalName::new(0, index));
        let signature = status_signature(self.env.isa.default_call_conv(), params);
        let signature = self.code.import_signature(signature);
        self.code.import_function(ExtFuncData {
            name: ExternalName::user(name),
            signature,
            colocated: true,
            patchable: false,
        })
    }

    pub(super) fn call(&mut self, op: OpId, name: &str) -> Emit<()> {
        if let Some(&number) = self.env.functions.get(name) {
            return self.call_unit(op, number);
        }
        match runner::find(name) {
            Some(function) => self.call_runner(op, name, function),
            None => self.call_missing(op, name),
        }
    }

    fn call_unit(&mut self, op: OpId, number: usize) -> Emit<()> {
        let data = &self.source[op];
        let area = self.call_area()?;
        let base = self.at().ins().stack_addr(ir::types::I64, area, 0);
        let mut word = 0;
        for &arg in &data.operands {
            word = self.store_words(base, word, arg)?;
        }
        let results = if word == 0 {
            base
        } else {
            self.at().ins().iadd_imm_s(base, i64::from(word) * 8)
        };
        let callee = self.unit_ref(number, 3);
        let ctx = self.ctx;
        let call = self.at().ins().call(callee, &[ctx, base, results]);
        let status = self.code.dfg.inst_results(call)[0];
        self.check_status(status);
        self.results_from(results, &data.results)
    }

    /// A stack slot large enough for arguments and results of any call in this function.
    fn call_area(&mut self) -> Emit<ir::StackSlot> {
        if let Some(slot) = self.call_area {
            return Ok(slot);
        }
        let mut most = 1;
        if let Some(body) = self.source.body {
            let mut calls = Vec::new();
            self.source.walk(body, |op| {
                if matches!(self.source[op].kind, OpKind::Call(_)) {
                    calls.push(op);
                }
            });
            for op in calls {
                let data = &self.source[op];
                let mut words = 0u32;
                for &v in data.operands.iter().chain(&data.results) {
                    words = words.saturating_add(types::words(self.ty(v), &self.loc)?);
                }
                most = most.max(words);
            }
        }
        let slot = self.stack_slot(most.saturating_mul(8), 4);
        self.call_area = Some(slot);
        Ok(slot)
    }

    fn call_runner(&mut self, op: OpId, name: &str, function: runner::RunnerFn) -> Emit<()> {
        let data = &self.source[op];
        let (params, result) = runner::signature(function);
        // Ranked memrefs are passed by the address of their descriptor: the C interface's name.
        let ranked = params.iter().any(|p| matches!(p, Type::MemRef(_)));
        let symbol = if ranked && !name.starts_with("_mlir_ciface_") {
            format!("_mlir_ciface_{name}")
        } else {
            name.strip_prefix("_mlir_ciface_").filter(|_| !ranked).unwrap_or(name).to_owned()
        };
        let Some(symbol) = runner::symbols().into_iter().find(|s| s.name == symbol) else {
            return self.call_missing(op, name);
        };
        let fits = data.operands.len() == params.len()
            && data.results.len() == usize::from(result.is_some())
            && data.operands.iter().zip(&params).all(|(&v, p)| self.fits(v, p));
        if !fits {
            return Err(Diagnostic::error(
                self.loc.clone(),
                format!("@{name} is declared with other types than the runner function of that name has"),
            ));
        }
        let mut args = Vec::new();
        for &v in &data.operands {
            match self.val(v)? {
                Val::Scalar(s) => args.push(s),
                Val::Unranked(rank, desc) => args.extend([rank, desc]),
                Val::MemRef(m) => args.push(self.spill(&m.words())),
                Val::Vector(_) => return Err(self.malformed("a vector passed to a runner function")),
            }
        }
        let held = result.as_ref().and_then(Type::element).map(types::scalar);
        let value = self.call_address(symbol.address as usize, &args, held);
        if let (Some(value), Some(&r)) = (value, data.results.first()) {
            self.set_scalar(r, value);
        }
        Ok(())
    }

    fn fits(&self, value: tilia_program::ValueId, param: &Type) -> bool {
        match (self.ty(value), param) {
            (Type::MemRef(a), Type::MemRef(b)) => a.elem == b.elem && a.rank() == b.rank(),
            (Type::Scalar(ScalarType::Index), Type::Scalar(s)) => s.is_int() && s.bits() == 64,
            (a, b) => a == b,
        }
    }

    /// A function without body that the runtime doesn't have: an error if it is called.
    fn call_missing(&mut self, op: OpId, name: &str) -> Emit<()> {
        let text = format!("@{name} is called, but has no body, and isn't a function of the runtime");
        self.fail(Cause::Text(text));
        self.undefined_results(op)
    }

    /// Something that can't be executed: an error if it is reached.
    pub(super) fn unsupported(&mut self, op: OpId, name: &str, reason: &str) {
        self.fail(Cause::Text(format!("{name} can't be executed: {reason}")));
        // Nothing reaches the uses of its results.
        if self.undefined_results(op).is_err() {
            tracing::debug!(name, "results of a type that can't be held");
        }
    }

    /// Some values for the results of an operation that never ends, for code that is never reached.
    fn undefined_results(&mut self, op: OpId) -> Emit<()> {
        for &r in &self.source[op].results.clone() {
            let ty = self.ty(r);
            if matches!(ty, Type::Opaque(_)) {
                continue;
            }
            let mut parts = Vec::new();
            for part in types::parts(ty, &self.loc)? {
                parts.push(self.zero_of(part));
            }
            let val = self.make_val(ty, &parts)?;
            self.set(r, val);
        }
        Ok(())
    }

    pub(super) fn assert(&mut self, op: OpId, text: &str) -> Emit<()> {
        let flag = self.operand(op, 0)?;
        let flag = self.scalar(flag)?;
        let zero = self.int(0);
        self.check(flag, Cause::Text(format!("assertion failed: {text}")), zero, zero);
        Ok(())
    }
}
