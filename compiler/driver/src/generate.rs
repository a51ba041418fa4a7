//! Machine code, by the back end that was asked for.

use crate::options::{BackendChoice, CompileOptions, Grain};
use tilia_codegen::{Backend, CodegenOptions, CompiledModule, CraneliftBackend};
use tilia_diag::{Diagnostic, Loc, Remark};
use tilia_mlir::LlvmBackend;
use tilia_program::Program;

/// A compiled program.
pub(crate) struct Generated {
    pub(crate) module: Box<dyn CompiledModule>,
    /// The back end that compiled it.
    pub(crate) backend: &'static str,
    /// What is to be said about the choice.
    pub(crate) remarks: Vec<Remark>,
}

/// Seconds that LLVM takes to compile anything at all, and for each operation of the source; Cranelift's are a tenth of that.
const LLVM_SECONDS: (f64, f64) = (0.015, 0.0015);

/// Seconds that LLVM's code saves for each operation executed.
const SAVED: f64 = 0.25e-9;

/// Operations, in all calls together, from which on LLVM's compile time pays for a program of `size` operations.
fn worth_llvm(size: usize) -> f64 {
    (LLVM_SECONDS.0 + LLVM_SECONDS.1 * size as f64) / SAVED
}

/// The back end for calls of `program` that execute about `work` operations, where the choice is left to us, and a remark on it.
pub(crate) fn chosen_backend(asked: BackendChoice, program: &Program, work: f64) -> (BackendChoice, Option<Remark>) {
    if asked != BackendChoice::Auto {
        return (asked, None);
    }
    let mut size = 0;
    for function in &program.functions {
        if let Some(body) = function.body {
            function.walk(body, |_| size += 1);
        }
    }
    let worth = worth_llvm(size);
    let (backend, name) = if work >= worth {
        (BackendChoice::Llvm, "llvm")
    } else {
        (BackendChoice::Cranelift, "cranelift")
    };
    let text = format!(
        "the back end is {name}: about {work:.1e} operations are expected, and llvm's compile time pays from {worth:.0e} on for a program of {size}"
    );
    (backend, Some(Remark::analysis("codegen", Loc::unknown(), text)))
}

/// Compiles a program to machine code.
///
/// # Errors
/// What no back end that may be used can compile.
pub(crate) fn generate(program: &Program, options: &CompileOptions) -> Result<Generated, Vec<Diagnostic>> {
    generate_with(program, options, false)
}

/// Compiles a program to machine code; `text` keeps what [`CompiledModule::text`] prints.
///
/// # Errors
/// What no back end that may be used can compile.
pub(crate) fn generate_with(program: &Program, options: &CompileOptions, text: bool) -> Result<Generated, Vec<Diagnostic>> {
    let _span = tracing::info_span!("codegen").entered();
    let mut codegen = CodegenOptions {
        threads: options.threads,
        text,
        ..CodegenOptions::default()
    };
    if let Grain::Ops(n) = options.grain {
        codegen.grain = n;
    }
    let mut remarks = Vec::new();
    if options.backend == BackendChoice::Llvm {
        match compiled(&LlvmBackend::new(), program, &codegen) {
            Ok(done) => return Ok(done),
            Err(errors) => remarks.push(given_up(&errors)),
        }
    }
    let mut done = compiled(&CraneliftBackend::new(), program, &codegen)?;
    done.remarks = remarks;
    Ok(done)
}

fn compiled(backend: &dyn Backend, program: &Program, options: &CodegenOptions) -> Result<Generated, Vec<Diagnostic>> {
    Ok(Generated {
        module: backend.compile(program, options)?,
        backend: backend.name(),
        remarks: Vec::new(),
    })
}

fn given_up(errors: &[Diagnostic]) -> Remark {
    let (loc, why) = errors
        .first()
        .map_or((Loc::unknown(), "no reason given"), |d| (d.loc.clone(), d.message.as_str()));
    Remark::declined(
        "codegen",
        loc,
        format!("the back end llvm can't compile the program, so cranelift does: {why}"),
    )
}
