//! From a program to a module of machine code.

use super::accumulate;
use super::code::Code;
use super::order;
use crate::analysis::{Facts, recursive_functions};
use crate::backend::{Backend, CodegenOptions, CompiledModule};
use crate::emit::{self, Env, Unit, UnitKind};
use crate::native::{Globals, NativeModule};
use crate::sites::Site;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{CompiledCode, Context, verify_function};
use rustc_hash::FxHashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use tilia_diag::{Diagnostic, Loc};
use tilia_pool::Pool;
use tilia_program::Program;

/// Compiles with Cranelift for the machine it runs on. Modules share its thread pool.
#[derive(Default)]
pub struct CraneliftBackend {
    pool: Arc<Pool>,
}

impl CraneliftBackend {
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

/// A unit's machine code, before it is placed.
pub(super) struct Compiled {
    pub(super) function: Function,
    pub(super) code: CompiledCode,
    pub(super) bytes: Vec<u8>,
    listing: Option<String>,
}

impl Backend for CraneliftBackend {
    fn name(&self) -> &'static str {
        "cranelift"
    }

    fn compile(&self, program: &Program, options: &CodegenOptions) -> Result<Box<dyn CompiledModule>, Vec<Diagnostic>> {
        let _span = tracing::debug_span!("cranelift", functions = program.functions.len()).entered();
        let internal = |message: String| vec![Diagnostic::error(Loc::unknown(), message)];
        let isa = native_isa("speed").map_err(internal)?;
        let plain_isa = native_isa("none").map_err(internal)?;
        let isas = Isas {
            optimising: &*isa,
            plain: &*plain_isa,
        };
        let globals = Globals::new(&program.globals).map_err(|d| vec![d])?;
        let mut sites = Vec::new();
        let units = emit_all(program, options, &isa, &globals, &mut sites)?;
        let mut texts = String::new();
        if options.text {
            for (name, function) in units.iter().filter_map(|(name, f)| Some((name, f.as_ref()?))) {
                texts.push_str(&format!("; {name}\n{}\n", function.display()));
            }
        }
        let compiled = compile_all(&units, isas, options).map_err(internal)?;
        let texts = options.text.then(|| (texts, assembly(&compiled)));
        let code = Code::place(isa, &compiled, texts).map_err(internal)?;
        let pool = Arc::clone(&self.pool);
        Ok(Box::new(NativeModule::new(program, *options, pool, globals, sites, Box::new(code))))
    }
}

/// What is done to a unit's code on the way; none of it changes a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// Everything.
    Full,
    /// Cranelift's optimiser and the order within blocks.
    Optimised,
    /// Instruction selection and registers only.
    Plain,
}

/// The machine, with Cranelift's optimiser and without.
#[derive(Clone, Copy)]
struct Isas<'a> {
    optimising: &'a dyn TargetIsa,
    plain: &'a dyn TargetIsa,
}

/// Compiles one unit: Cranelift's optimiser, then the order within blocks and the operands of multiply-adds, then instructions and registers. Cranelift panics on the few combinations of operation and type that its machine lacks, and its optimiser on rare programs of many thousand values that are valid: errors like any other.
fn machine_code(mut context: Context, isas: Isas<'_>, effort: Effort, control: &mut ControlPlane) -> Result<Compiled, String> {
    std::panic::catch_unwind(AssertUnwindSafe(move || {
        let text = |e: &dyn std::fmt::Debug| format!("{e:?}");
        // A value used where it isn't defined must end in an error, never in wrong code.
        verify_function(&context.func, isas.plain).map_err(|e| text(&e))?;
        if effort != Effort::Plain {
            context.optimize(isas.optimising, control).map_err(|e| text(&e))?;
            if order::is_supported(isas.plain) {
                order::reorder(&mut context.func);
                verify_function(&context.func, isas.plain).map_err(|e| text(&e))?;
            }
        }
        let multiply_adds = (effort == Effort::Full && accumulate::is_supported(isas.plain)).then(|| accumulate::swap(&mut context.func));
        context.compile(isas.plain, control).map_err(|e| format!("{:?}", e.inner))?;
        let code = context.take_compiled_code().ok_or("no code")?;
        let (bytes, listing) = match multiply_adds {
            None => (code.code_buffer().to_vec(), code.vcode.clone()),
            Some(them) => {
                let listing = code.vcode.as_deref().map(|listing| them.rename(listing, &code));
                (them.finish(&code)?, listing.transpose()?)
            }
        };
        Ok(Compiled {
            function: context.func,
            code,
            bytes,
            listing,
        })
    }))
    .unwrap_or_else(|panic| Err(panic_text(&*panic)))
}

/// Operations of a program from which its units are compiled side by side: below, starting a thread costs more than it saves.
const SIDE_BY_SIDE: usize = 500;

/// The stack of a thread that compiles. Only what is used of it takes memory.
const STACK: usize = 256 << 20;

/// Compiles all units, side by side where threads may be used, the largest first. What comes of one doesn't depend on the others.
fn compile_all(
    units: &[(String, Option<Function>)],
    isas: Isas<'_>,
    options: &CodegenOptions,
) -> Result<Vec<Option<(String, Compiled)>>, String> {
    let size = |n: usize| units[n].1.as_ref().map_or(0, |f| f.dfg.num_insts());
    let mut order: Vec<usize> = (0..units.len()).filter(|&n| units[n].1.is_some()).collect();
    order.sort_by_key(|&n| std::cmp::Reverse(size(n)));
    let done: Vec<OnceLock<Result<Compiled, String>>> = units.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(&n) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let (name, Some(function)) = &units[n] {
                done[n].get_or_init(|| compile_unit(name, function, isas, options));
            }
        }
    };
    let worth = order.len() > 1 && order.iter().map(|&n| size(n)).sum::<usize>() >= SIDE_BY_SIDE;
    let more = if worth {
        options.threads.min(order.len()).saturating_sub(1)
    } else {
        0
    };
    std::thread::scope(|scope| {
        for _ in 0..more {
            // Where the system has no thread to give, those that there are do all.
            drop(std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work));
        }
        work();
    });
    let compiled = units.iter().zip(done).map(|((name, _), unit)| match unit.into_inner() {
        Some(unit) => unit.map(|unit| Some((name.clone(), unit))),
        None => Ok(None),
    });
    compiled.collect()
}

/// Compiles one unit with as much effort as works.
fn compile_unit(name: &str, function: &Function, isas: Isas<'_>, options: &CodegenOptions) -> Result<Compiled, String> {
    let mut control = ControlPlane::default();
    let mut compile = |effort: Effort| {
        let mut context = Context::for_function(function.clone());
        context.set_disasm(options.text);
        machine_code(context, isas, effort, &mut control)
    };
    compile(Effort::Full)
        .or_else(|why| {
            tracing::warn!("{name} is compiled without multiply-adds that overwrite their sum: {why}");
            compile(Effort::Optimised)
        })
        .or_else(|why| {
            tracing::warn!("{name} is compiled without Cranelift's optimiser, which gave up: {why}");
            compile(Effort::Plain)
        })
        .map_err(|e| format!("Cranelift can't compile {name}: {e}"))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let said = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!("it failed an assertion of its own ({})", said.unwrap_or("no reason given"))
}

fn assembly(compiled: &[Option<(String, Compiled)>]) -> String {
    let mut text = String::new();
    for (name, unit) in compiled.iter().flatten() {
        let body = unit.listing.as_deref().unwrap_or_default();
        text.push_str(&format!("; {name}\n{body}\n"));
    }
    text
}

/// The machine we run on. Level `none` leaves out Cranelift's optimiser; no level changes a result.
fn native_isa(opt_level: &str) -> Result<OwnedTargetIsa, String> {
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", opt_level),
        // It would verify after each of its passes; `machine_code` does so before them and after our own.
        ("enable_verifier", "false"),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("enable_probestack", "false"),
        ("unwind_info", "false"),
    ] {
        flags
            .set(name, value)
            .map_err(|e| format!("Cranelift doesn't know the setting {name}: {e}"))?;
    }
    let builder = cranelift_native::builder().map_err(|e| format!("Cranelift doesn't support this machine: {e}"))?;
    builder
        .finish(settings::Flags::new(flags))
        .map_err(|e| format!("Cranelift refuses its settings: {e}"))
}

type Emitted = Vec<(String, Option<Function>)>;

/// Cranelift functions of all units; those of the program's functions come first, under their numbers.
fn emit_all(
    program: &Program,
    options: &CodegenOptions,
    isa: &OwnedTargetIsa,
    globals: &Globals,
    sites: &mut Vec<Site>,
) -> Result<Emitted, Vec<Diagnostic>> {
    let mut functions = FxHashMap::default();
    for (n, f) in program.functions.iter().enumerate() {
        if f.body.is_some() {
            functions.insert(f.name.as_str(), n);
        }
    }
    let recursive = recursive_functions(program, &functions);
    let env = Env {
        program,
        isa: &**isa,
        functions,
        recursive,
        facts: program.functions.iter().map(Facts::of).collect(),
        globals: globals.addresses(),
        counters: options.counters,
        always_fork: options.grain == 0,
    };
    let mut units: Vec<Unit> = (0..program.functions.len())
        .map(|function| Unit {
            function,
            kind: UnitKind::Whole,
        })
        .collect();
    let (mut emitted, mut errors) = (Vec::new(), Vec::new());
    let mut number = 0;
    while number < units.len() {
        let unit = units[number].clone();
        let source = &program.functions[unit.function];
        let name = match unit.kind {
            UnitKind::Whole => format!("@{}", source.name),
            UnitKind::Body { op, .. } => format!("@{} parallel loop at {}", source.name, source[op].loc),
        };
        if source.body.is_none() {
            emitted.push((name, None));
        } else {
            match emit::emit_unit(&env, &unit, number, units.len(), sites) {
                Ok(done) => {
                    units.extend(done.new_units);
                    emitted.push((name, Some(done.code)));
                }
                Err(error) => {
                    errors.push(error);
                    emitted.push((name, None));
                }
            }
        }
        number += 1;
    }
    if errors.is_empty() { Ok(emitted) } else { Err(errors) }
}
