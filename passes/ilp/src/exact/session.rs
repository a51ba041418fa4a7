//! Solving again with more rows.

use tilia_presburger::{Budget, Int};

use super::cone::{Cone, Point};
use super::prepare::Prepared;
use super::search::{self, Least};
use crate::{Outcome, Problem, Rational, Result, Row, RowKind, Solution};

/// A problem that is solved several times with more and more rows. Each time the solver goes on from where it was.
///
/// To try rows that may be taken back, clone the session.
///
/// ```
/// use tilia_ilp::{Linear, Outcome, Problem, Row, Session};
/// use tilia_presburger::{Budget, Int};
///
/// # fn main() -> Result<(), tilia_ilp::Error> {
/// let b = Budget::default();
/// let mut p = Problem::new();
/// let (x, y) = (p.add_natural("x"), p.add_natural("y"));
/// let mut sum = Linear::constant(-3);
/// sum.add_term(x, 2);
/// sum.add_term(y, 2);
/// p.add_ge(sum); // 2x + 2y >= 3
/// let mut s = Session::new(&p)?;
/// let Outcome::Optimal(first) = s.solve(&b)? else { panic!() };
/// assert_eq!(first.values, [Int::new(0), Int::new(2)]);
/// let mut limit = Linear::constant(1);
/// limit.add_term(y, -1);
/// s.add_row(&Row::non_negative(limit))?; // y <= 1
/// let Outcome::Optimal(second) = s.solve(&b)? else { panic!() };
/// assert_eq!(second.values, [Int::new(1), Int::new(1)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    prepared: Prepared,
    cone: Cone,
    rows: usize,
}

impl Session {
    /// A session for a problem.
    ///
    /// # Errors
    /// When a row names a variable that isn't there.
    pub fn new(problem: &Problem) -> Result<Session> {
        Ok(Session::start(problem, Prepared::new(problem)?))
    }

    /// A session in which any point will do.
    pub(super) fn for_any_point(problem: &Problem) -> Result<Session> {
        let mut prepared = Prepared::new(problem)?;
        prepared.n_lex = 0;
        Ok(Session::start(problem, prepared))
    }

    fn start(problem: &Problem, prepared: Prepared) -> Session {
        Session {
            cone: Cone::new(&prepared),
            rows: problem.rows.len(),
            prepared,
        }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When it names a variable that isn't there.
    pub fn add_row(&mut self, row: &Row) -> Result<()> {
        self.prepared.add_row(self.rows, row)?;
        self.rows += 1;
        Ok(())
    }

    /// The lexicographic minimum.
    ///
    /// # Errors
    /// When the budget runs out. The session can still be used.
    pub fn solve(&mut self, b: &Budget) -> Result<Outcome> {
        self.solve_below(None, b)
    }

    /// The lexicographic minimum if its first values are lexicographically less than those of `below`; otherwise it counts as infeasible. Where these variables are
    /// integers that are minimised, that takes less time to see than the minimum takes to find.
    ///
    /// # Errors
    /// When the budget runs out. The session can still be used, with another limit too.
    pub fn solve_below(&mut self, below: Option<&[Int]>, b: &Budget) -> Result<Outcome> {
        if self.prepared.infeasible {
            return Ok(Outcome::Infeasible);
        }
        let limit = limit(&self.prepared, below);
        let (vertex, big) = match search::minimum(&self.prepared, &mut self.cone, limit, b)? {
            Least::Point(found) => found,
            Least::Reached => return Ok(Outcome::Infeasible),
            Least::Nothing => {
                self.prepared.infeasible = true;
                return Ok(Outcome::Infeasible);
            }
        };
        if big
            .as_ref()
            .is_some_and(|m| m.num[..self.prepared.n_lex].iter().any(|x| !x.is_zero()))
        {
            return Ok(Outcome::Unbounded);
        }
        let solution = self.solution(&vertex, big.as_ref());
        let first = |l: &[Int]| self.prepared.order.iter().take(l.len()).map(|&v| &solution.values[v]).lt(l.iter());
        Ok(match below {
            Some(l) if !first(l) => Outcome::Infeasible,
            _ => Outcome::Optimal(solution),
        })
    }

    fn solution(&self, vertex: &Point, big: Option<&Point>) -> Solution {
        let mut values = vec![Rational::from(Int::ZERO); vertex.num.len()];
        let large = big.map(|m| (m, self.large_enough(vertex, m)));
        for (k, x) in vertex.num.iter().enumerate() {
            let mut num = x.clone();
            if let Some((m, factor)) = &large {
                num.add_mul(&(&m.num[k] * factor), &vertex.den);
            }
            values[self.prepared.order[k]] = Rational::new(num, vertex.den.clone()).expect("denominators are positive");
        }
        Solution::from_rationals(values, false)
    }

    /// A value of `M`, divided by the denominator of its multiples, for which all rows hold.
    fn large_enough(&self, vertex: &Point, m: &Point) -> Int {
        let mut factor = Int::ZERO;
        for l in self.prepared.lines.iter().filter(|l| l.kind == RowKind::Ge) {
            let (mut value, mut growth) = (Int::ZERO, Int::ZERO);
            for (k, a) in &l.terms {
                value.add_mul(a, &vertex.num[*k as usize]);
                growth.add_mul(a, &m.num[*k as usize]);
            }
            value.add_mul(&l.constant, &vertex.den);
            if growth.is_pos() && value.is_neg() {
                let need = (-value).div_ceil(&(growth * &vertex.den));
                factor = factor.max(need);
            }
        }
        factor
    }
}

/// A limit of integers that are minimised, at which the search can end; without values at the end below which the variables can't be anyway.
fn limit<'a>(p: &Prepared, below: Option<&'a [Int]>) -> Option<&'a [Int]> {
    let mut l = below.filter(|l| l.len() <= p.n_lex && p.integer.iter().take(l.len()).all(|&i| i))?;
    while let [rest @ .., last] = l
        && p.lower[rest.len()].as_ref().is_some_and(|least| last <= least)
    {
        l = rest;
    }
    Some(l)
}
