//! Register tiles: which member becomes the vector, and which are unrolled and jammed around the innermost loop.

use crate::cache::SKEWED;
use crate::{Band, Machine, Reference};

/// A register tile of a band.
#[derive(Debug, Clone, PartialEq)]
pub struct MicroTile {
    /// The member whose consecutive values fill vectors. When the band doesn't call it coincident, that it may be a vector loop inside the tile is to be proved.
    pub vector: Option<usize>,
    /// The member that stays a loop inside the tile, the innermost: results stay in registers across it.
    pub inner: Option<usize>,
    /// Values of each member inside the tile; 1 for those that are not unrolled.
    pub sizes: Vec<u64>,
    /// Loads and stores for each instance (vectors count as one), an estimate.
    pub memory: f64,
    /// Cycles for each instance: of its operations, its loads and stores, or of waiting for results, whichever takes longest.
    pub time: f64,
    /// Cycles for each instance to bring what passes through vectors into the first level of cache, where vectors are as long as lines. Part of what tiles are compared by, not of `time`: what stays
    /// there is known only with the tiles around.
    pub brought: f64,
}

impl MicroTile {
    /// What tiles are compared by.
    fn cost(&self) -> f64 {
        self.time + self.brought
    }

    /// Does it cost less than the part `factor` of the other, or as much with less than that part of the loads and stores?
    fn beats(&self, other: &MicroTile, factor: f64) -> bool {
        self.cost() < factor * other.cost() || (self.cost() <= 1.001 * other.cost() && self.memory < factor * other.memory)
    }
}

/// Unrolled copies of a member that are tried.
const UNROLL: [u64; 7] = [1, 2, 3, 4, 6, 8, 12];

/// Copies of a member, all of it, that are tried whatever their number.
const MOST_WHOLE: u64 = 12;

/// Most statement instances in a tile, in vectors: code size and compile time grow with it.
const MOST_COPIES: u64 = 32;

/// The register tile of a permutable band that needs the fewest loads and stores and still hides the latency of the operations.
///
/// Where unrolling gains nothing, all sizes are 1 and only the vector member is named. `None` when the band isn't permutable, when an access isn't modelled, or when there is neither a
/// tile nor a vector member.
#[must_use]
pub fn micro_tile(band: &Band, machine: &Machine) -> Option<MicroTile> {
    micro_tiles(band, machine, 1).into_iter().next()
}

/// As [`micro_tile`], and what else is worth a measurement: at most `most` tiles, the best first, then the plain vector member, then others by what they load and store. Empty where
/// there is none.
#[must_use]
pub fn micro_tiles(band: &Band, machine: &Machine, most: usize) -> Vec<MicroTile> {
    if !band.permutable || band.deeper || band.members.is_empty() || band.references.iter().any(|r| r.vague) {
        return Vec::new();
    }
    let bits = u64::from(machine.vector_bits) / 8;
    let Some(lanes) = band.references.iter().map(|r| bits / r.bytes.max(1)).min() else {
        return Vec::new();
    };
    let lanes = lanes.max(1);
    let mut plain: Option<MicroTile> = None;
    let mut best: Option<MicroTile> = None;
    let mut all: Vec<MicroTile> = Vec::new();
    for vector in vector_choices(band) {
        let form = Form {
            vector,
            width: if vector.is_some() { lanes } else { 1 },
        };
        keep_better(&mut plain, form.plain(band, machine));
        for inner in inner_choices(band, vector) {
            for sizes in tiles(band, form, inner) {
                let Some(made) = form.tile(band, machine, sizes, inner) else {
                    continue;
                };
                all.extend((most > 1 && made.sizes.iter().any(|&s| s > 1)).then(|| made.clone()));
                keep_better(&mut best, Some(made));
            }
        }
    }
    let gains = |m: &MicroTile| plain.as_ref().is_none_or(|p| m.beats(p, GAIN));
    let first = best.filter(|m| m.sizes.iter().any(|&s| s > 1) && gains(m));
    let mut list: Vec<MicroTile> = first.into_iter().chain(plain).take(most).collect();
    all.sort_by(|a, b| a.cost().total_cmp(&b.cost()).then(a.memory.total_cmp(&b.memory)));
    for tile in all {
        if list.len() >= most {
            break;
        }
        if !list.contains(&tile) {
            list.push(tile);
        }
    }
    list
}

/// A tile must need so much less time, or fewer loads and stores, than the plain vector loop.
const GAIN: f64 = 0.95;

fn keep_better(known: &mut Option<MicroTile>, new: Option<MicroTile>) {
    if let Some(new) = new
        && known.as_ref().is_none_or(|k| new.beats(k, 0.999))
    {
        *known = Some(new);
    }
}

/// Members that may become the vector: parallel ones along which what is written is contiguous (what is read elsewhere is gathered); the smooth one that isn't called parallel but may prove to
/// be inside the tile; none.
fn vector_choices(band: &Band) -> Vec<Option<usize>> {
    let writes_well = |k: usize| {
        band.references
            .iter()
            .filter(|r| r.writes)
            .all(|r| matches!(r.stride(k), Some(s) if s == 0.0 || s == 1.0))
    };
    let writes = |k: usize| band.references.iter().any(|r| r.writes && r.stride(k) == Some(1.0));
    // Lanes are written one by one only where there is much to compute for each.
    let dear = band.operations >= DEAR * band.statements.max(1) as f64;
    let well = |k: usize| (writes_well(k) && writes(k)) || dear;
    let parallel = (0..band.members.len()).filter(|&k| band.members[k].coincident && well(k));
    let mut choices: Vec<Option<usize>> = parallel.map(Some).collect();
    // What stays in place along a loop accumulates there, in order.
    let moves_on = |k: &usize| band.references.iter().filter(|r| r.writes).all(|r| r.stride(*k) == Some(1.0));
    let smooth = contiguous(band).filter(|&k| band.members[k].free).filter(moves_on).map(Some);
    choices.extend(smooth.filter(|s| !choices.contains(s)));
    choices.push(None);
    choices
}

/// The member along which most accesses step by one element or stay, and none jumps: as the innermost loop it may become a vector loop, whether or not the band says that it is parallel.
#[must_use]
pub fn contiguous(band: &Band) -> Option<usize> {
    let smooth = |k: usize| {
        band.references
            .iter()
            .all(|r| !r.vague && matches!(r.stride(k), Some(s) if s == 0.0 || s == 1.0))
    };
    (0..band.members.len())
        .filter(|&k| smooth(k) && unit_strides(band, k) > 0)
        .max_by_key(|&k| (unit_strides(band, k), k))
}

/// Operations of an instance (a division counts as ten) from which vectors pay even though their lanes are written one by one.
const DEAR: f64 = 10.0;

fn unit_strides(band: &Band, k: usize) -> u32 {
    band.references.iter().filter(|r| r.stride(k) == Some(1.0)).map(|r| r.count).sum()
}

/// Members that may stay the innermost loop: those along which every statement accumulates in one place come first, then those whose iterations wait for each other, then none.
fn inner_choices(band: &Band, vector: Option<usize>) -> Vec<Option<usize>> {
    let kept = |k: &usize| band.references.iter().filter(|r| r.writes).all(|r| r.is_invariant(*k));
    let mut choices: Vec<Option<usize>> = (0..band.members.len())
        .filter(|k| Some(*k) != vector)
        .filter(kept)
        .map(Some)
        .collect();
    let mut waits: Vec<usize> = (0..band.members.len()).filter(|&k| Some(k) != vector && recurs(band, k)).collect();
    // The one along which memory is contiguous first, then the innermost.
    let smooth = contiguous(band);
    waits.sort_by_key(|&k| (smooth != Some(k), std::cmp::Reverse(k)));
    choices.extend(waits.into_iter().map(Some));
    choices.push(None);
    choices
}

/// Does each iteration of the member, as the innermost loop, wait for the one before it, and write elsewhere?
fn recurs(band: &Band, k: usize) -> bool {
    !band.members[k].free && band.references.iter().any(|r| r.writes && !r.is_invariant(k))
}

/// Tiles with at most two unrolled members beside the innermost loop.
fn tiles(band: &Band, form: Form, inner: Option<usize>) -> Vec<Vec<u64>> {
    let n = band.members.len();
    let fits = |k: usize, size: u64| band.members[k].trips.is_none_or(|t| t >= size);
    let mut out = vec![vec![1; n]];
    for k in (0..n).filter(|&k| Some(k) != inner) {
        let unit = if Some(k) == form.vector { form.width } else { 1 };
        // Short loops may be written out whole.
        let whole = band.members[k].trips.filter(|t| t % unit == 0).map(|t| t / unit);
        let whole = whole.filter(|u| *u <= MOST_WHOLE && !UNROLL.contains(u));
        let mut more = Vec::new();
        for base in &out {
            for u in UNROLL.into_iter().chain(whole) {
                let mut sizes = base.clone();
                sizes[k] = u * unit;
                let copies: u64 = sizes.iter().product::<u64>() / form.width;
                let unrolled = sizes.iter().filter(|&&s| s > 1).count();
                if copies <= MOST_COPIES && unrolled <= 2 && fits(k, sizes[k]) {
                    more.push(sizes);
                }
            }
        }
        out = more;
    }
    out
}

/// Which member is the vector, and how many of its values one holds.
#[derive(Debug, Clone, Copy)]
struct Form {
    vector: Option<usize>,
    width: u64,
}

impl Form {
    /// Nothing unrolled: only the vector member's place, innermost.
    fn plain(self, band: &Band, machine: &Machine) -> Option<MicroTile> {
        let member = self.vector.filter(|&k| contiguous(band) == Some(k) || band.members[k].coincident)?;
        let smooth = band
            .references
            .iter()
            .all(|r| matches!(r.stride(member), Some(s) if s == 0.0 || s == 1.0));
        if !smooth {
            return None;
        }
        let mut sizes = vec![1; band.members.len()];
        sizes[member] = self.width;
        let mut tile = self.tile(band, machine, sizes, None)?;
        tile.sizes[member] = 1;
        Some(tile)
    }

    /// Registers that a reference fills in the tile: vectors, or single values where nothing of it is a vector.
    fn registers(self, r: &Reference, sizes: &[u64]) -> u64 {
        let copies = |(k, &s): (usize, &u64)| match r.is_invariant(k) {
            true => 1,
            false if Some(k) == self.vector => (s / self.width).max(1),
            false => s,
        };
        sizes.iter().enumerate().map(copies).product()
    }

    /// Is it loaded (or stored) lane by lane, since the vector member jumps?
    fn gathered(self, r: &Reference) -> bool {
        self.vector.is_some_and(|k| !matches!(r.stride(k), Some(s) if s == 0.0 || s == 1.0))
    }

    /// Loads (or stores) of a reference in the tile: lane by lane where the vector member jumps.
    fn loads(self, r: &Reference, sizes: &[u64]) -> u64 {
        self.registers(r, sizes) * if self.gathered(r) { GATHERED * self.width } else { 1 }
    }

    /// The tile of these sizes and what it costs; `None` when the results don't fit into the registers, or copies that were to run side by side depend on each other.
    fn tile(self, band: &Band, machine: &Machine, sizes: Vec<u64>, inner: Option<usize>) -> Option<MicroTile> {
        // What no member moves is loaded once, before everything.
        let fixed = |r: &Reference| (0..sizes.len()).all(|k| r.is_invariant(k));
        let kept = |r: &&Reference| fixed(r) || inner.is_some_and(|k| r.is_invariant(k));
        // Each place of a reference that stays has registers of its own.
        let places = |r: &Reference| r.places.len().max(1) as u64;
        let results: u64 = band
            .references
            .iter()
            .filter(kept)
            .map(|r| places(r).saturating_mul(self.registers(r, &sizes)))
            .fold(0, u64::saturating_add);
        let chains: u64 = band
            .references
            .iter()
            .filter(|r| r.writes && kept(r))
            .map(|r| self.registers(r, &sizes))
            .sum();
        let moving = band.references.iter().filter(|r| !kept(r));
        // One operand at a time is held for all copies, the others pass through two registers: with one, register allocation finds no way round copies.
        let operands = moving.clone().map(|r| self.registers(r, &sizes)).min().unwrap_or(0) + 2;
        if results + operands > u64::from(machine.vector_registers) {
            return None;
        }
        let copies = sizes.iter().product::<u64>() / self.width;
        let waits = inner.is_some_and(|k| recurs(band, k));
        if waits && (0..sizes.len()).any(|k| sizes[k] > 1 && !band.members[k].free) {
            return None;
        }
        let memory: u64 = moving.clone().map(|r| self.loads(r, &sizes) * if r.writes { 2 } else { 1 }).sum();
        // Lanes are moved to their places by the units that compute, which have time for it where iterations wait for each other.
        let gathered = moving.clone().filter(|r| !waits && self.gathered(r));
        let moved: u64 = gathered.map(|r| self.registers(r, &sizes) * self.width).sum();
        // Vectors as long as a line compute as fast as lines come; narrower ones hide that.
        let lines = |r: &&Reference| {
            let first = machine.caches.first();
            self.vector.is_some_and(|k| !r.is_invariant(k)) && first.is_some_and(|c| self.width * r.bytes >= c.line)
        };
        let bytes: u64 = moving.filter(lines).map(|r| self.registers(r, &sizes) * self.width * r.bytes).sum();
        // What is done to an operand alone is done once for all copies that use it.
        let alone = || band.references.iter().filter(|r| !r.writes);
        let shared: f64 = alone().map(|r| r.operations).sum();
        let prepared: f64 = alone().map(|r| r.operations * self.registers(r, &sizes) as f64).sum();
        let operations = (band.operations - shared).max(0.0) * copies as f64 + prepared + moved as f64;
        // Dependent operations: with fewer results than chains the units wait.
        let waiting = if chains > 0 {
            (SLACK * f64::from(machine.chains) / chains as f64).max(1.0)
        } else {
            1.0
        };
        let instances = (copies * self.width) as f64;
        let working = operations.max(memory as f64) / 2.0;
        // Copies of iterations that wait for each other are chains that run side by side.
        let chain = if waits { band.chain } else { 0.0 };
        let time = working.max(waiting * copies as f64 / 2.0).max(chain) / instances;
        // What fills no tile goes through memory, vector by vector.
        let width = self.width as f64;
        let rest = partial_share(band, &sizes);
        let unrolled = sizes.iter().product::<u64>() > self.width;
        let row = self
            .vector
            .filter(|_| unrolled)
            .map_or(0.0, |k| START / (sizes[k] as f64 / 2.0).max(1.0));
        let slow = ((band.operations.max(PASSING)) / 2.0 + PARTIAL) / width + row;
        Some(MicroTile {
            vector: self.vector,
            inner,
            memory: memory as f64 / instances,
            time: (1.0 - rest) * time + rest * slow.max(time),
            brought: SEEN * bytes as f64 / instances / machine.caches.first().map_or(1.0, |c| f64::from(c.fill)),
            sizes,
        })
    }
}

/// The part of the time for lines from the second level that computing doesn't hide, at least.
pub(crate) const SEEN: f64 = 0.25;

/// So many times the chains that just keep the units busy hide what else delays an operation.
const SLACK: f64 = 1.25;

/// Loads, or what takes as long, for each lane that is loaded by itself: the load, and moving it to its place.
const GATHERED: u64 = 3;

/// Loads and stores of an instance outside the tile.
const PASSING: f64 = 3.0;

/// Cycles of loops and bounds for each vector outside full tiles.
const PARTIAL: f64 = 3.0;

/// Cycles to start a row of a partial tile, half a tile long.
const START: f64 = 5.0;

/// The part of a band's instances that lies outside full tiles, for members whose number of values is known: what is left over at the ends, and along slanted sides.
fn partial_share(band: &Band, sizes: &[u64]) -> f64 {
    let full = |(m, &s): (&crate::MemberInfo, &u64)| match m.trips {
        Some(t) if s > 1 && t > 0 => (t - t % s) as f64 / t as f64,
        _ => 1.0,
    };
    // Along the sides of a skewed band rows shift, but are as long as inside.
    let skewed = |k: usize| band.members[k].trips.is_some_and(|t| band.members[k].run < SKEWED * t as f64);
    let cut = |&(a, b): &(usize, usize)| {
        if skewed(a) || skewed(b) {
            return 1.0;
        }
        let side = |k: usize| band.members[k].trips.map_or(0.0, |t| (sizes[k] - 1) as f64 / t.max(1) as f64);
        (1.0 - side(a) - side(b)).max(0.0)
    };
    let ends: f64 = band.members.iter().zip(sizes).map(full).product();
    let sides: f64 = band.slanted.iter().map(cut).product();
    1.0 - ends * sides
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemberInfo;
    use crate::footprint::tests::{matmul, reference};

    #[test]
    fn matmul_keeps_a_block_of_results() {
        let tile = micro_tile(&matmul(), &Machine::default()).unwrap();
        assert_eq!((tile.vector, tile.inner), (Some(1), Some(2)));
        let results = tile.sizes[0] * tile.sizes[1] / 2;
        assert!((8..=14).contains(&results), "{tile:?}");
        assert!(tile.sizes[0] > 1 && tile.sizes[1] > 2, "{tile:?}");
    }

    fn wide() -> Machine {
        Machine {
            vector_bits: 256,
            ..Machine::default()
        }
    }

    #[test]
    fn registers_are_used_up() {
        // Multiply-adds: 12 vectors of results, 2 of one operand, two for the other; or 10 where that divides better.
        let mut band = matmul();
        band.operations = 1.0;
        let tile = micro_tile(&band, &wide()).unwrap();
        assert!(tile.sizes[0] * tile.sizes[1] / 4 >= 10, "{tile:?}");
    }

    #[test]
    fn vectors_as_long_as_lines_are_used_by_many_rows() {
        // One row of 12 vectors would load a line for each multiply-add; and a row that is left over must not decide.
        let machine = Machine {
            vector_bits: 512,
            vector_registers: 32,
            ..Machine::default()
        };
        for rows in [1000, 1001, 1967] {
            let mut band = matmul();
            band.operations = 1.0;
            band.members[0].trips = Some(rows);
            let tile = micro_tile(&band, &machine).unwrap();
            assert!(tile.sizes[0] >= 4 && tile.sizes[0] * tile.sizes[1] / 8 >= 16, "{tile:?}");
        }
    }

    #[test]
    fn scaled_operands_are_shared_by_long_rows() {
        // C[i][j] += (alpha * A[i][k]) * B[k][j]: the product is made once for each row of the tile.
        let mut band = matmul();
        band.operations = 3.0;
        band.references[1].operations = 1.0;
        let tile = micro_tile(&band, &wide()).unwrap();
        assert!(tile.sizes[0] <= 2 && tile.sizes[1] >= 20, "{tile:?}");
        assert!(tile.time < 1.25 * micro_tile(&matmul(), &wide()).unwrap().time, "{tile:?}");
    }

    #[test]
    fn each_place_of_what_stays_has_registers() {
        // C[i][j] and C[i - n][j], of two statements: both stay in registers while k runs.
        let whole = micro_tile(&matmul(), &wide()).unwrap();
        let mut band = matmul();
        band.references[0].places = vec![vec![0.0, 0.0], vec![-1.0, 0.0]];
        let tile = micro_tile(&band, &wide()).unwrap();
        let registers = |t: &MicroTile| t.sizes[0] * t.sizes[1] / 4;
        assert!(
            2 * registers(&tile) <= 14 && registers(&tile) < registers(&whole),
            "{tile:?} {whole:?}"
        );
    }

    #[test]
    fn tiles_divide_small_loops() {
        let mut band = matmul();
        for m in &mut band.members {
            m.trips = Some(128);
        }
        let tile = micro_tile(&band, &wide()).unwrap();
        assert_eq!((128 % tile.sizes[1], tile.inner), (0, Some(2)), "{tile:?}");
    }

    #[test]
    fn slanted_sides_ask_for_smaller_tiles() {
        // C[i][j] += A[i][k] * B[k][j] for j <= i: along the diagonal no tile is full.
        let mut band = matmul();
        for m in &mut band.members {
            m.trips = Some(60);
        }
        let whole = micro_tile(&band, &wide()).unwrap();
        assert_eq!(partial_share(&band, &[6, 12, 1]), 0.0);
        band.slanted = vec![(0, 1)];
        let share = partial_share(&band, &[6, 12, 1]);
        assert!((share - 16.0 / 60.0).abs() < 1e-9, "{share}");
        assert!(partial_share(&band, &[60, 60, 1]) >= 1.0);
        let cut = micro_tile(&band, &wide()).unwrap();
        assert!(
            cut.time > 1.2 * whole.time && cut.sizes[0] + cut.sizes[1] <= whole.sizes[0] + whole.sizes[1],
            "{cut:?} {whole:?}"
        );
    }

    #[test]
    fn dot_products_are_jammed() {
        // y[i] += A[i][j] * x[j]: no vector, several rows at once.
        let member = |coincident| MemberInfo {
            trips: None,
            run: 1000.0,
            coincident,
            free: coincident,
            sums: false,
        };
        let band = Band {
            members: vec![member(true), member(false)],
            permutable: true,
            slanted: Vec::new(),
            references: vec![
                reference(0, &[&[1.0, 0.0]], true),
                reference(1, &[&[1.0, 0.0], &[0.0, 1.0]], false),
                reference(2, &[&[0.0, 1.0]], false),
            ],
            deeper: false,
            statements: 1,
            instances: 1e9,
            operations: 2.0,
            chain: 4.0,
            outer: Vec::new(),
        };
        let tile = micro_tile(&band, &Machine::default()).unwrap();
        assert_eq!((tile.vector, tile.inner), (None, Some(1)));
        assert!(tile.sizes[0] >= 4 && tile.sizes[1] == 1, "{tile:?}");
    }

    #[test]
    fn other_tiles_come_after_the_best() {
        let list = micro_tiles(&matmul(), &Machine::default(), 5);
        assert_eq!(list.len(), 5);
        assert_eq!(Some(&list[0]), micro_tile(&matmul(), &Machine::default()).as_ref());
        // The second is the vector member alone.
        assert!(list[1].sizes.iter().all(|&s| s == 1), "{list:?}");
        assert!(list[2..].windows(2).all(|w| w[0].memory <= w[1].memory), "{list:?}");
    }

    #[test]
    fn streams_only_get_a_vector_member() {
        // B[i][j] = A[i][j]: nothing is reused.
        let mut band = matmul();
        band.members.truncate(2);
        band.references = vec![
            reference(0, &[&[1.0, 0.0], &[0.0, 1.0]], true),
            reference(1, &[&[1.0, 0.0], &[0.0, 1.0]], false),
        ];
        let tile = micro_tile(&band, &Machine::default()).unwrap();
        assert_eq!((tile.vector, tile.inner, tile.sizes), (Some(1), None, vec![1, 1]));
    }

    #[test]
    fn recurrences_run_side_by_side() {
        // p[i][j] = c / (a p[i][j - 1] + b): rows are independent, columns wait for each other.
        let mut band = matmul();
        band.members.truncate(2);
        band.members[1].coincident = false;
        band.members[1].free = false;
        band.references = vec![reference(0, &[&[1.0, 0.0], &[0.0, 1.0]], true)];
        band.operations = 6.0;
        band.chain = 17.0;
        let tile = micro_tile(&band, &Machine::default()).unwrap();
        assert_eq!((tile.vector, tile.inner), (None, Some(1)), "{tile:?}");
        assert!((6..=8).contains(&tile.sizes[0]), "{tile:?}");
    }

    #[test]
    fn a_strided_operand_is_gathered_once_for_all_rows() {
        // C[i][j] += A[i][k] * B[j][k], as in syrk.
        let mut band = matmul();
        band.references[2] = reference(2, &[&[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]], false);
        let tile = micro_tile(&band, &Machine::default()).unwrap();
        assert_eq!((tile.vector, tile.inner), (Some(1), Some(2)), "{tile:?}");
        assert!(tile.sizes[0] >= 4, "{tile:?}");
        // The units that compute also move the lanes to their places.
        let plain = micro_tile(&matmul(), &Machine::default()).unwrap();
        assert!(tile.time > 1.05 * plain.time, "{tile:?} {plain:?}");
    }

    #[test]
    fn a_band_that_is_not_permutable_has_none() {
        let mut band = matmul();
        band.permutable = false;
        assert_eq!(micro_tile(&band, &Machine::default()), None);
    }
}
