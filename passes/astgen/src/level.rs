//! One member of a band: statements that can be ordered apart get code of their own, the rest is cut into pieces of a simple shape.

use crate::bounds::{Shape, shape};
use crate::build::{Build, DimValue, Residue, implied};
use crate::exe::Exe;
use crate::expr::ExprGen;
use crate::generate::{BandCx, Generator};
use crate::graft::{Cond, Graft, common, without};
use crate::lin::{Con, Lin};
use crate::options::Error;
use crate::order::components;
use crate::pieces::Piece;
use tilia_ast::{Expr, For, ForMarks, Node as AstNode, VarId};
use tilia_presburger::{Id, Int};
use tilia_schedule::LoopType;

impl Generator<'_> {
    /// The code of the members from dimension `build.depth()` on, and of what is below the band.
    pub(crate) fn level(&mut self, cx: &BandCx<'_>, exes: Vec<Exe>, build: &Build) -> Result<Vec<Graft>, Error> {
        let dim = build.depth();
        if exes.is_empty() {
            return Ok(Vec::new());
        }
        if dim == cx.first + cx.band.len() {
            let mut inner = build.clone();
            inner.full_tile |= cx.isolated;
            return match cx.child {
                Some(c) => {
                    self.at.0.push(0);
                    let r = self.node(c, exes, &inner);
                    self.at.0.pop();
                    r
                }
                None => self.leaves(exes, &inner),
            };
        }
        let mut out = Vec::new();
        for group in components(exes, cx, build, self.budget)? {
            out.extend(self.component(cx, group, build)?);
        }
        Ok(out)
    }

    /// Statements that must share their loops at this member.
    fn component(&mut self, cx: &BandCx<'_>, exes: Vec<Exe>, build: &Build) -> Result<Vec<Graft>, Error> {
        if let Some(isolate) = cx.isolate.clone() {
            return self.isolated_parts(cx, &isolate, exes, build);
        }
        if let Some(grafts) = self.versioned(cx, &exes, build)? {
            return Ok(grafts);
        }
        self.pieces_of(cx, exes, build)
    }

    pub(crate) fn pieces_of(&mut self, cx: &BandCx<'_>, exes: Vec<Exe>, build: &Build) -> Result<Vec<Graft>, Error> {
        let member = cx.member(build.depth());
        let kind = if cx.isolated { member.isolated_loop_type } else { member.loop_type };
        let pieces = self.pieces(exes, build, (kind, member.coincident))?;
        let mut out = Vec::new();
        for p in pieces {
            match kind {
                LoopType::Unroll => out.extend(self.unrolled(cx, p, build)?),
                LoopType::Default => {
                    let (parts, copies) = self.apart(cx, p, build)?;
                    let mut inner = build.clone();
                    inner.cuts *= copies;
                    for p in parts {
                        match self.unswitched(cx, &p, &inner)? {
                            Some(grafts) => out.extend(grafts),
                            None => out.extend(self.piece(cx, p, &inner)?),
                        }
                    }
                }
                LoopType::Separate => match self.unswitched(cx, &p, build)? {
                    Some(grafts) => out.extend(grafts),
                    None => out.extend(self.piece(cx, p, build)?),
                },
                LoopType::Atomic => out.extend(self.piece(cx, p, build)?),
            }
        }
        Ok(out)
    }

    /// One loop, or one value, and what is inside.
    pub(crate) fn piece(&mut self, cx: &BandCx<'_>, piece: Piece, build: &Build) -> Result<Vec<Graft>, Error> {
        let shape = match shape(&piece.groups, build, self.budget)? {
            Ok(s) => s,
            Err(end) => return Err(self.unbounded(&piece.exes, build, end)),
        };
        let needed = self.conditions(&shape.needed, build)?;
        let mut grafts = match &shape.value {
            Some(v) => self.single(cx, v, &shape, piece.exes, build)?,
            None => match self.lanes(cx, &piece, &shape, build)? {
                Some(grafts) => grafts,
                None => self.for_loop(cx, &shape, piece.exes, build)?,
            },
        };
        for g in &mut grafts {
            for c in &needed {
                if !g.guard.contains(c) {
                    g.guard.push(c.clone());
                }
            }
        }
        Ok(grafts)
    }

    /// Those of the constraints that must be tested, as conditions.
    pub(crate) fn conditions(&self, cons: &[Con], build: &Build) -> Result<Vec<Cond>, Error> {
        let mut out = Vec::new();
        for c in cons {
            let c = build.with_known_quotients(c, self.budget)?;
            if !build.plainly_holds(&c) && !implied(&build.domain, &c, self.budget)? {
                out.push(Cond::One(build.resolve_con(&c)));
            }
        }
        Ok(out)
    }

    pub(crate) fn unbounded(&self, exes: &[Exe], build: &Build, end: &'static str) -> Error {
        let names: Vec<&str> = exes.iter().map(|e| e.stmt.as_str()).collect();
        Error::Unbounded {
            depth: build.depth(),
            stmts: names.join(", "),
            end,
        }
    }

    /// The dimension has one value: no loop.
    pub(crate) fn single(
        &mut self,
        cx: &BandCx<'_>,
        value: &Lin,
        shape: &Shape,
        exes: Vec<Exe>,
        build: &Build,
    ) -> Result<Vec<Graft>, Error> {
        let mut inner = build.deeper(
            DimValue::Value(build.resolve(value)),
            Residue::Value(build.settle(value)),
            &shape.enforced,
        )?;
        inner.assume(&shape.needed)?;
        self.level(cx, exes, &inner)
    }

    /// A loop over the values, whatever conditions that leaves inside.
    pub(crate) fn for_loop(&mut self, cx: &BandCx<'_>, shape: &Shape, exes: Vec<Exe>, build: &Build) -> Result<Vec<Graft>, Error> {
        let (var, scale) = self.loop_var(cx, shape, build);
        let value = DimValue::Loop {
            var,
            scale: scale.clone(),
            offset: Int::ZERO,
        };
        let mut inner = build.deeper(value, Residue::Congruent(shape.step.clone(), shape.offset.clone()), &shape.enforced)?;
        inner.assume(&shape.needed)?;
        inner.remember(&shape.implied);
        inner.at_once |= cx.member(build.depth()).coincident;
        let grafts = self.level(cx, exes, &inner)?;
        self.loop_around(cx, var, &scale, shape, grafts, (build, &inner))
    }

    /// An iterator for the loop, and the factor between it and the dimension's values.
    pub(crate) fn loop_var(&mut self, cx: &BandCx<'_>, shape: &Shape, build: &Build) -> (VarId, Int) {
        let scale = if self.options.scale_strides { scale_of(shape) } else { Int::ONE };
        let member = cx.member(build.depth());
        (self.new_var(self.loop_name(member.name.as_ref(), build)), scale)
    }

    /// The loop with its body; conditions that don't depend on it stay outside. `inner` is what is known in the body.
    pub(crate) fn loop_around(
        &mut self,
        cx: &BandCx<'_>,
        var: VarId,
        scale: &Int,
        shape: &Shape,
        grafts: Vec<Graft>,
        (build, inner): (&Build, &Build),
    ) -> Result<Vec<Graft>, Error> {
        if grafts.is_empty() {
            return Ok(grafts);
        }
        let dim = build.depth();
        let guard = common(&grafts, Some(dim));
        let outside = build.under(&guard)?;
        let made = LoopParts {
            cx,
            var,
            scale,
            shape,
            build: &outside,
            inner,
        };
        let node = self.loop_versions(&made, without(grafts, &guard), MAX_VERSION)?;
        let mut graft = Graft::new(node, guard);
        graft.runs = entered(shape).iter().map(|c| build.resolve_con(c)).collect();
        Ok(vec![graft])
    }

    /// The loop, or two of them for a condition that some of its body asks for and that doesn't depend on it, where little is in both. `most` limits that.
    fn loop_versions(&mut self, parts: &LoopParts<'_>, grafts: Vec<Graft>, most: usize) -> Result<AstNode, Error> {
        let dim = parts.build.depth();
        let mut best: Option<(usize, Cond)> = None;
        if self.options.max_cuts > 1 {
            for c in grafts.iter().flat_map(|g| &g.guard) {
                if matches!(c, Cond::Any(_)) || c.mentions(dim) {
                    continue;
                }
                let both: usize = grafts.iter().filter(|g| !g.needs(c)).map(|g| size(&g.node)).sum();
                if both < most && best.as_ref().is_none_or(|(b, _)| both < *b) {
                    best = Some((both, c.clone()));
                }
            }
        }
        let Some((both, c)) = best else {
            return self.one_loop(parts, grafts);
        };
        let most = (most - both) / 2;
        let mut beside: Vec<Graft> = grafts.iter().filter(|g| !g.needs(&c)).cloned().collect();
        let cond = std::slice::from_ref(&c);
        let under = LoopParts {
            build: &parts.build.under(cond)?,
            inner: &parts.inner.under(cond)?,
            ..*parts
        };
        let then = self.loop_versions(&under, without(grafts, cond), most)?;
        let other = self.new_var(self.vars[parts.var.0 as usize].clone());
        for g in &mut beside {
            let mut fresh = |v: VarId| self.new_var(self.vars[v.0 as usize].clone());
            g.node = g.node.instance(parts.var, &Expr::Var(other), &mut fresh);
        }
        let inner = parts.inner.with_iterator(dim, other);
        let without_it = LoopParts {
            var: other,
            inner: &inner,
            ..*parts
        };
        let otherwise = self.loop_versions(&without_it, beside, most)?;
        let ranges = ExprGen {
            build: parts.build,
            budget: self.budget,
        };
        Ok(AstNode::If {
            cond: ranges.all(vec![c])?,
            then: Box::new(then),
            otherwise: Some(Box::new(otherwise)),
        })
    }

    fn one_loop(&mut self, parts: &LoopParts<'_>, grafts: Vec<Graft>) -> Result<AstNode, Error> {
        let LoopParts {
            cx,
            var,
            scale,
            shape,
            build,
            inner,
        } = *parts;
        let dim = build.depth();
        let last = dim + 1 == cx.first + cx.band.len();
        let member = cx.member(dim);
        let body = self.close(grafts, inner)?;
        let ranges = ExprGen {
            build,
            budget: self.budget,
        };
        let made = For {
            var,
            lower: limit(&ranges, &shape.lowers, scale, true)?,
            upper: limit(&ranges, &shape.uppers, scale, false)?,
            step: shape.step.div_exact(scale),
            body: Box::new(AstNode::sequence(body)),
            marks: ForMarks {
                parallel: member.coincident,
                reduces: member.reduces && !member.coincident,
                vector: cx.vector && last,
                full_tile: build.full_tile || (cx.isolated && last),
                degenerate: false,
            },
            depth: u32::try_from(dim).unwrap_or(u32::MAX),
        };
        Ok(AstNode::For(made))
    }

    /// A name for the loop over the next dimension that no enclosing loop and no parameter has.
    fn loop_name(&self, wanted: Option<&Id>, build: &Build) -> Id {
        let taken = |n: &Id| {
            let outer = build.values.iter().any(|v| match v {
                DimValue::Loop { var, .. } => self.vars.get(var.0 as usize) == Some(n),
                DimValue::Value(_) => false,
            });
            outer || build.space().params().contains(n)
        };
        let base = wanted.map_or_else(|| format!("c{}", build.depth()), ToString::to_string);
        let mut name = Id::new(&base);
        let mut n = 0;
        while taken(&name) {
            n += 1;
            name = Id::new(format!("{base}_{n}"));
        }
        name
    }
}

/// Nodes that may stand in two versions of a loop.
const MAX_VERSION: usize = 8;

/// What a loop is made of, but for its body.
#[derive(Clone, Copy)]
struct LoopParts<'a> {
    cx: &'a BandCx<'a>,
    var: VarId,
    scale: &'a Int,
    shape: &'a Shape,
    /// What is known outside.
    build: &'a Build,
    /// What is known in the body.
    inner: &'a Build,
}

/// Loops, conditions and statements.
fn size(n: &AstNode) -> usize {
    match n {
        AstNode::Block(list) => list.iter().map(size).sum(),
        AstNode::For(f) => 1 + size(&f.body),
        AstNode::If { then, otherwise, .. } => 1 + size(then) + otherwise.as_ref().map_or(0, |n| size(n)),
        AstNode::User { .. } => 1,
        AstNode::Mark { body, .. } => size(body),
    }
}

/// What holds where the loop has a value.
fn entered(shape: &Shape) -> Vec<Con> {
    let ([lowers], [uppers]) = (&shape.lowers[..], &shape.uppers[..]) else {
        return Vec::new();
    };
    let pairs = lowers.iter().flat_map(|l| uppers.iter().map(move |u| u.minus(l)));
    pairs.map(Con::ge).filter(|c| !c.lin.has_divs()).collect()
}

/// The factor that all values of the loop and all of its bounds have.
fn scale_of(shape: &Shape) -> Int {
    let s = &shape.step;
    let even = |c: &Con| {
        let mut rest = c.lin.clone();
        let dims: Vec<_> = rest.terms.keys().cloned().collect();
        rest.constant = Int::ZERO;
        dims.iter()
            .all(|d| matches!(d, crate::lin::Atom::Dim(_)) || rest.terms[d].is_divisible_by(s))
            && !rest.has_divs()
    };
    let own = |c: &&Con| !c.eq;
    if s.is_one() || !shape.offset.is_zero() || !shape.enforced.iter().filter(own).all(even) {
        return Int::ONE;
    }
    let lists = shape.lowers.iter().chain(&shape.uppers).flatten();
    let divisible = |l: &Lin| l.terms.values().all(|c| c.is_divisible_by(s));
    if lists.into_iter().all(divisible) { s.clone() } else { Int::ONE }
}

fn limit(ranges: &ExprGen<'_>, side: &[Vec<Lin>], scale: &Int, lower: bool) -> Result<Expr, Error> {
    let mut outer = Vec::new();
    for list in side {
        let mut inner = Vec::new();
        for l in list {
            let l = if lower { l.ceil_div(scale) } else { l.floor_div(scale) };
            inner.push(ranges.expr(&l)?);
        }
        outer.push(if lower { Expr::max_of(inner) } else { Expr::min_of(inner) });
    }
    Ok(if lower { Expr::min_of(outer) } else { Expr::max_of(outer) })
}
