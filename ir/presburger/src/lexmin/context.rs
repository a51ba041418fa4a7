//! The context: the symbol values under consideration.

use crate::basic::{Basic, normalise_ineq};
use crate::error::Result;
use crate::num::{Budget, Int, row};
use crate::simplex::{Search, Tableau, branch_and_bound};

/// Points kept at hand; more would cost more to carry along than they save.
const MAX_POINTS: usize = 12;

/// Branches of the search that starts from the context's tableau.
const MAX_NODES: usize = 16;

/// A conjunction over the symbols, all locals known, with some integer points of it at hand.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) basic: Basic,
    /// `[1, dims.., locals..]`, all in the context; never empty.
    points: Vec<Vec<Int>>,
    tableau: Option<Tableau>,
}

/// The sign of an expression in the context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    NonNegative,
    Negative,
    Both,
}

impl Context {
    /// `None` when there is no symbol value at all.
    pub(super) fn new(basic: Basic, b: &Budget) -> Result<Option<Context>> {
        debug_assert!(basic.divs.all_known());
        Ok(basic.sample(b)?.map(|point| Context {
            basic,
            points: vec![point],
            tableau: None,
        }))
    }

    /// The sign of `[const, dims.., locals..]`.
    pub(super) fn sign(&mut self, expr: &[Int], b: &Budget) -> Result<Sign> {
        let mut e = expr.to_vec();
        normalise_ineq(&mut e);
        if row::is_zero(&e[1..]) {
            return Ok(if e[0].is_neg() { Sign::Negative } else { Sign::NonNegative });
        }
        let negative = self.points.iter().filter(|p| row::dot(&e, p).is_neg()).count();
        if negative > 0 && negative < self.points.len() {
            return Ok(Sign::Both);
        }
        let same = if negative == 0 { Sign::NonNegative } else { Sign::Negative };
        if negative == 0 {
            negate_ineq(&mut e);
        }
        Ok(if self.find_point(&e, b)? { Sign::Both } else { same })
    }

    /// Is there a point of the context where the inequality holds? If so, it is kept at hand.
    fn find_point(&mut self, ineq: &[Int], b: &Budget) -> Result<bool> {
        let t = self.tableau(b)?;
        let before = t.snapshot();
        t.add_ineq(ineq, b)?;
        let quick = branch_and_bound(t, MAX_NODES, b)?;
        t.rollback(before, b)?;
        let point = match quick {
            Search::Empty => None,
            Search::Found(mut y) => {
                y.insert(0, Int::ONE);
                Some(y)
            }
            Search::GaveUp => {
                let mut far = self.basic.clone();
                far.add_ineq(ineq);
                far.sample(b)?
            }
        };
        let found = point.is_some();
        if let Some(p) = point {
            self.keep(p);
        }
        Ok(found)
    }

    fn keep(&mut self, point: Vec<Int>) {
        if self.points.len() == MAX_POINTS {
            self.points.remove(1);
        }
        self.points.push(point);
    }

    /// The parts of the context where an expression of both signs isn't, and is, negative.
    pub(super) fn split(self, expr: &[Int], b: &Budget) -> Result<(Context, Context)> {
        let mut e = expr.to_vec();
        normalise_ineq(&mut e);
        let (below, above): (Vec<_>, Vec<_>) = self.points.into_iter().partition(|p| row::dot(&e, p).is_neg());
        let mut no = Context {
            basic: self.basic.clone(),
            points: below,
            tableau: self.tableau.clone(),
        };
        let mut yes = Context {
            basic: self.basic,
            points: above,
            tableau: self.tableau,
        };
        yes.add_ineq(&e, b)?;
        negate_ineq(&mut e);
        no.add_ineq(&e, b)?;
        Ok((yes, no))
    }

    fn add_ineq(&mut self, r: &[Int], b: &Budget) -> Result<()> {
        self.basic.add_ineq(r);
        if let Some(t) = &mut self.tableau {
            t.add_ineq(r, b)?;
        }
        Ok(())
    }

    /// The local `floor(num / den)`, added when it is new.
    pub(super) fn division(&mut self, den: &Int, num: &[Int]) -> (usize, bool) {
        let before = self.basic.n_div();
        let k = self.basic.add_div(den, num);
        let new = self.basic.n_div() > before;
        if new {
            for p in &mut self.points {
                let v = row::dot(num, p).div_floor(den);
                p.push(v);
            }
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
