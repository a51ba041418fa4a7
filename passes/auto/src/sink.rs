//! Parallel loops around loops that keep an order of their own: those that a register tile needs move inside, next to the innermost loop.
//!
//! ```text
//! for a, b, i, j (parallel): for c: for k: C[a][b][i][j] += A[a][c][i][k] * B[c][b][k][j]
//!   =>  for a, b (parallel): for c: for i, j, k: ..
//! ```
//!
//! A sum over several loops must keep their order, so they aren't permutable with each other, and the innermost one alone reuses nothing. A parallel loop may stand anywhere inside.

use crate::Error;
use crate::nest::{LEVEL, Outside, Shaper};
use std::sync::Arc;
use tilia_model::{Band, Limits, MicroTile, cache_plan, contiguous, micro_tile};
use tilia_schedule::{Node, Path, ScheduleTree};

/// What the loops must leave of the estimated time.
const GAIN: f64 = 0.8;

impl Shaper<'_> {
    /// Moves parallel loops of the band into the lowest of the bands that stand right inside each other from it on, where a register tile with them is clearly faster; gives whether it did.
    pub(crate) fn sunk(&mut self, at: &Path, band: &Band, outside: Outside) -> Result<bool, Error> {
        let parallel: Vec<usize> = (0..band.members.len()).filter(|&k| band.members[k].coincident).collect();
        let Some(lowest) = self.steps.lowest_band(at).filter(|l| l != at && !parallel.is_empty()) else {
            return Ok(false);
        };
        let plain = |p: &Path| {
            self.steps
                .tree
                .node(p)
                .is_some_and(|n| n.as_band().is_some_and(|b| b.isolate.is_none()))
        };
        let between = (at.0.len()..=lowest.0.len()).map(|n| Path(lowest.0[..n].to_vec()));
        let leaf = self.steps.tree.node(&lowest.child(0)).is_some_and(|n| n.is_leaf());
        if !leaf || !between.into_iter().all(|p| plain(&p)) {
            return Ok(false);
        }
        let before = self.steps.tree.clone();
        let old = self.model(&lowest, true)?;
        let Some((all, inside)) = moved(&before, at, &lowest, &parallel)? else {
            return Ok(false);
        };
        self.steps.tree = all;
        let new = self.model(&inside, true)?;
        self.steps.tree = before.clone();
        if !old.permutable {
            return Ok(false);
        }
        let Some(tile) = micro_tile(&new, self.request.machine) else {
            return Ok(false);
        };
        // The moved members are the first of the band.
        let used = |n: usize| tile.sizes[n] > 1 || tile.vector == Some(n);
        let wanted: Vec<usize> = (0..parallel.len()).filter(|&n| used(n)).map(|n| parallel[n]).collect();
        if wanted.is_empty() || tile.sizes.iter().all(|&s| s == 1) {
            return Ok(false);
        }
        let as_it_is = micro_tile(&old, self.request.machine);
        let innermost = contiguous(&old).unwrap_or(old.members.len().saturating_sub(1));
        let cycles = |band: &Band, micro: Option<&MicroTile>, innermost: usize| {
            let limits = Limits {
                micro,
                innermost: micro.and_then(|m| m.inner.or(m.vector)).or(Some(innermost)),
                resident: outside.resident,
                ..Limits::default()
            };
            cache_plan(band, self.request.machine, LEVEL, &limits).cycles
        };
        let (was, is) = (
            cycles(&old, as_it_is.as_ref(), innermost),
            cycles(&new, Some(&tile), innermost) + passing(&new, &tile),
        );
        tracing::debug!(was, is, ?tile, "sunk");
        if is > GAIN * was {
            self.steps.decline(&format!(
                "parallel loops aren't moved inside loops whose order stays: an estimated {is:.2} cycles an iteration, as they stand {was:.2}"
            ));
            return Ok(false);
        }
        let Some((tree, _)) = moved(&before, at, &lowest, &wanted)? else {
            return Ok(false);
        };
        self.steps.tree = tree;
        self.steps
            .say("parallel loops move inside loops whose order stays, for a register tile with the innermost of them");
        Ok(true)
    }
}

/// Cycles for each instance to load and store the results before and after each run of the inner loop.
fn passing(band: &Band, tile: &MicroTile) -> f64 {
    let Some(inner) = tile.inner else { return 0.0 };
    let run = band.members[inner].trips.map_or(1000.0, |t| t as f64).max(1.0);
    let bytes = |r: &tilia_model::Reference| r.bytes.max(1) as f64;
    let lanes = tile.vector.map_or(1.0, |v| tile.sizes[v] as f64);
    let results = band.references.iter().filter(|r| r.writes && r.is_invariant(inner));
    results.map(|r| 64.0 / bytes(r)).map(|l| 1.0 / l.min(lanes).max(1.0)).sum::<f64>() / run
}

/// The tree with members of the band at `at` as the first of the band at `lowest`, which stands below it with nothing but bands between; and where that stands then.
fn moved(tree: &ScheduleTree, at: &Path, lowest: &Path, members: &[usize]) -> Result<Option<(ScheduleTree, Path)>, Error> {
    let mut bands = Vec::new();
    for n in at.0.len()..=lowest.0.len() {
        match tree.node(&Path(lowest.0[..n].to_vec())).and_then(|n| n.as_band()) {
            Some(band) => bands.push(band.clone()),
            None => return Ok(None),
        }
    }
    let (Some(below), Some(mut inner)) = (tree.node(&lowest.child(0)).cloned(), bands.pop()) else {
        return Ok(None);
    };
    let Some(outer) = bands.first_mut() else { return Ok(None) };
    let own = std::mem::take(&mut outer.members);
    let mut gone = Vec::new();
    for (k, m) in own.into_iter().enumerate() {
        if members.contains(&k) {
            gone.push(m);
        } else {
            outer.members.push(m);
        }
    }
    inner.members.splice(0..0, gone);
    if bands.first().is_some_and(|b| b.members.is_empty()) {
        bands.remove(0);
    }
    let mut place = at.clone();
    let mut node: Arc<Node> = Node::band(inner, below);
    for band in bands.into_iter().rev() {
        node = Node::band(band, node);
        place = place.child(0);
    }
    Ok(Some((tree.replace(at, node)?, place)))
}
