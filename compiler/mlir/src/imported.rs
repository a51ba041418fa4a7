//! What an import gives.

use crate::ffi::SourceModule;
use std::collections::{BTreeMap, BTreeSet};
use tilia_diag::{Diagnostic, Severity};
use tilia_program::{AffineMap, Program};

/// How to read a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOptions {
    /// Number of the text's first line, for a piece of a longer file; 1 otherwise.
    pub first_line: u32,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self { first_line: 1 }
    }
}

/// The shape that the source gives a memref whose layout map was folded into its accesses, and where its elements lie in the plain buffer that took its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogicalShape {
    /// Extents in the source, outermost first; `None` is dynamic.
    pub shape: Vec<Option<u64>>,
    /// Extents of the plain buffer; `None` is dynamic, and then the map's result is just a dimension of the source.
    pub storage: Vec<Option<u64>>,
    /// From source subscripts to subscripts of the plain buffer. Without symbols.
    pub map: AffineMap,
}

/// The logical shapes of one function's parameters and results; `None` where the type is as in the source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FunctionLayouts {
    /// One a parameter.
    pub params: Vec<Option<LogicalShape>>,
    /// One a result.
    pub results: Vec<Option<LogicalShape>>,
}

/// A module in both forms.
#[derive(Debug)]
pub struct Imported {
    /// The program. Empty when the text didn't parse or verify.
    pub program: Program,
    /// What MLIR and the translation complained about, in source order of their discovery.
    pub diagnostics: Vec<Diagnostic>,
    /// Functions with parameters or results whose memref layout was rewritten, by name.
    pub layouts: BTreeMap<String, FunctionLayouts>,
    /// Functions in which a memref's layout map was folded into accesses, by name.
    pub(crate) folded: BTreeSet<String>,
    /// The module, when it parsed.
    pub(crate) module: Option<SourceModule>,
    /// Whether bodies of functions that MLIR refuses were taken out of the module.
    pub(crate) emptied: bool,
    /// Where the program's functions come from, in their order.
    pub(crate) sources: Vec<FunctionSources>,
}

/// Where a value of the program comes from in the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueSource {
    /// Result n of the operation with that number.
    Result(u32, u32),
    /// Argument n of the block with that number.
    Arg(u32, u32),
}

/// Where a function of the program and what is in it come from: numbers of operations and blocks in a walk of the module, which a copy of the module shares.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct FunctionSources {
    /// The function's operation.
    pub(crate) function: u32,
    /// Per operation, the one that it came from. Several may come from the same.
    pub(crate) ops: Vec<u32>,
    /// Per value, the first one that it stands for, if any.
    pub(crate) values: Vec<Option<ValueSource>>,
    /// Per block, the one that it stands for, if any.
    pub(crate) blocks: Vec<Option<u32>>,
}

impl Imported {
    /// What an import gives when there is no module.
    pub(crate) fn failed(diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            program: Program::default(),
            diagnostics,
            layouts: BTreeMap::new(),
            folded: BTreeSet::new(),
            module: None,
            sources: Vec::new(),
            emptied: false,
        }
    }

    /// Whether any diagnostic is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }

    /// Whether the text was a module that MLIR accepts; errors may still concern single functions.
    #[must_use]
    pub fn parsed(&self) -> bool {
        self.module.is_some()
    }
}
