//! Innermost loops that become parallel when they get a band, or loops, of their own.

use crate::Error;
use crate::steps::Steps;
use std::sync::Arc;
use tilia_presburger::{DimType, Int, Map};
use tilia_schedule::{Node, NodeKind, Path, ScheduleTree};
use tilia_transform::{Outcome, Pairs, Transformer};

impl Steps<'_> {
    /// Looks at the last member of the lowest band at or below `at`. When it carries nothing once the other members have their values, it gets a band of its own; when only the statements inside it
    /// depend on each other, or would need conditions in a common loop, each gets a loop of its own. So the loop can become a vector loop. What doesn't help is undone.
    pub(crate) fn free_innermost(&mut self, at: &Path) -> Result<(), Error> {
        let Some(mut lowest) = self.lowest_band(at) else { return Ok(()) };
        let Some(band) = self.tree.node(&lowest).and_then(|n| n.as_band()) else {
            return Ok(());
        };
        let n = band.len();
        if n == 0 || band.isolate.is_some() {
            return Ok(());
        }
        let coincident = band.members[n - 1].coincident;
        let apart = self.leaves_below(&lowest) && self.ranges_differ(&lowest)?;
        if coincident && !apart {
            return Ok(());
        }
        let before = self.tree.clone();
        if n > 1 {
            self.tree = self.tree.split_band(&lowest, n - 1, self.budget)?.tree;
            lowest = lowest.child(0);
        }
        let t = self.transformer();
        if !apart && self.quietly(t.parallel(&self.tree, &lowest, 0))?.is_some() {
            return Ok(());
        }
        if self.leaves_below(&lowest) && self.distributed(&lowest)? {
            return Ok(());
        }
        if apart && self.quietly(t.parallel(&self.tree, &lowest, 0))?.is_some() {
            return Ok(());
        }
        self.tree = before;
        Ok(())
    }

    /// Is member `k` of the band parallel while all others stay? Where only statements stand below the band, what one does to another doesn't count: each may get a loop of its own. That isn't
    /// so when the question is about `kept` dependences only.
    pub(crate) fn free(&self, at: &Path, k: usize, kept: Option<&Pairs>) -> Result<bool, Error> {
        let Some(band) = self.tree.node(at).and_then(|n| n.as_band()) else {
            return Ok(false);
        };
        let transformer = Transformer {
            pairs: kept.unwrap_or(self.pairs),
            budget: self.budget,
        };
        let mut open = transformer.open_at(&self.tree, at)?;
        if kept.is_none() && self.leaves_below(at) {
            let own = |m: &&Map| m.space().tuple_name(DimType::In) == m.space().tuple_name(DimType::Out);
            open = Pairs::from_maps(open.maps().iter().filter(own).cloned().collect());
        }
        for (_, m) in band.members.iter().enumerate().filter(|(n, _)| *n != k) {
            open = open.left_by(m, self.budget)?;
        }
        Ok(open.all_equal(&band.members[k], self.budget)?)
    }

    /// Skews the band's member `k` by member `by`, so that `by` is parallel for equal values of `k`: every dependence that `by` carries, `k` carries then. Gives whether it was done.
    pub(crate) fn skewed(&mut self, at: &Path, k: usize, by: usize) -> Result<bool, Error> {
        let before = self.tree.clone();
        let done = self.trusting().skew(&self.tree, at, (k, by), &Int::ONE);
        if self.quietly(done)?.is_none() {
            return Ok(false);
        }
        self.merge(at)?;
        let whole = |t: &ScheduleTree| t.node(at).and_then(|n| n.as_band()).map(tilia_schedule::Band::len);
        if whole(&self.tree) == whole(&before) {
            return Ok(true);
        }
        self.tree = before;
        Ok(false)
    }

    /// Would statements below the band run for different values of its members, so that conditions would stand in a common loop?
    fn ranges_differ(&self, at: &Path) -> Result<bool, Error> {
        let values = self.tree.outer_values(&at.child(0), self.budget)?;
        let ranges: Vec<_> = values.maps().iter().map(tilia_presburger::Map::range).collect();
        for pair in ranges.windows(2) {
            if !pair[0].is_equal(&pair[1], self.budget).map_err(tilia_schedule::Error::from)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn distributed(&mut self, at: &Path) -> Result<bool, Error> {
        let t = self.transformer();
        self.ordered(&at.child(0))?;
        let Outcome::Done(edited) = t.distribute(&self.tree, at)? else {
            return Ok(false);
        };
        self.tree = edited.tree;
        let n = self.tree.node(at).map_or(0, |n| n.children().len());
        for i in 0..n {
            let own = at.child(i).child(0);
            if self.quietly(t.parallel(&self.tree, &own, 0))?.is_none() {
                return Ok(false);
            }
        }
        self.say("each statement gets an innermost loop of its own, which is parallel");
        Ok(n > 0)
    }

    /// Makes a set a sequence: what may run in any order may run in this one.
    pub(crate) fn ordered(&mut self, at: &Path) -> Result<(), Error> {
        let Some(list) = self.tree.node(at).filter(|n| matches!(n.kind(), NodeKind::Set)) else {
            return Ok(());
        };
        let part = |c: &Arc<Node>| match (c.kind(), c.child()) {
            (NodeKind::Filter(f), Some(below)) => Some((f.clone(), below.clone())),
            _ => None,
        };
        let Some(parts) = list.children().iter().map(part).collect::<Option<Vec<_>>>() else {
            return Ok(());
        };
        self.tree = self.tree.replace(at, Node::sequence(parts))?;
        Ok(())
    }

    /// The lowest band of the bands and marks that stand right below each other from `at` on.
    pub(crate) fn lowest_band(&self, at: &Path) -> Option<Path> {
        let mut here = at.clone();
        let mut found = None;
        loop {
            match self.tree.node(&here)?.kind() {
                NodeKind::Band(_) => found = Some(here.clone()),
                NodeKind::Mark(_) => {}
                _ => return found,
            }
            here = here.child(0);
        }
    }

    /// Does a sequence or set of leaves stand below the band?
    fn leaves_below(&self, at: &Path) -> bool {
        let Some(list) = self.tree.node(&at.child(0)) else { return false };
        list.is_list() && list.children().iter().all(|c| c.child().is_some_and(|leaf| leaf.is_leaf()))
    }
}
