//! Calls: of the program's functions and of runner functions.

use super::core::{Emit, Emitter, unit_name};
use super::text::{Ty, V};
use super::types;
use super::value::Val;
use tilia_abi::runner;
use tilia_codegen::analysis;
use tilia_codegen::native::Cause;
use tilia_diag::Diagnostic;
use tilia_program::{OpId, OpKind, ScalarType, Type, ValueId};

impl Emitter<'_, '_> {
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
        let base = self.call_area()?;
        let mut word = 0;
        for &arg in &data.operands {
            word = self.store_words(base, word, arg)?;
        }
        let results = self.offset(base, u64::from(word) * 8);
        let (ctx, level) = (self.ctx, self.depth);
        let callee = unit_name(number);
        self.called.insert(number);
        let text = format_args!("llvm.call @{callee}({ctx}, {base}, {results}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i64");
        let status = self.code.value(Ty::I64, level, text);
        self.check_status(status);
        self.results_from(results, &data.results)
    }

    /// A stack slot large enough for arguments and results of any call in this function.
    fn call_area(&mut self) -> Emit<V> {
        if let Some(slot) = self.call_area {
            return Ok(slot);
        }
        let mut most = 1u32;
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
                    words = words.saturating_add(analysis::words(self.ty(v), &self.loc)?);
                }
                most = most.max(words);
            }
        }
        let slot = self.stack_slot(u64::from(most) * 8, 16);
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
            let text = format!("@{name} is declared with other types than the runner function of that name has");
            return Err(Diagnostic::error(self.loc.clone(), text));
        }
        let mut args = Vec::new();
        for &v in &data.operands {
            match self.val(v)? {
                Val::Number(n) if n.ty.lanes > 0 => return Err(self.malformed("a vector passed to a runner function")),
                // C callees may rely on narrow integers being extended.
                Val::Number(n) if n.ty.bits() < 32 => args.push(self.resize(n, 32, false)),
                Val::Number(n) => args.push(n),
                Val::Unranked(rank, desc) => args.extend([rank, desc]),
                Val::MemRef(m) => args.push(self.spill(&m.words())),
            }
        }
        let held = result.as_ref().and_then(Type::element).map(types::scalar);
        let value = self.call_address(symbol.address as u64, &args, held, false);
        if let (Some(value), Some(&r)) = (value, data.results.first()) {
            self.set_number(r, value);
        }
        Ok(())
    }

    fn fits(&self, value: ValueId, param: &Type) -> bool {
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

    pub(super) fn assert(&mut self, op: OpId, text: &str) -> Emit<()> {
        let flag = self.operand(op, 0)?;
        let flag = self.number(flag)?;
        let zero = self.int(0);
        self.check(flag, Cause::Text(format!("assertion failed: {text}")), zero, zero);
        Ok(())
    }
}
