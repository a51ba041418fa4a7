//! Full and partial parts: the isolated part of a band's values is generated apart from what comes before and after it.

use crate::build::Build;
use crate::convert::disjuncts;
use crate::exe::Exe;
use crate::generate::{BandCx, Generator};
use crate::graft::Graft;
use crate::options::Error;
use tilia_presburger::{Aff, Budget, Constraint, DimType, Map, Set};

/// The isolated part of a band: `levels[k]` is its projection on the dimensions up to and including the band's member `k`, one convex set each.
#[derive(Debug)]
pub(crate) struct Isolate {
    first: usize,
    levels: Vec<Set>,
}

impl Isolate {
    pub(crate) fn new(isolate: &Map, build: &Build, members: usize, b: &Budget) -> Result<Isolate, Error> {
        let first = build.depth();
        let mut set = isolate.wrap().flatten().set_tuple_name(DimType::Out, None);
        if set.dim(DimType::Out) != first + members {
            return Err(Error::Sets(tilia_presburger::Error::Unsupported(format!(
                "the isolate option {isolate} doesn't have {first} outer and {members} own values"
            ))));
        }
        let mut down = Vec::new();
        for k in (0..members).rev() {
            if k + 1 < members {
                set = set.project_out(DimType::Out, first + k + 1, 1, b)?;
            }
            set = crate::convert::with_known_divs(&set, b)?;
            if set.n_basic() > 1 {
                set = set.simple_hull(b)?.to_union();
            }
            down.push(set.clone());
        }
        down.reverse();
        Ok(Isolate { first, levels: down })
    }
}

impl Generator<'_> {
    /// The code before, inside and after the isolated part at this member, and for outer values without one.
    pub(crate) fn isolated_parts(
        &mut self,
        cx: &BandCx<'_>,
        isolate: &Isolate,
        exes: Vec<Exe>,
        build: &Build,
    ) -> Result<Vec<Graft>, Error> {
        let (b, dim) = (self.budget, build.depth());
        let part = isolate.levels[dim - isolate.first].intersect(&build.domain.add_dims(DimType::Out, 1)?)?;
        if part.is_empty(b)? {
            let outside = BandCx {
                isolate: None,
                isolated: false,
                ..cx.clone()
            };
            return self.pieces_of(&outside, exes, build);
        }
        let outer = crate::convert::with_known_divs(&part.project_out(DimType::Out, dim, 1, b)?, b)?;
        let wide = outer.add_dims(DimType::Out, 1)?;
        let from = half(&part, dim, true, b)?;
        let to = half(&part, dim, false, b)?;
        let before = wide.subtract(&from, b)?;
        let after = wide.subtract(&to, b)?;
        let inside = from.intersect(&to)?;
        let other = Set::universe(wide.space()).subtract(&wide, b)?;
        let outside = BandCx {
            isolate: None,
            isolated: false,
            ..cx.clone()
        };
        let deeper = BandCx {
            isolated: true,
            ..cx.clone()
        };
        let mut out = Vec::new();
        for (set, inner) in [(&before, &outside), (&inside, &deeper), (&after, &outside), (&other, &outside)] {
            let kept = self.kept(&exes, set, build)?;
            if !kept.is_empty() {
                out.extend(self.pieces_of(inner, kept, build)?);
            }
        }
        Ok(out)
    }

    /// The statements that have values in the set.
    fn kept(&self, exes: &[Exe], set: &Set, build: &Build) -> Result<Vec<Exe>, Error> {
        let (b, dim) = (self.budget, build.depth());
        let mut out = Vec::new();
        if disjuncts(set, b)?.is_empty() {
            return Ok(out);
        }
        let domain = build.domain.add_dims(DimType::Out, 1)?;
        for e in exes {
            let e = e.restrict(set)?;
            if !e.is_empty_in(&domain, dim + 1, b)? {
                out.push(e);
            }
        }
        Ok(out)
    }
}

/// The values of dimension `dim` that are at least (at most) some value of the set with the same outer values.
fn half(set: &Set, dim: usize, up: bool, b: &Budget) -> Result<Set, Error> {
    let wide = set.insert_dims(DimType::Out, dim, 1)?;
    let (x, y) = (
        Aff::var(wide.space(), DimType::Out, dim),
        Aff::var(wide.space(), DimType::Out, dim + 1),
    );
    let difference = if up { x.sub(&y)? } else { y.sub(&x)? };
    let related = wide.add_constraint(&Constraint::ineq(difference))?;
    let out = related.project_out(DimType::Out, dim + 1, 1, b)?;
    crate::convert::with_known_divs(&out, b).map_err(Error::from)
}
