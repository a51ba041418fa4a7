//! Tiling in levels, register tiles, unrolling, and the separation of full tiles.
//!
//! # Register tile
//! Loops `i, j` around other loops `k` become tiles of a small constant size whose points stand innermost:
//!
//! ```text
//! for i, for j, for k: S(i, j, k)
//!   =>  for i_t step 4, for j_t step 8, for k, for i in i_t..i_t+4, for j in j_t..j_t+8: S(i, j, k)
//! ```
//!
//! The full tiles are isolated; in them the point loops are written out (all but the vector loop), so that the innermost code is straight-line with constant offsets. In the
//! partial tiles the point loops stay loops.
//!
//! # Why it is legal
//! The new tree is checked pair by pair. Isolation and unrolling don't change the order.

use crate::chain::{below_bands, loop_name};
use crate::full::{as_map, even, full_of, full_tiles};
use crate::strides;
use crate::transformer::{ANCHORED, edited};
use crate::{Error, Outcome, Pairs, Transformed, Transformer};
use tilia_presburger::{Aff, BasicMap, Constraint, DimType, Id, Int, Map, Set, Space, Tuple, UnionMap};
use tilia_schedule::{Band, Edited, LoopType, Member, Node, Path, ScheduleTree, TileForm};

/// How to tile a band.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tiling {
    /// Sizes in iterations of each level, outermost level first.
    pub levels: Vec<Vec<Int>>,
    /// Names for the tile loops of each level; where there are none, the loop's name with `_t` (of several levels: `_t1`, `_t2`, ..).
    pub names: Vec<Vec<Id>>,
    /// Generate the full tiles of the innermost level apart from partial ones.
    pub full: bool,
}

/// How to make a register tile.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RegisterTile {
    /// Sizes in iterations, one for each member of the band.
    pub sizes: Vec<Int>,
    /// The member whose point loop becomes the vector loop, innermost.
    pub vector: Option<usize>,
    /// Move the point loops below the loops that stand right below the band (unroll-and-jam); else they stay where they are.
    pub jam: bool,
}

impl Transformer<'_> {
    /// Tiles a band, in one or several levels; the position is the outermost tile band's.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn tile(&self, tree: &ScheduleTree, at: &Path, tiling: &Tiling) -> Transformed {
        let (band, child) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        let proved = self.proved(band, &self.open_at(tree, at)?)?;
        let names: Vec<Option<String>> = band.members.iter().map(|m| loop_name(m, None)).collect();
        let mut new = edited!(tree.replace(at, Node::band(proved, child.clone())));
        let mut here = at.clone();
        let strides = strides(tree, at, self.budget)?;
        let in_values = |sizes: &Vec<Int>| -> Vec<Int> { sizes.iter().zip(&strides).map(|(n, s)| n * s).collect() };
        for (l, sizes) in tiling.levels.iter().enumerate() {
            if sizes.len() != band.len() {
                return Ok(Outcome::unfit(format!("{} sizes for {} loops", sizes.len(), band.len())));
            }
            let sizes = &in_values(sizes);
            new = edited!(new.tile_band(&here, sizes, TileForm::default())).tree;
            let given = tiling.names.get(l);
            let name = |k: usize| match given.and_then(|g| g.get(k)) {
                Some(n) => Some(n.clone()),
                None => {
                    let level = if tiling.levels.len() == 1 {
                        String::new()
                    } else {
                        (l + 1).to_string()
                    };
                    names[k].as_ref().map(|n| Id::new(format!("{n}_t{level}")))
                }
            };
            new = edited!(renamed(&new, &here, name));
            here = here.child(0);
        }
        if let (true, Some(sizes), Some(last)) = (tiling.full, tiling.levels.last(), here.parent()) {
            new = match self.isolate_full(&new, &last, &here, &in_values(sizes))? {
                Ok(tree) => tree,
                Err(declined) => return Ok(declined),
            };
        }
        self.checked(Ok(Edited { tree: new, at: at.clone() }))
    }

    /// Generates the full tiles of a tile band apart from the partial ones. `sizes` are the tiles'; the points stand in the band right below the innermost tile band.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn separate(&self, tree: &ScheduleTree, at: &Path, sizes: &[Int]) -> Transformed {
        match Self::band(tree, at) {
            Ok((band, _)) if band.len() != sizes.len() => {
                return Ok(Outcome::unfit(format!("{} sizes for {} loops", sizes.len(), band.len())));
            }
            Ok(_) => {}
            Err(declined) => return Ok(declined),
        }
        let mut points = at.clone();
        while let Some(next) =
            Some(points.child(0)).filter(|p| tree.node(p).and_then(|n| n.as_band()).is_some_and(|b| b.len() == sizes.len()))
        {
            points = next;
        }
        if points == *at {
            return Ok(Outcome::unfit(format!(
                "no band of {} points stands right below the tiles",
                sizes.len()
            )));
        }
        let strides = strides(tree, &points, self.budget)?;
        let sizes: Vec<Int> = sizes.iter().zip(&strides).map(|(n, s)| n * s).collect();
        match self.isolate_full(tree, at, &points, &sizes)? {
            Ok(tree) => self.checked(Ok(Edited { tree, at: at.clone() })),
            Err(declined) => Ok(declined),
        }
    }

    fn isolate_full(
        &self,
        tree: &ScheduleTree,
        tiles: &Path,
        points: &Path,
        sizes: &[Int],
    ) -> Result<Result<ScheduleTree, Outcome>, Error> {
        let full = match full_of(tree, tiles, points, sizes, self.budget)? {
            Ok(full) => full,
            Err(why) => return Ok(Err(Outcome::unfit(why.to_string()))),
        };
        let (Some(band), Some(child)) = (tree.node(tiles).and_then(|n| n.as_band()), tree.node(tiles).and_then(|n| n.child())) else {
            return Ok(Err(Outcome::unfit("no band stands there")));
        };
        let band = Band {
            isolate: Some(full),
            ..band.clone()
        };
        crate::transformer::sorted(tree.replace(tiles, Node::band(band, child.clone())))
    }

    /// Makes a register tile (or, of one member, unrolls it by a factor, or unrolls and jams it); the position is the tile band's.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn register_tile(&self, tree: &ScheduleTree, at: &Path, wanted: &RegisterTile) -> Transformed {
        let (band, child) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        let n = band.len();
        if wanted.sizes.len() != n || wanted.vector.is_some_and(|v| v >= n) {
            return Ok(Outcome::unfit(format!("{} sizes for {n} loops", wanted.sizes.len())));
        }
        if let Some(s) = wanted.sizes.iter().find(|s| !s.is_pos()) {
            return Ok(Outcome::unfit(format!("the size {s} isn't positive")));
        }
        if tree.node(at).is_some_and(|n| n.is_subtree_anchored()) {
            return Ok(Outcome::unfit(ANCHORED));
        }
        let values = tree.outer_values(&at.child(0), self.budget)?;
        let strides = strides(tree, at, self.budget)?;
        let sizes: Vec<Int> = wanted.sizes.iter().zip(&strides).map(|(n, s)| n * s).collect();
        let full = match full_tiles(&values, &sizes, self.budget)? {
            Ok(full) => full,
            Err(why) => return Ok(Outcome::unfit(why.to_string())),
        };
        let (jammed, below) = if wanted.jam {
            below_bands(tree, &at.child(0)).ok_or_else(no_node)?
        } else {
            (Vec::new(), child)
        };
        let open = self.open_at(tree, at)?;
        let vector = match self.vector_member(tree, at, wanted, &jammed)? {
            Ok(v) => v,
            Err(declined) => return Ok(declined),
        };
        let between: usize = jammed.iter().map(|b| b.len()).sum();
        let outer = full.dim(DimType::In) + n + between;
        // Where the loops inside start or end elsewhere for each point, only their common iterations are written out.
        let common = self.common_iterations(tree, at, (&sizes, between, jammed.len()), &full)?;
        let written_out = common.as_ref().unwrap_or(&full);
        let mut subtree = below.clone();
        let mut points = self.points(band, vector);
        if let Some(last) = vector.and_then(|_| points.pop()) {
            let isolate = lifted(written_out, outer + points.len(), 1)?;
            subtree = Node::mark("vector", Node::band(isolated(vec![last], isolate), subtree));
        }
        if !points.is_empty() {
            let isolate = lifted(written_out, outer, points.len())?;
            subtree = Node::band(isolated(points, isolate), subtree);
        }
        for (k, b) in jammed.iter().rev().enumerate() {
            let isolate = match &common {
                Some(common) if k == 0 => Some(split_at(common, outer - b.len())?),
                _ => b.isolate.clone(),
            };
            subtree = Node::band(Band { isolate, ..(*b).clone() }, subtree);
        }
        let tiles = self.tiles(band, &sizes, &open)?;
        let tiles = Band {
            isolate: Some(full),
            ..tiles
        };
        self.put(tree, at, Node::band(tiles, subtree))
    }

    /// For loops inside the tiles whose bounds differ between the points: the iterations of the innermost of them that all points of a tile execute, `[outer] -> [tile, inside]`.
    /// `None` where every point of a full tile executes the same iterations, or the innermost loops' band has such an option already.
    fn common_iterations(
        &self,
        tree: &ScheduleTree,
        at: &Path,
        (sizes, between, bands): (&[Int], usize, usize),
        full: &Map,
    ) -> Result<Option<Map>, Error> {
        if bands == 0 {
            return Ok(None);
        }
        let last = (0..bands).fold(at.clone(), |p, _| p.child(0));
        if tree.node(&last).and_then(|n| n.as_band()).is_none_or(|b| b.isolate.is_some()) {
            return Ok(None);
        }
        let values = tree.outer_values(&last.child(0), self.budget)?;
        let inside = sizes.iter().cloned().chain(std::iter::repeat_n(Int::ONE, between));
        let inside: Vec<Int> = inside.collect();
        // A statement with conditions of its own in there (one that runs on a diagonal, say) keeps them anyway.
        let Ok(common) = full_tiles(&even(&values, &inside, self.budget)?, &inside, self.budget)? else {
            return Ok(None);
        };
        let outer = full.dim(DimType::In);
        let tiles: Set = lifted(full, outer + sizes.len(), between)?
            .wrap()
            .flatten()
            .set_tuple_name(DimType::Out, None);
        let all: Set = common.wrap().flatten().set_tuple_name(DimType::Out, None);
        for m in values.maps() {
            let touched = first_points(&m.range().set_tuple_name(DimType::Out, None), outer, sizes)?;
            if !touched.intersect(&tiles)?.is_subset(&all, self.budget)? {
                return Ok(Some(common));
            }
        }
        Ok(None)
    }

    /// The band of tiles of a band.
    fn tiles(&self, band: &Band, sizes: &[Int], open: &Pairs) -> Result<Band, Error> {
        let mut members = Vec::with_capacity(band.len());
        for (m, s) in band.members.iter().zip(sizes) {
            let func = m.func.floor_div(s)?.scale(s)?;
            members.push(Member {
                name: loop_name(m, None).map(|n| Id::new(format!("{n}_r"))),
                ..Member::new(func)
            });
        }
        self.proved(&Band::new(members), open)
    }

    /// The point members, the vector loop last; all others are written out in the isolated part.
    fn points(&self, band: &Band, vector: Option<usize>) -> Vec<Member> {
        let mut points: Vec<Member> = Vec::new();
        let mut last = None;
        for (k, m) in band.members.iter().enumerate() {
            let point = Member {
                coincident: vector == Some(k),
                ..m.clone()
            };
            if vector == Some(k) {
                last = Some(point);
            } else {
                points.push(Member {
                    isolated_loop_type: LoopType::Unroll,
                    ..point
                });
            }
        }
        points.extend(last);
        points
    }

    /// The vector member, if all of its iterations are independent where it will stand.
    fn vector_member(
        &self,
        tree: &ScheduleTree,
        at: &Path,
        wanted: &RegisterTile,
        jammed: &[&Band],
    ) -> Result<Result<Option<usize>, Outcome>, Error> {
        let Some(v) = wanted.vector else { return Ok(Ok(None)) };
        let Ok((band, _)) = Self::band(tree, at) else { return Ok(Ok(None)) };
        let mut open = self.open_at(tree, at)?;
        for m in jammed.iter().flat_map(|b| &b.members) {
            open = open.left_by(m, self.budget)?;
        }
        for (k, m) in band.members.iter().enumerate() {
            if k != v {
                open = open.left_by(m, self.budget)?;
            }
        }
        Ok(match open.moved_by(&band.members[v], self.budget)? {
            None => Ok(Some(v)),
            Some(found) => Err(not_parallel(&found)),
        })
    }
}

/// The loop carries a dependence.
pub(crate) fn not_parallel(found: &crate::Violation) -> Outcome {
    Outcome::unfit(format!("iterations of the loop depend on each other: {}", found.text))
}

fn isolated(members: Vec<Member>, isolate: Map) -> Band {
    Band {
        isolate: Some(isolate),
        ..Band::new(members)
    }
}

fn no_node() -> Error {
    Error::Sets(tilia_presburger::Error::Unsupported("there is no such node".to_owned()))
}

/// A band whose members get names.
pub(crate) fn renamed(tree: &ScheduleTree, at: &Path, name: impl Fn(usize) -> Option<Id>) -> Result<ScheduleTree, tilia_schedule::Error> {
    let Some((band, child)) = tree.node(at).and_then(|n| Some((n.as_band()?, n.child()?))) else {
        return Ok(tree.clone());
    };
    let mut band = band.clone();
    for (k, m) in band.members.iter_mut().enumerate() {
        m.name = name(k);
    }
    tree.replace(at, Node::band(band, child.clone()))
}

/// The relation `[outer] -> [tile]` as one from `outer_dims` values, the first of which are those of both its sides, to any values of a band of `n` members.
fn lifted(full: &Map, outer_dims: usize, n: usize) -> Result<Map, Error> {
    let set: Set = full.wrap().flatten().set_tuple_name(DimType::Out, None);
    let more = outer_dims - set.dim(DimType::Out);
    let set = set.add_dims(DimType::Out, more)?;
    let space = Space::map(full.space().params().to_vec(), Tuple::anonymous(outer_dims), Tuple::anonymous(n));
    Ok(Map::universe(&space).intersect_domain(&set)?)
}

/// The same values in the same order as a relation from the first `outer` of them.
fn split_at(map: &Map, outer: usize) -> Result<Map, Error> {
    let set: Set = map.wrap().flatten().set_tuple_name(DimType::Out, None);
    let n = set.dim(DimType::Out) - outer;
    let space = Space::map(set.space().params().to_vec(), Tuple::anonymous(outer), Tuple::anonymous(n));
    let mut out = Map::empty(&space);
    for part in set.basic_sets() {
        out = out.union(&as_map(&part, &space)?.to_union())?;
    }
    Ok(out)
}

/// Points, with the values from `first` on replaced by all first values of windows of the given sizes that hold them.
fn first_points(points: &Set, first: usize, sizes: &[Int]) -> Result<Set, Error> {
    let n = points.dim(DimType::Out);
    let space = Space::map(points.space().params().to_vec(), Tuple::anonymous(n), Tuple::anonymous(n));
    let wrapped = space.wrap();
    let mut constraints = Vec::new();
    for d in 0..n {
        let distance = Aff::var(&wrapped, DimType::Out, d).sub(&Aff::var(&wrapped, DimType::Out, n + d))?;
        match d.checked_sub(first).and_then(|k| sizes.get(k)) {
            Some(size) => {
                let most = size - &Int::ONE;
                constraints.push(Constraint::ineq(distance.clone()));
                constraints.push(Constraint::ineq(distance.neg().add_constant(&most)));
            }
            None => constraints.push(Constraint::eq(distance)),
        }
    }
    let windows = BasicMap::from_constraints(&space, &constraints)?.to_union();
    Ok(windows.intersect_domain(points)?.range())
}

/// Drops the values of `n` dimensions from `first` on.
pub(crate) fn without(values: &UnionMap, first: usize, n: usize, b: &tilia_presburger::Budget) -> Result<UnionMap, Error> {
    let mut out = Vec::new();
    for m in values.maps() {
        out.push(m.project_out(DimType::Out, first, n, b)?);
    }
    Ok(UnionMap::from_members(&out)?)
}
