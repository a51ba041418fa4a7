//! What a check finds.

use std::fmt;
use tilia_diag::{Diagnostic, Loc};
use tilia_presburger::{Id, Int, Point};
use tilia_schedule::Path;
use tilia_scop::{Scop, Stmt};

/// What is wrong with a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ViolationKind {
    /// An instance of the scop that the tree doesn't execute.
    Missing,
    /// An instance that the tree executes and the scop doesn't have.
    Extra,
    /// An instance that the tree executes more than once.
    Twice,
    /// A band without a value for an instance that reaches it.
    Undefined,
    /// Two instances in the wrong order, or in none.
    Order,
    /// An instance that doesn't find the value of the write whose value it finds in the source, or finds one where it finds none there.
    Value,
    /// A write that is the last one of its location in the source, and isn't any more.
    Last,
    /// A band that claims to be permutable with a dependence of negative distance.
    Permutable,
    /// A band member that claims to be coincident with a dependence of distance other than zero.
    Coincident,
    /// A band member that claims to do nothing but accumulate with another dependence of distance other than zero.
    Reduces,
    /// Not shown to be right: the budget ran out, or the tree has a node that isn't supported.
    Unproved,
}

/// One instance of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The statement's name.
    pub stmt: Id,
    /// Its place in the source.
    pub loc: Loc,
    /// Values of its iterators; empty where no instance was computed.
    pub instance: Vec<Int>,
}

impl End {
    pub(crate) fn new(stmt: &Stmt, instance: &[Int]) -> End {
        End {
            stmt: stmt.name.clone(),
            loc: stmt.loc.clone(),
            instance: instance.to_vec(),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list: Vec<String> = self.instance.iter().map(Int::to_string).collect();
        write!(f, "{}[{}]", self.stmt, list.join(", "))?;
        if self.loc.is_unknown() {
            Ok(())
        } else {
            write!(f, " at {}", self.loc)
        }
    }
}

/// One thing that is wrong, with concrete instances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// What.
    pub kind: ViolationKind,
    /// The position in the tree that decides it.
    pub at: Path,
    /// The instance, or of two the one that must come first.
    pub source: Option<End>,
    /// The instance that must come second.
    pub target: Option<End>,
    /// The array through which the two meet.
    pub array: Option<Id>,
    /// Parameter values of the example.
    pub params: Vec<(Id, Int)>,
    /// Why there is no proof, for [`ViolationKind::Unproved`].
    pub reason: String,
}

impl Violation {
    pub(crate) fn unproved(at: &Path, reason: impl Into<String>) -> Violation {
        Violation {
            kind: ViolationKind::Unproved,
            at: at.clone(),
            source: None,
            target: None,
            array: None,
            params: Vec::new(),
            reason: reason.into(),
        }
    }

    /// Whether this is a proof that the tree is wrong, rather than a lack of proof that it is right.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.kind != ViolationKind::Unproved
    }

    /// The violation as an error at the statement that suffers.
    #[must_use]
    pub fn to_diagnostic(&self, scop: &Scop) -> Diagnostic {
        let end = self.target.as_ref().or(self.source.as_ref());
        let loc = end.map_or_else(|| scop.loc.clone(), |e| e.loc.clone());
        let d = Diagnostic::error(loc, self.to_string());
        match (&self.source, &self.target) {
            (Some(s), Some(_)) if !s.loc.is_unknown() => d.note(s.loc.clone(), format!("{} is executed here", s.stmt)),
            _ => d,
        }
    }

    /// A violation by one instance.
    pub(crate) fn single(kind: ViolationKind, at: &Path, stmt: &Stmt, point: Option<&Point>) -> Violation {
        let coords = point.map_or(&[][..], |p| &p.coords);
        Violation {
            kind,
            at: at.clone(),
            source: Some(End::new(stmt, coords)),
            target: None,
            array: None,
            params: params(point),
            reason: String::new(),
        }
    }

    /// A violation by a pair of instances, a point of the wrapped relation.
    pub(crate) fn pair(kind: ViolationKind, at: &Path, stmts: (&Stmt, &Stmt), array: &Id, point: Option<&Point>) -> Violation {
        let coords = point.map_or(&[][..], |p| &p.coords);
        let (a, b) = coords.split_at(stmts.0.iters.len().min(coords.len()));
        let (source, target) = (Some(End::new(stmts.0, a)), Some(End::new(stmts.1, b)));
        Violation {
            kind,
            at: at.clone(),
            source,
            target,
            array: Some(array.clone()),
            params: params(point),
            reason: String::new(),
        }
    }
}

fn params(point: Option<&Point>) -> Vec<(Id, Int)> {
    point.map_or_else(Vec::new, |p| {
        p.space.params().iter().cloned().zip(p.params.iter().cloned()).collect()
    })
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (source, target) = (self.source.as_ref(), self.target.as_ref());
        let name = |e: Option<&End>| e.map_or_else(|| "an instance".to_owned(), End::to_string);
        let array = self.array.as_ref().map_or("memory", |a| a.as_str());
        match self.kind {
            ViolationKind::Missing => write!(f, "the schedule doesn't execute {}", name(source)),
            ViolationKind::Extra => write!(f, "the schedule executes {}, which the program doesn't", name(source)),
            ViolationKind::Twice => write!(f, "the schedule executes {} more than once", name(source)),
            ViolationKind::Undefined => write!(f, "a band has no value for {}", name(source)),
            ViolationKind::Order => write!(f, "{} must come before {}: both access {array}", name(source), name(target)),
            ViolationKind::Value => write!(
                f,
                "{} is to find the value that {} writes to {array} just when it does so in the source",
                name(target),
                name(source)
            ),
            ViolationKind::Last => write!(f, "what {} writes to {array} must be the last value there", name(source)),
            ViolationKind::Permutable => {
                write!(
                    f,
                    "the band is not permutable: from {} to {} over {array} a member decreases",
                    name(source),
                    name(target)
                )
            }
            ViolationKind::Coincident => {
                write!(
                    f,
                    "the member is not coincident: {} and {} both access {array} at different values of it",
                    name(source),
                    name(target)
                )
            }
            ViolationKind::Reduces => {
                write!(
                    f,
                    "the member does more than accumulate: {} and {} both access {array} at different values of it",
                    name(source),
                    name(target)
                )
            }
            ViolationKind::Unproved => write!(f, "not proved to be right: {}", self.reason),
        }?;
        if !self.params.is_empty() {
            let list: Vec<String> = self.params.iter().map(|(n, v)| format!("{n} = {v}")).collect();
            write!(f, ", with {}", list.join(", "))?;
        }
        if self.at.0.is_empty() {
            Ok(())
        } else {
            write!(f, " (node {})", self.at)
        }
    }
}
