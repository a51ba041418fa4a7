//! Where a component is separated by a scalar row when no loop row exists (the cuts are those of Pluto: Bondhugula et al., PLDI 2008).

use crate::model::Model;
use crate::state::State;
use tilia_strategy::FusionHeuristic;

/// Groups of statements, in order: at least two, made of whole strongly connected components. `sccs` has at least two, in topological order, and their statements are connected by active edges.
///
/// The component is connected, so any two groups that follow each other in the topological order of a cut have an edge across some cut: each scalar row orders at least one edge.
pub(crate) fn groups(state: &State, model: &Model, sccs: &[Vec<usize>], heuristic: FusionHeuristic) -> Vec<Vec<usize>> {
    let candidates = match heuristic {
        FusionHeuristic::None => Vec::new(),
        FusionHeuristic::Max => one_cut(sccs),
        FusionHeuristic::Smart | FusionHeuristic::Typed | FusionHeuristic::Reuse => {
            let middle = sccs.len().div_ceil(2);
            vec![by_depth(model, sccs), vec![sccs[..middle].concat(), sccs[middle..].concat()]]
        }
    };
    let useful = candidates.into_iter().map(sorted).find(|g| g.len() > 1 && orders(state, g));
    useful.unwrap_or_else(|| sccs.to_vec())
}

fn sorted(mut groups: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    groups.iter_mut().for_each(|g| g.sort_unstable());
    groups
}

/// Neighbours of equal depth together.
fn by_depth(model: &Model, sccs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let depth = |scc: &[usize]| scc.iter().map(|&s| model.stmts[s].depth).max().unwrap_or(0);
    let mut out: Vec<Vec<usize>> = Vec::new();
    let mut last = None;
    for scc in sccs {
        let d = Some(depth(scc));
        match out.last_mut() {
            Some(g) if d == last => g.extend(scc),
            _ => out.push(scc.clone()),
        }
        last = d;
    }
    out
}

/// The cuts between two neighbours, from the first on.
fn one_cut(sccs: &[Vec<usize>]) -> Vec<Vec<Vec<usize>>> {
    (1..sccs.len()).map(|n| vec![sccs[..n].concat(), sccs[n..].concat()]).collect()
}

/// Does the separation order an active edge?
fn orders(state: &State, groups: &[Vec<usize>]) -> bool {
    let place = |s: usize| groups.iter().position(|g| g.contains(&s));
    state
        .edges
        .iter()
        .any(|e| e.is_active() && matches!((place(e.source), place(e.target)), (Some(a), Some(b)) if a != b))
}
