//! Statements that run for a part of a loop's values only: the loop is cut where they begin and end, instead of a condition in each iteration.
//!
//! An innermost loop is cut wherever a plain bound of a statement would be a condition in it. Outer loops are cut only where that takes off a constant number of
//! iterations at an end, at values of parameters, or of one outer loop: what is inside is multiplied, and other cuts make loops that mostly run for nothing. Loops
//! whose iterations may run at once aren't cut unless they are innermost or inside of another such loop: a peeled iteration would run alone. An innermost loop in which some statements depend on a
//! condition of outer dimensions is made twice, where the condition holds and where it doesn't. The product of the copies on the way down to a statement is limited.

use crate::ask::ask;
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
use tilia_presburger::{Budget, DimType, Int, Set};
use tilia_schedule::{Node, NodeKind};

impl Generator<'_> {
    /// The piece, or what it is cut into, in order, each with the same statements throughout. The second value is how many copies of a statement that makes.
    pub(crate) fn apart(&mut self, cx: &BandCx<'_>, piece: Piece, build: &Build) -> Result<(Vec<Piece>, usize), Error> {
        let n = piece.exes.len();
        let innermost = is_innermost(cx, build);
        let at_once = cx.member(build.depth()).coincident && !build.at_once;
        if n < 2 || build.cuts >= self.options.max_cuts || (at_once && !innermost) {
            return Ok((vec![piece], 1));
        }
        let b = self.budget;
        let Some(sets) = ask(b, |s| open_statements(&piece, innermost, build, s))?.flatten() else {
            return Ok((vec![piece], 1));
        };
        let most = 2 * n + 1;
        if sets.len() < 2 || sets.len() > most {
            return Ok((vec![piece], 1));
        }
        let parts = self.pieces_of_sets(&sets, &piece.exes, build)?;
        let statements: usize = parts.iter().map(|p| p.exes.len()).sum();
        let copies = statements.div_ceil(n).max(1);
        if parts.len() < 2 || build.cuts * copies > self.options.max_cuts {
            return Ok((vec![piece], 1));
        }
        Ok((parts, copies))
    }
}

impl Generator<'_> {
    /// The code of an innermost piece, twice where a condition of outer dimensions concerns some of its statements only; nothing when there is no such condition.
    pub(crate) fn unswitched(&mut self, cx: &BandCx<'_>, piece: &Piece, build: &Build) -> Result<Option<Vec<Graft>>, Error> {
        if piece.exes.len() < 2 || 2 * build.cuts > self.options.max_cuts || !is_innermost(cx, build) {
            return Ok(None);
        }
        let b = self.budget;
        let single = |s: &Budget| Ok(shape(&piece.groups, build, s)?.map_or(true, |s| s.value.is_some()));
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
        if 2 * build.cuts > self.options.max_cuts {
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
        Ok(Some(vec![Graft { node, guard }]))
    }
}

/// The piece's values cut so that plain bounds of statements hold in all of a part or nowhere, when one of these bounds would be a condition inside the loop.
fn open_statements(piece: &Piece, innermost: bool, build: &Build, b: &Budget) -> Result<Option<Vec<Set>>, Error> {
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
            for c in &plain {
                if known.iter().any(|k| k.plainly_implies(c)) || implied(&here, c, b)? {
                    continue;
                }
                // What the bounds of loops inside make sure of needs no condition.
                if !c.eq && stated.as_ref().is_some_and(|s| !s.iter().any(|s| s.plainly_implies(c))) {
                    continue;
                }
                if !innermost && !at_an_end(c, &known, dim) {
                    return Ok(None);
                }
                open = true;
            }
            own = own.union(&set_of(&plain, domain.space())?)?;
        }
        out.push(own);
    }
    if !open {
        return Ok(None);
    }
    let Some(parts) = same_statements(&out, &inside, b)?.filter(|p| p.len() <= 4 * piece.exes.len()) else {
        return Ok(None);
    };
    let parts = joined(parts, &out, &inside, b)?;
    let parts: Vec<Set> = parts.iter().map(|p| p.intersect(&whole)).collect::<Result<_, _>>()?;
    Ok(Some(parts))
}

/// What a statement says of its values without loops further in: its constraints with those of its dimensions replaced that the values determine.
fn stated(e: &Exe, b: &Budget) -> Result<Vec<Con>, Error> {
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

/// Are there no loops inside those over the present dimension, as far as bands say?
fn is_innermost(cx: &BandCx<'_>, build: &Build) -> bool {
    build.depth() + 1 == cx.first + cx.band.len() && !cx.child.is_some_and(has_band)
}

/// A condition on outer dimensions that some of the statements depend on, others not.
fn dividing(exes: &[Exe], build: &Build, b: &Budget) -> Result<Option<Con>, Error> {
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
    let common = |c: &&Con| open.iter().all(|o| o.contains(*c));
    Ok(open.iter().flatten().find(|c| !common(c)).cloned())
}

/// A condition on parameters that some parts of the statements state and others don't.
fn dividing_params(exes: &[Exe], build: &Build, b: &Budget) -> Result<Option<Con>, Error> {
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

fn has_band(node: &Arc<Node>) -> bool {
    matches!(node.kind(), NodeKind::Band(b) if !b.is_empty()) || node.children().iter().any(has_band)
}
