//! Full and partial parts: the isolated part of a band's values is generated apart from what comes before and after it.
//!
//! At each member the values are cut into those below a lower limit of the isolated part, those between the limits, and the rest. Whatever the limits are, this is
//! a partition in ascending order, so that nothing depends on the isolated part being what it should be.

use crate::ask::Oracle;
use crate::build::Build;
use crate::convert::{disjuncts, set_of};
use crate::exe::Exe;
use crate::generate::{BandCx, Generator};
use crate::graft::{Cond, Graft};
use crate::lin::Con;
use crate::options::Error;
use crate::project::project_out;
use tilia_presburger::{DimType, Int, Map, Set};

/// The isolated part of a band, one convex set: `levels[k]` covers its projection on the dimensions up to and including member `k`.
#[derive(Debug)]
pub(crate) struct Isolate {
    first: usize,
    levels: Vec<Vec<Con>>,
}

impl Isolate {
    /// `None` when the option names an empty set.
    pub(crate) fn new(isolate: &Map, build: &Build, members: usize, b: &Oracle<'_>) -> Result<Option<Isolate>, Error> {
        let first = build.depth();
        let mut set = isolate.wrap().flatten().set_tuple_name(DimType::Out, None);
        if set.dim(DimType::Out) != first + members {
            return Err(Error::Sets(tilia_presburger::Error::Unsupported(format!(
                "the isolate option {isolate} doesn't have {first} outer and {members} own values"
            ))));
        }
        if set.n_basic() > 1 {
            set = set.simple_hull(b)?.to_union();
        }
        let Some(conj) = disjuncts(&set, b)?.into_iter().next() else {
            return Ok(None);
        };
        let mut levels = vec![conj];
        for k in (1..members).rev() {
            match project_out(&levels[levels.len() - 1], first + k) {
                Some(c) => levels.push(c),
                None => return Ok(None),
            }
        }
        levels.reverse();
        Ok(Some(Isolate { first, levels }))
    }

    /// Constraints of the option that must be settled before member `dim`: at the first those on outer values, at the last all but its own.
    fn asked_outside(&self, dim: usize) -> impl Iterator<Item = &Con> {
        let own = self.levels.last().into_iter().flatten();
        let last = dim + 1 == self.first + self.levels.len();
        let limit = if last { dim } else { self.first };
        own.filter(move |c| (last || dim == self.first) && c.lin.last_dim().is_none_or(|d| d < limit))
    }
}

impl Generator<'_> {
    /// The code before, inside and after the isolated part at this member.
    pub(crate) fn isolated_parts(
        &mut self,
        cx: &BandCx<'_>,
        isolate: &Isolate,
        exes: Vec<Exe>,
        build: &Build,
    ) -> Result<Vec<Graft>, Error> {
        let dim = build.depth();
        let outside = BandCx {
            isolate: None,
            isolated: false,
            ..cx.clone()
        };
        let conj = &isolate.levels[dim - isolate.first];
        // What the isolated part asks of outer values must hold; else there is none.
        let mut asked = Vec::new();
        for c in isolate.asked_outside(dim) {
            if !crate::build::implied(&build.domain, c, self.budget)? {
                asked.push(c.clone());
            }
        }
        if !asked.is_empty() {
            return self.versions(cx, &outside, &asked, exes, build);
        }
        let space = build.domain.add_dims(DimType::Out, 1)?.space().clone();
        let side = |lower: bool| -> Result<Set, Error> {
            let own = conj.iter().filter(|c| c.lin.mentions(dim) && !c.lin.mentions_inside(dim));
            let mut cons = Vec::new();
            for c in own {
                if c.lin.coefficient(dim).is_pos() == lower {
                    cons.push(Con::ge(c.lin.clone()));
                } else if c.eq {
                    cons.push(Con::ge(c.lin.neg()));
                }
            }
            set_of(&cons, &space).map_err(Error::from)
        };
        let (from, to) = (side(true)?, side(false)?);
        let all = Set::universe(&space);
        let before = all.subtract(&from, self.budget)?;
        let inside = from.intersect(&to)?;
        let after = from.subtract(&to, self.budget)?;
        let deeper = BandCx {
            isolated: true,
            ..cx.clone()
        };
        let mut out = Vec::new();
        for (set, inner) in [(&before, &outside), (&inside, &deeper), (&after, &outside)] {
            let kept = self.kept(&exes, set, build)?;
            if !kept.is_empty() {
                out.extend(self.pieces_of(inner, kept, build)?);
            }
        }
        Ok(out)
    }

    /// Two versions of the code: with the isolated part where the conditions hold, without it elsewhere.
    fn versions(
        &mut self,
        cx: &BandCx<'_>,
        outside: &BandCx<'_>,
        asked: &[Con],
        exes: Vec<Exe>,
        build: &Build,
    ) -> Result<Vec<Graft>, Error> {
        let b = self.budget;
        let holds = set_of(asked, build.space())?;
        let fails = Set::universe(build.space()).subtract(&holds, b)?;
        let yes: Vec<Cond> = asked.iter().map(|c| Cond::One(build.resolve_con(c))).collect();
        let denied: Vec<Vec<Con>> = asked.iter().flat_map(negated).map(|c| vec![build.resolve_con(&c)]).collect();
        let no = match &denied[..] {
            [one] => Cond::One(one[0].clone()),
            _ => Cond::Any(denied),
        };
        if crate::ask::surely_empty(&build.domain.intersect(&holds)?, b)? {
            return self.pieces_of(outside, exes, build);
        }
        let mut out = Vec::new();
        for (set, conds, inner) in [(&holds, yes, cx), (&fails, vec![no], outside)] {
            let mut here = build.clone();
            here.assume_set(set)?;
            if crate::ask::surely_empty(&here.domain, b)? {
                continue;
            }
            let exes = exes.iter().map(|e| e.restrict(set)).collect::<Result<Vec<_>, _>>()?;
            let mut grafts = match &inner.isolate {
                Some(i) => self.isolated_parts(inner, i, exes, &here)?,
                None => self.pieces_of(inner, exes, &here)?,
            };
            for g in &mut grafts {
                for c in &conds {
                    if !g.guard.contains(c) {
                        g.guard.push(c.clone());
                    }
                }
            }
            out.extend(grafts);
        }
        Ok(out)
    }

    /// The statements that have values in the set.
    pub(crate) fn kept(&self, exes: &[Exe], set: &Set, build: &Build) -> Result<Vec<Exe>, Error> {
        let (b, dim) = (self.budget, build.depth());
        let mut out = Vec::new();
        if set.plain_is_empty() {
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

/// Conditions of which at least one holds exactly where the given one doesn't.
fn negated(con: &Con) -> Vec<Con> {
    let below = Con::ge(con.lin.neg().plus_int(&Int::NEG_ONE));
    if !con.eq {
        return vec![below];
    }
    vec![below, Con::ge(con.lin.plus_int(&Int::NEG_ONE))]
}
