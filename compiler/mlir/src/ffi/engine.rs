//! LLVM itself, by its C interface: modules of the dialect `llvm` become LLVM's, run through passes, become an object file, and are placed in memory.
//!
//! MLIR's execution engine does the same in one step, always with LLVM's default pipelines; here the passes can be chosen, see `llvm/engine.rs`.

use super::SourceModule;
use melior::Context;
use mlir_sys as sys;
use std::ffi::{CStr, CString, c_char, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;

/// What LLVM gives out and only looks at itself.
#[repr(C)]
struct Opaque {
    _private: [u8; 0],
}

type ErrorRef = *mut Opaque;
type TargetRef = *mut Opaque;
type MachineRef = *mut Opaque;
type DataRef = *mut Opaque;
type PassOptionsRef = *mut Opaque;
type JitRef = *mut Opaque;
type DylibRef = *mut Opaque;

/// `LLVMCodeGenLevelDefault`.
const CODEGEN_LEVEL: c_uint = 2;
/// `LLVMRelocPIC`.
const RELOC_PIC: c_uint = 2;
/// `LLVMCodeModelDefault`.
const CODE_MODEL_DEFAULT: c_uint = 0;
/// `LLVMObjectFile`.
const OBJECT_FILE: c_uint = 1;

unsafe extern "C" {
    fn LLVMGetErrorMessage(error: ErrorRef) -> *mut c_char;
    fn LLVMDisposeErrorMessage(message: *mut c_char);
    fn LLVMConsumeError(error: ErrorRef);
    fn LLVMGetDefaultTargetTriple() -> *mut c_char;
    fn LLVMGetHostCPUName() -> *mut c_char;
    fn LLVMGetHostCPUFeatures() -> *mut c_char;
    fn LLVMGetTargetFromTriple(triple: *const c_char, target: *mut TargetRef, message: *mut *mut c_char) -> sys::LLVMBool;
    fn LLVMCreateTargetMachine(
        target: TargetRef,
        triple: *const c_char,
        cpu: *const c_char,
        features: *const c_char,
        level: c_uint,
        reloc: c_uint,
        model: c_uint,
    ) -> MachineRef;
    fn LLVMDisposeTargetMachine(machine: MachineRef);
    fn LLVMCreateTargetDataLayout(machine: MachineRef) -> DataRef;
    fn LLVMDisposeTargetData(data: DataRef);
    fn LLVMSetModuleDataLayout(module: sys::LLVMModuleRef, data: DataRef);
    fn LLVMTargetMachineEmitToMemoryBuffer(
        machine: MachineRef,
        module: sys::LLVMModuleRef,
        kind: c_uint,
        message: *mut *mut c_char,
        buffer: *mut sys::LLVMMemoryBufferRef,
    ) -> sys::LLVMBool;
    fn LLVMCreatePassBuilderOptions() -> PassOptionsRef;
    fn LLVMDisposePassBuilderOptions(options: PassOptionsRef);
    fn LLVMRunPasses(module: sys::LLVMModuleRef, passes: *const c_char, machine: MachineRef, options: PassOptionsRef) -> ErrorRef;
    fn LLVMOrcCreateLLJIT(jit: *mut JitRef, builder: *mut Opaque) -> ErrorRef;
    fn LLVMOrcDisposeLLJIT(jit: JitRef) -> ErrorRef;
    fn LLVMOrcLLJITGetMainJITDylib(jit: JitRef) -> DylibRef;
    fn LLVMOrcLLJITAddObjectFile(jit: JitRef, dylib: DylibRef, object: sys::LLVMMemoryBufferRef) -> ErrorRef;
    fn LLVMOrcLLJITLookup(jit: JitRef, address: *mut u64, name: *const c_char) -> ErrorRef;
}

/// The code generator of the machine that this runs on, and whether there is one.
mod native {
    macro_rules! target {
        ($arch:literal, $info:ident, $target:ident, $mc:ident, $printer:ident) => {
            #[cfg(target_arch = $arch)]
            unsafe extern "C" {
                fn $info();
                fn $target();
                fn $mc();
                fn $printer();
            }
            #[cfg(target_arch = $arch)]
            pub(super) fn register() -> bool {
                // SAFETY: the functions add static data to LLVM's tables, under the lock of whoever calls this once.
                unsafe {
                    $info();
                    $target();
                    $mc();
                    $printer();
                }
                true
            }
        };
    }
    target!(
        "x86_64",
        LLVMInitializeX86TargetInfo,
        LLVMInitializeX86Target,
        LLVMInitializeX86TargetMC,
        LLVMInitializeX86AsmPrinter
    );
    target!(
        "aarch64",
        LLVMInitializeAArch64TargetInfo,
        LLVMInitializeAArch64Target,
        LLVMInitializeAArch64TargetMC,
        LLVMInitializeAArch64AsmPrinter
    );
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub(super) fn register() -> bool {
        false
    }
}

/// Enables the translation of modules of this context to LLVM.
pub(crate) fn register_translations(context: &Context) {
    // SAFETY: the context is alive.
    unsafe { sys::mlirRegisterAllLLVMTranslations(context.to_raw()) }
}

/// A string that LLVM made.
struct Text(*mut c_char);

impl Text {
    fn read(&self) -> String {
        if self.0.is_null() {
            return String::new();
        }
        // SAFETY: LLVM's strings end in a zero, and this one lives as long as `self`.
        unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned()
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: made by LLVM for its caller to dispose of, once.
            unsafe { sys::LLVMDisposeMessage(self.0) }
        }
    }
}

/// What an error says.
fn said(error: ErrorRef) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the error is consumed by the first call, and the text disposed of once, after it was copied.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(text)
    }
}

/// The host's processor, as LLVM generates code for it.
#[derive(Debug)]
pub(crate) struct HostMachine {
    raw: MachineRef,
    triple: CString,
}

// SAFETY: a target machine has no thread affinity; it isn't `Sync`, so whoever holds it is its only user.
unsafe impl Send for HostMachine {}

impl HostMachine {
    /// The host with all that it can do.
    pub(crate) fn new() -> Result<Self, String> {
        static REGISTERED: OnceLock<bool> = OnceLock::new();
        if !REGISTERED.get_or_init(native::register) {
            return Err("LLVM isn't set up for this kind of processor".to_owned());
        }
        // SAFETY: all strings are LLVM's own, alive during the calls.
        unsafe {
            let (triple, cpu, features) = (
                Text(LLVMGetDefaultTargetTriple()),
                Text(LLVMGetHostCPUName()),
                Text(LLVMGetHostCPUFeatures()),
            );
            let (mut target, mut message) = (null_mut(), null_mut());
            let failed = LLVMGetTargetFromTriple(triple.0, &raw mut target, &raw mut message);
            let message = Text(message);
            if failed != 0 {
                return Err(message.read());
            }
            let raw = LLVMCreateTargetMachine(target, triple.0, cpu.0, features.0, CODEGEN_LEVEL, RELOC_PIC, CODE_MODEL_DEFAULT);
            if raw.is_null() {
                return Err("LLVM generates no code for this processor".to_owned());
            }
            let triple = CStr::from_ptr(triple.0).to_owned();
            Ok(Self { raw, triple })
        }
    }
}

impl Drop for HostMachine {
    fn drop(&mut self) {
        // SAFETY: created by `new`, and disposed of once.
        unsafe { LLVMDisposeTargetMachine(self.raw) }
    }
}

/// A module of LLVM in a context of its own.
#[derive(Debug)]
pub(crate) struct LlvmModule {
    context: sys::LLVMContextRef,
    raw: sys::LLVMModuleRef,
    /// Errors that LLVM reported. In a box of its own: LLVM holds its address.
    #[expect(clippy::box_collection, reason = "LLVM keeps the address of the list while the session moves")]
    errors: Box<Vec<String>>,
}

impl LlvmModule {
    /// Translates a module of the dialect `llvm`. `None` when that fails; diagnostics went to its context's handlers.
    pub(crate) fn translated(module: &SourceModule, host: &HostMachine) -> Option<Self> {
        // SAFETY: the context is new; it is disposed of here if there is no module, else with the value.
        unsafe {
            let context = sys::LLVMContextCreate();
            let raw = sys::mlirTranslateModuleToLLVMIR(sys::mlirModuleGetOperation(module.module), context);
            if raw.is_null() {
                sys::LLVMContextDispose(context);
                return None;
            }
            let mut errors: Box<Vec<String>> = Box::default();
            sys::LLVMContextSetDiagnosticHandler(context, Some(note_error), (&raw mut *errors).cast());
            sys::LLVMSetTarget(raw, host.triple.as_ptr());
            let layout = LLVMCreateTargetDataLayout(host.raw);
            LLVMSetModuleDataLayout(raw, layout);
            LLVMDisposeTargetData(layout);
            Some(Self { context, raw, errors })
        }
    }

    /// Runs a pipeline of passes, written as for LLVM's tool `opt`.
    pub(crate) fn optimise(&mut self, host: &HostMachine, passes: &CStr) -> Result<(), String> {
        // SAFETY: module, machine, text and options are alive during the call.
        let error = unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.raw, passes.as_ptr(), host.raw, options);
            LLVMDisposePassBuilderOptions(options);
            error
        };
        said(error)?;
        self.no_errors()
    }

    /// Generates machine code.
    pub(crate) fn object(&mut self, host: &HostMachine) -> Result<Object, String> {
        let (mut buffer, mut message) = (null_mut(), null_mut());
        // SAFETY: module and machine are alive during the call; the results are owned from here on.
        let failed = unsafe { LLVMTargetMachineEmitToMemoryBuffer(host.raw, self.raw, OBJECT_FILE, &raw mut message, &raw mut buffer) };
        let message = Text(message);
        if failed != 0 || buffer.is_null() {
            return Err(message.read());
        }
        let object = Object(buffer);
        self.no_errors()?;
        Ok(object)
    }

    fn no_errors(&self) -> Result<(), String> {
        self.errors.first().map_or(Ok(()), |e| Err(e.clone()))
    }
}

/// Keeps what LLVM reports as an error; its own handler would end the process.
unsafe extern "C" fn note_error(info: sys::LLVMDiagnosticInfoRef, errors: *mut c_void) {
    // SAFETY: `errors` is the list that `translated` gave, alive as long as the context; the description is owned by its receiver.
    unsafe {
        if sys::LLVMGetDiagInfoSeverity(info) == sys::LLVMDiagnosticSeverity_LLVMDSError {
            let text = Text(sys::LLVMGetDiagInfoDescription(info)).read();
            (*errors.cast::<Vec<String>>()).push(text);
        }
    }
}

impl Drop for LlvmModule {
    fn drop(&mut self) {
        // SAFETY: both were created by `translated`, and are disposed of once, the module first.
        unsafe {
            sys::LLVMDisposeModule(self.raw);
            sys::LLVMContextDispose(self.context);
        }
    }
}

/// An object file in memory.
#[derive(Debug)]
pub(crate) struct Object(sys::LLVMMemoryBufferRef);

// SAFETY: a buffer has no thread affinity, and nothing changes its contents.
unsafe impl Send for Object {}

impl Object {
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the buffer is alive as long as `self`, and holds that many bytes.
        unsafe {
            let start = sys::LLVMGetBufferStart(self.0).cast::<u8>();
            std::slice::from_raw_parts(start, sys::LLVMGetBufferSize(self.0))
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: owned, and disposed of once.
        unsafe { sys::LLVMDisposeMemoryBuffer(self.0) }
    }
}

/// Code in memory.
#[derive(Debug)]
pub(crate) struct Placed {
    raw: JitRef,
}

// SAFETY: ORC's sessions may be used from any thread, one at a time here.
unsafe impl Send for Placed {}

impl Placed {
    /// No code yet.
    pub(crate) fn new() -> Result<Self, String> {
        let mut raw = null_mut();
        // SAFETY: without a builder, ORC takes the host; the value owns the result.
        said(unsafe { LLVMOrcCreateLLJIT(&raw mut raw, null_mut()) })?;
        Ok(Self { raw })
    }

    /// Adds an object file. It is linked against what is there and against this process, and made executable, when one of its symbols is asked for.
    pub(crate) fn add(&self, object: Object) -> Result<(), String> {
        let buffer = object.0;
        std::mem::forget(object);
        // SAFETY: the session is alive, and takes over the buffer, which isn't disposed of here.
        said(unsafe { LLVMOrcLLJITAddObjectFile(self.raw, LLVMOrcLLJITGetMainJITDylib(self.raw), buffer) })
    }

    /// The address of a function.
    pub(crate) fn find(&self, name: &str) -> Result<*const u8, String> {
        let name = CString::new(name).map_err(|e| e.to_string())?;
        let mut address = 0;
        // SAFETY: the session and the name are alive during the call.
        said(unsafe { LLVMOrcLLJITLookup(self.raw, &raw mut address, name.as_ptr()) })?;
        let address = usize::try_from(address).map_err(|e| e.to_string())?;
        Ok(std::ptr::with_exposed_provenance(address))
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        // SAFETY: created by `new`, and disposed of once; an error of the disposal is nothing that anyone could act on.
        unsafe {
            let error = LLVMOrcDisposeLLJIT(self.raw);
            if !error.is_null() {
                LLVMConsumeError(error);
            }
        }
    }
}
