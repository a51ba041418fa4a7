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

/// Units for a question on whose answer much code depends.
const THOROUGH_QUESTION: u64 = 100_000;

/// Points remembered for each space.
const POINTS: usize = 24;

/// What earlier questions of the same generation found out.
#[derive(Default)]
pub(crate) struct Memory {
    /// What is known of whether sets are empty.
    empty: FxHashMap<Set, Emptiness>,
    /// Elements of sets that were asked for, those that answered last in front. Most questions ask whether a condition follows, and where it doesn't, a point
    /// that showed that of another condition often shows it again.
    points: FxHashMap<Space, VecDeque<Point>>,
    /// The conjunctions of sets.
    conjunctions: FxHashMap<Set, Vec<Vec<Con>>>,
}

/// What a question for emptiness found out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Emptiness {
    Empty,
    NotEmpty,
    /// So many units weren't enough.
    Open(u64),
}

/// A budget, and what questions of the same generation have found out so far.
#[derive(Clone, Copy)]
pub(crate) struct Oracle<'a> {
    budget: &'a Budget,
    /// Units for one question.
    units: u64,
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
        Oracle {
            budget,
            units: QUESTION,
            memory,
        }
    }

    /// The same, with more units for one question.
    pub(crate) fn thorough(&self) -> Oracle<'a> {
        Oracle {
            units: THOROUGH_QUESTION,
            ..*self
        }
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
    let small = Budget::new(b.units);
    let answer = question(&Oracle { budget: &small, ..*b });
    b.spend(1 + small.used().min(b.units) / 16)?;
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
    match b.memory.borrow().empty.get(set) {
        Some(Emptiness::Empty) => return Ok(true),
        Some(Emptiness::NotEmpty) => return Ok(false),
        Some(Emptiness::Open(units)) if *units >= b.units => return Ok(false),
        _ => {}
    }
    let shown = shown_by_point(&mut b.memory.borrow_mut(), set, b)?;
    let found = if shown {
        Emptiness::NotEmpty
    } else {
        match ask(b, |s| Ok(set.sample_point(s)?))? {
            Some(Some(p)) => {
                remember(&mut b.memory.borrow_mut(), set.space(), &p);
                Emptiness::NotEmpty
            }
            Some(None) => Emptiness::Empty,
            None => Emptiness::Open(b.units),
        }
    };
    b.memory.borrow_mut().empty.insert(set.clone(), found);
    Ok(found == Emptiness::Empty)
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
