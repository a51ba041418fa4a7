//! Answers to questions that were asked before.
//!
//! A compilation tries many schedules of one program, and most of them put the same question to the same dependences. [`Answers`] keeps what came of each, so that it is found out once.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Basic, Divs};
use crate::error::Result;
use crate::num::{Budget, Int};
use crate::rel::Restriction;
use crate::simplex::Optimum;

/// Answers of one kind that are remembered, some hundred megabytes of large ones; what is asked beyond them is found out anew.
const MOST: usize = 25_000;

/// What came of questions that were asked before: integer points, optima and implied equalities of conjunctions, and relations restricted by expressions and sets.
///
/// An answer that is found here takes as many units off a budget as finding it out did: what fits into a budget doesn't depend on what was asked before.
#[derive(Debug, Default)]
pub struct Answers {
    /// An integer point of a conjunction, if there is one, and the units that the search took.
    points: Table<Basic, (Option<Vec<Int>>, u64)>,
    pub(crate) restricted: Table<Restriction, Vec<Arc<Basic>>>,
    /// Conjunctions with implied equalities explicit, and the units that finding them took.
    pub(crate) equalities: Table<Arc<Basic>, (Arc<Basic>, u64)>,
    pub(crate) optima: Table<Optimise, (Optimum<Int>, u64)>,
}

/// An expression, with divisions of its own, of which the optimum over a conjunction is asked for.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(crate) struct Optimise {
    pub(crate) over: Arc<Basic>,
    pub(crate) divs: Divs,
    pub(crate) row: Vec<Int>,
    pub(crate) up: bool,
}

impl Answers {
    /// Nothing was asked yet.
    #[must_use]
    pub fn new() -> Answers {
        Answers::default()
    }
}

/// An answer with the units that finding it out took.
pub(crate) trait Priced: Clone {
    fn units(&self) -> u64;
    fn at(self, units: u64) -> Self;
}

impl<T: Clone> Priced for (T, u64) {
    fn units(&self) -> u64 {
        self.1
    }

    fn at(self, units: u64) -> Self {
        (self.0, units)
    }
}

/// Questions of one kind, with their answers.
///
/// Each stands at the hash of its question, or at the next free number: questions are long, so none is hashed twice, and few are compared.
#[derive(Debug)]
pub(crate) struct Table<K, V>(Mutex<HashMap<u64, (K, V), BuildHasherDefault<RowHasher>>>);

impl<K, V> Default for Table<K, V> {
    fn default() -> Table<K, V> {
        Table(Mutex::default())
    }
}

/// Where a question stands, or would.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place(u64);

impl Place {
    fn of<K: Hash>(asked: &K) -> Place {
        let mut h = RowHasher::default();
        asked.hash(&mut h);
        Place(h.finish())
    }
}

impl<K: Eq + Hash, V> Table<K, V> {
    /// What is taken from a known answer, or the place to keep one.
    pub(crate) fn find<T>(&self, asked: &K, take: impl FnOnce(&V) -> T) -> std::result::Result<T, Place> {
        let place = Place::of(asked);
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut at = place.0;
        while let Some((k, v)) = known.get(&at) {
            if k == asked {
                return Ok(take(v));
            }
            at = at.wrapping_add(1);
        }
        Err(place)
    }

    /// The known answer, or what `find_out` says, which is remembered; the units that it took come off the budget either way.
    pub(crate) fn ask(&self, asked: K, b: &Budget, find_out: impl FnOnce(&K) -> Result<V>) -> Result<V>
    where
        V: Priced,
    {
        let place = match self.find(&asked, V::clone) {
            Ok(known) => {
                b.spend(known.units())?;
                return Ok(known);
            }
            Err(place) => place,
        };
        let before = b.used();
        let answer = find_out(&asked)?.at(b.used() - before);
        self.keep(place, asked, answer.clone());
        Ok(answer)
    }

    /// Remembers an answer, unless somebody else has meanwhile.
    pub(crate) fn keep(&self, place: Place, asked: K, answer: V) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            return;
        }
        let mut at = place.0;
        while let Some((k, _)) = known.get(&at) {
            if *k == asked {
                return;
            }
            at = at.wrapping_add(1);
        }
        known.insert(at, (asked, answer));
    }
}

impl Basic {
    /// An integer point `[1, columns..]`.
    pub(crate) fn sample(&self, b: &Budget) -> Result<Option<Vec<Int>>> {
        let Some(answers) = b.answers() else { return self.search(b) };
        match answers.points.find(self, Clone::clone) {
            Ok((point, units)) => {
                b.spend(units)?;
                Ok(point)
            }
            Err(place) => self.search_and_keep(answers, place, b),
        }
    }

    /// Is there an integer point?
    pub(crate) fn has_point(&self, b: &Budget) -> Result<bool> {
        let Some(answers) = b.answers() else {
            return Ok(self.search(b)?.is_some());
        };
        match answers.points.find(self, |(point, units)| (point.is_some(), *units)) {
            Ok((found, units)) => {
                b.spend(units)?;
                Ok(found)
            }
            Err(place) => Ok(self.search_and_keep(answers, place, b)?.is_some()),
        }
    }

    fn search_and_keep(&self, answers: &Answers, place: Place, b: &Budget) -> Result<Option<Vec<Int>>> {
        let before = b.used();
        let point = self.search(b)?;
        answers.points.keep(place, self.clone(), (point.clone(), b.used() - before));
        Ok(point)
    }
}

/// Hashes rows of small numbers: a few instructions for each. Nobody chooses its keys to make them meet.
#[derive(Default)]
pub(crate) struct RowHasher(u64);

impl RowHasher {
    fn add(&mut self, v: u64) {
        self.0 = (self.0.rotate_left(5) ^ v).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for RowHasher {
    fn finish(&self) -> u64 {
        // The upper bits are the mixed ones, tables look at the lower ones, too.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, v: u8) {
        self.add(v.into());
    }

    fn write_u32(&mut self, v: u32) {
        self.add(v.into());
    }

    fn write_u64(&mut self, v: u64) {
        self.add(v);
    }

    fn write_i64(&mut self, v: i64) {
        self.add(v.cast_unsigned());
    }

    fn write_usize(&mut self, v: usize) {
        self.add(v as u64);
    }

    fn write_isize(&mut self, v: isize) {
        self.add(v.cast_unsigned() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::Set;

    #[test]
    fn a_question_is_answered_alike_and_costs_as_much_when_asked_again() {
        let answers = Arc::new(Answers::new());
        for text in [
            "{ [i, j] : 3 <= 7i - 9j <= 4 and i >= 1000 }",
            "{ [i, j] : 1 <= 4i - 6j <= 1 }",
            "{ [i] : i mod 7 = 3 and 10 <= i <= 11 }",
        ] {
            let set: Set = text.parse().unwrap();
            let plain = Budget::new(1_000_000);
            let expected = set.sample_point(&plain).unwrap();
            for _ in 0..2 {
                let b = Budget::new(1_000_000).with_answers(&answers);
                assert_eq!(set.sample_point(&b).unwrap(), expected);
                assert_eq!(b.used(), plain.used());
                assert_eq!(set.is_empty(&b).unwrap(), expected.is_none());
            }
        }
    }

    #[test]
    fn questions_that_meet_are_kept_apart() {
        /// All of them have one hash.
        #[derive(PartialEq, Eq)]
        struct Same(u32);
        impl Hash for Same {
            fn hash<H: Hasher>(&self, state: &mut H) {
                state.write_u8(0);
            }
        }
        let table = Table::default();
        for n in 0..20 {
            let place = table.find(&Same(n), |v: &u32| *v).expect_err("not asked before");
            table.keep(place, Same(n), 10 * n);
            // What is known stays: an answer is as good as the other.
            table.keep(place, Same(n), 0);
        }
        for n in 0..20 {
            assert_eq!(table.find(&Same(n), |v| *v).ok(), Some(10 * n));
        }
    }

    #[test]
    fn an_answer_that_costs_too_much_is_none() {
        let answers = Arc::new(Answers::new());
        let set: Set = "{ [i, j] : 3 <= 7i - 9j <= 4 and i >= 1000 }".parse().unwrap();
        let b = Budget::new(1_000_000).with_answers(&answers);
        set.sample_point(&b).unwrap();
        let small = Budget::new(1).with_answers(&answers);
        assert!(set.sample_point(&small).is_err());
    }
}
