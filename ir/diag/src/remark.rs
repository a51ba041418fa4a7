//! What was done to a program, and what stood in the way.

use crate::Loc;
use serde::Serialize;
use std::collections::BTreeMap;

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

/// The remarks with repeated ones merged: what is said several times of one place (a loop and the loop over its tiles, say) is said once, with the number of times. Order is kept.
#[must_use]
pub fn merged(remarks: &[Remark]) -> Vec<Remark> {
    let key = |r: &Remark| (r.kind, r.stage, r.loc.clone(), r.message.clone());
    let mut counts = BTreeMap::new();
    for r in remarks {
        *counts.entry(key(r)).or_insert(0_usize) += 1;
    }
    let mut out = Vec::new();
    for r in remarks {
        // The first of each takes the count; the others find it gone.
        match counts.remove(&key(r)) {
            None => {}
            Some(1) => out.push(r.clone()),
            Some(n) => out.push(Remark {
                message: format!("{} ({n} times)", r.message),
                ..r.clone()
            }),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn repeated_remarks_are_one() {
        let file: Arc<str> = Arc::from("a.mlir");
        let at = |line| Loc::new(&file, line, 1);
        let said = |line, text: &str| Remark::analysis("parallel", at(line), text);
        let all = [said(1, "a"), said(2, "a"), said(1, "a"), said(1, "b"), said(1, "a")];
        let texts: Vec<String> = merged(&all).iter().map(|r| format!("{} {}", r.loc, r.message)).collect();
        assert_eq!(texts, ["a.mlir:1:1 a (3 times)", "a.mlir:2:1 a", "a.mlir:1:1 b"]);
        // What differs in kind or stage stays apart.
        let apart = [
            said(1, "a"),
            Remark::declined("parallel", at(1), "a"),
            Remark::analysis("tile", at(1), "a"),
        ];
        assert_eq!(merged(&apart).len(), 3);
    }
}
