//! Scops that come from other tools, as OpenScop files or in isl's notation: scheduled as MLIR's are, and written back. They have no operations, so nothing can be lowered or run.

use crate::emit::EmitKind;
use crate::options::CompileOptions;
use crate::pipeline::{Optimised, optimise_scops};
use std::path::Path;
use std::sync::Arc;
use tilia_diag::{Diagnostic, Loc};
use tilia_exchange::OpenScop;
use tilia_presburger::Budget;
use tilia_scop::Scop;

/// A file of scops that was read.
#[derive(Debug)]
pub struct Foreign {
    /// What the scops were read from, if that was OpenScop; one for each.
    files: Vec<OpenScop>,
    scops: Vec<Scop>,
}

/// Units of work for reading or writing one scop.
const BUDGET: u64 = 40_000_000;

impl Foreign {
    /// Reads OpenScop text that is called `name` in messages.
    ///
    /// # Errors
    /// What isn't understood, with its line.
    pub fn read(name: &str, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let file: Arc<str> = Arc::from(name);
        let error = |e: tilia_exchange::Error| vec![Diagnostic::error(Loc::new(&file, e.line, 1), e.message)];
        let files = OpenScop::parse_all(text).map_err(error)?;
        let mut scops = Vec::new();
        for (n, f) in files.iter().enumerate() {
            scops.push(
                f.to_scop(name, &format!("{}_{n}", stem(name)), &Budget::new(BUDGET))
                    .map_err(error)?,
            );
        }
        Ok(Self { files, scops })
    }

    /// Reads a scop in isl's notation that is called `name` in messages.
    ///
    /// # Errors
    /// What isn't understood, with its place.
    pub fn read_isl(name: &str, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let file: Arc<str> = Arc::from(name);
        let scop = tilia_exchange::isl::parse_scop(name, &format!("{}_0", stem(name)), text, &Budget::new(BUDGET))
            .map_err(|e| vec![Diagnostic::error(Loc::new(&file, e.line, e.column), e.message)])?;
        Ok(Self {
            files: Vec::new(),
            scops: vec![scop],
        })
    }

    /// Runs the stages from dependences to loops on all scops.
    ///
    /// # Errors
    /// Requests that can't be met.
    pub fn optimise(&self, options: &CompileOptions) -> Result<Optimised, Vec<Diagnostic>> {
        optimise_scops(&self.scops, options)
    }

    /// The text of one level.
    ///
    /// # Errors
    /// A level that needs operations, or what its printer can't express.
    pub fn emit(&self, optimised: &Optimised, kind: EmitKind) -> Result<String, Vec<Diagnostic>> {
        match kind {
            EmitKind::OpenScop if !self.files.is_empty() => {
                let mut all = String::new();
                for (f, unit) in self.files.iter().zip(&optimised.scops) {
                    let new = f.with_schedule(&unit.scop, &unit.tree, &Budget::new(BUDGET)).map_err(|e| {
                        vec![Diagnostic::error(
                            unit.scop.loc.clone(),
                            format!("the schedule can't be written: {e}"),
                        )]
                    })?;
                    all.push_str(&new.to_string());
                }
                Ok(all)
            }
            EmitKind::Scop
            | EmitKind::Deps
            | EmitKind::Schedule
            | EmitKind::ScheduleMap
            | EmitKind::Ast
            | EmitKind::OpenScop
            | EmitKind::Isl => optimised.emit_model(kind),
            EmitKind::Mlir | EmitKind::C | EmitKind::Clif | EmitKind::Llvm | EmitKind::Asm | EmitKind::Program => Err(vec![
                Diagnostic::error(Loc::unknown(), "the input has no operations to make a program of")
                    .help("--emit=openscop, isl, scop, deps, schedule, schedule-map and ast are for it"),
            ]),
        }
    }
}

/// The name of a file without folder and ending.
fn stem(name: &str) -> String {
    Path::new(name)
        .file_stem()
        .map_or_else(|| "scop".to_owned(), |s| s.to_string_lossy().into_owned())
}
