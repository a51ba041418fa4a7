//! Projecting a dimension out of a conjunction, by elimination over the rationals after what equalities give exactly.
//!
//! The result holds every integer point of the exact projection and may hold more. That is what loops need: they must cover; what is too much is left to guards.
//! Exact projection would cut the set into cases that no loop has any use for.

use crate::lin::{Atom, Con, Lin};
use crate::settle::settle_divisions;
use std::collections::BTreeSet;
use tilia_presburger::Int;

/// No more constraints than this are kept: what is dropped only makes the result larger.
const MAX_CONSTRAINTS: usize = 300;

/// The conjunction without the dimension. `None` when it is visibly infeasible.
pub(crate) fn project_out(cons: &[Con], dim: usize) -> Option<Vec<Con>> {
    if !cons.iter().any(|c| c.lin.mentions(dim)) {
        return tidy(cons.to_vec());
    }
    let mut system = solved_for(cons, dim).unwrap_or_else(|| cons.to_vec());
    let mut unknown: BTreeSet<Atom> = BTreeSet::from([Atom::Dim(dim)]);
    open_divisions(&mut system, &mut unknown, dim);
    substitute_equalities(&mut system, &mut unknown);
    while let Some(atom) = cheapest(&system, &unknown) {
        unknown.remove(&atom);
        system = tidy(combine(&system, &atom))?;
    }
    tidy(system)
}

/// The constraints with the dimension replaced by what an equality says it is, also inside divisions: exact.
fn solved_for(cons: &[Con], dim: usize) -> Option<Vec<Con>> {
    let divided = |c: &Con| c.lin.mentions_inside(dim);
    if !cons.iter().any(divided) {
        return None;
    }
    let eqs = cons.iter().filter(|c| c.eq && !divided(c) && c.lin.mentions(dim));
    let best = eqs.min_by_key(|c| (c.lin.coefficient(dim).abs(), c.lin.cost()))?;
    // a x = value
    let mut value = best.lin.clone();
    let mut a = value.terms.remove(&Atom::Dim(dim))?;
    if a.is_neg() {
        a = a.abs();
    } else {
        value = value.neg();
    }
    let mut out = Vec::with_capacity(cons.len() + 4);
    for c in cons.iter().filter(|c| *c != best) {
        let exact = c.with_quotient(dim, &value, &a);
        if divided(c) {
            // Loops need bounds without divisions, too.
            exact.relaxed(&mut out);
        }
        out.push(exact);
    }
    if !a.is_one() {
        out.push(Con::eq(value.modulo(&a)));
    }
    settle_divisions(&mut out);
    Some(out)
}

/// The constraints with the divisions that mention the dimension eliminated, but not the dimension itself.
pub(crate) fn without_divs_of(cons: &[Con], dim: usize) -> Vec<Con> {
    let mut system = cons.to_vec();
    let mut unknown = BTreeSet::new();
    open_divisions(&mut system, &mut unknown, dim);
    substitute_equalities(&mut system, &mut unknown);
    while let Some(atom) = cheapest(&system, &unknown) {
        unknown.remove(&atom);
        system = tidy(combine(&system, &atom)).unwrap_or_default();
    }
    system
}

/// Every division that mentions the dimension becomes an unknown between its bounds: `d q <= e <= d q + d - 1`.
fn open_divisions(system: &mut Vec<Con>, unknown: &mut BTreeSet<Atom>, dim: usize) {
    let mut next = 0;
    while next < system.len() {
        let atoms: Vec<Atom> = system[next].lin.terms.keys().cloned().collect();
        next += 1;
        for atom in atoms {
            let Atom::Div(num, den) = &atom else { continue };
            if !num.mentions(dim) || !unknown.insert(atom.clone()) {
                continue;
            }
            let mut rest = (**num).clone();
            rest.add_term(atom.clone(), &-den);
            system.push(Con::ge(rest.clone()));
            system.push(Con::ge(rest.neg().plus_int(&(den - &Int::ONE))));
        }
    }
}

/// Uses equalities to eliminate unknowns: exact where the coefficient is a unit or no other unknown is in the equality.
fn substitute_equalities(system: &mut Vec<Con>, unknown: &mut BTreeSet<Atom>) {
    loop {
        let candidates = system.iter().enumerate().filter(|(_, c)| c.eq).filter_map(|(i, c)| {
            let mut own = c.lin.terms.iter().filter(|(a, _)| unknown.contains(a));
            let best = own.clone().min_by_key(|(_, k)| k.abs())?;
            let alone = own.nth(1).is_none();
            // Units first, then lone unknowns, then the rest.
            let rank = if best.1.is_unit() { 0 } else { 2 - i32::from(alone) };
            Some(((rank, best.1.abs(), c.lin.cost(), i), best.0.clone()))
        });
        let Some(((_, _, _, at), atom)) = candidates.min_by(|x, y| x.0.cmp(&y.0)) else {
            return;
        };
        let eq = system.remove(at).lin;
        unknown.remove(&atom);
        let a = eq.terms.get(&atom).cloned().unwrap_or(Int::ONE);
        for c in system.iter_mut() {
            let Some(k) = c.lin.terms.get(&atom).cloned() else { continue };
            let g = a.gcd(&k);
            let mut lin = c.lin.scaled(&a.div_exact(&g).abs());
            let factor = if a.is_neg() { k.div_exact(&g) } else { -k.div_exact(&g) };
            lin.add_scaled(&eq, &factor);
            *c = if c.eq { Con::eq(lin) } else { Con::ge(lin) };
        }
        // a u + f = 0 has an integer u when f is a multiple of the coefficients of all that is unknown in it.
        let mut f = eq.clone();
        f.terms.remove(&atom);
        let mut g = a.abs();
        let others: Vec<Atom> = f.terms.keys().filter(|t| unknown.contains(t)).cloned().collect();
        for t in others {
            if let Some(k) = f.terms.remove(&t) {
                g = g.gcd(&k);
            }
        }
        if !g.is_one() {
            system.push(Con::eq(f.modulo(&g)));
        }
    }
}

/// The unknown whose elimination makes the fewest constraints.
fn cheapest(system: &[Con], unknown: &BTreeSet<Atom>) -> Option<Atom> {
    unknown
        .iter()
        .filter(|a| system.iter().any(|c| c.lin.terms.contains_key(a)))
        .min_by_key(|a| {
            let signs = system.iter().filter_map(|c| c.lin.terms.get(a)).map(Int::signum);
            let (mut up, mut down) = (0usize, 0usize);
            signs.for_each(|s| if s > 0 { up += 1 } else { down += 1 });
            (up * down) as i64 - (up + down) as i64
        })
        .cloned()
}

/// Fourier and Motzkin's step.
fn combine(system: &[Con], atom: &Atom) -> Vec<Con> {
    let (mut out, mut lower, mut upper): (Vec<Con>, Vec<Lin>, Vec<Lin>) = (Vec::new(), Vec::new(), Vec::new());
    for c in system {
        let Some(k) = c.lin.terms.get(atom) else {
            out.push(c.clone());
            continue;
        };
        if c.eq {
            lower.push(if k.is_neg() { c.lin.neg() } else { c.lin.clone() });
            upper.push(if k.is_neg() { c.lin.clone() } else { c.lin.neg() });
        } else if k.is_neg() {
            upper.push(c.lin.clone());
        } else {
            lower.push(c.lin.clone());
        }
    }
    for l in &lower {
        for u in &upper {
            if out.len() >= MAX_CONSTRAINTS {
                return out;
            }
            let (a, c) = (l.terms[atom].clone(), u.terms[atom].abs());
            let g = a.gcd(&c);
            let mut r = l.scaled(&c.div_exact(&g));
            r.add_scaled(u, &a.div_exact(&g));
            out.push(Con::ge(r));
        }
    }
    out
}

/// Without constraints that visibly follow from another; `None` when one can't hold.
fn tidy(cons: Vec<Con>) -> Option<Vec<Con>> {
    let mut out: Vec<Con> = Vec::with_capacity(cons.len());
    for c in cons {
        match c.constant_truth() {
            Some(true) => continue,
            Some(false) => return None,
            None => {}
        }
        if out.iter().any(|o| o.plainly_implies(&c)) {
            continue;
        }
        out.retain(|o| !c.plainly_implies(o));
        out.push(c);
    }
    // Two opposite inequalities that meet are an equality; that cross, a contradiction.
    let mut i = 0;
    while i < out.len() {
        if !out[i].eq
            && let Some(j) = (i + 1..out.len()).find(|&j| !out[j].eq && out[j].lin.is_opposite(&out[i].lin))
        {
            let room = &out[i].lin.constant + &out[j].lin.constant;
            if room.is_neg() {
                return None;
            }
            if room.is_zero() {
                out.remove(j);
                out[i] = Con::eq(out[i].lin.clone());
            }
        }
        i += 1;
    }
    out.sort();
    Some(out)
}
