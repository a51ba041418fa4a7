//! The entry point: from a scop, its dependences and a strategy to a schedule.

use crate::error::{Error, Result, out_of_budget};
use crate::model::Model;
use crate::options::Options;
use crate::run::{Scheduler, globals};
use crate::state::{End, Placed};
use crate::tree;
use crate::value::value_based;
use tilia_diag::Remark;
use tilia_presburger::Budget;
use tilia_schedule::ScheduleTree;
use tilia_scop::{Deps, Scop};
use tilia_strategy::{DependenceKind, PostProcessing, Strategy};

/// The rows of one statement.
#[derive(Debug, Clone)]
pub struct StmtRows {
    /// Outermost first.
    pub rows: Vec<Placed>,
    /// What follows them.
    pub end: End,
}

/// A schedule.
#[derive(Debug, Clone)]
pub struct Scheduled {
    /// The order, with permutable bands.
    pub tree: ScheduleTree,
    /// The rows of each statement, by number.
    pub stmts: Vec<StmtRows>,
    /// What the strategy wishes to follow.
    pub post_processing: PostProcessing,
    /// What was done and why not more.
    pub remarks: Vec<Remark>,
}

/// Finds a schedule: one integer program for each dimension and component, as the strategy asks. There always is a legal one; in the worst case (a budget that runs out) it is the order of the source,
/// with a remark.
///
/// # Errors
/// When the strategy fails, or its custom constraints and fusion wishes can't be met.
pub fn schedule(
    (scop, deps): (&Scop, &Deps),
    strategy: &mut dyn Strategy,
    options: &Options,
    budget: &Budget,
) -> std::result::Result<Scheduled, Error> {
    match rows(scop, deps, strategy, options, budget) {
        Err(Error::Sets(e)) if out_of_budget(&e) => Ok(source(scop, "[R501] the budget ran out")),
        other => other,
    }
}

fn rows(scop: &Scop, deps: &Deps, strategy: &mut dyn Strategy, options: &Options, budget: &Budget) -> Result<Scheduled> {
    let own;
    let globals = globals((scop, deps), strategy, options, budget)?;
    let (by_value, said) = match globals.options.dependences {
        DependenceKind::Memory => (None, Vec::new()),
        DependenceKind::Value => {
            let (made, said) = value_based(scop, deps, budget)?;
            (Some(made), said)
        }
    };
    let deps = by_value.as_ref().unwrap_or(deps);
    let mut s = Scheduler::new((scop, deps), (strategy, globals), options, budget)?;
    s.remarks.extend(said);
    if let Some(units) = s.globals.options.budget {
        own = budget.part(units);
        s.budget = &own;
    }
    if s.globals.original_order {
        return Ok(Scheduled {
            remarks: Vec::new(),
            ..source(scop, "the strategy says so")
        });
    }
    s.run()?;
    if s.given_up.get() > 0 {
        let message = format!(
            "[R504] {} integer programs took more than their share of the budget and were given up: other forms of a row were sought instead",
            s.given_up.get()
        );
        s.remarks.push(Remark::declined("schedule", scop.loc.clone(), message));
    }
    let tree = tree::tree(scop, &s.model, &s.state)?;
    let stmts = s.state.stmts.into_iter().map(|st| StmtRows {
        rows: st.rows,
        end: st.end.unwrap_or(End::Complete),
    });
    Ok(Scheduled {
        tree,
        stmts: stmts.collect(),
        post_processing: s.globals.post_processing,
        remarks: s.remarks,
    })
}

/// The order of the source.
fn source(scop: &Scop, why: &str) -> Scheduled {
    Scheduled {
        tree: scop.schedule.clone(),
        stmts: vec![
            StmtRows {
                rows: Vec::new(),
                end: End::Source
            };
            scop.stmts.len()
        ],
        post_processing: PostProcessing::default(),
        remarks: vec![Remark::declined(
            "schedule",
            scop.loc.clone(),
            format!("the order of the source is kept: {why}"),
        )],
    }
}

impl Scheduled {
    /// The rows of a statement as text, `(i, 2t+j, 1)`.
    #[must_use]
    pub fn text(&self, scop: &Scop, stmt: usize) -> String {
        let model = Model::of(scop);
        let rows: Vec<String> = self.stmts[stmt].rows.iter().map(|p| model.text(stmt, &p.row)).collect();
        format!("({})", rows.join(", "))
    }
}
