//! Linear expressions and conditions as expressions of the AST, in their cheapest form for what is known at the place.

use crate::ask::Oracle;
use crate::build::{Build, DimValue};
use crate::graft::Cond;
use crate::lin::{Atom, Con, Lin};
use crate::options::Error;
use tilia_ast::{CmpOp, Expr};
use tilia_presburger::Int;

/// Makes expressions at one place. Conditions come in resolved form ([`Build::resolve_con`]): over iterators and parameters.
pub(crate) struct ExprGen<'a> {
    pub(crate) build: &'a Build,
    pub(crate) budget: &'a Oracle<'a>,
}

impl ExprGen<'_> {
    /// An integer expression of schedule dimensions and parameters.
    pub(crate) fn expr(&self, lin: &Lin) -> Result<Expr, Error> {
        let lin = self.build.lin_with_known_quotients(lin, self.budget)?;
        self.resolved(&self.build.resolve(&self.build.without_known_divs(&lin)))
    }

    /// An integer expression of iterators and parameters.
    pub(crate) fn resolved(&self, lin: &Lin) -> Result<Expr, Error> {
        let (mut lin, remainders) = extract_remainders(lin.clone());
        let mut terms = Vec::new();
        let divs: Vec<(Atom, Int)> = lin
            .terms
            .iter()
            .filter(|(a, _)| matches!(a, Atom::Div(..)))
            .map(|(a, c)| (a.clone(), c.clone()))
            .collect();
        for (a, c) in divs {
            lin.terms.remove(&a);
            if let Atom::Div(num, den) = a {
                let (term, rest) = self.quotient(&num, &den, &c)?;
                terms.push(term);
                lin.constant += &rest;
            }
        }
        for (num, den, c) in remainders {
            if self.is_below(&num, &den)? {
                terms.push(self.resolved(&num)?.times(&c));
                continue;
            }
            let non_negative = self.build.is_non_negative(&num, self.budget)?;
            terms.push(self.resolved(&num)?.modulo(&den, non_negative).times(&c));
        }
        let mut all = self.plain_terms(&lin);
        all.append(&mut terms);
        // A positive term first: `n - i`, not `-i + n`.
        if let Some(p) = all.iter().position(|t| !is_negative(t)) {
            let first = all.remove(p);
            all.insert(0, first);
        }
        if all.iter().all(is_negative) && !lin.constant.is_zero() && !all.is_empty() {
            // `5 - i`
            let mut out = vec![Expr::Int(lin.constant)];
            out.append(&mut all);
            return Ok(Expr::Add(out));
        }
        all.push(Expr::Int(lin.constant));
        Ok(Expr::sum(all))
    }

    /// Is the expression certainly its own remainder?
    fn is_below(&self, num: &Lin, den: &Int) -> Result<bool, Error> {
        let room = num.neg().plus_int(den).plus_int(&Int::NEG_ONE);
        Ok(self.build.is_non_negative(num, self.budget)? && self.build.is_non_negative(&room, self.budget)?)
    }

    /// Dimensions (innermost last) and parameters.
    fn plain_terms(&self, lin: &Lin) -> Vec<Expr> {
        lin.terms.iter().map(|(a, c)| self.plain(a).times(c)).collect()
    }

    fn plain(&self, a: &Atom) -> Expr {
        match a {
            Atom::Param(p) => Expr::Param(p.clone()),
            Atom::Dim(d) => match self.build.values.get(*d) {
                Some(DimValue::Loop { var, .. }) => Expr::Var(*var),
                // Resolved expressions mention loop dimensions only.
                _ => Expr::Int(Int::ZERO),
            },
            Atom::Div(..) => Expr::Int(Int::ZERO),
        }
    }

    /// `c * floor(num / den)` as an expression and a constant to add: with a non-negative dividend if one is known.
    fn quotient(&self, num: &Lin, den: &Int, c: &Int) -> Result<(Expr, Int), Error> {
        let b = self.budget;
        if self.build.is_non_negative(num, b)? {
            if self.is_below(num, den)? {
                return Ok((Expr::Int(Int::ZERO), Int::ZERO));
            }
            return Ok((self.resolved(num)?.floor_div(den, true).times(c), Int::ZERO));
        }
        // floor(e / d) = -floor((-e + d - 1) / d)
        let turned = num.neg().plus_int(&(den - &Int::ONE));
        if self.build.is_non_negative(&turned, b)? {
            return Ok((self.resolved(&turned)?.floor_div(den, true).times(&-c), Int::ZERO));
        }
        // A few multiples of the divisor may be missing: floor(e / d) = floor((e + s d) / d) - s.
        for s in [Int::ONE, Int::from(2)] {
            let lifted = num.plus_int(&(&s * den));
            if self.build.is_non_negative(&lifted, b)? {
                return Ok((self.resolved(&lifted)?.floor_div(den, true).times(c), -(&s * c)));
            }
        }
        Ok((self.resolved(num)?.floor_div(den, false).times(c), Int::ZERO))
    }

    /// All of the conditions; those with divisions are tested last and may rely on the others.
    pub(crate) fn all(&self, mut conds: Vec<Cond>) -> Result<Expr, Error> {
        conds.sort_by_key(Cond::rank);
        let plain = conds.partition_point(|c| !c.has_divs());
        let inside = self.build.under(&conds[..plain])?;
        let later = ExprGen {
            build: &inside,
            budget: self.budget,
        };
        let mut tests = Vec::with_capacity(conds.len());
        let mut first = 0;
        for (i, c) in conds.iter().enumerate() {
            if i < plain {
                tests.push(self.cond(c)?);
                continue;
            }
            let test = later.cond(c)?;
            // Residues are rare: they come first unless they need the other tests.
            if matches!(c, Cond::One(c) if c.eq) && self.cond(c)? == test {
                tests.insert(first, test);
                first += 1;
            } else {
                tests.push(test);
            }
        }
        Ok(Expr::all(tests))
    }

    /// A condition.
    pub(crate) fn cond(&self, cond: &Cond) -> Result<Expr, Error> {
        match cond {
            Cond::One(c) => self.con(c),
            Cond::Any(list) => {
                let parts = list.iter().map(|conj| self.conjunction(conj)).collect::<Result<Vec<_>, _>>()?;
                Ok(Expr::any(parts))
            }
        }
    }

    pub(crate) fn conjunction(&self, list: &[Con]) -> Result<Expr, Error> {
        let mut sorted: Vec<&Con> = list.iter().collect();
        sorted.sort_by_key(|c| (c.lin.has_divs(), c.lin.has_params()));
        let parts = sorted.into_iter().map(|c| self.con(c)).collect::<Result<Vec<_>, _>>()?;
        Ok(Expr::all(parts))
    }

    fn con(&self, con: &Con) -> Result<Expr, Error> {
        if let Some(t) = con.constant_truth() {
            return Ok(Expr::Bool(t));
        }
        if con.eq
            && let Some((num, den)) = divisibility(&con.lin)
        {
            let non_negative = self.build.is_non_negative(&num, self.budget)?;
            let rem = self.resolved(&num)?.modulo(&den, non_negative);
            return Ok(Expr::cmp(CmpOp::Eq, rem, Expr::int(0)));
        }
        if let Some(c) = self.remainder_test(con)? {
            return Ok(c);
        }
        self.comparison(con)
    }

    /// `e - d floor(e / d) + c` compared with zero, as a comparison of a remainder.
    fn remainder_test(&self, con: &Con) -> Result<Option<Expr>, Error> {
        let (rest, remainders) = extract_remainders(con.lin.clone());
        let [(num, den, c)] = &remainders[..] else { return Ok(None) };
        if !rest.is_constant() || !(c.is_one() || c.is_neg_one()) {
            return Ok(None);
        }
        let non_negative = self.build.is_non_negative(num, self.budget)?;
        let rem = self.resolved(num)?.modulo(den, non_negative);
        let limit = Expr::Int(if c.is_one() { -&rest.constant } else { rest.constant.clone() });
        let op = match (con.eq, c.is_one()) {
            (true, _) => CmpOp::Eq,
            (false, true) => CmpOp::Ge,
            (false, false) => CmpOp::Le,
        };
        Ok(Some(Expr::cmp(op, rem, limit)))
    }

    /// The innermost iterator, or what is positive, on the left.
    fn comparison(&self, con: &Con) -> Result<Expr, Error> {
        let (mut plus, mut minus) = (Lin::default(), Lin::default());
        for (a, c) in &con.lin.terms {
            if c.is_neg() {
                minus.add_term(a.clone(), &-c);
            } else {
                plus.add_term(a.clone(), c);
            }
        }
        // plus - minus + k >= 0
        let k = &con.lin.constant;
        if con.eq {
            let (left, mut right, k) = if rank(&plus) >= rank(&minus) {
                (plus, minus, -k)
            } else {
                (minus, plus, k.clone())
            };
            right.constant = k;
            return Ok(Expr::cmp(CmpOp::Eq, self.resolved(&left)?, self.resolved(&right)?));
        }
        let (left, mut right, mut k, mut op, strict) = if rank(&plus) >= rank(&minus) {
            (plus, minus, -k, CmpOp::Ge, CmpOp::Gt)
        } else {
            (minus, plus, k.clone(), CmpOp::Le, CmpOp::Lt)
        };
        // `x < n` rather than `x <= n - 1`.
        let step = if op == CmpOp::Le { Int::NEG_ONE } else { Int::ONE };
        if k == step && !right.is_constant() {
            k = Int::ZERO;
            op = strict;
        }
        right.constant = k;
        Ok(Expr::cmp(op, self.resolved(&left)?, self.resolved(&right)?))
    }
}

/// How much the side of a comparison wants to stand on the left.
fn rank(side: &Lin) -> Option<usize> {
    if side.is_constant() {
        return None;
    }
    Some(side.last_dim().map_or(1, |d| d + 2))
}

fn is_negative(e: &Expr) -> bool {
    matches!(e, Expr::Mul(f, _) if f.is_neg())
}

/// Rewrites `f e - f d floor(e / d)` as `f (e mod d)`, as long as that makes the rest shorter. Returns the rest and the remainders (dividend, divisor, factor).
fn extract_remainders(mut lin: Lin) -> (Lin, Vec<(Lin, Int, Int)>) {
    let mut found = Vec::new();
    let divs: Vec<(Atom, Int)> = lin
        .terms
        .iter()
        .filter(|(a, _)| matches!(a, Atom::Div(..)))
        .map(|(a, c)| (a.clone(), c.clone()))
        .collect();
    for (a, c) in divs {
        let Atom::Div(num, den) = &a else { continue };
        if !c.is_divisible_by(den) || lin.terms.get(&a) != Some(&c) {
            continue;
        }
        let f = -c.div_exact(den);
        let mut rest = lin.clone();
        rest.terms.remove(&a);
        rest.add_scaled(num, &-&f);
        // The dividend's terms must have been there.
        if rest.terms.len() + num.terms.len() + 1 == lin.terms.len() {
            found.push(((**num).clone(), den.clone(), f));
            lin = rest;
        }
    }
    (lin, found)
}

/// `(e, d)` when the expression is zero exactly when `d` divides `e`.
fn divisibility(lin: &Lin) -> Option<(Lin, Int)> {
    let (rest, remainders) = extract_remainders(lin.clone());
    match &remainders[..] {
        [(num, den, _)] if rest.is_zero() => Some((num.clone(), den.clone())),
        _ => None,
    }
}
