//! Divisions inside one conjunction that its other conditions determine.
//!
//! A tile number is `floor(e / d)` of a statement's dimensions and at the same time a schedule dimension of its own; where both occur, the library's normal form may
//! keep either. Loops want the schedule dimension.

use crate::lin::{Atom, Con, Lin};
use crate::quotient::suggested;
use std::collections::BTreeSet;
use tilia_presburger::Int;

/// Replaces divisions by what equalities, also those that only hold for integers, say they are. The conjunction keeps its elements.
pub(crate) fn settle_divisions(cons: &mut Vec<Con>) {
    if !cons.iter().any(|c| c.lin.has_divs()) {
        return;
    }
    substitute(cons);
    let mut found = integer_equalities(cons);
    found.extend(named(cons));
    if !found.is_empty() {
        cons.extend(found);
        substitute(cons);
    }
}

/// Uses every equality with exactly one division to eliminate that from the others.
fn substitute(cons: &mut [Con]) {
    for i in 0..cons.len() {
        let Some(division) = cons[i].only_division().cloned() else {
            continue;
        };
        let eq = cons[i].clone();
        for (j, c) in cons.iter_mut().enumerate() {
            if j != i {
                *c = c.without(&division, &eq);
            }
        }
    }
}

/// Divisions for which two conditions give another name: `q = T` where `q = floor(e / 8)` and `0 <= e - 8 T <= 7`.
fn named(cons: &[Con]) -> Vec<Con> {
    let divisions: BTreeSet<&Atom> = cons
        .iter()
        .flat_map(|c| c.lin.terms.keys())
        .filter(|a| matches!(a, Atom::Div(..)))
        .collect();
    let mut out = Vec::new();
    for a in divisions {
        let Atom::Div(num, den) = a else { continue };
        let name = cons.iter().filter(|c| !c.eq).find_map(|c| {
            let q = suggested(&c.lin, num, den).filter(|q| !q.has_divs())?;
            let mut above = num.neg().plus_int(&(den - &Int::ONE));
            above.add_scaled(&q, den);
            let above = Con::ge(above);
            cons.iter().any(|c| c.plainly_implies(&above)).then_some(q)
        });
        if let Some(q) = name {
            out.push(Con::eq(Lin::atom(a.clone()).minus(&q)));
        }
    }
    out
}

/// Equalities with divisions that pairs of inequalities imply: `0 <= e - 8 T <= 7` and `0 <= e - 8 q <= 7` say that `q = T`.
fn integer_equalities(cons: &[Con]) -> Vec<Con> {
    let mut bounds: Vec<Con> = Vec::new();
    let open = |c: &Con| !c.eq && c.lin.has_divs();
    for (i, a) in cons.iter().enumerate().filter(|(_, c)| open(c)) {
        for (j, b) in cons.iter().enumerate() {
            if b.eq || i == j || (open(b) && j < i) {
                continue;
            }
            let sum = a.lin.plus(&b.lin);
            let cancelled = a
                .lin
                .terms
                .keys()
                .any(|t| b.lin.terms.contains_key(t) && !sum.terms.contains_key(t));
            if cancelled && sum.has_divs() && sum.content() > Int::ONE {
                bounds.push(Con::ge(sum));
            }
        }
    }
    let mut out = Vec::new();
    for (i, a) in bounds.iter().enumerate() {
        let meets = |b: &Con| a.lin.is_opposite(&b.lin) && (&a.lin.constant + &b.lin.constant).is_zero();
        let unit = a.lin.terms.iter().any(|(t, c)| matches!(t, Atom::Div(..)) && c.is_unit());
        if unit && bounds[i + 1..].iter().any(meets) {
            out.push(Con::eq(a.lin.clone()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_interval_has_one_tile_number() {
        // 0 <= x0 - 8 x1 <= 7 and 0 <= x0 - 8 (x2 - q) <= 7, q = floor((x0 + x3) / 8)
        let q = Lin::dim(0).plus(&Lin::dim(3)).floor_div(&Int::from(8));
        let eight = Int::from(8);
        let first = Lin::dim(0).minus(&Lin::dim(1).scaled(&eight));
        let second = Lin::dim(0).minus(&Lin::dim(2).minus(&q).scaled(&eight));
        let seven = Int::from(7);
        let mut cons = vec![
            Con::ge(first.clone()),
            Con::ge(first.neg().plus_int(&seven)),
            Con::ge(second.clone()),
            Con::ge(second.neg().plus_int(&seven)),
        ];
        settle_divisions(&mut cons);
        assert!(cons.contains(&Con::eq(q.minus(&Lin::dim(2)).plus(&Lin::dim(1)))), "{cons:?}");
        assert!(cons.iter().filter(|c| !c.eq).all(|c| !c.lin.has_divs()), "{cons:?}");
    }
}
