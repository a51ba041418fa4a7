//! A sum under way: constraints and a polynomial over parameters, divisions of them, and the variables still to be summed.

use super::poly::Poly;
use crate::basic::{Basic, Divs};
use crate::error::Result;
use crate::num::{Budget, Int, Ratio, row};

/// What a column stands for.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Param,
    /// `floor(num / den)` of parameters and earlier divisions; `num` is a row over the columns before it.
    Div {
        den: Int,
        num: Vec<Int>,
    },
    /// To be summed over.
    Var,
    /// Summed already; the column is unused.
    Done,
}

/// `Σ poly` over the integer values of the variables that satisfy the constraints.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The kind of column `i + 1`.
    pub(super) kinds: Vec<Kind>,
    /// The constraints, all columns as dimensions. Those that a division's definition implies are among them.
    pub(super) system: Basic,
    pub(super) poly: Poly,
}

impl State {
    /// The number of elements of a conjunction with known locals, whose first `n_param` dimensions are parameters.
    pub(super) fn new(b: &Basic, n_param: usize) -> State {
        let n_dim = b.n_dim();
        let mut kinds = vec![Kind::Param; n_param];
        kinds.resize(n_dim, Kind::Var);
        let mut system = Basic::universe(b.cols() - 1);
        for r in b.eqs.iter() {
            system.add_eq(r);
        }
        for r in b.ineqs.iter() {
            system.add_ineq(r);
        }
        for k in 0..b.n_div() {
            let num = b.divs.num(k);
            let of_params = num
                .iter()
                .enumerate()
                .skip(1)
                .all(|(c, x)| x.is_zero() || !matches!(kinds[c - 1], Kind::Var));
            kinds.push(if of_params {
                Kind::Div {
                    den: b.divs.den(k).clone(),
                    num: num[..b.div_col(k)].to_vec(),
                }
            } else {
                Kind::Var
            });
            for r in b.div_bounds(k) {
                system.add_ineq(&r);
            }
        }
        State {
            kinds,
            system,
            poly: Poly::constant(Ratio::ONE),
        }
    }

    pub(super) fn is_var(&self, col: usize) -> bool {
        matches!(self.kinds[col - 1], Kind::Var)
    }

    /// The columns of variables that a row uses.
    pub(super) fn vars_of(&self, r: &[Int]) -> Vec<usize> {
        (1..r.len()).filter(|&c| !r[c].is_zero() && self.is_var(c)).collect()
    }

    /// Appends a variable without constraints.
    pub(super) fn add_var(&mut self) -> usize {
        self.add_column(Kind::Var)
    }

    fn add_column(&mut self, kind: Kind) -> usize {
        let col = self.kinds.len() + 1;
        self.kinds.push(kind);
        self.system.insert_dims(col, 1);
        col
    }

    /// The column of `floor(num / den)`, where `num` uses no variable; a new one unless it is there already.
    pub(super) fn add_floor(&mut self, den: &Int, num: &[Int]) -> usize {
        let g = row::gcd(&num[1..]).gcd(den);
        if !g.is_one() {
            // floor((g·f + k) / (g·d)) = floor((f + floor(k / g)) / d)
            let mut less = num.to_vec();
            row::div_exact(&mut less[1..], &g);
            less[0] = less[0].div_floor(&g);
            return self.add_floor(&den.div_exact(&g), &less);
        }
        if let Some(c) = self.find_div(den, num) {
            return c;
        }
        let col = self.add_column(Kind::Div {
            den: den.clone(),
            num: num.to_vec(),
        });
        let mut low = num.to_vec();
        low.resize(col + 1, Int::ZERO);
        low[col] = -den;
        let mut high = low.clone();
        row::negate(&mut high);
        high[0] += den - &Int::ONE;
        self.system.add_ineq(&low);
        self.system.add_ineq(&high);
        col
    }

    fn find_div(&self, den: &Int, num: &[Int]) -> Option<usize> {
        let same = |have: &[Int]| {
            let n = have.len().min(num.len());
            have[..n] == num[..n] && row::is_zero(&have[n..]) && row::is_zero(&num[n..])
        };
        self.kinds
            .iter()
            .position(|k| matches!(k, Kind::Div { den: d, num: have } if d == den && same(have)))
            .map(|i| i + 1)
    }

    /// Replaces the variable of column `col` by the affine expression `[const, columns..]`, which doesn't use it.
    pub(super) fn substitute(&mut self, col: usize, expr: &[Int], b: &Budget) -> Result<()> {
        let replace = |r: &mut [Int]| {
            if !r[col].is_zero() {
                let x = std::mem::take(&mut r[col]);
                row::add_scaled(r, &x, expr);
            }
        };
        for i in 0..self.system.eqs.len() {
            replace(&mut self.system.eqs[i]);
        }
        for i in 0..self.system.ineqs.len() {
            replace(&mut self.system.ineqs[i]);
        }
        self.poly = self.poly.substitute(col - 1, &Poly::linear(expr), b)?;
        self.kinds[col - 1] = Kind::Done;
        Ok(())
    }

    /// When nothing is left to be summed: the conditions on the parameters, the divisions, and the polynomial over both.
    pub(super) fn finish(self, n_param: usize) -> (Basic, Divs, Poly) {
        let mut domain = Basic::universe(n_param);
        let mut map: Vec<usize> = (0..=n_param).collect();
        for kind in &self.kinds[n_param..] {
            let col = match kind {
                Kind::Div { den, num } => {
                    let here = domain.map_row(num, &map);
                    let k = domain.add_div(den, &here);
                    domain.div_col(k)
                }
                // Unused columns may go anywhere.
                _ => 0,
            };
            map.push(col);
        }
        let used: Vec<usize> = map[1..].iter().map(|c| c.saturating_sub(1)).collect();
        let poly = self.poly.rename(&used);
        let divs = domain.divs.clone();
        for r in self.system.eqs.iter() {
            let r = domain.map_row(r, &map);
            domain.add_eq(&r);
        }
        for r in self.system.ineqs.iter() {
            let r = domain.map_row(r, &map);
            domain.add_ineq(&r);
        }
        domain.simplify();
        (domain, divs, poly)
    }
}
