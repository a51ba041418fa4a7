//! Conditions put around the code that they guard: each is tested once for all the neighbours that ask for it.
//!
//! Neighbours that exclude each other may be taken out of their order, for at no point do both run: what follows them may join what stands before them, and the
//! one becomes the `else` branch of the other.

use crate::ask::surely_empty;
use crate::build::{Build, implied};
use crate::convert::set_of;
use crate::expr::ExprGen;
use crate::generate::Generator;
use crate::graft::{Cond, Graft};
use crate::lin::{Atom, Con, Lin};
use crate::options::Error;
use std::collections::BTreeSet;
use tilia_ast::Node as AstNode;
use tilia_presburger::Set;

/// The first neighbours of a list, by what a condition does to them.
struct Run {
    condition: Cond,
    /// They run only where it holds.
    inside: Vec<usize>,
    /// They run only where it doesn't.
    outside: Vec<usize>,
}

impl Run {
    fn len(&self) -> usize {
        self.inside.len() + self.outside.len()
    }
}

impl Generator<'_> {
    /// The nodes with the remaining guards put around them; neighbours with common conditions share an `if`.
    pub(crate) fn close(&mut self, grafts: Vec<Graft>, build: &Build) -> Result<Vec<AstNode>, Error> {
        let mut out: Vec<AstNode> = Vec::new();
        let mut rest = grafts;
        while let Some(first) = rest.first() {
            let Some(q) = first.guard.first().cloned() else {
                out.push(rest.remove(0).node);
                continue;
            };
            let run = self.longest_run(q, &rest, build)?;
            // A graft needs its own conditions, so at least the first one is in the run.
            let after = rest.split_off(run.len().max(1));
            let (mut inside, mut outside) = (Vec::new(), Vec::new());
            for (i, g) in rest.into_iter().enumerate() {
                if run.outside.contains(&i) { &mut outside } else { &mut inside }.push(g);
            }
            rest = after;
            out.push(self.branches(run.condition, inside, outside, build)?);
        }
        Ok(if self.options.allow_else {
            crate::alternatives::join(out)
        } else {
            out
        })
    }

    /// The condition of the first graft that concerns most of those that follow; `first` is one of them.
    fn longest_run(&self, first: Cond, grafts: &[Graft], build: &Build) -> Result<Run, Error> {
        let mut best = self.run_of(&first, grafts, build)?;
        for q in grafts.first().map_or(&[][..], |g| &g.guard) {
            let run = self.run_of(q, grafts, build)?;
            if run.len() > best.len() {
                best = run;
            }
        }
        Ok(best)
    }

    fn run_of(&self, q: &Cond, grafts: &[Graft], build: &Build) -> Result<Run, Error> {
        let mut run = Run {
            condition: q.clone(),
            inside: Vec::new(),
            outside: Vec::new(),
        };
        for (i, g) in grafts.iter().enumerate() {
            if g.needs(q) {
                run.inside.push(i);
            } else if self.options.allow_else && self.excludes(g, q, build)? {
                run.outside.push(i);
            } else {
                break;
            }
        }
        Ok(run)
    }

    /// Does the graft certainly not run where the condition holds? Looks at conditions on the same things only.
    fn excludes(&self, graft: &Graft, q: &Cond, build: &Build) -> Result<bool, Error> {
        let Cond::One(q) = q else { return Ok(false) };
        let about = atoms(&q.lin);
        let mut cons = Vec::new();
        for c in &graft.guard {
            if let Cond::One(c) = c
                && atoms(&c.lin) == about
            {
                cons.push(build.unresolve_con(c));
            }
        }
        if cons.is_empty() {
            return Ok(false);
        }
        cons.push(build.unresolve_con(q));
        let both = build.domain.intersect(&set_of(&cons, build.space())?)?;
        surely_empty(&both, self.budget)
    }

    /// The `if` for a condition that all of `inside` ask for, with `outside` as its other branch.
    fn branches(&mut self, q: Cond, inside: Vec<Graft>, outside: Vec<Graft>, build: &Build) -> Result<AstNode, Error> {
        let mut conds = vec![q];
        if outside.is_empty()
            && let Some((first, others)) = inside.split_first()
        {
            let shared = |c: &&Cond| **c != conds[0] && others.iter().all(|g| g.needs(c));
            let more: Vec<Cond> = first.guard.iter().filter(shared).cloned().collect();
            conds.extend(more);
        }
        let then = self.close(crate::graft::without(inside, &conds), &build.under(&conds)?)?;
        let otherwise = match (&conds[..], outside.is_empty()) {
            ([Cond::One(q)], false) => Some(self.otherwise(q, outside, build)?),
            _ => None,
        };
        let ranges = ExprGen {
            build,
            budget: self.budget,
        };
        Ok(AstNode::If {
            cond: ranges.all(conds)?,
            then: Box::new(AstNode::sequence(then)),
            otherwise: otherwise.map(Box::new),
        })
    }

    /// The code where a condition fails, without the tests that this settles.
    fn otherwise(&mut self, q: &Con, mut grafts: Vec<Graft>, build: &Build) -> Result<AstNode, Error> {
        let holds = set_of(&[build.unresolve_con(q)], build.space())?;
        let mut beside = build.clone();
        beside.assume_set(&Set::universe(build.space()).subtract(&holds, self.budget)?)?;
        for g in &mut grafts {
            let mut open = Vec::with_capacity(g.guard.len());
            for c in std::mem::take(&mut g.guard) {
                let settled = match &c {
                    Cond::One(c) if atoms(&c.lin) == atoms(&q.lin) => implied(&beside.domain, &build.unresolve_con(c), self.budget)?,
                    _ => false,
                };
                if !settled {
                    open.push(c);
                }
            }
            g.guard = open;
        }
        Ok(AstNode::sequence(self.close(grafts, &beside)?))
    }
}

/// The dimensions and parameters that the expression mentions.
fn atoms(lin: &Lin) -> BTreeSet<&Atom> {
    let mut out = BTreeSet::new();
    let mut open = vec![lin];
    while let Some(l) = open.pop() {
        for a in l.terms.keys() {
            match a {
                Atom::Div(e, _) => open.push(e),
                plain => {
                    out.insert(plain);
                }
            }
        }
    }
    out
}
