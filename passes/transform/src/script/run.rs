//! Running a script on the tree of a scop.

use super::select::{self, Selected};
use super::{Action, Script, Step};
use crate::chain::one_band;
use crate::transformer::sorted;
use crate::{Error, Outcome, Pairs, Reason, Transformer};
use tilia_diag::{Diagnostic, Loc, Remark};
use tilia_presburger::{Budget, Id, UnionSet};
use tilia_schedule::{Path, ScheduleTree};

/// The name of the stage in remarks.
const STAGE: &str = "transform";

/// What became of a scop's tree.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The new tree.
    pub tree: ScheduleTree,
    /// One remark for each step.
    pub remarks: Vec<Remark>,
    /// How many steps were about this scop.
    pub steps: usize,
}

/// What steps are judged by.
pub struct Judge<'a> {
    /// The scop's name.
    pub scop: &'a Id,
    /// Statements and their places in the source.
    pub stmts: &'a [(Id, Loc)],
    /// The dependences to respect.
    pub pairs: &'a Pairs,
    /// Steps that name no scop are about this one.
    pub only: bool,
    /// Limit on the work of all steps.
    pub budget: &'a Budget,
}

impl Script {
    /// Runs the steps that are about a scop, in order, from a tree.
    ///
    /// # Errors
    /// At the first step that doesn't apply or isn't legal.
    pub fn apply(&self, tree: &ScheduleTree, judge: &Judge<'_>) -> Result<Applied, Diagnostic> {
        let mut out = Applied {
            tree: tree.clone(),
            remarks: Vec::new(),
            steps: 0,
        };
        for step in &self.steps {
            let mine = match &step.scop {
                Some(name) => name == judge.scop.as_str(),
                None => judge.only,
            };
            if !mine {
                continue;
            }
            out.steps += 1;
            out.tree = judge.step(&out.tree, step)?;
            let message = format!("step {}: {} of {}", step.number, step.name, step.what());
            out.remarks.push(Remark::applied(STAGE, step.loc.clone(), message));
        }
        Ok(out)
    }
}

impl Step {
    fn what(&self) -> String {
        if self.target.loops.is_empty() {
            self.target.stmts.join(", ")
        } else {
            self.target.loops.join(", ")
        }
    }

    fn error(&self, message: impl std::fmt::Display) -> Diagnostic {
        Diagnostic::error(
            self.loc.clone(),
            format!("step {} ({}, {}): {message}", self.number, self.pointer, self.name),
        )
    }
}

impl Judge<'_> {
    fn step(&self, tree: &ScheduleTree, step: &Step) -> Result<ScheduleTree, Diagnostic> {
        let t = Transformer {
            pairs: self.pairs,
            budget: self.budget,
        };
        let outcome = if step.target.loops.is_empty() {
            let (at, children) = select::sequence(tree, &step.target).map_err(|e| step.error(e))?;
            on_sequence(&t, tree, step, &at, &children)
        } else {
            let in_order = !matches!(step.action, Action::Skew(_));
            let selected = select::loops(tree, &step.target, in_order).map_err(|e| step.error(e))?;
            on_loops(&t, tree, step, &selected)
        };
        match outcome {
            Ok(Outcome::Done(edited)) => Ok(edited.tree),
            Ok(Outcome::Declined(reason)) => Err(self.declined(step, &reason)),
            Err(e) => Err(step.error(format!("not decided: {e}"))),
        }
    }

    /// The reason as an error at the step, with notes at the statements.
    fn declined(&self, step: &Step, reason: &Reason) -> Diagnostic {
        let Reason::Illegal { violation, .. } = reason else {
            return step.error(reason);
        };
        let pair = &violation.pair;
        let params: Vec<String> = pair
            .space
            .params()
            .iter()
            .zip(&pair.params)
            .map(|(n, v)| format!("{n} = {v}"))
            .collect();
        let with = if params.is_empty() {
            String::new()
        } else {
            format!(", with {}", params.join(", "))
        };
        let mut d = step.error(format!(
            "illegal: it would run the dependence {} the wrong way round{with}",
            violation.text
        ));
        let ends = pair.space.out().nested.as_ref().map(|n| [n.0.name.clone(), n.1.name.clone()]);
        for (name, loc) in self.stmts {
            if ends.iter().flatten().flatten().any(|e| e == name) {
                d = d.note(loc.clone(), format!("{name} is this statement"));
            }
        }
        d
    }
}

fn on_sequence(t: &Transformer<'_>, tree: &ScheduleTree, step: &Step, at: &Path, children: &[usize]) -> Result<Outcome, Error> {
    match &step.action {
        Action::Reorder(order) => t.reorder(tree, at, order),
        Action::Fuse(depth) => {
            let first = children.iter().min().copied().unwrap_or(0);
            let last = children.iter().max().copied().unwrap_or(0);
            if last + 1 - first != children.len() {
                return Ok(Outcome::unfit("other children of the sequence stand between them"));
            }
            t.fuse_some(tree, at, first, children.len(), *depth)
        }
        _ => Ok(Outcome::unfit("this is about loops: the key \"loops\" is missing")),
    }
}

fn on_loops(t: &Transformer<'_>, tree: &ScheduleTree, step: &Step, selected: &Selected) -> Result<Outcome, Error> {
    let n = selected.members.iter().max().map_or(0, |m| m + 1);
    let edited = match sorted(one_band(tree, &selected.chain, selected.first, n, t.budget))? {
        Ok(e) => e,
        Err(declined) => return Ok(declined),
    };
    let (tree, at) = (&edited.tree, &edited.at);
    let member = selected.members.first().copied().unwrap_or(0);
    match &step.action {
        Action::Band => Ok(Outcome::Done(edited)),
        Action::Tile(tiling) => t.tile(tree, at, tiling),
        Action::Register(wanted) => t.register_tile(tree, at, wanted),
        Action::Interchange(order) => t.interchange(tree, at, order),
        Action::Reverse => t.reverse(tree, at, member),
        Action::Skew(factor) => {
            let by = selected.members.get(1).copied().unwrap_or(0);
            t.skew(tree, at, (member, by), factor)
        }
        Action::Shift(by) => match &step.target.stmt {
            Some(stmt) => t.shift(tree, at, member, &stmt.as_str().into(), by),
            None => Ok(Outcome::unfit("which statement to shift? the key \"stmt\" is missing")),
        },
        Action::Scale(factors) => t.scale(tree, at, factors),
        Action::Sink => t.sink(tree, at),
        Action::Distribute => t.distribute(tree, at),
        Action::Unroll => t.unroll(tree, at, member),
        Action::Vector => t.vector(tree, at),
        Action::Parallel => t.parallel(tree, at, member),
        Action::Separate(sizes) => t.separate(tree, at, sizes),
        Action::Peel { first, last } => t.peel(tree, at, first, last),
        Action::IndexSetSplit(text) => match text.parse::<UnionSet>() {
            Ok(set) => t.index_set_split(tree, at, &set),
            Err(e) => Ok(Outcome::unfit(format!("\"where\" isn't a set: {e}"))),
        },
        Action::Panels { strips, size } => t.panels(tree, at, *strips, size),
        Action::Wavefront => t.wavefront(tree, at),
        Action::Interleave => t.interleave(tree, at),
        Action::Diamond(wanted) => t.diamond(tree, at, wanted),
        Action::SplitTile(sizes) => t.split_tile(tree, at, sizes),
        Action::Hexagonal(wanted) => t.hexagonal(tree, at, wanted),
        Action::Mark(name) => t.mark(tree, at, name),
        Action::Reorder(_) | Action::Fuse(_) => Ok(Outcome::unfit("this is about statements: the key \"stmts\" is missing")),
    }
}
