//! Candidates for tuning: for each scop the orders of loops that there are, and for each order what the model's decisions could have been, one or two of them changed at a time.

use super::store::STAGE;
use crate::auto::{SCHEDULER, SOURCE, Shaping, Wish};
use crate::context::Context;
use crate::options::{CompileOptions, ScopChoice};
use crate::scheduling::Scheduling;
use std::collections::BTreeSet;
use tilia_auto::Shaped;
use tilia_diag::{Diagnostic, Remark};
use tilia_presburger::Budget;
use tilia_program::Program;

/// Whose orders are tried, beside the scheduler's of `auto` and the source's.
const STRATEGIES: [&str; 5] = ["pluto", "pluto+", "tensor", "isl", "feautrier"];

/// Trees that are shaped for one order of one scop.
const MOST_SHAPED: usize = 48;

/// Changed decisions, the best of which get a second change.
const SECOND: usize = 4;

/// Units of work for all that is tried with one scop.
const BUDGET: u64 = 2_000_000_000;

/// One way to shape one scop.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    /// The scop.
    pub(crate) scop: String,
    /// What is chosen.
    pub(crate) choice: ScopChoice,
    /// Estimated cycles, less those of what the model would do.
    pub(crate) cycles: f64,
}

/// All candidates of the scops that the function called `entry` reaches, each tree once, the ones that the model thinks fastest first. The model's own choice isn't among them.
pub(crate) fn candidates(program: &Program, options: &CompileOptions) -> (Vec<Candidate>, Vec<Remark>) {
    let mut found = Vec::new();
    let mut said = Vec::new();
    // As the pipeline sees it.
    let mut straightened = program.clone();
    straightened.functions.iter_mut().for_each(|f| {
        tilia_lower::if_convert(f);
    });
    for function in straightened.functions.iter().filter(|f| f.body.is_some()) {
        let mut raised = tilia_raise::raise(function, &straightened, &tilia_raise::Options::default(), &Budget::new(BUDGET));
        for scop in &mut raised.scops {
            scop.float_order = options.fp.float_order();
            let scop = &*scop;
            let cx = Context::with_search_budget(options, BUDGET, 0);
            let decline = |why: &str| Remark::declined(STAGE, scop.loc.clone(), format!("nothing is tried with {}: {why}", scop.name));
            let deps = match tilia_deps::dependences(scop, &cx.stage_budget()) {
                Ok((deps, _)) => deps,
                Err(e) => {
                    said.push(decline(&e.to_string()));
                    continue;
                }
            };
            let message = |why: Vec<Diagnostic>| why.first().map_or_else(String::new, |d| d.message.clone());
            let scheduled = Scheduling::built_in("auto").and_then(|s| s.run(scop, &deps, &cx)).map_err(message);
            let scheduled = match scheduled {
                Ok(made) => made.tree,
                Err(why) => {
                    said.push(decline(&why));
                    continue;
                }
            };
            let shaping = Shaping::new((scop, &deps), function, &scheduled, &cx);
            of_scop(scop.name.as_str(), &shaping, &mut found, &cx);
        }
    }
    found.sort_by(|a, b| a.cycles.total_cmp(&b.cycles));
    (found, said)
}

fn of_scop(scop: &str, shaping: &Shaping<'_>, found: &mut Vec<Candidate>, cx: &Context<'_>) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut own: Vec<Candidate> = Vec::new();
    let mut keep = |order: &str, done: &Shaped| {
        if !seen.insert(done.tree.to_string()) {
            return false;
        }
        own.push(Candidate {
            scop: scop.to_owned(),
            choice: ScopChoice {
                order: order.to_owned(),
                choices: taken(done, done.decisions.len()),
            },
            cycles: done.cycles,
        });
        true
    };
    let mut model: Option<(f64, usize)> = None;
    for (n, order) in [SCHEDULER, SOURCE].into_iter().chain(STRATEGIES).enumerate() {
        let Ok(base) = shaping.of_order(order, Wish::of(&[]), cx) else {
            continue;
        };
        if order == SCHEDULER || (order == SOURCE && model.is_none_or(|(c, _)| base.cycles < c)) {
            model = Some((base.cycles, n));
        }
        if !keep(order, &base) {
            continue;
        }
        let mut left = MOST_SHAPED;
        let mut first = changed(shaping, order, &base, (0, &mut left), cx);
        first.retain(|s| keep(order, s));
        first.sort_by(|a, b| a.cycles.total_cmp(&b.cycles));
        for one in first.iter().take(SECOND) {
            let after = one.decisions.iter().rposition(|d| d.taken > 0).map_or(0, |n| n + 1);
            for two in changed(shaping, order, one, (after, &mut left), cx) {
                keep(order, &two);
            }
        }
    }
    // The model's own choice is what everything is compared with.
    let Some((cycles, _)) = model else { return };
    let own_choice = own
        .iter()
        .position(|c| c.cycles <= cycles && (c.choice.order == SCHEDULER || c.choice.order == SOURCE));
    for (n, mut candidate) in own.into_iter().enumerate() {
        if Some(n) != own_choice {
            candidate.cycles -= cycles;
            found.push(candidate);
        }
    }
}

/// The labels that the first `n` decisions took.
fn taken(done: &Shaped, n: usize) -> Vec<String> {
    done.decisions[..n].iter().map(|d| d.alternatives[d.taken].clone()).collect()
}

/// The trees that differ from `base` in one decision, from number `from` on.
fn changed(shaping: &Shaping<'_>, order: &str, base: &Shaped, (from, left): (usize, &mut usize), cx: &Context<'_>) -> Vec<Shaped> {
    let mut made = Vec::new();
    for n in from..base.decisions.len() {
        for (k, alternative) in base.decisions[n].alternatives.iter().enumerate() {
            if k == base.decisions[n].taken {
                continue;
            }
            if *left == 0 {
                return made;
            }
            *left -= 1;
            let mut choices = taken(base, n);
            choices.push(alternative.clone());
            made.extend(shaping.of_order(order, Wish::of(&choices), cx));
        }
    }
    made
}
