//! The order of independent instances in straight-line code: what is loaded for one is used again soon.
//!
//! A register tile written out row by row keeps everything that a row reads until the next row needs it. Where rows are long (2 rows of 6 vectors of results), that is more than the registers
//! hold beside the results; column by column, each operand is used up before the next is loaded. So the instances of a loop body are put into an order that needs few operands at a time, by a list
//! scheduler: of the instances whose predecessors are done, next comes the one that loads the fewest new operands less those that it is the last to use; among equals, the one whose operands are wanted by the
//! fewest others (so that these are used up first), then the first in the old order. Instances that may touch one location, one of them writing, keep their order, so every value stays what it was.

use crate::emit::Emitter;
use crate::tree::{Inst, Loop, Place, Tree};
use std::collections::BTreeMap;
use tilia_scop::StmtKind;

/// Instances below which there is nothing to arrange.
const LEAST: usize = 4;
/// Instances beyond which it would take too long: pairs are compared.
const MOST: usize = 96;

impl Emitter<'_> {
    /// Puts the instances of a loop's body into an order that needs few registers, where the body is nothing but instances.
    pub(crate) fn arrange(&self, l: &mut Loop) {
        let body = l.body.unguarded();
        if !(LEAST..=MOST).contains(&body.len()) || !self.options.promote {
            return;
        }
        let Some(insts) = body.into_iter().map(|t| self.movable(t)).collect::<Option<Vec<&Inst>>>() else {
            return;
        };
        let order = order(&insts);
        if order.iter().enumerate().any(|(n, &i)| n != i) {
            let moved = order.iter().map(|&i| Tree::Inst(insts[i].clone())).collect();
            *l.body = Tree::Block(moved);
        }
    }

    /// An instance that does nothing but touch the places it names: no effects, and no access that may fail.
    fn movable<'t>(&self, tree: &'t Tree) -> Option<&'t Inst> {
        let Tree::Inst(inst) = tree else { return None };
        let stmt = &self.scop[inst.stmt];
        let plain = stmt.kind == StmtKind::Plain && inst.lets.is_empty() && stmt.ops.iter().all(|&op| self.proven(op));
        plain.then_some(inst)
    }
}

/// The instances' numbers in the order in which they are best executed.
fn order(insts: &[&Inst]) -> Vec<usize> {
    let mut operands = Operands::of(insts);
    let mut waits_for: Vec<usize> = vec![0; insts.len()];
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); insts.len()];
    for (j, later) in insts.iter().enumerate() {
        for (i, earlier) in insts[..j].iter().enumerate() {
            if in_order(earlier, later) {
                followers[i].push(j);
                waits_for[j] += 1;
            }
        }
    }
    let mut ready: Vec<usize> = (0..insts.len()).filter(|&n| waits_for[n] == 0).collect();
    let mut done = Vec::with_capacity(insts.len());
    while let Some(at) = (0..ready.len()).min_by_key(|&r| operands.cost(ready[r])) {
        let next = ready.remove(at);
        operands.used(next);
        done.push(next);
        for &f in &followers[next] {
            waits_for[f] -= 1;
            if waits_for[f] == 0 {
                let place = ready.partition_point(|&r| r < f);
                ready.insert(place, f);
            }
        }
    }
    done
}

/// What the instances read from memory, each place counted once, and who still wants it.
struct Operands {
    /// Of each instance.
    read: Vec<Vec<usize>>,
    /// Instances yet to come that read it.
    wanted: Vec<usize>,
    loaded: Vec<bool>,
}

impl Operands {
    fn of(insts: &[&Inst]) -> Self {
        let mut numbers: BTreeMap<&Place, usize> = BTreeMap::new();
        let mut wanted: Vec<usize> = Vec::new();
        let mut read = Vec::with_capacity(insts.len());
        for inst in insts {
            let mut own: Vec<usize> = Vec::new();
            for touch in inst.touches.iter().filter(|t| !t.write) {
                let Some(place) = touch.place.as_ref().filter(|p| p.memref.is_some()) else {
                    continue;
                };
                let n = *numbers.entry(place).or_insert_with(|| {
                    wanted.push(0);
                    wanted.len() - 1
                });
                if !own.contains(&n) {
                    own.push(n);
                    wanted[n] += 1;
                }
            }
            read.push(own);
        }
        let loaded = vec![false; wanted.len()];
        Self { read, wanted, loaded }
    }

    /// The less, the better comes the instance next: operands that it adds less those that it ends, and how often those of its operands that are there are wanted after it.
    fn cost(&self, inst: usize) -> (isize, usize) {
        let mut change = 0;
        let mut wanted = usize::MAX;
        for &n in &self.read[inst] {
            let last = self.wanted[n] == 1;
            match self.loaded[n] {
                true if last => change -= 1,
                false if !last => change += 1,
                _ => {}
            }
            if self.loaded[n] {
                wanted = wanted.min(self.wanted[n]);
            }
        }
        (change, wanted)
    }

    fn used(&mut self, inst: usize) {
        for &n in &self.read[inst] {
            self.wanted[n] -= 1;
            self.loaded[n] = true;
        }
    }
}

/// Whether two instances may touch one location, and one of them writes there.
fn in_order(earlier: &Inst, later: &Inst) -> bool {
    earlier.touches.iter().any(|a| {
        later.touches.iter().any(|b| {
            let same_array = a.array == b.array && (a.write || b.write);
            same_array && !matches!((&a.place, &b.place), (Some(a), Some(b)) if a.is_apart(b))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::Form;
    use crate::tree::Touch;
    use tilia_scop::{ArrayId, StmtId};

    fn touch(array: u32, at: i64, write: bool) -> Touch {
        Touch {
            array: ArrayId(array),
            write,
            place: Some(Place {
                array: ArrayId(array),
                memref: Some(tilia_program::ValueId(array)),
                subs: vec![Form::constant(at)],
                lanes: 1,
            }),
            op: None,
        }
    }

    /// `C[i * columns + j] += A[i] * B[j]`, row by row.
    fn product(rows: i64, columns: i64) -> Vec<Inst> {
        let mut out = Vec::new();
        for i in 0..rows {
            for j in 0..columns {
                let at = i * columns + j;
                out.push(Inst {
                    stmt: StmtId(0),
                    args: Vec::new(),
                    lets: Vec::new(),
                    touches: vec![touch(0, at, false), touch(1, i, false), touch(2, j, false), touch(0, at, true)],
                    lane: None,
                });
            }
        }
        out
    }

    /// The most operands of `A` and `B` that are held at a time.
    fn most_held(insts: &[Inst], order: &[usize]) -> usize {
        let read = |n: usize| insts[order[n]].touches[1..3].iter().filter_map(|t| t.place.clone());
        let held = |n: usize| {
            let before: Vec<Place> = (0..=n).flat_map(read).collect();
            let mut held: Vec<Place> = (n..order.len()).flat_map(read).filter(|p| before.contains(p)).collect();
            held.sort();
            held.dedup();
            held.len()
        };
        (0..order.len()).map(held).max().unwrap_or(0)
    }

    fn arranged(insts: &[Inst]) -> Vec<usize> {
        order(&insts.iter().collect::<Vec<_>>())
    }

    #[test]
    fn long_rows_are_executed_column_by_column() {
        let insts = product(2, 6);
        let order = arranged(&insts);
        assert_eq!(most_held(&insts, &(0..12).collect::<Vec<_>>()), 7);
        assert_eq!(most_held(&insts, &order), 3, "{order:?}");
        assert_eq!(order[..4], [0, 6, 1, 7]);
    }

    #[test]
    fn short_rows_stay_rows_until_the_last_two() {
        // The last two rows use up the other operand, one element after the other.
        let insts = product(4, 3);
        let order = arranged(&insts);
        assert_eq!(most_held(&insts, &order), 5);
        assert_eq!(order, [0, 1, 2, 3, 4, 5, 6, 9, 7, 8, 10, 11]);
    }

    #[test]
    fn what_depends_on_each_other_keeps_its_order() {
        let mut insts = product(2, 6);
        for inst in &mut insts {
            inst.touches.push(touch(3, 0, true));
        }
        assert_eq!(arranged(&insts), (0..12).collect::<Vec<_>>());
    }
}
