//! The check of a whole tree.

use crate::conflict::{Conflict, conflicts};
use crate::coverage::{Reaching, check_band, check_children, check_domain, check_filter, filtered};
use crate::order::{self, Checker};
use crate::values::{Values, check_values, is_judged_by_values, source_values};
use crate::violation::{Violation, ViolationKind};
use tilia_presburger::{Budget, Result};
use tilia_schedule::{Node, NodeKind, Path, ScheduleTree};
use tilia_scop::{ArrayId, Scop};

/// The most violations that are reported.
const MAX_VIOLATIONS: usize = 8;

/// Checks that `tree` executes the scop right: every instance once, conflicting pairs in the order of the source, claims true.
///
/// # Errors
/// What is wrong, most telling first; [`crate::ViolationKind::Unproved`] where there is no proof either way.
pub fn validate(scop: &Scop, tree: &ScheduleTree, budget: &Budget) -> std::result::Result<(), Vec<Violation>> {
    verdict(check(scop, tree, &[], budget))
}

/// Checks a tree as [`validate`] does, but accepts conflicting pairs in another order where the same values pass: each read finds the value of the same write as in the source, and the write
/// that is last in the source is the last one of its location where the value outlives the scop. Live ranges of temporaries may so change places as wholes.
///
/// A band's claim to be permutable is true where pairs that a member turns round belong to live ranges that lie at one value of each member of the band, and of all bands around it. Claims to be
/// coincident are about all conflicting pairs, as ever. Arrays with uncertain accesses, with accesses to several elements at once or with accumulations that may change their order are judged by
/// pairs.
///
/// The result says whether some pairs are in another order, or may be by a band's claim: whether [`validate`] would refuse the tree.
///
/// # Errors
/// As [`validate`].
pub fn validate_values(scop: &Scop, tree: &ScheduleTree, budget: &Budget) -> std::result::Result<bool, Vec<Violation>> {
    let first = check(scop, tree, &[], budget);
    let about_order = |v: &Violation| matches!(v.kind, ViolationKind::Order | ViolationKind::Permutable);
    let found = match &first {
        Ok(found) if !found.is_empty() && found.iter().all(about_order) => found,
        _ => return verdict(first).map(|()| false),
    };
    let named = |n: ArrayId| found.iter().any(|v| v.array.as_ref() == Some(&scop[n].name));
    let arrays: Vec<ArrayId> = (0..scop.arrays.len())
        .filter_map(|n| u32::try_from(n).ok().map(ArrayId))
        .filter(|n| named(*n))
        .collect();
    let judged = || -> Result<Option<Vec<Values>>> {
        let mut out = Vec::new();
        for a in arrays {
            if !is_judged_by_values(scop, a, budget)? {
                return Ok(None);
            }
            out.push(source_values(scop, a, budget)?);
        }
        Ok(Some(out))
    };
    match judged() {
        Ok(None) => verdict(first),
        Ok(Some(by_value)) => verdict(check(scop, tree, &by_value, budget)),
        Err(e) => verdict(Err((Vec::new(), e))),
    }
    .map(|()| true)
}

fn verdict(found: std::result::Result<Vec<Violation>, Failure>) -> std::result::Result<(), Vec<Violation>> {
    match found {
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

fn check(scop: &Scop, tree: &ScheduleTree, by_value: &[Values], budget: &Budget) -> std::result::Result<Vec<Violation>, Failure> {
    let early = |e| (Vec::new(), e);
    let values = order::Values::new().map_err(early)?;
    let mut checker = Checker {
        scop,
        budget,
        values,
        by_value: by_value.to_vec(),
        out: Vec::new(),
    };
    let mut walked = walk_root(&mut checker, tree);
    for v in by_value {
        walked = walked.and_then(|()| check_values(scop, tree, v, budget, &mut checker.out));
    }
    match walked {
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
    let mut conflicts = conflicts(scop, checker.budget)?;
    for v in &checker.by_value {
        let flow = v.flow.iter().map(|(&(source, target), pairs)| Conflict {
            source,
            target,
            array: v.array,
            pairs: pairs.clone(),
            relaxed: false,
            is_flow: true,
        });
        conflicts.extend(flow);
    }
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
