//! Trees that can't be the fastest are given up while they are shaped.
//!
//! What a tree takes is the sum over its bands, and is known for each of them before anything is done to it. So where another tree is known that is as fast as what a tree takes so far, the rest of it
//! needn't be shaped: the decision is the same, and most orders that lose do so with their first large band. Where the register tile of a band may turn out not to be possible, what would be made instead
//! must take too long, too.

use crate::Error;
use crate::nest::{LEVEL, Outside, Shaper};
use crate::order::roles;
use tilia_model::{Band, MicroTile, cache_plan, micro_tiles};

fn unrolled(m: &MicroTile) -> usize {
    m.sizes.iter().filter(|&&s| s > 1).count()
}

impl Shaper<'_> {
    /// Can the tree be faster yet than what is known?
    ///
    /// # Errors
    /// [`Error::Slow`] where it can't.
    pub(crate) fn in_time(&self) -> Result<(), Error> {
        if self.cycles < self.request.below {
            Ok(())
        } else {
            Err(Error::Slow)
        }
    }

    /// Does what is tried in several ways, of which the first may be slow and another one not: it is judged when the best is known.
    pub(crate) fn whatever_it_takes<T>(&mut self, tried: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let below = std::mem::replace(&mut self.request.below, f64::INFINITY);
        let done = tried(self);
        self.request.below = below;
        let done = done?;
        self.in_time()?;
        Ok(done)
    }

    /// As [`Shaper::in_time`], after a band was counted with its register tile and before that is made; `before` is what was there before it was counted.
    pub(crate) fn worth_making(&mut self, band: &Band, micro: Option<&MicroTile>, before: (f64, Outside)) -> Result<(), Error> {
        if self.patient || self.in_time().is_ok() {
            return Ok(());
        }
        let fails = micro.filter(|m| unrolled(m) > 0);
        let Some(micro) = fails else { return Err(Error::Slow) };
        let (single, vector) = self.simpler(band, Some(micro));
        let after = self.cycles;
        let single = single.filter(|s| s != micro).map(Some);
        let least = single.into_iter().chain([vector]).map(|m| {
            let mut outside = before.1;
            let roles = roles(band, m.as_ref());
            let limits = self.limits(band, m.as_ref(), &roles, &outside);
            let plan = cache_plan(band, self.request.machine, LEVEL, &limits);
            self.cycles = before.0;
            self.count(band, true, Some(&plan), &mut outside);
            self.cycles
        });
        let least = least.fold(f64::INFINITY, f64::min);
        self.cycles = after;
        if least < self.request.below { Ok(()) } else { Err(Error::Slow) }
    }

    /// What is made of a band whose register tile `micro` isn't possible: one of a single member, where conditions tie two together and there is no vector loop either; else what comes second.
    pub(crate) fn simpler(&self, band: &Band, micro: Option<&MicroTile>) -> (Option<MicroTile>, Option<MicroTile>) {
        let tiles = micro_tiles(band, self.request.machine, usize::MAX);
        let vector = tiles.iter().find(|m| unrolled(m) == 0);
        let single = tiles
            .iter()
            .find(|m| unrolled(m) == 1)
            .filter(|s| vector.is_none() && micro != Some(s));
        (single.cloned(), vector.cloned())
    }
}
