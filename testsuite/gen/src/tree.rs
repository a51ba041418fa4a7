//! Random schedule trees of a scop.
//!
//! Strip-mined trees keep the order of the source; the others needn't be legal: callers keep those that an exact check accepts, and learn from the others whether the check
//! refuses them rightly.

use crate::{chance, pick};
use arbitrary::{Result, Unstructured};
use std::sync::Arc;
use tilia_presburger::{Aff, Budget, DimType, Int, PwAff, Set, UnionPwAff, UnionSet};
use tilia_schedule::{Band, Error, Member, Node, NodeKind, ScheduleTree};
use tilia_scop::Scop;

/// The source's tree with some bands strip-mined: legal whatever the program.
///
/// # Errors
/// When the sets library gives up.
pub fn strip_mined_tree(u: &mut Unstructured<'_>, scop: &Scop) -> std::result::Result<ScheduleTree, Error> {
    let mut tree = scop.schedule.clone();
    // Inner nodes first, so that paths of outer ones stay what they are.
    for path in tree.paths().into_iter().rev() {
        let Some(node) = tree.node(&path).cloned() else { continue };
        let (NodeKind::Band(band), Some(child)) = (node.kind(), node.child()) else {
            continue;
        };
        if !chance(u, 50).unwrap_or(false) || band.len() != 1 {
            continue;
        }
        let size = Int::from(pick(u, &[(2, 2i64), (2, 3), (1, 4), (1, 32)]).unwrap_or(2));
        let mut tile = band.members[0].func.floor_div(&size)?;
        if chance(u, 50).unwrap_or(false) {
            tile = tile.scale(&size)?;
        }
        let inner = Node::band(band.clone(), Arc::clone(child));
        tree = tree.replace(&path, Node::band(Band::new(vec![Member::new(tile)]), inner))?;
    }
    Ok(tree)
}

/// How one statement's dimensions become band members.
#[derive(Debug, Clone)]
struct Rows {
    /// By member: coefficients of the dimensions, and a constant.
    rows: Vec<(Vec<i64>, i64)>,
}

/// One band of affine functions over all statements, then their order in the text: fusion, shifts, skewing, interchange and reversal at random.
///
/// # Errors
/// When the sets library gives up.
pub fn affine_tree(u: &mut Unstructured<'_>, scop: &Scop) -> std::result::Result<ScheduleTree, Error> {
    let depth = scop.stmts.iter().map(|s| s.iters.len()).max().unwrap_or(0);
    let chosen = choose(u, scop, depth).unwrap_or_default();
    let budget = Budget::default();
    let mut members = Vec::new();
    for d in 0..depth {
        let mut func: Option<UnionPwAff> = None;
        for (stmt, rows) in scop.stmts.iter().zip(&chosen) {
            let aff = row(&stmt.domain, rows.rows.get(d))?;
            func = Some(match func {
                None => UnionPwAff::from_aff(&aff),
                Some(f) => f.add_pw_aff(&PwAff::from_aff(&aff), &budget)?,
            });
        }
        members.extend(func.map(Member::new));
    }
    let mut order: Vec<usize> = (0..scop.stmts.len()).collect();
    if order.len() > 1 && chance(u, 25).unwrap_or(false) {
        let n = u.int_in_range(0..=order.len() - 2).unwrap_or(0);
        order.swap(n, n + 1);
    }
    let mut node = match order[..] {
        [_] => Node::leaf(),
        _ => {
            let mut children = Vec::new();
            for n in order {
                let universe = Set::universe(scop.stmts[n].domain.space());
                children.push((UnionSet::from_set(&universe), Node::leaf()));
            }
            Node::sequence(children)
        }
    };
    // Bands of one member, or one band.
    if chance(u, 50).unwrap_or(false) && !members.is_empty() {
        node = Node::band(Band::new(members), node);
    } else {
        for member in members.into_iter().rev() {
            node = Node::band(Band::new(vec![member]), node);
        }
    }
    ScheduleTree::new(scop.domain()?, node)
}

fn choose(u: &mut Unstructured<'_>, scop: &Scop, depth: usize) -> Result<Vec<Rows>> {
    // One permutation and skew for all statements, so that there is a chance of legality.
    let swap = if depth > 1 && chance(u, 40)? {
        Some(u.int_in_range(0..=depth - 2)?)
    } else {
        None
    };
    let skew = chance(u, 40)?;
    let reverse = if depth > 0 && chance(u, 15)? {
        Some(u.int_in_range(0..=depth - 1)?)
    } else {
        None
    };
    let mut all = Vec::new();
    for stmt in &scop.stmts {
        let n = stmt.iters.len();
        let mut rows = Vec::new();
        for d in 0..depth {
            let mut from = d;
            if let Some(s) = swap {
                from = if d == s {
                    s + 1
                } else if d == s + 1 {
                    s
                } else {
                    d
                };
            }
            let mut coefficients = vec![0; n];
            if from < n {
                coefficients[from] = if reverse == Some(d) { -1 } else { 1 };
            }
            if skew && d > 0 && from < n {
                coefficients[0] += 1;
            }
            let shift = pick(u, &[(6, 0), (1, 1), (1, 2), (1, -1)])?;
            rows.push((coefficients, shift));
        }
        all.push(Rows { rows });
    }
    Ok(all)
}

fn row(domain: &Set, row: Option<&(Vec<i64>, i64)>) -> tilia_presburger::Result<Aff> {
    let space = domain.space();
    let mut aff = Aff::zero(space);
    let Some((coefficients, constant)) = row else {
        return Ok(aff);
    };
    for (d, &c) in coefficients.iter().enumerate() {
        aff = aff.add(&Aff::var(space, DimType::Out, d).scale(&Int::from(c)))?;
    }
    Ok(aff.add_constant(&Int::from(*constant)))
}
