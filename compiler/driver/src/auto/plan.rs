//! Plans: the orders of a scop that were shaped, the one that is expected to be fastest first.

use super::shaping::{IN_PANELS, SCHEDULER, SOURCE, Shaping, Unshaped, Wish};
use crate::context::Context;
use crate::pipeline::check_legal;
use crate::scheduling::{Scheduling, refused};
use tilia_auto::{Shaped, Turned};
use tilia_diag::{Diagnostic, Remark};
use tilia_program::Function;
use tilia_schedule::ScheduleTree;
use tilia_scop::{Deps, Scop};

/// Cycles from which more schedules than the strategy's own and the source's are tried: below, making them costs more than they save.
const WORTH_TRYING: f64 = 20e6;

/// Built-in strategies whose orders are compared as well where there is much work.
const OTHERS: [&str; 1] = ["isl"];

/// Cycles from which panels are worth the time that they take to compile.
const PANELS_FROM: f64 = 1e7;

/// Trees of a plan that are validated at most, before the order of the source is kept: judging what is refused may take long.
const MOST_JUDGED: usize = 3;

/// A tree that could be used, and what was done to make it.
#[derive(Debug, Clone)]
struct Candidate {
    tree: ScheduleTree,
    remarks: Vec<Remark>,
}

/// What `auto` makes of a scop. No tree is validated before [`Planned::proven`] or [`Planned::validated`]: most plans are made to be compared with others.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    /// What there is to say whichever tree is used.
    remarks: Vec<Remark>,
    /// What to use, and what else if the validator refuses it.
    candidates: Vec<Candidate>,
    /// The validator has accepted the first one.
    proven: bool,
    /// Cycles that the first one is expected to take, to compare it with other plans for the same operations.
    pub(crate) cycles: f64,
}

impl Planned {
    /// Has the plan's own tree validated; later stages needn't do it again.
    ///
    /// # Errors
    /// Why the tree is refused.
    pub(crate) fn proven(mut self, scop: &Scop) -> Result<Planned, Vec<Diagnostic>> {
        if let Some(first) = self.candidates.first().filter(|_| !self.proven) {
            check_legal(scop, &first.tree)?;
            self.proven = true;
        }
        Ok(self)
    }

    /// The first tree that the independent validator accepts, else the source's order, and what there is to say of it and of those that are refused.
    pub(crate) fn validated(self, scop: &Scop) -> (ScheduleTree, Vec<Remark>) {
        let mut remarks = self.remarks;
        let mut why = Vec::new();
        for (n, candidate) in self.candidates.into_iter().take(MOST_JUDGED).enumerate() {
            if (n > 0 || !self.proven)
                && let Err(found) = check_legal(scop, &candidate.tree)
            {
                let first = found.first().map_or("no proof", |d| d.message.as_str());
                let message = format!("the next of the shaped orders is tried: this one isn't proven legal: {first}");
                remarks.push(Remark::declined("auto", scop.loc.clone(), message));
                why = found;
                continue;
            }
            remarks.extend(candidate.remarks);
            return (candidate.tree, remarks);
        }
        if !why.is_empty() {
            remarks.push(refused(scop, "source", &why));
        }
        (scop.schedule.clone(), remarks)
    }

    /// The plan's own tree.
    pub(crate) fn first(&self) -> Option<&ScheduleTree> {
        self.candidates.first().map(|c| &c.tree)
    }

    /// What the plan's own tree was made by.
    pub(crate) fn steps(&self) -> &[Remark] {
        self.candidates.first().map_or(&[], |c| &c.remarks)
    }
}

/// Schedules a scop and shapes the tree. Plans that take `below` cycles or more are of no use: they needn't be worked out to the end.
pub(crate) fn planned((scop, deps): (&Scop, &Deps), function: &Function, scheduling: &Scheduling, below: f64, cx: &Context<'_>) -> Planned {
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
    let tree = scheduled.as_ref().unwrap_or(&scop.schedule);
    let mut plan = shaped((scop, deps), function, (tree, below), cx);
    plan.remarks.splice(0..0, remarks);
    // As the scheduler made it, if nothing else is legal.
    plan.candidates.truncate(MOST_JUDGED - 1);
    plan.candidates.push(Candidate {
        tree: tree.clone(),
        remarks: Vec::new(),
    });
    plan
}

/// Shapes the order of the source in panels; nothing where they aren't legal anywhere. What there is to say about that is in the list.
///
/// # Errors
/// The sets library gave up, or it takes `below` cycles or more.
pub(crate) fn planned_in_panels(
    (scop, deps): (&Scop, &Deps),
    function: &Function,
    below: f64,
    cx: &Context<'_>,
) -> Result<(Option<Planned>, Vec<Remark>), String> {
    let shaping = Shaping::new((scop, deps), function, &scop.schedule, cx);
    let (shaped, said) = shaping.in_panels(SOURCE, Wish::below(below), cx).map_err(|e| e.to_string())?;
    Ok((shaped.map(|s| of(vec![s], Vec::new())), said))
}

/// Shapes an order in which the loop of an accumulation has moved outwards, as the order of its own that `scop` has and `deps` are about.
///
/// # Errors
/// Why there is no such plan, or the sets library gave up.
pub(crate) fn planned_turned(
    (scop, deps): (&Scop, &Deps),
    order: &Turned,
    function: &Function,
    cx: &Context<'_>,
) -> Result<Planned, String> {
    let shaping = Shaping::new((scop, deps), function, &scop.schedule, cx);
    Ok(of(vec![shaping.in_blocks(order, &cx.budget())?], Vec::new()))
}

/// The plan of shaped trees, the one to use first.
fn of(shaped: Vec<Shaped>, remarks: Vec<Remark>) -> Planned {
    let cycles = shaped.first().map_or(f64::INFINITY, |s| s.cycles);
    let candidate = |s: Shaped| Candidate {
        tree: s.tree,
        remarks: s.remarks,
    };
    Planned {
        remarks,
        candidates: shaped.into_iter().map(candidate).collect(),
        proven: false,
        cycles,
    }
}

/// Tiles and orders the loops of the scheduled tree, of the source's order, both in panels where that is legal and, where there is much work, the trees of other strategies, the one that is estimated to be fastest first; or
/// takes what was chosen for the scop. When the work gets too much there is nothing, with a remark.
fn shaped((scop, deps): (&Scop, &Deps), function: &Function, (tree, below): (&ScheduleTree, f64), cx: &Context<'_>) -> Planned {
    let shaping = Shaping::new((scop, deps), function, tree, cx);
    let mut remarks = Vec::new();
    if let Some(choice) = cx.options.choices.get(scop.name.as_str()) {
        match shaping.of_order(&choice.order, Wish::of(&choice.choices), cx) {
            Ok(mut done) => {
                let message = format!(
                    "the order of the {} is taken, as tuned, with {}",
                    choice.order,
                    choice.choices.join(", ")
                );
                done.remarks.push(Remark::analysis("auto", scop.loc.clone(), message));
                return of(vec![done], remarks);
            }
            Err(why) => {
                let message = format!("the tuned order {} isn't there, so the model decides: {why}", choice.order);
                remarks.push(Remark::declined("auto", scop.loc.clone(), message));
            }
        }
    }
    let (found, slow) = match orders(&shaping, scop, below, &mut remarks, cx) {
        Ok(found) => found,
        Err(why) => {
            let message = format!("loops keep the scheduler's shape: {why}");
            remarks.push(Remark::declined("auto", scop.loc.clone(), message));
            return of(Vec::new(), remarks);
        }
    };
    let mut costs: Vec<String> = found
        .iter()
        .enumerate()
        .map(|(n, o)| {
            let unit = if n == 0 { " million cycles" } else { "" };
            format!("{:.3}{unit} for the {}'s{}", o.shaped.cycles / 1e6, o.base, o.rest)
        })
        .collect();
    costs.extend(slow.iter().map(|name| format!("more for the {name}")));
    let mut found = found;
    found.sort_by(|a, b| a.weighed().total_cmp(&b.weighed()));
    if let [first, ..] = &mut found[..]
        && costs.len() > 1
    {
        let message = format!(
            "the order of the {}{} is taken: an estimated {}",
            first.base,
            first.rest,
            costs.join(", ")
        );
        first.shaped.remarks.push(Remark::analysis("auto", scop.loc.clone(), message));
    }
    of(found.into_iter().map(|o| o.shaped).collect(), remarks)
}

/// A shaped order: whose it is, and what was done to it before.
struct Order {
    base: &'static str,
    rest: &'static str,
    shaped: Shaped,
}

impl Order {
    fn weighed(&self) -> f64 {
        self.shaped.cycles * weight(self.base)
    }
}

/// Estimates are rough: the source's loops are the simplest, and an order that isn't the strategy's own or the source's must be clearly faster.
fn weight(base: &str) -> f64 {
    match base {
        SOURCE => 0.95,
        name if OTHERS.contains(&name) => 1.1,
        _ => 1.0,
    }
}

/// The orders that are worth comparing, the scheduler's first, and the names of those that take too long: `below` cycles, or so many that another one is sure to be taken.
///
/// # Errors
/// Why the scheduler's can't be shaped, where the source's can't either.
fn orders(
    shaping: &Shaping<'_>,
    scop: &Scop,
    below: f64,
    remarks: &mut Vec<Remark>,
    cx: &Context<'_>,
) -> Result<(Vec<Order>, Vec<String>), String> {
    let declined = |message: String| Remark::declined("auto", scop.loc.clone(), message);
    let order = |base, rest, shaped| Order { base, rest, shaped };
    let shape = |base, cx: &Context<'_>| shaping.of_order(base, Wish::below(below), cx);
    let (new, old) = cx.both(|cx| shape(SCHEDULER, cx), |cx| shape(SOURCE, cx));
    let (mut found, mut slow) = (Vec::new(), Vec::new());
    match new {
        Ok(new) => found.push(order(SCHEDULER, "", new)),
        Err(Unshaped::Slow) => slow.push(format!("{SCHEDULER}'s")),
        // The source's will do, if there is one.
        Err(Unshaped::Failed(why)) if old.is_ok() => {
            remarks.push(declined(format!("the scheduler's order isn't compared with the source's: {why}")))
        }
        Err(Unshaped::Failed(why)) => return Err(why),
    }
    match old {
        Ok(old) => found.push(order(SOURCE, "", old)),
        Err(Unshaped::Slow) => slow.push(format!("{SOURCE}'s")),
        Err(Unshaped::Failed(why)) => remarks.push(declined(format!(
            "the order of the source isn't compared with the scheduler's: {why}"
        ))),
    }
    // Those that are too slow take this much at least.
    let bound = if slow.is_empty() { f64::INFINITY } else { below };
    let least = |found: &[Order]| found.iter().map(|f| f.shaped.cycles).fold(bound, f64::min);
    let wanted = bound > WORTH_TRYING && found.iter().all(|f| f.shaped.cycles > WORTH_TRYING);
    let own = found.iter().find(|o| o.base == SCHEDULER).map(|o| &o.shaped);
    // What takes more isn't taken: what was found is weighed already.
    let best = found.iter().map(Order::weighed).fold(f64::INFINITY, f64::min);
    let useful = |base: &str| below.min(best / weight(base));
    let others = |cx: &Context<'_>| -> Vec<_> {
        let names = OTHERS.iter().filter(|_| wanted);
        names.map(|&name| (name, shaping.of_other(name, own, useful(name), cx))).collect()
    };
    let worth = least(&found) >= PANELS_FROM;
    let panels = |cx: &Context<'_>| -> Vec<_> {
        let bases = [SCHEDULER, SOURCE].into_iter().filter(|_| worth);
        let mut out: Vec<_> = bases
            .map(|base| (base, shaping.in_panels(base, Wish::below(useful(base)), cx)))
            .collect();
        // Where no nest of loops alone has panels.
        if worth
            && out
                .iter()
                .all(|(_, shaped)| !matches!(shaped, Ok((Some(_), _)) | Err(Unshaped::Slow)))
        {
            out.push((SOURCE, shaping.in_panels_between(Wish::below(useful(SOURCE)), cx)));
        }
        out
    };
    let (others, panels) = if wanted && worth {
        cx.both(others, panels)
    } else {
        (others(cx), panels(cx))
    };
    for (name, shaped) in others {
        match shaped {
            Ok(other) => found.push(order(name, "", other)),
            Err(Unshaped::Slow) => slow.push(format!("{name}'s")),
            Err(Unshaped::Failed(why)) => remarks.push(declined(format!(
                "the order of the {name} isn't compared with the scheduler's: {why}"
            ))),
        }
    }
    let least = least(&found);
    for (base, shaped) in panels.into_iter().filter(|_| least >= PANELS_FROM) {
        match shaped {
            Ok((shaped, said)) => {
                remarks.extend(said);
                found.extend(shaped.map(|s| order(base, IN_PANELS, s)));
            }
            Err(Unshaped::Slow) => slow.push(format!("{base}'s{IN_PANELS}")),
            Err(Unshaped::Failed(why)) => remarks.push(declined(format!("the order of the {base} isn't cut into panels: {why}"))),
        }
    }
    Ok((found, slow))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::CompileOptions;
    use crate::unit::Unit;
    use tilia_diag::RemarkKind;
    use tilia_presburger::{Budget, Int};
    use tilia_schedule::Path;

    /// A recurrence, whose loop has one legal direction.
    const RECURRENCE: &str = "func.func @f(%a: memref<?xf64>, %n: index) {
  affine.for %i = 1 to %n {
    %0 = affine.load %a[%i - 1] : memref<?xf64>
    affine.store %0, %a[%i] : memref<?xf64>
  }
  return
}";

    fn scop() -> Scop {
        let unit = Unit::read("f.mlir", RECURRENCE, 1, &CompileOptions::default());
        let program = unit.program();
        let raised = tilia_raise::raise(&program.functions[0], program, &tilia_raise::Options::default(), &Budget::default());
        raised.scops.into_iter().next().expect("one scop")
    }

    /// The loop of the scop with its iterations from first to last times `factor`.
    fn scaled(scop: &Scop, factor: i64) -> Candidate {
        let tree = &scop.schedule;
        let band = tree.scale_band(&Path::root().child(0), &[Int::from(factor)]).expect("a band");
        Candidate {
            tree: band.tree,
            remarks: vec![Remark::applied("auto", scop.loc.clone(), format!("times {factor}"))],
        }
    }

    fn plan(scop: &Scop, factors: &[i64]) -> Planned {
        Planned {
            remarks: Vec::new(),
            candidates: factors.iter().map(|f| scaled(scop, *f)).collect(),
            proven: false,
            cycles: 1.0,
        }
    }

    fn applied(remarks: &[Remark]) -> Vec<&str> {
        let own = remarks.iter().filter(|r| r.kind == RemarkKind::Applied);
        own.map(|r| r.message.as_str()).collect()
    }

    #[test]
    fn the_next_tree_is_used_where_one_is_refused() {
        let scop = scop();
        let (tree, remarks) = plan(&scop, &[-1, -2, 3]).validated(&scop);
        assert_eq!(tree, scaled(&scop, 3).tree);
        // What was done to the refused ones wasn't done.
        assert_eq!(applied(&remarks), ["times 3"]);
        assert_eq!(remarks.iter().filter(|r| r.kind == RemarkKind::Declined).count(), 2);
    }

    #[test]
    fn the_source_is_kept_where_all_are_refused() {
        let scop = scop();
        let (tree, remarks) = plan(&scop, &[-1, -2]).validated(&scop);
        assert_eq!(tree, scop.schedule);
        assert!(applied(&remarks).is_empty());
        let last = &remarks.last().expect("a remark").message;
        assert!(last.starts_with("the order of the source is kept"), "{last}");
    }

    #[test]
    fn a_plan_with_an_illegal_tree_is_not_proven() {
        let scop = scop();
        assert!(plan(&scop, &[-1, 2]).proven(&scop).is_err());
        let proven = plan(&scop, &[2, -1]).proven(&scop).expect("a legal tree");
        let (tree, _) = proven.validated(&scop);
        assert_eq!(tree, scaled(&scop, 2).tree);
    }
}
