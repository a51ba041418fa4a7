//! Residue expansion: values of which only some residues are wanted, or residues that are wanted for different statements, by one loop over whole periods.
//!
//! A condition on `x mod m` inside a loop over `x` becomes a loop over multiples `v` of `m` (up to an offset) with one copy of the body, a *lane*, for each residue
//! `r` for which anything runs: there `x = v + r`. The periods in which every lane lies within its bounds make a loop without conditions; the few values before and
//! after are written out, or scanned by a loop of the same form with the lanes' bounds as conditions.
//!
//! The values are cut into those before, inside and after the whole periods by sets that are each other's complements, so nothing depends on the bounds being tight.

use crate::bounds::{Shape, aligned, bounds, shape, shared_constraints};
use crate::build::{Build, DimValue, Residue, implied};
use crate::convert::{disjuncts, set_of};
use crate::cost::cost;
use crate::exe::Exe;
use crate::generate::{BandCx, Generator};
use crate::graft::Graft;
use crate::lin::{Atom, Con, Lin};
use crate::options::Error;
use crate::pieces::{Group, Piece, explicit_groups};
use crate::unroll::nest;
use std::collections::BTreeSet;
use tilia_presburger::{DimType, Int, Set};
use tilia_schedule::LoopType;

/// The residue `x + offset` modulo `modulus` is what conditions depend on.
struct Period {
    modulus: Int,
    offset: Lin,
}

/// One residue and what runs there.
struct Lane {
    /// `x = v + shift`
    shift: Int,
    exes: Vec<Exe>,
    /// Bounds of `v` that hold wherever anything runs: from below, from above.
    outer: (Vec<Con>, Vec<Con>),
    /// Bounds of `v` within which everything runs, as far as bounds decide.
    inner: Vec<Con>,
}

impl Generator<'_> {
    /// The piece as a loop over whole periods, when conditions on residues would stand inside the loop that `shape` describes.
    pub(crate) fn lanes(&mut self, cx: &BandCx<'_>, piece: &Piece, shape: &Shape, build: &Build) -> Result<Option<Vec<Graft>>, Error> {
        let Some(period) = self.period(piece, shape, build)? else {
            return Ok(None);
        };
        let Some(lanes) = self.split_lanes(piece, &period, build)? else {
            return Ok(None);
        };
        let start = (self.copies, self.vars.len());
        let mut inside = build.clone();
        inside.lanes *= lanes.len();
        let Some(grafts) = self.whole_periods(cx, &period, lanes, &inside)? else {
            return Ok(None);
        };
        let made = (self.copies, self.vars.len());
        // The plain loop is the better one where the conditions have other causes, too.
        self.copies = start.0;
        let plain = self.for_loop(cx, shape, piece.exes.clone(), &inside)?;
        if made.0 - start.0 > self.options.max_copies.max(3 * piece.exes.len()) || cost(&plain) <= cost(&grafts) {
            return Ok(Some(plain));
        }
        self.copies = made.0;
        self.vars.truncate(made.1);
        Ok(Some(grafts))
    }

    /// What the conditions depend on that the loop wouldn't enforce.
    fn period(&self, piece: &Piece, shape: &Shape, build: &Build) -> Result<Option<Period>, Error> {
        let (b, dim) = (self.budget, build.depth());
        let most = Int::from(self.options.max_residues) * &shape.step;
        if build.lanes >= self.options.max_residues {
            return Ok(None);
        }
        let long = |(num, den): (Lin, Int)| den.div_exact(&den.gcd(&num.coefficient(dim))) > most;
        let mut divs: BTreeSet<(Lin, Int)> = BTreeSet::new();
        let mut known: Option<Set> = None;
        for e in &piece.exes {
            for con in disjuncts(&e.levels[dim + 1], b)?.iter().flatten() {
                // What has a long period stays a condition; what the loop's step settles is none.
                let settled = |(num, den): (Lin, Int)| (&num.coefficient(dim) * &shape.step).is_divisible_by(&den);
                if con.lin.divisions_of(dim).all(settled) || con.lin.divisions_of(dim).any(long) {
                    continue;
                }
                let known = match &mut known {
                    Some(k) => k,
                    slot => {
                        let domain = build.domain.add_dims(DimType::Out, 1)?;
                        slot.insert(domain.intersect(&set_of(&shape.enforced, domain.space())?)?)
                    }
                };
                if !implied(known, con, b)? {
                    divs.extend(con.lin.divisions_of(dim));
                }
            }
        }
        let mut period: Option<Period> = None;
        for (num, den) in divs {
            let k = num.coefficient(dim);
            let mut rest = num;
            rest.terms.remove(&Atom::Dim(dim));
            rest.constant = Int::ZERO;
            if k.is_zero() || rest.mentions(dim) || !rest.terms.values().all(|c| c.is_divisible_by(&k)) {
                return Ok(None);
            }
            let offset = rest.div_exact(&k);
            let m = den.div_exact(&den.gcd(&k));
            match &mut period {
                None => period = Some(Period { modulus: m, offset }),
                Some(p) if p.offset == offset => p.modulus = p.modulus.lcm(&m),
                Some(_) => return Ok(None),
            }
        }
        match period {
            Some(p) if p.modulus <= most && !self.is_short(shape, &p.modulus, build)? => Ok(Some(p)),
            _ => Ok(None),
        }
    }

    /// Does the loop run over fewer values than a period has?
    fn is_short(&self, shape: &Shape, period: &Int, build: &Build) -> Result<bool, Error> {
        let ([lowers], [uppers]) = (&shape.lowers[..], &shape.uppers[..]) else {
            return Ok(false);
        };
        for (l, u) in lowers.iter().flat_map(|l| uppers.iter().map(move |u| (l, u))) {
            let room = l.minus(u).plus_int(period).plus_int(&Int::NEG_ONE);
            if implied(&build.domain, &Con::ge(room), self.budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The residues for which anything runs; nothing when there are too many, or one has no bounds of its own.
    fn split_lanes(&self, piece: &Piece, period: &Period, build: &Build) -> Result<Option<Vec<Lane>>, Error> {
        let (b, dim) = (self.budget, build.depth());
        let domain = build.domain.add_dims(DimType::Out, 1)?;
        let mut conjunctions = Vec::with_capacity(piece.exes.len());
        for e in &piece.exes {
            conjunctions.push(disjuncts(&e.levels[dim + 1], b)?);
        }
        let x = Lin::dim(dim);
        let mut out = Vec::new();
        let mut shift = Int::ZERO;
        while shift < period.modulus {
            let residue = Con::eq(x.plus(&period.offset).plus_int(&-&shift).modulo(&period.modulus));
            let only = set_of(std::slice::from_ref(&residue), domain.space())?;
            let (mut exes, mut owned, mut inner) = (Vec::new(), Vec::new(), Vec::new());
            let at = x.plus_int(&shift);
            for (e, conjunctions) in piece.exes.iter().zip(&conjunctions) {
                let mine: Vec<Vec<Con>> = conjunctions.iter().filter_map(|c| in_lane(c, dim, period, &shift)).collect();
                let e = e.restrict(&only)?;
                if mine.is_empty() || e.is_empty_in(&domain, dim + 1, b)? {
                    continue;
                }
                exes.push(e);
                let groups = explicit_groups(&mine, build, b)?;
                inner.extend(shared_constraints(&groups, build, b)?);
                owned.extend(mine);
            }
            if !exes.is_empty() {
                let groups = explicit_groups(&owned, build, b)?;
                let shared = shared_constraints(&groups, build, b)?;
                let on_base = |list: Vec<Con>| -> Vec<Con> { list.iter().map(|c| at_shift(c, dim, &at)).collect() };
                let outer = (on_base(bounds(&shared, dim, true)), on_base(bounds(&shared, dim, false)));
                if outer.0.is_empty() || outer.1.is_empty() {
                    return Ok(None);
                }
                let both = [bounds(&inner, dim, true), bounds(&inner, dim, false)].concat();
                let inner = on_base(both);
                out.push(Lane {
                    shift: shift.clone(),
                    exes,
                    outer,
                    inner,
                });
            }
            shift += &Int::ONE;
        }
        Ok((!out.is_empty() && out.len() <= self.options.max_residues).then_some(out))
    }

    /// The code before, in and after the whole periods.
    fn whole_periods(&mut self, cx: &BandCx<'_>, period: &Period, lanes: Vec<Lane>, build: &Build) -> Result<Option<Vec<Graft>>, Error> {
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
            let rest = Rest {
                limits: Vec::new(),
                lower: true,
            };
            return Ok(Some(self.guarded_lanes(cx, period, &lanes, &rest, build)?));
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
        let mut out = self.rest(cx, before, &Rest { limits: last, lower: true }, build)?;
        if !main_lanes.is_empty() {
            out.extend(self.lane_loop(cx, period, &main_lanes, main, build)?);
        }
        out.extend(self.rest(
            cx,
            after,
            &Rest {
                limits: next,
                lower: false,
            },
            build,
        )?);
        Ok(Some(out))
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
        let mut enforced = vec![whole];
        let x = Lin::dim(dim);
        if let [list] = &lowers[..] {
            enforced.extend(list.iter().map(|l| Con::ge(x.minus(l))));
        }
        if let [list] = &uppers[..] {
            enforced.extend(list.iter().map(|u| Con::ge(u.minus(&x))));
        }
        let shape = Shape {
            value: None,
            lowers,
            uppers,
            step: period.modulus.clone(),
            offset,
            enforced,
            implied: Vec::new(),
            needed: Vec::new(),
        };
        self.lane_loop(cx, period, lanes, shape, build)
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

/// A part beside the whole periods.
struct Rest {
    /// The value of `v` next to the whole periods: the greatest of these before them, the least after them.
    limits: Vec<Lin>,
    /// It lies before them.
    lower: bool,
}

fn add_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// The constraint with the dimension replaced by an expression of it.
fn at_shift(c: &Con, dim: usize, value: &Lin) -> Con {
    c.substitute(&|d| if d == dim { value.clone() } else { Lin::dim(d) })
}

/// What a conjunction says of the values `x` with `x + offset = shift` modulo the period, with all divisions of such values worked out; nothing when there are none.
fn in_lane(conj: &[Con], dim: usize, period: &Period, shift: &Int) -> Option<Vec<Con>> {
    let mut out = Vec::with_capacity(conj.len());
    for c in conj {
        let c = con_in_lane(c, dim, period, shift);
        match c.constant_truth() {
            Some(true) => {}
            Some(false) => return None,
            None => out.push(c),
        }
    }
    Some(out)
}

fn con_in_lane(con: &Con, dim: usize, period: &Period, shift: &Int) -> Con {
    let divs: Vec<(Lin, Int)> = con.lin.divisions_of(dim).collect();
    if divs.is_empty() {
        return con.clone();
    }
    let factor = divs.iter().fold(Int::ONE, |l, (_, d)| l.lcm(d));
    let mut lin = con.lin.scaled(&factor);
    for (num, den) in divs {
        let atom = Atom::Div(Box::new(num.clone()), den.clone());
        let Some(c) = lin.terms.remove(&atom) else { continue };
        let k = num.coefficient(dim);
        let mut rest = num.clone();
        rest.terms.remove(&Atom::Dim(dim));
        rest.add_scaled(&period.offset, &-&k);
        if !rest.is_constant() || !(&k * &period.modulus).is_divisible_by(&den) {
            lin.add_term(atom, &c);
            continue;
        }
        // num = k (x + offset) + rest; x + offset = shift + whole periods.
        let at = &(&k * shift) + &rest.constant;
        lin.add_scaled(&Lin::dim(dim).plus(&period.offset).plus_int(&-shift), &(&c.div_exact(&den) * &k));
        lin.constant += &(&c * &at.div_floor(&den));
    }
    if con.eq { Con::eq(lin) } else { Con::ge(lin) }
}
