//! What of a program decides whether a configuration fits it.

use crate::{Code, Directive, Partition, Place, StrategyError};
use tilia_scop::{Scop, StmtId};

/// Depths of the statements and number of parameters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProgramShape {
    /// Number of iterators of each statement.
    pub depths: Vec<usize>,
    /// Number of parameters.
    pub params: usize,
}

impl ProgramShape {
    /// The shape of a scop.
    #[must_use]
    pub fn of(scop: &Scop) -> Self {
        Self {
            depths: scop.stmts.iter().map(|s| s.iters.len()).collect(),
            params: scop.params.len(),
        }
    }

    pub(crate) fn id(&self, stmt: usize) -> StmtId {
        StmtId(u32::try_from(stmt).unwrap_or(u32::MAX))
    }

    pub(crate) fn no_statement(&self, stmt: usize) -> String {
        match self.depths.len() {
            0 => format!("there is no statement {stmt}: the program has none"),
            n => format!("there is no statement {stmt}: the program has statements 0 to {}", n - 1),
        }
    }

    pub(crate) fn no_iterator(&self, stmt: usize, iterator: usize) -> String {
        match self.depths.get(stmt).copied().unwrap_or(0) {
            0 => format!("statement {stmt} has no iterator {iterator}: it is in no loop"),
            n => format!("statement {stmt} has no iterator {iterator}: it has iterators 0 to {}", n - 1),
        }
    }
}

/// Statements of a partition that the program doesn't have.
pub(crate) fn check_partition(partition: &Partition, place: &Place, shape: &ProgramShape, errors: &mut Vec<StrategyError>) {
    let Partition::Groups(groups) = partition else { return };
    for &s in groups.iter().flatten().filter(|&&s| s >= shape.depths.len()) {
        errors.push(StrategyError::new(Code::UnknownStatement, place.clone(), shape.no_statement(s)));
    }
}

/// Statements and iterators of directives that the program doesn't have.
pub(crate) fn check_directives(directives: &[Directive], shape: &ProgramShape, errors: &mut Vec<StrategyError>) {
    for d in directives {
        for &s in &d.stmts {
            match shape.depths.get(s) {
                None => errors.push(StrategyError::new(Code::UnknownStatement, d.place.clone(), shape.no_statement(s))),
                Some(&depth) if d.iterator >= depth => {
                    errors.push(StrategyError::new(
                        Code::UnknownIndex,
                        d.place.clone(),
                        shape.no_iterator(s, d.iterator),
                    ));
                }
                Some(_) => {}
            }
        }
    }
}
