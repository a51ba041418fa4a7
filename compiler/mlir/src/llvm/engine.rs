//! From the text of a module to code in memory: MLIR reads and translates it, LLVM optimises it and generates machine code.

use crate::ffi::{self, HostMachine, LlvmModule, Object, Placed, SourceModule};
use melior::Context;
use std::cell::RefCell;
use std::ffi::CStr;
use std::process::Command;
use std::rc::Rc;
use std::sync::Mutex;

/// The passes that a program goes through: what simplifies, what moves out of loops, and vectors for innermost loops that have none yet.
///
/// Lowering has done already what takes most of the time of LLVM's default pipelines: it tiles, unrolls, makes vectors and keeps values in registers. The whole `default<O3>` takes about
/// four times as long, twice as long to generate code for what it unrolls and vectorises again, and finds nothing more in the loops that matter.
const PASSES: &CStr = c"function(early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm),loop-vectorize,\
instcombine<no-verify-fixpoint>,early-cse<memssa>,simplifycfg)";

/// Stack of the thread that compiles: LLVM's passes recurse on what they look at.
const STACK_BYTES: usize = 1 << 27;

/// A compiled module.
#[derive(Debug)]
pub(super) struct Engine {
    /// Holds the code.
    placed: Mutex<Placed>,
    /// Bytes of machine code and constants.
    size: usize,
    /// The object file, where it was asked for.
    object: Option<Vec<u8>>,
}

/// Addresses of functions, in the order asked for; none for those that aren't there.
pub(super) type Entries = Vec<Option<*const u8>>;

/// What the compiling thread gives back.
struct Made(Engine, Entries);

// SAFETY: the addresses are only numbers here.
unsafe impl Send for Made {}

impl Engine {
    /// Compiles the text of a module of the dialect `llvm`, and looks up functions; `object` keeps the machine code for [`Self::assembly`].
    pub(super) fn compile(text: &str, names: &[String], object: bool) -> Result<(Self, Entries), String> {
        let Made(engine, entries) = on_large_stack(|| compile_here(text, names, object))??;
        Ok((engine, entries))
    }

    /// Compiles another module, whose functions may call those that are there; gives the address of one of its functions.
    pub(super) fn add(&self, text: &str, name: &str) -> Result<usize, String> {
        let code = on_large_stack(|| machine_code(text))??;
        let placed = self.placed.lock().map_err(|e| e.to_string())?;
        placed.add(code)?;
        placed.find(name).map(|address| address.addr())
    }

    /// Bytes of the object file.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The object file, in a folder that is removed with the value.
    fn written(&self) -> Option<(tempfile::TempDir, std::path::PathBuf)> {
        let folder = tempfile::tempdir().ok()?;
        let file = folder.path().join("code.o");
        std::fs::write(&file, self.object.as_ref()?).ok()?;
        Some((folder, file))
    }

    /// The code as assembly, by LLVM's disassembler.
    pub(super) fn assembly(&self) -> Result<String, String> {
        let (_folder, file) = self.written().ok_or("the machine code wasn't kept")?;
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

/// Runs `work` on a thread with a large stack, and waits for it.
fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    let done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        thread.map(std::thread::ScopedJoinHandle::join)
    });
    match done {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => Err(format!("can't start a thread to compile: {error}")),
    }
}

fn compile_here(text: &str, names: &[String], object: bool) -> Result<Made, String> {
    let code = machine_code(text)?;
    let size = code.bytes().len();
    let object = object.then(|| code.bytes().to_vec());
    let _span = tracing::debug_span!("place").entered();
    let placed = Placed::new()?;
    placed.add(code)?;
    let entries = names.iter().map(|name| placed.find(name).map(Some)).collect::<Result<_, _>>()?;
    let placed = Mutex::new(placed);
    Ok(Made(Engine { placed, size, object }, entries))
}

/// The text as an object file.
fn machine_code(text: &str) -> Result<Object, String> {
    let host = HostMachine::new()?;
    let mut module = translated(text, &host)?;
    tracing::debug_span!("optimise").in_scope(|| module.optimise(&host, PASSES))?;
    tracing::debug_span!("generate").in_scope(|| module.object(&host))
}

/// The text as a module of LLVM.
fn translated(text: &str, host: &HostMachine) -> Result<LlvmModule, String> {
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
    let source = parsed.ok_or_else(|| complain("MLIR refuses the generated code"))?;
    let module = tracing::debug_span!("translate").in_scope(|| LlvmModule::translated(&source, host));
    let module = module.ok_or_else(|| complain("MLIR can't translate the generated code to LLVM"))?;
    source.context().detach_diagnostic_handler(handler);
    Ok(module)
}
