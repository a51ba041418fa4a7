//! One input file, or one piece of it.

use crate::options::{CompileOptions, FpMode};
use crate::pipeline::{Optimised, optimise};
use std::time::Instant;
use tilia_diag::{Diagnostic, Loc};
use tilia_mlir::{ImportOptions, Imported, import};
use tilia_program::{Function, Program};

/// An input that was read and imported.
#[derive(Debug)]
pub struct Unit {
    pub(crate) imported: Imported,
    /// The program that the pipeline starts from: as imported, with multiply-adds fused if the mode says so.
    pub(crate) program: Program,
    pub(crate) name: String,
    /// Milliseconds that reading took.
    pub(crate) parse_ms: f64,
}

/// The pieces of an input with the number of each one's first line: the whole, or what stands between `// -----` lines.
#[must_use]
pub fn chunks(text: &str, split: bool) -> Vec<(u32, String)> {
    if !split {
        return vec![(1, text.to_owned())];
    }
    tilia_mlir::split_input(text)
        .into_iter()
        .map(|c| (c.first_line, c.text.to_owned()))
        .collect()
}

impl Unit {
    /// Reads MLIR text that is called `name` in messages. Problems are kept in [`Unit::diagnostics`].
    #[must_use]
    pub fn read(name: &str, text: &str, first_line: u32, options: &CompileOptions) -> Self {
        let start = Instant::now();
        let span = tracing::info_span!("parse", file = name).entered();
        let imported = import(name, text, &ImportOptions { first_line });
        drop(span);
        let mut program = imported.program.clone();
        if options.fp != FpMode::Strict {
            for function in &mut program.functions {
                if options.fp == FpMode::Fast {
                    tilia_lower::reassociate(function);
                }
                tilia_lower::contract(function);
            }
        }
        Self {
            imported,
            program,
            name: name.to_owned(),
            parse_ms: start.elapsed().as_secs_f64() * 1e3,
        }
    }

    /// The input with only what a function can reach.
    #[must_use]
    pub fn restricted(self, entry: &str) -> Self {
        let program = restrict(&self.program, entry);
        Self { program, ..self }
    }

    /// What reading complained about.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.imported.diagnostics
    }

    /// Whether MLIR accepted the text.
    #[must_use]
    pub fn parsed(&self) -> bool {
        self.imported.parsed()
    }

    /// Whether any diagnostic is an error (maybe of single functions only).
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.imported.has_errors()
    }

    /// The program as imported.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Runs the default pipeline on all functions, with tuned choices for those whose sizes are known and were tuned.
    ///
    /// # Errors
    /// Requests that can't be met: schedule trees that don't fit or aren't legal.
    pub fn optimise(&self, options: &CompileOptions) -> Result<Optimised, Vec<Diagnostic>> {
        let (tuned, said) = crate::tune::apply_to_all(&self.program, options);
        let mut done = optimise(&self.program, tuned.as_ref().unwrap_or(options))?;
        done.remarks.extend(said);
        Ok(done)
    }

    /// The function to run: the one named, else `main`, else the only public one with a body.
    ///
    /// # Errors
    /// When there is none or several, with their names.
    pub fn entry(&self, name: Option<&str>) -> Result<&Function, Diagnostic> {
        let defined: Vec<&Function> = self.program.functions.iter().filter(|f| f.body.is_some()).collect();
        let names = || {
            let all: Vec<String> = defined.iter().map(|f| format!("@{}", f.name)).collect();
            if all.is_empty() { "none".to_owned() } else { all.join(", ") }
        };
        let error = |text: String| Diagnostic::error(Loc::unknown(), text).help("name it with --entry");
        if let Some(name) = name.filter(|_| !defined.is_empty()) {
            let name = name.strip_prefix('@').unwrap_or(name);
            return defined
                .iter()
                .find(|f| f.name == name)
                .copied()
                .ok_or_else(|| error(format!("{} defines no function @{name}; it has {}", self.name, names())));
        }
        if let Some(main) = defined.iter().find(|f| f.name == "main") {
            return Ok(main);
        }
        let public: Vec<&&Function> = defined.iter().filter(|f| f.public).collect();
        match public[..] {
            [one] => Ok(one),
            [] if defined.is_empty() => Err(self.nothing_to_run()),
            [] => Err(error(format!("{} has no public function to run; it has {}", self.name, names()))),
            _ => Err(error(format!("{} has several public functions: {}", self.name, names()))),
        }
    }

    /// Why a module without function bodies can't be run.
    fn nothing_to_run(&self) -> Diagnostic {
        let help = "a function to run looks like func.func @main(%a: memref<8xf32>) { .. return }";
        match self.program.functions.first() {
            Some(f) => Diagnostic::error(
                Loc::unknown(),
                format!("{} only declares functions, such as @{}; none has a body to run", self.name, f.name),
            ),
            None => Diagnostic::error(Loc::unknown(), format!("{} holds no function", self.name)),
        }
        .help(help)
    }
}

/// The program with only what `entry` can reach; other functions become declarations.
pub(crate) fn restrict(program: &Program, entry: &str) -> Program {
    let mut reachable: std::collections::BTreeSet<String> = std::collections::BTreeSet::new();
    let mut pending = vec![entry.to_owned()];
    while let Some(name) = pending.pop() {
        if !reachable.insert(name.clone()) {
            continue;
        }
        if let Some(f) = program.function(&name)
            && let Some(body) = f.body
        {
            f.walk(body, |op| {
                if let tilia_program::OpKind::Call(callee) = &f[op].kind {
                    pending.push(callee.clone());
                }
            });
        }
    }
    let mut restricted = program.clone();
    restricted.functions.retain(|f| reachable.contains(&f.name));
    restricted
}
