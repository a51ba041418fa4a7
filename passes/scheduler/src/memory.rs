//! How statements move through memory: strides of their accesses, and what follows for the order of iterators.

use crate::model::Model;
use tilia_presburger::{Aff, Budget, DimType, Int, PwMultiAff};
use tilia_scop::{Access, AccessKind, ArrayKind, Scop};
use tilia_strategy::Stride;

/// Ranks are powers of ten up to this exponent.
const MAX_EXPONENT: u32 = 6;

/// The stride of an access for each iterator of a statement of that depth.
pub(crate) fn strides(access: &Access, depth: usize, b: &Budget) -> Vec<Stride> {
    subscripts(access, b).map_or_else(|| vec![Stride::Large; depth], |subs| (0..depth).map(|k| stride(&subs, k)).collect())
}

/// The subscripts, where each is one affine function of the instance.
fn subscripts(access: &Access, b: &Budget) -> Option<Vec<Aff>> {
    let function = PwMultiAff::from_map(&access.relation, b).ok()?;
    let [(_, subs)] = function.pieces() else { return None };
    Some(subs.affs().to_vec())
}

fn stride(subs: &[Aff], k: usize) -> Stride {
    let uses: Vec<bool> = subs.iter().map(|s| s.involves_dim(DimType::Out, k)).collect();
    match uses.split_last() {
        Some((true, outer)) if !outer.contains(&true) => {
            let last = &subs[subs.len() - 1];
            let coefficient = last.coefficient(DimType::Out, k).clone();
            // Used inside a division only, or there too: no fixed stride.
            let rest = last.sub(&Aff::var(last.space(), DimType::Out, k).scale(&coefficient));
            if rest.is_ok_and(|r| !r.involves_dim(DimType::Out, k)) {
                Stride::Elements(coefficient)
            } else {
                Stride::Large
            }
        }
        _ if uses.contains(&true) => Stride::Large,
        _ => Stride::Elements(Int::ZERO),
    }
}

/// Weights of a statement's accesses by how they move with one iterator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Movement {
    /// To the neighbour element.
    pub(crate) spatial: i64,
    /// Not at all.
    pub(crate) temporal: i64,
    /// Further.
    pub(crate) bad: i64,
}

impl Movement {
    /// How good the iterator is as the innermost one (Pluto's score).
    pub(crate) fn fitness(self) -> i64 {
        2 * self.spatial + 4 * self.temporal - 16 * self.bad
    }
}

/// For each iterator of a statement, how its accesses to memory move; writes count twice. Private cells are registers and don't count.
pub(crate) fn movement(scop: &Scop, stmt: usize, depth: usize, strides: &[Vec<Stride>]) -> Vec<Movement> {
    let mut out = vec![Movement::default(); depth];
    for (access, moves) in scop.stmts[stmt].accesses.iter().zip(strides) {
        if !matches!(scop[access.array].kind, ArrayKind::Root(_) | ArrayKind::Copy(_)) {
            continue;
        }
        let weight = if access.kind == AccessKind::Write { 2 } else { 1 };
        for (m, s) in out.iter_mut().zip(moves) {
            match s {
                Stride::Elements(n) if n.is_zero() => m.temporal += weight,
                Stride::Elements(n) if n.is_unit() => m.spatial += weight,
                _ => m.bad += weight,
            }
        }
    }
    out
}

/// Ranks `10^j` for the iterators sorted ascending by a key, ties by position; where there are too many, equal keys share a rank.
fn ranks<K: Ord>(keys: &[K]) -> Vec<Int> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| keys[a].cmp(&keys[b]).then(a.cmp(&b)));
    let crowded = keys.len() > MAX_EXPONENT as usize + 1;
    let mut out = vec![Int::ONE; keys.len()];
    let mut exponent = 0;
    for pair in order.windows(2) {
        if !crowded || keys[pair[0]] != keys[pair[1]] {
            exponent = (exponent + 1).min(MAX_EXPONENT);
        }
        out[pair[1]] = Int::from(10).pow(exponent);
    }
    out
}

/// Contiguity: the iterator that is best innermost has the largest rank.
pub(crate) fn contiguity(movement: &[Movement]) -> Vec<Int> {
    ranks(&movement.iter().map(|m| m.fitness()).collect::<Vec<_>>())
}

/// Large loops first: the largest extent has rank 1; extents that aren't known keep their place in the source behind those that are.
pub(crate) fn big_loops(extents: &[Option<u64>]) -> Vec<Int> {
    ranks(&extents.iter().map(|e| std::cmp::Reverse(e.unwrap_or(0))).collect::<Vec<_>>())
}

/// The largest number of iterations of each iterator, with these values for the parameters.
pub(crate) fn extents(model: &Model, stmt: usize, values: &[Option<i64>], b: &Budget) -> Vec<Option<u64>> {
    let s = &model.stmts[stmt];
    let mut domain = s.domain.clone();
    for (q, v) in values.iter().enumerate() {
        let Some(v) = v else { continue };
        match domain.fix(DimType::Param, q, Int::from(*v)) {
            Ok(d) => domain = d,
            Err(_) => return vec![None; s.depth],
        }
    }
    let limits = domain.bounding_box(b).ok().flatten();
    (0..s.depth)
        .map(|k| {
            let (lower, upper) = limits.as_ref()?.get(k)?;
            let extent = upper.as_ref()? - lower.as_ref()? + Int::ONE;
            u64::try_from(extent.to_i64()?).ok()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn m(spatial: i64, temporal: i64, bad: i64) -> Movement {
        Movement { spatial, temporal, bad }
    }

    #[test]
    fn the_papers_example_of_two_iterators() {
        // D[j][i]: i is contiguous; E[i][j]: j is.
        assert_eq!(contiguity(&[m(2, 0, 0), m(0, 0, 2)]), [Int::from(10), Int::ONE]);
        assert_eq!(contiguity(&[m(0, 0, 2), m(2, 0, 0)]), [Int::ONE, Int::from(10)]);
    }

    #[test]
    fn ties_keep_the_source_order() {
        assert_eq!(
            contiguity(&[m(1, 1, 1), m(1, 1, 1), m(0, 1, 2)]),
            [Int::from(10), Int::from(100), Int::ONE]
        );
    }

    #[test]
    fn the_largest_loop_comes_first() {
        assert_eq!(big_loops(&[Some(10), Some(1000)]), [Int::from(10), Int::ONE]);
        assert_eq!(big_loops(&[None, None]), [Int::ONE, Int::from(10)]);
    }

    #[test]
    fn many_iterators_stay_below_a_million() {
        let all = contiguity(&(0..9).map(|n| m(n / 2, 0, 0)).collect::<Vec<_>>());
        assert!(all.iter().all(|r| *r <= Int::from(1_000_000)));
        assert_eq!(all[0], all[1]);
    }
}
