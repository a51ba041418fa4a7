//! The comparison of the accesses that an instance makes with those that the scop states.

use super::params::{Params, narrow};
use crate::program::{BufferId, Touched, View};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tilia_presburger::{Budget, PwMultiAff, Set};
use tilia_scop::{AccessKind, AccessSource, ArrayId, Scop, Stmt, StmtKind};

/// The buffers behind a scop's arrays.
pub(super) struct Arrays {
    pub(super) views: Vec<Option<Rc<View>>>,
    /// Buffers from here on were made by the scop's own statements, and are nobody's business.
    pub(super) first_new: BufferId,
}

/// Subscripts of an element of a view, if these follow from its number: strides must be those of nested blocks.
fn subscripts(view: &View, element: i64) -> Option<Vec<i64>> {
    let mut order: Vec<usize> = (0..view.sizes.len()).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(view.strides[k]));
    let mut rest = element.checked_sub(view.offset).filter(|r| *r >= 0)?;
    let mut found = vec![0; view.sizes.len()];
    let mut block = i64::MAX;
    for k in order {
        let (size, stride) = (view.sizes[k], view.strides[k]);
        if size == 1 {
            continue;
        }
        // The dimension must fit into one step of the next outer one.
        if stride <= 0 || stride.checked_mul(size)? > block {
            return None;
        }
        block = stride;
        found[k] = rest / stride;
        rest %= stride;
    }
    let inside = found.iter().zip(&view.sizes).all(|(i, d)| i < d);
    (rest == 0 && inside).then_some(found)
}

/// The check of one scop's instances.
pub(super) struct Checker<'a> {
    pub(super) scop: &'a Scop,
    pub(super) params: &'a Params,
    pub(super) arrays: Arrays,
    pub(super) budget: &'a Budget,
    /// Must-accesses as functions, by statement and access; `None` for those that aren't.
    functions: FxHashMap<(usize, usize), Option<PwMultiAff>>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(scop: &'a Scop, params: &'a Params, arrays: Arrays, budget: &'a Budget) -> Self {
        Self {
            scop,
            params,
            arrays,
            budget,
            functions: FxHashMap::default(),
        }
    }

    /// Compares what an instance touched with what the scop states.
    pub(super) fn instance(&mut self, number: usize, stmt: &Stmt, args: &[i64], touched: &[Touched]) -> Result<(), String> {
        for t in touched {
            if t.buffer < self.arrays.first_new && !self.stated(stmt, args, t)? {
                let what = if t.write { "writes" } else { "reads" };
                return Err(format!(
                    "{}{args:?} {what} element {} of buffer {}, which no access states",
                    stmt.name, t.element, t.buffer.0
                ));
            }
        }
        self.musts(number, stmt, args, touched)
    }

    fn stated(&self, stmt: &Stmt, args: &[i64], t: &Touched) -> Result<bool, String> {
        for access in &stmt.accesses {
            if (access.kind == AccessKind::Write) != t.write {
                continue;
            }
            // A plain statement's accesses belong to their operations.
            let same_op = stmt.kind == StmtKind::Opaque || matches!(access.source, AccessSource::Op(op) if op == t.op);
            let Some(view) = self.view(access.array).filter(|v| same_op && v.root.id == t.buffer) else {
                continue;
            };
            let Some(subscripts) = subscripts(view, t.element) else {
                // A view that elements can't be traced through (or that doesn't hold this one, where several arrays share a buffer).
                if view.sizes.contains(&0) || subscripts_unknown(view) {
                    return Ok(true);
                }
                continue;
            };
            let image = Params::image(&access.relation, args)?;
            if self.holds(&image, &subscripts)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn view(&self, array: ArrayId) -> Option<&Rc<View>> {
        self.arrays.views.get(array.0 as usize)?.as_ref()
    }

    fn holds(&self, image: &Set, subscripts: &[i64]) -> Result<bool, String> {
        self.params.contains(image, subscripts, self.budget)
    }

    /// Every must-access that relates an instance to one element was made.
    fn musts(&mut self, number: usize, stmt: &Stmt, args: &[i64], touched: &[Touched]) -> Result<(), String> {
        for (n, access) in stmt.accesses.iter().enumerate() {
            let AccessSource::Op(op) = access.source else { continue };
            let Some(view) = self.view(access.array).cloned().filter(|_| access.must) else {
                continue;
            };
            let Some(function) = self.function(number, n, stmt)? else {
                continue;
            };
            let point = self.params.point(function.domain_space(), args)?;
            let Some(element) = function.eval(&point, self.budget).map_err(|e| e.to_string())? else {
                continue;
            };
            let element = view.element(&narrow(&element.coords)?)?;
            let write = access.kind == AccessKind::Write;
            let made = |t: &Touched| t.buffer == view.root.id && t.element == element && t.write == write && t.op == op;
            if !touched.iter().any(made) {
                let array = &self.scop[access.array].name;
                return Err(format!(
                    "{}{args:?} must access element {element} of {array}, but didn't",
                    stmt.name
                ));
            }
        }
        Ok(())
    }

    fn function(&mut self, number: usize, n: usize, stmt: &Stmt) -> Result<Option<PwMultiAff>, String> {
        if let Some(known) = self.functions.get(&(number, n)) {
            return Ok(known.clone());
        }
        let relation = &stmt.accesses[n].relation;
        let single = relation.is_single_valued(self.budget).map_err(|e| e.to_string())?;
        let function = match single {
            true => Some(relation.lexmin_pw_multi_aff(self.budget).map_err(|e| e.to_string())?),
            false => None,
        };
        self.functions.insert((number, n), function.clone());
        Ok(function)
    }
}

/// Whether no element of the view can be traced back to subscripts.
fn subscripts_unknown(view: &View) -> bool {
    subscripts(view, view.offset).is_none()
}
