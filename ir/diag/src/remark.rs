//! What was done to a program, and what stood in the way.

use crate::Loc;
use serde::Serialize;

/// What a remark reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RemarkKind {
    /// A transformation or property that took effect.
    Applied,
    /// A transformation that was asked for or would have been natural, and wasn't made; the message says why.
    Declined,
    /// A fact learnt on the way.
    Analysis,
}

/// One remark: which stage says what about which place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Applied, declined or analysis.
    pub kind: RemarkKind,
    /// The stage that speaks, in kebab case: `raise`, `deps`, `parallel`, `vectorise`, ...
    pub stage: &'static str,
    /// The place it is about.
    pub loc: Loc,
    /// What happened and why, one sentence without a final stop.
    pub message: String,
}

impl Remark {
    /// A remark that `stage` did something at `loc`.
    #[must_use]
    pub fn applied(stage: &'static str, loc: Loc, message: impl Into<String>) -> Self {
        Self::new(RemarkKind::Applied, stage, loc, message)
    }

    /// A remark that `stage` didn't do something at `loc`, and why.
    #[must_use]
    pub fn declined(stage: &'static str, loc: Loc, message: impl Into<String>) -> Self {
        Self::new(RemarkKind::Declined, stage, loc, message)
    }

    /// A fact that `stage` found at `loc`.
    #[must_use]
    pub fn analysis(stage: &'static str, loc: Loc, message: impl Into<String>) -> Self {
        Self::new(RemarkKind::Analysis, stage, loc, message)
    }

    fn new(kind: RemarkKind, stage: &'static str, loc: Loc, message: impl Into<String>) -> Self {
        Self {
            kind,
            stage,
            loc,
            message: message.into(),
        }
    }
}
