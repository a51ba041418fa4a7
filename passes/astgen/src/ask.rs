//! Questions whose answer only makes code better: each has a small budget of its own, and no answer is an answer.

use crate::options::Error;
use tilia_presburger::{Budget, Error as SetError, Set};

/// Units for one question.
const QUESTION: u64 = 20_000;

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
    Ok(ask(b, |s| Ok(set.is_empty(s)?))?.unwrap_or(false))
}
