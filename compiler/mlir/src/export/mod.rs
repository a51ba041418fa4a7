//! From the program IR back to MLIR.
//!
//! The exporter works on a copy of the module that was imported. A function of the program that is still as imported is not touched at all. In a changed one,
//! operations that are still as imported stay (or move, when they became the checked version of a scop); the others are made anew from scf, arith, math, memref,
//! vector and func operations at the place where the program has them, and the operations that they replace are removed. So attributes, locations, names of
//! symbols and operations that the compiler doesn't know survive.
//!
//! New loops, conditions and accesses are of the dialect `affine` where their operands are what it accepts as dims and symbols, else of scf and memref.
//!
//! What it deliberately lacks: checks of subscripts (the source has none), and memrefs whose layout map was folded into their accesses: a function that uses such a
//! memref is written as it came.

mod affine;
mod affine_form;
mod builder;
mod control;
mod emit;
mod kept;
mod memory;
mod numbers;
mod overlap;

use crate::ffi::{self, ModuleCopy, SourceModule};
use crate::imported::{FunctionSources, Imported};
use crate::location::Locations;
use crate::walk::Walked;
use emit::FunctionExporter;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use overlap::Checks;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use tilia_diag::{Diagnostic, Loc};
use tilia_program::{Function, Program, Type};

/// Stack of the thread that exports: MLIR's verifier and printer recurse on nesting, which the import has bounded.
const STACK_BYTES: usize = 1 << 27;

/// Something that can't be written; the text says what.
type Exported<T = ()> = Result<T, Diagnostic>;

/// The dialects of new loops and accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// `affine` where its rules allow it, else scf and memref.
    #[default]
    Affine,
    /// scf and memref, with subscripts and bounds in arith.
    Scf,
}

/// How much of a changed function stays as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// Whatever the program still has.
    Unchanged,
    /// Only what can't be made anew; affine operations can't stay when their symbols moved to where `affine` doesn't accept them.
    Least,
}

/// Writes the module with its functions as `program` has them. `program` must have been made from the imported one by replacing operations.
///
/// # Errors
/// Diagnostics when there is no module, or when an operation has no form in upstream MLIR.
pub fn export(imported: &Imported, program: &Program) -> Result<String, Vec<Diagnostic>> {
    export_as(imported, program, Form::default())
}

/// Like [`export`], with new operations in a given form.
///
/// # Errors
/// As of [`export`].
pub fn export_as(imported: &Imported, program: &Program, form: Form) -> Result<String, Vec<Diagnostic>> {
    let Some(module) = &imported.module else {
        let error = Diagnostic::error(Loc::unknown(), "there is no module to write: the input wasn't accepted");
        return Err(vec![error]);
    };
    if imported.emptied {
        let error = Diagnostic::error(Loc::unknown(), "the module can't be written: MLIR refuses some of its functions");
        return Err(vec![error.help("correct the errors above")]);
    }
    let changed = changed_functions(imported, program)?;
    let names: Vec<&str> = imported.program.functions.iter().map(|f| f.name.as_str()).collect();
    let sources = &imported.sources;
    let work = |module: &SourceModule| write(module, &changed, (sources, &names), form);
    match ffi::on_large_stack(STACK_BYTES, module, work) {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => Err(vec![internal(format!("can't start a thread: {error}"))]),
    }
}

/// An error that isn't the user's fault.
fn internal(message: impl AsRef<str>) -> Diagnostic {
    Diagnostic::error(Loc::unknown(), format!("internal error while writing MLIR: {}", message.as_ref()))
}

/// A function that differs from what was imported.
struct Changed<'p> {
    /// Position among the imported functions.
    number: usize,
    old: &'p Function,
    new: &'p Function,
}

fn changed_functions<'p>(imported: &'p Imported, program: &'p Program) -> Result<Vec<Changed<'p>>, Vec<Diagnostic>> {
    let mut changed = Vec::new();
    for new in &program.functions {
        let Some(number) = imported.program.functions.iter().position(|f| f.name == new.name) else {
            return Err(vec![internal(format!("the function '{}' isn't in the source", new.name))]);
        };
        let old = &imported.program.functions[number];
        if old != new && !has_folded_layouts(imported, old) {
            changed.push(Changed { number, old, new });
        }
    }
    Ok(changed)
}

/// Whether the function has a memref whose shape in the program isn't the one of the source.
fn has_folded_layouts(imported: &Imported, f: &Function) -> bool {
    imported.folded.contains(&f.name)
}

fn write(
    module: &SourceModule,
    changed: &[Changed<'_>],
    sources: (&[FunctionSources], &[&str]),
    form: Form,
) -> Result<String, Vec<Diagnostic>> {
    // Dialects are loaded when the parser meets them; what is made anew may be of others.
    for dialect in ["affine", "arith", "cf", "func", "math", "memref", "scf", "ub", "vector"] {
        module.context().get_or_load_dialect(dialect);
    }
    let mut complaints = Vec::new();
    for (keep, form) in [(Keep::Unchanged, form), (Keep::Least, Form::Scf)] {
        let copy = ModuleCopy::new(module);
        match rewrite(module, &copy, changed, sources, (keep, form)) {
            Ok(()) => return Ok(copy.operation().to_string()),
            Err(errors) if changed.is_empty() => return Err(errors),
            Err(errors) => {
                tracing::debug!(?keep, ?errors, "the rewritten module isn't valid");
                complaints = errors;
            }
        }
    }
    Err(complaints)
}

fn rewrite(
    module: &SourceModule,
    copy: &ModuleCopy<'_>,
    changed: &[Changed<'_>],
    (sources, names): (&[FunctionSources], &[&str]),
    how: (Keep, Form),
) -> Result<(), Vec<Diagnostic>> {
    let walked = crate::walk::walk(copy.operation());
    let symbols = symbols(&walked, sources, names);
    let checks = Checks::of(&walked);
    for function in changed {
        let Some(sources) = sources.get(function.number) else {
            return Err(vec![internal("a function without a source")]);
        };
        let exporter = FunctionExporter::new(
            module.context(),
            &walked,
            (&symbols, &checks),
            sources,
            [function.old, function.new],
            how,
        );
        exporter.run().map_err(|error| vec![error])?;
    }
    if changed.is_empty() {
        return Ok(());
    }
    verify(module, copy)
}

/// Symbols of functions by their names in the program, which differ in nested modules.
fn symbols(walked: &Walked<'_>, sources: &[FunctionSources], names: &[&str]) -> FxHashMap<String, String> {
    let symbol = |source: &FunctionSources| {
        let attribute = walked.ops.get(source.function as usize)?.attribute("sym_name").ok()?;
        Some(StringAttribute::try_from(attribute).ok()?.value().to_owned())
    };
    names
        .iter()
        .zip(sources)
        .filter_map(|(name, source)| Some(((*name).to_owned(), symbol(source)?)))
        .collect()
}

/// Runs MLIR's verifier, with its complaints as ours.
fn verify(module: &SourceModule, copy: &ModuleCopy<'_>) -> Result<(), Vec<Diagnostic>> {
    let found: Rc<RefCell<Vec<Diagnostic>>> = Rc::default();
    let handler = {
        let found = Rc::clone(&found);
        let locations = Locations::new(&Arc::from("-"), 1);
        module.context().attach_diagnostic_handler(move |diagnostic| {
            if let Some(diagnostic) = locations.diagnostic(&diagnostic) {
                let mut wrong = internal(&diagnostic.message);
                wrong.loc = diagnostic.loc;
                found.borrow_mut().push(wrong);
            }
            true
        })
    };
    let valid = copy.operation().verify();
    module.context().detach_diagnostic_handler(handler);
    if valid {
        return Ok(());
    }
    let mut errors = found.take();
    if errors.is_empty() {
        errors.push(internal("the module isn't valid"));
    }
    Err(errors)
}

/// The text of a type in MLIR; the program's types print in its syntax.
fn type_text(ty: &Type) -> String {
    ty.to_string()
}
