//! The strategy `auto`: what is known of sizes, and the shaping of scheduled trees for the machine.

use crate::context::Context;
use crate::pipeline::check_legal;
use crate::scheduling::{Scheduling, refused};
use std::collections::BTreeMap;
use tilia_abi::Value;
use tilia_auto::{Request, Shaped, panels, shape};
use tilia_diag::{Diagnostic, Remark};
use tilia_model::{Estimates, Machine};
use tilia_presburger::Budget;
use tilia_program::{Function, OpKind, PureOp, ValueDef, ValueId};
use tilia_schedule::ScheduleTree;
use tilia_scop::{Deps, ParamSource, Scop};
use tilia_transform::Pairs;

/// What is known of the arguments that a function will be called with. It may change which code is made, never a result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownArgs {
    /// The function.
    pub function: String,
    /// Numbers, by argument.
    pub numbers: BTreeMap<usize, i64>,
    /// Extents, by argument.
    pub shapes: BTreeMap<usize, Vec<i64>>,
}

impl KnownArgs {
    /// What the values of a call say.
    pub(crate) fn of(function: &str, args: &[Value]) -> KnownArgs {
        let mut known = KnownArgs {
            function: function.to_owned(),
            ..KnownArgs::default()
        };
        for (k, value) in args.iter().enumerate() {
            match value {
                Value::Int(v) => drop(known.numbers.insert(k, *v)),
                Value::MemRef(m) => drop(known.shapes.insert(k, m.sizes.clone())),
                _ => {}
            }
        }
        known
    }

    /// Operations of one call of `function`, roughly.
    pub(crate) fn work(&self, function: &Function) -> f64 {
        let argument = |v: ValueId| match function[v].def {
            ValueDef::Arg(block, k) if Some(block) == function.entry() => Some(k as usize),
            _ => None,
        };
        let value = |v: ValueId| match function[v].def {
            ValueDef::Arg(..) => argument(v).and_then(|k| self.numbers.get(&k).copied()),
            ValueDef::Result(op, _) => match (&function[op].kind, &function[op].operands[..]) {
                (OpKind::Dim, &[memref, n]) => {
                    let n = usize::try_from(function.as_int_constant(n)?).ok()?;
                    self.shapes.get(&argument(memref)?)?.get(n).copied()
                }
                (OpKind::Pure(PureOp::IndexCast, _), &[v]) => argument(v).and_then(|k| self.numbers.get(&k).copied()),
                _ => None,
            },
        };
        tilia_codegen::analysis::function_work(function, &value)
    }

    /// The parameters of a scop that are arguments, or extents of arguments.
    pub(crate) fn estimates(&self, scop: &Scop, function: &Function) -> Estimates {
        let mut estimates = Estimates::default();
        if function.name != self.function {
            return estimates;
        }
        let argument = |v: ValueId| match function[v].def {
            ValueDef::Arg(block, k) if Some(block) == function.entry() => Some(k as usize),
            _ => None,
        };
        for p in &scop.params {
            let value = match p.value {
                ParamSource::Value(v) => argument(v).and_then(|k| self.numbers.get(&k).copied()),
                ParamSource::Dim(v, d) => argument(v).and_then(|k| self.shapes.get(&k)?.get(d as usize).copied()),
            };
            if let Some(value) = value {
                estimates.values.insert(p.name.clone(), value);
            }
        }
        estimates
    }
}

/// The order that the strategy's scheduler found.
pub(crate) const SCHEDULER: &str = "scheduler";

/// The order of the source.
pub(crate) const SOURCE: &str = "source";

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
    cx: &'a Context<'a>,
}

impl<'a> Shaping<'a> {
    pub(crate) fn new((scop, deps): (&'a Scop, &'a Deps), function: &Function, scheduled: &'a ScheduleTree, cx: &'a Context<'a>) -> Self {
        let options = cx.options;
        let mut estimates = options.known.estimates(scop, function);
        estimates.work = crate::costs::statement_work(scop, function);
        estimates.own = crate::costs::own_operations(scop, function);
        let (ordered, kept): (Vec<_>, Vec<_>) = deps.memory.iter().partition(|d| scop.is_relaxable(d));
        Self {
            scop,
            deps,
            scheduled,
            pairs: Pairs::of(deps),
            kept: (!ordered.is_empty()).then(|| Pairs::from_maps(kept.into_iter().map(|d| d.relation.clone()).collect())),
            machine: options.visible_machine(),
            estimates,
            threads: options.threads,
            cx,
        }
    }

    /// Shapes the loops in the order that is called `order`: [`SCHEDULER`], [`SOURCE`] or a built-in strategy; `choices` as in [`Request`].
    ///
    /// # Errors
    /// Why there is no such tree, or the sets library gave up.
    pub(crate) fn of_order(&self, order: &str, choices: Option<&[String]>, b: &Budget) -> Result<Shaped, String> {
        let request = Request {
            machine: &self.machine,
            threads: self.threads,
            estimates: &self.estimates,
            kept: self.kept.as_ref(),
            flagged: order != SOURCE,
            choices,
        };
        if let Some(base) = order.strip_suffix(IN_PANELS) {
            let (found, _) = self.in_panels(base, choices, b)?;
            return found.ok_or_else(|| format!("no panels are legal in the order of the {base}"));
        }
        let marked = |tree: &ScheduleTree| self.shaped(&self.marked(tree, b)?, &request, b);
        match order {
            SOURCE => self.shaped(&self.scop.schedule, &request, b),
            SCHEDULER => marked(self.scheduled),
            name => marked(&self.scheduled_by(name)?),
        }
    }

    /// The tree of a built-in strategy.
    fn scheduled_by(&self, name: &str) -> Result<ScheduleTree, String> {
        let said = |why: Vec<Diagnostic>| why.first().map_or_else(|| format!("{name} gives up"), |d| d.message.clone());
        let scheduling = Scheduling::built_in(name).map_err(said)?;
        Ok(scheduling.run(self.scop, self.deps, self.cx).map_err(said)?.tree)
    }

    /// As [`Shaping::of_order`] for a built-in strategy, beside what came of the scheduler's own tree: strategies often find the same.
    fn of_other(&self, name: &str, own: &Shaped, b: &Budget) -> Result<Shaped, String> {
        let tree = self.scheduled_by(name)?;
        if tree == *self.scheduled {
            return Ok(own.clone());
        }
        let request = Request {
            machine: &self.machine,
            threads: self.threads,
            estimates: &self.estimates,
            kept: self.kept.as_ref(),
            flagged: true,
            choices: None,
        };
        self.shaped(&self.marked(&tree, b)?, &request, b)
    }

    fn marked(&self, tree: &ScheduleTree, b: &Budget) -> Result<ScheduleTree, String> {
        let marked = tilia_deps::mark_coincident(tree, self.deps, self.scop, b);
        marked.map(|(tree, _)| tree).map_err(|e| e.to_string())
    }

    /// Shapes the order of the scheduler or the source in panels, and what was declined; nothing is shaped where they aren't legal anywhere.
    fn in_panels(&self, base: &str, choices: Option<&[String]>, b: &Budget) -> Result<(Option<Shaped>, Vec<Remark>), String> {
        let tree = if base == SOURCE {
            self.scop.schedule.clone()
        } else {
            self.marked(self.scheduled, b)?
        };
        let mut request = Request {
            machine: &self.machine,
            threads: self.threads,
            estimates: &self.estimates,
            kept: self.kept.as_ref(),
            flagged: base != SOURCE,
            choices,
        };
        let (found, said) = panels(self.scop, &tree, &self.pairs, &request, b).map_err(|e| e.to_string())?;
        let Some(tree) = found else { return Ok((None, said)) };
        request.flagged = true;
        let mut shaped = self.shaped(&tree, &request, b)?;
        shaped.remarks.splice(0..0, said);
        Ok((Some(shaped), Vec::new()))
    }

    fn shaped(&self, tree: &ScheduleTree, request: &Request<'_>, b: &Budget) -> Result<Shaped, String> {
        shape(self.scop, tree, &self.pairs, request, b).map_err(|e| e.to_string())
    }
}

/// Cycles from which more schedules than the strategy's own and the source's are tried: below, making them costs more than they save.
const WORTH_TRYING: f64 = 20e6;

/// Built-in strategies whose orders are compared as well where there is much work.
const OTHERS: [&str; 1] = ["isl"];

/// What `auto` makes of a scop. The tree isn't validated before [`Planned::validated`]: most plans are made to be compared with others.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) tree: ScheduleTree,
    pub(crate) remarks: Vec<Remark>,
    /// Cycles that it is expected to take, to compare it with other plans for the same operations.
    pub(crate) cycles: f64,
    /// The tree that was shaped, where it isn't the source's.
    scheduled: Option<ScheduleTree>,
}

impl Planned {
    /// The plan with a tree that the independent validator accepts: its own, else the one that was shaped, else the source's.
    pub(crate) fn validated(mut self, scop: &Scop) -> Planned {
        let Err(why) = check_legal(scop, &self.tree) else { return self };
        self.remarks.push(refused(scop, "scheduler", &why));
        self.tree = scop.schedule.clone();
        if let Some(scheduled) = self.scheduled.take() {
            match check_legal(scop, &scheduled) {
                Ok(()) => self.tree = scheduled,
                Err(why) => self.remarks.push(refused(scop, "source", &why)),
            }
        }
        self
    }
}

/// Schedules a scop and shapes the tree.
pub(crate) fn planned((scop, deps): (&Scop, &Deps), function: &Function, scheduling: &Scheduling, cx: &Context<'_>) -> Planned {
    let mut scheduled = None;
    let mut remarks = Vec::new();
    match scheduling.run(scop, deps, cx) {
        Ok(made) => {
            remarks.extend(made.remarks);
            scheduled = Some(made.tree);
        }
        // Nobody asked for a schedule: the source's will do.
        Err(why) => remarks.push(refused(scop, "source", &why)),
    }
    let (tree, said, cycles) = shaped((scop, deps), function, scheduled.as_ref().unwrap_or(&scop.schedule), cx);
    remarks.extend(said);
    Planned {
        tree,
        remarks,
        cycles,
        scheduled,
    }
}

/// Shapes the order of the source in panels; nothing where they aren't legal anywhere. What there is to say about that is in the list.
///
/// # Errors
/// The sets library gave up.
pub(crate) fn planned_in_panels(
    (scop, deps): (&Scop, &Deps),
    function: &Function,
    cx: &Context<'_>,
) -> Result<(Option<Planned>, Vec<Remark>), String> {
    let shaping = Shaping::new((scop, deps), function, &scop.schedule, cx);
    let (shaped, said) = shaping.in_panels(SOURCE, None, &cx.budget())?;
    let planned = shaped.map(|shaped| Planned {
        tree: shaped.tree,
        remarks: shaped.remarks,
        cycles: shaped.cycles,
        scheduled: None,
    });
    Ok((planned, said))
}

/// Tiles and orders the loops of the scheduled tree, of the source's order, both in panels where that is legal and, where there is much work, the trees of other strategies, and takes the one that is estimated to be fastest; or
/// what was chosen for the scop. When the work gets too much the scheduled tree stays as it is, with a remark.
fn shaped((scop, deps): (&Scop, &Deps), function: &Function, tree: &ScheduleTree, cx: &Context<'_>) -> (ScheduleTree, Vec<Remark>, f64) {
    let shaping = Shaping::new((scop, deps), function, tree, cx);
    let mut remarks = Vec::new();
    if let Some(choice) = cx.options.choices.get(scop.name.as_str()) {
        match shaping.of_order(&choice.order, Some(&choice.choices), &cx.budget()) {
            Ok(done) => {
                remarks.extend(done.remarks);
                let message = format!(
                    "the order of the {} is taken, as tuned, with {}",
                    choice.order,
                    choice.choices.join(", ")
                );
                remarks.push(Remark::analysis("auto", scop.loc.clone(), message));
                return (done.tree, remarks, done.cycles);
            }
            Err(why) => {
                let message = format!("the tuned order {} isn't there, so the model decides: {why}", choice.order);
                remarks.push(Remark::declined("auto", scop.loc.clone(), message));
            }
        }
    }
    let declined = |message: String| Remark::declined("auto", scop.loc.clone(), message);
    let shape = |order| shaping.of_order(order, None, &cx.budget());
    let (new, old) = cx.both(|| shape(SCHEDULER), || shape(SOURCE));
    let mut found = match new {
        Ok(new) => vec![(SCHEDULER, "", new)],
        Err(why) => {
            remarks.push(declined(format!("loops keep the scheduler's shape: {why}")));
            return (tree.clone(), remarks, f64::INFINITY);
        }
    };
    match old {
        Ok(old) => found.push((SOURCE, "", old)),
        Err(why) => remarks.push(declined(format!(
            "the order of the source isn't compared with the scheduler's: {why}"
        ))),
    }
    let least = |found: &[(&str, &str, Shaped)]| found.iter().map(|f| f.2.cycles).fold(f64::INFINITY, f64::min);
    let wanted = found.iter().all(|f| f.2.cycles > WORTH_TRYING);
    let own = &found[0].2;
    let others = || -> Vec<_> {
        let names = OTHERS.iter().filter(|_| wanted);
        names.map(|&name| (name, shaping.of_other(name, own, &cx.budget()))).collect()
    };
    let worth = least(&found) >= PANELS_FROM;
    let panels = || -> Vec<_> {
        let bases = [SCHEDULER, SOURCE].into_iter().filter(|_| worth);
        bases.map(|base| (base, shaping.in_panels(base, None, &cx.budget()))).collect()
    };
    let (others, panels) = if wanted && worth {
        cx.both(others, panels)
    } else {
        (others(), panels())
    };
    for (name, shaped) in others {
        match shaped {
            Ok(other) => found.push((name, "", other)),
            Err(why) => remarks.push(declined(format!(
                "the order of the {name} isn't compared with the scheduler's: {why}"
            ))),
        }
    }
    let least = least(&found);
    for (base, shaped) in panels.into_iter().filter(|_| least >= PANELS_FROM) {
        match shaped {
            Ok((shaped, said)) => {
                remarks.extend(said);
                found.extend(shaped.map(|s| (base, IN_PANELS, s)));
            }
            Err(why) => remarks.push(declined(format!("the order of the {base} isn't cut into panels: {why}"))),
        }
    }
    let costs: Vec<String> = found
        .iter()
        .enumerate()
        .map(|(n, (base, rest, s))| {
            let unit = if n == 0 { " million cycles" } else { "" };
            format!("{:.3}{unit} for the {base}'s{rest}", s.cycles / 1e6)
        })
        .collect();
    // Estimates are rough: the source's loops are the simplest, and an order that isn't the strategy's own or the source's must be clearly faster.
    let weighed = |(name, _, s): &(&str, &str, Shaped)| {
        let factor = match *name {
            SOURCE => 0.95,
            name if OTHERS.contains(&name) => 1.1,
            _ => 1.0,
        };
        s.cycles * factor
    };
    let fastest = found.into_iter().reduce(|a, b| if weighed(&b) < weighed(&a) { b } else { a });
    let Some((base, rest, shaped)) = fastest else {
        return (tree.clone(), remarks, f64::INFINITY);
    };
    remarks.extend(shaped.remarks);
    if costs.len() > 1 {
        let message = format!("the order of the {base}{rest} is taken: an estimated {}", costs.join(", "));
        remarks.push(Remark::analysis("auto", scop.loc.clone(), message));
    }
    (shaped.tree, remarks, shaped.cycles)
}

/// What the name of an order ends with whose strips are cut into panels.
const IN_PANELS: &str = " in panels";

/// Cycles from which panels are worth the time that they take to compile.
const PANELS_FROM: f64 = 1e7;
