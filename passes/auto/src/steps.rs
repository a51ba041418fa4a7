//! Steps on a tree that are taken when they are legal, and said.

use crate::Error;
use tilia_diag::{Loc, Remark};
use tilia_presburger::{Budget, Int};
use tilia_schedule::{Path, ScheduleTree};
use tilia_transform::{Outcome, Pairs, Transformed, Transformer};

pub(crate) const STAGE: &str = "auto";

/// A tree on its way.
pub(crate) struct Steps<'a> {
    pub(crate) tree: ScheduleTree,
    pub(crate) remarks: Vec<Remark>,
    pub(crate) pairs: &'a Pairs,
    /// No dependences.
    pub(crate) none: &'a Pairs,
    pub(crate) loc: &'a Loc,
    pub(crate) budget: &'a Budget,
}

impl<'a> Steps<'a> {
    /// Checks what it does.
    pub(crate) fn transformer(&self) -> Transformer<'a> {
        Transformer {
            pairs: self.pairs,
            budget: self.budget,
        }
    }

    /// For steps that are legal in any permutable band: it checks nothing. The whole tree is validated by whoever uses it.
    pub(crate) fn trusting(&self) -> Transformer<'a> {
        Transformer {
            pairs: self.none,
            budget: self.budget,
        }
    }

    /// Takes the result of a step, or says why not; gives the position of the new node.
    pub(crate) fn take(&mut self, what: &str, done: Transformed) -> Result<Option<Path>, Error> {
        match done? {
            Outcome::Done(edited) => {
                self.tree = edited.tree;
                self.remarks.push(Remark::applied(STAGE, self.loc.clone(), what.to_owned()));
                Ok(Some(edited.at))
            }
            Outcome::Declined(why) => {
                self.remarks
                    .push(Remark::declined(STAGE, self.loc.clone(), format!("not done: {what}: {why}")));
                Ok(None)
            }
        }
    }

    /// A remark that something was done.
    pub(crate) fn say(&mut self, what: &str) {
        self.remarks.push(Remark::applied(STAGE, self.loc.clone(), what.to_owned()));
    }

    /// A remark that something wasn't done.
    pub(crate) fn decline(&mut self, what: &str) {
        self.remarks.push(Remark::declined(STAGE, self.loc.clone(), what.to_owned()));
    }

    /// As [`Steps::take`], for a step that nobody needs to hear about.
    pub(crate) fn quietly(&mut self, done: Transformed) -> Result<Option<Path>, Error> {
        match done? {
            Outcome::Done(edited) => {
                self.tree = edited.tree;
                Ok(Some(edited.at))
            }
            Outcome::Declined(_) => Ok(None),
        }
    }
}

pub(crate) fn ints(sizes: &[u64]) -> Vec<Int> {
    sizes.iter().map(|&s| Int::from(s)).collect()
}

/// "32x64".
pub(crate) fn times(sizes: &[u64]) -> String {
    sizes.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}
