//! How fast a count grows, without counting.
//!
//! Scale the parameters by `t`: up to a bounded distance the elements become `t` times the *recession cone* of the system over
//! parameters `p`, dimensions `x` and locals `l`, at the direction of the parameters. Over a direction inside the cone's projection on `p` that
//! is a polytope of some dimension `d`, and a polytope of that dimension has of the order of `t^d` integer points. With the
//! cone's linear span `{ z : E z = 0 }`, `d` is the dimension of its projection on `(p, x)` less that of its projection on
//! `p`, that is `n_x - rank E_{x,l} + rank E_l`.

use crate::basic::Basic;
use crate::error::{Error, Result};
use crate::num::{Budget, Int, Mat, row};
use crate::simplex::{Dir, Optimum, Tableau};

/// The exponent for one conjunction whose first `n_fixed` dimensions are parameters; `None` when it is empty.
pub(super) fn growth_degree(p: &Basic, n_fixed: usize, b: &Budget) -> Result<Option<u32>> {
    if p.empty || p.is_empty(b)? {
        return Ok(None);
    }
    let (mut span, ineqs) = homogeneous(p);
    let mut cone = Tableau::new(p.cols() - 1);
    for r in span.iter() {
        cone.add_eq(r, b)?;
    }
    for r in ineqs.iter() {
        cone.add_ineq(r, b)?;
    }
    check_bounded(&mut cone, n_fixed, p.n_dim(), b)?;
    for r in ineqs.iter() {
        // On a cone an expression is unbounded or at most zero; here it is at least zero, too.
        if !matches!(cone.optimum(r, Dir::Up, b)?, Optimum::Unbounded) {
            span.push(r);
        }
    }
    let n_x = p.n_dim() - n_fixed;
    let degree = n_x + rank(&span, 1 + p.n_dim(), b)? - rank(&span, 1 + n_fixed, b)?;
    Ok(Some(u32::try_from(degree).unwrap_or(u32::MAX)))
}

/// Equalities and inequalities of the recession cone. A known local is its quotient there, without rounding.
fn homogeneous(p: &Basic) -> (Mat, Mat) {
    let without_constant = |r: &[Int]| {
        let mut r = r.to_vec();
        r[0] = Int::ZERO;
        r
    };
    let (mut eqs, mut ineqs) = (Mat::new(p.cols()), Mat::new(p.cols()));
    for r in p.eqs.iter() {
        eqs.push_vec(without_constant(r));
    }
    for k in (0..p.n_div()).filter(|&k| p.divs.is_known(k)) {
        let [low, _] = p.div_bounds(k);
        eqs.push_vec(without_constant(&low));
    }
    for r in p.ineqs.iter() {
        let r = without_constant(r);
        if !row::is_zero(&r) {
            ineqs.push_vec(r);
        }
    }
    (eqs, ineqs)
}

/// Where the parameters stay, the dimensions must stay.
fn check_bounded(cone: &mut Tableau, n_fixed: usize, n_dim: usize, b: &Budget) -> Result<()> {
    let before = cone.snapshot();
    let unit = |c: usize| {
        let mut r = vec![Int::ZERO; 1 + cone.n_var()];
        r[c] = Int::ONE;
        r
    };
    let units: Vec<Vec<Int>> = (0..=n_dim).map(unit).collect();
    for r in &units[1..=n_fixed] {
        cone.add_eq(r, b)?;
    }
    for r in &units[1 + n_fixed..] {
        for dir in [Dir::Up, Dir::Down] {
            if matches!(cone.optimum(r, dir, b)?, Optimum::Unbounded) {
                return Err(Error::Unbounded);
            }
        }
    }
    cone.rollback(before, b)
}

/// The rank of the columns from `first` on.
fn rank(m: &Mat, first: usize, b: &Budget) -> Result<usize> {
    let mut rows: Vec<Vec<Int>> = m.iter().map(|r| r[first..].to_vec()).collect();
    let mut rank = 0;
    while let Some(mut pivot) = rows.pop() {
        let Some(c) = row::first_nonzero(&pivot) else { continue };
        rank += 1;
        let g = row::gcd(&pivot);
        row::div_exact(&mut pivot, &g);
        for r in rows.iter_mut().filter(|r| !r[c].is_zero()) {
            b.spend(1)?;
            row::eliminate(r, &pivot, c);
        }
    }
    Ok(rank)
}
