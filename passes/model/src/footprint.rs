//! How much memory a tile touches.

use crate::{Band, Reference};

/// Bytes that the band's accesses touch, in whole cache lines, when member `k` takes `tile[k]` consecutive values: the box around each reference, one box for
/// references that move alike.
#[must_use]
pub fn footprint(band: &Band, tile: &[f64], line: u64) -> f64 {
    // References to one array that move alike overlap but for a halo: the greatest box stands for all.
    let alike = |a: &Reference, b: &Reference| a.array == b.array && a.moves == b.moves;
    let mut sum = 0.0;
    for (n, r) in band.references.iter().enumerate() {
        if band.references[..n].iter().any(|e| alike(e, r)) {
            continue;
        }
        let boxes = band.references[n..].iter().filter(|e| alike(e, r));
        sum += boxes.map(|e| box_bytes(e, tile, line)).fold(0.0, f64::max);
    }
    sum
}

/// Bytes of the box that one reference touches.
pub(crate) fn box_bytes(r: &Reference, tile: &[f64], line: u64) -> f64 {
    let extent = |d: usize| {
        let moved: f64 = r.moves[d].iter().zip(tile).map(|(c, t)| c.abs() * (t - 1.0)).sum();
        let sweep = r.sweep.get(d).copied().unwrap_or(1.0);
        (sweep + moved).min(r.most.get(d).copied().unwrap_or(f64::INFINITY))
    };
    let Some(last) = r.moves.len().checked_sub(1) else {
        return line as f64;
    };
    let rows: f64 = (0..last).map(extent).product();
    let bytes = extent(last) * r.bytes as f64;
    // A run of bytes starts anywhere in a line.
    let lines = (bytes / line as f64 + 1.0 - 1.0 / line as f64).max(1.0).floor();
    rows * lines * line as f64
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::MemberInfo;
    use tilia_scop::{ArrayId, StmtId};

    pub(crate) fn reference(array: u32, moves: &[&[f64]], writes: bool) -> Reference {
        Reference {
            array: ArrayId(array),
            bytes: 8,
            stmt: StmtId(0),
            moves: moves.iter().map(|r| r.to_vec()).collect(),
            outer_moves: vec![Vec::new(); moves.len()],
            sweep: vec![1.0; moves.len()],
            most: vec![1000.0; moves.len()],
            writes,
            count: 1,
            places: Vec::new(),
            operations: 0.0,
            vague: false,
        }
    }

    /// `C[i][j] += A[i][k] * B[k][j]` with members (i, j, k).
    pub(crate) fn matmul() -> Band {
        let member = |coincident| MemberInfo {
            trips: Some(1000),
            run: 1000.0,
            coincident,
            free: coincident,
            sums: false,
        };
        Band {
            members: vec![member(true), member(true), member(false)],
            permutable: true,
            slanted: Vec::new(),
            references: vec![
                reference(0, &[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]], true),
                reference(1, &[&[1.0, 0.0, 0.0], &[0.0, 0.0, 1.0]], false),
                reference(2, &[&[0.0, 0.0, 1.0], &[0.0, 1.0, 0.0]], false),
            ],
            deeper: false,
            statements: 1,
            instances: 1e9,
            operations: 2.0,
            chain: 4.0,
            outer: Vec::new(),
        }
    }

    #[test]
    fn boxes_in_lines() {
        let band = matmul();
        // C: 4 rows of 16 doubles (2 lines, or 3 where they start inside one), A: 4 rows of 32, B: 32 rows of 16.
        let bytes = footprint(&band, &[4.0, 16.0, 32.0], 64);
        assert_eq!(bytes, 64.0 * (4.0 * 2.0 + 4.0 * 4.0 + 32.0 * 2.0));
    }

    #[test]
    fn no_box_is_larger_than_what_there_is() {
        let mut r = reference(0, &[&[-2.0, 1.0], &[0.0, 0.0]], false);
        r.most = vec![10.0, 1.0];
        assert_eq!(box_bytes(&r, &[100.0, 50.0], 64), 10.0 * 64.0);
    }

    #[test]
    fn loops_below_the_band_sweep() {
        let mut r = reference(0, &[&[1.0], &[0.0]], false);
        r.sweep = vec![1.0, 100.0];
        assert_eq!(box_bytes(&r, &[2.0], 64), 2.0 * 13.0 * 64.0);
    }
}
