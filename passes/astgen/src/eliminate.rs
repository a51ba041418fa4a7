//! Bounds on a dimension that only appears inside divisions: the divisions are eliminated as if they were rational unknowns (Fourier and Motzkin), which keeps
//! every integer point and may add others.

use crate::lin::{Atom, Con, Lin};
use tilia_presburger::Int;

/// No more constraints than this are made: what is dropped only makes the result larger.
const MAX_CONSTRAINTS: usize = 200;

/// The constraints without divisions that mention the dimension.
pub(crate) fn without_divs_of(cons: &[Con], dim: usize) -> Vec<Con> {
    let mut list: Vec<Lin> = Vec::new();
    for c in cons {
        list.push(c.lin.clone());
        if c.eq {
            list.push(c.lin.neg());
        }
    }
    loop {
        let next = list.iter().flat_map(|l| l.terms.keys()).find(|a| is_div_of(a, dim)).cloned();
        let Some(atom) = next else { break };
        if let Atom::Div(num, den) = &atom {
            // 0 <= num - den q <= den - 1
            let mut rest = (**num).clone();
            rest.add_term(atom.clone(), &-den);
            list.push(rest.clone());
            list.push(rest.neg().plus_int(&(den - &Int::ONE)));
        }
        list = eliminate(&list, &atom);
    }
    let mut out: Vec<Con> = list.into_iter().map(Con::ge).filter(|c| c.constant_truth() != Some(true)).collect();
    out.sort();
    out.dedup();
    out
}

fn is_div_of(a: &Atom, dim: usize) -> bool {
    matches!(a, Atom::Div(e, _) if e.mentions(dim))
}

fn eliminate(list: &[Lin], atom: &Atom) -> Vec<Lin> {
    let coefficient = |l: &Lin| l.terms.get(atom).cloned().unwrap_or(Int::ZERO);
    let (mut out, mut lower, mut upper) = (Vec::new(), Vec::new(), Vec::new());
    for l in list {
        match coefficient(l).signum() {
            0 => out.push(l.clone()),
            1 => lower.push(l),
            _ => upper.push(l),
        }
    }
    for l in &lower {
        for u in &upper {
            if out.len() >= MAX_CONSTRAINTS {
                return out;
            }
            let (a, c) = (coefficient(l), coefficient(u).abs());
            let g = a.gcd(&c);
            let mut r = l.scaled(&c.div_exact(&g));
            r.add_scaled(u, &a.div_exact(&g));
            out.push(r);
        }
    }
    out
}
