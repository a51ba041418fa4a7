//! Transformation scripts (`--transform`, `-p`) on the scops of a program.

use crate::options::CompileOptions;
use tilia_diag::{Diagnostic, Remark};
use tilia_presburger::Budget;
use tilia_program::Program;
use tilia_schedule::ScheduleTree;
use tilia_scop::{Deps, Scop};
use tilia_transform::{Judge, Pairs, Script};

/// A script, and the scops it may be about.
pub(crate) struct Transforms {
    script: Script,
    scops: Vec<String>,
}

impl Transforms {
    /// The script of the options, if there is one, with all its scops found in the program.
    pub(crate) fn of(options: &CompileOptions, program: &Program, budget: &Budget) -> Result<Option<Transforms>, Vec<Diagnostic>> {
        let Some((name, text)) = &options.transform else { return Ok(None) };
        let script = Script::parse(name, text)?;
        let mut scops = Vec::new();
        for f in program.functions.iter().filter(|f| f.body.is_some()) {
            let raised = tilia_raise::raise(f, program, &tilia_raise::Options::default(), budget);
            scops.extend(raised.scops.iter().map(|s| s.name.to_string()));
        }
        let this = Transforms { script, scops };
        this.check_names()?;
        Ok(Some(this))
    }

    /// Every step must be about one scop.
    fn check_names(&self) -> Result<(), Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let all = match &self.scops[..] {
            [] => "the input has no scop".to_owned(),
            list => format!("the input has {}", list.join(", ")),
        };
        for step in &self.script.steps {
            let message = match &step.scop {
                Some(name) if self.scops.contains(name) => continue,
                Some(name) => format!("{}: there is no scop {name}; {all}", step.pointer),
                None if self.scops.len() == 1 => continue,
                None => format!("{}: say which scop by the key \"scop\"; {all}", step.pointer),
            };
            errors
                .push(Diagnostic::error(step.loc.clone(), message).help("--emit=schedule prints the trees of all scops with their names"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Is a step about the scop?
    pub(crate) fn is_about(&self, scop: &Scop) -> bool {
        let named = |step: &tilia_transform::Step| step.scop.as_deref().is_none_or(|n| n == scop.name.as_str());
        self.script.steps.iter().any(named)
    }

    /// The tree after the steps that are about the scop; `None` when none is.
    pub(crate) fn apply(
        &self,
        scop: &Scop,
        tree: &ScheduleTree,
        deps: &Deps,
        budget: &Budget,
    ) -> Result<Option<(ScheduleTree, Vec<Remark>)>, Diagnostic> {
        let stmts: Vec<_> = scop.stmts.iter().map(|s| (s.name.clone(), s.loc.clone())).collect();
        let judge = Judge {
            scop: &scop.name,
            stmts: &stmts,
            pairs: &Pairs::of(deps),
            only: self.scops.len() == 1,
            budget,
        };
        let applied = self.script.apply(tree, &judge)?;
        Ok((applied.steps > 0).then_some((applied.tree, applied.remarks)))
    }
}
