//! Which statements, and which pieces of a dimension's values, must come before which.

use crate::ask::{Oracle, surely_empty};
use crate::build::Build;
use crate::exe::Exe;
use crate::generate::BandCx;
use crate::options::Error;
use std::sync::Arc;
use tilia_presburger::{Aff, Constraint, DimType, Id, Int, Map, Set, UnionSet};
use tilia_schedule::{Band, Node, NodeKind};

/// Groups of statements that must share their loops, in the order in which their code must stand.
///
/// There is an edge from `a` to `b` when some instance of `a` must run after some instance of `b` with the same outer values.
pub(crate) fn components(exes: Vec<Exe>, cx: &BandCx<'_>, build: &Build, b: &Oracle<'_>) -> Result<Vec<Vec<Exe>>, Error> {
    let n = exes.len();
    if n == 1 {
        return Ok(vec![exes]);
    }
    let dim = build.depth();
    let last = dim + 1 == cx.first + cx.band.len();
    let mut after = vec![vec![false; n]; n];
    // With the values of the bands below, made where ties ask for them.
    let mut whole: Vec<Option<Option<Exe>>> = vec![None; n];
    let (chain, end) = bands_below(cx.child);
    for i in 0..n {
        for j in 0..n {
            if i == j {
                continue;
            }
            after[i][j] = follows(&exes[i].levels[dim + 1], &exes[j].levels[dim + 1], build, true, b)? || {
                let tie = ties(&exes[i], &exes[j], cx, last);
                tie && follows(&exes[i].levels[dim + 1], &exes[j].levels[dim + 1], build, false, b)? && {
                    for k in [i, j] {
                        if whole[k].is_none() {
                            whole[k] = Some(with_bands(&exes[k], &chain, b)?);
                        }
                    }
                    match (&whole[i], &whole[j]) {
                        (Some(Some(x)), Some(Some(y))) => follows_inside((x, y), end, build, b)?,
                        _ => true,
                    }
                }
            };
        }
    }
    let order = sorted_components(&after);
    let mut slots: Vec<Option<Exe>> = exes.into_iter().map(Some).collect();
    Ok(order
        .into_iter()
        .map(|group| group.into_iter().filter_map(|i| slots[i].take()).collect())
        .collect())
}

/// May an instance of `a` have to run after one of `b` that has the same value in this member?
fn ties(a: &Exe, b: &Exe, cx: &BandCx<'_>, last: bool) -> bool {
    !last || cx.child.is_some_and(|c| below(c, &a.stmt, &b.stmt))
}

/// The bands that directly follow one another from a node on, and the node below them.
fn bands_below(mut node: Option<&Arc<Node>>) -> (Vec<&Band>, Option<&Arc<Node>>) {
    let mut out = Vec::new();
    while let Some(n) = node {
        match n.kind() {
            NodeKind::Band(band) => out.push(band),
            NodeKind::Mark(_) => {}
            _ => break,
        }
        node = n.child();
    }
    (out, node)
}

/// The statement with the values of the bands; nothing when one doesn't speak of it.
fn with_bands(exe: &Exe, bands: &[&Band], b: &Oracle<'_>) -> Result<Option<Exe>, Error> {
    let mut out = exe.clone();
    let space = exe.space().domain();
    for m in bands.iter().flat_map(|band| &band.members) {
        let Some(f) = m.func.extract(&space) else { return Ok(None) };
        out = out.extend(&Map::from_pw_aff(f)?, b)?;
    }
    Ok(Some(out))
}

/// May an instance of `a` have to run after one of `b` with the same value of the present dimension? Both have the values of the bands below, under which `end` stands.
fn follows_inside((a, b_exe): (&Exe, &Exe), end: Option<&Arc<Node>>, build: &Build, b: &Oracle<'_>) -> Result<bool, Error> {
    let dim = build.depth();
    let depth = a.depth();
    if b_exe.depth() != depth {
        return Ok(true);
    }
    // Outer values, the present one, then the rest of `a` and the rest of `b`.
    let more = depth - dim - 1;
    let x = a.levels[depth].add_dims(DimType::Out, more)?;
    let y = b_exe.levels[depth].insert_dims(DimType::Out, dim + 1, more)?;
    let mut both = x.intersect(&y)?.intersect(&build.domain.add_dims(DimType::Out, 1 + 2 * more)?)?;
    for k in dim + 1..depth {
        let difference = Aff::var(both.space(), DimType::Out, k).sub(&Aff::var(both.space(), DimType::Out, k + more))?;
        let greater = Constraint::ineq(difference.add_constant(&Int::NEG_ONE));
        if !surely_empty(&both.add_constraint(&greater)?, b)? {
            return Ok(true);
        }
        both = both.add_constraint(&Constraint::eq(difference))?;
    }
    Ok(end.is_some_and(|e| below(e, &a.stmt, &b_exe.stmt)) && !surely_empty(&both, b)?)
}

/// Does the subtree order an instance of `a` after one of `b`? Says yes when in doubt.
fn below(node: &Arc<Node>, a: &Id, b: &Id) -> bool {
    match node.kind() {
        NodeKind::Leaf => false,
        NodeKind::Band(band) => !band.is_empty() || node.children().iter().any(|c| below(c, a, b)),
        NodeKind::Sequence | NodeKind::Set => {
            let index = |s: &Id| -> Vec<usize> {
                let children = node.children().iter().enumerate();
                children
                    .filter(|(_, c)| matches!(c.kind(), NodeKind::Filter(f) if has(f, s)))
                    .map(|(i, _)| i)
                    .collect()
            };
            match (&index(a)[..], &index(b)[..]) {
                ([i], [j]) if i == j => below(&node.children()[*i], a, b),
                ([i], [j]) => matches!(node.kind(), NodeKind::Sequence) && i > j,
                _ => true,
            }
        }
        NodeKind::Extension(_) | NodeKind::Expansion { .. } => true,
        _ => node.children().iter().any(|c| below(c, a, b)),
    }
}

fn has(set: &UnionSet, stmt: &Id) -> bool {
    set.sets().iter().any(|s| s.space().out().name.as_ref() == Some(stmt))
}

/// May there be an `x` in `a` and a `y` in `b` for the same outer values with `x > y` (or, if not strict, `x = y`)? The sets are over dimensions up to `build.depth()`.
pub(crate) fn follows(a: &Set, b_set: &Set, build: &Build, strict: bool, b: &Oracle<'_>) -> Result<bool, Error> {
    let dim = build.depth();
    let x = a.add_dims(DimType::Out, 1)?;
    let y = b_set.insert_dims(DimType::Out, dim, 1)?;
    let outer = build.domain.add_dims(DimType::Out, 2)?;
    let both = x.intersect(&y)?.intersect(&outer)?;
    let (p, q) = (
        Aff::var(both.space(), DimType::Out, dim),
        Aff::var(both.space(), DimType::Out, dim + 1),
    );
    let difference = p.sub(&q)?;
    let c = if strict {
        Constraint::ineq(difference.add_constant(&Int::NEG_ONE))
    } else {
        Constraint::eq(difference)
    };
    Ok(!surely_empty(&both.add_constraint(&c)?, b)?)
}

/// Strongly connected components of "after", in an order in which nothing stands before what it must follow; otherwise as given.
pub(crate) fn sorted_components(after: &[Vec<bool>]) -> Vec<Vec<usize>> {
    let n = after.len();
    let mut reach = after.to_vec();
    for k in 0..n {
        for i in 0..n {
            if reach[i][k] {
                let beyond = reach[k].clone();
                for (to, more) in reach[i].iter_mut().zip(beyond) {
                    *to |= more;
                }
            }
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut done = vec![false; n];
    while let Some(next) = (0..n).find(|&i| !done[i] && (0..n).all(|j| done[j] || j == i || !reach[i][j] || reach[j][i])) {
        let group: Vec<usize> = (0..n).filter(|&j| j == next || (reach[next][j] && reach[j][next])).collect();
        for &j in &group {
            done[j] = true;
        }
        groups.push(group);
    }
    groups
}
