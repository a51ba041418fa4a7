//! MLIR's execution engine: from the text of a module to code in memory.

use crate::ffi::{self, RawEngine, SourceModule};
use melior::Context;
use std::cell::RefCell;
use std::process::Command;
use std::rc::Rc;
use std::sync::Mutex;

/// LLVM's optimisation level.
const LEVEL: i32 = 3;
/// Stack of the thread that compiles: LLVM's passes recurse on what they look at.
const STACK_BYTES: usize = 1 << 27;

/// A compiled module.
pub(super) struct Engine {
    raw: Mutex<RawEngine>,
}

/// Addresses of functions, in the order asked for; none for those that aren't there.
pub(super) type Entries = Vec<Option<*const u8>>;

/// What the compiling thread gives back.
struct Made(RawEngine, Entries);

// SAFETY: an engine has no thread affinity, and whoever holds it is its only user; the addresses are only numbers here.
unsafe impl Send for Made {}

impl Engine {
    /// Compiles the text of a module of the dialect `llvm`, and looks up functions; `object` keeps the machine code for [`Self::assembly`].
    pub(super) fn compile(text: &str, names: &[String], object: bool) -> Result<(Self, Entries), String> {
        let made = std::thread::scope(|scope| {
            let work = || compile_here(text, names, object);
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
            thread.map(std::thread::ScopedJoinHandle::join)
        });
        match made {
            Ok(Ok(made)) => made.map(|Made(raw, entries)| (Self { raw: Mutex::new(raw) }, entries)),
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => Err(format!("can't start a thread to compile: {error}")),
        }
    }

    /// The object file, in a folder that is removed with the value.
    fn object(&self) -> Option<(tempfile::TempDir, std::path::PathBuf)> {
        let folder = tempfile::tempdir().ok()?;
        let file = folder.path().join("code.o");
        self.raw.lock().ok()?.write_object(&file).then_some((folder, file))
    }

    /// The code as assembly, by LLVM's disassembler.
    pub(super) fn assembly(&self) -> Result<String, String> {
        let (_folder, file) = self.object().ok_or("the machine code wasn't kept")?;
        for tool in ["llvm-objdump-22", "llvm-objdump", "objdump"] {
            let mut command = Command::new(tool);
            if let Ok(done) = command.args(["-d", "--no-show-raw-insn"]).arg(&file).output()
                && done.status.success()
            {
                return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
            }
        }
        Err("no disassembler is installed: llvm-objdump (package llvm-22) or objdump (package binutils)".to_owned())
    }
}

fn compile_here(text: &str, names: &[String], object: bool) -> Result<Made, String> {
    let context = Context::new_with_registry(&ffi::llvm_registry(), false);
    let found: Rc<RefCell<Vec<String>>> = Rc::default();
    let handler = {
        let found = Rc::clone(&found);
        context.attach_diagnostic_handler(move |diagnostic| {
            found.borrow_mut().push(format!("{}: {diagnostic}", diagnostic.location()));
            true
        })
    };
    ffi::register_translations(&context);
    let complain = |what: &str| {
        let said = found.borrow();
        tracing::debug!(complaints = ?*said, "{what}");
        format!("{what}: {}", said.first().map_or("no reason given", String::as_str))
    };
    let parsed = tracing::debug_span!("parse").in_scope(|| SourceModule::parse(context, text));
    let module = parsed.ok_or_else(|| complain("MLIR refuses the generated code"))?;
    let raw = tracing::debug_span!("optimise").in_scope(|| RawEngine::new(&module, LEVEL, object));
    let raw = raw.ok_or_else(|| complain("MLIR's execution engine refuses the generated code"))?;
    let entries = tracing::debug_span!("place").in_scope(|| names.iter().map(|name| raw.find(name)).collect());
    module.context().detach_diagnostic_handler(handler);
    Ok(Made(raw, entries))
}
