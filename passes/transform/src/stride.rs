//! How far apart the values of a loop are.
//!
//! Tile sizes count iterations. Where a loop takes every `s`-th value only (`affine.for .. step s`), a tile of `n` iterations spans `n s` values.

use crate::Error;
use tilia_presburger::{Budget, DimType, Int, Map, Set, Term};
use tilia_schedule::{Path, ScheduleTree};

/// For each member of a band, the common distance of its values for fixed outer values; 1 where nothing is known.
///
/// # Errors
/// When there is no band, or the sets library gives up.
pub fn strides(tree: &ScheduleTree, at: &Path, b: &Budget) -> Result<Vec<Int>, Error> {
    let Some(band) = tree.node(at).and_then(|n| n.as_band()) else {
        return Ok(Vec::new());
    };
    let values = tree.outer_values(&at.child(0), b)?;
    let first = tree.schedule_depth(at)?;
    let mut out = vec![None; band.len()];
    for m in values.maps() {
        for (k, all) in out.iter_mut().enumerate() {
            let own = if plain(m) {
                (Int::ONE, None)
            } else {
                stride(&m.range(), first, k, b)?
            };
            *all = Some(match all.take() {
                None => own,
                Some(others) => common(&others, &own),
            });
        }
    }
    Ok(out.into_iter().map(|s| s.map_or(Int::ONE, |s| s.0)).collect())
}

/// A stride with its remainder, where that is a constant.
type Stride = (Int, Option<Int>);

/// Are there no divisions and equalities that could make a stride?
fn plain(m: &Map) -> bool {
    m.wrap().basic_sets().iter().all(|part| {
        part.constraints().is_ok_and(|list| {
            list.iter().all(|c| {
                c.aff()
                    .terms()
                    .iter()
                    .all(|t| matches!(t, Term::Dim { coefficient, .. } if !c.is_equality() || coefficient.abs().is_one()))
            })
        })
    })
}

/// Of one statement's values, for fixed values of the first dimensions.
fn stride(values: &Set, first: usize, member: usize, b: &Budget) -> Result<Stride, Error> {
    // Other members of the band don't count as outer.
    let own = values.dim(DimType::Out) - first;
    let alone = values
        .project_out(DimType::Out, first + member + 1, own - member - 1, b)?
        .project_out(DimType::Out, first, member, b)?;
    let (s, rest) = alone.stride_info(first, b)?;
    if !s.is_pos() {
        return Ok((Int::ONE, None));
    }
    let constant = rest.is_constant().then(|| rest.constant_term().mod_floor(&s));
    Ok((s, constant))
}

/// What the values of two statements have in common.
fn common(a: &Stride, b: &Stride) -> Stride {
    let s = a.0.gcd(&b.0);
    match (&a.1, &b.1) {
        (Some(x), Some(y)) => {
            let s = s.gcd(&(x - y).abs());
            let rest = x.mod_floor(&s);
            (s, Some(rest))
        }
        _ => (Int::ONE, None),
    }
}
