//! What every back end offers.

use tilia_abi::{RuntimeError, Value};
use tilia_diag::Diagnostic;
use tilia_program::Program;

/// Settings that a back end needs. None of them changes a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodegenOptions {
    /// Threads that parallel loops may use; 1 starts none.
    pub threads: usize,
    /// Operations below which a parallel loop runs on the calling thread, estimated when it is reached; 0: it always forks.
    pub grain: u64,
    /// Whether to count executed parallel, vector and full-tile loops (a few instructions per loop execution).
    pub counters: bool,
    /// Whether to keep the code's text for [`CompiledModule::text`].
    pub text: bool,
    /// Bytes that one call may have allocated at a time; beyond, allocating is a run-time error.
    pub memory_limit: u64,
}

impl Default for CodegenOptions {
    fn default() -> Self {
        Self {
            threads: 1,
            grain: 20_000,
            counters: true,
            text: false,
            memory_limit: 16 << 30,
        }
    }
}

/// A text form of compiled code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// Cranelift's intermediate language.
    Clif,
    /// MLIR's dialect `llvm`, as the LLVM back end hands it to LLVM.
    Llvm,
    /// The machine's assembly.
    Asm,
}

/// How often loops of each kind were executed, with at least one iteration, during one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Executed {
    /// Parallel regions that forked.
    pub parallel: u64,
    /// Vector loops.
    pub vector: u64,
    /// Loops that are full tiles.
    pub full_tiles: u64,
}

/// Results of a call.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Results, one for each result type. Memrefs are copies, contiguous.
    pub results: Vec<Value>,
    /// Loops executed; zeros when counting is off.
    pub executed: Executed,
}

/// A compiled program. Its code lives as long as it does.
pub trait CompiledModule: Send + Sync {
    /// Calls a function. Several threads may call at once; they share the program's globals.
    ///
    /// # Errors
    /// Arguments that don't fit the parameters, or what went wrong in the program, with the place.
    fn call(&self, name: &str, args: &[Value]) -> Result<Outcome, RuntimeError>;

    /// Gives all globals their first contents again.
    fn reset_globals(&self);

    /// The code as text, one function after the other, in the program's order.
    ///
    /// # Errors
    /// A back end that has no such text says so.
    fn text(&self, kind: Text) -> Result<String, Diagnostic>;

    /// Bytes of machine code.
    fn code_size(&self) -> usize;
}

/// Makes machine code of programs.
pub trait Backend {
    /// The name that `--backend` uses.
    fn name(&self) -> &'static str;

    /// Compiles all functions of `program`.
    ///
    /// # Errors
    /// One diagnostic for each thing that can't be compiled.
    fn compile(&self, program: &Program, options: &CodegenOptions) -> Result<Box<dyn CompiledModule>, Vec<Diagnostic>>;
}
