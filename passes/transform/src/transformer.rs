//! What all transformations share: the tree they start from, the dependences they must respect, and how their results are judged.

use crate::chain::loop_name;
use crate::legal::first_violation;
use crate::{Error, Pairs, Violation};
use std::fmt;
use std::sync::Arc;
use tilia_presburger::{Budget, Id};
use tilia_schedule::{Band, Edited, Member, Node, NodeKind, Path, ScheduleTree};

/// What came of a transformation.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The new tree.
    Done(Edited),
    /// It doesn't apply, or isn't legal.
    Declined(Reason),
}

/// Why a transformation was declined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It makes no sense here; the text says why.
    Unfit(String),
    /// It would run a dependence the wrong way round.
    Illegal {
        /// The node of the new tree that is to blame.
        at: Path,
        /// The dependence, with one pair of iterations.
        violation: Violation,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Unfit(why) => f.write_str(why),
            Reason::Illegal { at, violation } => write!(f, "the dependence {} would run the wrong way round (at {at})", violation.text),
        }
    }
}

impl Outcome {
    pub(crate) fn unfit(why: impl Into<String>) -> Outcome {
        Outcome::Declined(Reason::Unfit(why.into()))
    }
}

/// The result of a transformation; its error is a failure of the sets library.
pub type Transformed = Result<Outcome, Error>;

/// The dependences that transformations must respect.
#[derive(Debug, Clone)]
pub struct Transformer<'a> {
    /// The dependences.
    pub pairs: &'a Pairs,
    /// Limit on the work of each check.
    pub budget: &'a Budget,
}

/// Takes the value of an edit, or returns from the function with what the edit said.
macro_rules! edited {
    ($edit:expr) => {
        match $crate::transformer::sorted($edit)? {
            Ok(value) => value,
            Err(declined) => return Ok(declined),
        }
    };
}
pub(crate) use edited;

/// A refusal of an edit is a reason to decline; a failure of the sets library isn't.
pub(crate) fn sorted<T>(edit: Result<T, tilia_schedule::Error>) -> Result<Result<T, Outcome>, Error> {
    match edit {
        Ok(e) => Ok(Ok(e)),
        Err(tilia_schedule::Error::Sets(e)) => Err(e.into()),
        Err(tilia_schedule::Error::Refused { reason, .. }) => Ok(Err(Outcome::unfit(reason))),
        Err(e) => Ok(Err(Outcome::unfit(e.to_string()))),
    }
}

impl Transformer<'_> {
    /// Accepts an edit when it was possible and its result is legal.
    pub(crate) fn checked(&self, edit: Result<Edited, tilia_schedule::Error>) -> Transformed {
        let edited = edited!(edit);
        Ok(match first_violation(&edited.tree, self.pairs, self.budget)? {
            None => Outcome::Done(edited),
            Some((at, violation)) => Outcome::Declined(Reason::Illegal { at, violation }),
        })
    }

    /// As [`Transformer::checked`], for a node put in the place of another.
    pub(crate) fn put(&self, tree: &ScheduleTree, at: &Path, node: Arc<Node>) -> Transformed {
        let edit = tree.replace(at, node);
        self.checked(edit.map(|tree| Edited { tree, at: at.clone() }))
    }

    pub(crate) fn band<'t>(tree: &'t ScheduleTree, at: &Path) -> Result<(&'t Band, &'t Arc<Node>), Outcome> {
        let node = tree.node(at);
        match node.and_then(|n| Some((n.as_band()?, n.child()?))) {
            Some(found) => Ok(found),
            None => Err(Outcome::unfit(format!("no band stands at {at}"))),
        }
    }

    /// A band with its members changed; flags are proved anew by whoever wants them.
    pub(crate) fn with_members(
        &self,
        tree: &ScheduleTree,
        at: &Path,
        change: impl FnOnce(&mut Vec<Member>) -> Result<(), Error>,
    ) -> Transformed {
        let (band, child) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        if tree.node(at).is_some_and(|n| n.is_subtree_anchored()) {
            return Ok(Outcome::unfit(ANCHORED));
        }
        let mut members = band.members.clone();
        // A loop keeps the name that it has by its iterator.
        for m in &mut members {
            m.name = loop_name(m, None).map(Id::new);
        }
        change(&mut members)?;
        for m in &mut members {
            m.coincident = false;
        }
        self.put(tree, at, Node::band(Band::new(members), child.clone()))
    }

    /// The dependences that nothing above a position orders.
    ///
    /// # Errors
    /// When there is no such position or the sets library gives up.
    pub fn open_at(&self, tree: &ScheduleTree, at: &Path) -> Result<Pairs, Error> {
        let sets: Vec<_> = (0..=at.0.len())
            .rev()
            .filter_map(|depth| match tree.node(&Path(at.0[..depth].to_vec()))?.kind() {
                NodeKind::Domain(set) | NodeKind::Filter(set) => Some(set),
                _ => None,
            })
            .collect();
        let mut open = self.pairs.of_statements(&sets);
        let mut node = tree.root();
        for &i in &at.0 {
            match node.kind() {
                NodeKind::Domain(d) => open = open.within(d, self.budget)?,
                NodeKind::Filter(f) => open = open.within(f, self.budget)?,
                NodeKind::Band(band) => {
                    for m in &band.members {
                        open = open.left_by(m, self.budget)?;
                    }
                }
                _ => {}
            }
            let Some(child) = node.children().get(i) else {
                return Err(tilia_schedule::Error::Refused {
                    operation: "open_at",
                    at: at.clone(),
                    reason: "there is no such node".to_owned(),
                }
                .into());
            };
            node = child;
        }
        if let NodeKind::Filter(f) = node.kind() {
            open = open.within(f, self.budget)?;
        }
        Ok(open)
    }

    /// A band with its flags as the dependences prove them: permutable, and which members are coincident.
    pub(crate) fn proved(&self, band: &Band, open: &Pairs) -> Result<Band, Error> {
        let mut out = band.clone();
        out.permutable = true;
        for m in &mut out.members {
            m.coincident = open.all_equal(m, self.budget)?;
            out.permutable &= m.coincident || open.violated_by(m, self.budget)?.is_none();
        }
        Ok(out)
    }
}

pub(crate) const ANCHORED: &str = "options below mention the values of the band";
