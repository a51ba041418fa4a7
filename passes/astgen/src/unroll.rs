//! Unrolling: one copy of the body for each value, counted from the lower bound that needs the fewest.

use crate::ask::ask;
use crate::bounds::{Shape, shape};
use crate::build::{Build, DimValue, Residue};
use crate::convert::{aff_of, set_of};
use crate::expr::ExprGen;
use crate::generate::{BandCx, Generator};
use crate::graft::{Cond, Graft};
use crate::lin::{Con, Lin};
use crate::options::Error;
use crate::pieces::Piece;
use tilia_ast::VarId;
use tilia_presburger::{DimType, Id, Int, Optimum, Set};

impl Generator<'_> {
    /// The piece without a loop, or with one and a remark where there would be too many copies.
    pub(crate) fn unrolled(&mut self, cx: &BandCx<'_>, piece: Piece, build: &Build) -> Result<Vec<Graft>, Error> {
        let shape = match shape(&piece.groups, build, self.budget)? {
            Ok(s) => s,
            Err(end) => return Err(self.unbounded(&piece.exes, build, end)),
        };
        if shape.value.is_some() {
            return self.piece(cx, piece, build);
        }
        if let Some(copies) = self.copied(cx, &piece, &shape, build)? {
            return Ok(copies);
        }
        let Some((first, count)) = self.start_and_count(&piece, &shape, build)? else {
            let dim = build.depth();
            self.declined(format!(
                "schedule dimension {dim} isn't unrolled: its number of values isn't a small constant"
            ));
            return self.piece(cx, piece, build);
        };
        let needed = self.conditions(&shape.needed, build)?;
        let mut out: Vec<Graft> = Vec::new();
        let mut previous: Vec<Cond> = Vec::new();
        for k in 0..count {
            let value = first.plus_int(&(&shape.step * &Int::from(k)));
            let mut slice = self.slice(cx, &piece, &shape, &value, build)?;
            for g in &mut slice {
                add_all(&mut g.guard, &needed);
                nest(&mut g.guard, &previous);
            }
            if let Some(g) = slice.first() {
                previous = g.guard.clone();
            }
            out.extend(slice);
        }
        Ok(out)
    }

    /// The body made once and copied for each value, where the number of values is plainly constant and the body's shape doesn't depend on the value.
    fn copied(&mut self, cx: &BandCx<'_>, piece: &Piece, shape: &Shape, build: &Build) -> Result<Option<Vec<Graft>>, Error> {
        let Some((first, count)) = plain_count(shape).filter(|(_, n)| *n <= self.options.max_unroll) else {
            return Ok(None);
        };
        let (copies, vars, dim) = (self.copies, self.vars.len(), build.depth());
        let var = self.new_var(Id::new(format!("c{dim}")));
        let value = DimValue::Loop {
            var,
            scale: Int::ONE,
            offset: Int::ZERO,
        };
        let mut inner = build.deeper(value, Residue::Congruent(shape.step.clone(), shape.offset.clone()), &shape.enforced)?;
        inner.assume(&shape.needed)?;
        inner.remember(&shape.implied);
        let body = self.level(cx, piece.exes.clone(), &inner)?;
        let more = (self.copies - copies) * count;
        let alike = body
            .iter()
            .all(|g| g.node.is_linear_in(var) && g.guard.iter().all(|c| !c.mentions(dim)));
        if !alike || copies + more > self.options.max_nodes {
            self.copies = copies;
            self.vars.truncate(vars);
            return Ok(None);
        }
        self.copies = copies + more;
        let needed = self.conditions(&shape.needed, build)?;
        let ranges = ExprGen {
            build,
            budget: self.budget,
        };
        let mut out = Vec::with_capacity(body.len() * count);
        for k in 0..count {
            let value = ranges.expr(&first.plus_int(&(&shape.step * &Int::from(k))))?;
            for g in &body {
                let mut fresh = |v: VarId| self.new_var(self.vars[v.0 as usize].clone());
                let mut guard = g.guard.clone();
                add_all(&mut guard, &needed);
                out.push(Graft::new(g.node.instance(var, &value, &mut fresh), guard));
            }
        }
        Ok(Some(out))
    }

    /// The lower bound from which the fewest steps reach every value, and their number.
    fn start_and_count(&self, piece: &Piece, shape: &Shape, build: &Build) -> Result<Option<(Lin, u64)>, Error> {
        let (b, dim) = (self.budget, build.depth());
        let domain = build.domain.add_dims(DimType::Out, 1)?;
        let mut values = Set::empty(domain.space());
        for e in &piece.exes {
            values = values.union(&e.levels[dim + 1].intersect(&domain)?)?;
        }
        let mut inside = Set::empty(domain.space());
        for g in &piece.groups {
            inside = inside.union(&values.intersect(&set_of(&g.own, domain.space())?)?)?;
        }
        let mut best: Option<(Lin, u64)> = None;
        let [candidates] = &shape.lowers[..] else { return Ok(None) };
        for l in candidates {
            let distance = aff_of(&Lin::dim(dim).minus(l), domain.space())?;
            let Some(Optimum::Bounded(most)) = ask(b, |s| Ok(inside.max_aff(&distance, s)?))? else {
                continue;
            };
            let count = &most.div_floor(&shape.step) + &Int::ONE;
            let Some(count) = count.to_i64().and_then(|n| u64::try_from(n).ok()) else {
                continue;
            };
            if count > self.options.max_unroll as u64 {
                continue;
            }
            let better = best.as_ref().is_none_or(|(f, n)| (count, l.cost()) < (*n, f.cost()));
            if better {
                best = Some((l.clone(), count));
            }
        }
        Ok(best.filter(|(_, n)| self.copies as u64 + n * piece.exes.len() as u64 <= self.options.max_nodes as u64))
    }

    /// The code for one value.
    fn slice(&mut self, cx: &BandCx<'_>, piece: &Piece, shape: &Shape, value: &Lin, build: &Build) -> Result<Vec<Graft>, Error> {
        let dim = build.depth();
        let domain = build.domain.add_dims(DimType::Out, 1)?;
        let fixed = Con::eq(Lin::dim(dim).minus(value));
        let set = set_of(std::slice::from_ref(&fixed), domain.space())?;
        let mut exes = Vec::new();
        for e in &piece.exes {
            let e = e.restrict(&set)?;
            if !e.is_empty_in(&domain, dim + 1, self.budget)? {
                exes.push(e);
            }
        }
        let shape = Shape {
            value: Some(value.clone()),
            enforced: vec![fixed],
            ..shape.clone()
        };
        self.single(cx, value, &shape, exes, build)
    }
}

/// First value and number of values, when the bounds' difference is a constant.
fn plain_count(shape: &Shape) -> Option<(Lin, usize)> {
    let ([lower], [upper]) = (&shape.lowers[..], &shape.uppers[..]) else {
        return None;
    };
    let ([l], [u]) = (&lower[..], &upper[..]) else { return None };
    let room = u.minus(l);
    if !room.is_constant() || room.constant.is_neg() {
        return None;
    }
    let count = &room.constant.div_floor(&shape.step) + &Int::ONE;
    Some((l.clone(), usize::try_from(count.to_i64()?).ok()?))
}

fn add_all(guard: &mut Vec<Cond>, more: &[Cond]) {
    for c in more {
        if !guard.contains(c) {
            guard.push(c.clone());
        }
    }
}

/// Where a condition of this copy implies one of the copy before, both are tested, so that the tests nest.
pub(crate) fn nest(guard: &mut Vec<Cond>, previous: &[Cond]) {
    let implied = |p: &Cond| guard.iter().any(|g| g.implies(p));
    let all = previous.iter().all(implied);
    if all {
        add_all(guard, previous);
    }
}
