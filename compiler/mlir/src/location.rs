//! MLIR's locations and diagnostics as ours.

use melior::diagnostic::DiagnosticSeverity;
use melior::ir::Location;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;
use tilia_diag::{Diagnostic, Loc};

/// How many wrappers (names, fusions, call sites) around a place are opened.
const MAX_WRAPPERS: usize = 64;

/// Converts locations. The text itself is parsed without a name; places in it get the user's file name and line numbers.
#[derive(Debug)]
pub(crate) struct Locations {
    file: Arc<str>,
    first_line: u32,
    others: RefCell<FxHashMap<String, Arc<str>>>,
}

impl Locations {
    /// For a text that starts at line `first_line` of `file`.
    pub(crate) fn new(file: &Arc<str>, first_line: u32) -> Self {
        Self {
            file: Arc::clone(file),
            first_line,
            others: RefCell::default(),
        }
    }

    /// The innermost place that `location` names.
    pub(crate) fn convert(&self, location: Location<'_>) -> Loc {
        let mut location = location;
        for _ in 0..MAX_WRAPPERS {
            if location.is_file_line_col_range() {
                return self.place(location);
            } else if location.is_name() {
                location = location.name_child_location();
            } else if location.is_call_site() {
                location = location.call_site_callee();
            } else if location.is_fused() && location.fused_num_locations() > 0 {
                location = location.fused_location(0);
            } else {
                break;
            }
        }
        Loc::unknown()
    }

    fn place(&self, location: Location<'_>) -> Loc {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let line = number(location.file_line_col_range_start_line());
        let column = number(location.file_line_col_range_start_column());
        let identifier = location.file_line_col_range_filename();
        match identifier.as_string_ref().as_str() {
            Ok("-" | "") => Loc::new(&self.file, line.saturating_add(self.first_line - 1), column),
            Ok(name) => {
                let mut others = self.others.borrow_mut();
                let file = others.entry(name.to_owned()).or_insert_with(|| Arc::from(name));
                Loc::new(file, line, column)
            }
            Err(_) => Loc::unknown(),
        }
    }

    /// An error or warning of MLIR; remarks and notes of their own are no diagnostics.
    pub(crate) fn diagnostic(&self, diagnostic: &melior::diagnostic::Diagnostic<'_>) -> Option<Diagnostic> {
        let loc = self.convert(diagnostic.location());
        let message = diagnostic.to_string();
        let mut result = match diagnostic.severity() {
            DiagnosticSeverity::Error => Diagnostic::error(loc, message),
            DiagnosticSeverity::Warning => Diagnostic::warning(loc, message),
            DiagnosticSeverity::Note | DiagnosticSeverity::Remark => return None,
        };
        for i in 0..diagnostic.note_count() {
            let Ok(note) = diagnostic.note(i) else { continue };
            let text = note.to_string();
            // The operation in generic form repeats what the quoted source line shows better.
            if !text.starts_with("see current operation") {
                result = result.note(self.convert(note.location()), text);
            }
        }
        Some(result)
    }
}
