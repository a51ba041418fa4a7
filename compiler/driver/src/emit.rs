//! Every level as text.

use crate::generate::generate_with;
use crate::options::BackendChoice;
use crate::options::CompileOptions;
use crate::pipeline::Optimised;
use crate::schedules;
use crate::unit::Unit;
use std::fmt::Write;
use tilia_codegen::Text;
use tilia_diag::Diagnostic;

/// What can be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as on the command line")]
pub enum EmitKind {
    Mlir,
    Scop,
    Deps,
    Schedule,
    Ast,
    C,
    Clif,
    Llvm,
    Asm,
    OpenScop,
    ScheduleMap,
    Isl,
    Program,
}

impl Optimised {
    /// The schedule trees of all scops, as `--schedule-in` reads them.
    #[must_use]
    pub fn schedules(&self) -> String {
        self.scops.iter().map(|s| schedules::print(&s.scop, &s.tree)).collect()
    }

    /// The text of one level.
    ///
    /// # Errors
    /// A level that isn't there yet, or what its printer can't express.
    pub fn emit(&self, unit: &Unit, kind: EmitKind, options: &CompileOptions) -> Result<String, Vec<Diagnostic>> {
        match kind {
            EmitKind::Mlir => tilia_mlir::export(&unit.imported, &self.program),
            EmitKind::Program => Ok(self.program.to_string()),
            EmitKind::Clif => self.code_text(Text::Clif, &forced(options, BackendChoice::Cranelift)),
            EmitKind::Llvm => self.code_text(Text::Llvm, &forced(options, BackendChoice::Llvm)),
            EmitKind::Asm => self.code_text(Text::Asm, options),
            EmitKind::C => {
                // C has no vectors: the loops are lowered once more without them.
                let plain = crate::pipeline::optimise_with(unit.program(), options, false)?;
                tilia_c::print_program(&plain.program, &tilia_c::Style::default())
            }
            EmitKind::Scop
            | EmitKind::Deps
            | EmitKind::Schedule
            | EmitKind::ScheduleMap
            | EmitKind::Ast
            | EmitKind::OpenScop
            | EmitKind::Isl => self.emit_model(kind),
        }
    }

    /// The text of a level that has no operations.
    ///
    /// # Errors
    /// What its printer can't express.
    pub(crate) fn emit_model(&self, kind: EmitKind) -> Result<String, Vec<Diagnostic>> {
        match kind {
            EmitKind::Scop => Ok(self.each(|s| s.scop.to_string())),
            EmitKind::Deps => self.dependences(),
            EmitKind::Schedule => Ok(self.schedules()),
            EmitKind::ScheduleMap => self
                .scops
                .iter()
                .map(|s| schedules::print_map(&s.scop, &s.tree).map_err(|d| vec![d]))
                .collect(),
            EmitKind::OpenScop => self.scops.iter().map(openscop).collect(),
            EmitKind::Isl => self.scops.iter().map(isl).collect(),
            EmitKind::Ast => Ok(self.each(|s| match &s.ast {
                Some(ast) => format!("// {}\n{ast}", title(s)),
                None => format!("// {}: the original operations are kept\n", title(s)),
            })),
            EmitKind::Mlir | EmitKind::C | EmitKind::Clif | EmitKind::Llvm | EmitKind::Asm | EmitKind::Program => Ok(String::new()),
        }
    }

    /// Code as a back end has it.
    fn code_text(&self, kind: Text, options: &CompileOptions) -> Result<String, Vec<Diagnostic>> {
        let generated = generate_with(&self.program, options, true)?;
        generated.module.text(kind).map_err(|d| vec![d])
    }

    /// Memory-based and value-based dependences. The latter are computed here: nothing else needs them.
    fn dependences(&self) -> Result<String, Vec<Diagnostic>> {
        let mut all = String::new();
        for unit in &self.scops {
            let Some(deps) = &unit.deps else { continue };
            let budget = tilia_presburger::Budget::default();
            let (flow, _) = tilia_deps::value_flow(&unit.scop, &deps.memory, &budget).map_err(|e| {
                vec![Diagnostic::error(
                    unit.scop.loc.clone(),
                    format!("the value-based flow can't be computed: {e}"),
                )]
            })?;
            let whole = tilia_scop::Deps {
                memory: deps.memory.clone(),
                flow,
            };
            let _ = writeln!(all, "{}", whole.display(&unit.scop).to_string().trim_end());
        }
        Ok(all)
    }

    fn each(&self, text: impl Fn(&crate::ScopUnit) -> String) -> String {
        let mut all = String::new();
        for scop in &self.scops {
            let _ = writeln!(all, "{}", text(scop).trim_end());
        }
        all
    }
}

/// A scop and its function, where it has one.
fn title(s: &crate::ScopUnit) -> String {
    if s.function.is_empty() {
        s.scop.name.to_string()
    } else {
        format!("{} in @{}", s.scop.name, s.function)
    }
}

fn openscop(s: &crate::ScopUnit) -> Result<String, Vec<Diagnostic>> {
    let budget = tilia_presburger::Budget::default();
    match tilia_exchange::OpenScop::from_scop(&s.scop, &s.tree, &budget) {
        Ok(file) => Ok(file.to_string()),
        Err(e) => Err(vec![Diagnostic::error(
            s.scop.loc.clone(),
            format!("{} can't be written as OpenScop: {e}", s.scop.name),
        )]),
    }
}

/// The options with a back end whose text was asked for.
fn forced(options: &CompileOptions, backend: BackendChoice) -> CompileOptions {
    CompileOptions {
        backend,
        ..options.clone()
    }
}

fn isl(s: &crate::ScopUnit) -> Result<String, Vec<Diagnostic>> {
    match tilia_exchange::isl::print_scop(&s.scop, &s.tree) {
        Ok(text) => Ok(format!("# scop {}\n{text}", s.scop.name)),
        Err(e) => Err(vec![Diagnostic::error(
            s.scop.loc.clone(),
            format!("{} can't be written in isl's notation: {e}", s.scop.name),
        )]),
    }
}
