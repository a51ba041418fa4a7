//! Questions whose answer only makes code better: each has a small budget of its own, and no answer is an answer.

use crate::lin::Con;
use crate::options::Error;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Deref;
use tilia_presburger::{BasicSet, Budget, Error as SetError, Point, Result as SetResult, Set, Space};

/// Units for one question.
const QUESTION: u64 = 20_000;

/// Points remembered for each space.
const POINTS: usize = 24;

/// What earlier questions of the same generation found out.
#[derive(Default)]
pub(crate) struct Memory {
    /// Is the set certainly empty?
    empty: FxHashMap<Set, bool>,
    /// Elements of sets that were asked for, those that answered last in front. Most questions ask whether a condition follows, and where it doesn't, a point
    /// that showed that of another condition often shows it again.
    points: FxHashMap<Space, VecDeque<Point>>,
    /// The conjunctions of sets.
    conjunctions: FxHashMap<Set, Vec<Vec<Con>>>,
}

/// A budget, and what questions of the same generation have found out so far.
#[derive(Clone, Copy)]
pub(crate) struct Oracle<'a> {
    budget: &'a Budget,
    memory: &'a RefCell<Memory>,
}

impl Deref for Oracle<'_> {
    type Target = Budget;

    fn deref(&self) -> &Budget {
        self.budget
    }
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(budget: &'a Budget, memory: &'a RefCell<Memory>) -> Oracle<'a> {
        Oracle { budget, memory }
    }

    /// The conjunctions of a set, found out once.
    pub(crate) fn conjunctions(&self, set: &Set, find: impl FnOnce() -> SetResult<Vec<Vec<Con>>>) -> SetResult<Vec<Vec<Con>>> {
        if let Some(known) = self.memory.borrow().conjunctions.get(set) {
            return Ok(known.clone());
        }
        let found = find()?;
        self.memory.borrow_mut().conjunctions.insert(set.clone(), found.clone());
        Ok(found)
    }
}

/// The answer, or nothing when the small budget runs out. The question costs one unit of the caller's budget and what it uses of its own.
pub(crate) fn ask<T>(b: &Oracle<'_>, question: impl FnOnce(&Oracle<'_>) -> Result<T, Error>) -> Result<Option<T>, Error> {
    let small = Budget::new(QUESTION);
    let answer = question(&Oracle::new(&small, b.memory));
    b.spend(1 + small.used().min(QUESTION) / 16)?;
    match answer {
        Ok(v) => Ok(Some(v)),
        Err(Error::Sets(SetError::OutOfBudget)) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Is the set certainly empty?
pub(crate) fn surely_empty(set: &Set, b: &Oracle<'_>) -> Result<bool, Error> {
    if set.plain_is_empty() {
        return Ok(true);
    }
    if let Some(known) = b.memory.borrow().empty.get(set).copied() {
        return Ok(known);
    }
    let shown = shown_by_point(&mut b.memory.borrow_mut(), set, b)?;
    let empty = !shown && {
        let found = ask(b, |s| Ok(set.sample_point(s)?))?;
        if let Some(Some(p)) = &found {
            remember(&mut b.memory.borrow_mut(), set.space(), p);
        }
        found == Some(None)
    };
    b.memory.borrow_mut().empty.insert(set.clone(), empty);
    Ok(empty)
}

/// Is one of the remembered points an element?
fn shown_by_point(m: &mut Memory, set: &Set, b: &Budget) -> Result<bool, Error> {
    let Some(points) = m.points.get_mut(set.space()) else {
        return Ok(false);
    };
    if !set.basic_sets().iter().all(BasicSet::has_known_divs) {
        // Membership would be a search of its own.
        return Ok(false);
    }
    for i in 0..points.len() {
        if set.contains(&points[i], b)? {
            if let Some(p) = points.remove(i) {
                points.push_front(p);
            }
            return Ok(true);
        }
    }
    Ok(false)
}

fn remember(m: &mut Memory, space: &Space, p: &Point) {
    let points = m.points.entry(space.clone()).or_default();
    points.push_front(p.clone());
    points.truncate(POINTS);
}
