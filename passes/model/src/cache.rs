//! Tile sizes for a cache, and the time that a band takes with and without them.

use crate::footprint::{box_bytes, footprint};
use crate::micro::SEEN;
use crate::{Band, Machine, MicroTile};

/// Sizes of a tile that keeps its data in one level of cache.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheTile {
    /// One size for each member; a member that needs no tiling has its full number of values, or [`CacheTile::WHOLE`].
    pub sizes: Vec<u64>,
    /// Bytes brought into the cache for each iteration.
    pub traffic: f64,
    /// The same without tiling.
    pub untiled: f64,
    /// Bytes that a tile touches.
    pub footprint: f64,
}

impl CacheTile {
    /// The size of a member that isn't tiled and whose number of values is unknown.
    pub const WHOLE: u64 = 1 << 40;
}

/// What is best done with a band.
#[derive(Debug, Clone, PartialEq)]
pub struct CachePlan {
    /// The tile; `None` when tiling gains nothing.
    pub tile: Option<CacheTile>,
    /// Cycles for each iteration of the band on one core, an estimate.
    pub cycles: f64,
}

/// What else the sizes must do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits<'a> {
    /// The register tile inside.
    pub micro: Option<&'a MicroTile>,
    /// A member of whose tiles there must be so many, for threads to share.
    pub parallel: Option<(usize, u64)>,
    /// The member whose loop is the innermost of the points.
    pub innermost: Option<usize>,
    /// No member is parallel, but tiles can run in wavefronts, that many at a time.
    pub wavefront: Option<f64>,
    /// What the band uses is in the cache already.
    pub resident: bool,
}

/// Part of a cache that a tile may fill: the rest is for what isn't modelled.
const FILL: f64 = 0.6;

/// Sizes that are tried. Multiples of a vector where they can be; the greatest hold a page's worth of doubles.
const CANDIDATES: [u64; 11] = [4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512];

/// Bands with more members than this aren't searched: the candidates' product grows too large.
const MOST_MEMBERS: usize = 5;

/// Cycles that an innermost loop takes beside its iterations: bounds and start.
const ROW: f64 = 8.0;

/// The same of a vector loop, with the iterations that fill no vector.
const VECTOR_ROW: f64 = 32.0;

/// Iterations whose instructions a processor looks at together: shorter chains than that overlap with those of the next rows.
const AHEAD: f64 = 64.0;

/// The same in a tile, whose bounds are minima and maxima of many.
const TILED_ROW: f64 = 100.0;

/// A member of which no row is longer than this part of all its values is one of a skewed band.
pub(crate) const SKEWED: f64 = 0.95;

/// Tiling must save so much of the time to be worth its code.
const WORTH: f64 = 0.9;

/// The tile that takes the least time among those whose data stays in the cache of `level` (0 is the innermost), when it is worth it, and the time that the band takes with it.
///
/// With a register tile, sizes are multiples of its sizes, and its inner loop runs long enough to pay for loading and storing the results around it. There is no tile for bands of
/// fewer than two members or very many, and where nothing can be modelled.
#[must_use]
pub fn cache_plan(band: &Band, machine: &Machine, level: usize, limits: &Limits<'_>) -> CachePlan {
    cache_plans(band, machine, level, limits, 1).swap_remove(0)
}

/// As [`cache_plan`], and what else is worth a measurement: at most `most` plans, the best first, then others by time, each with some size that is half or double that of all before it; not
/// tiling is among them when there is room for two. Never empty.
#[must_use]
pub fn cache_plans(band: &Band, machine: &Machine, level: usize, limits: &Limits<'_>, most: usize) -> Vec<CachePlan> {
    let n = band.members.len();
    let choices: Vec<Vec<u64>> = (0..n).map(|k| sizes_for(band.members[k].trips, k, limits)).collect();
    // In a skewed band a member takes fewer values in a row than in all.
    let run = |m: &crate::MemberInfo| (m.trips.unwrap_or(CacheTile::WHOLE).max(1) as f64).min(m.run.max(1.0));
    let own: Vec<f64> = band.members.iter().map(run).collect();
    let inner = limits.innermost.filter(|&k| k < n).or(n.checked_sub(1));
    let Some(cache) = machine.caches.get(level) else {
        return vec![CachePlan {
            tile: None,
            cycles: cycles(band, machine, limits.micro, inner),
        }];
    };
    let capacity = cache.share() as f64 * FILL;
    // What an iteration of the loops around leaves in the cache, or doesn't, counts: traffic is that of the whole nest.
    let nest = band.nest();
    let whole = [&band.outer[..], &own].concat();
    let all = footprint(&nest, &whole, cache.line);
    let timing = Timing {
        fill: beyond(machine, level, all),
        work: cycles(band, machine, limits.micro, inner),
        rows: band.statements.max(1) as f64 / jammed(limits),
        near: limits.micro.and_then(|m| Near::of(band, machine, m)),
        innermost: limits.innermost.filter(|&k| k < n).map(|k| (k, band.members[k].run)),
    };
    let fits = all <= capacity || limits.resident;
    let untiled = if fits {
        0.0
    } else {
        untiled_traffic(&nest, &whole, capacity, cache.line)
    };
    // Where rows start depends on the loops around, and each statement starts elsewhere: bounds and conditions as in tiles.
    let skewed = band.members.iter().any(|m| m.trips.is_some_and(|t| m.run < SKEWED * t as f64));
    let row = match inner {
        _ if skewed => TILED_ROW,
        Some(k) if lanes(band, machine, k) > 1.0 => VECTOR_ROW,
        _ => ROW,
    };
    let plain = timing.of(&own, untiled, row);
    let mut plan = CachePlan { tile: None, cycles: plain };
    let speedup = limits.wavefront.unwrap_or(1.0).max(1.0);
    if (fits && speedup <= 1.0) || !(2..=MOST_MEMBERS).contains(&n) || band.references.iter().all(|r| r.vague) {
        return vec![plan];
    }
    let mut best = plain * WORTH;
    let mut others: Vec<(f64, CachePlan)> = Vec::new();
    let mut at = vec![0; n];
    let once = vec![1.0; band.outer.len()];
    loop {
        let sizes: Vec<u64> = at.iter().zip(&choices).map(|(&i, c)| c[i]).collect();
        let tile: Vec<f64> = sizes.iter().map(|&s| s as f64).collect();
        let around = [&once[..], &tile].concat();
        let footprint = footprint(&nest, &around, cache.line);
        if footprint <= capacity {
            let traffic = if fits { 0.0 } else { traffic(&nest, &around, &whole, cache.line) };
            let cycles = timing.of(&tile, traffic, TILED_ROW);
            // Fronts run across the tiles of two members.
            let tiled = (0..n).filter(|&k| (sizes[k] as f64) < own[k]).count();
            let time = if tiled >= 2 { cycles / speedup } else { cycles };
            let known = plan.tile.as_ref();
            let wins = time < 0.999 * best || (time <= 1.001 * best && known.is_some_and(|k| better(traffic, &sizes, k)));
            if wins || most > 1 {
                let made = CachePlan {
                    tile: Some(CacheTile {
                        sizes,
                        traffic,
                        untiled,
                        footprint,
                    }),
                    cycles,
                };
                if wins {
                    best = time.min(best);
                    plan = made.clone();
                }
                others.extend((most > 1).then_some((time, made)));
            }
        }
        if !advance(&mut at, &choices) {
            break;
        }
    }
    tracing::debug!(?plan, ?timing, plain, "tile for a cache");
    let mut plans = vec![plan];
    if most > 1 && plans[0].tile.is_some() {
        plans.push(CachePlan { tile: None, cycles: plain });
    }
    others.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, other) in others {
        if plans.len() >= most {
            break;
        }
        if plans.iter().all(|p| differ(p, &other)) {
            plans.push(other);
        }
    }
    plans
}

/// Whether some size of the tiles is half or double, or only one is tiled.
fn differ(a: &CachePlan, b: &CachePlan) -> bool {
    match (&a.tile, &b.tile) {
        (Some(a), Some(b)) => a
            .sizes
            .iter()
            .zip(&b.sizes)
            .any(|(&x, &y)| x >= y.saturating_mul(2) || y >= x.saturating_mul(2)),
        (None, None) => false,
        _ => true,
    }
}

/// Rows that a register tile runs as one, so that what it takes to start counts once for all of them.
fn jammed(limits: &Limits<'_>) -> f64 {
    let Some((micro, inner)) = limits.micro.and_then(|m| Some((m, m.inner?))) else {
        return 1.0;
    };
    let others = micro.sizes.iter().enumerate().filter(|(k, _)| *k != inner);
    others.map(|(_, s)| *s).product::<u64>().max(1) as f64
}

/// What a register tile brings from the second level of cache into the first.
#[derive(Debug)]
struct Near<'a> {
    band: &'a Band,
    micro: &'a MicroTile,
    inner: usize,
    /// The point loop right around the register tile's inner one.
    next: usize,
    /// Bytes of the first level that stay.
    capacity: f64,
    line: u64,
    /// Bytes a cycle into the first level.
    fill: f64,
    /// So many times what traffic from beyond takes in a stream.
    runs: f64,
}

/// Rows of an array in as many pages as the first level of the translation buffer holds beside others.
const PAGES: f64 = 48.0;

/// Cycles to find one of the pages beyond.
const PAGE: f64 = 1.0;

/// Lines that a register tile reads come in short runs of rows that are far apart, which no processor fetches ahead of time: so many times what they take in a stream, when they come from far away.
const SHORT_RUNS: f64 = 3.0;

/// A cache of so many bytes is that of many cores, and far away.
const FAR: u64 = 64 << 20;

impl<'a> Near<'a> {
    fn of(band: &'a Band, machine: &Machine, micro: &'a MicroTile) -> Option<Self> {
        let inner = micro.inner?;
        let cache = machine.caches.first()?;
        let unrolled = |k: usize| k != inner && micro.sizes[k] > 1;
        let next = micro
            .vector
            .filter(|&k| unrolled(k))
            .or((0..micro.sizes.len()).rev().find(|&k| unrolled(k)))?;
        Some(Self {
            band,
            micro,
            inner,
            next,
            capacity: cache.share() as f64 * FILL,
            line: cache.line,
            fill: f64::from(cache.fill),
            runs: if machine.caches.iter().any(|c| c.bytes >= FAR) {
                SHORT_RUNS
            } else {
                1.0
            },
        })
    }

    /// Cycles for each iteration in a cache tile of these sizes.
    fn cycles(&self, tile: &[f64]) -> f64 {
        let own = |k: usize| if k == self.inner { tile[k] } else { self.micro.sizes[k] as f64 };
        let run: Vec<f64> = (0..tile.len()).map(own).collect();
        let mut row = run.clone();
        row[self.next] = tile[self.next].max(run[self.next]);
        let fits = |tile: &[f64]| footprint(self.band, tile, self.line) <= self.capacity;
        let bytes = |tile: &[f64], kept: &dyn Fn(&crate::Reference) -> bool| -> f64 {
            let all = distinct(self.band).filter(|r| !kept(r));
            all.map(|r| box_bytes(r, tile, self.line)).sum::<f64>() / tile.iter().product::<f64>()
        };
        // Where a row of register tiles fits, only what changes from row to row is brought in.
        let moved = if fits(&row) {
            let other = |k: usize| k != self.next && k != self.inner && self.micro.sizes[k] > 1;
            let kept = |r: &crate::Reference| (0..tile.len()).filter(|&k| other(k)).all(|k| r.is_invariant(k));
            bytes(&row, &kept)
        } else if fits(&run) {
            bytes(&run, &|r| r.is_invariant(self.next))
        } else {
            bytes(&run, &|_| false)
        };
        let instances: f64 = run.iter().product();
        let rows = distinct(self.band).map(|r| self.rows(r, &run));
        let far: f64 = rows.map(|n| (n - PAGES).max(0.0)).sum();
        // The less time computing takes for what is brought in, the less it hides: wide vectors compute as fast as lines come.
        let lines = moved / self.fill;
        let seen = (lines / self.micro.time.max(f64::MIN_POSITIVE)).clamp(SEEN, 1.0);
        seen * lines + PAGE * far / instances
    }

    /// Rows of an array that one run of the inner loop goes through.
    fn rows(&self, r: &crate::Reference, run: &[f64]) -> f64 {
        let Some(outer) = r.moves.len().checked_sub(1).filter(|_| !r.vague) else {
            return 1.0;
        };
        let extent = |row: &Vec<f64>| 1.0 + row.iter().zip(run).map(|(c, t)| c.abs() * (t - 1.0)).sum::<f64>();
        r.moves[..outer].iter().map(extent).product()
    }
}

/// How long an iteration takes.
#[derive(Debug)]
struct Timing<'a> {
    /// Bytes a cycle from beyond the cache.
    fill: f64,
    /// Cycles of computing.
    work: f64,
    /// Innermost loops for each iteration of the loops around: one for each statement.
    rows: f64,
    /// The innermost member, and how many values it takes at most in a row.
    innermost: Option<(usize, f64)>,
    /// What the register tile needs from the first level of cache.
    near: Option<Near<'a>>,
}

impl Timing<'_> {
    fn of(&self, tile: &[f64], traffic: f64, row: f64) -> f64 {
        let length = self.innermost.map_or(1.0, |(k, run)| tile[k].min(run)).max(1.0);
        let work = self.work + self.rows * row / length;
        match &self.near {
            // Nothing is left to hide traffic behind where the units are as busy as in a register tile.
            Some(near) => work + near.cycles(tile) + near.runs * traffic / self.fill,
            None => work.max(traffic / self.fill),
        }
    }
}

/// Bytes a cycle from where the data would come that doesn't stay in the cache: the first level beyond that holds it all, else memory.
fn beyond(machine: &Machine, level: usize, bytes: f64) -> f64 {
    let outer = machine.caches.iter().skip(level + 1);
    let holds = outer.take_while(|c| bytes > c.share() as f64 * FILL).count();
    let from = machine.caches.get(level + holds).or(machine.caches.last());
    from.map_or(1.0, |c| f64::from(c.fill))
}

/// Cycles of computing for each iteration: two operations or two accesses at a time, as many lanes as a vector has where there will be vectors; one chain of operations after the other where
/// iterations of the innermost loop wait for each other and no register tile holds several chains.
pub(crate) fn cycles(band: &Band, machine: &Machine, micro: Option<&MicroTile>, inner: Option<usize>) -> f64 {
    if let Some(tile) = micro.filter(|m| m.sizes.iter().any(|&s| s > 1)) {
        return tile.time;
    }
    let lanes = inner.map_or(1.0, |k| self::lanes(band, machine, k));
    let accesses: u32 = band.references.iter().map(|r| r.count).sum();
    let waits = inner.filter(|&k| !band.members[k].free && !sums(band, k));
    let chain = waits.map_or(0.0, |k| band.chain * (band.members[k].run / AHEAD).clamp(1.0 / AHEAD, 1.0));
    (band.operations.max(f64::from(accesses)) / lanes / 2.0).max(chain)
}

/// Does every access stay in place along the member, or move to the next element?
fn steps(band: &Band, k: usize) -> bool {
    let step = |r: &crate::Reference| !r.vague && matches!(r.stride(k), Some(s) if s == 0.0 || s == 1.0);
    band.references.iter().all(step)
}

/// Partial sums in lanes, several vectors of them: they don't wait for each other.
fn sums(band: &Band, k: usize) -> bool {
    band.members[k].sums && band.references.iter().all(|r| !r.writes || r.is_invariant(k)) && steps(band, k)
}

/// Iterations of member `k`, as the innermost loop, that run at once.
fn lanes(band: &Band, machine: &Machine, k: usize) -> f64 {
    let vectors = sums(band, k) || (band.members[k].free && steps(band, k));
    if !vectors {
        return 1.0;
    }
    let bytes = band.references.iter().map(|r| r.bytes).max().unwrap_or(8).max(1);
    (f64::from(machine.vector_bits) / 8.0 / bytes as f64).max(1.0)
}

/// Most iterations of a band that is written out whole.
const WINDOW: u64 = 64;

/// Cycles for each iteration of a band so small that it is written out, all its loops, inside the loop around: no bounds, and where iterations of that loop run side by side and memory is
/// contiguous along it, vectors of them. `None` for larger bands, and where nothing can be modelled.
#[must_use]
pub fn window(band: &Band, machine: &Machine, side_by_side: bool) -> Option<f64> {
    let all = band.members.iter().try_fold(1u64, |n, m| Some(n.saturating_mul(m.trips?)))?;
    if all > WINDOW || band.deeper || band.outer.is_empty() {
        return None;
    }
    let bytes = band.references.iter().map(|r| r.bytes).max().unwrap_or(8).max(1);
    let steps = |r: &crate::Reference| {
        let mut around = r.outer_moves.iter().rev().map(|row| row.last().copied().unwrap_or(0.0));
        let last = around.next().unwrap_or(0.0);
        !r.vague && (last == 0.0 || last == 1.0) && around.all(|m| m == 0.0)
    };
    let vectors = side_by_side && band.references.iter().all(steps);
    let lanes = if vectors {
        (f64::from(machine.vector_bits) / 8.0 / bytes as f64).max(1.0)
    } else {
        1.0
    };
    let chain = if vectors || band.members.iter().all(|m| m.free) {
        0.0
    } else {
        band.chain
    };
    let accesses: u32 = band.references.iter().map(|r| r.count).sum();
    Some((band.operations.max(f64::from(accesses)) / lanes / 2.0).max(chain))
}

/// Less traffic; with as much, the larger inner sizes.
fn better(traffic: f64, sizes: &[u64], known: &CacheTile) -> bool {
    let (low, high) = (known.traffic * 0.999, known.traffic * 1.001);
    traffic < low || (traffic <= high && sizes.iter().rev().gt(known.sizes.iter().rev()))
}

fn advance(at: &mut [usize], choices: &[Vec<u64>]) -> bool {
    for (i, c) in at.iter_mut().zip(choices) {
        *i += 1;
        if *i < c.len() {
            return true;
        }
        *i = 0;
    }
    false
}

/// Least values of the register tile's inner loop.
const LEAST_INNER: u64 = 64;

/// Tiles that a member has at least when tiles run in wavefronts.
const FRONTS: u64 = 8;

/// Candidates below the number of values, then all values.
fn sizes_for(trips: Option<u64>, k: usize, limits: &Limits<'_>) -> Vec<u64> {
    let all = trips.unwrap_or(CacheTile::WHOLE).max(1);
    let unit = limits.micro.map_or(1, |m| m.sizes[k]).max(1);
    let least = if limits.micro.is_some_and(|m| m.inner == Some(k)) {
        LEAST_INNER
    } else {
        1
    };
    let most = match limits.parallel {
        None if limits.wavefront.is_some() && limits.innermost != Some(k) => (all / FRONTS).max(unit),
        Some((member, tiles)) if member == k => (all / tiles.max(1)).max(unit),
        _ => all,
    };
    let rounded = CANDIDATES.iter().map(|&s| s.div_ceil(unit) * unit);
    let mut sizes: Vec<u64> = rounded
        .filter(|&s| s < all && s >= least && s <= most.div_ceil(unit) * unit)
        .collect();
    sizes.dedup();
    if most == all || sizes.is_empty() {
        sizes.push(all);
    }
    sizes
}

/// Bytes for each instance when a tile's data is brought in anew for each tile, except what the innermost loop over tiles leaves in place.
fn traffic(band: &Band, tile: &[f64], whole: &[f64], line: u64) -> f64 {
    let volume: f64 = tile.iter().product();
    // The loop over tiles that varies fastest: the innermost member that is tiled.
    let fastest = (0..tile.len()).rev().find(|&k| tile[k] < whole[k]);
    let bytes: f64 = distinct(band)
        .map(|r| {
            let bytes = box_bytes(r, tile, line) * if r.writes { 2.0 } else { 1.0 };
            match fastest {
                Some(k) if r.is_invariant(k) => bytes * tile[k] / whole[k],
                _ => bytes,
            }
        })
        .sum();
    bytes / volume
}

/// Traffic of the loops as they are: data stays as long as what the inner loops touch fits.
fn untiled_traffic(band: &Band, whole: &[f64], capacity: f64, line: u64) -> f64 {
    let n = whole.len();
    // The outermost member inside which everything fits.
    let fits = (0..=n)
        .find(|&k| {
            let tile: Vec<f64> = (0..n).map(|m| if m < k { 1.0 } else { whole[m] }).collect();
            footprint(band, &tile, line) <= capacity
        })
        .unwrap_or(n);
    let tile: Vec<f64> = (0..n).map(|m| if m < fits { 1.0 } else { whole[m] }).collect();
    traffic(band, &tile, whole, line)
}

/// One reference for each box.
fn distinct(band: &Band) -> impl Iterator<Item = &crate::Reference> {
    band.references.iter().enumerate().filter_map(|(n, r)| {
        let first = band.references[..n].iter().all(|e| (e.array, &e.moves) != (r.array, &r.moves));
        first.then_some(r)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::footprint::tests::matmul;
    use crate::micro_tile;

    #[test]
    fn matmul_is_tiled_within_the_cache() {
        let machine = Machine::default();
        let micro = micro_tile(&matmul(), &machine).unwrap();
        let limits = Limits {
            micro: Some(&micro),
            parallel: Some((0, 8)),
            innermost: micro.inner,
            wavefront: None,
            resident: false,
        };
        let plan = cache_plan(&matmul(), &machine, 1, &limits);
        let tile = plan.tile.unwrap();
        assert!(tile.footprint <= 0.6 * (512 << 10) as f64, "{tile:?}");
        assert!(
            tile.traffic * 4.0 < tile.untiled && tile.sizes[0] <= 125 + micro.sizes[0],
            "{tile:?}"
        );
        assert!(
            tile.sizes[2] >= LEAST_INNER && tile.sizes[0].is_multiple_of(micro.sizes[0]) && tile.sizes[1].is_multiple_of(micro.sizes[1]),
            "{tile:?}"
        );
    }

    #[test]
    fn the_inner_loop_ends_before_its_pages_run_out() {
        // B[k][j] is in another page for each k, and what a register tile reads of it is to stay in the first level of cache.
        let machine = Machine {
            vector_bits: 256,
            ..Machine::default()
        };
        let micro = micro_tile(&matmul(), &machine).unwrap();
        let limits = Limits {
            micro: Some(&micro),
            parallel: Some((0, 8)),
            innermost: micro.inner,
            ..Limits::default()
        };
        let tile = cache_plan(&matmul(), &machine, 1, &limits).tile.unwrap();
        assert!(tile.sizes[2] <= 256 && tile.sizes[0] >= 32, "{tile:?}");
    }

    #[test]
    fn other_plans_come_after_the_best_and_differ() {
        let machine = Machine::default();
        let micro = micro_tile(&matmul(), &machine).unwrap();
        let limits = Limits {
            micro: Some(&micro),
            parallel: Some((0, 8)),
            innermost: micro.inner,
            wavefront: None,
            resident: false,
        };
        let plans = cache_plans(&matmul(), &machine, 1, &limits, 6);
        assert_eq!(plans.len(), 6);
        assert_eq!(plans[0], cache_plan(&matmul(), &machine, 1, &limits));
        assert_eq!(plans[1].tile, None);
        for (n, p) in plans.iter().enumerate() {
            assert!(plans[..n].iter().all(|q| differ(p, q)), "{p:?}");
        }
        assert!(plans[2..].windows(2).all(|w| w[0].cycles <= w[1].cycles));
    }

    #[test]
    fn wide_vectors_keep_the_inner_loop_short() {
        // A large third level is far, and 512-bit vectors hide little of what is brought in.
        let cache = |bytes, fill| crate::Cache {
            bytes,
            line: 64,
            shared_by: 1,
            fill,
        };
        let machine = Machine {
            vector_bits: 512,
            vector_registers: 32,
            caches: vec![cache(48 << 10, 32), cache(2 << 20, 12), cache(256 << 20, 4)],
            ..Machine::default()
        };
        let mut band = matmul();
        band.operations = 1.0;
        for (m, trips) in band.members.iter_mut().zip([1000, 1100, 1200]) {
            m.trips = Some(trips);
            m.run = trips as f64;
        }
        let micro = micro_tile(&band, &machine).unwrap();
        let limits = Limits {
            micro: Some(&micro),
            innermost: micro.inner,
            ..Limits::default()
        };
        let tile = cache_plan(&band, &machine, 1, &limits).tile.unwrap();
        assert!(tile.sizes[2] <= 256 && tile.sizes[0] >= 128 && tile.sizes[1] >= 96, "{tile:?}");
    }

    #[test]
    fn sums_whose_order_may_change_grow_in_vectors() {
        // x[i] -= L[i][j] * x[j], j innermost.
        let mut band = matmul();
        band.references = vec![
            crate::footprint::tests::reference(0, &[&[0.0, 0.0, 0.0]], true),
            crate::footprint::tests::reference(1, &[&[0.0, 0.0, 1.0]], false),
        ];
        let machine = Machine::default();
        let chained = cycles(&band, &machine, None, Some(2));
        assert_eq!(chained, band.chain);
        band.members[2].sums = true;
        assert!(cycles(&band, &machine, None, Some(2)) < chained / 4.0);
        // Lanes far apart would be gathered.
        band.references[1].moves = vec![vec![0.0, 0.0, 7.0]];
        assert_eq!(cycles(&band, &machine, None, Some(2)), chained);
    }

    #[test]
    fn what_fits_is_left_alone() {
        let mut small = matmul();
        for m in &mut small.members {
            m.trips = Some(20);
        }
        assert_eq!(cache_plan(&small, &Machine::default(), 1, &Limits::default()).tile, None);
    }

    #[test]
    fn streaming_gains_nothing() {
        let mut band = matmul();
        band.references.truncate(1);
        band.members.truncate(2);
        for row in band.references.iter_mut().flat_map(|r| &mut r.moves) {
            row.truncate(2);
        }
        assert_eq!(cache_plan(&band, &Machine::default(), 1, &Limits::default()).tile, None);
    }

    #[test]
    fn tiles_must_save_time_and_not_only_traffic() {
        // Much computing for each byte: nothing waits for memory.
        let mut band = matmul();
        band.operations = 500.0;
        assert_eq!(cache_plan(&band, &Machine::default(), 1, &Limits::default()).tile, None);
    }
}
