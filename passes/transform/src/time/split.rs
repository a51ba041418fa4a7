//! Split tiling: in each time band first upright trapezoids, then the inverted ones between them.
//!
//! A time band has `T` steps; a space loop is cut into cells of `S`. At local time `u` the points of cell `k` at `k S + up u .. k S + S - 1 - low u` are upright, the others belong to the inverted tile
//! of a gap between cells. With several space loops a phase says for each loop which of both; phases with as many inverted loops are independent of each other.
//!
//! # Why it is legal
//! An upright tile needs nothing of its band from outside of itself, an inverted one only upright neighbours, when cells are wide enough: `S >= (low + up) (T - 1)`. The new tree is
//! checked pair by pair all the same.
//!
//! # Declined when
//! dependences don't advance in time, or cells are too narrow.

use super::affs::{Parts, Values, values, with};
use super::diamond::{not_a_stencil, tile_name};
use crate::chain::loop_name;
use crate::transformer::ANCHORED;
use crate::{Error, Outcome, Slopes, Transformed, Transformer};
use std::sync::Arc;
use tilia_presburger::{Aff, Id, Int, UnionPwAff, UnionSet};
use tilia_schedule::{Band, Member, Node, Path, ScheduleTree};

/// One space loop that is cut.
struct Cut {
    size: Int,
    low: Int,
    up: Int,
}

/// The most space loops that are cut: there are two to that power phases.
const MAX_CUTS: usize = 4;

impl Transformer<'_> {
    /// Tiles a band of a time loop and space loops: sizes are the time steps of a band, then the cells of space loops; loops without a size aren't cut. The position is the time band's.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn split_tile(&self, tree: &ScheduleTree, at: &Path, sizes: &[Int]) -> Transformed {
        let (band, child) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        let [steps, cells @ ..] = sizes else {
            return Ok(Outcome::unfit("there are no sizes"));
        };
        if cells.is_empty() || cells.len() >= band.len() || cells.len() > MAX_CUTS {
            return Ok(Outcome::unfit(format!("{} sizes for {} loops", sizes.len(), band.len())));
        }
        if tree.node(at).is_some_and(|n| n.is_subtree_anchored()) {
            return Ok(Outcome::unfit(ANCHORED));
        }
        let cuts = match self.cuts(tree, at, band, steps, cells)? {
            Ok(c) => c,
            Err(declined) => return Ok(declined),
        };
        let all = match values(band) {
            Ok(v) => v,
            Err(declined) => return Ok(declined),
        };
        let name = loop_name(&band.members[0], None).unwrap_or_else(|| "t".to_owned());
        let time = Member::new(band.members[0].func.floor_div(steps)?).named(Id::new(format!("{name}_t")));
        let points = Band::new(
            band.members
                .iter()
                .map(|m| Member {
                    coincident: false,
                    ..m.clone()
                })
                .collect(),
        );
        let below = Node::band(points, child.clone());
        let mut phases: Vec<(UnionSet, Arc<Node>)> = Vec::new();
        for inverted in 0..=cuts.len() {
            for phase in (0..1usize << cuts.len()).filter(|p| p.count_ones() as usize == inverted) {
                phases.push(self.phase(band, &all, steps, &cuts, phase, &below)?);
            }
        }
        self.put(tree, at, Node::band(Band::new(vec![time]), Node::sequence(phases)))
    }

    fn cuts(&self, tree: &ScheduleTree, at: &Path, band: &Band, steps: &Int, cells: &[Int]) -> Result<Result<Vec<Cut>, Outcome>, Error> {
        let open = self.open_at(tree, at)?;
        let mut out = Vec::new();
        for (m, size) in band.members[1..].iter().zip(cells) {
            let Some(s) = Slopes::of(&open, &band.members[0].func, &m.func, self.budget)? else {
                return Ok(Err(not_a_stencil(m)));
            };
            let (low, up) = (Int::from(s.lower.ceil()), Int::from(s.upper.ceil()));
            let least = &(&low + &up) * &(steps - &Int::ONE);
            if *size < least {
                let why = format!(
                    "cells of {size} are too narrow: dependences spread by {low} and {up}, so that {steps} steps need at least {least}"
                );
                return Ok(Err(Outcome::unfit(why)));
            }
            out.push(Cut {
                size: size.clone(),
                low,
                up,
            });
        }
        Ok(Ok(out))
    }

    /// The instances of a phase (bit `k`: inverted in loop `k`) and the loops over its tiles.
    fn phase(
        &self,
        band: &Band,
        all: &[Values],
        steps: &Int,
        cuts: &[Cut],
        phase: usize,
        below: &Arc<Node>,
    ) -> Result<(UnionSet, Arc<Node>), Error> {
        let mut parts = Parts::default();
        let mut tiles: Vec<UnionPwAff> = cuts
            .iter()
            .map(|_| UnionPwAff::empty(band.members[0].func.params_space()))
            .collect();
        for v in all {
            let local = v.affs[0].mod_(steps)?;
            let mut inside = Vec::new();
            for (k, c) in cuts.iter().enumerate() {
                let (number, own) = place(&v.affs[k + 1], &local, c, phase >> k & 1 == 1)?;
                tiles[k] = with(&tiles[k], &number, self.budget)?;
                inside.push(own);
            }
            parts.add(&v.space, inside)?;
        }
        let members = tiles
            .into_iter()
            .zip(&band.members[1..])
            .map(|(func, m)| Member::new(func).named(tile_name(m)))
            .collect();
        Ok((parts.filter()?, Node::band(Band::new(members), below.clone())))
    }
}

/// The number of the tile, upright or inverted, and an expression that is non-negative for the points in such tiles.
fn place(space: &Aff, local: &Aff, c: &Cut, inverted: bool) -> Result<(Aff, Aff), Error> {
    let both = local.scale(&(&c.low + &c.up));
    let from = if inverted {
        space.add(&local.scale(&c.low))?
    } else {
        space.sub(&local.scale(&c.up))?
    };
    let number = from.floor_div(&c.size)?;
    let rest = from.mod_(&c.size)?;
    let own = if inverted {
        both.sub(&rest)?.add_constant(&Int::NEG_ONE)
    } else {
        rest.neg().sub(&both)?.add_constant(&(&c.size - &Int::ONE))
    };
    Ok((number, own))
}
