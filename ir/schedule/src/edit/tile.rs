//! Tiling: a band of tiles above a band of points.

use super::{Edited, not_anchored};
use crate::{Band, Error, Member, Node, Path, ScheduleTree};
use tilia_presburger::{Id, Int, UnionPwAff};

/// How tile and point members count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileForm {
    /// Tile members are multiples of the size, `f - f mod size`, rather than tile numbers `floor(f / size)`.
    pub scale: bool,
    /// Point members start at zero in each tile, `f mod size`, rather than being the old members.
    pub shift: bool,
}

impl Default for TileForm {
    /// Loops with the tile size as their step around loops over the old values: no multiplication in the body.
    fn default() -> TileForm {
        TileForm { scale: true, shift: false }
    }
}

impl ScheduleTree {
    /// Tiles a band: `[f]` becomes `[f - f mod size]` (or as `form` says) above `[f]`. Flags go to both bands; the loop types stay with the points. The position is
    /// the tile band's, its only child the point band.
    ///
    /// | scale | shift | tiles | points |
    /// |---|---|---|---|
    /// | no | no | `floor(f/s)` | `f` |
    /// | no | yes | `floor(f/s)` | `f mod s` |
    /// | yes | no | `f - f mod s` | `f` |
    /// | yes | yes | `f - f mod s` | `f mod s` |
    ///
    /// # Errors
    /// When the numbers of members and sizes differ, a size isn't positive, or the subtree is anchored.
    pub fn tile_band(&self, at: &Path, sizes: &[Int], form: TileForm) -> Result<Edited, Error> {
        let (band, child) = self.target_band("tile_band", at)?;
        if sizes.len() != band.len() {
            return Err(Error::refused(
                "tile_band",
                at,
                format!("{} sizes for {} members", sizes.len(), band.len()),
            ));
        }
        if let Some(s) = sizes.iter().find(|s| !s.is_pos()) {
            return Err(Error::refused("tile_band", at, format!("the size {s} isn't positive")));
        }
        not_anchored("tile_band", at, self.target("tile_band", at)?)?;
        let (mut tiles, mut points) = (Vec::new(), Vec::new());
        for (m, s) in band.members.iter().zip(sizes) {
            tiles.push(Member {
                name: m.name.as_ref().map(|n| Id::new(format!("{n}_t"))),
                coincident: m.coincident,
                ..Member::new(tile_func(&m.func, s, form.scale)?)
            });
            points.push(if form.shift { m.with_func(m.func.mod_(s)?) } else { m.clone() });
        }
        let tile = Band {
            members: tiles,
            permutable: band.permutable,
            isolate: None,
        };
        let point = Band {
            members: points,
            permutable: band.permutable,
            isolate: None,
        };
        self.put(at, Node::band(tile, Node::band(point, child.clone())))
    }
}

fn tile_func(f: &UnionPwAff, size: &Int, scale: bool) -> Result<UnionPwAff, Error> {
    let number = f.floor_div(size)?;
    Ok(if scale { number.scale(size)? } else { number })
}
