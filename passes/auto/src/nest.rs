//! One chain of bands after the other, from the outside in.

use crate::Error;
use crate::order::{Roles, parallel_first, roles};
use crate::steps::{Steps, ints, times};
use tilia_diag::Remark;
use tilia_model::{Band, CacheTile, Estimates, Limits, Machine, MicroTile, cache_tile, micro_tile};
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
}

/// Tiles that each thread should find, so that uneven ones even out.
const TILES_FOR_A_THREAD: u64 = 4;

/// The level of cache that tiles are made for.
const LEVEL: usize = 1;

/// Shapes a tree whose bands say truly what is permutable and coincident. The result is legal as far as `pairs` are all dependences; remarks say what was done and what was declined.
///
/// # Errors
/// When the sets library gives up.
pub fn shape(
    scop: &Scop,
    tree: &ScheduleTree,
    pairs: &Pairs,
    request: &Request<'_>,
    b: &Budget,
) -> Result<(ScheduleTree, Vec<Remark>), Error> {
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
    };
    shaper.visit(&Path::root())?;
    Ok((shaper.steps.tree, shaper.steps.remarks))
}

struct Shaper<'a> {
    scop: &'a Scop,
    request: Request<'a>,
    steps: Steps<'a>,
}

impl Shaper<'_> {
    fn kind(&self, at: &Path) -> Option<&NodeKind> {
        self.steps.tree.node(at).map(|n| n.kind())
    }

    fn visit(&mut self, at: &Path) -> Result<(), Error> {
        match self.kind(at) {
            Some(NodeKind::Band(_)) => {
                let inside = self.band(at)?;
                self.visit(&inside)
            }
            Some(NodeKind::Extension(_) | NodeKind::Expansion { .. }) | None => Ok(()),
            Some(_) => {
                let n = self.steps.tree.node(at).map_or(0, |n| n.children().len());
                for i in 0..n {
                    self.visit(&at.child(i))?;
                }
                Ok(())
            }
        }
    }

    /// Shapes one band; gives the position of what stands below it and all that was made of it.
    fn band(&mut self, at: &Path) -> Result<Path, Error> {
        let band = Band::of(self.scop, &self.steps.tree, at, self.request.estimates, self.steps.budget)?;
        tracing::debug!(?band, "band");
        let alone = !self.has_bands_below(at);
        if !band.permutable {
            if !alone {
                return Ok(at.child(0));
            }
            self.steps.free_innermost(at)?;
            return Ok(self.below(at));
        }
        let micro = if alone { micro_tile(&band, self.request.machine) } else { None };
        let roles = roles(&band, micro.as_ref());
        let parallel = parallel_first(&band, &roles.order)
            .first()
            .copied()
            .filter(|&k| band.members[k].coincident);
        let threads = self.request.threads as u64;
        let limits = Limits {
            micro: micro.as_ref(),
            parallel: parallel.filter(|_| threads > 1).map(|k| (k, threads * TILES_FOR_A_THREAD)),
        };
        let cache = cache_tile(&band, self.request.machine, LEVEL, &limits);
        let mut points = at.clone();
        if let Some(cache) = &cache {
            points = self.cache(at, &band, cache, &roles)?;
        } else if roles.order.iter().enumerate().any(|(n, &k)| n != k) {
            let done = self.steps.trusting().interchange(&self.steps.tree, at, &roles.order);
            if self.steps.quietly(done)?.is_none() {
                return Ok(at.child(0));
            }
        }
        match micro.filter(|m| m.sizes.iter().any(|&s| s > 1)) {
            Some(micro) => self.registers(&points, &micro, &roles),
            None if alone => {
                self.steps.free_innermost(&points)?;
                Ok(self.below(&points))
            }
            None => Ok(points.child(0)),
        }
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
        let what = format!(
            "tiles of {} for {} KiB of cache: {:.2} bytes an iteration from beyond it instead of {:.2}",
            times(&sizes),
            self.request.machine.caches.get(LEVEL).map_or(0, |c| c.share() >> 10),
            cache.traffic,
            cache.untiled
        );
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
        if self.steps.quietly(t.wavefront(&self.steps.tree, tiles))?.is_some() {
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

    /// Makes the register tile of a band in the order of `roles`; gives the position of what stands below.
    fn registers(&mut self, at: &Path, micro: &MicroTile, roles: &Roles) -> Result<Path, Error> {
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
            return Ok(self.below(&here));
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
        let done = self.steps.trusting().register_tile(&self.steps.tree, &here, &wanted);
        self.steps.take(&what, done)?;
        Ok(self.below(&here))
    }

    /// The first position below that isn't a band or a mark.
    fn below(&self, at: &Path) -> Path {
        let mut at = at.clone();
        while matches!(self.kind(&at), Some(NodeKind::Band(_) | NodeKind::Mark(_))) {
            at = at.child(0);
        }
        at
    }
}
