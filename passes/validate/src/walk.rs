//! The check of a whole tree.

use crate::conflict::{Conflict, conflicts};
use crate::coverage::{Reaching, check_band, check_children, check_domain, check_filter, filtered};
use crate::order::{Checker, Values};
use crate::violation::Violation;
use tilia_presburger::{Budget, Result};
use tilia_schedule::{Node, NodeKind, Path, ScheduleTree};
use tilia_scop::Scop;

/// The most violations that are reported.
const MAX_VIOLATIONS: usize = 8;

/// Checks that `tree` executes the scop right: every instance once, conflicting pairs in the order of the source, claims true.
///
/// # Errors
/// What is wrong, most telling first; [`crate::ViolationKind::Unproved`] where there is no proof either way.
pub fn validate(scop: &Scop, tree: &ScheduleTree, budget: &Budget) -> std::result::Result<(), Vec<Violation>> {
    match check(scop, tree, budget) {
        Ok(found) if found.is_empty() => Ok(()),
        Ok(found) => Err(tidy(found)),
        Err((mut found, e)) => {
            found.push(Violation::unproved(&Path::root(), e.to_string()));
            Err(tidy(found))
        }
    }
}

/// One violation for each kind, place and pair of statements; wrong order before wrong claims.
fn tidy(found: Vec<Violation>) -> Vec<Violation> {
    let mut out: Vec<Violation> = Vec::new();
    let name = |v: &Violation| (v.source.as_ref().map(|e| e.stmt.clone()), v.target.as_ref().map(|e| e.stmt.clone()));
    for v in found {
        if !out
            .iter()
            .any(|o| o.kind == v.kind && o.at == v.at && name(o) == name(&v) && o.reason == v.reason)
        {
            out.push(v);
        }
    }
    out.sort_by_key(|v| v.kind);
    out.truncate(MAX_VIOLATIONS);
    out
}

type Failure = (Vec<Violation>, tilia_presburger::Error);

fn check(scop: &Scop, tree: &ScheduleTree, budget: &Budget) -> std::result::Result<Vec<Violation>, Failure> {
    let early = |e| (Vec::new(), e);
    let values = Values::new().map_err(early)?;
    let mut checker = Checker {
        scop,
        budget,
        values,
        out: Vec::new(),
    };
    match walk_root(&mut checker, tree) {
        Ok(()) => Ok(checker.out),
        Err(e) => Err((checker.out, e)),
    }
}

fn walk_root(checker: &mut Checker<'_>, tree: &ScheduleTree) -> Result<()> {
    let scop = checker.scop;
    let Some(domain) = tree.domain() else {
        checker.out.push(Violation::unproved(&Path::root(), "the root is not a domain"));
        return Ok(());
    };
    check_domain(scop, domain, checker.budget, &mut checker.out)?;
    let reaching: Reaching = scop.stmts.iter().enumerate().map(|(n, s)| (n, s.domain.clone())).collect();
    // Which parameters there can be is known to the tree, too.
    let mut known = Vec::new();
    for (n, set) in filtered(&reaching, domain)? {
        known.push((n, set.intersect_params(&scop.context)?));
    }
    let conflicts = conflicts(scop, checker.budget)?;
    let root = tree.root();
    visit_children(checker, root, &Path::root(), &known, conflicts)
}

fn visit_children(checker: &mut Checker<'_>, node: &Node, at: &Path, reaching: &Reaching, conflicts: Vec<Conflict>) -> Result<()> {
    match node.children() {
        [child] => visit(checker, child, &at.child(0), reaching, conflicts),
        _ => Ok(()),
    }
}

fn visit(checker: &mut Checker<'_>, node: &Node, at: &Path, reaching: &Reaching, conflicts: Vec<Conflict>) -> Result<()> {
    let (scop, budget) = (checker.scop, checker.budget);
    match node.kind() {
        NodeKind::Leaf => checker.leaf(at, &conflicts),
        NodeKind::Sequence | NodeKind::Set => {
            check_children(scop, node, at, reaching, budget, &mut checker.out)?;
            let inside = checker.children(node, at, &conflicts)?;
            for (n, (child, conflicts)) in node.children().iter().zip(inside).enumerate() {
                // The filter itself has been dealt with.
                let NodeKind::Filter(filter) = child.kind() else { continue };
                visit_children(checker, child, &at.child(n), &filtered(reaching, filter)?, conflicts)?;
            }
            Ok(())
        }
        NodeKind::Filter(filter) => {
            check_filter(scop, filter, at, reaching, budget, &mut checker.out)?;
            visit_children(checker, node, at, &filtered(reaching, filter)?, conflicts)
        }
        NodeKind::Band(band) => {
            check_band(scop, band, at, reaching, budget, &mut checker.out)?;
            let left = checker.band(band, at, conflicts)?;
            visit_children(checker, node, at, reaching, left)
        }
        NodeKind::Mark(_) => visit_children(checker, node, at, reaching, conflicts),
        NodeKind::Context(assumed) => {
            // Only what is known anyway may be assumed.
            if !scop.context.is_subset(assumed, budget).unwrap_or(false) {
                checker
                    .out
                    .push(Violation::unproved(at, format!("the tree assumes {assumed}, which isn't known")));
            }
            visit_children(checker, node, at, reaching, conflicts)
        }
        NodeKind::Guard(_) | NodeKind::Domain(_) | NodeKind::Extension(_) | NodeKind::Expansion { .. } => {
            checker.out.push(Violation::unproved(
                at,
                format!("a {} node isn't supported here", node.kind().name()),
            ));
            Ok(())
        }
    }
}
