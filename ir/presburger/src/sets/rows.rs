//! The constraints of a conjunction as plain rows, for other solvers.

use super::{BasicMap, BasicSet};
use crate::basic::Basic;
use crate::num::Int;

/// The constraints of a conjunction with its local variables as columns.
///
/// A row holds the constant, then the coefficients of the parameters, of the input dimensions (of a map), of the output or set dimensions, and of the local variables. The
/// bounds that a division implies are among the inequalities, so every integer solution of the rows is an element with values for the local variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstraintRows {
    /// Rows that are zero.
    pub equalities: Vec<Vec<Int>>,
    /// Rows that are not negative.
    pub inequalities: Vec<Vec<Int>>,
    /// How many local variables there are: the last columns.
    pub n_local: usize,
}

fn rows(b: &Basic) -> ConstraintRows {
    let mut inequalities: Vec<Vec<Int>> = b.ineqs.iter().map(<[Int]>::to_vec).collect();
    for k in (0..b.n_div()).filter(|&k| b.divs.is_known(k)) {
        inequalities.extend(b.div_bounds(k));
    }
    if b.empty {
        let mut never = vec![Int::ZERO; b.cols()];
        never[0] = Int::NEG_ONE;
        inequalities.push(never);
    }
    ConstraintRows {
        equalities: b.eqs.iter().map(<[Int]>::to_vec).collect(),
        inequalities,
        n_local: b.n_div(),
    }
}

impl BasicSet {
    /// The constraints as rows of integers.
    pub fn constraint_rows(&self) -> ConstraintRows {
        rows(&self.basic)
    }
}

impl BasicMap {
    /// The constraints as rows of integers.
    pub fn constraint_rows(&self) -> ConstraintRows {
        rows(&self.basic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Map, Set};

    fn r(v: &[i64]) -> Vec<Int> {
        v.iter().map(|&x| Int::new(x)).collect()
    }

    #[test]
    fn columns_are_constant_parameters_dimensions_locals() {
        let m: Map = "[n] -> { [i] -> [j] : j = i + 2 and i <= n }".parse().unwrap();
        let rows = m.basic_maps()[0].constraint_rows();
        assert_eq!(rows.n_local, 0);
        assert!(rows.equalities == [r(&[2, 0, 1, -1])] || rows.equalities == [r(&[-2, 0, -1, 1])]);
        assert_eq!(rows.inequalities.len(), 1);
        let s: Set = "{ [i] : (i mod 2) = 1 and i >= 0 }".parse().unwrap();
        let rows = s.basic_sets()[0].constraint_rows();
        assert_eq!(rows.n_local, 1);
        assert!(rows.equalities.iter().chain(&rows.inequalities).all(|r| r.len() == 3));
    }

    #[test]
    fn an_empty_conjunction_has_no_solution() {
        let b = BasicSet::empty("{ [i] }".parse::<Set>().unwrap().space());
        assert_eq!(b.constraint_rows().inequalities, [r(&[-1, 0])]);
    }
}
