//! Loops with a small constant number of iterations, written out: register tiles.
//!
//! A loop inside another one, whose body is nothing but instances, becomes a block of instances: of vectors, where its iterations are independent and their accesses allow it
//! (`crate::vector`), else one by one. The order of instances stays what it was, so nothing has to be proven. What the copies have in common is computed once (`crate::reuse`), and what they
//! accumulate lives in registers across the loop around (`crate::slots`).

use crate::emit::Emitter;
use crate::form::Form;
use crate::slots::Scope;
use crate::split::split;
use crate::tree::{Inst, Loop, Tree};
use crate::vector::{NARROWEST, Plan};
use tilia_diag::Remark;

/// Most iterations of a loop that is written out.
const MAX_ITERATIONS: i64 = 64;
/// Most instances that a loop is written out to.
const MAX_INSTANCES: usize = 96;

/// What stands around a tree.
#[derive(Debug, Clone, Copy)]
struct Around {
    /// A loop that is one.
    inside: bool,
    /// One iteration of the innermost loop.
    scope: Scope,
}

impl Emitter<'_> {
    /// The tree with its small loops written out.
    pub(crate) fn write_out(&mut self, tree: Tree) -> Tree {
        let nothing = Around {
            inside: false,
            scope: Scope::Root,
        };
        self.written_out(tree, nothing).0
    }

    /// The tree, and whether a full tile was dissolved in it.
    fn written_out(&mut self, tree: Tree, around: Around) -> (Tree, bool) {
        match tree {
            Tree::Block(children) => {
                let mut full = false;
                let mut all = Vec::new();
                for child in children {
                    let (child, dissolved) = self.written_out(child, around);
                    full |= dissolved;
                    all.push(child);
                }
                (Tree::Block(all), full)
            }
            Tree::If { cond, then, otherwise } => {
                let (then, a) = self.written_out(*then, around);
                let otherwise = otherwise.map(|o| self.written_out(*o, around));
                let b = otherwise.as_ref().is_some_and(|o| o.1);
                let tree = Tree::If {
                    cond,
                    then: Box::new(then),
                    otherwise: otherwise.map(|o| Box::new(o.0)),
                };
                (tree, a || b)
            }
            Tree::Loop(l) => self.written_out_loop(l, around),
            Tree::Inst(i) => (Tree::Inst(i), false),
        }
    }

    fn written_out_loop(&mut self, mut l: Loop, around: Around) -> (Tree, bool) {
        let within = Around {
            inside: around.inside || !l.marks.degenerate,
            scope: Scope::Loop(l.id),
        };
        let (body, dissolved) = self.written_out(*l.body, within);
        l.vectors = body.unguarded().iter().any(|t| matches!(t, Tree::Inst(i) if i.lane.is_some()));
        l.body = Box::new(body);
        l.marks.full_tile |= dissolved;
        match self.copies(&l).filter(|_| around.inside) {
            Some(copies) => {
                // A cell of one iteration is written first in each copy, so it serves the copies one after the other.
                let mine = self.cells.contracted.values_mut().filter(|s| **s == Scope::Loop(l.id));
                mine.for_each(|s| *s = around.scope);
                (Tree::Block(copies.into_iter().map(Tree::Inst).collect()), l.marks.full_tile)
            }
            None if self.options.promote => {
                self.arrange(&mut l);
                (split(l), false)
            }
            None => (Tree::Loop(l), false),
        }
    }

    /// All instances that the loop executes, in order, if that is worth it.
    fn copies(&mut self, l: &Loop) -> Option<Vec<Inst>> {
        if !self.options.promote || l.marks.degenerate {
            return None;
        }
        let param = |p: &tilia_presburger::Id| self.params.get(p).copied();
        let first = Form::of_expr(&l.lower, &param)?;
        let room = Form::of_expr(&l.upper, &param)?.add_scaled(&first, -1)?.as_constant()?;
        let iterations = room.checked_div_euclid(l.step)?.checked_add(1)?;
        if !(1..=MAX_ITERATIONS).contains(&iterations) {
            return None;
        }
        let body = instances(&l.body)?;
        if let Some(Ok(plan)) = self.vector_plan(l).filter(|_| !l.marks.reduces)
            && let Some(copies) = self.vector_copies(l, &plan, &first, iterations, &body)
        {
            let said = "its iterations are written out as vectors";
            self.remarks.push(Remark::applied("vectorise", l.loc.clone(), said));
            return Some(copies);
        }
        let count = usize::try_from(iterations).ok()?;
        if body.len().checked_mul(count)? > MAX_INSTANCES {
            return None;
        }
        let mut copies = Vec::new();
        for n in 0..iterations {
            copies.extend(iteration(&body, l, &first, n)?);
        }
        Some(copies)
    }

    /// The iterations as vectors, the widest first, and what is left one by one. `None` when there are too few for a vector.
    fn vector_copies(&mut self, l: &Loop, plan: &Plan, first: &Form, iterations: i64, body: &[Inst]) -> Option<Vec<Inst>> {
        let mut copies = Vec::new();
        let mut done = 0;
        let mut bits = self.options.vector_bits;
        while bits >= NARROWEST {
            let lanes = plan.lanes(bits);
            while lanes > 1 && iterations - done >= i64::from(lanes) {
                let at = first.clone().add_scaled(&Form::constant(done.checked_mul(l.step)?), 1)?;
                copies.extend(plan.widened(self, l, &at, lanes)?);
                done += i64::from(lanes);
            }
            bits /= 2;
        }
        if copies.is_empty() {
            return None;
        }
        for n in done..iterations {
            copies.extend(iteration(body, l, first, n)?);
        }
        (copies.len() <= MAX_INSTANCES).then_some(copies)
    }
}

/// The instances of iteration `n`, counted from 0.
fn iteration(body: &[Inst], l: &Loop, first: &Form, n: i64) -> Option<Vec<Inst>> {
    let at = first.clone().add_scaled(&Form::constant(n.checked_mul(l.step)?), 1)?;
    body.iter().map(|i| i.replace(l.var, &at)).collect()
}

/// The instances of a body that is made of nothing else.
fn instances(body: &Tree) -> Option<Vec<Inst>> {
    body.unguarded()
        .into_iter()
        .map(|t| match t {
            Tree::Inst(i) if i.lets.is_empty() => Some(i.clone()),
            _ => None,
        })
        .collect()
}

impl Inst {
    /// The instance with `by` in the place of an iterator; `None` when an index leaves 64 bits.
    pub(crate) fn replace(&self, var: tilia_ast::VarId, by: &Form) -> Option<Self> {
        let all = |forms: &[Form]| forms.iter().map(|f| f.replace(var, by)).collect::<Option<Vec<_>>>();
        let mut inst = self.clone();
        inst.args = all(&self.args)?;
        for touch in &mut inst.touches {
            if let Some(place) = &mut touch.place {
                place.subs = all(&place.subs)?;
            }
        }
        Some(inst)
    }
}
