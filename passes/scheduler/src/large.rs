//! Components whose integer programs are too large: rows that each follow one loop of the source.
//!
//! An integer program asks for the best row that combines iterators in any way. Where it takes more than its share of the budget, the question is made smaller: each statement's row is one of its iterators
//! that no row has used yet, and only the constants (shifts against each other) and the bound of the distances are unknown; statements that need no further row keep all unknowns. That these rows are
//! legal is part of the program as ever; that they are the best ones is not known, which a remark says.
//!
//! This is the permutation without skews that A. Acharya, U. Bondhugula and A. Cohen ("Polyhedral auto-transformation with no integer linear programming", PLDI 2018) find by colouring statements' loops, with the
//! colours that the source gives: the outermost unused loops together, then the second ones, and so on.

use crate::progress::{Independence, Needy};
use crate::solve::Demand;
use std::cell::RefCell;

/// Statements from which on a component that was too large once isn't tried in full again, nor another form of progression.
const MANY: usize = 60;

/// Components that were too large.
#[derive(Debug, Default)]
pub(crate) struct Large {
    /// Their statements.
    given_up: RefCell<Vec<Vec<usize>>>,
}

impl Large {
    /// Is a program of a component of these statements not worth trying, since it contains one that was given up?
    pub(crate) fn is_too_large(&self, stmts: &[usize], how: Independence) -> bool {
        let contains = |part: &Vec<usize>| part.len() <= stmts.len() && part.iter().all(|s| stmts.contains(s));
        asks_everything(how) && self.given_up.borrow().iter().any(contains)
    }

    /// A program of a component of these statements took more than its share.
    pub(crate) fn given_up(&self, stmts: &[usize], how: Independence) {
        if stmts.len() >= MANY && asks_everything(how) {
            self.given_up.borrow_mut().push(stmts.to_vec());
        }
    }
}

/// Does the form of progression ask for a new iterator of every statement?
fn asks_everything(how: Independence) -> bool {
    matches!(how, Independence::Orthant | Independence::Sum | Independence::Exact)
}

/// Rows of one unused iterator for each statement: the outermost ones, the second ones, and so on; a statement that has fewer takes its last.
pub(crate) fn straight(needy: &[Needy]) -> Vec<Vec<Demand>> {
    let open: Vec<(usize, Vec<usize>)> = needy.iter().map(|n| (n.stmt, n.unused())).collect();
    let most = open.iter().map(|(_, unused)| unused.len()).max().unwrap_or(0);
    (0..most)
        .map(|p| {
            let one = |(s, unused): &(usize, Vec<usize>)| unused.get(p).or(unused.last()).map(|&k| Demand::Alone(*s, k));
            open.iter().filter_map(one).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilia_presburger::Int;

    #[test]
    fn rows_are_of_iterators_that_add_rank() {
        let row = |r: &[i64]| r.iter().map(|&x| Int::new(x)).collect::<Vec<_>>();
        let skewed = Needy::of(0, 3, &[row(&[1, 1, 0])]).unwrap();
        let plain = Needy::of(1, 2, &[row(&[1, 0])]).unwrap();
        let alone = |s, k| Demand::Alone(s, k);
        assert_eq!(
            straight(&[skewed, plain]),
            [
                vec![alone(0, 0), alone(1, 1)],
                vec![alone(0, 1), alone(1, 1)],
                vec![alone(0, 2), alone(1, 1)]
            ]
        );
        assert!(straight(&[]).is_empty());
    }

    #[test]
    fn only_large_components_are_remembered() {
        let large = Large::default();
        let stmts = |from: usize, n: usize| (from..from + n).collect::<Vec<_>>();
        large.given_up(&stmts(0, MANY - 1), Independence::Orthant);
        assert!(!large.is_too_large(&stmts(0, 1000), Independence::Orthant));
        large.given_up(&stmts(0, 100), Independence::Lazy);
        assert!(!large.is_too_large(&stmts(0, 1000), Independence::Orthant));
        large.given_up(&stmts(0, 100), Independence::Orthant);
        assert!(large.is_too_large(&stmts(0, 100), Independence::Exact) && large.is_too_large(&stmts(0, 1000), Independence::Exact));
        // Other statements, however many, and parts of it.
        assert!(!large.is_too_large(&stmts(1000, 500), Independence::Exact) && !large.is_too_large(&stmts(0, 99), Independence::Exact));
        assert!(!large.is_too_large(&stmts(0, 100), Independence::None));
    }
}
