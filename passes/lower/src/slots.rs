//! Which private cells and memory locations live in registers, and across which loops.
//!
//! A *slot* is a place whose value is carried as an SSA value by the emitter. A cell is contracted to a slot when, within one iteration of the innermost loop around all
//! its uses, all of them touch one element and the first certainly writes it. A memory location is promoted at a serial loop when every access
//! to its array in the loop is to the very same element or provably to another one, and the location is certainly touched in each iteration.

use crate::disjoint::Disjoint;
use crate::form::Form;
use crate::tree::{Inst, Loop, Place, Tree};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tilia_scop::{ArrayId, ArrayKind, Scop};

/// Where a contracted cell's slot lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// In the whole scop.
    Root,
    /// In one iteration of this loop.
    Loop(usize),
}

/// Fate of every cell: the scope of its slot, or `None` when it needs storage.
pub(crate) fn contract_cells(tree: &Tree, scop: &Scop) -> FxHashMap<ArrayId, Option<Scope>> {
    let mut total: BTreeMap<ArrayId, usize> = BTreeMap::new();
    tree.instances(&mut |i| count(i, scop, &mut total));
    total.iter().map(|(&cell, &n)| (cell, contract(tree, scop, cell, n))).collect()
}

fn count(inst: &Inst, scop: &Scop, total: &mut BTreeMap<ArrayId, usize>) {
    for touch in &inst.touches {
        if matches!(scop[touch.array].kind, ArrayKind::Cell(_) | ArrayKind::Copy(_)) {
            *total.entry(touch.array).or_insert(0) += 1;
        }
    }
}

fn contract(tree: &Tree, scop: &Scop, cell: ArrayId, total: usize) -> Option<Scope> {
    let (scope, body, inner) = innermost_scope(tree, scop, cell, total);
    let mut one: Option<&Vec<Form>> = None;
    let mut same = true;
    body.instances(&mut |i| {
        for touch in i.touches.iter().filter(|t| t.array == cell) {
            match (&touch.place, one) {
                (Some(p), None) if !p.subs.iter().any(|f| f.any_var(&mut |v| inner.contains(&v))) => one = Some(&p.subs),
                (Some(p), Some(subs)) if *subs == p.subs => {}
                _ => same = false,
            }
        }
    });
    let first_writes = body
        .unguarded()
        .into_iter()
        .find_map(|child| first_touch(child, cell))
        .unwrap_or(false);
    // A result that is used after the scop must have been written whatever the trip counts, which `first_writes` says at the root only.
    let live_out_here = scop[cell].live_out.is_none() || scope == Scope::Root;
    (same && first_writes && live_out_here).then_some(scope)
}

/// Whether the first thing in `tree` that touches the cell is an unguarded write without a read; `None` if nothing touches it.
fn first_touch(tree: &Tree, cell: ArrayId) -> Option<bool> {
    if let Tree::Inst(i) = tree {
        let mut touches = i.touches.iter().filter(|t| t.array == cell).peekable();
        touches.peek()?;
        return Some(touches.all(|t| t.write));
    }
    let mut touched = false;
    tree.instances(&mut |i| touched |= i.touches.iter().any(|t| t.array == cell));
    touched.then_some(false)
}

/// The innermost loop body (or the root) that holds all uses of the cell, with the iterators bound inside it.
fn innermost_scope<'a>(tree: &'a Tree, scop: &Scop, cell: ArrayId, total: usize) -> (Scope, &'a Tree, Vec<tilia_ast::VarId>) {
    let mut best = (Scope::Root, tree, all_vars(tree));
    let mut here = tree;
    loop {
        match here {
            Tree::Loop(l) => {
                best = (Scope::Loop(l.id), &l.body, l.inner.clone());
                here = &l.body;
            }
            Tree::Block(children) => match children.iter().find(|c| uses(c, scop, cell) == total) {
                Some(c) => here = c,
                None => return best,
            },
            Tree::If { then, otherwise, .. } => {
                if uses(then, scop, cell) == total {
                    here = then;
                } else if let Some(o) = otherwise.as_ref().filter(|o| uses(o, scop, cell) == total) {
                    here = o;
                } else {
                    return best;
                }
            }
            Tree::Inst(_) => return best,
        }
    }
}

fn uses(tree: &Tree, scop: &Scop, cell: ArrayId) -> usize {
    let mut n = BTreeMap::new();
    tree.instances(&mut |i| count(i, scop, &mut n));
    n.get(&cell).copied().unwrap_or(0)
}

fn all_vars(tree: &Tree) -> Vec<tilia_ast::VarId> {
    match tree {
        Tree::Block(children) => children.iter().flat_map(all_vars).collect(),
        Tree::Loop(l) => std::iter::once(l.var).chain(l.inner.iter().copied()).collect(),
        Tree::If { then, otherwise, .. } => {
            let mut v = all_vars(then);
            v.extend(otherwise.iter().flat_map(|o| all_vars(o)));
            v
        }
        Tree::Inst(i) => i.lets.iter().map(|(v, _)| *v).collect(),
    }
}

/// A memory location to be kept in a register across a loop.
#[derive(Debug, Clone)]
pub(crate) struct Promotion {
    pub(crate) place: Place,
    pub(crate) written: bool,
}

/// Memory locations that can live in registers across `l`; `outer` are the loops around it, outermost first; `already` says what is a slot already.
pub(crate) fn promotions(
    l: &Loop,
    outer: &[&Loop],
    proven: &dyn Fn(tilia_program::OpId) -> bool,
    already: &dyn Fn(&Place) -> bool,
    disjoint: &Disjoint<'_>,
) -> Vec<Promotion> {
    let mut by_array: BTreeMap<ArrayId, Vec<(&crate::tree::Touch, bool)>> = BTreeMap::new();
    let unguarded: Vec<&Inst> = l
        .body
        .unguarded()
        .into_iter()
        .filter_map(|t| if let Tree::Inst(i) = t { Some(i) } else { None })
        .collect();
    l.body.instances(&mut |i| {
        let certain = unguarded.iter().any(|u| std::ptr::eq(*u, i));
        for touch in &i.touches {
            by_array.entry(touch.array).or_default().push((touch, certain));
        }
    });
    let mut loops: Vec<&Loop> = outer.to_vec();
    loops.push(l);
    collect_loops(&l.body, &mut loops);
    by_array
        .values()
        .flat_map(|touches| array_promotions(l, touches, &loops, proven, already, disjoint))
        .collect()
}

fn collect_loops<'a>(tree: &'a Tree, into: &mut Vec<&'a Loop>) {
    match tree {
        Tree::Block(children) => children.iter().for_each(|c| collect_loops(c, into)),
        Tree::Loop(l) => {
            into.push(l);
            collect_loops(&l.body, into);
        }
        Tree::If { then, otherwise, .. } => {
            collect_loops(then, into);
            if let Some(o) = otherwise {
                collect_loops(o, into);
            }
        }
        Tree::Inst(_) => {}
    }
}

fn array_promotions(
    l: &Loop,
    touches: &[(&crate::tree::Touch, bool)],
    loops: &[&Loop],
    proven: &dyn Fn(tilia_program::OpId) -> bool,
    already: &dyn Fn(&Place) -> bool,
    disjoint: &Disjoint<'_>,
) -> Vec<Promotion> {
    let any_write = touches.iter().any(|(t, _)| t.write);
    let mut places: Vec<&Place> = touches.iter().filter_map(|(t, _)| t.place.as_ref()).collect();
    places.sort();
    places.dedup();
    let unknown = touches.iter().any(|(t, _)| t.place.is_none());
    if unknown && any_write {
        return Vec::new();
    }
    let varying = |f: &Form| f.any_var(&mut |v| v == l.var || l.inner.contains(&v));
    let mut found = Vec::new();
    for &place in &places {
        if place.memref.is_none() || already(place) || place.subs.iter().any(varying) {
            continue;
        }
        let mine: Vec<_> = touches.iter().filter(|(t, _)| t.place.as_ref() == Some(place)).collect();
        let written = mine.iter().any(|(t, _)| t.write);
        // The location must be touched in each iteration (and stored to, if it is stored to at all): promoting moves the access out of whatever guards it.
        let certain = mine.iter().any(|(t, c)| *c && t.write == written);
        // Storage of cells holds all their elements.
        let safe = mine.iter().all(|(t, _)| t.op.is_none_or(proven));
        let alone = !any_write || places.iter().all(|&other| other == place || disjoint.places(place, other, loops));
        if certain && safe && alone {
            found.push(Promotion {
                place: place.clone(),
                written,
            });
        }
    }
    found
}
