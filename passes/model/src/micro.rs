//! Register tiles: which member becomes the vector, and which are unrolled and jammed around the innermost loop.

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
}

/// Unrolled copies of a member that are tried.
const UNROLL: [u64; 7] = [1, 2, 3, 4, 6, 8, 12];

/// Most statement instances in a tile, in vectors: code size and compile time grow with it.
const MOST_COPIES: u64 = 32;

/// The register tile of a permutable band that needs the fewest loads and stores and still hides the latency of the operations. Where unrolling gains nothing, all sizes are 1 and only the vector member is
/// named. `None` when the band isn't permutable, when an access isn't modelled, or when there is neither a tile nor a vector member.
#[must_use]
pub fn micro_tile(band: &Band, machine: &Machine) -> Option<MicroTile> {
    if !band.permutable || band.deeper || band.members.is_empty() || band.references.iter().any(|r| r.vague) {
        return None;
    }
    let lanes = band
        .references
        .iter()
        .map(|r| u64::from(machine.vector_bits) / 8 / r.bytes.max(1))
        .min()?
        .max(1);
    let vector = (0..band.members.len())
        .filter(|&k| vectorises(band, k))
        .max_by_key(|&k| (unit_strides(band, k), k));
    let width = if vector.is_some() { lanes } else { 1 };
    let plain = plain(band, machine, (vector, width));
    let mut best: Option<MicroTile> = None;
    for inner in inner_choices(band, vector) {
        for sizes in tiles(band, vector, inner, width) {
            let Some(memory) = cost(band, machine, &sizes, (vector, width), inner) else {
                continue;
            };
            if best.as_ref().is_none_or(|b| memory < b.memory * 0.999) {
                best = Some(MicroTile {
                    vector,
                    inner,
                    sizes,
                    memory,
                });
            }
        }
    }
    let gains = |m: &MicroTile| plain.as_ref().is_none_or(|p| m.memory < GAIN * p.memory);
    best.filter(|m| m.sizes.iter().any(|&s| s > 1) && gains(m)).or(plain)
}

/// A tile must need so much less memory traffic than the plain vector loop.
const GAIN: f64 = 0.95;

/// Nothing unrolled: only the vector member's place, innermost.
fn plain(band: &Band, machine: &Machine, (vector, width): (Option<usize>, u64)) -> Option<MicroTile> {
    let member = vector?;
    let mut sizes = vec![1; band.members.len()];
    sizes[member] = width;
    let memory = cost(band, machine, &sizes, (vector, width), None)?;
    sizes[member] = 1;
    Some(MicroTile {
        vector,
        inner: None,
        sizes,
        memory,
    })
}

/// May the member's consecutive values fill a vector: parallel, and each access steps by one element or not at all?
fn vectorises(band: &Band, k: usize) -> bool {
    band.members[k].coincident
        && band
            .references
            .iter()
            .all(|r| matches!(r.stride(k), Some(s) if s == 0.0 || s == 1.0))
        && unit_strides(band, k) > 0
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

fn unit_strides(band: &Band, k: usize) -> u32 {
    band.references.iter().filter(|r| r.stride(k) == Some(1.0)).map(|r| r.count).sum()
}

/// Members that may stay the innermost loop: those along which a written place stays the same come first, then none.
fn inner_choices(band: &Band, vector: Option<usize>) -> Vec<Option<usize>> {
    let kept = |k: &usize| band.references.iter().any(|r| r.writes && r.is_invariant(*k));
    let mut choices: Vec<Option<usize>> = (0..band.members.len())
        .filter(|k| Some(*k) != vector)
        .filter(kept)
        .map(Some)
        .collect();
    choices.push(None);
    choices
}

/// Tiles with at most two unrolled members beside the innermost loop.
fn tiles(band: &Band, vector: Option<usize>, inner: Option<usize>, width: u64) -> Vec<Vec<u64>> {
    let n = band.members.len();
    let fits = |k: usize, size: u64| band.members[k].trips.is_none_or(|t| t >= size);
    let free: Vec<usize> = (0..n).filter(|&k| Some(k) != inner).collect();
    let mut out = vec![vec![1; n]];
    for k in free {
        let unit = if Some(k) == vector { width } else { 1 };
        let mut more = Vec::new();
        for base in &out {
            for u in UNROLL {
                let mut sizes = base.clone();
                sizes[k] = u * unit;
                let copies: u64 = sizes.iter().product::<u64>() / width;
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

/// Loads and stores for each instance; `None` when the results don't fit into the registers.
fn cost(band: &Band, machine: &Machine, sizes: &[u64], (vector, width): (Option<usize>, u64), inner: Option<usize>) -> Option<f64> {
    let vectors = |r: &Reference| -> u64 {
        let copies = |(k, &s): (usize, &u64)| match r.is_invariant(k) {
            true => 1,
            false if Some(k) == vector => (s / width).max(1),
            false => s,
        };
        sizes.iter().enumerate().map(copies).product()
    };
    // What no member moves is loaded once, before everything.
    let fixed = |r: &Reference| (0..sizes.len()).all(|k| r.is_invariant(k));
    let kept = |r: &&Reference| fixed(r) || inner.is_some_and(|k| r.is_invariant(k));
    let results: u64 = band.references.iter().filter(kept).map(vectors).sum();
    let moving: Vec<u64> = band.references.iter().filter(|r| !kept(r)).map(vectors).collect();
    // One operand at a time is held for all copies, the others pass through two registers.
    let operands = moving.iter().min().copied().unwrap_or(0) + 2;
    if results + operands > u64::from(machine.vector_registers) {
        return None;
    }
    let copies = sizes.iter().product::<u64>() / width;
    let memory: u64 = band
        .references
        .iter()
        .filter(|r| !kept(r))
        .map(|r| vectors(r) * if r.writes { 2 } else { 1 })
        .sum();
    // Dependent operations: with fewer results than chains the units wait.
    let waiting = if results > 0 {
        (machine.chains as f64 / results as f64).max(1.0)
    } else {
        1.0
    };
    Some((memory as f64).max(waiting * copies as f64 / 2.0) / (copies * width) as f64)
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

    #[test]
    fn dot_products_are_jammed() {
        // y[i] += A[i][j] * x[j]: no vector, several rows at once.
        let member = |coincident| MemberInfo { trips: None, coincident };
        let band = Band {
            members: vec![member(true), member(false)],
            permutable: true,
            references: vec![
                reference(0, &[&[1.0, 0.0]], true),
                reference(1, &[&[1.0, 0.0], &[0.0, 1.0]], false),
                reference(2, &[&[0.0, 1.0]], false),
            ],
            deeper: false,
            statements: 1,
            instances: 1e9,
            operations: 2,
        };
        let tile = micro_tile(&band, &Machine::default()).unwrap();
        assert_eq!((tile.vector, tile.inner), (None, Some(1)));
        assert!(tile.sizes[0] >= 4 && tile.sizes[1] == 1, "{tile:?}");
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
    fn a_band_that_is_not_permutable_has_none() {
        let mut band = matmul();
        band.permutable = false;
        assert_eq!(micro_tile(&band, &Machine::default()), None);
    }
}
