//! Affine forms of integer SSA values, before the parameters of a scop are known.
//!
//! A [`Lin`] is an integer combination of iterators, parameters and floor divisions; a [`Pw`] is one with several cases (from `min`, `max`, `select`); a
//! [`Dnf`] a union of conjunctions of constraints on them. They are plain data: conversion to sets happens once the parameters are known.

use std::collections::BTreeMap;
use tilia_presburger::Int;
use tilia_program::ValueId;
use tilia_scop::ParamSource;

/// What a linear form is a combination of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Atom {
    /// A loop's iterator.
    Iter(ValueId),
    /// A parameter.
    Param(ParamSource),
    /// The quotient of a form by a positive constant, rounded down.
    Div(Box<Lin>, Int),
}

/// A quasi-affine form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Lin {
    /// Non-zero coefficients.
    pub(crate) terms: BTreeMap<Atom, Int>,
    /// The constant term.
    pub(crate) constant: Int,
}

impl Lin {
    pub(crate) fn constant(c: impl Into<Int>) -> Self {
        Self {
            terms: BTreeMap::new(),
            constant: c.into(),
        }
    }

    pub(crate) fn atom(a: Atom) -> Self {
        Self {
            terms: BTreeMap::from([(a, Int::ONE)]),
            constant: Int::ZERO,
        }
    }

    pub(crate) fn as_constant(&self) -> Option<&Int> {
        self.terms.is_empty().then_some(&self.constant)
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.constant = &sum.constant + &other.constant;
        for (atom, c) in &other.terms {
            let entry = sum.terms.entry(atom.clone()).or_insert(Int::ZERO);
            *entry = &*entry + c;
            if entry.is_zero() {
                sum.terms.remove(atom);
            }
        }
        sum
    }

    pub(crate) fn add_constant(&self, c: i64) -> Self {
        let mut sum = self.clone();
        sum.constant = &sum.constant + &Int::from(c);
        sum
    }

    pub(crate) fn scale(&self, by: &Int) -> Self {
        if by.is_zero() {
            return Self::default();
        }
        let terms = self.terms.iter().map(|(a, c)| (a.clone(), c * by)).collect();
        Self {
            terms,
            constant: &self.constant * by,
        }
    }

    pub(crate) fn neg(&self) -> Self {
        self.scale(&Int::NEG_ONE)
    }

    pub(crate) fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    /// `floor(self / d)` for a positive `d`; terms that are multiples of `d` leave the division.
    pub(crate) fn floor_div(&self, d: &Int) -> Self {
        let mut outside = Self::constant(self.constant.div_floor(d));
        let mut inside = Self::constant(self.constant.mod_floor(d));
        for (atom, c) in &self.terms {
            if c.is_divisible_by(d) {
                outside.terms.insert(atom.clone(), c.div_exact(d));
            } else {
                inside.terms.insert(atom.clone(), c.clone());
            }
        }
        // The constant inside is already below d, so without terms the quotient is zero.
        if inside.terms.is_empty() {
            outside
        } else {
            outside.add(&Self::atom(Atom::Div(Box::new(inside), d.clone())))
        }
    }

    /// `self mod d` for a positive `d`, never negative.
    pub(crate) fn modulo(&self, d: &Int) -> Self {
        self.sub(&self.floor_div(d).scale(d))
    }

    /// Number of terms, those inside divisions included. Each remainder may double it.
    pub(crate) fn size(&self) -> usize {
        self.terms.keys().fold(1, |n, atom| match atom {
            Atom::Div(inner, _) => n + inner.size(),
            _ => n + 1,
        })
    }

    /// Calls `visit` on every atom, those inside divisions included.
    pub(crate) fn for_each_atom(&self, visit: &mut dyn FnMut(&Atom)) {
        for atom in self.terms.keys() {
            visit(atom);
            if let Atom::Div(inner, _) = atom {
                inner.for_each_atom(visit);
            }
        }
    }
}

/// `form >= 0`, or `form = 0`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Cond {
    pub(crate) form: Lin,
    pub(crate) equality: bool,
}

impl Cond {
    /// `a >= b`.
    pub(crate) fn ge(a: &Lin, b: &Lin) -> Self {
        Self {
            form: a.sub(b),
            equality: false,
        }
    }

    /// `a > b`.
    pub(crate) fn gt(a: &Lin, b: &Lin) -> Self {
        Self {
            form: a.sub(b).add_constant(-1),
            equality: false,
        }
    }

    /// `a = b`.
    pub(crate) fn eq(a: &Lin, b: &Lin) -> Self {
        Self {
            form: a.sub(b),
            equality: true,
        }
    }

    /// Whether it holds, where that is plain to see.
    fn known(&self) -> Option<bool> {
        let c = self.form.as_constant()?;
        Some(if self.equality { c.is_zero() } else { !c.is_neg() })
    }

    /// The disjoint cases in which it does not hold.
    fn negated(&self) -> Vec<Self> {
        let below = Self {
            form: self.form.neg().add_constant(-1),
            equality: false,
        };
        let above = Self {
            form: self.form.add_constant(-1),
            equality: false,
        };
        if self.equality { vec![below, above] } else { vec![below] }
    }
}

/// A union of conjunctions.
pub(crate) type Dnf = Vec<Vec<Cond>>;

/// The most cases that a form or a condition may have before it counts as not affine.
pub(crate) const MAX_CASES: usize = 16;

/// The condition that always holds.
pub(crate) fn always() -> Dnf {
    vec![Vec::new()]
}

/// The conjunction with what is plainly true left out; `None` when it is plainly false.
pub(crate) fn tidy(conds: Vec<Cond>) -> Option<Vec<Cond>> {
    let mut out: Vec<Cond> = Vec::with_capacity(conds.len());
    for c in conds {
        match c.known() {
            Some(true) => {}
            Some(false) => return None,
            None if out.contains(&c) => {}
            None => out.push(c),
        }
    }
    Some(out)
}

/// Both; `None` beyond [`MAX_CASES`].
pub(crate) fn and(a: &Dnf, b: &Dnf) -> Option<Dnf> {
    let mut out = Dnf::new();
    for x in a {
        for y in b {
            out.extend(tidy(x.iter().chain(y).cloned().collect()));
            if out.len() > MAX_CASES {
                return None;
            }
        }
    }
    Some(out)
}

/// Either, made disjoint; `None` beyond [`MAX_CASES`].
pub(crate) fn or(a: &Dnf, b: &Dnf) -> Option<Dnf> {
    let mut out = a.clone();
    out.extend(and(&not(a)?, b)?);
    (out.len() <= MAX_CASES).then_some(out)
}

/// The complement as disjoint cases; `None` beyond [`MAX_CASES`].
pub(crate) fn not(a: &Dnf) -> Option<Dnf> {
    let mut out = always();
    for conjunction in a {
        // Not (c1 and c2 and ..) = not c1, or c1 and not c2, or ..
        let mut cases = Dnf::new();
        let mut before: Vec<Cond> = Vec::new();
        for c in conjunction {
            for n in c.negated() {
                let mut case = before.clone();
                case.push(n);
                cases.extend(tidy(case));
            }
            before.push(c.clone());
        }
        out = and(&out, &cases)?;
    }
    Some(out)
}

/// A form with cases: where the (disjoint) conditions of a case hold, the value is its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pw(pub(crate) Vec<(Vec<Cond>, Lin)>);

impl Pw {
    pub(crate) fn lin(form: Lin) -> Self {
        Self(vec![(Vec::new(), form)])
    }

    pub(crate) fn constant(c: impl Into<Int>) -> Self {
        Self::lin(Lin::constant(c))
    }

    /// The form, when there is a single case without conditions.
    pub(crate) fn as_lin(&self) -> Option<&Lin> {
        match &self.0[..] {
            [(conds, form)] if conds.is_empty() => Some(form),
            _ => None,
        }
    }

    pub(crate) fn as_constant(&self) -> Option<&Int> {
        self.as_lin().and_then(Lin::as_constant)
    }

    pub(crate) fn map(&self, f: impl Fn(&Lin) -> Lin) -> Self {
        Self(self.0.iter().map(|(c, e)| (c.clone(), f(e))).collect())
    }

    /// Case by case; `None` beyond [`MAX_CASES`].
    pub(crate) fn zip(&self, other: &Self, f: impl Fn(&Lin, &Lin) -> Vec<(Vec<Cond>, Lin)>) -> Option<Self> {
        let mut out = Vec::new();
        for (c1, a) in &self.0 {
            for (c2, b) in &other.0 {
                for (c3, e) in f(a, b) {
                    let conds = c1.iter().chain(c2).cloned().chain(c3).collect();
                    out.extend(tidy(conds).map(|conds| (conds, e)));
                    if out.len() > MAX_CASES {
                        return None;
                    }
                }
            }
        }
        (!out.is_empty()).then_some(Self(out))
    }

    pub(crate) fn add(&self, other: &Self) -> Option<Self> {
        self.zip(other, |a, b| vec![(Vec::new(), a.add(b))])
    }

    pub(crate) fn sub(&self, other: &Self) -> Option<Self> {
        self.zip(other, |a, b| vec![(Vec::new(), a.sub(b))])
    }

    pub(crate) fn max(&self, other: &Self) -> Option<Self> {
        self.zip(other, |a, b| {
            vec![(vec![Cond::ge(a, b)], a.clone()), (vec![Cond::gt(b, a)], b.clone())]
        })
    }

    pub(crate) fn min(&self, other: &Self) -> Option<Self> {
        self.zip(other, |a, b| {
            vec![(vec![Cond::ge(b, a)], a.clone()), (vec![Cond::gt(a, b)], b.clone())]
        })
    }

    /// `self` where `cond` holds, else `other`; `None` beyond [`MAX_CASES`].
    pub(crate) fn select(cond: &Dnf, yes: &Self, no: &Self) -> Option<Self> {
        let mut out = Vec::new();
        for (case, value) in [(cond.clone(), yes), (not(cond)?, no)] {
            for (c, e) in &value.0 {
                for conds in and(&case, &vec![c.clone()])? {
                    out.push((conds, e.clone()));
                }
            }
        }
        (!out.is_empty() && out.len() <= MAX_CASES).then_some(Self(out))
    }

    /// Where `relation(self, other)` holds.
    pub(crate) fn compare(&self, other: &Self, relation: impl Fn(&Lin, &Lin) -> Dnf) -> Option<Dnf> {
        let mut out = Dnf::new();
        for (c1, a) in &self.0 {
            for (c2, b) in &other.0 {
                let both: Vec<Cond> = c1.iter().chain(c2).cloned().collect();
                out.extend(and(&vec![both], &relation(a, b))?);
                if out.len() > MAX_CASES {
                    return None;
                }
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iter(n: u32) -> Lin {
        Lin::atom(Atom::Iter(ValueId(n)))
    }

    #[test]
    fn divisions_shed_multiples() {
        let e = iter(0).scale(&Int::from(6)).add_constant(7).floor_div(&Int::from(3));
        assert_eq!(e, iter(0).scale(&Int::from(2)).add_constant(2));
        assert_eq!(iter(0).scale(&Int::from(4)).add_constant(3).modulo(&Int::from(4)), Lin::constant(3));
        assert_eq!(Lin::constant(-7).floor_div(&Int::from(2)), Lin::constant(-4));
    }

    #[test]
    fn negation_of_a_conjunction_is_disjoint_and_complete() {
        // i >= 2 and j = 3, tried on a box.
        let dnf = vec![vec![Cond::ge(&iter(0), &Lin::constant(2)), Cond::eq(&iter(1), &Lin::constant(3))]];
        let no = not(&dnf).unwrap();
        let value = |l: &Lin, p: [i64; 2]| {
            l.terms.iter().fold(l.constant.to_i64().unwrap(), |s, (a, c)| match a {
                Atom::Iter(v) => s + c.to_i64().unwrap() * p[v.0 as usize],
                _ => unreachable!(),
            })
        };
        let holds = |c: &Cond, p| {
            if c.equality {
                value(&c.form, p) == 0
            } else {
                value(&c.form, p) >= 0
            }
        };
        for i in -1..5 {
            for j in -1..6 {
                let n = no.iter().filter(|conj| conj.iter().all(|c| holds(c, [i, j]))).count();
                assert_eq!(n, usize::from(!(i >= 2 && j == 3)), "{i} {j}");
            }
        }
    }

    #[test]
    fn maximum_has_disjoint_cases() {
        let m = Pw::lin(iter(0)).max(&Pw::constant(4)).unwrap();
        assert_eq!(m.0.len(), 2);
        assert_eq!(Pw::constant(3).max(&Pw::constant(4)).unwrap().as_constant(), Some(&Int::from(4)));
    }
}
