//! Summation over one variable after the other.

use super::poly::Poly;
use super::state::{Kind, State};
use super::sum::sum_between;
use crate::basic::{Basic, Divs};
use crate::error::{Error, Result};
use crate::num::{Budget, Int, row};

/// A part of the parameter space with a polynomial over parameters and divisions.
pub(super) type Part = (Basic, Divs, Poly);

/// The number of elements of a conjunction; parts may overlap, their values then add up.
pub(super) fn count_basic(b: &Basic, n_param: usize, budget: &Budget) -> Result<Vec<Part>> {
    let mut stack = vec![State::new(b, n_param)];
    let mut parts = Vec::new();
    while let Some(mut s) = stack.pop() {
        budget.spend(1 + s.poly.len() as u64)?;
        s.system.simplify();
        s.system.remove_redundancies(budget)?;
        if s.system.empty || s.poly.is_zero() || s.system.is_empty(budget)? {
            continue;
        }
        if use_equality(&mut s, budget)? {
            stack.push(s);
            continue;
        }
        if drop_quotient(&mut s) {
            stack.push(s);
            continue;
        }
        match best_variable(&s)? {
            Some(col) => match rounded_by_variables(&s, col) {
                Some((a, f)) => split_by_remainder(&s, &a, &f, &mut stack, budget)?,
                None => sum_over(s, col, &mut stack, budget)?,
            },
            None => {
                let part = s.finish(n_param);
                if !part.0.empty {
                    parts.push(part);
                }
            }
        }
    }
    Ok(parts)
}

/// Removes a variable that only says `0 <= f - m·v <= m - 1`: there is exactly one such quotient `v` for any `f`.
fn drop_quotient(s: &mut State) -> bool {
    let found = (1..=s.kinds.len()).filter(|&c| s.is_var(c) && !s.poly.uses(c - 1)).find(|&c| {
        let mut rows = s.system.ineqs.iter().filter(|r| !r[c].is_zero());
        let (Some(x), Some(y), None) = (rows.next(), rows.next(), rows.next()) else {
            return false;
        };
        x[1..].iter().zip(&y[1..]).all(|(a, b)| (a + b).is_zero()) && &x[0] + &y[0] == x[c].abs() - Int::ONE
    });
    if let Some(c) = found {
        s.system.ineqs.retain(|r| r[c].is_zero());
        s.kinds[c - 1] = Kind::Done;
    }
    found.is_some()
}

/// Uses an equality with a variable in it to remove a variable; false when there is none.
fn use_equality(s: &mut State, b: &Budget) -> Result<bool> {
    let Some(e) = (0..s.system.eqs.len()).find(|&e| !s.vars_of(&s.system.eqs[e]).is_empty()) else {
        return Ok(false);
    };
    loop {
        let eq = s.system.eqs[e].to_vec();
        let mut vars = s.vars_of(&eq);
        if let Some(&c) = vars.iter().find(|&&c| eq[c].is_unit()) {
            s.substitute(c, &solved_for(&eq, c), b)?;
            return Ok(true);
        }
        vars.sort_by(|&a, &b| eq[a].abs().cmp(&eq[b].abs()).then(a.cmp(&b)));
        match vars.as_slice() {
            [c] => {
                single_multiple(s, &eq, *c, b)?;
                return Ok(true);
            }
            [p, rest @ ..] => {
                // A unimodular change of variables: x_p := x_p - Σ t·x_c leaves remainders.
                for &c in rest {
                    let t = eq[c].div_floor(&eq[*p]);
                    shear(s, *p, c, &-t, b)?;
                }
            }
            [] => return Ok(false),
        }
    }
}

/// The expression for column `c`, which has coefficient one in the equality.
fn solved_for(eq: &[Int], c: usize) -> Vec<Int> {
    let mut expr = eq.to_vec();
    if expr[c].is_pos() {
        row::negate(&mut expr);
    }
    expr[c] = Int::ZERO;
    expr
}

/// `g·v = f` with parameters and divisions in `f`: `v = floor(f / g)`. The equality then says that `g` divides `f`.
fn single_multiple(s: &mut State, eq: &[Int], c: usize, b: &Budget) -> Result<()> {
    let g = eq[c].abs();
    let f = solved_for(eq, c);
    let (mut expr, rest) = split_row(&f, &g, c);
    if !row::is_zero(&rest[1..]) {
        let q = s.add_floor(&g, &rest);
        expr.resize(s.kinds.len() + 1, Int::ZERO);
        expr[q] += Int::ONE;
    }
    s.substitute(c, &expr, b)
}

/// Replaces variable `p` by `p + t·c`.
fn shear(s: &mut State, p: usize, c: usize, t: &Int, b: &Budget) -> Result<()> {
    for m in [&mut s.system.eqs, &mut s.system.ineqs] {
        for i in 0..m.len() {
            let x = m[i][p].clone();
            m[i][c].add_mul(&x, t);
        }
    }
    let mut by = vec![Int::ZERO; s.kinds.len() + 1];
    by[p] = Int::ONE;
    by[c] = t.clone();
    s.poly = s.poly.substitute(p - 1, &Poly::linear(&by), b)?;
    Ok(())
}

/// The rows that bound column `c` from below, or from above.
fn bounds(s: &State, c: usize, from_below: bool) -> Vec<usize> {
    let m = &s.system.ineqs;
    (0..m.len())
        .filter(|&i| !m[i][c].is_zero() && m[i][c].is_pos() == from_below)
        .collect()
}

/// The variable whose summation splits least: first by remainders, then by the divisions it needs, then by the pairs of bounds.
fn best_variable(s: &State) -> Result<Option<usize>> {
    let mut best: Option<((Int, usize, usize), usize)> = None;
    for c in 1..=s.kinds.len() {
        if !s.is_var(c) {
            continue;
        }
        let (low, high) = (bounds(s, c, true), bounds(s, c, false));
        if low.is_empty() || high.is_empty() {
            // The system has a solution, and from it one can go on that way for ever.
            return Err(Error::Unbounded);
        }
        let mut remainders = Int::ONE;
        let mut floors = 0;
        for r in low.iter().chain(&high).map(|&i| &s.system.ineqs[i]).filter(|r| !r[c].is_unit()) {
            floors += 1;
            if !s.vars_of(&split_row(r, &r[c].abs(), c).1).is_empty() {
                remainders = &remainders * &r[c].abs();
            }
        }
        let cost = (remainders, floors, low.len() * high.len());
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, c));
        }
    }
    Ok(best.map(|(_, c)| c))
}

/// A row without its column `c` as `a·g + h`, the coefficients of `h` in `0..a`: `(g, h)`.
fn split_row(r: &[Int], a: &Int, c: usize) -> (Vec<Int>, Vec<Int>) {
    let (mut g, mut h) = (Vec::with_capacity(r.len()), Vec::with_capacity(r.len()));
    for (k, x) in r.iter().enumerate() {
        let quotient = if k == c { Int::ZERO } else { x.div_floor(a) };
        h.push(if k == c { Int::ZERO } else { x - &(&quotient * a) });
        g.push(quotient);
    }
    (g, h)
}

/// A bound of column `c` whose rounding depends on variables: the divisor, and what remains of the bound modulo the divisor.
fn rounded_by_variables(s: &State, c: usize) -> Option<(Int, Vec<Int>)> {
    let rows = (0..s.system.ineqs.len()).map(|i| &s.system.ineqs[i]).filter(|r| !r[c].is_zero());
    rows.map(|r| (r[c].abs(), split_row(r, &r[c].abs(), c).1))
        .find(|(_, h)| !s.vars_of(h).is_empty())
}

/// The largest divisor by whose remainders a sum is split.
const MAX_DIVISOR: i64 = 512;

/// One state for each remainder `t` of `f` modulo `a`: there is exactly one `q` with `f = a·q + t`, a variable that replaces
/// one of those in `f`. In all of them the bound that `f` is a part of has a simple rounding. (A variable for `floor(f / a)`
/// with two bounds would do without cases, but its own bounds need to be rounded again, without end.)
fn split_by_remainder(s: &State, a: &Int, f: &[Int], stack: &mut Vec<State>, b: &Budget) -> Result<()> {
    let Some(n) = a.to_i64().filter(|&n| n <= MAX_DIVISOR) else {
        return Err(Error::Unsupported(format!(
            "counting with a bound that is divided by {a} and depends on dimensions"
        )));
    };
    for t in 0..n {
        b.spend((s.system.ineqs.len() + s.poly.len()) as u64 + 1)?;
        let mut part = s.clone();
        let q = part.add_var();
        let mut eq = f.to_vec();
        eq.resize(q + 1, Int::ZERO);
        eq[q] = -a;
        eq[0] = &eq[0] - &Int::new(t);
        part.system.add_eq(&eq);
        stack.push(part);
    }
    Ok(())
}

/// Sums over column `c`: one new state for each pair of a largest lower and a smallest upper bound.
fn sum_over(mut s: State, c: usize, stack: &mut Vec<State>, budget: &Budget) -> Result<()> {
    let (low, high) = (bounds(&s, c, true), bounds(&s, c, false));
    let take = |rows: &[usize]| rows.iter().map(|&i| s.system.ineqs[i].to_vec()).collect::<Vec<_>>();
    let (low_rows, high_rows) = (take(&low), take(&high));
    s.system.ineqs.retain(|r| r[c].is_zero());
    // No rounding depends on variables here, see `rounded_by_variables`.
    let low: Vec<Vec<Int>> = low_rows.iter().map(|r| rounded_bound(&mut s, r, c)).collect();
    let high: Vec<Vec<Int>> = high_rows.iter().map(|r| rounded_bound(&mut s, r, c)).collect();
    let cols = s.kinds.len() + 1;
    let widen = |rows: Vec<Vec<Int>>| -> Vec<Vec<Int>> {
        rows.into_iter()
            .map(|mut r| {
                r.resize(cols, Int::ZERO);
                r
            })
            .collect()
    };
    let (low, high) = (widen(low), widen(high));
    for (i, l) in low.iter().enumerate() {
        for (j, h) in high.iter().enumerate() {
            let mut part = s.clone();
            decide(&mut part, &low, i, true);
            decide(&mut part, &high, j, false);
            part.system.add_ineq(&difference(h, l, Int::ZERO));
            part.system.simplify();
            if part.system.empty || part.system.is_empty(budget)? {
                continue;
            }
            part.poly = sum_between(&s.poly, c - 1, &Poly::linear(l), &Poly::linear(h), budget)?;
            part.kinds[c - 1] = Kind::Done;
            stack.push(part);
        }
    }
    Ok(())
}

/// The integer bound that a row puts on column `c`, as an expression.
fn rounded_bound(s: &mut State, r: &[Int], c: usize) -> Vec<Int> {
    // a·x + f >= 0: x >= -floor(f / a);  f - a·x >= 0: x <= floor(f / a).
    // A rest that is a constant is less than `a`.
    let (mut bound, rest) = split_row(r, &r[c].abs(), c);
    if !row::is_zero(&rest[1..]) {
        let q = s.add_floor(&r[c].abs(), &rest);
        bound.resize(s.kinds.len() + 1, Int::ZERO);
        // The division may be a part of the bound already.
        bound[q] += Int::ONE;
    }
    if r[c].is_pos() {
        row::negate(&mut bound);
    }
    bound
}

/// Bound `i` is the largest lower (smallest upper) one, the first of equals.
fn decide(s: &mut State, bounds: &[Vec<Int>], i: usize, from_below: bool) {
    for (k, other) in bounds.iter().enumerate() {
        if k == i {
            continue;
        }
        let slack = if k < i { Int::NEG_ONE } else { Int::ZERO };
        let r = if from_below {
            difference(&bounds[i], other, slack)
        } else {
            difference(other, &bounds[i], slack)
        };
        s.system.add_ineq(&r);
    }
}

/// `x - y + k` as a row.
fn difference(x: &[Int], y: &[Int], k: Int) -> Vec<Int> {
    let mut r: Vec<Int> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    r[0] += k;
    r
}
