//! A compiled program, ready to be called.

use super::globals::Globals;
use super::stack;
use super::values::{Words, read_value};
use crate::analysis;
use crate::backend::{CodegenOptions, CompiledModule, Executed, Outcome, Text};
use crate::rt::{Shared, ThreadCtx};
use crate::sites::Site;
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use tilia_abi::{RuntimeError, Value};
use tilia_diag::{Diagnostic, Loc};
use tilia_pool::Pool;
use tilia_program::{Program, Type};

/// A compiled function: context, arguments, results; returns the status.
type Entry = unsafe extern "C" fn(&ThreadCtx<'_>, *const u64, *mut u64) -> u64;

/// Executable code of a program's functions; it is valid as long as the value lives.
///
/// # Safety
/// Each entry is the address of code with the signature that [`crate::native`] describes, which stays valid and unchanged while the value lives.
pub unsafe trait NativeCode: Send + Sync {
    /// Entry of the function with that number, if it has code.
    fn entry(&self, function: usize) -> Option<*const u8>;

    /// Bytes of machine code.
    fn size(&self) -> usize;

    /// A text form of the code, if it was kept.
    ///
    /// # Errors
    /// Text that there is not.
    fn text(&self, kind: Text) -> Result<String, Diagnostic>;
}

/// What a call must know of a function.
struct Signature {
    params: Vec<Type>,
    results: Vec<Type>,
    loc: Loc,
    number: usize,
}

/// A program with its machine code, whoever made that.
pub struct NativeModule {
    options: CodegenOptions,
    pool: Arc<Pool>,
    globals: Globals,
    sites: Vec<Site>,
    signatures: FxHashMap<String, Signature>,
    code: Box<dyn NativeCode>,
    /// Held by calls of programs that may write to globals.
    exclusive: Mutex<()>,
}

impl NativeModule {
    /// The module of `program`, whose functions have the numbers that they have in it. `globals` are those that the code was made for, `sites` those that it reports.
    #[must_use]
    pub fn new(
        program: &Program,
        options: CodegenOptions,
        pool: Arc<Pool>,
        globals: Globals,
        sites: Vec<Site>,
        code: Box<dyn NativeCode>,
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
            exclusive: Mutex::new(()),
        }
    }

    fn find(&self, name: &str) -> Result<(&Signature, *const u8), RuntimeError> {
        let signature = self
            .signatures
            .get(name)
            .ok_or_else(|| RuntimeError::new(Loc::unknown(), format!("there is no function @{name}")))?;
        match self.code.entry(signature.number) {
            Some(entry) => Ok((signature, entry)),
            None => Err(RuntimeError::new(signature.loc.clone(), format!("@{name} has no body"))),
        }
    }
}

impl CompiledModule for NativeModule {
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
            sizes.push(analysis::words(ty, &signature.loc).map_err(|d| bad(d.message))? as usize);
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
        self.code.text(kind)
    }

    fn code_size(&self) -> usize {
        self.code.size()
    }
}

impl NativeModule {
    fn error(&self, shared: &Shared, signature: &Signature) -> RuntimeError {
        let site = shared.failure().and_then(|f| {
            let site = self.sites.get(usize::try_from(f.site).ok()?)?;
            Some(RuntimeError::new(site.loc.clone(), site.message(f.values)))
        });
        site.unwrap_or_else(|| RuntimeError::new(signature.loc.clone(), "the program failed without saying why"))
    }
}
