//! A parallel loop around several others along which memory is contiguous: its iterations belong inside them, as vectors.
//!
//! ```text
//! for j: { R[j] = 0; for i: R[j] += Q[i] * A[i][j]; for i: A[i][j] -= Q[i] * R[j] }
//!   =>  for j_t step 32: { for j: R[j] = 0; for i, for j: R[j] += ..; for i, for j: A[i][j] -= .. }
//! ```
//!
//! Each statement gets the points of a strip as a loop of its own, in one band with its other loops; so it can have a register tile or a vector loop, and what one statement leaves in the cache
//! the next finds there: strips are as wide as their data fits. Where not even a narrow strip fits, the loop is distributed as a whole.

use crate::Error;
use crate::nest::{LEVEL, Outside, Shaper};
use tilia_model::{Band, contiguous, footprint};
use tilia_schedule::{Path, TileForm};

/// Widths of strips, the widest first.
const WIDTHS: [u64; 4] = [64, 48, 32, 16];

/// The part of the cache that the data of a strip may fill.
const FILL: f64 = 0.75;

impl Shaper<'_> {
    /// Cuts the loop into strips when the loops inside gain by it, and shapes these; gives whether it did.
    pub(crate) fn strips(&mut self, at: &Path, band: &Band, outside: Outside) -> Result<bool, Error> {
        let smooth = contiguous(band).is_some_and(|k| k + 1 == band.members.len() && band.members[k].coincident);
        if !smooth || band.members.len() != 1 || !self.gains_by_strips(at)? {
            return Ok(false);
        }
        let before = self.moment(outside);
        // As the loops stand, to compare with. What was measured was measured in strips.
        let mut plain = f64::INFINITY;
        if !self.is_told() {
            if let Some(inside) = self.placed_whole(at, band, outside)? {
                self.visit(&inside.0, inside.1)?;
            }
            plain = self.cycles;
            self.forget(before.clone());
        }
        let width = self.width(band);
        let mut outside = outside;
        let mut points = at.clone();
        if let Some(width) = width {
            self.steps.tree = self.steps.tree.tile_band(at, &[width.into()], TileForm::default())?.tree;
            points = at.child(0);
        }
        self.steps.ordered(&points.child(0))?;
        let t = self.steps.transformer();
        if self.steps.quietly(t.distribute(&self.steps.tree, &points))?.is_none() {
            self.back_to(before);
            return Ok(false);
        }
        match width {
            Some(w) => {
                self.steps.say(&format!(
                    "strips of {w} iterations of a parallel loop, inside which each statement runs for the whole strip"
                ));
                self.count(band, false, None, &mut outside);
            }
            None => self
                .steps
                .say("a parallel loop is distributed, so that it stands inside the loops of each statement"),
        }
        outside.merged = true;
        let n = self.steps.tree.node(&points).map_or(0, |n| n.children().len());
        for i in 0..n {
            let own = points.child(i).child(0);
            self.steps.merge(&own)?;
            outside.strip = width;
            self.visit(&own, outside)?;
            outside.resident |= width.is_some();
        }
        if plain < self.cycles {
            let million = |c: f64| (c - before.cycles) / 1e6;
            let message = format!(
                "a parallel loop around others isn't moved inside them: an estimated {:.3} million cycles, as it stands {:.3}",
                million(self.cycles),
                million(plain)
            );
            self.forget(before);
            self.steps.decline(&message);
            return Ok(false);
        }
        Ok(true)
    }

    /// Shapes the band itself as if there were no strips; gives where what stands below it is, and what is known there.
    fn placed_whole(&mut self, at: &Path, band: &Band, mut outside: Outside) -> Result<Option<(Path, Outside)>, Error> {
        let inside = self.placed(at, band, None, false, &mut outside)?.flatten();
        Ok(inside.map(|p| (p, outside)))
    }

    /// Do several statements or loops stand right inside, and is there a loop among them that can't be a vector loop as it stands?
    fn gains_by_strips(&self, at: &Path) -> Result<bool, Error> {
        let list = at.child(0);
        let Some(node) = self.steps.tree.node(&list).filter(|n| n.is_list()) else {
            return Ok(false);
        };
        let mut gains = false;
        for i in 0..node.children().len() {
            let own = list.child(i).child(0);
            let Some(below) = self.steps.tree.node(&own) else {
                return Ok(false);
            };
            if below.is_leaf() {
                continue;
            }
            let lowest = self.steps.lowest_band(&own);
            let Some(lowest) = lowest.filter(|l| self.steps.tree.node(&l.child(0)).is_some_and(|n| n.is_leaf())) else {
                return Ok(false);
            };
            let inner = self.model(&lowest, true)?;
            gains |= contiguous(&inner).is_none_or(|k| !inner.members[k].free);
        }
        Ok(gains)
    }

    /// The widest strip whose data stays in the cache, if there are enough of them.
    fn width(&self, band: &Band) -> Option<u64> {
        let cache = self.request.machine.caches.get(LEVEL)?;
        let trips = band.members.first()?.trips.unwrap_or(u64::MAX);
        let fits = |&w: &u64| footprint(band, &[w as f64], cache.line) <= FILL * cache.share() as f64;
        let threads = self.request.threads.max(1) as u64;
        WIDTHS.into_iter().find(fits).filter(|w| trips / w >= 2 * threads)
    }
}
