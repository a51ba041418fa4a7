//! The scheduling stage: the strategy that was asked for, run on one scop.

use crate::context::Context;
use crate::options::Strategy;
use std::io::Read;
use tilia_diag::{Diagnostic, Loc, Remark};
use tilia_scheduler::Scheduled;
use tilia_scop::{Deps, Scop};

/// Units of work for the schedule of one scop, and more for each statement, under a strategy that was asked for by name. PolyBench's kernels need a twentieth of it at most (deriche and adi, 800,000).
const BUDGET: u64 = 20_000_000;
const BUDGET_A_STATEMENT: u64 = 500_000;

/// The part of it for strategies that `auto` tries: the order of the source is there, too.
const TRIED: u64 = 2;

/// Where strategies come from. Each scop is scheduled by a strategy of its own, read anew.
#[derive(Debug, Clone)]
pub(crate) struct Scheduling {
    name: String,
    file: String,
    text: String,
}

impl Scheduling {
    /// What makes schedules under these options; `None` when the order of the source is kept.
    pub(crate) fn of(strategy: &Strategy) -> Result<Option<Scheduling>, Vec<Diagnostic>> {
        match strategy {
            Strategy::None => Ok(None),
            Strategy::Auto => Scheduling::built_in("auto").map(Some),
            Strategy::Named(name) => Scheduling::built_in(name).map(Some),
            Strategy::File(path) => {
                let text = read_strategy_file(path).map_err(|d| vec![d])?;
                let made = Scheduling {
                    name: path.clone(),
                    file: path.clone(),
                    text,
                };
                made.strategy().map(|_| Some(made))
            }
        }
    }

    /// The built-in strategy of that name.
    pub(crate) fn built_in(name: &str) -> Result<Scheduling, Vec<Diagnostic>> {
        let found = tilia_strategy::built_in(name).map_err(|e| vec![e.to_diagnostic()])?;
        Ok(Scheduling {
            name: name.to_owned(),
            file: found.file.to_owned(),
            text: found.text.to_owned(),
        })
    }

    /// Name for reports.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    fn strategy(&self) -> Result<Box<dyn tilia_strategy::Strategy>, Vec<Diagnostic>> {
        tilia_strategy::load(&self.name, &self.file, &self.text)
            .map_err(|errors| errors.iter().map(tilia_strategy::StrategyError::to_diagnostic).collect())
    }

    /// A remark on scops that the strategy is for and the input doesn't have.
    pub(crate) fn unmatched<'a>(&self, scops: impl Iterator<Item = &'a Scop> + Clone) -> Option<Remark> {
        let wanted = tilia_strategy::scops_of(&self.file, &self.text);
        let missing = wanted.iter().find(|w| !scops.clone().any(|s| w.matches(s.name.as_str())))?;
        let there: Vec<&str> = scops.map(|s| s.name.as_str()).collect();
        let message = format!(
            "the strategy is for {}, which isn't among the scops of the input: {}",
            missing.name,
            there.join(", ")
        );
        Some(Remark::declined("request", missing.place.loc(), message))
    }

    /// Names of the arrays that the strategy wants to be expanded.
    pub(crate) fn expands(&self, scop: &Scop, deps: &Deps, cx: &Context<'_>) -> Result<Vec<String>, Vec<Diagnostic>> {
        self.options(scop, deps, cx).map(|o| o.expand)
    }

    /// Whether the strategy wants index sets to be split.
    pub(crate) fn splits(&self, scop: &Scop, deps: &Deps, cx: &Context<'_>) -> Result<bool, Vec<Diagnostic>> {
        let wanted = |o: tilia_strategy::Options| o.index_set_splitting == tilia_strategy::IndexSetSplitting::On;
        self.options(scop, deps, cx).map(wanted)
    }

    /// The options that the strategy states for the whole scop.
    fn options(&self, scop: &Scop, deps: &Deps, cx: &Context<'_>) -> Result<tilia_strategy::Options, Vec<Diagnostic>> {
        let mut strategy = self.strategy()?;
        let globals = tilia_scheduler::globals(
            (scop, deps),
            strategy.as_mut(),
            &tilia_scheduler::Options::default(),
            &cx.budget_of(BUDGET),
        );
        globals.map(|g| g.options).map_err(|e| vec![e.to_diagnostic(&scop.loc)])
    }

    /// Does the strategy ask for live ranges of temporaries to change places as wholes?
    pub(crate) fn reorders_live_ranges(&self, scop: &Scop, deps: &Deps, cx: &Context<'_>) -> Result<bool, Vec<Diagnostic>> {
        Ok(self.options(scop, deps, cx)?.live_range_reordering)
    }

    /// Schedules a scop.
    pub(crate) fn run(&self, scop: &Scop, deps: &Deps, cx: &Context<'_>) -> Result<Scheduled, Vec<Diagnostic>> {
        let mut strategy = self.strategy()?;
        let most = BUDGET.saturating_add(BUDGET_A_STATEMENT.saturating_mul(scop.stmts.len() as u64));
        let tried = cx.options.strategy == Strategy::Auto;
        let budget = &cx.budget_of(if tried { most / TRIED } else { most });
        let options = tilia_scheduler::Options::default();
        let _span = tracing::info_span!("schedule", strategy = self.name).entered();
        tilia_scheduler::schedule((scop, deps), strategy.as_mut(), &options, budget).map_err(|e| vec![e.to_diagnostic(&scop.loc)])
    }
}

/// The text of a strategy file, or of one that is too large as much as it takes to say so.
///
/// # Errors
/// A file that can't be read.
pub fn read_strategy_file(path: &str) -> Result<String, Diagnostic> {
    let mut text = String::new();
    let limit = tilia_strategy::MAX_FILE_BYTES as u64 + 1;
    let read = std::fs::File::open(path).and_then(|f| f.take(limit).read_to_string(&mut text));
    match read {
        Ok(_) => Ok(text),
        Err(e) => Err(Diagnostic::error(
            Loc::unknown(),
            format!("can't read the strategy file {path}: {e}"),
        )),
    }
}

/// Checks a strategy file without scheduling anything.
///
/// # Errors
/// All that is wrong with it.
pub fn check_strategy(path: &str) -> Result<(), Vec<Diagnostic>> {
    Scheduling::of(&Strategy::File(path.to_owned())).map(|_| ())
}

/// The text of a built-in strategy.
///
/// # Errors
/// When there is none of that name.
pub fn built_in_strategy(name: &str) -> Result<&'static str, Diagnostic> {
    tilia_strategy::built_in(name).map(|b| b.text).map_err(|e| {
        let mut d = Diagnostic::error(Loc::unknown(), e.message);
        d.help = e.help;
        d
    })
}

/// The JSON Schema of strategy files.
#[must_use]
pub fn strategy_schema() -> String {
    tilia_strategy::json_schema()
}

/// What a schedule that the validator refuses, or that couldn't be made, comes to: it must not be used, the order of `kept` is, and somebody should look at it.
pub(crate) fn refused(scop: &Scop, kept: &str, why: &[Diagnostic]) -> Remark {
    let why = why.first().map_or("no proof", |d| d.message.as_str());
    let message = format!("the order of the {kept} is kept: no better schedule is proven legal: {why}");
    Remark::declined("schedule", scop.loc.clone(), message)
}
