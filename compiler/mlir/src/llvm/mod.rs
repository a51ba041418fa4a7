//! The LLVM back end: programs as MLIR's dialect `llvm`, compiled by MLIR's execution engine for the host.
//!
//! The same programs as for Cranelift, with the same checks, errors, thread pool and math functions ([`tilia_codegen::native`]), so the same results. What it gives is LLVM's optimiser
//! and registers of 256 and 512 bits, for some tens of milliseconds of compile time.

mod emit;
mod engine;

use crate::llvm::emit::{Env, Scopes, Unit, UnitKind, emit_unit, unit_name};
use crate::llvm::engine::{Engine, Entries};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tilia_codegen::analysis::{Facts, recursive_functions};
use tilia_codegen::native::{Globals, NativeCode, NativeModule, Site};
use tilia_codegen::{Backend, CodegenOptions, CompiledModule, Text};
use tilia_diag::{Diagnostic, Loc};
use tilia_pool::Pool;
use tilia_program::Program;

/// Compiles with LLVM for the machine it runs on. Modules share its thread pool.
#[derive(Default)]
pub struct LlvmBackend {
    pool: Arc<Pool>,
}

impl LlvmBackend {
    /// A back end with a thread pool of its own, which starts no threads before they are needed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A back end whose modules use this pool.
    #[must_use]
    pub fn with_pool(pool: Arc<Pool>) -> Self {
        Self { pool }
    }
}

impl Backend for LlvmBackend {
    fn name(&self) -> &'static str {
        "llvm"
    }

    fn compile(&self, program: &Program, options: &CodegenOptions) -> Result<Box<dyn CompiledModule>, Vec<Diagnostic>> {
        let _span = tracing::debug_span!("llvm", functions = program.functions.len()).entered();
        let globals = Globals::new(&program.globals).map_err(|d| vec![d])?;
        let mut sites = Vec::new();
        let text = module_text(program, options, &globals, &mut sites)?;
        let defined = || program.functions.iter().enumerate().filter(|(_, f)| f.body.is_some());
        let names: Vec<String> = defined().map(|(n, _)| unit_name(n)).collect();
        let error = |why: String| vec![Diagnostic::error(Loc::unknown(), why)];
        let (engine, found) = Engine::compile(&text, &names, options.text).map_err(error)?;
        let mut entries = vec![None; program.functions.len()];
        for ((n, function), entry) in defined().zip(found) {
            let missing = || error(format!("LLVM can't compile the program: @{} isn't there", function.name));
            entries[n] = Some(entry.ok_or_else(missing)?);
        }
        let code = LlvmCode {
            text: options.text.then_some(text),
            entries,
            engine,
        };
        let pool = Arc::clone(&self.pool);
        Ok(Box::new(NativeModule::new(program, *options, pool, globals, sites, Box::new(code))))
    }
}

/// The program as a module of the dialect `llvm`: functions under their numbers, then bodies of parallel loops.
fn module_text(program: &Program, options: &CodegenOptions, globals: &Globals, sites: &mut Vec<Site>) -> Result<String, Vec<Diagnostic>> {
    let mut functions = FxHashMap::default();
    for (n, f) in program.functions.iter().enumerate() {
        if f.body.is_some() {
            functions.insert(f.name.as_str(), n);
        }
    }
    let recursive = recursive_functions(program, &functions);
    let env = Env {
        program,
        functions,
        recursive,
        facts: program.functions.iter().map(Facts::of).collect(),
        globals: globals.addresses(),
        counters: options.counters,
        always_fork: options.grain == 0,
    };
    let whole = |function| Unit {
        function,
        kind: UnitKind::Whole,
    };
    let mut units: Vec<Unit> = (0..program.functions.len()).map(whole).collect();
    let (mut body, mut errors, mut scopes) = (String::new(), Vec::new(), Scopes::default());
    let mut number = 0;
    while number < units.len() {
        let unit = units[number].clone();
        if program.functions[unit.function].body.is_some() {
            match emit_unit(&env, &unit, (number, units.len()), sites, &mut scopes) {
                Ok(done) => {
                    units.extend(done.new_units);
                    body.push_str(&done.text);
                }
                Err(error) => errors.push(error),
            }
        }
        number += 1;
    }
    if errors.is_empty() {
        Ok(format!("{}module {{\n{body}}}\n", scopes.text()))
    } else {
        Err(errors)
    }
}

/// Code that the engine holds.
struct LlvmCode {
    /// The module, if it was kept.
    text: Option<String>,
    entries: Entries,
    engine: Engine,
}

// SAFETY: the code is only read and executed; the engine isn't touched until it is dropped, except for writing its object file, under a lock.
unsafe impl Send for LlvmCode {}
// SAFETY: as above.
unsafe impl Sync for LlvmCode {}

// SAFETY: the entries are those of units, whose signature is the one asked for; the engine keeps them until it is dropped.
unsafe impl NativeCode for LlvmCode {
    fn entry(&self, function: usize) -> Option<*const u8> {
        self.entries.get(function).copied().flatten()
    }

    fn size(&self) -> usize {
        0
    }

    fn text(&self, kind: Text) -> Result<String, Diagnostic> {
        let error = |why: &str| Diagnostic::error(Loc::unknown(), why);
        match (&self.text, kind) {
            (Some(text), Text::Llvm) => Ok(text.clone()),
            (Some(_), Text::Asm) => self.engine.assembly().map_err(|why| error(&why)),
            (Some(_), Text::Clif) => Err(error("LLVM makes no code in Cranelift's intermediate language").help("use --backend=cranelift")),
            (None, _) => Err(error("the code was compiled without keeping its text")),
        }
    }
}
