//! Statements that run for a part of a loop's values only: the loop is cut where they begin and end, instead of a condition in each iteration.
//!
//! An innermost loop is cut wherever a plain bound of a statement would be a condition in it. Outer loops are cut only where that takes off a constant number of
//! iterations at an end, at values of parameters, or of one outer loop: what is inside is multiplied, and other cuts make loops that mostly run for nothing. Loops
//! whose iterations may run at once aren't cut unless they are innermost or inside of another such loop: a peeled iteration would run alone. An innermost loop in which some statements depend on a
//! condition of outer dimensions is made twice, where the condition holds and where it doesn't. The product of the copies on the way down to a statement is limited, the more so the
//! more statements and loops are copied.
//!
//! Where cutting at every bound would take too many copies, the loop is cut into the values at which all statements run, those before and those after.

use crate::ask::{Oracle, ask};
use crate::bounds::shape;
use crate::build::{Build, implied};
use crate::convert::{disjuncts, set_of};
use crate::exe::{Exe, cons_of_map};
use crate::expr::ExprGen;
use crate::generate::{BandCx, Generator};
use crate::graft::{Cond, Graft, common, without};
use crate::lin::{Atom, Con, Lin};
use crate::options::Error;
use crate::pieces::{Piece, joined, same_statements};
use crate::solve::solve;
use std::sync::Arc;
use tilia_ast::Node as AstNode;
use tilia_presburger::{DimType, Int, Set};
use tilia_schedule::{Node, NodeKind};

/// Nodes that may come of cutting where more than half of the copies are made that are allowed: statements, and for each all loops that may stand around it.
const MAX_COPIED: usize = 80;

impl Generator<'_> {
    /// The piece, or what it is cut into, in order, each with the same statements throughout. The second value is how many copies of a statement that makes.
    pub(crate) fn apart(&mut self, cx: &BandCx<'_>, piece: Piece, build: &Build) -> Result<(Vec<Piece>, usize), Error> {
        let n = piece.exes.len();
        let innermost = is_innermost(cx, &piece.exes, build);
        let at_once = cx.member(build.depth()).coincident && !build.at_once;
        if n < 2 || !self.may_copy(cx, &piece.exes, 2, build) || (at_once && !innermost) {
            return Ok((vec![piece], 1));
        }
        let b = self.budget;
        let sets = match ask(b, |s| open_statements(&piece, innermost, build, s))? {
            Some(None) => return Ok((vec![piece], 1)),
            Some(Some(sets)) => sets,
            None => Vec::new(),
        };
        let most = 2 * n + 1;
        if (2..=most).contains(&sets.len())
            && let Some(parts) = self.affordable_parts(cx, &piece, &sets, build)?
        {
            return Ok(parts);
        }
        // Where all of them run, and what is before and after that.
        if let Some(sets) = ask(b, |s| around_all(&piece, build, s))?.flatten()
            && let Some(parts) = self.affordable_parts(cx, &piece, &sets, build)?
        {
            return Ok(parts);
        }
        Ok((vec![piece], 1))
    }

    /// May this many copies be made of what is generated here?
    fn may_copy(&self, cx: &BandCx<'_>, exes: &[Exe], copies: usize, build: &Build) -> bool {
        let all = build.cuts.saturating_mul(copies);
        let nodes = || exes.len().saturating_mul(1 + loops_below(cx, build));
        all <= self.options.max_cuts / 2 || (all <= self.options.max_cuts && all.saturating_mul(nodes()) <= MAX_COPIED)
    }

    /// The piece cut into the sets and how many copies of a statement that makes; nothing when these are too many.
    fn affordable_parts(&self, cx: &BandCx<'_>, piece: &Piece, sets: &[Set], build: &Build) -> Result<Option<(Vec<Piece>, usize)>, Error> {
        let parts = self.pieces_of_sets(sets, &piece.exes, build)?;
        let statements: usize = parts.iter().map(|p| p.exes.len()).sum();
        let copies = statements.div_ceil(piece.exes.len().max(1)).max(1);
        let fits = parts.len() > 1 && self.may_copy(cx, &piece.exes, copies, build);
        Ok(fits.then_some((parts, copies)))
    }
}

impl Generator<'_> {
    /// The code of an innermost piece, twice where a condition of outer dimensions concerns some of its statements only; nothing when there is no such condition.
    pub(crate) fn unswitched(&mut self, cx: &BandCx<'_>, piece: &Piece, build: &Build) -> Result<Option<Vec<Graft>>, Error> {
        if piece.exes.len() < 2 || !self.may_copy(cx, &piece.exes, 2, build) || !is_innermost(cx, &piece.exes, build) {
            return Ok(None);
        }
        let b = self.budget;
        let single = |s: &Oracle<'_>| Ok(shape(&piece.groups, build, s)?.map_or(true, |s| s.value.is_some()));
        if ask(b, single)?.unwrap_or(true) {
            return Ok(None);
        }
        match ask(b, |s| dividing(&piece.exes, build, s))?.flatten() {
            Some(c) => self.twice(cx, &piece.exes, &c, build),
            None => Ok(None),
        }
    }

    /// The code of a nest, twice where a condition on parameters concerns some of its statements only, or when a single one runs; nothing when there is no such condition.
    pub(crate) fn versioned(&mut self, cx: &BandCx<'_>, exes: &[Exe], build: &Build) -> Result<Option<Vec<Graft>>, Error> {
        if !self.may_copy(cx, exes, 2, build) {
            return Ok(None);
        }
        match ask(self.budget, |s| dividing_params(exes, build, s))?.flatten() {
            Some(c) => self.twice(cx, exes, &c, build),
            None => Ok(None),
        }
    }

    /// The code where the condition holds and where it doesn't, as the branches of one `if`; nothing when that isn't needed.
    fn twice(&mut self, cx: &BandCx<'_>, exes: &[Exe], c: &Con, build: &Build) -> Result<Option<Vec<Graft>>, Error> {
        let b = self.budget;
        let holds = set_of(std::slice::from_ref(c), build.space())?;
        let fails = Set::universe(build.space()).subtract(&holds, b)?;
        let (copies, vars) = (self.copies, self.vars.len());
        let mut sides = Vec::new();
        for set in [&holds, &fails] {
            let mut here = build.clone();
            here.assume_set(set)?;
            here.cuts *= 2;
            let exes = self.kept(exes, &set.add_dims(DimType::Out, 1)?, build)?;
            sides.push((self.pieces_of(cx, exes, &here)?, here));
        }
        let [(yes, under), (no, beside)] = &mut sides[..] else {
            return Ok(None);
        };
        if yes.is_empty() || no.is_empty() {
            self.copies = copies;
            self.vars.truncate(vars);
            return Ok(None);
        }
        let all = [&yes[..], &no[..]].concat();
        let guard = common(&all, None);
        let branches = [
            self.close(without(std::mem::take(yes), &guard), under)?,
            self.close(without(std::mem::take(no), &guard), beside)?,
        ];
        let outside = build.under(&guard)?;
        let ranges = ExprGen {
            build: &outside,
            budget: b,
        };
        let cond = ranges.all(vec![Cond::One(build.resolve_con(c))])?;
        let [then, otherwise] = branches.map(AstNode::sequence);
        let node = AstNode::If {
            cond,
            then: Box::new(then),
            otherwise: Some(Box::new(otherwise)),
        };
        Ok(Some(vec![Graft::new(node, guard)]))
    }
}

/// The piece's values cut so that plain bounds of statements hold in all of a part or nowhere, when one of these bounds would be a condition inside the loop; no sets
/// where that would take too many.
fn open_statements(piece: &Piece, innermost: bool, build: &Build, b: &Oracle<'_>) -> Result<Option<Vec<Set>>, Error> {
    let dim = build.depth();
    let Ok(shape) = shape(&piece.groups, build, b)? else {
        return Ok(None);
    };
    if shape.value.is_some() {
        return Ok(None);
    }
    let domain = build.domain.add_dims(DimType::Out, 1)?;
    let known = [&shape.enforced[..], &shape.needed[..]].concat();
    let inside = domain.intersect(&set_of(&known, domain.space())?)?;
    let mut whole = Set::empty(domain.space());
    for g in &piece.groups {
        whole = whole.union(&set_of(&g.own, domain.space())?)?;
    }
    let mut open = false;
    let mut out = Vec::with_capacity(piece.exes.len());
    for e in &piece.exes {
        let mut own = Set::empty(domain.space());
        let stated = if innermost { None } else { Some(stated(e, b)?) };
        for conj in disjuncts(&e.levels[dim + 1], b)? {
            let mut plain = Vec::new();
            let mut rest = Vec::new();
            for c in conj {
                if c.lin.mentions_inside(dim) {
                    // What the loop's step settles is no condition; other remainders are a matter of whole periods.
                    if !known.contains(&c) && !implied(&inside, &c, b)? {
                        return Ok(None);
                    }
                } else if c.lin.coefficient(dim).is_unit() && !c.lin.has_divs() {
                    plain.push(c);
                } else {
                    // A quotient as a bound costs more than it saves.
                    rest.push(c);
                }
            }
            // What stands outside of the loop doesn't count.
            let outer: Vec<Con> = rest.into_iter().filter(|c| !c.lin.mentions(dim)).collect();
            let here = inside.intersect(&set_of(&outer, domain.space())?)?;
            let mut tested = Vec::new();
            for c in &plain {
                if known.iter().any(|k| k.plainly_implies(c)) || implied(&here, c, b)? {
                    continue;
                }
                // What the bounds of loops inside make sure of needs no condition.
                if !c.eq
                    && let Some(stated) = &stated
                    && (!stated.iter().any(|s| s.plainly_implies(c)) || follows_inside(e, c, b)?)
                {
                    continue;
                }
                if !innermost && !at_an_end(c, &known, dim) {
                    return Ok(None);
                }
                tested.push(c.clone());
            }
            open |= !tested.is_empty();
            // An innermost loop is cut so that the loops of its parts have plain bounds.
            let bounds = if innermost { &plain } else { &tested };
            own = own.union(&set_of(bounds, domain.space())?)?;
        }
        out.push(own);
    }
    if !open {
        return Ok(None);
    }
    let Some(parts) = same_statements(&out, &inside, b)?.filter(|p| p.len() <= 4 * piece.exes.len()) else {
        return Ok(Some(Vec::new()));
    };
    let parts = joined(parts, &out, &inside, b)?;
    let parts: Vec<Set> = parts.iter().map(|p| p.intersect(&whole)).collect::<Result<_, _>>()?;
    Ok(Some(parts))
}

/// The values at which all statements run, as far as bounds decide that differ by constants, and those before and after; nothing when it isn't as simple as that.
fn around_all(piece: &Piece, build: &Build, b: &Oracle<'_>) -> Result<Option<Vec<Set>>, Error> {
    let dim = build.depth();
    let domain = build.domain.add_dims(DimType::Out, 1)?;
    let Ok(shape) = shape(&piece.groups, build, b)? else {
        return Ok(None);
    };
    let whole = set_of(&shape.enforced, domain.space())?;
    let mut inner: Vec<Con> = Vec::new();
    for e in &piece.exes {
        for c in disjuncts(&e.levels[dim + 1], b)?.into_iter().flatten() {
            let plain = c.lin.coefficient(dim).is_unit() && !c.lin.has_divs() && !c.eq;
            if plain && !inner.iter().any(|k| k.plainly_implies(&c)) && !implied(&whole.intersect(&domain)?, &c, b)? {
                inner.retain(|k| !c.plainly_implies(k));
                inner.push(c);
            }
        }
    }
    let (from, to): (Vec<Con>, Vec<Con>) = inner.into_iter().partition(|c| c.lin.coefficient(dim).is_pos());
    if shape.lowers.len() != 1 || shape.uppers.len() != 1 || from.len() > 1 || to.len() > 1 {
        return Ok(None);
    }
    let (from, to) = (set_of(&from, domain.space())?, set_of(&to, domain.space())?);
    let after_begin = whole.intersect(&from)?;
    let parts = [
        whole.subtract(&from, b)?,
        after_begin.intersect(&to)?,
        after_begin.subtract(&to, b)?,
    ];
    let mut out = Vec::new();
    for p in parts {
        if !p.intersect(&domain)?.is_empty(b)? {
            out.push(p);
        }
    }
    Ok((out.len() > 1).then_some(out))
}

/// What a statement says of its values without loops further in: its constraints with those of its dimensions replaced that the values determine.
fn stated(e: &Exe, b: &Oracle<'_>) -> Result<Vec<Con>, Error> {
    let (n, depth) = (e.space().dim(DimType::In), e.depth());
    let mut out = Vec::new();
    for part in e.map.basic_maps() {
        let solved = solve(&part, b)?;
        // Values are numbered first, then the dimensions that are left open.
        let value = |d: usize| {
            let found = if d < n { solved[d].clone() } else { Some(Lin::dim(d - n)) };
            found.unwrap_or_else(|| Lin::dim(depth + d))
        };
        for c in cons_of_map(&part)? {
            let c = c.substitute(&value);
            if c.lin.last_dim().is_none_or(|d| d < depth) && !out.contains(&c) {
                out.push(c);
            }
        }
    }
    Ok(out)
}

/// Does what the statement says of dimensions further in imply the condition, so that loops over these run in vain where it fails?
fn follows_inside(e: &Exe, c: &Con, b: &Oracle<'_>) -> Result<bool, Error> {
    let n = e.space().dim(DimType::In);
    // The instance's dimensions are numbered first.
    let c = c.substitute(&|d| Lin::dim(n + d));
    for part in e.map.basic_maps() {
        let space = part.to_union().wrap().flatten().space().clone();
        let mut equalities = Vec::new();
        let mut others = Vec::new();
        for k in cons_of_map(&part)? {
            if k.eq { &mut equalities } else { &mut others }.push(k);
        }
        let given = set_of(&equalities, &space)?;
        let mut rest = equalities;
        for k in others {
            // Those that say no less by themselves are what is in question.
            if !implied(&given.intersect(&set_of(std::slice::from_ref(&k), &space)?)?, &c, b)? {
                rest.push(k);
            }
        }
        if !implied(&set_of(&rest, &space)?, &c, b)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Does the condition cut off a constant number of iterations at an end of the loop, or cut at a value of parameters or of one outer dimension?
fn at_an_end(c: &Con, bounds: &[Con], dim: usize) -> bool {
    let mut rest = c.lin.clone();
    rest.terms.remove(&Atom::Dim(dim));
    if rest.terms.keys().all(|a| matches!(a, Atom::Param(_))) {
        return true;
    }
    let plain = |(a, c): (&Atom, &Int)| matches!(a, Atom::Param(_) | Atom::Dim(_)) && c.is_unit();
    let outer = rest.terms.keys().filter(|a| matches!(a, Atom::Dim(_))).count();
    if outer <= 1 && rest.terms.iter().all(plain) {
        return true;
    }
    let near = |k: &Con| k.lin.mentions(dim) && (k.lin.minus(&c.lin).is_constant() || (c.eq && k.lin.plus(&c.lin).is_constant()));
    bounds.iter().any(near)
}

/// Are there no loops inside those over the present dimension, as far as bands say? Members with one value for each statement make none.
fn is_innermost(cx: &BandCx<'_>, exes: &[Exe], build: &Build) -> bool {
    let last = cx.first + cx.band.len();
    !cx.child.is_some_and(has_band) && (build.depth() + 1..last).all(|d| exes.iter().all(|e| e.is_constant(d)))
}

/// A condition on outer dimensions that some of the statements depend on, others not.
fn dividing(exes: &[Exe], build: &Build, b: &Oracle<'_>) -> Result<Option<Con>, Error> {
    let dim = build.depth();
    let mut open: Vec<Vec<Con>> = Vec::with_capacity(exes.len());
    for e in exes {
        let mut mine = Vec::new();
        let conjunctions = disjuncts(&e.levels[dim + 1], b)?;
        if let [conj] = &conjunctions[..] {
            for c in conj.iter().filter(|c| !c.lin.mentions(dim)) {
                let c = build.with_known_quotients(c, b)?;
                if !build.plainly_holds(&c) && !mine.contains(&c) && !implied(&build.domain, &c, b)? {
                    mine.push(c);
                }
            }
        }
        open.push(mine);
    }
    let mut seen: Vec<&Con> = Vec::new();
    for c in open.iter().flatten() {
        if seen.contains(&c) || open.iter().all(|o| o.contains(c)) {
            continue;
        }
        seen.push(c);
        if runs_without(exes, c, build, b)? {
            return Ok(Some(c.clone()));
        }
    }
    Ok(None)
}

/// Does some statement have values where the condition fails?
fn runs_without(exes: &[Exe], c: &Con, build: &Build, b: &Oracle<'_>) -> Result<bool, Error> {
    let dim = build.depth();
    let domain = build.domain.add_dims(DimType::Out, 1)?;
    let holds = set_of(std::slice::from_ref(c), domain.space())?;
    let fails = domain.subtract(&holds, b)?;
    for e in exes {
        if !e.is_empty_in(&fails, dim + 1, b)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A condition on parameters that some parts of the statements state and others don't.
fn dividing_params(exes: &[Exe], build: &Build, b: &Oracle<'_>) -> Result<Option<Con>, Error> {
    let mut open: Vec<Vec<Con>> = Vec::new();
    for e in exes {
        for part in e.map.basic_maps() {
            let mut mine = Vec::new();
            for c in cons_of_map(&part)? {
                if c.lin.last_dim().is_none() && !build.plainly_holds(&c) && !implied(&build.domain, &c, b)? {
                    mine.push(c);
                }
            }
            open.push(mine);
        }
    }
    let common = |c: &&Con| open.iter().all(|o| o.contains(*c));
    Ok(open.iter().flatten().find(|c| !common(c)).cloned())
}

/// Most loops that stand inside of each other from this dimension on.
fn loops_below(cx: &BandCx<'_>, build: &Build) -> usize {
    cx.first + cx.band.len() - build.depth() + cx.child.map_or(0, members_below)
}

fn members_below(node: &Arc<Node>) -> usize {
    let own = if let NodeKind::Band(b) = node.kind() { b.len() } else { 0 };
    own + node.children().iter().map(members_below).max().unwrap_or(0)
}

fn has_band(node: &Arc<Node>) -> bool {
    matches!(node.kind(), NodeKind::Band(b) if !b.is_empty()) || node.children().iter().any(has_band)
}
