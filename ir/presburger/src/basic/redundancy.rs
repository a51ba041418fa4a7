//! Removing implied constraints and finding implied equalities with the simplex tableau.

use super::Basic;
use crate::error::Result;
use crate::num::{Budget, Int, Mat};
use crate::simplex::{Problem, Tableau};

impl Basic {
    /// Removes inequalities that the others imply at integer points; finds out about rational emptiness.
    pub(crate) fn remove_redundancies(&mut self, b: &Budget) -> Result<()> {
        if self.empty || self.ineqs.is_empty() {
            return Ok(());
        }
        if self.ineqs.len() == 1 && self.divs.is_empty() {
            return Ok(());
        }
        // The equalities' pivots occur in no inequality, so the inequalities alone decide, except through the locals' bounds.
        let (mut t, first) = self.tableau_with_ineqs_last(b)?;
        if t.is_empty() {
            self.set_empty();
            return Ok(());
        }
        let mut drop = vec![false; self.ineqs.len()];
        for i in (0..self.ineqs.len()).rev() {
            drop[i] = t.drop_if_redundant(first + i, b)?;
        }
        let mut i = 0;
        self.ineqs.retain(|_| {
            i += 1;
            !drop[i - 1]
        });
        if self.n_div() > 0 && drop.contains(&true) {
            self.simplify();
        }
        Ok(())
    }

    /// A tableau whose last constraints are the inequalities, and the number of the first of these.
    fn tableau_with_ineqs_last(&self, b: &Budget) -> Result<(Tableau, usize)> {
        let mut t = Tableau::new(self.cols() - 1);
        let mut n = 0;
        if self.n_div() > 0 {
            for r in self.eqs.iter() {
                t.add_eq(r, b)?;
                n += 2;
            }
            for k in 0..self.n_div() {
                if self.divs.is_known(k) {
                    for r in self.div_bounds(k) {
                        t.add_ineq(&r, b)?;
                        n += 1;
                    }
                }
            }
        }
        for r in self.ineqs.iter() {
            t.add_ineq(r, b)?;
        }
        Ok((t, n))
    }

    /// Turns inequalities that hold with equality at all integer points into equalities.
    pub(crate) fn detect_equalities(&mut self, b: &Budget) -> Result<()> {
        loop {
            if self.empty || self.ineqs.is_empty() {
                return Ok(());
            }
            let Some(found) = self.implicit_equality(b)? else {
                self.set_empty();
                return Ok(());
            };
            if found.is_empty() {
                return Ok(());
            }
            for i in found.iter().rev() {
                let r = self.ineqs[*i].to_vec();
                self.ineqs.swap_remove(*i);
                self.eqs.push_vec(r);
            }
            self.simplify();
        }
    }

    /// Inequalities that can't be positive; `None` when there is no point at all.
    fn implicit_equality(&self, b: &Budget) -> Result<Option<Vec<usize>>> {
        let Some(p) = Problem::new(self) else { return Ok(None) };
        let Some(first) = crate::simplex::integer_point(&p.ineqs, b)? else {
            return Ok(None);
        };
        let mut points = vec![first];
        let mut found = Vec::new();
        for i in 0..self.ineqs.len() {
            let mut e = p.express(&self.ineqs[i]);
            e[0] -= Int::ONE;
            let positive = |y: &Vec<Int>| !(&e[0] + &crate::num::row::dot(&e[1..], y)).is_neg();
            if points.iter().any(positive) {
                continue;
            }
            let mut m = p.ineqs.clone();
            m.push(&e);
            match point_of(m, b)? {
                Some(y) => points.push(y),
                None => found.push(i),
            }
        }
        Ok(Some(found))
    }
}

fn point_of(mut m: Mat, b: &Budget) -> Result<Option<Vec<Int>>> {
    if !crate::simplex::tighten(&mut m) {
        return Ok(None);
    }
    crate::simplex::integer_point(&m, b)
}
