//! A parallel loop around several others along which memory is contiguous: its iterations belong inside them, as vectors.
//!
//! ```text
//! for j: { R[j] = 0; for i: R[j] += Q[i] * A[i][j]; for i: A[i][j] -= Q[i] * R[j] }
//!   =>  for j_t step 32: { for j: R[j] = 0; for i, for j: R[j] += ..; for i, for j: A[i][j] -= .. }
//! ```
//!
//! Each statement gets the points of a strip as a loop of its own, in one band with its other loops; so it can have a register tile or a vector loop, and what one statement leaves in the cache
//! the next finds there: strips are as wide as their data fits. Where not even a narrow strip fits, the loop is distributed as a whole.
//! Loops between the parallel one and the statements stay outside its points: a strip is gone over once in each of their steps, and the end of each step may run beside the start of the next.

use crate::Error;
use crate::nest::{LEVEL, Moment, Outside, Shaper};
use tilia_model::{Band, contiguous, footprint};
use tilia_presburger::Int;
use tilia_schedule::{Node, Path, ScheduleTree, TileForm};
use tilia_transform::Outcome;

/// Widths of strips, the widest first.
const WIDTHS: [u64; 4] = [64, 48, 32, 16];

/// The part of the cache that the data of a strip may fill.
const FILL: f64 = 0.75;

impl Shaper<'_> {
    /// Cuts the loop into strips when the loops inside gain by it, and shapes these; gives whether it did.
    pub(crate) fn strips(&mut self, at: &Path, band: &Band, outside: Outside) -> Result<bool, Error> {
        let Some(smooth) = contiguous(band).filter(|&k| band.members[k].coincident) else {
            return Ok(false);
        };
        let others = band.members.len() - 1;
        // Several parallel loops: tiles of them all are what threads and caches want.
        let parallel = (0..=others).filter(|&k| band.members[k].coincident).count();
        if parallel != 1 || !self.gains_by_strips(at)? {
            return Ok(false);
        }
        let stays = |why: &str| format!("a parallel loop around others isn't moved inside them: {why}");
        let width = self.width(band, smooth);
        if width.is_none() && others > 0 {
            self.steps.decline(&stays(
                "with the loops between, not even a narrow strip of what they touch fits into the cache",
            ));
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
        let mut outside = outside;
        let mut points = at.clone();
        if others > 0 {
            let order: Vec<usize> = (0..=others).filter(|&k| k != smooth).collect();
            let order: Vec<usize> = std::iter::once(smooth).chain(order).collect();
            let done = self.steps.trusting().interchange(&self.steps.tree, at, &order);
            if self.steps.quietly(done)?.is_none() {
                self.back_to(before);
                self.steps.decline(&stays("it can't change places with the loops between"));
                return Ok(false);
            }
            self.steps.tree = self.steps.tree.split_band(at, 1, self.steps.budget)?.tree;
        }
        if let Some(width) = width {
            self.steps.tree = self.steps.tree.tile_band(at, &[width.into()], TileForm::default())?.tree;
            points = at.child(0);
        }
        if others > 0 {
            // A loop that carries nothing may stand anywhere inside.
            let Some(tree) = swapped(&self.steps.tree, &points)? else {
                self.back_to(before);
                self.steps.decline(&stays("what stands inside can't have its points"));
                return Ok(false);
            };
            self.steps.tree = tree;
            points = points.child(0);
        }
        self.steps.ordered(&points.child(0))?;
        let t = self.steps.transformer();
        if self.steps.quietly(t.distribute(&self.steps.tree, &points))?.is_none() {
            self.back_to(before);
            self.steps.decline(&stays("dependences keep the statements inside together"));
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
        // With loops between, all of their iterations but the first find the strip in the cache.
        outside.resident |= width.is_some() && others > 0;
        let apart = self.moment(outside);
        self.each(&points, width, outside)?;
        if others > 0 && !self.is_told() {
            // What was made stays, should the trial find no end.
            let made = (self.steps.tree.clone(), self.steps.remarks.clone(), self.cycles);
            if let Err(why) = self.overlapped(&points, width, apart) {
                (self.steps.tree, self.steps.remarks, self.cycles) = made;
                self.steps.decline(&format!("steps of a loop don't overlap: {why}"));
            }
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

    /// Shapes what the children of the sequence at `points` hold, each in a strip of this width.
    fn each(&mut self, points: &Path, width: Option<u64>, mut outside: Outside) -> Result<(), Error> {
        let children: Vec<Path> = match self.steps.tree.node(points) {
            Some(n) if n.is_list() => (0..n.children().len()).map(|i| points.child(i).child(0)).collect(),
            _ => vec![points.clone()],
        };
        for own in children {
            self.steps.merge(&own)?;
            outside.strip = width;
            self.visit(&own, outside)?;
            outside.resident |= width.is_some();
        }
        Ok(())
    }

    /// Where the loop right above the sequence goes over the strip again and again: runs the end of each of its steps beside the start of the next, in one pass over what both touch, where that is faster than
    /// what has been made of the children apart. `apart` is how things stood before that.
    fn overlapped(&mut self, points: &Path, width: Option<u64>, apart: Moment) -> Result<(), Error> {
        let Some(above) = points.0.split_last().map(|(_, above)| Path(above.to_vec())) else {
            return Ok(());
        };
        let n = self
            .steps
            .tree
            .node(points)
            .filter(|n| n.is_list())
            .map_or(0, |n| n.children().len());
        if n < 2 {
            return Ok(());
        }
        let made = (self.steps.tree.clone(), self.steps.remarks.clone(), self.cycles);
        let mut best = None;
        let mut declined = Vec::new();
        for earlier in (0..n - 1).rev() {
            let outside = self.forget(apart.clone());
            for i in [earlier, n - 1] {
                self.steps.merge(&points.child(i).child(0))?;
            }
            let done = self.steps.transformer().overlap(&self.steps.tree, &above, earlier, n - 1)?;
            match done {
                Outcome::Declined(why) => declined.push(why.to_string()),
                Outcome::Done(edited) => {
                    self.steps.tree = edited.tree;
                    // The first step has no end of another beside it, the last one nothing else: loops of their own need no conditions.
                    let t = self.steps.trusting();
                    self.steps.quietly(t.peel(&self.steps.tree, &above, &Int::ONE, &Int::ONE))?;
                    self.steps
                        .say("the end of each step of a loop runs beside the start of the next one, in one pass over what both touch");
                    self.each(points, width, outside)?;
                    best = Some(self.cycles);
                    break;
                }
            }
        }
        let million = |cycles: f64| (cycles - apart.cycles) / 1e6;
        let message = match best {
            Some(best) if best < made.2 => return Ok(()),
            Some(best) => format!(
                "steps of a loop don't overlap: an estimated {:.3} million cycles, one after the other {:.3}",
                million(best),
                million(made.2)
            ),
            None => format!("steps of a loop don't overlap: {}", declined.join("; ")),
        };
        (self.steps.tree, self.steps.remarks, self.cycles) = made;
        self.steps.decline(&message);
        Ok(())
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

    /// The widest strip of a member whose data stays in the cache, if there are enough of them.
    fn width(&self, band: &Band, member: usize) -> Option<u64> {
        let cache = self.request.machine.caches.get(LEVEL)?;
        let trips = band.members.get(member)?.trips.unwrap_or(u64::MAX);
        let tile = |w: u64| -> Vec<f64> {
            let size = |k: usize| if k == member { w as f64 } else { 1.0 };
            (0..band.members.len()).map(size).collect()
        };
        let fits = |&w: &u64| footprint(band, &tile(w), cache.line) <= FILL * cache.share() as f64;
        let threads = self.request.threads.max(1) as u64;
        WIDTHS.into_iter().find(fits).filter(|w| trips / w >= 2 * threads)
    }
}

/// The tree with the band at `at` and the one right below in each other's place.
fn swapped(tree: &ScheduleTree, at: &Path) -> Result<Option<ScheduleTree>, Error> {
    let band = |p: &Path| tree.node(p).and_then(|n| n.as_band()).cloned();
    let (Some(outer), Some(inner)) = (band(at), band(&at.child(0))) else {
        return Ok(None);
    };
    let Some(below) = tree.node(&at.child(0).child(0)).cloned() else {
        return Ok(None);
    };
    Ok(Some(tree.replace(at, Node::band(inner, Node::band(outer, below)))?))
}
