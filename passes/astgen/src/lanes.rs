//! Residue expansion: values of which only some residues are wanted, or residues that are wanted for different statements, by one loop over whole periods.
//!
//! A condition on `x mod m` inside a loop over `x` becomes a loop over multiples `v` of `m` (up to an offset) with one copy of the body, a *lane*, for each residue
//! `r` for which anything runs: there `x = v + r`. The periods in which every lane lies within its bounds make a loop without conditions; the few values before and
//! after are written out, or scanned by a loop of the same form with the lanes' bounds as conditions.
//!
//! The values are cut into those before, inside and after the whole periods by sets that are each other's complements, so nothing depends on the bounds being tight.

use crate::bounds::{Shape, aligned, bounds, shape};
use crate::build::{Build, DimValue, Residue, implied};
use crate::convert::set_of;
use crate::exe::Exe;
use crate::generate::{BandCx, Generator};
use crate::graft::Graft;
use crate::lin::{Con, Lin};
use crate::options::Error;
use crate::pieces::Group;
use crate::residue::{Lane, Period, Trial, at_shift};
use crate::unroll::nest;
use tilia_presburger::{DimType, Int, Set};
use tilia_schedule::LoopType;

impl Generator<'_> {
    /// The code before, in and after the whole periods; nothing when it isn't possible or not worth it. The loop over whole periods is made first: it decides most trials.
    pub(crate) fn whole_periods(
        &mut self,
        cx: &BandCx<'_>,
        period: &Period,
        lanes: Vec<Lane>,
        trial: &Trial<'_>,
        build: &Build,
    ) -> Result<Option<Vec<Graft>>, Error> {
        let (b, dim) = (self.budget, build.depth());
        let member = cx.member(dim);
        let kind = if cx.isolated { member.isolated_loop_type } else { member.loop_type };
        let mut inner: Vec<Con> = Vec::new();
        for c in lanes.iter().flat_map(|l| &l.inner) {
            if !inner.iter().any(|k| k.plainly_implies(c)) {
                inner.retain(|k| !c.plainly_implies(k));
                inner.push(c.clone());
            }
        }
        let whole = Con::eq(Lin::dim(dim).plus(&period.offset).modulo(&period.modulus));
        let domain = build.domain.add_dims(DimType::Out, 1)?;
        let periods = domain.intersect(&set_of(&[&inner[..], std::slice::from_ref(&whole)].concat(), domain.space())?)?;
        if kind == LoopType::Atomic || crate::ask::surely_empty(&periods, b)? {
            let grafts = self.guarded_lanes(cx, period, &lanes, &Rest::none(), build)?;
            return Ok(trial.is_worth(&grafts, self.copies).then_some(grafts));
        }
        let own = [&inner[..], std::slice::from_ref(&whole)].concat();
        let Ok(main) = shape(&[Group { own, outer: Vec::new() }], build, b)? else {
            return Ok(None);
        };
        let ([lowers], [uppers]) = (&main.lowers[..], &main.uppers[..]) else {
            return Ok(None);
        };
        // Exactly what the loop scans: bounds that were dropped as redundant don't count.
        let (from, to) = (bounds(&main.enforced, dim, true), bounds(&main.enforced, dim, false));
        let last = lowers.iter().map(|l| l.plus_int(&-&period.modulus)).collect();
        let after_all = |u: &Lin| aligned(&u.plus_int(&Int::ONE), &period.modulus, &period.offset.neg(), build);
        let next = uppers.iter().map(after_all).collect();
        let (before, rest) = self.cut(lanes, &from, build)?;
        let (after, main_lanes) = self.cut(rest, &to, build)?;
        let main = if main_lanes.is_empty() {
            Vec::new()
        } else {
            self.lane_loop(cx, period, &main_lanes, main, build)?
        };
        if !trial.is_worth(&main, self.copies) {
            return Ok(None);
        }
        let mut out = self.rest(cx, before, &Rest { limits: last, lower: true }, build)?;
        out.extend(main);
        if !trial.is_worth(&out, self.copies) {
            return Ok(None);
        }
        let next = Rest {
            limits: next,
            lower: false,
        };
        out.extend(self.rest(cx, after, &next, build)?);
        Ok(trial.is_worth(&out, self.copies).then_some(out))
    }

    /// The lanes with the values that violate one of the constraints on `v`, and those with the values that violate none.
    fn cut(&self, lanes: Vec<Lane>, cons: &[Con], build: &Build) -> Result<(Vec<Lane>, Vec<Lane>), Error> {
        let dim = build.depth();
        let domain = build.domain.add_dims(DimType::Out, 1)?;
        let all = Set::universe(domain.space());
        let (mut outside, mut inside) = (Vec::new(), Vec::new());
        for lane in lanes {
            let v = Lin::dim(dim).plus_int(&-&lane.shift);
            let here: Vec<Con> = cons.iter().map(|c| at_shift(c, dim, &v)).collect();
            let good = set_of(&here, domain.space())?;
            let bad = all.subtract(&good, self.budget)?;
            for (set, list) in [(&bad, &mut outside), (&good, &mut inside)] {
                let exes = self.kept(&lane.exes, set, build)?;
                if !exes.is_empty() {
                    list.push(Lane {
                        shift: lane.shift.clone(),
                        exes,
                        outer: lane.outer.clone(),
                        inner: lane.inner.clone(),
                    });
                }
            }
        }
        Ok((outside, inside))
    }

    /// The values before or after the whole periods: those of one period are written out.
    fn rest(&mut self, cx: &BandCx<'_>, lanes: Vec<Lane>, rest: &Rest, build: &Build) -> Result<Vec<Graft>, Error> {
        if lanes.is_empty() {
            return Ok(Vec::new());
        }
        let dim = build.depth();
        let domain = build.domain.add_dims(DimType::Out, 1)?;
        let [v] = &rest.limits[..] else {
            return self.pieces_of(cx, lanes.into_iter().flat_map(|l| l.exes).collect(), build);
        };
        for lane in &lanes {
            let at = v.plus_int(&lane.shift);
            // A value of the lane beyond the one next to the whole periods.
            let far = if rest.lower {
                Lin::dim(dim).minus(&at)
            } else {
                at.minus(&Lin::dim(dim))
            };
            for e in &lane.exes {
                if !implied(&e.levels[dim + 1].intersect(&domain)?, &Con::ge(far.clone()), self.budget)? {
                    return self.pieces_of(cx, lanes.into_iter().flat_map(|l| l.exes).collect(), build);
                }
            }
        }
        let mut out: Vec<Graft> = Vec::new();
        let mut previous = Vec::new();
        for lane in &lanes {
            let value = v.plus_int(&lane.shift);
            let mut slice = self.at_value(cx, &lane.exes, &value, build)?;
            for g in &mut slice {
                nest(&mut g.guard, &previous);
            }
            if let Some(g) = slice.first() {
                previous = g.guard.clone();
            }
            out.extend(slice);
        }
        Ok(out)
    }

    /// A loop over all periods of the lanes in which anything may run.
    fn guarded_lanes(&mut self, cx: &BandCx<'_>, period: &Period, lanes: &[Lane], rest: &Rest, build: &Build) -> Result<Vec<Graft>, Error> {
        let shape = self.shape_of_lanes(period, lanes, rest, build)?;
        self.lane_loop(cx, period, lanes, shape, build)
    }

    /// As [`Generator::guarded_lanes`] for all values; nothing when the lanes have bounds that differ by more than constants.
    pub(crate) fn plain_lanes(
        &mut self,
        cx: &BandCx<'_>,
        period: &Period,
        lanes: &[Lane],
        build: &Build,
    ) -> Result<Option<Vec<Graft>>, Error> {
        let shape = self.shape_of_lanes(period, lanes, &Rest::none(), build)?;
        if shape.lowers.len() != 1 || shape.uppers.len() != 1 {
            return Ok(None);
        }
        self.lane_loop(cx, period, lanes, shape, build).map(Some)
    }

    /// The loop over all periods of the lanes in which anything may run.
    fn shape_of_lanes(&self, period: &Period, lanes: &[Lane], rest: &Rest, build: &Build) -> Result<Shape, Error> {
        let dim = build.depth();
        let offset = period.offset.neg();
        let whole = Con::eq(Lin::dim(dim).plus(&period.offset).modulo(&period.modulus));
        let mut sides = [Vec::new(), Vec::new()];
        for lane in lanes {
            let own = [&lane.outer.0[..], &lane.outer.1[..]].concat();
            let Ok(s) = shape(&[Group { own, outer: Vec::new() }], build, self.budget)? else {
                return Err(self.unbounded(&lane.exes, build, "lower or upper"));
            };
            let limits = match s.value {
                Some(v) => [vec![vec![v.clone()]], vec![vec![v]]],
                None => [s.lowers, s.uppers],
            };
            for (i, (side, limits)) in sides.iter_mut().zip(limits).enumerate() {
                let cut = if rest.lower == (i == 1) { &rest.limits[..] } else { &[] };
                for list in limits {
                    let list: Vec<Lin> = match i {
                        0 => list.iter().map(|l| aligned(l, &period.modulus, &offset, build)).collect(),
                        _ => list,
                    };
                    if cut.is_empty() {
                        add_new(side, list);
                        continue;
                    }
                    for c in cut {
                        let mut list = list.clone();
                        add_new(&mut list, c.clone());
                        add_new(side, list);
                    }
                }
            }
        }
        let [lowers, uppers] = sides;
        let (lowers, uppers) = (outermost(lowers, true), outermost(uppers, false));
        let mut enforced = vec![whole];
        let x = Lin::dim(dim);
        if let [list] = &lowers[..] {
            enforced.extend(list.iter().map(|l| Con::ge(x.minus(l))));
        }
        if let [list] = &uppers[..] {
            enforced.extend(list.iter().map(|u| Con::ge(u.minus(&x))));
        }
        Ok(Shape {
            value: None,
            lowers,
            uppers,
            step: period.modulus.clone(),
            offset,
            enforced,
            implied: Vec::new(),
            needed: Vec::new(),
        })
    }

    /// One loop over `v`, or one value of it, with the lanes inside.
    fn lane_loop(&mut self, cx: &BandCx<'_>, period: &Period, lanes: &[Lane], shape: Shape, build: &Build) -> Result<Vec<Graft>, Error> {
        if let Some(v) = &shape.value {
            let mut out = Vec::new();
            for lane in lanes {
                out.extend(self.at_value(cx, &lane.exes, &v.plus_int(&lane.shift), build)?);
            }
            return Ok(out);
        }
        let dim = build.depth();
        let (var, scale) = self.loop_var(cx, &shape, build);
        let at = |shift: &Int, cons: &[Con]| -> Result<Build, Error> {
            let value = DimValue::Loop {
                var,
                scale: scale.clone(),
                offset: shift.clone(),
            };
            let residue = Residue::Congruent(period.modulus.clone(), period.offset.neg().plus_int(shift));
            build.deeper(value, residue, cons)
        };
        let mut grafts = Vec::new();
        for lane in lanes {
            let v = Lin::dim(dim).plus_int(&-&lane.shift);
            let cons: Vec<Con> = shape.enforced.iter().map(|c| at_shift(c, dim, &v)).collect();
            let inner = at(&lane.shift, &cons)?;
            grafts.extend(self.level(cx, lane.exes.clone(), &inner)?);
        }
        let whole = at(&Int::ZERO, &shape.enforced)?;
        self.loop_around(cx, var, &scale, &shape, grafts, (build, &whole))
    }

    /// The code for one value of the dimension.
    fn at_value(&mut self, cx: &BandCx<'_>, exes: &[Exe], value: &Lin, build: &Build) -> Result<Vec<Graft>, Error> {
        let dim = build.depth();
        let domain = build.domain.add_dims(DimType::Out, 1)?;
        let fixed = Con::eq(Lin::dim(dim).minus(value));
        let set = set_of(std::slice::from_ref(&fixed), domain.space())?;
        let exes = self.kept(exes, &set, build)?;
        let shape = Shape::of_value(value.clone(), fixed);
        self.single(cx, value, &shape, exes, build)
    }
}

/// One limit instead of several that differ by constants: the least of the lower ones, the greatest of the upper ones.
fn outermost(side: Vec<Vec<Lin>>, lower: bool) -> Vec<Vec<Lin>> {
    let mut best: Option<&Lin> = None;
    for list in &side {
        let [l] = &list[..] else { return side };
        best = Some(match best {
            None => l,
            Some(b) => {
                let beyond = l.minus(b);
                if !beyond.is_constant() {
                    return side;
                }
                if beyond.constant.is_neg() == lower { l } else { b }
            }
        });
    }
    match best {
        Some(b) => vec![vec![b.clone()]],
        None => side,
    }
}

/// A part beside the whole periods.
struct Rest {
    /// The value of `v` next to the whole periods: the greatest of these before them, the least after them.
    limits: Vec<Lin>,
    /// It lies before them.
    lower: bool,
}

impl Rest {
    /// All values, where no periods are set apart.
    fn none() -> Rest {
        Rest {
            limits: Vec::new(),
            lower: true,
        }
    }
}

fn add_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}
