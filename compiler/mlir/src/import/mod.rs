//! From MLIR text to the program IR.

use crate::ffi::{self, SourceModule};
use crate::guard::check_nesting;
use crate::imported::{ImportOptions, Imported};
use crate::location::Locations;
use melior::Context;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use tilia_diag::{Diagnostic, Loc};
use tilia_program::Program;

/// Stack of the thread that parses and translates: enough for the nesting that [`check_nesting`] lets through. Only what is used costs memory.
const STACK_BYTES: usize = 1 << 29;

/// Reads a module. Whatever the text holds, the result is a program, diagnostics, or both; a function that can't be translated doesn't keep the others from it.
#[must_use]
pub fn import(file_name: &str, text: &str, options: &ImportOptions) -> Imported {
    let file: Arc<str> = Arc::from(file_name);
    if let Err(diagnostic) = check_nesting(&file, text, options.first_line) {
        return failed(vec![diagnostic]);
    }
    let run = || import_here(&file, text, options);
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("import".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, run);
        thread.map(|handle| handle.join())
    });
    match result {
        Ok(Ok(imported)) => imported,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => failed(vec![Diagnostic::error(
            Loc::unknown(),
            format!("can't start a thread to parse {file_name}: {error}"),
        )]),
    }
}

fn failed(diagnostics: Vec<Diagnostic>) -> Imported {
    Imported {
        program: Program::default(),
        diagnostics,
        layouts: BTreeMap::new(),
        module: None,
    }
}

fn import_here(file: &Arc<str>, text: &str, options: &ImportOptions) -> Imported {
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
    let mut diagnostics = found.take();
    let Some(module) = module else {
        if diagnostics.is_empty() {
            diagnostics.push(Diagnostic::error(Loc::new(file, options.first_line, 1), "MLIR refuses the module without saying why"));
        }
        return failed(diagnostics);
    };
    module.context().detach_diagnostic_handler(handler);
    Imported {
        program: Program::default(),
        diagnostics,
        layouts: BTreeMap::new(),
        module: Some(module),
    }
}
