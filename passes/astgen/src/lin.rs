//! Linear expressions in a normal form, the generator's working form of quasi-affine expressions.
//!
//! A [`Lin`] is an integer combination of parameters, schedule dimensions and floor divisions of such expressions. Unlike the library's `Aff` it isn't tied to a
//! space, so that it survives when the generator goes one level deeper.

use std::collections::BTreeMap;
use tilia_presburger::{Id, Int};

/// What a linear expression combines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Atom {
    /// A schedule dimension.
    Dim(usize),
    /// A parameter.
    Param(Id),
    /// `floor(e / d)`.
    Div(Box<Lin>, Int),
}

/// An integer combination of atoms plus a constant; no coefficient is zero.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Lin {
    pub(crate) terms: BTreeMap<Atom, Int>,
    pub(crate) constant: Int,
}

impl Lin {
    pub(crate) fn constant(value: impl Into<Int>) -> Lin {
        Lin {
            terms: BTreeMap::new(),
            constant: value.into(),
        }
    }

    pub(crate) fn atom(a: Atom) -> Lin {
        Lin {
            terms: BTreeMap::from([(a, Int::ONE)]),
            constant: Int::ZERO,
        }
    }

    pub(crate) fn dim(d: usize) -> Lin {
        Lin::atom(Atom::Dim(d))
    }

    pub(crate) fn add_term(&mut self, a: Atom, c: &Int) {
        if c.is_zero() {
            return;
        }
        let slot = self.terms.entry(a.clone()).or_insert(Int::ZERO);
        *slot += c;
        if slot.is_zero() {
            self.terms.remove(&a);
        }
    }

    /// `self += c * other`
    pub(crate) fn add_scaled(&mut self, other: &Lin, c: &Int) {
        for (a, k) in &other.terms {
            self.add_term(a.clone(), &(k * c));
        }
        self.constant += &(&other.constant * c);
    }

    pub(crate) fn plus(&self, other: &Lin) -> Lin {
        let mut r = self.clone();
        r.add_scaled(other, &Int::ONE);
        r
    }

    pub(crate) fn minus(&self, other: &Lin) -> Lin {
        let mut r = self.clone();
        r.add_scaled(other, &Int::NEG_ONE);
        r
    }

    pub(crate) fn plus_int(&self, v: &Int) -> Lin {
        let mut r = self.clone();
        r.constant += v;
        r
    }

    pub(crate) fn scaled(&self, c: &Int) -> Lin {
        let mut r = Lin::default();
        r.add_scaled(self, c);
        r
    }

    pub(crate) fn neg(&self) -> Lin {
        self.scaled(&Int::NEG_ONE)
    }

    pub(crate) fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.terms.is_empty() && self.constant.is_zero()
    }

    /// Coefficient of a dimension outside divisions.
    pub(crate) fn coefficient(&self, d: usize) -> Int {
        self.terms.get(&Atom::Dim(d)).cloned().unwrap_or(Int::ZERO)
    }

    /// The greatest common divisor of the coefficients, not the constant.
    pub(crate) fn content(&self) -> Int {
        self.terms.values().fold(Int::ZERO, |g, c| g.gcd(c))
    }

    /// Every coefficient and the constant divided by a common divisor.
    pub(crate) fn div_exact(&self, d: &Int) -> Lin {
        Lin {
            terms: self.terms.iter().map(|(a, c)| (a.clone(), c.div_exact(d))).collect(),
            constant: self.constant.div_exact(d),
        }
    }

    /// `floor(self / d)` for positive `d`; what is a multiple of `d` leaves the division.
    pub(crate) fn floor_div(&self, d: &Int) -> Lin {
        let (mut out, mut rest) = (Lin::default(), Lin::default());
        for (a, c) in &self.terms {
            let (q, r) = nearest(c, d);
            out.add_term(a.clone(), &q);
            rest.add_term(a.clone(), &r);
        }
        out.constant = self.constant.div_floor(d);
        rest.constant = self.constant.mod_floor(d);
        if rest.is_constant() {
            return out;
        }
        // floor((g e + c) / d) = floor((e + floor(c / g)) / (d / g)) when g divides d.
        let g = rest.content().gcd(d);
        let mut den = d.clone();
        if !g.is_one() {
            rest.constant = rest.constant.div_floor(&g);
            let c = std::mem::take(&mut rest.constant);
            rest = rest.div_exact(&g);
            rest.constant = c;
            den = den.div_exact(&g);
        }
        if den.is_one() {
            out.add_scaled(&rest, &Int::ONE);
            return out;
        }
        out.add_term(Atom::Div(Box::new(rest), den), &Int::ONE);
        out
    }

    /// `ceil(self / d)` for positive `d`.
    pub(crate) fn ceil_div(&self, d: &Int) -> Lin {
        self.plus_int(&(d - &Int::ONE)).floor_div(d)
    }

    /// `self mod d` for positive `d`.
    pub(crate) fn modulo(&self, d: &Int) -> Lin {
        let mut reduced = Lin {
            terms: BTreeMap::new(),
            constant: self.constant.mod_floor(d),
        };
        for (a, c) in &self.terms {
            reduced.add_term(a.clone(), &nearest(c, d).1);
        }
        let q = reduced.floor_div(d);
        reduced.add_scaled(&q, &-d);
        reduced
    }

    /// Does the expression mention the dimension, also inside divisions?
    pub(crate) fn mentions(&self, d: usize) -> bool {
        self.terms.keys().any(|a| a.mentions(d))
    }

    /// Does a division mention the dimension?
    pub(crate) fn mentions_inside(&self, d: usize) -> bool {
        self.terms.keys().any(|a| matches!(a, Atom::Div(..)) && a.mentions(d))
    }

    /// The divisions that mention the dimension: dividend and divisor.
    pub(crate) fn divisions_of(&self, d: usize) -> impl Iterator<Item = (Lin, Int)> + '_ {
        self.terms.keys().filter_map(move |a| match a {
            Atom::Div(num, den) if num.mentions(d) => Some(((**num).clone(), den.clone())),
            _ => None,
        })
    }

    /// A division with coefficient 1 or -1.
    fn whole_division(&self) -> Option<Atom> {
        let mut found = self.terms.iter().filter(|(a, c)| matches!(a, Atom::Div(..)) && c.is_unit());
        found.next().map(|(a, _)| a.clone())
    }

    /// An expression that is non-negative exactly where this one is, without the division, whose coefficient is 1 or -1.
    fn multiplied_out(&self, atom: &Atom) -> Lin {
        let Atom::Div(num, den) = atom else { return self.clone() };
        let mut rest = self.clone();
        let Some(c) = rest.terms.remove(atom) else { return self.clone() };
        let mut out = rest.scaled(den);
        out.add_scaled(num, &c);
        if c.is_neg() {
            // f >= floor(e / d) exactly where d f >= e - (d - 1)
            out.constant += &(den - &Int::ONE);
        }
        out
    }

    /// The highest dimension mentioned.
    pub(crate) fn last_dim(&self) -> Option<usize> {
        self.terms.keys().filter_map(Atom::last_dim).max()
    }

    /// Are there parameters outside divisions?
    pub(crate) fn has_params(&self) -> bool {
        self.terms.keys().any(|a| matches!(a, Atom::Param(_)))
    }

    /// Are there divisions?
    pub(crate) fn has_divs(&self) -> bool {
        self.terms.keys().any(|a| matches!(a, Atom::Div(..)))
    }

    /// The expression with each dimension replaced.
    pub(crate) fn substitute(&self, value: &dyn Fn(usize) -> Lin) -> Lin {
        let mut out = Lin::constant(self.constant.clone());
        for (a, c) in &self.terms {
            match a {
                Atom::Dim(d) => out.add_scaled(&value(*d), c),
                Atom::Param(_) => out.add_term(a.clone(), c),
                Atom::Div(e, d) => out.add_scaled(&e.substitute(value).floor_div(d), c),
            }
        }
        out
    }

    /// Are the terms, without the constants, each other's negatives?
    pub(crate) fn is_opposite(&self, other: &Lin) -> bool {
        self.terms.len() == other.terms.len()
            && self
                .terms
                .iter()
                .zip(&other.terms)
                .all(|((a, x), (b, y))| x.signum() != y.signum() && *x == -y && a == b)
    }

    /// `a` times the expression where `a` times the dimension is `value` and divisible by `a`; divisions keep their value.
    fn times_with_quotient(&self, dim: usize, value: &Lin, a: &Int) -> Lin {
        let mut out = Lin::constant(&self.constant * a);
        for (atom, c) in &self.terms {
            match atom {
                Atom::Dim(d) if *d == dim => out.add_scaled(value, c),
                Atom::Div(e, d) if e.mentions(dim) => {
                    let q = e.times_with_quotient(dim, value, a).floor_div(&(a * d));
                    out.add_scaled(&q, &(c * a));
                }
                _ => out.add_term(atom.clone(), &(c * a)),
            }
        }
        out
    }

    /// A positive multiple of an expression without those divisions that is at least this one.
    fn above(&self, open: &dyn Fn(&Atom) -> bool) -> Lin {
        let mut lin = self.clone();
        while let Some((Atom::Div(num, den), c)) = lin.terms.iter().find(|(a, _)| open(a)) {
            let (num, den, c) = ((**num).clone(), den.clone(), c.clone());
            lin.terms.remove(&Atom::Div(Box::new(num.clone()), den.clone()));
            // (e - d + 1) / d <= floor(e / d) <= e / d
            lin = lin.scaled(&den);
            lin.add_scaled(&num, &c);
            if c.is_neg() {
                lin.constant += &(&c * &(&Int::ONE - &den));
            }
        }
        lin
    }

    /// A measure of how costly the expression is: terms, and four for each division.
    pub(crate) fn cost(&self) -> usize {
        let divs = |a: &Atom| match a {
            Atom::Div(e, _) => 4 + e.cost(),
            _ => 1,
        };
        self.terms.keys().map(divs).sum::<usize>() + usize::from(!self.constant.is_zero())
    }
}

/// `c = q d + r` with `r` in `(-d/2, d/2]`: small coefficients inside divisions, as the library has them.
fn nearest(c: &Int, d: &Int) -> (Int, Int) {
    let (q, r) = (c.div_floor(d), c.mod_floor(d));
    if &r + &r > *d { (&q + &Int::ONE, &r - d) } else { (q, r) }
}

impl Atom {
    fn mentions(&self, d: usize) -> bool {
        match self {
            Atom::Dim(x) => *x == d,
            Atom::Param(_) => false,
            Atom::Div(e, _) => e.mentions(d),
        }
    }

    fn last_dim(&self) -> Option<usize> {
        match self {
            Atom::Dim(x) => Some(*x),
            Atom::Param(_) => None,
            Atom::Div(e, _) => e.last_dim(),
        }
    }
}

/// A condition: `lin >= 0` or `lin = 0`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Con {
    pub(crate) lin: Lin,
    pub(crate) eq: bool,
}

impl Con {
    pub(crate) fn ge(lin: Lin) -> Con {
        Con { lin, eq: false }.normalized()
    }

    pub(crate) fn eq(lin: Lin) -> Con {
        Con { lin, eq: true }.normalized()
    }

    /// Common divisors of the coefficients are taken out (the constant of an inequality rounded down), the sign of an equality fixed.
    fn normalized(self) -> Con {
        let g = self.lin.content();
        let mut lin = self.lin;
        if !g.is_zero() && !g.is_one() {
            if !self.eq {
                lin.constant = &lin.constant.div_floor(&g) * &g;
            }
            if lin.constant.is_divisible_by(&g) {
                lin = lin.div_exact(&g);
            }
        }
        if self.eq && lin.terms.values().next_back().is_some_and(Int::is_neg) {
            lin = lin.neg();
        }
        Con { lin, eq: self.eq }
    }

    /// The condition with divisions that are a whole term of an inequality multiplied out: `floor(e / d) + f >= 0` exactly where `e + d f >= 0`.
    pub(crate) fn multiplied_out(&self) -> Con {
        let mut con = self.clone();
        while let Some(atom) = con.lin.whole_division().filter(|_| !con.eq) {
            con = Con::ge(con.lin.multiplied_out(&atom));
        }
        con
    }

    pub(crate) fn substitute(&self, value: &dyn Fn(usize) -> Lin) -> Con {
        Con {
            lin: self.lin.substitute(value),
            eq: self.eq,
        }
        .normalized()
    }

    /// Adds what the condition says over the rationals, without divisions.
    pub(crate) fn relaxed(&self, out: &mut Vec<Con>) {
        self.relaxed_where(&|a| matches!(a, Atom::Div(..)), out);
    }

    /// Adds what the condition says over the rationals, without divisions of the dimension.
    pub(crate) fn relaxed_into(&self, dim: usize, out: &mut Vec<Con>) {
        self.relaxed_where(&|a| matches!(a, Atom::Div(..)) && a.mentions(dim), out);
    }

    fn relaxed_where(&self, open: &dyn Fn(&Atom) -> bool, out: &mut Vec<Con>) {
        if !self.lin.terms.keys().any(open) {
            return;
        }
        out.push(Con::ge(self.lin.above(open)));
        if self.eq {
            out.push(Con::ge(self.lin.neg().above(open)));
        }
    }

    /// The condition where `a` > 0 times the dimension is `value`, which `a` divides.
    pub(crate) fn with_quotient(&self, dim: usize, value: &Lin, a: &Int) -> Con {
        if !self.lin.mentions(dim) {
            return self.clone();
        }
        Con {
            lin: self.lin.times_with_quotient(dim, value, a),
            eq: self.eq,
        }
        .normalized()
    }

    /// The division of an equality that has exactly one.
    pub(crate) fn only_division(&self) -> Option<&Atom> {
        let mut divs = self.lin.terms.keys().filter(|a| matches!(a, Atom::Div(..)));
        let first = divs.next().filter(|_| self.eq);
        first.filter(|_| divs.next().is_none())
    }

    /// The condition with an atom eliminated by an equality.
    pub(crate) fn without(&self, atom: &Atom, eq: &Con) -> Con {
        let (Some(c), Some(a)) = (self.lin.terms.get(atom), eq.lin.terms.get(atom)) else {
            return self.clone();
        };
        let g = a.gcd(c);
        let mut lin = self.lin.scaled(&a.div_exact(&g).abs());
        let factor = if a.is_neg() { c.div_exact(&g) } else { -c.div_exact(&g) };
        lin.add_scaled(&eq.lin, &factor);
        Con { lin, eq: self.eq }.normalized()
    }

    /// Truth of a condition without atoms.
    pub(crate) fn constant_truth(&self) -> Option<bool> {
        if !self.lin.is_constant() {
            // 2x + 1 = 0 has no solution.
            let g = self.lin.content();
            let never = self.eq && !self.lin.constant.is_divisible_by(&g);
            return never.then_some(false);
        }
        Some(if self.eq {
            self.lin.constant.is_zero()
        } else {
            !self.lin.constant.is_neg()
        })
    }

    /// Does this condition visibly imply the other?
    pub(crate) fn plainly_implies(&self, other: &Con) -> bool {
        if self == other {
            return true;
        }
        if other.eq {
            return false;
        }
        let same = self.lin.constant <= other.lin.constant && self.lin.terms == other.lin.terms;
        same || (self.eq && -&self.lin.constant <= other.lin.constant && self.lin.is_opposite(&other.lin))
    }
}
