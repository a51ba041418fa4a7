//! The LLVM back end: programs as MLIR's dialect `llvm`, translated by MLIR and compiled by LLVM for the host.
//!
//! The same programs as for Cranelift, with the same checks, errors, thread pool and math functions ([`tilia_codegen::native`]), so the same results. What it gives is LLVM's optimiser
//! and registers of 256 and 512 bits, for some tens of milliseconds of compile time.

mod cold;
mod emit;
mod engine;

use crate::llvm::cold::Cold;
use crate::llvm::emit::{Env, Scopes, Unit, UnitKind, emit_unit, unit_name};
use crate::llvm::engine::{Engine, Entries};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
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
        let Texts { main: text, cold } = module_texts(program, options, &globals, &mut sites)?;
        let defined = || program.functions.iter().enumerate().filter(|(_, f)| f.body.is_some());
        let names: Vec<String> = defined().map(|(n, _)| unit_name(n)).collect();
        let error = |why: String| vec![Diagnostic::error(Loc::unknown(), why)];
        let (engine, found) = Engine::compile(&text, &names, options.text).map_err(error)?;
        let mut entries = vec![None; program.functions.len()];
        for ((n, function), entry) in defined().zip(found) {
            let missing = || error(format!("LLVM can't compile the program: @{} isn't there", function.name));
            entries[n] = Some(entry.ok_or_else(missing)?);
        }
        let engine = Arc::new(engine);
        let kept = options.text.then(|| with_cold(text, &cold));
        let cold = cold.into_iter().map(|c| {
            c.code.set(c.text, unit_name(c.unit), Arc::downgrade(&engine));
            c.code
        });
        let code = LlvmCode {
            text: kept,
            entries,
            _cold: cold.collect(),
            engine,
        };
        let pool = Arc::clone(&self.pool);
        Ok(Box::new(NativeModule::new(program, *options, pool, globals, sites, Box::new(code))))
    }
}

/// The modules of a program.
struct Texts {
    /// What is compiled at once.
    main: String,
    /// What is compiled when it is needed.
    cold: Vec<ColdText>,
}

/// A module that is compiled when it is needed.
struct ColdText {
    code: Arc<Cold>,
    /// Number of the unit that is called.
    unit: usize,
    text: String,
}

/// A module while its units are being made.
#[derive(Default)]
struct Body {
    text: String,
    /// Functions that it calls.
    called: BTreeSet<usize>,
}

/// All texts in one.
fn with_cold(mut main: String, cold: &[ColdText]) -> String {
    for c in cold {
        main.push_str("\n// Compiled when it is first called, since a check at run time failed:\n");
        main.push_str(&c.text);
    }
    main
}

/// The program as modules of the dialect `llvm`: functions under their numbers, then bodies of parallel loops, and each piece of code for a failed check as a module of its own.
fn module_texts(program: &Program, options: &CodegenOptions, globals: &Globals, sites: &mut Vec<Site>) -> Result<Texts, Vec<Diagnostic>> {
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
    // Each unit with the number of its module: 0 is the main one.
    let mut units: Vec<(Unit, usize)> = (0..program.functions.len()).map(|n| (whole(n), 0)).collect();
    let (mut bodies, mut cold, mut errors, mut scopes) = (vec![Body::default()], Vec::new(), Vec::new(), Scopes::default());
    let mut number = 0;
    while number < units.len() {
        let (unit, module) = units[number].clone();
        if program.functions[unit.function].body.is_some() {
            match emit_unit(&env, &unit, (number, units.len()), sites, &mut scopes) {
                Ok(done) => {
                    bodies[module].text.push_str(&done.text);
                    bodies[module].called.extend(done.called);
                    for new in done.new_units {
                        let mut home = module;
                        if let UnitKind::Cold { cold: code, .. } = &new.kind {
                            home = bodies.len();
                            bodies.push(Body::default());
                            cold.push((Arc::clone(code), units.len()));
                        }
                        units.push((new, home));
                    }
                }
                Err(error) => errors.push(error),
            }
        }
        number += 1;
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let head = scopes.text();
    let mut texts = bodies.into_iter().enumerate().map(|(n, body)| {
        let outside = body.called.into_iter().filter(|_| n > 0);
        let declared: String = outside.map(declaration).collect();
        format!("{head}module {{\n{declared}{}}}\n", body.text)
    });
    Ok(Texts {
        main: texts.next().unwrap_or_default(),
        cold: texts.zip(cold).map(|(text, (code, unit))| ColdText { code, unit, text }).collect(),
    })
}

/// A function of the main module, as other modules see it.
fn declaration(function: usize) -> String {
    format!("  llvm.func @{}(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i64\n", unit_name(function))
}

/// Code that the engine holds.
struct LlvmCode {
    /// The module, if it was kept.
    text: Option<String>,
    entries: Entries,
    /// What compiled code may have compiled. Its address is in the code.
    _cold: Vec<Arc<Cold>>,
    engine: Arc<Engine>,
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
        self.engine.size()
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
