//! That a tree executes every instance exactly once, and gives it a value in every band.

use crate::violation::{Violation, ViolationKind};
use tilia_presburger::{Budget, Result, Set, UnionSet};
use tilia_schedule::{Band, Node, NodeKind, Path};
use tilia_scop::{Scop, Stmt};

/// Instances of one statement, by its number.
pub(crate) type Reaching = Vec<(usize, Set)>;

/// Looks for an instance in a set; one of it is a violation.
fn forbid(set: &Set, kind: ViolationKind, at: &Path, stmt: &Stmt, budget: &Budget, out: &mut Vec<Violation>) -> Result<()> {
    if !set.plain_is_empty()
        && let Some(point) = set.sample_point(budget)?
    {
        out.push(Violation::single(kind, at, stmt, Some(&point)));
    }
    Ok(())
}

/// The tree's domain against the scop's.
pub(crate) fn check_domain(scop: &Scop, domain: &UnionSet, budget: &Budget, out: &mut Vec<Violation>) -> Result<()> {
    let root = Path::root();
    for stmt in &scop.stmts {
        let inside = domain
            .find(stmt.domain.space())
            .cloned()
            .unwrap_or_else(|| Set::empty(stmt.domain.space()));
        if inside == stmt.domain {
            continue;
        }
        let known = |s: &Set| s.intersect_params(&scop.context);
        forbid(
            &known(&stmt.domain)?.subtract(&inside, budget)?,
            ViolationKind::Missing,
            &root,
            stmt,
            budget,
            out,
        )?;
        forbid(
            &known(&inside)?.subtract(&stmt.domain, budget)?,
            ViolationKind::Extra,
            &root,
            stmt,
            budget,
            out,
        )?;
    }
    for set in domain.sets() {
        if scop.stmts.iter().all(|s| !s.domain.space().same_tuples(set.space())) && !set.is_empty(budget)? {
            out.push(Violation::unproved(
                &root,
                format!("the schedule executes instances of something unknown: {}", set.space()),
            ));
        }
    }
    Ok(())
}

/// What a filter keeps of what reaches it.
pub(crate) fn filtered(reaching: &Reaching, filter: &UnionSet) -> Result<Reaching> {
    let mut out = Vec::new();
    for (n, set) in reaching {
        if let Some(keep) = filter.find(set.space()) {
            let kept = if keep.plain_is_universe() {
                set.clone()
            } else {
                set.intersect(keep)?
            };
            if !kept.plain_is_empty() {
                out.push((*n, kept));
            }
        }
    }
    Ok(out)
}

/// That the children of a sequence or set share out what reaches it: each instance to exactly one child.
pub(crate) fn check_children(
    scop: &Scop,
    node: &Node,
    at: &Path,
    reaching: &Reaching,
    budget: &Budget,
    out: &mut Vec<Violation>,
) -> Result<()> {
    for (n, set) in reaching {
        let stmt = &scop.stmts[*n];
        let mut parts: Vec<Set> = Vec::new();
        for child in node.children() {
            let NodeKind::Filter(filter) = child.kind() else { continue };
            if let Some(keep) = filter.find(set.space()) {
                parts.push(if keep.plain_is_universe() {
                    set.clone()
                } else {
                    keep.intersect(set)?
                });
            }
        }
        for (i, a) in parts.iter().enumerate() {
            for b in &parts[i + 1..] {
                forbid(&a.intersect(b)?, ViolationKind::Twice, at, stmt, budget, out)?;
            }
        }
        let mut rest = set.clone();
        for p in &parts {
            rest = if *p == rest {
                Set::empty(rest.space())
            } else {
                rest.subtract(p, budget)?
            };
        }
        forbid(&rest, ViolationKind::Missing, at, stmt, budget, out)?;
    }
    Ok(())
}

/// That a filter outside of a sequence loses nothing.
pub(crate) fn check_filter(
    scop: &Scop,
    filter: &UnionSet,
    at: &Path,
    reaching: &Reaching,
    budget: &Budget,
    out: &mut Vec<Violation>,
) -> Result<()> {
    for (n, set) in reaching {
        let lost = match filter.find(set.space()) {
            Some(keep) if keep.plain_is_universe() => continue,
            Some(keep) => set.subtract(keep, budget)?,
            None => set.clone(),
        };
        forbid(&lost, ViolationKind::Missing, at, &scop.stmts[*n], budget, out)?;
    }
    Ok(())
}

/// That every member of a band has exactly one value for each instance that reaches it.
pub(crate) fn check_band(
    scop: &Scop,
    band: &Band,
    at: &Path,
    reaching: &Reaching,
    budget: &Budget,
    out: &mut Vec<Violation>,
) -> Result<()> {
    for (n, set) in reaching {
        let stmt = &scop.stmts[*n];
        for member in &band.members {
            let Some(func) = member.func.extract(set.space()) else {
                forbid(set, ViolationKind::Undefined, at, stmt, budget, out)?;
                continue;
            };
            let domain = func.domain();
            if !domain.plain_is_universe() {
                forbid(&set.subtract(&domain, budget)?, ViolationKind::Undefined, at, stmt, budget, out)?;
            }
        }
    }
    Ok(())
}
