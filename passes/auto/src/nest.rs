//! One chain of bands after the other, from the outside in.

use crate::Error;
use crate::decide::{Decision, Decisions, micro_label, plan_label};
use crate::order::{Roles, parallel_first, roles};
use crate::steps::{Steps, ints, times};
use tilia_diag::{Remark, RemarkKind};
use tilia_model::{
    Band, CachePlan, CacheTile, Estimates, Limits, Machine, MicroTile, cache_plan, cache_plans, contiguous, micro_tile, micro_tiles, window,
};
use tilia_presburger::Budget;
use tilia_schedule::{NodeKind, Path, ScheduleTree, TileForm};
use tilia_scop::Scop;
use tilia_transform::{Pairs, RegisterTile};

/// What to shape for.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The machine, as the back end sees it.
    pub machine: &'a Machine,
    /// Threads that will run the code.
    pub threads: usize,
    /// What parameters are taken to be.
    pub estimates: &'a Estimates,
    /// The dependences without those that only keep the order of sums that may change; `None` where all orders are kept. For estimates, never for what is legal.
    pub kept: Option<&'a Pairs>,
    /// Whether bands say already what is permutable and coincident; else that is found out first.
    pub flagged: bool,
    /// What the decisions take, by the labels of their alternatives, in order; the model decides those beyond the end. `None`: all of them, and alternatives aren't listed.
    pub choices: Option<&'a [String]>,
    /// Cycles from which the tree is of no use: [`Error::Slow`] as soon as it is sure to take them. Infinite where any tree will do.
    pub below: f64,
}

/// A shaped tree.
#[derive(Debug, Clone)]
pub struct Shaped {
    /// The tree.
    pub tree: ScheduleTree,
    /// What was done and what was declined.
    pub remarks: Vec<Remark>,
    /// Cycles that it takes, an estimate to compare trees of one scop by.
    pub cycles: f64,
    /// What was decided, when choices were given.
    pub decisions: Vec<Decision>,
}

/// Tiles that each thread should find, so that uneven ones even out.
const TILES_FOR_A_THREAD: u64 = 4;

/// Cycles of starting and ending a parallel loop.
pub(crate) const FORK: f64 = 12_000.0;

/// The part of the threads that wavefronts keep busy: the first and last fronts are short.
pub(crate) const WAVEFRONT: f64 = 0.8;

/// What is known of the loops around a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outside {
    /// One of them is parallel.
    parallel: bool,
    /// How often a parallel loop starts: iterations of the loops outside it.
    regions: f64,
    /// How many threads it keeps busy.
    width: f64,
    /// The bands of this chain were merged.
    pub(crate) merged: bool,
    /// What is used here is in the cache already.
    pub(crate) resident: bool,
    /// The first loop of the next band is one within a strip of this width.
    pub(crate) strip: Option<u64>,
    /// The loop right around the next band is parallel.
    side_by_side: bool,
}

impl Default for Outside {
    fn default() -> Self {
        Self {
            parallel: false,
            regions: 1.0,
            width: 1.0,
            merged: false,
            resident: false,
            strip: None,
            side_by_side: false,
        }
    }
}

/// A state of the shaping to come back to.
#[derive(Clone)]
pub(crate) struct Moment {
    tree: ScheduleTree,
    remarks: usize,
    pub(crate) cycles: f64,
    decisions: usize,
    outside: Outside,
}

/// The level of cache that tiles are made for.
pub(crate) const LEVEL: usize = 1;

/// Shapes a tree. The result is legal as far as `pairs` are all dependences and, where they are taken as said, the flags of bands are true.
///
/// # Errors
/// When the sets library gives up, or the tree takes too long ([`Request::below`]).
pub fn shape(scop: &Scop, tree: &ScheduleTree, pairs: &Pairs, request: &Request<'_>, b: &Budget) -> Result<Shaped, Error> {
    let none = Pairs::from_maps(Vec::new());
    let mut shaper = Shaper {
        scop,
        request: *request,
        steps: Steps {
            tree: tree.clone(),
            remarks: Vec::new(),
            pairs,
            none: &none,
            loc: &scop.loc,
            budget: b,
        },
        cycles: 0.0,
        decisions: Decisions {
            choices: request.choices,
            made: Vec::new(),
        },
        patient: false,
    };
    shaper.visit(&Path::root(), Outside::default())?;
    Ok(Shaped {
        tree: shaper.steps.tree,
        remarks: shaper.steps.remarks,
        cycles: shaper.cycles,
        decisions: shaper.decisions.made,
    })
}

pub(crate) struct Shaper<'a> {
    scop: &'a Scop,
    pub(crate) request: Request<'a>,
    pub(crate) steps: Steps<'a>,
    pub(crate) cycles: f64,
    decisions: Decisions<'a>,
    /// Is something else than it seems made of the band at hand where its register tile isn't possible, so that it isn't given up before?
    pub(crate) patient: bool,
}

impl Shaper<'_> {
    fn kind(&self, at: &Path) -> Option<&NodeKind> {
        self.steps.tree.node(at).map(|n| n.kind())
    }

    pub(crate) fn visit(&mut self, at: &Path, mut outside: Outside) -> Result<(), Error> {
        match self.kind(at) {
            Some(NodeKind::Band(_)) => {
                if !self.request.flagged && !outside.merged {
                    self.steps.merge(at)?;
                    outside.merged = true;
                }
                match self.band(at, &mut outside)? {
                    Some(inside) => self.visit(&inside, outside),
                    None => Ok(()),
                }
            }
            Some(NodeKind::Extension(_) | NodeKind::Expansion { .. }) | None => Ok(()),
            Some(_) => {
                let n = self.steps.tree.node(at).map_or(0, |n| n.children().len());
                outside.merged = false;
                for i in 0..n {
                    self.visit(&at.child(i), outside)?;
                }
                Ok(())
            }
        }
    }

    /// Shapes one band; gives the position of what stands below it and all that was made of it, unless that is done too.
    fn band(&mut self, at: &Path, outside: &mut Outside) -> Result<Option<Path>, Error> {
        let alone = !self.has_bands_below(at);
        let mut band = self.model(at, alone)?;
        let strip = outside.strip.take();
        if let Some(width) = strip {
            band.within_strips(0, width);
        }
        tracing::debug!(?band, "band");
        if !band.permutable {
            self.count(&band, alone, None, outside);
            self.in_time()?;
            if !alone {
                return Ok(Some(at.child(0)));
            }
            self.steps.free_innermost(at)?;
            return Ok(None);
        }
        if !alone && strip.is_none() && self.sunk(at, &band, *outside)? {
            outside.merged = true;
            self.visit(at, *outside)?;
            return Ok(None);
        }
        if !alone && self.whatever_it_takes(|s| s.strips(at, &band, *outside))? {
            return Ok(None);
        }
        let micro = if alone { self.micro(&band) } else { None };
        let before = self.moment(*outside);
        let skewed = if alone && strip.is_none() {
            self.side_by_side(at, &band)?
        } else {
            None
        };
        let placed = match skewed {
            Some((skewed, tile)) if micro.as_ref().is_none_or(|m| tile.time < m.time) => {
                self.patient = true;
                let placed = self.placed(at, &skewed, Some(tile), alone, outside);
                self.patient = false;
                placed?
            }
            Some(_) => {
                *outside = self.back_to(before.clone());
                self.placed(at, &band, micro.clone(), alone, outside)?
            }
            None => self.placed(at, &band, micro.clone(), alone, outside)?,
        };
        if let Some(inside) = placed {
            return Ok(inside);
        }
        // The register tile can't be made: sizes and time are those without it.
        *outside = self.back_to(before.clone());
        let (single, vector) = self.simpler(&band, micro.as_ref());
        if let Some(single) = single {
            if let Some(inside) = self.placed(at, &band, Some(single), alone, outside)? {
                return Ok(inside);
            }
            *outside = self.back_to(before);
        }
        Ok(self.placed(at, &band, vector, alone, outside)?.flatten())
    }

    /// Tiles a band and makes its register tile. Gives the position of what stands below it, if that isn't done too; `None` when there is no such register tile: what was done then holds for
    /// nothing.
    pub(crate) fn placed(
        &mut self,
        at: &Path,
        band: &Band,
        micro: Option<MicroTile>,
        alone: bool,
        outside: &mut Outside,
    ) -> Result<Option<Option<Path>>, Error> {
        let roles = roles(band, micro.as_ref());
        let limits = self.limits(band, micro.as_ref(), &roles, outside);
        let plan = self.plan(band, &limits);
        let before = (self.cycles, *outside);
        self.count(band, alone, Some(&plan), outside);
        self.worth_making(band, micro.as_ref(), before)?;
        let cache = plan.tile;
        let mut points = at.clone();
        if let Some(cache) = &cache {
            points = self.cache(at, band, cache, &roles)?;
        } else if roles.order.iter().enumerate().any(|(n, &k)| n != k) {
            let done = self.steps.trusting().interchange(&self.steps.tree, at, &roles.order);
            if self.steps.quietly(done)?.is_none() {
                return Ok(Some(None));
            }
        }
        if !alone {
            return Ok(Some(Some(points.child(0))));
        }
        match micro.filter(|m| m.sizes.iter().any(|&s| s > 1)) {
            Some(micro) if !self.registers(&points, band, &micro, &roles)? => return Ok(None),
            Some(_) => self.in_time()?,
            None => self.steps.free_innermost(&points)?,
        }
        Ok(Some(None))
    }

    /// What the tiles of a band must do beside staying in the cache.
    pub(crate) fn limits<'m>(&self, band: &Band, micro: Option<&'m MicroTile>, roles: &Roles, outside: &Outside) -> Limits<'m> {
        let parallel = parallel_first(band, &roles.order)
            .first()
            .copied()
            .filter(|&k| band.members[k].coincident);
        let threads = self.request.threads as u64;
        Limits {
            micro,
            parallel: parallel.filter(|_| threads > 1).map(|k| (k, threads * TILES_FOR_A_THREAD)),
            innermost: roles.order.last().copied(),
            wavefront: (parallel.is_none() && threads > 1).then_some(WAVEFRONT * threads as f64),
            resident: outside.resident,
        }
    }

    /// How things stand, to come back to.
    pub(crate) fn moment(&self, outside: Outside) -> Moment {
        Moment {
            tree: self.steps.tree.clone(),
            remarks: self.steps.remarks.len(),
            cycles: self.cycles,
            decisions: self.decisions.made.len(),
            outside,
        }
    }

    /// Undoes what was done since; what was declined stays said.
    pub(crate) fn back_to(&mut self, moment: Moment) -> Outside {
        self.steps.tree = moment.tree;
        let since = self.steps.remarks.split_off(moment.remarks);
        let declined = since.into_iter().filter(|r| r.kind == RemarkKind::Declined);
        self.steps.remarks.extend(declined);
        self.cycles = moment.cycles;
        self.decisions.made.truncate(moment.decisions);
        moment.outside
    }

    /// Undoes what was done since, as if nothing had been tried.
    pub(crate) fn forget(&mut self, moment: Moment) -> Outside {
        self.steps.remarks.truncate(moment.remarks);
        self.back_to(moment)
    }

    /// Do choices from outside decide?
    pub(crate) fn is_told(&self) -> bool {
        self.decisions.choices.is_some()
    }

    /// The register tile of a band.
    fn micro(&mut self, band: &Band) -> Option<MicroTile> {
        let list = micro_tiles(band, self.request.machine, self.decisions.wanted());
        if list.is_empty() {
            return None;
        }
        self.decisions.take(list, micro_label, &mut self.steps.remarks, self.steps.loc)
    }

    /// The tiles of a band.
    fn plan(&mut self, band: &Band, limits: &Limits<'_>) -> CachePlan {
        let list = cache_plans(band, self.request.machine, LEVEL, limits, self.decisions.wanted());
        let first = list[0].clone();
        let taken = self.decisions.take(list, plan_label, &mut self.steps.remarks, self.steps.loc);
        taken.unwrap_or(first)
    }

    /// The band as the model sees it.
    pub(crate) fn model(&self, at: &Path, alone: bool) -> Result<Band, Error> {
        let mut band = Band::of(self.scop, &self.steps.tree, at, self.request.estimates, self.steps.budget)?;
        for (k, m) in band.members.iter_mut().enumerate() {
            m.free = m.coincident || (alone && self.steps.free(at, k, None)?);
            if let Some(kept) = self.request.kept.filter(|_| alone && !m.free) {
                m.sums = self.steps.free(at, k, Some(kept))?;
            }
        }
        Ok(band)
    }

    /// A band none of whose loops is parallel even as the innermost (an in-place stencil) is skewed so that one is, and several of its iterations can run side by side.
    fn side_by_side(&mut self, at: &Path, band: &Band) -> Result<Option<(Band, MicroTile)>, Error> {
        let n = band.members.len();
        if n < 2 || band.members.iter().any(|m| m.free) {
            return Ok(None);
        }
        let before = self.steps.tree.clone();
        let inner = contiguous(band).unwrap_or(n - 1);
        let by = (0..n).rev().find(|&k| k != inner).unwrap_or(0);
        if self.steps.skewed(at, inner, by)? {
            let skewed = self.model(at, true)?;
            let tile = micro_tile(&skewed, self.request.machine).filter(|m| m.inner == Some(inner) && m.sizes[by] > 1);
            if let Some(tile) = tile {
                self.steps
                    .say("a loop that waits for its last iteration is skewed, so that iterations of the loop around it run side by side");
                return Ok(Some((skewed, tile)));
            }
        }
        self.steps.tree = before;
        Ok(None)
    }

    /// Adds what a band costs, and notes what its loops mean for those inside.
    pub(crate) fn count(&mut self, band: &Band, alone: bool, plan: Option<&CachePlan>, outside: &mut Outside) {
        let threads = self.request.threads.max(1) as f64;
        let trips = |k: usize| band.members[k].trips.map_or(1000.0, |t| t as f64);
        let all: f64 = (0..band.members.len()).map(trips).product();
        let tile = plan.and_then(|p| p.tile.as_ref());
        let first = (0..band.members.len()).find(|&k| band.members[k].coincident);
        if !outside.parallel {
            if let Some(k) = first {
                // In a permutable band the loop moves outwards.
                let before: f64 = if band.permutable { 1.0 } else { (0..k).map(trips).product() };
                outside.parallel = true;
                outside.regions *= before;
                outside.width = threads;
            } else if let Some(tile) = tile.filter(|t| t.sizes.len() > 1) {
                let fronts: f64 = (0..2).map(|k| trips(k) / tile.sizes[k] as f64).sum();
                outside.parallel = true;
                outside.regions *= fronts.max(1.0);
                outside.width = (WAVEFRONT * threads).max(1.0);
            } else {
                outside.regions *= all;
            }
        }
        if alone {
            let in_order = Limits {
                innermost: band.members.len().checked_sub(1),
                resident: outside.resident,
                ..Limits::default()
            };
            let plain = || cache_plan(band, self.request.machine, LEVEL, &in_order).cycles;
            let cycles = plan.map_or_else(plain, |p| p.cycles);
            let small = window(band, self.request.machine, outside.side_by_side);
            let cycles = small.map_or(cycles, |c| c.min(cycles));
            let regions = if outside.parallel { outside.regions } else { 1.0 };
            let work = band.instances * cycles / regions;
            self.cycles += regions * work.min(work / outside.width + FORK);
        }
        outside.side_by_side = band.members.last().is_some_and(|m| m.coincident);
    }

    fn has_bands_below(&self, at: &Path) -> bool {
        let inside = |p: &Path| p.0.len() > at.0.len() && p.0.starts_with(&at.0);
        self.steps
            .tree
            .paths()
            .iter()
            .any(|p| inside(p) && matches!(self.kind(p), Some(NodeKind::Band(_))))
    }

    /// Tiles the members that need it; gives the position of the band of points, its members in the order of `roles`.
    fn cache(&mut self, at: &Path, band: &Band, cache: &CacheTile, roles: &Roles) -> Result<Path, Error> {
        let whole = |k: usize| band.members[k].trips.unwrap_or(CacheTile::WHOLE) <= cache.sizes[k];
        let tiled: Vec<usize> = parallel_first(band, &roles.order).into_iter().filter(|&k| !whole(k)).collect();
        let rest: Vec<usize> = roles.order.iter().copied().filter(|&k| whole(k)).collect();
        let order: Vec<usize> = tiled.iter().chain(&rest).copied().collect();
        let sizes: Vec<u64> = tiled.iter().map(|&k| cache.sizes[k]).collect();
        let what = if cache.untiled > 0.0 {
            format!(
                "tiles of {} for {} KiB of cache: {:.2} bytes an iteration from beyond it instead of {:.2}",
                times(&sizes),
                self.request.machine.caches.get(LEVEL).map_or(0, |c| c.share() >> 10),
                cache.traffic,
                cache.untiled
            )
        } else {
            format!(
                "tiles of {} for threads to share: everything stays in the cache anyway",
                times(&sizes)
            )
        };
        let t = self.steps.trusting();
        if self.steps.quietly(t.interchange(&self.steps.tree, at, &order))?.is_none() {
            // The band is permutable, so this isn't expected; nothing is lost but the tiles.
            return Ok(at.clone());
        }
        if !rest.is_empty() {
            self.steps.tree = self.steps.tree.split_band(at, tiled.len(), self.steps.budget)?.tree;
        }
        let none_parallel = tiled.iter().all(|&k| !band.members[k].coincident);
        let wavefront = none_parallel && self.request.threads > 1 && tiled.len() > 1;
        // Wavefronts count tiles: sums of tile numbers, whatever the sizes.
        let form = TileForm {
            scale: !wavefront,
            ..TileForm::default()
        };
        self.steps.tree = self.steps.tree.tile_band(at, &ints(&sizes), form)?.tree;
        self.steps.say(&what);
        let mut points = at.child(0);
        if !rest.is_empty() {
            self.steps.tree = self.steps.tree.fuse_band(&points, true)?.tree;
        }
        // The points in the order of the roles: `order[n]` is the old number of point n.
        let new: Vec<usize> = roles.order.iter().filter_map(|k| order.iter().position(|o| o == k)).collect();
        self.steps.quietly(t.interchange(&self.steps.tree, &points, &new))?;
        if wavefront {
            points = self.wavefront(at, points)?;
        }
        Ok(points)
    }

    /// The first two tile loops run in wavefronts; gives the new position of the points.
    fn wavefront(&mut self, tiles: &Path, points: Path) -> Result<Path, Error> {
        let before = self.steps.tree.clone();
        let n = self
            .steps
            .tree
            .node(tiles)
            .and_then(|n| n.as_band())
            .map_or(0, tilia_schedule::Band::len);
        let mut bands = 1;
        if n > 2 {
            self.steps.tree = self.steps.tree.split_band(tiles, 2, self.steps.budget)?.tree;
            bands += 1;
        }
        let t = self.steps.transformer();
        if self
            .steps
            .take("the first tile loop counts wavefronts", t.wavefront(&self.steps.tree, tiles))?
            .is_some()
        {
            self.steps.tree = self.steps.tree.split_band(tiles, 1, self.steps.budget)?.tree;
            bands += 1;
            let done = t.parallel(&self.steps.tree, &tiles.child(0), 0);
            if self.steps.take("tiles run in wavefronts", done)?.is_some() {
                return Ok((0..bands).fold(tiles.clone(), |p, _| p.child(0)));
            }
        }
        self.steps.tree = before;
        Ok(points)
    }

    /// Makes the register tile of a band in the order of `roles`; gives whether that was possible.
    fn registers(&mut self, at: &Path, band: &Band, micro: &MicroTile, roles: &Roles) -> Result<bool, Error> {
        let n = roles.order.len();
        let inner = usize::from(roles.inner);
        let unrolled = &roles.order[n - roles.tile..n - inner];
        let sizes: Vec<u64> = unrolled.iter().map(|&k| micro.sizes[k]).collect();
        let vector = unrolled.iter().position(|&k| micro.vector == Some(k));
        let mut here = at.clone();
        if n > roles.tile {
            self.steps.tree = self.steps.tree.split_band(&here, n - roles.tile, self.steps.budget)?.tree;
            here = here.child(0);
        }
        if inner > 0 && !unrolled.is_empty() {
            self.steps.tree = self.steps.tree.split_band(&here, unrolled.len(), self.steps.budget)?.tree;
        }
        if unrolled.is_empty() {
            return Ok(true);
        }
        let what = format!(
            "a register tile of {}{}: {:.2} loads and stores an iteration",
            times(&sizes),
            if vector.is_some() { " with vectors" } else { "" },
            micro.memory
        );
        let wanted = RegisterTile {
            sizes: ints(&sizes),
            vector,
            jam: true,
        };
        // Of coincident members any tile is legal; of others only what stays in order, above all the vector loop.
        let plain = unrolled.iter().all(|&k| band.members[k].coincident);
        let t = if plain { self.steps.trusting() } else { self.steps.transformer() };
        let done = t.register_tile(&self.steps.tree, &here, &wanted);
        Ok(self.steps.take(&what, done)?.is_some())
    }
}
