//! Diamond tiling: tiles between two families of faces, all tiles of a wavefront independent.
//!
//! Faces `h_1`, `h_2` are functions of time and space that no dependence decreases. A tile is a pair of numbers `floor(h_i / s_i)`; the wavefront is `c_1 floor(h_1 / s_1) + c_2 floor(h_2 / s_2)`. When the direction of time is inside
//! the cone of the faces, `time = l_1 h_1 + l_2 h_2` with positive `l_i`, all tiles of a wavefront can start at once; the wavefront follows time when `c_i` is proportional to `l_i s_i`.
//!
//! # Why it is legal
//! No distance is negative in a face, hence none in a tile number, hence none in the wavefront; a distance that is zero in the wavefront is zero in both tile numbers. Inside a tile the old order holds.
//!
//! # Declined when
//! a face runs a dependence the wrong way round, dependences don't advance in time, or time isn't inside the faces' cone.

use super::slopes::face;
use crate::chain::loop_name;
use crate::transformer::ANCHORED;
use crate::{Error, Outcome, Pairs, Slopes, Transformed, Transformer};
use tilia_presburger::{Id, Int, UnionPwAff};
use tilia_schedule::{Band, Member, Node, Path, ScheduleTree};

/// How to tile.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diamond {
    /// Sizes of the two faces, then of parallelogram tiles in further loops; loops without a size aren't tiled.
    pub sizes: Vec<Int>,
    /// The faces, each a list of coefficients of the band's members; where there are none, they come from the slopes of the first space loop.
    pub faces: Option<[Vec<Int>; 2]>,
    /// The weights of the faces in the direction of the wavefront, where faces are given.
    pub front: Option<[Int; 2]>,
}

/// A face and its weight.
struct Face {
    func: UnionPwAff,
    weight: Int,
}

impl Transformer<'_> {
    /// Tiles a band of a time loop and space loops; the position is the wavefront band's.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn diamond(&self, tree: &ScheduleTree, at: &Path, wanted: &Diamond) -> Transformed {
        let (band, child) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        if band.len() < 2 || wanted.sizes.len() < 2 || wanted.sizes.len() > band.len() {
            let why = format!(
                "a diamond needs two sizes and at most one for each loop ({} sizes, {} loops)",
                wanted.sizes.len(),
                band.len()
            );
            return Ok(Outcome::unfit(why));
        }
        if tree.node(at).is_some_and(|n| n.is_subtree_anchored()) {
            return Ok(Outcome::unfit(ANCHORED));
        }
        let open = self.open_at(tree, at)?;
        let faces = match self.faces(band, &open, wanted)? {
            Ok(f) => f,
            Err(declined) => return Ok(declined),
        };
        let weighted: Vec<Int> = faces.iter().zip(&wanted.sizes).map(|(f, s)| &f.weight * s).collect();
        let common = weighted[0].gcd(&weighted[1]);
        let mut tiles = Vec::new();
        let mut wave: Option<UnionPwAff> = None;
        for (k, f) in faces.iter().enumerate() {
            let number = f.func.floor_div(&wanted.sizes[k])?;
            let term = number.scale(&weighted[k].div_exact(&common))?;
            wave = Some(match wave {
                Some(w) => w.add(&term, self.budget)?,
                None => term,
            });
            if k == 0 {
                tiles.push(Member::new(number).named(tile_name(&band.members[1])));
            }
        }
        let Some(wave) = wave else { return Ok(Outcome::unfit("no faces")) };
        let wave = Member::new(wave).named(Id::new(format!(
            "{}_w",
            loop_name(&band.members[0], None).unwrap_or_else(|| "t".to_owned())
        )));
        for (m, size) in band.members.iter().zip(&wanted.sizes).skip(2) {
            tiles.push(match self.parallelogram(band, m, size, &open)? {
                Ok(t) => t,
                Err(declined) => return Ok(declined),
            });
        }
        // After the wavefront, the tiles along the face are independent.
        let inside = open.left_by(&wave, self.budget)?;
        if let Some(found) = inside.moved_by(&tiles[0], self.budget)? {
            return Ok(crate::register::not_parallel(&found));
        }
        tiles[0].coincident = true;
        let points = Band::new(
            band.members
                .iter()
                .map(|m| Member {
                    coincident: false,
                    ..m.clone()
                })
                .collect(),
        );
        let node = Node::band(Band::new(tiles), Node::band(points, child.clone()));
        self.put(tree, at, Node::band(Band::new(vec![wave]), node))
    }

    /// Tiles of a further space loop, skewed so that no dependence goes down.
    fn parallelogram(&self, band: &Band, member: &Member, size: &Int, open: &Pairs) -> Result<Result<Member, Outcome>, Error> {
        let time = &band.members[0].func;
        let Some(slopes) = Slopes::of(open, time, &member.func, self.budget)? else {
            return Ok(Err(not_a_stencil(member)));
        };
        let skewed = face(time, slopes.lower.num, &member.func, slopes.lower.den, self.budget)?;
        let scaled = size * &Int::from(slopes.lower.den);
        Ok(Ok(Member::new(skewed.floor_div(&scaled)?).named(tile_name(member))))
    }

    fn faces(&self, band: &Band, open: &Pairs, wanted: &Diamond) -> Result<Result<[Face; 2], Outcome>, Error> {
        let faces = match &wanted.faces {
            None => {
                let (time, space) = (&band.members[0].func, &band.members[1].func);
                let Some(s) = Slopes::of(open, time, space, self.budget)? else {
                    return Ok(Err(not_a_stencil(&band.members[1])));
                };
                let [low, up] = [s.lower, s.upper];
                if low.num == 0 && up.num == 0 {
                    return Ok(Err(Outcome::unfit(
                        "no dependence spreads in space: the loop is parallel, nothing is gained by diamonds",
                    )));
                }
                // time = l_1 (p_1 time + q_1 space) + l_2 (p_2 time - q_2 space), up to a factor.
                [
                    Face {
                        func: face(time, low.num, space, low.den, self.budget)?,
                        weight: Int::from(up.den),
                    },
                    Face {
                        func: face(time, up.num, space, -up.den, self.budget)?,
                        weight: Int::from(low.den),
                    },
                ]
            }
            Some(rows) => {
                let front = wanted.front.clone().unwrap_or([Int::ONE, Int::ONE]);
                if front.iter().any(|w| !w.is_pos()) {
                    return Ok(Err(Outcome::unfit("the weights of the front must be positive")));
                }
                let [a, b] = rows;
                let [x, y] = front;
                match (self.combined(band, a)?, self.combined(band, b)?) {
                    (Some(a), Some(b)) => [Face { func: a, weight: x }, Face { func: b, weight: y }],
                    _ => return Ok(Err(Outcome::unfit(format!("a face needs {} coefficients", band.len())))),
                }
            }
        };
        for f in &faces {
            if let Some(violation) = open.violated_by(&Member::new(f.func.clone()), self.budget)? {
                return Ok(Err(Outcome::unfit(format!(
                    "a face runs the dependence {} the wrong way round",
                    violation.text
                ))));
            }
        }
        Ok(Ok(faces))
    }

    fn combined(&self, band: &Band, row: &[Int]) -> Result<Option<UnionPwAff>, Error> {
        if row.len() != band.len() {
            return Ok(None);
        }
        let mut sum: Option<UnionPwAff> = None;
        for (m, c) in band.members.iter().zip(row) {
            let term = m.func.scale(c)?;
            sum = Some(match sum {
                Some(s) => s.add(&term, self.budget)?,
                None => term,
            });
        }
        Ok(sum)
    }
}

pub(super) fn tile_name(member: &Member) -> Id {
    Id::new(format!("{}_t", loop_name(member, None).unwrap_or_else(|| "x".to_owned())))
}

pub(super) fn not_a_stencil(member: &Member) -> Outcome {
    Outcome::unfit(format!(
        "dependences don't advance in time, or spread too fast in {}",
        loop_name(member, None).unwrap_or_else(|| "a space loop".to_owned())
    ))
}
