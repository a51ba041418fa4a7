//! Scalar rows that a strategy asks for (the key `fusion` of a configuration, see docs/strategies.md).

use crate::error::{Error, Result};
use crate::fuse;
use crate::run::Scheduler;
use tilia_diag::Remark;
use tilia_strategy::{DimConfig, FusionHeuristic, Outcome, Partition};

/// Separates the open statements where the strategy wants that at this dimension; did it?
pub(crate) fn requested(s: &mut Scheduler<'_>, open: &[usize], config: DimConfig) -> Result<bool> {
    let groups = match config.partition {
        Some(Partition::Total) => s.state.sccs(open),
        Some(Partition::Groups(listed)) => complete(s, &listed, open),
        None => from_heuristic(s, open)?,
    };
    if groups.len() < 2 || !s.state.refines(&groups) {
        return Ok(false);
    }
    if let Err(edge) = s.state.separate(&groups, &s.model) {
        return Err(Error::IllegalFusion {
            dim: s.state.dim,
            edge: s.edge_text(&s.state.edges[edge]),
        });
    }
    s.last = Outcome::Cut;
    Ok(true)
}

/// What the fusion heuristic wants before the first row; nothing later.
fn from_heuristic(s: &mut Scheduler<'_>, open: &[usize]) -> Result<Vec<Vec<usize>>> {
    if s.state.dim > 0 {
        return Ok(Vec::new());
    }
    match s.globals.options.fusion {
        FusionHeuristic::None => Ok(s.state.sccs(open)),
        heuristic @ (FusionHeuristic::Typed | FusionHeuristic::Reuse) => {
            let groups = fuse::groups(s, open, heuristic)?;
            // Nests that nothing but reuse ties together are scheduled together, or their rows would not match.
            s.fused = groups.iter().flat_map(|g| g.windows(2).map(|w| (w[0], w[1]))).collect();
            Ok(groups)
        }
        FusionHeuristic::Smart | FusionHeuristic::Max => Ok(Vec::new()),
    }
}

/// The listed groups, restricted to open statements; each open statement that isn't listed is a group of its own, in its textual position.
fn complete(s: &mut Scheduler<'_>, listed: &[Vec<usize>], open: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = listed
        .iter()
        .map(|g| open.iter().copied().filter(|s| g.contains(s)).collect::<Vec<usize>>())
        .filter(|g| !g.is_empty())
        .collect();
    for &stmt in open.iter().filter(|stmt| !listed.iter().flatten().any(|l| l == *stmt)) {
        let at = groups.iter().position(|g| g.iter().all(|&x| x > stmt)).unwrap_or(groups.len());
        groups.insert(at, vec![stmt]);
        let message = format!(
            "statement {stmt} is in no group of the partition at dimension {}: it is a group of its own",
            s.state.dim
        );
        s.remarks
            .push(Remark::analysis("schedule", s.scop.stmts[stmt].loc.clone(), message));
    }
    groups
}
