//! A scop's orders, shaped for the machine.

use crate::context::Context;
use crate::scheduling::Scheduling;
use tilia_auto::{Request, Shaped, Turned, blocks, panels, panels_between, shape};
use tilia_diag::{Diagnostic, Remark};
use tilia_model::{Estimates, Machine};
use tilia_presburger::Budget;
use tilia_program::Function;
use tilia_schedule::ScheduleTree;
use tilia_scop::{Dep, Deps, Scop};
use tilia_transform::Pairs;

/// The order that the strategy's scheduler found.
pub(crate) const SCHEDULER: &str = "scheduler";

/// The order of the source.
pub(crate) const SOURCE: &str = "source";

/// What the name of an order ends with whose strips are cut into panels.
pub(crate) const IN_PANELS: &str = " in panels";

/// Why there is no shaped tree.
#[derive(Debug)]
pub(crate) enum Unshaped {
    /// It takes at least as many cycles as one that is known.
    Slow,
    /// Something isn't possible, or the sets library gave up.
    Failed(String),
}

impl From<String> for Unshaped {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

impl From<tilia_auto::Error> for Unshaped {
    fn from(e: tilia_auto::Error) -> Self {
        match e {
            tilia_auto::Error::Slow => Self::Slow,
            other => Self::Failed(other.to_string()),
        }
    }
}

impl std::fmt::Display for Unshaped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Slow => write!(f, "{}", tilia_auto::Error::Slow),
            Self::Failed(why) => f.write_str(why),
        }
    }
}

/// What a shaped tree must be like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wish<'a> {
    /// As in [`Request::choices`].
    pub(crate) choices: Option<&'a [String]>,
    /// As in [`Request::below`].
    pub(crate) below: f64,
}

impl<'a> Wish<'a> {
    /// Any tree will do, the model's choice.
    pub(crate) const ANY: Wish<'static> = Wish {
        choices: None,
        below: f64::INFINITY,
    };

    /// The model's choice, if it takes less.
    pub(crate) fn below(below: f64) -> Wish<'a> {
        Wish { choices: None, below }
    }

    /// These choices, whatever it takes.
    pub(crate) fn of(choices: &'a [String]) -> Wish<'a> {
        Wish {
            choices: Some(choices),
            below: f64::INFINITY,
        }
    }
}

/// A scop to shape, with what is known of it.
pub(crate) struct Shaping<'a> {
    scop: &'a Scop,
    deps: &'a Deps,
    /// As the scheduler of `auto` made it.
    scheduled: &'a ScheduleTree,
    pairs: Pairs,
    /// Without the dependences that only keep the order of sums that may change, if there are such.
    kept: Option<Pairs>,
    machine: Machine,
    estimates: Estimates,
    threads: usize,
}

impl<'a> Shaping<'a> {
    pub(crate) fn new((scop, deps): (&'a Scop, &'a Deps), function: &Function, scheduled: &'a ScheduleTree, cx: &Context<'_>) -> Self {
        let options = cx.options;
        let mut estimates = options.known.estimates(scop, function);
        estimates.work = crate::costs::statement_work(scop, function);
        estimates.own = crate::costs::own_operations(scop, function);
        // Vector loops keep apart what one statement accumulates.
        let within = |d: &&Dep| d.source == d.target && scop.is_relaxable(d);
        let (ordered, kept): (Vec<_>, Vec<_>) = deps.memory.iter().partition(within);
        Self {
            scop,
            deps,
            scheduled,
            pairs: Pairs::of(deps),
            kept: (!ordered.is_empty()).then(|| Pairs::from_maps(kept.into_iter().map(|d| d.relation.clone()).collect())),
            machine: options.visible_machine(),
            estimates,
            threads: options.threads,
        }
    }

    /// What is asked of the shaping of a tree; `flagged` says that its members are marked coincident where they are.
    fn request<'b>(&'b self, flagged: bool, wish: Wish<'b>) -> Request<'b> {
        Request {
            machine: &self.machine,
            threads: self.threads,
            estimates: &self.estimates,
            kept: self.kept.as_ref(),
            flagged,
            choices: wish.choices,
            below: wish.below,
        }
    }

    /// Shapes the loops in the order that is called `order`: [`SCHEDULER`], [`SOURCE`] or a built-in strategy.
    ///
    /// # Errors
    /// Why there is no such tree, or the sets library gave up.
    pub(crate) fn of_order(&self, order: &str, wish: Wish<'_>, cx: &Context<'_>) -> Result<Shaped, Unshaped> {
        let request = self.request(order != SOURCE, wish);
        if let Some(base) = order.strip_suffix(IN_PANELS) {
            let (mut found, _) = self.in_panels(base, wish, cx)?;
            if found.is_none() && base == SOURCE {
                found = self.in_panels_between(wish, cx)?.0;
            }
            return found.ok_or_else(|| format!("no panels are legal in the order of the {base}").into());
        }
        let b = &cx.budget();
        let marked = |tree: &ScheduleTree| self.shaped(&self.marked(tree, b)?, &request, b);
        match order {
            SOURCE => self.shaped(&self.scop.schedule, &request, b),
            SCHEDULER => marked(self.scheduled),
            name => marked(&self.scheduled_by(name, cx)?),
        }
    }

    /// The tree of a built-in strategy.
    fn scheduled_by(&self, name: &str, cx: &Context<'_>) -> Result<ScheduleTree, String> {
        let said = |why: Vec<Diagnostic>| why.first().map_or_else(|| format!("{name} gives up"), |d| d.message.clone());
        let scheduling = Scheduling::built_in(name).map_err(said)?;
        Ok(scheduling.run(self.scop, self.deps, cx).map_err(said)?.tree)
    }

    /// As [`Shaping::of_order`] for a built-in strategy, beside what came of the scheduler's own tree, if that isn't too slow: strategies often find the same.
    pub(crate) fn of_other(&self, name: &str, own: Option<&Shaped>, below: f64, cx: &Context<'_>) -> Result<Shaped, Unshaped> {
        let tree = self.scheduled_by(name, cx)?;
        if tree == *self.scheduled {
            return own.cloned().ok_or(Unshaped::Slow);
        }
        let b = &cx.budget();
        self.shaped(&self.marked(&tree, b)?, &self.request(true, Wish::below(below)), b)
    }

    fn marked(&self, tree: &ScheduleTree, b: &Budget) -> Result<ScheduleTree, String> {
        let marked = tilia_deps::mark_coincident(tree, self.deps, self.scop, b);
        marked.map(|(tree, _)| tree).map_err(|e| e.to_string())
    }

    /// Shapes the order of the scheduler or the source in panels, and what was declined; nothing is shaped where they aren't legal anywhere.
    pub(crate) fn in_panels(&self, base: &str, wish: Wish<'_>, cx: &Context<'_>) -> Result<(Option<Shaped>, Vec<Remark>), Unshaped> {
        let b = &cx.budget();
        let tree = if base == SOURCE {
            self.scop.schedule.clone()
        } else {
            self.marked(self.scheduled, b)?
        };
        let request = self.request(base != SOURCE, wish);
        let (found, said) = panels(self.scop, &tree, &self.pairs, &request, b)?;
        let Some(tree) = found else { return Ok((None, said)) };
        let mut shaped = self.shaped(&tree, &self.request(true, wish), b)?;
        shaped.remarks.splice(0..0, said);
        Ok((Some(shaped), Vec::new()))
    }

    /// As [`Shaping::in_panels`] for the order of the source, in which statements stand between loops that schedulers distribute.
    pub(crate) fn in_panels_between(&self, wish: Wish<'_>, cx: &Context<'_>) -> Result<(Option<Shaped>, Vec<Remark>), Unshaped> {
        let b = &cx.budget();
        let (found, said) = panels_between(self.scop, &self.scop.schedule, &self.pairs, b)?;
        let Some(tree) = found else { return Ok((None, said)) };
        let mut shaped = self.shaped(&tree, &self.request(false, wish), b)?;
        shaped.remarks.splice(0..0, said);
        Ok((Some(shaped), Vec::new()))
    }

    /// Shapes the scop's order, which is one in which the loop of an accumulation has moved outwards, in blocks.
    ///
    /// # Errors
    /// Why there are no blocks, or the sets library gave up.
    pub(crate) fn in_blocks(&self, order: &Turned, b: &Budget) -> Result<Shaped, String> {
        blocks(self.scop, order, &self.pairs, &self.request(false, Wish::ANY), b).map_err(|e| e.to_string())?
    }

    fn shaped(&self, tree: &ScheduleTree, request: &Request<'_>, b: &Budget) -> Result<Shaped, Unshaped> {
        Ok(shape(self.scop, tree, &self.pairs, request, b)?)
    }
}
