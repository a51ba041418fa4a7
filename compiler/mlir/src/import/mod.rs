//! From MLIR text to the program IR.

mod affine;
mod arith;
mod cf;
mod constant;
mod function;
mod index;
mod layout;
mod loops;
mod mem_ref;
mod mem_ref_views;
mod module;
mod numbers;
mod operations;
mod parallel;
mod recover;
mod scf;
mod symbols;
mod transfer;
mod types;
mod vector;

use crate::ffi::{self, SourceModule};
use crate::guard::check_nesting;
use crate::imported::{ImportOptions, Imported};
use crate::location::Locations;
use melior::Context;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockRef, OperationRef, RegionRef, Value};
use recover::Recovery;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use tilia_diag::{Diagnostic, Loc};

type MlirOp<'m> = OperationRef<'m, 'm>;
type MlirBlock<'m> = BlockRef<'m, 'm>;
type MlirRegion<'m> = RegionRef<'m, 'm>;
type MlirValue<'m> = Value<'m, 'm>;

/// Attribute of functions that take two memrefs and say whether they share an element: what the exporter makes of [`tilia_program::OpKind::Overlap`]. Calls of them
/// are imported as that operation.
pub const OVERLAP: &str = "tilia.overlap";

/// Stack of the thread that parses and translates: enough for the nesting that [`check_nesting`] lets through. Only what is used costs memory.
const STACK_BYTES: usize = 1 << 27;

/// Reads a module. Whatever the text holds, the result is a program, diagnostics, or both; a function that can't be translated doesn't keep the others from it.
#[must_use]
pub fn import(file_name: &str, text: &str, options: &ImportOptions) -> Imported {
    let file: Arc<str> = Arc::from(file_name);
    if let Err(diagnostic) = check_nesting(&file, text, options.first_line) {
        return Imported::failed(vec![diagnostic]);
    }
    let run = || import_here(&file, text, options);
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("import".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, run);
        thread.map(std::thread::ScopedJoinHandle::join)
    });
    match result {
        Ok(Ok(imported)) => imported,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => Imported::failed(vec![Diagnostic::error(
            Loc::unknown(),
            format!("can't start a thread to parse {file_name}: {error}"),
        )]),
    }
}

fn import_here(file: &Arc<str>, text: &str, options: &ImportOptions) -> Imported {
    let mut recovery = Recovery::new(text, options.first_line);
    let mut diagnostics = Vec::new();
    loop {
        let (module, locations, mut found) = parse(file, recovery.text(), options);
        if let Some(module) = module {
            diagnostics.append(&mut found);
            return module::translate(module, locations, diagnostics, recovery.into_failures());
        }
        if found.is_empty() {
            let loc = Loc::new(file, options.first_line, 1);
            found.push(Diagnostic::error(loc, "MLIR refuses the module without saying why"));
        }
        let again = recovery.give_up(&found, |error| error.loc.file() == Some(&**file));
        diagnostics.append(&mut found);
        if !again {
            return Imported::failed(diagnostics);
        }
    }
}

/// Parses and verifies a text in a context of its own; with what MLIR complains about.
fn parse(file: &Arc<str>, text: &str, options: &ImportOptions) -> (Option<SourceModule>, Rc<Locations>, Vec<Diagnostic>) {
    let context = Context::new_with_registry(&ffi::registry(), false);
    context.set_allow_unregistered_dialects(true);
    let locations = Rc::new(Locations::new(file, options.first_line));
    let found: Rc<RefCell<Vec<Diagnostic>>> = Rc::default();
    let handler = {
        let (locations, found) = (Rc::clone(&locations), Rc::clone(&found));
        context.attach_diagnostic_handler(move |diagnostic| {
            if let Some(diagnostic) = locations.diagnostic(&diagnostic) {
                found.borrow_mut().push(diagnostic);
            }
            true
        })
    };
    let module = SourceModule::parse(context, text);
    if let Some(module) = &module {
        module.context().detach_diagnostic_handler(handler);
    }
    (module, locations, found.take())
}

/// Whether `op` is of that kind.
fn name_is(op: &MlirOp<'_>, name: &str) -> bool {
    op.name().as_string_ref().as_str() == Ok(name)
}

/// The full name of an operation.
fn name_of(op: &MlirOp<'_>) -> String {
    op.name().as_string_ref().as_str().unwrap_or("unknown").to_owned()
}

/// The text of a string attribute.
fn string_attribute(op: &MlirOp<'_>, name: &str) -> Option<String> {
    let attribute = op.attribute(name).ok()?;
    Some(StringAttribute::try_from(attribute).ok()?.value().to_owned())
}
