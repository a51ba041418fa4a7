//! Progression: the next row of a statement must be independent of its rows so far (by a basis of the kernel, as in Pluto; with both signs as in Pluto+: Acharya and Bondhugula, PPoPP 2015).
//!
//! The condition speaks of an integer basis of the kernel of the rows so far, not of the projector onto it: after a skewed row `(1, 1)` the projector's rows add up to zero and nothing
//! would be allowed any more.

use crate::linalg::kernel;
use crate::program::{Program, combination};
use tilia_ilp::Linear;
use tilia_presburger::Int;

/// Which form the condition takes, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Independence {
    /// Each basis vector's product non-negative, their sum at least 1, for every statement that still needs rank.
    Orthant,
    /// Only the sum.
    Sum,
    /// The exact disjunction "some product isn't zero", by 0/1 columns.
    Exact,
    /// The sum over all statements is at least 1: some statement progresses.
    Lazy,
    /// Nothing: rows that only carry dependences.
    None,
}

/// A statement that still needs rank: its number and an integer basis of the kernel of its rows.
#[derive(Debug, Clone)]
pub(crate) struct Needy {
    pub(crate) stmt: usize,
    pub(crate) basis: Vec<Vec<Int>>,
}

impl Needy {
    /// The statement with these loop rows; `None` when it has its full rank.
    pub(crate) fn of(stmt: usize, depth: usize, rows: &[Vec<Int>]) -> Option<Needy> {
        let basis = kernel(rows, depth);
        (!basis.is_empty()).then_some(Needy { stmt, basis })
    }

    /// Is every product non-negative whenever the coefficients are?
    pub(crate) fn is_non_negative(&self) -> bool {
        self.basis.iter().flatten().all(|x| !x.is_neg())
    }

    /// Iterators that no combination of the rows so far gives.
    pub(crate) fn unused(&self) -> Vec<usize> {
        let depth = self.basis.first().map_or(0, Vec::len);
        (0..depth).filter(|&k| self.basis.iter().any(|h| !h[k].is_zero())).collect()
    }

    /// The product of a basis vector with the unknown row.
    pub(crate) fn product(&self, program: &Program, j: usize) -> Linear {
        let forms = &program.stmts[&self.stmt].iters;
        combination(self.basis[j].iter().zip(forms))
    }

    fn sum(&self, program: &Program) -> Linear {
        let mut sum = Linear::zero();
        (0..self.basis.len()).for_each(|j| sum.add_scaled(&Int::ONE, &self.product(program, j)));
        sum
    }
}

/// `form - 1`, so that `>= 0` says at least 1.
fn minus_one(mut form: Linear) -> Linear {
    form.constant = &form.constant - &Int::ONE;
    form
}

/// Adds the condition for all statements that need rank. `bound`: the largest absolute value of a coefficient.
pub(crate) fn require(program: &mut Program, needy: &[Needy], how: Independence, bound: &Int) {
    match how {
        Independence::None => {}
        Independence::Lazy => {
            let mut sum = Linear::zero();
            for n in needy {
                sum.add_scaled(&Int::ONE, &n.sum(program));
                for j in 0..n.basis.len() {
                    let product = n.product(program, j);
                    program.ge(product);
                }
            }
            program.ge(minus_one(sum));
        }
        Independence::Orthant | Independence::Sum => {
            for n in needy {
                let sum = n.sum(program);
                program.ge(minus_one(sum));
                if how == Independence::Orthant {
                    for j in 0..n.basis.len() {
                        let product = n.product(program, j);
                        program.ge(product);
                    }
                }
            }
        }
        Independence::Exact => needy.iter().for_each(|n| exact(program, n, bound)),
    }
}

/// Some product isn't zero: a mixed-radix combination of the products, which vanishes only when all do, is at least 1 or at most -1.
///
/// The radix of product `j` is `M_j + 1`, where `M_j` bounds the product's size, so that the lowest digit decides modulo the radix (Pluto+'s uniform radix is right only for unit vectors).
fn exact(program: &mut Program, n: &Needy, bound: &Int) {
    let mut weight = Int::ONE;
    let mut big = Int::ONE;
    let mut sum = Linear::zero();
    for j in 0..n.basis.len() {
        let size = n.basis[j].iter().fold(Int::ZERO, |s, x| s + x.abs()) * bound;
        sum.add_scaled(&weight, &n.product(program, j));
        big += &weight * &size;
        weight *= size + Int::ONE;
    }
    let negative = program.binary(format!("S{}_sign", n.stmt));
    // sum >= 1 - big * negative, and -sum >= 1 - big * (1 - negative).
    let mut up = minus_one(sum.clone());
    up.add_term(negative, big.clone());
    program.ge(up);
    let mut down = minus_one(sum.negated());
    down.constant = &down.constant + &big;
    down.add_term(negative, -big);
    program.ge(down);
}

/// Some coefficient is positive: implied by independence where coefficients are non-negative, but it helps the solver.
pub(crate) fn not_zero(program: &mut Program, stmt: usize) {
    let mut sum = Linear::zero();
    program.stmts[&stmt].iters.iter().for_each(|f| sum.add_scaled(&Int::ONE, f));
    program.ge(minus_one(sum));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Bounds, value};
    use tilia_ilp::{Exact, Outcome, Solver};
    use tilia_presburger::Budget;

    fn bounds(negative: bool) -> Bounds {
        Bounds {
            coefficient: Int::from(3),
            constant: Int::from(3),
            negative: negative.then(|| Int::from(3)),
            parametric: false,
        }
    }

    fn row(program: &Program) -> Option<Vec<Int>> {
        match Exact.lexmin(program.problem()?, &Budget::default()).unwrap() {
            Outcome::Optimal(s) => Some(program.stmts[&0].iters.iter().map(|f| value(f, &s)).collect()),
            _ => None,
        }
    }

    fn ints(v: &[i64]) -> Vec<Int> {
        v.iter().map(|&x| Int::from(x)).collect()
    }

    #[test]
    fn after_the_row_i_plus_j_comes_i() {
        let needy = Needy::of(0, 2, &[ints(&[1, 1])]).unwrap();
        let mut p = Program::default();
        p.add_stmt(0, 2, 0, &bounds(false));
        require(&mut p, &[needy], Independence::Orthant, &Int::from(3));
        assert_eq!(row(&p), Some(ints(&[1, 0])));
    }

    #[test]
    fn full_rank_needs_nothing() {
        assert!(Needy::of(0, 2, &[ints(&[1, 1]), ints(&[0, 1])]).is_none());
        assert!(Needy::of(0, 0, &[]).is_none());
    }

    /// The disjunction allows exactly the rows that raise the rank.
    #[test]
    fn the_exact_condition_allows_all_independent_rows() {
        for so_far in [
            vec![ints(&[1, 1, 0])],
            vec![ints(&[2, -1, 3])],
            vec![ints(&[1, 0, 2]), ints(&[0, 1, 1])],
            vec![],
        ] {
            for code in 0..7_i64.pow(3) {
                let t = [code % 7 - 3, code / 7 % 7 - 3, code / 49 - 3];
                let mut p = Program::default();
                p.add_stmt(0, 3, 0, &bounds(true));
                let needy = Needy::of(0, 3, &so_far).unwrap();
                require(&mut p, &[needy], Independence::Exact, &Int::from(3));
                let forms = p.stmts[&0].iters.clone();
                for (mut f, x) in forms.into_iter().zip(t) {
                    f.constant = Int::from(-x);
                    p.eq(f);
                }
                let all: Vec<Vec<Int>> = so_far.iter().cloned().chain([ints(&t)]).collect();
                let independent = crate::linalg::rank(&all, 3) == all.len();
                assert_eq!(row(&p).is_some(), independent, "{so_far:?} {t:?}");
            }
        }
    }

    #[test]
    fn small_sizes_come_before_signs_and_plus_before_minus() {
        let mut p = Program::default();
        p.add_stmt(0, 2, 0, &bounds(true));
        let needy = Needy::of(0, 2, &[ints(&[1, 0])]).unwrap();
        require(&mut p, &[needy], Independence::Exact, &Int::from(3));
        assert_eq!(row(&p), Some(ints(&[0, 1])));
    }
}
