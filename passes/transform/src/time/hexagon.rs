//! Hexagonal tiling of time and one space loop, hybrid with parallelograms in the others.
//!
//! A tile has `2 st` time steps and `base` points in its shortest row; its slanted faces follow the slopes of the dependences. Hexagons of two phases cover the plane: those of a phase are
//! independent of each other, a time tile runs one phase after the other. Other space loops are cut into parallelograms, in ascending order inside a hexagon.
//!
//! # Why it is legal
//! As in the paper (CGO 2014), when the base is wide enough: `base + 1 > slope + 2 frac(slope (st - 1))` for both slopes. The new tree is checked pair by pair all the same, and that tiles of a phase are
//! independent, too.
//!
//! # Declined when
//! dependences don't advance in time, or the base is too narrow.

use super::affs::{Parts, Values, values, with};
use super::diamond::{not_a_stencil, tile_name};
use crate::chain::loop_name;
use crate::transformer::ANCHORED;
use crate::{Error, Outcome, Pairs, Ratio, Slopes, Transformed, Transformer};
use std::sync::Arc;
use tilia_presburger::{Aff, Id, Int, PwAff, UnionPwAff, UnionSet};
use tilia_schedule::{Band, Member, Node, Path, ScheduleTree};

/// How to tile.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hexagon {
    /// Half of the time steps of a tile.
    pub half: i64,
    /// Points in the shortest row.
    pub base: i64,
    /// Sizes of parallelograms in further loops; loops without a size aren't tiled.
    pub others: Vec<Int>,
}

/// The numbers of a shape.
struct Shape {
    half: i64,
    base: i64,
    low: Ratio,
    up: Ratio,
    /// How far the slopes reach in `half - 1` steps.
    low_reach: i64,
    up_reach: i64,
}

/// The largest sizes; so no number here leaves 64 bits.
const MAX_SIZE: i64 = 1 << 20;

impl Shape {
    fn new(wanted: &Hexagon, s: Slopes) -> Result<Shape, String> {
        if !(1..=MAX_SIZE).contains(&wanted.half) || !(1..=MAX_SIZE).contains(&wanted.base) {
            return Err(format!("sizes must be from 1 to {MAX_SIZE}"));
        }
        let h = wanted.half - 1;
        for r in [s.lower, s.upper] {
            // base + 1 > r + 2 frac(r h), times the denominator.
            let fraction = (r.num * h).rem_euclid(r.den);
            if (wanted.base + 1) * r.den <= r.num + 2 * fraction {
                return Err(format!(
                    "the base of {} is too narrow for dependences that spread by {} and {}",
                    wanted.base, s.lower, s.upper
                ));
            }
        }
        let reach = |r: Ratio| r.floor_times(h).unwrap_or(i64::MAX);
        Ok(Shape {
            half: wanted.half,
            base: wanted.base,
            low: s.lower,
            up: s.upper,
            low_reach: reach(s.lower),
            up_reach: reach(s.upper),
        })
    }

    fn period(&self) -> i64 {
        2 * self.base + self.low_reach + self.up_reach
    }

    /// Expressions that are non-negative exactly inside the hexagon at local time `a` and space `b`.
    fn inside(&self, a: &Aff, b: &Aff) -> Result<Vec<Aff>, Error> {
        let h = self.half - 1;
        let (low, up) = (self.low, self.up);
        let times = |x: &Aff, n: i64| x.scale(&Int::from(n));
        let rising = times(a, up.num).sub(&times(b, up.den))?;
        let falling = times(a, low.num).add(&times(b, low.den))?;
        let lower_left = (2 * h + 1) * up.num - self.up_reach * up.den;
        let lower_right = (2 * h + 1) * low.num + (self.up_reach + self.base - 1) * low.den;
        let upper_left = h * low.num - (low.den - 1);
        let upper_right = h * up.num - (self.up_reach + self.base - 1 + self.low_reach) * up.den - (up.den - 1);
        Ok(vec![
            rising.neg().add_constant(&Int::from(lower_left)),
            falling.neg().add_constant(&Int::from(lower_right)),
            falling.add_constant(&Int::from(-upper_left)),
            rising.add_constant(&Int::from(-upper_right)),
        ])
    }
}

/// What the generation of a phase needs.
struct Plan<'a> {
    band: &'a Band,
    shape: Shape,
    /// Slopes downwards and sizes of the other space loops that are tiled.
    others: Vec<(Int, Int)>,
    all: Vec<Values>,
    below: Arc<Node>,
}

impl Transformer<'_> {
    /// Tiles a band of a time loop and space loops; the position is the time band's.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn hexagonal(&self, tree: &ScheduleTree, at: &Path, wanted: &Hexagon) -> Transformed {
        let (band, child) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        if band.len() < 2 + wanted.others.len() {
            return Ok(Outcome::unfit(format!(
                "{} sizes for {} loops",
                2 + wanted.others.len(),
                band.len()
            )));
        }
        if tree.node(at).is_some_and(|n| n.is_subtree_anchored()) {
            return Ok(Outcome::unfit(ANCHORED));
        }
        let open = self.open_at(tree, at)?;
        let plan = match self.hexagon_plan(band, child, &open, wanted)? {
            Ok(p) => p,
            Err(declined) => return Ok(declined),
        };
        let name = loop_name(&band.members[0], None).unwrap_or_else(|| "t".to_owned());
        let mut time = UnionPwAff::empty(band.members[0].func.params_space());
        let mut phases = Vec::new();
        for phase in [0, 1] {
            phases.push(self.hexagon_phase(&plan, phase, &mut time)?);
        }
        let time = Member::new(time).named(Id::new(format!("{name}_t")));
        self.put(tree, at, Node::band(Band::new(vec![time]), Node::sequence(phases)))
    }

    fn hexagon_plan<'p>(
        &self,
        band: &'p Band,
        child: &Arc<Node>,
        open: &Pairs,
        wanted: &Hexagon,
    ) -> Result<Result<Plan<'p>, Outcome>, Error> {
        let time = &band.members[0].func;
        let mut slopes = Vec::new();
        for m in &band.members[1..2 + wanted.others.len()] {
            match Slopes::of(open, time, &m.func, self.budget)? {
                Some(s) => slopes.push(s),
                None => return Ok(Err(not_a_stencil(m))),
            }
        }
        let shape = match Shape::new(wanted, slopes[0]) {
            Ok(s) => s,
            Err(why) => return Ok(Err(Outcome::unfit(why))),
        };
        let all = match values(band) {
            Ok(v) => v,
            Err(declined) => return Ok(Err(declined)),
        };
        let points = Band::new(
            band.members
                .iter()
                .map(|m| Member {
                    coincident: false,
                    ..m.clone()
                })
                .collect(),
        );
        Ok(Ok(Plan {
            band,
            shape,
            others: slopes[1..]
                .iter()
                .zip(&wanted.others)
                .map(|(s, size)| (Int::from(s.lower.ceil()), size.clone()))
                .collect(),
            all,
            below: Node::band(points, child.clone()),
        }))
    }

    /// The instances of a phase and the loops over its tiles; their time tiles are added to `time`.
    fn hexagon_phase(&self, plan: &Plan<'_>, phase: i64, time: &mut UnionPwAff) -> Result<(UnionSet, Arc<Node>), Error> {
        let shape = &plan.shape;
        let none = || UnionPwAff::empty(plan.band.members[0].func.params_space());
        let mut parts = Parts::default();
        let mut hexagons = none();
        let mut others: Vec<UnionPwAff> = plan.others.iter().map(|_| none()).collect();
        let height = Int::from(2 * shape.half);
        // Phase 0 is phase 1 moved by half a tile in time and by `base + up_reach` in space.
        let (later, aside) = ((1 - phase) * shape.half, (1 - phase) * (shape.base + shape.up_reach));
        for v in &plan.all {
            let t = v.affs[0].add_constant(&Int::from(later));
            let tile = t.floor_div(&height)?;
            let local = t.mod_(&height)?;
            // Where the slopes differ, hexagons move along with time.
            let drift = tile.scale(&Int::from(shape.low_reach - shape.up_reach));
            let s = v.affs[1].add_constant(&Int::from(aside)).add(&drift)?;
            let period = Int::from(shape.period());
            let set = parts.add(&v.space, shape.inside(&local, &s.mod_(&period)?)?)?;
            *time = time.add_pw_aff(&PwAff::alloc(&set, &tile)?, self.budget)?;
            hexagons = with(&hexagons, &s.floor_div(&period)?, self.budget)?;
            for (k, (slope, size)) in plan.others.iter().enumerate() {
                let skewed = v.affs[k + 2].add(&local.scale(slope))?;
                others[k] = with(&others[k], &skewed.floor_div(size)?, self.budget)?;
            }
        }
        let mut node = plan.below.clone();
        if !others.is_empty() {
            let members = others.into_iter().zip(&plan.band.members[2..]);
            node = Node::band(Band::new(members.map(|(f, m)| Member::new(f).named(tile_name(m))).collect()), node);
        }
        let hexagons = Member::new(hexagons).named(tile_name(&plan.band.members[1]));
        Ok((parts.filter()?, Node::band(Band::new(vec![hexagons]), node)))
    }
}
