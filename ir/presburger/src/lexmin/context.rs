//! The context: the symbol values under consideration.

use crate::basic::{Basic, normalise_ineq};
use crate::error::Result;
use crate::num::{Budget, Int, row};
use crate::simplex::Tableau;

/// A conjunction over the symbols, all locals known, with an integer point of it at hand.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) basic: Basic,
    /// `[1, dims.., locals..]`, in the context.
    point: Vec<Int>,
    tableau: Option<Tableau>,
}

/// The sign of an expression in the context.
pub(super) enum Split {
    NonNegative,
    Negative,
    /// Both signs occur; the contexts of either.
    Both(Box<Context>, Box<Context>),
}

impl Context {
    /// `None` when there is no symbol value at all.
    pub(super) fn new(basic: Basic, b: &Budget) -> Result<Option<Context>> {
        debug_assert!(basic.divs.all_known());
        Ok(basic.sample(b)?.map(|point| Context {
            basic,
            point,
            tableau: None,
        }))
    }

    /// The sign of `[const, dims.., locals..]`.
    pub(super) fn split(&mut self, expr: &[Int], b: &Budget) -> Result<Split> {
        let mut e = expr.to_vec();
        normalise_ineq(&mut e);
        if row::is_zero(&e[1..]) {
            return Ok(if e[0].is_neg() { Split::Negative } else { Split::NonNegative });
        }
        let here = !row::dot(&e, &self.point).is_neg();
        let mut other = e.clone();
        if here {
            // Is it negative anywhere?
            negate_ineq(&mut other);
        }
        let same = if here { Split::NonNegative } else { Split::Negative };
        let t = self.tableau(b)?;
        if t.is_separate(&other, b)? {
            return Ok(same);
        }
        let mut far = self.basic.clone();
        far.add_ineq(&other);
        let Some(point) = far.sample(b)? else { return Ok(same) };
        let far = Context {
            basic: far,
            point,
            tableau: None,
        };
        let mut near = self.clone();
        let mut keep = e;
        if !here {
            negate_ineq(&mut keep);
        }
        near.add_ineq(&keep, b)?;
        let (near, far) = (Box::new(near), Box::new(far));
        Ok(if here { Split::Both(near, far) } else { Split::Both(far, near) })
    }

    /// Adds an inequality that holds at the point at hand.
    fn add_ineq(&mut self, r: &[Int], b: &Budget) -> Result<()> {
        self.basic.add_ineq(r);
        if let Some(t) = &mut self.tableau {
            t.add_ineq(r, b)?;
        }
        Ok(())
    }

    /// Does the expression never go below zero?
    pub(super) fn implies(&mut self, expr: &[Int], b: &Budget) -> Result<bool> {
        if row::dot(expr, &self.point).is_neg() {
            return Ok(false);
        }
        if self.tableau(b)?.implies_ineq(expr, b)? {
            return Ok(true);
        }
        let mut below = expr.to_vec();
        negate_ineq(&mut below);
        let mut far = self.basic.clone();
        far.add_ineq(&below);
        far.is_empty(b)
    }

    /// The local `floor(num / den)`, added when it is new.
    pub(super) fn division(&mut self, den: &Int, num: &[Int]) -> (usize, bool) {
        let before = self.basic.n_div();
        let k = self.basic.add_div(den, num);
        let new = self.basic.n_div() > before;
        if new {
            let v = row::dot(num, &self.point).div_floor(den);
            self.point.push(v);
            self.tableau = None;
        }
        (k, new)
    }

    fn tableau(&mut self, b: &Budget) -> Result<&mut Tableau> {
        let t = match self.tableau.take() {
            Some(t) => t,
            None => self.basic.tableau(b)?,
        };
        Ok(self.tableau.insert(t))
    }
}

/// `e >= 0` becomes `e < 0`, that is `-e - 1 >= 0`.
fn negate_ineq(e: &mut [Int]) {
    row::negate(e);
    e[0] -= Int::ONE;
}
