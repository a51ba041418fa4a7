//! Questions whose answer only makes code better: each has a small budget of its own, and no answer is an answer.

use crate::options::Error;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::VecDeque;
use tilia_presburger::{BasicSet, Budget, Error as SetError, Point, Set, Space};

/// Units for one question.
const QUESTION: u64 = 20_000;

/// Points remembered for each space.
const POINTS: usize = 24;

/// What earlier questions of the same generation found out.
#[derive(Default)]
struct Memory {
    /// Is the set certainly empty?
    empty: FxHashMap<Set, bool>,
    /// Elements of sets that were asked for, those that answered last in front. Most questions ask whether a condition follows, and where it doesn't, a point
    /// that showed that of another condition often shows it again.
    points: FxHashMap<Space, VecDeque<Point>>,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Begins anew: a generation doesn't depend on what the thread has done before.
pub(crate) fn forget() {
    MEMORY.with_borrow_mut(|m| *m = Memory::default());
}

/// The answer, or nothing when the small budget runs out. The question costs one unit of the caller's budget and what it uses of its own.
pub(crate) fn ask<T>(b: &Budget, question: impl FnOnce(&Budget) -> Result<T, Error>) -> Result<Option<T>, Error> {
    let small = Budget::new(QUESTION);
    let answer = question(&small);
    b.spend(1 + small.used().min(QUESTION) / 16)?;
    match answer {
        Ok(v) => Ok(Some(v)),
        Err(Error::Sets(SetError::OutOfBudget)) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Is the set certainly empty?
pub(crate) fn surely_empty(set: &Set, b: &Budget) -> Result<bool, Error> {
    if set.plain_is_empty() {
        return Ok(true);
    }
    if let Some(known) = MEMORY.with_borrow(|m| m.empty.get(set).copied()) {
        return Ok(known);
    }
    let shown = MEMORY.with_borrow_mut(|m| shown_by_point(m, set, b))?;
    let empty = !shown && {
        let found = ask(b, |s| Ok(set.sample_point(s)?))?;
        if let Some(Some(p)) = &found {
            MEMORY.with_borrow_mut(|m| remember(m, set.space(), p));
        }
        found == Some(None)
    };
    MEMORY.with_borrow_mut(|m| m.empty.insert(set.clone(), empty));
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
