//! The execution engine.

use super::SourceModule;
use melior::Context;
use mlir_sys as sys;

/// Enables the translation of modules of this context to LLVM.
pub(crate) fn register_translations(context: &Context) {
    // SAFETY: the context is alive.
    unsafe { sys::mlirRegisterAllLLVMTranslations(context.to_raw()) }
}

/// MLIR's execution engine with the code of a module.
#[derive(Debug)]
pub(crate) struct RawEngine {
    raw: sys::MlirExecutionEngine,
}

// SAFETY: an engine has no thread affinity; it isn't `Sync`, so whoever holds it is its only user.
unsafe impl Send for RawEngine {}

impl RawEngine {
    /// Compiles a module of the dialect `llvm` at this level; `object` keeps the object file. `None` when it is refused; diagnostics went to the context's handlers.
    pub(crate) fn new(module: &SourceModule, level: i32, object: bool) -> Option<Self> {
        // SAFETY: the module is alive, and isn't used by the engine after this call; there are no paths.
        let raw = unsafe { sys::mlirExecutionEngineCreate(module.module, level, 0, std::ptr::null(), object, false) };
        (!raw.ptr.is_null()).then_some(Self { raw })
    }

    /// The address of a function of the module.
    pub(crate) fn find(&self, name: &str) -> Option<*const u8> {
        // SAFETY: the engine is alive, and the name describes readable bytes, which are only read during the call.
        let found = unsafe { sys::mlirExecutionEngineLookup(self.raw, string(name)) };
        (!found.is_null()).then_some(found.cast_const().cast())
    }

    /// Writes the object file, if it was kept.
    pub(crate) fn write_object(&self, file: &std::path::Path) -> bool {
        let Some(name) = file.to_str() else { return false };
        // SAFETY: as for `find`.
        unsafe { sys::mlirExecutionEngineDumpToObjectFile(self.raw, string(name)) };
        file.exists()
    }
}

impl Drop for RawEngine {
    fn drop(&mut self) {
        // SAFETY: created by `new`, and destroyed once.
        unsafe { sys::mlirExecutionEngineDestroy(self.raw) }
    }
}

fn string(text: &str) -> sys::MlirStringRef {
    sys::MlirStringRef {
        data: text.as_ptr().cast(),
        length: text.len(),
    }
}
