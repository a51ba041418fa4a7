//! The context: the symbol values under consideration.

use super::frame::Frame;
use crate::basic::{Basic, normalise_ineq};
use crate::error::Result;
use crate::num::{Budget, Int, row};
use crate::simplex::{Search, Tableau, branch_and_bound};

/// Points kept at hand; more would cost more to carry along than they save.
const MAX_POINTS: usize = 12;

/// Branches of the search that starts from the context's tableau.
const MAX_NODES: usize = 16;

/// Questions that were answered by a search before all points of a context are listed, if they are few.
const MAX_SEARCHES: usize = 10;

/// A conjunction over the symbols, all locals known, with some integer points of it at hand.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) basic: Basic,
    /// `[1, dims.., locals..]`, all in the context; there is one unless [`Context::is_void`].
    points: Vec<Vec<Int>>,
    /// Are these all points there are?
    complete: bool,
    /// Searches so far, those of the contexts that this is a part of included.
    searches: usize,
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
            complete: false,
            searches: 0,
            tableau: None,
        }))
    }

    /// Was it found that there is no point at all?
    pub(super) fn is_void(&self) -> bool {
        self.points.is_empty()
    }

    /// The sign of `[const, dims.., locals..]`.
    pub(super) fn sign(&mut self, expr: &[Int], frame: &Frame, b: &Budget) -> Result<Sign> {
        let mut e = expr.to_vec();
        normalise_ineq(&mut e);
        if row::is_zero(&e[1..]) {
            return Ok(if e[0].is_neg() { Sign::Negative } else { Sign::NonNegative });
        }
        let mut same = self.sign_at_points(&e, b)?;
        if same != Sign::Both && !self.complete {
            self.searches += 1;
            if self.searches == MAX_SEARCHES {
                self.list_points(frame, b)?;
                same = self.sign_at_points(&e, b)?;
            }
        }
        if same == Sign::Both || self.complete {
            return Ok(same);
        }
        if same == Sign::NonNegative {
            negate_ineq(&mut e);
        }
        Ok(if self.find_point(&e, b)? { Sign::Both } else { same })
    }

    /// The sign of a row at the points at hand.
    fn sign_at_points(&self, e: &[Int], b: &Budget) -> Result<Sign> {
        let mut negative = 0;
        for (n, p) in self.points.iter().enumerate() {
            negative += usize::from(row::dot(e, p).is_neg());
            if negative > 0 && negative <= n {
                return Ok(Sign::Both);
            }
        }
        b.spend((self.points.len() * e.len() / 16) as u64)?;
        Ok(if negative == 0 { Sign::NonNegative } else { Sign::Negative })
    }

    /// Lists all points, when the problem only has solutions for a few values of the symbols.
    fn list_points(&mut self, frame: &Frame, b: &Budget) -> Result<()> {
        let Some(limits) = frame.limits(b)? else { return Ok(()) };
        // Elsewhere there is no solution, so the context may leave that out.
        for (d, (lo, hi)) in limits.iter().enumerate() {
            for (value, sign) in [(lo, Int::ONE), (hi, Int::NEG_ONE)] {
                let mut r = vec![Int::ZERO; self.basic.cols()];
                r[0] = -(value * &sign);
                r[1 + d] = sign;
                self.basic.add_ineq(&r);
            }
        }
        self.tableau = None;
        self.points.clear();
        let mut x: Vec<Int> = std::iter::once(Int::ONE).chain(limits.iter().map(|l| l.0.clone())).collect();
        loop {
            if let Some(full) = self.basic.element(&x, b)? {
                self.points.push(full);
            }
            // The next point of the box.
            let Some(d) = (0..limits.len()).rev().find(|&d| x[1 + d] < limits[d].1) else {
                break;
            };
            x[1 + d] += Int::ONE;
            for (v, l) in x[2 + d..].iter_mut().zip(&limits[d + 1..]) {
                *v = l.0.clone();
            }
        }
        self.complete = true;
        Ok(())
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
            complete: self.complete,
            searches: self.searches,
            tableau: self.tableau.clone(),
        };
        let mut yes = Context {
            basic: self.basic,
            points: above,
            complete: self.complete,
            searches: self.searches,
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
