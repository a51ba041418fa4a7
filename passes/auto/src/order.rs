//! In which order the members of a permutable band stand.

use tilia_model::{Band, MicroTile, contiguous};

/// How the members of a band are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Roles {
    /// Old numbers of the members in their new order.
    pub(crate) order: Vec<usize>,
    /// How many of them, from the end of the new order, make the register tile with its inner loop: unrolled, vector, inner.
    pub(crate) tile: usize,
    /// Whether the last one is the register tile's inner loop.
    pub(crate) inner: bool,
}

/// Coincident members outermost; then the others; then the members of the register tile, its vector and its inner loop last (without one, the member
/// along which accesses are contiguous). Among equals the order stays.
pub(crate) fn roles(band: &Band, micro: Option<&MicroTile>) -> Roles {
    let smooth = if micro.is_some() { None } else { contiguous(band) };
    let rank = |k: usize| match micro {
        None if smooth == Some(k) => 4,
        Some(m) if m.inner == Some(k) => 5,
        Some(m) if m.vector == Some(k) => 4,
        Some(m) if m.sizes[k] > 1 => 3,
        _ if band.members[k].coincident => 1,
        _ => 2,
    };
    let mut order: Vec<usize> = (0..band.members.len()).collect();
    order.sort_by_key(|&k| rank(k));
    Roles {
        tile: if micro.is_some() {
            order.iter().filter(|&&k| rank(k) >= 3).count()
        } else {
            0
        },
        inner: order.last().is_some_and(|&k| rank(k) == 5),
        order,
    }
}

/// The order of the tile loops: as the points', except that a coincident member comes first, for threads to share.
pub(crate) fn parallel_first(band: &Band, order: &[usize]) -> Vec<usize> {
    let mut order = order.to_vec();
    if let Some(at) = order.iter().position(|&k| band.members[k].coincident) {
        let first = order.remove(at);
        order.insert(0, first);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilia_model::MemberInfo;

    fn band(coincident: &[bool]) -> Band {
        let member = |&coincident| MemberInfo {
            trips: Some(100),
            run: 1000.0,
            coincident,
            free: coincident,
            sums: false,
        };
        Band {
            members: coincident.iter().map(member).collect(),
            permutable: true,
            slanted: Vec::new(),
            references: Vec::new(),
            deeper: false,
            statements: 1,
            instances: 1e9,
            operations: 1.0,
            chain: 4.0,
            outer: Vec::new(),
        }
    }

    #[test]
    fn the_register_tile_stands_inside() {
        let micro = MicroTile {
            vector: Some(2),
            inner: Some(1),
            sizes: vec![4, 1, 8],
            memory: 1.0,
            time: 0.5,
            brought: 0.0,
        };
        let roles = roles(&band(&[true, false, true]), Some(&micro));
        assert_eq!(roles.order, [0, 2, 1]);
        assert_eq!((roles.tile, roles.inner), (3, true));
    }

    #[test]
    fn parallel_members_move_outwards() {
        let b = band(&[false, true, false]);
        assert_eq!(roles(&b, None).order, [1, 0, 2]);
        assert_eq!(parallel_first(&b, &[0, 2, 1]), [1, 0, 2]);
    }
}
