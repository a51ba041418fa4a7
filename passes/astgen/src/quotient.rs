//! Divisions whose value is known: below the loop over tile numbers `T`, `floor(i / 32)` is `T` wherever `32 T <= i <= 32 T + 31`.
//!
//! Such a division is recognised by what is known at the place, not by how it is written: projection and the library's normal form may have given it another shape.

use crate::ask::Oracle;
use crate::build::{Build, implied};
use crate::lin::{Atom, Con, Lin};
use crate::options::Error;
use tilia_presburger::Int;

impl Build {
    /// The condition with divisions replaced whose value is known.
    pub(crate) fn with_known_quotients(&self, con: &Con, b: &Oracle<'_>) -> Result<Con, Error> {
        if !con.lin.has_divs() {
            return Ok(con.clone());
        }
        let lin = self.lin_with_known_quotients(&con.lin, b)?;
        Ok(if con.eq { Con::eq(lin) } else { Con::ge(lin) })
    }

    /// The expression with divisions replaced whose value is known.
    pub(crate) fn lin_with_known_quotients(&self, lin: &Lin, b: &Oracle<'_>) -> Result<Lin, Error> {
        if !lin.has_divs() {
            return Ok(lin.clone());
        }
        let mut out = Lin::constant(lin.constant.clone());
        for (a, c) in &lin.terms {
            let Atom::Div(num, den) = a else {
                out.add_term(a.clone(), c);
                continue;
            };
            let num = self.lin_with_known_quotients(num, b)?;
            match self.quotient(&num, den, b)? {
                Some(q) => out.add_scaled(&q, c),
                None => out.add_scaled(&num.floor_div(den), c),
            }
        }
        Ok(out)
    }

    /// `floor(num / den)` as an expression without that division, if some known lower bound of `num` suggests one.
    fn quotient(&self, num: &Lin, den: &Int, b: &Oracle<'_>) -> Result<Option<Lin>, Error> {
        if num.is_constant() {
            return Ok(Some(Lin::constant(num.constant.div_floor(den))));
        }
        if num.last_dim().is_some_and(|d| d >= self.depth()) {
            // Of a dimension that is still to be scanned.
            return Ok(None);
        }
        let mut refuted: Vec<Lin> = Vec::new();
        for k in self.known() {
            let candidates = [
                Some(&k.lin).map(|l| suggested(l, num, den)),
                k.eq.then(|| suggested(&k.lin.neg(), num, den)),
            ];
            for q in candidates.into_iter().flatten().flatten() {
                if refuted.contains(&q) {
                    continue;
                }
                let mut above = num.neg().plus_int(&(den - &Int::ONE));
                above.add_scaled(&q, den);
                let above = Con::ge(above);
                if self.plainly_holds(&above) || implied(&self.domain, &above, b)? {
                    return Ok(Some(q));
                }
                refuted.push(q);
            }
        }
        Ok(None)
    }
}

/// `q` such that `bound >= 0` says `num >= den q`.
pub(crate) fn suggested(bound: &Lin, num: &Lin, den: &Int) -> Option<Lin> {
    let (atom, c) = num
        .terms
        .iter()
        .find(|(a, c)| !c.is_divisible_by(den) && bound.terms.contains_key(*a))?;
    let have = &bound.terms[atom];
    let factor = c.div_floor(have);
    if !factor.is_pos() || &factor * have != *c {
        return None;
    }
    // factor * bound = num + rest, so num >= -rest.
    let mut rest = bound.scaled(&factor);
    rest.add_scaled(num, &Int::NEG_ONE);
    if !rest.terms.values().all(|c| c.is_divisible_by(den)) {
        return None;
    }
    Some(rest.neg().floor_div(den))
}
