//! Between the library's expressions and sets and the generator's linear expressions.

use crate::ask::Oracle;
use crate::lin::{Atom, Con, Lin};
use crate::settle::settle_divisions;
use tilia_presburger::{Aff, BasicSet, Budget, Constraint, DimType, Error, Id, Result, Set, Space, Term};

/// An expression over a set space; dimension `k` becomes [`Atom::Dim`] `k`.
pub(crate) fn lin_of(aff: &Aff) -> Lin {
    let mut out = Lin::constant(aff.constant_term().clone());
    for term in aff.terms() {
        match term {
            Term::Dim {
                kind: DimType::Param,
                pos,
                coefficient,
            } => {
                out.add_term(Atom::Param(aff.space().params()[pos].clone()), &coefficient);
            }
            Term::Dim { pos, coefficient, .. } => out.add_term(Atom::Dim(pos), &coefficient),
            Term::Div {
                coefficient,
                numerator,
                denominator,
            } => out.add_scaled(&lin_of(&numerator).floor_div(&denominator), &coefficient),
        }
    }
    out
}

/// A linear expression over a set space that has its parameters and dimensions.
pub(crate) fn aff_of(lin: &Lin, space: &Space) -> Result<Aff> {
    let mut plain = Vec::with_capacity(lin.terms.len());
    let mut divs = Vec::new();
    for (a, c) in &lin.terms {
        match a {
            Atom::Dim(d) => plain.push((DimType::Out, *d, c.clone())),
            Atom::Param(p) => plain.push((DimType::Param, param(space, p)?, c.clone())),
            Atom::Div(e, den) => divs.push((e, den, c)),
        }
    }
    let mut out = Aff::linear(space, lin.constant.clone(), plain);
    for (e, den, c) in divs {
        out = out.add(&aff_of(e, space)?.floor_div(den)?.scale(c))?;
    }
    Ok(out)
}

fn param(space: &Space, name: &Id) -> Result<usize> {
    space
        .find_param(name)
        .ok_or_else(|| Error::Unsupported(format!("no parameter {name} in {space}")))
}

pub(crate) fn con_of(c: &Constraint) -> Con {
    let lin = lin_of(c.aff());
    if c.is_equality() { Con::eq(lin) } else { Con::ge(lin) }
}

pub(crate) fn constraint_of(c: &Con, space: &Space) -> Result<Constraint> {
    let aff = aff_of(&c.lin, space)?;
    Ok(if c.eq { Constraint::eq(aff) } else { Constraint::ineq(aff) })
}

/// The constraints of one conjunction.
pub(crate) fn cons_of(b: &BasicSet) -> Result<Vec<Con>> {
    let mut out: Vec<Con> = b.constraints()?.iter().map(con_of).collect();
    settle_divisions(&mut out);
    out.sort();
    out.dedup();
    Ok(out)
}

/// The conjunctions of a set, all existentials as divisions.
pub(crate) fn disjuncts(set: &Set, b: &Oracle<'_>) -> Result<Vec<Vec<Con>>> {
    b.conjunctions(set, || {
        let set = with_known_divs(set, b)?;
        set.basic_sets().iter().map(cons_of).collect()
    })
}

/// The set in as few pieces as are easily found, all existentials as divisions.
pub(crate) fn with_known_divs(set: &Set, b: &Budget) -> Result<Set> {
    let known = if set.basic_sets().iter().all(BasicSet::has_known_divs) {
        set.clone()
    } else {
        set.compute_divs(b)?
    };
    if known.n_basic() > 1 { known.coalesce(b) } else { Ok(known) }
}

/// The set of one conjunction.
pub(crate) fn set_of(cons: &[Con], space: &Space) -> Result<Set> {
    let list: Vec<Constraint> = cons.iter().map(|c| constraint_of(c, space)).collect::<Result<_>>()?;
    Ok(BasicSet::from_constraints(space, &list)?.to_union())
}
