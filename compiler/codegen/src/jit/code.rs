//! Placed machine code.

use super::compile::Compiled;
use crate::backend::Text;
use crate::native::NativeCode;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleReloc};
use tilia_diag::{Diagnostic, Loc};

/// Placed machine code; unmapped when dropped.
pub(super) struct Code {
    module: Option<JITModule>,
    /// Entry of each unit that has code.
    entries: Vec<Option<*const u8>>,
    size: usize,
    /// Intermediate language and assembly, if they were kept.
    texts: Option<(String, String)>,
}

// SAFETY: the code is only read and executed; the module behind it isn't touched until it is dropped.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// Puts all units in one reserved region, so that they reach each other, and no others are needed.
    pub(super) fn place(
        isa: OwnedTargetIsa,
        units: &[Option<(String, Compiled)>],
        texts: Option<(String, String)>,
    ) -> Result<Self, String> {
        let text = |e: &dyn std::fmt::Display| format!("machine code can't be placed: {e}");
        let size: usize = units.iter().flatten().map(|(_, u)| u.bytes.len()).sum();
        // Room for alignment and, on machines whose calls don't reach far, for jumps in between.
        let reserve = units
            .iter()
            .flatten()
            .map(|(_, u)| u.bytes.len() + 256 + 32 * u.code.buffer.relocs().len());
        let arena = ArenaMemoryProvider::new_with_size(reserve.sum::<usize>() + 16 * 4096).map_err(|e| text(&e))?;
        let mut builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
        builder.memory_provider(Box::new(arena));
        let mut code = Self {
            module: Some(JITModule::new(builder)),
            entries: Vec::new(),
            size,
            texts,
        };
        let Some(module) = code.module.as_mut() else { return Ok(code) };
        let mut ids: Vec<FuncId> = Vec::new();
        for unit in units {
            // Units without code are never called, but keep their numbers.
            let signature = unit
                .as_ref()
                .map_or_else(|| module.make_signature(), |(_, u)| u.function.signature.clone());
            ids.push(module.declare_anonymous_function(&signature).map_err(|e| text(&e))?);
        }
        for (&id, unit) in ids.iter().zip(units) {
            let Some((_, unit)) = unit else { continue };
            let relocs: Vec<_> = unit
                .code
                .buffer
                .relocs()
                .iter()
                .map(|r| ModuleReloc::from_mach_reloc(r, &unit.function, id))
                .collect();
            let alignment = u64::from(unit.code.buffer.alignment);
            module
                .define_function_bytes(id, alignment, &unit.bytes, &relocs)
                .map_err(|e| text(&e))?;
        }
        module.finalize_definitions().map_err(|e| text(&e))?;
        let entries = ids
            .iter()
            .zip(units)
            .map(|(&id, u)| u.as_ref().map(|_| module.get_finalized_function(id)));
        code.entries = entries.collect();
        Ok(code)
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: code runs only within `call`, which borrows the owner of this value; the entries die with it.
            unsafe { module.free_memory() };
        }
    }
}

// SAFETY: the entries are those of placed functions with the signatures of units; the region is unmapped when the value is dropped.
unsafe impl NativeCode for Code {
    fn entry(&self, function: usize) -> Option<*const u8> {
        self.entries.get(function).copied().flatten()
    }

    fn size(&self) -> usize {
        self.size
    }

    fn text(&self, kind: Text) -> Result<String, Diagnostic> {
        match (&self.texts, kind) {
            (Some((clif, _)), Text::Clif) => Ok(clif.clone()),
            (Some((_, asm)), Text::Asm) => Ok(asm.clone()),
            (Some(_), Text::Llvm) => {
                Err(Diagnostic::error(Loc::unknown(), "Cranelift makes no code of the dialect llvm").help("use --backend=llvm"))
            }
            (None, _) => Err(Diagnostic::error(Loc::unknown(), "the code was compiled without keeping its text")),
        }
    }
}
