//! First and last value, step and offset of a loop, from the constraints on its schedule dimension.

use crate::ask::{Oracle, ask};
use crate::build::{Build, implied};
use crate::convert::{aff_of, set_of};
use crate::lin::{Atom, Con, Lin};
use crate::options::Error;
use crate::pieces::{Group, all_but_one_single, beyond_first, implied_by_all};
use crate::project::without_divs_of;
use tilia_presburger::{DimType, Int, Optimum};

/// Bounds of at most this cost are simple: the dimension, a term and a constant.
const SIMPLE_BOUND: usize = 3;

/// What the code for one value range of a dimension looks like. Expressions are over outer schedule dimensions.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    /// The dimension's value when there is only one.
    pub(crate) value: Option<Lin>,
    /// Alternatives of which the least counts, each the greatest of a list.
    pub(crate) lowers: Vec<Vec<Lin>>,
    /// Alternatives of which the greatest counts, each the least of a list.
    pub(crate) uppers: Vec<Vec<Lin>>,
    /// Distance of the values.
    pub(crate) step: Int,
    /// A value is congruent to this modulo `step`.
    pub(crate) offset: Lin,
    /// What the loop makes sure of, over dimensions up to this one.
    pub(crate) enforced: Vec<Con>,
    /// Bounds that follow from those of the loop and what is known outside.
    pub(crate) implied: Vec<Con>,
    /// What must hold outside for there to be any value.
    pub(crate) needed: Vec<Con>,
}

impl Shape {
    /// One value, which the constraint states.
    pub(crate) fn of_value(value: Lin, con: Con) -> Shape {
        Shape {
            value: Some(value),
            lowers: Vec::new(),
            uppers: Vec::new(),
            step: Int::ONE,
            offset: Lin::default(),
            enforced: vec![con],
            implied: Vec::new(),
            needed: Vec::new(),
        }
    }
}

/// The shape of dimension `dim` = `build.depth()`, whose values lie in the union of the groups (conjunctions over dimensions up to `dim`).
///
/// The loop covers all values of the groups where these are feasible; it may cover more (holes, conditions on outer dimensions), which is left to guards.
pub(crate) fn shape(groups: &[Group], build: &Build, b: &Oracle<'_>) -> Result<Result<Shape, &'static str>, Error> {
    let dim = build.depth();
    if let [only] = groups
        && let Some(s) = single_value(&only.own, dim)
    {
        return Ok(Ok(s));
    }
    let shared = shared_constraints(groups, build, b)?;
    let (step, offset, needed, mut enforced) = stride(&shared, dim);
    let mut lowers = vec![bounds(&shared, dim, true)];
    let mut uppers = vec![bounds(&shared, dim, false)];
    if lowers[0].is_empty() {
        lowers = groups.iter().map(|g| all_bounds(&g.own, dim, true)).collect();
    }
    if uppers[0].is_empty() {
        uppers = groups.iter().map(|g| all_bounds(&g.own, dim, false)).collect();
    }
    for (lower, side) in [(true, &mut lowers), (false, &mut uppers)] {
        if side.len() == 1 && too_wide(groups, &shared, lower, build, b)? {
            *side = bounds_of_each(groups, lower, build, b)?;
        }
    }
    if lowers.iter().any(Vec::is_empty) {
        return Ok(Err("lower"));
    }
    if uppers.iter().any(Vec::is_empty) {
        return Ok(Err("upper"));
    }
    for side in [&mut lowers, &mut uppers] {
        for list in side.iter_mut() {
            list.sort_by(|x, y| (x.lin.cost(), x).cmp(&(y.lin.cost(), y)));
            list.dedup();
        }
        side.sort();
        side.dedup();
    }
    let mut outer: Vec<Con> = Vec::new();
    if let Some((first, rest)) = groups.split_first() {
        outer.extend(first.outer.iter().filter(|c| rest.iter().all(|g| g.outer.contains(c))).cloned());
    }
    let implied = drop_redundant(&mut lowers, &mut uppers, (&enforced, &outer), build, b)?;
    tighten(groups, &mut lowers, &mut uppers, build, b)?;
    for side in [&lowers, &uppers] {
        if let [only] = &side[..] {
            enforced.extend(only.iter().cloned());
        }
    }
    let lowers: Vec<Vec<Lin>> = to_limits(&lowers, dim)
        .into_iter()
        .map(|l| l.iter().map(|e| aligned(e, &step, &offset, build)).collect())
        .collect();
    let uppers = to_limits(&uppers, dim);
    let mut value = None;
    if let ([l], [u]) = (&lowers[..], &uppers[..])
        && let ([l], [u]) = (&l[..], &u[..])
        && l == u
    {
        value = Some(l.clone());
    }
    Ok(Ok(Shape {
        value,
        lowers,
        uppers,
        step,
        offset,
        enforced,
        implied,
        needed,
    }))
}

/// Bounds that leave room because conditions with divisions were relaxed are moved to the first value that occurs.
fn tighten(groups: &[Group], lowers: &mut [Vec<Con>], uppers: &mut [Vec<Con>], build: &Build, b: &Oracle<'_>) -> Result<(), Error> {
    let dim = build.depth();
    let divided = |c: &Con| !c.eq && c.lin.mentions_inside(dim);
    let ([lower], [upper]) = (lowers, uppers) else { return Ok(()) };
    if !groups.iter().all(|g| g.own.iter().any(divided)) {
        return Ok(());
    }
    let domain = build.domain.add_dims(DimType::Out, 1)?;
    for c in lower.iter_mut().chain(upper) {
        if c.lin.has_divs() {
            continue;
        }
        let aff = aff_of(&c.lin, domain.space())?;
        let mut room: Option<Int> = None;
        for g in groups {
            let set = domain.intersect(&set_of(&g.own, domain.space())?)?;
            match ask(b, |s| Ok(set.min_aff(&aff, s)?))? {
                Some(Optimum::Bounded(v)) => room = Some(room.map_or_else(|| v.clone(), |r| r.min(v.clone()))),
                Some(Optimum::Empty) => {}
                _ => room = Some(Int::ZERO),
            }
        }
        if let Some(room) = room.filter(Int::is_pos) {
            *c = Con::ge(c.lin.plus_int(&-room));
        }
    }
    Ok(())
}

/// Do the common bounds of one side admit values beyond those of all groups, though these are single values but for one? Then each may have bounds of its own.
fn too_wide(groups: &[Group], shared: &[Con], lower: bool, build: &Build, b: &Oracle<'_>) -> Result<bool, Error> {
    let dim = build.depth();
    if groups.len() < 2 || !all_but_one_single(groups, dim) {
        return Ok(false);
    }
    let all = build.domain.add_dims(DimType::Out, 1)?;
    let all = all.intersect(&set_of(shared, all.space())?)?;
    let Some(side) = beyond_first(groups, dim, lower, all.space())? else {
        return Ok(false);
    };
    let beyond = ask(b, |s| Ok(all.subtract(&side, s)?.is_empty(s)?))?;
    Ok(beyond == Some(false))
}

/// The bounds of one side of each group, without those that follow from its others.
fn bounds_of_each(groups: &[Group], lower: bool, build: &Build, b: &Oracle<'_>) -> Result<Vec<Vec<Con>>, Error> {
    let dim = build.depth();
    let mut out = Vec::with_capacity(groups.len());
    for g in groups {
        let mut sides = [vec![all_bounds(&g.own, dim, true)], vec![all_bounds(&g.own, dim, false)]];
        let [below, above] = &mut sides;
        drop_redundant(below, above, (&[], &[]), build, b)?;
        out.extend(std::mem::take(&mut sides[usize::from(!lower)]));
    }
    Ok(out)
}

/// The dimension as a function of outer ones, when an equality says so.
fn single_value(group: &[Con], dim: usize) -> Option<Shape> {
    let eqs = group.iter().filter(|c| c.eq && !c.lin.mentions_inside(dim) && c.lin.mentions(dim));
    let best = eqs.min_by_key(|c| (!c.lin.coefficient(dim).is_unit(), c.lin.cost()))?;
    let a = best.lin.coefficient(dim);
    let mut rest = best.lin.clone();
    rest.terms.remove(&Atom::Dim(dim));
    // a x + rest = 0
    let (a, minus) = if a.is_neg() { (a.abs(), rest) } else { (a, rest.neg()) };
    let mut needed = Vec::new();
    if !a.is_one() {
        needed.push(Con::eq(minus.modulo(&a)));
    }
    Some(Shape {
        needed,
        ..Shape::of_value(minus.floor_div(&a), best.clone())
    })
}

/// The constraints that hold on all groups.
pub(crate) fn shared_constraints(groups: &[Group], build: &Build, b: &Oracle<'_>) -> Result<Vec<Con>, Error> {
    if let [only] = groups {
        return Ok(only.own.clone());
    }
    let domain = build.domain.add_dims(DimType::Out, 1)?;
    let mut out: Vec<Con> = Vec::new();
    for c in groups.iter().flat_map(|g| &g.own) {
        if !out.contains(c) && implied_by_all(c, groups, &domain, b)? {
            out.push(c.clone());
        }
    }
    Ok(out)
}

/// A congruence `x = offset` modulo `step`, and what it needs of outer dimensions.
struct Stride {
    step: Int,
    offset: Lin,
    needed: Vec<Con>,
}

/// Step and offset from equalities `a x + f + sum of c_j floor(.. x ..) = 0`; also what they need of outer dimensions, and the congruence itself.
fn stride(cons: &[Con], dim: usize) -> (Int, Lin, Vec<Con>, Vec<Con>) {
    let mut all: Option<Stride> = None;
    for s in cons.iter().filter_map(|c| stride_of(c, dim)) {
        all = Some(match all {
            None => s,
            Some(a) => match both(&a, &s) {
                Some(b) => b,
                None => a,
            },
        });
    }
    match all {
        None => (Int::ONE, Lin::default(), Vec::new(), Vec::new()),
        Some(s) => {
            let congruence = Con::eq(Lin::dim(dim).minus(&s.offset).modulo(&s.step));
            (s.step, s.offset, s.needed, vec![congruence])
        }
    }
}

fn stride_of(c: &Con, dim: usize) -> Option<Stride> {
    let a = c.lin.coefficient(dim);
    if !c.eq || !c.lin.mentions_inside(dim) || a.is_zero() {
        return None;
    }
    let mut f = c.lin.clone();
    f.terms.remove(&Atom::Dim(dim));
    let inner: Vec<Atom> = f.terms.keys().filter(|t| Lin::atom((*t).clone()).mentions(dim)).cloned().collect();
    let mut g = Int::ZERO;
    for t in &inner {
        if let Some(k) = f.terms.remove(t) {
            g = g.gcd(&k);
        }
    }
    // a x + f is a multiple of g.
    let h = a.gcd(&g);
    let s = g.div_exact(&h);
    if s.is_one() {
        return None;
    }
    let inverse = inverse_mod(&a.div_exact(&h), &s)?;
    let mut needed = Vec::new();
    if !h.is_one() {
        needed.push(Con::eq(f.modulo(&h)));
    }
    let offset = reduced(&f.neg().floor_div(&h).scaled(&inverse), &s);
    Some(Stride { step: s, offset, needed })
}

/// Both congruences as one, where their steps have no common divisor (or one is a multiple of the other).
fn both(a: &Stride, b: &Stride) -> Option<Stride> {
    if a.step.is_divisible_by(&b.step) || b.step.is_divisible_by(&a.step) {
        let (fine, coarse) = if a.step.is_divisible_by(&b.step) { (a, b) } else { (b, a) };
        let agree = Con::eq(fine.offset.minus(&coarse.offset).modulo(&coarse.step));
        let mut needed = [&a.needed[..], &b.needed[..]].concat();
        if agree.constant_truth() != Some(true) {
            needed.push(agree);
        }
        return Some(Stride {
            step: fine.step.clone(),
            offset: fine.offset.clone(),
            needed,
        });
    }
    let step = &a.step * &b.step;
    let mut offset = a.offset.scaled(&(&b.step * &inverse_mod(&b.step, &a.step)?));
    offset.add_scaled(&b.offset, &(&a.step * &inverse_mod(&a.step, &b.step)?));
    Some(Stride {
        offset: reduced(&offset, &step),
        step,
        needed: [&a.needed[..], &b.needed[..]].concat(),
    })
}

/// The expression with coefficients and constant reduced modulo `m`.
fn reduced(lin: &Lin, m: &Int) -> Lin {
    let mut out = Lin::constant(lin.constant.mod_floor(m));
    for (a, c) in &lin.terms {
        out.add_term(a.clone(), &c.mod_floor(m));
    }
    out
}

/// The inverse of `a` modulo `m` > 1, when they are coprime.
fn inverse_mod(a: &Int, m: &Int) -> Option<Int> {
    let (mut r0, mut r1) = (m.clone(), a.mod_floor(m));
    let (mut t0, mut t1) = (Int::ZERO, Int::ONE);
    while !r1.is_zero() {
        let q = r0.div_floor(&r1);
        let r = &r0 - &(&q * &r1);
        let t = &t0 - &(&q * &t1);
        (r0, r1, t0, t1) = (r1, r, t1, t);
    }
    r0.is_one().then(|| t0.mod_floor(m))
}

/// The constraints that bound the dimension from below (above); those with it inside a division count by what they say over the rationals. An equality counts for both.
pub(crate) fn bounds(cons: &[Con], dim: usize, lower: bool) -> Vec<Con> {
    let mut out = Vec::new();
    let mut relaxed = Vec::new();
    for c in cons {
        if c.lin.mentions_inside(dim) {
            c.relaxed_into(dim, &mut relaxed);
            continue;
        }
        let a = c.lin.coefficient(dim);
        if a.is_zero() {
            continue;
        }
        if a.is_pos() == lower {
            out.push(Con::ge(c.lin.clone()));
        } else if c.eq {
            out.push(Con::ge(c.lin.neg()));
        }
    }
    relaxed.retain(|c| !c.lin.mentions_inside(dim) && c.lin.coefficient(dim).signum() == if lower { 1 } else { -1 });
    for c in relaxed {
        if !out.iter().any(|o| o.plainly_implies(&c)) {
            out.push(c);
        }
    }
    out
}

/// As [`bounds`]; when there is none, those that follow from constraints with divisions.
fn all_bounds(cons: &[Con], dim: usize, lower: bool) -> Vec<Con> {
    let direct = bounds(cons, dim, lower);
    if direct.is_empty() {
        bounds(&without_divs_of(cons, dim), dim, lower)
    } else {
        direct
    }
}

/// Drops bounds that follow from the others and from what is known outside: costly ones first. Returns those of them that hold whenever the loop runs.
///
/// Where the conditions in `outer` fail nothing of the loop's body runs, so that the loop may be as large as it likes there. They help to drop complicated bounds;
/// a simple one is cheaper than the guards inside that it saves.
fn drop_redundant(
    lowers: &mut [Vec<Con>],
    uppers: &mut [Vec<Con>],
    (enforced, outer): (&[Con], &[Con]),
    build: &Build,
    b: &Oracle<'_>,
) -> Result<Vec<Con>, Error> {
    let domain = build.domain.add_dims(DimType::Out, 1)?;
    let mut dropped = Vec::new();
    let ([lower], [upper]) = (lowers, uppers) else {
        return Ok(dropped);
    };
    for side in [true, false] {
        let mut n = if side { lower.len() } else { upper.len() };
        while n > 0 && (if side { lower.len() } else { upper.len() }) > 1 {
            n -= 1;
            let (mine, other) = if side { (&mut *lower, &*upper) } else { (&mut *upper, &*lower) };
            let tested = mine.remove(n);
            let mut rest: Vec<Con> = mine.iter().chain(other.iter()).chain(enforced).cloned().collect();
            if tested.lin.cost() > SIMPLE_BOUND {
                rest.extend_from_slice(outer);
            }
            let set = domain.intersect(&set_of(&rest, domain.space())?)?;
            if !implied(&set, &tested, b)? {
                mine.insert(n, tested);
            } else if tested.lin.cost() <= SIMPLE_BOUND || outer.is_empty() {
                dropped.push(tested);
            }
        }
    }
    Ok(dropped)
}

/// The limits of the dimension.
fn to_limits(side: &[Vec<Con>], dim: usize) -> Vec<Vec<Lin>> {
    side.iter().map(|list| list.iter().map(|c| limit(c, dim)).collect()).collect()
}

/// The limit of the dimension in `a x + f >= 0`.
pub(crate) fn limit(c: &Con, dim: usize) -> Lin {
    let a = c.lin.coefficient(dim);
    let mut f = c.lin.clone();
    f.terms.remove(&Atom::Dim(dim));
    if a.is_neg() { f.floor_div(&a.abs()) } else { f.neg().ceil_div(&a) }
}

/// The first value from `lower` on that is congruent to `offset` modulo `step`.
pub(crate) fn aligned(lower: &Lin, step: &Int, offset: &Lin, build: &Build) -> Lin {
    if step.is_one() {
        return lower.clone();
    }
    if let Some(r) = build.residue(&lower.minus(offset), step) {
        return if r.is_zero() { lower.clone() } else { lower.plus_int(&(step - &r)) };
    }
    let distance = lower.minus(offset).ceil_div(step);
    offset.plus(&distance.scaled(step))
}
