//! Which conditions of a piece depend on residues, and what of the piece belongs to each residue; `lanes` makes the code.

use crate::bounds::{Shape, aligned, bounds, limit, shared_constraints};
use crate::build::{Build, implied};
use crate::convert::{disjuncts, set_of};
use crate::cost::cost;
use crate::exe::Exe;
use crate::generate::{BandCx, Generator};
use crate::graft::{Cond, Graft};
use crate::lin::{Atom, Con, Lin};
use crate::options::Error;
use crate::pieces::{Piece, explicit_groups};
use std::collections::BTreeSet;
use tilia_ast::{Expr, Node};
use tilia_presburger::{DimType, Id, Int, Set};

/// The residue `x + offset` modulo `modulus` is what conditions depend on.
pub(crate) struct Period {
    pub(crate) modulus: Int,
    pub(crate) offset: Lin,
}

/// One residue and what runs there.
#[derive(Clone)]
pub(crate) struct Lane {
    /// `x = v + shift`
    pub(crate) shift: Int,
    pub(crate) exes: Vec<Exe>,
    /// Bounds of `v` that hold wherever anything runs: from below, from above.
    pub(crate) outer: (Vec<Con>, Vec<Con>),
    /// Bounds of `v` within which everything runs, as far as bounds decide.
    pub(crate) inner: Vec<Con>,
}

/// What another form of the code has to be better than.
pub(crate) struct Trial<'a> {
    params: &'a [Id],
    /// Estimated cost of the plain loop.
    cost: f64,
    /// Statement instances emitted before.
    start: usize,
    /// Most that may come of it.
    copies: usize,
}

impl Trial<'_> {
    /// Is the code cheaper, as far as it goes? `copies` is how many instances have been emitted with it.
    pub(crate) fn is_worth(&self, grafts: &[Graft], copies: usize) -> bool {
        copies - self.start <= self.copies && cost(grafts, self.params) < self.cost
    }
}

impl Generator<'_> {
    /// The piece as a loop over whole periods, when conditions on residues would stand inside the loop that `shape` describes.
    pub(crate) fn lanes(&mut self, cx: &BandCx<'_>, piece: &Piece, shape: &Shape, build: &Build) -> Result<Option<Vec<Graft>>, Error> {
        let Some(mut period) = self.period(cx, piece, shape, build)? else {
            return Ok(None);
        };
        let start = self.copies;
        // The plain loop is the better one where the conditions have other causes, too, or what is inside settles them.
        let mut inside = build.clone();
        inside.lanes *= 2;
        let plain = self.for_loop(cx, shape, piece.exes.clone(), &inside)?;
        if !tests_residues(&plain) {
            return Ok(Some(plain));
        }
        let plain_copies = self.copies - start;
        let Some(mut lanes) = self.split_lanes(piece, &period, build)? else {
            return Ok(Some(plain));
        };
        if let Some(shift) = first_lane(&lanes, &period, build) {
            period.offset.constant -= &shift;
            let Some(turned) = self.split_lanes(piece, &period, build)? else {
                return Ok(Some(plain));
            };
            lanes = turned;
        }
        inside.lanes = build.lanes * lanes.len();
        let params = build.space().params();
        let trial = Trial {
            params,
            cost: cost(&plain, params),
            start,
            copies: self.options.max_copies.max(3 * piece.exes.len()),
        };
        self.copies = start;
        if let Some(grafts) = self.whole_periods(cx, &period, lanes.clone(), &trial, &inside)? {
            return Ok(Some(grafts));
        }
        self.copies = start;
        if let Some(grafts) = self.plain_lanes(cx, &period, &lanes, &inside)?
            && trial.is_worth(&grafts, self.copies)
        {
            return Ok(Some(grafts));
        }
        self.copies = start + plain_copies;
        Ok(Some(plain))
    }

    /// What the conditions depend on that the loop wouldn't enforce.
    fn period(&self, cx: &BandCx<'_>, piece: &Piece, shape: &Shape, build: &Build) -> Result<Option<Period>, Error> {
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
        let mut of_divs = Vec::with_capacity(divs.len());
        for (num, den) in divs {
            let k = num.coefficient(dim);
            let mut rest = num;
            rest.terms.remove(&Atom::Dim(dim));
            rest.constant = Int::ZERO;
            if k.is_zero() || rest.mentions(dim) || !rest.terms.values().all(|c| c.is_divisible_by(&k)) {
                // A quotient of a quotient: perhaps it is settled with the others.
                continue;
            }
            let m = den.div_exact(&den.gcd(&k));
            of_divs.push((m, rest.div_exact(&k)));
        }
        // Where not all of them have one short period, the shorter ones may have: the others are often settled with them.
        of_divs.sort();
        while let Some((longest, _)) = of_divs.last() {
            let longest = longest.clone();
            let Some(p) = common_period(&of_divs).filter(|p| p.modulus <= most) else {
                return Ok(None);
            };
            if !self.is_short(shape, &p.modulus, build)? {
                return Ok(Some(p));
            }
            if build.lanes > 1 || (cx.isolate.is_some() || cx.isolated) {
                return Ok(None);
            }
            of_divs.retain(|(m, _)| *m < longest);
        }
        Ok(None)
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
}

/// Is a condition with a division or remainder left in the code?
fn tests_residues(grafts: &[Graft]) -> bool {
    grafts
        .iter()
        .any(|g| g.guard.iter().any(Cond::has_divs) || any_condition(&g.node, &|c| c.has_division()))
}

fn any_condition(n: &Node, which: &dyn Fn(&Expr) -> bool) -> bool {
    match n {
        Node::Block(list) => list.iter().any(|n| any_condition(n, which)),
        Node::For(f) => any_condition(&f.body, which),
        Node::If { cond, then, otherwise } => {
            which(cond) || any_condition(then, which) || otherwise.as_ref().is_some_and(|n| any_condition(n, which))
        }
        Node::User { .. } => false,
        Node::Mark { body, .. } => any_condition(body, which),
    }
}

/// The period that has all of these moduli, when they count from the same value.
fn common_period(of_divs: &[(Int, Lin)]) -> Option<Period> {
    let (first, rest) = of_divs.split_first()?;
    let mut modulus = first.0.clone();
    for (m, offset) in rest {
        if *offset != first.1 {
            return None;
        }
        modulus = modulus.lcm(m);
    }
    Some(Period {
        modulus,
        offset: first.1.clone(),
    })
}

/// The shift of the lane that has the first value of all, when that isn't the first lane: periods that begin there need nothing before them.
fn first_lane(lanes: &[Lane], period: &Period, build: &Build) -> Option<Int> {
    let (dim, offset) = (build.depth(), period.offset.neg());
    let mut best: Option<(Lin, &Lane)> = None;
    for lane in lanes {
        let [lower] = &lane.outer.0[..] else { return None };
        let lower = limit(lower, dim);
        build.residue(&lower.minus(&offset), &period.modulus)?;
        let first = aligned(&lower, &period.modulus, &offset, build).plus_int(&lane.shift);
        let earlier = match &best {
            None => true,
            Some((l, _)) => {
                let distance = first.minus(l);
                if !distance.is_constant() {
                    return None;
                }
                distance.constant.is_neg()
            }
        };
        if earlier {
            best = Some((first, lane));
        }
    }
    best.map(|(_, lane)| lane.shift.clone()).filter(|s| !s.is_zero())
}

/// The constraint with the dimension replaced by an expression of it.
pub(crate) fn at_shift(c: &Con, dim: usize, value: &Lin) -> Con {
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
