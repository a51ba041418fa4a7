//! A compiled program, ready to be called.

use super::compile::Compiled;
use super::globals::Globals;
use super::stack;
use crate::backend::{CodegenOptions, CompiledModule, Executed, Outcome, Text};
use crate::emit::type_words;
use crate::rt::{Shared, ThreadCtx};
use crate::sites::Site;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleReloc};
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use tilia_abi::{MemRefValue, RuntimeError, Value};
use tilia_diag::{Diagnostic, Loc};
use tilia_pool::Pool;
use tilia_program::{MemRefType, Program, ScalarType, Type};

/// A compiled function: context, arguments, results; returns the status.
type Entry = unsafe extern "C" fn(&ThreadCtx<'_>, *const u64, *mut u64) -> u64;

/// Placed machine code; unmapped when dropped.
pub(super) struct Code {
    module: Option<JITModule>,
    /// Entry of each unit that has code.
    entries: Vec<Option<*const u8>>,
    size: usize,
}

// SAFETY: the code is only read and executed; the module behind it isn't touched until it is dropped.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// Puts all units in one reserved region, so that they reach each other, and no others are needed.
    pub(super) fn place(isa: OwnedTargetIsa, units: &[Option<(String, Compiled)>]) -> Result<Self, String> {
        let text = |e: &dyn std::fmt::Display| format!("machine code can't be placed: {e}");
        let size: usize = units.iter().flatten().map(|(_, u)| u.code.code_buffer().len()).sum();
        // Room for alignment and, on machines whose calls don't reach far, for jumps in between.
        let reserve = units
            .iter()
            .flatten()
            .map(|(_, u)| u.code.code_buffer().len() + 256 + 32 * u.code.buffer.relocs().len());
        let arena = ArenaMemoryProvider::new_with_size(reserve.sum::<usize>() + 16 * 4096).map_err(|e| text(&e))?;
        let mut builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
        builder.memory_provider(Box::new(arena));
        let mut code = Self {
            module: Some(JITModule::new(builder)),
            entries: Vec::new(),
            size,
        };
        let Some(module) = code.module.as_mut() else { return Ok(code) };
        let mut ids: Vec<FuncId> = Vec::new();
        for unit in units {
            // Units without code are never called, but keep their numbers.
            let signature = unit
                .as_ref()
                .map_or_else(|| module.make_signature(), |(_, u)| u.function.signature.clone());
            ids.push(module.declare_anonymous_function(&signature).map_err(|e| text(&e))?);
        }
        for (&id, unit) in ids.iter().zip(units) {
            let Some((_, unit)) = unit else { continue };
            let relocs: Vec<_> = unit
                .code
                .buffer
                .relocs()
                .iter()
                .map(|r| ModuleReloc::from_mach_reloc(r, &unit.function, id))
                .collect();
            let alignment = u64::from(unit.code.buffer.alignment);
            module
                .define_function_bytes(id, alignment, unit.code.code_buffer(), &relocs)
                .map_err(|e| text(&e))?;
        }
        module.finalize_definitions().map_err(|e| text(&e))?;
        let entries = ids
            .iter()
            .zip(units)
            .map(|(&id, u)| u.as_ref().map(|_| module.get_finalized_function(id)));
        code.entries = entries.collect();
        Ok(code)
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: code runs only within `call`, which borrows the owner of this value; the entries die with it.
            unsafe { module.free_memory() };
        }
    }
}

/// What a call must know of a function.
struct Signature {
    params: Vec<Type>,
    results: Vec<Type>,
    loc: Loc,
    number: usize,
}

pub(super) struct JitModule {
    options: CodegenOptions,
    pool: Arc<Pool>,
    globals: Globals,
    sites: Vec<Site>,
    signatures: FxHashMap<String, Signature>,
    code: Code,
    texts: Option<(String, String)>,
    /// Held by calls of programs that may write to globals.
    exclusive: Mutex<()>,
}

impl JitModule {
    pub(super) fn new(
        program: &Program,
        options: CodegenOptions,
        pool: Arc<Pool>,
        globals: Globals,
        sites: Vec<Site>,
        code: Code,
        texts: Option<(String, String)>,
    ) -> Self {
        let signatures = program.functions.iter().enumerate().map(|(number, f)| {
            let signature = Signature {
                params: f.params.clone(),
                results: f.results.clone(),
                loc: f.loc.clone(),
                number,
            };
            (f.name.clone(), signature)
        });
        Self {
            options,
            pool,
            globals,
            sites,
            signatures: signatures.collect(),
            code,
            texts,
            exclusive: Mutex::new(()),
        }
    }

    fn find(&self, name: &str) -> Result<(&Signature, *const u8), RuntimeError> {
        let signature = self
            .signatures
            .get(name)
            .ok_or_else(|| RuntimeError::new(Loc::unknown(), format!("there is no function @{name}")))?;
        match self.code.entries.get(signature.number) {
            Some(Some(entry)) => Ok((signature, *entry)),
            _ => Err(RuntimeError::new(signature.loc.clone(), format!("@{name} has no body"))),
        }
    }
}

impl CompiledModule for JitModule {
    fn call(&self, name: &str, args: &[Value]) -> Result<Outcome, RuntimeError> {
        let _span = tracing::debug_span!("call", name).entered();
        let (signature, entry) = self.find(name)?;
        let bad = |text: String| RuntimeError::new(signature.loc.clone(), text);
        if args.len() != signature.params.len() {
            let (needs, has) = (signature.params.len(), args.len());
            return Err(bad(format!("@{name} takes {needs} arguments, not {has}")));
        }
        let _lock = self
            .globals
            .mutable
            .then(|| self.exclusive.lock().unwrap_or_else(PoisonError::into_inner));
        let o = &self.options;
        let shared = Shared::new(Arc::clone(&self.pool), o.threads, o.grain, o.memory_limit);
        for (data, bytes) in self.globals.extents() {
            shared.registry.lend(data, bytes);
        }
        let mut words = Words::default();
        for (n, (arg, ty)) in args.iter().zip(&signature.params).enumerate() {
            arg.check_type(ty).map_err(|e| bad(format!("argument {n} of @{name}: {e}")))?;
            words.push(arg, ty).map_err(|e| bad(format!("argument {n} of @{name}: {e}")))?;
            if let Value::MemRef(m) = arg {
                shared.registry.lend(m.buffer.as_ptr() as usize, m.buffer.len());
            }
        }
        let mut sizes = Vec::new();
        for ty in &signature.results {
            sizes.push(type_words(ty, &signature.loc).map_err(|d| bad(d.message))? as usize);
        }
        let mut results = vec![0u64; sizes.iter().sum()];
        let ctx = ThreadCtx::new(&shared, stack::available(), None);
        // SAFETY: the entry is that of the function whose signature was checked; arguments and results have the words it expects. Argument memory stays alive through
        // `args`; nothing else touches it meanwhile, since buffers aren't shared between threads.
        let status = unsafe {
            let entry: Entry = std::mem::transmute::<*const u8, Entry>(entry);
            entry(&ctx, words.words.as_ptr(), results.as_mut_ptr())
        };
        ctx.retire();
        if status != 0 {
            return Err(self.error(&shared, signature));
        }
        let mut outcome = Outcome {
            results: Vec::new(),
            executed: Executed {
                parallel: shared.parallel.load(Ordering::Relaxed),
                vector: shared.vector.load(Ordering::Relaxed),
                full_tiles: shared.full_tiles.load(Ordering::Relaxed),
            },
        };
        let mut at = 0;
        for (ty, size) in signature.results.iter().zip(sizes) {
            // SAFETY: the function returned these words, and its memory lives until `shared` is dropped.
            let value = unsafe { read_value(&results[at..at + size], ty) };
            outcome
                .results
                .push(value.ok_or_else(|| bad(format!("a result of @{name} of type {ty} can't be returned")))?);
            at += size;
        }
        Ok(outcome)
    }

    fn reset_globals(&self) {
        let _lock = self.exclusive.lock().unwrap_or_else(PoisonError::into_inner);
        if self.globals.mutable {
            self.globals.reset();
        }
    }

    fn text(&self, kind: Text) -> Result<String, Diagnostic> {
        match (&self.texts, kind) {
            (Some((clif, _)), Text::Clif) => Ok(clif.clone()),
            (Some((_, asm)), Text::Asm) => Ok(asm.clone()),
            (None, _) => Err(Diagnostic::error(Loc::unknown(), "the code was compiled without keeping its text")),
        }
    }

    fn code_size(&self) -> usize {
        self.code.size
    }
}

impl JitModule {
    fn error(&self, shared: &Shared, signature: &Signature) -> RuntimeError {
        let site = shared.failure().and_then(|f| {
            let site = self.sites.get(usize::try_from(f.site).ok()?)?;
            Some(RuntimeError::new(site.loc.clone(), site.message(f.values)))
        });
        site.unwrap_or_else(|| RuntimeError::new(signature.loc.clone(), "the program failed without saying why"))
    }
}

/// Arguments as compiled code takes them.
#[derive(Default)]
struct Words {
    words: Vec<u64>,
    /// Descriptors of memrefs of unknown rank.
    descriptors: Vec<Box<[i64]>>,
}

impl Words {
    fn push(&mut self, arg: &Value, ty: &Type) -> Result<(), String> {
        match (arg, ty) {
            (Value::Int(v), Type::Scalar(s)) => self.words.push(masked(v.cast_unsigned(), *s)),
            (Value::Float(bits), Type::Scalar(s)) => self.words.push(masked(*bits, *s)),
            (Value::Vector(lanes), Type::Vector(v)) => self.push_vector(lanes, v)?,
            (Value::MemRef(m), Type::MemRef(_)) => self.words.extend(tilia_abi::to_words(m).iter().map(|w| w.cast_unsigned())),
            (Value::MemRef(m), Type::UnrankedMemRef(_)) => {
                let words = tilia_abi::to_words(m).into_boxed_slice();
                self.words.extend([m.sizes.len() as u64, words.as_ptr() as u64]);
                self.descriptors.push(words);
            }
            _ => return Err("it doesn't fit the parameter".to_owned()),
        }
        Ok(())
    }

    /// Chunk by chunk, each part in words of its own.
    fn push_vector(&mut self, lanes: &[u64], ty: &tilia_program::VectorType) -> Result<(), String> {
        let parts = crate::emit::vector_parts(ty, &Loc::unknown()).map_err(|d| d.message)?;
        let mut rest = lanes.iter();
        for part in parts {
            let width = part.lane_type().bytes() as usize;
            let mut bytes = Vec::new();
            for lane in rest.by_ref().take(part.lane_count() as usize) {
                bytes.extend(&masked(*lane, ty.elem).to_le_bytes()[..width]);
            }
            for word in bytes.chunks(8) {
                let mut full = [0; 8];
                full[..word.len()].copy_from_slice(word);
                self.words.push(u64::from_le_bytes(full));
            }
        }
        Ok(())
    }
}

/// The low bits that a type has.
fn masked(bits: u64, ty: ScalarType) -> u64 {
    bits & (u64::MAX >> (64 - u32::from(ty.bits().clamp(1, 64))))
}

/// The host value of a number's bits.
fn number(bits: u64, ty: ScalarType) -> Value {
    if ty.is_float() {
        return Value::Float(masked(bits, ty));
    }
    let spare = 64 - u32::from(ty.bits());
    Value::Int((bits << spare).cast_signed() >> spare)
}

/// A result.
///
/// # Safety
/// The words are what a compiled function returned for that type; memory that they point to is alive.
unsafe fn read_value(words: &[u64], ty: &Type) -> Option<Value> {
    match ty {
        Type::Scalar(s) => Some(number(*words.first()?, *s)),
        Type::Vector(v) => {
            let parts = crate::emit::vector_parts(v, &Loc::unknown()).ok()?;
            let mut lanes = Vec::new();
            let mut at = 0;
            for part in parts {
                let bytes: Vec<u8> = words[at..]
                    .iter()
                    .flat_map(|w| w.to_le_bytes())
                    .take(part.bytes() as usize)
                    .collect();
                for lane in bytes.chunks(part.lane_type().bytes() as usize) {
                    let mut full = [0; 8];
                    full[..lane.len()].copy_from_slice(lane);
                    lanes.push(masked(u64::from_le_bytes(full), v.elem));
                }
                at += part.bytes().div_ceil(8) as usize;
            }
            Some(Value::Vector(lanes))
        }
        // SAFETY: handed on.
        Type::MemRef(m) => unsafe { copy_out(words, m) }.map(Value::MemRef),
        Type::UnrankedMemRef(elem) => {
            let rank = usize::try_from(*words.first()?).ok()?;
            let words: Vec<u64> = (0..3 + 2 * rank)
                // SAFETY: the second word is the address of a descriptor of that rank.
                .map(|n| unsafe { (*words.get(1).unwrap_or(&0) as *const u64).add(n).read() })
                .collect();
            let ty = MemRefType {
                elem: *elem,
                shape: vec![None; rank],
                layout: tilia_program::Layout::Identity,
            };
            // SAFETY: handed on.
            unsafe { copy_out(&words, &ty) }.map(Value::MemRef)
        }
        Type::Opaque(_) => None,
    }
}

/// A contiguous copy of an array.
///
/// # Safety
/// As for [`read_value`].
unsafe fn copy_out(words: &[u64], ty: &MemRefType) -> Option<MemRefValue> {
    let rank = ty.rank();
    let signed: Vec<i64> = words.iter().map(|w| w.cast_signed()).collect();
    let (sizes, strides) = (signed.get(3..3 + rank)?, signed.get(3 + rank..3 + 2 * rank)?);
    let copy = MemRefValue::zeroed(ty.elem, sizes)?;
    let count = usize::try_from(copy.count()?).ok()?;
    let width = usize::try_from(ty.elem.bytes()).ok()?;
    let mut at = vec![0i64; rank];
    let mut bytes = [0u8; 8];
    for n in 0..count {
        let element = at
            .iter()
            .zip(strides)
            .fold(signed[2], |sum, (&i, &s)| sum.wrapping_add(i.wrapping_mul(s)));
        let address = (words[1] as usize).wrapping_add((element as usize).wrapping_mul(width));
        // SAFETY: an element of the array, which is alive.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), width.min(8)) };
        copy.buffer.write(n * width, &bytes[..width.min(8)]);
        for (i, &d) in at.iter_mut().zip(sizes).rev() {
            *i += 1;
            if *i < d {
                break;
            }
            *i = 0;
        }
    }
    Some(copy)
}
