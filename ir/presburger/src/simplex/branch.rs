//! A short branch-and-bound search.
//!
//! Most systems either have an integer point next to the simplex sample or fail after a few branches; a node limit hands the
//! rest over to the complete search ([`super::sample`]).

use super::Tableau;
use super::tableau::Snapshot;
use crate::error::Result;
use crate::num::{Budget, Int};

/// The outcome of a search that may give up.
pub(crate) enum Search {
    Found(Vec<Int>),
    Empty,
    GaveUp,
}

/// Looks for an integer point of the tableau in that many branches; the constraints it adds stay until the caller rolls them
/// back.
pub(crate) fn branch_and_bound(t: &mut Tableau, nodes: usize, b: &Budget) -> Result<Search> {
    // States to go back to, with the inequality of the branch not taken yet.
    let mut stack: Vec<(Snapshot, Vec<Int>)> = Vec::new();
    for _ in 0..nodes {
        if !t.is_empty() {
            let Some((v, floor)) = t.first_fraction() else {
                return Ok(t.integer_sample().map_or(Search::GaveUp, Search::Found));
            };
            let mut up = vec![Int::ZERO; 1 + t.n_var()];
            up[1 + v] = Int::ONE;
            up[0] = -&floor - Int::ONE;
            let mut down = vec![Int::ZERO; 1 + t.n_var()];
            down[1 + v] = Int::NEG_ONE;
            down[0] = floor;
            stack.push((t.snapshot(), down));
            t.add_ineq(&up, b)?;
            continue;
        }
        let Some((before, other)) = stack.pop() else {
            return Ok(Search::Empty);
        };
        t.rollback(before, b)?;
        t.add_ineq(&other, b)?;
    }
    Ok(Search::GaveUp)
}
