//! Strategies written as Rhai scripts: `configure(v)`, and `begin(v)` and `accept(v, row)` where they are there.
//!
//! A script sees what a Rust strategy sees ([`crate::View`]), can touch nothing else (no files, no clock, no random numbers, no other scripts), and keeps nothing from call to call: the
//! same view gives the same answer. Steps, depth and the size of values are limited.

mod answer;
mod engine;
mod view;

use crate::{Candidate, Code, DimConfig, Globals, Place, Strategy, StrategyError, Verdict, View};
use rhai::{AST, Dynamic, Engine, FuncArgs, Scope};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Largest script, in bytes.
const MAX_BYTES: usize = 200_000;

/// A strategy that a script describes.
pub struct ScriptStrategy {
    name: String,
    file: Arc<str>,
    engine: Engine,
    ast: AST,
    /// Lines of `configure`, `begin` and `accept`, where their answers are reported.
    lines: [u32; 3],
    has_begin: bool,
    has_accept: bool,
}

impl std::fmt::Debug for ScriptStrategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScriptStrategy").field("file", &self.file).finish_non_exhaustive()
    }
}

impl ScriptStrategy {
    /// Reads a script that is called `file` in messages.
    ///
    /// # Errors
    /// `E601` with line and column if it isn't Rhai; `E604` if it has no `configure(v)`; `E603` if it is too long.
    pub fn parse(file: &str, text: &str) -> Result<Self, StrategyError> {
        let file: Arc<str> = Arc::from(file);
        let whole = |line, column| Place {
            file: Arc::clone(&file),
            pointer: String::new(),
            line,
            column,
        };
        if text.len() > MAX_BYTES {
            return Err(StrategyError::new(
                Code::ScriptLimit,
                whole(1, 1),
                format!("a script of more than {MAX_BYTES} bytes"),
            ));
        }
        let engine = engine::limited();
        let ast = catch_unwind(AssertUnwindSafe(|| engine.compile(text)))
            .map_err(|_| StrategyError::new(Code::ScriptSyntax, whole(1, 1), "the script language's parser fails at this script"))?
            .map_err(|e| {
                let (line, column) = engine::line_column(e.position()).unwrap_or((1, 1));
                let code = if engine::is_parse_limit(&e) {
                    Code::ScriptLimit
                } else {
                    Code::ScriptSyntax
                };
                StrategyError::new(code, whole(line, column), lower_first(&e.err_type().to_string()))
            })?;
        let has = |name: &str, parameters: usize| ast.iter_functions().any(|f| f.name == name && f.params.len() == parameters);
        if !has("configure", 1) {
            return Err(
                StrategyError::new(Code::ScriptAnswer, whole(1, 1), "the script has no function configure(v)")
                    .help("the shortest script is: fn configure(v) { #{ cost_functions: [\"proximity\"] } }"),
            );
        }
        let stem = std::path::Path::new(&*file)
            .file_stem()
            .map_or_else(|| file.to_string(), |s| s.to_string_lossy().into_owned());
        let lines = ["configure", "begin", "accept"].map(|name| line_of(text, name));
        Ok(Self {
            name: stem,
            has_begin: has("begin", 1),
            has_accept: has("accept", 2),
            file,
            engine,
            ast,
            lines,
        })
    }

    fn call(&self, function: &str, arguments: impl FuncArgs) -> Result<Dynamic, StrategyError> {
        let mut scope = Scope::new();
        let result = catch_unwind(AssertUnwindSafe(|| {
            self.engine.call_fn::<Dynamic>(&mut scope, &self.ast, function, arguments)
        }));
        match result {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(e)) => Err(engine::error(&self.file, &e)),
            Err(_) => Err(StrategyError::new(
                Code::ScriptFailed,
                self.place(0),
                format!("{function} makes the script language's interpreter fail"),
            )),
        }
    }

    fn place(&self, function: usize) -> Place {
        Place {
            file: Arc::clone(&self.file),
            pointer: String::new(),
            line: self.lines[function].max(1),
            column: 1,
        }
    }
}

/// The line on which a function is defined.
fn line_of(text: &str, function: &str) -> u32 {
    let found = text.lines().position(|l| {
        let l = l.trim_start();
        let l = l.strip_prefix("private").map_or(l, str::trim_start);
        l.strip_prefix("fn").is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.strip_prefix(function).is_some_and(|rest| rest.trim_start().starts_with('('))
        })
    });
    found.and_then(|n| u32::try_from(n + 1).ok()).unwrap_or(1)
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

impl Strategy for ScriptStrategy {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, view: &View<'_>) -> Result<Globals, StrategyError> {
        if !self.has_begin {
            return Ok(Globals::default());
        }
        let answer = self.call("begin", (view::ViewHandle::new(view),))?;
        answer::globals(&answer, &self.place(1), &view.shape())
    }

    fn configure(&mut self, view: &View<'_>) -> Result<DimConfig, StrategyError> {
        let answer = self.call("configure", (view::ViewHandle::new(view),))?;
        answer::dimension(&answer, &self.place(0), &view.shape())
    }

    fn accept(&mut self, view: &View<'_>, candidate: &Candidate<'_>) -> Result<Verdict, StrategyError> {
        if !self.has_accept {
            return Ok(Verdict::Keep);
        }
        let arguments = (view::ViewHandle::new(view), view::CandidateHandle::new(candidate));
        let answer = self.call("accept", arguments)?;
        answer::verdict(&answer, &self.place(2), &view.shape())
    }
}
